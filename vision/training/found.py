"""Looks at a training set with a detector: the boxes that the reader will really get.

    python -m vision.training.found DATA --minutes 10

A detector's boxes are off in ways of their own, and stand around things that are no
index: pips, letters of a joker, an index of which half is hidden. The reader learns
from them (`vision.training.reader`). DATA gets `found-train.jsonl`, one line per
picture that was looked at: its name and boxes as `[kind, score, quad_px]`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from vision.detect import Detect, View, load_detector
from vision.models import load_manifest
from vision.types import Bgr, Kind

SCALES = (1.0, 1.6)
"""The sizes at which a picture is looked at; at which one is drawn by its name."""
KINDS = frozenset({Kind.CARD, Kind.INDEX})


def main(arguments: Sequence[str] | None = None) -> None:
    """Look at the pictures of a folder; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--minutes", type=float, default=10.0)
    options = parser.parse_args(arguments)
    detect = load_detector(load_manifest("detector"))
    until = time.monotonic() + 60 * options.minutes
    with (options.data / "found-train.jsonl").open("w", encoding="utf-8") as out:
        for path in sorted((options.data / "images" / "train").glob("*.jpg")):
            if time.monotonic() > until:
                break
            out.write(json.dumps({"image": path.stem, "found": found_in(detect, path)}))
            out.write("\n")


def found_in(detect: Detect, path: Path) -> list[list[object]]:
    """Return kind, score and corners of each box in a picture."""
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise FileNotFoundError(path)
    bgr = np.asarray(picture, np.uint8)
    boxes = detect(bgr, list(_views(bgr, path.stem)))
    return [
        [b.kind.value, round(b.score, 3), b.quad_px.round(1).tolist()] for b in boxes
    ]


def _views(bgr: Bgr, name: str) -> Iterator[View]:
    height, width = bgr.shape[:2]
    scale = SCALES[sum(map(ord, name)) % len(SCALES)]
    yield View(0, 0, width, height, scale, KINDS)


if __name__ == "__main__":
    main()
