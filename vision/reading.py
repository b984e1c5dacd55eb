"""What the reader says of one crop: probabilities over the cards of a standard deck."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from vision.crops import cut
from vision.models import Manifest
from vision.types import Array, Bgr

RANKS = (
    *("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"),
    "X",
    "back",
    "none",
)
SUITS = ("c", "d", "h", "s", "none")
JOKER, BACK, NONE = 13, 14, 15
NO_SUIT = 4

LABELS = (*(rank + suit for suit in SUITS[:4] for rank in RANKS[:13]), "X")
"""The 53 faces that can be told apart: 52 cards and the joker."""

FLOOR = 2e-4
"""No card is ever less likely than this: a network is not that sure of anything."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The answer for one crop."""

    faces: Array
    """(53,) probabilities in the order of `LABELS`, given that it is a face."""
    face: float
    """Probability that it is a face of a standard card at all."""
    back: float
    none: float


class Read(Protocol):
    """Reads (N, 4, 2) windows of a picture."""

    def __call__(self, bgr: Bgr, windows_px: Array) -> tuple[Reading, ...]:
        """Return one reading per window."""


def load_reader(manifest: Manifest) -> Read:
    """Return a reader; raise `ModelError` if the file is not what it should be."""
    from vision.detect import open_session  # noqa: PLC0415 - one runtime for both

    session = open_session(manifest)
    return partial(_read, session, manifest.threshold("temperature"))


def _read(
    session: Any, temperature: float, bgr: Bgr, windows_px: Array
) -> tuple[Reading, ...]:
    if not len(windows_px):
        return ()
    crops = np.stack([cut(bgr, window) for window in windows_px])
    blob = np.ascontiguousarray(crops.transpose(0, 3, 1, 2), np.float32) / 255
    ranks, suits = session.run(["rank", "suit"], {"crops": blob})
    return tuple(
        _reading(_softmax(r / temperature), _softmax(s / temperature))
        for r, s in zip(ranks.astype(float), suits.astype(float), strict=True)
    )


def _reading(rank: Array, suit: Array) -> Reading:
    suits = suit[:NO_SUIT] / max(float(suit[:NO_SUIT].sum()), 1e-9)
    faces = np.append(np.outer(suits, rank[:JOKER]).ravel(), rank[JOKER])
    face = float(faces.sum())
    return Reading(
        faces=(faces + FLOOR) / (face + FLOOR * len(faces)),
        face=face,
        back=float(rank[BACK]),
        none=float(rank[NONE]),
    )


def _softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum(), float)
