"""Cards that lie a hair off: another of their face, or a hand that only was there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.watching.plan import tempo_of
from tests.support.eyes import TrueEyes
from tests.support.following import compared, follow, pictures
from tests.support.rounds import frenzy_round
from tests.support.tables import camera_above, lay
from vision.capture.source import Shot
from vision.hair import OFF_PX, off_px
from vision.live import LiveEye
from vision.scene.ground import cloth
from vision.scene.light import Conditions
from vision.scene.video import Drift, Script, Step, frames
from vision.types import Bgr
from vision.views import Pace

CARDS = [
    ("Jh", 0.0, 90.0, 90.0),
    ("9d", -120.0, -90.0, 80.0),
    ("5s", 130.0, 70.0, 90.0),
]
THERE = (-120.0, -90.0)


def changes(step: Step, *, hairs: bool, bump_px: float = 0.0) -> list[str]:
    """Return what changed after the table was known, of one step of a hand; the camera
    is moved by less than anybody sees while the hand is there."""
    return seen_at(Pace(settle_s=0.1, hairs=hairs), step, bump_px)


def seen_at(pace: Pace, step: Step, bump_px: float = 0.0) -> list[str]:
    """Return the same of an eye that keeps the pace of a game."""
    camera = camera_above(distance_mm=620.0, tilt_deg=12.0)
    x, y = camera.centre_px
    moved = replace(camera, centre_px=(x + bump_px, y))
    script = Script(
        camera,
        cloth(np.random.default_rng(3), (50, 60, 40)),
        tuple(lay(CARDS)),
        (step,),
        4.0,
        15.0,
        640,
        480,
        Conditions(shading=0.2, blur_px=0.4, noise=2.5),
        Drift(0.08, 5.0, ((2.0, moved),) if bump_px else ()),
    )
    eyes = TrueEyes()
    eye = LiveEye(eyes, pace)
    found = []
    for picture in pictures(frames(script, seed=4)):
        eyes.show(picture.bgr, picture.truth)
        look = eye.look(Shot(picture.bgr, picture.at_s))
        found += [what for view in look.views for _, what in view.changes]
    return found[len(CARDS) :]


def laid(x_mm: float, y_mm: float, turn_deg: float) -> Step:
    """Return the step that lays a second nine so far off the first."""
    (top,) = lay([("9d", THERE[0] + x_mm, THERE[1] + y_mm, 80.0 + turn_deg)])
    return Step(2.0, (*lay(CARDS), top), THERE, carried=top, linger_s=0.2)


@pytest.mark.parametrize("off", [(0.8, -0.3, 0.5), (0.0, 0.6, 0.0), (0.1, 0.1, 1.2)])
def test_a_card_laid_nearly_exactly_on_one_of_its_face_is_another(
    off: tuple[float, float, float],
) -> None:
    assert changes(laid(*off), hairs=True) == ["covered", "laid"]
    assert changes(laid(*off), hairs=False) == []


@pytest.mark.parametrize("game", ["frenzy", "frantic"])
def test_a_game_that_asks_of_a_card_on_one_of_its_face_is_told_of_each(
    game: str,
) -> None:
    """A Fantastic lay 1.7 px off the first, was lost in silence, and the next play was
    the wrong player's (Frantic 5502)."""
    pace = tempo_of(game).pace
    assert seen_at(pace, laid(0.8, -0.3, 0.5)) == ["covered", "laid"]
    touch = Step(2.0, tuple(lay(CARDS)), THERE, linger_s=0.3)
    assert seen_at(pace, touch) == []


def test_a_hand_that_only_was_there_lays_nothing() -> None:
    touch = Step(2.0, tuple(lay(CARDS)), THERE, linger_s=0.3)
    assert changes(touch, hairs=True) == []


def test_a_camera_that_moved_by_less_than_a_pixel_lays_nothing() -> None:
    touch = Step(2.0, tuple(lay(CARDS)), THERE, linger_s=0.3)
    assert changes(touch, hairs=True, bump_px=0.7) == []


@pytest.mark.parametrize("off", [0.0, 0.6, 1.0])
def test_a_face_that_shows_next_to_nothing_tells_whether_it_moved(off: float) -> None:
    """Fitted in its shading it seemed one or two px off where nobody was (5311)."""
    quad = np.array([[8.0, 8.0], [68.0, 8.0], [68.0, 92.0], [8.0, 92.0]])
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        before, now = (plain_face(rng, by_px) for by_px in (0.0, off))
        gray = cv2.cvtColor(before, cv2.COLOR_BGR2GRAY).astype(np.float32)
        by_px = off_px(gray[8:93, 8:69], now, quad)
        assert by_px is not None
        found.append(by_px > OFF_PX)
    assert found == [off > 0] * 8


def plain_face(rng: np.random.Generator, right_px: float) -> Bgr:
    """Return a plain card with a small word on it, which lies so far to the right, in
    light from one side, as a camera takes it."""
    drawn = np.full((100, 76), 100, np.uint8)
    cv2.putText(drawn, "THIS", (20, 26), cv2.FONT_HERSHEY_SIMPLEX, 0.5, 50.0, 1)
    moved = np.array([[1.0, 0.0, right_px], [0.0, 1.0, 0.0]])
    gray = cv2.warpAffine(
        cv2.GaussianBlur(drawn.astype(np.float32), (3, 3), 0),
        moved,
        (76, 100),
        borderMode=cv2.BORDER_REPLICATE,
    )
    light = 1 + 0.12 * np.linspace(-1, 1, 100)[:, None]
    noisy = gray * light + rng.normal(0, 1.2, gray.shape)
    return np.repeat(np.rint(noisy).clip(0, 255).astype(np.uint8)[..., None], 3, 2)


@pytest.mark.slow
def test_whether_it_was_another_card_is_asked(tmp_path: Path) -> None:
    made = frenzy_round(5258)  # a Hero lies .9 mm and half a degree off the one below
    done = follow(made, tmp_path, seed=5258, reading_s=0.1)
    assert compared([move for _, move in made.moves], done.moves) == (8, 0, 0)
    assert done.asked == 1
