"""Cards to be enrolled are cut out whole: not their picture, nor the paper below."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from tests.support.tables import camera_above, photograph
from vision.card_border import with_border
from vision.enrol import Cut, agreed, cut_cards
from vision.open_outlines import open_outlines
from vision.quads import quad_overlap
from vision.refine import RefinedQuad
from vision.scene.art import Face, premultiplied, rounded_mask
from vision.scene.framed import draw_framed_deck
from vision.scene.light import Conditions
from vision.scene.render import Thing, Truth
from vision.types import Array, Bgr, Detection, Frame, FrameId, Kind

WHOLE = 0.93
LIGHT = Conditions(gain=0.9, blur_px=0.5, noise=1.5)


def framed(seed: int, *places_mm: tuple[float, float]) -> list[Thing]:
    """Return cards of one deck with pictures in frames, in places on the table."""
    faces = draw_framed_deck(np.random.default_rng(seed), count=len(places_mm))
    return [
        Thing(face, x, y, 90.0, 63.0, 88.0)
        for face, (x, y) in zip(faces, places_mm, strict=True)
    ]


def paper(width_mm: float, height_mm: float) -> Thing:
    """Return a sheet of paper that lies in the middle."""
    bgr = np.full((600, round(600 * width_mm / height_mm), 3), 236, np.uint8)
    mask = rounded_mask(bgr.shape[1], bgr.shape[0], 0.004)
    art = Face(Kind.CARD, None, premultiplied(np.dstack([bgr, mask])))
    return Thing(art, 0.0, 0.0, 90.0, width_mm, height_mm)


def photo_of(
    things: list[Thing], from_mm: float = 420.0
) -> tuple[Bgr, tuple[Truth, ...]]:
    camera = camera_above(distance_mm=from_mm, tilt_deg=8.0)
    return photograph(things, camera, conditions=LIGHT)


def cut(bgr: Bgr) -> tuple[Cut, ...]:
    return cut_cards(Frame(FrameId("t"), bgr, datetime.now(UTC)))


def fits(cuts: tuple[Cut, ...], truth: tuple[Truth, ...]) -> list[float]:
    """Return for each true card how far the best cut is that card."""
    return [
        max((quad_overlap(one.quad_px, t.quad_px) for one in cuts), default=0.0)
        for t in truth
    ]


@pytest.mark.parametrize("seed", range(8))
def test_a_card_with_a_picture_in_a_frame_is_cut_out_whole(seed: int) -> None:
    """Detectors take the picture, and the panel with the rules, for two cards."""
    bgr, truth = photo_of(framed(seed, (0.0, 0.0)), from_mm=170.0)
    cuts = cut(bgr)
    assert len(cuts) == 1
    assert fits(cuts, truth)[0] > WHOLE


def test_cards_side_by_side_are_no_card_together() -> None:
    things = framed(1, (-33.0, 0.0), (33.0, 0.0))
    bgr, truth = photo_of(things)
    cuts = cut(bgr)
    assert len(cuts) == 2
    assert min(fits(cuts, truth)) > WHOLE


def test_paper_in_the_shape_of_a_card_is_none_if_a_card_lies_on_it() -> None:
    bgr, truth = photo_of([paper(210.0, 297.0), *framed(2, (20.0, 30.0))])
    cuts = cut(bgr)
    assert len(cuts) == 1
    assert fits(cuts, truth[1:])[0] > WHOLE


def test_an_outline_shows_by_itself_where_the_table_is_plain() -> None:
    bgr, truth = photo_of(framed(3, (-60.0, 0.0), (60.0, 10.0)))
    found = open_outlines(bgr)
    for thing in truth:
        overlaps = [quad_overlap(one.quad_px, thing.quad_px) for one in found]
        assert max(overlaps) > WHOLE
    assert open_outlines(np.full((480, 640, 3), 90, np.uint8)) == []


def box(x: float, y: float, score: float, turn: int = 0) -> Detection:
    corners = np.array([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]])
    return Detection(Kind.CARD, np.roll(corners, turn, axis=0), score)


def test_what_several_looks_say_of_one_thing_is_their_mean_and_surest_first() -> None:
    looks = [
        [box(0, 0, 0.9), box(200, 0, 0.5)],
        [box(4, 0, 0.3, turn=2), box(300, 0, 0.4)],
        [box(202, 0, 0.5, turn=1)],
    ]
    found = agreed(looks)
    assert [count for _, count in found] == [2, 2, 1]
    assert found[0][0][0] == pytest.approx([1.0, 0.0])
    assert found[1][0][0] == pytest.approx([201.0, 0.0])


def test_one_look_says_a_thing_once() -> None:
    """Two boxes of one look are two things, be they ever so near."""
    found = agreed([[box(0, 0, 0.9), box(3, 0, 0.8)]])
    assert [count for _, count in found] == [1, 1]


def bordered(margin: int, *, ground: int = 90) -> tuple[Bgr, Array]:
    """Return a picture of a field in a white border so wide, and the corners of the
    field; the light wanes over the table."""
    bgr = np.full((480, 640, 3), ground, np.uint8)
    bgr[60 - margin : 412 + margin, 180 - margin : 420 + margin] = 235
    bgr[60:412, 180:420] = (40, 120, 200)
    shade = np.linspace(1.0, 0.9, 640)[None, :, None]
    corners = np.array([[180, 60], [420, 60], [420, 412], [180, 412]], float) - 0.5
    return np.asarray(bgr * shade, np.uint8), corners


def test_a_border_in_one_colour_is_the_cards() -> None:
    bgr, field = bordered(14)
    whole = with_border(bgr, RefinedQuad(field, (1.0, 1.0, 1.0, 1.0)))
    assert whole.quad_px == pytest.approx(
        field + np.array([[-14, -14], [14, -14], [14, 14], [-14, 14]]), abs=1.5
    )
    again = with_border(bgr, whole)
    assert again.quad_px == pytest.approx(whole.quad_px, abs=1.5)


def test_a_plain_table_is_no_border() -> None:
    bgr, field = bordered(0)
    alone = RefinedQuad(field, (1.0, 1.0, 1.0, 1.0))
    assert with_border(bgr, alone) is alone


def test_a_side_that_lies_on_the_outer_edge_stays_there() -> None:
    bgr, field = bordered(14)
    field[:2, 1] -= 14
    whole = with_border(bgr, RefinedQuad(field, (1.0, 1.0, 1.0, 1.0)))
    assert whole.quad_px[:, 1] == pytest.approx([45.5, 45.5, 425.5, 425.5], abs=1.5)
