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

from vision.edges import STEPS, fit_steps, linear_light, sample
from vision.medians import median_of
from vision.types import Array, Bgr

DICTIONARY = cv2.aruco.DICT_4X4_50
MIN_SIDE_PX = 10.0
SIDE_SAMPLES = 24
CORNER_INSET = 0.12
"""Share of a side left out at both ends: there the blur of the other side begins."""


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


def find_markers(bgr: Bgr, ids: Sequence[int] | None = None) -> tuple[MarkerSeen, ...]:
    """Return the markers in the picture by id, of each id the largest first: a copy, a
    reflection or a false reading may show one twice.

    Their sides are fitted to sub-pixel. OpenCV's refinement is not trusted: edges near
    by pull it away by pixels (OpenCV 24113, F-60).
    """
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    parameters.minMarkerPerimeterRate = 0.01
    # With the usual four samples a cell, blurred or slanting cells are misread.
    parameters.perspectiveRemovePixelPerCell = 8
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    detector = cv2.aruco.ArucoDetector(dictionary, parameters)
    quads, found, _ = detector.detectMarkers(bgr)
    if found is None:
        return ()
    seen = []
    # OpenCV 5 returns ids as (N,), OpenCV 4 as (N, 1).
    for id, quad in zip(map(int, np.ravel(found)), quads, strict=True):
        if ids is None or id in ids:
            seen.append((id, np.asarray(quad, float).reshape(4, 2)))
    seen.sort(key=lambda marker: (marker[0], -_area(marker[1])))
    return tuple(MarkerSeen(id, fit_square(bgr, corners)) for id, corners in seen)


def fit_square(bgr: Bgr, corners_px: Array) -> Array:
    """Return the (4, 2) corners where lines through the edges of a dark square meet.

    Where an edge cannot be seen well the given corners come back.
    """
    sides = np.linalg.norm(np.roll(corners_px, -1, axis=0) - corners_px, axis=1)
    if sides.min() < MIN_SIDE_PX:
        return corners_px
    corners = corners_px
    for steps in (STEPS, 1):
        lines = _sides(bgr, corners, float(sides.min()), steps)
        if lines is None:
            return corners_px
        met = np.array([_meet(lines[i - 1], lines[i]) for i in range(4)])
        if not np.isfinite(met).all():
            return corners_px
        if np.abs(met - corners_px).max() > 0.15 * sides.min() + 1.5:
            return corners_px
        corners = met
    return corners


def _sides(bgr: Bgr, corners: Array, shortest: float, steps: int) -> Array | None:
    """Return (4, 3) lines (nx, ny, c) with nx x + ny y = c."""
    reach = float(np.clip(shortest / 9, 2.0, 6.0))
    at = np.arange(-reach, reach + 0.26, 0.5)
    low = np.floor(corners.min(0)).astype(int) - 9
    high = np.ceil(corners.max(0)).astype(int) + 10
    left, top = max(int(low[0]), 0), max(int(low[1]), 0)
    window = bgr[top : max(int(high[1]), 0), left : max(int(high[0]), 0)]
    if min(window.shape[:2]) < 4:
        return None
    along = np.roll(corners, -1, axis=0) - corners
    outward = np.column_stack([along[:, 1], -along[:, 0]])
    outward /= np.linalg.norm(along, axis=1, keepdims=True)
    t = np.linspace(CORNER_INSET, 1 - CORNER_INSET, SIDE_SAMPLES)
    points = corners[:, None] + t[:, None] * along[:, None]
    places = points[:, :, None] + at[:, None] * outward[:, None, None]
    every = places.reshape(-1, len(at), 2)
    rows = sample(linear_light(window), every, origin_px=np.array([left, top]))
    found = fit_steps(rows, at, 1.2, start_px=np.zeros(len(every)), steps=steps)
    clear = ((found.jump > 12) & (np.abs(found.at_px) < reach - 0.5)).reshape(4, -1)
    if clear.sum(axis=1).min() < SIDE_SAMPLES // 3:
        return None
    edges = points + found.at_px.reshape(4, -1, 1) * outward[:, None]
    return _lines(edges, clear, outward)


def _lines(points: Array, clear: NDArray[np.bool_], outward: Array) -> Array:
    """Return (K, 3) lines (nx, ny, c) through most of the (K, N, 2) points."""
    weight = clear.astype(float)
    for _ in range(5):
        total = weight.sum(axis=1)
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
    matrix = np.array([one[:2], other[:2]])
    if abs(np.linalg.det(matrix)) < 1e-3:
        return np.full(2, np.nan)
    return np.asarray(np.linalg.solve(matrix, [one[2], other[2]]), float)


def _area(quad: Array) -> float:
    return float(abs(cv2.contourArea(quad.astype(np.float32))))
