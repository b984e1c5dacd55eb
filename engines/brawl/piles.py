"""Cards outside the chains: whose side they lie on, and which are one pile; and on
which side of the table the players sit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engines.brawl.frame import Frame
from engines.brawl.options import Options
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


def pile_votes(frame: Frame, left: Sequence[Piece], options: Options) -> list[int]:
    """Return for each loose card far out 1 if it lies on the side of the player whose
    deck it is of, -1 if on the other; nothing where that is not known."""
    votes = []
    for card in left:
        owner, out = options.owner(card.owner), across_mm(frame, card)
        if owner not in frame.pair or abs(out) < 1.2 * card.height_mm:
            continue
        if not is_in_line(frame, card):
            votes.append(1 if (owner == frame.pair.second) is (out > 0) else -1)
    return votes


def face_away(frame: Frame, options: Options) -> bool:
    """Return whether Bases of both players, and all of them, lie upside down for those
    who laid them: then the two likely sit the other way round."""
    seats = set()
    for anchor in frame.anchors:
        base = anchor.base
        owner = options.owner(base.owner) if base else None
        if base is None or owner is None or owner not in frame.pair:
            continue
        up = math.radians(base.angle_deg)
        away = math.cos(up) * frame.across[0] + math.sin(up) * frame.across[1]
        if abs(away) < 0.5 or (owner == frame.pair.first) is (away > 0):
            return False
        seats.add(owner)
    return len(seats) == 2


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
