"""Puts the sides of a card on the edges that the picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Array, Bgr

SAMPLES = 28
INSET = 0.12
"""Corners are round: this share of a side is left out at both ends."""
REACH = 0.045
"""How far from the given side an edge is looked for, in card diagonals."""
FAR_REACH = 0.1
"""The same for a first step, that is taken only if all four sides are sure."""
SURE_SUPPORT = 0.75
SURE_SIDE = 0.6
STEP_PX = 0.5
MIN_CONTRAST = 7.0
"""Grey levels per px below which there is no edge."""
MIN_SUPPORT = 0.45
MIN_SIDE_PX = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class RefinedQuad:
    """A quad with its sides on edges."""

    quad_px: Array
    support: tuple[float, float, float, float]
    """For each side (top, right, bottom, left) the share of it that lies on one
    straight edge; 0 for a side that was left where it was."""


def is_well_cut(support: Sequence[float]) -> bool:
    """Return whether three sides at least lie on edges: else something other than the
    card, mostly cards that lie on it, is within the outline too."""
    return sorted(support)[1] >= SURE_SIDE


def refine_quad(bgr: Bgr, quad_px: Array) -> RefinedQuad:
    """Return the quad with each side moved onto its edge, where there is one.

    A side without enough support (hidden under another card, say) stays. If the moved
    sides do not make a card-like quad, all stay. Only where the sides nearby are not
    sure are they looked for farther out, and taken from there if all four are sure.
    """
    near = _refined(bgr, quad_px, REACH)
    if min(near.support) >= SURE_SUPPORT:
        return near
    far = _refined(bgr, quad_px, FAR_REACH)
    if min(far.support) >= SURE_SUPPORT:
        return _refined(bgr, far.quad_px, REACH)
    return near


def _refined(bgr: Bgr, quad_px: Array, reach: float) -> RefinedQuad:
    diagonal = float(np.linalg.norm(quad_px[2] - quad_px[0]))
    reach = max(2.0, reach * diagonal)
    lines, support = _fit_sides(bgr, quad_px, reach)
    corners = [_meet(lines[number - 1], lines[number]) for number in range(4)]
    if any(corner is None for corner in corners):
        return RefinedQuad(quad_px, (0.0, 0.0, 0.0, 0.0))
    quad = np.array(corners)
    if np.abs(quad - quad_px).max() > 2.5 * reach or not cv2.isContourConvex(
        quad.astype(np.float32)
    ):
        return RefinedQuad(quad_px, (0.0, 0.0, 0.0, 0.0))
    return RefinedQuad(quad, (support[0], support[1], support[2], support[3]))


def edges_across(
    bgr: Bgr, points_px: Array, normals: Array, reach_px: float
) -> tuple[Array, Array]:
    """Return of the steepest change of colour across each point (N,) how steep it is,
    levels per px, and (N,) how far along the normal, px."""
    profiles = _profiles(bgr, points_px, normals, reach_px)
    steps = np.linalg.norm(np.diff(profiles, axis=1), axis=2) / STEP_PX
    offsets = (steps.argmax(1) + 0.5) * STEP_PX - reach_px
    return np.asarray(steps.max(1), float), np.asarray(offsets, float)


Line = tuple[Array, Array]
"""Two points on it."""


def _fit_sides(
    bgr: Bgr, quad_px: Array, reach: float
) -> tuple[list[Line], list[float]]:
    """Return the line of the best edge along each side, and its support."""
    along = np.roll(quad_px, -1, axis=0) - quad_px
    lengths = np.hypot(along[:, 0], along[:, 1])
    normals = np.column_stack([-along[:, 1], along[:, 0]])
    normals /= np.maximum(lengths, 1e-9)[:, None]
    t = np.linspace(INSET, 1 - INSET, SAMPLES)
    points = (quad_px[:, None] + t[None, :, None] * along[:, None]).reshape(-1, 2)
    profiles = _profiles(bgr, points, np.repeat(normals, SAMPLES, axis=0), reach)
    steps = np.diff(profiles, axis=1)
    strength = np.sqrt(np.einsum("nmc,nmc->nm", steps, steps)) / STEP_PX
    offsets = (np.arange(strength.shape[1]) + 0.5) * STEP_PX - reach
    weight = np.exp(-0.5 * (offsets / (0.7 * reach)) ** 2)
    peak = (strength * weight).argmax(1)
    found = offsets[peak].reshape(4, SAMPLES)
    clear = strength[np.arange(len(peak)), peak].reshape(4, SAMPLES) > MIN_CONTRAST
    lines: list[Line] = []
    support: list[float] = []
    for number in range(4):
        start, end = quad_px[number], quad_px[(number + 1) % 4]
        slope, shift, share = 0.0, 0.0, 0.0
        if lengths[number] >= MIN_SIDE_PX:
            slope, shift, share = _fit_edge(t, found[number], clear[number], reach)
        normal = normals[number]
        lines.append((start + shift * normal, end + (shift + slope) * normal))
        support.append(share)
    return lines, support


def _fit_edge(
    t: Array, found: Array, clear: NDArray[np.bool_], reach: float
) -> tuple[float, float, float]:
    """Return slope and shift of the edge that most points agree on, and its support;
    all 0 where there is none."""
    if clear.sum() < 6:
        return 0.0, 0.0, 0.0
    slope, shift = _robust_line(t[clear], found[clear])
    kept = clear & (np.abs(found - (slope * t + shift)) < max(0.8, 0.12 * reach))
    count = int(np.count_nonzero(kept))
    share = count / len(kept)
    if share < MIN_SUPPORT:
        return 0.0, 0.0, 0.0
    x, y = t[kept], found[kept]
    middle = float(x.sum()) / count
    x = x - middle
    slope = float(x @ y / max(float(x @ x), 1e-12))
    return slope, float(y.sum()) / count - slope * middle, share


def _profiles(
    bgr: Bgr, points: Array, normals: Array, reach: float
) -> NDArray[np.float32]:
    """Return (N, M, 3) colours across each point, from -reach to reach."""
    offsets = np.arange(-reach, reach + STEP_PX, STEP_PX)
    places = points[:, None] + offsets[None, :, None] * normals[:, None]
    ends = places[:, [0, -1]].reshape(-1, 2)
    low = np.floor(ends.min(0)).astype(int) - 2
    high = np.ceil(ends.max(0)).astype(int) + 3
    x0, y0 = int(max(low[0], 0)), int(max(low[1], 0))
    x1, y1 = int(min(high[0], bgr.shape[1])), int(min(high[1], bgr.shape[0]))
    if x1 - x0 < 2 or y1 - y0 < 2:
        return np.zeros((len(points), len(offsets), 3), np.float32)
    part = bgr[y0:y1, x0:x1]
    local = (places - [x0, y0]).astype(np.float32)
    values = cv2.remap(
        part,
        local[..., 0],
        local[..., 1],
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    smooth = cv2.blur(np.asarray(values), (3, 1)).astype(np.float32)
    return smooth.reshape(len(points), len(offsets), 3)


def _robust_line(t: Array, offsets: Array) -> tuple[float, float]:
    """Return slope and shift of the line that most offsets agree with (Theil-Sen)."""
    first, second = _pairs(len(t))
    apart = t[second] - t[first]
    slope = _median((offsets[second] - offsets[first]) / apart)
    return slope, _median(offsets - slope * t)


@cache
def _pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of the first and the second of all pairs that are four apart
    at least."""
    first, second = np.triu_indices(count, 4)
    return first, second


def _median(values: Array) -> float:
    """Return the median of (N,) values: NumPy's own is ten times slower for so few."""
    ordered = np.sort(values)
    middle = len(ordered) // 2
    return float(ordered[middle] + ordered[~middle]) / 2


def _meet(one: Line, other: Line) -> Array | None:
    (p, q), (r, s) = one, other
    (ax, ay), (bx, by) = q - p, s - r
    turn = float(ax * by - ay * bx)
    if abs(turn) < 1e-6:
        return None
    dx, dy = r - p
    return np.asarray(p + (dx * by - dy * bx) / turn * (q - p), float)
