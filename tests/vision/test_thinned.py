"""Clubs and spades out of focus, where the leaves of a club run together."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.corners import drawn_corners, lying, never_read, read_as, window
from vision.cards import CardSeen
from vision.crops import thinned
from vision.leaves import club_log, told_by_outline
from vision.reading import Read, Reading
from vision.scene.suits import draw_suits
from vision.thinned import told_thinned
from vision.types import Array, Bgr

OUT_OF_FOCUS_PX = 4.0
CLEAR = 2.2
"""So much likelier (log) than the other black suit one is named."""
DECKS = range(4, 14)
BLACK_CARDS = ("7c", "7s", "Kc", "Ks", "4c", "4s")


@pytest.mark.parametrize(("wide_px", "left_px"), [(20, 16), (12, 8), (3, 0)])
def test_print_loses_two_px_at_each_side(wide_px: int, left_px: int) -> None:
    crop = np.full((112, 80, 3), 230, np.uint8)
    crop[30:80, 30 : 30 + wide_px] = 30
    assert int((thinned(crop)[55, :, 0] < 130).sum()) == left_px


def test_leaves_that_run_together_part_where_print_is_thinned() -> None:
    crop = np.full((112, 80, 3), 230, np.uint8)
    for at in ((28, 62), (53, 62), (40, 40)):
        cv2.circle(crop, at, 11, (30, 30, 30), -1)
    blurred = np.asarray(cv2.GaussianBlur(crop, (0, 0), 3.0), np.uint8)
    assert [parts(blurred), parts(thinned(blurred))] == [1, 3]


def parts(crop: Bgr) -> int:
    return cv2.connectedComponents((crop[..., 0] < 130).astype(np.uint8))[0] - 1


def test_more_of_them_are_clear_out_of_focus_and_fewer_the_other(read: Read) -> None:
    before, after = [], []
    for deck in DECKS:
        suits = draw_suits(np.random.default_rng(deck))
        bgr = drawn_corners(BLACK_CARDS, OUT_OF_FOCUS_PX, suits)
        places = np.array([window(number) for number in range(len(BLACK_CARDS))])
        cards = told_by_outline(bgr, lying(read(bgr, places, closely=True)))
        told = told_thinned(read, bgr, cards)
        before += [club_log(card) for card in cards]
        after += [club_log(card) for card in told]
    is_club = np.tile([label[-1] == "c" for label in BLACK_CARDS], len(DECKS))
    rights = np.where(is_club, 1, -1) * np.array([before, after])
    clear, other = (rights > CLEAR).sum(1), (rights < 0).sum(1)
    assert clear[1] > 1.5 * clear[0]
    assert other[1] < 0.7 * other[0]
    assert (rights[1] < -CLEAR).sum() <= 2


def test_a_club_that_passes_for_a_spade_only_as_it_is_printed_is_one() -> None:
    def answered(bgr: Bgr, windows_px: Array, **how: bool) -> tuple[Reading, ...]:
        suits = (0.95, 0.04) if how.get("is_thinned") else (0.2, 0.79)
        look = read_as(*zip(("7c", "7s"), suits, strict=True))
        return (look,) * len(windows_px)

    bgr = drawn_corners(("7c",))
    (card,) = lying([read_as(("7c", 0.2), ("7s", 0.79))])
    (now,) = told_thinned(answered, bgr, [card])
    assert club_log(card) < -1
    assert club_log(now) > 2


@pytest.mark.parametrize(
    "look",
    [
        read_as(("7d", 0.5), ("7h", 0.49)),
        read_as(("7s", 0.99), ("7c", 0.001)),
        read_as(("7c", 0.99), ("7s", 0.001)),
    ],
)
def test_red_suits_and_what_is_clear_are_not_looked_at_again(look: Reading) -> None:
    cards = lying([look])
    assert told_thinned(never_read, drawn_corners(("7d",)), cards)[0] is cards[0]


def test_a_card_of_which_no_corner_shows_stays_as_it_was() -> None:
    card = CardSeen(window(0), 0.9, lying([read_as(("7c", 0.5))])[0].kind)
    assert told_thinned(never_read, drawn_corners(("7c",)), [card])[0] is card
