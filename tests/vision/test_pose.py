"""The pose from known points: found again, with a covariance that holds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from tests.support.cameras import table_map, table_maps
from vision.geometry import TableMap
from vision.pose import KnownPoints, fit_pose
from vision.types import Array, TableNotFound

GRID = np.array([[x, y] for x in (-200, -60, 90, 210) for y in (-120, 0, 130)], float)


def points(table: TableMap, sigma: float, seed: int = 0) -> KnownPoints:
    noise = np.random.default_rng(seed).normal(0, sigma, GRID.shape)
    return KnownPoints(table.to_image(GRID) + noise, GRID, max(sigma, 0.01))


def squared_sigmas(found: TableMap, table: TableMap, at_mm: Array) -> float:
    """Return how far a map is off 6 mm above the table, in its own squared sigmas."""
    off = (found.to_table(table.to_image(at_mm, 6.0), 6.0) - at_mm)[0]
    covariance = found.covariance_mm2(at_mm, np.zeros((2, 2)), 6.0)[0]
    return float(off @ np.linalg.inv(covariance) @ off)


@settings(max_examples=15)
@given(table_maps())
def test_exact_points_give_the_pose_back(table: TableMap) -> None:
    found = fit_pose(points(table, 0.0), table.camera)
    assert isinstance(found, TableMap)
    assert found.to_image(GRID, 8.0) == pytest.approx(
        table.to_image(GRID, 8.0), abs=1e-3
    )
    assert found.residual_mm < 1e-3


def test_stated_covariance_holds_for_thick_things() -> None:
    table = table_map(tilt_deg=35)
    at = np.array([[40.0, -70.0]])
    squared = []
    for seed in range(120):
        found = fit_pose(points(table, 0.5, seed), table.camera)
        assert isinstance(found, TableMap)
        squared.append(squared_sigmas(found, table, at))
    assert np.mean(np.array(squared) < 5.99) == pytest.approx(0.95, abs=0.05)
    assert np.mean(squared) == pytest.approx(2, abs=0.5)


def squared_sigmas_of_markers(*, off_px: float, focal_sigma: float) -> Array:
    """Return (N,) of maps by four markers, one of them bent: it lies off as a whole."""
    table = table_map(tilt_deg=35)
    camera = replace(table.camera, focal_sigma=focal_sigma)
    corners = np.array([[x, y] for x in (-15, 15) for y in (-15, 15)], float)
    places = np.array([[x, y] for x in (-200, 200) for y in (-130, 130)], float)
    known = (places[:, None] + corners).reshape(-1, 2)
    at, groups = np.array([[120.0, 40.0]]), np.repeat(np.arange(4.0), 4)
    squared = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        seen = table.to_image(known) + rng.normal(0, 0.1, known.shape)
        seen[groups == rng.integers(4)] += rng.normal(0, 1, 2) * off_px
        found = fit_pose(KnownPoints(seen, known, 0.1, groups), camera)
        assert isinstance(found, TableMap)
        squared.append(squared_sigmas(found, table, at))
    return np.array(squared)


@pytest.mark.parametrize("focal_sigma", [0.001, 0.05])
def test_stated_covariance_of_four_markers_is_no_larger_than_their_error(
    focal_sigma: float,
) -> None:
    squared = squared_sigmas_of_markers(off_px=0.0, focal_sigma=focal_sigma)
    assert np.mean(squared < 5.99) == pytest.approx(0.95, abs=0.03)
    assert np.mean(squared) == pytest.approx(2, abs=0.4)


@pytest.mark.parametrize(("focal_sigma", "least"), [(0.001, 0.9), (0.05, 0.82)])
def test_a_bent_marker_widens_the_covariance(focal_sigma: float, least: float) -> None:
    """Its corners err together, and the pose takes away most of what would tell so."""
    squared = squared_sigmas_of_markers(off_px=1.0, focal_sigma=focal_sigma)
    assert np.mean(squared < 5.99) > least


def test_a_wrong_focal_prior_is_mended_by_perspective() -> None:
    table = table_map(tilt_deg=45)
    guess = replace(table.camera.scaled_focal(1.15), focal_sigma=0.3)
    found = fit_pose(points(table, 0.05), guess)
    assert isinstance(found, TableMap)
    assert found.camera.focal_px[0] == pytest.approx(table.camera.focal_px[0], rel=0.01)
    assert 0 < found.covariance[6, 6] ** 0.5 < 0.02


@pytest.mark.parametrize("factor", [0.93, 1.0, 1.06])
def test_a_known_lens_is_compared_with_what_the_points_say(factor: float) -> None:
    """A map is held to a calibrated lens, and would not show that it is another."""
    table = table_map(tilt_deg=30)
    known = replace(table.camera.scaled_focal(factor), focal_sigma=0.0003)
    found = fit_pose(points(table, 0.1), known)
    assert isinstance(found, TableMap)
    assert found.camera.focal_px[0] == pytest.approx(known.focal_px[0], rel=0.02)
    assert found.lens is not None
    off, sigma = found.lens
    assert off == pytest.approx(-math.log(factor), abs=4 * sigma + 0.002)
    assert 0 < sigma < 0.02
    guessed = replace(known, focal_sigma=0.1)
    free = fit_pose(points(table, 0.1), guessed)
    assert isinstance(free, TableMap)
    assert free.lens is None


def test_one_outlier_does_not_move_a_robust_pose() -> None:
    table = table_map()
    clean = points(table, 0.1)
    spoiled = clean.px.copy()
    spoiled[3] += [25, -18]
    found = fit_pose(KnownPoints(spoiled, GRID, 0.1), table.camera, robust=True)
    assert isinstance(found, TableMap)
    assert found.to_image(GRID) == pytest.approx(table.to_image(GRID), abs=0.5)


def mirrored(px: Array) -> Array:
    return np.column_stack([1279 - px[:, 0], px[:, 1]])


def test_reasons_for_no_pose() -> None:
    table = table_map()
    seen = points(table, 0.0)
    flipped = KnownPoints(mirrored(seen.px), GRID, 0.1)
    assert fit_pose(flipped, table.camera) == TableNotFound("mirrored")
    few = KnownPoints(seen.px[:3], GRID[:3], 0.1)
    assert fit_pose(few, table.camera) == TableNotFound("no_reference")
    line = KnownPoints(seen.px[:, :1].repeat(2, axis=1), GRID, 0.1)
    assert fit_pose(line, table.camera) == TableNotFound("inconsistent")
