"""Medians of many rows at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.types import Array


def middle_of(values: Array) -> Array:
    """Return the medians along the last axis; for some dozens of numbers sorting is
    three times as fast as numpy's own."""
    ordered, count = np.sort(values, axis=-1), values.shape[-1]
    middle = (ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2
    return np.asarray(middle, float)


def median_of(values: Array, known: NDArray[np.bool_], *, default: float) -> Array:
    """Return (P,) the medians of the known values of each row; numpy's own that leaves
    out what is unknown takes ten times as long."""
    rows, counts = np.arange(len(values)), known.sum(axis=1)
    ordered = np.sort(np.where(known, values, np.inf), axis=1)
    middle = (ordered[rows, (counts - 1) // 2] + ordered[rows, counts // 2]) / 2
    return np.where(counts > 0, middle, default)
