"""Tells blocks from discs: edges run every way around a disc, along a block two or so.

A Fortress is about as wide as a chip, and each of its sides lies along the rim that a
chip would have there for a while. What is looked at is how the light changes in a band
around that rim: the directions of edges, whatever their contrast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.errors import GeometryError
from vision.face_rings import cut_patches, parabolas, patches_px
from vision.geometry import TableMap
from vision.patch_filters import SLOPE, SMOOTHING, blurring, filtered, then
from vision.types import Array, Bgr

CELLS, REACH = 32, 1.5
"""What is looked at is so many cells wide, and so many radii to each side."""
INNER, OUTER = 0.72, 1.4
"""The band, in radii."""
SOFT, ROUNDED = 0.8, 0.01
"""By how many cells patches are blurred; what numbers of single precision leave."""
WAYS, SIDES = 36, 2
"""Directions of edges that are told apart, and how many a block has."""

_LINE = (np.arange(CELLS) + 0.5) / CELLS * 2 - 1
_PLACES = np.stack(np.meshgrid(_LINE, -_LINE), axis=-1).reshape(-1, 2)
_TERMS = parabolas(_PLACES)
_FAR = REACH * np.hypot(*_PLACES.T).reshape(CELLS, CELLS)
_IN_BAND = np.flatnonzero((_FAR > INNER) & (_FAR < OUTER))
_SOFT = blurring(CELLS, SOFT)
_SMOOTHED, _SLOPE = then(_SOFT, SMOOTHING), then(_SOFT, SLOPE)


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
    return _shares(cut_patches(bgr, at_px, CELLS))


def _shares(patches: NDArray[np.float32]) -> Array:
    """Return (P,) the shares of patches, all at once."""
    x = _in_band(filtered(patches, _SMOOTHED, _SLOPE))
    y = _in_band(filtered(patches, _SLOPE, _SMOOTHED))
    xx, yy, xy = (np.einsum("pnc,pnc->pn", *two) for two in ((x, x), (y, y), (x, y)))
    strength = np.sqrt(np.hypot(xx - yy, 2 * xy))
    way = np.arctan2(2 * xy, xx - yy) * (WAYS / (2 * np.pi))
    # Faint edges are noise and paper.
    least = np.quantile(strength, 0.98, axis=1, keepdims=True)
    strength = np.maximum(strength - np.maximum(0.25 * least, ROUNDED), 0)
    rows = np.arange(len(patches))
    number = np.floor(way).astype(int) % WAYS + WAYS * rows[:, None]
    many = WAYS * len(patches)
    bins = np.bincount(number.ravel(), strength.ravel(), many).reshape(-1, WAYS)
    total = bins.sum(axis=1)
    found = np.zeros(len(patches))
    for _ in range(SIDES):
        wide = bins + np.roll(bins, 1, axis=1) + np.roll(bins, -1, axis=1)
        best = wide.argmax(axis=1)
        found += wide[rows, best]
        for beside in (-1, 0, 1):
            bins[rows, (best + beside) % WAYS] = 0
    return np.asarray(found / np.where(total > 0, total, np.inf), float)


def _in_band(patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (P, N, 3) the cells of the band."""
    return patches.reshape(len(patches), -1, 3)[:, _IN_BAND]
