"""Puts things on the table, seen by the camera, and keeps the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene.art import CARD_HEIGHT_MM, Face
from vision.scene.art import Box as Share
from vision.scene.camera import SceneCamera
from vision.scene.light import Canvas, Conditions, expose, reflect, shade
from vision.types import Array, Bgr, Kind

Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom in px."""
GROUND_MM = 700.0
"""How much table one ground picture covers before it is mirrored."""


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """One flat thing on the table; later things lie on top of earlier ones."""

    face: Face
    x_mm: float
    y_mm: float
    angle_deg: float
    """Direction of its top edge; 90 = away from the near edge."""
    width_mm: float
    height_mm: float
    is_truth: bool = True
    """Clutter has none."""
    height_above_mm: float = 0.0
    sleeve: float = 0.0
    """How milky the sleeve is, in [0, 1]; 0 = none."""


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """A hand over the table: polygons in table mm, and its skin."""

    polygons_mm: Sequence[Array]
    skin: Array


@dataclass(frozen=True, slots=True, eq=False)
class IndexTruth:
    """Where a corner index is in the picture and how much of it can be seen."""

    quad_px: Array
    visible: float


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What really lies there."""

    kind: Kind
    label: str | None
    quad_px: Array
    """(4, 2) corners from the thing's own top left, clockwise seen from above."""
    outline_px: Array
    """(N, 2) outline in the picture; the quad, or the ellipse of a disc."""
    visible: float
    """Share of the thing that is in the picture and not covered."""
    order: int
    indices: tuple[IndexTruth, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A table as it will be photographed."""

    width_px: int
    height_px: int
    camera: SceneCamera
    ground: Bgr
    things: Sequence[Thing]
    hands: Sequence[Hand]
    conditions: Conditions
    ground_mm: float = GROUND_MM
    """How wide the square is that the ground shows; beyond it is mirrored."""


def render(scene: Scene, rng: np.random.Generator) -> tuple[Bgr, tuple[Truth, ...]]:
    """Return the (H, W, 3) picture and the truth, lowest thing first."""
    canvas = paint_ground(scene)
    owner = np.full((scene.height_px, scene.width_px), -1, np.int16)
    light = rng.uniform(0, 2 * math.pi)
    shadow = (math.cos(light), math.sin(light), float(rng.uniform(0.1, 0.55)))
    for number, thing in enumerate(scene.things):
        put_thing(canvas, owner, scene.camera, thing, number, shadow)
    hand_pixels = [_put_hand(canvas, owner, scene, hand, rng) for hand in scene.hands]
    truth = truth_of(scene, owner, hand_pixels)
    lit = shade(canvas, scene.conditions, rng)
    lit = reflect(lit, owner >= 0, scene.conditions.glare, rng)
    return expose(lit, scene.conditions, rng), truth


def table_from_thing(thing: Thing) -> Array:
    """Return the (3, 3) map from shares of the thing (0..1, y down) to table mm."""
    up = math.radians(thing.angle_deg)
    ux, uy = math.cos(up), math.sin(up)
    rx, ry = uy, -ux
    w, h = thing.width_mm, thing.height_mm
    return np.array(
        [
            [w * rx, -h * ux, thing.x_mm - w / 2 * rx + h / 2 * ux],
            [w * ry, -h * uy, thing.y_mm - w / 2 * ry + h / 2 * uy],
            [0, 0, 1],
        ]
    )


def _map(homography: Array, points: Array) -> Array:
    mapped = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], float)


_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)


def paint_ground(scene: Scene) -> Canvas:
    """Return the empty table as the camera sees it."""
    size = scene.ground.shape[0]
    mm, half_mm = scene.ground_mm / size, scene.ground_mm / 2
    table_from_texture = np.array([[mm, 0, -half_mm], [0, -mm, half_mm], [0, 0, 1]])
    view = cv2.warpPerspective(
        scene.ground,
        scene.camera.image_from_plane() @ table_from_texture,
        (scene.width_px, scene.height_px),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REFLECT,
    )
    return np.asarray(view, np.float32)


def box_of(thing: Thing, camera: SceneCamera, shape: Sequence[int]) -> Box | None:
    """Return the box of a picture in which a thing and its shadow are drawn, as left,
    top, right, bottom; `None` outside."""
    quad = _map(_image_from_unit(thing, camera), _UNIT)
    return _roi(quad, _reach(float(np.linalg.norm(quad[0] - quad[2]))), shape)


def _image_from_unit(thing: Thing, camera: SceneCamera) -> Array:
    plane = camera.image_from_plane(thing.height_above_mm)
    return np.asarray(plane @ table_from_thing(thing), float)


def _reach(size_px: float) -> float:
    return size_px * 0.05 + 2


def put_thing(
    canvas: Canvas,
    owner: NDArray[np.int16],
    camera: SceneCamera,
    thing: Thing,
    number: int,
    shadow: tuple[float, float, float],
) -> None:
    """Draw a thing on the canvas and write its number where it is seen."""
    image_from_unit = _image_from_unit(thing, camera)
    quad = _map(image_from_unit, _UNIT)
    size_px = float(np.linalg.norm(quad[0] - quad[2]))
    roi = _roi(quad, _reach(size_px), canvas.shape)
    if roi is None or size_px > 20 * max(canvas.shape[:2]):
        return
    x0, y0, x1, y1 = roi
    art = _level(thing.face, size_px)
    unit_from_art = np.diag([1 / art.shape[1], 1 / art.shape[0], 1.0])
    unit_from_art[:2, 2] = 0.5 / art.shape[1], 0.5 / art.shape[0]
    shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]])
    warped = cv2.warpPerspective(
        art,
        shift @ image_from_unit @ unit_from_art,
        (x1 - x0, y1 - y0),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(0, 0, 0, 0),
    )
    patch, alpha = canvas[y0:y1, x0:x1], cv2.extractChannel(warped, 3)
    if shadow[2]:
        share = np.asarray(alpha / np.float32(255), np.float32)
        _cast_shadow(patch, share, size_px, shadow)
    _lay_over(patch, np.asarray(warped, np.uint8), thing.sleeve)
    owner[y0:y1, x0:x1][alpha > 127] = number


def _lay_over(patch: Canvas, bgra: NDArray[np.uint8], sleeve: float) -> None:
    """Lay a premultiplied layer over the canvas; OpenCV takes half of numpy's time."""
    through = cv2.cvtColor(cv2.bitwise_not(bgra[..., 3]), cv2.COLOR_GRAY2BGR)
    colour = np.asarray(bgra[..., :3], np.float32)
    if sleeve:
        milky = colour * (1 - sleeve) + 235 * sleeve * (bgra[..., 3:] / 255)
        colour = np.asarray(milky, np.float32)
    cv2.multiply(patch, through, patch, 1 / 255, dtype=cv2.CV_32F)
    cv2.add(patch, colour, patch)


def _cast_shadow(
    patch: Canvas, alpha: Canvas, size_px: float, shadow: tuple[float, float, float]
) -> None:
    dx, dy, strength = shadow
    soft = max(0.6, size_px * 0.012)
    move = np.array([[1, 0, dx * soft * 1.3], [0, 1, dy * soft * 1.3]], np.float32)
    moved = cv2.warpAffine(alpha, move, (alpha.shape[1], alpha.shape[0]))
    blurred = np.asarray(cv2.GaussianBlur(moved, (0, 0), soft), np.float32)
    patch *= 1 - strength * blurred[..., None]


def _roi(quad: Array, reach: float, shape: Sequence[int]) -> Box | None:
    low = np.floor(quad.min(0) - reach).astype(int)
    high = np.ceil(quad.max(0) + reach).astype(int) + 1
    x0, y0 = max(0, int(low[0])), max(0, int(low[1]))
    x1, y1 = min(shape[1], int(high[0])), min(shape[0], int(high[1]))
    return (x0, y0, x1, y1) if x1 > x0 + 1 and y1 > y0 + 1 else None


def _level(face: Face, diagonal_px: float) -> NDArray[np.uint8]:
    levels = face.mipmaps
    full = math.hypot(*levels[0].shape[:2])
    index = int(np.clip(math.log2(max(full / max(diagonal_px, 1), 1)) + 0.35, 0, 9))
    return levels[min(index, len(levels) - 1)]


HAND_OWNER = 10_000


def _put_hand(
    canvas: Canvas,
    owner: NDArray[np.int16],
    scene: Scene,
    hand: Hand,
    rng: np.random.Generator,
) -> Array:
    image_from_table = scene.camera.image_from_plane(25.0)
    mask = np.zeros(canvas.shape[:2], np.uint8)
    outline = []
    for polygon in hand.polygons_mm:
        points = _map(image_from_table, polygon)
        outline.append(points)
        cv2.fillPoly(mask, [np.clip(points, -9999, 9999).astype(np.int32)], (255,))
    scale = float(np.linalg.norm(np.ptp(np.vstack(outline), axis=0)))
    soft = max(1.0, scale * 0.006)
    alpha = cv2.GaussianBlur(mask, (0, 0), min(soft * 0.4, 3)).astype(np.float32) / 255
    move = np.array([[1, 0, soft * 6], [0, 1, soft * 4]], np.float32)
    size = canvas.shape[1], canvas.shape[0]
    reach = int(min(soft * 10, 60)) + 1
    fallen = cv2.blur(cv2.warpAffine(mask, move, size), (reach, reach))
    fallen = cv2.blur(fallen, (reach, reach))
    canvas *= 1 - 0.4 * (fallen.astype(np.float32) / 255)[..., None]
    # Round the flesh: darker towards the rim.
    depth = np.asarray(cv2.distanceTransform(mask, cv2.DIST_L2, 3), np.float32)
    round_off = 0.55 + 0.45 * np.clip(depth / (scale * 0.03 + 1), 0, 1)
    flesh = hand.skin.astype(np.float32) * round_off[..., None]
    flesh += rng.normal(0, 4, (*mask.shape, 1)).astype(np.float32)
    canvas *= 1 - alpha[..., None]
    canvas += np.asarray(flesh * alpha[..., None], np.float32)
    owner[mask > 127] = HAND_OWNER
    return np.vstack(outline)


def truth_of(
    scene: Scene, owner: NDArray[np.int16], hands: Sequence[Array]
) -> tuple[Truth, ...]:
    """Return the truth of a scene whose pixels belong to the things in `owner`."""
    seen = []
    for number, thing in enumerate(scene.things):
        if not thing.is_truth:
            continue
        image_from_unit = scene.camera.image_from_plane(
            thing.height_above_mm
        ) @ table_from_thing(thing)
        quad = _map(image_from_unit, _UNIT)
        outline = quad if thing.face.kind is not Kind.DISC else _ring(image_from_unit)
        area = cv2.contourArea(outline.astype(np.float32))
        mine = np.count_nonzero(owner == number) if _touches(quad, owner) else 0
        visible = min(1.0, mine / max(area, 1.0))
        indices = tuple(
            _index_truth(owner, number, image_from_unit, box)
            for box in thing.face.indices
        )
        seen.append(
            Truth(
                thing.face.kind,
                thing.face.label,
                quad,
                outline,
                visible,
                number,
                indices if visible > 0 else (),
            )
        )
    for points in hands:
        inside = points.clip([0, 0], [owner.shape[1] - 1, owner.shape[0] - 1])
        box = cv2.boxPoints(cv2.minAreaRect(inside.astype(np.float32)))
        visible = float(np.count_nonzero(owner == HAND_OWNER) > 150)
        quad = np.asarray(box, float)
        seen.append(Truth(Kind.HAND, None, quad, quad, visible, len(scene.things)))
    return tuple(seen)


def _touches(quad: Array, owner: NDArray[np.int16]) -> bool:
    return _roi(quad, 0, owner.shape) is not None


def _ring(image_from_unit: Array) -> Array:
    t = np.linspace(0, 2 * math.pi, 48, endpoint=False)
    return _map(
        image_from_unit, np.column_stack([0.5 + 0.5 * np.cos(t), 0.5 + 0.5 * np.sin(t)])
    )


def _index_truth(
    owner: NDArray[np.int16], number: int, image_from_unit: Array, box: Share
) -> IndexTruth:
    x0, y0, x1, y1 = box
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    if y0 > 0.5:  # the lower one is printed upside down
        corners = corners[[2, 3, 0, 1]]
    quad = _map(image_from_unit, corners)
    roi = _roi(quad, 1, owner.shape)
    if roi is None:
        return IndexTruth(quad, 0.0)
    left, top, right, bottom = roi
    mask = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(mask, (quad - [left, top]).round().astype(np.int32), (1,))
    inside = mask > 0
    area = max(float(cv2.contourArea(quad.astype(np.float32))), 1.0)
    mine = np.count_nonzero(owner[top:bottom, left:right][inside] == number)
    return IndexTruth(quad, min(1.0, mine / max(area, float(inside.sum()))))


def thing_of(face: Face, x_mm: float, y_mm: float, angle_deg: float) -> Thing:
    """Return a card of normal size at a place."""
    return Thing(face, x_mm, y_mm, angle_deg, face.width_mm, CARD_HEIGHT_MM)
