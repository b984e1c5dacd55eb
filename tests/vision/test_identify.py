"""A new deck, enrolled from one picture of each face, named in rendered photos."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from tests.support.tables import camera_above, photograph
from vision.gallery import Face, Gallery
from vision.identify import Identifier, fit
from vision.scene.art import FACE_HEIGHT_PX, premultiplied, rounded_mask
from vision.scene.art import Face as Art
from vision.scene.custom import draw_custom_card
from vision.scene.light import Conditions
from vision.scene.render import Thing
from vision.types import Bgr, Kind

SIZE = (round(FACE_HEIGHT_PX * 63 / 88), FACE_HEIGHT_PX)


@cache
def pictures(seed: int, count: int) -> tuple[Bgr, ...]:
    """Return faces of a game that does not exist."""
    rng = np.random.default_rng(seed)
    drawn = [draw_custom_card(rng, ("sans",)).bgra[..., :3] for _ in range(count)]
    return tuple(np.asarray(cv2.resize(bgr, SIZE), np.uint8) for bgr in drawn)


@cache
def identifier() -> Identifier:
    faces = [Face(f"n{i}", (bgr,)) for i, bgr in enumerate(pictures(1, 24))]
    return fit([Gallery("d", tuple(faces[:-1]), faces[-1].pictures)])


def laid(bgr: Bgr, angle_deg: float) -> Thing:
    mask = rounded_mask(*SIZE, 0.05)
    art = Art(Kind.CARD, None, premultiplied(np.dstack([bgr, mask])))
    return Thing(art, 0.0, 0.0, angle_deg, 63.0, 88.0)


@pytest.mark.parametrize("angle_deg", [90.0, 268.0])
def test_cards_are_named_either_way_up_with_corners_some_px_off(
    angle_deg: float,
) -> None:
    rng = np.random.default_rng(2)
    right = 0
    for number, bgr in enumerate(pictures(1, 24)[:12]):
        photo, (truth,) = photograph(
            [laid(bgr, angle_deg)],
            camera_above(tilt_deg=15),
            conditions=Conditions(blur_px=0.6, noise=3, gain=0.8),
            seed=number,
        )
        # The detector gives the top of the picture as the top of the card.
        given = truth.quad_px if angle_deg < 180 else np.roll(truth.quad_px, -2, 0)
        seen = identifier().identify(photo, given + rng.normal(0, 2.5, (4, 2)))
        assert seen.identity.label in (f"n{number}", None)
        if seen.identity.label is not None:
            right += 1
            assert seen.turned is (angle_deg > 180)
            assert np.abs(seen.quad_px - truth.quad_px).max() < 3.0
    assert right >= 11


def test_a_card_is_named_by_the_half_of_it_that_shows() -> None:
    right = 0
    for number, bgr in enumerate(pictures(1, 24)[:8]):
        photo, (truth,) = photograph([laid(bgr, 90)], seed=number)
        visible = np.full(photo.shape[:2], 255, np.uint8)
        middle = int(truth.quad_px[:, 1].mean())
        visible[middle:] = 0
        photo = photo.copy()
        photo[middle:] = (40, 90, 160)
        seen = identifier().identify(photo, truth.quad_px, visible)
        assert seen.identity.label in (f"n{number}", None)
        right += seen.identity.label == f"n{number}"
    assert right >= 6


def test_a_back_is_a_back() -> None:
    photo, (truth,) = photograph([laid(pictures(1, 24)[-1], 90)])
    seen = identifier().identify(photo, truth.quad_px)
    assert seen.is_back
    assert seen.deck == 0


def test_cards_of_another_deck_and_the_bare_table_are_none_of_these() -> None:
    for number, bgr in enumerate(pictures(99, 16)):
        photo, (truth,) = photograph([laid(bgr, 90)], seed=number)
        assert identifier().identify(photo, truth.quad_px).deck is None
    photo, _ = photograph([])
    quad = np.array([[100, 100], [200, 100], [200, 240], [100, 240]], float)
    assert identifier().identify(photo, quad).deck is None
