"""The fight that one look shows: enemy, plays by seat, and what is open about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engines.core import FACE_DOWN, JOKER, NO_CARD, Card, Kind, Piece, Seat
from engines.regicide.cards import is_royal
from engines.regicide.grouping import Clump, Reading, clumps
from engines.regicide.layout import lay_out
from engines.regicide.options import Options
from engines.regicide.snapshot import CARD_OF_LABEL, Heap, Snapshot, card_of

DISCARD, PLAYED = "discard", "played"
ONCE, BOTH = "once", "both"


@dataclass(frozen=True, slots=True)
class Strike:
    """Cards of one seat with the ways to read them as plays."""

    seat: Seat
    clump: Clump
    is_doubtful: bool = False
    """It may be the discard pile instead."""

    @property
    def id(self) -> str:
        """Return the id of its first piece, by which questions name it."""
        return self.clump.pieces[0].id


@dataclass(frozen=True, slots=True)
class Fight:
    """What is played against the enemy, with the answers of people worked in."""

    snapshot: Snapshot
    enemy: Card | None
    strikes: tuple[Strike, ...]
    unread: tuple[Piece, ...]
    """Cards in the play areas whose face could not be told."""
    twice: tuple[tuple[Piece, ...], ...]
    """Copies that the deck does not hold and that nobody has explained yet."""
    heaps: tuple[Heap, ...]
    jokers: bool | None
    """A Joker was played; `None`: perhaps."""


def read_fight(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> Fight:
    """Return the fight; `answers` to questions that do not exist change nothing."""
    pieces, twice = _one_of_each(_named(snapshot.pieces, answers), options, answers)
    chosen = _chosen(pieces, snapshot, answers)
    if pieces != snapshot.pieces or chosen is not None:
        snapshot = lay_out(pieces, options, enemy=chosen)
    heaps = tuple(
        heap
        for h in snapshot.heaps
        if (heap := _settled(h, answers, options)) is not None
    )
    unread = tuple(p for heap in heaps for p in heap.pieces if card_of(p) is None)
    return Fight(
        snapshot=snapshot,
        enemy=_enemy(snapshot, answers),
        strikes=_strikes(heaps, snapshot.card_width_mm, answers),
        unread=unread,
        twice=twice,
        heaps=heaps,
        jokers=_jokers(heaps, unread, options),
    )


def _named(pieces: Iterable[Piece], answers: Mapping[str, str]) -> tuple[Piece, ...]:
    """Return the pieces with the names that people gave to unread cards."""
    named: list[Piece] = []
    for piece in pieces:
        answer = answers.get(f"card:{piece.id}")
        if answer == NO_CARD:
            continue
        if answer == FACE_DOWN:
            named.append(replace(piece, kind=Kind.BACK, label=None))
        elif answer is not None and piece.kind is Kind.CARD and answer in CARD_OF_LABEL:
            named.append(replace(piece, label=answer))
        else:
            named.append(piece)
    return tuple(named)


def copies_allowed(card: Card, options: Options) -> int:
    """Return how often a card may lie on the table."""
    if card == JOKER:
        return max(options.tavern_jokers, 2 if options.players == 1 else 0)
    return 1


def _one_of_each(
    pieces: tuple[Piece, ...], options: Options, answers: Mapping[str, str]
) -> tuple[tuple[Piece, ...], tuple[tuple[Piece, ...], ...]]:
    """Leave out surplus copies unless somebody says that they are there."""
    seen = Counter(p.label for p in pieces if card_of(p) is not None)
    if all(count == 1 for count in seen.values()):
        return pieces, ()
    unexplained: list[tuple[Piece, ...]] = []
    left_out: list[Piece] = []
    for label, count in seen.items():
        copies = [p for p in pieces if p.label == label and p.kind is Kind.CARD]
        allowed = max(copies_allowed(Card.parse(label or ""), options), 1)
        answer = answers.get(f"twice:{label}")
        if count > allowed and answer != BOTH:
            left_out += copies[allowed:]
        if count > allowed and answer not in {ONCE, BOTH}:
            unexplained.append(tuple(copies))
    kept = tuple(p for p in pieces if not any(p is other for other in left_out))
    return kept, tuple(unexplained)


def _chosen(
    pieces: Sequence[Piece], snapshot: Snapshot, answers: Mapping[str, str]
) -> Piece | None:
    """Return the royal on the table that a person called the enemy."""
    label = answers.get("enemy")
    if label is None or not snapshot.rivals:
        return None
    for piece in pieces:
        card = card_of(piece)
        if piece.label == label and card is not None and is_royal(card):
            return piece
    return None


def _enemy(snapshot: Snapshot, answers: Mapping[str, str]) -> Card | None:
    if snapshot.enemy is not None:
        return None if snapshot.rivals else card_of(snapshot.enemy)
    card = CARD_OF_LABEL.get(answers.get("enemy", ""))
    return card if card is not None and is_royal(card) else None


def _settled(heap: Heap, answers: Mapping[str, str], options: Options) -> Heap | None:
    """Return the heap as people say it is; `None` for the discard pile."""
    first = heap.pieces[0].id
    zone = answers.get(f"discard:{first}")
    if heap.is_doubtful and zone == DISCARD:
        return None
    if zone == PLAYED:
        heap = replace(heap, is_doubtful=False)
    seat = answers.get(f"seat:{first}", "")
    if seat in map(str, range(options.players)):
        heap = replace(heap, seats=(Seat(int(seat)),))
    return heap


def _strikes(
    heaps: Iterable[Heap], unit: float, answers: Mapping[str, str]
) -> tuple[Strike, ...]:
    """Group the heaps of each play area; a doubtful heap stands for itself."""
    areas: dict[tuple[Seat, str], list[Heap]] = {}
    for heap in heaps:
        is_open = heap.is_doubtful or len(heap.seats) > 1
        areas.setdefault((heap.seat, heap.pieces[0].id if is_open else ""), []).append(
            heap
        )
    return tuple(
        Strike(seat, _told(clump, answers), any(h.is_doubtful for h in members))
        for (seat, _), members in sorted(areas.items())
        for clump in clumps([heap.pieces for heap in members], unit)
    )


def notation(reading: Reading) -> str:
    """Return a reading as text: plays parted by bars, ``8d Ac|7h``."""
    return "|".join(" ".join(map(str, play)) for play in reading.plays)


def _told(clump: Clump, answers: Mapping[str, str]) -> Clump:
    """Return the clump with only the reading that a person chose."""
    answer = answers.get(f"plays:{clump.pieces[0].id}")
    for reading in clump.readings:
        if notation(reading) == answer:
            return Clump(clump.pieces, (reading,))
    return clump


def _jokers(
    heaps: Iterable[Heap], unread: Sequence[Piece], options: Options
) -> bool | None:
    if not options.tavern_jokers:
        return False
    doubtful = [
        heap.is_doubtful
        for heap in heaps
        for piece in heap.pieces
        if card_of(piece) == JOKER
    ]
    if doubtful and not all(doubtful):
        return True
    return None if doubtful or unread else False
