"""Renders videos of tables in play: hands lay and take things, the light drifts.

A `Script` says what lies there from when on and where hands reach; `frames` renders it
picture by picture, and each picture knows the exact truth: what lies there, how much of
it is seen, what a hand touches. Same script and seed, same pixels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene.art import Face, premultiplied
from vision.scene.camera import SceneCamera
from vision.scene.clutter import draw_hand
from vision.scene.light import Canvas, Conditions, expose, shade
from vision.scene.render import Scene, Thing, Truth, paint_ground, put_thing, truth_of
from vision.types import Bgr, Kind

HAND_HEIGHT_MM = 25.0
REACH_MM = 620.0
"""How far off the table's middle a hand starts: out of any picture."""
IN_S, OUT_S = 0.45, 0.4
"""A quick, not a hasty, movement of the arm."""
_SPRITE_MM = (250.0, 900.0)
_MM_PER_PX = 1.5
_GRAINS, _SPARE = 3, 97
"""Sheets of noise, and how much larger than the picture each is: every picture shows
another part of one."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A hand comes, changes the table and goes."""

    at_s: float
    """When it lets go of a thing, or picks one up: then the table is another."""
    things: tuple[Thing, ...]
    """What lies there afterwards, lowest first."""
    reach_mm: tuple[float, float]
    from_deg: float = 270.0
    """Where the arm comes from; 270 is the near edge."""
    carried: Thing | None = None
    """What the hand brings (or takes away, if `takes`), seen in it while it moves."""
    takes: bool = False
    linger_s: float = 0.0
    """How long it stays on the thing after `at_s`."""
    is_empty: bool = False
    """No hand is seen: the table changed while nobody looked."""


@dataclass(frozen=True, slots=True, eq=False)
class Drift:
    """How light and camera change over time."""

    exposure: float = 0.0
    """Largest relative change of the exposure, as a slow wave."""
    period_s: float = 9.0
    bumps: tuple[tuple[float, SceneCamera], ...] = ()
    """From when on another camera pose holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """A table in play."""

    camera: SceneCamera
    ground: Bgr
    things: tuple[Thing, ...]
    """What lies there at first."""
    steps: Sequence[Step] = ()
    seconds: float = 10.0
    fps: float = 30.0
    width_px: int = 1280
    height_px: int = 720
    conditions: Conditions = field(default_factory=Conditions)
    drift: Drift = field(default_factory=Drift)


@dataclass(frozen=True, slots=True, eq=False)
class VideoFrame:
    """One picture and its truth."""

    at_s: float
    bgr: Bgr
    things: tuple[Thing, ...]
    """What lies on the table; things in the air do not."""
    touched: frozenset[int]
    """Numbers of the things that a hand is on."""
    has_hand: bool
    _scene: Scene
    _owner: NDArray[np.int16]

    def truth(self) -> tuple[Truth, ...]:
        """Return where the things are in the picture, and how much of each is seen."""
        return truth_of(self._scene, self._owner, ())


def frames(
    script: Script,
    seed: int = 0,
    *,
    wanted: Callable[[float], bool] = lambda at_s: True,
) -> Iterator[VideoFrame]:
    """Yield the pictures of a script, in the order of time.

    A moment that is not `wanted` is not rendered: who is busy would not look at it.
    """
    rng = np.random.default_rng(seed)
    studio = _Studio(script, rng)
    for number in range(round(script.seconds * script.fps)):
        at_s = number / script.fps
        if wanted(at_s):
            yield studio.shoot(at_s)


class _Studio:
    """Keeps the still part of the picture between the frames."""

    def __init__(self, script: Script, rng: np.random.Generator) -> None:
        self._script = script
        self._hand = hand_face(rng)
        self._light_seed = int(rng.integers(2**31))
        self._angle = float(rng.uniform(0, math.tau))
        self._fallen = _dark(self._hand)
        shape = (script.height_px + _SPARE, script.width_px + _SPARE, 3)
        noise = script.conditions.noise
        self._grain = [
            np.rint(rng.standard_normal(shape, np.float32) * noise).astype(np.int16)
            for _ in range(_GRAINS if noise else 0)
        ]
        self._rng = rng
        self._still: tuple[object, Canvas, NDArray[np.int16]] | None = None

    def shoot(self, at_s: float) -> VideoFrame:
        script = self._script
        camera = script.camera
        for from_s, moved in script.drift.bumps:
            camera = moved if at_s >= from_s else camera
        things = script.things
        for step in script.steps:
            things = step.things if at_s >= step.at_s else things
        scene = Scene(
            script.width_px,
            script.height_px,
            camera,
            script.ground,
            things,
            (),
            script.conditions,
        )
        still, owner = self._still_part(scene)
        canvas, owner = still.copy(), owner.copy()
        on_table = owner.copy()
        for step in script.steps:
            self._put_arm(canvas, owner, camera, step, at_s)
        has_hand = bool((owner == _HAND).any())
        return VideoFrame(
            at_s,
            self._exposed(canvas, at_s),
            things,
            _touched(on_table, owner) if has_hand else frozenset(),
            has_hand,
            scene,
            owner,
        )

    def _still_part(self, scene: Scene) -> tuple[Canvas, NDArray[np.int16]]:
        key = (id(scene.camera), scene.things)
        if self._still is None or self._still[0] != key:
            canvas = paint_ground(scene)
            owner = np.full(canvas.shape[:2], -1, np.int16)
            shadow = (math.cos(self._angle), math.sin(self._angle), 0.35)
            for number, thing in enumerate(scene.things):
                put_thing(canvas, owner, scene.camera, thing, number, shadow)
            light = np.random.default_rng(self._light_seed)
            canvas = shade(canvas, scene.conditions, light)
            calm = replace(scene.conditions, noise=0.0, motion_px=0.0)
            canvas = expose(canvas, calm, light).astype(np.float32)
            self._still = key, canvas, owner
        return self._still[1], self._still[2]

    def _put_arm(
        self,
        canvas: Canvas,
        owner: NDArray[np.int16],
        camera: SceneCamera,
        step: Step,
        at_s: float,
    ) -> None:
        way = _way(step, at_s)
        if way is None or step.is_empty:
            return
        angle = math.radians(step.from_deg)
        dx, dy = math.cos(angle) * way, math.sin(angle) * way
        carries = at_s >= step.at_s if step.takes else at_s < step.at_s
        shadow = (math.cos(self._angle), math.sin(self._angle), 0.5)
        if carries and step.carried is not None:
            card = replace(
                step.carried,
                x_mm=step.carried.x_mm + dx,
                y_mm=step.carried.y_mm + dy,
                height_above_mm=min(HAND_HEIGHT_MM * 0.8, way),
            )
            put_thing(canvas, owner, camera, card, _CARRIED, shadow)
        x, y = step.reach_mm
        # The tips of the fingers reach 100 mm beyond the sprite's palm.
        back = _SPRITE_MM[1] / 2 - 20
        arm = Thing(
            self._hand,
            x + dx + back * math.cos(angle),
            y + dy + back * math.sin(angle),
            step.from_deg + 180,
            *_SPRITE_MM,
            height_above_mm=HAND_HEIGHT_MM,
        )
        fallen = replace(
            arm,
            face=self._fallen,
            x_mm=arm.x_mm + 14 * shadow[0],
            y_mm=arm.y_mm + 14 * shadow[1],
            height_above_mm=0.0,
        )
        put_thing(canvas, owner.copy(), camera, fallen, _CARRIED, _NO_SHADOW)
        put_thing(canvas, owner, camera, arm, _HAND, _NO_SHADOW)

    def _exposed(self, canvas: Canvas, at_s: float) -> Bgr:
        drift = self._script.drift
        wave = math.sin(math.tau * at_s / drift.period_s)
        bgr = cv2.convertScaleAbs(canvas, alpha=1 + drift.exposure * wave)
        if self._grain:
            sheet, top, left = self._rng.integers((_GRAINS, _SPARE, _SPARE))
            height, width = bgr.shape[:2]
            noise = self._grain[sheet][top : top + height, left : left + width]
            bgr = cv2.add(bgr, noise, dtype=cv2.CV_8U)
        return np.asarray(bgr, np.uint8)


_HAND, _CARRIED = 10_000, 9_000
_NO_SHADOW = (0.0, 0.0, 0.0)


def _way(step: Step, at_s: float) -> float | None:
    """Return how far the hand is from where it reaches to; `None`: out of sight."""
    begins, ends = step.at_s - IN_S, step.at_s + step.linger_s + OUT_S
    if not begins <= at_s <= ends:
        return None
    if at_s < step.at_s:
        share = (step.at_s - at_s) / IN_S
    else:
        share = max(0.0, at_s - step.at_s - step.linger_s) / OUT_S
    return REACH_MM * (1 - math.cos(math.pi * share)) / 2


def _touched(on_table: NDArray[np.int16], owner: NDArray[np.int16]) -> frozenset[int]:
    """Return the things of which a hand hides a part."""
    hidden = on_table[(owner == _HAND) & (on_table >= 0)]
    numbers, counts = np.unique(hidden, return_counts=True)
    return frozenset(int(n) for n, c in zip(numbers, counts, strict=True) if c >= 30)


def hand_face(rng: np.random.Generator) -> Face:
    """Return a hand with its forearm, seen from above; its fingers point up."""
    polygons, skin = draw_hand(rng)
    width, height = (round(size / _MM_PER_PX) for size in _SPRITE_MM)
    mask = np.zeros((height, width), np.uint8)
    for polygon in polygons:
        cv2.fillPoly(mask, [_in_sprite(polygon, width)], (255,))
    # The sleeve goes on to the end of the sprite.
    left, right = round(width / 2 - 40 / _MM_PER_PX), round(width / 2 + 40 / _MM_PER_PX)
    cv2.rectangle(mask, (left, round(330 / _MM_PER_PX)), (right, height), (255,), -1)
    depth = np.asarray(cv2.distanceTransform(mask, cv2.DIST_L2, 3), np.float32)
    rounded = 0.55 + 0.45 * np.clip(depth * _MM_PER_PX / 14, 0, 1)
    flesh = skin.astype(np.float32) * rounded[..., None]
    sleeve = rng.uniform(30, 210, 3).astype(np.float32)
    cuff = round(300 / _MM_PER_PX)
    flesh[cuff:] = sleeve * rounded[cuff:, :, None]
    alpha = cv2.GaussianBlur(mask, (0, 0), 1.0)
    bgra = np.dstack([flesh.clip(0, 255).astype(np.uint8), alpha])
    return Face(Kind.HAND, None, premultiplied(np.asarray(bgra, np.uint8)))


def _in_sprite(polygon: NDArray[np.float64], width: int) -> NDArray[np.int32]:
    """Return a polygon (mm around the palm, y to the fingers) in px of the sprite."""
    x = polygon[:, 0] / _MM_PER_PX + width / 2
    y = (115.0 - polygon[:, 1]) / _MM_PER_PX
    return np.round(np.column_stack([x, y])).astype(np.int32)


def _dark(face: Face) -> Face:
    """Return the shadow that a thing throws: its shape, black and soft."""
    alpha = cv2.GaussianBlur(face.bgra[..., 3], (0, 0), 9 / _MM_PER_PX)
    shadow = np.zeros_like(face.bgra)
    shadow[..., 3] = (alpha * 0.35).astype(np.uint8)
    return Face(Kind.HAND, None, shadow)
