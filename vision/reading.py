"""What the reader says of one crop: probabilities over the cards of a standard deck."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from vision.crops import beside, cut, thinned
from vision.levels import planes
from vision.models import Manifest
from vision.quads import UNIT_CORNERS, from_quad
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

OUTPUTS = ("rank", "suit", "corners")

ONE_WAY_RANKS = frozenset((*"2345679JK", "10"))
"""Those that look another way in a mirror, even small and blurred."""

LABELS = (*(rank + suit for suit in SUITS[:4] for rank in RANKS[:13]), "X")
"""The 53 faces that can be told apart: 52 cards and the joker."""

COURTS = frozenset("JQK")
"""Ranks that show a picture; all others show pips."""

MOVES = (
    (0.0, 0.0, 1.0, 0.0),
    *((0.03, 0.0, 1.05, 0.0), (-0.03, 0.0, 0.95, 0.0)),
    *((0.0, 0.03, 1.0, 0.0), (0.0, -0.03, 1.03, 0.0)),
)
"""Other samples of the same print: a little beside, larger and smaller."""
FLOOR = 2e-4
"""No card is ever less likely than this: a network is not that sure of anything."""


@dataclass(frozen=True, eq=False)
class Reading:
    """The answer for one crop."""

    faces: Array
    """(53,) probabilities in the order of `LABELS`, given that it is a face."""
    face: float
    """Probability that it is a face of a standard card at all."""
    back: float
    none: float
    corners: Array = field(default_factory=lambda: np.zeros((4, 2)))
    """How far right and down of the window's corners, in its shares, those of the
    window are that should have been cut."""

    @cached_property
    def certainty(self) -> float:
        """Return how likely it is that this is a face, and the likeliest one."""
        return self.face * float(self.faces.max())

    def meant(self, window_px: Array) -> Array:
        """Return the (4, 2) window that should have been cut instead of the given."""
        return from_quad(window_px, UNIT_CORNERS + self.corners)


class Read(Protocol):
    """Reads (N, 4, 2) windows of a picture."""

    def __call__(
        self,
        bgr: Bgr,
        windows_px: Array,
        *,
        closely: bool = False,
        is_thinned: bool = False,
    ) -> tuple[Reading, ...]:
        """Return one reading per window; `closely`, from some places beside it too;
        `is_thinned`, with dark print made thinner (`crops.thinned`)."""


def load_reader(manifest: Manifest) -> Read:
    """Return a reader; raise `ModelError` if the file is not what it should be."""
    from vision.detect import open_session  # noqa: PLC0415 - one runtime for both

    session = open_session(manifest)
    return partial(_read, session, manifest.threshold("temperature"))


def _read(
    session: Any,
    temperature: float,
    bgr: Bgr,
    windows_px: Array,
    *,
    closely: bool = False,
    is_thinned: bool = False,
) -> tuple[Reading, ...]:
    if not len(windows_px):
        return ()
    if closely:
        windows_px = np.concatenate([beside(window, MOVES) for window in windows_px])
    crops = [cut(bgr, window) for window in windows_px]
    if is_thinned:
        crops = [thinned(crop) for crop in crops]
    ranks, suits, corners = _looked_at(session, temperature, np.stack(crops))
    if closely:
        ranks, suits, corners = _mean(ranks), _mean(suits), corners[:: len(MOVES)]
    return tuple(
        _reading(rank, suit, place)
        for rank, suit, place in zip(ranks, suits, corners, strict=True)
    )


def _looked_at(
    session: Any, temperature: float, crops: Bgr
) -> tuple[Array, Array, Array]:
    """Return (N, 16) and (N, 5) probabilities of ranks and suits, (N, 4, 2) corners."""
    ranks, suits, corners = session.run(OUTPUTS, {"crops": planes(crops)})
    return (
        _softmax(ranks / temperature),
        _softmax(suits / temperature),
        corners.reshape(-1, 4, 2),
    )


def _mean(looks: Array) -> Array:
    """Return the geometric means of (N * len(MOVES), K) probabilities, as such."""
    logs = np.log(looks + FLOOR).reshape(-1, len(MOVES), looks.shape[1])
    return _softmax(logs.mean(1))


def _reading(rank: Array, suit: Array, corners: Array) -> Reading:
    suits = suit[:NO_SUIT] / max(float(suit[:NO_SUIT].sum()), 1e-9)
    faces = np.append(np.outer(suits, rank[:JOKER]).ravel(), rank[JOKER])
    face = float(faces.sum())
    return Reading(
        faces=(faces + FLOOR) / (face + FLOOR * len(faces)),
        face=face,
        back=float(rank[BACK]),
        none=float(rank[NONE]),
        corners=corners,
    )


def _softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(-1, keepdims=True).astype(float))
    return np.asarray(powers / powers.sum(-1, keepdims=True), float)
