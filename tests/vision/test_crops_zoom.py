"""Crops show what they should; closer looks go where cards were too small."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.tables import lay, photograph
from vision.cards import CardSeen, IndexSeen
from vision.crops import (
    CROP_HEIGHT,
    CROP_WIDTH,
    card_window,
    cut,
    index_window,
    turned,
)
from vision.detect import View
from vision.reading import LABELS, Reading
from vision.types import Array, Detection, Identity, Kind
from vision.zoom import zoom_views


def test_a_crop_of_a_card_is_the_card_upright() -> None:
    bgr, (card,) = photograph(lay([("5d", 20.0, 10.0, 140.0)]))
    crop = cut(bgr, card_window(card.quad_px))
    assert crop.shape == (CROP_HEIGHT, CROP_WIDTH, 3)
    paper = crop[20:-20, 12:-12].reshape(-1, 3)
    assert np.median(paper, axis=0).min() > 150  # mostly paper, hardly any cloth
    corner = crop[:2, :2].reshape(-1, 3)
    assert corner.mean() < 100  # the margin shows what is around


def test_a_crop_turned_round_is_the_same_crop_turned_round() -> None:
    bgr, (card,) = photograph(lay([("5d", 0.0, 0.0, 90.0)]))
    window = card_window(card.quad_px)
    once, twice = cut(bgr, window), cut(bgr, turned(window))
    assert np.abs(once[::-1, ::-1].astype(int) - twice).mean() < 3


def test_a_large_window_is_shrunk_without_moving() -> None:
    bgr = np.zeros((2000, 1600, 3), np.uint8)
    bgr[700:1300, 500:1100] = 255
    window = np.array([[200.0, 300], [1400, 300], [1400, 1700], [200, 1700]])
    crop = cut(bgr, window)
    rows = np.flatnonzero(crop[:, CROP_WIDTH // 2, 0] > 127)
    assert rows[0] == pytest.approx(400 / 1400 * CROP_HEIGHT, abs=1)
    assert rows[-1] == pytest.approx(1000 / 1400 * CROP_HEIGHT, abs=1)


def test_an_index_window_has_the_shape_of_the_crop_and_the_index_in_its_middle() -> (
    None
):
    index = np.array([[100.0, 100], [120, 100], [120, 145], [100, 145]])
    window = index_window(index)
    assert window.mean(0) == pytest.approx(index.mean(0))
    width, height = (
        np.hypot(*(window[1] - window[0])),
        np.hypot(*(window[3] - window[0])),
    )
    assert width / height == pytest.approx(CROP_WIDTH / CROP_HEIGHT)
    assert height > 45


BGR = np.zeros((960, 1280, 3), np.uint8)
FIRST_SCALE = 640 / 1280


def card_at(x: float, y: float, long_px: float) -> Array:
    w, h = long_px * 0.7 / 2, long_px / 2
    return np.array([[x - w, y - h], [x + w, y - h], [x + w, y + h], [x - w, y + h]])


def looked_at(*spots: tuple[float, float, float, str | None]) -> tuple[View, ...]:
    sure = Reading(np.full(len(LABELS), 1 / len(LABELS)), 0.9, 0.0, 0.1)
    quads = [card_at(x, y, size) for x, y, size, _ in spots]
    found = [Detection(Kind.CARD, quad, 0.9) for quad in quads]
    cards = [CardSeen(quad, 0.9, Kind.CARD, sure) for quad in quads]
    names = [Identity(label) for *_, label in spots]
    return zoom_views(BGR, found, cards, names, FIRST_SCALE)


def test_named_cards_of_good_size_need_no_closer_look() -> None:
    assert looked_at((300, 300, 200, "7h"), (700, 300, 200, "8h")) == ()


def test_a_card_that_was_not_named_is_looked_at_again_and_only_that() -> None:
    views = looked_at((250, 300, 160, None), (1000, 700, 160, "8h"))
    assert len(views) == 1
    view = views[0]
    assert view.scale > 0.5
    assert view.x_px < 194
    assert 306 < view.x_px + view.width_px < 900


def test_small_cards_are_looked_at_even_when_named() -> None:
    assert looked_at((300, 300, 70, "7h"), (900, 300, 70, "8h"))


def test_a_fan_of_corners_is_looked_at_closer_even_when_named() -> None:
    sure = Reading(np.full(len(LABELS), 1 / len(LABELS)), 0.9, 0.0, 0.1)
    quads = [card_at(400 + 40 * n, 400, 250) for n in range(5)]
    corner = np.array([[0.0, 0], [20, 0], [20, 44], [0, 44]])
    cards = [
        CardSeen(quad, 0.5, Kind.CARD, None, (IndexSeen(corner + quad[0], 0.5, sure),))
        for quad in quads
    ]
    found = [Detection(Kind.INDEX, card.indices[0].quad_px, 0.5) for card in cards]
    names = [Identity("7h")] * len(cards)
    (view,) = zoom_views(BGR, found, cards, names, FIRST_SCALE)
    assert view.scale == pytest.approx(1.0)
    assert view.x_px < quads[0][0, 0]


def test_a_card_as_large_as_the_picture_is_not_enlarged() -> None:
    assert looked_at((640, 480, 800, None)) == ()


def test_a_large_group_is_cut_into_tiles_that_cover_it() -> None:
    spots = [(100.0 + 60 * i, 300.0, 60.0, None) for i in range(18)]
    views = looked_at(*spots)
    assert len(views) > 1
    for x, y, *_ in spots:
        assert any(
            v.x_px <= x <= v.x_px + v.width_px and v.y_px <= y <= v.y_px + v.height_px
            for v in views
        )
    assert all(v.width_px * v.scale <= 641 for v in views)
