"""Blocks are told from discs by the directions of their edges."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.boards import SIZE, chip, shown, small_table
from vision.board_discs import BLOCK
from vision.scene.boards import Board, render_board
from vision.scene.solids import SceneBlock
from vision.straight_sides import straightness
from vision.types import Array, Bgr

HERE = np.array([[6.0, -4.0]])


def straight(bgr: Bgr, tilt_deg: float) -> float:
    table = small_table(tilt_deg)
    (found,) = straightness(bgr, table, HERE, SIZE.diameter_mm / 2, SIZE.top_mm)
    return float(found)


@pytest.mark.parametrize("tilt_deg", [0.0, 20.0, 40.0])
def test_around_a_disc_edges_run_every_way(tilt_deg: float) -> None:
    bgr, _, _ = shown([chip(6.0, -4.0)], table=small_table(tilt_deg))
    assert straight(bgr, tilt_deg) < 0.6 * BLOCK


@pytest.mark.parametrize("tilt_deg", [0.0, 20.0, 40.0])
@pytest.mark.parametrize("angle_deg", [0.0, 30.0, 45.0])
def test_along_a_block_they_run_two_ways(tilt_deg: float, angle_deg: float) -> None:
    ground = np.full((64, 64, 3), (100, 110, 90), np.uint8)
    block = SceneBlock(6.0, -4.0, 34.0, 30.0, 20.0, angle_deg, (200.0, 90.0, 60.0))
    board = Board(
        small_table(tilt_deg), ground, (-300.0, -300.0, 300.0, 300.0), (), (block,)
    )
    bgr, _ = render_board(board, np.random.default_rng(1))
    assert straight(bgr, tilt_deg) > BLOCK


def test_where_nothing_is_seen_nothing_is_straight() -> None:
    bgr, _, _ = shown([])
    nowhere: Array = np.empty((0, 2))
    assert not straightness(bgr, small_table(), nowhere, 16.0, 4.0).size
    assert straight(np.full_like(bgr, 90), 25.0) == 0.0
