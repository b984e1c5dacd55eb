"""What the reader learns from: the truth of a picture, and a detector's own boxes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vision.reading import NO_SUIT, NONE, RANKS, SUITS, Reading
from vision.training.drawing import draw_sample, jittered, meant_window, off_corners
from vision.training.samples import (
    Sample,
    samples_found,
    samples_of,
    sampling_odds,
    suits_of,
)
from vision.types import Array, Bgr

CARD = np.array([[20.0, 20], [120, 20], [120, 160], [20, 160]])
INDEX = np.array([[26.0, 26], [38, 26], [38, 50], [26, 50]])
PIP = INDEX + np.array([40, 60])
Box = tuple[str, float, list[list[float]]]


def card(visible: float = 1.0, label: str | None = "7h", **other: Any) -> Any:
    indices = [{"quad_px": INDEX.tolist(), "visible": visible}]
    truth = {"kind": "card", "label": label, "visible": 1.0, "order": 0}
    return {**truth, "quad_px": CARD.tolist(), "indices": indices, **other}


def box(quad: Array) -> Box:
    return ("index", 0.5, quad.tolist())


def told(truth: Any, quad: Array) -> list[str | None]:
    """What a box of the picture teaches: a card, or `None` for nothing."""
    return [
        None if s.rank == NONE else RANKS[s.rank] + SUITS[s.suit]
        for s in samples_found(0, truth, [box(quad)])
    ]


@pytest.mark.parametrize(
    ("visible", "label", "likely"),
    [
        # Half a spade may be a club; its colour is known.
        (0.8, "As", {"s": 0.5, "c": 0.5}),
        (0.875, "Kd", {"d": 0.75, "h": 0.25}),
        (0.95, "As", {"s": 1.0}),
        (1.0, "7h", {"h": 1.0}),
    ],
)
def test_of_an_index_that_is_partly_hidden_either_suit_of_its_colour_is_taught(
    visible: float, label: str, likely: dict[str, float]
) -> None:
    truth = [card(visible, label)]
    taught = [
        *(s for s in samples_of(0, truth) if s.is_index),
        *samples_found(0, truth, [box(INDEX)]),
    ]
    assert len(taught) == 2
    for sample in taught:
        suits = suits_of(sample.suit, sample.suit_share)
        found = {SUITS[n]: round(float(x), 4) for n, x in enumerate(suits) if x}
        assert found == likely


def test_a_box_around_an_index_teaches_its_card_whichever_way_up() -> None:
    assert told([card()], INDEX + 1) == ["7h"]
    (sample,) = samples_found(0, [card()], [box((INDEX + 1)[[2, 3, 0, 1]])])
    assert sample.box_px is not None
    assert np.allclose(sample.box_px, INDEX + 1)


@pytest.mark.parametrize(
    ("truth", "quad"),
    [
        pytest.param([card()], PIP, id="a pip"),
        pytest.param([card()], PIP + np.array([300, 0]), id="the table"),
        pytest.param([card(visible=0.4)], INDEX, id="hidden by half"),
        pytest.param([card(label=None, indices=[])], INDEX, id="another game's card"),
        pytest.param([card(label="X", indices=[])], INDEX, id="a joker's letters"),
    ],
)
def test_a_box_around_anything_else_teaches_that_there_is_nothing(
    truth: Any, quad: Array
) -> None:
    assert told(truth, quad) == [None]


@pytest.mark.parametrize(("label", "meant"), [("7h", (6, 2)), (None, (NONE, NO_SUIT))])
def test_the_corners_of_a_card_teach_it_those_of_another_game_that_they_are_none(
    label: str | None, meant: tuple[int, int]
) -> None:
    corners = [s for s in samples_of(0, [card(label=label)]) if s.is_index]
    assert [(s.rank, s.suit) for s in corners] == [meant]


@pytest.mark.parametrize(
    ("truth", "quad"),
    [
        pytest.param([card(visible=0.7)], INDEX, id="hidden a little"),
        pytest.param([card()], INDEX + np.array([7, 6]), id="half beside"),
        pytest.param([card()], INDEX[[1, 2, 3, 0]], id="lying across"),
        pytest.param([card(indices=[])], INDEX, id="a deck whose indices are not told"),
    ],
)
def test_a_box_of_which_the_truth_does_not_say_teaches_nothing(
    truth: Any, quad: Array
) -> None:
    assert told(truth, quad) == []


def test_boxes_that_were_found_have_their_share_of_what_is_drawn() -> None:
    made_up = [Sample(0, INDEX, 24.0, 0, 0, is_index=True)] * 50
    shown = [Sample(0, INDEX, 24.0, 0, 0, is_index=True, box_px=INDEX)] * 5
    empty = [Sample(0, PIP, 24.0, NONE, 4, is_index=True, box_px=PIP)] * 500
    odds = sampling_odds([*made_up, *shown, *empty])
    assert odds.sum() == pytest.approx(1)
    assert odds[50:55].sum() == pytest.approx(0.3)
    assert odds[55:].sum() == pytest.approx(0.1)


def test_a_window_is_found_again_from_where_its_corners_are() -> None:
    """What training asks the network to say is what reading undoes."""
    rng = np.random.default_rng(0)
    quad = np.array([[100.0, 50], [180, 60], [165, 170], [90, 160]])
    samples = [Sample(0, quad, 110.0, 0, 0, is_index) for is_index in (False, True)]
    samples.append(Sample(0, quad, 110.0, 0, 0, is_index=True, box_px=quad + 4))
    for sample in samples:
        meant = meant_window(sample)
        for _ in range(20):
            window = jittered(rng, sample)
            corners = off_corners(window, meant).reshape(4, 2)
            if np.abs(corners).max() == 1:
                continue
            reading = Reading(np.ones(53) / 53, 1.0, 0.0, 0.0, corners)
            assert np.abs(reading.meant(window) - meant).max() < 0.01


def test_a_box_of_nothing_is_drawn_as_nothing() -> None:
    rng = np.random.default_rng(0)
    bgr = np.full((200, 200, 3), 90, np.uint8)
    sample = Sample(0, PIP, 24.0, NONE, 4, is_index=True, box_px=PIP)
    drawn = [draw_sample(rng, [bgr], sample) for _ in range(10)]
    assert {(one.rank, one.corners is None) for one in drawn} == {(NONE, True)}


def test_some_crops_are_without_colour_and_some_in_a_mirror() -> None:
    """A camera at night sees no red; a 7 in a mirror is none, an 8 may be one."""
    picture = np.random.default_rng(2).integers(0, 255, (180, 200, 3)).astype(np.uint8)
    rng = np.random.default_rng(3)
    drawn = {
        rank: [
            draw_sample(rng, [picture], Sample(0, INDEX, 24.0, rank, 2, is_index=True))
            for _ in range(300)
        ]
        for rank in (RANKS.index("7"), RANKS.index("8"))
    }
    grey = [one for one in drawn[RANKS.index("7")] if _is_grey(one.crop)]
    assert 12 < len(grey) < 60
    none = {rank: sum(one.rank == NONE for one in all_) for rank, all_ in drawn.items()}
    assert none[RANKS.index("7")] > none[RANKS.index("8")]


def _is_grey(crop: Bgr) -> bool:
    return bool((crop[..., 0] == crop[..., 2]).all())
