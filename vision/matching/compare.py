"""How far a card in the picture is from a reference that was laid over it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vision.matching.patches import Plane

PRINT, COLOUR, LIGHTNESS = 1.0, 14.0, 16.0
"""Differences at which a pixel counts half: of print, of a and b, of lightness."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """What does not fit, each from 0 (nothing) to 1 (all of it)."""

    print_: float
    colour: float
    lightness: float
    shift: float
    """How far the colours of the whole card are off, in a and b."""
    seen: float
    """Share of the card that was compared."""
    likeness: float
    """Correlation of the print, at most 1."""


def compare(seen: Plane, reference: Plane) -> Misfit:
    """Return the misfit of two (H, W, 5) features of one size."""
    weight = (seen[..., 4] * reference[..., 4]).ravel()
    total = float(weight.sum())
    if total < 1:
        return Misfit(1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    mine, yours = seen.reshape(-1, 5), reference.reshape(-1, 5)
    print_, likeness = _print(mine[:, 0], yours[:, 0], weight)
    colour, shift = _colour(mine[:, 1:3], yours[:, 1:3], weight)
    return Misfit(
        print_,
        colour,
        _lightness(mine[:, 3], yours[:, 3], weight),
        shift,
        total / float(reference[..., 4].sum()),
        likeness,
    )


def _print(mine: Plane, yours: Plane, weight: Plane) -> tuple[float, float]:
    cross = float(weight @ (mine * yours))
    own, other = float(weight @ (yours * yours)), float(weight @ (mine * mine))
    gain = min(max(cross / max(own, 1e-6), 0.4), 1.1)
    away = (mine - gain * yours) / PRINT
    lost = away * away / (1 + away * away)
    return float(weight @ lost / weight.sum()), cross / math.sqrt(own * other + 1e-6)


def _colour(mine: Plane, yours: Plane, weight: Plane) -> tuple[float, float]:
    """Return the misfit of colours that a lamp may have tinted, and the tint."""
    share = (weight / weight.sum())[:, None]
    centre, other = (mine * share).sum(0), (yours * share).sum(0)
    own = float((share * (yours - other) ** 2).sum()) + 30.0
    cross = float((share * (yours - other) * (mine - centre)).sum()) + 30.0
    gain = min(max(cross / own, 0.4), 1.4)
    tint = centre - gain * other
    for _ in range(2):
        away = (mine - gain * yours - tint) / COLOUR
        squares = (away * away).sum(1)
        trust = share[:, 0] / (1 + squares) ** 2
        tint = tint + (trust[:, None] * away).sum(0) / trust.sum() * COLOUR
    away = (mine - gain * yours - tint) / COLOUR
    squares = (away * away).sum(1)
    lost = squares / (1 + squares)
    return float(share[:, 0] @ lost), float(np.hypot(*(centre - other)))


def _lightness(mine: Plane, yours: Plane, weight: Plane) -> float:
    share = weight / weight.sum()
    centre, other = float(share @ mine), float(share @ yours)
    own = float(share @ (yours - other) ** 2) + 20.0
    cross = float(share @ ((yours - other) * (mine - centre))) + 20.0
    gain = min(max(cross / own, 0.3), 1.6)
    away = (mine - centre - gain * (yours - other)) / LIGHTNESS
    lost = away * away / (1 + away * away)
    return float(share @ lost)


def lead(seen: Plane, one: Plane, other: Plane) -> float:
    """Return how much more a card looks like `one` than like `other`, judged only where
    the two differ.

    1/2 is just like `one`, -1/2 just like `other`: a matched filter, so what both share
    (and what hides both) has no say.
    """
    weight = (seen[..., 4] * one[..., 4]).ravel()
    mine, first, second = (f.reshape(-1, 5)[:, :3] for f in (seen, one, other))
    scale = np.array([1.0, 1 / COLOUR, 1 / COLOUR], np.float32)
    gap = (first - second) * scale
    gap[:, 1:] -= (weight @ gap[:, 1:]) / max(float(weight.sum()), 1e-6)
    middle = (first + second) / 2 * scale
    away = mine * scale
    away[:, 1:] -= (weight @ (away - middle)[:, 1:]) / max(float(weight.sum()), 1e-6)
    gain = float((weight[:, None] * away * middle).sum())
    gain /= max(float((weight[:, None] * middle * middle).sum()), 1e-6)
    rest = np.clip(away / min(max(gain, 0.4), 1.2) - middle, -1.5, 1.5)
    size = float((weight[:, None] * gap * gap).sum())
    return float((weight[:, None] * rest * gap).sum()) / max(size, 1e-6)
