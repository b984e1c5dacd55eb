"""Pixels and millimetres: round trips, derivatives and covariances."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cameras import table_map, table_maps
from vision.errors import GeometryError, VisionError
from vision.geometry import Camera, TableMap, fit_homography, transform
from vision.types import Array

SQUARE = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
heights = st.floats(0, 30)


@st.composite
def seen_points(draw: st.DrawFn) -> Array:
    at = st.tuples(st.floats(0, 1279), st.floats(0, 719))
    return np.array(draw(st.lists(at, min_size=1, max_size=6)))


def on_table(table: TableMap, points_px: Array, height_mm: float) -> Array | None:
    try:
        return table.to_table(points_px, height_mm)
    except GeometryError:
        return None


# Homographies -----------------------------------------------------------------------


def test_transform_maps_points_and_refuses_the_horizon() -> None:
    table_from_image = np.array([[2.0, 0, 1], [0, 2, 0], [0, 0.01, 1]])
    points = np.array([[0.0, 0], [10, 20]])
    mapped = transform(table_from_image, points)
    assert mapped == pytest.approx(np.array([[1, 0], [21 / 1.2, 40 / 1.2]]))
    for y in (-100.0, -101.0, math.nan):
        with pytest.raises(GeometryError, match="horizon"):
            transform(table_from_image, np.array([[0.0, y]]))


@given(table_maps(), st.integers(4, 12), st.integers(0, 2**32 - 1))
def test_a_homography_is_found_again(table: TableMap, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    around = np.linspace(0, 2 * math.pi, count, endpoint=False)
    circle = np.column_stack([np.cos(around), np.sin(around)])
    points = circle * rng.uniform(40, 80, (count, 1)) + rng.uniform(-9, 9, 2)
    plain = TableMap(
        Camera(9, 9, (900, 900), (4, 4)), table.rotation, np.array([0, 0, 600.0])
    )
    seen = plain.to_image(points)
    image_from_table = fit_homography(seen, points)
    assert transform(image_from_table, points) == pytest.approx(seen, abs=1e-6)
    back = transform(fit_homography(points, seen), seen)
    assert back == pytest.approx(points, abs=1e-6)


@pytest.mark.parametrize(
    ("points_a", "points_b"),
    [
        (SQUARE[:3], SQUARE[:3]),
        (SQUARE, np.array([[0.0, 0], [1, 1], [2, 2], [3, 3]])),
        (np.array([[0.0, 0], [1, 1], [2, 2], [3, 3]]), SQUARE),
        (SQUARE, np.array([[0.0, 0], [1, 0], [2, 0], [0, 1]])),
        (np.array([[0.0, 0], [1, 0], [2, 0], [0, 1]]), SQUARE),
        (SQUARE, np.ones((4, 2))),
        (SQUARE, np.array([[0.0, 0], [0, 0], [1, 1], [0, 1]])),
        (SQUARE, np.array([[0.0, 0], [1, 0], [1, 1], [0, math.nan]])),
        (SQUARE, SQUARE[[0, 2, 1, 3]]),  # a bow tie: the horizon runs between
        (SQUARE, SQUARE[:, :1]),
        (np.zeros((5, 2)), SQUARE),
    ],
)
def test_points_that_do_not_determine_a_homography_are_refused(
    points_a: Array, points_b: Array
) -> None:
    with pytest.raises(GeometryError):
        fit_homography(points_a, points_b)


def test_a_geometry_error_is_a_vision_error_and_a_value_error() -> None:
    assert issubclass(GeometryError, VisionError)
    assert issubclass(GeometryError, ValueError)


# Cameras ----------------------------------------------------------------------------


@given(table_maps(), seen_points())
def test_a_camera_sees_its_own_rays_where_they_came_from(
    table: TableMap, points_px: Array
) -> None:
    rays = table.camera.rays(points_px)
    assert table.camera.project(rays * 500) == pytest.approx(points_px, abs=1e-8)


def test_the_lens_model_is_that_of_opencv() -> None:
    distortion = np.array([0.1, -0.05, 0.002, -0.003, 0.01])
    camera = Camera(1280, 720, (1000.0, 990.0), (630.0, 350.0), 0.0, distortion)
    points = np.array([[100.0, 50, 900], [-300, 200, 800], [250, -150, 700]])
    matrix = np.array([[1000.0, 0, 630], [0, 990, 350], [0, 0, 1]])
    theirs, _ = cv2.projectPoints(points, np.zeros(3), np.zeros(3), matrix, distortion)
    assert camera.project(points) == pytest.approx(theirs[:, 0], abs=1e-9)


def test_what_the_lens_cannot_show_is_refused() -> None:
    camera = Camera(
        640, 480, (500.0, 500.0), (320.0, 240.0), 0.0, np.array([-0.4, 0, 0, 0, 0])
    )
    with pytest.raises(GeometryError, match="lens"):
        camera.rays(np.array([[5000.0, 240.0]]))
    with pytest.raises(GeometryError, match="behind"):
        camera.project(np.array([[0.0, 0.0, -5.0]]))


def test_a_guessed_camera_believes_the_file_and_says_how_far() -> None:
    unknown = Camera.guess(1600, 1200)
    assert unknown.focal_px[0] == pytest.approx(0.72 * 2000)
    assert unknown.centre_px == (799.5, 599.5)
    assert unknown.focal_sigma == 0.3
    phone = Camera.guess(1600, 1200, {"focal_35mm": 26})
    assert phone.focal_px[0] == pytest.approx(26 / 43.2666 * 2000, rel=1e-4)
    assert phone.focal_sigma == 0.05
    upright = {"focal_35mm": 26, "stored_width_px": 4000, "stored_height_px": 3000}
    assert Camera.guess(1200, 1600, upright).focal_sigma == 0.05
    assert Camera.guess(1200, 1200, upright).focal_sigma == 0.25


# The map of the table ---------------------------------------------------------------


@given(table_maps(), seen_points(), heights)
def test_image_and_table_round_trip(
    table: TableMap, points_px: Array, height_mm: float
) -> None:
    points_mm = on_table(table, points_px, height_mm)
    if points_mm is None:
        return
    back_px = table.to_image(points_mm, height_mm)
    assert back_px == pytest.approx(points_px, abs=1e-7)
    near = np.linalg.norm(points_mm, axis=1) < 3000
    if near.any():
        again_mm = table.to_table(table.to_image(points_mm[near], height_mm), height_mm)
        assert np.abs(again_mm - points_mm[near]).max() < 1e-6


def test_axes_of_the_table_as_the_picture_shows_them() -> None:
    table = table_map(tilt_deg=40)
    origin, right, away = table.to_image([[0, 0], [10, 0], [0, 10]])
    assert right[0] > origin[0]
    assert right[1] == pytest.approx(origin[1])
    assert away[1] < origin[1]
    higher = table.to_image([[0.0, 0.0]], 10.0)[0]
    assert higher[1] < origin[1]
    assert table.position_mm[2] > 0
    assert table.position_mm[1] < 0


def test_height_moves_what_is_seen_as_the_plan_says() -> None:
    # A rim 5 mm up, 0.64 m from below a camera 1.2 m above: 2.6 mm off when ignored.
    table = table_map(distance_mm=1200, tilt_deg=0)
    seen = table.to_image([[636.0, 0.0]], 5.0)
    assert table.to_table(seen)[0, 0] - 636 == pytest.approx(2.66, abs=0.02)
    assert table.to_table(seen, 5.0)[0, 0] == pytest.approx(636)


def test_the_horizon_and_what_lies_behind_are_refused() -> None:
    table = table_map(tilt_deg=60)
    # 60 degrees down from the axis straight below; the horizon is 30 degrees up.
    up_px = 359.5 - 1100 * math.tan(math.radians(30))
    table.to_table([[639.5, up_px + 20]])
    for y in (up_px + 0.5, up_px, up_px - 200):
        with pytest.raises(GeometryError, match="horizon"):
            table.to_table([[639.5, y]])
    with pytest.raises(GeometryError, match="behind"):
        table.to_image([[0.0, -5000.0]])
    with pytest.raises(GeometryError, match="above"):
        table.to_table([[600.0, 400.0]], 5000.0)
    with pytest.raises(GeometryError, match="needed"):
        table.to_table([600.0, 400.0])


@given(table_maps(), seen_points(), heights)
def test_jacobians_agree_with_finite_differences(
    table: TableMap, points_px: Array, height_mm: float
) -> None:
    points_mm = on_table(table, points_px, height_mm)
    if points_mm is None or np.linalg.norm(points_mm, axis=1).max() > 5000:
        return
    exact = table.jacobian(points_mm, height_mm)
    for axis in range(2):
        step = np.eye(2)[axis] * 1e-3
        above = table.to_image(points_mm + step, height_mm)
        below = table.to_image(points_mm - step, height_mm)
        assert exact[:, :, axis] == pytest.approx(
            (above - below) / 2e-3, rel=1e-5, abs=1e-6
        )

    exact = table.pose_jacobian(points_mm, height_mm)
    size = 1e-5
    for axis in range(7):
        above = moved(table, axis, size).to_image(points_mm, height_mm)
        below = moved(table, axis, -size).to_image(points_mm, height_mm)
        # Central differences are good to the square of the step.
        assert exact[:, :, axis] == pytest.approx(
            (above - below) / (2 * size), rel=1e-5, abs=1e-3
        )


def moved(table: TableMap, axis: int, by: float) -> TableMap:
    change = np.zeros(7)
    change[axis] = by
    return disturbed(table, change)


def disturbed(table: TableMap, change: Array) -> TableMap:
    """Return the map with its pose changed in the parameters of its covariance."""
    turn, _ = cv2.Rodrigues(change[:3])
    return TableMap(
        table.camera.scaled_focal(1 + change[6]),
        np.asarray(turn, float) @ table.rotation,
        table.translation_mm + change[3:6],
    )


@pytest.mark.parametrize("tilt_deg", [0, 30, 60])
def test_covariance_agrees_with_sampling(tilt_deg: float) -> None:
    rng = np.random.default_rng(11)
    plain = table_map(tilt_deg=tilt_deg, distortion=(0.05, -0.02, 0.001, 0.001, 0.0))
    half = rng.normal(size=(7, 7)) * np.array([*(4e-4,) * 3, 0.4, 0.4, 1.5, 2e-3])
    table = TableMap(
        plain.camera, plain.rotation, plain.translation_mm, 0, 1, half.T @ half
    )
    points_mm = np.array([[0.0, 0], [180, -60], [-150, 120]])
    of_picture = np.array([[0.6, 0.2], [0.2, 0.4]])
    said = table.covariance_mm2(points_mm, of_picture, height_mm=5)
    seen = table.to_image(points_mm, 5)
    noise = rng.multivariate_normal([0, 0], of_picture, (4000, len(points_mm)))
    poses = rng.normal(size=(4000, 7)) @ half
    found = np.array(
        [
            disturbed(table, pose).to_table(seen + shift, 5)
            for pose, shift in zip(poses, noise, strict=True)
        ]
    )
    for index in range(len(points_mm)):
        sampled = np.cov(found[:, index].T)
        # 4000 samples know a variance to 2.2 %; the terms of second order add little.
        assert sampled == pytest.approx(
            said[index], rel=0.12, abs=0.05 * np.trace(sampled)
        )
