"""Which sightings are of one and the same card."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.cards import CardSeen, log_faces_of
from vision.owners import UPRIGHT, index_fit
from vision.quads import grown, is_inside, on_quad, quad_overlap
from vision.reading import LABELS
from vision.refine import is_well_cut
from vision.types import Array

COINCIDING = 0.75
EXACTLY, CLEAR = 0.85, 0.9
"""A corner that was surely found and is clear is rather that of another card in an
outline of two than a misread one, unless they overlap by more."""
ONE_PLACE = 0.6
"""Outlines that overlap by more (IoU) are of two cards only if one hides the other."""
LAID_OUT = 1.2
"""An outline that was laid out from a corner may end a tenth short of the card."""
FRAMED = 1.5
"""A card is at most so many times as large as the frame that is printed on it."""
FOUR_CORNERS_APART, SAME_HEIGHT = (0.68, 0.92), 0.06
"""So far apart, in card widths, are the two upper indices of a card that has four, and
they stand this level, in card heights."""


def once_each(cards: Sequence[CardSeen]) -> list[CardSeen]:
    """Return the cards with those that were seen twice joined into one.

    What is known of a card when all looks at it are joined may show that another is it,
    too.
    """
    joined = _joined_once(cards)
    return _joined_once(joined) if len(joined) < len(cards) else joined


def _joined_once(cards: Sequence[CardSeen]) -> list[CardSeen]:
    ranked = sorted(cards, key=lambda card: (-len(card.indices), -card.score))
    kept: list[CardSeen] = []
    for card in ranked:
        for number, other in enumerate(kept):
            if _is_same(other, card):
                kept[number] = _joined(other, card)
                break
        else:
            kept.append(card)
    return kept


def _is_same(one: CardSeen, other: CardSeen) -> bool:
    overlap = quad_overlap(one.quad_px, other.quad_px)
    if overlap > 0 and _left_of_two_corners(one, other) is not None:
        return True
    if overlap < 0.12:
        return False
    if one.kind is not other.kind and not (one.indices and other.indices):
        return overlap > 0.6  # what the detector took for a back may show a corner
    if _stands_beside(one, other):
        return False
    alike = int(one.log_faces.argmax()) == int(other.log_faces.argmax())
    if alike and overlap > 0.3:
        # Two copies of a card lie as far apart as their corners do.
        return overlap > COINCIDING or not _have_corners_apart(one, other)
    if alike and _shows_only_corners_of(one, other):
        return True
    if alike and not (one.whole and other.whole):
        return _opposite(one, other)
    if one.indices and other.indices:
        if overlap < EXACTLY and _is_surely_read(one) and _is_surely_read(other):
            return False  # neither corner was misread: one outline is of two cards
        if overlap > COINCIDING and _is_missing_corner(one, other):
            return True
        return overlap > ONE_PLACE and _show_through_each_other(one, other)
    weak = not other.indices and (other.whole is None or other.whole.face < 0.6)
    return (overlap > 0.5 and weak) or overlap > 0.8


def _stands_beside(one: CardSeen, other: CardSeen) -> bool:
    """Return whether the one corner by which a card is known lies beside an outline
    that is on edges and has none: it is of another, which lies on or below this one.
    What is printed in a frame may be outlined instead of the card, a corner of which
    is not far away then."""
    if one.whole is not None or not one.indices:
        return False
    if other.indices or not is_well_cut(other.support):
        return False
    outline = grown(other.quad_px, FRAMED)
    return not any(is_inside(outline, i.quad_px.mean(0)) for i in one.indices)


def _shows_only_corners_of(one: CardSeen, other: CardSeen) -> bool:
    """Return whether an outline that is not on edges and has no corner of its own holds
    one of another card: what reads there is that card."""
    if other.indices or is_well_cut(other.support):
        return False
    return any(is_inside(other.quad_px, i.quad_px.mean(0)) for i in one.indices)


def _is_surely_read(card: CardSeen) -> bool:
    """Return whether an index of a card was surely found and is clear."""
    return any(
        index.is_surely_found and index.reading.certainty > CLEAR
        for index in card.indices
    )


def _is_missing_corner(one: CardSeen, other: CardSeen) -> bool:
    """Return whether what was taken for another card's corner stands where one of this
    card, which was cut out well, was not seen: of two cards that coincide, one hides
    the other, so it is its own, whatever was read there."""
    if other.whole is not None or len(other.indices) != 1:
        return False
    if one.whole is None or not is_well_cut(one.support):
        return False
    fit, corner = index_fit(one.quad_px, other.indices[0].quad_px)
    seen = {index_fit(one.quad_px, index.quad_px)[1] for index in one.indices}
    return fit < 1 and corner not in seen


def _show_through_each_other(one: CardSeen, other: CardSeen) -> bool:
    """Return whether each shows its corners where the other lies, at corners of it that
    it does not show itself, and both are of one rank or suit: of two cards only the
    upper one can, so both are one, with a corner of which a half was misread."""
    if one.whole is None and other.whole is None:
        return False  # outlines that are laid out from a corner each may be far off
    are_sure = one.whole is not None and other.whole is not None
    return (
        _are_akin(one, other)
        and _lacks_corners_of(one, other, is_sure=are_sure)
        and _lacks_corners_of(other, one, is_sure=are_sure)
    )


def _are_akin(one: CardSeen, other: CardSeen) -> bool:
    mine, yours = (LABELS[int(card.log_faces.argmax())] for card in (one, other))
    return mine[:-1] == yours[:-1] or mine[-1] == yours[-1]


def _lacks_corners_of(one: CardSeen, other: CardSeen, *, is_sure: bool) -> bool:
    """Return whether all corners that were read on another card lie on this one, the
    way round that its own would, where it shows none.

    Unless it `is_sure` that both outlines were seen, not laid out from a corner, they
    must stand where one's own do on the one that was, and about there on the other.
    """
    seen = {index_fit(one.quad_px, index.quad_px)[1] for index in one.indices}
    fits = [index_fit(one.quad_px, index.quad_px) for index in other.indices]
    if any(math.isinf(fit) or corner in seen for fit, corner in fits):
        return False
    if one.whole is not None and not is_sure:
        return all(fit < 1 for fit, _ in fits)
    outline = one.quad_px if is_sure else grown(one.quad_px, LAID_OUT)
    return all(is_inside(outline, index.quad_px.mean(0)) for index in other.indices)


def _have_corners_apart(one: CardSeen, other: CardSeen) -> bool:
    """Return whether both show the same corner, in different places: two copies of one
    card that lie on each other."""
    return any(
        float((a[0] - a[3]) @ (b[0] - b[3])) > 0
        and quad_overlap(a, b) < 0.1
        and _is_at_right(one, a) == _is_at_right(other, b)
        for a in (index.quad_px for index in one.indices)
        for b in (index.quad_px for index in other.indices)
    )


def _is_at_right(card: CardSeen, index_px: Array) -> bool:
    """Return whether an index stands at the right of its card, as it reads itself."""
    right, lower = index_fit(card.quad_px, index_px)[1]
    return right != lower


def _opposite(one: CardSeen, other: CardSeen) -> bool:
    """Return whether two index-only cards are the two corners of one card."""
    if not one.indices or not other.indices:
        return False
    a, b = one.indices[0].quad_px, other.indices[0].quad_px
    up_a, up_b = a[0] - a[3], b[0] - b[3]
    cosine = float(up_a @ up_b) / max(float(np.hypot(*up_a) * np.hypot(*up_b)), 1e-6)
    return cosine < -0.85


def _left_of_two_corners(one: CardSeen, other: CardSeen) -> CardSeen | None:
    """Return which of two index-only cards shows the upper left corner, where both are
    the upper corners of one card: some decks have an index in all four."""
    if one.whole or other.whole or len(one.indices) != 1 or len(other.indices) != 1:
        return None
    if int(one.log_faces.argmax()) != int(other.log_faces.argmax()):
        return None
    away = on_quad(one.quad_px, other.indices[0].quad_px)
    here = on_quad(one.quad_px, one.indices[0].quad_px)
    x, y = away.mean(0) - here.mean(0)
    up, own_up = away[0] - away[3], here[0] - here[3]
    upright = UPRIGHT * np.hypot(*up) * np.hypot(*own_up)
    if abs(y) > SAME_HEIGHT or up @ own_up < upright:
        return None
    nearest, farthest = FOUR_CORNERS_APART
    if not nearest < abs(x) < farthest:
        return None
    return one if x > 0 else other


def _joined(one: CardSeen, other: CardSeen) -> CardSeen:
    """Return one card from two sightings; the better placed one gives the quad."""
    better, worse = (one, other)
    if _left_of_two_corners(one, other) is other:
        better, worse = worse, better
    is_worth_more = better.whole is None and worse.whole is not None
    if is_worth_more and not _shows_only_corners_of(better, worse):
        better, worse = worse, better
    indices = one.indices + tuple(
        index
        for index in other.indices
        if all(quad_overlap(index.quad_px, i.quad_px) < 0.3 for i in one.indices)
    )
    merged = replace(better, indices=indices, score=max(one.score, other.score))
    return replace(merged, log_faces=log_faces_of(merged))
