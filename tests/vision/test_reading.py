"""What the reader says of crops, and that it looks again where it is not sure."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.tables import lay, photograph
from vision.cards import IndexSeen
from vision.crops import card_window, in_window, index_window
from vision.looks import Looks
from vision.once import indices_once
from vision.reading import LABELS, Read
from vision.refine import RefinedQuad
from vision.types import Array, Bgr, Detection, Kind

SPOTS = [("7s", -120.0, 0.0, 90.0), ("4d", 0.0, 0.0, 90.0), ("Kc", 120.0, 0.0, 90.0)]


@pytest.fixture(scope="module")
def table() -> tuple[Bgr, Array]:
    """Return a picture and the windows of three indices, their labels as in `SPOTS`."""
    bgr, truth = photograph(lay(SPOTS))
    quads = {item.label: item.indices[0].quad_px for item in truth}
    return bgr, np.array([index_window(quads[label]) for label, *_ in SPOTS])


def test_what_is_clear_is_named(read: Read, table: tuple[Bgr, Array]) -> None:
    names = [LABELS[int(one.faces.argmax())] for one in read(*table)]
    assert names == [label for label, *_ in SPOTS]


def test_faces_are_probabilities(read: Read, table: tuple[Bgr, Array]) -> None:
    for reading in read(*table):
        assert reading.faces.sum() == pytest.approx(1)
        assert reading.face + reading.back + reading.none == pytest.approx(1)


def test_no_windows_no_readings(read: Read, table: tuple[Bgr, Array]) -> None:
    assert read(table[0], np.empty((0, 4, 2))) == ()


def test_looking_closely_depends_less_on_where_exactly_a_crop_was_cut(
    read: Read, table: tuple[Bgr, Array]
) -> None:
    """One look at a blurred index says this or that as its window lies; the mean of
    several says less so."""
    bgr, windows = table
    blurred = np.asarray(cv2.GaussianBlur(bgr, (0, 0), 2.4), np.uint8)
    shifts = np.random.default_rng(3).normal(0, 0.6, (12, 1, 2))

    def spread(*, closely: bool) -> float:
        """Return how much the likeliest face's probability varies, the mean of all."""
        looks = [
            np.array([r.faces for r in read(blurred, window + shifts, closely=closely)])
            for window in windows
        ]
        return float(np.mean([faces.std(0).max() for faces in looks]))

    assert spread(closely=False) > 0.01
    assert spread(closely=True) < 0.9 * spread(closely=False)


def test_the_reader_says_where_an_index_lies_that_was_not_cut_exactly(
    read: Read, table: tuple[Bgr, Array]
) -> None:
    """A detector's box is a tenth off now and then; what is read there says so."""
    bgr, windows = table
    size = float(np.linalg.norm(windows[0][3] - windows[0][0]))
    rng = np.random.default_rng(5)
    moved = windows[rng.integers(0, 3, 60)]
    there = moved + rng.choice([-0.12, 0.12], (60, 1, 2)) * size
    found = [r.meant(w) for r, w in zip(read(bgr, there), there, strict=True)]
    before = np.linalg.norm(there - moved, axis=2).mean(1) / size
    after = np.linalg.norm(np.array(found) - moved, axis=2).mean(1) / size
    assert np.median(after) < 0.5 * np.median(before)


@pytest.mark.parametrize("degrees", [-15, 15])
def test_an_index_that_is_turned_is_turned_back(
    read: Read, table: tuple[Bgr, Array], degrees: float
) -> None:
    """In a fan, a tenth of the detector's boxes are askew by more than ten degrees."""
    bgr, windows = table
    there = np.array([_turned(window, degrees) for window in windows])
    found = [r.meant(w) for r, w in zip(read(bgr, there), there, strict=True)]
    left = [_angle_deg(f) - _angle_deg(w) for f, w in zip(found, windows, strict=True)]
    assert np.abs(left).max() < abs(degrees) / 2


def _turned(window_px: Array, degrees: float) -> Array:
    middle = window_px.mean(0)
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.asarray((window_px - middle) @ np.array([[c, s], [-s, c]]) + middle)


def _angle_deg(window_px: Array) -> float:
    right = window_px[1] - window_px[0]
    return float(np.degrees(np.arctan2(right[1], right[0])))


def test_boxes_that_lead_to_one_index_are_one_index(
    read: Read, table: tuple[Bgr, Array]
) -> None:
    bgr, windows = table
    quads = [in_window(window) for window in windows]
    size = float(np.linalg.norm(quads[0][0] - quads[0][3]))
    boxes = [
        Detection(Kind.INDEX, quad + np.array(shift) * size, score)
        for quad in quads
        for shift, score in (((0.1, 0.0), 0.4), ((-0.1, 0.1), 0.8))
    ]
    found = Looks(bgr, read).indices(boxes, [])
    labels = sorted(LABELS[int(one.reading.faces.argmax())] for one in found)
    assert labels == sorted(label for label, *_ in SPOTS)
    assert {one.score for one in found} == {0.8}


def test_a_corner_on_a_clear_card_is_read_unless_it_was_seen_faintly(
    read: Read, table: tuple[Bgr, Array]
) -> None:
    """One of a card below may stand where the card's own would (6712, 295)."""
    bgr, windows = table
    quad = np.array([[100.0, 100], [200, 100], [200, 240], [100, 240]])
    clear = RefinedQuad(quad, (1.0, 1.0, 1.0, 1.0))
    (whole,) = read(bgr, windows[:1])
    places = ([103.0, 104.0], [118.0, 108.0], [186.0, 206.0], [150.0, 160.0])
    index = np.array([[0.0, 0], [14, 0], [14, 30], [0, 30]])
    corners = [
        Detection(Kind.INDEX, index + place, score)
        for place in places
        for score in (0.6, 0.1)
    ]
    kept = Looks(bgr, read).worth_reading(corners, [clear], [whole])
    assert kept == [corner for corner in corners if corner.score == 0.6]


def test_a_card_seen_wider_than_tall_is_turned_as_its_index_stands(
    read: Read,
) -> None:
    """From low, a card that lies across is wider than tall; its box is as one that lies
    along would be."""
    bgr, truth = photograph(lay([("7h", 0.0, 0.0, 0.0)]))
    (card,) = truth
    sideways = RefinedQuad(np.roll(card.quad_px, -1, axis=0), (0.9, 0.8, 0.7, 0.6))
    (whole,) = read(bgr, np.array([card_window(sideways.quad_px)]))
    looks = Looks(bgr, read)
    boxes = [Detection(Kind.INDEX, index.quad_px, 0.9) for index in card.indices]
    indices = looks.indices(boxes, [])
    (straight,), (again,) = looks.upright([sideways], [whole], indices)
    assert np.array_equal(straight.quad_px, card.quad_px)
    assert straight.support == (0.6, 0.9, 0.8, 0.7)
    assert LABELS[int(again.faces.argmax())] == "7h"
    assert again.certainty > 0.9 > whole.certainty
    # What is turned and then reads as another card is no card: a fan has such sides.
    others = [
        i.read_as(replace(i.reading, faces=np.roll(i.reading.faces, 1)))
        for i in indices
    ]
    assert looks.upright([sideways], [whole], others) == ([sideways], [whole])


def test_a_card_that_passes_for_the_corner_of_a_giant_is_not_read_twice(
    read: Read, table: tuple[Bgr, Array]
) -> None:
    _, windows = table
    (reading,) = read(table[0], windows[:1])
    small = IndexSeen(in_window(windows[0]), 0.5, reading, windows[0])
    middle = windows[0].mean(0)
    around = (windows[0] - middle) * 3 + middle + 0.8 * (windows[0][2] - middle)
    giant = IndexSeen(in_window(around), 0.4, replace(reading, face=0.95), around)
    (only,) = indices_once([giant, small])
    assert only.window_px is small.window_px
