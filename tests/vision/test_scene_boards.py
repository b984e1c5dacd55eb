"""The rendered boards against closed forms: they judge all figures of measuring."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.boards import FELT, chip, flat, shown, small_table
from tests.support.cameras import table_map
from vision.scene.boards import (
    Board,
    light_of,
    linear,
    outline_px,
    render_board,
    rim_mm,
)
from vision.scene.mats import draw_mat
from vision.scene.sensor import Sensor, smear, srgb, take
from vision.scene.solids import Lamp, SceneBlock, SceneDisc, Sight, disc_cover
from vision.types import Array


def test_rims_are_where_opencv_projects_them() -> None:
    table = small_table(35)
    disc = chip(20, -10)
    camera = table.camera
    matrix = np.array(
        [
            [camera.focal_px[0], 0, camera.centre_px[0]],
            [0, camera.focal_px[1], camera.centre_px[1]],
            [0, 0, 1],
        ]
    )
    rim = np.column_stack([rim_mm(disc), np.full(180, disc.top_mm)])
    turn, _ = cv2.Rodrigues(table.rotation)
    seen, _ = cv2.projectPoints(
        rim, turn, table.translation_mm, matrix, camera.distortion
    )
    mine = table.to_image(rim[:, :2], disc.top_mm)
    assert mine == pytest.approx(np.asarray(seen).reshape(-1, 2), abs=1e-6)


@settings(max_examples=6)
@given(st.floats(0, 45), st.floats(-180, 180), st.floats(1, 8))
def test_the_face_covers_the_projected_circle(
    tilt: float, yaw: float, thick: float
) -> None:
    table = small_table(tilt, yaw_deg=yaw)
    disc = SceneDisc(15, 10, 32, thick, flat(FELT), (0, 0, 0))
    face, whole = disc_cover(disc, Sight.of(table))
    outline = table.to_image(rim_mm(disc, 720), disc.top_mm)
    area, centroid = polygon_moments(outline)
    y, x = np.mgrid[0 : face.shape[0], 0 : face.shape[1]]
    assert float(face.sum()) == pytest.approx(area, rel=2e-3)
    assert float((face * x).sum() / face.sum()) == pytest.approx(centroid[0], abs=0.01)
    assert float((face * y).sum() / face.sum()) == pytest.approx(centroid[1], abs=0.01)
    hull_area, hull_centroid = polygon_moments(outline_px(table, disc))
    assert float(whole.sum()) == pytest.approx(hull_area, rel=4e-3)
    assert float((whole * x).sum() / whole.sum()) == pytest.approx(
        hull_centroid[0], abs=0.03
    )


def polygon_moments(points: Array) -> tuple[float, Array]:
    following = np.roll(points, -1, axis=0)
    cross = points[:, 0] * following[:, 1] - following[:, 0] * points[:, 1]
    area = cross.sum() / 2
    centroid = ((points + following) * cross[:, None]).sum(0) / (6 * area)
    return abs(float(area)), np.asarray(centroid, float)


def test_a_shadow_falls_where_the_light_says() -> None:
    table = table_map(focal_px=700, distance_mm=500, tilt_deg=0, size_px=(480, 360))
    lamp = Lamp((2.0, 0.0), 0.5, 0.0)
    disc = SceneDisc(0, 0, 30, 8, flat((255, 255, 255)), (255, 255, 255))
    board = Board(
        table, flat((255, 255, 255)), (-300, -300, 300, 300), [disc], lamps=[lamp]
    )
    light, _ = light_of(board)
    for x_mm, expected in ((29.0, 0.5), (33.0, 1.0), (-20.0, 1.0)):
        column, row = table.to_image([[x_mm, 0]])[0].round().astype(int)
        assert float(light[row, column, 1]) == pytest.approx(expected, abs=0.01)


def test_what_stands_nearer_hides_what_lies_behind() -> None:
    table = small_table(45, yaw_deg=0)
    block = SceneBlock(0, -25, 60, 20, 22, 0, (90, 90, 90))
    board = Board(table, flat(FELT), (-300, -300, 300, 300), [chip(0, 10)], [block])
    _, (truth,) = render_board(board, np.random.default_rng(1))
    assert 0.2 < truth.visible < 0.9
    assert truth.rim_visible < 0.9


def test_a_stacked_chip_appears_shifted_by_its_height() -> None:
    picture, table, truth = shown([chip(0, 0), chip(0, 0, base_mm=4.0)])
    assert truth[0].rim_visible < 0.5
    assert truth[1].rim_visible == 1.0
    low, high = (outline_px(table, t.disc).mean(0) for t in truth)
    assert np.linalg.norm(low - high) > 2
    assert picture.shape == (360, 480, 3)


@pytest.mark.parametrize("radius_mm", [30.0, 30.15, 30.3, 30.45])
def test_the_lens_blurs_before_pixels_gather(radius_mm: float) -> None:
    """Across a rim, light is the integral over each pixel of a blurred step."""
    table = table_map(focal_px=700, distance_mm=500, tilt_deg=0, size_px=(240, 180))
    disc = SceneDisc(0, 0, 2 * radius_mm, 0.1, flat((200, 200, 200)), (0, 0, 0))
    sensor = Sensor(defocus_px=0.45, linear=True)
    black = flat((0, 0, 0))
    board = Board(table, black, (-300, -300, 300, 300), [disc], sensor=sensor)
    picture, _ = render_board(board, np.random.default_rng(1), finer=4)
    (edge,) = table.to_image([[radius_mm, 0.0]], disc.top_mm)
    beyond = np.arange(150, 180) - edge[0]

    def area(at: Array) -> Array:  # under a blurred step, up to there
        u = at / 0.45
        rise = np.array([0.5 * (1 + math.erf(one / math.sqrt(2))) for one in u])
        bell = np.exp(-0.5 * u**2) / math.sqrt(2 * math.pi)
        return np.asarray(at * rise + 0.45 * bell, float)

    face = float(linear(flat((200, 200, 200)))[0, 0, 0])
    expected = 255 * face * (1 - area(beyond + 0.5) + area(beyond - 0.5))
    rows = picture[89:91, 150:180, 1].astype(float).mean(axis=0)
    assert rows == pytest.approx(expected, abs=1.5)


def test_colours_are_the_same_after_light_and_back() -> None:
    levels = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(3, axis=2)
    assert (take(linear(levels), Sensor(), np.random.default_rng(1)) == levels).all()
    assert srgb(np.array([0.0031308], np.float32))[0] == pytest.approx(
        0.04045, abs=1e-5
    )


def test_noise_has_the_stated_variance() -> None:
    light = np.full((200, 200, 3), 0.5, np.float32)
    sensor = Sensor(full_well=1000, read_noise=0.01, linear=True)
    taken = take(light, sensor, np.random.default_rng(1)) / 255
    assert taken.std() == pytest.approx(math.sqrt(0.5 / 1000 + 1e-4), rel=0.03)


@given(st.floats(0.5, 9), st.floats(0, 180))
def test_a_smear_is_as_long_as_it_says(length: float, way: float) -> None:
    kernel = smear(Sensor(motion_px=length, motion_deg=way))
    half = kernel.shape[0] // 2
    at = np.arange(-half, half + 1)
    x, y = np.meshgrid(at, at)
    turn = math.radians(way)
    along = x * math.cos(turn) + y * math.sin(turn)
    # A uniform line has the variance L^2 / 12; splitting between pixels adds some.
    spread = float((kernel * along**2).sum()) - length**2 / 12
    assert 0 <= spread < 0.26
    assert float((kernel * x).sum()) == pytest.approx(0, abs=1e-5)


def test_sensors_lose_light_in_the_corners_and_keep_grey_grey() -> None:
    light = np.full((60, 80, 3), 0.4, np.float32)
    sensor = Sensor(vignetting=0.4, demosaic=True, linear=True, jpeg=95)
    taken = take(light, sensor, np.random.default_rng(1)).astype(int)
    assert taken[30, 40].mean() > 1.4 * taken[0, 0].mean()
    assert np.abs(taken[20:40, 20:60].max(2) - taken[20:40, 20:60].min(2)).max() <= 3


def test_the_same_seed_gives_the_same_mat() -> None:
    one, two = (draw_mat(np.random.default_rng(4), (200, 150)) for _ in range(2))
    assert (one.bgr == two.bgr).all()
    assert sorted(one.markers.corners_mm) == [0, 1, 2, 3]
