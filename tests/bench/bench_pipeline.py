"""How long one picture takes, end to end, warm; medians.

    python tests/bench/bench_pipeline.py [--runs 15] [--weights RUN/weights/last.pt]

Ten cards at 1280x720 and the same table at 12 megapixels, and how much memory the
command line takes to read them. With `--weights` and the extra `train`, beside it the
time of ultralytics' own predict at the first look's size.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from tests.support.tables import lay, plain_deck
from vision.images import decode, to_jpeg
from vision.pipeline import Pipeline, load_pipeline
from vision.scene.camera import look_at_table
from vision.scene.ground import wood
from vision.scene.light import Conditions
from vision.scene.render import Scene, render
from vision.types import Bgr, Frame, FrameId, Observation


def table_of_ten(width_px: int, height_px: int) -> Bgr:
    """Return a picture of ten cards, two of them overlapping."""
    rng = np.random.default_rng(5)
    labels = list(plain_deck().faces)[3:43:4]
    spots = [
        (label, -170.0 + 85 * (i % 5), 60.0 - 120 * (i // 5), 90.0 + 4 * i - 18)
        for i, label in enumerate(labels)
    ]
    spots[-1] = (labels[-1], 125.0, -62.0, 100.0)
    camera = look_at_table(
        focal_px=width_px * 0.85,
        distance_mm=480.0,
        tilt_deg=15.0,
        yaw_deg=0.0,
        roll_deg=0.0,
        centre_px=(width_px / 2, height_px / 2),
    )
    light = Conditions(shading=0.2, blur_px=width_px / 2000, noise=2.0)
    things = lay(spots)
    scene = Scene(width_px, height_px, camera, wood(rng), things, (), light)
    return render(scene, rng)[0]


def median_ms(call: Callable[[], object], runs: int) -> float:
    """Return the median time of a call, after two warm ones."""
    for _ in range(2):
        call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--weights", type=Path)
    options = parser.parse_args()
    pipeline = load_pipeline()
    for width, height in ((1280, 720), (4000, 3000)):
        bgr = table_of_ten(width, height)
        data = to_jpeg(bgr, 90)
        frame = Frame(FrameId("bench"), bgr, datetime.now(UTC))
        observation = pipeline(frame)
        named = sum(p.identity.label is not None for p in observation.placements)
        seeing = median_ms(partial(pipeline, frame), options.runs)
        whole = median_ms(partial(_from_bytes, pipeline, data), options.runs)
        print(
            f"{width}x{height}: {seeing:.0f} ms, with decoding {whole:.0f} ms;", end=" "
        )
        print(f"{named} of 10 named; {dict(observation.timings_ms)}")
        if options.weights:
            print(f"    ultralytics' predict {_predict_ms(options, bgr):.0f} ms")
        print(f"    `arbitro read` took {_peak_mb(data):.0f} MB at most")
    print(f"Python {sys.version.split()[0]}")


def _peak_mb(jpeg: bytes) -> float:
    """Return the most memory that the command line takes to read the picture: here the
    renderer is in memory, too."""
    with TemporaryDirectory() as folder:
        photo = Path(folder, "table.jpg")
        photo.write_bytes(jpeg)
        command = [sys.executable, "-c", _READ, str(photo)]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(run.stdout.split()[-1]) / 1024


_READ = """
import atexit, re, sys
from pathlib import Path
from companion.cli import main

def say():
    status = Path("/proc/self/status").read_text()
    print(re.search("VmHWM:[^0-9]*([0-9]+)", status)[1])

atexit.register(say)
main(["read", "--json", sys.argv[1]])
"""
"""The peak of this process alone: that of a child would begin with its parent's."""


def _from_bytes(pipeline: Pipeline, data: bytes) -> Observation:
    return pipeline(decode(data, source="bench"))


def _predict_ms(options: argparse.Namespace, bgr: Bgr) -> float:
    from vision.training.detector import load_ultralytics  # noqa: PLC0415 - extra

    model = load_ultralytics(options.weights.parent).YOLO(str(options.weights))
    small = np.asarray(cv2.resize(bgr, (640, 640 * bgr.shape[0] // bgr.shape[1])))
    return median_ms(lambda: model(small, imgsz=640, verbose=False), options.runs)


if __name__ == "__main__":
    main()
