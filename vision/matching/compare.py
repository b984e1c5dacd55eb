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
    share = weight / weight.sum()
    mine, yours = (np.ascontiguousarray(plane.T) for plane in (mine, yours))
    centre, other = mine @ share, yours @ share
    apart = yours - other[:, None]
    own = float((apart * apart @ share).sum()) + 30.0
    cross = float((apart * (mine - centre[:, None]) @ share).sum()) + 30.0
    gain = min(max(cross / own, 0.4), 1.4)
    rest = (mine - gain * yours) / COLOUR
    tint = (centre - gain * other) / COLOUR
    for _ in range(2):
        away = rest - tint[:, None]
        trust = share / (1 + away[0] ** 2 + away[1] ** 2) ** 2
        tint = tint + away @ trust / trust.sum()
    away = rest - tint[:, None]
    squares = away[0] ** 2 + away[1] ** 2
    lost = squares / (1 + squares)
    return float(share @ lost), float(np.hypot(*(centre - other)))


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
    away, first, second = (_scaled(plane) for plane in (seen, one, other))
    share = weight / max(float(weight.sum()), 1e-6)
    gap, middle = first - second, (first + second) / 2
    gap[1:] -= (gap[1:] @ share)[:, None]
    away[1:] -= ((away - middle)[1:] @ share)[:, None]
    told = middle * weight
    gain = float(np.vdot(away, told)) / max(float(np.vdot(middle, told)), 1e-6)
    rest = np.clip(away / min(max(gain, 0.4), 1.2) - middle, -1.5, 1.5)
    told = gap * weight
    return float(np.vdot(rest, told)) / max(float(np.vdot(gap, told)), 1e-6)


def _scaled(plane: Plane) -> Plane:
    """Return (3, H x W) print and colours of features, of one scale."""
    rows = plane.reshape(-1, 5)[:, :3].T
    scale = np.array([[1.0], [1 / COLOUR], [1 / COLOUR]], np.float32)
    return np.asarray(np.multiply(rows, scale, order="C"), np.float32)
