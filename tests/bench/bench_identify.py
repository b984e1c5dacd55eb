"""Names cards of decks that were never seen before, from one picture of each face.

    python tests/bench/bench_identify.py --decks ../shared/data/decks --csv FILE
    python tests/bench/bench_identify.py --cost --csv FILE

Decks: four held out of everything that was trained or calibrated, invented cards, and
the decks that Arbitro prints; each enrolled from one rendered photo of every card.
Top-1 (the likeliest candidate), named, wrongly named; the same crops by perceptual
hash, ORB and SIFT; foreign things that were taken for cards; with `--cost` the time of
one card against the number of faces. With `--csv` every count is a row of the file, and
what is in it already is not run again, so that `--minutes` may cut a long run into
pieces. Counts with 95 % Wilson intervals.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.deck_views import (
    BACK,
    CLEAN,
    COMBINED,
    ENROLLING,
    PHOTO,
    View,
    arts_of_deck,
    arts_of_gallery,
    drawn_arts,
    enrolled,
    foreign_arts,
    views,
)
from tests.support.naming_baselines import Name, features, phash
from vision.accuracy import Share
from vision.gallery import Face, Gallery
from vision.identify import Identifier, Sighting, fit
from vision.scene.art import Face as Art
from vision.scene.art import load_deck
from vision.training.dataset import HELD_OUT_DECKS
from vision.types import Bgr

SETS = {"clean": CLEAN, "photo": PHOTO, "combined": COMBINED}
EVERY = {"phash": 1, "ORB": 8, "SIFT": 8}
"""The slow ones are asked about every eighth card."""
MEASURES = (("top-1", "cards"), ("named", "cards"), ("wrong", "named"))
FOREIGN = "foreign things taken"
FIELDS = ("how", "set", "measure", "hits", "total", "value", "low", "high")

Rows = dict[tuple[str, str, str], tuple[float, float]]
"""How, set and measure -> hits and total; of times ms and factor."""


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--per", type=int, default=2, help="views of each card a set")
    parser.add_argument("--foreign", type=int, default=240)
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--minutes", type=float, default=1e6)
    options = parser.parse_args()
    rows = rows_of(options.csv)
    if options.cost:
        rows |= measured_cost(options.seed)
        keep(options.csv, rows)
        return
    end = time.monotonic() + 60 * options.minutes
    decks = families(options.decks, np.random.default_rng(options.seed))
    for number, (name, arts) in enumerate(decks.items()):
        rng = np.random.default_rng([options.seed, number])
        gallery = enrolled(name, arts, rng, ENROLLING)
        identifier = fit([gallery])
        for kind, how in SETS.items():
            pairs = list(arts.items()) * options.per
            if ("Arbitro", f"{name}, {kind}", "top-1") in rows:
                continue
            if time.monotonic() > end:
                return
            own = np.random.default_rng([options.seed, number, len(kind)])
            tally = asked(identifier, baselines(gallery), views(pairs, how, own))
            rows |= counted(f"{name}, {kind}", tally)
            keep(options.csv, rows)
        if ("Arbitro", name, FOREIGN) not in rows and time.monotonic() < end:
            own = np.random.default_rng([options.seed, 99])
            rows["Arbitro", name, FOREIGN] = foreigners(
                identifier, options.foreign, own
            )
            keep(options.csv, rows)
    report(rows)


def rows_of(path: Path | None) -> Rows:
    """Return what earlier runs have counted."""
    if path is None or not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (row["how"], row["set"], row["measure"]): (
                float(row["hits"]),
                float(row["total"]),
            )
            for row in csv.DictReader(file)
        }


def keep(path: Path | None, rows: Rows) -> None:
    """Write all that has been counted, with intervals."""
    if path is None:
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for key, (hits, total) in rows.items():
            if key[0] == "cost":
                writer.writerow([*key, hits, total, "", "", ""])
                continue
            share = Share(int(hits), int(total))
            low, high = share.interval
            value = [round(x, 4) for x in (share.value, low, high)]
            writer.writerow([*key, int(hits), int(total), *value])


def counted(where: str, tally: Counter[str]) -> Rows:
    """Return the rows of one deck and set."""
    rows: Rows = {
        ("Arbitro", where, what): (tally[what], tally[of]) for what, of in MEASURES
    }
    for name in EVERY:
        rows[name, where, "top-1"] = (tally[name], tally[f"{name} of"])
    return rows


def report(rows: Rows) -> None:
    """Print the sums over all decks."""
    sums: dict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for (how, where, what), (hits, total) in rows.items():
        if how != "cost":
            kind = where.partition(", ")[2]
            sums[kind, how, what][0] += hits
            sums[kind, how, what][1] += total
    for (kind, how, what), (hits, total) in sorted(sums.items()):
        _line(f"{kind:<9} {how:<8} {what}", int(hits), int(total))


def families(
    folder: Path | None, rng: np.random.Generator
) -> Mapping[str, Mapping[str, Art]]:
    """Return name -> art of decks that nothing was tuned on."""
    from companion.prints.galleries import (  # noqa: PLC0415 - heavy
        own_deck,
        own_deck_names,
    )

    found: dict[str, Mapping[str, Art]] = {"invented": drawn_arts(rng, 54)}
    for name in own_deck_names():
        found[name] = arts_of_gallery(own_deck(name))
    for name in HELD_OUT_DECKS if folder is not None else ():
        assert folder is not None
        found[name] = arts_of_deck(load_deck(folder / name))
    return found


def baselines(gallery: Gallery) -> Mapping[str, Name]:
    """Return the plain ways to name a card of a gallery."""
    pictures: list[tuple[str, Bgr]] = [
        (face.label, face.pictures[0]) for face in gallery.faces
    ]
    pictures += [(BACK, picture) for picture in gallery.backs]
    return {
        "phash": phash(pictures),
        "ORB": features(pictures, "ORB"),
        "SIFT": features(pictures, "SIFT"),
    }


def asked(
    identifier: Identifier, named_by: Mapping[str, Name], seen: Iterable[View]
) -> Counter[str]:
    """Return what came out, counted."""
    tally: Counter[str] = Counter()
    for number, view in enumerate(seen):
        sighting = identifier.identify(view.bgr, view.quad_px)
        tally["cards"] += 1
        tally["top-1"] += _likeliest(sighting) == view.label
        if sighting.deck is not None:
            label = BACK if sighting.is_back else sighting.identity.label
            tally["named"] += 1
            tally["wrong"] += label != view.label
        for name, ask in named_by.items():
            if number % EVERY[name] == 0:
                tally[f"{name} of"] += 1
                tally[name] += ask(view.bgr, view.quad_px) == view.label
    return tally


def _likeliest(sighting: Sighting) -> str | None:
    if not sighting.choices:
        return None
    return sighting.choices[0].label or BACK


def foreigners(
    identifier: Identifier, count: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return how many of how many foreign things were taken for cards of the deck."""
    things: list[tuple[str | None, Art]] = [
        (None, art) for art in foreign_arts(rng, count)
    ]
    taken = total = 0
    for how in (PHOTO, COMBINED):
        for view in views(things, how, rng):
            sighting = identifier.identify(view.bgr, view.quad_px)
            taken += sighting.deck is not None
            total += 1
    return taken, total


def measured_cost(seed: int) -> Rows:
    """Return, and print, the time of one card against the number of faces."""
    rows: Rows = {}
    rng = np.random.default_rng(seed)
    arts = drawn_arts(rng, 480)
    small = [
        np.asarray(cv2.resize(art.bgra[..., :3], (70, 98)), np.uint8)
        for art in arts.values()
    ]
    queries = list(views(list(arts.items())[:40], PHOTO, rng))
    first = 0.0
    for count in (54, 500, 5_000, 50_000):
        faces = tuple(
            Face(f"C{number}", (_variant(small, number),)) for number in range(count)
        )
        start = time.perf_counter()
        identifier = fit([Gallery("many", faces)])
        fitted_s = time.perf_counter() - start
        took, right = [], 0
        for view in queries * 2:
            start = time.process_time()
            sighting = identifier.identify(view.bgr, view.quad_px)
            took.append(time.process_time() - start)
            right += _likeliest(sighting) == view.label
        ms = 1000 * float(np.median(took[len(queries) :]))
        first = first or ms
        print(
            f"{count:>7} faces: {ms:6.1f} ms of processor a card "
            f"(x{ms / first:.2f}), fitted in {fitted_s:.1f} s, "
            f"{right // 2} of {len(queries)} right"
        )
        times = round(ms, 2), round(ms / first, 3)
        rows["cost", f"{count} faces", "ms a card, and times that of 54"] = times
        rows["Arbitro", f"{count} faces", "top-1"] = right // 2, len(queries)
    return rows


def _variant(pictures: Sequence[Bgr], number: int) -> Bgr:
    """Return the next face: after the drawn ones, parts of them in other colours."""
    base = pictures[number % len(pictures)]
    turn = number // len(pictures)
    if turn == 0:
        return base
    x, y = turn % 5, turn // 5 % 5
    shifted = base[y * 4 : 78 + y * 4, x * 3 : 56 + x * 3]
    order = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (0, 2, 1))[turn % 5]
    return np.ascontiguousarray(shifted[:: -1 if turn % 2 else 1, :, order])


def _line(what: str, hits: int, total: int) -> None:
    share = Share(hits, total)
    low, high = share.interval if total else (0.0, 1.0)
    value = share.value if total else 0.0
    print(f"  {what:<34}{hits:>6}/{total:<6}{value:>8.2%} ({low:.2%} to {high:.2%})")


if __name__ == "__main__":
    main()
