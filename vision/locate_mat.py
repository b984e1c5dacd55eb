"""The table map from a picture of the mat, taken once from above: no stickers needed.

Features find the mat (SIFT, robust homography); then patches all over it are followed
to a fraction of a pixel, and the pose is fitted to those that hold. What lies on the
mat hides some and does no harm. Whatever is found must then look like the mat, cell by
cell, and not as well the other way round; only what passes has a map. So a picture that
is mirrored is known by its mirror image passing, and everything else is another mat.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
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
SURE_SHARE = 0.35
"""Of the pairs, that must agree for the reason of a failed fit to be told."""
FOLLOWED = 400
PATCH_PX = (17, 17)
MIN_FOLLOWED = 12
FOLLOW_SIGMA_PX = 0.25
AREAS = 4
"""The mat is cut into so many by so many; patches of one err together."""
MIN_AREAS = 3
CELLS, FINE_CELLS, PLAIN_LEVELS = 8, 24, 4.0
"""Cells of the mat each way that are compared, to know the mat and which way round it
lies; how much one must vary at least, in levels."""
ALIKE, MOST_ALIKE = 0.4, 0.5
"""Correlation of a cell with its picture, and the share of cells that must have it."""
MIN_TOLD, CELL_IN_VIEW = 8, 0.9
"""Cells that must be compared, and the share of each that must be in the picture."""
CELL_PX = 40
"""Cells are compared at about so many px a side; twice as many cost four times more."""
CLEARLY_ROUND = 0.1
"""By how much the mean correlation of small cells must differ from that of the mat
turned by half: players on the wrong sides would be worse than no map."""

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
    bgr: Bgr
    """(H, W, 3) the same picture in colour."""

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
    small = np.asarray(_resized(bgr, scale), np.uint8)
    gray = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
    points, descriptors = _features(gray)
    return MatReference(gray, bounds_mm, points, descriptors, small)


def locate_by_mat(
    bgr: Bgr, mat: MatReference, camera: Camera
) -> TableMap | TableNotFound:
    """Return the map of the table on which this mat lies.

    Reasons for none: ``mat_not_seen`` (another mat, none, or too little of it),
    ``mirrored`` (the picture is flipped), ``either_way`` (the mat looks the same turned
    by half, and nothing tells which side is the near one), ``inconsistent`` (it does
    not lie flat, or is not of that size), ``horizon``.
    """
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    found = _located(gray, mat, camera)
    if isinstance(found, TableMap) or found.reason == "either_way":
        return found
    flipped = np.ascontiguousarray(gray[:, ::-1])
    mirrored = _located(flipped, mat, _flipped_camera(camera))
    if isinstance(mirrored, TableMap) or mirrored.reason == "either_way":
        return TableNotFound("mirrored")
    return found


def looks_like(bgr: Bgr, mat: MatReference, table: TableMap) -> bool:
    """Return whether what lies where a map says is this mat, that way round."""
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    return _alike(gray, mat, table) >= MOST_ALIKE


def _located(gray: Gray, mat: MatReference, camera: Camera) -> TableMap | TableNotFound:
    scale = min(1.0, VIEW_LONG_PX / max(gray.shape))
    points, descriptors = _features(_resized(gray, scale))
    pairs = _pairs(mat.descriptors, descriptors)
    for chosen in pairs:
        found = _joined(mat, points, chosen)
        if found is None:
            continue
        mat_px, seen_px = found
        known = KnownPoints((seen_px + 0.5) / scale - 0.5, mat.to_mm(mat_px), 1.0)
        table = fit_pose(known, camera, robust=True)
        if isinstance(table, TableMap):
            table = _followed(gray, mat, camera, table)
        elif len(mat_px) < SURE_SHARE * len(chosen):
            continue  # chance has joined features of another picture
        if isinstance(table, TableMap) or table.reason != "mat_not_seen":
            return table
    return TableNotFound("mat_not_seen")


def _flipped_camera(camera: Camera) -> Camera:
    """Return the camera that would have taken the mirror image."""
    x, y = camera.centre_px
    bend = camera.distortion * [1, 1, 1, -1, 1]
    centre = (camera.width_px - 1 - x, y)
    return replace(camera, centre_px=centre, distortion=np.asarray(bend, float))


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
    """Return the map fitted to patches, if what is there is the mat, that way round.

    Features of a mat that repeats itself may have joined it turned by half.
    """
    fit = _fitted(gray, mat, camera, first)
    if isinstance(fit, TableNotFound) or _alike(gray, mat, fit) < MOST_ALIKE:
        fit = _fitted(gray, mat, camera, _turned(first, mat))
    if isinstance(fit, TableNotFound):
        return fit
    if _alike(gray, mat, fit) < MOST_ALIKE:
        return TableNotFound("mat_not_seen")
    other = _turned(fit, mat)
    here, there = (_likeness(gray, mat, way) for way in (fit, other))
    if abs(here - there) < CLEARLY_ROUND:
        return TableNotFound("either_way")
    return fit if here > there else _fitted(gray, mat, camera, other)


def _fitted(
    gray: Gray, mat: MatReference, camera: Camera, start: TableMap
) -> TableMap | TableNotFound:
    table: TableMap | TableNotFound = start
    missed = 0.0
    try:
        for _ in range(2):
            if isinstance(table, TableNotFound):
                return table
            agreed = _agreed(gray, mat, table)
            if isinstance(agreed, TableNotFound):
                return agreed
            table = fit_pose(agreed, camera, robust=True)
            if isinstance(table, TableMap):
                missed = float(np.median(missed_px(table, agreed)))
    except GeometryError:
        return TableNotFound("mat_not_seen")
    if missed > 1.5 + 0.002 * max(gray.shape):
        return TableNotFound("inconsistent")
    return table


def _turned(table: TableMap, mat: MatReference) -> TableMap:
    """Return the map if the mat lay turned by half."""
    left, low, right, high = mat.bounds_mm
    shift = table.rotation @ np.array([left + right, low + high, 0.0])
    return replace(
        table,
        rotation=table.rotation @ np.diag([-1.0, -1.0, 1.0]),
        translation_mm=table.translation_mm + shift,
    )


def _agreed(
    gray: Gray, mat: MatReference, table: TableMap
) -> KnownPoints | TableNotFound:
    points = follow_mat(gray, mat, table)
    if isinstance(points, TableNotFound):
        return points
    missed = missed_px(table, points)
    near = missed < np.median(missed) * 3 + 1.5
    assert points.groups is not None
    if len(np.unique(points.groups[near])) < MIN_AREAS:
        return TableNotFound("mat_not_seen")
    return KnownPoints(
        points.px[near], points.mm[near], points.sigma_px, points.groups[near]
    )


def _alike(gray: Gray, mat: MatReference, table: TableMap) -> float:
    """Return the share of the cells in view that look as registered: mats of one
    publisher share frames and markers, and what is between them differs."""
    likenesses = _cell_likeness(gray, mat, table, CELLS)
    return float((likenesses > ALIKE).mean()) if len(likenesses) >= MIN_TOLD else 0.0


def _likeness(gray: Gray, mat: MatReference, table: TableMap) -> float:
    """Return the mean correlation of small cells, which tells ways round apart."""
    likenesses = _cell_likeness(gray, mat, table, FINE_CELLS)
    return float(likenesses.mean()) if len(likenesses) >= MIN_TOLD else 0.0


def _cell_likeness(gray: Gray, mat: MatReference, table: TableMap, cells: int) -> Array:
    """Return the correlation of each cell in view that shows anything at all."""
    shrink = max(1, max(mat.gray.shape) // (cells * CELL_PX))
    try:
        at = _places_on(mat, table, shrink)
    except GeometryError:
        return np.empty(0)
    view = _straightened(gray, at).astype(np.float32)
    x, y = at[..., 0], at[..., 1]
    inside = (x >= 0) & (x <= gray.shape[1] - 1) & (y >= 0) & (y <= gray.shape[0] - 1)
    size = at.shape[1], at.shape[0]
    own = cv2.resize(mat.gray, size, interpolation=cv2.INTER_AREA).astype(np.float32)

    def mean(values: NDArray[np.float32]) -> Array:
        return _means(values, cells)

    a, b = mean(view), mean(own)
    of_view, of_own = mean(view * view) - a**2, mean(own * own) - b**2
    shows = np.maximum(of_view, of_own) >= PLAIN_LEVELS**2
    shows &= mean(inside.astype(np.float32)) >= CELL_IN_VIEW
    # What is all of one level is like nothing; single precision leaves a little.
    length = np.sqrt(np.maximum(of_view, 0.1) * np.maximum(of_own, 0.1))
    return np.asarray(((mean(view * own) - a * b) / length)[shows], float)


def _means(values: NDArray[np.float32], cells: int) -> Array:
    """Return (cells, cells) the mean of each cell."""
    small = cv2.resize(values, (cells, cells), interpolation=cv2.INTER_AREA)
    return np.asarray(small, float)


def _as_seen_from_above(gray: Gray, mat: MatReference, table: TableMap) -> Gray:
    """Return the photo straightened onto the mat's picture."""
    return _straightened(gray, _places_on(mat, table))


def _places_on(
    mat: MatReference, table: TableMap, shrink: int = 1
) -> NDArray[np.float32]:
    """Return (H, W, 2) px of the photo where each px of the mat's picture is seen, that
    picture being made `shrink` times smaller."""
    h, w = (side // shrink for side in mat.gray.shape)
    step = 16
    columns = np.arange(-(-w // step) + 1) * step
    rows = np.arange(-(-h // step) + 1) * step
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
    own = (grid + 0.5) * mat.gray.shape[::-1] / [w, h] - 0.5
    seen = table.to_image(mat.to_mm(own)).reshape(len(rows), len(columns), 2)
    at_x, at_y = np.meshgrid(
        np.arange(w, dtype=np.float32) / step, np.arange(h, dtype=np.float32) / step
    )
    fine = cv2.remap(seen.astype(np.float32), at_x, at_y, cv2.INTER_LINEAR)
    return np.asarray(fine, np.float32)


def _straightened(gray: Gray, at: NDArray[np.float32]) -> Gray:
    # Where the photo is much finer than the mat's picture it is smoothed first.
    h, w = at.shape[:2]
    coarser = float(np.linalg.norm(at[0, 0] - at[-1, -1])) / math.hypot(w, h)
    while coarser > 2.6:
        gray = np.asarray(cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=3))
        at, coarser = np.asarray((at + 0.5) / 2 - 0.5, np.float32), coarser / 2
    soft = gray if coarser < 1.3 else cv2.GaussianBlur(gray, (0, 0), 0.45 * coarser)
    flat = cv2.remap(soft, at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    return np.asarray(flat, np.uint8)


def _pairs(
    own: NDArray[np.float32], seen: NDArray[np.float32]
) -> Iterator[list[tuple[int, int]]]:
    """Yield pairs of features of the mat and of the view: the unmistakable ones, then
    those that are nearest to each other, as on a mat that repeats itself."""
    if len(own) < MIN_INLIERS or len(seen) < MIN_INLIERS:
        return
    matcher = cv2.BFMatcher(cv2.NORM_L2)
    two = matcher.knnMatch(own, seen, k=2)
    yield [
        (p[0].queryIdx, p[0].trainIdx)
        for p in two
        if len(p) == 2 and p[0].distance < RATIO * p[1].distance
    ]
    back = [p[0].trainIdx for p in matcher.knnMatch(seen, own, k=1)]
    nearest = [(p[0].queryIdx, p[0].trainIdx) for p in two if p]
    yield [(mine, other) for mine, other in nearest if back[other] == mine]


def _joined(
    mat: MatReference, points: Array, pairs: list[tuple[int, int]]
) -> tuple[Array, Array] | None:
    """Return (N, 2) points of the mat and of the view that one homography joins."""
    if len(pairs) < MIN_INLIERS:
        return None
    from_mat = mat.keypoints_px[[mine for mine, _ in pairs]]
    seen = points[[other for _, other in pairs]]
    matrix, mask = cv2.findHomography(
        from_mat.astype(np.float32), seen.astype(np.float32), cv2.USAC_MAGSAC, 4.0
    )
    if matrix is None:
        return None
    inlier = np.ravel(mask) > 0
    # Chance alone joins a few of very many matches.
    if inlier.sum() < max(MIN_INLIERS, 0.12 * len(pairs)):
        return None
    spread = np.ptp(from_mat[inlier], axis=0) / mat.gray.shape[::-1]
    if spread.min() < 0.2 or np.linalg.det(matrix[:2, :2]) <= 0:
        return None
    return from_mat[inlier], seen[inlier]


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
