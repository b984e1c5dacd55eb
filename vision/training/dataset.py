"""Renders a training set: pictures, labels for the detector, truth for the reader.

    python -m vision.training.dataset OUT --count 12000 --seed 1 --decks DIR ...

Everything follows from the seed. The folder holds `images/{train,val}/*.jpg`,
`labels/{train,val}/*.txt` in YOLO-OBB form, `truth-{train,val}.jsonl` and `data.yaml`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from vision.scene.art import Deck, Face, load_deck
from vision.scene.backs import draw_medallion_back
from vision.scene.chance import one_of
from vision.scene.custom import draw_numbered_card
from vision.scene.faces import draw_deck
from vision.scene.framed import draw_framed_deck
from vision.scene.ground import draw_ground, load_textures, patterned
from vision.scene.painting import painting
from vision.scene.render import Truth, render
from vision.scene.tables import Props, draw_scene
from vision.types import Array, Bgr, Kind

CLASSES = (Kind.CARD, Kind.BACK, Kind.INDEX, Kind.DISC, Kind.HAND)
HELD_OUT_DECKS = ("knoll", "gnome_tigullio", "gnome_plastic", "kde_jolly-royal")
HELD_OUT_TEXTURES = (
    "gimp_pine.jpg",
    "gimp_burlap.jpg",
    "gimp_marble2.jpg",
    "gimp_wood3.jpg",
    "nexuiz_carpet_drty.jpg",
    "openarena_wood01.jpg",
    "sh3d_oldWoodenFloor.jpg",
    "skimage_grass.jpg",
)
"""Never seen in training; the rendered test tables are made of these."""

MIN_VISIBLE_CARD = 0.3
MIN_VISIBLE_INDEX = 0.8
MIN_INDEX_PX = 8.0
SCENES_PER_DECK = 8
GROUNDS_PER_DECK = 4
SHARE_OF_REAL_DECKS = 0.36
"""The others are drawn: there are few real ones, soon learnt by heart."""
MOTLEY = 0.7
"""So many of the drawn decks have a style of its own on each card."""
PATTERNED, PAINTED = 0.18, 0.12
"""So many of the grounds that are learnt from are printed cloth, and mats with a
painting."""
SHARE_OF_CUSTOM, FRAMED, FACES = 0.5, 0.65, 6
"""So many of the tables that are learnt from have cards of no standard deck; so many of
their decks have pictures in frames, the others signs in their corners; and so many
faces are drawn of each."""
MEDALLIONS = 3
"""So many backs with medallions are drawn for each deck."""
SIZE_PX = 320
CARD_PX = (30.0, 480.0)
TILT_DEG = 64.0
"""Players photograph from their seats: lower than the tables of the tests."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Folders of art to render with; `None` where there is none."""

    decks: Path | None
    textures: Path | None
    fonts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """A block of scenes that share a deck."""

    out: Path
    split: str
    first: int
    count: int
    seed: int
    sources: Sources


def main(arguments: Sequence[str] | None = None) -> None:
    """Render a data set; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=12_000)
    parser.add_argument("--val", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decks", type=Path)
    parser.add_argument("--textures", type=Path)
    parser.add_argument("--fonts", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    sources = Sources(options.decks, options.textures, find_fonts(options.fonts))
    make_dataset(
        options.out,
        sources,
        counts={"train": options.count, "val": options.val},
        seed=options.seed,
        workers=options.workers,
    )


def find_fonts(folder: Path | None) -> tuple[str, ...]:
    """Return the font files below `folder`, or OpenCV's own font."""
    if folder is None:
        return ("sans",)
    files = [p for p in folder.rglob("*") if p.suffix.lower() in {".ttf", ".otf"}]
    skipped = ("Noto", "Math", "Symbol", "Dingbats", "Emoji", "D050000L", "Opens")
    latin = ("NotoSans-", "NotoSerif-", "NotoMono", "NotoSansDisplay", "NotoSerifDisp")
    kept = [
        str(p)
        for p in sorted(files)
        if not any(word in p.name for word in skipped) or p.name.startswith(latin)
    ]
    return tuple(kept) or ("sans",)


def make_dataset(
    out: Path, sources: Sources, *, counts: dict[str, int], seed: int, workers: int
) -> None:
    """Render `counts[split]` pictures per split into `out`."""
    jobs = [
        Job(out, split, first, min(SCENES_PER_DECK, count - first), seed, sources)
        for split, count in counts.items()
        for first in range(0, count, SCENES_PER_DECK)
    ]
    for split in counts:
        (out / "images" / split).mkdir(parents=True, exist_ok=True)
        (out / "labels" / split).mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[str]] = {split: [] for split in counts}
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for number, (split, block) in enumerate(pool.imap(run_job, jobs), 1):
            lines[split] += block
            if number % 50 == 0:
                print(f"{number} of {len(jobs)} blocks", flush=True)
    for split, rows in lines.items():
        (out / f"truth-{split}.jsonl").write_text("".join(rows), "utf-8")
    names = "".join(f"  {i}: {kind}\n" for i, kind in enumerate(CLASSES))
    (out / "data.yaml").write_text(
        f"path: {out.resolve()}\ntrain: images/train\nval: images/val\nnames:\n{names}"
    )


def run_job(job: Job) -> tuple[str, list[str]]:
    """Render one block; return its split and one line of truth per picture."""
    cv2.setNumThreads(1)
    split_key = int.from_bytes(hashlib.sha256(job.split.encode()).digest()[:4], "big")
    rng = np.random.default_rng([job.seed, split_key, job.first])
    props = draw_props(rng, job.sources, held_out=job.split != "train")
    lines = []
    for number in range(job.first, job.first + job.count):
        scene = draw_scene(
            rng,
            props,
            size_px=(SIZE_PX, SIZE_PX),
            card_px=CARD_PX,
            tilt_deg=TILT_DEG,
        )
        bgr, truth = render(scene, rng)
        name = f"{number:06d}"
        quality = int(rng.integers(55, 96))
        cv2.imwrite(
            str(job.out / "images" / job.split / f"{name}.jpg"),
            bgr,
            [cv2.IMWRITE_JPEG_QUALITY, quality],
        )
        rows = list(labels(truth, SIZE_PX))
        (job.out / "labels" / job.split / f"{name}.txt").write_text("".join(rows))
        lines.append(json.dumps({"image": name, "truth": plain_truth(truth)}) + "\n")
    return job.split, lines


def draw_props(rng: np.random.Generator, sources: Sources, *, held_out: bool) -> Props:
    """Return a random deck with grounds; held-out art only, or none of it."""
    names = deck_names(sources.decks, held_out=held_out)
    textures = _textures(sources.textures, held_out=held_out)
    if names and rng.random() < (1.0 if held_out else SHARE_OF_REAL_DECKS):
        assert sources.decks is not None
        deck = load_deck(sources.decks / one_of(rng, names))
        deck = vary(rng, deck)
    else:
        fonts = sources.fonts
        courts = _courts(rng, sources.decks, held_out=held_out)
        motley = not held_out and rng.random() < MOTLEY
        deck = draw_deck(rng, fonts, courts, motley=motley)
    pictures = _courts(rng, sources.decks, held_out=held_out) + list(textures[:8])
    backs = _backs(rng, sources.decks, held_out=held_out)
    grounds = [draw_ground(rng, textures) for _ in range(GROUNDS_PER_DECK)]
    props = Props(deck, sources.fonts, grounds, pictures, backs)
    return props if held_out else _harder(rng, props)


def _harder(rng: np.random.Generator, props: Props) -> Props:
    """Return the props with what a detector has to have met, and tests stay without:
    printed cloth and mats, more cards of no standard deck, backs with medallions."""
    grounds = [_printed(rng, ground, props.pictures) for ground in props.grounds]
    if rng.random() < FRAMED:
        custom = draw_framed_deck(rng, props.fonts, props.pictures, FACES)
    else:
        custom = tuple(draw_numbered_card(rng, props.fonts) for _ in range(FACES))
    backs = (*props.backs, *(draw_medallion_back(rng) for _ in range(MEDALLIONS)))
    return replace(
        props,
        grounds=grounds,
        backs=backs,
        share_of_custom=SHARE_OF_CUSTOM,
        custom=custom,
    )


def _printed(rng: np.random.Generator, ground: Bgr, pictures: Sequence[Bgr]) -> Bgr:
    """Return a ground, or one that is printed instead."""
    way = rng.random()
    if way < PATTERNED:
        return patterned(rng)
    if way < PATTERNED + PAINTED:
        height, width = ground.shape[:2]
        return painting(rng, width, height, pictures)
    return ground


def vary(rng: np.random.Generator, deck: Deck) -> Deck:
    """Return the deck on slightly other paper and in slightly other inks."""
    if rng.random() < 0.4:
        return deck
    gain = rng.uniform(0.88, 1.04, 3)
    lift = rng.uniform(0, 14)

    def print_again(face: Face) -> Face:
        alpha = face.bgra[..., 3:].astype(np.float32) / 255
        colour = np.clip(face.bgra[..., :3] * gain + lift * alpha, 0, 255)
        colour = np.minimum(colour, face.bgra[..., 3:])
        return replace(
            face, bgra=np.dstack([colour.astype(np.uint8), face.bgra[..., 3]])
        )

    return Deck(
        deck.name,
        {label: print_again(face) for label, face in deck.faces.items()},
        deck.back,
        tuple(print_again(face) for face in deck.jokers),
    )


def deck_names(folder: Path | None, *, held_out: bool) -> list[str]:
    """Return the names of the decks of this side of the split, sorted."""
    if folder is None:
        return []
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.is_dir() and (path.name in HELD_OUT_DECKS) is held_out
    )


@cache
def _textures(folder: Path | None, *, held_out: bool) -> tuple[Bgr, ...]:
    if folder is None:
        return ()
    names = [p.name for p in folder.glob("*.jpg")]
    return load_textures(
        folder, [n for n in names if (n in HELD_OUT_TEXTURES) is held_out]
    )


def _courts(
    rng: np.random.Generator, folder: Path | None, *, held_out: bool
) -> list[Bgr]:
    names = deck_names(folder, held_out=held_out)
    courts: list[Bgr] = []
    for _ in range(5 if names else 0):
        assert folder is not None
        deck = one_of(rng, names)
        rank, suit = rng.choice(list("JQK")), rng.choice(list("SHDC"))
        art = cv2.imread(str(folder / deck / f"{rank}{suit}.png"), cv2.IMREAD_COLOR)
        if art is not None:
            h, w = art.shape[:2]
            middle = art[int(h * 0.1) : int(h * 0.9), int(w * 0.2) : int(w * 0.8)]
            courts.append(np.asarray(middle, np.uint8))
    return courts


def _backs(
    rng: np.random.Generator, folder: Path | None, *, held_out: bool
) -> tuple[Face, ...]:
    names = deck_names(folder, held_out=held_out)
    if not names:
        return ()
    assert folder is not None
    path = folder / one_of(rng, names) / "BACK.png"
    if not path.exists():
        return ()
    raw = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if raw is None:
        return ()
    art = np.dstack([raw, np.full(raw.shape[:2], 255, np.uint8)])
    return (Face(Kind.BACK, None, np.asarray(art, np.uint8)),)


def labels(truth: Sequence[Truth], size_px: int) -> Iterator[str]:
    """Yield the YOLO-OBB lines of one picture: class and four corners in [0, 1]."""
    for item in truth:
        least = 0.02 if item.kind is Kind.HAND else MIN_VISIBLE_CARD
        if item.visible >= least:
            yield from _line(item.kind, item.outline_px, size_px)
        for index in item.indices:
            long_px = float(np.linalg.norm(index.quad_px[0] - index.quad_px[3]))
            if index.visible >= MIN_VISIBLE_INDEX and long_px >= MIN_INDEX_PX:
                yield from _line(Kind.INDEX, index.quad_px, size_px)


def _line(kind: Kind, outline_px: Array, size_px: int) -> Iterator[str]:
    frame = np.array([[0, 0], [size_px, 0], [size_px, size_px], [0, size_px]])
    hull = cv2.convexHull(outline_px.astype(np.float32))
    area, inside = cv2.intersectConvexConvex(hull, frame.astype(np.float32))
    if area < 12 or inside is None:
        return
    corners = cv2.boxPoints(cv2.minAreaRect(inside.reshape(-1, 2)))
    values = (corners / size_px).clip(0, 1).ravel()
    yield f"{CLASSES.index(kind)} " + " ".join(f"{v:.5f}" for v in values) + "\n"


def plain_truth(truth: Sequence[Truth]) -> list[dict[str, object]]:
    """Return the truth as JSON values, px rounded to a hundredth."""
    return [
        {
            "kind": item.kind.value,
            "label": item.label,
            "visible": round(item.visible, 3),
            "order": item.order,
            "quad_px": item.quad_px.round(2).tolist(),
            "indices": [
                {"quad_px": i.quad_px.round(2).tolist(), "visible": round(i.visible, 3)}
                for i in item.indices
            ],
        }
        for item in truth
    ]


if __name__ == "__main__":
    main()
