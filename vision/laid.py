"""Where a card was laid, as what has changed tells it.

What came to lie there changed its place, whoever sees it: where the detector overlooks
a card the changed cells still have its size and its shape. Such outlines are looked at
like the detector's own; what nobody can name there in several readings is shown as a
card that could not be read, so that it is asked about and never lost in silence.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cells import Mask
from vision.quads import share_inside
from vision.types import Array

SIDE_OFF = 0.25
"""By so much of its length a side may be off, and longer by a cell: cells change that
are covered in part, and beside a card lies its shadow."""
NEAREST = 3
"""So many cards tell how large one is there: farther ones look smaller or larger."""
HULL_SHARE, CELL_SHARE = 0.8, 0.35
"""So much of the rectangle around it the hull of a card's changed cells fills, and the
cells themselves: of a card on one of its face only the print that was shifted."""
PARTLY_SHARE = 0.65
"""The same of the hull of one that lies beside one of its face, half on it."""
Cells = NDArray[np.uint8]
_BRIDGES = np.ones((3, 3), np.uint8)
WIDER, LARGER = 1.5, 4.0
"""So many times as wide and as large as the cards near it is what is none of them nor a
row of them, however steeply the camera looks: a stripe of the cloth, a book."""
SAME_SHARE = 0.5
"""Of an outline within a card, and it is that card's."""


def laid_px(
    changed: Mask,
    scale: float,
    cards_px: Sequence[Array],
    *,
    roughly: bool = False,
) -> list[Array]:
    """Return outlines, px, of the changed parts that have the size and the shape of the
    cards that lie near (`scale` px are a cell); nothing where no card is known. Who
    asks `roughly` is also told of a card that lies half on one of its face, where less
    has changed."""
    if not cards_px or not changed.any():
        return []
    cells = changed.astype(np.uint8)
    found = _alike(_opened(cells), scale, cards_px, roughly=roughly)
    if found or not roughly:
        return found
    # Where two prints agree nothing changes, and the card may fall apart there.
    cells = np.asarray(cv2.morphologyEx(cells, cv2.MORPH_CLOSE, _BRIDGES), np.uint8)
    return _alike(_opened(cells), scale, cards_px, roughly=roughly)


def _opened(cells: Cells) -> Cells:
    """Return cells without what is narrower than three of them."""
    return np.asarray(cv2.morphologyEx(cells, cv2.MORPH_OPEN, _BRIDGES), np.uint8)


def _alike(
    mask: Cells, scale: float, cards_px: Sequence[Array], *, roughly: bool
) -> list[Array]:
    """Return outlines of the parts that are as large and shaped as the cards near."""
    hull_share = PARTLY_SHARE if roughly else HULL_SHARE
    parts, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    found = []
    for part in parts:
        points = np.asarray(part, np.int32).reshape(-1, 2)
        quad = _rectangle(points, mask, hull_share)
        if quad is None:
            continue
        quad = (quad + 0.5) * scale - 0.5
        is_like = all(
            -SIDE_OFF * usual < side - usual < SIDE_OFF * usual + scale
            for side, usual in zip(_sides(quad), _usual(quad, cards_px), strict=True)
        )
        if is_like:
            found.append(quad)
    return found


def around_px(disc_px: Array, cards_px: Sequence[Array]) -> list[Array]:
    """Return the outline of a card of which only a disc in its print was seen: it lies
    around that, as the nearest card does; nothing where no card is known."""
    middle = disc_px.mean(axis=0)
    offs = [quad - quad.mean(axis=0) for quad in cards_px]
    away = [float(np.linalg.norm(quad.mean(axis=0) - middle)) for quad in cards_px]
    return [offs[int(np.argmin(away))] + middle] if offs else []


def is_too_large(quad_px: Array, cards_px: Sequence[Array]) -> bool:
    """Return whether an outline is far larger than the cards that lie near it; `False`
    where too few are known to tell."""
    if len(cards_px) < NEAREST:
        return False
    (short, long), (wide, high) = _sides(quad_px), _usual(quad_px, cards_px)
    return short > WIDER * wide and short * long > LARGER * wide * high


def parts_px(changed: Mask, scale: float) -> list[Array]:
    """Return the upright boxes, px, around the parts that changed (`scale` px are a
    cell)."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(changed.astype(np.uint8))
    return [
        (np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], float)) * scale
        - 0.5
        for x, y, w, h, _ in stats[1:].tolist()
    ]


def unexplained_px(
    outlines_px: Sequence[Array], known_px: Sequence[Array]
) -> list[Array]:
    """Return the outlines in which no known thing lies, nor the reverse."""
    return [
        quad
        for quad in outlines_px
        if share_inside(quad, known_px) < SAME_SHARE
        and all(share_inside(known, [quad]) < SAME_SHARE for known in known_px)
    ]


def _rectangle(
    points: NDArray[np.int32], mask: Cells, hull_share: float
) -> Array | None:
    """Return the rectangle around a part if it is filled as by a card: clockwise, a
    short side first, in cells."""
    around = cv2.minAreaRect(points.astype(np.float32))
    (x, y), (width, height), angle_deg = around
    if min(width, height) < 1:
        return None
    hull = cv2.contourArea(cv2.convexHull(points.astype(np.float32)))
    left, top, wide, high = cv2.boundingRect(points)
    cells = np.zeros((high, wide), np.uint8)
    cv2.fillPoly(cells, [points - np.array([left, top], np.int32)], (1,))
    part = mask[top : top + high, left : left + wide]
    area = width * height
    if hull < hull_share * area or int((cells & part).sum()) < CELL_SHARE * area:
        return None
    # Points are the middles of cells, which reach half a cell farther.
    quad = cv2.boxPoints(((x, y), (width + 1, height + 1), angle_deg))
    first = float(np.linalg.norm(quad[1] - quad[0]))
    if first > float(np.linalg.norm(quad[2] - quad[1])):
        quad = np.roll(quad, -1, axis=0)
    return np.asarray(quad, float)


def _usual(quad: Array, cards_px: Sequence[Array]) -> tuple[float, float]:
    """Return how long the sides of the cards are that lie nearest to a place."""
    middle = quad.mean(axis=0)
    near = sorted(
        cards_px, key=lambda card: float(np.linalg.norm(card.mean(axis=0) - middle))
    )
    short, long = np.median([_sides(card) for card in near[:NEAREST]], axis=0)
    return float(short), float(long)


def _sides(quad: Array) -> tuple[float, float]:
    """Return how long a quad's sides are, the shorter ones first."""
    lengths = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    one, other = (lengths[0] + lengths[2]) / 2, (lengths[1] + lengths[3]) / 2
    return float(min(one, other)), float(max(one, other))
