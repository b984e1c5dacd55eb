"""Round things on real photos, by what `arbitro read` shows.

    python tests/bench/bench_discs.py [FOLDER]          default ../shared/data

Go stones on boards (stones within the grid are labelled, what stands beside the board
is not), round cards, a disc beside cards. Nothing of these photos is committed.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from vision.accuracy import Share
from vision.images import read_image
from vision.pipeline import Pipeline, load_pipeline
from vision.types import Array, Kind

DATA = Path(__file__).parents[3] / "shared" / "data"
GRID = 18
"""Spaces between the 19 lines of a board."""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


def discs_px(pipeline: Pipeline, path: Path) -> Array:
    """Return the (N, 2) centres of the discs that are shown."""
    seen = pipeline(read_image(path))
    quads = [p.quad_px for p in seen.placements if p.kind is Kind.DISC]
    return np.array([np.mean(quad, axis=0) for quad in quads]).reshape(-1, 2)


def matched(found: Array, real: Array, reach: float) -> int:
    """Return how many of the real ones are met, each by one that was found."""
    left = [np.array(at) for at in found]
    hits = 0
    for at in real:
        away = [math.dist(at, other) for other in left]
        if away and min(away) < reach:
            left.pop(int(np.argmin(away)))
            hits += 1
    return hits


def report(name: str, hits: int, real: int, said: int) -> None:
    say(f"{name:24s} recall {Share(hits, real)}   precision {Share(hits, said)}")


def stones(pipeline: Pipeline, folder: Path) -> None:
    corners = json.loads((folder / "corners.json").read_text())
    real: dict[str, list[tuple[float, float]]] = {}
    with (folder / "stones.csv").open() as file:
        for row in csv.DictReader(file):
            real.setdefault(row["image"], []).append((float(row["x"]), float(row["y"])))
    total = np.zeros(3, int)
    for path in sorted((folder / "images").glob("*.jpg")):
        grid = np.array(grid_of(path.name, corners), np.float32)
        space = float(np.linalg.norm(grid[1] - grid[0])) / GRID
        board = grid + (grid - grid.mean(axis=0)) / GRID
        found = discs_px(pipeline, path)
        on_board = [
            cv2.pointPolygonTest(board, (float(at[0]), float(at[1])), False) >= 0
            for at in found
        ]
        found = found[np.array(on_board, bool)]
        truth = np.array(real.get(path.name, [])).reshape(-1, 2)
        hits = matched(found, truth, space / 2)
        total += [hits, len(truth), len(found)]
    report(folder.name, *total.tolist())


def grid_of(name: str, corners: dict[str, Sequence[Sequence[float]]]) -> object:
    if name in corners:
        return corners[name]
    return corners[next(key for key in corners if key.startswith("seq"))]


def round_cards(pipeline: Pipeline, folder: Path) -> None:
    """Only their number is known."""
    hits = real = said = 0
    with (folder / "labels.csv").open() as file:
        for row in csv.DictReader(file):
            count = int(row["round_cards"])
            found = len(discs_px(pipeline, folder / "images" / row["image"]))
            hits += min(found, count)
            real += count
            said += found
    report(folder.name, hits, real, said)


def dealer_disc(pipeline: Pipeline, folder: Path) -> None:
    hits = real = said = 0
    with (folder / "disc.csv").open() as file:
        for row in csv.DictReader(file):
            found = discs_px(pipeline, folder / "images" / row["image"])
            at = np.array([[float(row["cx"]), float(row["cy"])]])
            hits += matched(found, at, float(row["radius"]) / 3)
            real += 1
            said += len(found)
    report(folder.name, hits, real, said)


def table_chips(pipeline: Pipeline, folder: Path) -> None:
    """Flat poker chips beside cards."""
    real: dict[str, list[tuple[float, float, float]]] = {}
    with (folder / "chips.csv").open() as file:
        for row in csv.DictReader(file):
            x, y, radius = (float(row[key]) for key in ("cx", "cy", "radius"))
            real.setdefault(row["image"], []).append((x, y, radius))
    total = np.zeros(3, int)
    for name, chips in sorted(real.items()):
        found = discs_px(pipeline, folder / "images" / name)
        truth = np.array(chips)
        hits = matched(found, truth[:, :2], float(truth[:, 2].mean()) / 2)
        total += [hits, len(truth), len(found)]
    report(folder.name, *total.tolist())


def main(data: Path) -> None:
    pipeline = load_pipeline()
    stones(pipeline, data / "discs-go-gomrade")
    round_cards(pipeline, data / "discs-dobble")
    dealer_disc(pipeline, data / "custom-cards-disc-iapr2021")
    table_chips(pipeline, data / "cards-poker-table-epfl")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
