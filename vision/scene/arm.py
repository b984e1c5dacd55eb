"""Arms that reach over a rendered table, with their shadow and what they carry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene.art import Face, premultiplied
from vision.scene.camera import SceneCamera
from vision.scene.clutter import draw_hand
from vision.scene.light import Canvas
from vision.scene.render import Box, Thing, box_of, put_thing
from vision.types import Kind

HAND_HEIGHT_MM = 25.0
HAND, CARRIED = 10_000, 9_000
"""Whose a pixel is that shows a hand, or what it holds."""
_SPRITE_MM = (250.0, 900.0)
_MM_PER_PX = 1.5
_NO_SHADOW = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """An arm at one moment: what is drawn, in this order."""

    things: tuple[tuple[Thing, int], ...]
    """Things and whose their pixels are; below 0: nobody's, a shadow."""
    shadow: tuple[float, float, float]
    """Of what is carried."""

    def box(self, camera: SceneCamera, shape: Sequence[int]) -> Box | None:
        """Return the part of a picture in which it is drawn, `None` outside."""
        boxes = [box_of(thing, camera, shape) for thing, _ in self.things]
        seen = np.array([box for box in boxes if box is not None])
        if not len(seen):
            return None
        (left, top), (right, bottom) = seen[:, :2].min(0), seen[:, 2:].max(0)
        return int(left), int(top), int(right), int(bottom)

    def draw(
        self, canvas: Canvas, owner: NDArray[np.int16], camera: SceneCamera
    ) -> None:
        """Draw it, and write whose the pixels are."""
        for thing, number in self.things:
            if number < 0:
                put_thing(canvas, owner.copy(), camera, thing, number, _NO_SHADOW)
            else:
                shadow = self.shadow if number == CARRIED else _NO_SHADOW
                put_thing(canvas, owner, camera, thing, number, shadow)


def arm_at(
    hand: Face,
    fallen: Face,
    reach_mm: tuple[float, float],
    from_deg: float,
    way_mm: float,
    carried: Thing | None,
    shadow: tuple[float, float, float],
) -> Arm:
    """Return an arm that comes from a side and has `way_mm` to go to where it reaches;
    `fallen` is the shadow of the `hand`."""
    turn = math.radians(from_deg)
    dx, dy = math.cos(turn) * way_mm, math.sin(turn) * way_mm
    # The tips of the fingers reach 100 mm beyond the sprite's palm.
    back = _SPRITE_MM[1] / 2 - 20
    arm = Thing(
        hand,
        reach_mm[0] + dx + back * math.cos(turn),
        reach_mm[1] + dy + back * math.sin(turn),
        from_deg + 180,
        *_SPRITE_MM,
        height_above_mm=HAND_HEIGHT_MM,
    )
    below = replace(
        arm,
        face=fallen,
        x_mm=arm.x_mm + 14 * shadow[0],
        y_mm=arm.y_mm + 14 * shadow[1],
        height_above_mm=0.0,
    )
    held = []
    if carried is not None:
        card = replace(
            carried,
            x_mm=carried.x_mm + dx,
            y_mm=carried.y_mm + dy,
            height_above_mm=min(HAND_HEIGHT_MM * 0.8, way_mm),
        )
        held.append((card, CARRIED))
    return Arm((*held, (below, -1), (arm, HAND)), shadow)


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


def shadow_of(face: Face) -> Face:
    """Return the shadow that a thing throws: its shape, black and soft."""
    alpha = cv2.GaussianBlur(face.bgra[..., 3], (0, 0), 9 / _MM_PER_PX)
    shadow = np.zeros_like(face.bgra)
    shadow[..., 3] = (alpha * 0.35).astype(np.uint8)
    return Face(Kind.HAND, None, shadow)
