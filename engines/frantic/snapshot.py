"""What lies where on a table of Frantic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from engines.core import Finding, Seat


@dataclass(frozen=True, slots=True)
class Seen:
    """A card that lies face up: its label, or what it may be."""

    id: str
    label: str | None
    """`None` for a card that could not be read."""
    candidates: tuple[str, ...] = ()
    """What an unread card may be, the likeliest first."""


@dataclass(frozen=True, slots=True)
class LaidHand:
    """Cards that somebody has laid open, from left to right as they lie."""

    cards: tuple[Seen, ...]
    seat: Seat | None = None
    """`None` for a hand alone in the picture, and where the owner must be asked."""
    rivals: tuple[Seat, ...] = ()
    """Whose cards they may be, the nearest first, where the picture leaves a doubt."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One look at the table."""

    discard: tuple[Seen, ...] = ()
    """The visible cards of the discard pile, the top one last."""
    events: tuple[Seen, ...] = ()
    """Events in the open, the one turned last at the end."""
    market: tuple[Seen, ...] = ()
    hands: tuple[LaidHand, ...] = ()
    findings: tuple[Finding, ...] = ()
    is_touched: bool = False
    """A hand is on one of the cards."""
    alone: tuple[Seen, ...] = ()
    """The hand that lies there alone, where it is one heap, the top card last."""
    new: frozenset[str] = frozenset()
    """Ids of cards that came since all that lay there was explained."""

    def in_a_round(self) -> Self:
        """Return the look with a heap that lies there alone as the discard pile: hands
        are hidden while a round goes on, and the draw pile may not have been seen."""
        return replace(self, discard=self.alone, hands=()) if self.alone else self
