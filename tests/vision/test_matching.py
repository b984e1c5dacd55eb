"""References are laid over cards, compared, and found among many."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from tests.support.deck_views import COMBINED, View, drawn_arts, views
from vision.gallery import Face, Gallery
from vision.identify import Identifier, fit
from vision.matching.align import aligned
from vision.matching.compare import compare, lead
from vision.matching.patches import (
    CORNERS,
    cut_patch,
    features,
    homography,
    mapped,
    picture_pixels,
)
from vision.matching.references import prepare
from vision.types import Array, Bgr

SIZE = (252, 352)
PLACE = np.array([[150, 120], [402, 120], [402, 472], [150, 472]], float)


@cache
def pictures(count: int = 24) -> tuple[Bgr, ...]:
    arts = drawn_arts(np.random.default_rng(5), count)
    return tuple(
        np.asarray(cv2.resize(art.bgra[..., :3], SIZE), np.uint8)
        for art in arts.values()
    )


@cache
def identifier() -> Identifier:
    faces = tuple(Face(f"n{i}", (p,)) for i, p in enumerate(pictures()))
    return fit([Gallery("drawn", faces)])


def on_grey(picture: Bgr) -> Bgr:
    photo = np.full((600, 560, 3), 90, np.uint8)
    photo[120:472, 150:402] = picture
    return photo


@cache
def rich() -> tuple[Bgr, ...]:
    """Return the faces with much on them: a plain one holds nothing fast."""
    return tuple(picture for picture in pictures() if _details(picture) > 120)


def test_corners_some_px_off_are_put_right() -> None:
    rng, misses = np.random.default_rng(3), []
    for _ in range(100):
        picture = rich()[int(rng.integers(len(rich())))]
        photo = cv2.GaussianBlur(on_grey(picture), (0, 0), 2.0)
        given_px = PLACE + rng.uniform(-0.06, 0.06, (4, 2)) * SIZE[0]
        patch = cut_patch(np.asarray(photo, np.uint8), given_px)
        prepared = prepare(picture)
        lies = aligned(patch, prepared.slopes[0], 0, np.eye(3), steps=12)
        lies = aligned(patch, prepared.slopes[1], 1, lies, steps=6)
        found = mapped(patch.image_from_card @ lies, CORNERS)
        misses.append(np.abs(found - PLACE).mean() / SIZE[0])
    # A face with little in one of its corners may slip there; of 300 nine did.
    assert np.mean(np.array(misses) < 0.015) >= 0.95


def test_light_and_tint_leave_the_features_as_they_are() -> None:
    pixels = picture_pixels(pictures()[3], 1)
    dim = pixels.copy()
    dim[..., :3] = dim[..., :3] * np.array([0.36, 0.4, 0.42], np.float32)
    misfit = compare(features(dim), features(pixels))
    assert misfit.likeness > 0.97
    assert misfit.print_ < 0.02
    assert misfit.colour < 0.12


def test_the_lead_is_judged_where_two_faces_differ() -> None:
    one = pictures()[0].copy()
    other = one.copy()
    cv2.circle(other, (126, 250), 30, (20, 20, 220), -1)
    planes = [features(picture_pixels(p, 1)) for p in (one, other)]
    shown = features(picture_pixels(other, 1))
    assert lead(shown, planes[1], planes[0]) > 0.35
    assert lead(shown, planes[0], planes[1]) < -0.35
    # What hides the rest of the card has no say.
    hidden = shown.copy()
    hidden[:30, :, :4] = 0
    assert lead(hidden, planes[1], planes[0]) > 0.3


def test_a_card_is_found_among_thousands_as_among_few() -> None:
    rng = np.random.default_rng(3)
    own = [Face(f"n{i}", (p,)) for i, p in enumerate(pictures())]
    parts = []
    for number in range(1500):
        x, y = int(rng.integers(0, 120)), int(rng.integers(0, 170))
        part = pictures()[number % 24][y : y + 170, x : x + 120, rng.permutation(3)]
        parts.append(Face(f"other{number}", (np.ascontiguousarray(part),)))
    many = fit([Gallery("many", (*own, *parts))])
    for number in range(0, 24, 3):
        sighting = many.identify(on_grey(pictures()[number]), PLACE + 2.0)
        assert sighting.choices[0].label == f"n{number}"


def test_views_under_all_troubles_are_named_right_or_not_at_all() -> None:
    rng = np.random.default_rng(8)
    arts = list(drawn_arts(np.random.default_rng(5), 24).items())[:16]
    named = 0
    for view in views(arts, COMBINED, rng):
        sighting = identifier().identify(view.bgr, view.quad_px)
        assert sighting.identity.label in ("n" + str(view.label)[1:], None)
        named += sighting.deck is not None
    assert named >= 8


def test_candidates_are_probabilities() -> None:
    sighting = identifier().identify(on_grey(pictures()[2]), PLACE)
    shares = [share for _, share in sighting.identity.candidates]
    assert sum(shares) <= 1.0
    assert shares == sorted(shares, reverse=True)
    assert sighting.likeness == pytest.approx(
        sum(choice.probability for choice in sighting.choices)
    )


def test_a_card_that_fills_the_picture_is_proposed_by_its_print() -> None:
    photo = cv2.resize(rich()[0], (700, 978))
    photo = cv2.copyMakeBorder(photo, 12, 12, 30, 30, cv2.BORDER_CONSTANT)
    truth = _corners(700, 978) + np.array([30.0, 12.0])
    quads = identifier().proposed(np.asarray(photo, np.uint8))
    best = min(float(np.abs(quad - truth).max()) for quad in quads)
    assert best < 12


def numbered(colour: tuple[int, int, int], number: int) -> Bgr:
    """Return a face of a deck whose faces differ by a figure and a colour only."""
    face = np.full((352, 252, 3), 255, np.uint8)
    cv2.rectangle(face, (12, 12), (239, 339), colour, -1)
    cv2.circle(face, (126, 176), 92, (255, 255, 255), -1)
    text, font = str(number), cv2.FONT_HERSHEY_DUPLEX
    cv2.putText(face, text, (92, 214), font, 3.4, colour, 9, cv2.LINE_AA)
    cv2.putText(face, text, (24, 62), font, 1.2, (255, 255, 255), 3, cv2.LINE_AA)
    upside_down = np.ascontiguousarray(face[::-1, ::-1])
    cv2.putText(upside_down, text, (24, 62), font, 1.2, (255, 255, 255), 3, cv2.LINE_AA)
    return np.asarray(upside_down[::-1, ::-1], np.uint8)


def on_chequered_cloth(picture: Bgr, quad_px: Array) -> Bgr:
    checks = (np.indices((640, 640)) // 32).sum(0) % 2
    cloth = np.where(checks[..., None] > 0, (96, 160, 90), (225, 230, 228))
    photo = cloth.astype(np.uint8)
    height, width = picture.shape[:2]
    lies = homography(_corners(width, height), quad_px)
    card = cv2.warpPerspective(picture, lies, (640, 640), flags=cv2.INTER_AREA)
    there = np.zeros((640, 640), np.uint8)
    cv2.fillConvexPoly(there, np.round(quad_px).astype(np.int32), (1,))
    return np.asarray(np.where(there[..., None] > 0, card, photo), np.uint8)


def test_faces_that_share_their_layout_vote_together_for_where_one_lies() -> None:
    # F-07: on chequered cloth the detector sees squares; figures of the same shape in
    # four colours tell where the card lies, though not whose they are.
    colours = {"red": (40, 30, 200), "green": (50, 130, 30), "blue": (190, 90, 20)}
    faces = [
        Face(f"{name} {number}", (numbered(colour, number),))
        for name, colour in colours.items()
        for number in range(10)
    ]
    names = fit([Gallery("numbers", tuple(faces))])
    truth = np.array([[210, 150], [402, 168], [378, 436], [186, 418]], float)
    for face in (faces[4], faces[12], faces[27]):
        photo = on_chequered_cloth(face.pictures[0], truth)
        looks = [names.identify(photo, quad) for quad in names.proposed(photo)]
        assert face.label in {look.identity.label for look in looks}


def test_a_bare_picture_has_nothing_to_propose() -> None:
    assert identifier().proposed(np.full((300, 300, 3), 128, np.uint8)) == []


def test_maps_take_corners_to_corners() -> None:
    matrix = homography(CORNERS, PLACE)
    assert mapped(matrix, CORNERS) == pytest.approx(PLACE, abs=1e-3)


def _details(bgr: Bgr) -> int:
    return len(cv2.SIFT.create(300).detect(bgr, None))


def _corners(width: int, height: int) -> Array:
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], float)


def test_a_view_knows_its_truth() -> None:
    arts = list(drawn_arts(np.random.default_rng(5), 2).items())
    seen: list[View] = list(views(arts, COMBINED, np.random.default_rng(1)))
    assert [view.label for view in seen] == ["C0", "C1"]
