"""Clubs have a notch below their top leaf; spades only grow wider from their tip on."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.corners import SURE, drawn_corners, lying, read_as, window
from tests.support.tables import lay, photograph
from vision.cards import CardSeen, IndexSeen, log_faces_of
from vision.crops import index_window
from vision.glyphs import SUIT, ink_of
from vision.leaves import CELLS, REACH, alone, notch, steepness, told_by_outline
from vision.naming import name_all
from vision.pips import pips_of, shows_pips
from vision.reading import LABELS
from vision.scene.render import Truth
from vision.scene.suits import draw_suits
from vision.types import Array, Bgr, Kind

ROUND_LEAVES = (4, 5, 6, 7)
POINTED_LEAVES = 3
"""Seeds of drawn decks whose clubs have such leaves."""
SHARP_PX, BLURRED_PX = 1.5, 7.0


def corners(labels: tuple[str, ...], deck: int, blur_px: float = SHARP_PX) -> Bgr:
    return drawn_corners(labels, blur_px, draw_suits(np.random.default_rng(deck)))


def ink(bgr: Bgr, number: int = 0) -> Array:
    index = IndexSeen(window(number), 0.9, read_as(("7c", 0.5)), window(number))
    found = ink_of(bgr, index, SUIT, CELLS, REACH)
    assert found is not None
    return found


def notch_in(bgr: Bgr, number: int = 0) -> float:
    sign = alone(ink(bgr, number))
    assert sign is not None
    return notch(sign)


def name(bgr: Bgr, *candidates: tuple[str, float]) -> str | None:
    """Return the name of the one corner in a picture that was read so."""
    cards = told_by_outline(bgr, lying([read_as(*candidates)]))
    return name_all(cards, sureness=SURE)[0].label


@pytest.mark.parametrize("deck", ROUND_LEAVES)
def test_clubs_have_a_notch_and_spades_none(deck: int) -> None:
    bgr = corners(("7c", "7s"), deck)
    assert notch_in(bgr, 0) > 0.07
    assert notch_in(bgr, 1) < 0.005


def test_what_is_printed_close_above_is_no_leaf() -> None:
    """The foot of a J beside the tip of a spade (rendered tables 68, 162 and 196)."""
    bgr = corners(("7s",), 4)
    close = bgr.copy()
    close[52:58, 24:34] = 40
    assert notch_in(bgr) == pytest.approx(notch_in(close), abs=0.005)
    close[50:66, 36:44] = 40
    assert alone(ink(close)) is None


def test_blurred_edges_are_less_steep_and_notches_less_deep() -> None:
    sharp, blurred = (corners(("7c",), 4, px) for px in (SHARP_PX, 4.0))
    assert steepness(ink(blurred)) < 0.8 * steepness(ink(sharp))
    assert notch_in(blurred) < 0.5 * notch_in(sharp)


@pytest.mark.parametrize("deck", ROUND_LEAVES)
@pytest.mark.parametrize("label", ["7c", "7s"])
def test_a_doubtful_black_suit_is_the_one_its_outline_shows(
    label: str, deck: int
) -> None:
    assert name(corners((label,), deck), ("7c", 0.49), ("7s", 0.49)) == label


def test_a_club_is_named_that_was_read_as_a_spade() -> None:
    assert name(corners(("7c",), 4), ("7s", 0.8), ("7c", 0.19)) == "7c"


def test_clubs_whose_leaves_end_in_points_are_not_called_spades() -> None:
    """Their notch is hardly one, which asks a person; what was read surely stands."""
    bgr = corners(("7c",), POINTED_LEAVES)
    assert name(bgr, ("7c", 0.6), ("7s", 0.38)) is None
    assert name(bgr, ("7c", 0.99)) == "7c"


@pytest.mark.parametrize(("blur_px", "named"), [(SHARP_PX, "7s"), (BLURRED_PX, None)])
def test_in_a_blurred_picture_a_spade_may_be_a_club(
    blur_px: float, named: str | None
) -> None:
    bgr = corners(("7s",), 4, blur_px)
    assert name(bgr, ("7s", 0.95), ("7c", 0.04)) == named


def test_red_suits_and_what_is_beyond_doubt_stay_as_they_were() -> None:
    bgr = corners(("7d", "7s"), 4)
    cards = lying([read_as(("7d", 0.5), ("7h", 0.48)), read_as(("7s", 0.999))])
    told = told_by_outline(bgr, cards)
    assert all(one is other for one, other in zip(cards, told, strict=True))


def test_where_no_print_stands_what_was_read_stands() -> None:
    bgr = np.full((112, 80, 3), 225, np.uint8)
    cards = lying([read_as(("7c", 0.5), ("7s", 0.48))])
    assert told_by_outline(bgr, cards)[0] is cards[0]


def number_card(
    label: str, *candidates: tuple[str, float], angle_deg: float = 20.0
) -> tuple[Bgr, CardSeen]:
    """Return the picture of a card of which corner and whole were read so."""
    bgr, (truth,) = photograph(lay([(label, 0.0, 0.0, angle_deg)]))
    return bgr, as_read(truth, *candidates)


def as_read(truth: Truth, *candidates: tuple[str, float]) -> CardSeen:
    """Return a card of which the first corner and the whole were read so."""
    quad, look = truth.indices[0].quad_px, read_as(*candidates)
    index = IndexSeen(quad, 0.9, look, index_window(quad))
    card = CardSeen(truth.quad_px, 0.9, Kind.CARD, look, (index,))
    return replace(card, log_faces=log_faces_of(card))


def out_of_focus(bgr: Bgr) -> Bgr:
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), 1.5), np.uint8)


@pytest.mark.parametrize("label", ["2c", "5c", "9c", "Ac"])
def test_pips_tell_a_club_that_is_blurred_in_the_corner(label: str) -> None:
    bgr, card = number_card(label, (label[0] + "s", 0.55), (label, 0.44))
    bgr = out_of_focus(bgr)
    (told,) = told_by_outline(bgr, [card])
    assert name_all([told], sureness=SURE)[0].label == label
    hidden = replace(card, support=(0.9, 0.0, 0.0, 0.9))
    (told,) = told_by_outline(bgr, [hidden])
    assert name_all([told], sureness=SURE)[0].label is None


@pytest.mark.parametrize("label", ["2s", "5s", "9s"])
def test_blurred_pips_without_a_notch_say_little_for_a_spade(label: str) -> None:
    bgr, card = number_card(label, (label, 0.75), (label[0] + "c", 0.24))
    bgr = out_of_focus(bgr)
    (hidden,) = told_by_outline(bgr, [replace(card, support=(0.9, 0.0, 0.0, 0.9))])
    (told,) = told_by_outline(bgr, [card])
    more = told.log_faces - hidden.log_faces
    lead = more[LABELS.index(label)] - more[LABELS.index(label[0] + "c")]
    assert 0 < lead < 1
    assert name_all([told], sureness=SURE)[0].label is None


def test_pips_printed_on_their_heads_make_no_club_of_a_spade() -> None:
    """The middle pip of one deck's threes and fives stands the other way up."""
    bgr, card = number_card("3s", ("3s", 0.75), ("3c", 0.24), angle_deg=0.0)
    x, y = card.quad_px.mean(0).round().astype(int)  # the card lies across
    for left in (x - 60, x - 15, x + 30):
        pip = np.s_[y - 15 : y + 15, left : left + 30]
        bgr[pip] = bgr[pip][:, ::-1].copy()
    signs = [alone(pip) for pip in pips_of(bgr, card, CELLS, REACH)]
    assert signs
    assert all(sign is not None and notch(sign) > 0.1 for sign in signs)
    (told,) = told_by_outline(bgr, [card])
    assert name_all([told], sureness=SURE)[0].label == "3s"


def test_pips_that_something_lies_on_say_nothing() -> None:
    bgr, card = number_card("2c", ("2s", 0.5), ("2c", 0.49))
    bgr = out_of_focus(bgr)
    assert len(pips_of(bgr, card, CELLS, REACH)) == 2
    x, y = card.quad_px.mean(0)
    towards = card.quad_px[0] + card.quad_px[1] - 2 * card.quad_px.mean(0)
    for sign in (-1, 1):
        at = np.array([x, y]) + sign * towards * 0.27
        right = (card.quad_px[1] - card.quad_px[0]) * 0.1
        ends = [tuple(map(round, end)) for end in (at, at + right)]
        cv2.line(bgr, ends[0], ends[1], (210, 220, 220), thickness=12)
    assert not pips_of(bgr, card, CELLS, REACH)


def test_pips_of_the_card_above_say_nothing_of_the_one_below() -> None:
    """A 7s of which three sides showed was a club, as the 5c on it (6709, 131)."""
    lower, upper = ("7s", 0.0, 0.0, 90.0), ("5c", 32.0, 0.0, 90.0)
    bgr, (low, up) = photograph(lay([lower, upper]))
    seven = as_read(low, ("7s", 0.75), ("7c", 0.24))
    seven = replace(seven, support=(0.9, 0.0, 0.9, 0.9))
    five = as_read(up, ("5c", 0.99))
    told, _ = told_by_outline(bgr, [seven, five])
    assert name_all([told], sureness=SURE)[0].label == "7s"
    own = pips_of(bgr, seven, CELLS, REACH, [five.quad_px])
    both = pips_of(bgr, seven, CELLS, REACH)
    assert 0 < len(own) < len(both)


def test_courts_show_no_pips_to_go_by() -> None:
    _, card = number_card("Kc", ("Ks", 0.5), ("Kc", 0.49))
    assert not shows_pips(card)
    assert shows_pips(number_card("9c", ("9s", 0.5), ("9c", 0.49))[1])
