"""Shares and distances of discs: against shapely, finite differences and sampling."""

from __future__ import annotations

import math
import random

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from engines.core import Kind, Piece, PieceId, Verdict
from engines.core.zones import Disc, Measure, Zone, depth_mm, share

OUTLINE = [(0.0, 0.0), (100, 0), (100, 50), (60, 50), (60, 80), (0, 100)]
HOLE = [(20.0, 20.0), (40, 20), (40, 40), (20, 40)]
ISLAND = [(110.0, 0.0), (140, 0), (140, 60), (110, 60)]
ZONE = Zone.of("z", [[OUTLINE, HOLE], [ISLAND]])
SHAPE = shapely.MultiPolygon([(OUTLINE, [HOLE]), (ISLAND, [])])

centres = st.tuples(st.floats(-40, 180), st.floats(-40, 140))
radii = st.floats(1, 60)


def test_a_zone_knows_its_area_centre_and_bounds() -> None:
    assert ZONE.area_mm2 == pytest.approx(SHAPE.area)
    centre = SHAPE.centroid
    assert ZONE.centre_mm == pytest.approx((centre.x, centre.y))
    assert ZONE.bounds_mm == SHAPE.bounds


def test_rings_may_run_either_way_round_and_be_closed() -> None:
    turned = Zone.of("z", [[[*OUTLINE[::-1], OUTLINE[-1]], HOLE[::-1]], [ISLAND[::-1]]])
    disc = Disc(35, 45, 20)
    assert share(turned, disc).value == pytest.approx(share(ZONE, disc).value)


def test_a_zone_without_area_is_refused() -> None:
    with pytest.raises(ValueError, match="'flat' has no area"):
        Zone.of("flat", [[[(0, 0), (10, 0), (5, 0)]]])


@given(centres, radii)
def test_the_share_is_the_area_that_shapely_finds(
    centre: tuple[float, float], radius: float
) -> None:
    disc = Disc(*centre, radius)
    circle = shapely.Point(centre).buffer(radius, quad_segs=128)
    expected = SHAPE.intersection(circle).area / disc.area_mm2
    assert share(ZONE, disc).value == pytest.approx(expected, abs=1e-4)


@given(centres, radii)
def test_the_slope_is_the_derivative_of_the_share(
    centre: tuple[float, float], radius: float
) -> None:
    step = 1e-5
    found = share(ZONE, Disc(*centre, radius)).slope
    for axis, (dx, dy) in enumerate(((step, 0.0), (0.0, step))):
        more = share(ZONE, Disc(centre[0] + dx, centre[1] + dy, radius)).value
        less = share(ZONE, Disc(centre[0] - dx, centre[1] - dy, radius)).value
        assert found[axis] == pytest.approx((more - less) / (2 * step), abs=2e-3)


@given(centres)
def test_the_depth_is_the_distance_from_the_line(centre: tuple[float, float]) -> None:
    point = shapely.Point(centre)
    sign = 1 if SHAPE.contains(point) else -1
    assert depth_mm(ZONE, centre).value == pytest.approx(
        sign * SHAPE.boundary.distance(point), abs=1e-9
    )


def test_the_depth_on_a_line_and_at_a_corner_has_a_slope() -> None:
    assert depth_mm(ZONE, (50, 0)) == Measure(0.0, (0.0, 1.0))
    corner = depth_mm(ZONE, (-3, -4))
    assert corner.value == -5
    assert corner.slope == pytest.approx((0.6, 0.8))


def test_near_half_the_share_moves_2_over_pi_r_per_mm() -> None:
    half = share(ZONE, Disc(100, 25, 10))
    assert half.value == pytest.approx(0.5)
    assert half.slope == pytest.approx((-2 / (math.pi * 10), 0.0))


def test_a_centre_exactly_on_a_corner_counts_its_quarter() -> None:
    assert share(ZONE, Disc(0, 0, 10)).value == pytest.approx(0.25)


def test_a_disc_far_away_has_no_share() -> None:
    assert share(ZONE, Disc(500, 500, 10)) == Measure(0.0)


def test_a_disc_of_a_piece_has_its_radius_and_covariance() -> None:
    piece = Piece(
        PieceId("p"), Kind.DISC, None, 1, 2, width_mm=32, covariance_mm2=(1, 0.5, 2)
    )
    assert Disc.of(piece) == Disc(1, 2, 16, (1, 0.5, 2))


def test_measures_add_up_with_their_slopes() -> None:
    one, two = Measure(0.7, (0.1, 0.0)), Measure(0.3, (-0.1, 0.2))
    assert one + two == Measure(1.0, (0.0, 0.2))
    difference = one - two
    assert difference.value == pytest.approx(0.4)
    assert difference.sigma((1.0, 0.0, 0.0)) == pytest.approx(0.2)
    # A covariance that is not quite one, by rounding, gives no error.
    assert difference.sigma((0.0, 0.0, -1e-9)) == 0.0


def test_a_margin_is_undecided_within_three_sigmas() -> None:
    part = Measure(0.52, (0.01, 0.0))
    assert part.margin((1.0, 0, 0), line=0.5, unit="share").verdict is Verdict.UNDECIDED
    assert part.margin((0.1, 0, 0), line=0.5, unit="share").verdict is Verdict.UPHELD


def _covariance(rng: random.Random) -> tuple[float, float, float]:
    long, turn = rng.uniform(0.1, 0.9), rng.uniform(0, math.pi)
    short = long * rng.uniform(0.2, 1.0)
    c, s = math.cos(turn), math.sin(turn)
    a, b = long * long, short * short
    return (a * c * c + b * s * s, (a - b) * c * s, a * s * s + b * c * c)


def _noise(
    rng: random.Random, covariance: tuple[float, float, float]
) -> tuple[float, float]:
    xx, xy, yy = covariance
    lower = math.sqrt(xx)
    u, v = rng.gauss(0, 1), rng.gauss(0, 1)
    return lower * u, xy / lower * u + math.sqrt(yy - (xy / lower) ** 2) * v


@pytest.mark.parametrize("figure", ["share", "depth", "difference"])
def test_stated_95_percent_intervals_hold_the_truth_in_93_to_97_percent(
    figure: str,
) -> None:
    """Monte Carlo: measured = truth + noise of the stated covariance."""
    rng = random.Random(20260401)
    other = Zone.of("other", [[[(100, -50), (200, -50), (200, 50), (100, 50)]]])

    def read(disc: Disc) -> Measure:
        if figure == "depth":
            return depth_mm(ZONE, (disc.x_mm, disc.y_mm))
        if figure == "share":
            return share(ZONE, disc)
        return share(ZONE, disc) - share(other, disc)

    held = tried = 0
    while tried < 4000:
        left, right = (90, 110) if figure == "difference" else (-20, 120)
        x, y = rng.uniform(left, right), rng.uniform(-20, 110)
        truth = Disc(x, y, rng.uniform(12, 20))
        true = read(truth).value
        if figure == "share" and not 0.01 < true < 0.99:
            continue  # the disc must cross the line: away from it nothing is in doubt
        covariance = _covariance(rng)
        dx, dy = _noise(rng, covariance)
        seen = Disc(truth.x_mm + dx, truth.y_mm + dy, truth.radius_mm, covariance)
        measured = read(seen)
        tried += 1
        error = abs(measured.value - true)
        held += error <= 1.96 * measured.sigma(seen.covariance_mm2) + 1e-12
    assert 0.93 < held / tried < 0.97
