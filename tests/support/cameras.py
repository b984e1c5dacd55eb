"""Cameras over a table with cards on it, with exact truth, for tests of geometry."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from vision.geometry import Camera, TableMap
from vision.place import STANDARD_CARD_MM, card_corners_mm, lay
from vision.types import Array


def turned(axis: int, angle_deg: float) -> Array:
    """Return the (3, 3) rotation about one axis."""
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    i, j = ((1, 2), (2, 0), (0, 1))[axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


def table_map(
    *,
    focal_px: float = 1100.0,
    distance_mm: float = 900.0,
    tilt_deg: float = 30.0,
    yaw_deg: float = 0.0,
    roll_deg: float = 0.0,
    distortion: tuple[float, ...] = (0.0,) * 5,
    size_px: tuple[int, int] = (1280, 720),
) -> TableMap:
    """Return a camera that looks at the table's origin, from straight above at tilt 0.

    At yaw and roll 0 it stands at the near edge: table x is to its right.
    """
    width, height = size_px
    camera = Camera(
        width,
        height,
        (focal_px, focal_px),
        ((width - 1) / 2, (height - 1) / 2),
        0.0,
        np.array(distortion),
    )
    from_above = np.diag([1.0, -1.0, -1.0])
    tilted = turned(0, -tilt_deg) @ from_above @ turned(2, yaw_deg)
    rotation = turned(2, roll_deg) @ tilted
    return TableMap(camera, rotation, np.array([0.0, 0.0, distance_mm]))


@st.composite
def table_maps(draw: st.DrawFn) -> TableMap:
    """Cameras above a table, some with a lens that bends straight lines."""
    number = st.floats(-0.08, 0.08)
    distortion = draw(
        st.just((0.0,) * 5)
        | st.tuples(number, number, *(st.floats(-0.003, 0.003),) * 2, st.just(0.0))
    )
    # A lens as wide as 500 px that bends so much shows its corners twice.
    shortest_px = 800 if any(distortion) else 500
    return table_map(
        focal_px=draw(st.floats(shortest_px, 4000)),
        distance_mm=draw(st.floats(300, 3000)),
        tilt_deg=draw(st.floats(0, 70)),
        yaw_deg=draw(st.floats(-180, 180)),
        roll_deg=draw(st.floats(-30, 30)),
        distortion=distortion,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Dealt:
    """Cards on a table and how they are seen."""

    truth: TableMap
    poses: Array
    """(N, 3) x, y in mm and angle in rad of the card's own x axis."""
    quads_px: Array
    """(N, 4, 2), exact."""


def deal(
    rng: np.random.Generator,
    count: int,
    truth: TableMap,
    *,
    size_mm: tuple[float, float] = STANDARD_CARD_MM,
) -> Dealt:
    """Return cards strewn over the middle of the picture."""
    places = rng.uniform((-230, -140), (230, 140), (count, 2))
    poses = np.column_stack([places, rng.uniform(0, 2 * math.pi, count)])
    laid = lay(card_corners_mm(size_mm), poses).reshape(-1, 2)
    return Dealt(truth, poses, truth.to_image(laid).reshape(-1, 4, 2))
