"""The pixels around rims, each at its own distance: what the last fit rests on.

Samples between pixels are blurred by the interpolation, by more or less as they lie
between them, and share their noise. Pixels do not: each is put at its exact distance
from the projected rim, and those of one arc at about the same distance are one sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.geometry import TableMap
from vision.rim import OPPONENT, DiscSize, Patch, Rim, rims_at
from vision.side_strips import Samples, Strips, worth_of
from vision.types import Array

BIN_PX, FAR_BIN_PX, NEAR_PX = 0.5, 2.0, 2.5
"""Pixels of an arc whose distances differ by less are one sample: within so many px of
rim and outline, and beyond, where only levels are told."""
FROM_LINEAR_PX2 = 1 / 6
"""What linear interpolation adds to the variance of an edge, on the average."""
RAYS_PER_ARC = 3
WIDEST_LINE = 2.2
"""The widest line whose inner edge counts, in tapers."""
LEAST_BLUR_PX = 0.45
_GRID = np.array([[x, y] for y in np.linspace(-1, 1, 5) for x in np.linspace(-1, 1, 5)])
_POWERS = tuple((i, j) for i in range(4) for j in range(4) if i + j <= 3)


@dataclass(frozen=True, slots=True, eq=False)
class _Pixels:
    """Pixels near the rims of many discs."""

    disc: NDArray[np.intp]
    """(N,) which disc each belongs to."""
    away_mm: Samples
    """(2, N) from its centre, on the plane of its face."""
    light: Samples
    """(N, 3) brightness and two of colour."""


def own_blur_px(seen_px: Array) -> Array:
    """Return the blur of edges in pixels, of that in interpolated samples."""
    own = np.maximum(seen_px**2 - FROM_LINEAR_PX2, LEAST_BLUR_PX**2)
    return np.asarray(np.sqrt(own + BIN_PX**2 / 12), float)


def pixel_strips(
    table: TableMap,
    sizes: Sequence[DiscSize],
    patches: Sequence[Patch],
    centres_mm: Array,
    reach_px: float,
    blur_px: Array,
    arcs: int,
    taper_px: Array,
    lines: Array | None = None,
) -> tuple[Rim, Strips]:
    """Return the rims at (P, 2) centres, arc by arc, and the pixels across them as far
    as `reach_px` from rim and outline; `blur_px` and `taper_px` are (P, G), `lines` (P,
    G, 2) width in mm and light of the lines with which their faces end."""
    rim = rims_at(table, sizes, centres_mm, arcs * RAYS_PER_ARC)
    by_arc = rim.arcs(arcs)
    gap = np.maximum(by_arc.gap_px, 0.0)
    pixels = _pixels(table, sizes, patches, centres_mm, rim, reach_px)
    at, past, arc = _distances(table, sizes, rim, pixels, arcs, blur_px)
    keep = np.flatnonzero((at > -reach_px) & (past < reach_px))
    at, past, arc = at[keep], past[keep], arc[keep]
    light = pixels.light.take(keep, axis=0)
    bin, bins = bins_of(at, reach_px, float(gap.max()))
    shape = (*gap.shape, bins)
    cell = arc * bins + bin
    many = np.bincount(cell, minlength=math.prod(shape))
    share = 1 / np.maximum(many, 1)

    def mean(values: Samples) -> Samples:
        total = np.bincount(cell, values, len(many)) * share
        return np.asarray(total.reshape(shape), np.float32)

    rows = np.stack([mean(channel) for channel in light.T], axis=-1)
    known = _known(rim, patches, reach_px, arcs)
    per = many.sum() / max(np.count_nonzero(many), 1)
    weights = np.asarray(many.reshape(shape) / max(per, 1e-9), np.float32)
    # What no pixel lies in has no weight, and the level of the rest.
    flat = weights.reshape(len(rows), 1, -1) @ rows.reshape(len(rows), -1, 3)
    level = flat[:, 0] / np.maximum(weights.sum((1, 2)), 1e-9)[:, None]
    empty = np.flatnonzero(many == 0)
    rows.reshape(-1, 3)[empty] = level[empty // (arcs * bins)]
    worth = worth_of(rows, weights)
    line_px, line_light = lines_px(lines, by_arc, taper_px)
    strips = Strips(
        rows,
        mean(at),
        mean(past),
        blur_px,
        gap,
        taper_px,
        known,
        worth,
        line_px,
        line_light,
    )
    return by_arc, strips


def bins_of(
    at_px: Samples, reach_px: float, gap_px: float
) -> tuple[NDArray[np.int32], int]:
    """Return (N,) the number of the bin of each distance from the rim, and how many
    bins there are as far as `reach_px` inside the rim and outside a side so wide."""
    inner = np.float32(min(NEAR_PX, reach_px))
    near = inner + np.float32(gap_px + inner)
    finer = 1 / BIN_PX - 1 / FAR_BIN_PX

    def numbered(at: Samples) -> Samples:
        number = (at + np.float32(reach_px)) * np.float32(1 / FAR_BIN_PX)
        fine = np.clip(at + inner, np.float32(0), near)
        return np.asarray(number + fine * np.float32(finer), np.float32)

    outermost = np.array([reach_px + gap_px], np.float32)
    bins = math.ceil(float(numbered(outermost)[0])) + 1
    return np.minimum(numbered(at_px), bins - 1).astype(np.int32), bins


def lines_px(lines: Array | None, rim: Rim, taper_px: Array) -> tuple[Array, Array]:
    """Return (P, G) width and light of lines; where one is so wide that what lies
    inside of it does not count, there is none."""
    if lines is None:
        return np.zeros(taper_px.shape), np.ones(taper_px.shape)
    wide_px = lines[..., 0] * rim.per_radius
    none = wide_px > WIDEST_LINE * taper_px
    return np.where(none, 0.0, wide_px), np.where(none, 1.0, lines[..., 1])


def _distances(
    table: TableMap,
    sizes: Sequence[DiscSize],
    rim: Rim,
    pixels: _Pixels,
    arcs: int,
    blur_px: Array,
) -> tuple[Samples, Samples, NDArray[np.intp]]:
    """Return (N,) px outside the rim, px outside the outline of disc and side, and the
    arc, counted over all discs."""
    count = arcs * RAYS_PER_ARC
    x, y = pixels.away_mm
    ray = np.floor(np.arctan2(y, x) * np.float32(count / (2 * math.pi)))
    row = pixels.disc * count + ray.astype(np.intp) + count * (ray < 0)
    far = np.sqrt(x * x + y * y)
    radius = np.array([size.diameter_mm / 2 for size in sizes], np.float32)
    px_per_mm = rim.per_radius.astype(np.float32).ravel().take(row)
    # The middle of a blurred edge that is bent lies farther in.
    inwards = np.repeat(blur_px, RAYS_PER_ARC, axis=1) ** 2 * _bends(rim) / 2
    inwards = inwards.astype(np.float32).ravel().take(row)
    at = (far - radius.take(pixels.disc)) * px_per_mm + inwards
    # Where the side is hidden, the outline is the rim.
    past, beside = at.copy(), np.flatnonzero(_sees_side(rim).ravel().take(row))
    nearest = _to_outline(table, sizes, rim, pixels, beside)
    more = nearest - radius.take(pixels.disc[beside])
    more = more * px_per_mm[beside] + inwards[beside]
    past[beside] = np.minimum(more, at[beside])
    return at, past, row // RAYS_PER_ARC


def _sees_side(rim: Rim) -> NDArray[np.bool_]:
    """Return (P, N) whether the side is seen at each ray or beside it."""
    seen = rim.gap_px > 0
    beside = np.roll(seen, 1, axis=1) | np.roll(seen, -1, axis=1)
    return np.asarray(seen | beside, bool)


def _to_outline(
    table: TableMap,
    sizes: Sequence[DiscSize],
    rim: Rim,
    pixels: _Pixels,
    beside: NDArray[np.intp],
) -> Samples:
    """Return mm from the centre to the nearest point of the rays of some pixels, on
    their way from the height of the face to that of the underside."""
    camera = table.position_mm
    top = np.array([size.top_mm for size in sizes])
    thick = np.array([size.thickness_mm for size in sizes])
    # Rays run straight away from the foot of the camera.
    disc = pixels.disc[beside]
    steep = (thick / (camera[2] - top)).astype(np.float32).take(disc)
    foot = (rim.centres_mm - camera[:2]).astype(np.float32).T.take(disc, axis=1)
    x, y = pixels.away_mm.take(beside, axis=1)
    way_x, way_y = steep * (x + foot[0]), steep * (y + foot[1])
    long2 = np.maximum(way_x * way_x + way_y * way_y, np.float32(1e-12))
    along = np.clip(-(x * way_x + y * way_y) / long2, 0, 1)
    x, y = x + along * way_x, y + along * way_y
    return np.asarray(np.sqrt(x * x + y * y), np.float32)


def _bends(rim: Rim) -> Array:
    """Return (P, N) the curvature of rims in the picture, per px."""
    after = np.roll(rim.points_px, -1, axis=1)
    before = np.roll(rim.points_px, 1, axis=1)
    step, bend = (after - before) / 2, after - 2 * rim.points_px + before
    turn = step[..., 0] * bend[..., 1] - step[..., 1] * bend[..., 0]
    return np.asarray(np.abs(turn) / np.linalg.norm(step, axis=-1) ** 3, float)


def _known(
    rim: Rim, patches: Sequence[Patch], reach_px: float, arcs: int
) -> NDArray[np.bool_]:
    """Return (P, arcs) whether all of an arc lies in what was cut out around it."""
    low = np.array([patch.origin_px for patch in patches])[:, None]
    size = np.array([patch.light.shape[1::-1] for patch in patches])[:, None]
    outwards = reach_px + np.maximum(rim.gap_px, 0.0)[..., None]
    inside = np.ones(rim.gap_px.shape, bool)
    for ends in (
        rim.points_px - reach_px * rim.normals,
        rim.points_px + outwards * rim.normals,
    ):
        inside &= ((ends >= low) & (ends <= low + size - 1)).all(axis=-1)
    return np.asarray(inside.reshape(len(patches), arcs, -1).all(axis=-1), bool)


def _pixels(
    table: TableMap,
    sizes: Sequence[DiscSize],
    patches: Sequence[Patch],
    centres_mm: Array,
    rim: Rim,
    reach_px: float,
) -> _Pixels:
    """Return the pixels that may lie within reach of rims or outlines."""
    slowest = rim.per_radius.min(axis=1)
    outer = reach_px + np.maximum(rim.gap_px, 0).max(axis=1)
    low = np.floor(rim.points_px.min(axis=1) - outer[:, None]).astype(int)
    high = np.ceil(rim.points_px.max(axis=1) + outer[:, None]).astype(int) + 1
    middle, half = (low + high) / 2, (high - low).max(axis=1) / 2
    to_mm = _to_mm(table, sizes, centres_mm, middle, half).astype(np.float32)
    powers = np.arange(4)
    found = []
    for n, patch in enumerate(patches):
        left, top = np.maximum(low[n] - patch.origin_px, 0).astype(int)
        right, bottom = np.maximum(high[n] - patch.origin_px, 0).astype(int)
        wide = patch.sheet.shape[1]
        h, w = patch.light[top:bottom, left:right].shape[:2]
        first = (patch.origin_px + np.array([left, top]) - middle[n]) / half[n]
        x = (first[0] + np.arange(w) / half[n])[None] ** powers[:, None]
        y = (first[1] + np.arange(h) / half[n])[:, None] ** powers
        away = y.astype(np.float32) @ to_mm[n] @ x.astype(np.float32)
        far2 = away[0] ** 2 + away[1] ** 2
        radius = sizes[n].diameter_mm / 2
        near = far2 > max(radius - (reach_px + 1) / slowest[n], 0.0) ** 2
        near &= far2 < (radius + (outer[n] + 1) / slowest[n]) ** 2
        # Taken by number: numpy is ten times as slow with masks.
        some = np.flatnonzero(near)
        row = np.arange(top, top + h)[:, None] + patch.top_px
        number = row * wide + np.arange(left, left + w)
        light = patch.sheet.reshape(-1, 3).take(number.take(some), axis=0)
        found.append((away.reshape(2, -1).take(some, axis=1), light))
    away_mm = np.concatenate([away for away, _ in found], axis=1)
    disc = np.repeat(np.arange(len(found)), [len(light) for _, light in found])
    light = np.concatenate([light for _, light in found])
    return _Pixels(disc, away_mm, light @ OPPONENT.astype(np.float32))


def _to_mm(
    table: TableMap,
    sizes: Sequence[DiscSize],
    centres_mm: Array,
    middle_px: Array,
    half_px: Array,
) -> Array:
    """Return (P, 2, 4, 4): mm from the centre of each disc, on the plane of its face,
    as polynomials of third degree in y and x of the picture, in `half_px` from its
    middle. Over a chip that is exact to a thousandth of a px."""
    reach = np.array([0.65 * size.diameter_mm for size in sizes])
    away = reach[:, None, None] * _GRID
    tops = np.repeat([size.top_mm for size in sizes], len(_GRID))
    on_plane = (centres_mm[:, None] + away).reshape(-1, 2)
    seen = table.to_image(on_plane, tops).reshape(away.shape)
    x, y = np.moveaxis((seen - middle_px[:, None]) / half_px[:, None, None], -1, 0)
    terms = np.stack([y**i * x**j for i, j in _POWERS], axis=-1)
    turned = terms.swapaxes(1, 2)
    found = np.linalg.solve(turned @ terms, turned @ away)
    result = np.zeros((len(sizes), 2, 4, 4))
    for number, (i, j) in enumerate(_POWERS):
        result[:, :, i, j] = found[:, number]
    return result
