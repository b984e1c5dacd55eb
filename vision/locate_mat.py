"""The table map from a picture of the mat, taken once from above: no stickers needed.

Features find the mat (SIFT, robust homography); then patches all over it are followed
to a fraction of a pixel, and the pose is fitted to those that hold. What lies on the
mat hides some and does no harm. A mirrored mat and another one are told apart from it,
not fitted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.pose import KnownPoints, fit_pose, missed_px
from vision.types import Array, Bgr, TableNotFound

MAT_LONG_PX = 1000
"""Long side of the mat's picture as it is kept."""
VIEW_LONG_PX = 1100
"""Long side of the photo in which features are looked for."""
FEATURES = 2500
RATIO = 0.8
MIN_INLIERS = 20
FOLLOWED = 400
PATCH_PX = (17, 17)
MIN_FOLLOWED = 12
FOLLOW_SIGMA_PX = 0.25
AREAS = 4
"""The mat is cut into so many by so many; patches of one err together."""
MIN_AREAS = 3
CELLS, PLAIN_LEVELS = 8, 4.0
"""Cells of the mat that are compared; how much one must vary at least, in levels."""
ALIKE, MOST_ALIKE = 0.4, 0.5
"""Correlation of a cell with its picture, and the share of cells that must have it."""

Gray = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class MatReference:
    """A mat that can be recognised."""

    gray: Gray
    """(H, W) straightened picture, first row farthest from the near edge."""
    bounds_mm: tuple[float, float, float, float]
    """Left, low, right, high edge of the picture on the table."""
    keypoints_px: Array
    """(N, 2)"""
    descriptors: NDArray[np.float32]
    """(N, 128)"""

    def to_mm(self, points_px: Array) -> Array:
        """Return (N, 2) mm of points of the mat's picture."""
        left, low, right, high = self.bounds_mm
        h, w = self.gray.shape
        x = left + (points_px[:, 0] + 0.5) / w * (right - left)
        y = high - (points_px[:, 1] + 0.5) / h * (high - low)
        return np.column_stack([x, y])


def register_mat(
    bgr: Bgr, bounds_mm: tuple[float, float, float, float]
) -> MatReference:
    """Return the reference made of a straightened picture of an empty mat."""
    scale = min(1.0, MAT_LONG_PX / max(bgr.shape[:2]))
    small = _resized(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), scale)
    points, descriptors = _features(small)
    return MatReference(small, bounds_mm, points, descriptors)


def locate_by_mat(
    bgr: Bgr, mat: MatReference, camera: Camera
) -> TableMap | TableNotFound:
    """Return the map of the table on which this mat lies.

    Reasons for none: ``mat_not_seen`` (another mat, or too little of it),
    ``mirrored`` (a flipped picture would fit better), ``inconsistent`` (it does not lie
    flat, or is not of that size), ``horizon``. Mats whose halves look alike may get
    another of these names; none of them is taken for found.
    """
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    scale = min(1.0, VIEW_LONG_PX / max(gray.shape))
    small = _resized(gray, scale)
    points, descriptors = _features(small)
    found = _match(mat, mat.keypoints_px, mat.descriptors, points, descriptors)
    if found is None:
        return TableNotFound("mirrored" if _is_flipped(mat, small) else "mat_not_seen")
    mat_px, seen_px = found
    first = fit_pose(
        KnownPoints((seen_px + 0.5) / scale - 0.5, mat.to_mm(mat_px), 1.0),
        camera,
        robust=True,
    )
    if isinstance(first, TableNotFound):
        return first
    try:
        return _followed(gray, mat, camera, first)
    except GeometryError:
        return TableNotFound("inconsistent")


def follow_mat(
    gray: Gray, mat: MatReference, table: TableMap, camera: Camera | None = None
) -> KnownPoints | TableNotFound:
    """Return patches of the mat with where they are now seen, near a known map.

    (N, 2) each; those that cannot be followed both ways are left out.
    """
    h, w = mat.gray.shape
    corners = cv2.goodFeaturesToTrack(mat.gray, FOLLOWED, 0.01, 0.018 * max(h, w))
    if corners is None:
        return TableNotFound("mat_not_seen")
    own = np.asarray(corners, float).reshape(-1, 2)
    view = _as_seen_from_above(gray, mat, table)
    start = own.astype(np.float32).reshape(-1, 1, 2)
    moved, ok, _ = cv2.calcOpticalFlowPyrLK(
        mat.gray, view, start, start.copy(), winSize=PATCH_PX, maxLevel=3
    )
    back, ok_back, _ = cv2.calcOpticalFlowPyrLK(
        view, mat.gray, moved, np.array(moved), winSize=PATCH_PX, maxLevel=3
    )
    there_and_back = np.linalg.norm((back - start).reshape(-1, 2), axis=1)
    kept = (np.ravel(ok) > 0) & (np.ravel(ok_back) > 0) & (there_and_back < 0.3)
    if kept.sum() < MIN_FOLLOWED:
        return TableNotFound("mat_not_seen")
    seen_mm = mat.to_mm(np.asarray(moved, float).reshape(-1, 2)[kept])
    seen_px = table.to_image(seen_mm)
    size = np.array([gray.shape[1], gray.shape[0]])
    inside = ((seen_px > 2) & (seen_px < size - 3)).all(axis=1)
    cells = np.floor(own[kept] / [w, h] * AREAS).astype(int)
    groups = cells[:, 0] + AREAS * cells[:, 1]
    if inside.sum() < MIN_FOLLOWED:
        return TableNotFound("mat_not_seen")
    return KnownPoints(
        seen_px[inside], mat.to_mm(own[kept])[inside], FOLLOW_SIGMA_PX, groups[inside]
    )


def _followed(
    gray: Gray, mat: MatReference, camera: Camera, first: TableMap
) -> TableMap | TableNotFound:
    table = first
    for _ in range(2):
        points = follow_mat(gray, mat, table)
        if isinstance(points, TableNotFound):
            return points
        missed = missed_px(table, points)
        near = missed < np.median(missed) * 3 + 1.5
        assert points.groups is not None
        if len(np.unique(points.groups[near])) < MIN_AREAS:
            return TableNotFound("mat_not_seen")
        agreed = KnownPoints(
            points.px[near], points.mm[near], points.sigma_px, points.groups[near]
        )
        fitted = fit_pose(agreed, camera, robust=True)
        if isinstance(fitted, TableNotFound):
            return fitted
        table = fitted
    if not _looks_alike(gray, mat, table):
        return TableNotFound("mat_not_seen")
    left = missed_px(table, agreed)
    if float(np.median(left)) > 1.5 + 0.002 * max(gray.shape):
        return TableNotFound("inconsistent")
    return table


def _looks_alike(gray: Gray, mat: MatReference, table: TableMap) -> bool:
    """Return whether most of the mat looks as registered: mats of one publisher share
    frames and markers, and what is between them differs."""
    view = _as_seen_from_above(gray, mat, table).astype(float)
    own = mat.gray.astype(float)
    h, w = own.shape
    alike, told = 0, 0
    for rows in np.array_split(np.arange(h), CELLS):
        for columns in np.array_split(np.arange(w), CELLS):
            cell = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            a, b = view[cell] - view[cell].mean(), own[cell] - own[cell].mean()
            if max(a.std(), b.std()) < PLAIN_LEVELS:
                continue
            told += 1
            length = float(np.linalg.norm(a) * np.linalg.norm(b)) + 1e-9
            alike += float((a * b).sum()) / length > ALIKE
    return alike >= MOST_ALIKE * told


def _as_seen_from_above(gray: Gray, mat: MatReference, table: TableMap) -> Gray:
    """Return the photo straightened onto the mat's picture."""
    h, w = mat.gray.shape
    step = 16
    columns = np.arange(-(-w // step) + 1) * step
    rows = np.arange(-(-h // step) + 1) * step
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2).astype(float)
    seen = table.to_image(mat.to_mm(grid)).reshape(len(rows), len(columns), 2)
    at_x, at_y = np.meshgrid(
        np.arange(w, dtype=np.float32) / step, np.arange(h, dtype=np.float32) / step
    )
    fine = cv2.remap(seen.astype(np.float32), at_x, at_y, cv2.INTER_LINEAR)
    # Where the photo is much finer than the mat's picture it is smoothed first.
    coarser = float(np.linalg.norm(seen[0, 0] - seen[-1, -1])) / math.hypot(w, h)
    soft = gray if coarser < 1.3 else cv2.GaussianBlur(gray, (0, 0), 0.45 * coarser)
    at = np.asarray(fine, np.float32)
    flat = cv2.remap(soft, at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    return np.asarray(flat, np.uint8)


def _match(
    mat: MatReference,
    own: Array,
    own_descriptors: NDArray[np.float32],
    points: Array,
    descriptors: NDArray[np.float32],
) -> tuple[Array, Array] | None:
    """Return (N, 2) points of the mat and of the view that one homography joins."""
    if len(points) < MIN_INLIERS or len(own) < MIN_INLIERS:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(own_descriptors, descriptors, k=2)
    good = [
        p[0] for p in pairs if len(p) == 2 and p[0].distance < RATIO * p[1].distance
    ]
    if len(good) < MIN_INLIERS:
        return None
    from_mat = own[[m.queryIdx for m in good]]
    seen = points[[m.trainIdx for m in good]]
    matrix, mask = cv2.findHomography(
        from_mat.astype(np.float32), seen.astype(np.float32), cv2.USAC_MAGSAC, 4.0
    )
    inlier = np.ravel(mask) > 0
    # Chance alone joins a few of very many matches.
    if inlier.sum() < max(MIN_INLIERS, 0.12 * len(good)):
        return None
    spread = np.ptp(from_mat[inlier], axis=0) / mat.gray.shape[::-1]
    if spread.min() < 0.2 or np.linalg.det(matrix[:2, :2]) <= 0:
        return None
    return from_mat[inlier], seen[inlier]


def _is_flipped(mat: MatReference, small: Gray) -> bool:
    points, descriptors = _features(np.ascontiguousarray(small[:, ::-1]))
    return (
        _match(mat, mat.keypoints_px, mat.descriptors, points, descriptors) is not None
    )


def _features(gray: Gray) -> tuple[Array, NDArray[np.float32]]:
    sift = cv2.SIFT.create(nfeatures=FEATURES, contrastThreshold=0.02)
    keypoints, descriptors = sift.detectAndCompute(gray, None)
    if descriptors is None:
        return np.empty((0, 2)), np.empty((0, 128), np.float32)
    points = np.array([keypoint.pt for keypoint in keypoints], float).reshape(-1, 2)
    return points, np.asarray(descriptors, np.float32)


def _resized(gray: NDArray[Any], scale: float) -> Gray:
    if scale == 1.0:
        return np.asarray(gray, np.uint8)
    size = (round(gray.shape[1] * scale), round(gray.shape[0] * scale))
    return np.asarray(cv2.resize(gray, size, interpolation=cv2.INTER_AREA), np.uint8)
