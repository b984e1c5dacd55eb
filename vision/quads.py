"""Convex quads in the picture: how large, how much in common, what lies where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Array

_Ring = list[tuple[float, float]]

UNIT_CORNERS = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


def area_px2(quad_px: Array) -> float:
    """Return the area of a (4, 2) quad."""
    return abs(_area(quad_px.tolist()))


def common_px2(one_px: Array, other_px: Array) -> float:
    """Return the area that two convex polygons share."""
    return _area(_common(one_px, other_px))


def common_px(one_px: Array, other_px: Array) -> Array | None:
    """Return the (N, 2) outline of what two convex polygons share; `None`: nothing."""
    both = _common(one_px, other_px)
    return np.array(both) if _area(both) > 0 else None


def hull_px(points_px: Array) -> Array:
    """Return the corners of the convex hull of (N, 2) points."""
    hull = cv2.convexHull(points_px.astype(np.float32))
    return np.asarray(hull, float).reshape(-1, 2)


def _common(one_px: Array, other_px: Array) -> _Ring:
    """Return what two convex polygons share: the one cut along each side of the other
    in turn (Sutherland and Hodgman 1974).

    A corner that rounding puts on the wrong side of a cut moves the result by no more
    than that rounding, so outlines that nearly coincide are safe. OpenCV's
    `intersectConvexConvex` walks both at once and loses a part of what is common, or
    all, where it takes a wrong turn (`tests/vision/test_quads.py` has such a pair).
    """
    if _are_apart(one_px.tolist(), other_px.tolist()):
        return []
    common, cuts = _ring(one_px), _ring(other_px)
    for (from_x, from_y), (to_x, to_y) in zip(cuts[-1:] + cuts, cuts, strict=False):
        along_x, along_y = to_x - from_x, to_y - from_y
        kept = []
        was_x, was_y = common[-1]
        was_side = along_x * (was_y - from_y) - along_y * (was_x - from_x)
        for x, y in common:
            side = along_x * (y - from_y) - along_y * (x - from_x)
            if (side >= 0) != (was_side >= 0):
                part = was_side / (was_side - side)
                kept.append((was_x + part * (x - was_x), was_y + part * (y - was_y)))
            if side >= 0:
                kept.append((x, y))
            was_x, was_y, was_side = x, y, side
        if not kept:
            return []
        common = kept
    return common


def _are_apart(one: _Ring, other: _Ring) -> bool:
    """Return whether the boxes along x and y around two polygons share nothing."""
    return any(
        max(ours) < min(theirs) or max(theirs) < min(ours)
        for ours, theirs in zip(
            zip(*one, strict=True), zip(*other, strict=True), strict=True
        )
    )


def _ring(polygon_px: Array) -> _Ring:
    """Return a polygon's corners so that each next side turns from x towards y; those
    of its hull where it is not convex."""
    if not cv2.isContourConvex(polygon_px.astype(np.float32)):
        polygon_px = hull_px(polygon_px)
    ring: _Ring = polygon_px.tolist()
    return ring if _area(ring) >= 0 else ring[::-1]


def _area(ring: _Ring) -> float:
    """Return the area of a polygon, below 0 where it turns from y towards x."""
    twice = 0.0
    was_x, was_y = ring[-1] if ring else (0.0, 0.0)
    for x, y in ring:
        twice += was_x * y - x * was_y
        was_x, was_y = x, y
    return twice / 2


def quad_overlap(one_px: Array, other_px: Array) -> float:
    """Return the IoU of two convex quads."""
    both = common_px2(one_px, other_px)
    if not both:
        return 0.0
    total = area_px2(one_px) + area_px2(other_px) - both
    return both / max(total, 1e-6)


def share_inside(quad_px: Array, others_px: Sequence[Array]) -> float:
    """Return the largest share of a quad that one of the others covers."""
    own = max(area_px2(quad_px), 1e-6)
    return max((common_px2(quad_px, other) / own for other in others_px), default=0.0)


def is_inside(polygon_px: NDArray[np.floating[Any]], point_px: Array) -> bool:
    """Return whether a (2,) point lies within a quad or other polygon, not on its
    border."""
    x, y = point_px
    outline = polygon_px.astype(np.float32)
    return cv2.pointPolygonTest(outline, (float(x), float(y)), measureDist=False) > 0


def grown(quad_px: Array, factor: float) -> Array:
    """Return the quad so many times as large around its middle."""
    middle = quad_px.mean(0)
    return np.asarray(middle + (quad_px - middle) * factor)


def apart_px(one_px: Array, other_px: Array) -> float:
    """Return how far the corners of two quads are apart, at most."""
    return float(np.linalg.norm(one_px - other_px, axis=1).max())


def turned_like(
    quad_px: Array, other_px: Array, *, turns: Sequence[int] = (0, 2)
) -> Array:
    """Return a quad told from the corner, of those so many on from its first, from
    which it lies nearest to another, corner by corner."""
    turned = [np.roll(quad_px, -turn, axis=0) for turn in turns]
    return min(turned, key=lambda quad: apart_px(quad, other_px))


def on_quad(quad_px: Array, points_px: Array) -> Array:
    """Return where (N, 2) points lie on a quad: (0, 0) its first corner, (1, 1) its
    third."""
    if not len(points_px):
        return np.empty((0, 2), np.float32)
    matrix = cv2.getPerspectiveTransform(quad_px.astype(np.float32), UNIT_CORNERS)
    mapped = cv2.perspectiveTransform(points_px[None].astype(np.float32), matrix)
    return np.asarray(mapped[0])


def from_quad(quad_px: Array, points: Array) -> Array:
    """Return where (N, 2) points of a quad lie in the picture: `on_quad` undone."""
    matrix = cv2.getPerspectiveTransform(UNIT_CORNERS, quad_px.astype(np.float32))
    mapped = cv2.perspectiveTransform(points[None].astype(np.float32), matrix)
    return np.asarray(mapped[0], float)
