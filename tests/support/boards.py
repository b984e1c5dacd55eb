"""Small rendered boards with thick discs, for tests of measuring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.support.cameras import table_map
from vision.geometry import TableMap
from vision.rim import DiscSize
from vision.scene.boards import Board, DiscTruth, render_board
from vision.scene.sensor import Sensor
from vision.scene.solids import Lamp, SceneDisc
from vision.types import Array, Bgr

PLAIN = Sensor(defocus_px=0.8, full_well=5000, read_noise=0.003)
SIZE = DiscSize(32.0, 4.0, 0.02, 0.02)
WHITE, DARK, FELT = (200, 200, 200), (40.0, 40.0, 40.0), (100, 110, 90)


def flat(colour: tuple[int, int, int], size: int = 64) -> Bgr:
    """Return a square of one colour."""
    return np.full((size, size, 3), colour, np.uint8)


def chip(
    x_mm: float,
    y_mm: float,
    *,
    face: Bgr | None = None,
    wall: tuple[float, float, float] = DARK,
    base_mm: float = 0.0,
    angle_deg: float = 90.0,
    size: DiscSize = SIZE,
    label: str | None = None,
) -> SceneDisc:
    """Return a chip of exactly the stated size."""
    return SceneDisc(
        x_mm,
        y_mm,
        size.diameter_mm,
        size.thickness_mm,
        flat(WHITE) if face is None else face,
        wall,
        angle_deg,
        base_mm,
        label,
    )


def small_table(tilt_deg: float = 25.0, *, yaw_deg: float = 10.0) -> TableMap:
    """Return a small camera 50 cm over the table: 1.4 px per mm."""
    return table_map(
        focal_px=700.0,
        distance_mm=500.0,
        tilt_deg=tilt_deg,
        yaw_deg=yaw_deg,
        distortion=(-0.08, 0.01, 0.0005, -0.0003, 0.0),
        size_px=(480, 360),
    )


def shown(
    discs: Sequence[SceneDisc],
    *,
    table: TableMap | None = None,
    ground: Bgr | None = None,
    sensor: Sensor = PLAIN,
    lamps: Sequence[Lamp] = (),
    hands_mm: Sequence[Array] = (),
    seed: int = 1,
    finer: int = 1,
) -> tuple[Bgr, TableMap, tuple[DiscTruth, ...]]:
    """Return the picture of discs on a plain ground, its camera and the truth."""
    table = small_table() if table is None else table
    board = Board(
        table,
        flat(FELT) if ground is None else ground,
        (-300.0, -300.0, 300.0, 300.0),
        discs,
        lamps=lamps,
        hands_mm=hands_mm,
        sensor=sensor,
    )
    rng = np.random.default_rng(seed)
    picture, truth = render_board(board, rng, finer=finer)
    return picture, table, truth


def seed_px(truth: DiscTruth, shift_px: tuple[float, float] = (0.0, 0.0)) -> Array:
    """Return what a detector would say of a disc, off by a shift."""
    box = (truth.outline_px.min(0) + truth.outline_px.max(0)) / 2
    return np.asarray(box + shift_px, float)
