"""How exactly chips are found, measured and named on rendered boards, with exact truth.

    python tests/bench/bench_measure.py                 all figures, to metrics.csv
    python tests/bench/bench_measure.py 3               so many pictures a resolution
    python tests/bench/bench_measure.py --kept F.jsonl  goes on where it ended; what was
                                                        measured is kept there
    python tests/bench/bench_measure.py --kept F.jsonl --shots FOLDER --first 20
                                                        pictures are kept too; the
                                                        first ones alone
    python tests/bench/bench_measure.py --shots FOLDER  renders them, and no more
    python tests/bench/bench_measure.py --time          the time alone

Random poses (camera 0.7 to 1.5 m, tilt 0 to 45 degrees), 720p, 1080p and 4K, chips 25
to 40 mm wide and 2 to 8 mm thick, all lights; the seed is fixed. What is judged is what
`arbitro score` sees: the whole of `vision.board.look`, with a mat that has markers and
a picture, a kit with faces, and a camera known as well as a calibration knows it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pickle
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `arbitro` does

import numpy as np

from engines.core import Margin, Verdict
from engines.core.zones import Disc as ZoneDisc
from engines.core.zones import Zone, share
from tests.support.figures import (
    Row,
    binomial,
    mean_row,
    rms_row,
    share_row,
    write_rows,
)
from tests.support.measured_boards import Rendered, noisy_seed, rendered
from tests.support.measuring_time import speed_rows
from tests.support.rim_bound import crb_rows
from vision.discs import DiscFound, measure_disc
from vision.rim import DiscSize
from vision.scene.boards import DiscTruth
from vision.scene.mats import RESOLUTIONS, draw_board
from vision.types import Array, Placement, TableNotFound

SEED = 20261515
"""Another one than those on which constants were set or that were looked at (71, 72,
20261128 to 20261206, 20261211 to 20261213, 20261220, 20261301, 20261402, 20261501,
20261502 to 20261514, 7101 to 7104, 31001, 31101, 99401, 555001)."""
PICTURES = {"720p": 64, "1080p": 88, "4k": 20}
FIRST = {"720p": 0, "1080p": 64, "4k": 152}
"""The number of the first picture of each: fewer may be asked for, and these stay."""
CHIPS = 24
BANDS_DEG = ((0, 15), (15, 30), (30, 46))
MIN_RIM_VISIBLE = 0.45
INSIDE_95 = 5.991
OUT = Path(__file__).parents[2] / "models" / "measure" / "metrics.csv"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@dataclass(frozen=True, slots=True)
class Chip:
    """One measured chip beside its truth."""

    picture: int
    resolution: str
    tilt_deg: float
    error_mm: float
    flat_error_mm: float
    """Without the height of its rim in the model."""
    squared_sigmas: float
    share_sigmas: float
    verdict: str
    """``right``, ``wrong`` or ``undecided``."""
    band_mm: float
    """Half width of the strip in which nothing is decided."""
    name: str
    """``right``, ``asked`` or ``wrong``."""


def numbered(pictures: dict[str, int]) -> list[tuple[int, str]]:
    """Return the number and resolution of each picture, those of all resolutions in
    turn: where it ends early, there are some of all."""
    each = [
        ((n + 0.5) / many, FIRST[resolution] + n, resolution)
        for resolution, many in pictures.items()
        for n in range(many)
    ]
    return [(number, resolution) for _, number, resolution in sorted(each)]


def main(
    pictures: dict[str, int],
    out: Path | None,
    kept: Path | None = None,
    shots: Path | None = None,
    first: int | None = None,
) -> None:
    started = time.perf_counter()
    chips: list[Chip] = []
    counts: Counter[str] = Counter()
    todo = numbered(pictures)[:first]
    known = pictures_of(kept)
    for done, (number, resolution) in enumerate(todo, 1):
        if number not in known:
            own: Counter[str] = Counter()
            picture, rng = picture_of(number, resolution, shots)
            seen = list(one_picture(number, resolution, picture, rng, own))
            known[number] = seen, own
            keep(kept, number, *known[number])
        chips += known[number][0]
        counts.update(known[number][1])
        if done % 4 == 0:
            say(f"  {done} pictures, {len(chips)} chips, {seconds(started)}")
    rows = [*exactness(chips), *found_rows(counts), *crb_rows(SEED), *speed_rows(SEED)]
    for row in rows:
        say(str(row))
    if out is not None:
        load = os.getloadavg()[0]
        write_rows(
            out,
            rows,
            f"python tests/bench/bench_measure.py; seed {SEED}; {len(todo)} pictures;"
            f" two shared cores, load at the end {load:.1f}",
        )
    say(f"took {seconds(started)}")


def pictures_of(kept: Path | None) -> dict[int, tuple[list[Chip], Counter[str]]]:
    """Return number -> chips and counts of the pictures that were measured before."""
    lines = kept.read_text("utf-8").splitlines() if kept and kept.exists() else []
    return {
        line["number"]: (
            [Chip(**one) for one in line["chips"]],
            Counter(line["counts"]),
        )
        for line in map(json.loads, lines)
    }


def keep(
    kept: Path | None, number: int, chips: Sequence[Chip], counts: Counter[str]
) -> None:
    if kept is not None:
        line = {"number": number, "chips": [asdict(c) for c in chips], "counts": counts}
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def seconds(started: float) -> str:
    return f"{time.perf_counter() - started:.0f} s"


def picture_of(
    number: int, resolution: str, shots: Path | None
) -> tuple[Rendered, np.random.Generator]:
    """Return a picture and the chance that goes on, rendered before or now."""
    path = None if shots is None else shots / f"{SEED}-{number}.pickle"
    if path is not None and path.exists():
        before: tuple[Rendered, np.random.Generator] = pickle.loads(path.read_bytes())
        return before
    rng = np.random.default_rng([SEED, number])
    picture = rendered(*draw_board(rng, RESOLUTIONS[resolution], count=CHIPS), rng)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half")
        half.write_bytes(pickle.dumps((picture, rng)))
        half.rename(path)
    return picture, rng


def render(shots: Path) -> None:
    """Render all pictures that are not there yet, and look at none."""
    for number, resolution in numbered(PICTURES):
        if not (shots / f"{SEED}-{number}.pickle").exists():
            picture_of(number, resolution, shots)
            say(f"  {number}")


def one_picture(
    number: int,
    resolution: str,
    picture: Rendered,
    rng: np.random.Generator,
    counts: Counter[str],
) -> Iterator[Chip]:
    counts["pictures"] += 1
    try:
        shot = picture.enrolled()
    except ValueError:  # chance drew a face with nothing on it: no kit has that
        counts["refused: plain_face"] += 1
        return
    seen = shot.seen()
    if isinstance(seen.table, TableNotFound):
        counts["refused: " + seen.table.reason] += 1
        return
    placed = list(seen.observation.placements)
    rough = {
        id
        for finding in seen.observation.findings
        if finding.code == "disc_unclear"
        for id in finding.placements
    }
    tilt = math.degrees(math.acos(-shot.real.rotation[2, 2]))
    hidden = [t for t in shot.truths if t.rim_visible < MIN_RIM_VISIBLE]
    for truth in [t for t in shot.truths if t.rim_visible >= MIN_RIM_VISIBLE]:
        counts["real"] += 1
        mine = nearest(placed, truth, shot.kit.chip)
        if mine is None:
            continue
        placed.remove(mine)
        counts["found"] += 1
        name = named(mine, truth)
        counts[f"named {name}"] += 1
        if mine.id in rough:
            counts["found, not measured"] += 1
            continue
        flat_size = replace(shot.kit.chip, thickness_mm=1e-3)
        seed = noisy_seed(truth, rng)
        low = measure_disc(shot.bgr, seen.table, flat_size, seed)
        flat_mm = low.centre_mm if isinstance(low, DiscFound) else None
        about = number, resolution, tilt
        yield measured_chip(about, mine, flat_mm, truth, name, rng)
    extra = [p for p in placed if not any(near(p, t, shot.kit.chip) for t in hidden)]
    counts["false"] += len(extra)
    counts["false named"] += sum(p.identity.label is not None for p in extra)


def near(placement: Placement, truth: DiscTruth, size: DiscSize) -> bool:
    """Return whether a placement means that chip."""
    at = placement.position
    assert at is not None
    away = math.dist((at.x_mm, at.y_mm), (truth.disc.x_mm, truth.disc.y_mm))
    return away < size.diameter_mm / 3


def nearest(
    placed: Sequence[Placement], truth: DiscTruth, size: DiscSize
) -> Placement | None:
    """Return the placement that means that chip, if there is one."""
    return next((p for p in placed if near(p, truth, size)), None)


def named(placement: Placement, truth: DiscTruth) -> str:
    label = placement.identity.label
    if label is None:
        return "asked"
    return "right" if label == truth.disc.label else "wrong"


def measured_chip(
    about: tuple[int, str, float],
    mine: Placement,
    flat_mm: Array | None,
    truth: DiscTruth,
    name: str,
    rng: np.random.Generator,
) -> Chip:
    at, wide = mine.position, mine.diameter_mm
    assert at is not None
    assert wide is not None
    real = np.array([truth.disc.x_mm, truth.disc.y_mm])
    off = np.array([at.x_mm, at.y_mm]) - real
    xx, xy, yy = at.covariance_mm2
    squared = float(off @ np.linalg.inv([[xx, xy], [xy, yy]]) @ off)
    # A line within half a radius of the centre: which side has the larger share?
    way, radius = rng.uniform(0, 2 * math.pi), truth.disc.diameter_mm / 2
    normal = np.array([math.cos(way), math.sin(way)])
    offset = float(normal @ real + rng.uniform(-0.5, 0.5) * radius)
    zone = half_plane(normal, offset, real)
    seen = ZoneDisc(at.x_mm, at.y_mm, wide / 2, (xx, xy, yy))
    part = share(zone, seen)
    there = ZoneDisc(float(real[0]), float(real[1]), radius)
    true_part = float(share(zone, there).value)
    margin = part.margin((xx, xy, yy), line=0.5, unit="share")
    verdict = "undecided"
    if margin.verdict is not Verdict.UNDECIDED:
        upheld = margin.verdict is Verdict.UPHELD
        verdict = "right" if upheld == (true_part > 0.5) else "wrong"
    sigma = max(part.sigma((xx, xy, yy)), 1e-9)
    across = math.sqrt(float(normal @ np.array([[xx, xy], [xy, yy]]) @ normal))
    return Chip(
        *about,
        float(np.hypot(*off)),
        math.nan if flat_mm is None else math.dist(flat_mm, real),
        squared,
        abs(part.value - true_part) / sigma,
        verdict,
        across * clear_sigmas(),
        name,
    )


def clear_sigmas() -> float:
    """Return at how many sigmas a margin becomes clear, asked from `Margin` itself."""
    for tenths in range(1, 100):
        margin = Margin(tenths / 10 + 1e-9, 1.0, "mm")
        if margin.verdict is not Verdict.UNDECIDED:
            return tenths / 10
    return math.inf


def half_plane(normal: Array, offset: float, near: Array) -> Zone:
    """Return a large square on the side of the line to which the normal points."""
    along = np.array([-normal[1], normal[0]])
    foot = near + normal * (offset - float(normal @ near))
    corners = [
        foot + along * 500,
        foot - along * 500,
        foot - along * 500 + normal * 500,
        foot + along * 500 + normal * 500,
    ]
    ring = [(float(x), float(y)) for x, y in corners]
    return Zone.of("half", [[ring]])


def exactness(chips: Sequence[Chip]) -> Iterator[Row]:
    targets = {"1080p": "<= 0.5", "4k": "<= 0.25"}
    for resolution in dict.fromkeys(c.resolution for c in chips):
        mine = [c for c in chips if c.resolution == resolution]
        target = targets.get(resolution, "")
        yield rms_row(f"rms mm {resolution}", errors(mine), target)
        middle = median(c.error_mm for c in mine)
        yield Row(f"median mm {resolution}", middle, middle, middle, len(mine))
        right = [c for c in mine if c.name == "right"]
        yield rms_row(f"rms mm {resolution}, of chips named", errors(right), target)
        low = [replace(c, error_mm=c.flat_error_mm) for c in mine]
        low = [c for c in low if math.isfinite(c.error_mm)]
        yield rms_row(f"rms mm {resolution}, without height model", errors(low), "")
    yield from coverage(chips)
    clear = [c for c in chips if c.verdict != "undecided"]
    yield share_row("clear verdicts wrong", [c.verdict == "wrong" for c in clear], "0")
    right = [c for c in clear if c.name == "right"]
    wrong = [c.verdict == "wrong" for c in right]
    yield share_row("clear verdicts wrong, of chips named", wrong, "0")
    undecided = [c.verdict == "undecided" for c in chips]
    yield share_row("too close to call (line within R/2)", undecided, "")
    band = median(c.band_mm for c in chips)
    yield Row("half width of that band, median mm", band, band, band, len(chips))


def errors(chips: Sequence[Chip]) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for one in chips:
        found.setdefault(one.picture, []).append(one.error_mm)
    return found


def coverage(chips: Sequence[Chip]) -> Iterator[Row]:
    for name, holds in (("centre", in_ellipse), ("share", in_share)):
        yield held_row(f"95 % interval of the {name} holds", chips, holds)
        for low, high in BANDS_DEG:
            band = [c for c in chips if low <= c.tilt_deg < high]
            yield held_row(f"  at tilt {low}-{high} ({name})", band, holds)


def held_row(name: str, chips: Sequence[Chip], holds: Callable[[Chip], bool]) -> Row:
    held: dict[int, list[bool]] = {}
    for one in chips:
        held.setdefault(one.picture, []).append(holds(one))
    return mean_row(name, [np.array(one, float) for one in held.values()], "0.93-0.97")


def in_ellipse(one: Chip) -> bool:
    return one.squared_sigmas < INSIDE_95


def in_share(one: Chip) -> bool:
    return one.share_sigmas < 1.96


def found_rows(counts: Counter[str]) -> Iterator[Row]:
    refused = sum(v for k, v in counts.items() if k.startswith("refused"))
    yield binomial("pictures refused", refused, counts["pictures"], "")
    found, real = counts["found"], counts["real"]
    yield binomial("chips found (recall)", found, real, ">= 0.99")
    said = found + counts["false"]
    yield binomial("of what is said, a chip (precision)", found, said, ">= 0.995")
    yield binomial("  no chip, and named", counts["false named"], said, "0")
    yield binomial("unit named right", counts["named right"], found, "")
    yield binomial("unit asked", counts["named asked"], found, "")
    yield binomial("unit named wrong", counts["named wrong"], found, "0")
    yield binomial("found, not measured", counts["found, not measured"], found, "")


def test_a_few_pictures() -> None:
    main({"720p": 1, "1080p": 1}, None)


def run() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("each", nargs="?", type=int, help="pictures of a resolution")
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--shots", type=Path)
    parser.add_argument("--first", type=int)
    parser.add_argument("--time", action="store_true")
    options = parser.parse_args()
    if options.time:
        for row in speed_rows(SEED):
            say(str(row))
    elif options.shots is not None and options.kept is None:
        render(options.shots)
    elif options.each is not None:
        main(dict.fromkeys(PICTURES, options.each), None)
    else:
        main(PICTURES, OUT, options.kept, options.shots, options.first)


if __name__ == "__main__":
    run()
