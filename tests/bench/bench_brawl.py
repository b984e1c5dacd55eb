"""Speed of Brawl: ``python tests/bench/bench_brawl.py``, medians of several runs."""

import random
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from engines.brawl import GAME
from engines.brawl.state import State
from engines.core import Piece
from tests.support.brawl import Table, options, random_move, seen_of

RUNS = 15
CHAIN = "Hr Hr Br P Hr Dr Hr Hr"


def full_table() -> list[Piece]:
    """Three Bases, six chains of eight cards, two piles: 54 cards and more."""
    table = Table(random.Random(2), jitter_mm=3.0, jitter_deg=5.0)
    for x, owner in ((-90.0, "A"), (0.0, "B"), (90.0, "A")):
        table.base(x, CHAIN, CHAIN, owner=owner, frozen=x == 0.0)
    table.put("Br", 0.0, -400.0)
    table.put("Hb", 0.0, 400.0)
    return table.pieces


def states(games: int) -> list[State]:
    """Return the states of random games."""
    found = []
    for seed in range(games):
        rng = random.Random(seed)
        state = GAME.setup(options(decks=["hale", "neutral"]))
        for _ in range(60):
            move = random_move(state, rng)
            if move is None:
                break
            found.append(state)
            state = GAME.advance(state, move)
    return found


def median_us(work: Callable[[], object], *, repeat: int = 20) -> float:
    """Return the median processor time of one call in microseconds."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        for _ in range(repeat):
            work()
        times.append((time.process_time() - start) / repeat)
    return statistics.median(times) * 1e6


def report() -> list[str]:
    """Return one line per figure."""
    rules = options(blockOnHit2=True)
    pieces = full_table()
    seen = GAME.layout(pieces, rules)
    assert not seen.questions
    sheet_us = median_us(lambda: GAME.score_table(seen, rules, {}))
    layout_us = median_us(lambda: GAME.layout(pieces, rules), repeat=2)
    some = states(10)
    moves = [
        GAME.parse_move(text)
        for text in ("A play Hr AB:0A", "B play Br AB:1A", "A discard Hb")
    ]

    def judged() -> None:
        for state in some:
            for move in moves:
                GAME.judge(state, move)

    judge_us = median_us(judged, repeat=1) / (len(some) * len(moves))
    looks = [(state, seen_of(after)) for state, after in pairwise(some)]
    changes_us = median_us(
        lambda: [GAME.changes(state, look) for state, look in looks[:100]], repeat=1
    ) / len(looks[:100])
    return [
        f"score_table, {len(pieces)} cards: {sheet_us:.0f} us",
        f"layout, {len(pieces)} cards: {layout_us / 1000:.1f} ms",
        f"judge: {1e6 / judge_us:.0f} moves/s",
        f"changes: {changes_us:.0f} us",
    ]


def test_speed_of_brawl() -> None:
    """Print the figures; no gate, the cores are shared."""
    main()


def main() -> None:
    """Print the figures."""
    sys.stdout.write("\n".join(report()) + "\n")


if __name__ == "__main__":
    main()
