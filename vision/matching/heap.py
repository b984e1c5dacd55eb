"""Which of some cards lies on which, by the details of their print that show."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.matching.patches import Plane
from vision.quads import is_inside
from vision.types import Array

SLIVER = 0.02
"""Cards that have a smaller share of one in common do not hide each other."""


def lying_over(
    quads_px: Sequence[Array], details_px: Sequence[Array]
) -> list[set[int]]:
    """Return for each card which of the others lie on it.

    What shows where two overlap is the upper one: more of its details are seen there.
    """
    over: list[set[int]] = [set() for _ in quads_px]
    hulls = [
        np.asarray(cv2.convexHull(quad.astype(np.float32)), np.float32)
        for quad in quads_px
    ]
    for i, one in enumerate(hulls):
        for j in range(i):
            both = _common(one, hulls[j])
            if both is None:
                continue
            mine, yours = (_inside(both, details_px[k]) for k in (i, j))
            if mine > yours:
                over[j].add(i)
            elif yours > mine:
                over[i].add(j)
    return over


def topmost_first(over: Sequence[set[int]]) -> list[int]:
    """Return the cards so that none comes before one that lies on it; where they lie on
    each other in a circle the one with least on it is first."""
    left, order = list(range(len(over))), []
    while left:
        best = min(left, key=lambda i: len(over[i].intersection(left)))
        order.append(best)
        left.remove(best)
    return order


def _common(one: Plane, other: Plane) -> Plane | None:
    if np.any(one.min((0, 1)) > other.max((0, 1))) or np.any(
        other.min((0, 1)) > one.max((0, 1))
    ):
        return None
    area, both = cv2.intersectConvexConvex(one, other)
    if area < SLIVER * min(cv2.contourArea(one), cv2.contourArea(other)):
        return None
    return np.asarray(both, np.float32)


def _inside(polygon: Plane, points: Array) -> int:
    return sum(is_inside(polygon, point) for point in points)
