"""Where discs may lie: the start of each, what the picture shows around it, its blur.

What can be said of all discs at once is: their scale, their parallax, their rims.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.blur import Blur, Widths, explain
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.rim import DiscSize, Patch, cut_patch, on_sheets, rims_at
from vision.rim_fit import Places, widths_at
from vision.rim_search import SEARCH_RAYS, SEED_REACH, Found, Sought, search
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
        sought, by_height = _sought(table, seeds, reach)
    except GeometryError:
        if len(seeds) == 1:
            return [NoPlace("horizon")]
        return [places_of(bgr, table, [seed], reach)[0] for seed in seeds]
    starts = search(bgr, sought)
    found = [
        _place(bgr, sought, n, start, by_height[n]) for n, start in enumerate(starts)
    ]
    patches = iter(on_sheets([p.patch for p in found if isinstance(p, Place)]))
    return [
        replace(place, patch=next(patches)) if isinstance(place, Place) else place
        for place in found
    ]


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
    if not places:
        return []
    at = np.array([place.start.centre_mm for place in places])
    sizes, patches = [p.size for p in places], [p.patch for p in places]
    widths = widths_at(Places(table, sizes, patches, at, Blur(1.0)))
    return [] if widths is None else [widths]


def parallax(table: TableMap, sizes: Sequence[DiscSize], centres_mm: Array) -> Array:
    """Return (N, 2) mm by which the place of what is seen moves per mm of height."""
    tops = np.array([size.top_mm for size in sizes])
    seen = table.to_image(centres_mm, tops)
    return np.asarray(table.to_table(seen, tops + 1.0) - centres_mm, float)


def _sought(
    table: TableMap, seeds: Sequence[tuple[DiscSize, Array]], reach: float
) -> tuple[Sought, Array]:
    """Return what is searched for, and (N, 2) its parallax."""
    sizes = [size for size, _ in seeds]
    middles = np.array([size.base_mm + size.thickness_mm / 2 for size in sizes])
    px = np.array([np.asarray(at, float).reshape(2) for _, at in seeds])
    mm = table.to_table(px, middles)
    by_mm = table.jacobian(mm, np.array([size.top_mm for size in sizes]))
    density = np.sqrt(np.abs(np.linalg.det(by_mm)))
    by_height = parallax(table, sizes, mm)
    apart = np.hypot(*by_height.T) * [s.thickness_mm / s.diameter_mm for s in sizes]
    off = np.full(len(sizes), reach)
    if reach < SEED_REACH:
        off = np.minimum(reach + apart / 2, SEED_REACH)
    rims = rims_at(table, sizes, mm, SEARCH_RAYS)
    return Sought(sizes, mm, density, off, rims), by_height


def _place(
    bgr: Bgr, sought: Sought, n: int, start: Found | str, by_height: Array
) -> Place | NoPlace:
    size, seed, density = sought.sizes[n], sought.mm[n], float(sought.px_per_mm[n])
    where = (float(seed[0]), float(seed[1]))
    if density * size.diameter_mm < SMALLEST_PX:
        return NoPlace("too_small", where)
    if isinstance(start, str):
        return NoPlace(start, where)
    away = [start.centre_mm, *start.rivals_mm]
    far = max(math.dist(place, seed) for place in away)
    far += 2 * math.hypot(*by_height) * size.thickness_mm
    margin = (far + PATCH_SHARE * size.diameter_mm) * density
    patch = cut_patch(bgr, sought.rims.of(n), margin + PATCH_PX)
    if patch is None:
        return NoPlace("outside", where)
    return Place(size, start, patch, density, by_height)
