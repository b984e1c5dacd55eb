"""Outlines found afresh, and windows read once: on rendered cards with exact truth."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.tables import camera_above, lay, photograph
from vision.cards import CardSeen
from vision.crops import card_window
from vision.looks import Looks
from vision.outline import is_card_shaped, outlined
from vision.quads import quad_overlap
from vision.reading import LABELS, Read, Reading
from vision.refine import refine_quad
from vision.types import Array, Bgr, Detection, Kind


def askew(quad_px: Array, turn_deg: float, grow: float = 1.08) -> Array:
    """Return the quad as a detector gives it: turned about its middle, too large."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    middle = quad_px.mean(0)
    turned = (quad_px - middle) @ np.array([[c, s], [-s, c]]) * grow
    return np.asarray(turned + middle, float)


@pytest.mark.parametrize("turn_deg", [-14.0, 10.0, 18.0])
@pytest.mark.parametrize("tilt_deg", [0.0, 35.0])
def test_a_card_in_a_box_that_is_turned_wrongly_is_outlined(
    turn_deg: float, tilt_deg: float
) -> None:
    bgr, (card,) = photograph(
        lay([("5d", 0.0, 0.0, 60.0)]), camera_above(tilt_deg=tilt_deg)
    )
    box = askew(card.quad_px, turn_deg)
    found = outlined(bgr, box, refine_quad(bgr, box))
    assert quad_overlap(found.quad_px, card.quad_px) > 0.95
    assert np.linalg.norm(found.quad_px - card.quad_px, axis=1).max() < 6


def test_two_cards_that_touch_are_not_outlined_as_one() -> None:
    cards = lay([("9s", 0.0, 0.0, 90.0), ("4h", 30.0, 10.0, 60.0)])
    bgr, truth = photograph(cards)
    for card in truth:
        box = askew(card.quad_px, 4.0)
        found = outlined(bgr, box, refine_quad(bgr, box))
        assert quad_overlap(found.quad_px, card.quad_px) > 0.8


def test_an_empty_table_leaves_the_box_where_it_is() -> None:
    nothing = np.full((300, 300, 3), 90, np.uint8)
    box = np.array([[80.0, 60], [180, 60], [180, 200], [80, 200]])
    found = outlined(nothing, box, refine_quad(nothing, box))
    assert np.array_equal(found.quad_px, box)


@pytest.mark.parametrize("tilt_deg", [0.0, 30.0, 55.0])
@pytest.mark.parametrize("turn_deg", [0.0, 40.0, 90.0])
def test_a_card_seen_from_any_side_has_the_shape_of_a_card(
    tilt_deg: float, turn_deg: float
) -> None:
    bgr, (card,) = photograph(
        lay([("5d", 0.0, 0.0, turn_deg)]), camera_above(tilt_deg=tilt_deg)
    )
    assert is_card_shaped(card.quad_px, bgr.shape)


def test_a_kite_and_a_square_are_not_the_shape_of_a_card() -> None:
    kite = np.array([[100.0, 100], [200, 120], [230, 330], [60, 220]])
    square = np.array([[100.0, 100], [200, 100], [200, 200], [100, 200]])
    assert not is_card_shaped(kite, (600, 800, 3))
    assert not is_card_shaped(square, (600, 800, 3))


def test_the_same_window_is_read_once(read: Read) -> None:
    shown: list[Array] = []

    def counted(bgr: Bgr, windows_px: Array, **how: bool) -> tuple[Reading, ...]:
        shown.extend(windows_px)
        return read(bgr, windows_px, **how)

    bgr, (card,) = photograph(lay([("5d", 0.0, 0.0, 70.0)]))
    looks = Looks(bgr, counted)
    first = looks.readings([card.quad_px, card.quad_px + 5])
    again = looks.readings([card.quad_px + 5, card.quad_px])
    assert len(shown) == 2
    assert again == first[::-1]


def test_what_is_unclear_is_looked_at_closely_and_only_once(read: Read) -> None:
    closely_seen: list[Array] = []

    def counted(bgr: Bgr, windows_px: Array, **how: bool) -> tuple[Reading, ...]:
        closely_seen.extend(windows_px if how.get("closely") else ())
        return read(bgr, windows_px, **how)

    bgr, (card,) = photograph(lay([("5d", 0.0, 0.0, 70.0)]))
    looks = Looks(bgr, counted)
    faces = np.full(len(LABELS), 0.5 / len(LABELS))
    faces[LABELS.index("5d")] += 0.5
    unclear = Reading(faces, 0.99, 0.0, 0.0)
    clear = Reading(np.eye(len(LABELS))[LABELS.index("5d")], 0.99, 0.0, 0.0)
    seen = [CardSeen(card.quad_px, 0.9, Kind.CARD, whole) for whole in (unclear, clear)]
    assert looks.closer(seen)
    assert len(closely_seen) == 1
    assert not looks.closer(seen)
    (reading,) = looks.readings([card_window(card.quad_px)])
    assert LABELS[int(reading.faces.argmax())] == "5d"


def test_an_index_on_an_outlined_card_is_seen_from_straight_above(read: Read) -> None:
    shown: list[Array] = []

    def watched(bgr: Bgr, windows_px: Array, **how: bool) -> tuple[Reading, ...]:
        shown.extend(windows_px)
        return read(bgr, windows_px, **how)

    bgr, (card,) = photograph(
        lay([("5d", 0.0, 0.0, 70.0)]), camera_above(tilt_deg=50.0)
    )
    looks = Looks(bgr, watched)
    box = np.asarray(
        cv2.boxPoints(cv2.minAreaRect(card.indices[0].quad_px.astype(np.float32))),
        float,
    )
    first = int(np.linalg.norm(box - card.indices[0].quad_px[0], axis=1).argmin())
    box = np.roll(box, -first, axis=0)
    looks.indices([Detection(Kind.INDEX, box, 0.8)], [looks.outline(card.quad_px)])
    top, side = shown[0][1] - shown[0][0], card.quad_px[1] - card.quad_px[0]
    lengths = float(np.linalg.norm(top) * np.linalg.norm(side))
    assert float(top @ side) / lengths > 0.995


def test_faint_corners_of_a_clear_card_are_not_read(read: Read) -> None:
    bgr, (card,) = photograph(lay([("5d", 0.0, 0.0, 90.0)]))
    looks = Looks(bgr, read)
    outline = looks.outline(card.quad_px)
    faces = np.zeros(len(LABELS))
    faces[LABELS.index("5d")] = 1.0
    clear, unclear = Reading(faces, 0.99, 0.0, 0.0), Reading(faces, 0.5, 0.0, 0.0)
    own, lower = (index.quad_px for index in card.indices)
    beside = card.quad_px.max(0) + 60 - own.mean(0)
    faint = Detection(Kind.INDEX, own, 0.1)
    strong = Detection(Kind.INDEX, own, 0.6)
    apart = Detection(Kind.INDEX, own + beside, 0.1)
    weaker = Detection(Kind.INDEX, lower, 0.5)
    found = [faint, weaker, strong, apart]
    assert looks.worth_reading(found, [outline], [clear]) == [weaker, strong, apart]
    assert looks.worth_reading(found, [outline], [unclear]) == found
