"""Figures of a bench with their 95 % intervals, printed and kept as a table."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.types import Array


@dataclass(frozen=True, slots=True)
class Row:
    """One figure."""

    name: str
    value: float
    low: float
    high: float
    count: int
    target: str = ""

    def __str__(self) -> str:
        """Return it as a line."""
        return (
            f"{self.name:58s} {self.value:8.3f}  [{self.low:.3f}, {self.high:.3f}]"
            f"  n {self.count:5d}  {self.target}"
        )


def write_rows(path: Path, rows: Sequence[Row], command: str) -> None:
    """Write the figures as CSV; the last line says what they were made with."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["figure", "value", "low", "high", "count", "target"])
        for row in rows:
            figures = [f"{v:.4f}" for v in (row.value, row.low, row.high)]
            writer.writerow([row.name, *figures, row.count, row.target])
        writer.writerow([f"command: {command}", "", "", "", "", ""])


def share_row(name: str, held: Sequence[bool], target: str) -> Row:
    return binomial(name, sum(held), len(held), target)


def binomial(name: str, hits: int, count: int, target: str) -> Row:
    """Return a share with its Wilson interval."""
    if not count:
        return Row(name, math.nan, math.nan, math.nan, 0, target)
    z, p = 1.96, hits / count
    middle = (p + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(p * (1 - p) / count + z * z / (4 * count**2))
    half /= 1 + z * z / count
    return Row(name, p, max(middle - half, 0.0), min(middle + half, 1.0), count, target)


def rms_row(
    name: str, errors_by_picture: Mapping[int, Sequence[float]], target: str
) -> Row:
    """Return an RMS with an interval from pictures drawn again (bootstrap)."""
    squares = [np.square(errors) for errors in errors_by_picture.values()]
    mean = mean_row(name, squares, target)
    value, low, high = (math.sqrt(one) for one in (mean.value, mean.low, mean.high))
    return Row(name, value, low, high, mean.count, target)


def mean_row(name: str, groups: Sequence[Array], target: str) -> Row:
    """Return a mean with an interval from pictures drawn again (bootstrap): what is of
    one picture, a group, errs together."""
    if not groups:
        return Row(name, math.nan, math.nan, math.nan, 0, target)
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(400):
        chosen = rng.integers(len(groups), size=len(groups))
        drawn.append(np.concatenate([groups[i] for i in chosen]).mean())
    low, high = np.quantile(drawn, [0.025, 0.975])
    every = np.concatenate(groups)
    return Row(name, float(every.mean()), float(low), float(high), len(every), target)
