"""Renders videos of tables in play: hands lay and take things, the light drifts.

A `Script` says what lies there from when on and where hands reach; `frames` renders it
picture by picture, and each picture knows the exact truth: what lies there, how much of
it is seen, what a hand touches. Same script and seed, same pixels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene.arm import HAND, Arm, arm_at, hand_face, shadow_of
from vision.scene.camera import SceneCamera
from vision.scene.light import Conditions
from vision.scene.render import GROUND_MM, Box, Scene, Thing, Truth, truth_of
from vision.scene.still import Still, cropped
from vision.types import Bgr

REACH_MM = 620.0
"""How far off the table's middle a hand starts: out of any picture."""
IN_S, OUT_S = 0.45, 0.4
"""A quick, not a hasty, movement of the arm."""
_GRAINS, _SPARE = 3, 97
"""Sheets of noise, and how much larger than the picture each is: every picture shows
another part of one."""
_NO_GRAIN = 128


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
    ground_mm: float = GROUND_MM
    """How wide the square is that the ground shows."""


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
    """Keeps between the frames what does not change."""

    def __init__(self, script: Script, rng: np.random.Generator) -> None:
        self._script = script
        self._hand = hand_face(rng)
        self._fallen = shadow_of(self._hand)
        self._still = Still(int(rng.integers(2**31)), float(rng.uniform(0, math.tau)))
        self._rng = rng

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
            script.ground_mm,
        )
        bgr, owner = self._still.of(scene)
        has_arm = False
        touched: frozenset[int] = frozenset()
        for arm in self._arms(at_s):
            box = arm.box(camera, bgr.shape)
            if box is not None:
                bgr, owner, more = _with_arm(bgr, owner, camera, arm, box)
                has_arm, touched = True, touched | more
        has_hand = has_arm and bool((owner == HAND).any())
        return VideoFrame(
            at_s,
            self._exposed(bgr, at_s),
            things,
            touched if has_hand else frozenset(),
            has_hand,
            scene,
            owner,
        )

    def _arms(self, at_s: float) -> Iterator[Arm]:
        angle = self._still.angle
        shadow = (math.cos(angle), math.sin(angle), 0.5)
        for step in self._script.steps:
            way_mm = None if step.is_empty else _way(step, at_s)
            if way_mm is None:
                continue
            carries = at_s >= step.at_s if step.takes else at_s < step.at_s
            yield arm_at(
                self._hand,
                self._fallen,
                step.reach_mm,
                step.from_deg,
                way_mm,
                step.carried if carries else None,
                shadow,
            )

    def _exposed(self, bgr: Bgr, at_s: float) -> Bgr:
        drift = self._script.drift
        gain = 1 + drift.exposure * math.sin(math.tau * at_s / drift.period_s)
        noise = self._script.conditions.noise
        if not noise:
            return np.asarray(cv2.convertScaleAbs(bgr, alpha=gain), np.uint8)
        sheet, top, left = self._rng.integers((_GRAINS, _SPARE, _SPARE))
        height, width = bgr.shape[:2]
        grain = _grain(int(sheet), height, width, noise)
        part = grain[top : top + height, left : left + width]
        return np.asarray(cv2.addWeighted(bgr, gain, part, 1.0, -_NO_GRAIN), np.uint8)


def _with_arm(
    bgr: Bgr, owner: NDArray[np.int16], camera: SceneCamera, arm: Arm, box: Box
) -> tuple[Bgr, NDArray[np.int16], frozenset[int]]:
    """Return picture and owners with an arm in them, and the things it touches."""
    left, top, right, bottom = box
    bgr, owner = bgr.copy(), owner.copy()
    part, whose = np.s_[top:bottom, left:right], owner[top:bottom, left:right]
    on_table = whose.copy()
    canvas = bgr[part].astype(np.float32)
    arm.draw(canvas, whose, cropped(camera, left, top))
    bgr[part] = cv2.convertScaleAbs(canvas)
    return bgr, owner, _touched(on_table, whose)


@lru_cache(maxsize=8)
def _grain(
    sheet: int, height_px: int, width_px: int, noise: float
) -> NDArray[np.uint8]:
    """Return a sheet of noise around `_NO_GRAIN`."""
    shape = (height_px + _SPARE, width_px + _SPARE, 3)
    grain = np.rint(_unit_grain(sheet, shape) * noise) + _NO_GRAIN
    return np.asarray(grain.clip(0, 255), np.uint8)


@lru_cache(maxsize=4)
def _unit_grain(sheet: int, shape: tuple[int, int, int]) -> NDArray[np.float32]:
    return np.random.default_rng(sheet).standard_normal(shape, np.float32)


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
    hidden = on_table[(owner == HAND) & (on_table >= 0)]
    numbers, counts = np.unique(hidden, return_counts=True)
    return frozenset(int(n) for n, c in zip(numbers, counts, strict=True) if c >= 30)
