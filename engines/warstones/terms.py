"""The words of Warstones: where a unit can be, terrain, classes, seats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NewType

from engines.core import NotationError, Seat, Text

ChipId = NewType("ChipId", str)
"""``A:soldier-2``: the seat's letter, the unit, the number of the copy."""

SEATS = "ABCD"
BASE_LIMIT = 5
ROUND_POINTS = 5

_CHIP = re.compile(r"([A-D]):([a-z][a-z0-9_]*)-([1-9][0-9]?)")
_SECTOR = r"[A-Za-z0-9][A-Za-z0-9_-]*"
_PLACE = re.compile(rf"({_SECTOR})(?:/([a-z]+))?(?::(-?\d{{1,5}}),(-?\d{{1,5}}))?")


class Spot(StrEnum):
    """The kinds of place a unit can be in."""

    RESERVE = "reserve"
    BASE = "base"
    SECTOR = "sector"
    MARGIN = "margin"
    """On the board outside the nine sectors."""
    OFF = "off"
    """Off the board: where a flick may end, never where a unit stays."""
    LOST = "lost"
    """Destroyed, out of the game."""


class Terrain(StrEnum):
    """The terrain under a unit; lake and river are both water."""

    PLAIN = "plain"
    FOREST = "forest"
    HILL = "hill"
    SWAMP = "swamp"
    WATER = "water"


class UnitClass(StrEnum):
    """The class of a unit."""

    BASE = "base"
    ELITE = "elite"
    COMMANDER = "commander"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a unit is: ``reserve``, ``base``, ``N-C/forest:450,230``."""

    spot: Spot
    sector: str | None = None
    terrain: Terrain = Terrain.PLAIN
    at_mm: tuple[int, int] | None = None
    """Where it lies, to the millimetre, if the camera or a person said so."""

    def __post_init__(self) -> None:
        if (self.spot is Spot.SECTOR) is not (self.sector is not None):
            raise ValueError("a sector place names its sector, no other does")

    @classmethod
    def parse(cls, text: str) -> Place:
        """Read the notation of a place; raise `NotationError`."""
        match = _PLACE.fullmatch(text)
        expected = "a place such as N-C/forest:450,230, base, reserve or off"
        if match is None:
            raise NotationError(f"not a place: {text!r}", expected=expected)
        name, terrain, x, y = match.groups()
        at_mm = None if x is None else (int(x), int(y))
        if name in _FIXED:
            if terrain is not None:
                raise NotationError(f"{name} has no terrain", expected=expected)
            return cls(Spot(name), at_mm=at_mm)
        try:
            kind = Terrain(terrain or "plain")
        except ValueError as error:
            known = ", ".join(Terrain)
            raise NotationError(
                f"not a terrain: {terrain!r}", expected=f"one of {known}"
            ) from error
        return cls(Spot.SECTOR, name, kind, at_mm)

    @property
    def is_on_field(self) -> bool:
        """Return whether the unit has been deployed and is still there."""
        return self.spot in {Spot.SECTOR, Spot.MARGIN}

    @property
    def is_unseen(self) -> bool:
        """Return whether it is on the field, and no camera has seen where."""
        return self.is_on_field and self.at_mm is None

    def __str__(self) -> str:
        text = str(self.spot) if self.sector is None else self.sector
        if self.terrain is not Terrain.PLAIN:
            text += f"/{self.terrain}"
        if self.at_mm is not None:
            text += ":{},{}".format(*self.at_mm)
        return text


_FIXED = frozenset(spot.value for spot in Spot if spot is not Spot.SECTOR)
RESERVED_NAMES = frozenset(spot.value for spot in Spot)
"""Names that no sector may have, because they are notation."""

RESERVE = Place(Spot.RESERVE)
BASE = Place(Spot.BASE)
LOST = Place(Spot.LOST)


def letter(seat: Seat) -> str:
    """Return the seat's letter in the notation: ``A`` for seat 0."""
    return SEATS[seat]


def parse_seat(text: str) -> Seat:
    """Read ``A`` to ``D``; raise `NotationError`."""
    if len(text) != 1 or text not in SEATS:
        raise NotationError(f"not a player: {text!r}", expected="A, B, C or D")
    return Seat(SEATS.index(text))


def parse_chip(text: str) -> ChipId:
    """Read ``A:soldier-2``; raise `NotationError`."""
    if _CHIP.fullmatch(text) is None:
        raise NotationError(
            f"not a chip: {text!r}", expected="a chip such as A:soldier-2"
        )
    return ChipId(text)


def chip_seat(chip: ChipId) -> Seat:
    """Return whose chip it is."""
    return Seat(ord(chip[0]) - ord("A"))


@lru_cache(maxsize=1024)
def chip_unit(chip: ChipId) -> str:
    """Return the unit's key without its faction: ``soldier``."""
    return chip[2:].rpartition("-")[0]


def chip_number(chip: ChipId) -> int:
    """Return which copy of the unit it is, from 1."""
    return int(chip.rpartition("-")[2])


def player_text(seat: Seat) -> Text:
    """Return the player's name in sentences."""
    return Text.of("core.seat", number=seat + 1)
