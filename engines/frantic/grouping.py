"""Cards that lie together: groups of rectangles with little room between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from engines.core import Piece

Group: TypeAlias = tuple[Piece, ...]
Point: TypeAlias = tuple[float, float]


def groups(pieces: Sequence[Piece], room_mm: float) -> tuple[Group, ...]:
    """Return the pieces in groups whose members lie within `room_mm` of each other."""
    group_of = list(range(len(pieces)))
    corners = [piece.corners_mm for piece in pieces]
    reach_mm = [math.hypot(p.width_mm, p.height_mm) / 2 for p in pieces]
    for i, a in enumerate(pieces):
        for j in range(i):
            if group_of[i] == group_of[j]:
                continue
            b, near_mm = pieces[j], reach_mm[i] + reach_mm[j] + room_mm
            if math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) > near_mm:
                continue
            if gap_mm(corners[i], corners[j]) <= room_mm:
                old, new = group_of[i], group_of[j]
                group_of = [new if group == old else group for group in group_of]
    return tuple(
        tuple(p for p, group in zip(pieces, group_of, strict=True) if group == number)
        for number in sorted(set(group_of))
    )


def gap_mm(a: Sequence[Point], b: Sequence[Point]) -> float:
    """Return the widest gap between two rectangles along one of their sides; negative
    where they overlap. It is never more than their distance."""
    return max(
        _gap_along((q[0] - p[0], q[1] - p[1]), a, b)
        for corners in (a, b)
        for p, q in ((corners[0], corners[1]), (corners[1], corners[2]))
    )


def _gap_along(side: Point, a: Sequence[Point], b: Sequence[Point]) -> float:
    length = math.hypot(*side) or 1.0
    x, y = side[0] / length, side[1] / length
    on_a = [x * px + y * py for px, py in a]
    on_b = [x * px + y * py for px, py in b]
    return max(min(on_b) - max(on_a), min(on_a) - max(on_b))


def centre_mm(pieces: Iterable[Piece]) -> Point:
    """Return the mean of the pieces' centres."""
    points = [(piece.x_mm, piece.y_mm) for piece in pieces]
    return mean_mm(points)


def mean_mm(points: Sequence[Point]) -> Point:
    """Return the mean of points."""
    n = len(points)
    return sum(x for x, _ in points) / n, sum(y for _, y in points) / n


def distance_mm(a: Point, b: Point) -> float:
    """Return how far two points are apart."""
    return math.dist(a, b)


def spread_mm(pieces: Sequence[Piece]) -> float:
    """Return how far the pieces' centres lie from their mean at most."""
    middle = centre_mm(pieces)
    return max(distance_mm((p.x_mm, p.y_mm), middle) for p in pieces)


def in_reading_order(pieces: Sequence[Piece]) -> Group:
    """Return fanned or laid-out cards from left to right as their owner sees them,
    rows from far to near."""
    up_x = sum(math.cos(math.radians(piece.angle_deg)) for piece in pieces)
    up_y = sum(math.sin(math.radians(piece.angle_deg)) for piece in pieces)
    length = math.hypot(up_x, up_y)
    if length < len(pieces) / 2:
        up_x, up_y, length = 0.0, 1.0, 1.0
    up_x, up_y = up_x / length, up_y / length
    row_mm = min(piece.height_mm for piece in pieces)

    def key(piece: Piece) -> tuple[int, float]:
        row = round((piece.x_mm * up_x + piece.y_mm * up_y) / row_mm)
        return -row, piece.x_mm * up_y - piece.y_mm * up_x

    return tuple(sorted(pieces, key=key))
