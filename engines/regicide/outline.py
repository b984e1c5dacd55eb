"""How near two cards lie to each other, in millimetres."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from engines.core import Piece

Point: TypeAlias = tuple[float, float]


def is_sound(piece: Piece) -> bool:
    """Return whether a piece has a place and a size at all."""
    numbers = (
        piece.x_mm,
        piece.y_mm,
        piece.angle_deg,
        piece.width_mm,
        piece.height_mm,
    )
    return (
        all(map(math.isfinite, numbers)) and piece.width_mm > 0 and piece.height_mm > 0
    )


def centre_distance_mm(a: Piece, b: Piece) -> float:
    """Return the distance of the middles of two pieces."""
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def gap_mm(a: Piece, b: Piece, *, within_mm: float = math.inf) -> float:
    """Return the free space between two cards: 0 where they touch or overlap.

    Beyond `within_mm` any number larger than it may come back, because it is quicker.
    """
    reach = (
        math.hypot(a.width_mm, a.height_mm) + math.hypot(b.width_mm, b.height_mm)
    ) / 2
    least = centre_distance_mm(a, b) - reach
    if least > within_mm:
        return least
    first, second = a.corners_mm, b.corners_mm
    if _overlap(first, second):
        return 0.0
    # Of two rectangles that lie apart, a corner of one is nearest to the other.
    return min(_corners_to_card_mm(first, b), _corners_to_card_mm(second, a))


def components(
    pieces: Sequence[Piece], near: Callable[[Piece, Piece], bool]
) -> tuple[tuple[Piece, ...], ...]:
    """Return `pieces` split into chains of neighbours, each in the given order."""
    group = list(range(len(pieces)))
    for i, a in enumerate(pieces):
        for j in range(i):
            if group[i] != group[j] and near(a, pieces[j]):
                old, new = max(group[i], group[j]), min(group[i], group[j])
                group = [new if mark == old else mark for mark in group]
    return tuple(
        tuple(piece for piece, mark in zip(pieces, group, strict=True) if mark == one)
        for one in sorted(set(group))
    )


def _overlap(a: Sequence[Point], b: Sequence[Point]) -> bool:
    """Look for a line that parts two rectangles, along their own sides."""
    for corners in (a, b):
        for i in (0, 1):
            ux = corners[i + 1][0] - corners[i][0]
            uy = corners[i + 1][1] - corners[i][1]
            first = [x * ux + y * uy for x, y in a]
            second = [x * ux + y * uy for x, y in b]
            if max(first) < min(second) or max(second) < min(first):
                return False
    return True


def _corners_to_card_mm(corners: Sequence[Point], card: Piece) -> float:
    """Return how near the nearest of `corners` comes to the card's rectangle."""
    up = math.radians(card.angle_deg)
    ux, uy = math.cos(up), math.sin(up)
    half_w, half_h = card.width_mm / 2, card.height_mm / 2
    nearest = math.inf
    for x, y in corners:
        dx, dy = x - card.x_mm, y - card.y_mm
        across = max(abs(dx * uy - dy * ux) - half_w, 0.0)
        along = max(abs(dx * ux + dy * uy) - half_h, 0.0)
        nearest = min(nearest, math.hypot(across, along))
    return nearest
