"""Calibration from rendered pictures of the printed sheet, and where it is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.cameras import turned
from vision.calibrate import (
    Calibration,
    NotCalibrated,
    Progress,
    calibrate,
    is_news,
    progress,
)
from vision.camera_store import camera_path, for_picture, load_camera, save_camera
from vision.errors import CameraError
from vision.geometry import Camera, TableMap
from vision.scene.boards import Board, render_board
from vision.scene.sensor import Sensor
from vision.sheet import Sheet, SheetSeen, SheetUnseen, see_sheet

SHEET = Sheet()
TRUTH = Camera(
    640, 480, (610.0, 612.0), (322.0, 236.0), 0.0, np.array([-0.12, 0.03, 0, 0.0005, 0])
)
SENSOR = Sensor(defocus_px=0.6, full_well=8000, read_noise=0.003)
WHEN = datetime(2026, 11, 28, 12, tzinfo=UTC)


def view(
    tilt_deg: float,
    way_deg: float,
    shift_mm: tuple[float, float] = (0, 0),
    distance_mm: float = 360.0,
    sensor: Sensor = SENSOR,
) -> SheetSeen | SheetUnseen:
    lean = turned(2, -way_deg) @ turned(0, -tilt_deg) @ turned(2, way_deg)
    rotation = lean @ np.diag([1.0, -1.0, -1.0])
    at = np.array([*shift_mm, distance_mm])
    w, h = SHEET.size_mm
    margin = 250  # of paper and table, so that nothing is mirrored into view
    page = np.pad(SHEET.picture(4), 4 * margin, constant_values=230)
    bounds = (-w / 2 - margin, -h / 2 - margin, w / 2 + margin, h / 2 + margin)
    bgr = cv2.cvtColor(page, cv2.COLOR_GRAY2BGR)
    board = Board(
        TableMap(TRUTH, rotation, at), np.asarray(bgr, np.uint8), bounds, sensor=sensor
    )
    picture, _ = render_board(board, np.random.default_rng(1))
    return see_sheet(picture, SHEET)


@pytest.fixture(scope="module")
def views() -> list[SheetSeen]:
    taken = [
        view(tilt, way, shift)
        for tilt, way, shift in [
            (0, 0, (0, 0)),
            (28, 0, (-60, -35)),
            (28, 90, (60, -35)),
            (28, 180, (60, 35)),
            (28, 270, (-60, 35)),
            (38, 45, (0, 20)),
            (38, 135, (30, 0)),
            (20, 225, (-70, 0)),
            (35, 315, (75, 10)),
        ]
    ]
    seen = [one for one in taken if isinstance(one, SheetSeen)]
    assert len(seen) >= 8, taken
    return seen


def test_the_camera_is_found_within_its_stated_error(
    views: Sequence[SheetSeen],
) -> None:
    found = calibrate(views)
    assert isinstance(found, Calibration)
    assert found.rms_px < 0.3
    camera, sigma = found.camera, np.sqrt(np.diag(found.covariance))
    truth = [*TRUTH.focal_px, *TRUTH.centre_px]
    values = [*camera.focal_px, *camera.centre_px]
    for value, wanted, one in zip(values, truth, sigma[:4], strict=True):
        assert abs(value - wanted) < 5 * one + 0.2
    assert camera.focal_px[0] == pytest.approx(610, rel=0.01)
    assert 0 < camera.focal_sigma < 0.01
    # What counts is where things are seen, all over the picture.
    at = np.array([[20.0, 20], [600, 30], [320, 240], [610, 450], [30, 440]])
    mine, real = camera.rays(at)[:, :2], TRUTH.rays(at)[:, :2]
    mine, real = mine - mine.mean(0), real - real.mean(0)
    assert mine * 610 == pytest.approx(real * 610, abs=2.5)


def test_progress_says_what_is_missing(views: Sequence[SheetSeen]) -> None:
    """F-52, F-57."""
    assert progress([]) == Progress(0, 0.0, ((False,) * 4,) * 3, 0, "show_top_left")
    full = progress(views)
    assert full.covered > 0.8
    assert full.leaning >= 4
    assert progress(views[:1]).wish != "enough"
    assert is_news(views[:1], views[1])
    assert not is_news(views, views[3])


def test_too_few_or_too_alike_views_are_refused(views: Sequence[SheetSeen]) -> None:
    assert calibrate(views[:5]) == NotCalibrated("few_views", 5)
    other = replace(views[0], size_px=(800, 600))
    assert calibrate([*views, other]) == NotCalibrated("sizes_differ")


def test_useless_pictures_say_why() -> None:
    blank = np.full((240, 320, 3), 128, np.uint8)
    assert see_sheet(blank, SHEET) == SheetUnseen("no_sheet")
    far = view(0, 0, distance_mm=2600)
    assert isinstance(far, SheetUnseen)
    soft = view(10, 0, sensor=Sensor(defocus_px=4.5))
    assert isinstance(soft, SheetUnseen)
    assert soft.reason in {"blurred", "no_sheet", "few_corners"}


def calibration() -> Calibration:
    covariance = np.diag([0.5, 0.5, 0.4, 0.4, 1e-5, 1e-5, 1e-7, 1e-7, 0.0])
    return Calibration(replace(TRUTH, focal_sigma=0.001), covariance, 0.2, 12, 1, 0.9)


def test_cameras_are_kept_by_name_and_old_ones_stay(tmp_path: Path) -> None:
    """F-53."""
    name = "/dev/v4l/by-id/usb-Cam_é-index0"
    assert load_camera(tmp_path, name) is None
    path = save_camera(tmp_path, name, calibration(), WHEN)
    kept = load_camera(tmp_path, name)
    assert kept is not None
    assert kept.camera.focal_px == TRUTH.focal_px
    assert kept.camera.distortion == pytest.approx(TRUTH.distortion)
    assert kept.covariance == pytest.approx(calibration().covariance)
    assert camera_path(tmp_path, name + "!") != path
    save_camera(tmp_path, name, calibration(), WHEN)
    assert len(list(tmp_path.glob("*.json"))) == 2


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = save_camera(tmp_path, "cam", calibration(), WHEN)
    for text in ("{", "[]", json.dumps({"version": 9}), json.dumps({"version": 1})):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(CameraError):
            load_camera(tmp_path, "cam")


def test_a_calibration_serves_other_sizes_of_the_same_shape() -> None:
    half = for_picture(calibration(), 320, 240)
    at = np.array([[10.0, 20], [300, 200]])
    same = half.rays((at + 0.5) / 2 - 0.5)
    assert same == pytest.approx(TRUTH.rays(at), abs=1e-9)
    with pytest.raises(CameraError, match="another shape"):
        for_picture(calibration(), 640, 360)
