"""A disc's edges fitted together: honest where the side is one or two px wide."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from vision.side_model import look_across
from vision.side_strips import Samples, Strips
from vision.sides import Moves, fit_moves
from vision.types import Array

DISCS, ARCS, BLUR = 100, 40, 1.1
AT = np.arange(-6, 11, 0.75)
TURN = (np.arange(ARCS) + 0.5) * 2 * np.pi / ARCS
AROUND = np.column_stack([np.cos(TURN), np.sin(TURN)])


def strips_of(moves: Array, side_px: float, levels: tuple[float, ...]) -> Strips:
    """Discs that lie off by (N, 2) px; the side is seen at the near half."""
    face, side, ground = levels
    gap = np.maximum(side_px * -AROUND[:, 1], 0.0)
    edge = (moves @ AROUND.T)[..., None]
    light = face + (side - face) * ndtr((AT - edge) / BLUR)
    light = light + (ground - side) * ndtr((AT - edge - gap[:, None]) / BLUR)
    shape = (len(moves), ARCS)
    return Strips.of(
        light[..., None] * [1.0, 0.3, 0.2],
        AT,
        np.full(shape, BLUR),
        np.broadcast_to(gap, shape),
        np.full(shape, 1.6),
        np.ones(shape, bool),
    )


def fitted(strips: Strips) -> Moves:
    along = np.broadcast_to(np.column_stack([AROUND, np.ones(ARCS)]), (DISCS, ARCS, 3))
    return fit_moves(strips, along, np.tile([0.0, 0.0, 1 / 0.03**2], (DISCS, 1)))


@pytest.mark.parametrize("side_px", [0.0, 1.0, 2.0, 2.5, 4.0])
@pytest.mark.parametrize(
    "levels", [(30.0, 130.0, 170.0), (150.0, 120.0, 40.0), (150.0, 40.0, 90.0)]
)
@pytest.mark.parametrize("noise", [4.0, 8.0])
def test_the_stated_sigma_covers_the_errors(
    side_px: float, levels: tuple[float, ...], noise: float
) -> None:
    """A weak second edge 2 to 2.5 px behind the first misled arcs on their own."""
    rng = np.random.default_rng(1)
    moves = rng.uniform(-0.7, 0.7, (DISCS, 2))
    strips = strips_of(moves, side_px, levels)
    rows = strips.rows + rng.normal(0, noise, strips.rows.shape).astype(np.float32)
    found = fitted(replace(strips, rows=rows))
    off = found.by[:, :2] - moves
    z = off / np.sqrt(np.diagonal(found.covariance, axis1=1, axis2=2)[:, :2])
    assert (np.sqrt((z**2).mean(0)) < 1.4).all()
    assert (np.sqrt((off**2).mean(0)) < 0.25).all()


def test_where_half_of_a_rim_is_hidden_the_error_grows_by_theory() -> None:
    """Half the arcs have half the information in each direction: sigma by sqrt(2)."""
    rng = np.random.default_rng(2)
    strips = strips_of(np.zeros((DISCS, 2)), 0.0, (30.0, 150.0, 150.0))
    noise = rng.normal(0, 8, strips.rows.shape).astype(np.float32)
    noisy = replace(strips, rows=strips.rows + noise)
    half = np.broadcast_to(AROUND[:, 0] > 0, strips.known.shape)
    whole, part = fitted(noisy), fitted(replace(noisy, known=half))
    grown = np.sqrt(part.covariance[:, 1, 1] / whole.covariance[:, 1, 1])
    assert float(np.median(grown)) == pytest.approx(math.sqrt(2), rel=0.1)
    assert (part.covariance[:, 0, 0] > part.covariance[:, 1, 1]).all()


def noisy_strips(side_px: float, *, lined: bool) -> tuple[Strips, Array, Samples]:
    """Six discs with noise, where their edges are thought to be, weights of samples."""
    rng = np.random.default_rng(4)
    strips = strips_of(rng.uniform(-0.7, 0.7, (6, 2)), side_px, (150.0, 40.0, 90.0))
    noise = rng.normal(0, 5, strips.rows.shape).astype(np.float32)
    strips = replace(strips, rows=strips.rows + noise)
    if lined:
        wide, light = np.full((6, ARCS), 1.0), np.full((6, ARCS), 0.4)
        strips = replace(strips, line_px=wide, line_light=light)
    weights = rng.uniform(0.2, 1, strips.at_px.shape).astype(np.float32)
    return strips, rng.uniform(-0.4, 0.4, (6, ARCS)), weights


def power_of(strips: Strips, place: Array, weights: Samples) -> Array:
    """Weighed squares of what is left, sample by sample."""
    left = look_across(strips, place, weights).left(strips.rows).astype(float)
    each = (left**2 * weights[:, :, None]).sum(-1)
    return np.asarray((each * strips.channels[:, None]).sum(-1), float)


@pytest.mark.parametrize("lined", [False, True])
@pytest.mark.parametrize("side_px", [0.0, 2.0])
def test_what_sums_say_is_left_is_left(side_px: float, *, lined: bool) -> None:
    strips, place, weights = noisy_strips(side_px, lined=lined)
    seen = look_across(strips, place, weights)
    samples = strips.channels.sum(1)[:, None] * weights.sum(-1)
    power = power_of(strips, place, weights)
    assert seen.misfit**2 * samples == pytest.approx(power, rel=2e-3)


@pytest.mark.parametrize("lined", [False, True])
def test_an_edge_is_pulled_to_where_less_is_left(*, lined: bool) -> None:
    """By half the slope of the squares; where a side is seen, it has a say as well."""
    strips, place, weights = noisy_strips(0.0, lined=lined)
    seen = look_across(strips, place, weights)
    more, less = (power_of(strips, place + off, weights) for off in (0.02, -0.02))
    pull = seen.step_px * seen.strength
    slope = (less - more) / 0.08
    assert pull == pytest.approx(slope, abs=0.02 * float(np.abs(pull).max()))
