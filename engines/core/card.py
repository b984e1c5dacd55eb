"""Standard playing cards and their notation: ``10c``, ``Jh``, ``X``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engines.core.errors import NotationError


class Suit(StrEnum):
    """The four French suits."""

    CLUBS = "c"
    DIAMONDS = "d"
    HEARTS = "h"
    SPADES = "s"


class Rank(StrEnum):
    """Ace to king."""

    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "10"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"


SIGNS: Mapping[Suit, str] = {
    Suit.CLUBS: "♣",
    Suit.DIAMONDS: "♦",
    Suit.HEARTS: "♥",
    Suit.SPADES: "♠",
}


@dataclass(frozen=True, slots=True)
class Card:
    """A card of the 52, or the Joker, which has neither rank nor suit."""

    rank: Rank | None
    suit: Suit | None

    def __post_init__(self) -> None:
        if (self.rank is None) is not (self.suit is None):
            raise ValueError("a card has both rank and suit, or neither (the Joker)")

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read ``10c``, ``Jh`` or ``X``; raise `NotationError` on anything else."""
        if text == "X":
            return JOKER
        try:
            return cls(Rank(text[:-1]), Suit(text[-1:]))
        except ValueError as error:
            raise NotationError(
                f"not a card: {text!r}", expected="a card such as 10c, Jh or X"
            ) from error

    @property
    def is_joker(self) -> bool:
        """Return whether this is the Joker."""
        return self.rank is None

    def __str__(self) -> str:
        return "X" if self.rank is None else f"{self.rank}{self.suit}"


JOKER = Card(None, None)
STANDARD_52 = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
