"""Rendered rounds followed from pictures to events, and cameras that fail meanwhile.

    python tests/bench/bench_live.py rounds --game frenzy --seeds 1:101
    python tests/bench/bench_live.py rounds --game regicide --seeds 1:21 --real
    python tests/bench/bench_live.py faults --seeds 1:21

`rounds` prints per round and in sum: moves found, missed and invented, rounds whose
moves are all exact, questions asked, processor time per picture, share of pictures that
were not read. Eyes are perfect (the renderer's truth) unless `--real` loads the shipped
models. `faults` spoils a table on which nothing changes (`--game` says which), one kind
at a time: every event after the fault began is a phantom. Intervals are 95 % (Wilson).
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
from pathlib import Path
from typing import Any

from tests.support.faults import KINDS, Fault
from tests.support.following import Followed, compared, follow
from tests.support.rounds import MAKERS, Round
from vision.live import See

FAULT_LASTS_S = 3.0


def wilson(hits: int, of: int) -> str:
    """Return a share with its 95 % interval, in per cent."""
    if not of:
        return "-"
    z, p = 1.96, hits / of
    middle = (p + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    low, high = 100 * (middle - half), 100 * (middle + half)
    return f"{100 * p:.2f} % [{low:.2f}, {high:.2f}] ({hits}/{of})"


def one_round(game: str, seed: int, see: See | None, folder: Path) -> tuple[Any, ...]:
    """Return the round and what came of it."""
    made: Round = MAKERS[game](seed)
    return made, follow(made, folder, see=see, seed=seed)


def rounds(game: str, seeds: range, *, real: bool) -> None:
    """Follow rounds; print the figures."""
    hits = missed = invented = exact = wrong = asked = 0
    read: list[float] = []
    idle: list[float] = []
    late: list[float] = []
    looked = readings = 0
    see = None
    if real:
        from vision.pipeline import load_pipeline  # noqa: PLC0415 - slow

        see = load_pipeline()
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            made, done = one_round(game, seed, see, Path(folder))
        truth = [move for _, move in made.moves]
        found = compared(truth, done.moves)
        hits, missed = hits + found[0], missed + found[1]
        invented += found[2]
        exact += found[1] == found[2] == 0
        wrong += found[2] > 0
        asked += done.asked
        read += done.read_ms
        idle += done.idle_ms
        late += lateness(made, done)
        looked, readings = looked + done.looked, readings + done.readings
        print(
            f"seed {seed}: {found[0]} found, {found[1]} missed, {found[2]} invented,"
            f" {done.asked} asked, {len(done.refused)} refused",
            flush=True,
        )
    count = len(seeds)
    print(f"{game}, seeds {seeds.start}:{seeds.stop}, {'shipped' if real else 'true'}")
    print(f"recall     {wilson(hits, hits + missed)}")
    print(f"precision  {wilson(hits, hits + invented)}")
    print(f"exact      {wilson(exact, count)} of the rounds")
    print(f"wrong      {wilson(wrong, count)} of the rounds hold an invented move")
    print(f"asked      {asked / count:.2f} questions a round")
    print(f"called     {statistics.median(late) * 1000:.0f} ms after it lay there,")
    print(f"           95 % within {_quantile(late, 0.95) * 1000:.0f} ms")
    slow_ms = _quantile(idle, 0.99)
    print(f"idle       {statistics.median(idle):.1f} ms processor, 99 % {slow_ms:.1f}")
    print(f"read       {statistics.median(read):.1f} ms processor")
    print(f"unread     {wilson(looked - readings, looked)} of the pictures")


def lateness(made: Round, done: Followed) -> list[float]:
    """Return how long after it lay there each move was called, in s."""
    when: dict[str, list[float]] = {}
    for at_s, move in made.moves:
        when.setdefault(move, []).append(at_s)
    late = []
    for at_s, call in done.calls:
        move = call.event.move
        for known, times in when.items():
            if move.startswith(known) and times:
                late.append(at_s - times.pop(0))
                break
    return late or [0.0]


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def faults(game: str, seeds: range) -> None:
    """Spoil a still table with every kind of fault; print phantoms."""
    for kind in KINDS:
        phantoms = lost = 0
        for seed in seeds:
            phantom, back = one_fault(game, kind, seed)
            phantoms += phantom
            lost += not back
        count = len(seeds)
        print(
            f"{kind:>10}: {phantoms} phantom events in {count} runs,"
            f" {count - lost} saw the next move",
            flush=True,
        )


def one_fault(game: str, kind: str, seed: int) -> tuple[int, bool]:
    """Return how many phantom events there were, and whether the move after it counted.

    The table is quiet from before the fault until 5 s after it; then a card is laid.
    """
    made: Round = MAKERS[game](seed, most=5)
    quiet = _with_gap(made)
    fault = Fault(kind, quiet.gap_s + 1.0, quiet.gap_s + 1.0 + FAULT_LASTS_S, seed)
    with tempfile.TemporaryDirectory() as folder:
        done = follow(
            quiet.made, Path(folder), spoil=fault, seed=seed, frozen_after_s=1.0
        )
    truth = [move for _, move in quiet.made.moves]
    _, missed, invented = compared(truth, done.moves)
    return invented + len(done.refused), missed == 0


class _Gap:
    def __init__(self, made: Round, gap_s: float) -> None:
        self.made, self.gap_s = made, gap_s


def _with_gap(made: Round) -> _Gap:
    """Return the round with nine quiet seconds before its last step."""
    from dataclasses import replace  # noqa: PLC0415 - only here

    *before, last = made.script.steps
    gap_s = before[-1].at_s + 2.5
    later = replace(last, at_s=gap_s + 10.0)
    script = replace(made.script, steps=[*before, later], seconds=gap_s + 14.0)
    moves = [*made.moves[:-1], (gap_s + 10.0, made.moves[-1][1])]
    return _Gap(replace(made, script=script, moves=moves), gap_s)


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["rounds", "faults"])
    parser.add_argument("--game", choices=sorted(MAKERS), default="frenzy")
    parser.add_argument("--seeds", default="1:11", help="first:last+1")
    parser.add_argument("--real", action="store_true")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    if options.what == "rounds":
        rounds(options.game, range(first, last), real=options.real)
    else:
        faults(options.game, range(first, last))


if __name__ == "__main__":
    main()
