"""A card in glare is compared with its picture in the same glare."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from companion.prints.galleries import own_deck
from vision.gallery import Face, Gallery
from vision.gallery_pipeline import SURE, _told
from vision.identify import Identifier, fit
from vision.matching.compare import compare
from vision.matching.patches import BURNT, Plane, features, picture_pixels
from vision.matching.relit import believed, is_bright, relit
from vision.quads import quad_overlap
from vision.types import Array, Bgr

LEVEL = 1
PLACE = np.array([[150, 120], [402, 120], [402, 472], [150, 472]], float) - 0.5
EDGE = 6


@cache
def pictures() -> tuple[Bgr, ...]:
    """Return faces with much white, as most decks have."""
    return tuple(
        np.asarray(cv2.resize(face.pictures[0], (252, 352)), np.uint8)
        for face in own_deck("brawl-falco").faces
    )


@cache
def identifier() -> Identifier:
    faces = tuple(Face(f"n{i}", (bgr,)) for i, bgr in enumerate(pictures()))
    return fit([Gallery("d", faces)])


def glared(bgr: Bgr, shine: float, x: float, y: float) -> Bgr:
    """Return the picture with white light on half of it or so, and cut off at white."""
    height, width = bgr.shape[:2]
    light = np.zeros((height, width), np.float32)
    centre = round(x * width), round(y * height)
    cv2.ellipse(light, centre, (width // 2, height // 3), 30, 0, 360, (1.0,), -1)
    light = np.asarray(cv2.GaussianBlur(light, (0, 0), EDGE), np.float32)
    lit = bgr.astype(np.float32) + shine * light[..., None]
    return np.clip(lit, 0, 255).astype(np.uint8)


def seen_as(bgr: Bgr) -> Plane:
    return picture_pixels(bgr, LEVEL)


@pytest.mark.parametrize("shine", [120.0, 170.0])
def test_in_glare_the_right_picture_is_alike_and_others_are_not(shine: float) -> None:
    own = [picture_pixels(picture, LEVEL) for picture in pictures()]
    for number, picture in enumerate(pictures()):
        seen = seen_as(glared(picture, shine, 0.5, 0.5))
        assert is_bright(seen)
        assert relit(own[number], seen, LEVEL).is_in_glare
        plain = compare(features(seen), features(own[number]))
        told = features(believed(seen))
        alike = [compare(told, features(relit(one, seen, LEVEL).pixels)) for one in own]
        right = alike.pop(number)
        assert right.likeness > 0.75
        assert right.colour < plain.colour
        assert max(other.likeness for other in alike) < right.likeness - 0.2


def test_white_paper_is_no_glare() -> None:
    for picture in pictures():
        for light in (0.8, 1.0, 1.1):
            lit = np.clip(picture * light, 0, 255).astype(np.uint8)
            found = relit(seen_as(picture), seen_as(lit), LEVEL)
            assert not found.is_in_glare


def test_a_burnt_pixel_tells_as_much_as_any_other() -> None:
    pixels = np.zeros((2, 1, 4), np.float32)
    pixels[0], pixels[1] = (255, 255, 255, 0.15), (20, 30, 40, 1.0)
    assert believed(pixels)[..., 3].ravel().tolist() == [1.0, 1.0]


def test_cards_of_which_half_is_burnt_out_are_named() -> None:
    named = 0
    for number, picture in enumerate(pictures()):
        photo = np.full((600, 560, 3), 60, np.uint8)
        photo[120:472, 150:402] = glared(picture, 150.0, 0.5, 0.5)
        quad: Array = PLACE + np.array([3.0, -3.0])
        label = identifier().identify(photo, quad).identity.label
        assert label in (None, f"n{number}")
        named += label is not None
    assert named >= len(pictures()) - 1


def test_cards_in_glare_that_burns_nothing_out_are_told() -> None:
    for number, picture in enumerate(pictures()):
        photo = np.full((600, 560, 3), 20, np.uint8)
        dark = np.asarray(picture * 0.16, np.uint8)
        photo[120:472, 150:402] = glared(dark, 175.0, 0.5, 0.5)
        assert photo.max() < BURNT
        sighting = identifier().identify(photo, PLACE + np.array([3.0, -3.0]))
        assert sighting.identity.candidates[0][0] == f"n{number}"
        assert sighting.likeness > 0.7


def test_a_card_in_glare_is_named_and_nobody_is_sure_of_it() -> None:
    photo = np.full((600, 560, 3), 60, np.uint8)
    photo[120:472, 150:402] = glared(pictures()[3], 150.0, 0.5, 0.5)
    sighting = identifier().identify(photo, PLACE)
    assert sighting.in_glare
    assert _told(sighting).label == "n3"
    assert _told(sighting).candidates[0][1] < SURE
    photo[120:472, 150:402] = pictures()[3]
    sighting = identifier().identify(photo, PLACE)
    assert not sighting.in_glare
    assert _told(sighting).candidates[0][1] > SURE


def test_a_strip_that_is_hardly_named_in_glare_lies_where_its_print_has_it() -> None:
    """It was left where its box had it, and so hid a strip of the card below."""
    shows = np.zeros((600, 560), np.uint8)
    shows[:, 300:] = 255
    blurred = cv2.GaussianBlur(pictures()[2], (0, 0), 4).astype(np.float32)
    grain = np.random.default_rng(1).normal(0, 6, blurred.shape)
    photo = np.full((600, 560, 3), 60, np.uint8)
    photo[120:472, 150:402] = np.clip(blurred + 140 + grain, 0, 255)
    off = PLACE + np.array([10.0, -10.0])
    sighting = identifier().identify(photo, off, shows, size_mm=(63.0, 88.0))
    assert sighting.identity.label == "n2"
    assert sighting.likeness < 0.38
    assert quad_overlap(sighting.quad_px, PLACE) > 0.95
