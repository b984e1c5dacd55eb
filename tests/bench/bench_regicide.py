"""Speed of the Regicide engine, and win rates over many random games.

Times are those of the processor, so that a busy machine does not change them.

    python tests/bench/bench_regicide.py            2,000 games per player count
    python tests/bench/bench_regicide.py 20000      as many as you like

Prints progress and medians. Two players take part: `careless` picks any legal move,
`careful` a sensible one; each game is judged move by move and must end.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from engines.core import Verdict
from engines.regicide import GAME
from engines.regicide.moves import Move
from engines.regicide.options import Options
from engines.regicide.state import Phase, State
from tests.support.regicide import Player, Table, careful, careless, chance

PLAYERS: dict[str, Player] = {"careless": careless, "careful": careful}
MOST_MOVES = 5_000


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def play_out(options: Options, rng: random.Random, player: Player) -> tuple[str, int]:
    """Return how a game ended, and after how many judged moves."""
    state, count = GAME.setup(options), 0
    while state.phase is not Phase.OVER:
        move = chance(state, rng) or player(state, rng)
        ruling = GAME.judge(state, move)
        assert ruling.verdict is Verdict.UPHELD, f"{move}: {ruling.reason}"
        state = GAME.advance(state, move)
        count += 1
        assert count < MOST_MOVES, "this game does not end"
    assert state.ending is not None
    beaten = 12 - len(state.castle) - (state.enemy is not None)
    assert (beaten == 12) == (state.ending.value == "won")
    return state.ending.value, count


def win_rates(games: int, player: str) -> None:
    for players in (1, 2, 3, 4):
        rng = random.Random(players)
        options = Options(players=players)
        endings: Counter[str] = Counter()
        moves, started = 0, time.process_time()
        for number in range(1, games + 1):
            ending, count = play_out(options, rng, PLAYERS[player])
            endings[ending] += 1
            moves += count
            if number % max(1, games // 4) == 0:
                took_s = time.process_time() - started
                say(f"  {player}, {players} players: {number}/{games} ({took_s:.0f} s)")
        say(
            f"{player}, {players} players: {games} games, {moves} moves judged, "
            f"won {100 * endings['won'] / games:.2f} %, {dict(endings)}"
        )


def judged_moves_per_s(rounds: int = 7) -> float:
    """Return the median of judging and advancing recorded games."""
    rates = []
    for seed in range(rounds):
        rng = random.Random(seed)
        record: list[tuple[State, Move]] = []
        while len(record) < 4_000:
            state = GAME.setup(Options(players=1 + seed % 4))
            while state.phase is not Phase.OVER:
                move = chance(state, rng) or careful(state, rng)
                record.append((state, move))
                state = GAME.advance(state, move)
        started = time.process_time()
        for state, move in record:
            GAME.judge(state, move)
            GAME.advance(state, move)
        rates.append(len(record) / (time.process_time() - started))
    return median(rates)


def full_table() -> Table:
    """A fight of four with both face-down piles, discards and a Joker."""
    return (
        Table.empty()
        .lay("#", (-75, 0))
        .lay("Qs", (0, 0))
        .lay("#", (-75, 100))
        .lay("3h 7d", (0, 100), step=(5, 3))
        .lay("4h 4c", (0, -200))
        .lay("9d", (90, -200))
        .lay("X", (-250, 20), angle_deg=0)
        .lay("8s", (-250, 100), angle_deg=0)
        .lay("6h", (0, 300))
        .lay("2h 2d", (300, 0), angle_deg=0)
        .lay("10c", (300, 120), angle_deg=0)
    )


def median_ms(call: Callable[[], object], rounds: int = 300) -> float:
    times = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return 1000 * median(times)


def test_speed_of_regicide() -> None:
    """Print the medians; `make bench` runs this."""
    options = Options(players=4)
    pieces = full_table().pieces
    snapshot = GAME.layout(pieces, options)
    layout_ms = median_ms(lambda: GAME.layout(pieces, options))
    score_ms = median_ms(lambda: GAME.score_table(snapshot, options, {}))
    say(f"layout of a full table: {layout_ms:.2f} ms")
    say(f"score_table of a full table: {score_ms:.2f} ms (aim: under 1 ms)")
    say(f"judged moves a second: {judged_moves_per_s():.0f} (aim: 20000 or more)")


if __name__ == "__main__":
    test_speed_of_regicide()
    for name in PLAYERS:
        win_rates(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000, name)
