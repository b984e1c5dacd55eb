"""The eye in its own process, with the shipped models, on 720p at 30 pictures a second.

    python tests/bench/bench_eye.py --seconds 40

A fight of Regicide is rendered to a file, then played in real time as a live camera
would show it. Printed: pictures looked at a second, how old they were when looked at
(first and second half: a lag that grows would show), share that was read, time per
stage, and the peak memory of the process (Linux). Before that, in this process: what a
picture costs on which nothing happens, and one after whose rest a card is read, with
fourteen cards on the table. All of it is written to ``results/eye.csv``.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import queue
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2

from companion.sight import load_pipeline
from companion.watching.eye import run_eye
from companion.watching.messages import Beat, Ended, Failed, Order
from companion.watching.plan import EyePlan, tempo_of
from tests.support.laying import camera, conditions, ground
from tests.support.rounds import regicide_round
from tests.support.tables import plain_deck
from vision.capture.replay import VideoReplay
from vision.capture.source import Shot
from vision.live import LiveEye
from vision.scene.render import thing_of
from vision.scene.video import Script, Step, frames
from vision.types import Frame, Observation
from vision.views import Pace

FPS = 30.0
CARDS, LAID = 14, 8
GOALS = {"idle": "15", "part": "100", "close": "100", "whole": ""}
"""Pictures by what was read of them: nothing, what has changed, what has changed since
the last close look, all; and how many ms each may take."""
KEPT = Path(__file__).parent / "results" / "eye.csv"


class AsCamera(VideoReplay):
    """A recording that pretends to be a camera: its pictures have the time of now."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, real_time=True, is_live=True, frozen_after_s=None)

    def read(self) -> Shot:
        """Return the next picture."""
        return Shot(super().read().bgr, time.monotonic())


def record(path: Path, seconds: float) -> None:
    """Render a fight to a file."""
    made = regicide_round(4, most=9)
    writer = cv2.VideoWriter(
        str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (1280, 720)
    )
    for frame in frames(made.script, 4, wanted=lambda at_s: at_s < seconds):
        writer.write(frame.bgr)
    writer.release()


def watched(path: Path) -> tuple[list[Any], int]:
    """Return all messages of an eye, and the peak memory of its process in MB."""
    plan = EyePlan(
        partial(AsCamera, path), partial(load_pipeline, 1), tempo_of("regicide")
    )
    context = multiprocessing.get_context("spawn")
    out, orders = context.Queue(400), context.Queue()
    worker = context.Process(target=run_eye, args=(plan, out, orders), daemon=True)
    worker.start()
    found, peak_mb = [], 0
    for message in _told(out):
        found.append(message)
        peak_mb = max(peak_mb, _peak_mb(worker.pid))
    orders.put(Order.STOP)
    worker.join(10)
    return found, peak_mb


def _told(out: Any) -> Iterator[Any]:
    while True:
        try:
            message = out.get(timeout=60)
        except queue.Empty:
            return
        yield message
        if isinstance(message, Ended | Failed):
            return


def _peak_mb(pid: int | None) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    peak = next((line for line in lines if line.startswith("VmHWM")), "VmHWM: 0")
    return int(peak.split()[1]) // 1024


def fourteen() -> Script:
    """Return a table of thirteen cards on which a fourteenth is laid, again and again:
    it is taken away each time."""
    deck = plain_deck()
    labels = [f"{rank}{suit}" for suit in "sh" for rank in "23456789"][:CARDS]
    *lying, last = (
        thing_of(deck.faces[label], 90.0 * (n % 5) - 180, 110.0 * (n // 5) - 110, 90.0)
        for n, label in enumerate(labels)
    )
    reach = last.x_mm, last.y_mm
    steps = []
    for number in range(LAID):
        at_s = 2.0 + 3.0 * number
        steps.append(Step(at_s, (*lying, last), reach, carried=last))
        taken_s = at_s + 1.5
        steps.append(Step(taken_s, tuple(lying), reach, carried=last, takes=True))
    rng = random.Random(14)
    light, drift = conditions(rng)
    return Script(
        camera(rng, distance_mm=900.0),
        ground(14),
        tuple(lying),
        steps,
        steps[-1].at_s + 1.5,
        conditions=light,
        drift=drift,
    )


@dataclass
class Noted:
    """Eyes that note how they were asked last."""

    eyes: Any
    asked: str = "idle"

    def __call__(self, frame: Frame) -> Observation:
        """Return what a whole picture says."""
        self.asked = "whole"
        seen: Observation = self.eyes(frame)
        return seen

    def near(self, frame: Frame, card_px: float, **how: Any) -> Observation:
        """Return what a part says."""
        self.asked = "close" if how["closely"] else "part"
        seen: Observation = self.eyes.near(frame, card_px, **how)
        return seen


def work() -> dict[str, list[tuple[float, float]]]:
    """Return what pictures cost, in ms of processor and by the clock: idle ones, ones
    of which a part was read, at the right size or closely, and whole ones."""
    see = Noted(load_pipeline(1))
    eye = LiveEye(see, Pace(settle_s=0.15, recheck_s=0.5))
    spent: dict[str, list[tuple[float, float]]] = {kind: [] for kind in GOALS}
    for frame in frames(fourteen(), 14):
        see.asked = "idle"
        began_s = time.process_time(), time.perf_counter()
        eye.look(Shot(frame.bgr, frame.at_s))
        took_s = time.process_time() - began_s[0], time.perf_counter() - began_s[1]
        spent[see.asked].append((1000 * took_s[0], 1000 * took_s[1]))
    return spent


def report(
    spent: dict[str, list[tuple[float, float]]], found: list[Any], peak_mb: int
) -> None:
    """Print what came of it, and write it down."""
    beats = [message for message in found if isinstance(message, Beat)]
    if not beats:
        sys.exit(f"nothing was looked at: {found}")
    last, half = beats[-1], len(beats) // 2
    rows: list[tuple[str, float, str]] = []
    for kind, goal in GOALS.items():
        for number, how in enumerate(("of processor", "by the clock")):
            median = statistics.median(one[number] for one in spent[kind])
            what = f"{kind} picture, ms {how}, median of {len(spent[kind])}"
            rows.append((what, median, goal))
    rate = statistics.median(beat.fps for beat in beats)
    rows.append(("pictures looked at a second", rate, "30"))
    for name, part in (("first half", beats[:half]), ("second half", beats[half:])):
        lags = sorted(beat.lag_s * 1000 for beat in part)
        rows.append(
            (f"{name}: ms old when looked at, median", lags[len(lags) // 2], "")
        )
        rows.append((f"{name}: 95 % within ms", lags[int(0.95 * len(lags))], ""))
    unread = 100 * (1 - last.readings / last.looked)
    rows.append((f"not read, % of {last.looked} pictures", unread, "80"))
    rows.append(("peak memory of the process, MB", float(peak_mb), "600"))
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("what", "value", "goal"))
        writer.writerows((what, round(value, 1), goal) for what, value, goal in rows)
    for what, value, goal in rows:
        print(f"{value:8.1f}  {what}" + f" (goal {goal})" * bool(goal))
    print("load:", os.getloadavg(), "stages, ms:", dict(last.timings_ms))


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=40.0)
    options = parser.parse_args()
    spent = work()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.avi"
        record(path, options.seconds)
        report(spent, *watched(path))


if __name__ == "__main__":
    main()
