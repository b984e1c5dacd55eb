"""Shapes of what a corner of a card shows, its rank and its suit, each cut out alone.

A shape is a square picture of ink on paper in which the ink has a fixed middle and
spread both ways, so that neither light nor size nor a window that is a little off is
left in it. How like two are is the correlation of their cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards import IndexSeen
from vision.crops import cut
from vision.types import Array, Bgr

SOFT_PX, PAPER, INK = 0.6, 80, 0.25
"""Crops are softened by so much; so many per cent of what is around print are no
brighter than paper; what has less of the darkest print's contrast is paper."""
ROOM = 3
"""So much paper is left around print, in px of the crop."""
AT_SIDE = 10.0
"""Print that is cut off by the side of its zone counts as so much farther away."""
FARTHEST = 22.0
"""So far from the middle of its zone, in px of the crop, a rank or suit may stand."""
LEAST_AREA = 50
AT_MIDDLE = slice(16, 52)
"""Columns of the zone of ranks that one surely fills."""
LIKE_HIGH, LEVEL, NEAR = 0.6, 0.3, 0.35
"""The 1 and the 0 of a 10 are so much as high, at most so much higher or lower and so
far apart, in heights of one."""
SIDE, REACH = 24, 2.5
"""A shape is a square of so many cells, as far as so many standard deviations of its
ink from the middle."""
CLOSEST = 40.0
"""Of several shapes the most like count most: weights are powers of e to this."""


@cache
def _grid(side: int, reach: float) -> tuple[Array, Array]:
    axis = np.linspace(-reach, reach, side)
    u, v = np.meshgrid(axis, axis)
    return u, v


_ROUND = np.hypot(*_grid(SIDE, REACH)) < REACH - 0.1
SIZES = (0.92, 1.0, 1.08)
"""A shape is laid on another in these sizes, in its place and a cell beside it."""

Gray = NDArray[np.integer[Any] | np.floating[Any]]
Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in px of the crop."""


@dataclass(frozen=True, slots=True)
class Zone:
    """Where in a crop around an index one of its two signs stands."""

    box: Box
    middle: tuple[float, float]
    least: tuple[int, int]
    """Least width and height of the sign, px of the crop."""
    most: tuple[int, int]
    soft_px: float
    stroke_px: int = 0
    """What is wider than this is no part of the sign but something dark behind it; 0
    where signs may be as wide."""
    is_joined: bool = False
    """Whether parts that stand side by side are one sign."""
    is_sheared: bool = False
    """Whether a lean is taken out: suits are as wide on both sides, ranks are not."""


RANK = Zone((6, 4, 74, 60), (40.0, 34.0), (5, 14), (60, 54), 1.2, 19, is_joined=True)
SUIT = Zone((12, 50, 68, 108), (40.0, 78.0), (10, 10), (46, 46), 1.5, is_sheared=True)


def shape_of(bgr: Bgr, index: IndexSeen, zone: Zone) -> Array | None:
    """Return the (SIDE, SIDE) shape of an index's rank or suit, of mean 0 and norm 1;
    `None` where no print stands where it should."""
    ink = ink_of(bgr, index, zone)
    return None if ink is None else _normed(np.clip(ink, -0.3, 1.2))


def ink_of(
    bgr: Bgr, index: IndexSeen, zone: Zone, side: int = SIDE, reach: float = REACH
) -> Array | None:
    """Return the (side, side) ink of an index's rank or suit, 0 paper and 1 darkest,
    as far as `reach` standard deviations from its middle; `None` where no print stands
    where it should."""
    if index.window_px is None:
        return None
    blue, green, red = cv2.split(cut(bgr, index.window_px))
    darkest = cv2.min(cv2.min(blue, green), red)  # red ink, too, is dark in it
    soft = cv2.GaussianBlur(darkest.astype(np.float32), (0, 0), SOFT_PX)
    if zone.stroke_px:
        wide = (zone.stroke_px, zone.stroke_px)
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, wide)
        soft = -cv2.morphologyEx(soft, cv2.MORPH_BLACKHAT, disc)
    box = _print_in(soft, zone)
    return None if box is None else upright_ink(soft, box, zone, side, reach)


def upright_ink(soft: Gray, box: Box, zone: Zone, side: int, reach: float) -> Array:
    """Return the (side, side) ink in a box with room around it: moved, sized and
    sheared by its moments."""
    height, width = soft.shape
    left, top, right, bottom = box
    box = (
        max(left - ROOM, 0),
        max(top - ROOM, 0),
        min(right + ROOM, width),
        min(bottom + ROOM, height),
    )
    return _upright(soft, box, zone, _grid(side, reach))


def laid(shape: Array) -> Array:
    """Return (N, cells) a shape, a little larger or smaller and beside its place."""
    middle = (SIDE - 1) / 2
    ways = []
    for size in SIZES:
        off = (1 - size) * middle + 1  # one cell of what is around on each side
        matrix = np.array([[size, 0, off], [0, size, off]])
        moved = cv2.warpAffine(
            shape, matrix, (SIDE + 2, SIDE + 2), borderMode=cv2.BORDER_REPLICATE
        )
        ways += [moved[y : y + SIDE, x : x + SIDE] for y in range(3) for x in range(3)]
    return _normed(np.array(ways)).reshape(len(ways), -1)


def likeness(ways: Array, shapes: Sequence[Array]) -> float:
    """Return how like some shapes one is, at most 1, laid on each in the best of the
    (N, cells) ways."""
    best = (ways @ np.array(shapes).reshape(len(shapes), -1).T).max(0)
    return float(np.log(np.exp(CLOSEST * best).mean()) / CLOSEST)


def _print_in(soft: Gray, zone: Zone) -> Box | None:
    """Return the box around the print that stands nearest the middle of a zone."""
    left, top, right, bottom = zone.box
    part = cv2.GaussianBlur(soft, (0, 0), zone.soft_px)[top:bottom, left:right]
    darkest = part[:, AT_MIDDLE].min() if zone.stroke_px else part.min()
    dark = part < (np.percentile(part, 75) + darkest) / 2
    _, _, stats, middles = cv2.connectedComponentsWithStats(dark.astype(np.uint8))
    places = []
    for (x, y, wide, high, area), middle in zip(stats[1:], middles[1:], strict=True):
        away = float(np.hypot(*(middle - zone.middle + np.array([left, top]))))
        if x == 0 or x + wide == part.shape[1]:
            away += AT_SIDE
        if area >= LEAST_AREA:
            places.append((away, (int(x), int(y), int(x + wide), int(y + high))))
    if not places or min(places)[0] > FARTHEST:
        return None
    box = min(places)[1]
    if zone.is_joined:
        box = _joined(box, [other for _, other in places], part.shape[1])
    wide, high = box[2] - box[0], box[3] - box[1]
    if wide < zone.least[0] or high < zone.least[1]:
        return None
    if wide > zone.most[0] or high > zone.most[1]:
        return None
    return (left + box[0], top + box[1], left + box[2], top + box[3])


def _joined(box: Box, others: Sequence[Box], width: int) -> Box:
    """Return the box with one that stands beside it, as the 0 of a 10 beside the 1."""
    x0, y0, x1, y1 = box
    high = y1 - y0
    for left, top, right, bottom in others:
        beside = max(left - x1, x0 - right)
        level = abs((top + bottom) - (y0 + y1)) / 2 < LEVEL * high
        inside = left > 0 and right < width
        if not (inside and level and 0 <= beside < NEAR * high):
            continue
        if bottom - top > LIKE_HIGH * high and right - left < high:
            return min(x0, left), min(y0, top), max(x1, right), max(y1, bottom)
    return box


def _upright(soft: Gray, box: Box, zone: Zone, grid: tuple[Array, Array]) -> Array:
    left, top, right, bottom = box
    part = soft[top:bottom, left:right]
    paper = float(np.percentile(part, PAPER))
    depth = max(paper - float(part.min()), 1.0)
    ink = np.clip((paper - part) / depth, 0, 1)
    weights = np.where(ink > INK, ink, 0)
    if not zone.is_joined:
        weights = weights * _largest(ink > INK)
    weights = weights / max(float(weights.sum()), 1e-6)
    rows, columns = np.mgrid[: part.shape[0], : part.shape[1]]
    x, y = float((weights * columns).sum()), float((weights * rows).sum())
    high2 = max(float((weights * (rows - y) ** 2).sum()), 1.0)
    wide2 = float((weights * (columns - x) ** 2).sum())
    lean = 0.0
    if zone.is_sheared:
        lean = float((weights * (rows - y) * (columns - x)).sum()) / high2
        wide2 -= lean**2 * high2
    wide, high = np.sqrt(max(wide2, 1.0)), np.sqrt(high2)
    u, v = grid
    ink = cv2.remap(
        np.asarray((paper - soft) / depth, np.float32),
        np.asarray(left + x + wide * u + lean * high * v, np.float32),
        np.asarray(top + y + high * v, np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(ink, float)


def _largest(dark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells belong to the largest part of what is dark."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(dark.astype(np.uint8))
    if len(stats) < 2:
        return dark
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    return np.asarray(labels == largest, np.bool_)


def _normed(shapes: Array) -> Array:
    """Return (..., SIDE, SIDE) shapes without their corners, of mean 0 and norm 1."""
    means = shapes[..., _ROUND].mean(-1)[..., None, None]
    inner = np.where(_ROUND, shapes - means, 0)
    norms = np.sqrt((inner**2).sum((-2, -1), keepdims=True))
    return np.asarray(inner / np.maximum(norms, 1e-6), float)
