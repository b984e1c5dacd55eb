"""Tells what is only the mat itself from a chip: print, gaps, shadows on bare cloth.

What is seen at a place is compared with the picture of the empty mat, in colour and
without what varies slowly, so that light and the edges of soft shadows count little. On
106 rendered boards (seeds 71, 72) no chip of 1,312 was more than 0.64 like the mat
under it, half of them less than 0.06; printed circles were above 0.7 with few
exceptions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.discs import DiscFound
from vision.errors import GeometryError
from vision.face_rings import cut_patches, parabolas, patches_px
from vision.geometry import TableMap
from vision.locate_mat import MatReference
from vision.types import Array, Bgr

CELLS = 24
AROUND = 0.62
"""Half of the side of what is compared, in diameters."""
SOFT_CELLS, SLOW_CELLS = 0.7, 3.0
"""What is finer is blurred, what is slower is taken out."""
ENOUGH = 0.35
"""Share of it that must be free of other chips, and on the mat."""
PLAIN_LEVELS = 2.5
"""Where all that is left differs by less on both, there is nothing to see."""
LIKE_MAT, SURELY_MAT = 0.68, 0.74
"""Likeness from which on a place shows the mat, and beyond doubt."""
NOWHERE = -1.0

_LINE = (np.arange(CELLS) + 0.5) / CELLS * 2 - 1
_PLACES = np.stack(np.meshgrid(_LINE, -_LINE), axis=-1).reshape(-1, 2)
_TERMS = parabolas(_PLACES)


def _blur(sigma: float) -> NDArray[np.float32]:
    """Return the (CELLS, CELLS) matrix that blurs the columns of a patch."""
    across, along = np.ones((1, 1), np.float32), 2 * round(4 * sigma) + 1
    kernel = cv2.getGaussianKernel(along, sigma, cv2.CV_32F)
    each = np.eye(CELLS, dtype=np.float32)
    return np.asarray(cv2.sepFilter2D(each, -1, across, kernel), np.float32)


_SOFT, _SLOW = _blur(SOFT_CELLS), _blur(SLOW_CELLS)


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """A place, as it is seen and as it would be without anything on it."""

    mm: Array
    """(CELLS^2, 2)"""
    now: NDArray[np.float32]
    """(CELLS, CELLS, 3)"""
    before: NDArray[np.float32]
    inside: NDArray[np.bool_]
    """(CELLS^2,) whether the mat reaches there."""


@dataclass(frozen=True, slots=True, eq=False)
class EmptyMat:
    """A picture of a mat with things on it, beside the picture of the empty mat."""

    bgr: Bgr
    table: TableMap
    mat: MatReference

    def likeness(
        self,
        centres_mm: Array,
        diameter_mm: float,
        hidden_by: Sequence[DiscFound] = (),
    ) -> Array:
        """Return (P,) how much what is seen at (P, 2) places is the empty mat, at most
        1; -1 where too little of the mat would be seen. What `hidden_by` are in front
        of says nothing: a gap between two chips, or half of one, may look like a face.
        """
        diameters = np.full(len(centres_mm), diameter_mm)
        looks = self._looks(centres_mm, diameters)
        return np.array([self._alike(look, hidden_by) for look in looks])

    def _looks(self, centres_mm: Array, diameters_mm: Array) -> list[_Look | None]:
        """Return what is seen at (P, 2) places and what the empty mat shows there,
        nothing beyond the horizon."""
        if not len(centres_mm):
            return []
        reach = diameters_mm * AROUND
        mm = centres_mm[:, None] + reach[:, None, None] * _PLACES
        try:
            ground = np.zeros(len(centres_mm))
            at_px = patches_px(self.table, _TERMS, centres_mm, reach, ground)
        except GeometryError:
            if len(centres_mm) == 1:
                return [None]
            pairs = zip(centres_mm, diameters_mm, strict=True)
            return [self._looks(at[None], wide[None])[0] for at, wide in pairs]
        left, low, right, high = self.mat.bounds_mm
        inside = ((mm > [left, low]) & (mm < [right, high])).all(axis=-1)
        h, w = self.mat.gray.shape
        scale = np.array([w / (right - left), -h / (high - low)])
        own_px = (mm - [left, high]) * scale - 0.5
        now, before = _patches(self.bgr, at_px), _patches(self.mat.bgr, own_px)
        each = zip(mm, now, before, np.asarray(inside, bool), strict=True)
        return [_Look(*look) for look in each]

    def _alike(self, look: _Look | None, hidden_by: Sequence[DiscFound]) -> float:
        if look is None:
            return NOWHERE
        free = look.inside
        for disc in hidden_by:
            free = free & ~_covers(self.table, disc, look.mm)
        return _alike(look.now, look.before, free)

    def without_mat(
        self,
        discs: Sequence[DiscFound],
        sureness: Sequence[float],
        beside: Sequence[DiscFound] = (),
    ) -> list[DiscFound]:
        """Return the discs, the surest first, without those where the mat shows; of
        surer ones and those `beside` what they hide says nothing."""
        kept: list[DiscFound] = []
        at = np.array([disc.centre_mm for disc in discs]).reshape(-1, 2)
        wide = np.array([disc.size.diameter_mm for disc in discs])
        looks = self._looks(at, wide)
        everybody = (*beside, *discs)
        crowded = [
            self._alike(look, ()) > LIKE_MAT
            or any(other is not one and _is_beside(one, other) for other in everybody)
            for one, look in zip(discs, looks, strict=True)
        ]
        for number in np.argsort(-np.asarray(sureness, float), kind="stable"):
            disc = discs[number]
            if not crowded[number]:
                kept.append(disc)
                continue
            others = [one for one in (*beside, *kept) if _is_beside(disc, one)]
            if self._alike(looks[number], others) < LIKE_MAT:
                kept.append(disc)
        return kept


def _patches(bgr: Bgr, at_px: Array) -> list[NDArray[np.float32]]:
    """Return P patches (CELLS, CELLS, 3) without what is too fine and what is slow."""
    return list(_fine(cut_patches(bgr, at_px, CELLS)))


def _fine(patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (P, CELLS, CELLS, 3) patches, all at once: a blur is a matrix each way."""
    soft = _turned(_SOFT, patches)
    return np.asarray(soft - _turned(_SLOW, soft), np.float32)


def _turned(
    blur: NDArray[np.float32], patches: NDArray[np.float32]
) -> NDArray[np.float32]:
    down = blur @ patches.reshape(len(patches), CELLS, -1)
    across = blur @ down.reshape(patches.shape)
    return np.asarray(across, np.float32)


def _alike(
    now: NDArray[np.float32], before: NDArray[np.float32], free: NDArray[np.bool_]
) -> float:
    if free.mean() < ENOUGH:
        return NOWHERE
    seen, known = now.reshape(-1, 3)[free], before.reshape(-1, 3)[free]
    a, b = seen - seen.mean(axis=0), known - known.mean(axis=0)
    if a.std() < PLAIN_LEVELS and b.std() < PLAIN_LEVELS:
        return 1.0
    both = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    return float((a * b).sum()) / max(both, 1e-9)


def _is_beside(disc: DiscFound, other: DiscFound) -> bool:
    """Return whether another disc may hide some of what lies around this one."""
    reach = AROUND * math.sqrt(2) * disc.size.diameter_mm
    reach += 0.56 * other.size.diameter_mm + 2 * other.size.top_mm
    return math.dist(disc.at_mm, other.at_mm) < reach


def _covers(table: TableMap, disc: DiscFound, mm: Array) -> NDArray[np.bool_]:
    """Return whether a disc hides places of the mat: its foot, or its face."""
    seen = table.to_image(disc.centre_mm[None], disc.size.top_mm)
    reach = 0.56 * disc.size.diameter_mm
    hidden = np.zeros(mm.shape[:-1], bool)
    for centre in (disc.centre_mm, table.to_table(seen)[0]):
        away = mm - centre
        hidden |= np.hypot(away[..., 0], away[..., 1]) < reach
    return hidden
