"""Rendered rounds followed from pictures to events and to the sheet.

    python tests/bench/bench_live.py --game frenzy --seeds 1:101
    python tests/bench/bench_live.py --game regicide --seeds 1:21 --real

Videos have 1280x720 px at 30 pictures a second. Printed per round and in sum: moves
found, missed and invented, final sheets that are exact, questions, when the end was
called, processor time per picture, share of pictures that were not read. Eyes are
perfect (the renderer's truth; a reading is charged 100 ms) unless `--real` loads the
shipped models, whose readings take as long as they take: pictures that come meanwhile
are not seen, as with a camera. Intervals are 95 % (Wilson).
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import tempfile
from pathlib import Path
from typing import Any

from engines import load_game
from tests.support.following import Followed, compared, follow, sheet_of, tokens
from tests.support.laying import Round
from tests.support.rounds import MAKERS
from vision.live import See

END_S = 0.5


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


def one_round(game: str, seed: int, see: See | None) -> dict[str, Any]:
    """Return the figures of one round."""
    made: Round = MAKERS[game](seed)
    with tempfile.TemporaryDirectory() as folder:
        reading_s = READING_S if see is None else None
        done = follow(made, Path(folder), see=see, seed=seed, reading_s=reading_s)
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
        "late_s": lateness(made, done),
        "idle_ms": statistics.median(done.idle_ms),
        "idle_99_ms": _quantile(done.idle_ms, 0.99),
        "read_ms": statistics.median(done.read_ms),
        "pictures": round(made.script.seconds * made.script.fps),
        "looked": done.looked,
        "readings": done.readings,
    }


def natural(game: str, state: Any) -> set[str]:
    """Return what the game asks in any case: whether to resolve an ended round."""
    return {question.id for question in load_game(game).questions(state)}


def rounds(game: str, seeds: range, *, real: bool, kept: Path | None) -> None:
    """Follow rounds; print the figures, of those in the file `kept` as well."""
    rows = [json.loads(line) for line in _lines(kept)]
    known = {row["seed"] for row in rows}
    see = None
    if real:
        from vision.pipeline import load_pipeline  # noqa: PLC0415 - slow

        see = load_pipeline()
    for seed in seeds:
        if seed in known:
            continue
        row = one_round(game, seed, see)
        rows.append(row)
        shown = ["found", "missed", "invented", "asked", "refused"]
        print(f"seed {seed}:", *(f"{row[k]} {k}" for k in shown), flush=True)
        if kept is not None:
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
    print(f"{game}, {len(rows)} rounds, {'shipped models' if real else 'true eyes'}")
    summary(rows)


def _lines(kept: Path | None) -> list[str]:
    if kept is None or not kept.exists():
        return []
    return kept.read_text("utf-8").splitlines()


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
        median = statistics.median(row[name] for row in rows)
        print(f"{name:<10} {median:.1f} of processor, median of the rounds")
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


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=sorted(MAKERS), default="frenzy")
    parser.add_argument("--seeds", default="1:11", help="first:last+1")
    parser.add_argument("--real", action="store_true")
    parser.add_argument(
        "--keep", type=Path, help="rows are added here, and gone on with"
    )
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    seeds = range(first, last)
    rounds(options.game, seeds, real=options.real, kept=options.keep)


if __name__ == "__main__":
    main()
