"""Rendered rounds followed from pictures to events and to the sheet.

    python tests/bench/bench_live.py --game brawl --seeds 1001:1101 --minutes 8
    python tests/bench/bench_live.py --game regicide --seeds 1:21 --real
    python tests/bench/bench_live.py --game frenzy --seeds 7110:7120 --restart 0.5
    python tests/bench/bench_live.py                # what is known so far
    python tests/bench/bench_live.py --report --game regicide --seeds 4001:4101
    python tests/bench/bench_live.py --report --since ec68669

Videos have 1280x720 px at 30 pictures a second. A row per round is added to
``results/live_rounds.csv``; who runs it again goes on where it ended. Printed per round
and in sum: moves found, missed and invented, final sheets that are exact, questions,
when the end was called, processor time per picture, share of pictures that were not
read. Eyes are perfect (the renderer's truth; a reading is charged 100 ms, and the
pictures that come meanwhile are neither rendered nor seen) unless `--real` loads the
shipped models (with a gallery of the invented cards where a game has its own), whose
readings take as long as they take; `--since` counts the rounds of a commit and of
all that came after it; on a machine that others keep busy `--reading-ms`
says what one costs instead, and the rows are of other eyes: ``shipped 300 ms``; a first
look (`vision/first_look.py`) costs 100 ms then, and what it took is written down.
With `--restart` another process with another eye follows from that share of the
recording on, once all was read; the rows are of eyes that are named so.
Intervals are 95 % (Wilson).
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from engines import load_game
from tests.support.following import Followed, compared, follow, sheet_of, tokens
from tests.support.laying import Round
from tests.support.rounds import MAKERS
from vision.views import See

END_S = 0.5
KEPT = Path(__file__).parent / "results" / "live_rounds.csv"
FOLLOWS = (
    *("engines", "companion/watching", "companion/ledger", "companion/reader.py"),
    *("vision/live.py", "vision/track.py", "vision/settle.py", "vision/capture"),
    *("vision/roi.py", "vision/same_view.py", "vision/where.py"),
    *("vision/asking.py", "vision/cells.py", "vision/gate.py", "vision/haze.py"),
    *("vision/tracks.py", "vision/sameness.py", "vision/piles.py"),
    *("vision/pairing.py", "vision/newcomers.py", "vision/showing.py"),
    *("vision/several.py", "vision/things.py", "vision/laid.py"),
    *("vision/first_look.py", "vision/hair.py", "vision/views.py", "vision/rows.py"),
    *("vision/beginning.py", "vision/unseen.py", "vision/unexplained.py"),
    *("vision/lost_view.py", "vision/seeing.py"),
    *("vision/scene/video.py", "vision/scene/still.py", "tests/support"),
    ":(exclude)*.md",
)
"""What a round goes through besides the eyes."""
WORDS = frozenset({"game", "eyes", "commit", "kind"})
"""Columns that hold words; all others hold JSON."""


def wilson(hits: int, of: int) -> str:
    """Return a share with its 95 % interval, in per cent."""
    if not of:
        return "-"
    z, p = 1.96, hits / of
    middle = (p + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    low, high = 100 * (middle - half), 100 * (middle + half)
    return f"{100 * p:.2f} % [{low:.2f}, {high:.2f}] ({hits}/{of})"


READING_S = 0.1
"""What a reading costs where the eyes are perfect and cost nothing."""


def one_round(
    game: str,
    seed: int,
    see: See | None,
    *,
    reading_s: float | None,
    restart: float = math.inf,
) -> dict[str, Any]:
    """Return the figures of one round, `restart`: followed by another process from that
    share of it on."""
    made: Round = MAKERS[game](seed)
    restart_s = restart * made.script.seconds
    with tempfile.TemporaryDirectory() as folder:
        done = follow(
            made,
            Path(folder),
            see=see,
            seed=seed,
            reading_s=reading_s,
            restart_s=restart_s,
        )
    truth = [move for _, move in made.moves]
    found, missed, invented = compared(truth, done.moves)
    return {
        "seed": seed,
        "found": found,
        "missed": missed,
        "invented": invented,
        "told": sum(tokens(done.told).values()),
        "asked": done.asked,
        "sheet": sheet_of(game, done.state) == sheet_of(game, made.final),
        "open": len({q.id for q in done.open} - natural(game, made.final)),
        "ended_s": done.ended_s,
        "released_s": made.moves[-1][0],
        "refused": len(done.refused),
        "late_s": [round(late_s, 3) for late_s in lateness(made, done)],
        "idle_ms": _timed(statistics.median, done.idle_ms),
        "idle_99_ms": _timed(lambda ms: _quantile(ms, 0.99), done.idle_ms),
        "read_ms": _timed(statistics.median, done.read_ms),
        "pictures": round(made.script.seconds * made.script.fps),
        "looked": done.looked,
        "readings": done.readings,
        "first_ms": [round(ms, 1) for ms in done.first_ms],
    }


def natural(game: str, state: Any) -> set[str]:
    """Return what the game asks in any case: whether to resolve an ended round."""
    return {question.id for question in load_game(game).questions(state)}


def rounds(
    game: str,
    seeds: range,
    kept: Path,
    *,
    real: bool,
    reading_ms: float | None,
    restart: float = math.inf,
    until_s: float,
) -> None:
    """Follow rounds until it is late; add a row to the file `kept` for each."""
    eyes, reading_s = ("shipped", None) if real else ("true", READING_S)
    if reading_ms is not None:
        eyes, reading_s = f"{eyes} {reading_ms:.0f} ms", reading_ms / 1000
    if restart < 1:
        eyes = f"{eyes} restarted at {restart:g}"
    known = {
        row["seed"]
        for row in rows_of(kept)
        if row["game"] == game and row["eyes"] == eyes
    }
    see, commit = None, commit_now()
    if real:
        from tests.support.live_eyes import shipped_eyes  # noqa: PLC0415 - slow

        see = shipped_eyes(game)
    for seed in seeds:
        if seed in known:
            continue
        if time.monotonic() > until_s:
            return
        made = one_round(game, seed, see, reading_s=reading_s, restart=restart)
        row = {"game": game, "eyes": eyes, "commit": commit, **made}
        add_row(kept, row)
        shown = ["found", "missed", "invented", "asked", "refused"]
        print(f"{game} {seed}:", *(f"{row[k]} {k}" for k in shown), flush=True)


def add_row(kept: Path, row: dict[str, Any]) -> None:
    """Add a row to a file, with a first line where it is new."""
    is_new = not kept.exists()
    with kept.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(row)
        writer.writerow(
            json.dumps(value) if not isinstance(value, str) else value
            for value in row.values()
        )


def rows_of(kept: Path) -> list[dict[str, Any]]:
    """Return the rows of a file with their values."""
    if not kept.exists():
        return []
    with kept.open(encoding="utf-8", newline="") as file:
        return [
            {
                key: value if key in WORDS else json.loads(value)
                for key, value in row.items()
            }
            for row in csv.DictReader(file)
        ]


def commit_now() -> str:
    """Return the commit that is measured, with ``+`` if following has changed since."""
    git = shutil.which("git") or "git"
    name = subprocess.run(
        [git, "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    )
    dirty = subprocess.run(
        [git, "diff", "--quiet", "HEAD", "--", *FOLLOWS], check=False
    )
    return name.stdout.strip() + "+" * (dirty.returncode != 0)


@cache
def is_since(commit: str, since: str) -> bool:
    """Return whether a row's commit is `since` or came after it."""
    git = shutil.which("git") or "git"
    order = [git, "merge-base", "--is-ancestor", since, commit.rstrip("+")]
    return subprocess.run(order, check=False).returncode == 0


def report(kept: Path, games: list[str], seeds: range, since: str) -> None:
    """Print the figures of all that is known, or of some games' seeds; `since`: of that
    commit's code and what came after it, "" for all."""
    rows = [
        row
        for row in rows_of(kept)
        if (not games or (row["game"] in games and row["seed"] in seeds))
        and (not since or is_since(row["commit"], since))
    ]
    for game, eyes in sorted({(row["game"], row["eyes"]) for row in rows}):
        ours = [row for row in rows if row["game"] == game and row["eyes"] == eyes]
        found = sorted(row["seed"] for row in ours)
        print(f"\n{game}, {eyes} eyes, {len(ours)} rounds,", end=" ")
        print(f"seeds {found[0]} to {found[-1]},", *sorted({r["commit"] for r in ours}))
        summary(ours)


def summary(rows: list[dict[str, Any]]) -> None:
    """Print the figures of all rounds together."""
    total = {k: sum(row[k] for row in rows) for k in ("found", "missed", "invented")}
    readings = sum(row["readings"] for row in rows)
    late = [late_s for row in rows for late_s in row["late_s"]]
    exact = sum(row["missed"] == row["invented"] == 0 for row in rows)
    sheets = sum(row["sheet"] for row in rows)
    # Wrong and nobody was asked: what players could not have noticed.
    silent = sum(not row["sheet"] and not row["open"] for row in rows)
    found = total["found"]
    print(f"recall     {wilson(found, found + total['missed'])}")
    print(f"precision  {wilson(found, found + total['invented'])}")
    print(f"exact      {wilson(exact, len(rows))} of the rounds")
    print(f"sheet      {wilson(sheets, len(rows))} of the final sheets are exact")
    print(f"wrong      {wilson(silent, len(rows))} are wrong and nothing is asked")
    told = sum(row["told"] for row in rows)
    print(f"told       {wilson(told, found)} of the moves, by people who were asked")
    print(f"asked      {sum(row['asked'] for row in rows) / len(rows):.2f} a round")
    print(f"called     {statistics.median(late) * 1000:.0f} ms after it lay there,")
    print(f"           95 % within {_quantile(late, 0.95) * 1000:.0f} ms")
    ends(rows)
    for name in ("idle_ms", "idle_99_ms", "read_ms"):
        median = statistics.median(r[name] for r in rows if r[name] is not None)
        print(f"{name:<10} {median:.1f} of processor, median of the rounds")
    first = [ms for row in rows for ms in row["first_ms"]]
    if first:
        print(f"first look {statistics.median(first):.0f} ms by the clock, 95 % within")
        print(f"           {_quantile(first, 0.95):.0f}, longest {max(first):.0f}")
    pictures = sum(row["pictures"] for row in rows)
    print(f"unread     {wilson(pictures - readings, pictures)} of the pictures")


def ends(rows: list[dict[str, Any]]) -> None:
    """Print when the end of the game was called, after the hand let go."""
    late = [r["ended_s"] - r["released_s"] for r in rows if r["ended_s"] is not None]
    if not late:
        return
    soon = sum(0 <= late_s <= END_S for late_s in late)
    early = sum(late_s < 0 for late_s in late)
    print(f"end        {wilson(soon, len(rows))} called within {END_S * 1000:.0f} ms")
    print(f"           {wilson(early, len(rows))} before the hand let go;")
    print(f"           median {statistics.median(late) * 1000:.0f} ms,", end=" ")
    print(f"99 % within {_quantile(late, 0.99) * 1000:.0f} ms")


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


def _timed(
    figure: Callable[[list[float]], float], spent_ms: list[float]
) -> float | None:
    """Return a figure of the pictures that were timed, `None` where none was."""
    return round(figure(spent_ms), 2) if spent_ms else None


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=sorted(MAKERS), action="append", default=[])
    parser.add_argument("--seeds", default="1001:1101", help="first:last+1")
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--reading-ms", type=float, help="what a reading is charged")
    parser.add_argument("--restart", type=float, default=math.inf, help="of 1")
    parser.add_argument("--minutes", type=float, default=480.0)
    parser.add_argument("--kept", type=Path, default=KEPT)
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--since", default="", help="only rows of that commit or later")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    until_s = time.monotonic() + 60 * options.minutes
    for game in () if options.report else options.game:
        seeds = range(first, last)
        rounds(
            game,
            seeds,
            options.kept,
            real=options.real,
            reading_ms=options.reading_ms,
            restart=options.restart,
            until_s=until_s,
        )
    report(options.kept, options.game, range(first, last), options.since)


if __name__ == "__main__":
    main()
