"""Whole sheets from rendered photos of tables with decks of their own art.

    python tests/bench/bench_custom_tables.py frenzy --count 300 --csv FILE
    python tests/bench/bench_custom_tables.py --eyes truth brawl hand table

Each table is laid as people lay it, photographed (`tests.support.custom_photos`), read
and scored by what ships, and its sheet compared with the one it deserves: exactly right
with nothing asked; asked about; wrong but with a question or a finding; or silently
wrong, which must not be. A table with a card whose print glare has burnt out
(`tests.support.burnt`: nobody could read it) counts as any other; those without one are
counted once more by themselves. With `--csv` each table becomes a row of the file, and
those that are in it already are not run again, so that `--minutes` may cut a long run
into pieces. `--eyes truth` takes detection and naming from the truth, and so measures
layout and rules alone. Counts with 95 % Wilson intervals.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.decks.places import open_decks
from companion.decks.roles import in_play
from companion.referee import See, Terms, read, score
from companion.sight import load_pipeline
from tests.support.burnt import is_burnt
from tests.support.custom_photos import draw_lens, photograph
from tests.support.custom_tables import (
    Habits,
    TrueTable,
    Verdict,
    brawl_table,
    compare,
    frantic_hand,
    frantic_table,
    frenzy_table,
)
from vision.accuracy import Share
from vision.gallery import Gallery
from vision.quads import quad_overlap
from vision.scene.render import Truth
from vision.table import locate_and_place
from vision.types import (
    UNKNOWN,
    Bgr,
    Frame,
    FrameId,
    Identity,
    Kind,
    Observation,
    Placement,
)

SAME, COUNTS = 0.4, 0.15
"""Overlap of a card with itself; share of a card that must show for it to count."""
DOUBTS = frozenset({"unread", "too_many_copies", "unsure"})
"""Findings of vision that tell people to look."""


@dataclass(frozen=True, slots=True)
class Sort:
    """One kind of table: who makes it, with which decks, seen from where."""

    make: Callable[[np.random.Generator, Habits], TrueTable]
    decks: tuple[str, ...]
    yaw_deg: tuple[float, float]


KINDS = {
    "frenzy": Sort(
        frenzy_table, ("own:frenzy-humans", "own:frenzy-orcs"), (0.0, 360.0)
    ),
    "brawl": Sort(brawl_table, ("own:brawl-falco", "own:brawl-volpe"), (-40.0, 40.0)),
    "hand": Sort(frantic_hand, ("own:frantic",), (0.0, 360.0)),
    "table": Sort(frantic_table, ("own:frantic",), (-20.0, 20.0)),
}


SEED = 70002
"""That of the 900 tables that are judged; nothing was set on it."""
KEYS = ("kind", "seed", "number", "eyes", "hardness")
COUNTED = ("cards", "right", "wrong", "unread", "missed")
FIELDS = (*KEYS, "sheet", *COUNTED, "burnt", "spent_s")

Row = Mapping[str, str]
"""One table, as the file has it."""


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help=", ".join(KINDS))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--hardness", type=float, default=0.7)
    parser.add_argument("--eyes", choices=["vision", "truth"], default="vision")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--failures", type=Path, help="folder for pictures of failures")
    options = parser.parse_args()
    if unknown := set(options.kinds) - KINDS.keys():
        parser.error(f"no such kind of table: {', '.join(sorted(unknown))}")
    names = options.kinds or list(KINDS)
    rows = run(names, options, time.monotonic() + 60 * options.minutes)
    for name in names:
        report(name, [row for row in rows if row["kind"] == name])


def run(names: Sequence[str], options: argparse.Namespace, end: float) -> list[Row]:
    """Return the rows of these kinds of tables, those of earlier runs too.

    One table of each kind in turn, so that a run that is cut off has some of all.
    """
    known = {tuple(row[key] for key in KEYS): row for row in rows_of(options.csv)}
    decks = {name: open_decks(KINDS[name].decks) for name in names}
    sees = {name: load_pipeline(1, decks[name]) for name in names}
    rows = []
    for number in range(options.first, options.first + options.count):
        for name in names:
            values = (name, options.seed, number, options.eyes, options.hardness)
            key = tuple(str(value) for value in values)
            if key in known:
                rows.append(known[key])
            elif time.monotonic() < end:
                row = dict(zip(KEYS, key, strict=True))
                row |= looked_at(name, number, options, decks[name], sees[name])
                rows.append(row)
                append(options.csv, row)
    return rows


def looked_at(
    name: str,
    number: int,
    options: argparse.Namespace,
    galleries: Sequence[Gallery],
    see: See,
) -> dict[str, str]:
    """Return what became of one table."""
    kind, rng = KINDS[name], np.random.default_rng([options.seed, number])
    table = kind.make(rng, Habits())
    lens = draw_lens(rng, yaw_deg=kind.yaw_deg)
    hardness = options.hardness or None
    bgr, truth = photograph(table, galleries, rng, lens, hardness=hardness)
    frame = Frame(FrameId(f"{name}-{number}"), bgr, datetime.now(UTC))
    started = time.process_time()
    if options.eyes == "truth":
        seen = told_by_truth(frame, table, truth, galleries)
    else:
        seen = see(frame)
    spent_s = time.process_time() - started
    counts = cards_counted(seen, truth)
    verdict = verdict_on(table, seen, galleries)
    if word_for(verdict) != "exact":
        print(f"{name} {number}: {word_for(verdict)}: {verdict}", flush=True)
        keep(options.failures, f"{name}-{number:04d}", frame, seen)
    found = {"sheet": word_for(verdict), "spent_s": f"{spent_s:.2f}"}
    found["burnt"] = str(burnt(bgr, table, truth, galleries))
    return found | {key: str(counts[key]) for key in COUNTED}


def burnt(
    bgr: Bgr, table: TrueTable, truth: Sequence[Truth], galleries: Sequence[Gallery]
) -> int:
    """Return how many of the cards that count nobody could read."""
    faces = [{f.label: f.pictures[0] for f in gallery.faces} for gallery in galleries]
    count = 0
    for thing in truth:
        if thing.kind is Kind.CARD and thing.visible > COUNTS:
            deck = min(table.spots[thing.order].deck, len(faces) - 1)
            face = faces[deck][thing.label or ""]
            count += is_burnt(bgr, thing, truth, face)
    return count


def rows_of(path: Path | None) -> list[Row]:
    """Return what earlier runs have found."""
    if path is None or not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def append(path: Path | None, row: Row) -> None:
    """Write one table down before the next is looked at."""
    if path is None:
        return
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def verdict_on(
    table: TrueTable, seen: Observation, galleries: Sequence[Gallery]
) -> Verdict:
    """Return how the sheet of this look compares with the one deserved."""
    written = {"players": "4"} if "players" in table.options else {}
    terms = Terms(table.game, written, decks=in_play(table.game, galleries))
    sheet = score(read(seen), terms).sheet
    doubts = [item.code for item in seen.findings if item.code in DOUBTS]
    return compare(sheet, table.sheet, doubts)


def word_for(verdict: Verdict) -> str:
    """Return ``exact``, ``asked``, ``told`` (wrong, with a question or finding) or
    ``silent``."""
    if verdict.is_exact:
        return "exact"
    if verdict.is_silently_wrong:
        return "silent"
    return "told" if verdict.wrong else "asked"


def cards_counted(seen: Observation, truth: Sequence[Truth]) -> Counter[str]:
    """Return counts of names that are right and wrong, and of cards that nobody saw."""
    counts: Counter[str] = Counter()
    left = [t for t in truth if t.kind is Kind.CARD and t.visible > COUNTS]
    counts["cards"] += len(left)
    for placement in seen.placements:
        if placement.kind is not Kind.CARD:
            continue
        label, quad = placement.identity.label, np.array(placement.quad_px)
        if label is None:
            counts["unread"] += 1
            continue
        fits = [
            t
            for t in truth
            if t.label == label and quad_overlap(quad, t.quad_px) > SAME
        ]
        if not fits:
            counts["wrong"] += 1
            continue
        best = max(fits, key=lambda t: quad_overlap(quad, t.quad_px))
        if any(best is t for t in left):
            counts["right"] += 1
            left = [t for t in left if t is not best]
    counts["missed"] += len(left)
    return counts


def told_by_truth(
    frame: Frame,
    table: TrueTable,
    truth: Sequence[Truth],
    galleries: Sequence[Gallery],
) -> Observation:
    """Return the look of somebody who knows every card that shows."""
    placements = []
    for thing in truth:
        if thing.visible < 0.03:
            continue
        deck = min(table.spots[thing.order].deck, len(galleries) - 1)
        label = thing.label
        placements.append(
            Placement(
                id=f"c{thing.order}",
                kind=thing.kind,
                identity=Identity(label, ((label, 1.0),), 9.0) if label else UNKNOWN,
                score=0.9,
                quad_px=tuple((float(x), float(y)) for x, y in thing.quad_px),
                visible=thing.visible,
                order=thing.order,
                deck=galleries[deck].name,
            )
        )
    found, placed = locate_and_place(frame, placements)
    height, width = frame.bgr.shape[:2]
    return Observation(frame.id, "", width, height, frame.taken_at, found, placed)


def keep(folder: Path | None, name: str, frame: Frame, seen: Observation) -> None:
    """Keep the picture of a failure with what was seen in it."""
    if folder is None:
        return
    from vision.overlay import draw  # noqa: PLC0415 - only for looking

    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / f"{name}.jpg"), frame.bgr)
    drawn: Bgr = draw(frame, seen)
    cv2.imwrite(str(folder / f"{name}.seen.jpg"), drawn)


def report(name: str, rows: Sequence[Row]) -> None:
    """Print counts, shares and intervals."""
    print(f"\n{name}: {len(rows)} tables")
    for word in ("exact", "asked", "told", "silent"):
        hits = sum(row["sheet"] == word for row in rows)
        _line(f"sheets {word}", Share(hits, len(rows)))
    readable = [row for row in rows if row["burnt"] == "0"]
    hits = sum(row["sheet"] == "exact" for row in readable)
    _line("exact of readable ones", Share(hits, len(readable)))
    cards = {key: sum(int(row[key]) for row in rows) for key in COUNTED}
    named = cards["right"] + cards["wrong"]
    _line("cards named", Share(cards["right"], cards["cards"]))
    _line("names that are wrong", Share(cards["wrong"], named))
    _line("cards asked about", Share(cards["unread"], cards["cards"]))
    spent = [float(row["spent_s"]) for row in rows] or [0.0]
    print(f"{'processor time, median':<24}{np.median(spent):>9.2f} s", flush=True)


def _line(what: str, share: Share) -> None:
    low, high = share.interval if share.total else (0.0, 1.0)
    value = share.value if share.total else 0.0
    sys.stdout.write(
        f"{what:<24}{share.hits:>6}/{share.total:<6}"
        f"{value:>8.2%}  ({low:.2%} to {high:.2%})\n"
    )


if __name__ == "__main__":
    main()
