"""What the reader learns from: places in rendered pictures, and what they show."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import turned
from vision.quads import is_inside, quad_overlap
from vision.reading import BACK, NO_SUIT, NONE, RANKS, SUITS
from vision.types import Array, Bgr, Kind

MIN_CARD_PX = 36.0
MIN_INDEX_PX = 8.0
READABLE, HIDDEN = 0.8, 0.6
"""Least visible share of an index that can be told; below the other, none can."""
WHOLE = 0.95
"""From that visible share on all of an index is seen; of less, half a spade may pass
for a club, and at `READABLE` either suit of its colour is taught."""
SAME_COLOUR = {0: 3, 1: 2, 2: 1, 3: 0}
"""The other suit of a colour: clubs and spades, diamonds and hearts."""
AROUND, BESIDE = 0.3, 0.12
"""Least IoU of a detector's box around an index; below the other, it shows another
thing."""
ALONG = 0.8
"""Least cosine between a box around an index and the index, either way up."""
SHARES_FOUND = (0.1, 0.3)
"""Of what is drawn: boxes of a detector that show nothing to be read, and others."""

Truth: TypeAlias = "dict[str, Any]"
"""One thing as `vision.training.dataset` writes it."""
Box: TypeAlias = "Sequence[Any]"
"""Kind, score, corners."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One place in one picture, with what it shows."""

    image: int
    window_px: Array
    size_px: float
    rank: int
    suit: int
    is_index: bool
    box_px: Array | None = None
    """A detector's own box around it; `None` where one is to be made up."""
    suit_share: float = 1.0
    """How sure what is seen of it allows to be of the suit, and not of the other one of
    its colour."""


def samples_of(image: int, truth: Sequence[Truth]) -> Iterator[Sample]:
    """Yield what can be learnt from one picture's truth."""
    for item in truth:
        if item["kind"] not in {"card", "back"}:
            continue
        quad = np.asarray(item["quad_px"], float)
        tall = float(np.linalg.norm(quad[0] - quad[3]))
        visible = float(str(item["visible"]))
        indices = item["indices"]
        assert isinstance(indices, list)
        seen = [i for i in indices if i["visible"] >= READABLE]
        label = item["label"]
        rank, suit = _target(item)
        if visible >= 0.2 and tall >= 24:
            legible = visible >= 0.6 or (visible >= 0.3 and seen)
            if item["kind"] == "card" and label and not legible:
                continue  # not to be told: neither a card nor none
            if tall >= MIN_CARD_PX or rank in {BACK, NONE}:
                yield Sample(image, quad, tall, rank, suit, is_index=False)
        for index in seen:
            place = np.asarray(index["quad_px"], float)
            long_px = float(np.linalg.norm(place[0] - place[3]))
            if item["kind"] == "card" and long_px >= MIN_INDEX_PX:
                share = suit_share(index["visible"])
                yield Sample(
                    image, place, long_px, rank, suit, is_index=True, suit_share=share
                )


def suit_share(visible: float) -> float:
    """Return how sure of its suit an index can be of which that share is seen."""
    return min(1.0, 0.5 + 0.5 * (visible - READABLE) / (WHOLE - READABLE))


def _target(item: Truth) -> tuple[int, int]:
    if item["kind"] == "back":
        return BACK, NO_SUIT
    label = item["label"]
    if label is None:
        return NONE, NO_SUIT
    if label == "X":
        return RANKS.index("X"), NO_SUIT
    text = str(label)
    return RANKS.index(text[:-1]), SUITS.index(text[-1])


def suits_of(suit: int, share: float) -> NDArray[np.float32]:
    """Return (5,) how likely each suit is, where `share` speaks for this one and the
    rest for the other one of its colour."""
    likely = np.zeros(len(SUITS), np.float32)
    likely[SAME_COLOUR.get(suit, suit)] = 1 - share
    likely[suit] += share
    return likely


def samples_found(
    image: int, truth: Sequence[Truth], boxes: Sequence[Box]
) -> Iterator[Sample]:
    """Yield what a detector's boxes of indices (`vision.training.found`) show: a card's
    index, or nothing that can be read; those of which the truth does not say, not."""
    there = [
        (np.asarray(index["quad_px"], float), float(index["visible"]), _target(item))
        for item in truth
        if item["label"]
        for index in item["indices"]
    ]
    for kind, _, corners in boxes:
        box = np.asarray(corners, float)
        tall = float(np.linalg.norm(box[0] - box[3]))
        if kind != Kind.INDEX or tall < MIN_INDEX_PX:
            continue
        shares = [quad_overlap(box, index) for index, _, _ in there]
        best = int(np.argmax(shares)) if shares else -1
        if not shares or shares[best] < BESIDE or there[best][1] < HIDDEN:
            if _is_told(truth, box):
                yield Sample(image, box, tall, NONE, NO_SUIT, is_index=True, box_px=box)
            continue
        index, visible, (rank, suit) = there[best]
        up = _same_way(box, index)
        if shares[best] > AROUND and visible >= READABLE and up is not None:
            yield Sample(
                image,
                index,
                tall,
                rank,
                suit,
                is_index=True,
                box_px=up,
                suit_share=suit_share(visible),
            )


def _same_way(box_px: Array, index_px: Array) -> Array | None:
    """Return the box the way up that the index is; `None` if it lies across."""
    down, own = box_px[3] - box_px[0], index_px[3] - index_px[0]
    cosine = float(down @ own) / max(float(np.hypot(*down) * np.hypot(*own)), 1e-9)
    if abs(cosine) < ALONG:
        return None
    return box_px if cosine > 0 else turned(box_px)


def _is_told(truth: Sequence[Truth], box_px: Array) -> bool:
    """Return whether the truth says where the card in the middle of a box, if there is
    one, has its indices; of some decks it does not."""
    middle = box_px.mean(0)
    under = [t for t in truth if is_inside(np.asarray(t["quad_px"]), middle)]
    top = max(under, key=lambda item: int(item["order"]), default=None)
    if top is None or top["kind"] != "card" or top["label"] in {None, "X"}:
        return True
    return bool(top["indices"])


def load(folders: Sequence[Path], split: str) -> tuple[list[Bgr], list[Sample]]:
    """Return all pictures of a split of some data sets and the samples in them, and in
    the boxes that a detector found where there are such."""
    pictures: list[Bgr] = []
    samples: list[Sample] = []
    for folder in folders:
        found = _found(folder / f"found-{split}.jsonl")
        text = (folder / f"truth-{split}.jsonl").read_text("utf-8")
        for row in map(json.loads, text.splitlines()):
            path = folder / "images" / split / f"{row['image']}.jpg"
            bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if bgr is None:
                raise FileNotFoundError(path)
            number, truth = len(pictures), row["truth"]
            pictures.append(np.asarray(bgr, np.uint8))
            samples += samples_of(number, truth)
            samples += samples_found(number, truth, found.get(row["image"], ()))
    return pictures, samples


def _found(path: Path) -> Mapping[str, Sequence[Box]]:
    if not path.exists():
        return {}
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {row["image"]: row["found"] for row in rows}


def sampling_odds(samples: Sequence[Sample]) -> NDArray[np.float64]:
    """Return how often each sample is drawn: small ones, of which there are most and
    from which least can be learnt, more rarely; a detector's own boxes by shares."""
    tall = np.array([s.size_px * (5 if s.is_index else 1) for s in samples])
    weight = np.clip(tall / 110, 0.15, 1.0)
    is_found = np.array([s.box_px is not None for s in samples])
    is_none = is_found & np.array([s.rank == NONE for s in samples])
    groups = (is_none, is_found & ~is_none, ~is_found)
    wanted = [*SHARES_FOUND, 1 - sum(SHARES_FOUND)]
    for group, share in zip(groups, wanted, strict=True):
        if group.any():
            weight[group] *= share / weight[group].sum()
    return np.asarray(weight / weight.sum(), float)
