"""The printed ChArUco sheet, as it is seen in one picture.

Rows are odd in number, for OpenCV 4.6 changed the pattern of even ones (contrib 3291).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.blur import Blur, edge_widths, explain
from vision.edges import linear_light, sample
from vision.geometry import Camera
from vision.pose import KnownPoints, fit_pose
from vision.types import Array, Bgr, TableNotFound

DICTIONARY = cv2.aruco.DICT_5X5_100
"""Another one than that of corner markers, so that neither is taken for the other."""
FEWEST_CORNERS = 12
SMALLEST_SQUARE_PX = 9.0
MAX_BLUR_SHARE = 0.11
"""Of a square's side; beyond it, corners are pulled by what lies beside them."""
MAX_BLUR_PX = 3.5
MAX_SMEAR_PX = 2.0


@dataclass(frozen=True, slots=True)
class Sheet:
    """The printed sheet; the default fits A4 across."""

    columns: int = 11
    rows: int = 7
    square_mm: float = 24.0
    marker_mm: float = 18.0

    @property
    def size_mm(self) -> tuple[float, float]:
        """Return width and height."""
        return self.columns * self.square_mm, self.rows * self.square_mm

    def board(self) -> Any:
        """Return OpenCV's board."""
        dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
        size = (self.columns, self.rows)
        return cv2.aruco.CharucoBoard(size, self.square_mm, self.marker_mm, dictionary)

    def picture(self, px_per_mm: float) -> NDArray[np.uint8]:
        """Return the (H, W) picture to print, without margin."""
        w, h = self.size_mm
        size = (round(w * px_per_mm), round(h * px_per_mm))
        return np.asarray(self.board().generateImage(size), np.uint8).reshape(
            size[::-1]
        )

    def corner_mm(self, ids: NDArray[np.int64]) -> Array:
        """Return the (N, 2) places of inner corners: x right, y *down*, from the top
        left of the sheet."""
        across = self.columns - 1
        at = np.column_stack([ids % across + 1, ids // across + 1])
        return np.asarray(at * self.square_mm, float)


@dataclass(frozen=True, slots=True, eq=False)
class SheetSeen:
    """The sheet in one picture, good enough to calibrate with."""

    corners_px: Array
    """(N, 2)"""
    ids: NDArray[np.int64]
    """(N,) of the inner corners."""
    corners_mm: Array
    """(N, 2) y down."""
    size_px: tuple[int, int]
    """Width and height of the picture."""
    tilt_deg: float
    """Between the view and the sheet's normal, by a rough camera."""
    way_deg: float
    """The side to which it leans, in the picture."""
    square_px: float
    blur: Blur


@dataclass(frozen=True, slots=True)
class SheetUnseen:
    """This picture is of no use: an expected outcome, a value.

    Codes: ``no_sheet``, ``few_corners``, ``too_far``, ``blurred``, ``moving``.
    """

    reason: str


def see_sheet(bgr: Bgr, sheet: Sheet) -> SheetSeen | SheetUnseen:
    """Return the corners of the sheet in this picture, or why it is of no use."""
    detector = cv2.aruco.CharucoDetector(sheet.board())
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    found: tuple[Any, ...] = detector.detectBoard(gray)
    corners, ids = found[:2]
    if ids is None:
        return SheetUnseen("no_sheet")
    # OpenCV 5 returns (N, 2) and (N,), OpenCV 4 (N, 1, 2) and (N, 1).
    seen_px = np.asarray(corners, float).reshape(-1, 2)
    numbers = np.ravel(ids).astype(np.int64)
    if len(numbers) < FEWEST_CORNERS or _on_a_line(numbers, sheet):
        return SheetUnseen("few_corners")
    corners_mm = sheet.corner_mm(numbers)
    edges = _edges(numbers, sheet)
    square = float(
        np.median([np.linalg.norm(seen_px[b] - seen_px[a]) for a, b in edges])
    )
    if square < SMALLEST_SQUARE_PX:
        return SheetUnseen("too_far")
    blur = _blur(bgr, seen_px, edges, square)
    if blur.smear_px > MAX_SMEAR_PX and blur.smear_px > 0.08 * square:
        return SheetUnseen("moving")
    if blur.own_px > min(MAX_BLUR_PX, max(1.3, MAX_BLUR_SHARE * square)):
        return SheetUnseen("blurred")
    tilt, way = _lean(bgr, seen_px, corners_mm)
    size = (bgr.shape[1], bgr.shape[0])
    return SheetSeen(seen_px, numbers, corners_mm, size, tilt, way, square, blur)


def _edges(ids: NDArray[np.int64], sheet: Sheet) -> list[tuple[int, int]]:
    """Return pairs of corners, by index, that are ends of one square's side."""
    place = {int(id): index for index, id in enumerate(ids)}
    across = sheet.columns - 1
    pairs = []
    for id, index in place.items():
        if (id + 1) % across and id + 1 in place:
            pairs.append((index, place[id + 1]))
        if id + across in place:
            pairs.append((index, place[id + across]))
    return pairs or [(0, 1)]


def _blur(
    bgr: Bgr, corners: Array, edges: list[tuple[int, int]], square: float
) -> Blur:
    chosen = edges[:: max(1, len(edges) // 40)]
    reach = float(np.clip(0.2 * square, 2.5, 8.0))
    at = np.arange(-reach, reach + 0.26, 0.5)
    starts = corners[[a for a, _ in chosen]]
    ends = corners[[b for _, b in chosen]]
    along = ends - starts
    normals = np.column_stack([-along[:, 1], along[:, 0]])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    t = np.linspace(0.38, 0.62, 5)[:, None, None]
    points = (starts + t * along).transpose(1, 0, 2)
    places = points[:, :, None] + at[None, None, :, None] * normals[:, None, None]
    low = np.floor(places.min((0, 1, 2))).astype(int) - 2
    high = np.ceil(places.max((0, 1, 2))).astype(int) + 3
    left, top = max(int(low[0]), 0), max(int(low[1]), 0)
    light = linear_light(bgr[top : int(high[1]), left : int(high[0])])
    rows = sample(light, places, origin_px=np.array([left, top])).mean(1)
    return explain([edge_widths(rows, at, normals)])


def _lean(bgr: Bgr, corners_px: Array, corners_mm: Array) -> tuple[float, float]:
    camera = Camera.guess(bgr.shape[1], bgr.shape[0])
    points = KnownPoints(corners_px, corners_mm * [1, -1], 0.5)
    found = fit_pose(points, camera)
    if isinstance(found, TableNotFound):
        return 0.0, 0.0
    normal = found.rotation[:, 2]
    tilt = math.degrees(math.acos(min(1.0, abs(float(normal[2])))))
    return tilt, math.degrees(math.atan2(normal[1], normal[0]))


def _on_a_line(ids: NDArray[np.int64], sheet: Sheet) -> bool:
    across = sheet.columns - 1
    return len(np.unique(ids % across)) < 3 or len(np.unique(ids // across)) < 3
