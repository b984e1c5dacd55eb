"""Small rendered tables with exact truth, for the tests of vision."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from vision.scene.art import Deck
from vision.scene.camera import SceneCamera, look_at_table
from vision.scene.faces import draw_deck
from vision.scene.ground import cloth
from vision.scene.light import Conditions
from vision.scene.render import Scene, Thing, Truth, render, thing_of
from vision.types import Bgr

SIZE_PX = (640, 480)


@cache
def plain_deck(seed: int = 22) -> Deck:
    """Return a drawn deck, one without a frame that might pass for its edge."""
    return draw_deck(np.random.default_rng(seed))


def camera_above(
    *, distance_mm: float = 420.0, tilt_deg: float = 0.0, yaw_deg: float = 0.0
) -> SceneCamera:
    """Return a camera over the middle of the table."""
    return look_at_table(
        focal_px=620.0,
        distance_mm=distance_mm,
        tilt_deg=tilt_deg,
        yaw_deg=yaw_deg,
        roll_deg=0.0,
        centre_px=(SIZE_PX[0] / 2, SIZE_PX[1] / 2),
    )


def lay(
    spots: Sequence[tuple[str, float, float, float]], deck: Deck | None = None
) -> list[Thing]:
    """Return cards (label, x mm, y mm, angle deg) of the plain deck, lowest first."""
    faces = (deck or plain_deck()).faces
    return [thing_of(faces[label], x, y, angle) for label, x, y, angle in spots]


def photograph(
    things: Sequence[Thing],
    camera: SceneCamera | None = None,
    *,
    conditions: Conditions | None = None,
    ground: Bgr | None = None,
    seed: int = 1,
) -> tuple[Bgr, tuple[Truth, ...]]:
    """Return a picture of the things on dark cloth, or another ground, with truth."""
    rng = np.random.default_rng(seed)
    scene = Scene(
        *SIZE_PX,
        camera or camera_above(),
        cloth(rng, (50, 60, 40)) if ground is None else ground,
        things,
        (),
        conditions or Conditions(blur_px=0.5, noise=1.5),
    )
    return render(scene, rng)
