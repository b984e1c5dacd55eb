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

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import TableMap
from vision.matching.patches import Mask, Plane, features, homography
from vision.matching.shortlist import THUMB_PX, Thumbs, likeness, thumbs_of
from vision.place import card_corners_mm, lay
from vision.types import Array, Bgr

CARD_PX = 32
"""Width of a card on the ground, as in the smallest size of `patches`."""
STEP_MM, TURN_DEG = 5.0, 6.0
"""How densely cards are laid."""
MIN_SHOWN, MIN_INSIDE = 0.13, 0.55
"""Share of a card that must show, and share of that which must lie where something was
seen and not yet named."""
NEAR_MM, NEAR_DEG = 9.0, 9.0
"""Two ways to lie that differ by less are one."""
MUCH_SHOWN = 0.4
HINT_MM = 130.0
MOST_WAYS = 4000
MOST_POINTS = 30_000
"""OpenCV looks up at most 32,767 rows at once."""
COARSE = (4, 6)


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

    def quad_px(self, pose: Array) -> Array:
        """Return the corners in the picture of a card that lies so."""
        model = card_corners_mm(self.size_mm)
        return self.table.to_image(lay(model, pose[None])[0])


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way a card may lie."""

    quad_px: Array
    """(4, 2) from the card's own top left, or bottom right."""
    score: float


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


def ways(ground: Ground, thumbs: Thumbs, hints: Array, most: int) -> list[Way]:
    """Return the ways that cards may lie in the regions asked about, the best first, at
    most `most` in each region.

    `hints` are (N, 3) poses (mm, mm, rad) of things that lie about there: cards are
    tried in their directions, long side along or across.
    """
    found: list[Way] = []
    for places in _regions(ground):
        near = np.hypot(*(hints[:, :2] - places.mean(0)).T) < HINT_MM
        poses = [_grid(ground, places, turn) for turn in _turns(hints[near, 2])]
        found += _best(ground, thumbs, np.concatenate([_NONE, *poses]), most)
    return sorted(found, key=lambda way: -way.score)


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


def _best(ground: Ground, thumbs: Thumbs, poses: Array, most: int) -> list[Way]:
    shown, inside = _shares(ground, poses)
    poses = poses[(shown >= MIN_SHOWN) & (inside >= MIN_INSIDE)]
    if len(poses) > MOST_WAYS:
        poses = poses[:: -(-len(poses) // MOST_WAYS)]
    if not len(poses):
        return []
    values, masks, inside = _seen(ground, poses)
    best = likeness(values, masks, thumbs).max(1)
    shown = np.minimum(masks.mean(1) / MUCH_SHOWN, 1.0) ** 0.5
    score = best * shown * (0.5 + 0.5 * inside)
    found: list[Way] = []
    kept: list[Array] = []
    for i in np.argsort(-score):
        if len(found) == most:
            break
        if not any(_is_near(poses[i], other) for other in kept):
            kept.append(poses[i])
            found.append(Way(ground.quad_px(poses[i]), float(score[i])))
    return found


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


def _seen(
    ground: Ground, poses: Array
) -> tuple[NDArray[np.float32], NDArray[np.float32], Array]:
    """Return the thumbnails of each way a card may lie, how much each value of them
    tells, and the share that lies in the region."""
    seen = _sampled(ground, ground.soft, poses, THUMB_PX)
    tells = seen[..., 4:5]
    values, masks = thumbs_of(seen[..., :4], tells)
    inside = seen[..., 5].sum(1) / np.maximum(tells[..., 0].sum(1), 1e-6)
    return values, masks, inside


def _is_near(one: Array, other: Array) -> bool:
    away = math.hypot(*(one[:2] - other[:2]))
    turned = abs((math.degrees(one[2] - other[2]) + 90) % 180 - 90)
    return away < NEAR_MM and turned < NEAR_DEG
