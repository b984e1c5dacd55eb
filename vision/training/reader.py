"""Trains the reader: which card does a crop show, whole or by its corner index?

    python -m vision.training.reader DATA OUT --minutes 40

DATA is a folder of `vision.training.dataset`, or several. One small network answers for
whole cards and for corner indices. Rank and suit are two heads, because ranks and suits
are what all decks share; "back" and "none" are ranks of their own. A third head says
where the card or index really lies in the crop, which was cut by a detector's box.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn, optim
from torch.nn import functional

from vision.crops import CROP_HEIGHT, CROP_WIDTH
from vision.reading import OUTPUTS, RANKS, SUITS
from vision.training.drawing import draw_sample
from vision.training.samples import Sample, load, sampling_odds, suits_of
from vision.training.thaw import thaw
from vision.types import Bgr

BATCH = 96
RATE = 1.5e-3
KEPT = 0.998
"""Share of the averaged weights that stays at each step; they are what is saved."""
CORNERS_WEIGHT, CORNERS_BEND = 4.0, 0.02
"""Of the loss of the corners; it bends from square to straight at so large an error."""


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
class Batch:
    """Crops (N, 3, 112, 80), ranks (N,), likelihoods of suits (N, 5), corners (N, 8),
    NaN where there are none."""

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
        torch.from_numpy(np.stack([suits_of(d.suit, d.suit_share) for d in drawn])),
        torch.from_numpy(np.array(corners, np.float32)),
    )


def _batches(
    rng: np.random.Generator, pictures: Sequence[Bgr], samples: Sequence[Sample]
) -> Iterator[Batch]:
    """Yield batches without end, each drawn while the one before is learnt from."""
    odds = sampling_odds(samples)

    def draw() -> Batch:
        chosen = rng.choice(len(samples), BATCH, p=odds)
        return batch(rng, pictures, [samples[i] for i in chosen])

    with ThreadPoolExecutor(1) as aside:
        coming = aside.submit(draw)
        while True:
            drawn = coming.result()
            coming = aside.submit(draw)
            yield drawn


def as_input(crops: NDArray[np.uint8]) -> torch.Tensor:
    """Return (N, H, W, 3) crops as the network takes them."""
    return torch.from_numpy(crops).permute(0, 3, 1, 2).float() / 255


def train(
    data: Sequence[Path],
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
    model = Reader()
    if start is not None and start.suffix == ".onnx":
        looks = [b.crops for b in islice(_batches(rng, pictures, samples), 8)]
        thaw(model, start, looks, fresh=("corners",))
    elif start is not None:
        model.load_state_dict(torch.load(start, weights_only=True))
    model.to(memory_format=torch.channels_last)
    average = optim.swa_utils.AveragedModel(
        model, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(KEPT), use_buffers=True
    )
    optimizer = optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    begun, step, mean = time.monotonic(), 0, 0.0
    for drawn in _batches(rng, pictures, samples):
        passed = (time.monotonic() - begun) / (60 * minutes)
        if passed >= 1:
            break
        now = rate * min(1, (step + 1) / 100) * (0.01 + 0.99 * (1 - passed))
        for group in optimizer.param_groups:
            group["lr"] = now
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
    parser.add_argument("data", type=Path, nargs="+")
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
