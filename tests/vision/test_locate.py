"""Cards of known size give the pose of the camera, and say how well."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
import pytest

from tests.support.cameras import Dealt, deal, table_map
from vision.geometry import Camera, TableMap
from vision.locate import locate_by_cards
from vision.place import place, place_all
from vision.types import Array, Position, TableNotFound

WITHIN_95 = 5.991
"""Squared distance, in sigmas, that two normal errors exceed in one case of twenty."""


def seen_with(dealt: Dealt, focal_sigma: float, focal_factor: float = 1.0) -> Camera:
    camera = dealt.truth.camera.scaled_focal(focal_factor)
    return replace(camera, focal_sigma=focal_sigma)


def found(quads_px: Array, camera: Camera) -> TableMap:
    table = locate_by_cards(list(quads_px), camera)
    assert isinstance(table, TableMap), table
    return table


def in_frame_of(table_px: Array, truth: TableMap, points_mm: Array) -> Array:
    """Return true positions in the frame that a map uses whose origin is seen at
    `table_px`: x to the right of the picture, y away."""
    origin, beside = truth.to_table(np.array([[0, 0], [1e-3, 0]]) + table_px)
    right = (beside - origin) / np.linalg.norm(beside - origin)
    axes = np.array([right, [-right[1], right[0]]])
    return np.asarray((np.atleast_2d(points_mm) - origin) @ axes.T, float)


def random_table(rng: np.random.Generator, *, steepest_deg: float = 55) -> TableMap:
    return table_map(
        tilt_deg=rng.uniform(0, steepest_deg),
        yaw_deg=rng.uniform(-180, 180),
        roll_deg=rng.uniform(-8, 8),
    )


@pytest.mark.parametrize("count", [1, 2, 5, 52])
@pytest.mark.parametrize("tilt_deg", [0, 25, 60])
def test_exact_cards_give_the_exact_map(count: int, tilt_deg: float) -> None:
    rng = np.random.default_rng(count)
    dealt = deal(rng, count, table_map(tilt_deg=tilt_deg, yaw_deg=70, roll_deg=4))
    table = found(dealt.quads_px, seen_with(dealt, 0.0))
    anchor = dealt.quads_px.reshape(-1, 2).mean(axis=0)
    points_px = np.array([[300.0, 250], [900, 300], [640, 600]])
    true_mm = in_frame_of(anchor, dealt.truth, dealt.truth.to_table(points_px))
    assert table.to_table(points_px) == pytest.approx(true_mm, abs=1e-3)
    assert table.to_table(anchor[None, :]) == pytest.approx(np.zeros((1, 2)), abs=1e-6)
    assert table.residual_mm < 1e-4
    assert table.references == count


def test_right_in_the_picture_is_x_and_away_is_y() -> None:
    dealt = deal(np.random.default_rng(1), 6, table_map(tilt_deg=40, yaw_deg=123))
    table = found(dealt.quads_px, seen_with(dealt, 0.05))
    origin, right, away = table.to_image([[0, 0], [30, 0], [0, 30]])
    assert right[0] - origin[0] > 20
    assert abs(right[1] - origin[1]) < 0.1
    assert away[1] < origin[1] - 10


@pytest.mark.parametrize("factor", [0.65, 0.8, 1.3, 1.5])
def test_several_cards_correct_a_wrong_focal_length(factor: float) -> None:
    dealt = deal(np.random.default_rng(2), 8, table_map(tilt_deg=45))
    table = found(dealt.quads_px, seen_with(dealt, 0.3, factor))
    assert table.camera.focal_px[0] == pytest.approx(1100, rel=0.01)


def test_from_straight_above_the_prior_decides_and_millimetres_hold() -> None:
    dealt = deal(np.random.default_rng(3), 8, table_map(tilt_deg=0))
    table = found(dealt.quads_px, seen_with(dealt, 0.3, 1.4))
    assert table.camera.focal_px[0] == pytest.approx(1540, rel=0.01)
    assert math.sqrt(table.covariance[6, 6]) == pytest.approx(0.3, rel=0.1)
    centres_mm = table.to_table(dealt.quads_px.mean(axis=1))
    apart = np.linalg.norm(centres_mm[0] - centres_mm[1])
    assert apart == pytest.approx(
        np.linalg.norm(dealt.poses[0, :2] - dealt.poses[1, :2])
    )


def test_the_order_of_the_corners_may_start_at_a_long_edge() -> None:
    rng = np.random.default_rng(4)
    dealt = deal(rng, 6, table_map(tilt_deg=50))
    quads = dealt.quads_px.copy()
    quads[::2] = np.roll(quads[::2], 1, axis=1)
    straight, rolled = (
        found(some, seen_with(dealt, 0.1)) for some in (dealt.quads_px, quads)
    )
    assert rolled.references == 6
    assert rolled.translation_mm == pytest.approx(straight.translation_mm, abs=1e-3)


@pytest.mark.parametrize(("count", "wrong"), [(4, 1), (6, 2), (10, 4)])
def test_wrong_quads_are_left_out(count: int, wrong: int) -> None:
    rng = np.random.default_rng(5)
    right = 0
    for _ in range(25):
        dealt = deal(rng, count, random_table(rng))
        quads = dealt.quads_px + rng.normal(0, 1, dealt.quads_px.shape)
        for index in range(wrong):
            centre = quads[index].mean(axis=0)
            match rng.integers(3):
                case 0:  # a box or a magazine
                    quads[index] = centre + 1.6 * (quads[index] - centre)
                case 1:  # a card that is half covered
                    quads[index, :2] = (quads[index, :2] + quads[index, [3, 2]]) / 2
                case _:
                    quads[index] += rng.normal(0, 14, (4, 2))
        table = locate_by_cards(list(quads), seen_with(dealt, 0.15))
        right += isinstance(table, TableMap) and table.references == count - wrong
    assert right >= 23


def test_a_first_guess_that_takes_cards_for_turned_ones_is_put_right() -> None:
    # Found by the coverage test: at 53 degrees the best-looking first guess took two of
    # these four cards to lie across, and no other guess was different.
    rng = np.random.default_rng(4)
    for _ in range(4):
        dealt = deal(rng, 4, random_table(rng))
        quads = dealt.quads_px + rng.normal(0, 1, dealt.quads_px.shape)
        camera = seen_with(dealt, 0.1, math.exp(rng.normal(0, 0.1)))
        assert found(quads, camera).references == 4
        rng.normal(0, 1, (4, 2))


def test_nothing_and_nonsense_are_values() -> None:
    camera = Camera.guess(1280, 720)
    assert locate_by_cards([], camera) == TableNotFound("no_reference")
    line = np.array([[0.0, 0], [10, 0], [20, 0], [30, 0]])
    spot = np.ones((4, 2))
    unreal = np.array([[0.0, 0], [60, 0], [60, math.nan], [0, 80]])
    for quad in (line, spot, unreal):
        assert locate_by_cards([quad], camera) == TableNotFound("no_reference")
    sliver = np.array([[0.0, 0], [900, 0], [900, 15], [0, 15]])
    assert isinstance(locate_by_cards([sliver], camera), TableNotFound)
    rng = np.random.default_rng(6)
    for _ in range(40):
        quads = rng.uniform(0, 700, (rng.integers(1, 7), 4, 2))
        table = locate_by_cards(list(quads), camera)
        assert isinstance(table, TableMap | TableNotFound)


def test_outlines_around_more_than_a_card_do_not_agree() -> None:
    # As a detector gives them at its worst: each quad wrong in its own way, by 10 %.
    rng = np.random.default_rng(14)
    refused = 0
    for _ in range(20):
        dealt = deal(rng, 8, random_table(rng, steepest_deg=20))
        stretch = rng.uniform(0.75, 1.35, (8, 1, 2))
        middles = dealt.quads_px.mean(axis=1, keepdims=True)
        quads = middles + (dealt.quads_px - middles) * stretch
        table = locate_by_cards(list(quads), seen_with(dealt, 0.3))
        refused += isinstance(table, TableNotFound)
    assert refused >= 18


def test_squares_are_no_cards() -> None:
    squares = [
        np.array([[0.0, 0], [100, 0], [100, 100], [0, 100]]) + shift
        for shift in ([100, 100], [400, 120], [800, 300], [300, 500], [700, 550])
    ]
    assert locate_by_cards(squares, Camera.guess(1280, 720)) == TableNotFound(
        "inconsistent"
    )


# Covariances ------------------------------------------------------------------------


def squared(errors: Array, covariances: Array) -> Array:
    inverse = np.linalg.inv(covariances)
    return np.asarray(np.einsum("ni,nij,nj->n", errors, inverse, errors), float)


def covariance_of(position: Position) -> Array:
    xx, xy, yy = position.covariance_mm2
    return np.array([[xx, xy], [xy, yy]])


def coverage(count: int, tables: int, seed: int) -> tuple[float, float]:
    """Return how often 95 % intervals hold: of single points, and of placed cards."""
    rng = np.random.default_rng(seed)
    points: list[Array] = []
    cards: list[Array] = []
    for _ in range(tables):
        dealt = deal(rng, count, random_table(rng))
        quads = dealt.quads_px + rng.normal(0, 1, dealt.quads_px.shape)
        camera = seen_with(dealt, 0.1, math.exp(rng.normal(0, 0.1)))
        table = found(quads, camera)
        if table.references < count:
            continue
        anchor = quads.reshape(-1, 2).mean(axis=0)
        true_mm = in_frame_of(anchor, dealt.truth, dealt.poses[:, :2])
        seen = dealt.truth.to_image(dealt.poses[:, :2]) + rng.normal(0, 1, (count, 2))
        read_mm = table.to_table(seen)
        said = table.covariance_mm2(read_mm, np.eye(2))
        points.append(squared(read_mm - true_mm, said))
        placed = [place(quad, table) for quad in quads]
        middles = np.array([[one.x_mm, one.y_mm] for one in placed])
        covariances = np.array([covariance_of(one) for one in placed])
        cards.append(squared(middles - true_mm, covariances))
    of_points, of_cards = np.concatenate(points), np.concatenate(cards)
    return float((of_points < WITHIN_95).mean()), float((of_cards < WITHIN_95).mean())


def test_stated_intervals_hold_as_often_as_stated() -> None:
    of_points, of_cards = coverage(8, 120, seed=7)
    assert 0.93 < of_points < 0.97
    assert 0.93 < of_cards < 0.97


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, 6, 10, 20])
def test_stated_intervals_hold_for_any_number_of_cards(count: int) -> None:
    of_points, of_cards = coverage(count, 400, seed=count)
    assert 0.93 < of_points < 0.97
    assert 0.93 < of_cards < 0.97


def test_one_card_will_do_and_says_how_little_it_knows() -> None:
    rng = np.random.default_rng(8)
    dealt = deal(rng, 1, table_map(tilt_deg=35))
    camera = seen_with(dealt, 0.3)
    one = found(dealt.quads_px + rng.normal(0, 1, (1, 4, 2)), camera)
    many = deal(rng, 12, dealt.truth)
    all_of_them = found(many.quads_px + rng.normal(0, 1, (12, 4, 2)), camera)
    far_mm = np.array([[200.0, 100.0]])

    def sigma(table: TableMap) -> float:
        return math.sqrt(np.trace(table.covariance_mm2(far_mm, np.eye(2))[0]))

    assert one.references == 1
    assert sigma(one) > 2 * sigma(all_of_them)


def test_a_larger_error_than_stated_shows_in_the_covariance() -> None:
    rng = np.random.default_rng(9)
    dealt = deal(rng, 10, table_map(tilt_deg=30))
    camera = seen_with(dealt, 0.1)
    fine = found(dealt.quads_px + rng.normal(0, 1, dealt.quads_px.shape), camera)
    rough = found(dealt.quads_px + rng.normal(0, 3, dealt.quads_px.shape), camera)
    assert rough.references >= 9
    assert np.trace(rough.covariance[:3, :3]) > 4 * np.trace(fine.covariance[:3, :3])


# Placing ----------------------------------------------------------------------------


def test_a_card_is_placed_where_it_lies() -> None:
    rng = np.random.default_rng(10)
    for _ in range(20):
        dealt = deal(rng, 1, random_table(rng, steepest_deg=65))
        position = place(dealt.quads_px[0], dealt.truth)
        x, y, angle = dealt.poses[0]
        assert (position.x_mm, position.y_mm) == pytest.approx((x, y), abs=1e-6)
        top_deg = math.degrees(angle) + 90
        assert (position.angle_deg - top_deg + 90) % 180 == pytest.approx(90, abs=1e-6)
        assert 0 <= position.angle_deg < 180
        other_way = place(np.roll(dealt.quads_px[0], 2, axis=0), dealt.truth)
        assert other_way.x_mm == pytest.approx(position.x_mm, abs=1e-6)
        long_first = place(np.roll(dealt.quads_px[0], 1, axis=0), dealt.truth)
        assert (long_first.angle_deg - position.angle_deg + 90) % 180 == pytest.approx(
            90
        )


def test_cards_placed_at_once_lie_where_each_does_alone() -> None:
    rng = np.random.default_rng(12)
    dealt = deal(rng, 9, random_table(rng, steepest_deg=65))
    quads = dealt.quads_px + rng.normal(0, 0.8, dealt.quads_px.shape)
    quads[2] = np.roll(quads[2], 1, axis=0)  # told from a long side on
    sigmas = rng.uniform(0.7, 2.0, len(quads))
    together = place_all(quads, dealt.truth, corner_sigmas_px=sigmas)
    for quad, sigma, one in zip(quads, sigmas, together, strict=True):
        alone = place(quad, dealt.truth, corner_sigma_px=sigma)
        assert (one.x_mm, one.y_mm) == pytest.approx((alone.x_mm, alone.y_mm))
        assert one.angle_deg == pytest.approx(alone.angle_deg)
        assert one.covariance_mm2 == pytest.approx(alone.covariance_mm2)


def test_an_upright_card_points_away_from_the_near_edge() -> None:
    table = table_map(tilt_deg=40)
    corners_mm = np.array([[-31.5, 44.0], [31.5, 44], [31.5, -44], [-31.5, -44]])
    assert place(table.to_image(corners_mm), table).angle_deg == pytest.approx(90)
    on_its_side = np.array([[-44.0, -31.5], [-44, 31.5], [44, 31.5], [44, -31.5]])
    angle_deg = place(table.to_image(on_its_side), table).angle_deg
    assert min(angle_deg, 180 - angle_deg) == pytest.approx(0, abs=1e-6)


def test_a_card_on_a_pile_is_placed_by_its_height() -> None:
    table = table_map(tilt_deg=50)
    corners_mm = np.array([[-31.5, 44.0], [31.5, 44], [31.5, -44], [-31.5, -44]])
    quad = table.to_image(corners_mm, 12.0)
    position = place(quad, table, height_mm=12.0)
    assert (position.x_mm, position.y_mm) == pytest.approx((0, 0), abs=1e-6)
    assert abs(place(quad, table).y_mm) > 10


def test_a_bad_fit_widens_the_covariance() -> None:
    table = table_map(tilt_deg=20)
    corners_mm = np.array([[-31.5, 44.0], [31.5, 44], [31.5, -44], [-31.5, -44]])
    quad = table.to_image(corners_mm)
    bent = quad.copy()
    bent[0] += 12
    assert place(bent, table).sigma_mm > 3 * place(quad, table).sigma_mm


# Time -------------------------------------------------------------------------------


def test_ten_cards_take_milliseconds() -> None:
    rng = np.random.default_rng(12)
    dealt = deal(rng, 10, table_map(tilt_deg=30))
    quads = dealt.quads_px + rng.normal(0, 1, dealt.quads_px.shape)
    camera = seen_with(dealt, 0.3, 1.2)
    took_ms = []
    for _ in range(15):
        started = time.process_time()
        locate_by_cards(list(quads), camera)
        took_ms.append((time.process_time() - started) * 1000)
    # 5 to 10 ms where nothing else runs; not a race on shared cores.
    assert min(took_ms) < 40
