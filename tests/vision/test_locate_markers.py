"""Corner markers and taps: three of four are enough, false ones are refused."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.boards import small_table
from tests.support.cameras import table_map
from vision.geometry import TableMap
from vision.locate_markers import (
    locate_by_markers,
    locate_by_seen_markers,
    locate_by_taps,
)
from vision.markers import (
    MarkerSeen,
    corner_board,
    find_markers,
    fit_squares,
    marker_picture,
)
from vision.scene.boards import Board, render_board
from vision.scene.mats import MatPicture, draw_mat
from vision.scene.sensor import Sensor
from vision.types import Array, Bgr, TableNotFound

INSIDE = np.array([[x, y] for x in (-90, 0, 90) for y in (-60, 0, 60)], float)
BOARD = corner_board((-100, -70, 100, 70), 30)


@pytest.fixture(scope="module")
def mat() -> MatPicture:
    return draw_mat(np.random.default_rng(3), (260, 190), marker_mm=30)


def photo(table: TableMap, mat: MatPicture, sensor: Sensor) -> Bgr:
    board = Board(table, mat.bgr, mat.bounds_mm, sensor=sensor)
    return render_board(board, np.random.default_rng(1))[0]


def seen_by(table: TableMap) -> list[MarkerSeen]:
    return [
        MarkerSeen(id, table.to_image(corners))
        for id, corners in BOARD.corners_mm.items()
    ]


@pytest.mark.parametrize("tilt", [0.0, 40.0])
def test_markers_give_the_map(mat: MatPicture, tilt: float) -> None:
    table = small_table(tilt)
    sensor = Sensor(defocus_px=0.7, full_well=4000, read_noise=0.004, jpeg=90)
    found = locate_by_markers(photo(table, mat, sensor), mat.markers, table.camera)
    assert isinstance(found, TableMap)
    assert found.references == 4
    assert found.to_table(table.to_image(INSIDE, 5), 5) == pytest.approx(
        INSIDE, abs=0.15
    )
    stated = found.covariance_mm2(INSIDE, np.zeros((2, 2)), 5)
    assert 0 < float(np.sqrt(np.trace(stated.mean(0)))) < 0.4
    assert found.residual_mm < 0.6


def test_a_covered_marker_does_no_harm_two_do(mat: MatPicture) -> None:
    """F-59."""
    table = small_table(20)
    picture = photo(table, mat, Sensor(defocus_px=0.6))
    corners = [table.to_image(c) for c in mat.markers.corners_mm.values()]
    cover(picture, corners[1])
    found = locate_by_markers(picture, mat.markers, table.camera)
    assert isinstance(found, TableMap)
    assert found.references == 3
    assert found.to_table(table.to_image(INSIDE)) == pytest.approx(INSIDE, abs=0.5)
    cover(picture, corners[2])
    lost = locate_by_markers(picture, mat.markers, table.camera)
    assert lost == TableNotFound("few_markers")


def cover(picture: Bgr, corners: Array) -> None:
    cv2.fillConvexPoly(picture, corners.round().astype(np.int32), (90, 120, 160))


def test_a_mirrored_picture_is_refused(mat: MatPicture) -> None:
    table = small_table(20)
    flipped = np.ascontiguousarray(photo(table, mat, Sensor())[:, ::-1])
    # A mirrored marker may still be read as another one; they do not agree then.
    refused = locate_by_markers(flipped, mat.markers, table.camera)
    assert isinstance(refused, TableNotFound)
    markers = [
        MarkerSeen(m.id, m.corners_px * [-1, 1] + [479, 0]) for m in seen_by(table)
    ]
    refused = locate_by_seen_markers(markers, BOARD, table.camera)
    assert refused == TableNotFound("mirrored")


def test_a_false_or_moved_marker_is_left_out() -> None:
    """F-61."""
    table = small_table(30)
    seen = seen_by(table)
    seen[2] = MarkerSeen(2, seen[2].corners_px + np.array([14, -9]))
    stray = MarkerSeen(17, seen[0].corners_px + 40)
    found = locate_by_seen_markers([*seen, stray], BOARD, table.camera)
    assert isinstance(found, TableMap)
    assert found.references == 3
    assert found.to_image(INSIDE) == pytest.approx(table.to_image(INSIDE), abs=0.1)


def test_another_mat_is_refused() -> None:
    table = small_table(30)
    wider = corner_board((-150, -70, 100, 70), 30)
    refused = locate_by_seen_markers(seen_by(table), wider, table.camera)
    assert refused == TableNotFound("inconsistent")


def test_no_marker_no_map() -> None:
    blank = np.full((240, 320, 3), 128, np.uint8)
    refused = locate_by_markers(blank, BOARD, small_table().camera)
    assert refused == TableNotFound("no_reference")


def test_four_taps_give_a_map_with_their_error() -> None:
    table = small_table(35)
    corners = np.array([[-100.0, -70], [100, -70], [100, 70], [-100, 70]])
    taps = table.to_image(corners)
    found = locate_by_taps(taps, corners, table.camera)
    assert isinstance(found, TableMap)
    assert found.to_image(INSIDE, 4) == pytest.approx(
        table.to_image(INSIDE, 4), abs=0.01
    )
    stated = found.covariance_mm2(INSIDE, np.zeros((2, 2)))
    assert 1 < float(np.sqrt(np.trace(stated.mean(0)))) < 8
    crossed = locate_by_taps(taps[[0, 2, 1, 3]], corners, table.camera)
    assert isinstance(crossed, TableNotFound)
    around = locate_by_taps(taps[::-1], corners, table.camera)
    assert around == TableNotFound("mirrored")
    assert locate_by_taps(taps[:3], corners[:3], table.camera) == TableNotFound(
        "no_reference"
    )


def test_a_printed_marker_is_found_with_its_id() -> None:
    page = np.full((200, 200, 3), 255, np.uint8)
    page[36:164, 36:164] = marker_picture(2, 16)[..., None]
    (seen,) = find_markers(page)
    assert seen.id == 2
    expected = np.array([[52, 52], [148, 52], [148, 148], [52, 148]]) - 0.5
    assert seen.corners_px == pytest.approx(expected, abs=0.1)


def test_markers_fitted_together_are_fitted_as_each_by_itself(mat: MatPicture) -> None:
    table = small_table(30)
    picture = photo(table, mat, Sensor(defocus_px=0.7))
    assert mat.markers is not None
    real = np.array([table.to_image(c) for c in mat.markers.corners_mm.values()])
    rough = real.round()
    rough[1] += 40  # there is no square
    together, fitted = fit_squares(picture, rough)
    each = np.concatenate([fit_squares(picture, one[None])[0] for one in rough])
    assert fitted.tolist() == [True, False, True, True]
    assert together == pytest.approx(each, abs=1e-3)
    assert together[1] == pytest.approx(rough[1])
    assert together[[0, 2, 3]] == pytest.approx(real[[0, 2, 3]], abs=0.4)


FINE = 8


def small_marker(turn_deg: float) -> tuple[Bgr, Array]:
    """Return a marker of cells of 3 px as a lens shows it, and its (4, 2) corners."""
    cell = 3 * FINE
    page = np.pad(marker_picture(2, cell), 3 * cell, constant_values=90)
    middle = (len(page) - 1) / 2
    turn = cv2.getRotationMatrix2D((middle, middle), turn_deg, 1.0)
    light = cv2.warpAffine((page / 255.0) ** 2.2, turn, page.shape, borderValue=0.1)
    light = cv2.GaussianBlur(light, (0, 0), 0.6 * FINE)
    side = len(page) // FINE
    seen = cv2.resize(light, (side, side), interpolation=cv2.INTER_AREA) ** (1 / 2.2)
    square = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]]) * 3 * cell
    corners = square @ turn[:, :2].T + middle
    bgr = np.repeat((255 * seen).round()[..., None], 3, axis=2).astype(np.uint8)
    return bgr, np.asarray((corners + 0.5) / FINE - 0.5, float)


@pytest.mark.parametrize("turn_deg", [0.0, 8.0, 30.0])
def test_cells_of_three_px_do_not_pull_the_sides(turn_deg: float) -> None:
    bgr, real = small_marker(turn_deg)
    for way in np.random.default_rng(1).uniform(-1.3, 1.3, (12, 4, 2)):
        found, fitted = fit_squares(bgr, (real + way).round()[None])
        assert fitted.all()
        assert found[0] == pytest.approx(real, abs=0.1)


def test_corners_in_whole_px_count_only_where_there_are_no_better_ones() -> None:
    table = small_table(30)
    seen = seen_by(table)
    rough = MarkerSeen(2, seen[2].corners_px + np.array([0.6, -0.7]), False)
    by_three = locate_by_seen_markers([*seen[:2], rough, seen[3]], BOARD, table.camera)
    assert isinstance(by_three, TableMap)
    assert by_three.references == 3
    assert by_three.to_image(INSIDE) == pytest.approx(table.to_image(INSIDE), abs=0.02)
    whole = [MarkerSeen(one.id, one.corners_px.round(), False) for one in seen]
    by_all = locate_by_seen_markers(whole, BOARD, table.camera)
    assert isinstance(by_all, TableMap)
    off = by_all.to_table(table.to_image(INSIDE)) - INSIDE
    stated = by_all.covariance_mm2(INSIDE, np.zeros((2, 2)))
    assert (np.einsum("ni,nij,nj->n", off, np.linalg.inv(stated), off) < 5.99).all()


@pytest.mark.parametrize("times", [1, 4])
def test_a_quick_look_sees_the_same_corners(mat: MatPicture, times: int) -> None:
    """A picture of 1,920 px is looked at half as large."""
    table = table_map(
        focal_px=700.0 * times,
        distance_mm=500.0,
        tilt_deg=20.0,
        yaw_deg=10.0,
        size_px=(480 * times, 360 * times),
    )
    picture = photo(table, mat, Sensor(defocus_px=0.7))
    quick, full = find_markers(picture, quick=True), find_markers(picture)
    assert [one.id for one in quick] == [one.id for one in full] == [0, 1, 2, 3]
    for one, other in zip(quick, full, strict=True):
        assert one.corners_px == pytest.approx(other.corners_px, abs=0.05)
