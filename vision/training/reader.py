"""Trains the reader: which card does a crop show, whole or by its corner index?

    python -m vision.training.reader DATA OUT --minutes 40

DATA is a folder of `vision.training.dataset`. One small network answers for whole
cards and for corner indices. Rank and suit are two heads, because ranks and suits are
what all decks share; "back" and "none" are ranks of their own. A third head says where
the card or index really lies in the crop, which was cut by a detector's box.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn, optim
from torch.nn import functional

from vision.crops import CROP_HEIGHT, CROP_WIDTH, card_window, cut, index_window, turned
from vision.quads import UNIT_CORNERS, on_quad
from vision.reading import BACK, NO_SUIT, NONE, OUTPUTS, RANKS, SUITS
from vision.training.thaw import thaw
from vision.types import Array, Bgr

BATCH = 96
RATE = 1.5e-3
KEPT = 0.998
"""Share of the averaged weights that stays at each step; they are what is saved."""
STRETCHED = 0.35
SPREADS, SPREAD_ODDS = (0.01, 0.035, 0.065, 0.12), (0.25, 0.3, 0.3, 0.15)
"""How far a detector's box is off, in shares of a card; of an index, twice as much."""
TURN, INDEX_TURNS, INDEX_TURN_ODDS = 0.04, (0.04, 0.12, 0.3), (0.5, 0.3, 0.2)
"""How far it is turned, in radians: that of an index, on fans, in a tenth of cases by
more than eleven degrees."""
CORNERS_WEIGHT, CORNERS_BEND = 4.0, 0.02
"""Of the loss of the corners; it bends from square to straight at so large an error."""
MIN_CARD_PX = 36.0
MIN_INDEX_PX = 8.0


class Reader(nn.Module):
    """A (N, 3, 112, 80) BGR batch in [0, 1] -> (N, 16) rank and (N, 5) suit logits, and
    (N, 8): how far right and down of the crop's corners, in shares of the crop, those
    of the window are that should have been cut."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 16, stride=2),
            _conv(16, 32, stride=2),
            _Residual(32),
            _conv(32, 64, stride=2),
            _Residual(64),
            _Residual(64),
            _conv(64, 128, stride=2),
            _Residual(128),
            _Residual(128),
        )
        self.squeeze = nn.Conv2d(128, 48, 1)
        self.mix = nn.Sequential(
            nn.Flatten(), nn.Linear(48 * 7 * 5, 192), nn.ReLU(), nn.Dropout(0.2)
        )
        self.rank = nn.Linear(192, len(RANKS))
        self.suit = nn.Linear(192, len(SUITS))
        self.corners = nn.Linear(192, 8)

    def forward(
        self, crops: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        mixed = self.mix(functional.relu(self.squeeze(self.body(crops))))
        return self.rank(mixed), self.suit(mixed), self.corners(mixed)


def _conv(inputs: int, outputs: int, *, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _conv(channels, channels)
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return functional.relu(values + self.second(self.first(values)))


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One place in one picture, with what it shows."""

    image: int
    window_px: Array
    size_px: float
    rank: int
    suit: int
    is_index: bool


def samples_of(image: int, truth: Sequence[dict[str, object]]) -> Iterator[Sample]:
    """Yield what can be learnt from one picture's truth."""
    for item in truth:
        if item["kind"] not in {"card", "back"}:
            continue
        quad = np.asarray(item["quad_px"], float)
        tall = float(np.linalg.norm(quad[0] - quad[3]))
        visible = float(str(item["visible"]))
        indices = item["indices"]
        assert isinstance(indices, list)
        seen = [i for i in indices if i["visible"] >= 0.8]
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
            if label and long_px >= MIN_INDEX_PX:
                yield Sample(image, place, long_px, rank, suit, is_index=True)


def _target(item: dict[str, object]) -> tuple[int, int]:
    if item["kind"] == "back":
        return BACK, NO_SUIT
    label = item["label"]
    if label is None:
        return NONE, NO_SUIT
    if label == "X":
        return RANKS.index("X"), NO_SUIT
    text = str(label)
    return RANKS.index(text[:-1]), SUITS.index(text[-1])


def jittered(rng: np.random.Generator, sample: Sample) -> Array:
    """Return the window that a detector might have given for the sample."""
    quad = sample.window_px
    if rng.random() < 0.5:
        quad = _boxed(quad)
    right, down = quad[1] - quad[0], quad[3] - quad[0]
    size = float(np.hypot(*right))
    spread = rng.choice(SPREADS, p=SPREAD_ODDS)
    turn = rng.normal(0, TURN)
    if sample.is_index:
        spread *= 2
        turn = rng.normal(0, rng.choice(INDEX_TURNS, p=INDEX_TURN_ODDS))
    move = rng.normal(0, spread, 2) @ np.array([right, down])
    grow = 1 + rng.normal(0, spread * 1.5)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    middle = quad.mean(0)
    quad = (quad - middle) @ rotation.T * grow + middle + move
    if rng.random() < STRETCHED:
        quad = stretched(rng, quad)
    quad = quad + rng.normal(0, spread * 0.5 * size, (4, 2))
    return index_window(quad) if sample.is_index else card_window(quad)


def stretched(rng: np.random.Generator, quad: Array) -> Array:
    """Return the window broader or slimmer, and leaning: as other decks print."""
    broad, lean = np.exp(rng.normal(0, 0.12)), rng.normal(0, 0.07)
    middle = quad.mean(0)
    right = (quad[1] + quad[2] - quad[0] - quad[3]) / 4 * broad
    down = (quad[3] + quad[2] - quad[0] - quad[1]) / 4
    down = down + right * lean
    return np.asarray(
        middle + np.array([-right - down, right - down, right + down, down - right])
    )


def _boxed(quad: Array) -> Array:
    """Return the oriented rectangle around a quad, from the corner nearest its own."""
    box = np.asarray(cv2.boxPoints(cv2.minAreaRect(quad.astype(np.float32))), float)
    if _turn(box) * _turn(quad) < 0:
        box = box[::-1]
    first = int(np.argmin(np.linalg.norm(box - quad[0], axis=1)))
    return np.roll(box, -first, axis=0)


def _turn(quad: Array) -> float:
    """Return a number whose sign says which way round the corners go."""
    (ax, ay), (bx, by) = quad[1] - quad[0], quad[2] - quad[1]
    return float(ax * by - ay * bx)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A crop as a detector might have cut it, and what it shows."""

    crop: Bgr
    rank: int
    suit: int
    corners: Array | None = None
    """(8,) as the network should say them; `None` where there is nothing to say."""


def draw_sample(
    rng: np.random.Generator, pictures: Sequence[Bgr], sample: Sample
) -> Drawn:
    """Return a crop of the sample, or of no card or index at all."""
    bgr = pictures[sample.image]
    if rng.random() < 0.12:
        return Drawn(degraded(rng, cut(bgr, _nothing(rng, bgr, sample))), NONE, NO_SUIT)
    window, meant = jittered(rng, sample), meant_window(sample)
    if sample.is_index and rng.random() < 0.15:
        return Drawn(degraded(rng, cut(bgr, turned(window))), NONE, NO_SUIT)
    if not sample.is_index and rng.random() < 0.5:
        window, meant = turned(window), turned(meant)
    corners = None if sample.rank == NONE else off_corners(window, meant)
    return Drawn(degraded(rng, cut(bgr, window)), sample.rank, sample.suit, corners)


def meant_window(sample: Sample) -> Array:
    """Return the window that an exact detector would have given."""
    make = index_window if sample.is_index else card_window
    return make(sample.window_px)


def off_corners(window_px: Array, meant_px: Array) -> Array:
    """Return (8,) where the corners of the window meant are, from those of the window
    cut, in its shares; what is more than one window off is as good as that."""
    off = on_quad(window_px, meant_px) - UNIT_CORNERS
    return np.asarray(np.clip(off, -1, 1).ravel(), float)


def _nothing(rng: np.random.Generator, bgr: Bgr, sample: Sample) -> Array:
    """Return a window that shows no card and no index in its middle."""
    middle = sample.window_px.mean(0)
    kind = rng.integers(3)
    if kind == 0:  # anywhere
        middle = rng.uniform(0, bgr.shape[0], 2)
        height = float(np.exp(rng.uniform(np.log(20), np.log(200))))
        turn = rng.uniform(0, 2 * np.pi)
    elif kind == 1 and not sample.is_index:  # a part of a card, askew
        height = sample.size_px * rng.uniform(0.2, 0.45)
        turn = rng.uniform(0, 2 * np.pi)
        middle = middle + rng.normal(0, sample.size_px * 0.08, 2)
    else:  # lying across
        edge = sample.window_px[3] - sample.window_px[0]
        turn = (
            np.arctan2(edge[1], edge[0])
            - np.pi / 2
            + rng.choice([-1, 1]) * (np.pi / 2 + rng.normal(0, 0.2))
        )
        height = sample.size_px * rng.uniform(0.7, 1.4)
    half = height / 2
    box = np.array([[-0.71, -1], [0.71, -1], [0.71, 1], [-0.71, 1]]) * half
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(box @ np.array([[c, s], [-s, c]]) + middle, float)


def degraded(rng: np.random.Generator, crop: Bgr) -> Bgr:
    """Return the crop in other light and less sharp."""
    if rng.random() < 0.3:
        factor = rng.uniform(1.2, 2.6)
        size = (int(CROP_WIDTH / factor), int(CROP_HEIGHT / factor))
        small = cv2.resize(crop, size, interpolation=cv2.INTER_AREA)
        crop = np.asarray(cv2.resize(small, (CROP_WIDTH, CROP_HEIGHT)), np.uint8)
    if rng.random() < 0.2:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.5, 1.6))))
    if rng.random() < 0.7:
        gain = np.exp(rng.normal(0, 0.15)) * (1 + rng.normal(0, 0.06, 3))
        table = np.arange(256)[:, None] / 255.0
        table = np.clip(table ** np.exp(rng.normal(0, 0.2)) * gain * 255, 0, 255)
        crop = np.asarray(cv2.LUT(crop, table.astype(np.uint8)[None]), np.uint8)
    return crop


def load(folder: Path, split: str) -> tuple[list[Bgr], list[Sample]]:
    """Return all pictures of a split and the samples in them."""
    pictures: list[Bgr] = []
    samples: list[Sample] = []
    with (folder / f"truth-{split}.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            path = folder / "images" / split / f"{row['image']}.jpg"
            bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if bgr is None:
                raise FileNotFoundError(path)
            pictures.append(np.asarray(bgr, np.uint8))
            samples += samples_of(number, row["truth"])
    return pictures, samples


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Crops (N, 3, 112, 80), ranks (N,), suits (N,), corners (N, 8), NaN where there
    are none."""

    crops: torch.Tensor
    ranks: torch.Tensor
    suits: torch.Tensor
    corners: torch.Tensor


def batch(
    rng: np.random.Generator, pictures: Sequence[Bgr], samples: Sequence[Sample]
) -> Batch:
    """Return one drawn crop of each sample."""
    drawn = [draw_sample(rng, pictures, sample) for sample in samples]
    nowhere = np.full(8, np.nan)
    corners = [nowhere if d.corners is None else d.corners for d in drawn]
    return Batch(
        as_input(np.stack([d.crop for d in drawn])),
        torch.tensor([d.rank for d in drawn]),
        torch.tensor([d.suit for d in drawn]),
        torch.from_numpy(np.array(corners, np.float32)),
    )


def as_input(crops: NDArray[np.uint8]) -> torch.Tensor:
    """Return (N, H, W, 3) crops as the network takes them."""
    return torch.from_numpy(crops).permute(0, 3, 1, 2).float() / 255


def train(
    data: Path,
    out: Path,
    *,
    minutes: float,
    threads: int,
    seed: int = 0,
    start: Path | None = None,
    rate: float = RATE,
) -> Reader:
    """Train for `minutes` on `data`; write `reader.pt` and `reader.onnx` into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(threads)
    cv2.setNumThreads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    pictures, samples = load(data, "train")
    print(f"{len(pictures)} pictures, {len(samples)} samples", flush=True)
    odds = sampling_odds(samples)
    model = Reader()
    if start is not None and start.suffix == ".onnx":
        chosen = rng.choice(len(samples), (8, BATCH), p=odds)
        looks = [
            batch(rng, pictures, [samples[i] for i in row]).crops for row in chosen
        ]
        thaw(model, start, looks, fresh=("corners",))
    elif start is not None:
        model.load_state_dict(torch.load(start, weights_only=True))
    model.to(memory_format=torch.channels_last)
    average = optim.swa_utils.AveragedModel(
        model, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(KEPT), use_buffers=True
    )
    optimizer = optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    begun, step, mean = time.monotonic(), 0, 0.0
    while (passed := (time.monotonic() - begun) / (60 * minutes)) < 1:
        now = rate * min(1, (step + 1) / 100) * (0.01 + 0.99 * (1 - passed))
        for group in optimizer.param_groups:
            group["lr"] = now
        chosen = rng.choice(len(samples), BATCH, p=odds)
        drawn = batch(rng, pictures, [samples[i] for i in chosen])
        loss = _step(model, optimizer, drawn)
        average.update_parameters(model)
        mean += 0.02 * (loss - mean) if step else loss
        step += 1
        if step % 100 == 0:
            print(f"step {step} {passed:.0%} loss {mean:.3f}", flush=True)
        if step % 1000 == 0:
            save(average.module, out)
    save(average.module, out)
    print(f"{step * BATCH} crops seen", flush=True)
    trained: Reader = average.module
    return trained


def sampling_odds(samples: Sequence[Sample]) -> NDArray[np.float64]:
    """Return how often each sample is drawn: small ones, of which there are most and
    from which least can be learnt, more rarely."""
    tall = np.array([s.size_px * (5 if s.is_index else 1) for s in samples])
    weight = np.clip(tall / 110, 0.15, 1.0)
    return np.asarray(weight / weight.sum(), float)


def _step(model: Reader, optimizer: optim.Optimizer, drawn: Batch) -> float:
    model.train()
    optimizer.zero_grad()
    crops = drawn.crops.to(memory_format=torch.channels_last)
    with torch.autocast("cpu", torch.bfloat16):
        ranks, suits, corners = model(crops)
    loss = (
        functional.cross_entropy(ranks.float(), drawn.ranks, label_smoothing=0.02)
        + functional.cross_entropy(suits.float(), drawn.suits, label_smoothing=0.02)
        + CORNERS_WEIGHT * corners_loss(corners.float(), drawn.corners)
    )
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 2.0)
    optimizer.step()
    return float(loss.detach())


def corners_loss(said: torch.Tensor, meant: torch.Tensor) -> torch.Tensor:
    """Return the mean error of the corners of those crops that have any."""
    there = ~meant.isnan().any(1)
    return functional.smooth_l1_loss(said[there], meant[there], beta=CORNERS_BEND)


def save(model: Reader, out: Path) -> None:
    """Write the weights and the ONNX file."""
    torch.save(model.state_dict(), out / "reader.pt")
    model.eval()
    example = torch.zeros(1, 3, CROP_HEIGHT, CROP_WIDTH)
    torch.onnx.export(
        model,
        (example,),
        str(out / "reader.onnx"),
        input_names=["crops"],
        output_names=list(OUTPUTS),
        dynamic_axes={name: {0: "n"} for name in ("crops", *OUTPUTS)},
        opset_version=17,
        dynamo=False,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and export; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=40.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="go on from these (.pt, .onnx)")
    parser.add_argument("--rate", type=float, default=RATE)
    options = parser.parse_args(arguments)
    train(
        options.data,
        options.out,
        minutes=options.minutes,
        threads=options.threads,
        seed=options.seed,
        start=options.start,
        rate=options.rate,
    )


if __name__ == "__main__":
    main()
