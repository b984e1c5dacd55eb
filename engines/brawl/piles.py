"""Cards outside the chains: whose side they lie on, and which are one pile."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engines.brawl.frame import Frame
from engines.core import Piece

STACK_MM = 50.0
"""Discards this close to one another are one pile."""


def is_in_line(frame: Frame, card: Piece) -> bool:
    """Return whether a card lies in the row, where only Bases lie."""
    reach = 3 * card.width_mm
    return any(
        abs(d) < 0.45 * card.height_mm and abs(s) < reach
        for anchor in frame.anchors
        for s, d in (frame.local(anchor.piece, card),)
    )


def across_mm(frame: Frame, card: Piece) -> float:
    """Return how far a card lies from the row's middle, on the second side positive."""
    x, y = frame.centre
    nx, ny = frame.across
    return (card.x_mm - x) * nx + (card.y_mm - y) * ny


def centre_of(frames: Sequence[Frame]) -> tuple[float, float]:
    """Return the middle of all rows."""
    xs, ys = zip(*(frame.centre for frame in frames), strict=True)
    return (sum(xs) / len(xs), sum(ys) / len(ys))


def out_mm(frames: Sequence[Frame], card: Piece) -> float:
    """Return how far out on the table a card lies."""
    if len(frames) == 1:
        return abs(across_mm(frames[0], card))
    return math.dist(centre_of(frames), (card.x_mm, card.y_mm))


def put_on_heap(heaps: list[list[Piece]], card: Piece) -> None:
    """Put a card on the heaps that it is close to, which become one."""
    near = [
        heap
        for heap in heaps
        if any(
            math.dist((card.x_mm, card.y_mm), (own.x_mm, own.y_mm)) < STACK_MM
            for own in heap
        )
    ]
    for heap in near:
        heaps.remove(heap)
    heaps.append([card for heap in near for card in heap] + [card])
