"""Sides on edges, and which card lies on which: on rendered cards with exact truth."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.tables import camera_above, lay, photograph, plain_deck
from vision.refine import refine_quad
from vision.stack import stack


@pytest.mark.parametrize("tilt_deg", [0.0, 30.0])
@pytest.mark.parametrize("seed", range(4))
def test_a_quad_that_is_a_little_off_is_put_on_the_edges(
    tilt_deg: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    bgr, (card,) = photograph(
        lay([("5d", 0.0, 0.0, 90.0 + 20 * seed)]), camera_above(tilt_deg=tilt_deg)
    )
    given = card.quad_px + rng.normal(0, 2.0, (4, 2))
    refined = refine_quad(bgr, given)
    error = np.linalg.norm(refined.quad_px - card.quad_px, axis=1)
    assert error.max() < 1.2
    assert min(refined.support) > 0.5


def test_a_side_without_an_edge_stays_where_it_was() -> None:
    nothing = np.full((200, 200, 3), 90, np.uint8)
    quad = np.array([[40.0, 40], [100, 40], [100, 130], [40, 130]])
    refined = refine_quad(nothing, quad)
    assert refined.support == (0.0, 0.0, 0.0, 0.0)
    assert np.array_equal(refined.quad_px, quad)


@pytest.mark.parametrize("turn", [0.0, 35.0, 90.0])
@pytest.mark.parametrize("shift_mm", [12.0, 25.0, 40.0])
def test_the_card_whose_border_runs_through_lies_on_top(
    turn: float, shift_mm: float
) -> None:
    cards = lay([("9s", 0.0, 0.0, 90.0), ("4h", shift_mm, 10.0, 90.0 + turn)])
    for things in (cards, cards[::-1]):
        bgr, truth = photograph(things)
        quads = [item.quad_px for item in truth]
        assert stack(bgr, quads).order == (0, 1)
        turned_round = stack(bgr, quads[::-1])
        assert turned_round.order == (1, 0)


@pytest.mark.parametrize("seed", [2, 12, 49])
@pytest.mark.parametrize("turn", [0.0, 35.0])
def test_print_is_not_taken_for_the_border_of_a_card(seed: int, turn: float) -> None:
    """White paper on white paper shows little; pips that a hidden border would cross
    show more, but not in one line."""
    spots = [("2c", 0.0, 0.0, 90.0), ("8h", 40.0, 10.0, 90.0 + turn)]
    cards = lay(spots, deck=plain_deck(seed))
    for things in (cards, cards[::-1]):
        bgr, truth = photograph(things)
        assert stack(bgr, [item.quad_px for item in truth]).order == (0, 1)


def test_a_fan_is_ordered_from_end_to_end() -> None:
    fan = lay([(f"{n}c", 22.0 * n - 90, 0.0, 96.0 - 3 * n) for n in range(2, 8)])
    bgr, truth = photograph(fan)
    read = [
        [index.quad_px.mean(0) for index in item.indices if index.visible > 0.9]
        for item in truth
    ]
    result = stack(bgr, [item.quad_px for item in truth], read)
    assert result.order == (0, 1, 2, 3, 4, 5)
    for item, visible in zip(truth, result.visible, strict=True):
        assert visible == pytest.approx(item.visible, abs=0.06)


def test_no_cards_make_an_empty_stack() -> None:
    assert stack(np.zeros((50, 50, 3), np.uint8), []).order == ()
