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

import numpy as np
from numpy.typing import NDArray

from vision.discs import DiscFound
from vision.errors import GeometryError
from vision.face_rings import cut_patches, parabolas, patches_px
from vision.geometry import TableMap
from vision.locate_mat import MatReference
from vision.patch_filters import blurring, filtered, row_products
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
FACE_PART, OTHER_FACE, SHOWN_LEVELS = 0.38, 0.5, 8.0
"""In diameters how far from its middle a disc's own face is compared as well; likeness
below which that shows something else than the mat, where so much is to be seen: print
close to a pale disc is stronger than all that the disc hides. On 18 rendered boards
(Warstones 5311 to 5313) of 1,243 seeds like the mat none was less than 0.82 so, of 73
chips none more than 0.5.
"""
NOWHERE = -1.0

_LINE = (np.arange(CELLS) + 0.5) / CELLS * 2 - 1
_PLACES = np.stack(np.meshgrid(_LINE, -_LINE), axis=-1).reshape(-1, 2)
_TERMS = parabolas(_PLACES)
_WITHIN = np.hypot(*_PLACES.T) * AROUND < FACE_PART


_SOFT, _SLOW = blurring(CELLS, SOFT_CELLS), blurring(CELLS, SLOW_CELLS)


@dataclass(frozen=True, slots=True, eq=False)
class _Looks:
    """P places, as they are seen and as they would be without anything on them."""

    mm: Array
    """(P, CELLS^2, 2)"""
    now: NDArray[np.float32]
    """(P, CELLS^2, 3)"""
    before: NDArray[np.float32]
    inside: NDArray[np.bool_]
    """(P, CELLS^2) whether the mat reaches there."""

    @classmethod
    def joined(cls, parts: Sequence[_Looks]) -> _Looks:
        """Return the places of several."""
        names = ("mm", "now", "before", "inside")
        return cls(
            *(np.concatenate([getattr(p, name) for p in parts]) for name in names)
        )


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
        if not len(centres_mm):
            return np.empty(0)
        looks = self._looks(centres_mm, np.full(len(centres_mm), diameter_mm))
        free = looks.inside
        if hidden_by:
            free = free & self._free_of(hidden_by, looks.mm)
        return _alike(looks.now, looks.before, free)

    def _looks(self, centres_mm: Array, diameters_mm: Array) -> _Looks:
        """Return what is seen at (P, 2) places and what the empty mat shows there,
        nothing beyond the horizon."""
        reach = diameters_mm * AROUND
        mm = centres_mm[:, None] + reach[:, None, None] * _PLACES
        try:
            ground = np.zeros(len(centres_mm))
            at_px = patches_px(self.table, _TERMS, centres_mm, reach, ground)
        except GeometryError:
            if len(centres_mm) == 1:
                nothing = np.zeros((1, len(_PLACES), 3), np.float32)
                return _Looks(mm, nothing, nothing, np.zeros(mm.shape[:2], bool))
            pairs = zip(centres_mm, diameters_mm, strict=True)
            each = [self._looks(at[None], wide[None]) for at, wide in pairs]
            return _Looks.joined(each)
        left, low, right, high = self.mat.bounds_mm
        inside = ((mm > [left, low]) & (mm < [right, high])).all(axis=-1)
        h, w = self.mat.gray.shape
        scale = np.array([w / (right - left), -h / (high - low)])
        own_px = (mm - [left, high]) * scale - 0.5
        now, before = _patches(self.bgr, at_px), _patches(self.mat.bgr, own_px)
        return _Looks(mm, now, before, np.asarray(inside, bool))

    def _free_of(self, discs: Sequence[DiscFound], mm: Array) -> NDArray[np.bool_]:
        """Return where no disc hides places of the mat."""
        hidden = np.zeros(mm.shape[:-1], bool)
        for disc in discs:
            hidden |= _covers(self.table, disc, mm)
        return ~hidden

    def without_mat(
        self,
        discs: Sequence[DiscFound],
        sureness: Sequence[float],
        beside: Sequence[DiscFound] = (),
    ) -> list[DiscFound]:
        """Return the discs, the surest first, without those where the mat shows; of
        surer ones and those `beside` what they hide says nothing."""
        kept: list[DiscFound] = []
        if not discs:
            return kept
        at = np.array([disc.centre_mm for disc in discs])
        wide = np.array([disc.size.diameter_mm for disc in discs])
        looks = self._looks(at, wide)
        everybody = (*beside, *discs)
        likeness = _alike(looks.now, looks.before, looks.inside)
        crowded = [
            like > LIKE_MAT
            or any(other is not one and _is_beside(one, other) for other in everybody)
            for one, like in zip(discs, likeness, strict=True)
        ]
        for number in np.argsort(-np.asarray(sureness, float), kind="stable").tolist():
            disc = discs[number]
            if not crowded[number]:
                kept.append(disc)
                continue
            others = [one for one in (*beside, *kept) if _is_beside(disc, one)]
            free = looks.inside[number] & self._free_of(others, looks.mm[number])
            here = looks.now[[number]], looks.before[[number]], free[None]
            if _alike(*here)[0] < LIKE_MAT:
                kept.append(disc)
        return kept


def _patches(bgr: Bgr, at_px: Array) -> NDArray[np.float32]:
    """Return (P, CELLS^2, 3) patches without what is too fine and what is slow."""
    fine = _fine(cut_patches(bgr, at_px, CELLS))
    return fine.reshape(len(fine), -1, 3)


def _fine(patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (P, CELLS, CELLS, 3) patches, all at once: a blur is a matrix each way."""
    soft = filtered(patches, _SOFT, _SOFT)
    return np.asarray(soft - filtered(soft, _SLOW, _SLOW), np.float32)


def _alike(
    now: NDArray[np.float32], before: NDArray[np.float32], free: NDArray[np.bool_]
) -> Array:
    """Return (P,) how much (P, CELLS^2, 3) patches are alike where they are free: as
    wholes, or where a disc's face would be if something else is seen there."""
    many = free.sum(axis=1)
    alike, powers = _correlated(now, before, free)
    # There is nothing to see where both are plain.
    alike = np.where(powers < PLAIN_LEVELS**2, 1.0, alike)
    face, powers = _correlated(now, before, free & _WITHIN)
    is_another = (face < OTHER_FACE) & (powers > SHOWN_LEVELS**2)
    alike = np.where(is_another, np.minimum(alike, face), alike)
    return np.where(many < ENOUGH * free.shape[1], NOWHERE, alike).astype(float)


def _correlated(
    now: NDArray[np.float32], before: NDArray[np.float32], free: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Return (P,) correlations of patches where they are free, and how much there is to
    see in one or the other: its variance, of levels."""
    many = np.maximum(free.sum(axis=1), 1)
    mask = free.astype(np.float32)[:, None]
    means = [(mask @ one)[:, 0] / many[:, None] for one in (now, before)]
    # Row by row: numpy is slow with many rows of three.
    rows = [one.reshape(len(one), -1) for one in (now, before)]
    some = np.repeat(mask[:, 0], 3, axis=1)
    seen, known = rows[0] * some, rows[1] * some
    both = row_products(seen, rows[1]) - many * row_products(*means)
    powers = [
        row_products(masked, row) - many * row_products(mean, mean)
        for masked, row, mean in zip((seen, known), rows, means, strict=True)
    ]
    alike = both / np.maximum(np.sqrt(np.maximum(powers[0] * powers[1], 0)), 1e-9)
    return alike, np.maximum(*powers) / (3 * many)


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
