"""Printed mats and chips for rendered boards, and random boards in all lights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import Camera, TableMap
from vision.markers import MarkerBoard, corner_board, marker_picture
from vision.scene.boards import Board, Glare, linear
from vision.scene.ground import fractal
from vision.scene.sensor import Sensor, srgb
from vision.scene.solids import Lamp, SceneBlock, SceneDisc
from vision.types import Array, Bgr

RESOLUTIONS = {"720p": (1280, 720), "1080p": (1920, 1080), "4k": (3840, 2160)}
CELLS = 8
"""Of a marker with its margin."""


@dataclass(frozen=True, slots=True, eq=False)
class MatPicture:
    """A mat as it was printed."""

    bgr: Bgr
    """First row farthest from the near edge."""
    bounds_mm: tuple[float, float, float, float]
    """Left, low, right, high edge of the picture on the table."""
    markers: MarkerBoard


def draw_mat(
    rng: np.random.Generator,
    size_mm: tuple[float, float],
    *,
    px_per_mm: float = 2.0,
    marker_mm: float = 40.0,
    circles: int = 6,
) -> MatPicture:
    """Return a mat with sectors, terrain, printed circles and corner markers.

    Its origin is the middle; the circles are as large as chips, and none.
    """
    w, h = size_mm
    columns, rows = round(w * px_per_mm), round(h * px_per_mm)
    bgr = _terrain(rng, columns, rows)
    ink = rng.integers(0, 90, 3).tolist()
    thick = max(1, round(1.2 * px_per_mm))
    for share in (1 / 3, 2 / 3):
        cv2.line(
            bgr, (int(share * columns), 0), (int(share * columns), rows), ink, thick
        )
        cv2.line(bgr, (0, int(share * rows)), (columns, int(share * rows)), ink, thick)
    for _ in range(circles):
        at = (int(rng.uniform(0.1, 0.9) * columns), int(rng.uniform(0.1, 0.9) * rows))
        radius = int(rng.uniform(12, 21) * px_per_mm)
        line = (
            -1 if rng.random() < 0.3 else max(1, round(rng.uniform(0.5, 2) * px_per_mm))
        )
        cv2.circle(bgr, at, radius, rng.integers(0, 255, 3).tolist(), line, cv2.LINE_AA)
    bounds = (-w / 2, -h / 2, w / 2, h / 2)
    inset = marker_mm * CELLS / 12 + 2
    frame = (bounds[0] + inset, bounds[1] + inset, bounds[2] - inset, bounds[3] - inset)
    markers = corner_board(frame, marker_mm)
    for id, corners in markers.corners_mm.items():
        _stamp_marker(bgr, id, corners, bounds, (columns / w, rows / h))
    return MatPicture(bgr, bounds, markers)


def _terrain(rng: np.random.Generator, columns: int, rows: int) -> Bgr:
    size = 512
    base = rng.uniform([40, 70, 70], [150, 190, 190])
    ground = np.empty((size, size, 3))
    ground[:] = base + fractal(rng, size)[..., None] * rng.uniform(8, 30)
    for _ in range(int(rng.integers(3, 8))):
        blob = fractal(rng, size, octaves=3) > rng.uniform(0.15, 0.5)
        ground[blob] = ground[blob] * 0.4 + 0.6 * rng.uniform(5, 200, 3)
    ground += rng.normal(0, 3, (size, size, 1))
    fine = np.clip(ground, 0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(fine, (columns, rows)), np.uint8)


def _stamp_marker(
    bgr: Bgr,
    id: int,
    corners_mm: Array,
    bounds: tuple[float, float, float, float],
    px_per_mm: tuple[float, float],
) -> None:
    """Print a marker; each pixel has the light of what is printed on it, exactly."""
    cells = (marker_picture(id, 1) > 0).astype(float)
    middle = corners_mm.mean(0)
    outer = middle + (corners_mm - middle) * CELLS / 6
    scale = np.array([px_per_mm[0], -px_per_mm[1]])
    edges = (outer - [bounds[0], bounds[3]]) * scale
    (left, top), (right, bottom) = edges.min(0), edges.max(0)
    columns = _shares(left, right, bgr.shape[1])
    rows = _shares(top, bottom, bgr.shape[0])
    bare = 1 - np.outer(rows.sum(axis=1), columns.sum(axis=1))[..., None]
    seen = linear(bgr) * bare + (rows @ cells @ columns.T)[..., None]
    fresh = np.round(255 * srgb(np.asarray(seen, np.float32))).astype(np.uint8)
    bgr[:] = np.where(bare < 1, fresh, bgr)


def _shares(low_px: float, high_px: float, count: int) -> Array:
    """Return (count, CELLS) how much of each pixel lies in each of the cells that fill
    a range of its edges."""
    edges = np.linspace(low_px, high_px, CELLS + 1)
    filled = np.clip(edges - np.arange(count)[:, None], 0, 1)
    return np.asarray(np.diff(filled, axis=1), float)


def draw_chip_face(rng: np.random.Generator, *, size_px: int = 256) -> Bgr:
    """Return a printed face: a coloured ground, a ring or none, and a figure."""
    colour = rng.uniform(15, 240, 3)
    if rng.random() < 0.25:
        colour = np.full(3, rng.choice([18.0, 30.0, 220.0, 240.0]))
    bgr = np.full((size_px, size_px, 3), colour, np.uint8)
    half = size_px // 2
    other = rng.integers(0, 255, 3).tolist()
    if rng.random() < 0.6:
        ring = int(half * rng.uniform(0.7, 0.9))
        cv2.circle(
            bgr, (half, half), ring, other, int(rng.integers(3, 14)), cv2.LINE_AA
        )
    for _ in range(int(rng.integers(2, 5))):
        points = rng.normal(half, half * 0.33, (int(rng.integers(3, 7)), 2))
        hull = cv2.convexHull(points.astype(np.int32))
        cv2.fillPoly(bgr, [hull], rng.integers(0, 255, 3).tolist(), cv2.LINE_AA)
    return np.asarray(bgr, np.uint8)


def draw_camera_over(
    rng: np.random.Generator,
    size_px: tuple[int, int],
    *,
    distance_mm: tuple[float, float] = (700.0, 1500.0),
    tilt_deg: tuple[float, float] = (0.0, 45.0),
) -> TableMap:
    """Return a camera with a real lens that looks at about the table's origin."""
    width, height = size_px
    focal = float(rng.uniform(0.8, 1.1) * width)
    centre = np.array([(width - 1) / 2, (height - 1) / 2])
    centre = centre + rng.normal(0, 0.006 * width, 2)
    bend = np.array([rng.uniform(-0.15, 0.08), rng.uniform(-0.03, 0.03), 0, 0, 0])
    bend[2:4] = rng.normal(0, 0.0008, 2)
    camera = Camera(
        width, height, (focal, focal), (float(centre[0]), float(centre[1])), 0.0, bend
    )
    tilt, way = math.radians(rng.uniform(*tilt_deg)), rng.uniform(0, 2 * math.pi)
    # The far side of the picture may be any side of the table; the mat stays level.
    leaning = _turn(2, -way) @ _turn(0, -tilt) @ _turn(2, way)
    turn = math.radians(rng.normal(0, 12)) + (math.pi if rng.random() < 0.5 else 0.0)
    rotation = leaning @ np.diag([1.0, -1.0, -1.0]) @ _turn(2, turn)
    away = float(rng.uniform(*distance_mm))
    return TableMap(camera, rotation, np.array([0.0, 0.0, away]))


def draw_lamps(rng: np.random.Generator) -> tuple[Lamp, ...]:
    """Return no, one or two lamps: diffuse light, a shadow, a double shadow."""
    lamps = []
    for _ in range(int(rng.choice([0, 1, 1, 2]))):
        way, lean = rng.uniform(0, 2 * math.pi), rng.uniform(0.2, 1.4)
        soft = float(rng.choice([0.03, 0.15, 0.5]))
        shift = (lean * math.cos(way), lean * math.sin(way))
        lamps.append(Lamp(shift, float(rng.uniform(0.2, 0.45)), soft))
    return tuple(lamps)


def draw_sensor(rng: np.random.Generator, *, scale: float = 1.0) -> Sensor:
    """Return a camera as people have them; `scale` is its px per px of 1080p."""
    return Sensor(
        gain=float(rng.uniform(0.6, 1.05)),
        defocus_px=float(rng.uniform(0.45, 1.2) * max(scale, 0.8)),
        vignetting=float(rng.uniform(0, 0.4)),
        full_well=float(np.exp(rng.uniform(math.log(1500), math.log(20000)))),
        read_noise=float(rng.uniform(0.001, 0.006)),
        demosaic=bool(rng.random() < 0.7),
        sharpen=float(rng.uniform(0, 0.6) if rng.random() < 0.5 else 0),
        jpeg=int(rng.integers(75, 97)) if rng.random() < 0.7 else 0,
    )


@dataclass(frozen=True, slots=True, eq=False)
class ChipSizes:
    """What a kit says of its chips, and how much real ones differ from it (sigma)."""

    diameter_mm: float
    thickness_mm: float
    diameter_sigma_mm: float = 0.05
    thickness_sigma_mm: float = 0.05


def draw_discs(
    rng: np.random.Generator,
    sizes: ChipSizes,
    faces: Sequence[Bgr],
    half_mm: tuple[float, float],
    count: int,
    *,
    keep_off: Sequence[tuple[float, float, float]] = (),
) -> tuple[SceneDisc, ...]:
    """Return chips within `half_mm` of the origin: alone, touching, none overlapping.

    `keep_off` are circles (x, y, radius) where none lies.
    """
    discs: list[SceneDisc] = []
    dark = rng.random() < 0.3
    for _ in range(40 * count):
        if len(discs) == count:
            break
        diameter = float(rng.normal(sizes.diameter_mm, sizes.diameter_sigma_mm))
        x, y = rng.uniform(-1, 1, 2) * half_mm
        if discs and rng.random() < 0.3:  # touching another
            other, way = discs[rng.integers(len(discs))], rng.uniform(0, 2 * math.pi)
            reach = (diameter + other.diameter_mm) / 2 + 0.05
            x = other.x_mm + reach * math.cos(way)
            y = other.y_mm + reach * math.sin(way)
        if abs(x) > half_mm[0] or abs(y) > half_mm[1]:
            continue
        apart = [
            math.hypot(x - d.x_mm, y - d.y_mm) - (diameter + d.diameter_mm) / 2
            for d in discs
        ]
        apart += [math.hypot(x - a, y - b) - r - diameter / 2 for a, b, r in keep_off]
        if apart and min(apart) < 0:
            continue
        which = int(rng.integers(len(faces)))
        face = faces[which]
        edge = face[2, face.shape[1] // 2].astype(float)
        like = rng.random() < 0.4
        wall = edge if like else rng.uniform(10, 235, 3)
        if dark and not like:
            wall = wall * 0.25
        discs.append(
            SceneDisc(
                float(x),
                float(y),
                diameter,
                float(rng.normal(sizes.thickness_mm, sizes.thickness_sigma_mm)),
                face,
                (float(wall[0]), float(wall[1]), float(wall[2])),
                float(rng.uniform(0, 360)),
                label=f"unit-{which}",
                gloss=float(rng.uniform(0, 0.8)),
            )
        )
    return tuple(discs)


def draw_board(
    rng: np.random.Generator, size_px: tuple[int, int], *, count: int = 10
) -> tuple[Board, MatPicture, ChipSizes, TableMap]:
    """Return a random board in random light, its mat, what its kit says, its camera."""
    table = draw_camera_over(rng, size_px)
    half = _half_in_view(table)
    marker = float(np.clip(0.11 * half.max(), 25, 60))
    mat = draw_mat(rng, (2 * half[0], 2 * half[1]), marker_mm=marker)
    sizes = ChipSizes(float(rng.uniform(25, 40)), float(rng.uniform(2, 8)))
    faces = [draw_chip_face(rng) for _ in range(int(rng.integers(2, 6)))]
    corners = [(*c.mean(0).tolist(), marker) for c in mat.markers.corners_mm.values()]
    blocks = _fortresses(rng, half)
    standing = [(b.x_mm, b.y_mm, 0.75 * b.width_mm) for b in blocks]
    discs = draw_discs(
        rng, sizes, faces, (half[0], half[1]), count, keep_off=[*corners, *standing]
    )
    glares = [
        Glare(
            float(rng.uniform(-1, 1) * half[0]),
            float(rng.uniform(-1, 1) * half[1]),
            float(rng.uniform(5, 40)),
            float(rng.uniform(0.2, 1.2)),
        )
        for _ in range(int(rng.integers(0, 4)))
    ]
    shadow = None
    if rng.random() < 0.4:
        way = rng.uniform(0, 2 * math.pi)
        offset = float(rng.uniform(-0.5, 0.5) * half.min())
        dark = float(rng.uniform(0.2, 0.6))
        shadow = (math.cos(way), math.sin(way), offset, dark)
    board = Board(
        table,
        mat.bgr,
        mat.bounds_mm,
        discs,
        blocks,
        draw_lamps(rng),
        glares,
        (),
        shadow,
        draw_sensor(rng, scale=size_px[0] / 1920),
    )
    return board, mat, sizes, table


def _half_in_view(table: TableMap) -> Array:
    """Return half the width and depth of the largest mat of which all is seen."""
    camera = table.camera
    size = np.array([camera.width_px, camera.height_px])
    half: Array = 0.5 * table.translation_mm[2] * size / camera.focal_px[0]
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    while True:
        half = 0.96 * half
        seen = table.to_image(square * half)
        if ((seen > 4) & (seen < size - 4)).all():
            return half


def _fortresses(rng: np.random.Generator, half: Array) -> tuple[SceneBlock, ...]:
    blocks = []
    for _ in range(int(rng.choice([0, 1, 2]))):
        x, y = rng.uniform(-0.6, 0.6, 2) * half
        size = float(rng.uniform(30, 50))
        colour = rng.uniform(60, 220, 3)
        blocks.append(
            SceneBlock(
                float(x),
                float(y),
                size,
                size * float(rng.uniform(0.7, 1)),
                float(rng.uniform(15, 40)),
                float(rng.uniform(0, 90)),
                (float(colour[0]), float(colour[1]), float(colour[2])),
            )
        )
    return tuple(blocks)


def _turn(axis: int, angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    i, j = ((1, 2), (2, 0), (0, 1))[axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix
