"""Where most edges point: the rough place of a disc, and rivals of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from vision.rim import (
    SEARCH_DIAMETER_PX,
    DiscSize,
    Rim,
    cut_window,
    edge_rows,
    vote,
)
from vision.types import Array, Bgr

SEED_REACH = 0.2
"""How far off a seed may be, in diameters."""
MIN_VOTES = 0.27
"""Mean strength of edges along the rim below which there is no disc."""
RIVAL, APART = 0.86, 0.09
"""Other places with this share of the votes, so many diameters away, are tried too."""
MOST_PLACES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where a search ended."""

    centre_mm: Array
    votes: float
    rivals_mm: tuple[Array, ...] = ()
    """Other places with almost as many votes."""


def search(
    bgr: Bgr,
    rim: Rim,
    size: DiscSize,
    seed_mm: Array,
    density: float,
    reach: float = SEED_REACH,
) -> Found | str:
    """Return the place to which most of the edges around point, or a reason:
    ``outside``, ``no_rim``. `rim` is that of a disc at the seed, `density` px per mm;
    `reach` is how far off the seed may be, in diameters.
    """
    shrink = max(1, int(density * size.diameter_mm / SEARCH_DIAMETER_PX + 0.35))
    scale = density / shrink
    reach_px = reach * size.diameter_mm * scale + 1.5
    gap_px = float(np.maximum(rim.gap_px, 0).max()) / shrink
    steepest = float(np.linalg.norm(rim.along, axis=1).max()) / density
    margin = (reach_px * steepest + gap_px + 3) * shrink + 3
    window = cut_window(bgr, rim, margin, shrink)
    if window is None:
        return "outside"
    inner, outer = reach_px * steepest + 2, reach_px * steepest + gap_px + 2
    rows = edge_rows(window, rim, inner, outer)
    moves = _grid(reach_px / scale, 1.4 / scale)
    seen = vote(rows, rim, moves, window.scale, two=True).mean(1)
    places, votes = [], []
    free = np.ones(len(moves), bool)
    for _ in range(MOST_PLACES):
        best = int(np.where(free, seen, -1).argmax())
        finer = moves[best] + _grid(1.2 / scale, 0.4 / scale)
        there = vote(rows, rim, finer, window.scale, two=True).mean(1)
        places.append(seed_mm + finer[int(there.argmax())])
        votes.append(float(there.max()))
        away = np.linalg.norm(moves - moves[best], axis=1)
        free &= away > APART * size.diameter_mm
        if not free.any() or seen[free].max() < RIVAL * seen.max():
            break
    if max(votes) < MIN_VOTES:
        return "no_rim"
    first = int(np.argmax(votes))
    rivals = [place for number, place in enumerate(places) if number != first]
    return Found(places[first], votes[first], tuple(rivals))


def _grid(reach: float, step: float) -> Array:
    return step * _unit_grid(math.ceil(reach / step), round(reach / step, 2))


@lru_cache(maxsize=64)
def _unit_grid(count: int, reach: float) -> Array:
    line = np.arange(-count, count + 1)
    x, y = np.meshgrid(line, line)
    grid = np.column_stack([x.ravel(), y.ravel()])
    return np.asarray(grid[np.hypot(*grid.T) <= reach + 1e-9], float)
