"""What one look at the table says: which card lies in which zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engines.core import JOKER, STANDARD_52, Card, Kind, Piece, Question, Seat

CARD_OF_LABEL: Mapping[str, Card] = {str(card): card for card in (*STANDARD_52, JOKER)}


@dataclass(frozen=True, slots=True)
class Heap:
    """Cards that overlap, in one play area or between two."""

    pieces: tuple[Piece, ...]
    """From the lowest to the topmost."""
    seats: tuple[Seat, ...]
    """Whose play area it may be, the likeliest first; one seat: no doubt."""
    is_doubtful: bool = False
    """It may as well be the discard pile."""

    @property
    def seat(self) -> Seat:
        """Return the likeliest seat."""
        return self.seats[0]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The zones of RULES.md 3 as far as they could be seen."""

    pieces: tuple[Piece, ...]
    """Everything that was seen, as it was given."""
    card_width_mm: float = 63.0
    enemy: Piece | None = None
    rivals: tuple[Piece, ...] = ()
    """Other royals that may as well be the enemy: same rank, equally open."""
    heaps: tuple[Heap, ...] = ()
    discard: tuple[Piece, ...] = ()
    """Open cards of the discard pile, the topmost last."""
    castle: tuple[Piece, ...] = ()
    tavern: tuple[Piece, ...] = ()
    backs: tuple[Piece, ...] = ()
    """Face-down cards elsewhere."""
    jokers: tuple[Piece, ...] = ()
    """Solo only: Jokers that lie aside, face up."""
    strange: tuple[Piece, ...] = ()
    """Things that are no cards of this game, or have no place."""
    deduced: bool = False
    """The enemy is the highest royal among several (rule 2)."""
    asked: tuple[Question, ...] = ()
    """What people are asked about the table and have not answered: it lies there still,
    though it is covered; set by who knows it, `layout` does not."""

    @property
    def played(self) -> tuple[Piece, ...]:
        """Return all cards in the play areas."""
        return tuple(piece for heap in self.heaps for piece in heap.pieces)


def card_of(piece: Piece) -> Card | None:
    """Return the card that a piece was read as, `None` if it could not be read."""
    if piece.kind is not Kind.CARD or piece.label is None:
        return None
    return CARD_OF_LABEL.get(piece.label)
