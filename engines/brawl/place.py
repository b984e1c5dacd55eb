"""Places on the table and their names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engines.brawl.options import LETTERS
from engines.core import Seat


def letter(seat: Seat) -> str:
    """Return the letter of a seat: A at the near side, then clockwise from above."""
    return LETTERS[seat]


class Source(StrEnum):
    """Where a card comes from that is played or discarded."""

    DECK = "deck"
    DISCARD = "discard"
    HAND = "hand"


class End(StrEnum):
    """Where in a row a new Base is laid, as the pair's first player sees it."""

    LEFT = "left"
    RIGHT = "right"
    GAP1 = "gap1"
    """Between the first and the second Base: never legal."""
    GAP2 = "gap2"
    GAP3 = "gap3"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbours and the row between them, written ``AB``."""

    first: Seat
    second: Seat

    def other(self, seat: Seat) -> Seat:
        """Return the neighbour of `seat` in this pair."""
        return self.second if seat == self.first else self.first

    def __contains__(self, seat: object) -> bool:
        return seat in (self.first, self.second)

    def __str__(self) -> str:
        return letter(self.first) + letter(self.second)


@dataclass(frozen=True, slots=True)
class OnChain:
    """The side of a Base that faces `side`, written ``AB:0B``."""

    pair: Pair
    base: int
    side: Seat

    def __str__(self) -> str:
        return f"{self.pair}:{self.base}{letter(self.side)}"


@dataclass(frozen=True, slots=True)
class OnBase:
    """A Base card itself, written ``AB:0``; counted from the left of `pair.first`."""

    pair: Pair
    base: int

    def __str__(self) -> str:
        return f"{self.pair}:{self.base}"


@dataclass(frozen=True, slots=True)
class AtEnd:
    """A place for a new Base in a row, written ``AB:left``."""

    pair: Pair
    end: End

    def __str__(self) -> str:
        return f"{self.pair}:{self.end}"


Place = OnChain | OnBase | AtEnd
