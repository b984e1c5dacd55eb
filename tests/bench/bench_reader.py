"""How well the reader names crops of decks that it was not trained on, by their size.

    arbitro train dataset DATA --count 0 --val 600 --seed 77 --decks ... --textures ...
    python tests/bench/bench_reader.py DATA [--model models/reader]

Windows are the true ones, moved as a detector would move them (seed fixed). "Right" and
"wrong" count what is said with the probability that the manifest asks for; the rest is
asked. Intervals are 95 % (Wilson).
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from vision.accuracy import Share
from vision.crops import card_window, index_window
from vision.models import Manifest, models_folder, read_manifest
from vision.reading import LABELS, Reading, load_reader
from vision.types import Array

INDEX_BANDS_PX = (12.0, 16.0, 24.0, 1000.0)
WHOLE_BANDS_PX = (60.0, 100.0, 1000.0)


@dataclass(frozen=True, slots=True, eq=False)
class Crop:
    """A window, what it shows, and the band of its size."""

    window_px: Array
    label: str
    band: str


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", type=Path, help="folder with a manifest")
    options = parser.parse_args()
    manifest = read_manifest(options.model or models_folder() / "reader")
    read = load_reader(manifest)
    said: dict[str, list[bool | None]] = defaultdict(list)
    rng = np.random.default_rng(0)
    for line in (options.data / "truth-val.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        path = options.data / "images" / "val" / f"{row['image']}.jpg"
        bgr = np.asarray(cv2.imread(str(path)), np.uint8)
        crops = list(crops_of(rng, row["truth"]))
        readings = read(bgr, np.array([crop.window_px for crop in crops]))
        for crop, reading in zip(crops, readings, strict=True):
            said[crop.band].append(_is_right(reading, crop.label, manifest))
    for band, answers in sorted(said.items()):
        right = Share(sum(a is True for a in answers), len(answers))
        wrong = Share(sum(a is False for a in answers), len(answers))
        print(f"{band}: right {right}, wrong {wrong}")


def crops_of(
    rng: np.random.Generator, truth: list[dict[str, object]]
) -> Iterator[Crop]:
    """Yield the crops of one picture that can be told."""
    for item in truth:
        label = item["label"]
        if item["kind"] != "card" or label not in LABELS[:-1]:
            continue
        quad = np.asarray(item["quad_px"], float)
        band = _band("whole", quad, WHOLE_BANDS_PX)
        if band is not None and float(str(item["visible"])) > 0.9:
            yield Crop(card_window(_moved(rng, quad)), str(label), band)
        indices = item["indices"]
        assert isinstance(indices, list)
        for index in indices:
            place = np.asarray(index["quad_px"], float)
            band = _band("index", place, INDEX_BANDS_PX)
            if band is not None and index["visible"] >= 0.95:
                yield Crop(index_window(_moved(rng, place)), str(label), band)


def _band(kind: str, quad_px: Array, edges: tuple[float, ...]) -> str | None:
    tall = float(np.linalg.norm(quad_px[0] - quad_px[3]))
    for low, high in pairwise(edges):
        if low <= tall < high:
            above = f"{low:3.0f} px and more"
            return f"{kind} {above if high >= 1000 else f'{low:3.0f}-{high:.0f} px'}"
    return None


def _moved(rng: np.random.Generator, quad_px: Array) -> Array:
    right, down = quad_px[1] - quad_px[0], quad_px[3] - quad_px[0]
    move = rng.normal(0, 0.03, 2) @ np.array([right, down])
    return np.asarray(
        quad_px + move + rng.normal(0, 0.015 * float(np.hypot(*right)), (4, 2))
    )


def _is_right(reading: Reading, label: str, manifest: Manifest) -> bool | None:
    if reading.certainty < manifest.threshold("min_alone"):
        return None
    return LABELS[int(reading.faces.argmax())] == label


if __name__ == "__main__":
    main()
