"""Tells what is only the mat itself from a chip, beside other chips and at its edge."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_finder import BEYOND_PRINT, PRINTED_LEVELS, PRINTED_LIKENESS
from vision.discs import DiscFound
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.locate_mat import MatReference
from vision.types import Array, Bgr

CELLS = 40
AROUND = 0.62
"""Half of the side of what is compared, in diameters."""
ENOUGH = 0.35
"""Share of it that must be free of other chips, and on the mat."""
SURE_RIM = 0.7
"""Share of the rim from which on a known face needs no other witness."""


def without_mat(
    bgr: Bgr,
    table: TableMap,
    discs: Sequence[DiscFound],
    likenesses: Sequence[float],
    mat: MatReference,
    *,
    beside: Sequence[DiscFound] = (),
) -> list[DiscFound]:
    """Return the discs, the surest first, without those where the mat shows as it is.

    The pixels of surer discs, `beside` among them, and those beyond the mat say nothing
    of one: a gap between two chips, or half of a neighbour, may look like a face.
    """
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.float32)
    kept: list[DiscFound] = []
    order = np.argsort([-d.votes - x for d, x in zip(discs, likenesses, strict=True)])
    for number in order:
        disc = discs[number]
        sure = likenesses[number] >= BEYOND_PRINT and disc.rim_share >= SURE_RIM
        if sure or not _shows_mat(gray, table, disc, [*beside, *kept], mat):
            kept.append(disc)
    return kept


def _shows_mat(
    gray: NDArray[np.float32],
    table: TableMap,
    disc: DiscFound,
    others: Sequence[DiscFound],
    mat: MatReference,
) -> bool:
    half = disc.size.diameter_mm * AROUND
    line = (np.arange(CELLS) + 0.5) / CELLS * 2 - 1
    x, y = np.meshgrid(line * half, -line * half)
    mm = np.column_stack([x.ravel(), y.ravel()]) + disc.centre_mm
    left, low, right, high = mat.bounds_mm
    free = (mm > [left, low]).all(1) & (mm < [right, high]).all(1)
    try:
        for other in others:
            free &= ~_covers(table, other, mm)
        if free.mean() < ENOUGH:
            return False
        now = _looked(gray, table.to_image(mm))
    except GeometryError:
        return False
    h, w = mat.gray.shape
    own = np.column_stack(
        [
            (mm[:, 0] - left) / (right - left) * w - 0.5,
            (high - mm[:, 1]) / (high - low) * h - 0.5,
        ]
    )
    before = _looked(mat.gray.astype(np.float32), own)
    a, b = now[free] - now[free].mean(), before[free] - before[free].mean()
    if a.std() < PRINTED_LEVELS and b.std() < PRINTED_LEVELS:
        return True
    both = float((a * b).sum())
    return both > PRINTED_LIKENESS * float(np.linalg.norm(a) * np.linalg.norm(b))


def _covers(table: TableMap, disc: DiscFound, mm: Array) -> NDArray[np.bool_]:
    """Return (N,) whether a disc hides a place of the mat: its foot, or its face."""
    seen = table.to_image(disc.centre_mm[None], disc.size.top_mm)
    reach = 0.56 * disc.size.diameter_mm
    hidden = np.zeros(len(mm), bool)
    for centre in (disc.centre_mm, table.to_table(seen)[0]):
        hidden |= np.hypot(*(mm - centre).T) < reach
    return hidden


def _looked(gray: NDArray[np.float32], at: Array) -> Array:
    maps = at.reshape(CELLS, CELLS, 2).astype(np.float32)
    seen = cv2.remap(gray, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    return np.asarray(cv2.GaussianBlur(seen, (0, 0), 1.2), float).ravel()
