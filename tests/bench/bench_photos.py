"""Accuracy on real photos, none of which was trained on; one row per set and measure.

    python tests/bench/bench_photos.py --data ../shared/data --csv FILE
    python tests/bench/bench_photos.py --data ../shared/data --change grey mirrored ...

Cards are counted as distinct names per photo; intervals are 95 % (Wilson). With
`--change` each photo is first changed as other cameras, or other hands, would have
taken it; `all` stands for all changes.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from companion.sight import Sight
from vision.evaluate import evaluate
from vision.images import read_image
from vision.types import Bgr, Observation

SETS = (
    "cards-singles-ee326",
    "cards-poker-table-epfl",
    "cards-schnapsen-german",
    "cards-edje-9toA",
    "cards-bridge-bidly",
)
MEASURES = frozenset({"recall", "precision", "exact photos"})
Change = Callable[[Bgr], Bgr]


def coloured(blue: float, green: float, red: float, bgr: Bgr) -> Bgr:
    """Return the picture in light of another colour."""
    return np.asarray(np.clip(bgr * [blue, green, red], 0, 255), np.uint8)


def grey(bgr: Bgr) -> Bgr:
    """Return the picture as a camera sees it at night: without colour."""
    return np.repeat(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)[..., None], 3, 2)


def dark(bgr: Bgr) -> Bgr:
    """Return the picture a stop darker, its shadows deeper."""
    return np.asarray(255 * (bgr / 255.0) ** 1.8 * 0.5, np.uint8)


def noisy(bgr: Bgr) -> Bgr:
    """Return the picture with noise of 18 grey levels."""
    noise = np.random.default_rng(0).normal(0, 18, bgr.shape)
    return np.asarray(np.clip(bgr + noise, 0, 255), np.uint8)


def smaller(share: float, bgr: Bgr) -> Bgr:
    """Return the picture at so much of its size."""
    small = cv2.resize(bgr, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def blurred(bgr: Bgr) -> Bgr:
    """Return the picture out of focus by a thousandth of its long side."""
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), max(bgr.shape) / 1000), np.uint8)


def packed(quality: int, bgr: Bgr) -> Bgr:
    """Return the picture as a JPEG of low quality shows it."""
    data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


CHANGES: Mapping[str, Change] = {
    "none": lambda bgr: bgr,
    "grey": grey,
    "mirrored": lambda bgr: np.ascontiguousarray(bgr[:, ::-1]),
    "turned": lambda bgr: np.rot90(bgr).copy(),
    "upside down": lambda bgr: np.rot90(bgr, 2).copy(),
    "dark": dark,
    "warm light": partial(coloured, 0.45, 0.8, 1.1),
    "cold light": partial(coloured, 1.2, 0.85, 0.55),
    "noise": noisy,
    "blur": blurred,
    "half size": partial(smaller, 0.5),
    "JPEG 25": partial(packed, 25),
}


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--change", nargs="+", default=["none"])
    options = parser.parse_args()
    changes = list(CHANGES) if options.change == ["all"] else options.change
    sight = Sight()
    rows: list[dict[str, str | int | float]] = []
    for change in changes:
        for name in SETS:
            read = partial(_read, sight, CHANGES[change])
            report = evaluate(options.data / name, read)
            print(f"{name}, {change}: recall {report.recall}")
            print(f"    precision {report.precision}, exact photos {report.exact}")
            told = {} if changes == ["none"] else {"change": change}
            rows += [
                {**told, **record, "set": name}
                for record in report.records()
                if record["measure"] in MEASURES
            ]
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def _read(sight: Sight, change: Change, path: Path) -> Observation:
    frame = read_image(path)
    return sight.look(replace(frame, bgr=change(frame.bgr))).observation


if __name__ == "__main__":
    main()
