"""Which cards of a play area were one play: every reading that the table allows.

The convention of RULES.md 3: cards of one play overlap, plays lie apart. Tables are
untidy, so a row of cards that nearly touch, or a cascade that cannot be one play, has
several readings; whoever scores must ask where they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engines.core import JOKER, Card, Piece, Rank
from engines.regicide.outline import components, gap_mm
from engines.regicide.sets import COMPANION_PAIR, is_set
from engines.regicide.snapshot import card_of

NEAR_W = 0.6
"""Free space up to which two cards may still be one play, in card widths."""
MOST_SUSPICIOUS = 5
MOST_READINGS = 64
"""More readings of one clump than this are not followed: its worth is then open."""
MOST_LISTED = 12
"""Of those, so many are offered as answers."""

Group: TypeAlias = tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to see some cards as plays."""

    plays: tuple[Group, ...]

    @property
    def is_legal(self) -> bool:
        """Return whether each play is one that the rules allow."""
        return all(map(is_set, self.plays))


@dataclass(frozen=True, slots=True)
class Clump:
    """Cards that can be read only together, and how, the likeliest first."""

    pieces: tuple[Piece, ...]
    readings: tuple[Reading, ...]
    is_cut_short: bool = False


def clumps(heaps: Sequence[Sequence[Piece]], unit: float) -> tuple[Clump, ...]:
    """Return the readings of one seat's heaps; cards that were not read are left out.

    Where some heap of two or more is a legal play, and no heap is anything else, the
    players follow the convention, and it is taken at its word.
    """
    known = [heap for h in heaps if (heap := [p for p in h if card_of(p) is not None])]
    sizes_fit = any(len(heap) > 1 for heap in known)
    if sizes_fit and all(is_set(_cards(heap)) for heap in known):
        return tuple(Clump(tuple(heap), (_whole(heap),)) for heap in known)
    result: list[Clump] = []
    loose = [heap[0] for heap in known if len(heap) == 1]
    for heap in known:
        if len(heap) > 1:
            result.append(_cascade(heap))
    for row in components(loose, lambda a, b: _may_join(a, b, unit * NEAR_W)):
        result.append(_row(row, unit * NEAR_W))
    return tuple(result)


def is_suspicious(cards: Sequence[Card]) -> bool:
    """Return whether cards look like one play that a rule forbids (4.1).

    Cards of different numbers on each other are simply several plays; too many of one
    number, a companion too much or a card with the Joker is what players try.
    """
    if is_set(cards) or len(cards) > MOST_SUSPICIOUS:
        return False
    if JOKER in cards:
        return len(cards) == COMPANION_PAIR
    others = {card.rank for card in cards if card.rank is not Rank.ACE}
    return len(others) <= 1


def _cards(pieces: Sequence[Piece]) -> Group:
    return tuple(card for piece in pieces if (card := card_of(piece)) is not None)


def _whole(pieces: Sequence[Piece]) -> Reading:
    return Reading((_cards(pieces),))


def _may_join(a: Piece, b: Piece, near_mm: float) -> bool:
    return is_set(_cards((a, b))) and gap_mm(a, b, within_mm=near_mm) <= near_mm


def _cascade(heap: Sequence[Piece]) -> Clump:
    """Read overlapping cards: as one play where that is legal, else every way."""
    if is_set(_cards(heap)):
        return Clump(tuple(heap), (_whole(heap),))
    clump = _row(heap, 0.0)
    if is_suspicious(_cards(heap)):
        readings = (*clump.readings, _whole(heap))
        return Clump(clump.pieces, readings, clump.is_cut_short)
    return clump


def _row(row: Sequence[Piece], near_mm: float) -> Clump:
    """Read a chain of neighbours every way in which neighbours make legal plays."""
    linked = {
        (i, j)
        for i, a in enumerate(row)
        for j in range(i)
        if gap_mm(a, row[j], within_mm=near_mm) <= near_mm
    }
    links = linked | {(j, i) for i, j in linked}
    found: list[tuple[tuple[int, ...], ...]] = []
    _split(tuple(range(len(row))), (), row, links, found)
    cards = [card for piece in row if (card := card_of(piece)) is not None]
    is_cut_short = len(found) > MOST_READINGS
    readings = tuple(
        Reading(tuple(tuple(cards[i] for i in play) for play in split))
        for split in (found[:MOST_LISTED] if is_cut_short else found)
    )
    return Clump(tuple(row), readings, is_cut_short)


def _split(
    rest: tuple[int, ...],
    done: tuple[tuple[int, ...], ...],
    row: Sequence[Piece],
    links: set[tuple[int, int]],
    found: list[tuple[tuple[int, ...], ...]],
) -> None:
    """Collect the splits of `rest` into plays, single cards first."""
    if len(found) > MOST_READINGS:
        return
    if not rest:
        found.append(done)
        return
    first, *others = rest
    for play in _plays_with((first,), tuple(others), row, links):
        left = tuple(i for i in others if i not in play)
        _split(left, (*done, play), row, links, found)


def _plays_with(
    play: tuple[int, ...],
    others: tuple[int, ...],
    row: Sequence[Piece],
    links: set[tuple[int, int]],
) -> list[tuple[int, ...]]:
    """Return the legal plays of neighbours that contain `play`, smallest first."""
    found = {play}
    edge = [play]
    while edge:
        grown = {
            tuple(sorted((*old, i)))
            for old in edge
            for i in others
            if i not in old and any((i, j) in links for j in old)
        }
        edge = [
            new
            for new in sorted(grown - found)
            if is_set(_cards([row[i] for i in new]))
        ]
        found.update(edge)
    return sorted(found, key=lambda play: (len(play), play))
