"""A card of which only a corner shows is laid out from what the whole ones say."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cards_seen import card_quad, index_of
from vision.from_index import (
    DeckSeen,
    IndexPlace,
    card_from_index,
    card_like,
    learn_deck,
)
from vision.quads import area_px2, quad_overlap, share_inside
from vision.types import Array

SHAPE = (960, 1280, 3)
RATIO = 1.4
PLACE = IndexPlace(x=0.1, y=0.15, height=0.24, ratio=RATIO)


def camera(tilt_deg: float, spin_deg: float) -> Array:
    """Return the (3, 3) homography from a plane in card widths to the picture of a
    camera with a phone's focal length, 12 widths away."""
    tilt, spin = np.radians([tilt_deg, spin_deg])
    lean = np.array(
        [
            [1, 0, 0],
            [0, np.cos(tilt), -np.sin(tilt)],
            [0, np.sin(tilt), np.cos(tilt)],
        ]
    )
    turn = np.array(
        [[np.cos(spin), -np.sin(spin), 0], [np.sin(spin), np.cos(spin), 0], [0, 0, 1]]
    )
    focal = 1.1 * 1280
    lens = np.array([[focal, 0, 639.5], [0, focal, 479.5], [0, 0, 1]])
    pose = lean @ turn
    return np.asarray(lens @ np.column_stack([pose[:, 0], pose[:, 1], [0, 0, 12]]))


def on_plane(x: float, y: float, turn_deg: float, size: float = 1.0) -> Array:
    """Return the (4, 2) corners of a card around (x, y) on the plane."""
    turn = np.radians(turn_deg)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    half = np.array([0.5, RATIO / 2]) * size
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    return np.asarray(corners @ rotation.T + [x, y])


def index_on(card: Array, *, right: bool = False) -> Array:
    """Return the (4, 2) index of a card on the plane, at its upper left or right."""
    return index_of(card, right=right, place=PLACE)


def seen(points: Array, homography: Array) -> Array:
    mapped = cv2.perspectiveTransform(points[None].astype(np.float64), homography)
    return np.asarray(mapped[0])


@given(
    tilt=st.floats(0, 55),
    spin=st.floats(-180, 180),
    turn=st.floats(-180, 180),
    right=st.booleans(),
)
def test_a_card_is_laid_out_as_large_as_the_whole_ones_are(
    tilt: float, spin: float, turn: float, *, right: bool
) -> None:
    view = camera(tilt, spin)
    whole = [on_plane(-2, -1, 10), on_plane(2, 1, 75)]
    pairs = [
        (seen(card, view), [seen(index_on(card, right=right), view)]) for card in whole
    ]
    deck = learn_deck(pairs, shape=SHAPE)
    hidden = on_plane(0.5, 0, turn)
    found = deck.card_of(seen(index_on(hidden, right=right), view), mirrored=right)
    assert quad_overlap(found, seen(hidden, view)) > 0.93


@given(st.floats(-180, 180), st.floats(100, 900), st.floats(100, 900))
def test_a_card_is_laid_out_from_its_index(angle: float, x: float, y: float) -> None:
    card = card_quad(x, y, angle)
    for lower in (False, True):
        found = card_from_index(index_of(card, lower=lower), IndexPlace())
        assert quad_overlap(found, card) > 0.97


def test_cards_that_are_partly_hidden_count_where_whole_ones_are_too_few() -> None:
    view = camera(30, 0)
    cards = [on_plane(-2, -1, 10), on_plane(2, 1, 75), on_plane(0, 2, 40)]
    pairs = [(seen(card, view), [seen(index_on(card), view)]) for card in cards]
    assert len(learn_deck(pairs[:1], pairs[1:], shape=SHAPE).whole_px) == 3
    assert len(learn_deck(pairs[:2], pairs[2:], shape=SHAPE).whole_px) == 2


@pytest.mark.parametrize("turn", [0.0, 40.0, 170.0])
def test_a_back_that_lies_open_tells_how_large_cards_are(turn: float) -> None:
    """Of what lies under it only corners show, whose own size says too little."""
    view = camera(30, 0)
    backs = [seen(on_plane(2, 1, 75), view)]
    hidden = on_plane(0.5, 0, turn)
    corner = seen(index_on(hidden) * 0.2 + index_on(hidden).mean(0) * 0.8, view)
    large = seen(index_on(hidden), view)
    deck = learn_deck((), shape=SHAPE, backs_px=backs)
    assert quad_overlap(deck.card_of(large), seen(hidden, view)) > 0.9
    assert quad_overlap(deck.card_of(corner), seen(hidden, view)) < 0.5  # no such card


@pytest.mark.parametrize("larger", [0.5, 1.8])
def test_where_cards_are_known_to_be_so_long_one_corner_makes_no_other_size(
    larger: float,
) -> None:
    """A large index on two cards that overlap, in a part of the picture, made giants of
    both: what was played was never believed (Regicide 5761)."""
    index = index_on(on_plane(0, 0, 30)) * 100
    middle = index.mean(0)
    odd = middle + (index - middle) * larger
    deck = DeckSeen(PLACE, long_px=150.0)
    assert np.hypot(*(deck.card_of(odd)[3] - deck.card_of(odd)[0])) == pytest.approx(
        150
    )
    usual = deck.card_of(index)
    assert quad_overlap(deck.card_of(odd), usual) > 0.6
    assert np.allclose(usual, DeckSeen(PLACE).card_of(index)), "about as long"


def test_one_whole_card_far_away_makes_no_giants() -> None:
    """A corner of its outline was off by some px, and nine cards away others seemed
    eight times as large as it: their own corners said two (6709, table 82)."""
    view = camera(0, 0)
    whole, hidden = on_plane(-6, 4, 120), on_plane(6, -4, 20)
    off = np.zeros((4, 2))
    off[2] = (4, 0)
    pair = seen(whole, view) + off, [seen(index_on(whole), view)] * 2
    deck = learn_deck([pair], shape=SHAPE)
    assert len(deck.whole_px) == 1
    laid = deck.card_of(seen(index_on(hidden), view))
    assert quad_overlap(laid, seen(hidden, view)) > 0.9


def test_what_is_of_another_size_says_nothing_of_the_cards() -> None:
    """A coaster or a box among the whole cards does not change how large they are."""
    view = camera(30, 0)
    cards = [on_plane(-2, -1, 10), on_plane(2, 1, 75), on_plane(0, 2, 40, size=1.4)]
    pairs = [(seen(card, view), [seen(index_on(card), view)]) for card in cards]
    assert len(learn_deck(pairs, shape=SHAPE).whole_px) == 2


def test_a_deck_with_two_indices_a_card_has_none_at_the_upper_right() -> None:
    """Where a box lies askew its card's own index seems to stand there."""
    view = camera(30, 0)
    cards = [on_plane(-2, -1, 10), on_plane(2, 1, 75)]
    pairs = [(seen(card, view), [seen(index_on(card), view)]) for card in cards]
    hidden = on_plane(0.5, 0, 20)
    index = seen(index_on(hidden), view)
    found = learn_deck(pairs, shape=SHAPE).card_of(index, mirrored=True)
    assert quad_overlap(found, seen(hidden, view)) > 0.93


def test_one_card_is_enough_if_both_its_indices_stand_on_it() -> None:
    view = camera(30, 0)
    card = on_plane(-2, -1, 10)
    indices = [seen(index_on(c), view) for c in (card, card[[2, 3, 0, 1]])]
    assert not learn_deck([(seen(card, view), indices[:1])], shape=SHAPE).whole_px
    assert learn_deck([(seen(card, view), indices)], shape=SHAPE).whole_px


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_whole_cards_leave_it_to_the_index(count: int) -> None:
    view = camera(0, 0)
    pairs = [
        (seen(card, view), [seen(index_on(card), view)])
        for card in [on_plane(-2, -1, 10)][:count]
    ]
    deck = learn_deck(pairs, shape=SHAPE)
    assert not deck.whole_px
    hidden = on_plane(0.5, 0, 33)
    found = deck.card_of(seen(index_on(hidden), view))
    assert quad_overlap(found, seen(hidden, view)) > (0.6 if not count else 0.95)


def test_what_a_reference_far_off_says_is_checked_by_the_index() -> None:
    """A small whole card says little of cards far away: where the index would be of
    another size there, its own counts."""
    view = camera(0, 0)
    cards = [on_plane(-2, -1, 10), on_plane(2, 1, 75)]
    pairs = [(seen(card, view), [seen(index_on(card), view)]) for card in cards]
    deck = learn_deck(pairs, shape=SHAPE)
    hidden = on_plane(0.5, 0, 20)
    index = seen(index_on(hidden), view)
    assert deck.fits(seen(hidden, view), index)
    double = index.mean(0) + 2 * (index - index.mean(0))
    assert not deck.fits(seen(hidden, view), double)
    found = deck.card_of(double)
    assert np.ptp(found[:, 0]) > 1.5 * np.ptp(seen(hidden, view)[:, 0])


@pytest.mark.parametrize("turn", [0.0, 35.0])
def test_a_corner_as_large_as_a_card_is_a_card_seen_whole(turn: float) -> None:
    """A small card passes for the corner of a giant; no deck has one."""
    view = camera(0, 0)
    cards = [on_plane(-2, -1, 10), on_plane(2, 1, 75)]
    pairs = [(seen(card, view), [seen(index_on(card), view)]) for card in cards]
    deck = learn_deck(pairs, shape=SHAPE)
    small = seen(on_plane(0.5, 0, turn, size=0.9), view)
    assert quad_overlap(deck.card_of(small), small) > 0.99


def test_where_the_plane_of_one_card_vanishes_a_corner_is_no_card() -> None:
    """An outline that was off by a few px had cards far away be as large as a corner:
    large indices of a fan were three cards of their own (6710, table 268)."""
    whole = np.array([[614.0, 909], [602, 963], [485, 941], [508, 889]])
    index = np.array([[700.0, 627], [711, 642], [685, 650], [675, 635]])
    deck = DeckSeen(IndexPlace(0.13, 0.16, 0.25, 1.35), (whole,))
    usual = card_like(whole, index, deck.place, mirrored=False)
    assert area_px2(usual) < 2 * area_px2(index)
    laid = deck.card_of(index)
    assert 0.5 < area_px2(laid) / area_px2(whole) < 2.0
    assert share_inside(index, [laid]) > 0.9


def test_a_giant_is_none_where_the_nearest_card_says_so_too() -> None:
    """Of five outlines some were off; by the perspective of the nearest one three cards
    far from it were twice as long as it, while their own corners were of cards a little
    smaller (6711, table 234)."""
    view = camera(0, 0)
    off = np.zeros((4, 2))
    off[2] = (4, 0)
    others = (on_plane(-6, 4, 120), on_plane(-8, 5, 30))
    deck = DeckSeen(PLACE, tuple(seen(card, view) + off for card in others))
    hidden = on_plane(6, -4, 20)
    laid = deck.card_of(seen(index_on(hidden), view))
    assert quad_overlap(laid, seen(hidden, view)) > 0.9


def test_of_half_an_index_the_card_is_as_large_as_the_others() -> None:
    """The box held the rank alone: the card was laid out half as wide and high."""
    view = camera(0, 0)
    cards = [on_plane(-2, -1, 10), on_plane(2, 1, 75)]
    pairs = [(seen(card, view), [seen(index_on(card), view)]) for card in cards]
    hidden = on_plane(0.5, 0, 20)
    index = index_on(hidden)
    rank = np.array([index[0], index[1], *(index[[2, 3]] + index[[1, 0]]) / 2])
    deck = learn_deck(pairs, shape=SHAPE)
    found = deck.card_of(seen(rank, view))
    assert quad_overlap(found, seen(hidden, view)) > 0.8
