"""Cards are cut out of photos, and faces that look alike are told."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.deck_views import PHOTO, Hardness, View, drawn_arts, views
from vision.alike import alike_across, look_alikes
from vision.enrol import cut_cards
from vision.gallery import Face, Gallery
from vision.identify import fit
from vision.models import models_folder
from vision.reference_photos import reference_gallery
from vision.types import Bgr, Frame, FrameId

CALM = Hardness(width_px=(190.0, 200.0), tilt_deg=5.0, light=0.0)


def drawn(count: int) -> list[Bgr]:
    arts = drawn_arts(np.random.default_rng(6), count)
    return [
        np.asarray(cv2.resize(art.bgra[..., :3], (252, 352)), np.uint8)
        for art in arts.values()
    ]


def test_cards_are_cut_in_reading_order_and_known_again() -> None:
    if not (models_folder() / "detector").is_dir():
        pytest.skip("no detector in models/")
    rng = np.random.default_rng(12)
    arts = list(drawn_arts(np.random.default_rng(6), 8).items())
    seen: list[View] = list(views(arts, CALM, rng))
    cuts = cut_cards(Frame(FrameId("f"), seen[0].bgr, datetime.now(UTC)))
    truth = np.array([view.true_px.mean(0) for view in seen])
    numbers = [
        int(np.linalg.norm(truth - cut.quad_px.mean(0), axis=1).argmin())
        for cut in cuts
    ]
    assert len(numbers) >= 7
    assert numbers == sorted(set(numbers))
    gallery = Gallery(
        "cut",
        tuple(Face(f"C{n}", (c.bgr,)) for n, c in zip(numbers, cuts, strict=True)),
    )
    identifier = fit([gallery])
    whole = [
        n for n, cut in zip(numbers, cuts, strict=True) if "askew" not in cut.notes
    ]
    assert len(whole) >= 6
    known = [arts[number] for number in whole]
    for view in views(known, PHOTO, rng):
        label = identifier.identify(view.bgr, view.quad_px).identity.label
        assert label in (view.label, None)


def test_faces_that_differ_in_a_dot_look_alike() -> None:
    one, other = drawn(2)
    dotted = one.copy()
    cv2.circle(dotted, (126, 176), 6, (0, 0, 255), -1)
    gallery = Gallery(
        "d", (Face("a", (one,)), Face("b", (dotted,)), Face("c", (other,)))
    )
    pairs = [{pair.one, pair.other} for pair in look_alikes(gallery)]
    assert pairs == [{"a", "b"}]


def test_a_card_that_two_decks_hold_is_told() -> None:
    one, other, third = drawn(3)
    mine = Gallery("mine", (Face("a", (one,)), Face("b", (other,))))
    turned = np.ascontiguousarray(one[::-1, ::-1])
    theirs = Gallery("theirs", (Face("c", (third,)), Face("d", (turned,))))
    (pair,) = alike_across(mine, theirs)
    assert (pair.one, pair.other) == ("a", "d")
    assert alike_across(Gallery("x", (Face("b", (other,)),)), theirs) == ()


def test_pictures_beside_photos_are_a_deck(tmp_path: Path) -> None:
    folder = tmp_path / "reference"
    folder.mkdir()
    for name, picture in zip(("a_1", "a_2", "b_1"), drawn(3), strict=True):
        cv2.imwrite(str(folder / f"{name}.png"), picture)
    gallery = reference_gallery(tmp_path)
    assert gallery is not None
    assert [(f.label, len(f.pictures)) for f in gallery.faces] == [("a", 2), ("b", 1)]


def test_a_number_at_the_end_of_some_names_is_part_of_them(tmp_path: Path) -> None:
    folder = tmp_path / "reference"
    folder.mkdir()
    for name, picture in zip(("red_1", "red_2", "wild"), drawn(3), strict=True):
        cv2.imwrite(str(folder / f"{name}.png"), picture)
    gallery = reference_gallery(tmp_path)
    assert gallery is not None
    assert [face.label for face in gallery.faces] == ["red 1", "red 2", "wild"]


def test_without_pictures_beside_there_is_no_deck(tmp_path: Path) -> None:
    assert reference_gallery(tmp_path) is None
