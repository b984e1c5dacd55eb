"""Photos of the printed calibration sheet, with a camera that is known exactly."""

from __future__ import annotations

import cv2
import numpy as np

from tests.support.cameras import turned
from vision.geometry import Camera, TableMap
from vision.scene.boards import Board, render_board
from vision.scene.sensor import Sensor
from vision.sheet import Sheet
from vision.types import Bgr

TRUTH = Camera(
    640, 480, (610.0, 612.0), (322.0, 236.0), 0.0, np.array([-0.12, 0.03, 0, 0.0005, 0])
)
SENSOR = Sensor(defocus_px=0.6, full_well=8000, read_noise=0.003)
VIEWS = (
    (0.0, 0.0, (0.0, 0.0)),
    (28.0, 0.0, (-60.0, -35.0)),
    (28.0, 90.0, (60.0, -35.0)),
    (28.0, 180.0, (60.0, 35.0)),
    (28.0, 270.0, (-60.0, 35.0)),
    (38.0, 45.0, (0.0, 20.0)),
    (38.0, 135.0, (30.0, 0.0)),
    (20.0, 225.0, (-70.0, 0.0)),
    (35.0, 315.0, (75.0, 10.0)),
)
"""Lean, its way, and shift in mm of views that calibrate a camera."""
MARGIN_MM = 250
"""Of paper and table, so that nothing is mirrored into view."""


def sheet_photo(
    tilt_deg: float,
    way_deg: float,
    shift_mm: tuple[float, float],
    *,
    distance_mm: float = 360.0,
) -> Bgr:
    """Return a photo of the sheet."""
    sheet = Sheet()
    lean = turned(2, -way_deg) @ turned(0, -tilt_deg) @ turned(2, way_deg)
    table = TableMap(
        TRUTH, lean @ np.diag([1.0, -1.0, -1.0]), np.array([*shift_mm, distance_mm])
    )
    w, h = sheet.size_mm
    page = np.pad(sheet.picture(4), 4 * MARGIN_MM, constant_values=230)
    bgr = np.asarray(cv2.cvtColor(page, cv2.COLOR_GRAY2BGR), np.uint8)
    left, low = -w / 2 - MARGIN_MM, -h / 2 - MARGIN_MM
    board = Board(table, bgr, (left, low, -left, -low), sensor=SENSOR)
    picture, _ = render_board(board, np.random.default_rng(1))
    return picture
