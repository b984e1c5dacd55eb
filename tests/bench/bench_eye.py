"""The eye in its own process, with the shipped models, on 720p at 30 pictures a second.

    python tests/bench/bench_eye.py --seconds 40

A fight of Regicide is rendered to a file, then played in real time as a live camera
would show it. Printed: pictures looked at a second, how old they were when looked at
(first and second half: a lag that grows would show), share that was read, time per
stage, and the peak memory of the process (Linux).
"""

from __future__ import annotations

import argparse
import multiprocessing
import queue
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import cv2

from companion.sight import load_pipeline
from companion.watching.eye import run_eye
from companion.watching.messages import Beat, Ended, Failed, Order, Seen
from companion.watching.plan import EyePlan, tempo_of
from tests.support.rounds import regicide_round
from vision.capture.replay import VideoReplay
from vision.capture.source import Shot
from vision.scene.video import frames

FPS = 30.0


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


def report(found: list[Any], peak_mb: int) -> None:
    """Print what came of it."""
    beats = [message for message in found if isinstance(message, Beat)]
    if not beats:
        sys.exit(f"nothing was looked at: {found}")
    last, half = beats[-1], len(beats) // 2
    print(f"{last.looked} pictures looked at, {last.readings} read", end="; ")
    print(f"{statistics.median(beat.fps for beat in beats):.1f} a second")
    for name, part in (("first half", beats[:half]), ("second", beats[half:])):
        lags = sorted(beat.lag_s * 1000 for beat in part)
        print(f"{name}: {statistics.median(lags):.0f} ms old,", end=" ")
        print(f"95 % within {lags[int(0.95 * len(lags))]:.0f} ms")
    print("stages, ms:", dict(last.timings_ms))
    print(f"views told: {sum(isinstance(message, Seen) for message in found)}")
    print(f"peak memory of the process: {peak_mb} MB")


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=40.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.avi"
        record(path, options.seconds)
        report(*watched(path))


if __name__ == "__main__":
    main()
