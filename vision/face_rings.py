"""A round face as rings of colour samples around its centre, comparable at all turns.

Turned, a face is its rings shifted along the angle: all rotations are compared at once
by a Fourier transform (phase is kept: it is a correlation, not a spectrum). Brightness
and contrast are taken out; colour is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import TableMap
from vision.medians import middle_of
from vision.rim import DiscSize, stacked
from vision.types import Array, Bgr

INNERMOST, OUTERMOST = 0.06, 0.93
"""In radii: the rim itself shows side and shadow."""
SMALL_PX, SMALL_OUTERMOST = 27.0, 0.84
"""Of chips that are narrower less is compared: a blurred pixel at the rim reaches so
far in, and what is around a plain pale face outweighs its print. Of 33 chips 23 px wide
(Warstones 5311 to 5320) all were named so, and 24 by as much as of larger ones."""
SEEN_PX = 64
"""Diameter at which chips are seen: finer print cannot be told apart there."""
SPREAD_ANGLES = 12
"""So many samples of each ring say how far they spread."""
PLAIN_LEVELS = 2.0
"""A face whose levels spread by less shows no print."""

Polar = NDArray[np.float32]
Spectra = NDArray[np.complex64]


@dataclass(frozen=True)
class Rings:
    """How finely faces are sampled: so many rings, so many samples on each."""

    rings: int
    angles: int
    softness: float
    """Sigma of the blur before sampling, in px of a face 64 px wide."""
    outermost: float = OUTERMOST

    @cached_property
    def at(self) -> Array:
        """Return (rings * angles, 2) places, in radii. Rings have the same area."""
        t = np.arange(self.angles) * (2 * math.pi / self.angles)
        radii = np.sqrt(np.linspace(INNERMOST**2, self.outermost**2, self.rings))[
            :, None
        ]
        around = np.cos(t) * radii, np.sin(t) * radii
        return np.stack(around, axis=-1).reshape(-1, 2)

    @cached_property
    def weight(self) -> NDArray[np.float32]:
        """Return (rings, 1, 1) weights of the rings."""
        radii = np.hypot(*self.at.T).reshape(self.rings, self.angles)[:, :1, None]
        return np.asarray(np.sqrt(radii + 0.2), np.float32)

    @cached_property
    def powers(self) -> Array:
        """Return (rings * angles, 6) terms of the parabolas through nine points."""
        return parabolas(self.at)

    def seen_px(
        self, table: TableMap, sizes: Sequence[DiscSize], centres_mm: Array
    ) -> Array:
        """Return (P, rings * angles, 2) px of the samples, by a parabola through nine
        points of each face: over a chip that is exact to a fiftieth of a px."""
        radii = np.array([size.diameter_mm / 2 for size in sizes])
        tops = np.array([size.top_mm for size in sizes])
        return patches_px(table, self.powers, centres_mm, radii, tops)

    def softness_px(self, at_px: Array) -> Array:
        """Return (P,) sigmas of the blur for faces seen at (P, rings * angles, 2)."""
        outer = at_px[:, -self.angles :: self.angles // 8]
        diameters_px = np.ptp(outer, axis=1).mean(axis=1) / self.outermost
        softness = self.softness * diameters_px / SEEN_PX
        return np.asarray(np.maximum(0.5, softness), float)

    def for_width(self, width_px: float) -> Rings:
        """Return what samples faces that are seen so wide."""
        return SMALL[self] if width_px < SMALL_PX else self

    def sampled(self, soft: Bgr, at_px: Array) -> Polar:
        """Return (P, rings, angles, 3) levels of a softened picture."""
        x, y = at_px.astype(np.float32).transpose(2, 0, 1).reshape(2, -1, self.angles)
        values = cv2.remap(soft, x, y, cv2.INTER_LINEAR)
        return np.asarray(values, np.float32).reshape(-1, self.rings, self.angles, 3)

    def of_square(self, picture: Bgr) -> Polar:
        """Return (rings, angles, 3) levels of a face whose circle fills a square."""
        small = picture
        if picture.shape[0] > SEEN_PX:
            size = (SEEN_PX, SEEN_PX)
            small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA))
        half = small.shape[0] / 2
        soft = cv2.GaussianBlur(small, (0, 0), self.softness)
        at_px = half * (1 + self.at * [1, -1]) - 0.5
        (levels,) = self.sampled(np.asarray(soft, np.uint8), at_px[None])
        return np.asarray(levels, np.float32)

    def of_discs(
        self, bgr: Bgr, table: TableMap, sizes: Sequence[DiscSize], centres_mm: Array
    ) -> Polar:
        """Return (P, rings, angles, 3) levels of discs, 0 of those outside the
        picture."""
        at = self.seen_px(table, sizes, centres_mm)
        return self.of_places(bgr, at, self.softness_px(at).tolist())

    def of_places(self, bgr: Bgr, at: Array, softness_px: Sequence[float]) -> Polar:
        """Return (P, rings, angles, 3) levels at (P, rings * angles, 2) px of the
        picture, blurred by so much around each; 0 outside of it."""
        low = np.maximum(np.floor(at.min(axis=1)).astype(int) - 4, 0)
        high = np.maximum(np.ceil(at.max(axis=1)).astype(int) + 5, 0)
        parts = [
            bgr[y0:y1, x0:x1]
            for (x0, y0), (x1, y1) in zip(low.tolist(), high.tolist(), strict=True)
        ]
        levels = np.zeros((len(at), self.rings, self.angles, 3), np.float32)
        seen = [n for n, part in enumerate(parts) if min(part.shape[:2]) >= 4]
        if seen:
            soft = [cv2.GaussianBlur(parts[n], (0, 0), softness_px[n]) for n in seen]
            own = (at[seen] - low[seen, None]).transpose(2, 0, 1)
            own = own.reshape(2, -1, self.rings, self.angles)
            levels[seen] = stacked([np.asarray(one, np.uint8) for one in soft], own)
        return levels

    def normalised(self, levels: Polar) -> tuple[Polar, NDArray[np.bool_]]:
        """Return (P, rings, angles, 3) without brightness and contrast, of length 1,
        and (P,) whether they show any print."""
        # One level for all channels: that a chip is red stays to be seen.
        flat = levels.reshape(len(levels), -1)
        flat = flat - flat.mean(axis=1, keepdims=True)
        normal = flat.reshape(levels.shape)
        # Glare is cut off rather than left to rule the sum.
        some = normal[:, :, :: -(-self.angles // SPREAD_ANGLES)]
        away = middle_of(np.abs(some).reshape(len(levels), -1))
        spread = np.asarray(3 * away[:, None] + 1e-9, np.float32)
        np.maximum(flat, -spread, out=flat)
        np.minimum(flat, spread, out=flat)
        normal *= self.weight
        length = np.sqrt(np.einsum("pn,pn->p", flat, flat))
        shows = (spread[:, 0] >= PLAIN_LEVELS) & (length >= 1e-6)
        flat /= np.maximum(length, np.float32(1e-6))[:, None]
        return normal, shows

    def spectra(self, normal: Polar) -> Spectra:
        """Return (P, rings, angles // 2 + 1, 3), how the rings vary along the angle."""
        # OpenCV's takes a third of the time of numpy's for rows as short as these.
        rows = np.ascontiguousarray(normal.swapaxes(2, 3)).reshape(-1, self.angles)
        flags = cv2.DFT_ROWS | cv2.DFT_COMPLEX_OUTPUT
        both = np.asarray(cv2.dft(rows, flags=flags), np.float32)
        half = both.view(np.complex64)[:, : self.angles // 2 + 1, 0]
        found = half.reshape(len(normal), self.rings, 3, -1).swapaxes(2, 3)
        return np.asarray(found, np.complex64)

    def correlations(self, seen: Spectra, known: Spectra) -> Array:
        """Return (P, N, angles) correlations of P faces with N, at all turns."""
        mine = seen.transpose(2, 0, 1, 3)
        other = known.conj().transpose(2, 1, 3, 0)
        flat = mine.shape[0], mine.shape[1], -1
        joint = mine.reshape(flat) @ other.reshape(mine.shape[0], -1, len(known))
        turns = np.fft.irfft(joint.transpose(1, 2, 0), n=self.angles, axis=2)
        return np.asarray(turns, float)

    def part_correlations(
        self, seen: Polar, known: Spectra, shown: NDArray[np.bool_]
    ) -> Array:
        """Return (N, angles) correlations of one face, of which only the (angles,)
        `shown` are seen, with N, at all turns; its mean is that of what is shown."""
        mask = np.broadcast_to(shown[None, :, None], seen.shape).astype(np.float32)
        other = np.asarray(np.fft.irfft(known, n=self.angles, axis=2), np.float32)

        def across(mine: Polar, theirs: Polar) -> Array:
            joint = np.fft.rfft(mine, axis=1) * np.fft.rfft(theirs, axis=2).conj()
            return np.asarray(np.fft.irfft(joint.sum(axis=(1, 3)), n=self.angles))

        count, mine = float(mask.sum()), np.asarray(seen * mask, np.float32)
        theirs, squares = across(mask, other), across(mask, np.square(other))
        both = across(mine, other) - mine.sum() * theirs / count
        own = float((mine**2).sum() - mine.sum() ** 2 / count)
        spread = own * np.maximum(squares - theirs**2 / count, 1e-12)
        return np.asarray(both / np.sqrt(np.maximum(spread, 1e-12)), float)


FINE = Rings(18, 96, 0.9)
"""By which faces are named."""
ROUGH = Rings(6, 32, 2.2)
"""By which it is seen where a face may be; nine times less work."""
SMALL = {rings: replace(rings, outermost=SMALL_OUTERMOST) for rings in (FINE, ROUGH)}
"""By which small ones are."""


def width_px(table: TableMap, sizes: Sequence[DiscSize], centres_mm: Array) -> float:
    """Return how wide discs are seen, on average; 0 without any.

    Raises `GeometryError` if one lies beyond the horizon.
    """
    if not len(sizes):
        return 0.0
    half = np.array([size.diameter_mm / 2 for size in sizes])[:, None]
    tops = np.array([size.top_mm for size in sizes])
    ends = [table.to_image(centres_mm + [1, 0] * half * way, tops) for way in (-1, 1)]
    return float(np.linalg.norm(ends[1] - ends[0], axis=1).mean())


def parabolas(at: Array) -> Array:
    """Return (N, 6) terms by which `patches_px` finds (N, 2) places of a patch, whose
    edges lie 1 from its middle."""
    x, y = at.T
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)


def patches_px(
    table: TableMap, terms: Array, centres_mm: Array, reach_mm: Array, tops_mm: Array
) -> Array:
    """Return (P, N, 2) px of the places of P patches of the table at some heights."""
    grid = centres_mm[:, None] + reach_mm[:, None, None] * _GRID
    tops = np.repeat(tops_mm, len(_GRID))
    seen = table.to_image(grid.reshape(-1, 2), tops).reshape(len(centres_mm), -1, 2)
    by_term = (_FROM_GRID @ seen).transpose(2, 0, 1)
    return np.asarray((by_term @ terms.T).transpose(1, 2, 0), float)


def cut_patches(bgr: Bgr, at_px: Array, cells: int) -> NDArray[np.float32]:
    """Return (P, cells, cells, 3) patches, cut at the px of `patches_px`."""
    x, y = at_px.astype(np.float32).transpose(2, 0, 1).reshape(2, -1, cells)
    seen = cv2.remap(bgr, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float32).reshape(-1, cells, cells, 3)


_GRID = np.array([[x, y] for y in (-1.0, 0.0, 1.0) for x in (-1.0, 0.0, 1.0)])
_FROM_GRID = np.linalg.pinv(parabolas(_GRID))
