"""Printed corner markers: where they are on the table, and where they are seen.

Markers are ArUco, 4 x 4 cells, ids 0 to 3 counter-clockwise from the near left corner.
A false marker is common (OpenCV PR 28289, F-61): only the ids of the board count, and
what they say of the table must agree. A marker needs a white margin of one cell (F-58).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.edges import fit_steps, linear_light
from vision.medians import median_of
from vision.rim import stacked
from vision.types import Array, Bgr

DICTIONARY = cv2.aruco.DICT_4X4_50
MIN_SIDE_PX = 10.0
SIDE_SAMPLES, ACROSS_SAMPLES = 24, 17
CORNER_INSET = 0.12
"""Share of a side left out at both ends: there the blur of the other side begins."""
WIDE_SHARE, NEAR_SHARE = 1 / 6, 1 / 9
"""Of a side: how far its edge is looked for at first, for OpenCV's corners are off by
a px or two; and then, clear of the cells within."""
BLUR_SHARE, BLURS_PX = 1 / 27, (0.7, 1.2)
"""Edges are taken for that blurred. In cells of 3 px a wider step takes in the next
one: of 78 small markers a third were off by 0.3 px and more, with this none."""

QUICK_WINDOW_PX, QUICK_WIDE_PX = 13, 1600
"""Of the threshold of a quick look, the middle one of three; and how large a picture is
to be looked at half as large."""


@dataclass(frozen=True, slots=True, eq=False)
class MarkerBoard:
    """The markers that belong to one mat, and where they lie."""

    corners_mm: Mapping[int, Array]
    """Id -> (4, 2) corners on the table, clockwise seen from above, from the marker's
    own top left."""


@dataclass(frozen=True, slots=True, eq=False)
class MarkerSeen:
    """One marker in the picture."""

    id: int
    corners_px: Array
    """(4, 2), clockwise in the image from the marker's own top left."""
    is_fitted: bool = True
    """Whether its sides were fitted; else corners are whole pixels."""


def corner_board(
    rectangle_mm: tuple[float, float, float, float], marker_mm: float
) -> MarkerBoard:
    """Return markers whose *centres* lie on the corners of a rectangle.

    `rectangle_mm` is left, low, right, high; `marker_mm` the side of the black square.
    All stand upright: their top edge is the one farther from the near edge.
    """
    left, low, right, high = rectangle_mm
    half = marker_mm / 2
    square = np.array([[-half, half], [half, half], [half, -half], [-half, -half]])
    centres = [(left, low), (right, low), (right, high), (left, high)]
    return MarkerBoard({i: square + np.array(at) for i, at in enumerate(centres)})


def marker_picture(id: int, cell_px: int) -> NDArray[np.uint8]:
    """Return the (8 c, 8 c) picture of a marker with its white margin: 6 x 6 cells
    black and white, one cell of margin around."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    black = cv2.aruco.generateImageMarker(dictionary, id, 6 * cell_px)
    return np.asarray(np.pad(black, cell_px, constant_values=255), np.uint8)


def find_markers(
    bgr: Bgr, ids: Sequence[int] | None = None, *, quick: bool = False
) -> tuple[MarkerSeen, ...]:
    """Return the markers in the picture by id, of each id the largest first: a copy, a
    reflection or a false reading may show one twice.

    Their sides are fitted to sub-pixel. OpenCV's refinement is not trusted: edges near
    by pull it away by pixels (OpenCV 24113, F-60). With `quick` the picture is looked
    at with one threshold instead of three, a large one half as large: this misses some.
    """
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    parameters.minMarkerPerimeterRate = 0.01
    # With the usual four samples a cell, blurred or slanting cells are misread.
    parameters.perspectiveRemovePixelPerCell = 8
    half = quick and max(bgr.shape[:2]) >= QUICK_WIDE_PX
    if quick:
        parameters.adaptiveThreshWinSizeMin = QUICK_WINDOW_PX
        parameters.adaptiveThreshWinSizeMax = QUICK_WINDOW_PX
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    detector = cv2.aruco.ArucoDetector(dictionary, parameters)
    picture = np.asarray(cv2.resize(bgr, None, fx=0.5, fy=0.5)) if half else bgr
    quads, found, _ = detector.detectMarkers(picture)
    if found is None:
        return ()
    seen = []
    # OpenCV 5 returns ids as (N,), OpenCV 4 as (N, 1).
    for id, quad in zip(map(int, np.ravel(found)), quads, strict=True):
        if ids is None or id in ids:
            at = np.asarray(quad, float).reshape(4, 2)
            seen.append((id, 2 * at + 0.5 if half else at))
    seen.sort(key=lambda marker: (marker[0], -_area(marker[1])))
    corners = np.array([quad for _, quad in seen]).reshape(-1, 4, 2)
    return fitted_markers(bgr, [id for id, _ in seen], corners)


def fitted_markers(
    bgr: Bgr, ids: Sequence[int], corners_px: Array
) -> tuple[MarkerSeen, ...]:
    """Return markers of which (K, 4, 2) rough corners are known."""
    quads, good = fit_squares(bgr, corners_px)
    each = zip(ids, quads, good.tolist(), strict=True)
    return tuple(MarkerSeen(id, quad, fitted) for id, quad, fitted in each)


def fit_squares(bgr: Bgr, corners_px: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the (K, 4, 2) corners where lines through the edges of dark squares meet,
    and (K,) whether they do.

    Where an edge cannot be seen well the given corners come back.
    """
    result, fitted = corners_px.copy(), np.zeros(len(corners_px), bool)
    shortest = _lengths(corners_px).min(axis=1, initial=np.inf)
    chosen = np.flatnonzero(shortest >= MIN_SIDE_PX)
    windows = [_window(bgr, corners_px[n]) for n in chosen]
    seen = [n for n, (part, _) in enumerate(windows) if min(part.shape[:2]) >= 4]
    chosen, windows = chosen[seen], [windows[n] for n in seen]
    if not len(chosen):
        return result, fitted
    first, least = corners_px[chosen], shortest[chosen]
    corners, good = first, np.ones(len(chosen), bool)
    for share, steps in ((WIDE_SHARE, 4), (NEAR_SHARE, 2), (NEAR_SHARE, 1)):
        lines, clear = _sides(windows, corners, least, share, steps)
        met = _meet(np.roll(lines, 1, axis=1), lines)
        off = np.abs(met - first).max(axis=(1, 2))
        good &= clear & (off <= 0.15 * least + 1.5)
        corners = np.where(good[:, None, None], met, first)
    result[chosen], fitted[chosen] = corners, good
    return result, fitted


def _lengths(corners: Array) -> Array:
    return np.asarray(np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2))


_Window = tuple[NDArray[np.float32], Array]
"""Linear light around a marker, and (2,) px of its first pixel."""


def _window(bgr: Bgr, corners: Array) -> _Window:
    low = np.maximum(np.floor(corners.min(0)).astype(int) - 9, 0)
    high = np.maximum(np.ceil(corners.max(0)).astype(int) + 10, 0)
    part = bgr[low[1] : high[1], low[0] : high[0]]
    return (linear_light(part) if part.size else np.zeros((0, 0, 3), np.float32)), low


def _sides(
    windows: Sequence[_Window],
    corners: Array,
    shortest: Array,
    share: float,
    steps: int,
) -> tuple[Array, NDArray[np.bool_]]:
    """Return (K, 4, 3) lines (nx, ny, c) with nx x + ny y = c through the sides of
    squares, and (K,) whether all four are seen well."""
    count = len(corners)
    reach = np.clip(shortest * share, 2.0, 6.0)
    at = reach[:, None] * np.linspace(-1, 1, ACROSS_SAMPLES)
    along = np.roll(corners, -1, axis=1) - corners
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    outward /= np.linalg.norm(along, axis=-1, keepdims=True)
    t = np.linspace(CORNER_INSET, 1 - CORNER_INSET, SIDE_SAMPLES)
    points = corners[:, :, None] + t[:, None] * along[:, :, None]
    places = (
        points[:, :, :, None] + at[:, None, None, :, None] * outward[:, :, None, None]
    )
    origin = np.array([low for _, low in windows])[:, None, None, None]
    local = (places - origin).reshape(count, -1, ACROSS_SAMPLES, 2)
    rows = stacked([light for light, _ in windows], local.transpose(3, 0, 1, 2))
    found = fit_steps(
        rows.reshape(-1, *rows.shape[2:]),
        np.repeat(at, 4 * SIDE_SAMPLES, axis=0),
        np.repeat(np.clip(shortest * BLUR_SHARE, *BLURS_PX), 4 * SIDE_SAMPLES),
        start_px=np.zeros(count * 4 * SIDE_SAMPLES),
        steps=steps,
    )
    edge = found.at_px.reshape(count, 4, -1)
    inside = np.abs(edge) < reach[:, None, None] - 0.5
    clear = (found.jump.reshape(edge.shape) > 12) & inside
    edges = points + edge[..., None] * outward[:, :, None]
    many = clear.sum(axis=2).min(axis=1) >= SIDE_SAMPLES // 3
    flat = _lines(
        edges.reshape(-1, SIDE_SAMPLES, 2),
        clear.reshape(-1, SIDE_SAMPLES),
        outward.reshape(-1, 2),
    )
    return flat.reshape(count, 4, 3), np.asarray(many, bool)


def _lines(points: Array, clear: NDArray[np.bool_], outward: Array) -> Array:
    """Return (K, 3) lines (nx, ny, c) through most of the (K, N, 2) points."""
    weight = clear.astype(float)
    for _ in range(5):
        total = np.maximum(weight.sum(axis=1), 1e-9)
        middle = (weight[..., None] * points).sum(axis=1) / total[:, None]
        away = points - middle[:, None]
        spread = (weight[..., None] * away).swapaxes(1, 2) @ away
        # The line runs along the longer axis of the points, its normal across it.
        turn = np.arctan2(2 * spread[:, 0, 1], spread[:, 0, 0] - spread[:, 1, 1]) / 2
        normal = np.column_stack([-np.sin(turn), np.cos(turn)])
        normal *= np.where((normal * outward).sum(axis=1) < 0, -1.0, 1.0)[:, None]
        left = np.abs((away * normal[:, None]).sum(axis=-1))
        usual = median_of(left, clear, default=0.0)
        scale = np.maximum(1.5 * usual, 0.05)[:, None]
        weight = clear / (1 + (left / (2 * scale)) ** 2) ** 2
    return np.column_stack([normal, (normal * middle).sum(axis=1)])


def _meet(one: Array, other: Array) -> Array:
    """Return (K, 4, 2) where (K, 4, 3) lines meet; parallel ones do far away."""
    (a, b, c), (d, e, f) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    determinant = a * e - b * d
    flat = np.where(np.abs(determinant) < 1e-3, 1e-9, determinant)
    return np.stack([c * e - b * f, a * f - c * d], axis=-1) / flat[..., None]


def _area(quad: Array) -> float:
    return float(abs(cv2.contourArea(quad.astype(np.float32))))
