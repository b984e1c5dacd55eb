"""Where discs may lie: the start of each, what the picture shows around it, its blur.

What can be said of all discs at once is: their scale, their parallax, their rims.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.blur import Blur, Widths, explain
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.rim import SEARCH_RAYS, DiscSize, Patch, Rim, cut_patch, rims_at
from vision.rim_fit import widths_of
from vision.rim_search import SEED_REACH, Found, search
from vision.types import Array, Bgr

SMALLEST_PX = 9.0
PATCH_PX = 16.0
"""What is looked at around the places of a disc, beyond where it may lie."""
PATCH_SHARE = 0.1
"""Of the diameter, the same."""
FINDER_REACH = 0.09
"""How far off the seeds of a finder are, in diameters."""
BLUR_WITNESSES, SMEAR_WITNESSES = 3, 12
"""Discs that tell the blur of the picture; the clearest ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a disc may lie, and what is seen there."""

    size: DiscSize
    start: Found
    patch: Patch
    px_per_mm: float
    parallax: Array
    """(2,) mm by which what is seen of it moves per mm of its height."""

    @property
    def diameter_px(self) -> float:
        """Return how large it is seen, the mean over all directions."""
        return self.size.diameter_mm * self.px_per_mm


@dataclass(frozen=True, slots=True)
class NoPlace:
    """Why there is none: ``too_small``, ``outside``, ``no_rim``, ``horizon``,
    ``unlikely``."""

    reason: str
    seed_mm: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Seeds:
    sizes: Sequence[DiscSize]
    mm: Array
    """(N, 2)"""
    px_per_mm: Array
    """(N,)"""
    parallax: Array
    """(N, 2)"""
    rims: Rim
    """(N, SEARCH_RAYS)"""


def places_of(
    bgr: Bgr,
    table: TableMap,
    seeds: Sequence[tuple[DiscSize, Array]],
    reach: float = SEED_REACH,
) -> list[Place | NoPlace]:
    """Return where discs may lie, one for each seed.

    `reach` is how far off seeds may be, in diameters; those that a finder took from one
    of the two rims are off by half of the disc's parallax as well.
    """
    if not seeds:
        return []
    try:
        known = _seeds(table, seeds)
    except GeometryError:
        if len(seeds) == 1:
            return [NoPlace("horizon")]
        return [places_of(bgr, table, [seed], reach)[0] for seed in seeds]
    return [_place(bgr, known, n, reach) for n in range(len(seeds))]


def picture_blur(table: TableMap, places: Sequence[Place]) -> Blur:
    """Return the blur that the clearest discs agree on; for a smear, which refuses
    discs, more of them must."""
    clear = sorted(places, key=lambda place: -place.start.votes)
    few = _told(table, clear[:BLUR_WITNESSES])
    blur = explain(few)
    if blur.smear_px > 0:
        more = _told(table, clear[BLUR_WITNESSES:SMEAR_WITNESSES])
        blur = explain([*few, *more])
    return blur


def _told(table: TableMap, places: Sequence[Place]) -> list[Widths]:
    seen = [
        widths_of(place.patch, table, place.size, place.start.centre_mm)
        for place in places
    ]
    return [widths for widths in seen if widths is not None]


def parallax(table: TableMap, sizes: Sequence[DiscSize], centres_mm: Array) -> Array:
    """Return (N, 2) mm by which the place of what is seen moves per mm of height."""
    tops = np.array([size.top_mm for size in sizes])
    seen = table.to_image(centres_mm, tops)
    return np.asarray(table.to_table(seen, tops + 1.0) - centres_mm, float)


def _seeds(table: TableMap, seeds: Sequence[tuple[DiscSize, Array]]) -> _Seeds:
    sizes = [size for size, _ in seeds]
    middles = np.array([size.base_mm + size.thickness_mm / 2 for size in sizes])
    px = np.array([np.asarray(at, float).reshape(2) for _, at in seeds])
    mm = table.to_table(px, middles)
    by_mm = table.jacobian(mm, np.array([size.top_mm for size in sizes]))
    return _Seeds(
        sizes,
        mm,
        np.sqrt(np.abs(np.linalg.det(by_mm))),
        parallax(table, sizes, mm),
        rims_at(table, sizes, mm, SEARCH_RAYS),
    )


def _place(bgr: Bgr, seeds: _Seeds, n: int, reach: float) -> Place | NoPlace:
    size, seed, density = seeds.sizes[n], seeds.mm[n], float(seeds.px_per_mm[n])
    where = (float(seed[0]), float(seed[1]))
    if density * size.diameter_mm < SMALLEST_PX:
        return NoPlace("too_small", where)
    rim = seeds.rims.of(n)
    if reach < SEED_REACH:
        apart = math.hypot(*seeds.parallax[n]) * size.thickness_mm / size.diameter_mm
        reach = min(reach + apart / 2, SEED_REACH)
    start = search(bgr, rim, size, seed, density, reach)
    if isinstance(start, str):
        return NoPlace(start, where)
    away = [start.centre_mm, *start.rivals_mm]
    far = max(math.dist(place, seed) for place in away)
    far += 2 * math.hypot(*seeds.parallax[n]) * size.thickness_mm
    margin = (far + PATCH_SHARE * size.diameter_mm) * density
    patch = cut_patch(bgr, rim, margin + PATCH_PX)
    if patch is None:
        return NoPlace("outside", where)
    return Place(size, start, patch, density, seeds.parallax[n])
