"""Faces that differ in fill or colour alone are told apart, whatever the light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import cv2
import numpy as np
import pytest

from tests.support.tables import camera_above, photograph
from tests.vision.test_identify import SIZE, laid, pictures
from tests.vision.test_peel import around, card, photo_of
from tests.vision.test_peel import pictures as arts
from vision.detect import Detect, View
from vision.gallery import Face, Gallery
from vision.gallery_pipeline import GalleryPipeline
from vision.identify import fit
from vision.matching.ink import Near
from vision.matching.patches import cut_patch
from vision.matching.references import references_of
from vision.matching.trial import trials
from vision.mirrored import LEAST_CORNERS, says_mirrored
from vision.mirrored_faces import (
    flipped_quad,
    speaking_for_mirror,
)
from vision.types import Bgr, Detection, Frame, FrameId, Identity, Kind

COLOURS = {"red": (40, 30, 190), "green": (60, 120, 20), "purple": (110, 30, 80)}
PAPER = (214, 218, 216)
LAMPS = {"warm": (0.62, 0.84, 1.0), "cold": (1.0, 0.9, 0.72), "dim": (0.5, 0.5, 0.5)}
LOOKS = [f"{colour}-{fill}" for colour in COLOURS for fill in ("striped", "empty")]


@cache
def figure(look: str) -> Bgr:
    """Return a card with an oval, its line and stripes in one colour."""
    colour, fill = look.split("-")
    width, height = SIZE
    card = np.full((height, width, 3), PAPER, np.uint8)
    middle, axes = (width // 2, height // 2), (width // 3, height // 8)
    if fill == "striped":
        inside = np.zeros((height, width), np.uint8)
        cv2.ellipse(inside, middle, axes, 0, 0, 360, (255,), -1)
        inside[:, np.arange(width) % 6 > 0] = 0
        card[inside > 0] = COLOURS[colour]
    cv2.ellipse(card, middle, axes, 0, 0, 360, COLOURS[colour], 4, cv2.LINE_AA)
    return card


@cache
def deck() -> Gallery:
    faces = [Face(look, (figure(look),)) for look in LOOKS]
    return Gallery("figures", tuple(faces))


def in_light(bgr: Bgr, lamp: str) -> Bgr:
    """Return a photo in the light of a lamp that stands at its left."""
    fall = np.linspace(1.0, 0.7, bgr.shape[1])[None, :, None]
    return np.asarray(np.clip(bgr * fall * np.array(LAMPS[lamp]), 0, 255), np.uint8)


@pytest.mark.parametrize("lamp", sorted(LAMPS))
def test_fill_and_colour_are_told_in_any_light(lamp: str) -> None:
    names = fit([deck()])
    right = 0
    for number, look in enumerate(LOOKS):
        photo, (truth,) = photograph(
            [laid(figure(look), 90)], camera_above(tilt_deg=10), seed=number
        )
        seen = names.identify(in_light(photo, lamp), truth.quad_px)
        assert seen.identity.label in (look, None)
        right += seen.identity.label == look
    assert right >= 5


def test_every_face_that_differs_in_little_is_tried() -> None:
    """The likest small picture alone would have no rival, and be named."""
    gallery = deck()
    references = references_of([gallery])
    near = Near(references)
    empty = LOOKS.index("red-empty")
    others = {LOOKS[number] for number, _ in near.of(empty)}
    assert {"red-striped", "purple-empty", "green-empty"} <= others
    photo, (truth,) = photograph([laid(figure("red-striped"), 90)])
    patch = cut_patch(photo, truth.quad_px)
    alone = [t for t in trials(patch, references) if t.picture == empty]
    assert len(alone) == 1
    found = near.trials(patch, alone, np.eye(8, dtype=np.float32))
    assert LOOKS.index("red-striped") in {trial.picture for trial in found}


def test_many_pictures_of_one_face_leave_room_for_others() -> None:
    faces = [replace(face, pictures=(face.pictures[0],) * 6) for face in deck().faces]
    references = references_of([Gallery("figures", tuple(faces))])
    photo, (truth,) = photograph([laid(figure("green-striped"), 90)])
    found = trials(cut_patch(photo, truth.quad_px), references)
    keys = [references.all[trial.picture].key for trial in found]
    assert len(keys) == len(set(keys)) > 1


def test_a_deck_seen_in_a_mirror_is_known_and_foreign_cards_are_none() -> None:
    faces = pictures(1, 24)
    gallery = Gallery("d", tuple(Face(f"n{i}", (faces[i],)) for i in range(20)))
    names = fit([gallery])
    for numbers, is_known in (((2, 7), True), ((21, 22), False)):
        things = [laid(faces[numbers[0]], 90), laid(faces[numbers[1]], 90)]
        things = [replace(t, x_mm=x) for t, x in zip(things, (-60, 60), strict=True)]
        photo, truths = photograph(things)
        flipped = np.ascontiguousarray(photo[:, ::-1])
        quads = [truth.quad_px for truth in truths]
        seen = [names.identify(photo, quad) for quad in quads]
        assert speaking_for_mirror(photo, seen, names) < LEAST_CORNERS
        mirrored = [
            names.identify(flipped, flipped_quad(quad, photo)) for quad in quads
        ]
        speaking = speaking_for_mirror(flipped, mirrored, names)
        assert (speaking >= LEAST_CORNERS) is is_known


def test_one_card_is_not_enough_for_a_mirror_but_a_wrong_name_speaks_too() -> None:
    faces = pictures(1, 20)
    gallery = Gallery("d", tuple(Face(f"n{i}", (bgr,)) for i, bgr in enumerate(faces)))
    names = fit([gallery])
    things = [replace(laid(faces[n], 90), x_mm=x) for n, x in ((2, -60), (7, 60))]
    photo, truths = photograph(things)
    flipped = np.ascontiguousarray(photo[:, ::-1])
    unlike, other = (
        names.identify(flipped, flipped_quad(truth.quad_px, photo)) for truth in truths
    )
    wrong = replace(other, deck=0, identity=Identity("n9"))
    for likeness, speaking in ((0.6, 2), (0.97, 1)):
        named = replace(wrong, likeness=likeness)
        assert speaking_for_mirror(flipped, [unlike, named], names) == speaking
    assert speaking_for_mirror(flipped, [unlike], names) == 1
    assert speaking_for_mirror(flipped, [unlike], names) < LEAST_CORNERS


@pytest.mark.parametrize(("first", "is_known"), [(0, True), (2, False)])
def test_a_mirror_that_one_card_tells_of_is_borne_out_by_all(
    first: int, *, is_known: bool
) -> None:
    """Only one card of a fan lies open; of a deck without the others it is alone."""
    known = list(enumerate(arts()))[first:]
    gallery = Gallery("d", tuple(Face(f"n{i}", (bgr,)) for i, bgr in known))
    fan = [card(n, -60 + 34.0 * n, 6.0 * n, 100 - 6.0 * n) for n in range(3)]
    photo, truths = photo_of(fan)
    boxes = [truths[2].quad_px, around(truths[:2])]
    found = [Detection(Kind.CARD, flipped_quad(box, photo), 0.9) for box in boxes]
    see = GalleryPipeline(_seeing(found), fit([gallery]), (gallery,), 0.1, 0.5)
    flipped = np.ascontiguousarray(photo[:, ::-1])
    frame = Frame(FrameId("t"), flipped, datetime.now(UTC))
    assert says_mirrored(see(frame).findings) is is_known


def _seeing(found: list[Detection]) -> Detect:
    """Return a detector that sees these, whatever it is shown."""

    def detect(bgr: Bgr, views: Sequence[View]) -> tuple[Detection, ...]:
        return tuple(found)

    return detect
