"""The four corners of an empty mat in a photo, to straighten it by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Camera, TableMap
from vision.locate_markers import locate_by_markers
from vision.markers import corner_board
from vision.refine import refine_quad
from vision.types import Array, Bgr

WORK_PX = 800
LEAST_SHARE = 0.15
"""Of the picture that a mat fills, or it is something else."""
SIDES_TOLERANCE = (0.01, 0.02, 0.035)
"""Of the perimeter, by which a quad may differ from its outline."""


def find_corners(bgr: Bgr) -> Array | None:
    """Return the (4, 2) corners of the largest quad that stands out, counter-clockwise
    seen from above from the near left one; `None` if there is none.

    The near side is taken to be the lower one in the picture.
    """
    scale = min(1.0, WORK_PX / max(bgr.shape[:2]))
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    best: tuple[float, Array] | None = None
    for mask in _masks(np.asarray(small, np.uint8)):
        outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for outline in sorted(outlines, key=cv2.contourArea, reverse=True)[:3]:
            quad = _quad(outline)
            if quad is None:
                continue
            area = cv2.contourArea(quad.astype(np.float32))
            if area > LEAST_SHARE * mask.size and (best is None or area > best[0]):
                best = float(area), quad
    if best is None:
        return None
    quad = (best[1] + 0.5) / scale - 0.5
    return refine_quad(bgr, _from_top_left(quad)).quad_px[[3, 2, 1, 0]]


def corners_by_markers(
    bgr: Bgr, markers: Sequence[float], size_mm: tuple[float, float], camera: Camera
) -> Array | None:
    """Return the same from markers (left, low, right, high, side) printed on the mat,
    `None` where they cannot be seen."""
    left, low, right, high, side = markers
    found = locate_by_markers(bgr, corner_board((left, low, right, high), side), camera)
    if not isinstance(found, TableMap):
        return None
    width, height = size_mm
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], float)
    return found.to_image(corners)


def _masks(small: Bgr) -> list[NDArray[np.uint8]]:
    """Return pictures of what differs from the ground around, by several measures."""
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 2.0), cv2.COLOR_BGR2LAB)
    lab = lab.astype(np.float32)
    border = np.concatenate([lab[:8].reshape(-1, 3), lab[:, :8].reshape(-1, 3)])
    border = np.concatenate([border, lab[:, -8:].reshape(-1, 3)])
    ground = np.median(border, axis=0)
    away = np.linalg.norm(lab - ground, axis=2)
    away = np.clip(away * 2, 0, 255).astype(np.uint8)
    level, _ = cv2.threshold(away, 0, 255, cv2.THRESH_OTSU)
    masks = []
    for share in (0.6, 1.0):
        mask = np.where(away > share * level, 255, 0).astype(np.uint8)
        kernel = np.ones((9, 9), np.uint8)
        closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel, iterations=3)
        opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, kernel, iterations=2)
        masks.append(np.asarray(opened, np.uint8))
    return masks


def _quad(outline: NDArray[Any]) -> Array | None:
    hull = cv2.convexHull(outline)
    around = cv2.arcLength(hull, True)
    for tolerance in SIDES_TOLERANCE:
        quad = cv2.approxPolyDP(hull, tolerance * around, True)
        if len(quad) == 4:
            filled = cv2.contourArea(outline) / max(cv2.contourArea(quad), 1.0)
            return quad.reshape(4, 2).astype(float) if filled > 0.9 else None
    return None


def _from_top_left(quad: Array) -> Array:
    """Return the corners clockwise in the picture, from the top left one."""
    middle = quad.mean(0)
    ways = np.arctan2(quad[:, 1] - middle[1], quad[:, 0] - middle[0])
    ordered = quad[np.argsort(ways)]
    return np.asarray(np.roll(ordered, -int(ordered.sum(1).argmin()), axis=0), float)
