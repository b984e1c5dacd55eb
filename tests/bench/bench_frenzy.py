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


def seconds(task: Callable[[], object], times: int) -> float:
    """Return the median time of one call."""
    laps = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(times):
            task()
        laps.append((time.perf_counter() - start) / times)
    return median(laps)


def say(what: str, figure: str) -> None:
    """Print one line of the table."""
    sys.stdout.write(f"{what:<42}{figure:>14}\n")


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

    for what, task, times in (
        ("score_table, 14 regions", scored, 100),
        ("layout, 17 cards", lambda: GAME.layout(pieces, agreed), 50),
        ("changes, two new cards", lambda: GAME.changes(played, covered), 50),
        ("legal_moves listed", lambda: [*(GAME.legal_moves(state) or ())], 20),
    ):
        say(what, f"{seconds(task, times) * 1e3:.3f} ms")
    say("judged moves", f"{1 / seconds(lambda: GAME.judge(state, move), 500):,.0f} /s")
    say("judged and played", f"{1 / seconds(judged_and_played, 500):,.0f} /s")


if __name__ == "__main__":
    main()
