"""How blurred a picture is, from its edges: out of focus, or smeared by motion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from vision.edges import fit_steps
from vision.types import Array

BLURS_PX = (0.6, 0.72, 0.85, 1.0, 1.2, 1.45, 1.75, 2.4, 3.4, 5.0)
SMEARS_PX = (1.5, 2.5, 4.0, 6.0)
SMEAR_WAYS = tuple(math.pi * step / 16 for step in range(16))
SMEAR_COST = 0.02
"""How much better a smear must explain the edges to be believed."""
FAINT = 0.4
"""Edges with less than this share of the median jump say nothing about blur."""
CLEAN = 0.05
"""Edges of which more than this share of the jump stays unexplained are two edges, or
none; they speak only where there are hardly any others."""


@dataclass(frozen=True, slots=True)
class Blur:
    """How wide edges are, as the sigma of an error function."""

    own_px: float
    """In every direction."""
    smear_px: float = 0.0
    """More of it in one direction: the camera or the disc moved."""
    way_rad: float = 0.0

    def scaled(self, factor: float) -> Blur:
        """Return the same, wider in every direction."""
        return replace(
            self, own_px=self.own_px * factor, smear_px=self.smear_px * factor
        )

    def across(self, normals: Array) -> Array:
        """Return (N,) the sigma of edges with these (N, 2) normals."""
        way = np.array([math.cos(self.way_rad), math.sin(self.way_rad)])
        width2 = self.own_px**2 + (self.smear_px * (normals @ way)) ** 2
        return np.asarray(np.sqrt(width2), float)


UNTOLD = Blur(1.0)
"""What is taken for it where no edge tells."""


@dataclass(frozen=True, slots=True, eq=False)
class Widths:
    """How badly each width explains each of N edges."""

    worse: Array
    """(len(BLURS_PX), N), 0 for the best width of each edge."""
    normals: Array
    """(N, 2)"""


def edge_widths(rows: NDArray[np.float64], at_px: Array, normals: Array) -> Widths:
    """Return how badly each width fits each of G rows of samples across an edge."""
    count, tries = len(rows), len(BLURS_PX)
    steps = fit_steps(
        np.tile(rows, (tries, 1, 1)),
        at_px,
        np.repeat(BLURS_PX, count),
        start_px=np.zeros(tries * count),
        steps=2,
    )
    misfit2 = (steps.misfit**2).reshape(tries, count)
    jump = steps.jump.reshape(tries, count)[tries // 3]
    least = misfit2.min(0)
    worse = np.minimum((misfit2 - least) / (0.02 * jump**2 + least + 1e-6), 1.5)
    told = jump > FAINT * np.median(jump)
    clean = told & (least < (CLEAN * jump) ** 2)
    if clean.sum() >= max(4, 0.15 * told.sum()):
        told = clean
    return Widths(worse * told, normals)


def explain(edges: Sequence[Widths]) -> Blur:
    """Return the blur that explains most of the edges; `UNTOLD` if there is none.

    A smear widens the edges that it crosses: sigma^2 = own^2 + smear^2 cos^2 of the
    angle between it and the normal. All combinations are tried.
    """
    if not edges:
        return UNTOLD
    worse = np.concatenate([e.worse for e in edges], axis=1)
    normals = np.concatenate([e.normals for e in edges])
    # No smear can explain edges that much better than what explains them already.
    still = bool(worse.mean(axis=1).min() <= SMEAR_COST)
    tried = _all_blurs()[: len(BLURS_PX)] if still else _all_blurs()
    own = np.array([blur.own_px for blur in tried])[:, None]
    smear = np.array([blur.smear_px for blur in tried])[:, None]
    ways = np.array([[math.cos(b.way_rad), math.sin(b.way_rad)] for b in tried])
    width = np.sqrt(own**2 + (smear * (ways @ normals.T)) ** 2)
    at = np.interp(np.log(width), np.log(BLURS_PX), np.arange(len(BLURS_PX)))
    low = np.minimum(at.astype(int), len(BLURS_PX) - 2)
    column = np.broadcast_to(np.arange(len(normals)), low.shape)
    share = at - low
    cost = worse[low, column] * (1 - share) + worse[low + 1, column] * share
    total = cost.mean(1) + SMEAR_COST * (smear[:, 0] > 0)
    return _between(tried, total, int(total.argmin()))


def _between(tried: Sequence[Blur], total: Array, best: int) -> Blur:
    """Return the best blur, its own width where a parabola through its neighbours is
    least."""
    found = tried[best]
    place = BLURS_PX.index(found.own_px)
    if place in (0, len(BLURS_PX) - 1):
        return found
    x = np.log(BLURS_PX[place - 1 : place + 2])
    y = total[best - 1 : best + 2]
    left, right = (y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1])
    bend = (right - left) / (x[2] - x[0])
    if bend <= 0:
        return found
    least = (x[0] + x[1]) / 2 - left / (2 * bend)
    own = math.exp(min(max(least, (x[0] + x[1]) / 2), (x[1] + x[2]) / 2))
    return replace(found, own_px=own)


@cache
def _all_blurs() -> tuple[Blur, ...]:
    still = [Blur(own) for own in BLURS_PX]
    smeared = [
        Blur(own, smear, way)
        for smear in SMEARS_PX
        for way in SMEAR_WAYS
        for own in BLURS_PX
    ]
    return (*still, *smeared)
