"""Drawing lots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def one_of(rng: np.random.Generator, things: Sequence[T]) -> T:
    """Return one of `things`, each as likely as the other."""
    return things[int(rng.integers(len(things)))]
