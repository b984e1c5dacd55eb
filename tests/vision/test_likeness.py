"""A picture teaches its own deck: doubtful corners are told by what sure ones show."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
import pytest

from tests.support.corners import SURE, drawn_corners, lying, read_as, window
from vision.cards import IndexSeen
from vision.glyphs import RANK, SUIT, laid, likeness, shape_of
from vision.inks import told_by_ink
from vision.likeness import likened
from vision.naming import name_all
from vision.reading import Reading
from vision.types import Bgr


def named(labels: Sequence[str], *doubtful: Reading) -> list[str | None]:
    """Return the names of drawn corners, all but the first of which were read surely:
    the first, and as many after it as readings are given, as those say."""
    sure = [read_as((label, 0.99)) for label in labels[len(doubtful) :]]
    cards = likened(drawn_corners(labels), lying([*doubtful, *sure]))
    return [i.label for i in name_all(cards, sureness=SURE, decks=9)]


OTHERS = ("4c", "9c", "Qc", "5s", "8s", "Ks")


@pytest.mark.parametrize("label", ["3c", "3s"])
def test_a_suit_is_the_one_that_sure_corners_show(label: str) -> None:
    doubt = read_as(("3c", 0.5), ("3s", 0.48))
    assert named([label, *OTHERS], doubt)[0] == label


def test_of_suits_that_are_alike_both_must_be_known() -> None:
    """A heart is like a diamond; with one diamond alone it may be its drawing that is
    off."""
    doubt = read_as(("3h", 0.5), ("3d", 0.48))
    assert named(["3d", "4h", "9h", "Qh", "5d"], doubt)[0] is None


@pytest.mark.parametrize("label", ["7d", "Ad"])
def test_a_rank_is_the_one_that_sure_corners_show(label: str) -> None:
    doubt = read_as(("7d", 0.55), ("Ad", 0.4))
    assert named([label, "As", "7c", "Kd"], doubt)[0] == label


def test_a_name_that_its_rank_does_not_look_like_is_asked_about() -> None:
    """Read for a 6, unlike each 6 that lies there."""
    taken = read_as(("6h", 0.9), ("4h", 0.09))
    assert named(["4h", "6s", "6c", "9d"], taken)[0] is None
    assert named(["6h", "6s", "6c", "9d"], taken)[0] == "6h"


def test_what_may_be_no_face_is_not_made_one() -> None:
    doubt = read_as(("7d", 0.6), ("Ad", 0.35), face=0.6)
    assert named(["7d", "7s", "7c", "As"], doubt)[0] is None


def test_sure_cards_stay_as_they_were() -> None:
    labels = ["3c", *OTHERS]
    cards = lying([read_as((label, 0.99)) for label in labels])
    told = likened(drawn_corners(labels), cards)
    assert all(one is other for one, other in zip(cards, told, strict=True))


def test_shapes_are_alike_whatever_their_size_light_and_place() -> None:
    labels = ["7c", "7s", "10c", "10s", "Qs"]
    bright = drawn_corners(labels)
    dim = np.asarray(30 + bright * 0.4, np.uint8)
    beside = window(1) + np.array([3.0, -2.0])
    for picture, place in ((bright, window(1)), (dim, window(1)), (bright, beside)):
        index = IndexSeen(place, 0.9, read_as(("7s", 0.9)), place)
        for zone, like, unlike in ((RANK, 0, 4), (SUIT, 3, 0)):
            shape = shape_of(picture, index, zone)
            assert shape is not None
            other = [
                shape_of(
                    bright, IndexSeen(window(n), 0.9, index.reading, window(n)), zone
                )
                for n in (like, unlike)
            ]
            found = [likeness(laid(shape), [s]) for s in other if s is not None]
            assert len(found) == 2
            assert found[0] > 0.9
            assert found[0] > found[1]


def test_a_ten_is_cut_out_whole() -> None:
    labels = ["10c", "10s", "Qs"]
    bgr = drawn_corners(labels)
    shapes = [
        shape_of(bgr, IndexSeen(window(n), 0.9, read_as(), window(n)), RANK)
        for n in range(3)
    ]
    likes = [
        likeness(laid(one), [other])
        for one, other in pairwise(shapes)
        if one is not None and other is not None
    ]
    assert len(likes) == 2
    assert likes[0] > 0.95
    assert likes[1] < 0.75


def test_where_no_print_stands_there_is_no_shape() -> None:
    bgr = np.full((112, 80, 3), 225, np.uint8)
    index = IndexSeen(window(0), 0.9, read_as(("7s", 0.9)), window(0))
    assert shape_of(bgr, index, SUIT) is None
    assert shape_of(bgr, index, RANK) is None


BURNT = ("10d", "9s", "Qc", "5h", "8d", "Kh")
"""All but the first lie beside glare, and were read surely."""


def burnt(bgr: Bgr) -> Bgr:
    """Return the picture with the first corner burnt out: black ink is grey there."""
    bright = bgr.copy()
    bright[:, :80] = np.clip(bgr[:, :80] * 0.5 + 150.0, 0, 255).astype(np.uint8)
    return bright


@pytest.mark.parametrize(("label", "name"), [("10d", "10d"), ("10s", None)])
def test_grey_ink_is_not_red_where_red_is_pink(label: str, name: str | None) -> None:
    """A spade that glare has made grey was read as a diamond, nearly without doubt."""
    labels = [label, *BURNT[1:]]
    readings = [read_as(("10d", 0.99), ("10s", 0.003))]
    readings += [read_as((other, 0.99)) for other in labels[1:]]
    cards = likened(burnt(drawn_corners(labels)), lying(readings))
    assert name_all(cards, sureness=SURE, decks=9)[0].label == name


def test_colour_says_nothing_where_there_is_none() -> None:
    labels = ["10s", *BURNT[1:]]
    gray = cv2.cvtColor(burnt(drawn_corners(labels)), cv2.COLOR_BGR2GRAY)
    bgr = np.asarray(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR), np.uint8)
    cards = lying([read_as(("10d", 0.99), ("10s", 0.003))] * len(labels))
    told = told_by_ink(bgr, cards, [(n, c.indices[0]) for n, c in enumerate(cards)])
    assert told == cards


def test_ink_of_four_colours_does_not_tell_red_from_black() -> None:
    """Blue diamonds: the ones that are thought to be red are not alike."""
    labels = ["10d", "9s", "Qc", "5h", "8d", "Kh", "7d", "2d"]
    cards = lying([read_as((label, 0.95), ("10s", 0.01)) for label in labels])
    sure = [(n, card.indices[0]) for n, card in enumerate(cards)][1:]
    blue = drawn_corners(labels)
    for number in (0, 4, 6, 7):
        corner = blue[:, 80 * number : 80 * (number + 1)]
        corner[:] = corner[..., ::-1]
    assert told_by_ink(blue, cards, sure)[0] is cards[0]
    assert told_by_ink(drawn_corners(labels), cards, sure)[0] is not cards[0]
