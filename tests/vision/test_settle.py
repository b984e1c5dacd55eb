"""The gate: what is still, what an arm covers, what has changed, what has jumped."""

from __future__ import annotations

import time
from functools import cache

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.gate import Gate
from vision.settle import Settle
from vision.types import Array, Bgr

HEIGHT, WIDTH = 360, 640
CARD = np.array([[280.0, 140], [340, 140], [340, 225], [280, 225]])


def table(seed: int = 1) -> Bgr:
    """Return a table with some structure, without noise."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(70, 130, (9, 16, 3)).astype(np.uint8)
    bgr = cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    for x in (60, 160, 420, 520):
        cv2.rectangle(bgr, (x, 40), (x + 60, 125), (235, 235, 235), -1)
        cv2.circle(bgr, (x + 30, 80), 14, (30, 30, 160), -1)
    return np.asarray(bgr, np.uint8)


def shifted() -> Bgr:
    """Return the table as a camera sees it that was pushed."""
    matrix = np.array([[1, 0, 35], [0, 1, 22]], np.float32)
    return np.asarray(cv2.warpAffine(table(), matrix, (WIDTH, HEIGHT)), np.uint8)


@cache
def grains() -> list[np.ndarray]:
    """Return the noise of three pictures."""
    rng = np.random.default_rng(5)
    return [rng.normal(0, 3, (HEIGHT, WIDTH, 3)) for _ in range(3)]


def with_card(bgr: Bgr, quad: Array = CARD) -> Bgr:
    shown = bgr.copy()
    cv2.fillConvexPoly(shown, quad.astype(np.int32), (240, 240, 240))
    return shown


def with_arm(bgr: Bgr, top: int = 150) -> Bgr:
    shown = bgr.copy()
    cv2.rectangle(shown, (295, top), (345, HEIGHT), (120, 150, 205), -1)
    return shown


def feed(
    gate: Settle, bgr: Bgr, from_s: float, to_s: float, *, gain: float = 1.0
) -> Gate:
    """Show a picture, with noise, for a while; return the last word of the gate."""
    shown = [(bgr * gain + grain).clip(0, 255).astype(np.uint8) for grain in grains()]
    last = None
    for number in range(round((to_s - from_s) * 30)):
        last = gate.feed(shown[number % len(shown)], from_s + number / 30)
    assert last is not None
    return last


def read(gate: Settle, said: Gate) -> None:
    gate.accept(~said.covered)


def settled() -> Settle:
    """Return a gate that has read the table."""
    gate = Settle(0.3)
    read(gate, feed(gate, table(), 0.0, 1.0))
    return gate


def test_the_first_look_reads_everything_once_it_is_still() -> None:
    gate = Settle(0.3)
    assert not feed(gate, table(), 0.0, 0.2).is_due
    said = feed(gate, table(), 0.2, 0.6)
    assert said.due.mean() > 0.95
    read(gate, said)
    assert not feed(gate, table(), 0.6, 1.5).is_due


def test_a_card_is_due_when_it_has_lain_still_for_settle_s() -> None:
    gate = settled()
    shown = with_card(table())
    assert not feed(gate, shown, 1.0, 1.25).is_due
    said = feed(gate, shown, 1.25, 1.5)
    assert said.share(said.due, CARD) > 0.8
    assert said.due.sum() < 1.6 * said.cells(CARD).sum(), "only the card"


def test_an_arm_covers_and_is_not_read() -> None:
    gate = settled()
    said = feed(gate, with_arm(with_card(table())), 1.0, 2.5)
    assert said.has_arm
    assert not said.is_quiet
    assert said.share(said.covered, CARD) > 0.3
    assert not said.is_due


def test_the_rest_is_read_while_an_arm_stays() -> None:
    gate = settled()
    far = CARD - [0.0, 100]
    aside = np.array([[20.0, 200], [80, 200], [80, 285], [20, 285]])
    feed(gate, with_arm(table()), 1.0, 1.5)
    said = feed(gate, with_card(with_arm(table()), aside), 1.5, 2.2)
    assert said.has_arm
    assert said.share(said.due, aside) > 0.8
    assert said.share(said.due, far) == 0


def test_when_the_arm_has_gone_what_it_laid_is_due() -> None:
    gate = settled()
    feed(gate, with_arm(with_card(table())), 1.0, 2.0)
    said = feed(gate, with_card(table()), 2.0, 2.5)
    assert not said.has_arm
    assert said.share(said.due, CARD) > 0.8


def test_a_change_knows_when_its_place_last_moved() -> None:
    gate = settled()
    said = feed(gate, with_card(table()), 1.0, 2.0)
    # Seen against pictures up to 0.15 s old, so up to that much later.
    assert 1.0 <= said.moved_at_s(CARD) <= 1.25


@given(st.floats(0.75, 1.2))
@settings(max_examples=4, deadline=None)
def test_light_that_changes_is_no_change(gain: float) -> None:
    gate = settled()
    for number in range(20):
        now = 1 + (gain - 1) * number / 20
        said = feed(gate, table(), 1 + number / 10, 1.1 + number / 10, gain=now)
        assert not said.is_lost
    assert not feed(gate, table(), 3.1, 3.6, gain=gain).is_due


def test_noise_alone_is_still() -> None:
    gate = settled()
    said = feed(gate, table(), 1.0, 3.0)
    assert said.is_quiet
    assert said.still_s > 1.5


def test_slow_things_move_too() -> None:
    gate = settled()
    for number in range(30):
        shown = with_card(table(), CARD + np.array([number * 1.5, 0]))
        said = feed(gate, shown, 1 + number / 15, 1 + (number + 1) / 15)
        assert not said.is_due
    assert bool(said.moving.any())


def test_a_picture_that_jumps_is_lost_until_it_is_back() -> None:
    gate = settled()
    said = feed(gate, shifted(), 1.0, 2.5)
    assert said.is_lost
    assert not said.is_due
    said = feed(gate, table(), 2.5, 3.5)
    assert not said.is_lost
    assert not said.is_due


@pytest.mark.parametrize("way", [-1, 0, 1])
def test_an_even_table_that_is_mirrored_or_turned_is_lost(way: int) -> None:
    even = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    for x in (60, 160, 420, 520):  # each card lies where another one comes to lie
        cv2.rectangle(even, (x, 120), (x + 59, 239), (235, 235, 235), -1)
        cv2.circle(even, (x + 22, 150), 18, (30, 30, 160), -1)
    gate = Settle(0.3)
    read(gate, feed(gate, np.asarray(even, np.uint8), 0.0, 1.0))
    turned = np.asarray(cv2.flip(even, way), np.uint8)
    assert feed(gate, turned, 1.0, 1.1).is_lost


def test_a_view_that_was_found_again_is_read_anew() -> None:
    gate = settled()
    moved = cv2.warpAffine(
        table(), np.array([[1, 0, 35], [0, 1, 22]], np.float32), (WIDTH, HEIGHT)
    )
    assert feed(gate, np.asarray(moved, np.uint8), 1.0, 2.0).is_lost
    gate.found()
    said = feed(gate, np.asarray(moved, np.uint8), 2.0, 2.5)
    assert said.due.mean() > 0.95


def test_what_is_suddenly_white_is_read_but_known_to_dazzle() -> None:
    """A lamp's glare, or white paper in too much light: only a reading can tell."""
    gate = settled()
    shine = table()
    cv2.circle(shine, (310, 180), 40, (255, 255, 255), -1)
    rng = np.random.default_rng(0)
    for number in range(40):
        grain = rng.normal(0, 3, shine.shape)
        grain[(shine == 255).all(axis=2)] = 0
        noisy = (shine + grain).clip(0, 255).astype(np.uint8)
        said = gate.feed(noisy, 1 + number / 30)
    assert said.share(said.glare, CARD) > 0.5
    assert said.share(said.due, CARD) > 0.5
    assert not said.has_arm, "nobody touches what is bright"


def test_an_arm_over_the_only_card_is_no_jump() -> None:
    bare = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    gate = Settle(0.3)
    gate.accept(~feed(gate, with_card(bare), 0.0, 0.6).covered)
    for number, top in enumerate(range(HEIGHT, 80, -20)):
        at_s = 1 + number / 15
        said = feed(gate, with_arm(with_card(bare), top), at_s, at_s + 1 / 15)
        assert not said.is_lost
    assert said.share(said.covered, CARD) > 0.5


def test_an_arm_that_came_while_nobody_looked_is_no_jump() -> None:
    """It lay over most of what is known at once, after a reading: the view was lost,
    and what was found again lay twice (Brawl 5210)."""
    bare = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    gate = Settle(0.3)
    gate.accept(~feed(gate, with_card(bare), 0.0, 0.6).covered)
    said = feed(gate, with_arm(with_card(bare), 80), 0.9, 0.9 + 1 / 30)
    assert said.has_blinked
    assert not said.is_lost
    bumped = feed(settled(), shifted(), 1.3, 1.3 + 1 / 30)
    assert bumped.has_blinked
    assert bumped.is_lost


def test_what_was_read_in_vain_is_put_off_but_nothing_else_is() -> None:
    gate = settled()
    said = feed(gate, with_card(table()), 1.0, 1.6)
    gate.tried(said.due, 1.6)
    assert not feed(gate, with_card(table()), 1.6, 1.8).is_due
    other = np.array([[380.0, 250], [440, 250], [440, 330], [380, 330]])
    said = feed(gate, with_card(with_card(table()), other), 1.8, 2.2)
    assert said.share(said.due, other) > 0.8


def test_a_picture_of_another_size_is_another_view() -> None:
    gate = settled()
    small = np.asarray(cv2.resize(table(), (480, 360)), np.uint8)
    assert gate.feed(small, 1.5).is_lost


@pytest.mark.slow
def test_an_idle_picture_costs_little() -> None:
    gate = Settle(0.3)
    big = np.asarray(cv2.resize(table(), (1280, 720)), np.uint8)
    for number in range(15):
        said = gate.feed(big, number / 30)
    read(gate, said)
    began = time.process_time()
    for number in range(15, 75):
        gate.feed(big, number / 30)
    assert (time.process_time() - began) / 60 < 0.015


def test_what_only_the_light_changed_shows_what_was_read() -> None:
    settle, bgr = settled(), table()
    shaded, wide = bgr.copy(), np.s_[100:270, 220:400]
    shaded[wide] = (0.6 * bgr[wide]).astype(np.uint8)
    assert feed(settle, shaded, 1.0, 1.6).shows_as_read(CARD)
    laid = with_card(bgr)
    assert not feed(settle, laid, 1.6, 2.2).shows_as_read(CARD)
    plain = bgr.copy()  # a plain thing on the plain side of a card, as pale as that
    cv2.rectangle(plain, (425, 90), (445, 120), (205, 205, 205), -1)
    place = np.array([[425.0, 90], [445, 90], [445, 120], [425, 120]])
    assert not feed(settle, plain, 2.2, 2.8).shows_as_read(place)
