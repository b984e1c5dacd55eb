"""Cards face down, and the ground taken for one, on rendered tables.

    python tests/bench/bench_backs.py --decks ../shared/data/decks \
        --textures ../shared/data/backgrounds --count 100

Half of the tables are carpets seen from near, with a card that lies open on most and
one face down on some; on the others many cards lie about in groups, a share of them
face down. Decks and textures are those that no training saw (`--learnt`: the others).
Counts what is placed without a name: cards that lie there, and pieces of the ground.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.bench_tables import seen_px, sources_of, table_options
from tests.support.carpets import carpet
from vision.accuracy import Share
from vision.pipeline import load_pipeline
from vision.quads import quad_overlap
from vision.scene.art import Face
from vision.scene.backs import draw_back, draw_medallion_back
from vision.scene.chance import one_of
from vision.scene.light import draw_conditions
from vision.scene.render import Scene, Truth, render, thing_of
from vision.scene.tables import Props, draw_camera, draw_scene
from vision.training.dataset import Sources, draw_props
from vision.types import Array, Bgr, Frame, FrameId, Kind, Observation

Size: TypeAlias = tuple[int, int]
SIZES = ((378, 504), (960, 720), (504, 378), (1280, 720))
ON_IT, OVERLAP = 0.35, 0.3
"""A nameless outline of which cards cover less is of the ground; a card face down is
seen where an outline, named or not, and what the picture shows of it overlap (IoU)."""
MOSTLY = 0.9
"""Cards face down that show so much count."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one table was read as."""

    kind: str
    backs: int
    seen: int
    ground: int


def main() -> None:
    """Run; see the module's docstring."""
    parser = table_options(__doc__, count=100)
    parser.add_argument("--learnt", action="store_true")
    options = parser.parse_args()
    sources = sources_of(options)
    rows = list(run(sources, options.count, options.seed, held_out=not options.learnt))
    for kind in ("carpet", "groups"):
        some = [row for row in rows if row.kind == kind]
        seen, backs = sum(r.seen for r in some), sum(r.backs for r in some)
        ground = sum(r.ground for r in some)
        print(f"{kind}, {len(some)} tables: face down seen {Share(seen, backs)}")
        print(f"    the ground taken for a card: {ground}")


def run(sources: Sources, count: int, seed: int, *, held_out: bool) -> Iterator[Row]:
    """Yield a row per rendered table."""
    pipeline = load_pipeline(decks=9)  # the tables repeat cards
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        props = draw_props(rng, sources, held_out=held_out)
        size_px = SIZES[number // 2 % len(SIZES)]
        kind = ("carpet", "groups")[number % 2]
        draw = on_carpet if kind == "carpet" else in_groups
        bgr, truth = render(draw(rng, props, size_px), rng)
        frame = Frame(FrameId(str(number)), bgr, datetime.now(UTC))
        yield count_backs(kind, bgr, truth, pipeline(frame))


def on_carpet(
    rng: np.random.Generator, props: Props, size_px: tuple[int, int]
) -> Scene:
    """Return a carpet from near."""
    long_px = float(rng.uniform(0.3, 0.6)) * max(size_px)
    room = np.array(size_px) / long_px * 88
    faces = [one_of(rng, list(props.deck.faces.values()))]
    if rng.random() < 0.5:
        faces.append(_back(rng, props))
    spots = rng.uniform(-0.4, 0.4, (len(faces), 2)) * room
    things = [
        thing_of(face, float(x), float(y), _angle(rng))
        for face, (x, y) in zip(faces, spots, strict=True)
    ]
    camera = draw_camera(rng, size_px, long_px, 50.0)
    return Scene(
        *size_px,
        camera,
        carpet(rng),
        things,
        (),
        draw_conditions(rng, 1.0),
        ground_mm=float(rng.uniform(300, 1000)),
    )


def in_groups(
    rng: np.random.Generator, props: Props, size_px: tuple[int, int]
) -> Scene:
    """Return a table of many cards, a share of them face down, all with one back."""
    long_px = (0.1 * max(size_px), 0.3 * max(size_px))
    scene = draw_scene(rng, props, size_px=size_px, card_px=long_px, tilt_deg=60.0)
    back, down = _back(rng, props), rng.uniform(0.3, 1)
    things = [
        replace(thing, face=back, width_mm=back.width_mm)
        if thing.face.kind is Kind.CARD and thing.is_truth and rng.random() < down
        else thing
        for thing in scene.things
    ]
    return replace(scene, things=things)


def _back(rng: np.random.Generator, props: Props) -> Face:
    own = [back for back in (props.deck.back, *props.backs) if back is not None]
    return one_of(rng, [*own, draw_back(rng), draw_medallion_back(rng)])


def _angle(rng: np.random.Generator) -> float:
    return float(rng.choice([0, 90]) + rng.normal(0, 12))


def count_backs(kind: str, bgr: Bgr, truth: Sequence[Truth], seen: Observation) -> Row:
    """Return how many of the cards face down are seen, and what is none."""
    flat = [t for t in truth if t.kind in {Kind.CARD, Kind.BACK} and t.visible > 0]
    placed = [p for p in seen.placements if p.kind in {Kind.CARD, Kind.BACK}]
    outlines = [seen_px(np.array(p.quad_px), bgr) for p in placed]
    backs = [
        seen_px(t.quad_px, bgr)
        for t in flat
        if t.kind is Kind.BACK and t.visible >= MOSTLY
    ]
    seen_backs = sum(any(quad_overlap(b, o) > OVERLAP for o in outlines) for b in backs)
    nameless = [np.array(p.quad_px) for p in placed if p.identity.label is None]
    ground = sum(_covered(quad, flat, bgr) < ON_IT for quad in nameless)
    return Row(kind, len(backs), seen_backs, ground)


def _covered(quad_px: Array, cards: Sequence[Truth], bgr: Bgr) -> float:
    """Return the share of an outline, as far as it is in the picture, on which cards
    lie."""
    inside, under = (np.zeros(bgr.shape[:2], np.uint8) for _ in range(2))
    cv2.fillConvexPoly(inside, quad_px.round().astype(np.int32), (1,))
    for card in cards:
        cv2.fillConvexPoly(under, card.quad_px.round().astype(np.int32), (1,))
    return float((inside & under).sum()) / max(float(inside.sum()), 1.0)


if __name__ == "__main__":
    main()
