"""How long it takes to measure a busy board."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

import cv2
import numpy as np

from tests.support.figures import Row
from tests.support.measured_boards import Shot, noisy_seed, rendered
from vision.chips import face_likeness, read_chips
from vision.discs import DiscFound, measure_discs
from vision.geometry import TableMap
from vision.scene.mats import RESOLUTIONS, draw_board

LAPS, TIMED_BOARDS = 25, 4


def speed_rows(seed: int) -> Iterator[Row]:
    """Yield the least times of some boards: median, least and most of these. On the
    clock with two threads neighbours make them longer, and on the processor threads
    that wait for each other, so that is with one."""
    found: dict[tuple[str, str], list[float]] = {}
    for number in range(TIMED_BOARDS):
        shot, rng = busy_shot(seed, number)
        for name, target, call, count in work_of(shot, rng):
            for threads, clock, how in (
                (2, time.perf_counter, "ms on the clock, two threads"),
                (1, time.process_time, "ms of processor, one thread"),
            ):
                cv2.setNumThreads(threads)
                least = 1000 * least_s(call, clock) / count
                found.setdefault((f"{how}, per {name}", target), []).append(least)
    for (name, target), times in found.items():
        yield Row(name, median(times), min(times), max(times), len(times), target)
    started = time.process_time()
    total = sum(range(10**7))
    yard = (time.process_time() - started) * 1000
    assert total
    name = "yardstick: cpu ms of sum(range(10**7))"
    yield Row(name, yard, yard, yard, 1)


def busy_shot(seed: int, number: int) -> tuple[Shot, np.random.Generator]:
    """Return a picture of 30 chips that is not refused, and the chance that goes on."""
    rng = np.random.default_rng([seed, 999, number])
    while True:
        drawn = draw_board(rng, RESOLUTIONS["1080p"], count=30)
        if len(drawn[0].discs) != 30:
            continue
        try:
            shot = rendered(*drawn, rng).enrolled()
        except ValueError:  # a face with nothing on it
            continue
        if isinstance(shot.seen().table, TableMap):
            return shot, rng


def work_of(
    shot: Shot, rng: np.random.Generator
) -> Iterator[tuple[str, str, Callable[[], object], int]]:
    """Yield what is timed: name, target, call, and how many it does."""
    seeds = [(shot.kit.chip, noisy_seed(t, rng)) for t in shot.truths]

    def measure_all() -> None:
        face = face_likeness(shot.bgr, shot.real, shot.kit.chips)
        discs = measure_discs(shot.bgr, shot.real, seeds, face=face)
        found = [disc for disc in discs if isinstance(disc, DiscFound)]
        read_chips(shot.bgr, shot.real, found, shot.kit.chips)

    yield "chip, measured and named", "<= 3", measure_all, len(seeds)
    yield "1080p picture with 30 chips", "<= 150", shot.seen, 1


def least_s(call: Callable[[], object], clock: Callable[[], float]) -> float:
    call()
    laps = []
    for _ in range(LAPS):
        started = clock()
        call()
        laps.append(clock() - started)
    return min(laps)
