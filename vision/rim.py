"""The rim of a disc in the picture: where it must be, and the samples across it.

A disc of known size that lies flat at a known height has two circles; the camera's pose
says where they are seen. From the upper one, rows of samples run outwards, along the
normals of its image. Where the side of the disc is seen, the lower circle lies `gap_px`
farther out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.edges import linear_light, sample
from vision.geometry import TableMap
from vision.types import Array, Bgr

SEARCH_DIAMETER_PX = 56.0
"""Discs are searched for in a picture in which they are at most about that large."""
SEARCH_RAYS = 60
SEARCH_STEP_PX = 1.0
COLOUR_WEIGHT = 0.6
_LUMA = np.array([0.114, 0.587, 0.299])
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
    """The upper rim of a disc at a place, in N directions."""

    directions: Array
    """(N, 2) from its centre, on the table."""
    points_px: Array
    """(N, 2)"""
    normals: Array
    """(N, 2) unit vectors in the picture, outwards."""
    along: Array
    """(N, 2) px along the normal per mm that the disc moves in x and in y."""
    gap_px: Array
    """(N,) how far outside the lower rim is seen; below 0 it is hidden."""

    @property
    def per_radius(self) -> Array:
        """Return (N,) px along the normal per mm of radius."""
        return np.asarray((self.along * self.directions).sum(1), float)


def rim_at(table: TableMap, size: DiscSize, centre_mm: Array, count: int) -> Rim:
    """Return the rim of a disc there; raise `GeometryError` beyond the horizon."""
    t = (np.arange(count) + 0.5) * (2 * math.pi / count)
    directions = np.column_stack([np.cos(t), np.sin(t)])
    on_table = centre_mm + directions * (size.diameter_mm / 2)
    points = table.to_image(on_table, size.top_mm)
    by_mm = table.jacobian(on_table, size.top_mm)
    tangents = np.einsum("nij,nj->ni", by_mm, directions[:, ::-1] * [-1, 1])
    normals = np.column_stack([-tangents[:, 1], tangents[:, 0]])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    along = np.einsum("ni,nij->nj", normals, by_mm)
    outward = np.sign((along * directions).sum(1))[:, None]
    normals, along = normals * outward, along * outward
    lower = table.to_image(on_table, size.base_mm)
    gap = ((lower - points) * normals).sum(1)
    return Rim(directions, points, normals, along, gap)


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A part of the picture around a disc, maybe smaller."""

    bgr: Bgr
    origin_px: Array
    """(2,) its first pixel, in its own px of the whole picture."""
    scale: float
    """Its px per px of the picture."""

    def to_own(self, points_px: Array) -> Array:
        """Return points of the picture in px of the window's own scale."""
        return np.asarray((points_px + 0.5) * self.scale - 0.5, float)


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
class EdgeRows:
    """How strong an edge is at each place across the rim."""

    strength: Array
    """(N, M) in [0, 1], ridges a pixel or two wide."""
    first_px: float
    """Offset of the first sample, in px of the window."""


def edge_rows(window: Window, rim: Rim, inner_px: float, outer_px: float) -> EdgeRows:
    """Return the edges across the rim from `inner_px` inside it to `outer_px` outside,
    both in px of the window. Samples outside the picture show no edge."""
    at = np.arange(-inner_px, outer_px + SEARCH_STEP_PX, SEARCH_STEP_PX)
    own = window.to_own(rim.points_px)
    places = own[:, None] + at[None, :, None] * rim.normals[:, None]
    # Light as eyes have it: noise and edges then weigh alike in dark and bright parts.
    values = sample(window.bgr.astype(np.float32), places, origin_px=window.origin_px)
    change = np.zeros(values.shape)
    change[:, 1:-1] = (values[:, 2:] - values[:, :-2]) / 2
    size = np.linalg.norm(change, axis=2)
    h, w = window.bgr.shape[:2]
    local = places - window.origin_px
    size[((local < 0.5) | (local > [w - 1.5, h - 1.5])).any(2)] = 0.0
    return EdgeRows(_ridges(size), float(at[0]))


def _ridges(size: Array) -> Array:
    """Thin edges to their crests, level them out, and widen them by a pixel."""
    crest = np.zeros(size.shape, bool)
    crest[:, 1:-1] = (size[:, 1:-1] >= size[:, :-2]) & (size[:, 1:-1] > size[:, 2:])
    # Crests of noise are two or three times the middle of all.
    half = 0.3 * float(np.median(size.max(1))) + 3 * float(np.median(size)) + 1.0
    height = np.where(crest, size / (size + half), 0.0)
    wide = height.copy()
    for shift, share in ((1, 0.75), (2, 0.3)):
        wide[:, shift:] = np.maximum(wide[:, shift:], share * height[:, :-shift])
        wide[:, :-shift] = np.maximum(wide[:, :-shift], share * height[:, shift:])
    return wide


def vote(
    rows: EdgeRows, rim: Rim, moves_mm: Array, scale: float, *, two: bool
) -> Array:
    """Return (K, N) how well each of K moves of the disc meets an edge in N directions.

    `scale` is px of the window per px of the picture. With `two`, the lower rim counts
    where it is seen, if that fits better.
    """
    offsets = scale * (moves_mm @ rim.along.T)
    found = _looked_up(rows, offsets)
    if two:
        lower = _looked_up(rows, offsets + scale * np.maximum(rim.gap_px, 0.0))
        found = np.maximum(found, lower)
    return found


def _looked_up(rows: EdgeRows, offsets: Array) -> Array:
    """(K, N) offsets -> strengths, linear between samples."""
    at = (offsets - rows.first_px) / SEARCH_STEP_PX
    last = rows.strength.shape[1] - 1
    inside = (at >= 0) & (at <= last)
    low = np.clip(at, 0, last - 1).astype(np.int32)
    share = at - low
    flat = rows.strength.ravel()
    index = low + np.arange(rows.strength.shape[0], dtype=np.int32) * (last + 1)
    value = flat[index] * (1 - share) + flat[index + 1] * share
    return np.asarray(np.where(inside, value, 0.0), float)


def rim_samples(
    bgr: Bgr, rim: Rim, at_px: Array, *, groups: int
) -> tuple[NDArray[np.float64], Array]:
    """Return (G, M, 3) linear light across the rim, mean over each of G arcs, and (G,)
    the share of each arc that lies in the picture.

    The channels are brightness and two of colour, these at less weight: cameras and
    JPEG keep colour at half the resolution, and its edges lie off by a pixel."""
    reach = float(np.abs(at_px).max()) + 3
    window = cut_window(bgr, rim, reach, 1)
    count = len(rim.points_px)
    if window is None:
        return np.zeros((groups, len(at_px), 3)), np.zeros(groups)
    places = rim.points_px[:, None] + at_px[None, :, None] * rim.normals[:, None]
    light = linear_light(window.bgr)
    values = sample(light, places, origin_px=window.origin_px)
    h, w = bgr.shape[:2]
    inside = ((places >= 0) & (places <= [w - 1, h - 1])).all(axis=(1, 2))
    per = count // groups
    arcs = values.reshape(groups, per, len(at_px), 3).mean(1) @ OPPONENT
    return arcs, inside.reshape(groups, per).mean(1)
