"""The overlay: what is drawn says what was seen, and how surely."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from tests.support.cameras import deal, table_map
from vision.overlay import draw
from vision.overlay.bar import scale_bar
from vision.overlay.shapes import (
    BACK_STYLE,
    SURE_STYLE,
    UNKNOWN_STYLE,
    UNSURE_STYLE,
    Shape,
    shape,
)
from vision.overlay.tags import lay_tags
from vision.place import place
from vision.types import (
    Array,
    Finding,
    Frame,
    FrameId,
    Identity,
    Kind,
    Observation,
    Placement,
    Quad,
    TableFound,
    TableNotFound,
)

NOW = datetime(2026, 11, 28, tzinfo=UTC)


def quad(x: float, y: float, width: float = 90, angle_deg: float = 0) -> Quad:
    corners = np.array([[-45, -63], [45, -63], [45, 63], [-45, 63]]) * (width / 90)
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    turned = corners @ np.array([[c, s], [-s, c]]) + (x, y)
    return tuple((float(x), float(y)) for x, y in turned)


def card(
    label: str | None,
    corners: Quad,
    *,
    order: int = 0,
    probability: float = 0.99,
    kind: Kind = Kind.CARD,
) -> Placement:
    candidates = ((label, probability),) if label else ()
    identity = Identity(label, candidates)
    return Placement(f"{label}{corners[0]}", kind, identity, 0.9, corners, 1.0, order)


def frame(width: int = 800, height: int = 600, level: int = 120) -> Frame:
    return Frame(FrameId("1"), np.full((height, width, 3), level, np.uint8), NOW)


def seen(
    on: Frame, *placements: Placement, findings: tuple[Finding, ...] = ()
) -> Observation:
    height, width = on.bgr.shape[:2]
    table = TableNotFound("no_reference")
    return Observation(on.id, "", width, height, NOW, table, placements, findings)


def style_of(placement: Placement, *, doubtful: bool = False) -> Shape:
    return shape(placement, 1.0, {}, doubtful=doubtful)


def test_the_picture_itself_stays_as_it_was_and_drawing_repeats() -> None:
    on = frame()
    before = on.bgr.copy()
    observation = seen(on, card("10c", quad(200, 200)), card(None, quad(500, 300)))
    first = draw(on, observation)
    assert np.array_equal(on.bgr, before)
    assert first.dtype == np.uint8
    assert first.shape == on.bgr.shape
    assert np.array_equal(first, draw(on, observation))
    assert not np.array_equal(first, before)


def test_an_empty_table_is_the_picture_itself() -> None:
    on = frame()
    assert np.array_equal(draw(on, seen(on)), on.bgr)


@pytest.mark.parametrize("long_side_px", [400, 640, 1600])
def test_the_drawing_has_the_size_asked_for(long_side_px: int) -> None:
    on = frame(2000, 1500)
    observation = seen(on, card("Qh", quad(1000, 700, 260)))
    drawn = draw(on, observation, long_side_px=long_side_px)
    assert drawn.shape == (long_side_px * 3 // 4, long_side_px, 3)


def test_cards_are_bright_and_the_rest_is_dimmed() -> None:
    on = frame(level=200)
    drawn = draw(on, seen(on, card("Qh", quad(400, 300))))
    assert drawn[300, 400].tolist() == [200, 200, 200]
    assert drawn[20, 20].max() < 160


def test_how_sure_a_reading_is_shows_in_shape_as_well_as_colour() -> None:
    corners = quad(0, 0)
    sure = style_of(card("Qh", corners))
    unsure = style_of(card("Qh", corners, probability=0.6))
    twice = style_of(card("Qh", corners), doubtful=True)
    unknown = style_of(card(None, corners))
    back = style_of(card(None, corners, kind=Kind.BACK))
    assert (sure.style, sure.text) == (SURE_STYLE, "Q♥")
    assert (unsure.style, unsure.text) == (UNSURE_STYLE, "Q♥ ?")
    assert twice.style is UNSURE_STYLE
    assert (unknown.style, unknown.text) == (UNKNOWN_STYLE, "?")
    assert (back.style, back.text) == (BACK_STYLE, "")
    styles = (SURE_STYLE, UNSURE_STYLE, UNKNOWN_STYLE)
    assert len({style.dash for style in styles}) == 3
    assert len({style.colour for style in styles}) == 3


def test_names_are_written_as_asked() -> None:
    corners = quad(0, 0)
    texts = {
        label: shape(card(label, corners), 1.0, {"Jh": "F♥"}, doubtful=False).text
        for label in ("10c", "Jh", "X", "Sol Ring", "A title that goes on and on")
    }
    assert texts == {
        "10c": "10♣",
        "Jh": "F♥",
        "X": "X",
        "Sol Ring": "Sol Ring",
        "A title that goes on and on": "A title that goes o…",
    }


def test_a_card_on_top_hides_the_outline_below() -> None:
    on = frame(level=255)
    below = card("Qh", quad(380, 300), order=0)
    above = card("Kh", quad(420, 330), order=1)
    for placements in ((below, above), (above, below)):
        drawn = draw(on, seen(on, *placements))
        # The lower card's right edge runs through the upper card at x = 425.
        assert drawn[320:350, 424:427].min() == 255
        # And where only the lower one lies, its left edge is there.
        assert drawn[300, 334:337].min() < 255


def test_a_duplicate_is_drawn_as_doubtful() -> None:
    on = frame()
    first, second = card("Qh", quad(200, 300)), card("Qh", quad(600, 300))
    plain = draw(on, seen(on, first, second))
    finding = Finding("duplicate", (("label", "Qh"),), (first.id, second.id))
    warned = draw(on, seen(on, first, second, findings=(finding,)))
    assert not np.array_equal(plain, warned)


def contrast(a: Array, b: Array) -> float:
    """Return the contrast ratio of two BGR colours, as WCAG defines it."""

    def luminance(bgr: Array) -> float:
        c = np.asarray(bgr, float) / 255
        linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        return float(linear @ (0.0722, 0.7152, 0.2126))

    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("level", [0, 128, 255])
def test_tags_and_lines_are_legible_on_any_ground(level: int) -> None:
    on = frame(level=level)
    placement = card("10s", quad(400, 300))
    drawn = draw(on, seen(on, placement))
    tag = lay_tags([style_of(placement)], (800, 600))[0]
    left, top = np.round(tag.centre - tag.size / 2 + 2).astype(int)
    right, bottom = np.round(tag.centre + tag.size / 2 - 2).astype(int)
    pixels = drawn[top:bottom, left:right].reshape(-1, 3).astype(float)
    by_light = pixels[np.argsort(pixels.sum(axis=1))]
    assert contrast(by_light[len(by_light) // 50], by_light[-len(by_light) // 4]) > 7
    # Across the outline there is always a light and a dark line side by side.
    profile = drawn[330, 340:375].astype(float)
    brightness = profile.sum(axis=1)
    assert contrast(profile[brightness.argmax()], profile[brightness.argmin()]) > 4.5


def test_tags_stay_in_the_picture_and_apart() -> None:
    on = frame(640, 480)
    spots = [
        (40 + 110 * column, 60 + 120 * row) for row in range(4) for column in range(6)
    ]
    shapes = [style_of(card("10h", quad(x, y, 60))) for x, y in spots]
    tags = lay_tags(shapes, (640, 480))
    assert len(tags) == len(spots)
    low = np.array([tag.centre - tag.size / 2 for tag in tags])
    high = np.array([tag.centre + tag.size / 2 for tag in tags])
    assert (low >= 0).all()
    assert (high <= (640, 480)).all()
    for one in range(len(tags)):
        for other in range(one):
            inside = np.minimum(high[one], high[other]) - np.maximum(
                low[one], low[other]
            )
            assert not (inside > 1).all()
    draw(on, seen(on, *(card("10h", quad(x, y, 60)) for x, y in spots)))


def test_odd_placements_do_not_stop_the_drawing() -> None:
    on = frame()
    spot: Quad = ((5.0, 5.0),) * 4
    odd = [
        card("Qh", spot),
        card("Kh", quad(-500, -500)),
        card("Ah", quad(790, 590)),
        card("2h", quad(400, 300, 5000)),
        card("3h", quad(1e7, 1e7)),
        card("4h", ((0.0, 0.0), (1e6, 0.0), (1e6, 9.0), (0.0, 9.0))),
        card(None, quad(300, 300), kind=Kind.HAND),
        card(None, quad(500, 300), kind=Kind.DISC),
        card("red", quad(500, 400), kind=Kind.DISC),
    ]
    for placement in odd:
        assert draw(on, seen(on, placement)).shape == on.bgr.shape
    assert draw(on, seen(on, *odd)).shape == on.bgr.shape
    tiny = frame(64, 64)
    assert draw(tiny, seen(tiny, *odd)).shape == (64, 64, 3)


# The bar ----------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 9])
@pytest.mark.parametrize("tilt_deg", [0, 35])
def test_the_bar_is_as_long_as_it_says(count: int, tilt_deg: float) -> None:
    rng = np.random.default_rng(count)
    dealt = deal(rng, count, table_map(tilt_deg=tilt_deg))
    placements = [
        replace(
            card("Qh", tuple((float(x), float(y)) for x, y in corners)),
            id=f"c{number}",
            position=place(corners, dealt.truth),
        )
        for number, corners in enumerate(dealt.quads_px)
    ]
    on = frame(1280, 720)
    observation = seen(on, *placements)
    assert scale_bar(observation, 1.0, (1280, 720), (63, 88)) is None
    found = replace(observation, table=TableFound(0.3, count))
    bar = scale_bar(found, 1.0, (1280, 720), (63, 88))
    assert bar is not None
    start, length_px, length_mm = bar
    ends_mm = dealt.truth.to_table([start, start + np.array([length_px, 0])])
    assert np.linalg.norm(ends_mm[1] - ends_mm[0]) == pytest.approx(length_mm, rel=0.03)
    assert start[0] + length_px < 1280 * 0.3
    assert not np.array_equal(draw(on, found), draw(on, observation))


def test_no_bar_is_drawn_from_a_doubtful_table() -> None:
    dealt = deal(np.random.default_rng(3), 5, table_map(tilt_deg=20))
    on = frame(1280, 720)

    def bar(residual_mm: float, corner_sigma_px: float, references: int = 5) -> object:
        placements = [
            replace(
                card("Qh", tuple((float(x), float(y)) for x, y in corners)),
                position=place(corners, dealt.truth, corner_sigma_px=corner_sigma_px),
            )
            for corners in dealt.quads_px
        ]
        observation = seen(on, *placements)
        found = replace(observation, table=TableFound(residual_mm, references))
        return scale_bar(found, 1.0, (1280, 720), (63, 88))

    assert bar(0.5, 1.0) is not None
    assert bar(4.5, 1.0) is None
    assert bar(0.5, 25.0) is None
    assert bar(0.5, 1.0, references=2) is None


def test_the_bar_needs_a_card_in_place() -> None:
    on = frame()
    found = replace(seen(on, card("Qh", quad(300, 300))), table=TableFound(0.3, 1))
    assert scale_bar(found, 1.0, (800, 600), (63, 88)) is None


def test_drawing_a_whole_deck_is_quick_enough_for_a_page() -> None:
    rng = np.random.default_rng(1)
    on = Frame(FrameId("1"), rng.integers(0, 256, (1200, 1600, 3), np.uint8), NOW)
    spots = [quad(x, y, 90, 7 * x) for x, y in rng.uniform(80, 1100, (52, 2))]
    many = [card("10h", spot, order=order) for order, spot in enumerate(spots)]
    started = time.process_time()
    assert draw(on, seen(on, *many)).shape == on.bgr.shape
    # 0.1 s where nothing else runs; not a race on shared cores.
    assert time.process_time() - started < 1.5
