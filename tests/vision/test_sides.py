"""A disc's edges fitted together: honest where the side is one or two px wide."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from vision.side_strips import Strips
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
