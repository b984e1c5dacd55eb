"""Accuracy on rendered tables whose decks and grounds were not used in training.

    python tests/bench/bench_tables.py --decks ../shared/data/decks \
        --textures ../shared/data/backgrounds --count 500

Prints recall of cards with a readable index, precision of names, wrong names (and those
among them that were a close thing), with counts and 95 % Wilson intervals; `--csv FILE`
writes one row per table.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np

from vision.accuracy import Share
from vision.crops import cut, index_window
from vision.pipeline import Pipeline, load_pipeline
from vision.quads import common_px, quad_overlap
from vision.scene.light import Conditions
from vision.scene.render import IndexTruth, Truth, render
from vision.scene.tables import draw_scene
from vision.training.dataset import Sources, draw_props, find_fonts
from vision.types import Array, Bgr, Frame, FrameId, Identity, Kind, Observation

READABLE_PX, LEGIBLE, STROKE_PX = 16.0, 0.85, 4.0
"""An index this tall in the picture, wholly visible, and whose strokes are this much
like those it has under studio light (correlation of grey levels less those around, in a
crop of 112 px), can be read by a person. Of 106 indices of as many tables, shown
without their names, a person read 81 of the 83 that are above without doubt, and all
right; and eight of the 23 below. Grey levels themselves say less: a dark spot below a
rank that nobody can read is still much like itself."""
SIZES = ((1280, 720), (1600, 1200), (960, 720))
MIN_OVERLAP, LEAST_OVERLAP = 0.35, 0.1
"""A name is right if its card lies there: a placement and what is seen of it overlap so
much (IoU). It is not the wrong card's, if aside, where they overlap so much."""
CLOSE = 40.0


@dataclass(frozen=True, slots=True)
class Row:
    """The score of one table."""

    table: int
    readable: int
    named: int
    wrong: int
    """Names that are not right."""
    misnamed: int
    """Of these, names of no card that lies there or somewhat aside."""
    right: int
    """Cards named right, readable or not."""
    names: int
    """Names given in all."""
    close: int
    """Of these, names less than `CLOSE` times as likely as the next candidate."""
    close_wrong: int
    milliseconds: float


def main() -> None:
    """Run; see the module's docstring."""
    parser = table_options(__doc__, count=500)
    parser.add_argument("--hardness", type=float, default=1.0)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--failures", type=Path, help="folder for pictures of failures")
    options = parser.parse_args()
    sources = sources_of(options)
    rows = list(
        run(
            sources,
            options.count,
            seed=options.seed,
            hardness=options.hardness,
            failures=options.failures,
        )
    )
    report(rows)
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Row.__dataclass_fields__)
            writer.writerows(
                [getattr(row, name) for name in Row.__dataclass_fields__]
                for row in rows
            )


def table_options(description: str | None, count: int) -> argparse.ArgumentParser:
    """Return a parser of what tables are rendered of, how many, and by which seed."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--decks", type=Path, required=True)
    parser.add_argument("--textures", type=Path)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=2026)
    return parser


def sources_of(options: argparse.Namespace) -> Sources:
    """Return what tables are rendered of."""
    return Sources(options.decks, options.textures, find_fonts(None))


def run(
    sources: Sources,
    count: int,
    *,
    seed: int,
    hardness: float,
    failures: Path | None = None,
) -> Iterator[Row]:
    """Yield one row per rendered table."""
    pipeline = load_pipeline(decks=9)  # the scenes repeat cards
    props = None
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        if props is None or number % 5 == 0:
            props = draw_props(rng, sources, held_out=True)
        size = SIZES[number % len(SIZES)]
        scene = draw_scene(
            rng, props, size_px=size, card_px=(80.0, 420.0), hardness=hardness
        )
        bgr, truth = render(scene, rng)
        data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 88])[1]
        bgr = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        studio = render(replace(scene, conditions=Conditions()), rng)[0]
        row, observation = score(pipeline, number, bgr, truth, studio)
        if failures is not None and (row.wrong or row.named < row.readable):
            from vision.overlay import draw  # noqa: PLC0415 - only for looking

            failures.mkdir(parents=True, exist_ok=True)
            frame = Frame(FrameId("x"), bgr, datetime.now(UTC))
            cv2.imwrite(str(failures / f"{number:04d}.jpg"), draw(frame, observation))
        yield row


def score(
    pipeline: Pipeline,
    number: int,
    bgr: Bgr,
    truth: Sequence[Truth],
    studio: Bgr,
) -> tuple[Row, Observation]:
    """Return how one picture was read; `studio` is the same table in studio light."""
    frame = Frame(FrameId(str(number)), bgr, datetime.now(UTC))
    start = time.perf_counter()
    observation = pipeline(frame)
    spent = (time.perf_counter() - start) * 1000
    cards = [t for t in truth if t.kind is Kind.CARD]
    named = [p for p in observation.placements if p.identity.label is not None]
    right: set[int] = set()
    wrong, misnamed, close = 0, 0, []
    there = [seen_px(t.quad_px, bgr) for t in cards]
    for placement in named:
        quad = seen_px(np.array(placement.quad_px), bgr)
        overlaps = [quad_overlap(quad, card) for card in there]
        so_named = [
            i for i, t in enumerate(cards) if t.label == placement.identity.label
        ]
        fits = [i for i in so_named if overlaps[i] >= MIN_OVERLAP]
        if _is_close(placement.identity):
            close.append(bool(fits))
        if fits:
            right.add(max(fits, key=lambda i: overlaps[i]))
        else:
            wrong += 1
            misnamed += all(overlaps[i] < LEAST_OVERLAP for i in so_named)
    readable = [i for i, t in enumerate(cards) if is_readable(t, bgr, studio)]
    return (
        Row(
            number,
            len(readable),
            sum(i in right for i in readable),
            wrong,
            misnamed,
            len(right),
            len(named),
            len(close),
            close.count(False),
            round(spent, 1),
        ),
        observation,
    )


def _is_close(identity: Identity) -> bool:
    """Return whether another name was almost as likely."""
    likelihoods = [share for _, share in identity.candidates[:2]]
    return len(likelihoods) > 1 and likelihoods[0] < CLOSE * likelihoods[1]


def seen_px(quad_px: Array, bgr: Bgr) -> Array:
    """Return the (N, 2) outline of what of a quad lies in the picture: how far a card
    reaches beyond its edge, nobody sees."""
    height, width = bgr.shape[:2]
    frame = np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
    seen = common_px(frame, quad_px)
    return quad_px if seen is None else seen


def is_readable(card: Truth, bgr: Bgr, studio: Bgr) -> bool:
    """Return whether a person could read an index of the card in the picture."""
    return card.label is not None and any(
        index.visible >= 0.95
        and np.linalg.norm(index.quad_px[0] - index.quad_px[3]) >= READABLE_PX
        and _likeness(index, bgr, studio) >= LEGIBLE
        for index in card.indices
    )


def _likeness(index: IndexTruth, bgr: Bgr, studio: Bgr) -> float:
    """Return how much an index's strokes look as in studio light, at most 1."""
    window = index_window(index.quad_px)
    one, other = (_strokes(cut(picture, window)) for picture in (bgr, studio))
    if not one.std() or not other.std():
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def _strokes(crop: Bgr) -> Array:
    """Return how much lighter or darker what is around the middle is than its own
    surroundings."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
    strokes = grey - cv2.GaussianBlur(grey, (0, 0), STROKE_PX)
    return np.asarray(strokes[12:-12, 8:-8].ravel(), float)


def report(rows: Sequence[Row]) -> None:
    """Print the summary."""
    readable, named = sum(r.readable for r in rows), sum(r.named for r in rows)
    wrong, names = sum(r.wrong for r in rows), sum(r.names for r in rows)
    for title, part, whole in (
        ("recall of readable cards", named, readable),
        ("precision of names", names - wrong, names),
    ):
        print(f"{title}: {Share(part, whole)}")
    print(f"wrong names: {Share(sum(r.misnamed for r in rows), names)}")
    close, missed = sum(r.close for r in rows), sum(r.close_wrong for r in rows)
    print(f"  where another name was a {CLOSE:.0f}th as likely: {missed} of {close}")
    print(f"median {np.median([r.milliseconds for r in rows]):.0f} ms a picture")


if __name__ == "__main__":
    main()
