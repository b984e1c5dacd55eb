"""What an eye takes for the table before it knows it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.beginning import GIVES_UP_S, HAND_RESTS_S, Beginning
from vision.types import Bgr

SHAPE = (90, 160)
EVERYWHERE = np.ones(SHAPE, bool)
TABLE, HAND = 60, 150
LIMIT = 9.0
FREE = (45, 150)
"""A cell far from the arm."""
UNDER = (45, 30)


def shown(arm: bool) -> Bgr:
    """Return a table, and an arm on its left half."""
    small = np.full((*SHAPE, 3), TABLE, np.uint8)
    if arm:
        small[:, 20:40] = HAND
    return small


def moved(at_s: float) -> NDArray[np.float32]:
    """Return when each cell moved last: the arm's rims at a time, others at first."""
    moved_s = np.zeros(SHAPE, np.float32)
    moved_s[:, 20] = moved_s[:, 39] = at_s
    return moved_s


def test_a_hand_that_lies_still_for_a_moment_is_not_the_table() -> None:
    """It was: the table seemed to lie under an arm when it left (Frenzy 7103)."""
    beginning, now_s = Beginning(), 1.0
    table = beginning.table(EVERYWHERE, shown(True), moved(0.7), now_s, LIMIT)
    assert table[FREE]
    assert not table[UNDER]
    waits, is_table = beginning.waiting(shown(True), moved(0.7), now_s, LIMIT)
    assert waits[UNDER], "it need not be read again"
    assert not is_table[UNDER]
    later_s = 0.7 + HAND_RESTS_S + 0.1
    assert beginning.waiting(shown(True), moved(0.7), later_s, LIMIT)[1][UNDER]


def test_what_shows_again_what_it_showed_before_a_hand_came_is_the_table() -> None:
    """Where hands come and go all the time it is never still for so long."""
    beginning = Beginning()
    beginning.table(EVERYWHERE, shown(False), moved(0.0), 0.2, LIMIT)
    beginning.waiting(shown(True), moved(0.6), 0.6, LIMIT)
    table = beginning.table(EVERYWHERE, shown(False), moved(0.9), 1.0, LIMIT)
    assert table[UNDER]


def test_a_hand_that_moves_a_little_shows_again_what_it_showed_and_is_none() -> None:
    beginning = Beginning()
    beginning.table(EVERYWHERE, shown(True), moved(0.1), 0.2, LIMIT)
    beginning.waiting(shown(True), moved(0.6), 0.6, LIMIT)
    table = beginning.table(EVERYWHERE, shown(True), moved(0.9), 1.0, LIMIT)
    assert not table[UNDER]


def test_what_never_rests_is_the_table_in_the_end() -> None:
    beginning = Beginning()
    now_s = GIVES_UP_S + 0.1
    table = beginning.table(EVERYWHERE, shown(True), moved(now_s), now_s, LIMIT)
    assert table.all()
