"""The cards of a Frenzy deck, the factions, and the regions that cards lie in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from engines.core import NotationError, Seat

P1, P2 = Seat(0), Seat(1)
SEATS = (P1, P2)
NUMBERS = (1, 2, 3)
"""The printed numbers of the Battlefield cards."""


class Card(StrEnum):
    """A card that is played; the value is its label in the kit and in notation."""

    W1 = "W1"
    W2 = "W2"
    W3 = "W3"
    W4 = "W4"
    ASSASSIN = "A"
    WIZARD = "Z"
    KNIGHT = "K"
    OGRE = "O"
    BODYGUARD = "B"
    LICH = "L"

    @property
    def is_hero(self) -> bool:
        """Return whether the card is a Hero, base or advanced."""
        return self not in STRENGTH

    @property
    def is_advanced(self) -> bool:
        """Return whether the card bears the diamond."""
        return self in ADVANCED

    @property
    def points(self) -> int:
        """Return what the card is worth in a score pile."""
        return STRENGTH.get(self, 0)


STRENGTH = {Card.W1: 1, Card.W2: 2, Card.W3: 3, Card.W4: 4}
ADVANCED = frozenset({Card.KNIGHT, Card.OGRE, Card.BODYGUARD, Card.LICH})


class Faction(StrEnum):
    """The four decks; the value is the owner that a recognised card carries."""

    HUMANS = "humans"
    ORCS = "orcs"
    DWARVES = "dwarves"
    UNDEAD = "undead"

    @property
    def hero(self) -> Card:
        """Return the one advanced Hero of the faction."""
        return FACTION_HERO[self]


FACTION_HERO = {
    Faction.HUMANS: Card.KNIGHT,
    Faction.ORCS: Card.OGRE,
    Faction.DWARVES: Card.BODYGUARD,
    Faction.UNDEAD: Card.LICH,
}


class Side(StrEnum):
    """The two faces of a Battlefield card; the value ends its label (``F1b``)."""

    BLUE = "b"
    ORANGE = "o"


BATTLEFIELDS = {f"F{n}{side}": (n, side) for n in NUMBERS for side in Side}
"""Label of a Battlefield face -> its number and side."""


class Zone(StrEnum):
    """The seven regions of one player."""

    B1 = "B1"
    B2 = "B2"
    B3 = "B3"
    S1 = "S1"
    S2 = "S2"
    S3 = "S3"
    HQ = "HQ"

    @property
    def number(self) -> int | None:
        """Return the Battlefield that the region belongs to, `None` for the HQ."""
        return None if self is Zone.HQ else int(self[1])

    @property
    def slot(self) -> int:
        """Return the place of the region in a tuple of all seven."""
        return INDEX[self]


ZONES = tuple(Zone)
INDEX = {zone: index for index, zone in enumerate(ZONES)}
BATTLE_LINE = (Zone.B1, Zone.B2, Zone.B3)
SUPPLY_LINE = (Zone.S1, Zone.S2, Zone.S3)


@dataclass(frozen=True, slots=True)
class Region:
    """One region of one player: ``P1.B2``, ``P2.HQ``."""

    seat: Seat
    zone: Zone

    @classmethod
    def parse(cls, text: str) -> Region:
        """Read ``P1.B2``; raise `NotationError` on anything else."""
        player, _, zone = text.partition(".")
        try:
            return cls(parse_seat(player), Zone(zone))
        except ValueError as error:
            raise NotationError(
                f"not a region: {text!r}", expected="a region such as P1.B2 or P2.HQ"
            ) from error

    def __str__(self) -> str:
        return f"{seat_name(self.seat)}.{self.zone}"


@dataclass(frozen=True, slots=True)
class Owned:
    """A card outside the regions, and whose deck it came from."""

    card: Card
    owner: Seat


CardPile: TypeAlias = tuple[Card, ...]
"""Cards from the top."""


def parse_seat(text: str) -> Seat:
    """Read ``P1`` or ``P2``; raise `NotationError` on anything else."""
    for seat in SEATS:
        if text == seat_name(seat):
            return seat
    raise NotationError(f"not a player: {text!r}", expected="P1 or P2")


def seat_name(seat: Seat) -> str:
    """Return ``P1`` or ``P2``."""
    return f"P{seat + 1}"


def other(seat: Seat) -> Seat:
    """Return the opponent's seat."""
    return P2 if seat == P1 else P1
