"""Which card lies on which, and how much of each can be seen.

Where two cards overlap, the border of the upper one runs unbroken across the lower
one; the border of the lower one does not show. So the edges in the overlap tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.quads import is_inside
from vision.refine import edges_across
from vision.types import Array, Bgr

INSIDE = 0.04
"""A border point counts when it lies inside the other card by this share of its
diagonal."""
VISIBLE_GRID = 256
NO_EDGE, EDGE = 2.0, 9.0
"""Grey levels per px: below the first it is no edge, above the second surely one."""
IN_LINE_PX = 0.8
"""The edge of a card is straight within this."""
HALF_SHOWN = 0.4
MARK = 2.0
"""What was read there outweighs any edge."""


@dataclass(frozen=True, slots=True)
class Stack:
    """The stacking of all things in a picture."""

    order: tuple[int, ...]
    """Place of each thing from below, 0 the lowest."""
    visible: tuple[float, ...]
    """Share of each thing that no other covers and that is in the picture."""


def stack(
    bgr: Bgr, quads_px: Sequence[Array], marks_px: Sequence[Sequence[Array]] = ()
) -> Stack:
    """Return which of the quads lies on which.

    `marks_px` are, for each quad, the (2,) places where something on it was read: what
    can be read is not covered.
    """
    above = np.zeros((len(quads_px), len(quads_px)))
    for i in range(len(quads_px)):
        for j in range(i):
            lead = _lead(bgr, quads_px[i], quads_px[j])
            if marks_px:
                lead += _marked(quads_px[i], marks_px[j], -MARK)
                lead += _marked(quads_px[j], marks_px[i], MARK)
            above[i, j], above[j, i] = lead, -lead
    order = _sorted(above)
    places = tuple(order.index(i) for i in range(len(quads_px)))
    return Stack(places, _visible(bgr.shape, quads_px, order))


def _lead(bgr: Bgr, one: Array, other: Array) -> float:
    """Return how much more of the border of `one` shows on `other` than the reverse, in
    [-1, 1]; 0 where they do not overlap."""
    if np.any(one.min(0) > other.max(0)) or np.any(other.min(0) > one.max(0)):
        return 0.0
    mine, yours = _shown(bgr, one, other), _shown(bgr, other, one)
    if mine is None and yours is None:
        return 0.0
    if mine is None or yours is None:
        # All of one border lies outside the other card: the other is on top if its own
        # border shows.
        shown = mine if mine is not None else yours
        assert shown is not None
        return (shown - HALF_SHOWN) * (1.0 if mine is not None else -1.0)
    return mine - yours


def _marked(quad: Array, marks: Sequence[Array], weight: float) -> float:
    """Return `weight` if one of another card's marks lies inside the quad."""
    return weight if any(is_inside(quad, mark) for mark in marks) else 0.0


def _shown(bgr: Bgr, one: Array, other: Array) -> float | None:
    """Return the share of the border of `one` inside `other` that is an edge.

    A third card may cover some of it; print is an edge here and there. `None`: the
    border does not run there.
    """
    diagonal = float(np.linalg.norm(other[2] - other[0]))
    hull = other.astype(np.float32)
    reach = max(1.5, 0.012 * diagonal)
    shown: list[float] = []
    for start, end in zip(one, np.roll(one, -1, 0), strict=True):
        points = start + np.linspace(0.06, 0.94, 23)[:, None] * (end - start)
        depths = [
            cv2.pointPolygonTest(hull, p.tolist(), measureDist=True) for p in points
        ]
        within = points[np.array(depths) > INSIDE * diagonal]
        if len(within):
            along = (end - start) / max(float(np.hypot(*(end - start))), 1e-6)
            normals = np.tile([-along[1], along[0]], (len(within), 1))
            shown += list(_in_line(*edges_across(bgr, within, normals, reach)))
    return float(np.mean(shown)) if len(shown) >= 4 else None


def _in_line(strengths: Array, offsets_px: Array) -> Array:
    """Return (N,) how much each point of a side shows the edge of a card, in [0, 1]:
    the edges of print lie here and there, those of a card in one line."""
    weights = np.clip((strengths - NO_EDGE) / (EDGE - NO_EDGE), 0, 1)
    beside = np.abs(offsets_px[:, None] - offsets_px[None, :]) < IN_LINE_PX
    line = int(np.argmax(beside @ weights))
    return np.asarray(weights * beside[line], float)


def _sorted(above: Array) -> list[int]:
    """Return the things from the lowest up: always take next the one that the clearest
    evidence puts under the rest."""
    left = list(range(len(above)))
    order: list[int] = []
    while left:
        scores = [float(above[i][left].clip(min=0).sum()) for i in left]
        lowest = left[int(np.argmin(scores))]
        order.append(lowest)
        left.remove(lowest)
    return order


def _visible(
    shape: tuple[int, ...], quads_px: Sequence[Array], order: Sequence[int]
) -> tuple[float, ...]:
    scale = VISIBLE_GRID / max(shape[:2])
    # Room around the picture, so that what lies outside is counted as hidden.
    owner = np.full((round(shape[0] * scale), round(shape[1] * scale)), -1, np.int16)
    areas = []
    for number in order:
        points = (quads_px[number] * scale).round().astype(np.int32)
        cv2.fillConvexPoly(owner, points, (int(number),))
    for number, quad in enumerate(quads_px):
        area = cv2.contourArea((quad * scale).astype(np.float32))
        seen = np.count_nonzero(owner == number)
        areas.append(float(min(1.0, seen / max(area, 1.0))))
    return tuple(areas)
