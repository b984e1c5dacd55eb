"""The part of a video's pictures that stands still, painted anew only where it changed.

Between two pictures hardly anything on a table changes. The lit and exposed picture is
kept; when a thing comes or goes, its place alone is painted again.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vision.scene.camera import SceneCamera
from vision.scene.light import Canvas, Conditions, expose, shade
from vision.scene.render import Box, Scene, Thing, box_of, paint_ground, put_thing
from vision.types import Bgr

SHADOW = 0.35
"""How dark the shadow of a thing is that lies on the table."""
_GREY = 100.0


@dataclass(slots=True)
class Still:
    """The still part of the pictures of one table in one light."""

    light_seed: int
    angle: float
    """Where shadows fall."""
    _camera: SceneCamera | None = None
    _things: tuple[Thing, ...] = ()
    _ground: Canvas = field(default_factory=lambda: np.zeros((0, 0, 3), np.float32))
    _light: Canvas = field(default_factory=lambda: np.zeros((0, 0, 3), np.float32))
    _bgr: Bgr = field(default_factory=lambda: np.zeros((0, 0, 3), np.uint8))
    _owner: NDArray[np.int16] = field(
        default_factory=lambda: np.zeros((0, 0), np.int16)
    )

    def of(self, scene: Scene) -> tuple[Bgr, NDArray[np.int16]]:
        """Return the picture without hands and grain, and whose each pixel is; neither
        is written to later."""
        if scene.camera is not self._camera:
            self._begin(scene)
        elif scene.things != self._things:
            changed = _changed(self._things, scene.things)
            boxes = [box_of(t, scene.camera, self._bgr.shape) for t in changed]
            self._bgr, self._owner = self._bgr.copy(), self._owner.copy()
            for box in _apart(boxes):
                self._paint(scene, box)
        self._things = tuple(scene.things)
        return self._bgr, self._owner

    def _begin(self, scene: Scene) -> None:
        self._camera, self._ground = scene.camera, paint_ground(scene)
        grey = np.full(self._ground.shape, _GREY, np.float32)
        plain = replace(scene.conditions, gamma=1.0)
        lit = shade(grey, plain, np.random.default_rng(self.light_seed))
        self._light = np.asarray(lit / _GREY, np.float32)
        self._bgr = np.zeros(self._ground.shape, np.uint8)
        self._owner = np.full(self._ground.shape[:2], -1, np.int16)
        self._paint(scene, (0, 0, scene.width_px, scene.height_px))

    def _paint(self, scene: Scene, box: Box) -> None:
        """Paint what lies in a box, and a rim around it from which blur spreads."""
        rim = _rim_px(scene.conditions)
        left, top = max(0, box[0] - rim), max(0, box[1] - rim)
        right, bottom = box[2] + rim, box[3] + rim
        canvas = self._ground[top:bottom, left:right].copy()
        owner = np.full(canvas.shape[:2], -1, np.int16)
        camera = cropped(scene.camera, left, top)
        shadow = (math.cos(self.angle), math.sin(self.angle), SHADOW)
        for number, thing in enumerate(scene.things):
            put_thing(canvas, owner, camera, thing, number, shadow)
        canvas *= self._light[top:bottom, left:right]
        bgr = _exposed(canvas, scene.conditions)
        inner = np.s_[box[1] - top : box[3] - top, box[0] - left : box[2] - left]
        outer = np.s_[box[1] : box[3], box[0] : box[2]]
        self._bgr[outer], self._owner[outer] = bgr[inner], owner[inner]


def cropped(camera: SceneCamera, left_px: int, top_px: int) -> SceneCamera:
    """Return the camera of a part of its picture that begins at (left, top)."""
    x, y = camera.centre_px
    return replace(camera, centre_px=(x - left_px, y - top_px))


def _exposed(canvas: Canvas, conditions: Conditions) -> Bgr:
    np.clip(canvas, 0, 255, out=canvas)
    if conditions.gamma != 1.0:
        canvas = np.asarray(255 * np.power(canvas / 255, conditions.gamma), np.float32)
    calm = replace(conditions, noise=0.0, motion_px=0.0)
    return expose(canvas, calm, np.random.default_rng(0))


def _rim_px(conditions: Conditions) -> int:
    sharpened = 6 if conditions.sharpen else 0
    return math.ceil(4 * conditions.blur_px) + 2 + sharpened


def _changed(before: Sequence[Thing], after: Sequence[Thing]) -> list[Thing]:
    """Return what came, went, or has another number now."""
    was = {_key(n, thing): thing for n, thing in enumerate(before)}
    now = {_key(n, thing): thing for n, thing in enumerate(after)}
    return [(was | now)[key] for key in was.keys() ^ now.keys()]


def _key(number: int, thing: Thing) -> Hashable:
    place = thing.x_mm, thing.y_mm, thing.angle_deg, thing.width_mm, thing.height_mm
    return number, id(thing.face), place, thing.height_above_mm, thing.sleeve


def _apart(boxes: Sequence[Box | None]) -> Iterator[Box]:
    """Yield boxes that hold all of those; any two that meet are one."""
    left = [box for box in boxes if box is not None]
    while left:
        box = left.pop()
        others = [other for other in left if _meets(box, other)]
        if not others:
            yield box
            continue
        left = [other for other in left if not _meets(box, other)]
        all_ = np.array([box, *others])
        low, high = all_[:, :2].min(axis=0), all_[:, 2:].max(axis=0)
        left.append((int(low[0]), int(low[1]), int(high[0]), int(high[1])))


def _meets(one: Box, other: Box) -> bool:
    return (
        one[0] < other[2]
        and other[0] < one[2]
        and one[1] < other[3]
        and other[1] < one[3]
    )
