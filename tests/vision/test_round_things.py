"""Round things without a kit: an ellipse on edges is one, a box alone is none."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from tests.support.boards import chip, flat, shown, small_table
from vision.detect import View
from vision.round_things import (
    BESIDE_CARDS_PX,
    PART_OF_RIM,
    SURE_SCORE,
    RoundThing,
    discs_of,
    each_once,
    is_about_discs,
    rims_beside_cards,
    with_rims,
)
from vision.types import UNKNOWN, Array, Bgr, Detection, Identity, Kind

GROUND = (96, 130, 150)


def box(
    centre: tuple[float, float], half: tuple[float, float], score: float = 0.8
) -> Detection:
    """Return what a network says of a disc: an upright box."""
    x, y = half
    corners = np.array([[-x, -y], [x, -y], [x, y], [-x, y]]) + centre
    return Detection(Kind.DISC, corners, score)


def ellipse_on(bgr: Bgr, centre: tuple[int, int], axes: tuple[int, int]) -> None:
    cv2.ellipse(bgr, centre, axes, 25, 0, 360, (30, 40, 180), -1, cv2.LINE_AA)


@pytest.mark.parametrize("off", [(0.0, 0.0), (5.0, -4.0)])
def test_the_ellipse_is_found_from_a_rough_box(off: tuple[float, float]) -> None:
    bgr = np.full((240, 320, 3), GROUND, np.uint8)
    ellipse_on(bgr, (150, 120), (52, 36))
    (thing,) = with_rims(bgr, [box((150 + off[0], 120 + off[1]), (48, 42))])
    assert thing.centre_px == pytest.approx([150, 120], abs=0.6)
    assert thing.axes_px == pytest.approx((52, 36), abs=1.2)
    assert thing.angle_deg == pytest.approx(25, abs=3)
    assert thing.rim_share > 0.95


@pytest.mark.parametrize("at", [(30, 30), (2000, 1500), (3968, 2970)])
def test_a_rim_in_a_large_picture_is_found_without_a_copy_of_it(
    at: tuple[int, int],
) -> None:
    """Twelve megapixels as floats are 144 MB; an old laptop reads them, too."""
    bgr = np.full((3000, 4000, 3), GROUND, np.uint8)
    ellipse_on(bgr, at, (25, 22))
    tracemalloc.start()
    (thing,) = with_rims(bgr, [box((at[0] + 3, at[1] - 2), (24, 24))])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert thing.centre_px == pytest.approx(at, abs=0.6)
    assert peak < 5e6


def test_a_box_beyond_the_picture_has_no_rim() -> None:
    bgr = np.full((240, 320, 3), GROUND, np.uint8)
    assert with_rims(bgr, [box((500, 400), (24, 24)), box((-90, 20), (24, 24))]) == ()


def test_rendered_chips_have_rims_and_the_table_has_none() -> None:
    discs = [chip(-60, 20), chip(50, -30, face=flat((30, 30, 160)))]
    picture, _, truths = shown(discs, table=small_table(35))
    boxes = []
    for truth in truths:
        low, high = truth.outline_px.min(0), truth.outline_px.max(0)
        (x, y), (w, h) = (low + high) / 2, (high - low) / 2
        boxes.append(box((float(x) + 1.5, float(y) - 1), (float(w), float(h))))
    nothing = box((60.0, 300.0), (24.0, 20.0))
    found = with_rims(picture, [*boxes, nothing])
    assert len(found) == 2
    for truth in truths:
        middle: Array = (truth.outline_px.min(0) + truth.outline_px.max(0)) / 2
        assert min(math.dist(thing.centre_px, middle) for thing in found) < 3


def test_a_thing_seen_twice_is_one_and_print_on_it_is_none() -> None:
    bgr = np.full((240, 320, 3), GROUND, np.uint8)
    ellipse_on(bgr, (150, 120), (70, 60))
    cv2.circle(bgr, (170, 110), 16, (240, 240, 240), -1, cv2.LINE_AA)
    boxes = [
        box((150, 120), (68, 66)),
        box((152, 119), (72, 62), 0.6),
        box((170, 110), (16, 16), 0.5),
    ]
    (thing,) = with_rims(bgr, boxes)
    assert thing.radius_px == pytest.approx(math.sqrt(70 * 60), rel=0.05)


def test_what_runs_along_a_rim_from_inside_is_no_disc_of_its_own() -> None:
    def thing(x: float, radius: float, score: float) -> RoundThing:
        return RoundThing(np.array([x, 50.0]), (radius, radius), 0.0, 0.95, score)

    large, along, lying_on_it = (
        thing(100, 100, 0.9),
        thing(140, 66, 0.6),
        thing(100, 40, 0.4),
    )
    assert each_once([along, large]) == (large,)
    touching = thing(198, 98, 0.8)
    assert set(each_once([large, touching])) == {large, touching}
    assert each_once([large, lying_on_it]) == (large,)


def test_a_disc_that_a_card_covers_a_little_is_still_one() -> None:
    bgr = np.full((240, 320, 3), GROUND, np.uint8)
    ellipse_on(bgr, (150, 120), (50, 50))
    cv2.rectangle(bgr, (187, 40), (300, 210), (235, 235, 235), -1)
    seen = [box((146, 120), (46, 50))]
    (thing,) = with_rims(bgr, seen, min_share=PART_OF_RIM)
    assert thing.centre_px == pytest.approx([150, 120], abs=4)
    assert thing.rim_share < 0.95


def test_other_kinds_and_tiny_boxes_are_left_out() -> None:
    bgr = np.full((60, 80, 3), GROUND, np.uint8)
    card = Detection(Kind.CARD, box((40, 30), (20, 20)).quad_px, 0.9)
    assert with_rims(bgr, [card, box((40, 30), (4, 4))]) == ()
    assert discs_of(()) == []


def test_a_board_that_passes_for_a_card_hides_no_stones() -> None:
    ace = Identity("as")
    assert is_about_discs(0, [])
    assert is_about_discs(1, [UNKNOWN, UNKNOWN])
    assert is_about_discs(2, [ace, UNKNOWN, ace])
    assert not is_about_discs(0, [UNKNOWN])
    assert not is_about_discs(1, [ace, ace])


def test_beside_cards_discs_that_show_in_another_size_alone_are_found() -> None:
    """In one size the network saw one of two, and in others both: a white chip on pale
    wood. What it is not sure of there stays out, and where it saw none nobody asks."""
    bgr = np.full((480, 640, 3), GROUND, np.uint8)
    for x in (150, 330, 500):
        ellipse_on(bgr, (x, 240), (40, 38))
    places = {150.0: 0.9, 330.0: 0.8, 500.0: SURE_SCORE - 0.1}
    asked: list[View] = []

    def detect(_: Bgr, views: Sequence[View]) -> tuple[Detection, ...]:
        asked.extend(views)
        return tuple(
            box((x, 240.0), (40.0, 38.0), score) for x, score in places.items()
        )

    found = rims_beside_cards(bgr, [box((150.0, 240.0), (40.0, 38.0))], detect)
    assert sorted(round(thing.centre_px[0]) for thing in found) == [150, 330]
    assert len(asked) == len(BESIDE_CARDS_PX)
    asked.clear()
    assert rims_beside_cards(bgr, [], detect) == ()
    assert not asked
