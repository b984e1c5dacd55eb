"""Where a card may lie that was overlooked: in a row with two that were seen.

Cards that belong together are laid out in rows. Where the detector sees two of three,
and the third would lie between them or beside them just as far, that place is looked
at for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from vision.first_look import is_sure
from vision.quads import quad_overlap
from vision.types import Array, Bgr, Frame, Kind, Observation
from vision.views import SeesAlone

LIKE_SHARE = 0.15
"""Of a card's longer side, by which two of a row differ but for where they lie."""
FARTHEST = 3.5
"""In longer sides of a card: what lies farther apart is no row."""
MOST_CARDS = 6
"""Of more that were seen nobody overlooks one in a row alone."""
FREE = 0.1


def with_rows(observation: Observation, bgr: Bgr, see: SeesAlone) -> Observation:
    """Return what was seen with the cards that were overlooked in a row of others: once
    missed at first, nothing there changes, and nobody looks again."""
    cards = [
        np.array(one.quad_px)
        for one in observation.placements
        if one.kind is Kind.CARD and one.identity.label is not None
    ]
    frame = Frame(observation.frame, bgr, observation.taken_at, observation.source)
    height, width = bgr.shape[:2]
    looks = [see.alone(frame, quad) for quad in in_rows_px(cards, width, height)]
    more = tuple(one for one in looks if one is not None and is_sure(one))
    return replace(observation, placements=(*observation.placements, *more))


def in_rows_px(cards_px: Sequence[Array], width_px: int, height_px: int) -> list[Array]:
    """Return the outlines, px, in which a card would make a row with two of the cards,
    where none of them lies and that are all in the picture."""
    if len(cards_px) > MOST_CARDS:
        return []
    found: list[Array] = []
    for one, other in combinations(cards_px, 2):
        step = other.mean(axis=0) - one.mean(axis=0)
        long_px = float(np.ptp(one, axis=0).max())
        is_row = np.abs(other - one - step).max() < LIKE_SHARE * long_px
        if not is_row or float(np.linalg.norm(step)) > FARTHEST * long_px:
            continue
        for quad in ((one + other) / 2, other + step, one - step):
            is_inside = (quad > 0).all() and (quad < (width_px, height_px)).all()
            is_free = all(quad_overlap(quad, q) < FREE for q in (*cards_px, *found))
            if is_inside and is_free:
                found.append(quad)
    return found
