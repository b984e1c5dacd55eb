"""The rim of a disc in the picture: where it must be, and the samples across it.

A disc of known size that lies flat at a known height has two circles; the camera's pose
says where they are seen. From the upper one, rows of samples run outwards, along the
normals of its image. Where the side of the disc is seen, the lower circle lies `gap_px`
farther out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.edges import linear_light
from vision.geometry import TableMap
from vision.types import Array, Bgr

COLOUR_WEIGHT = 0.6
TALLEST_PX = 16_000
"""OpenCV samples pictures of up to twice that height."""
_LUMA = np.array([0.21, 0.50, 0.29])
"""Between that of eyes and the mean, in which the noise of three channels is least."""
OPPONENT = np.column_stack(
    [
        math.sqrt(3) * _LUMA,
        COLOUR_WEIGHT * (np.array([1.0, 0, 0]) - _LUMA),
        COLOUR_WEIGHT * (np.array([0, 0, 1.0]) - _LUMA),
    ]
)
"""(3, 3) BGR to brightness and two differences of colour."""


@dataclass(frozen=True, slots=True)
class DiscSize:
    """What the kit says of a disc."""

    diameter_mm: float
    thickness_mm: float
    diameter_sigma_mm: float = 0.1
    thickness_sigma_mm: float = 0.1
    base_mm: float = 0.0
    """Height of its underside above the table."""

    @property
    def top_mm(self) -> float:
        """Return the height of its face."""
        return self.base_mm + self.thickness_mm


@dataclass(frozen=True, slots=True, eq=False)
class Rim:
    """The upper rim of a disc at a place, in N directions; or of P discs, (P, N)."""

    directions: Array
    """(..., N, 2) from its centre, on the table."""
    points_px: Array
    """(..., N, 2)"""
    normals: Array
    """(..., N, 2) unit vectors in the picture, outwards."""
    along: Array
    """(..., N, 2) px along the normal per mm that the disc moves in x and in y."""
    gap_px: Array
    """(..., N) how far outside the lower rim is seen; below 0 it is hidden."""
    centres_mm: Array
    """(..., 2)"""

    @property
    def per_radius(self) -> Array:
        """Return (..., N) px along the normal per mm of radius."""
        return np.asarray((self.along * self.directions).sum(-1), float)

    def of(self, number: int) -> Rim:
        """Return the rim of one of the discs."""
        return Rim(*(getattr(self, one.name)[number] for one in fields(self)))

    def some(self, numbers: Sequence[int]) -> Rim:
        """Return the rims of some of the discs."""
        return Rim(*(getattr(self, one.name)[list(numbers)] for one in fields(self)))

    def arcs(self, count: int) -> Rim:
        """Return it with one direction for each of `count` arcs."""

        before = (slice(None),) * (self.gap_px.ndim - 1)
        rays = self.gap_px.shape[-1] // count

        def mean(values: Array) -> Array:
            # Ray by ray: numpy is slow to sum over a few numbers.
            parts = [values[*before, n::rays] for n in range(rays)]
            return np.asarray(sum(parts[1:], parts[0]) / rays, float)

        return Rim(
            mean(self.directions),
            mean(self.points_px),
            mean(self.normals),
            mean(self.along),
            mean(self.gap_px),
            self.centres_mm,
        )


def rim_at(table: TableMap, size: DiscSize, centre_mm: Array, count: int) -> Rim:
    """Return the rim of a disc there; raise `GeometryError` beyond the horizon."""
    return rims_at(table, [size], centre_mm[None], count).of(0)


def rims_at(
    table: TableMap, sizes: Sequence[DiscSize], centres_mm: Array, count: int
) -> Rim:
    """Return the rims of P discs at (P, 2) places, all at once.

    Raises `GeometryError` if one of them is beyond the horizon.
    """
    t = (np.arange(count) + 0.5) * (2 * math.pi / count)
    around = np.column_stack([np.cos(t), np.sin(t)])
    radii = np.array([size.diameter_mm / 2 for size in sizes])
    on_table = (centres_mm[:, None] + radii[:, None, None] * around).reshape(-1, 2)
    tops = np.repeat([size.top_mm for size in sizes], count)
    bases = np.repeat([size.base_mm for size in sizes], count)
    shape = (len(sizes), count)
    points = table.to_image(on_table, tops).reshape(*shape, 2)
    lower = table.to_image(on_table, bases).reshape(*shape, 2)
    by_mm = table.jacobian(on_table, tops).reshape(*shape, 2, 2)
    # Number by number: numpy is slow with many matrices of two by two.
    (xx, xy), (yx, yy) = by_mm.transpose(2, 3, 0, 1)
    cos, sin = around.T
    normal = np.stack([yx * sin - yy * cos, xy * cos - xx * sin])
    normal /= np.hypot(*normal)
    along = np.stack([normal[0] * xx + normal[1] * yx, normal[0] * xy + normal[1] * yy])
    outward = np.sign(along[0] * cos + along[1] * sin)
    normals, along = np.stack([normal * outward, along * outward]).transpose(0, 2, 3, 1)
    gap = _gap(points, lower, normals)
    directions = np.broadcast_to(around, points.shape)
    return Rim(directions, points, normals, along, gap, centres_mm)


def _gap(points: Array, lower: Array, normals: Array) -> Array:
    """Return (P, N) how far along the normals the outline is met, which is the hull of
    both rims; below 0 the lower one is hidden.

    Where the disc is seen from the side, the same point of the lower rim lies beside
    the normal, and the rim bends away from there; next to that, a straight line leads
    from rim to rim. Together it is up to 0.2 px at 40 degrees.
    """
    down, points = (lower - points).transpose(2, 0, 1), points.transpose(2, 0, 1)
    ways = normals.transpose(2, 0, 1)
    along = ways[0] * down[0] + ways[1] * down[1]
    beside = ways[0] * down[1] - ways[1] * down[0]
    after, before = np.roll(ways, -1, axis=-1), np.roll(ways, 1, axis=-1)
    turn = after[1] * before[0] - after[0] * before[1]
    far = np.hypot(*(np.roll(points, -1, axis=-1) - np.roll(points, 1, axis=-1)))
    bent = np.abs(turn) / far * beside**2
    line = along**2 / np.maximum(2 * bent, 1e-12)
    gap = np.where(along < bent, line, along - bent / 2)
    return np.asarray(np.where(along <= 0, along, gap), float)


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A part of the picture around a disc, maybe smaller."""

    bgr: Bgr
    origin_px: Array
    """(2,) its first pixel, in its own px of the whole picture."""
    scale: float
    """Its px per px of the picture."""


def cut_window(bgr: Bgr, rim: Rim, margin_px: float, shrink: int) -> Window | None:
    """Return the window around a rim, `shrink` times smaller; `None` outside."""
    low = np.floor(rim.points_px.min(0) - margin_px).astype(int)
    high = np.ceil(rim.points_px.max(0) + margin_px).astype(int) + 1
    left, top = max(int(low[0]), 0), max(int(low[1]), 0)
    left, top = left - left % shrink, top - top % shrink
    right, bottom = min(int(high[0]), bgr.shape[1]), min(int(high[1]), bgr.shape[0])
    if right - left < 3 * shrink or bottom - top < 3 * shrink:
        return None
    part = bgr[top:bottom, left:right]
    if shrink > 1:
        w, h = (right - left) // shrink, (bottom - top) // shrink
        part = part[: h * shrink, : w * shrink]
        part = np.asarray(cv2.resize(part, (w, h), interpolation=cv2.INTER_AREA))
    return Window(part, np.array([left, top]) / shrink, 1 / shrink)


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """What the picture shows around a disc, in linear light; looked at many times."""

    light: NDArray[np.float32]
    origin_px: Array
    """(2,) its first pixel."""
    size_px: tuple[int, int]
    """Width and height of the whole picture."""
    sheet: NDArray[np.float32]
    """The picture of which `light` is a part: patches of one sheet are sampled at once.
    """
    top_px: int = 0
    """Its first row on the sheet."""


def cut_patch(bgr: Bgr, rim: Rim, margin_px: float) -> Patch | None:
    """Return the patch around the rim of one disc; `None` outside the picture."""
    window = cut_window(bgr, rim, margin_px, 1)
    if window is None:
        return None
    h, w = bgr.shape[:2]
    light = linear_light(window.bgr)
    return Patch(light, window.origin_px, (w, h), light)


def on_sheets(patches: Sequence[Patch]) -> list[Patch]:
    """Return the patches one below the other on a sheet, or on more if it is full."""
    result: list[Patch] = []
    for some in _runs([patch.light.shape[0] for patch in patches]):
        lights = [patch.light for patch in patches[some]]
        sheet, tops = _sheet_of(lights)
        for patch, top in zip(patches[some], tops.tolist(), strict=True):
            h, w = patch.light.shape[:2]
            light = sheet[top : top + h, :w]
            result.append(replace(patch, light=light, sheet=sheet, top_px=top))
    return result


def rim_samples(
    patches: Sequence[Patch],
    points_px: Array,
    normals: Array,
    at_px: Array,
    *,
    groups: int,
) -> tuple[NDArray[np.float32], Array]:
    """Return (P, G, M, 3) linear light across P rims with (P, N, 2) points and normals,
    the mean over each of G arcs, and (P, G) the share of each in the picture.

    The channels are brightness and two of colour, these at less weight: cameras and
    JPEG keep colour at half the resolution, and its edges lie off by a pixel."""
    discs, count = points_px.shape[:2]
    rows = np.empty((discs, groups, len(at_px), 3), np.float32)
    points, ways = points_px.transpose(2, 0, 1), normals.transpose(2, 0, 1)
    first = np.array([patch.origin_px for patch in patches]).T[..., None]
    places = (points - first)[..., None] + at_px * ways[..., None]
    for part in _parts(patches, count):
        values = _on_sheet(patches[part], places[:, part])
        per = values.reshape(len(values), groups, -1, len(at_px), 3)
        rows[part] = per.mean(axis=2) @ OPPONENT.astype(np.float32)
    last = np.array([patch.size_px for patch in patches]).T[..., None] - 1
    inside = np.ones((discs, count), bool)
    for end in (at_px[0], at_px[-1]):
        there = points + end * ways
        inside &= ((there >= 0) & (there <= last)).all(axis=0)
    return rows, inside.reshape(discs, groups, -1).mean(axis=-1)


def _parts(patches: Sequence[Patch], rays: int) -> list[slice]:
    """Return runs of patches of one sheet whose rays fit into one picture."""
    parts, first = [], 0
    for _, group in itertools.groupby(patches, lambda patch: id(patch.sheet)):
        count = len(list(group))
        for run in _runs([rays] * count):
            parts.append(slice(first + run.start, first + run.stop))
        first += count
    return parts


def _runs(heights: Sequence[int]) -> list[slice]:
    """Return runs of pictures that fit into one, one below the other."""
    ends, high = [0], 0
    for number, own in enumerate(heights):
        high += own
        if high > TALLEST_PX and number > ends[-1]:
            ends.append(number)
            high = own
    ends.append(len(heights))
    return [slice(a, b) for a, b in itertools.pairwise(ends) if a < b]


def _on_sheet(patches: Sequence[Patch], places_px: Array) -> NDArray[np.float32]:
    """Return (P, N, M, 3) what patches of one sheet show at the x and y of (2, P, N, M)
    of their own px."""
    sizes = np.array([patch.light.shape[1::-1] for patch in patches])
    tops = np.array([patch.top_px for patch in patches])
    return _sampled(patches[0].sheet, tops, sizes, places_px)


def _sheet_of(
    pictures: Sequence[NDArray[np.float32] | Bgr],
) -> tuple[NDArray[np.float32], Array]:
    """Return pictures one below the other, and (P,) their first rows."""
    sizes = np.array([one.shape[1::-1] for one in pictures])
    tops = np.concatenate([[0], np.cumsum(sizes[:-1, 1])])
    sheet = np.zeros((int(sizes[:, 1].sum()), int(sizes[:, 0].max()), 3), np.float32)
    for top, one in zip(tops, pictures, strict=True):
        h, w = one.shape[:2]
        sheet[top : top + h, :w] = one
    return sheet, tops


def stacked(
    pictures: Sequence[NDArray[np.float32] | Bgr], places_px: Array
) -> NDArray[np.float32]:
    """Return (P, N, M, 3) what P pictures show at the x and y of (2, P, N, M) of their
    own px, all at once; beyond a picture, what its edge shows."""
    sheet, tops = _sheet_of(pictures)
    sizes = np.array([one.shape[1::-1] for one in pictures])
    return _sampled(sheet, tops, sizes, places_px)


def _sampled(
    sheet: NDArray[np.float32], tops: Array, sizes: Array, places_px: Array
) -> NDArray[np.float32]:
    """Return (P, N, M, 3) what parts of a sheet show, of (P, 2) width and height."""
    maps = np.maximum(places_px, 0, dtype=np.float32, casting="same_kind")
    np.minimum(maps, (sizes.T - 1).astype(np.float32)[..., None, None], out=maps)
    maps[1] += tops[:, None, None].astype(np.float32)
    x, y = maps.reshape(2, -1, maps.shape[-1])
    seen = cv2.remap(sheet, x, y, cv2.INTER_LINEAR)
    return np.asarray(seen, np.float32).reshape(*maps.shape[1:], 3)
