"""Tells blocks from discs: edges run every way around a disc, along a block two or so.

A Fortress is about as wide as a chip, and each of its sides lies along the rim that a
chip would have there for a while. What is looked at is how the light changes in a band
around that rim: the directions of edges, whatever their contrast.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import GeometryError
from vision.face_rings import cut_patches, parabolas, patches_px
from vision.geometry import TableMap
from vision.types import Array, Bgr

CELLS, REACH = 32, 1.5
"""What is looked at is so many cells wide, and so many radii to each side."""
INNER, OUTER = 0.72, 1.4
"""The band, in radii."""
WAYS, SIDES = 36, 2
"""Directions of edges that are told apart, and how many a block has."""

_LINE = (np.arange(CELLS) + 0.5) / CELLS * 2 - 1
_PLACES = np.stack(np.meshgrid(_LINE, -_LINE), axis=-1).reshape(-1, 2)
_TERMS = parabolas(_PLACES)
_FAR = REACH * np.hypot(*_PLACES.T).reshape(CELLS, CELLS)
_BAND = (_FAR > INNER) & (_FAR < OUTER)


def straightness(
    bgr: Bgr, table: TableMap, centres_mm: Array, radius_mm: float, height_mm: float
) -> Array:
    """Return (P,) which share of the edges around (P, 2) places runs along two
    directions: about a fifth for a disc, more than half for a block."""
    if not len(centres_mm):
        return np.empty(0)
    reach = np.full(len(centres_mm), REACH * radius_mm)
    heights = np.full(len(centres_mm), height_mm)
    try:
        at_px = patches_px(table, _TERMS, centres_mm, reach, heights)
    except GeometryError:
        return np.zeros(len(centres_mm))
    return np.array([_share(one) for one in cut_patches(bgr, at_px, CELLS)])


def _share(patch: NDArray[np.float32]) -> float:
    """Return the share of one patch."""
    soft = cv2.GaussianBlur(patch, (0, 0), 0.8)
    x, y = cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)
    xx, yy, xy = (x * x).sum(-1), (y * y).sum(-1), (x * y).sum(-1)
    strength = np.sqrt(np.hypot(xx - yy, 2 * xy))[_BAND]
    way = np.arctan2(2 * xy, xx - yy)[_BAND] * (WAYS / (2 * np.pi))
    # Faint edges are noise and paper.
    strength = np.maximum(strength - 0.25 * np.quantile(strength, 0.98), 0)
    bins = np.bincount(np.floor(way).astype(int) % WAYS, strength, minlength=WAYS)
    total = float(bins.sum())
    if total <= 0:
        return 0.0
    found = 0.0
    for _ in range(SIDES):
        wide = bins + np.roll(bins, 1) + np.roll(bins, -1)
        best = int(wide.argmax())
        found += float(wide[best])
        bins[[best - 1, best, (best + 1) % WAYS]] = 0
    return found / total
