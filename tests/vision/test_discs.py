"""Thick discs measured on rendered boards: the truth is exact."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.support.boards import (
    DARK,
    FELT,
    PLAIN,
    SIZE,
    WHITE,
    chip,
    flat,
    seed_px,
    shown,
    small_table,
)
from vision.discs import (
    DiscFound,
    DiscUnclear,
    measure_disc,
    measure_discs,
    settle_heights,
)
from vision.rim import DiscSize, cut_patch, rim_at
from vision.rim_pixels import pixel_strips
from vision.scene.boards import DiscTruth
from vision.scene.sensor import Sensor
from vision.scene.solids import Lamp
from vision.types import Array

LIKE = (200.0, 200.0, 200.0)
SQUARE = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


def error_mm(found: DiscFound | DiscUnclear, truth: DiscTruth) -> float:
    assert isinstance(found, DiscFound), found
    return math.dist(found.centre_mm, (truth.disc.x_mm, truth.disc.y_mm))


def squared_sigmas(found: DiscFound, truth: DiscTruth) -> float:
    xx, xy, yy = found.position.covariance_mm2
    off = found.centre_mm - [truth.disc.x_mm, truth.disc.y_mm]
    return float(off @ np.linalg.inv([[xx, xy], [xy, yy]]) @ off)


@pytest.mark.parametrize("wall", [DARK, LIKE, (95.0, 105.0, 85.0)])
@pytest.mark.parametrize("tilt", [0.0, 20.0, 45.0])
def test_the_side_does_not_move_the_centre(
    wall: tuple[float, float, float], tilt: float
) -> None:
    """F-84: side like the face, like the ground, like neither."""
    discs = [chip(-60, 20, wall=wall), chip(50, -30, wall=wall)]
    picture, table, truth = shown(discs, table=small_table(tilt))
    seeds = [(SIZE, seed_px(t, (2.0, -1.5))) for t in truth]
    for found, real in zip(measure_discs(picture, table, seeds), truth, strict=True):
        assert error_mm(found, real) < 0.12
        assert isinstance(found, DiscFound)
        assert squared_sigmas(found, real) < 12
        assert found.rim_share > 0.8


def test_without_its_height_a_disc_is_misplaced_by_the_parallax() -> None:
    picture, table, (truth,) = shown([chip(40, 60)], table=small_table(40))
    flat_size = DiscSize(SIZE.diameter_mm, 1e-3, 0.02, 0.02)
    seed = seed_px(truth)
    tall = measure_disc(picture, table, SIZE, seed)
    assert error_mm(tall, truth) < 0.12
    assert error_mm(measure_disc(picture, table, flat_size, seed), truth) > 1.5


def test_touching_chips_and_a_double_shadow() -> None:
    lamps = [Lamp((0.9, 0.3), 0.35, 0.05), Lamp((-0.6, 0.7), 0.3, 0.2)]
    discs = [chip(0, 0), chip(32.05, 0), chip(0, 32.05, face=flat((30, 30, 160)))]
    picture, table, truth = shown(discs, lamps=lamps)
    seeds = [(SIZE, seed_px(t, (-1.5, 1.0))) for t in truth]
    for found, real in zip(measure_discs(picture, table, seeds), truth, strict=True):
        assert error_mm(found, real) < 0.35


def test_a_dark_chip_on_dark_ground() -> None:
    discs = [chip(0, 0, face=flat((30, 30, 34)), wall=(20.0, 20.0, 20.0))]
    picture, table, (truth,) = shown(discs, ground=flat((52, 56, 50)))
    found = measure_disc(picture, table, SIZE, seed_px(truth, (1.0, 1.0)))
    assert error_mm(found, truth) < 0.5


def test_half_hidden_says_less_and_says_so() -> None:
    """Half of the rim has half of the information: sigma across the hidden side grows
    by the root of two, and more as its arcs tell less of each other's light. (Towards
    it, the unknown side of the chip says more than noise.)
    """
    hand = SQUARE * [40, 30] + [0, 20]
    found = []
    for hands in ([], [hand]):
        picture, table, (truth,) = shown([chip(0, 0)], hands_mm=hands)
        disc = measure_disc(picture, table, SIZE, seed_px(truth))
        assert error_mm(disc, truth) < 0.2
        assert isinstance(disc, DiscFound)
        found.append((disc, truth))
    (free, _), (covered, half) = found
    assert half.rim_visible == pytest.approx(0.5, abs=0.02)
    assert covered.rim_share == pytest.approx(0.5, abs=0.1)
    assert free.rim_share > 0.95
    (free_xx, _, free_yy), (xx, _, yy) = (
        disc.position.covariance_mm2 for disc in (free, covered)
    )
    assert 0.8 * math.sqrt(2) < math.sqrt(xx / free_xx) < 2
    assert yy > free_yy


def test_almost_all_hidden_is_refused() -> None:
    hand = SQUARE * [60, 40] + [0, 30.5]
    picture, table, (truth,) = shown([chip(0, 0)], hands_mm=[hand])
    found = measure_disc(picture, table, SIZE, seed_px(truth))
    assert isinstance(found, DiscUnclear) or error_mm(found, truth) < 1


def test_half_outside_the_picture() -> None:
    table = small_table(10, yaw_deg=0)
    edge_mm = float(table.to_table([[479.0, 180.0]])[0, 0])
    picture, table, (truth,) = shown([chip(edge_mm - 3, 0)], table=table)
    found = measure_disc(picture, table, SIZE, seed_px(truth))
    if isinstance(found, DiscFound):
        assert error_mm(found, truth) < 0.5
    else:
        assert found.reason in {"outside", "little_rim"}


@pytest.mark.parametrize(
    ("sensor", "reasons"),
    [
        (
            replace(PLAIN, motion_px=14.0, motion_deg=30.0),
            {"moving"},
        ),
        (replace(PLAIN, motion_px=10.0, motion_deg=75.0), {"moving"}),
        (replace(PLAIN, defocus_px=7.0), {"blurred", "no_rim"}),
    ],
)
def test_a_smeared_or_blurred_picture_is_refused(
    sensor: Sensor, reasons: set[str]
) -> None:
    picture, table, truth = shown([chip(0, 0), chip(-70, 30)], sensor=sensor)
    for found in measure_discs(picture, table, [(SIZE, seed_px(t)) for t in truth]):
        assert isinstance(found, DiscUnclear)
        assert found.reason in reasons


def test_nothing_is_found_where_nothing_lies() -> None:
    picture, table, _ = shown([])
    found = measure_disc(picture, table, SIZE, np.array([240.0, 180.0]))
    assert isinstance(found, DiscUnclear)
    assert found.reason == "no_rim"
    outside = measure_disc(picture, table, SIZE, np.array([2000.0, 180.0]))
    assert isinstance(outside, DiscUnclear)


def test_a_chip_on_another_is_raised() -> None:
    """F-84: overlapping discs."""
    lower, upper = chip(0, 0, face=flat((40, 60, 180))), chip(16, 6, base_mm=4.0)
    picture, table, truth = shown([lower, upper], table=small_table(35))
    seeds = [(SIZE, seed_px(t)) for t in truth]
    first = measure_discs(picture, table, seeds)
    assert error_mm(first[1], truth[1]) > 1.0
    settled = settle_heights(picture, table, first)
    raised = settled[1]
    assert isinstance(raised, DiscFound)
    assert raised.size.base_mm == 4.0
    assert raised.order == 1
    assert error_mm(raised, truth[1]) < 0.4
    assert error_mm(settled[0], truth[0]) < 0.6


def test_one_disc_found_twice_is_one() -> None:
    picture, table, (truth,) = shown([chip(0, 0)])
    seeds = [(SIZE, seed_px(truth)), (SIZE, seed_px(truth, (2.0, 2.0)))]
    settled = settle_heights(picture, table, measure_discs(picture, table, seeds))
    assert sum(isinstance(disc, DiscFound) for disc in settled) == 1
    assert any(isinstance(d, DiscUnclear) and d.reason == "same" for d in settled)


def test_a_place_beyond_what_was_cut_out_shows_no_pixels() -> None:
    """A fit that leads far away ends outside what is looked at, not in an exception."""
    picture, table, _ = shown([chip(0, 0)])
    patch = cut_patch(picture, rim_at(table, SIZE, np.zeros(2), 40), 4.0)
    assert patch is not None
    width = np.full((1, 40), 0.9)
    far = np.array([[90.0, 60.0]])
    _, strips = pixel_strips(table, [SIZE], [patch], far, 4.0, width, 40, width)
    assert not strips.known.any()
    assert np.isfinite(strips.rows).all()


def test_too_small_a_disc_is_refused() -> None:
    picture, table, _ = shown([])
    tiny = DiscSize(3.0, 1.0)
    found = measure_disc(picture, table, tiny, np.array([240.0, 180.0]))
    assert isinstance(found, DiscUnclear)
    assert found.reason == "too_small"


def test_the_rim_moves_along_its_normals_as_stated() -> None:
    table = small_table(40)
    here = rim_at(table, SIZE, np.array([20.0, 30.0]), 40)
    step = np.array([0.01, -0.02])
    there = rim_at(table, SIZE, np.array([20.0, 30.0]) + step, 40)
    moved: Array = ((there.points_px - here.points_px) * here.normals).sum(1)
    assert moved == pytest.approx(here.along @ step, abs=1e-5)
    assert (here.per_radius > 0).all()
    assert (here.gap_px > 0).any()
    assert (here.gap_px < 0).any()


def test_the_shown_boards_are_what_they_are_said_to_be() -> None:
    picture, _, _ = shown([chip(0, 0, face=flat(WHITE))], sensor=Sensor())
    assert picture[2, 2].tolist() == list(FELT)
