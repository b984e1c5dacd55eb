"""What every move is, and how seats and cards are written in one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TypeAlias

from engines.core import Seat, Text
from engines.frantic.cards import PlayCard

Pick: TypeAlias = PlayCard | int
"""A card by name, or by its place in a hidden hand, counted from 1."""


class Move(ABC):
    """A move: something that happened at the table or was said there."""

    __slots__ = ()

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return every seat that the move names."""
        return ()

    @property
    @abstractmethod
    def claim(self) -> Text:
        """Return the sentence that a ruling on this move answers."""

    @property
    def label(self) -> Text:
        """Return the move as an answer to a question."""
        return self.claim


def mark(seat: Seat) -> str:
    """Return ``p1`` for seat 0."""
    return f"p{seat + 1}"


def picks(cards: Iterable[Pick]) -> str:
    """Return the notation of picked cards."""
    words = (f"#{card}" if isinstance(card, int) else card for card in cards)
    return " ".join(words) or "none"


def sorted_picks(cards: Iterable[Pick]) -> tuple[Pick, ...]:
    """Return picked cards in the one order in which they are written."""
    return tuple(
        sorted(
            cards, key=lambda c: (0, c, "") if isinstance(c, int) else (1, 0, str(c))
        )
    )
