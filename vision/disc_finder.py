"""Finds discs of known size without a trained detector, and tells print from disc.

The picture is straightened onto the plane of the discs' faces; there every disc is a
circle of one radius. Edges vote for centres by their direction and strength, of either
polarity: a chip may be lighter than the mat on one side and darker on the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.discs import Disc, DiscFound, DiscUnclear
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.locate_mat import MatReference
from vision.rim import DiscSize
from vision.types import Array, Bgr

RADIUS_CELLS = 11.0
"""Radius of a disc in the straightened picture, px."""
MOST_CELLS = 1600
MIN_VOTE = 0.3
PRINTED_LIKENESS = 0.8
"""Correlation with the picture of the empty mat above which a circle is printed."""
PRINTED_LEVELS = 7.0
"""A patch of which all levels differ less than that shows nothing at all."""

Gray = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Seed:
    """Where a disc may lie."""

    x_px: float
    y_px: float
    vote: float
    """Share of the rim on which edges point to it, in [0, 1]."""

    @property
    def at_px(self) -> Array:
        """Return (2,) its place, the middle of what would be seen of it."""
        return np.array([self.x_px, self.y_px])


def find_discs(
    bgr: Bgr,
    table: TableMap,
    size: DiscSize,
    area_mm: tuple[float, float, float, float],
    *,
    most: int = 80,
) -> tuple[Seed, ...]:
    """Return where discs of this size may lie in an area, the clearest first.

    `area_mm` is left, low, right, high on the table. It returns too many rather than
    too few; `measure_discs` and `is_printed` take away what is none.
    Raises `GeometryError` if the area reaches beyond the horizon.
    """
    cell_mm = size.diameter_mm / 2 / RADIUS_CELLS
    left, low, right, high = area_mm
    columns = round((right - left) / cell_mm)
    rows = round((high - low) / cell_mm)
    if max(columns, rows) > MOST_CELLS or min(columns, rows) < 4:
        raise GeometryError("the area is too large or too small for discs of that size")
    flat = _straightened(
        bgr, table, (left, high), cell_mm, (rows, columns), size.top_mm
    )
    votes = _votes(flat, RADIUS_CELLS)
    spots = _peaks(votes, int(0.9 * RADIUS_CELLS), most)
    if not len(spots):
        return ()
    mm = np.column_stack(
        [left + (spots[:, 0] + 0.5) * cell_mm, high - (spots[:, 1] + 0.5) * cell_mm]
    )
    seen = (table.to_image(mm, size.top_mm) + table.to_image(mm, size.base_mm)) / 2
    strengths = votes[spots[:, 1], spots[:, 0]]
    return tuple(
        Seed(float(x), float(y), float(vote))
        for (x, y), vote in zip(seen, strengths, strict=True)
    )


def without_prints(
    bgr: Bgr, table: TableMap, discs: Sequence[Disc], mat: MatReference
) -> tuple[Disc, ...]:
    """Return the discs, those that are only printed on the mat marked ``printed``."""
    return tuple(
        DiscUnclear("printed", (disc.position.x_mm, disc.position.y_mm))
        if isinstance(disc, DiscFound) and is_printed(bgr, table, disc, mat)
        else disc
        for disc in discs
    )


def is_printed(bgr: Bgr, table: TableMap, disc: DiscFound, mat: MatReference) -> bool:
    """Return whether the empty mat shows the same at this place."""
    half = disc.size.diameter_mm * 0.62
    line = (np.arange(40) + 0.5) / 40 * 2 - 1
    x, y = np.meshgrid(line * half, -line * half)
    mm = np.column_stack([x.ravel(), y.ravel()]) + disc.centre_mm
    left, low, right, high = mat.bounds_mm
    h, w = mat.gray.shape
    own_x = (mm[:, 0] - left) / (right - left) * w - 0.5
    own_y = (high - mm[:, 1]) / (high - low) * h - 0.5
    if own_x.min() < 0 or own_y.min() < 0 or own_x.max() > w - 1 or own_y.max() > h - 1:
        return False
    seen = table.to_image(mm)
    shape = (40, 40)
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.float32)
    now = _looked(gray, seen[:, 0], seen[:, 1], shape)
    before = _looked(mat.gray.astype(np.float32), own_x, own_y, shape)
    a, b = now - now.mean(), before - before.mean()
    if a.std() < PRINTED_LEVELS and b.std() < PRINTED_LEVELS:
        return True
    likeness = float((a * b).sum() / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-9))
    return likeness > PRINTED_LIKENESS


def _looked(gray: Gray, x: Array, y: Array, shape: tuple[int, int]) -> Gray:
    at_x = x.reshape(shape).astype(np.float32)
    at_y = y.reshape(shape).astype(np.float32)
    seen = cv2.remap(gray, at_x, at_y, cv2.INTER_LINEAR)
    return np.asarray(cv2.GaussianBlur(seen, (0, 0), 1.2), np.float32)


def _straightened(
    bgr: Bgr,
    table: TableMap,
    corner_mm: tuple[float, float],
    cell_mm: float,
    shape: tuple[int, int],
    height_mm: float,
) -> NDArray[np.float32]:
    step = 16
    rows = np.arange(-(-shape[0] // step) + 1) * step
    columns = np.arange(-(-shape[1] // step) + 1) * step
    x, y = np.meshgrid(columns, rows)
    mm = np.column_stack(
        [
            corner_mm[0] + (x.ravel() + 0.5) * cell_mm,
            corner_mm[1] - (y.ravel() + 0.5) * cell_mm,
        ]
    )
    seen = table.to_image(mm, height_mm).reshape(len(rows), len(columns), 2)
    at_x, at_y = np.meshgrid(
        np.arange(shape[1], dtype=np.float32) / step,
        np.arange(shape[0], dtype=np.float32) / step,
    )
    fine = np.asarray(
        cv2.remap(seen.astype(np.float32), at_x, at_y, cv2.INTER_LINEAR), np.float32
    )
    px_per_cell = float(np.linalg.norm(seen[0, 0] - seen[-1, -1])) / max(
        math.hypot(columns[-1], rows[-1]), 1.0
    )
    # From the level of the pyramid in which a cell is one or two px.
    small = bgr
    while px_per_cell > 2.0:
        small = np.asarray(cv2.resize(small, None, fx=0.5, fy=0.5, interpolation=3))
        fine = np.asarray((fine + 0.5) / 2 - 0.5, np.float32)
        px_per_cell /= 2
    flat = cv2.remap(
        small,
        fine[..., 0],
        fine[..., 1],
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(cv2.GaussianBlur(flat, (0, 0), 0.7), np.float32)


def _votes(flat: NDArray[np.float32], radius: float) -> Gray:
    """Return the share of a circle around each cell on which edges lie along it."""
    gx = cv2.Sobel(flat, cv2.CV_32F, 1, 0, ksize=3) / 8
    gy = cv2.Sobel(flat, cv2.CV_32F, 0, 1, ksize=3) / 8
    # The direction of the strongest change of colour, doubled, so that dark to light
    # and light to dark are the same (structure tensor).
    xx, yy = (gx * gx).sum(axis=2), (gy * gy).sum(axis=2)
    xy = (gx * gy).sum(axis=2)
    strength = np.sqrt(np.hypot(xx - yy, 2 * xy))
    half = 0.6 * float(np.quantile(strength, 0.85)) + 1.5
    weight = strength / (strength + half)
    length = np.maximum(np.hypot(xx - yy, 2 * xy), 1e-9)
    cos2, sin2 = weight * (xx - yy) / length, weight * 2 * xy / length
    reach = math.ceil(radius + 2)
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float32)
    around = np.arctan2(y, x)
    ring = np.exp(-0.5 * ((np.hypot(x, y) - radius) / 0.9) ** 2)
    ring /= ring.sum()
    both = cv2.filter2D(cos2, -1, ring * np.cos(2 * around))
    both = both + cv2.filter2D(sin2, -1, ring * np.sin(2 * around))
    return np.asarray(both, np.float32)


def _peaks(votes: Gray, apart: int, most: int) -> NDArray[np.int64]:
    """Return (N, 2) columns and rows of the highest votes, `apart` from each other."""
    widest = cv2.dilate(votes, np.ones((2 * apart + 1,) * 2, np.uint8))
    rows, columns = np.nonzero((votes >= widest) & (votes > MIN_VOTE))
    order = np.argsort(-votes[rows, columns])[:most]
    return np.column_stack([columns[order], rows[order]]).astype(np.int64)
