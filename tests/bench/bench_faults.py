"""Cameras that fail while a table is followed: what is invented, said, and lost.

    python tests/bench/bench_faults.py --seeds 1:21 --minutes 8
    python tests/bench/bench_faults.py --seeds 1:21 --report       # runs nothing

Runs are added to ``results/fault_runs.csv``; who runs it again goes on where it ended.
The report is about the seeds that are named.
A round of Frenzy is rendered (640x360, 15 pictures a second; eyes are perfect). On the
quiet table each of the fifteen kinds of fault lasts 3 s; 5 s after its end another card
is laid. Every event that did not happen is a phantom. `said`: how long after the fault
began people were told of something; `back`: how long after its end all was well again.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from tests.bench.bench_live import add_row, commit_now, rows_of, wilson
from tests.support.eyes import TrueEyes
from tests.support.faults import KINDS, Fault
from tests.support.following import Followed, Picture, compared, follow, pictures
from tests.support.laying import Round
from tests.support.rounds import frenzy_round
from vision.scene.video import Script, frames

KEPT = Path(__file__).parent / "results" / "fault_runs.csv"
FAULT_S, QUIET_S, AFTER_S = 3.0, 2.5, 5.0
SAID_S, BACK_S = 2.0, 5.0
WELL = frozenset({"nothing", "rest", "agreement"})
TROUBLE = frozenset(
    {"view", "sharpness", "glare", "hands"}
    | {"frozen", "black", "repeated", "resized", "slow", "unplugged"}
)


@dataclass(frozen=True)
class Result:
    """One run."""

    phantoms: int
    sees_on: bool
    said_s: float | None
    back_s: float | None


def small(script: Script) -> Script:
    """Return a script in half the size, at 15 pictures a second."""
    camera = script.camera
    x, y = camera.centre_px
    halved = replace(camera, focal_px=camera.focal_px / 2, centre_px=(x / 2, y / 2))
    soft = replace(script.conditions, blur_px=script.conditions.blur_px / 2)
    return replace(
        script,
        camera=halved,
        conditions=soft,
        width_px=640,
        height_px=360,
        fps=15.0,
    )


def with_gap(made: Round) -> tuple[Round, float]:
    """Return the round with quiet before its last step, and when the fault begins."""
    *before, last = made.script.steps
    begin_s = before[-1].at_s + QUIET_S
    at_s = begin_s + FAULT_S + AFTER_S
    later = replace(last, at_s=at_s)
    script = replace(made.script, steps=[*before, later], seconds=at_s + 2.5)
    moves = [*made.moves[:-1], (at_s, made.moves[-1][1])]
    return replace(made, script=small(script), moves=moves), begin_s


def run(made: Round, shown: list[Picture], fault: Fault) -> Result:
    """Return what came of one fault."""
    with tempfile.TemporaryDirectory() as folder:
        done = follow(
            made,
            Path(folder),
            see=TrueEyes(assesses=True),
            spoil=lambda _: fault(iter(shown)),
            seed=fault.seed,
            frozen_after_s=1.0,
        )
    truth = [move for _, move in made.moves]
    missed = compared(truth[-1:], done.moves)[1]
    later = [c for at_s, c in done.calls if at_s >= fault.begin_s]
    real = [c for c in later if c.is_upheld and c.event.move.startswith(truth[-1])]
    return Result(
        len(later) - min(len(real), 1),
        missed == 0,
        _first(done, TROUBLE, fault.begin_s),
        _first(done, WELL, fault.end_s),
    )


def _first(done: Followed, words: frozenset[str], from_s: float) -> float | None:
    """Return how long after a moment people were told one of these."""
    for number, (at_s, word) in enumerate(done.says):
        until_s = done.says[number + 1][0] if number + 1 < len(done.says) else 1e9
        if word in words and until_s > from_s:
            return max(0.0, at_s - from_s)
    return None


def runs(kinds: list[str], seeds: range, kept: Path, until_s: float) -> None:
    """Run all kinds on all seeds until it is late; add a row for each run."""
    known = {(row["kind"], row["seed"]) for row in rows_of(kept)}
    commit = commit_now()
    for seed in seeds:
        left = [kind for kind in kinds if (kind, seed) not in known]
        if not left:
            continue
        if time.monotonic() > until_s:
            return
        made, begin_s = with_gap(frenzy_round(seed, most=4))
        shown = list(pictures(frames(made.script, seed)))
        for kind in left:
            fault = Fault(kind, begin_s, begin_s + FAULT_S, seed)
            result = asdict(run(made, shown, fault))
            add_row(kept, {"kind": kind, "seed": seed, "commit": commit, **result})
        print(f"seed {seed} done", flush=True)


def report(kept: Path, seeds: range) -> None:
    """Print a line for each kind, and the sums."""
    results: dict[str, list[Result]] = {}
    rows = [row for row in rows_of(kept) if row["seed"] in seeds]
    print("code:", *sorted({row["commit"] for row in rows}))
    for row in rows:
        values = {one.name: row[one.name] for one in fields(Result)}
        results.setdefault(row["kind"], []).append(Result(**values))
    for kind, found in results.items():
        print(line(kind, found))
    every = [one for found in results.values() for one in found]
    print(f"phantoms {wilson(sum(r.phantoms > 0 for r in every), len(every))} of runs")
    print(f"next     {wilson(sum(r.sees_on for r in every), len(every))} saw it")
    soon = sum(r.said_s is not None and r.said_s <= SAID_S for r in every)
    print(f"said     {wilson(soon, len(every))} within {SAID_S:.0f} s")
    back = sum(r.back_s is not None and r.back_s <= BACK_S for r in every)
    print(f"back     {wilson(back, len(every))} within {BACK_S:.0f} s")


def line(kind: str, found: list[Result]) -> str:
    """Return the figures of a kind."""
    said = max(r.said_s if r.said_s is not None else 99.0 for r in found)
    back = max(r.back_s if r.back_s is not None else 99.0 for r in found)
    return (
        f"{kind:>10}: {sum(r.phantoms for r in found)} phantoms in {len(found)} runs,"
        f" {sum(r.sees_on for r in found)} saw the next card;"
        f" said within {said:.1f} s, back within {back:.1f} s"
    )


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS))
    parser.add_argument("--seeds", default="1:21", help="first:last+1")
    parser.add_argument("--minutes", type=float, default=480.0)
    parser.add_argument("--kept", type=Path, default=KEPT)
    parser.add_argument("--report", action="store_true", help="run nothing")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    until_s = time.monotonic() + 60 * options.minutes
    seeds = range(first, last)
    if not options.report:
        runs(options.kinds or list(KINDS), seeds, options.kept, until_s)
    report(options.kept, seeds)


if __name__ == "__main__":
    main()
