"""A mat without stickers, found by its picture; print is told from discs."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.boards import SIZE, chip, flat, small_table
from vision.board_prints import LIKE_MAT, SURELY_MAT, EmptyMat
from vision.disc_finder import Evidence, find_discs, not_printed, only_real
from vision.discs import DiscFound, measure_discs
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.locate_mat import MatReference, follow_mat, locate_by_mat, register_mat
from vision.pose import KnownPoints
from vision.scene.boards import Board, DiscTruth, render_board
from vision.scene.mats import MatPicture, draw_mat
from vision.scene.sensor import Sensor
from vision.types import Bgr, TableNotFound

SENSOR = Sensor(defocus_px=0.7, full_well=5000, read_noise=0.004)
INSIDE = np.array([[x, y] for x in (-80, 0, 80) for y in (-55, 0, 55)], float)
CIRCLE_MM = (30.0, -30.0)


@pytest.fixture(scope="module")
def mat() -> MatPicture:
    drawn = draw_mat(np.random.default_rng(8), (250, 180), px_per_mm=3, circles=0)
    rng = np.random.default_rng(5)
    for _ in range(60):  # what mats have: small figures all over
        at = (rng.uniform(0.05, 0.95, 2) * [750, 540]).astype(int).tolist()
        points = (rng.normal(0, 9, (4, 2)) + at).astype(np.int32)
        cv2.fillPoly(drawn.bgr, [points], rng.integers(0, 255, 3).tolist(), cv2.LINE_AA)
    x, y = (CIRCLE_MM[0] + 125) * 3, (90 - CIRCLE_MM[1]) * 3
    cv2.circle(drawn.bgr, (round(x), round(y)), 48, (235, 240, 240), -1, cv2.LINE_AA)
    return drawn


@pytest.fixture(scope="module")
def reference(mat: MatPicture) -> MatReference:
    return register_mat(mat.bgr, mat.bounds_mm)


def photo(table: TableMap, mat: MatPicture) -> tuple[Bgr, tuple[DiscTruth, ...]]:
    discs = [chip(-60, 30), chip(-20, -45, face=flat((40, 40, 190))), chip(75, 40)]
    board = Board(table, mat.bgr, mat.bounds_mm, discs, sensor=SENSOR)
    return render_board(board, np.random.default_rng(1))


@pytest.mark.parametrize("tilt", [5.0, 35.0])
def test_the_mat_gives_the_map_with_chips_on_it(
    mat: MatPicture, reference: MatReference, tilt: float
) -> None:
    table = small_table(tilt)
    picture, _ = photo(table, mat)
    found = locate_by_mat(picture, reference, table.camera)
    assert isinstance(found, TableMap)
    assert found.to_table(table.to_image(INSIDE, 4), 4) == pytest.approx(
        INSIDE, abs=0.4
    )
    assert found.residual_mm < 0.6
    stated = found.covariance_mm2(INSIDE, np.zeros((2, 2)), 4)
    assert 0 < float(np.sqrt(np.trace(stated.mean(0)))) < 0.5


def test_wrong_mirrored_and_missing_mats_are_refused(
    mat: MatPicture, reference: MatReference
) -> None:
    table = small_table(15)
    picture, _ = photo(table, mat)
    flipped = np.ascontiguousarray(picture[:, ::-1])
    refused = locate_by_mat(flipped, reference, table.camera)
    assert refused == TableNotFound("mirrored")
    other = draw_mat(np.random.default_rng(9), (250, 180), marker_mm=18, circles=3)
    elsewhere = register_mat(other.bgr, other.bounds_mm)
    refused = locate_by_mat(picture, elsewhere, table.camera)
    assert refused == TableNotFound("mat_not_seen")
    blank = np.full((240, 320, 3), 120, np.uint8)
    assert locate_by_mat(blank, reference, table.camera) == TableNotFound(
        "mat_not_seen"
    )


def test_a_mat_that_looks_the_same_turned_by_half_says_so(mat: MatPicture) -> None:
    """Players on the wrong sides would be worse than no map."""
    low = mat.bgr[mat.bgr.shape[0] // 2 :]
    twice = MatPicture(np.vstack([low[::-1, ::-1], low]), mat.bounds_mm, mat.markers)
    table = small_table(15)
    picture, _ = photo(table, twice)
    known = register_mat(twice.bgr, twice.bounds_mm)
    refused = locate_by_mat(picture, known, table.camera)
    assert refused == TableNotFound("either_way")


@pytest.mark.parametrize("seed", range(3))
def test_the_right_way_round_is_found_from_any_side(
    mat: MatPicture, reference: MatReference, seed: int
) -> None:
    table = small_table(12, yaw_deg=100.0 * seed + 5)
    picture, _ = photo(table, mat)
    found = locate_by_mat(picture, reference, table.camera)
    assert isinstance(found, TableMap)
    assert found.to_table(table.to_image(INSIDE)) == pytest.approx(INSIDE, abs=0.5)


def test_patches_of_the_mat_are_followed_from_a_map(
    mat: MatPicture, reference: MatReference
) -> None:
    table = small_table(25)
    picture, _ = photo(table, mat)
    gray = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    nudged = replace(
        table, translation_mm=table.translation_mm + np.array([1.0, -0.8, 0.5])
    )
    seen = follow_mat(gray, reference, nudged)
    assert isinstance(seen, KnownPoints)
    off = np.linalg.norm(seen.px - table.to_image(seen.mm), axis=1)
    assert float(np.median(off)) < 0.5


def test_discs_are_found_and_print_is_told_apart(
    mat: MatPicture, reference: MatReference
) -> None:
    """F-84: ghost discs; a printed circle as large as a chip."""
    table = small_table(20)
    picture, truth = photo(table, mat)
    seeds = find_discs(picture, table, SIZE, mat.bounds_mm, most=40)
    empty = EmptyMat(picture, table, reference)
    kept = not_printed(seeds, table, SIZE, empty)
    assert 0 < len(kept) < len(seeds)
    discs = measure_discs(picture, table, [(SIZE, seed.at_px) for seed in kept])
    real = only_real(discs, Evidence.of(discs, kept, None, empty))
    found = [d for d in real if isinstance(d, DiscFound) and d.votes > 0.5]
    for disc in truth:
        at = np.array([disc.disc.x_mm, disc.disc.y_mm])
        assert any(np.linalg.norm(d.centre_mm - at) < 0.7 for d in found)
    places = np.array([CIRCLE_MM, found[0].centre_mm])
    printed, chip = empty.likeness(places, SIZE.diameter_mm)
    assert printed > SURELY_MAT > LIKE_MAT > chip
    beyond = empty.likeness(np.array([[900.0, 0.0]]), SIZE.diameter_mm)
    assert beyond[0] < 0


def test_an_area_beyond_reason_is_refused() -> None:
    table = small_table(20)
    blank = np.full((360, 480, 3), 90, np.uint8)
    with pytest.raises(GeometryError, match="too large"):
        find_discs(blank, table, SIZE, (-5000, -5000, 5000, 5000))
    assert find_discs(blank, table, SIZE, (-60, -60, 60, 60)) == ()
