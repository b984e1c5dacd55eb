"""Finds the rows of Bases and gives each its axes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TypeAlias

from engines.brawl.faces import Face, read_face
from engines.brawl.options import Options
from engines.brawl.place import Pair
from engines.brawl.state import pairs
from engines.core import Piece

Point: TypeAlias = tuple[float, float]

ROW_ANGLE_DEG = 20.0
"""The line through the Bases may lean this far from the cards' own edges."""
ROW_SPREAD = 0.45
"""A Base may lie this part of its height off the line."""
ROW_GAP = 4.5
"""Two neighbouring Bases lie at most this many widths apart."""
BARE_GAP = 3.0
"""So does a Freeze or a Clear without a Base under it; farther off it is a discard."""
ROW_BASES = 4
"""Three, and one that may not lie there."""
ROW_SECTOR = 0.35
"""A row lies within this part of the angle between two players, from its middle."""
MAX_ANCHORS = 10
"""Bases that are considered for one row; a table holds fewer."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A Base, or the Freeze or Clear that hides one, and what lies on it."""

    piece: Piece
    base: Piece | None
    on_it: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A row: its Bases from left to right and the direction across it.

    `across` points from the pair's first player to the second; the row runs at right
    angles, to the right of the first player.
    """

    pair: Pair
    anchors: tuple[Anchor, ...]
    across: Point

    def local(self, origin: Piece, piece: Piece) -> Point:
        """Return where `piece` lies from `origin`: (along, across) the row."""
        return _local(self.across, piece.x_mm - origin.x_mm, piece.y_mm - origin.y_mm)

    @property
    def centre(self) -> Point:
        """Return the middle of the Bases."""
        return _mean([anchor.piece for anchor in self.anchors])


def find_anchors(cards: Sequence[Piece]) -> tuple[Anchor, ...]:
    """Return the Bases among `cards`, with the Freezes and Clears that lie on them."""
    stacks = [
        (card, card, [card]) for card in cards if read_face(card.label) is Face.BASE
    ]
    anchors: list[tuple[Piece, Piece | None, list[Piece]]] = list(stacks)
    for card in cards:
        if read_face(card.label) not in (Face.FREEZE, Face.CLEAR):
            continue
        under = min(
            (anchor for anchor in anchors if _covers(card, anchor[0])),
            key=lambda anchor: _distance(card, anchor[0]),
            default=None,
        )
        if under is None:
            anchors.append((card, None, [card]))
        else:
            under[2].append(card)
    return tuple(
        Anchor(piece, base, tuple(card for card in stack if card is not base))
        for piece, base, stack in anchors
    )


def find_rows(
    anchors: Sequence[Anchor], cards: Sequence[Piece], options: Options
) -> tuple[Frame, ...]:
    """Return the rows that the Bases form, one per pair that has any."""
    if not anchors:
        return ()
    centre = options.centre_mm or _mean([anchor.piece for anchor in anchors])
    if not options.is_circle:
        (pair,) = pairs(2)
        return (_row_of_two(pair, anchors, cards),)
    frames = []
    sectors = _sectors(anchors, centre, options)
    for number, pair in enumerate(pairs(options.players)):
        if own := sectors.get(number):
            angle = math.radians(pair_angle_deg(number, options.players))
            # Clockwise round the table is the way from the first to the second player.
            across = (math.sin(angle), -math.cos(angle))
            middle = _mean([anchor.piece for anchor in own])
            frames.append(_best_row(pair, own, across, middle))
    return tuple(frames)


def turned_row(frame: Frame) -> Frame:
    """Return the row as it is when the pair's first player sits on the other side."""
    nx, ny = frame.across
    return Frame(frame.pair, frame.anchors[::-1], (-nx, -ny))


def seat_angle_deg(seat: float, players: int) -> float:
    """Return where a seat is, seen from the middle: A near, then clockwise."""
    return -90.0 - 360.0 * seat / players


def pair_angle_deg(number: int, players: int) -> float:
    """Return where the row of pair `number` is, seen from the middle."""
    return seat_angle_deg(number + 0.5, players)


def turned_deg(angle_deg: float) -> float:
    """Return the angle between -180 and 180 degrees."""
    return (angle_deg + 180.0) % 360.0 - 180.0


def _sectors(
    anchors: Sequence[Anchor], centre: Point, options: Options
) -> dict[int, list[Anchor]]:
    """Return the Bases by pair; the middle is improved from the pairs' own middles."""
    sectors: dict[int, list[Anchor]] = {}
    for _ in range(1 if options.centre_mm else 3):
        sectors = {}
        for anchor in anchors:
            dx, dy = anchor.piece.x_mm - centre[0], anchor.piece.y_mm - centre[1]
            turn = (-90.0 - math.degrees(math.atan2(dy, dx))) % 360.0
            turns = turn * options.players / 360.0
            # Near the line to a player's seat lies his discard pile, not a row.
            if abs(turns % 1.0 - 0.5) < ROW_SECTOR:
                number = int(turns) % options.players
                sectors.setdefault(number, []).append(anchor)
        if options.centre_mm is None and len(sectors) == options.players:
            middles = [_mean([a.piece for a in own]) for own in sectors.values()]
            centre = (
                statistics.fmean(x for x, _ in middles),
                statistics.fmean(y for _, y in middles),
            )
    return sectors


def _row_of_two(pair: Pair, anchors: Sequence[Anchor], cards: Sequence[Piece]) -> Frame:
    """Return the row of two players, whatever the camera's direction.

    The row runs across the picture or away from it: where more Bases lie side by side
    and more cards before and behind them. What lies without a Base under it may be a
    discard, so it counts only after that. The first player sits at the near side, or at
    the left one where the row runs away.
    """
    middle = _mean(cards)
    # One card's own edges: seen askew, each Base might take another way for "across".
    guide = min(
        (anchor for anchor in anchors if anchor.base is not None),
        key=lambda anchor: math.dist(_at(anchor.piece), middle),
        default=anchors[0],
    ).piece
    ways = [_own_across(guide, way) for way in ((0.0, 1.0), (1.0, 0.0))]
    rows = [_best_row(pair, anchors, way, middle) for way in ways]
    bases = {anchor.base.id for anchor in anchors if anchor.base is not None}
    others = [card for card in cards if card.id not in bases]
    return max(rows, key=lambda row: (_explained(row, others), len(row.anchors)))


def _explained(frame: Frame, cards: Sequence[Piece]) -> int:
    """Return how many Bases the row has, and cards before or behind one of them."""
    count = sum(anchor.base is not None for anchor in frame.anchors)
    for card in cards:
        spots = [frame.local(anchor.piece, card) for anchor in frame.anchors]
        count += any(
            abs(s) < 0.5 * card.width_mm and abs(d) > 0.6 * card.height_mm
            for s, d in spots
        )
    return count


def _best_row(
    pair: Pair, anchors: Sequence[Anchor], expected: Point, middle: Point
) -> Frame:
    """Return the largest set of Bases that lie side by side; of equals the straightest.

    A discarded Base, or one that lies apart, stays out.
    """
    near = sorted(anchors, key=lambda anchor: math.dist(_at(anchor.piece), middle))
    near = near[:MAX_ANCHORS]
    for size in range(min(len(near), ROW_BASES), 1, -1):
        rows = [
            row
            for some in combinations(near, size)
            if (row := _as_row(pair, some, expected)) is not None
        ]
        if rows:
            return min(rows, key=lambda row: row[0])[1]
    only = next((anchor for anchor in near if anchor.base is not None), near[0])
    return Frame(pair, (only,), _own_across(only.piece, expected))


def _as_row(
    pair: Pair, anchors: Sequence[Anchor], expected: Point
) -> tuple[float, Frame] | None:
    """Return the set as a row and how crooked it is, `None` if it is no row."""
    edges = [_own_across(anchor.piece, expected) for anchor in anchors]
    turns = [_turn_deg(expected, edge) for edge in edges]
    straight = _turned(expected, statistics.median(turns))
    ordered = sorted(
        anchors, key=lambda anchor: _local(straight, *_at(anchor.piece))[0]
    )
    left, right = ordered[0].piece, ordered[-1].piece
    dx, dy = right.x_mm - left.x_mm, right.y_mm - left.y_mm
    length = math.hypot(dx, dy)
    if length < 1.0:
        return None
    across = (-dy / length, dx / length)
    lean = abs(_turn_deg(straight, across))
    off = [
        _local(across, a.piece.x_mm - left.x_mm, a.piece.y_mm - left.y_mm)
        for a in ordered
    ]
    spread = max(abs(d) for _, d in off)
    gaps = [b[0] - a[0] for a, b in pairwise(off)]
    most = [
        ROW_GAP if a.base is not None and b.base is not None else BARE_GAP
        for a, b in pairwise(ordered)
    ]
    width, height = left.width_mm, left.height_mm
    if (
        lean > ROW_ANGLE_DEG
        or spread > ROW_SPREAD * height
        or min(gaps) < 0.4 * width
        or any(gap > n * width for gap, n in zip(gaps, most, strict=True))
    ):
        return None
    return lean / ROW_ANGLE_DEG + spread / height, Frame(pair, tuple(ordered), across)


def _own_across(piece: Piece, expected: Point) -> Point:
    """Return the direction of a card's edge that is nearest to the expected one."""
    own = (
        math.cos(math.radians(piece.angle_deg)),
        math.sin(math.radians(piece.angle_deg)),
    )
    turn = _turn_deg(expected, own)
    return _turned(expected, (turn + 45.0) % 90.0 - 45.0)


def _covers(card: Piece, base: Piece) -> bool:
    across = (
        math.cos(math.radians(base.angle_deg)),
        math.sin(math.radians(base.angle_deg)),
    )
    s, d = _local(across, card.x_mm - base.x_mm, card.y_mm - base.y_mm)
    return abs(s) < 0.7 * base.width_mm and abs(d) < 0.6 * base.height_mm


def _local(across: Point, dx: float, dy: float) -> Point:
    nx, ny = across
    return (dx * ny - dy * nx, dx * nx + dy * ny)


def _turn_deg(start: Point, end: Point) -> float:
    cross = start[0] * end[1] - start[1] * end[0]
    dot = start[0] * end[0] + start[1] * end[1]
    return math.degrees(math.atan2(cross, dot))


def _turned(vector: Point, angle_deg: float) -> Point:
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    return (vector[0] * c - vector[1] * s, vector[0] * s + vector[1] * c)


def _at(piece: Piece) -> Point:
    return (piece.x_mm, piece.y_mm)


def _distance(one: Piece, other: Piece) -> float:
    return math.dist(_at(one), _at(other))


def _mean(pieces: Sequence[Piece]) -> Point:
    return (
        statistics.fmean(piece.x_mm for piece in pieces),
        statistics.fmean(piece.y_mm for piece in pieces),
    )
