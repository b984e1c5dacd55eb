"""Photos of the tables in `custom_tables`: rendered with decks of their own art."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np

from tests.support.custom_tables import BACK, CARD_MM, Spot, TrueTable
from vision.gallery import Gallery
from vision.scene.art import FACE_HEIGHT_PX, Face, premultiplied, rounded_mask
from vision.scene.camera import SceneCamera, look_at_table
from vision.scene.ground import draw_ground
from vision.scene.light import Conditions, draw_conditions
from vision.scene.render import Scene, Thing, Truth, render, table_from_thing
from vision.types import Array, Bgr, Kind

STUDIO = Conditions(shading=0.2, blur_px=0.4, noise=2.0)
ROWS, COLUMNS = 3, 3
"""Cards of a photo that a deck is enrolled from."""


@dataclass(frozen=True, slots=True)
class Lens:
    """Who looks, from where."""

    size_px: tuple[int, int] = (1600, 1200)
    tilt_deg: float = 12.0
    yaw_deg: float = 0.0
    roll_deg: float = 0.0


def draw_lens(rng: np.random.Generator, *, yaw_deg: tuple[float, float]) -> Lens:
    """Return a phone held over the table, from a side between the two angles."""
    return Lens(
        ((1600, 1200), (2016, 1512))[int(rng.integers(2))],
        float(rng.uniform(0, 32)),
        float(rng.uniform(*yaw_deg)),
        float(rng.normal(0, 3)),
    )


def nine_spot(label: str, number: int, rng: np.random.Generator) -> Spot:
    """Return where the card of that number lies among nine that are to be enrolled."""
    x_mm, y_mm = (number % COLUMNS) * 78.0, -(number // COLUMNS) * 104.0
    dx, dy = rng.normal(0, 2, 2)
    return Spot(label, x_mm + dx, y_mm + dy, 90 + float(rng.normal(0, 3)))


def photograph(
    table: TrueTable,
    galleries: Sequence[Gallery],
    rng: np.random.Generator,
    lens: Lens | None = None,
    *,
    hardness: float | None = None,
) -> tuple[Bgr, tuple[Truth, ...]]:
    """Return a picture of the table and its truth; `hardness` `None` is a studio."""
    faces = [_faces(gallery) for gallery in galleries]
    things = [
        Thing(
            faces[min(spot.deck, len(faces) - 1)][spot.label],
            spot.x_mm,
            spot.y_mm,
            spot.angle_deg,
            *CARD_MM,
        )
        for spot in table.spots
    ]
    lens = lens or Lens()
    things = _centred(things)
    scene = Scene(
        *lens.size_px,
        camera_of(lens, things),
        draw_ground(rng),
        things,
        (),
        STUDIO if hardness is None else draw_conditions(rng, hardness),
    )
    bgr, truth = render(scene, rng)
    packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8), truth


def camera_of(lens: Lens, things: Sequence[Thing]) -> SceneCamera:
    """Return the camera that shows all things as large as it can."""
    corners = np.concatenate([_corners_mm(thing) for thing in things])
    near_mm, far_mm = 150.0, 4000.0
    for _ in range(30):
        distance_mm = (near_mm + far_mm) / 2
        if _fits(_camera(lens, distance_mm), corners, lens):
            far_mm = distance_mm
        else:
            near_mm = distance_mm
    return _camera(lens, far_mm)


def _camera(lens: Lens, distance_mm: float) -> SceneCamera:
    return look_at_table(
        focal_px=0.82 * max(lens.size_px),
        distance_mm=distance_mm,
        tilt_deg=lens.tilt_deg,
        yaw_deg=lens.yaw_deg,
        roll_deg=lens.roll_deg,
        centre_px=(lens.size_px[0] / 2, lens.size_px[1] / 2),
    )


def _fits(camera: SceneCamera, corners_mm: Array, lens: Lens) -> bool:
    depth = corners_mm @ camera.rotation[2] + camera.translation_mm[2]
    if depth.min() < 50:
        return False
    points, size = camera.project(corners_mm), np.array(lens.size_px)
    return bool(np.all((points > 0.02 * size) & (points < 0.98 * size)))


def _corners_mm(thing: Thing) -> Array:
    unit = np.array([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)
    flat = unit @ table_from_thing(thing).T
    return np.column_stack([flat[:, :2], np.zeros(4)])


def _centred(things: Sequence[Thing]) -> list[Thing]:
    corners = np.concatenate([_corners_mm(thing) for thing in things])
    x_mm, y_mm, _ = (corners.min(0) + corners.max(0)) / 2
    return [
        replace(t, x_mm=t.x_mm - float(x_mm), y_mm=t.y_mm - float(y_mm)) for t in things
    ]


@cache
def _faces(gallery: Gallery) -> Mapping[str, Face]:
    faces = {f.label: _art(Kind.CARD, f.label, f.pictures[0]) for f in gallery.faces}
    if gallery.backs:
        faces[BACK] = _art(Kind.BACK, None, gallery.backs[0])
    return faces


def _art(kind: Kind, label: str | None, bgr: Bgr) -> Face:
    height = FACE_HEIGHT_PX
    width = round(CARD_MM[0] / CARD_MM[1] * height)
    small = cv2.resize(bgr, (width, height), interpolation=cv2.INTER_AREA)
    mask = rounded_mask(width, height, 0.05)
    return Face(kind, label, premultiplied(np.dstack([small, mask])))
