"""Speed of the Frenzy engine: `python tests/bench/bench_frenzy.py` prints medians."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[2]))

from engines.frenzy import GAME
from tests.support.frenzy import FULL, Table, after, battle, look, options

ROUNDS = 15


def seconds(task: Callable[[], object], times: int) -> tuple[float, float]:
    """Return the median time of one call: by the clock, and of the processor.

    The two differ where other processes share the cores.
    """
    wall, busy = [], []
    for _ in range(ROUNDS):
        start, start_cpu = time.perf_counter(), time.process_time()
        for _ in range(times):
            task()
        wall.append((time.perf_counter() - start) / times)
        busy.append((time.process_time() - start_cpu) / times)
    return median(wall), median(busy)


def say(what: str, wall: str, busy: str) -> None:
    """Print one line of the table."""
    sys.stdout.write(f"{what:<28}{wall:>14}{busy:>14}\n")


def main() -> None:
    """Measure and print."""
    agreed, state = options(), battle()
    pieces = Table().full(FULL)
    snapshot = GAME.layout(pieces, agreed)
    move = GAME.parse_move("P1 play W4 P1.B1 @1100")
    played = after(state, str(move))
    covered = look(played, "P1.B1=W2#c2", "P2.S3=A#c3")

    def scored() -> object:
        return GAME.score_table(snapshot, agreed, {"pick.1": "W4"})

    def judged_and_played() -> object:
        GAME.judge(state, move)
        return GAME.advance(state, move)

    say("", "clock", "processor")
    for what, task, times in (
        ("score_table, 14 regions", scored, 100),
        ("layout, 17 cards", lambda: GAME.layout(pieces, agreed), 50),
        ("changes, two new cards", lambda: GAME.changes(played, covered), 50),
        ("legal_moves listed", lambda: [*(GAME.legal_moves(state) or ())], 20),
    ):
        wall, busy = seconds(task, times)
        say(what, f"{wall * 1e3:.3f} ms", f"{busy * 1e3:.3f} ms")
    for what, task in (
        ("judged moves", lambda: GAME.judge(state, move)),
        ("judged and played", judged_and_played),
    ):
        wall, busy = seconds(task, 500)
        say(what, f"{1 / wall:,.0f} /s", f"{1 / busy:,.0f} /s")


if __name__ == "__main__":
    main()
