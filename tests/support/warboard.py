"""A Warstones table as a photo with exact truth: mat, chips, their faces."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np

from companion.measure.kits import add_face, begin_kit
from vision.geometry import Camera, TableMap
from vision.markers import MarkerBoard, corner_board, marker_picture
from vision.mat_store import MatFacts, save_mat
from vision.scene.boards import Board, DiscTruth, render_board
from vision.scene.mats import draw_chip_face
from vision.scene.sensor import Sensor
from vision.scene.solids import Lamp, SceneBlock, SceneDisc
from vision.types import Bgr

SIZE_MM, PX_PER_MM = 900.0, 2.0
BOUNDS_MM = (0.0, 0.0, SIZE_MM, SIZE_MM)
MARKER_MM, MARKER_INSET_MM = 36.0, 26.0
CHIP_MM, THICK_MM = 32.0, 4.0
SENSOR = Sensor(defocus_px=0.6, full_well=6000, read_noise=0.003)
COLOURS = {
    "forest": (60, 110, 50),
    "hill": (90, 150, 190),
    "swamp": (80, 90, 90),
    "lake": (170, 110, 50),
    "river": (180, 120, 60),
}


def geojson() -> dict[str, object]:
    """Return the mat that the engine ships, to be changed at will."""
    text = (files("engines.warstones") / "mat.geojson").read_text("utf-8")
    data: dict[str, object] = json.loads(text)
    return data


@cache
def unit_labels() -> tuple[str, ...]:
    """Return the units of the sample kit."""
    from engines.warstones import sample_kit  # noqa: PLC0415 - only some tests need it

    return tuple(unit.label for unit in sample_kit().units)


@cache
def face(label: str) -> Bgr:
    """Return the face of a chip or token: any label has one, always the same."""
    return draw_chip_face(np.random.default_rng(list(label.encode())))


def marker_board() -> MarkerBoard:
    """Return the markers printed on the mat."""
    low, high = MARKER_INSET_MM, SIZE_MM - MARKER_INSET_MM
    return corner_board((low, low, high, high), MARKER_MM)


@cache
def mat_picture(*, seed: int = 3, markers: bool = False, crowded: bool = True) -> Bgr:
    """Return the printed mat: the shipped drawing, with small figures all over that no
    two of its quarters share."""
    side = round(SIZE_MM * PX_PER_MM)
    bgr = np.full((side, side, 3), (150, 190, 190), np.uint8)
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 10, (90, 90, 3)).astype(np.float32)
    bgr = np.clip(bgr + cv2.resize(noise, (side, side)), 0, 255).astype(np.uint8)
    features = geojson()["features"]
    assert isinstance(features, list)
    for feature in features:
        ring = np.array(feature["geometry"]["coordinates"][0], float)
        points = np.column_stack([ring[:, 0], SIZE_MM - ring[:, 1]]) * PX_PER_MM
        flat = [points.round().astype(np.int32)]
        terrain = feature["properties"].get("terrain")
        if terrain:
            cv2.fillPoly(bgr, flat, COLOURS[terrain], cv2.LINE_AA)
        cv2.polylines(bgr, flat, True, (50, 45, 40), 3, cv2.LINE_AA)
    for _ in range(500 if crowded else 0):
        at = rng.uniform(0, side, 2)
        points = (rng.normal(0, 14, (4, 2)) + at).astype(np.int32)
        cv2.fillPoly(bgr, [points], rng.integers(30, 200, 3).tolist(), cv2.LINE_AA)
    if markers:
        _stamp(bgr)
    return np.asarray(bgr, np.uint8)


def _stamp(bgr: Bgr) -> None:
    cell = MARKER_MM / 6 * PX_PER_MM
    for id, corners in marker_board().corners_mm.items():
        x, y = corners.mean(0)
        stamp = marker_picture(id, round(cell))
        left = round((x * PX_PER_MM) - stamp.shape[1] / 2)
        top = round((SIZE_MM - y) * PX_PER_MM - stamp.shape[0] / 2)
        bgr[top : top + stamp.shape[0], left : left + stamp.shape[1]] = stamp[..., None]


def camera_over(
    tilt_deg: float = 20.0,
    *,
    size_px: tuple[int, int] = (1280, 960),
    from_far: bool = False,
    distance_mm: float = 1250.0,
    fill: float = 0.87,
) -> TableMap:
    """Return a camera that sees the whole mat, from the near side unless `from_far`.

    `fill` is the part of the picture's height that the mat takes, seen from above.
    """
    width, height = size_px
    focal = fill * height * distance_mm / SIZE_MM
    camera = Camera(
        width, height, (focal, focal), ((width - 1) / 2, (height - 1) / 2), 0.0
    )
    lean = math.radians(-tilt_deg)
    c, s = math.cos(lean), math.sin(lean)
    rotation = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.diag([1.0, -1, -1])
    if from_far:
        rotation = rotation @ np.diag([-1.0, -1.0, 1.0])
    shift = np.array([0.0, 0.0, distance_mm])
    middle = rotation @ np.array([SIZE_MM / 2, SIZE_MM / 2, 0.0])
    return TableMap(camera, rotation, shift - middle)


def chip(
    label: str,
    x_mm: float,
    y_mm: float,
    *,
    angle_deg: float = 70.0,
    base_mm: float = 0.0,
    diameter_mm: float = CHIP_MM,
    face_bgr: Bgr | None = None,
) -> SceneDisc:
    """Return a chip of the sample kit, or of a stranger's if the label is unknown."""
    return SceneDisc(
        x_mm,
        y_mm,
        diameter_mm,
        THICK_MM,
        face(label) if face_bgr is None else face_bgr,
        (40.0, 40.0, 45.0),
        angle_deg,
        base_mm,
        label,
        0.2,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A photo of a board and how it really was."""

    bgr: Bgr
    table: TableMap
    truths: tuple[DiscTruth, ...]


def shot(
    discs: Sequence[SceneDisc],
    *,
    table: TableMap | None = None,
    mat: Bgr | None = None,
    sensor: Sensor = SENSOR,
    blocks: Sequence[SceneBlock] = (),
    seed: int = 1,
) -> Shot:
    """Return a photo of chips on the mat."""
    table = camera_over() if table is None else table
    board = Board(
        table,
        mat_picture() if mat is None else mat,
        BOUNDS_MM,
        discs,
        blocks,
        lamps=(Lamp((0.5, -0.3), 0.3, 0.15),),
        sensor=sensor,
    )
    picture, truths = render_board(board, np.random.default_rng(seed))
    return Shot(picture, table, truths)


ARMY = (
    chip("empire.militia", 200.0, 250.0),
    chip("empire.soldier", 309.0, 200.0, angle_deg=10),
    chip("empire.hero", 450.0, 300.0, angle_deg=200),
    chip("empire.archer", 260.0, 235.0, angle_deg=300),
    chip("undead.skeleton", 480.0, 340.0, angle_deg=120),
    chip("undead.vampire", 700.0, 660.0, angle_deg=45),
    chip("undead.zombie", 380.0, 505.0, angle_deg=80),
    chip("undead.lich", 785.0, 640.0, angle_deg=160),
)
"""Chips inside, on sector lines and on terrain lines."""


def write_png(path: Path, bgr: Bgr) -> Path:
    """Write a picture and return its path."""
    done, packed = cv2.imencode(path.suffix or ".png", bgr)
    assert done
    path.write_bytes(packed.tobytes())
    return path


def keep_board(home: Path, *, markers: bool = False) -> None:
    """Keep the mat and its kit in a user's folder, as ``cloth`` and ``box``."""
    cloth = home / "mats" / "cloth"
    low, high = MARKER_INSET_MM, SIZE_MM - MARKER_INSET_MM
    printed = ((low, low, high, high), MARKER_MM) if markers else None
    save_mat(cloth, mat_picture(markers=markers), MatFacts(BOUNDS_MM, printed))
    (cloth / "mat.geojson").write_text(json.dumps(geojson()))
    begin_kit(home / "kits" / "box")
    for label in unit_labels():
        add_face(home / "kits" / "box", label, face(label))
