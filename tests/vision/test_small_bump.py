"""A camera that is bumped by so little that the picture does not jump."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import cv2
import numpy as np
import pytest

from tests.support.eyes import TrueEyes
from tests.support.following import Picture, pictures
from tests.support.tables import camera_above, lay
from vision.capture.source import Shot
from vision.geometry import transform
from vision.hair import off_px
from vision.live import LiveEye
from vision.scene.ground import cloth
from vision.scene.light import Conditions
from vision.scene.render import Truth
from vision.scene.video import Drift, Script, Step, frames
from vision.types import Array
from vision.views import Pace

CARDS = [
    ("Jh", 0.0, 90.0, 90.0),
    ("9d", -120.0, -90.0, 80.0),
    ("5s", 130.0, 70.0, 90.0),
    ("2c", 40.0, -60.0, 90.0),
]
BUMP_S = 1.5


def shown(*steps: Step) -> Iterator[Picture]:
    script = Script(
        camera_above(distance_mm=620.0, tilt_deg=12.0),
        cloth(np.random.default_rng(3), (50, 60, 40)),
        tuple(lay(CARDS)),
        steps,
        4.0,
        15.0,
        640,
        480,
        Conditions(shading=0.2, blur_px=0.4, noise=2.5),
        Drift(0.08, 5.0),
    )
    yield from pictures(frames(script, seed=4))


def bumped(
    seen: Iterator[Picture], right_px: float, down_px: float, turn_deg: float
) -> Iterator[Picture]:
    """Yield the pictures of a camera that is moved at a moment, for good."""
    way = np.eye(3)
    way[:2] = cv2.getRotationMatrix2D((320.0, 240.0), turn_deg, 1.0)
    way[:2, 2] += right_px, down_px
    for picture in seen:
        if picture.at_s < BUMP_S:
            yield picture
            continue
        bgr = cv2.warpAffine(
            picture.bgr, way[:2], (640, 480), borderMode=cv2.BORDER_REFLECT
        )
        truth = partial(_moved, picture, way)
        yield replace(picture, bgr=np.asarray(bgr, np.uint8), truth=truth)


def _moved(picture: Picture, way: Array) -> tuple[Truth, ...]:
    return tuple(replace(t, quad_px=transform(way, t.quad_px)) for t in picture.truth())


def told(seen: Iterator[Picture], *, hairs: bool) -> tuple[list[str], list[str]]:
    """Return what changed after the table was known, and what was told of the view."""
    eyes = TrueEyes()
    eye = LiveEye(eyes, Pace(settle_s=0.1, hairs=hairs))
    changes: list[str] = []
    notices: list[str] = []
    for picture in seen:
        eyes.show(picture.bgr, picture.truth)
        look = eye.look(Shot(picture.bgr, picture.at_s))
        changes += [what for view in look.views for _, what in view.changes]
        notices += look.notices
    return changes[len(CARDS) :], notices


@pytest.mark.parametrize("hairs", [False, True])
@pytest.mark.parametrize(
    "by", [(2.5, 0.0, 0.0), (-1.0, 2.0, 0.0), (0.5, 0.0, 1.2), (1.2, 0.0, -0.6)]
)
def test_a_bump_by_so_little_lays_no_card_on_itself(
    by: tuple[float, float, float], hairs: bool
) -> None:
    """Each card lay a little off where it lay, as if another of its face had been laid
    on it, and people were asked (faults, seed 107)."""
    changes, notices = told(bumped(shown(), *by), hairs=hairs)
    assert changes == []
    assert "bumped" in notices


def laid_on_itself(off_mm: float) -> Step:
    name, x_mm, y_mm, turn_deg = CARDS[1]
    (top,) = lay([(name, x_mm + off_mm, y_mm, turn_deg)])
    return Step(2.0, (*lay(CARDS), top), (x_mm, y_mm), carried=top, linger_s=0.2)


@pytest.mark.parametrize("hairs", [False, True])
def test_a_card_laid_on_one_of_its_face_is_no_bump(hairs: bool) -> None:
    assert told(shown(laid_on_itself(4.0)), hairs=hairs) == (["covered", "laid"], [])


def test_a_card_laid_on_one_of_its_face_after_a_bump_is_another() -> None:
    seen = bumped(shown(laid_on_itself(4.0)), 2.5, 0.0, 0.0)
    changes, notices = told(seen, hairs=True)
    assert changes == ["covered", "laid"]
    assert "bumped" in notices


@pytest.mark.parametrize("by", [(0.7, 0.0, 0.0), (1.0, 0.3, 0.0), (0.3, 0.0, 0.4)])
@pytest.mark.parametrize("has_hand", [False, True])
def test_a_bump_by_a_hair_while_nobody_looked_lays_nothing(
    by: tuple[float, float, float], has_hand: bool
) -> None:
    """While a picture is read a hand may have been on all that lies there; then each
    card that lay a hair off was another of its face."""
    hand = Step(BUMP_S + 0.1, tuple(lay(CARDS)), (-120.0, -90.0), linger_s=0.3)
    seen = bumped(shown(*[hand] * has_hand), *by)
    assert told(unseen(seen, BUMP_S - 0.1, BUMP_S + 0.25), hairs=True)[0] == []


def test_a_card_laid_nearly_exactly_while_nobody_looked_is_another() -> None:
    seen = unseen(shown(laid_on_itself(0.8)), 1.6, 2.3)
    assert told(seen, hairs=True) == (["covered", "laid"], [])


def unseen(seen: Iterator[Picture], from_s: float, to_s: float) -> Iterator[Picture]:
    """Yield the pictures but for those that come while the eye is busy."""
    return (picture for picture in seen if not from_s < picture.at_s < to_s)


def test_what_lies_outside_the_picture_tells_nothing() -> None:
    outside = np.array([[700.0, 90.0], [760.0, 90.0], [760.0, 170.0], [700.0, 170.0]])
    gray, bgr = np.zeros((81, 0), np.float32), np.zeros((480, 640, 3), np.uint8)
    assert off_px(gray, bgr, outside) is None
