"""Warstones: time of `layout` and `score_table` with 30 chips, judged moves a second.

    python tests/bench/bench_warstones.py

Prints medians of several runs on this machine. Aim: score_table under 5 ms.
"""

import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engines.core import Kind, Piece, PieceId, play
from engines.warstones import GAME, State
from engines.warstones.moves import Move
from engines.warstones.state import PendingFlick
from tests.support.warstones import random_move, random_setup

RUNS = 31


def table_of_30_chips(rng: Random) -> list[Piece]:
    """Return a full board: all chips of both boxes, many across lines, three Cities."""
    options = GAME.options({})
    labels = [unit.label for unit in options.kit.units for _ in range(unit.copies)]
    lines = [(310, 230), (310, 350), (590, 350), (450, 350), (185, 300), (700, 305)]
    pieces = []
    for number, label in enumerate(labels):
        x, y = rng.uniform(60, 840), rng.uniform(140, 760)
        if number % 3 == 0:
            x, y = lines[number // 3 % len(lines)]
            x, y = x + rng.uniform(-9, 9), y + rng.uniform(-9, 9)
        piece = Piece(
            PieceId(f"p{number}"),
            Kind.DISC,
            label,
            x,
            y,
            width_mm=32,
            height_mm=32,
            covariance_mm2=(0.16, 0.02, 0.2),
        )
        pieces.append(piece)
    spots = {"city.lateral-1": 170, "city.central-1": 450, "city.lateral-2": 730}
    for name, x in spots.items():
        pieces.append(Piece(PieceId(name), Kind.TOKEN, name, x, 450, width_mm=30))
    return pieces


def median_ms(call: Callable[[], object]) -> float:
    """Return the median time of a call in milliseconds of processor time.

    The cores may be shared: wall time would measure the neighbours.
    """
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times) * 1000


def positions(games: int) -> list[tuple[State, Move]]:
    """Return positions of random games with a move that is upheld in each."""
    found: list[tuple[State, Move]] = []
    for seed in range(games):
        rng = Random(seed)
        state = GAME.setup(GAME.options({}))
        for move in random_setup(state, rng):
            state = play(GAME, state, move)
        for _ in range(150):
            if state.outcome is not None:
                break
            move = random_move(state, rng)
            found.append((state, move))
            state = GAME.advance(state, move)
    return found


def main() -> None:
    """Print the medians."""
    options = GAME.options({})
    pieces = table_of_30_chips(Random(1))
    snapshot = GAME.layout(pieces, options)
    state = GAME.setup(options)
    for move in random_setup(state, Random(1)):
        state = play(GAME, state, move)
    played = positions(8)
    flicks = sum(isinstance(state.next_pending, PendingFlick) for state, _ in played)

    def judge_all() -> None:
        for before, move in played:
            GAME.judge(before, move)

    def advance_all() -> None:
        for before, move in played:
            GAME.advance(before, move)

    print(f"{platform.processor() or platform.machine()}, median of {RUNS} runs")
    layout_ms = median_ms(lambda: GAME.layout(pieces, options))
    score_ms = median_ms(lambda: GAME.score_table(snapshot, options, {}))
    changes_ms = median_ms(lambda: GAME.changes(state, snapshot))
    judge_ms, advance_ms = median_ms(judge_all), median_ms(advance_all)
    print(f"layout of 30 chips        {layout_ms:8.2f} ms")
    print(f"score_table of 30 chips   {score_ms:8.2f} ms")
    print(f"changes of 30 chips       {changes_ms:8.2f} ms")
    print(f"judge                     {len(played) / judge_ms * 1000:8.0f} moves/s")
    print(f"advance                   {len(played) / advance_ms * 1000:8.0f} moves/s")
    print(f"({len(played)} positions of 8 random games, {flicks} of them flicks)")


if __name__ == "__main__":
    main()
