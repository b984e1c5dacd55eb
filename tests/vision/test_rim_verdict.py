"""What is stated of a rim's place follows what the fit leaves around it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vision.board_checks import discs_objection
from vision.disc_faces import FACE_SIGMA_MM, SEEN_SIGMA_MM, doubted, reconciled
from vision.discs import DiscFound
from vision.rim import DiscSize
from vision.rim_verdict import ARCS, RimFit, _spread
from vision.types import Array, Position

MANY = 4000


def without_what_fits(left: Array) -> Array:
    """Return residuals without what place, radius and tone take of them."""
    waves = np.fft.rfft(left, axis=1)
    waves[:, :2] = 0
    return np.asarray(np.fft.irfft(waves, n=ARCS, axis=1))


def first_wave(left: Array) -> float:
    """Return the mean power of one wave around the rim, in variances of white noise."""
    return float((np.abs(np.fft.rfft(left, axis=1)[:, 1]) ** 2).mean() / ARCS)


@pytest.mark.parametrize("redness", [0.0, 1.25])
def test_the_spread_tells_the_wave_that_the_fit_took_away(redness: float) -> None:
    rng = np.random.default_rng(5)
    white = rng.normal(0, 0.6, (MANY, ARCS))
    waves = np.fft.rfft(rng.normal(0, 2.0 if redness else 0.0, (MANY, ARCS)), axis=1)
    waves[:, 1:] /= np.arange(1, ARCS // 2 + 1) ** (redness / 2)
    left = white + np.fft.irfft(waves, n=ARCS, axis=1)
    told = float(_spread(without_what_fits(left), np.ones((MANY, ARCS))).mean())
    # Where light is even the usual unevenness is held against it: too wide, never less.
    most = 1.3 if redness else 5.0
    assert 0.8 * first_wave(left) < told < most * first_wave(left)


def test_arcs_that_do_not_count_change_little() -> None:
    rng = np.random.default_rng(6)
    left = rng.normal(0, 1, (MANY, ARCS))
    half = np.ones((MANY, ARCS))
    half[:, ::2] = 0
    whole = _spread(left, np.ones((MANY, ARCS))).mean()
    assert _spread(left, half).mean() == pytest.approx(whole, rel=0.25)


def test_two_fits_that_contradict_each_other_are_as_unsure_as_they_lie_apart() -> None:
    first = RimFit(np.zeros(2), np.eye(2) * 0.1**2, 0.0, 1.0, 100.0)
    near, far = (
        RimFit(np.array([x, 0.0]), np.eye(2) * 0.1**2, 0.0, 1.0, 100.0)
        for x in (0.3, 1.5)
    )
    assert reconciled(first, near) is near
    both = reconciled(first, far)
    assert isinstance(both, RimFit)
    # Here or there, as likely: half the square of what lies between.
    assert both.covariance_mm2[0, 0] == pytest.approx(1.5**2 / 2, rel=0.02)
    assert math.sqrt(both.covariance_mm2[1, 1]) == pytest.approx(0.1)
    assert reconciled("outside", far) is far


def test_a_face_widens_a_rim_only_beyond_its_own_error() -> None:
    fit = RimFit(np.zeros(2), np.eye(2) * 0.01, 0.0, 1.0, 100.0)
    near = doubted(fit, np.array([SEEN_SIGMA_MM, 0.0]))
    assert near.covariance_mm2 == pytest.approx(fit.covariance_mm2)
    far = doubted(fit, np.array([2 * FACE_SIGMA_MM, 0.0]))
    more = far.covariance_mm2 - fit.covariance_mm2
    assert more[0, 0] == pytest.approx((2 * FACE_SIGMA_MM) ** 2 / 2, rel=0.1)
    assert more[1, 1] == pytest.approx(0)


def test_outlines_make_no_other_map_where_print_checks_it() -> None:
    """A camera that sharpens outlines makes all chips look two hundredths larger."""

    def chips(error_mm: float, sigmas: float) -> list[DiscFound]:
        place = Position(0.0, 0.0, 0.0, (0.01, 0.0, 0.01))
        size = DiscSize(32.0, 4.0)
        one = DiscFound(
            place, size, 1.0, 0.6, 0.7, error_mm, 100.0, radius_sigmas=sigmas
        )
        return [one] * 8

    outlined, grown = chips(0.32, 2.0), chips(0.8, 3.0)
    assert discs_objection(outlined, [], tapped=False) == ""
    assert discs_objection(outlined, [], tapped=True) == "other_size"
    assert discs_objection(grown, [], tapped=False) == "other_size"
