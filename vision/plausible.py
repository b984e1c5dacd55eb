"""Which of the cards that seem to lie on a table are believed to be there at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.cards import HALF_SURE, CardSeen, IndexSeen
from vision.from_index import IndexPlace
from vision.naming import CLEAR_FACE, CLEAR_LOOK, LIKELY, is_faint
from vision.owners import BESIDE, contradict, index_fit
from vision.quads import area_px2, is_inside, quad_overlap, share_inside
from vision.refine import SURE_SIDE, is_well_cut
from vision.types import Array, Identity

MOSTLY = 0.6
PART = 0.75
"""Cards are of one size; outlines of two that lie on each other are, within this."""
ODD_SIZE, FEWEST_NAMED = 2.0, 3
MUCH_LARGER = 4.0
"""So many times as large as a card that lies open is none whose sides do not show."""
HALF_READ_SCORE = 0.5


def plausible(
    cards: Sequence[CardSeen],
    identities: Sequence[Identity],
    *,
    min_score: float,
    discs_px: Sequence[Array] = (),
    card_px: float = 0.0,
) -> tuple[bool, ...]:
    """Return which of the cards are believed to be there.

    A named card is, unless it is but a part of another one (cards are of one size), or
    was taken for a card without any index where a disc was seen, or was seen only as a
    faint corner that asks for a card of quite another size (or for a giant, not surely:
    the heart of an ace read as its index), or only as a corner in the midst of a card
    that lies open (print). One without a name is, if the detector is sure of it or
    something was half read, and if it is not just a second look at cards that were
    named (a corner that is no other card's says that it is not: in a fan, cards lie
    under others), nor of quite another size than they are, nor a large patch of the
    cloth. `discs_px` are the quads around discs that were seen; cards are known to be
    about `card_px` long, unless that is 0.
    """
    named = [
        card
        for card, identity in zip(cards, identities, strict=True)
        if identity.label is not None
    ]
    quads = [card.quad_px for card in named]
    usual = _usual_px2(named)
    known_px2 = card_px**2 / IndexPlace().ratio
    open_px2 = max(
        (area_px2(c.quad_px) for c in named if _lies_open(c)), default=known_px2
    )
    return tuple(
        not any(_is_part(card, other) or _is_print(card, other) for other in named)
        and not _is_disc(card, discs_px)
        and not (is_faint(card) and _is_odd(card, named, usual))
        and not (is_faint(card, HALF_SURE) and _is_giant(card, named, usual))
        if identity.label is not None
        else (card.score >= min_score or _half_read(card))
        and not any(_is_print(card, other) for other in named)
        and (_has_own_corner(card) or share_inside(card.quad_px, quads) < MOSTLY)
        and not _is_disc(card, discs_px)
        and not _is_odd(card, named, usual)
        and not _is_cloth(card, open_px2)
        for card, identity in zip(cards, identities, strict=True)
    )


def _usual_px2(named: Sequence[CardSeen]) -> float | None:
    """Return the area that named cards usually have; `None` of too few."""
    if len(named) < FEWEST_NAMED:
        return None
    return float(np.median([area_px2(card.quad_px) for card in named]))


def _is_odd(card: CardSeen, named: Sequence[CardSeen], usual_px2: float | None) -> bool:
    """Return whether a card is of quite another size than named ones here usually are,
    and than the nearest of them: what is farther away is smaller."""
    times = _times_as_large(card, named, usual_px2)
    return bool(times) and all(not 1 / ODD_SIZE < one < ODD_SIZE for one in times)


def _is_giant(
    card: CardSeen, named: Sequence[CardSeen], usual_px2: float | None
) -> bool:
    """Return whether a card is far larger than both."""
    times = _times_as_large(card, named, usual_px2)
    return bool(times) and min(times) >= ODD_SIZE


def _times_as_large(
    card: CardSeen, named: Sequence[CardSeen], usual_px2: float | None
) -> tuple[float, ...]:
    """Return how many times as large a card is as named ones here usually are, and as
    the nearest of them; nothing where too few are named."""
    if usual_px2 is None:
        return ()
    middle = card.quad_px.mean(0)
    others = [other.quad_px for other in named if other is not card]
    nearest = min(others, key=lambda q: float(np.linalg.norm(q.mean(0) - middle)))
    area = area_px2(card.quad_px)
    return tuple(area / max(one, 1e-6) for one in (usual_px2, area_px2(nearest)))


def _is_cloth(card: CardSeen, open_px2: float) -> bool:
    """Return whether what was taken for a card is far larger than the largest one that
    lies open (0: not known), and three of its sides do not show: threads look like
    backs."""
    if not open_px2 or area_px2(card.quad_px) < MUCH_LARGER * open_px2:
        return False
    return not is_well_cut(card.support)


def _lies_open(card: CardSeen) -> bool:
    """Return whether all sides and two corners of a card show: nothing lies over it."""
    shows_all = min(card.support) >= SURE_SIDE and card.whole is not None
    return shows_all and len(card.indices) >= 2


def _is_disc(card: CardSeen, discs_px: Sequence[Array]) -> bool:
    """Return whether what was taken for a card, without an index, is a disc."""
    return not card.indices and any(
        quad_overlap(card.quad_px, disc) > MOSTLY for disc in discs_px
    )


def _is_part(card: CardSeen, other: CardSeen) -> bool:
    """Return whether what was taken for a card is a piece of another one, or that one
    and its surroundings: it shows no corner index, one lies mostly inside the other,
    and they are clearly not of one size."""
    if card is other or card.indices:
        return False
    ratio = area_px2(card.quad_px) / max(area_px2(other.quad_px), 1e-6)
    if ratio < PART:
        return share_inside(card.quad_px, [other.quad_px]) > MOSTLY
    around = ratio > 1 / PART and bool(other.indices)
    return around and share_inside(other.quad_px, [card.quad_px]) > MOSTLY


def _is_print(card: CardSeen, other: CardSeen) -> bool:
    """Return whether what was taken for the corner of a card is print on another one:
    all sides and two corners of that one show, so nothing lies over them, and a corner
    is all there is of the first. What is read clearly beside that one's own index is
    the index of a card below, a little of which lies within the outline; what was seen
    surely and is clear, and none of that one's, is that of a card above."""
    if card is other or card.whole is not None or not _lies_open(other):
        return False
    return all(
        is_inside(other.quad_px, index.quad_px.mean(0))
        and not _is_of_card_below(index, other)
        and not _is_of_card_above(index, other)
        for index in card.indices
    )


def _is_of_card_above(index: IndexSeen, card: CardSeen) -> bool:
    """Return whether an index was seen surely, and clearly says something else than all
    that are the card's."""
    return (
        index.is_surely_found
        and index.reading.certainty > CLEAR_LOOK
        and all(contradict(index.reading, own.reading) for own in card.indices)
    )


def _is_of_card_below(index: IndexSeen, card: CardSeen) -> bool:
    """Return whether an index is clear and stands at a corner of a card that shows its
    own there, beside it."""
    fit, corner = index_fit(card.quad_px, index.quad_px)
    return (
        index.reading.certainty > CLEAR_FACE
        and fit < 1
        and any(
            index_fit(card.quad_px, own.quad_px)[1] == corner
            and contradict(index.reading, own.reading)
            and quad_overlap(index.quad_px, own.quad_px) < BESIDE
            for own in card.indices
        )
    )


def _half_read(card: CardSeen) -> bool:
    """Return whether something was seen on the card, if not enough to name it."""
    if card.score < HALF_READ_SCORE:
        return False
    whole = card.whole
    if whole is not None and whole.face + whole.back > 0.6:
        return True
    return any(index.reading.face > 0.8 for index in card.indices)


def _has_own_corner(card: CardSeen) -> bool:
    """Return whether an index was seen that is surely one, whichever."""
    return any(
        index.score >= HALF_READ_SCORE
        and index.reading.face > CLEAR_FACE
        and float(index.reading.faces.max()) > LIKELY
        for index in card.indices
    )
