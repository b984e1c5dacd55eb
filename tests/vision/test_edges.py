"""Edges to a fraction of a pixel: exact without noise, honest with it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from vision.blur import Blur, edge_widths, explain
from vision.edges import bell, fit_steps, linear_light, rise, sample
from vision.types import Array

AT = np.arange(-6, 8, 0.5)


def rows_of(places: Array, blur: float) -> Array:
    """Samples across dark to light steps."""
    values = 30 + 100 * ndtr((AT - places[:, None]) / blur)
    return np.asarray(values[..., None] * [1.0, 0.8, 0.5], float)


@given(st.floats(-1.2, 1.2), st.floats(0.6, 2))
def test_a_step_is_found_where_it_is(place: float, blur: float) -> None:
    rows = rows_of(np.array([place]), blur)
    found = fit_steps(rows, AT, blur, start_px=np.zeros(1))
    assert found.at_px[0] == pytest.approx(place, abs=2e-3)
    assert found.jump[0] == pytest.approx(np.linalg.norm([100, 80, 50]), rel=0.02)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_step_and_its_slope_are_those_of_a_blur(kind: type[np.floating]) -> None:
    at = np.concatenate([np.linspace(-8, 8, 4001), [-1e4, 1e4]]).astype(kind)
    assert rise(at) == pytest.approx(ndtr(at.astype(float)), abs=2e-6)
    density = np.exp(-np.minimum(at.astype(float) ** 2, 100) / 2) / np.sqrt(2 * np.pi)
    assert bell(at) == pytest.approx(density, abs=1e-6)
    assert rise(at).dtype == bell(at).dtype == kind


def test_the_stated_sigma_is_that_of_the_errors() -> None:
    rng = np.random.default_rng(1)
    places = rng.uniform(-1, 1, 800)
    rows = rows_of(places, 1.1)
    noisy = rows + rng.normal(0, 4, rows.shape)
    found = fit_steps(noisy, AT, 1.1, start_px=np.zeros(800), steps=8)
    z = (found.at_px - places) / (4 * found.sigma_px)
    assert z.mean() == pytest.approx(0, abs=0.12)
    assert z.std() == pytest.approx(1, abs=0.08)
    assert float(np.median(found.misfit)) == pytest.approx(4, rel=0.15)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("start", [-40.0, 40.0])
def test_a_step_that_is_looked_for_beyond_the_samples_has_a_place(
    kind: type[np.floating], start: float
) -> None:
    """The levels on its two sides cannot be told apart there."""
    rows = np.repeat(rows_of(np.zeros(1), 0.7), 2, axis=1).astype(kind)
    at = np.repeat(AT, 2).astype(kind)
    found = fit_steps(rows, at, 0.7, start_px=np.array([start]))
    assert np.isfinite([found.at_px[0], found.jump[0], found.misfit[0]]).all()
    assert AT[0] <= found.at_px[0] <= AT[-1]


def test_samples_are_linear_between_pixels() -> None:
    picture = np.arange(20, dtype=np.float32).reshape(4, 5)
    at = np.array([[[11.5, 21.0], [10.0, 20.0], [13.25, 22.5]]])
    values = sample(picture, at, origin_px=np.array([10, 20]))
    assert values[0, :, 0] == pytest.approx([6.5, 0, 15.75], abs=0.02)


def test_light_is_linear() -> None:
    levels = linear_light(np.array([[[0, 128, 255]]], np.uint8))[0, 0]
    assert levels == pytest.approx([0, 255 * 0.21586, 255], abs=0.02)


@pytest.mark.parametrize("blur", [Blur(0.85), Blur(1.7), Blur(0.85, 4.0, np.pi / 4)])
def test_blur_and_smear_are_told_apart(blur: Blur) -> None:
    t = np.linspace(0, 2 * np.pi, 36, endpoint=False)
    normals = np.column_stack([np.cos(t), np.sin(t)])
    rng = np.random.default_rng(2)
    widths = blur.across(normals)
    rows = np.concatenate([rows_of(np.zeros(1), width) for width in widths])
    rows = rows + rng.normal(0, 2, rows.shape)
    found = explain([edge_widths(rows, AT, normals)])
    assert found.own_px == pytest.approx(blur.own_px, rel=0.06)
    assert (found.smear_px, found.way_rad) == (blur.smear_px, blur.way_rad)
    assert explain([]) == Blur(1.0)
