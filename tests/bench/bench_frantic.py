"""Speed of the Frantic engine, and how random games go.

    python tests/bench/bench_frantic.py            50 games per player count
    python tests/bench/bench_frantic.py 500        as many as you like

Prints progress and medians: the sheet of a full table, judged moves per second.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from engines.core import Kind, Piece, PieceId, Verdict
from engines.frantic import GAME
from engines.frantic.cards import deck
from engines.frantic.options import even_seats_deg
from engines.frantic.state import State
from tests.support.frantic import at_seat, random_move

HAND = 8
MOST_MOVES = 50_000


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def full_table(players: int) -> list[Piece]:
    """A finished round: piles, a discard heap, and a hand before each seat."""
    cards = list(deck(starred=True))
    random.Random(1).shuffle(cards)
    backs = (("pile", 0.0), ("events", -100.0))
    pieces = [Piece(PieceId(name), Kind.BACK, None, 0, y) for name, y in backs]
    for n in range(4):
        x, y = 90.0 + 5 * n, 4.0 * n
        pieces.append(Piece(PieceId(f"d{n}"), Kind.CARD, f"R{n + 1}", x, y, order=n))
    for angle in even_seats_deg(players):
        pieces += at_seat([cards.pop() for _ in range(HAND)], angle)
    return pieces


def timed_ms(action: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        action()
        times.append((time.perf_counter() - started) * 1000)
    return median(times)


def sheets() -> None:
    for players in (2, 4, 8):
        options = GAME.options({"players": players})
        pieces = full_table(players)
        snapshot = GAME.layout(pieces, options)
        layout_ms = timed_ms(partial(GAME.layout, pieces, options), 200)
        sheet_ms = timed_ms(partial(GAME.score_table, snapshot, options, {}), 500)
        say(
            f"{players} players, {len(pieces)} pieces: layout {layout_ms:.2f} ms,"
            f" score_table {sheet_ms:.3f} ms (median)"
        )


def judged_per_second(states: list[State]) -> float:
    """Rulings on all listed moves of some states, per second."""
    asked = [
        (state, move)
        for state in states
        for move in list(GAME.legal_moves(state) or ())[:20]
    ]
    speeds = []
    for _ in range(5):
        started = time.perf_counter()
        for state, move in asked:
            GAME.judge(state, move)
        speeds.append(len(asked) / (time.perf_counter() - started))
    return median(speeds)


def games(number: int) -> None:
    for players in range(2, 9):
        rng = random.Random(players)
        endings: Counter[str] = Counter()
        moves, rounds, kept = 0, 0, list[State]()
        started = time.perf_counter()
        for _ in range(number):
            state = GAME.setup(GAME.options({"players": players}))
            while GAME.outcome(state) is None:
                move = random_move(state, rng, corrections=False)
                ruling = GAME.judge(state, move)
                assert ruling.verdict is Verdict.UPHELD, f"{move}: {ruling.reason}"
                state = GAME.advance(state, move)
                moves += 1
                assert moves < MOST_MOVES * number, "these games do not end"
                if moves % 97 == 0 and len(kept) < 200:
                    kept.append(state)
            rounds += state.round
            assert state.ending is not None
            endings[state.ending.end] += 1
        speed = moves / (time.perf_counter() - started)
        last = ", ".join(f"{end} {n}" for end, n in endings.most_common())
        say(
            f"{players} players: {number} games, {rounds / number:.1f} rounds and"
            f" {moves / number:.0f} moves each; last round: {last};"
            f" {speed:,.0f} played moves/s,"
            f" {judged_per_second(kept):,.0f} judged moves/s"
        )


def main() -> None:
    sheets()
    games(int(sys.argv[1]) if len(sys.argv) > 1 else 50)


if __name__ == "__main__":
    main()
