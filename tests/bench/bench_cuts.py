"""How many cards on real photos are cut out whole, as enrolling a deck needs them.

    python tests/bench/bench_cuts.py --data ../shared/data --csv FILE

Where a card lies is told by its name: a card that Arbitro names right, from the
references beside the photos, is laid exactly over its picture. A cut that is no such
card is a part of one, or of several. Shares with 95 % intervals (Wilson).
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.sight import sight_of
from vision.accuracy import Share
from vision.enrol import cut_cards
from vision.evaluate import evaluate
from vision.images import read_image
from vision.quads import quad_overlap
from vision.reference_photos import reference_gallery
from vision.types import Array, Observation

SETS = ("custom-mtg-webcam-trifecta", "custom-uno-hemant", "custom-set-tomwhite")
SAME = 0.9
"""Overlap of a cut with the whole card."""


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help=", ".join(SETS))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, str | int | float]] = []
    for name in options.sets or SETS:
        whole, cards = cut_whole(options.data / name)
        print(f"{name}: cut out whole {whole}, cuts that are cards {cards}", flush=True)
        for measure, share in (("cut out whole", whole), ("cuts are cards", cards)):
            low, high = (round(end, 4) for end in share.interval)
            figures = {"hits": share.hits, "total": share.total, "low": low}
            rows.append({"set": name, "measure": measure, **figures, "high": high})
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def cut_whole(folder: Path) -> tuple[Share, Share]:
    """Return how many of the cards that are named right are cut out whole, and how many
    of the cuts are such cards."""
    gallery = reference_gallery(folder)
    assert gallery is not None, f"no references beside {folder}"
    one = (replace(face, pictures=face.pictures[:1]) for face in gallery.faces)
    sight = sight_of([replace(gallery, faces=tuple(one))])
    seen: dict[str, Observation] = {}
    cuts: dict[str, list[Array]] = {}

    def look(path: Path) -> Observation:
        frame = read_image(path)
        cuts[path.name] = [cut.quad_px for cut in cut_cards(frame)]
        seen[path.name] = sight.look(frame).observation
        return seen[path.name]

    report = evaluate(folder, look)
    whole = cards = right = 0
    for row in report.rows:
        named = [
            np.array(placement.quad_px)
            for placement in seen[row.image].placements
            if placement.identity.label in row.right
        ]
        right += len(named)
        fits = [
            [quad_overlap(cut, card) > SAME for card in named]
            for cut in cuts[row.image]
        ]
        whole += sum(any(column) for column in zip(*fits, strict=True))
        cards += sum(any(fit) for fit in fits)
    return Share(whole, right), Share(cards, sum(map(len, cuts.values())))


if __name__ == "__main__":
    main()
