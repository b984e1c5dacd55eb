"""What the players agree on before a game of Warstones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engines.core import KitError, OptionError, Seat
from engines.warstones.kit import UnitType, WarKit
from engines.warstones.kit_file import parse_warkit, sample_kit
from engines.warstones.mat import Mat
from engines.warstones.mat_file import arbitro_mat, parse_mat
from engines.warstones.scoring import base_points, base_points_needed
from engines.warstones.terms import SEATS, ChipId, Terrain, chip_seat, chip_unit

LEAST_ARMY = 150
TEAMS = ("none", "AB/CD", "AC/BD", "AD/BC")
GOALS = ((400, 9), (300, 7), (200, 5), (150, 4))
"""Army Points from this many on -> victory points needed."""


@dataclass(frozen=True, slots=True)
class Options:
    """The agreement of one table, with the defaults of the rules."""

    kit: WarKit
    mat: Mat
    factions: tuple[str, ...]
    """The faction of each seat."""
    players: int = 2
    teams: str = "none"
    """Who plays with whom when four play two against two."""
    army_points: int = 200
    points_to_win: int | None = None
    """`None`: as the table says; between two of its rows the lower one (W-03)."""
    terrain: bool = True
    """The advanced rule: terrain counts."""
    token_stacks: str = "one"
    """``one``: all City tokens together; ``two``: central and lateral ones apart."""
    margin: str = "reserve"
    """A unit outside the sectors: ``reserve`` = as if off the board, or ``stay``."""
    failed_siege_return: bool = False
    ally_presence: bool = True
    """An ally's units are enough to attack or besiege in a sector (W-16)."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return all seats in the order of play."""
        return tuple(Seat(number) for number in range(self.players))

    @property
    def goal(self) -> int:
        """Return the victory points that win: the lower row between two (W-03)."""
        if self.points_to_win is not None:
            return self.points_to_win
        return points_needed(self.army_points, teams=self.teams != "none")

    @property
    def is_goal_stated(self) -> bool:
        """Return whether the table of section 6 has a row for these armies."""
        rows = {row for row, _ in GOALS}
        return self.points_to_win is not None or (
            self.army_points in rows or self.army_points >= GOALS[0][0]
        )

    def terrains_in(self, sector: str) -> tuple[Terrain, ...]:
        """Return the kinds of terrain that count in a sector, beside the plain."""
        return self.mat.terrains_in(sector) if self.terrain else ()

    def team(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the seats that win and lose together with `seat`, itself included."""
        for side in self.teams.split("/"):
            if SEATS[seat] in side and self.teams != "none":
                return tuple(Seat(SEATS.index(letter)) for letter in side)
        return (seat,)

    def are_allies(self, one: Seat, two: Seat) -> bool:
        """Return whether the two seats are on one side; a seat is its own ally."""
        return two in self.team(one)

    def opponents(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the other sides' seats in the order of play after `seat`."""
        others = ((seat + step) % self.players for step in range(1, self.players))
        return tuple(Seat(s) for s in others if not self.are_allies(seat, Seat(s)))

    def label(self, chip: ChipId) -> str:
        """Return the label of a chip's unit in the kit."""
        return f"{self.factions[chip_seat(chip)]}.{chip_unit(chip)}"

    def unit(self, chip: ChipId) -> UnitType | None:
        """Return the unit of a chip, `None` if that player's faction has no such."""
        if chip_seat(chip) >= self.players:
            return None
        return self.kit.unit(self.label(chip))


def points_needed(army_points: int, *, teams: bool) -> int:
    """Return the victory points that armies of that size must reach."""
    lowest = GOALS[-1][1]
    goal = next((need for row, need in GOALS if army_points >= row), lowest)
    return goal + 2 if teams else goal


_WORDS = {
    "teams": TEAMS,
    "token_stacks": ("one", "two"),
    "margin": ("reserve", "stay"),
}
_FLAGS = frozenset({"terrain", "failed_siege_return", "ally_presence"})
_NUMBERS = frozenset({"players", "army_points", "points_to_win"})
_KNOWN = frozenset({*_WORDS, *_FLAGS, *_NUMBERS, "kit", "mat", "factions"})


def read_options(values: Mapping[str, object]) -> Options:
    """Return the options of `values`; raise `OptionError`.

    Names may be written as in the rules (``failedSiegeReturn``). `kit` is ``sample``
    or the content of a kit file, `mat` is ``arbitro`` or the content of a GeoJSON
    file, `factions` a list with one faction per player.
    """
    given = {_snake(key): value for key, value in values.items()}
    if unknown := sorted(given.keys() - _KNOWN):
        raise OptionError(f"Warstones has no option {unknown[0]!r}")
    players = _number(given, "players", 2)
    if players not in {2, 3, 4}:
        raise OptionError(f"Warstones is for 2, 3 or 4 players, not {players}")
    kit, mat = _kit(given.get("kit", "sample")), _mat(given.get("mat", "arbitro"))
    teams = _word(given, "teams")
    if teams != "none" and players != 4:
        raise OptionError("teams are for four players, two against two")
    if mat.base(Seat(0), players) is None:
        raise OptionError(f"mat {mat.name!r} has no Bases for {players} players")
    army_points = _number(given, "army_points", 200)
    if army_points < LEAST_ARMY:
        raise OptionError(f"army_points must be {LEAST_ARMY} or more")
    factions = _factions(given.get("factions"), kit, players)
    _check_base_units(kit, factions, army_points)
    goal = given.get("points_to_win")
    if goal is not None and _number(given, "points_to_win", 1) < 1:
        raise OptionError("points_to_win must be 1 or more")
    return Options(
        kit,
        mat,
        factions,
        players,
        teams,
        army_points,
        None if goal is None else _number(given, "points_to_win", 1),
        _flag(given, "terrain", default=True),
        _word(given, "token_stacks"),
        _word(given, "margin"),
        _flag(given, "failed_siege_return", default=False),
        _flag(given, "ally_presence", default=True),
    )


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", lambda m: "_" + m[1].lower(), key)


def _kit(value: object) -> WarKit:
    if value == "sample":
        return sample_kit()
    if isinstance(value, WarKit):
        return value
    if not isinstance(value, Mapping):
        raise OptionError("kit must be 'sample' or the content of a kit file")
    try:
        return parse_warkit(value)
    except KitError as error:
        raise OptionError(f"kit: {error}") from error


def _mat(value: object) -> Mat:
    if value == "arbitro":
        return arbitro_mat()
    if isinstance(value, Mat):
        return value
    if not isinstance(value, Mapping):
        raise OptionError("mat must be 'arbitro' or the content of a GeoJSON file")
    try:
        return parse_mat(value)
    except KitError as error:
        raise OptionError(f"mat: {error}") from error


def _factions(value: object, kit: WarKit, players: int) -> tuple[str, ...]:
    known = [key for key, _ in kit.factions]
    if value is None:
        return tuple(known[seat % len(known)] for seat in range(players))
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple) or len(value) != players:
        raise OptionError(f"factions must name {players} factions, one per player")
    for faction in value:
        if faction not in known:
            known_text = ", ".join(known)
            raise OptionError(f"no faction {faction!r} in the kit; it has {known_text}")
    return tuple(str(faction) for faction in value)


def _check_base_units(kit: WarKit, factions: tuple[str, ...], army_points: int) -> None:
    needed = base_points_needed(army_points)
    for faction in dict.fromkeys(factions):
        units = [(unit, unit.copies) for unit in kit.faction_units(faction)]
        if base_points(units) < needed:
            raise OptionError(
                f"army_points {army_points}: faction {faction!r} has Base units for "
                f"{base_points(units)} points only, {needed:g} are needed"
            )


def _number(values: Mapping[str, object], key: str, default: int) -> int:
    value = values.get(key, default)
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise OptionError(f"{key} must be a whole number, not {value!r}")
    return value


def _flag(values: Mapping[str, object], key: str, *, default: bool) -> bool:
    value = values.get(key, default)
    if isinstance(value, str) and value.lower() in {"true", "false"}:
        value = value.lower() == "true"
    if not isinstance(value, bool):
        raise OptionError(f"{key} must be true or false, not {value!r}")
    return value


def _word(values: Mapping[str, object], key: str) -> str:
    value = values.get(key, _WORDS[key][0])
    if value not in _WORDS[key]:
        raise OptionError(f"{key} must be one of {', '.join(_WORDS[key])}")
    return str(value)
