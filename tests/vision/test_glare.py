"""Glare hides print; it neither makes another card of one nor speaks against it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.test_claim import CARD, everything, face, lay, pictures, table
from vision.gallery import Face, Gallery
from vision.identify import fit
from vision.matching.claim import LEVEL, claim_of, print_of, unlike
from vision.matching.glare import excused, whitened
from vision.matching.glaring import glaring
from vision.matching.leftover import strange_px2
from vision.matching.patches import cut_patch, picture_pixels
from vision.types import Array, Bgr

SIZE_MM = (63.0, 88.0)


def shone_on(
    bgr: Bgr, middle: tuple[int, int], axes: tuple[int, int], light: float = 200.0
) -> Bgr:
    """Return the picture with white light added in a soft ellipse."""
    shine = np.zeros(bgr.shape[:2], np.float32)
    cv2.ellipse(shine, middle, axes, 0, 0, 360, (light,), -1)
    soft = cv2.GaussianBlur(shine, (0, 0), 2.0)
    lit = np.clip(bgr.astype(np.float32) + soft[..., None], 0, 255)
    return np.asarray(lit, np.uint8)


def test_a_card_shows_where_glare_burns_it_out() -> None:
    photo = table()
    quad = lay(photo, 2, 200, 150)
    shone = shone_on(photo, (230, 190), (60, 60))
    claim = claim_of(shone, quad, print_of(pictures()[2]), everything())
    assert claim.px2 > 0.97 * CARD[0] * CARD[1]


def test_glare_does_not_explain_another_card() -> None:
    own, other = (picture_pixels(pictures()[n], LEVEL) for n in (2, 5))
    photo = np.vstack([own[:44, :, :3], other[44:, :, :3]]).astype(np.uint8)
    shone = shone_on(photo, (32, 60), (14, 14), 150.0).astype(np.float32)
    pixels = np.dstack([shone, np.ones(shone.shape[:2], np.float32)])
    hidden = unlike(face(2), face(5))
    below = excused(pixels, own, hidden, 16)[60:]
    assert np.mean(below > 0) < 0.2


def half_shone_on() -> tuple[Bgr, Array]:
    """Return a card in a dim room, of which glare leaves only a strip on one side."""
    photo = table()
    quad = lay(photo, 2, 200, 150)
    dim = np.asarray(cv2.convertScaleAbs(photo, alpha=0.4), np.uint8)
    left, right = 200 + int(0.16 * CARD[0]), 200 + CARD[0] + 20
    shine = np.zeros(photo.shape[:2], np.float32)
    cv2.rectangle(shine, (left, 130), (right, 150 + CARD[1] + 20), (235.0,), -1)
    soft = cv2.GaussianBlur(shine, (0, 0), 4.0)[..., None]
    return np.clip(dim + soft, 0, 255).astype(np.uint8), quad


def test_a_strip_that_glare_leaves_is_the_cards_in_the_light_of_others() -> None:
    shone, quad = half_shone_on()
    own = print_of(pictures()[2])
    alone = claim_of(shone, quad, own, everything())
    light = np.full(3, 0.4, np.float32)
    told = claim_of(shone, quad, own, everything(), light)
    assert alone.px2 < 0.88 * CARD[0] * CARD[1]
    assert told.px2 > 0.92 * CARD[0] * CARD[1]


def test_what_lies_on_that_strip_is_not_the_cards() -> None:
    shone, quad = half_shone_on()
    cv2.rectangle(shone, (180, 180), (222, 230), (12, 12, 12), -1)
    light = np.full(3, 0.4, np.float32)
    claim = claim_of(shone, quad, print_of(pictures()[2]), everything(), light)
    thing = np.array([[201, 182], [220, 182], [220, 228], [201, 228]], float)
    assert claim.inside_px2(thing) < 0.35 * 19 * 46


def test_the_light_of_a_card_is_told_where_no_glare_lies_on_it() -> None:
    photo = table()
    quad = lay(photo, 2, 200, 150)
    dim = np.asarray(cv2.convertScaleAbs(photo, alpha=0.4), np.uint8)
    own = print_of(pictures()[2])
    light = claim_of(dim, quad, own, everything()).light
    assert light is not None
    assert light == pytest.approx(0.4, abs=0.06)
    assert claim_of(half_shone_on()[0], quad, own, everything()).light is None


def test_noise_leaves_burnt_out_parts_white() -> None:
    photo = shone_on(table(), (300, 250), (150, 120), 200.0)
    noise = np.random.default_rng(3).normal(0, 9, photo.shape)
    noisy = np.clip(photo + noise, 0, 255).astype(np.uint8)
    lit = whitened(noisy)
    assert lit[200:300, 250:350].mean() > noisy[200:300, 250:350].mean() + 1
    assert whitened(table()) is not None
    assert np.array_equal(whitened(table()), table())


def test_paper_that_is_nearly_white_is_left_as_it_is() -> None:
    paper = np.full((400, 400, 3), 246, np.uint8)
    assert np.array_equal(whitened(paper), paper)


@pytest.mark.parametrize("number", [0, 3, 6])
def test_a_card_that_is_mostly_burnt_out_is_known_by_what_is_left(number: int) -> None:
    known = pictures()[:7]
    identifier = fit(
        [Gallery("deck", tuple(Face(f"F{n}", (p,)) for n, p in enumerate(known)))]
    )
    photo = table()
    quad = lay(photo, number, 200, 150)
    shone = shone_on(photo, (263, 225), (70, 95), 185.0)
    assert glaring(cut_patch(shone, quad))
    sighting = identifier.identify(shone, quad + 1.5, size_mm=SIZE_MM)
    assert sighting.identity.label == f"F{number}"
    assert sighting.in_glare


@pytest.mark.parametrize("more", [0, 260])
def test_a_foreign_card_in_glare_is_none_of_the_deck(more: int) -> None:
    """All faces are compared at once, and OpenCV 5 takes no more than 128 channels."""
    rng = np.random.default_rng(9)
    small = rng.integers(20, 190, (more, 22, 16, 3)).astype(np.uint8)
    known = [*pictures()[:7], *small.repeat(4, axis=1).repeat(4, axis=2)]
    identifier = fit(
        [Gallery("deck", tuple(Face(f"F{n}", (p,)) for n, p in enumerate(known)))]
    )
    photo = table()
    quad = lay(photo, 7, 200, 150)
    shone = shone_on(photo, (263, 225), (70, 95), 185.0)
    sighting = identifier.identify(shone, quad, size_mm=SIZE_MM)
    assert sighting.deck is None


def test_a_bright_colour_that_the_table_has_elsewhere_is_its_print() -> None:
    photo = table()
    red = (40, 40, 220)
    cv2.rectangle(photo, (40, 40), (240, 70), red, -1)
    cv2.putText(photo, "EO", (330, 300), 0, 4.0, red, 24)
    quad = np.array([[325, 200], [500, 200], [500, 310], [325, 310]], float)
    boxes = np.zeros(photo.shape[:2], np.uint8)
    cv2.fillConvexPoly(boxes, quad.astype(np.int32), (255,))
    beside = strange_px2(photo, quad, everything(), boxes)
    anywhere = strange_px2(photo, quad, everything(), boxes, is_bright=True)
    assert beside > 4000
    assert anywhere < 400
    lay(photo, 1, 340, 200)
    card = strange_px2(photo, quad, everything(), boxes, is_bright=True)
    assert card > 4000
