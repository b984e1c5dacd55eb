"""The state of a game of Warstones: frozen, and all of it open to everybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from engines.core import Outcome, Seat
from engines.warstones.kit import UnitType
from engines.warstones.options import Options
from engines.warstones.terms import (
    BASE_LIMIT,
    ROUND_POINTS,
    ChipId,
    Place,
    Spot,
    Terrain,
)


@dataclass(frozen=True, slots=True)
class Chip:
    """A unit of somebody's army and where it is."""

    id: ChipId
    place: Place

    @property
    def seat(self) -> Seat:
        """Return whose it is."""
        return Seat(ord(self.id[0]) - ord("A"))

    @property
    def sector(self) -> str | None:
        """Return the sector it is in, `None` anywhere else."""
        return self.place.sector


@dataclass(frozen=True, slots=True)
class PendingFlick:
    """A flick was declared and paid; the table must say how it ended."""

    seat: Seat
    chip: ChipId


@dataclass(frozen=True, slots=True)
class UnseenFlick(PendingFlick):
    """A flick after which no camera sees the chip: a person must say where it lies."""

    sector: str | None = None
    """Where somebody said that it lies, if the terrain there must be said as well."""
    end: Place | None = None
    """Where it lies, once all of it was said."""


@dataclass(frozen=True, slots=True)
class PendingFoul:
    """The referee must say what happens to a foul flick."""

    seat: Seat
    foul: str


@dataclass(frozen=True, slots=True)
class PendingDamage:
    """The attacker distributes the damage of an attack."""

    seat: Seat
    sector: str
    target: Seat
    damage: int
    near_damage: int
    """How much of it may fall on units in a forest."""


@dataclass(frozen=True, slots=True)
class PendingAssigner:
    """It is open who assigns the counterattack."""

    seat: Seat
    """The player who besieges."""
    sector: str
    units: tuple[ChipId, ...]
    conquered: bool
    damage: int


@dataclass(frozen=True, slots=True)
class PendingCounter:
    """An opponent assigns the counterattack."""

    seat: Seat
    besieger: Seat
    sector: str
    units: tuple[ChipId, ...]
    conquered: bool
    damage: int


@dataclass(frozen=True, slots=True)
class PendingReturn:
    """A player chooses which units leave the conquered sector."""

    seat: Seat
    sector: str


@dataclass(frozen=True, slots=True)
class PendingDraw:
    """A new City token must be drawn."""

    city: str


Pending: TypeAlias = (
    PendingFlick
    | PendingFoul
    | PendingDamage
    | PendingAssigner
    | PendingCounter
    | PendingReturn
    | PendingDraw
)


@dataclass(frozen=True, slots=True)
class State:
    """Everything that is known about a game."""

    options: Options
    chips: tuple[Chip, ...]
    """All units of all armies, the destroyed ones too, in the order of their ids."""
    points: tuple[int, ...]
    """Action points left, per seat."""
    cities: tuple[tuple[str, str | None], ...]
    """City space -> the token on its Fortress."""
    stack: tuple[str, ...]
    """The tokens not drawn yet, sorted: their order in the stack is not known."""
    taken: tuple[tuple[str, ...], ...]
    """The tokens that each seat has conquered, in order."""
    goal: int | None
    """Victory points that win; `None` until somebody says so (W-03)."""
    first: Seat | None = None
    """Who holds the First Player marker."""
    turn: Seat | None = None
    """Whose move it is; `None` before the start."""
    round: int = 0
    pending: tuple[Pending, ...] = ()
    """What must be settled before play goes on, the next first."""
    acted: bool = False
    """The player at turn has made a move that is not finished yet."""
    outcome: Outcome | None = None
    flick: PendingFlick | None = None
    """The last flick, as long as somebody may still call it foul."""
    before: State | None = None
    """The state in which that flick was made."""

    def chip(self, id: ChipId) -> Chip | None:
        """Return the chip of that id."""
        return next((chip for chip in self.chips if chip.id == id), None)

    def at(self, spot: Spot, seat: Seat) -> tuple[Chip, ...]:
        """Return a player's chips in one kind of place."""
        return tuple(c for c in self.chips if c.place.spot is spot and c.seat == seat)

    def in_sector(self, sector: str, *seats: Seat) -> tuple[Chip, ...]:
        """Return the chips of these seats in a sector; of all if none is said."""
        there = [chip for chip in self.chips if chip.place.sector == sector]
        return tuple(chip for chip in there if not seats or chip.seat in seats)

    def move_chips(self, places: dict[ChipId, Place]) -> State:
        """Return the state with some chips elsewhere.

        A chip that is carried off keeps the spot where it was last seen: as long as it
        still lies there, nobody has moved it.
        """
        moved = tuple(
            replace(c, place=_carried(c.place, places[c.id])) if c.id in places else c
            for c in self.chips
        )
        return replace(self, chips=moved)

    def token(self, city: str) -> str | None:
        """Return the token on a Fortress."""
        return dict(self.cities).get(city)

    def with_token(self, city: str, token: str | None) -> State:
        """Return the state with another token, or none, on a Fortress."""
        cities = tuple((c, token if c == city else t) for c, t in self.cities)
        return replace(self, cities=cities)

    def with_points(self, seat: Seat, points: int) -> State:
        """Return the state with another number of action points of a player."""
        changed = tuple(points if s == seat else p for s, p in enumerate(self.points))
        return replace(self, points=changed)

    @property
    def is_setup(self) -> bool:
        """Return whether the game has not started."""
        return self.turn is None

    @property
    def next_pending(self) -> Pending | None:
        """Return what must be settled next."""
        return self.pending[0] if self.pending else None

    @property
    def overfull(self) -> Seat | None:
        """Return a player with more than five units in the Base."""
        for seat in self.options.seats:
            if len(self.at(Spot.BASE, seat)) > BASE_LIMIT:
                return seat
        return None

    def terrain(self, chip: Chip) -> Terrain:
        """Return the terrain that counts for a chip: plain in the basic game."""
        return chip.place.terrain if self.options.terrain else Terrain.PLAIN

    def unit(self, chip: Chip) -> UnitType:
        """Return what is printed on the chip."""
        unit = self.options.unit(chip.id)
        assert unit is not None, "every chip of a state comes from its kit"
        return unit

    def strength(self, chip: Chip) -> int:
        """Return a unit's Strength where it is now."""
        unit, others = self.unit(chip), 0
        if unit.formation[0] and chip.sector is not None:
            others = len(self.in_sector(chip.sector, chip.seat)) - 1
        return unit.strength_at(self.terrain(chip), others=others)

    def victory_points(self, seat: Seat) -> int:
        """Return the points of a player's own City tokens."""
        return sum(self.city_points(self.taken[seat]))

    def city_points(self, tokens: tuple[str, ...]) -> tuple[int, ...]:
        """Return the victory points of tokens."""
        cities = (self.options.kit.city(token) for token in tokens)
        return tuple(city.points for city in cities if city is not None)

    def drawable(self, city: str) -> Iterator[str]:
        """Yield the tokens that may be drawn for a City space."""
        space = self.options.mat.city(city)
        for token in self.stack:
            kind = self.options.kit.city(token)
            if self.options.token_stacks == "one" or (
                space is not None and kind is not None and kind.place == space.place
            ):
                yield token


def opening(options: Options) -> State:
    """Return the state before armies, First Player and City tokens are known."""
    nobody = tuple(() for _ in options.seats)
    return State(
        options,
        (),
        tuple(ROUND_POINTS for _ in options.seats),
        tuple((city.id, None) for city in options.mat.cities),
        tuple(sorted(city.key for city in options.kit.cities)),
        nobody,
        options.goal if options.is_goal_stated else None,
    )


def _carried(old: Place, new: Place) -> Place:
    if new.at_mm is None and new.spot in {Spot.BASE, Spot.RESERVE, Spot.LOST}:
        return replace(new, at_mm=old.at_mm)
    return new
