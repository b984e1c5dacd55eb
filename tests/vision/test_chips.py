"""Which chip it is, whatever its rotation; strangers and twins are asked about."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.boards import SIZE, chip, seed_px, shown, small_table
from vision.chips import ChipGallery, ChipRead, cut_face, enrol_chips, read_chip
from vision.discs import DiscFound, measure_disc
from vision.geometry import TableMap
from vision.scene.mats import draw_chip_face
from vision.types import Bgr

FACES = {f"unit-{n}": draw_chip_face(np.random.default_rng(n)) for n in range(10)}
STRANGER = draw_chip_face(np.random.default_rng(77))


@pytest.fixture(scope="module")
def gallery() -> ChipGallery:
    return enrol_chips({label: [face] for label, face in FACES.items()})


def read(
    gallery: ChipGallery, face: Bgr, angle_deg: float, tilt_deg: float
) -> tuple[ChipRead, tuple[Bgr, TableMap, DiscFound]]:
    disc = chip(10, -15, face=face, angle_deg=angle_deg)
    picture, table, (truth,) = shown([disc], table=small_table(tilt_deg))
    found = measure_disc(picture, table, SIZE, seed_px(truth))
    assert isinstance(found, DiscFound)
    return read_chip(picture, table, found, gallery), (picture, table, found)


@pytest.mark.parametrize("number", range(0, 10, 3))
def test_every_turn_of_a_chip_is_known(gallery: ChipGallery, number: int) -> None:
    label = f"unit-{number}"
    angle = 37.0 + 81 * number
    seen, _ = read(gallery, FACES[label], angle, 10.0 * (number % 4))
    assert seen.identity.label == label
    off = (seen.angle_deg - angle + 180) % 360 - 180
    assert abs(off) < 6
    assert seen.identity.candidates[0][0] == label
    assert sum(p for _, p in seen.identity.candidates) <= 1.0001


def test_a_chip_that_is_not_enrolled_has_no_name(gallery: ChipGallery) -> None:
    seen, _ = read(gallery, STRANGER, 20, 20)
    assert seen.identity.label is None


def test_twins_are_asked_about() -> None:
    face = FACES["unit-4"]
    twin = face.copy()
    twin[120:126, 120:126] = 255 - twin[120:126, 120:126]
    gallery = enrol_chips({"a": [face], "b": [twin], "c": [FACES["unit-5"]]})
    seen, _ = read(gallery, face, 0, 15)
    assert seen.identity.label is None
    assert {label for label, _ in seen.identity.candidates[:2]} == {"a", "b"}


def test_a_face_cut_from_a_photo_can_be_enrolled(gallery: ChipGallery) -> None:
    _, (picture, table, found) = read(gallery, STRANGER, 90, 5)
    cut = cut_face(picture, table, found)
    own = enrol_chips({"stranger": [cut], "other": [FACES["unit-1"]]})
    seen, _ = read(own, STRANGER, 200, 30)
    assert seen.identity.label == "stranger"


def test_an_empty_gallery_knows_nothing_and_blank_faces_are_refused() -> None:
    seen, _ = read(enrol_chips({}), STRANGER, 0, 0)
    assert seen.identity.label is None
    blank = np.full((50, 50, 3), 90, np.uint8)
    with pytest.raises(ValueError, match="nothing to tell it by"):
        enrol_chips({"blank": [blank]})
