"""Warstones from one photo, end to end, on rendered boards with our own prints.

    python tests/bench/bench_board.py                   40 photos
    python tests/bench/bench_board.py 10                so many
    python tests/bench/bench_board.py --seed 7          others
    python tests/bench/bench_board.py --kept F.jsonl    goes on where it ended

Random poses (camera 1.1 to 1.5 m from the middle, tilt 0 to 40 degrees, either side),
1280 x 960 and 1920 x 1440, all lights, one chip in three on a line. Camera not
calibrated. Truth is the scene itself, and what the engine says of it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.measure.errors import CannotMeasureError
from companion.measure.own import own_kit, own_mat
from companion.measure.score import Setup, board_options, board_pieces, measure
from companion.prints.galleries import own_chips
from companion.prints.galleries import own_mat as printed_mat
from engines.core import Kind, Piece, PieceId
from engines.warstones import GAME, Options
from engines.warstones.resolve import resolve
from tests.support.warboard import BOUNDS_MM, CHIP_MM, THICK_MM, camera_over, chip
from vision.geometry import TableMap
from vision.scene.boards import Board, render_board
from vision.scene.mats import draw_lamps, draw_sensor
from vision.scene.solids import SceneDisc
from vision.types import Bgr, Frame, FrameId, Placement

SEED, PHOTOS, CHIPS = 20261403, 40, 12
FINE_WIDTH_PX = 3840
"""The lens blurs light as fine as that, whatever the sensor."""
SIZES = ((1280, 960), (1920, 1440))
INSIDE_95 = 5.991
LINES_MM = (310.0, 590.0)


@dataclass(frozen=True, slots=True)
class Chip:
    """One chip that was measured, beside its truth."""

    error_mm: float
    squared_sigmas: float


Photo: TypeAlias = tuple[Counter[str], list[Chip]]


def main(photos: int, seed: int = SEED, kept: Path | None = None) -> None:
    started = time.perf_counter()
    counts: Counter[str] = Counter()
    chips: list[Chip] = []
    setup = Setup(own_mat(), own_kit())
    options = board_options(setup, {})
    known = kept_photos(kept, seed)
    for number in range(photos):
        if number not in known:
            known[number] = one_photo([seed, number], setup, options)
            keep(kept, seed, number, *known[number])
        counts += known[number][0]
        chips += known[number][1]
    say(f"seed {seed}, {photos} photos, {time.perf_counter() - started:.0f} s")
    report(counts, chips)


def kept_photos(kept: Path | None, seed: int) -> dict[int, Photo]:
    """Return what was measured before, by the number of the photo."""
    if kept is None or not kept.exists():
        return {}
    rows = map(json.loads, kept.read_text().splitlines())
    return {
        row["photo"]: (Counter(row["counts"]), [Chip(**one) for one in row["chips"]])
        for row in rows
        if row["seed"] == seed
    }


def keep(
    kept: Path | None, seed: int, number: int, counts: Counter[str], chips: list[Chip]
) -> None:
    if kept is not None:
        row = {"seed": seed, "photo": number, "counts": counts}
        with kept.open("a") as file:
            file.write(json.dumps({**row, "chips": list(map(asdict, chips))}) + "\n")


def report(counts: Counter[str], chips: list[Chip]) -> None:
    """Print the figures."""
    for name, hits, of in (
        ("photos measured", counts["photos"] - counts["refused"], counts["photos"]),
        ("chips found", counts["found"], counts["real"]),
        ("of these named right", counts["right"], counts["found"]),
        ("of these asked about", counts["asked"], counts["found"]),
        ("of these named wrong", counts["wrong"], counts["found"]),
        ("found where there is none", counts["false"], counts["said"]),
        ("  of these with a name", counts["false named"], counts["said"]),
        ("zone and terrain as in truth", counts["zone right"], counts["zones"]),
        ("zone or terrain wrong, not in doubt", counts["zone wrong"], counts["zones"]),
    ):
        say(f"{name:38s} {share(hits, of)}")
    inside = sum(c.squared_sigmas < INSIDE_95 for c in chips)
    say(f"{'95 % interval of the centre holds':38s} {share(inside, len(chips))}")
    rms = math.sqrt(sum(c.error_mm**2 for c in chips) / max(len(chips), 1))
    say(f"{'centre, RMS mm':38s} {rms:.3f}  (n {len(chips)})")
    for reason, count in sorted(counts.items()):
        if reason.startswith("reason"):
            say(f"  {reason}: {count}")


def one_photo(seeds: list[int], setup: Setup, options: Options) -> Photo:
    """Return what came of one photo, counted, and its chips beside their truth."""
    rng = np.random.default_rng(seeds)
    laid = draw_chips(rng)
    table = draw_camera(rng)
    board = Board(
        table,
        printed_mat().bgr,
        BOUNDS_MM,
        laid,
        lamps=draw_lamps(rng),
        sensor=draw_sensor(rng, scale=table.camera.width_px / 1920),
    )
    fine = FINE_WIDTH_PX // table.camera.width_px
    picture, _ = render_board(board, rng, finer=fine)
    counts: Counter[str] = Counter(photos=1)
    try:
        seen = measure(frame_of(picture), setup)
    except CannotMeasureError as error:
        return counts + Counter(("refused", f"reason {error.code}")), []
    observation = seen.reading.observation
    placed = [
        one
        for one in observation.placements
        if one.position is not None and one.id.startswith("c")
    ]
    truth = zones(pieces_of(laid), options)
    told = zones(board_pieces(observation), options)
    counts += Counter(real=len(laid), said=len(placed))
    chips: list[Chip] = []
    for index, disc, best in matches(laid, placed):
        placed.remove(best)
        label = best.identity.label
        how = "asked" if label is None else "right" if label == disc.label else "wrong"
        counts.update(("found", how))
        if label != disc.label:
            continue
        chips.append(beside_truth(best, disc))
        same = told[best.id][0] == truth[f"d{index}"][0]
        wrong = not same and not told[best.id][1]
        counts += Counter(zones=1) + Counter({"zone right": same, "zone wrong": wrong})
    named = sum(one.identity.label is not None for one in placed)
    return counts + Counter({"false": len(placed), "false named": named}), chips


def matches(
    laid: list[SceneDisc], placed: list[Placement]
) -> Iterator[tuple[int, SceneDisc, Placement]]:
    """Yield each disc that was found, with its number and what was found there."""
    left = list(placed)
    for index, disc in enumerate(laid):
        away = [math.dist(at(one), (disc.x_mm, disc.y_mm)) for one in left]
        if away and min(away) <= CHIP_MM / 3:
            yield index, disc, left.pop(int(np.argmin(away)))


def beside_truth(placement: Placement, disc: SceneDisc) -> Chip:
    assert placement.position is not None
    xx, xy, yy = placement.position.covariance_mm2
    off = np.array(at(placement)) - [disc.x_mm, disc.y_mm]
    squared = float(off @ np.linalg.inv([[xx, xy], [xy, yy]]) @ off)
    return Chip(float(np.hypot(*off)), squared)


def at(placement: Placement) -> tuple[float, float]:
    """Return where a placement lies."""
    assert placement.position is not None
    return placement.position.x_mm, placement.position.y_mm


def draw_chips(rng: np.random.Generator) -> list[SceneDisc]:
    """Return chips on the board, one in three on a line between sectors."""
    faces = own_chips()
    labels = [label for label in faces if not label.startswith("city.")]
    laid: list[SceneDisc] = []
    while len(laid) < CHIPS:
        x, y = rng.uniform(40, 860, 2)
        if rng.random() < 1 / 3:
            x = float(rng.choice(LINES_MM)) + rng.normal(0, 4)
        if any(math.dist((x, y), (d.x_mm, d.y_mm)) < CHIP_MM + 1 for d in laid):
            continue
        if min(math.dist((x, y), (c, 450.0)) for c in (170, 450, 730)) < 55:
            continue
        label = str(rng.choice(labels))
        disc = chip(label, float(x), float(y), face_bgr=faces[label][0])
        thick = float(rng.normal(THICK_MM, 0.1))
        angle = float(rng.uniform(0, 360))
        wide = float(rng.normal(CHIP_MM, 0.08))
        laid.append(
            replace(disc, diameter_mm=wide, thickness_mm=thick, angle_deg=angle)
        )
    return laid


def draw_camera(rng: np.random.Generator) -> TableMap:
    """Return a camera that sees the whole mat."""
    size = SIZES[int(rng.integers(len(SIZES)))]
    return camera_over(
        float(rng.uniform(0, 40)),
        size_px=size,
        from_far=bool(rng.random() < 0.5),
        distance_mm=float(rng.uniform(1100, 1500)),
        fill=0.72,
    )


def pieces_of(laid: list[SceneDisc]) -> tuple[Piece, ...]:
    """Return the scene as the engine would know it if nothing had to be measured."""
    return tuple(
        Piece(
            PieceId(f"d{number}"),
            Kind.DISC,
            disc.label,
            disc.x_mm,
            disc.y_mm,
            width_mm=disc.diameter_mm,
            height_mm=disc.diameter_mm,
        )
        for number, disc in enumerate(laid)
    )


def zones(
    pieces: tuple[Piece, ...], options: Options
) -> dict[str, tuple[tuple[str, str], bool]]:
    """Return piece -> where it counts, and whether a doubt rule decided it."""
    found = {}
    for one in resolve(GAME.layout(pieces, options), options, {}):
        place = one.place
        where = ("?", "?")
        if place is not None:
            where = (place.sector or place.spot.value, place.terrain.value)
        doubtful = place is None or any(r.grounds for r in one.rulings)
        found[str(one.seen.piece)] = where, doubtful
    return found


def frame_of(bgr: Bgr) -> Frame:
    """Return the picture as a frame."""
    return Frame(FrameId("bench"), bgr, datetime(2026, 11, 28, tzinfo=UTC))


def share(hits: int, of: int) -> str:
    """Return a share with its Wilson interval."""
    if not of:
        return "-"
    z, p = 1.96, hits / of
    middle = (p + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(p * (1 - p) / of + z * z / (4 * of**2)) / (1 + z * z / of)
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    return f"{p:.3f}  [{low:.3f}, {high:.3f}]  ({hits} of {of})"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def test_one_photo() -> None:
    main(1)


def run() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", nargs="?", type=int, default=PHOTOS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--kept", type=Path)
    options = parser.parse_args()
    main(options.photos, options.seed, options.kept)


if __name__ == "__main__":
    run()
