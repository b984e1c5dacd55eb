"""The table seen from straight above, and where on it cards may lie by their looks.

Of a card that is mostly covered a detector's box shows little more than that something
is there. Once the table is known a card can only lie in so many ways: where, and how
turned. Every way that fits what shows there is compared, small, with every face at
once; whoever asks looks closer at the best.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import cv2
import numpy as np

from vision.geometry import TableMap
from vision.matching.patches import Mask, Plane, features, homography
from vision.matching.shortlist import THUMB_PX, Thumbs, in_question, likeness
from vision.place import card_corners_mm, lay
from vision.types import Array, Bgr

CARD_PX = 32
"""Width of a card on the ground, as in the smallest size of `patches`."""
STEP_MM, TURN_DEG = 5.0, 6.0
"""How densely cards are laid."""
MIN_SHOWN, MIN_INSIDE = 0.13, 0.8
"""Share of a card that must show, and share of that which must lie where something was
seen and not yet named."""
NEAR_MM, NEAR_DEG = 9.0, 9.0
"""Two ways to lie that differ by less are one."""
PROMISING, GOOD = 20, 0.75
"""So many ways to lie, or twice as many as are asked for, are moved a little; those
with such a share of the best score are looked at closer."""
FINER = np.array(
    list(product((-2.5, 0.0, 2.5), (-2.5, 0.0, 2.5), np.radians((-3.0, 0.0, 3.0))))
)
"""Ways to lie tried about the most promising ones, in mm and rad."""
MUCH_SHOWN = 0.4
HINT_MM = 130.0
MOST_POSES = 4000
"""Of more ways to lie in one place only every second, third ... is compared."""
MOST_ASKED = 100
MOST_POINTS = 30_000
"""OpenCV looks up at most 32,767 rows at once."""
COARSE = (4, 6)


Region: TypeAlias = tuple[int, ...]
"""What tells one place where cards are looked for from another."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A part of the table from above."""

    table: TableMap
    low_mm: Array
    """(2,) what lies at the first pixel, in table space."""
    mm_per_px: float
    size_mm: tuple[float, float]
    """Of a card."""
    soft: Plane
    """(H, W, 6) features times how much each pixel tells, that, and the share of it
    that lies in a region asked about; all at half the size of `CARD_PX`."""


def on_table(table: TableMap, pose: Array, size_mm: tuple[float, float]) -> Array:
    """Return the corners in the picture of a card that lies so: x and y in mm, the turn
    in rad."""
    return table.to_image(lay(card_corners_mm(size_mm), pose[None])[0])


def ground_of(
    bgr: Bgr,
    table: TableMap,
    visible: Mask,
    region: Mask,
    hints: Array,
    size_mm: tuple[float, float],
) -> Ground:
    """Return the ground about some poses; `visible` and `region` are masks of the
    picture: what nothing known covers, and where cards are looked for."""
    room = np.hypot(*size_mm)
    low, high = hints[:, :2].min(0) - room, hints[:, :2].max(0) + room
    mm_per_px = size_mm[0] / CARD_PX
    width, height = (2 * int(n) for n in np.ceil((high - low) / mm_per_px / 2))
    corners = np.array([[0.0, 0], [width, 0], [width, height], [0, height]])
    there = table.to_image(low + corners * mm_per_px)
    image_from_ground = homography(corners, there)
    shrink = 1.0 / max(1.0, 0.8 * _px_per_px(there, corners))
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    scale = np.array(
        [[shrink, 0, shrink / 2 - 0.5], [0, shrink, shrink / 2 - 0.5], [0, 0, 1]]
    )
    matrix = scale @ image_from_ground
    parts = []
    for plane in (bgr, visible, region):
        small = cv2.resize(
            plane, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA
        )
        parts.append(cv2.warpPerspective(small, matrix, (width, height), flags=flags))
    colours, shows, asked = parts
    tells = (shows > 200).astype(np.float32)
    planes = features(np.dstack([colours.astype(np.float32), tells]), card_px=CARD_PX)
    soft = np.dstack(
        [planes[..., :4] * tells[..., None], tells, tells * (asked > 127)]
    ).astype(np.float32)
    half = cv2.resize(soft, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    return Ground(table, low, 2 * mm_per_px, size_mm, np.asarray(half, np.float32))


def ways(
    ground: Ground,
    thumbs: Thumbs,
    hints: Array,
    most: int,
    done: set[Region],
    least_inside: float = MIN_INSIDE,
) -> list[Array]:
    """Return the ways (mm, mm, rad) that cards may lie in the regions asked about, at
    most `most` in each, the best of it first.

    `hints` are (N, 3) poses (mm, mm, rad) of things that lie about there: cards are
    tried in their directions, long side along or across. Regions that are `done` are
    passed over; those looked at are added. `least_inside` is the share of what shows of
    a card that must lie in the region.
    """
    found: list[Array] = []
    for places in _regions(ground):
        region = (len(places), *(round(float(x)) for x in places.sum(0)))
        if region not in done:
            done.add(region)
            near = np.hypot(*(hints[:, :2] - places.mean(0)).T) < HINT_MM
            poses = [_grid(ground, places, turn) for turn in _turns(hints[near, 2])]
            tried = np.concatenate([_NONE, *poses])
            found += _best(ground, thumbs, tried, most, least_inside)
    return found


def _regions(ground: Ground) -> Iterator[Array]:
    """Yield the (N, 2) places in mm of each region that is large enough."""
    asked = np.asarray(ground.soft[..., 5] > 0.3, np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(asked)
    card_px = ground.size_mm[0] * ground.size_mm[1] / ground.mm_per_px**2
    for number in range(1, count):
        if stats[number, cv2.CC_STAT_AREA] > MIN_SHOWN * MIN_INSIDE * card_px:
            rows, columns = np.nonzero(labels == number)
            places = np.column_stack([columns, rows]) + 0.5
            yield ground.low_mm + places * ground.mm_per_px


def _turns(directions: Array) -> list[float]:
    """Return the directions to try, in rad, for things that lie in some."""
    tried: list[float] = []
    for direction in directions:
        for quarter in (0.0, 90.0):
            for off in (0.0, TURN_DEG, -TURN_DEG):
                turn = (math.degrees(direction) + quarter + off) % 180
                if all(
                    abs((turn - other + 90) % 180 - 90) > 0.6 * TURN_DEG
                    for other in tried
                ):
                    tried.append(turn)
    return [math.radians(turn) for turn in tried]


def _best(
    ground: Ground, thumbs: Thumbs, poses: Array, most: int, least_inside: float
) -> list[Array]:
    shown, inside = _shares(ground, poses)
    poses = poses[(shown >= MIN_SHOWN) & (inside >= least_inside)]
    if not len(poses):
        return []
    poses = poses[:: -(-len(poses) // MOST_POSES)]
    best, _ = _apart(poses, _scores(ground, poses, thumbs), max(PROMISING, 2 * most))
    finer = (best[:, None] + FINER).reshape(-1, 3)
    best, scores = _apart(finer, _scores(ground, finer, thumbs), most)
    good = best[scores >= GOOD * scores[0]]
    return list(good)


def _apart(poses: Array, scores: Array, most: int) -> tuple[Array, Array]:
    """Return the (N, 3) poses with the highest scores, none near a better one, and
    their scores."""
    kept: list[int] = []
    for i in np.argsort(-scores):
        if len(kept) == most:
            break
        if not any(_is_near(poses[i], poses[other]) for other in kept):
            kept.append(int(i))
    return poses[kept], scores[kept]


_NONE = np.zeros((0, 3))


def _px_per_px(there: Array, corners: Array) -> float:
    sides = np.linalg.norm(there - np.roll(there, -1, 0), axis=1)
    ours = np.linalg.norm(corners - np.roll(corners, -1, 0), axis=1)
    return float(np.max(sides / ours))


def _grid(ground: Ground, places_mm: Array, turn: float) -> Array:
    """Return (N, 3) poses of one direction whose middles lie about some places."""
    reach = max(ground.size_mm) / 2
    low, high = places_mm.min(0) - reach, places_mm.max(0) + reach
    x, y = np.meshgrid(
        np.arange(low[0], high[0], STEP_MM), np.arange(low[1], high[1], STEP_MM)
    )
    return np.column_stack([x.ravel(), y.ravel(), np.full(x.size, turn)])


def _sampled(
    ground: Ground, plane: Plane, poses: Array, grid: tuple[int, int]
) -> Plane:
    """Return (N, rows x columns, C) of the (H, W, C) ground at a grid of points of each
    card."""
    columns, rows = grid
    u = ((np.arange(columns) + 0.5) / columns - 0.5) * ground.size_mm[0]
    v = (0.5 - (np.arange(rows) + 0.5) / rows) * ground.size_mm[1]
    points = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)
    places = (lay(points, poses) - ground.low_mm) / ground.mm_per_px - 0.5
    places = places.astype(np.float32)
    plane = np.ascontiguousarray(plane)
    parts = [
        cv2.remap(
            plane,
            np.ascontiguousarray(part[..., 0]),
            np.ascontiguousarray(part[..., 1]),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(0, 0, 0, 0),
        )
        for part in (
            places[i : i + MOST_POINTS] for i in range(0, len(places), MOST_POINTS)
        )
    ]
    return np.concatenate(parts)


def _shares(ground: Ground, poses: Array) -> tuple[Array, Array]:
    """Return how much of each card shows, and the share of that in the region."""
    if not len(poses):
        return np.zeros(0), np.zeros(0)
    seen = _sampled(ground, ground.soft[..., 4:], poses, COARSE)
    shown = seen[..., 0].sum(1)
    inside = seen[..., 1].sum(1) / np.maximum(shown, 1e-6)
    return shown / (COARSE[0] * COARSE[1]), inside


def _scores(ground: Ground, poses: Array, thumbs: Thumbs) -> Array:
    """Return how well each way to lie fits what shows there, and explains it."""
    seen = _sampled(ground, ground.soft, poses, THUMB_PX)
    soft, tells = seen[..., :4], np.ascontiguousarray(seen[..., 4])
    # Of many faces those that some of the ways to lie are like.
    few = slice(None, None, -(-len(poses) // MOST_ASKED))
    rows = in_question(soft[few], tells[few], thumbs)
    best = likeness(soft, tells, thumbs, rows).max(1)
    total = tells.sum(1)
    inside = seen[..., 5].sum(1) / np.maximum(total, 1e-6)
    shown = np.minimum(total / tells.shape[1] / MUCH_SHOWN, 1.0) ** 0.5
    return np.asarray(best * shown * (0.5 + 0.5 * inside), float)


def _is_near(one: Array, other: Array) -> bool:
    away = math.hypot(*(one[:2] - other[:2]))
    turned = abs((math.degrees(one[2] - other[2]) + 90) % 180 - 90)
    return away < NEAR_MM and turned < NEAR_DEG
