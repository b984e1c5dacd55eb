"""What lies open on the table and is not explained yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from engines.core import Card, Piece, Seat
from engines.regicide.moves import Discard, Move, Play
from engines.regicide.snapshot import Heap, Snapshot, card_of
from engines.regicide.state import Phase, State


@dataclass(slots=True)
class News:
    """New cards by where they lie; used up move by move."""

    snapshot: Snapshot
    enemy: Card | None
    heaps: list[Heap]
    discards: list[Card]
    unread: list[Piece]
    """Cards without a name on the discard pile, while somebody must discard."""
    moves: list[Move] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.heaps or self.discards or self.enemy or self.unread)

    @property
    def unit(self) -> float:
        """Return the width of a card, in mm."""
        return self.snapshot.card_width_mm

    @property
    def has_piles(self) -> bool:
        """Return whether the Tavern is seen, beside which discards lie."""
        return bool(self.snapshot.tavern)


def news_of(state: State, snapshot: Snapshot) -> News:
    """Return what `snapshot` shows that is not known from `state`."""
    known = _known(state)
    enemy = None if snapshot.enemy is None else card_of(snapshot.enemy)
    if enemy is not None and known[enemy]:
        enemy = None
    heaps: list[Heap] = []
    for heap in snapshot.heaps:
        pieces = _new(heap.pieces, known)
        if pieces:
            heaps.append(Heap(pieces, heap.seats, heap.is_doubtful))
    discards = cards_of(_new(snapshot.discard, known))
    must_discard = state.phase is Phase.SUFFER
    unread = [p for p in snapshot.discard if must_discard and card_of(p) is None]
    return News(snapshot, enemy, heaps, list(discards), unread)


def cards_of(pieces: Iterable[Piece]) -> tuple[Card, ...]:
    """Return the cards of the pieces that have been read."""
    return tuple(card for piece in pieces if (card := card_of(piece)) is not None)


def others_move(news: News) -> Move:
    """Return the new cards as the move of whoever seems to have made it."""
    if news.heaps:
        heap = news.heaps.pop(0)
        return Play(heap.seat, cards_of(heap.pieces))
    cards, news.discards = tuple(news.discards), []
    return Discard(Seat(0), cards)


def _known(state: State) -> Counter[Card]:
    """Return the cards that lie, or may still lie, open from before."""
    known = Counter(card for play in state.plays for card in play.cards)
    known.update(card for card in (*state.discard, *state.tavern) if card is not None)
    if state.enemy is not None:
        known[state.enemy] += 1
    return known


def _new(pieces: Iterable[Piece], known: Counter[Card]) -> tuple[Piece, ...]:
    """Return the pieces that are not known; takes the others off `known`."""
    new: list[Piece] = []
    for piece in pieces:
        card = card_of(piece)
        if card is None:
            continue
        if known[card] > 0:
            known[card] -= 1
        else:
            new.append(piece)
    return tuple(new)
