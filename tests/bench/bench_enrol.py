"""How long it takes to enrol 54 cards from six rendered photos of nine.

    python tests/bench/bench_enrol.py

Everything but naming: reading the pictures, cutting the cards out, saving the deck and
looking for faces that could be confused. Prints seconds (of the clock, and of the
processor) and how many cards were cut out right.
"""

from __future__ import annotations

import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.decks.places import open_deck
from engines.core import Sheet
from tests.support.custom_photos import COLUMNS, ROWS, Lens, nine_spot, photograph
from tests.support.custom_tables import TrueTable
from vision.accuracy import Share
from vision.alike import look_alikes
from vision.enrol import cut_cards
from vision.gallery import Face, Gallery, save_gallery
from vision.identify import fit
from vision.quads import quad_overlap
from vision.types import Bgr, Frame, FrameId

PHOTOS = 6
SAME = 0.9


def main() -> None:
    """Run; see the module's docstring."""
    deck, rng = open_deck("own:frantic"), np.random.default_rng(3)
    labels = [face.label for face in deck.faces][: PHOTOS * ROWS * COLUMNS]
    faces: list[Bgr] = []
    right = total = 0
    clock_s = processor_s = 0.0
    for number in range(PHOTOS):
        own = labels[number * 9 : number * 9 + 9]
        spots = tuple(nine_spot(label, n, rng) for n, label in enumerate(own))
        table = TrueTable("frantic", spots, {}, Sheet("frantic", ()))
        lens = Lens((2016, 1512), float(rng.uniform(0, 20)))
        bgr, truth = photograph(table, [deck], rng, lens, hardness=0.3)
        frame = Frame(FrameId(f"{number}"), bgr, datetime.now(UTC))
        started, spent = time.perf_counter(), time.process_time()
        cuts = cut_cards(frame)
        clock_s += time.perf_counter() - started
        processor_s += time.process_time() - spent
        faces += [cut.bgr for cut in cuts]
        total += len(truth)
        right += sum(
            any(quad_overlap(cut.quad_px, thing.quad_px) > SAME for cut in cuts)
            for thing in truth
        )
    started, spent = time.perf_counter(), time.process_time()
    gallery = Gallery("bench", tuple(Face(f"c{n}", (p,)) for n, p in enumerate(faces)))
    with tempfile.TemporaryDirectory() as folder:
        save_gallery(gallery, Path(folder) / "bench")
    pairs = look_alikes(gallery)
    fit([gallery])
    clock_s += time.perf_counter() - started
    processor_s += time.process_time() - spent
    print(f"cards cut out right: {Share(right, total)}; pairs told: {len(pairs)}")
    print(f"{clock_s:.1f} s of the clock, {processor_s:.1f} s of the processor")


if __name__ == "__main__":
    main()
