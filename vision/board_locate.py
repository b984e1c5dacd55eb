"""The map of a board: from taps, printed markers, or the picture of its mat."""

from __future__ import annotations

import cv2
import numpy as np

from vision.board_types import BoardMat
from vision.geometry import Camera, TableMap
from vision.locate_markers import (
    locate_by_markers,
    locate_by_seen_markers,
    locate_by_taps,
)
from vision.locate_mat import locate_by_mat, looks_like
from vision.markers import MarkerBoard, MarkerSeen, find_markers, fitted_markers
from vision.types import Array, Bgr, Frame, TableNotFound

SMALL_LONG_PX = 2000
"""Pictures up to this size are enlarged to find markers in them."""
KNOWN_FOCAL = 0.02
"""Relative sigma of a focal length with which three markers tell all."""


def locate(
    frame: Frame, mat: BoardMat, camera: Camera, taps_px: Array | None = None
) -> TableMap | TableNotFound:
    """Return the map: from taps if there are any, else from markers, else from the
    mat's picture."""
    if taps_px is not None:
        left, low, right, high = mat.bounds_mm
        corners = np.array([[left, low], [right, low], [right, high], [left, high]])
        return locate_by_taps(taps_px, corners, camera)
    by_markers = TableNotFound("no_reference")
    if mat.markers is not None:
        found = _by_markers(frame.bgr, mat.markers, camera)
        if isinstance(found, TableMap):
            # Many mats carry these markers; their pictures differ.
            known = mat.reference is None or looks_like(frame.bgr, mat.reference, found)
            return found if known else TableNotFound("mat_not_seen")
        by_markers = found
    if mat.reference is None:
        return by_markers
    by_picture = locate_by_mat(frame.bgr, mat.reference, camera)
    if by_picture == TableNotFound("mat_not_seen") and by_markers.reason != (
        "no_reference"
    ):
        return by_markers
    return by_picture


def _by_markers(
    bgr: Bgr, board: MarkerBoard, camera: Camera
) -> TableMap | TableNotFound:
    """Return the map from markers; small ones are looked for enlarged and sharpened.

    Three do where the lens is known; where it is not, the fourth is looked for so too.
    """
    found = locate_by_markers(bgr, board, camera)
    if max(bgr.shape[:2]) > SMALL_LONG_PX:
        return found
    if isinstance(found, TableMap):
        all_seen = found.references == len(board.corners_mm)
        if all_seen or camera.focal_sigma < KNOWN_FOCAL:
            return found
    again = locate_by_seen_markers(_enlarged(bgr, board), board, camera)
    return again if _references(again) > _references(found) else found


def _enlarged(bgr: Bgr, board: MarkerBoard) -> tuple[MarkerSeen, ...]:
    large = cv2.resize(bgr, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    soft = cv2.GaussianBlur(large, (0, 0), 4.0)
    sharp = np.asarray(cv2.addWeighted(large, 2.5, soft, -1.5, 0), np.uint8)
    seen = find_markers(sharp, tuple(board.corners_mm))
    # Sharpening tells cells apart and bends edges: these are fitted in the picture.
    corners = np.array([(one.corners_px - 1) / 3 for one in seen]).reshape(-1, 4, 2)
    return fitted_markers(bgr, [one.id for one in seen], corners)


def _references(found: TableMap | TableNotFound) -> int:
    return found.references if isinstance(found, TableMap) else 0
