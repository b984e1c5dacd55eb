"""Where most edges point: the rough places of discs, and rivals of them.

All discs of a picture are searched for at once: their windows are stacked into one
picture, and each step looks at all of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.rim import TALLEST_PX, DiscSize, Rim, Window, cut_window, stacked
from vision.types import Array, Bgr

SEED_REACH = 0.2
"""How far off a seed may be, in diameters."""
SEARCH_DIAMETER_PX = 56.0
"""Discs are searched for in a picture in which they are at most about that large."""
SEARCH_RAYS = 48
SEARCH_STEP_PX = 1.0
MIN_VOTES = 0.27
"""Mean strength of edges along the rim below which there is no disc."""
RIVAL, APART = 0.86, 0.09
"""Other places with this share of the votes, so many diameters away, are tried too."""
MOST_PLACES = 3
COARSE_PX, FINE_PX, FINE_REACH_PX = 1.7, 0.4, 1.2
"""Steps of the search, and how far the finer ones go, in px of the window."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where a search ended."""

    centre_mm: Array
    votes: float
    rivals_mm: tuple[Array, ...] = ()
    """Other places with almost as many votes."""


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """Discs that are searched for."""

    sizes: Sequence[DiscSize]
    mm: Array
    """(N, 2) where they are thought to be."""
    px_per_mm: Array
    """(N,)"""
    reach: Array
    """(N,) how far off they may be, in diameters."""
    rims: Rim
    """(N, SEARCH_RAYS) of discs there."""


def search(bgr: Bgr, sought: Sought) -> list[Found | str]:
    """Return for each disc the place to which most of the edges around it point, or a
    reason: ``outside``, ``no_rim``."""
    result: list[Found | str] = ["outside"] * len(sought.sizes)
    cut = [_cut(bgr, sought, n) for n in range(len(result))]
    inside = [one for one in cut if one is not None]
    for some in _fitting(inside):
        for one, found in zip(some, _searched(sought, some), strict=True):
            result[one.number] = found
    return result


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """The window around a disc; px are those of the window."""

    number: int
    window: Window
    inner_px: float
    outer_px: float
    """How far inside and outside its rim edges are looked for."""
    reach_px: float
    px_per_mm: float


def _cut(bgr: Bgr, sought: Sought, n: int) -> _Cut | None:
    wide, density = sought.sizes[n].diameter_mm, float(sought.px_per_mm[n])
    shrink = max(1, int(density * wide / SEARCH_DIAMETER_PX + 0.35))
    scale, rim = density / shrink, sought.rims.of(n)
    reach_px = float(sought.reach[n]) * wide * scale + 1.5
    gap_px = float(np.maximum(rim.gap_px, 0).max()) / shrink
    steepest = float(np.linalg.norm(rim.along, axis=1).max()) / density
    margin = (reach_px * steepest + gap_px + 3) * shrink + 3
    window = cut_window(bgr, rim, margin, shrink)
    if window is None:
        return None
    inner = reach_px * steepest + 2
    return _Cut(n, window, inner, inner + gap_px, reach_px, scale)


def _fitting(cut: Sequence[_Cut]) -> list[Sequence[_Cut]]:
    """Return runs of windows that fit into one picture, one below the other."""
    high = np.cumsum([0, *(one.window.bgr.shape[0] for one in cut)])
    rows = np.maximum(high[1:], SEARCH_RAYS * np.arange(1, len(cut) + 1))
    runs = itertools.groupby(enumerate(cut), lambda one: rows[one[0]] // TALLEST_PX)
    return [[one for _, one in some] for _, some in runs]


def _searched(sought: Sought, cut: Sequence[_Cut]) -> list[Found | str]:
    numbers = [one.number for one in cut]
    rims = sought.rims.some(numbers)
    edges = _Edges.of(cut, rims)
    wide = np.array([sought.sizes[n].diameter_mm for n in numbers])
    scale = np.array([one.px_per_mm for one in cut])
    reach = np.array([one.reach_px for one in cut]) / COARSE_PX
    unit = _grid(math.ceil(reach.max()), math.ceil(reach.max()))
    moves = unit * (COARSE_PX / scale)[:, None, None]
    seen = edges.votes(moves)
    seen = np.where(np.hypot(*unit.T) <= reach[:, None] + 1e-2, seen, -1.0)
    finer = _grid(round(FINE_REACH_PX / FINE_PX), FINE_REACH_PX / FINE_PX + 1e-9)
    tops, free = seen.max(axis=1), seen >= 0
    places: list[list[tuple[float, Array]]] = [[] for _ in cut]
    active = np.arange(len(cut))
    for _ in range(MOST_PLACES):
        best = np.where(free, seen, -1)[active].argmax(axis=1)
        around = (
            moves[active, best][:, None]
            + finer * (FINE_PX / scale[active])[:, None, None]
        )
        there = edges.some(active).votes(around)
        for row, n in enumerate(active.tolist()):
            at = int(there[row].argmax())
            place = sought.mm[numbers[n]] + around[row, at]
            places[n].append((float(there[row, at]), place))
        away = np.linalg.norm(moves[active] - moves[active, best][:, None], axis=-1)
        free[active] &= away > APART * wide[active, None]
        left = np.where(free, seen, -1)[active].max(axis=1)
        active = active[left >= np.maximum(RIVAL * tops[active], 0)]
        if not len(active):
            break
    return [_found(one) for one in places]


def _found(places: Sequence[tuple[float, Array]]) -> Found | str:
    votes = [vote for vote, _ in places]
    if max(votes) < MIN_VOTES:
        return "no_rim"
    first = int(np.argmax(votes))
    rivals = tuple(place for n, (_, place) in enumerate(places) if n != first)
    return Found(places[first][1], votes[first], rivals)


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """How strong an edge is at each place across the rims of P discs."""

    strength: NDArray[np.float32]
    """(P, N, M) in [0, 1], ridges a pixel or two wide."""
    first_px: float
    """Offset of the first sample, in px of the windows."""
    along: NDArray[np.float32]
    """(P, N, 2) px of the window along each ray per mm that the disc moves."""
    gap_px: NDArray[np.float32]
    """(P, N) how far outside the lower rim is seen; 0 where it is hidden."""

    @classmethod
    def of(cls, cut: Sequence[_Cut], rims: Rim) -> _Edges:
        """Return the edges in windows. Samples outside a picture show none."""
        inner = max(one.inner_px for one in cut)
        outer = max(one.outer_px for one in cut)
        at = np.arange(-inner, outer + SEARCH_STEP_PX, SEARCH_STEP_PX)
        scale = np.array([one.window.scale for one in cut])[:, None]
        first = np.array([one.window.origin_px for one in cut]).T[..., None]
        own = (rims.points_px.transpose(2, 0, 1) + 0.5) * scale - 0.5 - first
        places = own[..., None] + at * rims.normals.transpose(2, 0, 1)[..., None]
        size = np.array([one.window.bgr.shape[1::-1] for one in cut]).T
        last = (size - 1.5)[..., None, None]
        known = ((places >= 0.5) & (places <= last)).all(axis=0)
        # Light as eyes have it: noise and edges weigh alike in dark and bright parts.
        values = stacked([one.window.bgr for one in cut], places)
        change = (values[:, :, 2:] - values[:, :, :-2]) / 2
        slope = np.zeros(known.shape, np.float32)
        slope[:, :, 1:-1] = np.sqrt(np.einsum("pnmc,pnmc->pnm", change, change))
        slope[~known] = 0
        along = rims.along * scale[..., None]
        gap = np.maximum(rims.gap_px, 0) * scale
        strength = _ridges(slope)
        strength[..., [0, -1]] = 0
        return cls(
            strength, float(at[0]), along.astype(np.float32), gap.astype(np.float32)
        )

    def some(self, numbers: NDArray[np.intp]) -> _Edges:
        """Return those of some of the discs."""
        if len(numbers) == len(self.gap_px):
            return self
        return _Edges(
            self.strength[numbers],
            self.first_px,
            self.along[numbers],
            self.gap_px[numbers],
        )

    def votes(self, moves_mm: Array) -> Array:
        """Return (P, K) how well each of (P, K, 2) moves of the discs meets edges all
        around; the lower rim counts where it is seen and fits better."""
        moves = moves_mm.astype(np.float32)
        offsets = self.along @ moves.swapaxes(1, 2) - np.float32(self.first_px)
        found = self._at(offsets)
        beside = np.nonzero(self.gap_px)
        lower = self._at(offsets[beside] + self.gap_px[beside][:, None], beside)
        found[beside] = np.maximum(found[beside], lower)
        return np.asarray(found.mean(axis=1), float)

    def _at(
        self,
        offsets: NDArray[np.float32],
        rays: tuple[NDArray[np.intp], ...] | None = None,
    ) -> NDArray[np.float32]:
        """Return the strengths at (P, N, K) offsets from the first sample, or at those
        of some rays, linear between samples; the outermost ones show none."""
        discs, count, many = self.strength.shape
        row = np.arange(discs * count).reshape(discs, count)
        at = np.maximum(offsets, np.float32(0))
        np.minimum(at, np.float32(many - 1 - 1e-3), out=at)
        low = at.astype(np.intp)
        at -= low
        low += ((row if rays is None else row[rays]) * many)[..., None]
        here = self.strength.ravel()
        at *= np.diff(here, append=here[-1:])[low]
        at += here[low]
        return at


def _ridges(size: NDArray[np.float32]) -> NDArray[np.float32]:
    """Thin edges to their crests, level them out, and widen them by a pixel."""
    crest = np.zeros(size.shape, bool)
    inner = size[..., 1:-1]
    crest[..., 1:-1] = (inner >= size[..., :-2]) & (inner > size[..., 2:])
    # Crests of noise are two or three times the middle of all.
    usual = np.median(size.reshape(len(size), -1), axis=1)
    half = 0.3 * np.median(size.max(axis=2), axis=1) + 3 * usual + 1.0
    height = np.where(crest, size / (size + half[:, None, None]), np.float32(0))
    height = np.asarray(height, np.float32)
    wide = height.copy()
    for shift, share in ((1, np.float32(0.75)), (2, np.float32(0.3))):
        lower = share * height
        np.maximum(wide[..., shift:], lower[..., :-shift], out=wide[..., shift:])
        np.maximum(wide[..., :-shift], lower[..., shift:], out=wide[..., :-shift])
    return wide


@lru_cache(maxsize=64)
def _grid(count: int, reach: float) -> Array:
    line = np.arange(-count, count + 1)
    x, y = np.meshgrid(line, line)
    grid = np.column_stack([x.ravel(), y.ravel()])
    return np.asarray(grid[np.hypot(*grid.T) <= reach + 1e-9], float)
