"""A camera's intrinsics and distortion from pictures of a printed ChArUco sheet.

People take pictures too alike (F-57): `progress` says which part of the picture, which
lean and which distance are still missing. The result states its covariance, from the
same least squares, the poses of the sheet being eliminated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import Camera
from vision.sheet import SheetSeen
from vision.types import Array

GRID = (4, 3)
"""Columns and rows of the coverage gauge."""
ENOUGH_COVERED = 0.8
FEWEST_VIEWS = 8
LEANING_DEG = 15.0
FEWEST_LEANING = 4
WORST_VIEW_RATIO = 3.0
MAX_RMS_PX = 1.5
MAX_FOCAL_SIGMA = 0.02
PARAMETERS = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")


@dataclass(frozen=True, slots=True)
class Progress:
    """What the views so far cover, and what to do next."""

    views: int
    covered: float
    """Share of the cells of the picture in which corners were seen, in [0, 1]."""
    cells: tuple[tuple[bool, ...], ...]
    """Row by row from the top, which were."""
    leaning: int
    """Views in which the sheet leans, each to a side of its own."""
    wish: str
    """``enough``, ``more_views``, ``lean`` (tilt the sheet to another side), or
    ``show_<vertical>_<horizontal>``: hold it there in the picture, such as
    ``show_top_left`` or ``show_middle_centre``."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A measured camera."""

    camera: Camera
    covariance: Array
    """(9, 9) of `PARAMETERS`, in px and as distortion has it."""
    rms_px: float
    """Reprojection error."""
    views: int
    dropped: int
    """Views left out because they did not fit the others."""
    covered: float


@dataclass(frozen=True, slots=True)
class NotCalibrated:
    """The views do not say enough: an expected outcome, a value.

    Codes: ``few_views``, ``sizes_differ`` (pictures of several sizes), ``too_alike``
    (the focal length stays uncertain), ``poor_fit`` (with the reprojection error).
    """

    reason: str
    value: float = 0.0


def progress(views: Sequence[SheetSeen]) -> Progress:
    """Return what the views cover and what is still wished for."""
    columns, rows = GRID
    seen = np.zeros((rows, columns), bool)
    for view in views:
        cell = view.corners_px / np.array(view.size_px) * [columns, rows]
        x, y = np.floor(cell).astype(int).T
        seen[y.clip(0, rows - 1), x.clip(0, columns - 1)] = True
    leaning = _different_leans(views)
    covered = float(seen.mean())
    wish = "enough"
    if covered < ENOUGH_COVERED or not seen[[0, 0, -1, -1], [0, -1, 0, -1]].all():
        wish = _missing_part(seen)
    elif leaning < FEWEST_LEANING:
        wish = "lean"
    elif len(views) < FEWEST_VIEWS:
        wish = "more_views"
    cells = tuple(tuple(bool(cell) for cell in row) for row in seen)
    return Progress(len(views), covered, cells, leaning, wish)


def is_news(views: Sequence[SheetSeen], view: SheetSeen) -> bool:
    """Return whether a view differs enough from those before to be kept."""
    middle = view.corners_px.mean(axis=0)
    diagonal = float(np.hypot(*view.size_px))
    for other in views:
        near = np.linalg.norm(other.corners_px.mean(axis=0) - middle) < 0.06 * diagonal
        same_size = 0.87 < other.square_px / view.square_px < 1.15
        if near and same_size and _lean_apart(other, view) < 8:
            return False
    return True


def calibrate(views: Sequence[SheetSeen]) -> Calibration | NotCalibrated:
    """Return the camera that explains the views best.

    Views that do not fit (the sheet was bent, the picture smeared) are left out once.
    """
    if len({view.size_px for view in views}) > 1:
        return NotCalibrated("sizes_differ")
    if len(views) < FEWEST_VIEWS:
        return NotCalibrated("few_views", len(views))
    matrix, bend, poses, errors = _solve(views)
    kept = errors < WORST_VIEW_RATIO * np.median(errors)
    chosen = [view for view, keep in zip(views, kept, strict=True) if keep]
    if len(chosen) < len(views) and len(chosen) >= FEWEST_VIEWS:
        matrix, bend, poses, errors = _solve(chosen)
    else:
        chosen = list(views)
    rms = float(np.sqrt(np.mean(errors**2)))
    if rms > MAX_RMS_PX:
        return NotCalibrated("poor_fit", round(rms, 3))
    covariance = _covariance(chosen, matrix, bend, poses)
    focal = float(matrix[0, 0] + matrix[1, 1]) / 2
    focal_sigma = float(np.sqrt(covariance[:2, :2].mean())) / focal
    if not focal_sigma < MAX_FOCAL_SIGMA:
        return NotCalibrated("too_alike", round(focal_sigma, 4))
    width, height = chosen[0].size_px
    camera = Camera(
        width,
        height,
        (float(matrix[0, 0]), float(matrix[1, 1])),
        (float(matrix[0, 2]), float(matrix[1, 2])),
        focal_sigma,
        bend,
        float(np.sqrt(np.diag(covariance)[2:4].mean())) / width,
    )
    covered = progress(chosen).covered
    dropped = len(views) - len(chosen)
    return Calibration(camera, covariance, rms, len(chosen), dropped, covered)


def _solve(
    views: Sequence[SheetSeen],
) -> tuple[Array, Array, list[tuple[Array, Array]], Array]:
    """Return (3, 3) intrinsics, (5,) distortion, poses, and (N,) errors of views."""
    flat = [
        np.column_stack([view.corners_mm, np.zeros(len(view.ids))]).astype(np.float32)
        for view in views
    ]
    seen = [view.corners_px.astype(np.float32) for view in views]
    # k3 takes up noise rather than lens where corners are few; it stays 0.
    found = cv2.calibrateCameraExtended(
        flat, seen, views[0].size_px, np.eye(3), np.zeros(5), flags=cv2.CALIB_FIX_K3
    )
    _, matrix, bend, turns, shifts, _, _, errors = found
    poses = [
        (np.asarray(turn, float).ravel(), np.asarray(shift, float).ravel())
        for turn, shift in zip(turns, shifts, strict=True)
    ]
    distortion = np.zeros(5)
    distortion[: min(5, np.size(bend))] = np.ravel(bend)[:5]
    return np.asarray(matrix, float), distortion, poses, np.ravel(errors).astype(float)


def _covariance(
    views: Sequence[SheetSeen],
    matrix: Array,
    bend: Array,
    poses: Sequence[tuple[Array, Array]],
) -> Array:
    common, squared, count = np.zeros((9, 9)), 0.0, 0
    for view, (turn, shift) in zip(views, poses, strict=True):
        flat = np.column_stack([view.corners_mm, np.zeros(len(view.ids))])
        seen, slopes = cv2.projectPoints(flat, turn, shift, matrix, bend)
        left = view.corners_px - np.asarray(seen, float).reshape(-1, 2)
        by = np.asarray(slopes, float)
        of_pose, of_camera = by[:, :6], by[:, 6:15]
        hidden = np.linalg.solve(of_pose.T @ of_pose, of_pose.T @ of_camera)
        common += of_camera.T @ (of_camera - of_pose @ hidden)
        squared += float((left**2).sum())
        count += left.size - 6
    used = slice(0, 8)
    covariance = np.zeros((9, 9))
    variance = squared / max(count - 8, 1)
    covariance[used, used] = np.linalg.inv(common[used, used]) * variance
    return covariance


def _different_leans(views: Sequence[SheetSeen]) -> int:
    """Return how many views lean clearly, each to another side or by another angle."""
    kept: list[SheetSeen] = []
    for view in views:
        if view.tilt_deg < LEANING_DEG:
            continue
        if all(_lean_apart(view, other) > 12 for other in kept):
            kept.append(view)
    return len(kept)


def _lean_apart(one: SheetSeen, other: SheetSeen) -> float:
    """Return the angle between the normals of the sheet in two views, degrees."""
    normals = []
    for view in (one, other):
        tilt, way = np.radians([view.tilt_deg, view.way_deg])
        flat = np.sin(tilt)
        normals.append([flat * np.cos(way), flat * np.sin(way), np.cos(tilt)])
    cosine = float(np.clip(np.dot(normals[0], normals[1]), -1, 1))
    return float(np.degrees(np.arccos(cosine)))


def _missing_part(seen: Array) -> str:
    """Return the wish for the part of the picture of which most is missing."""
    rows, columns = seen.shape
    vertical = np.array(["top", "middle", "bottom"])[np.arange(rows) * 3 // rows]
    horizontal = np.array(["left", "centre", "centre", "right"])[
        np.arange(columns) * 4 // columns
    ]
    corner_first = [(0, 0), (0, columns - 1), (rows - 1, columns - 1), (rows - 1, 0)]
    others = [(r, c) for r in range(rows) for c in range(columns)]
    for row, column in (*corner_first, *others):
        if not seen[row, column]:
            return f"show_{vertical[row]}_{horizontal[column]}"
    return "more_views"
