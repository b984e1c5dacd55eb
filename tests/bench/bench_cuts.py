"""How many cards on real photos are cut out whole, as enrolling a deck needs them.

    python tests/bench/bench_cuts.py --data ../shared/data --csv FILE
    python tests/bench/bench_cuts.py --rendered 40 --seed SEED

Where a card of a photo lies is told by its name: a card that Arbitro names right, from
the references beside the photos, is laid exactly over its picture. A cut that is no
such card is a part of one, or of several. `--rendered` photos show nine cards each of a
deck with pictures in frames. Shares with 95 % intervals (Wilson).
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.sight import sight_of
from engines.core import Sheet
from tests.support.custom_photos import COLUMNS, ROWS, Lens, nine_spot, photograph
from tests.support.custom_tables import TrueTable
from vision.accuracy import Share
from vision.enrol import cut_cards
from vision.evaluate import evaluate
from vision.gallery import Face, Gallery
from vision.images import read_image
from vision.quads import quad_overlap
from vision.reference_photos import reference_gallery
from vision.scene.art import Face as Art
from vision.scene.framed import draw_framed_deck
from vision.types import Array, Bgr, Frame, FrameId, Observation

SETS = ("custom-mtg-webcam-trifecta", "custom-uno-hemant", "custom-set-tomwhite")
SAME = 0.9
"""Overlap of a cut with the whole card."""


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help=", ".join(SETS))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rendered", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, str | int | float]] = []
    found: dict[str, tuple[Share, Share]] = {}
    if options.rendered:
        found[f"rendered, seed {options.seed}"] = rendered_whole(
            options.rendered, options.seed
        )
    if options.data:
        names = options.sets or SETS
        found |= {name: cut_whole(options.data / name) for name in names}
    for name, (whole, cards) in found.items():
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
        looked = sight.look(read_image(path))  # a picture in a mirror is swapped back
        cuts[path.name] = [cut.quad_px for cut in cut_cards(looked.frame)]
        seen[path.name] = looked.observation
        return looked.observation

    report = evaluate(folder, look)
    whole = cards = right = 0
    for row in report.rows:
        named = [
            np.array(placement.quad_px)
            for placement in seen[row.image].placements
            if placement.identity.label in row.right
        ]
        right += len(named)
        more, cut = _same(named, cuts[row.image])
        whole, cards = whole + more, cards + cut
    return Share(whole, right), Share(cards, sum(map(len, cuts.values())))


def rendered_whole(count: int, seed: int) -> tuple[Share, Share]:
    """Return the same of rendered photos of decks that nothing was trained on."""
    whole = cards = right = made = 0
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        drawn = draw_framed_deck(rng, count=ROWS * COLUMNS)
        faces = [Face(f"{n}", (_plain(art),)) for n, art in enumerate(drawn)]
        spots = tuple(nine_spot(face.label, n, rng) for n, face in enumerate(faces))
        table = TrueTable("frantic", spots, {}, Sheet("frantic", ()))
        lens = Lens((2016, 1512), float(rng.uniform(0, 20)))
        gallery = Gallery("framed", tuple(faces))
        bgr, truth = photograph(table, [gallery], rng, lens, hardness=0.3)
        frame = Frame(FrameId(f"{number}"), bgr, datetime.now(UTC))
        cuts = [cut.quad_px for cut in cut_cards(frame)]
        more, cut = _same([thing.quad_px for thing in truth], cuts)
        whole, cards = whole + more, cards + cut
        right, made = right + len(truth), made + len(cuts)
    return Share(whole, right), Share(cards, made)


def _plain(face: Art) -> Bgr:
    """Return a face without its round corners, as a scan shows it."""
    return np.ascontiguousarray(face.bgra[..., :3])


def _same(there: Sequence[Array], cuts: Sequence[Array]) -> tuple[int, int]:
    """Return how many cards are cut out whole, and how many cuts are whole cards."""
    fits = [[quad_overlap(cut, card) > SAME for card in there] for cut in cuts]
    whole = sum(any(column) for column in zip(*fits, strict=True))
    return whole, sum(any(fit) for fit in fits)


if __name__ == "__main__":
    main()
