"""Notices that a camera was bumped: the table is no longer where the map says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.geometry import TableMap
from vision.pose import KnownPoints, missed_px
from vision.types import Array

LIMIT_MM = 0.5
"""Rulings stop where reference points are off by more than that, and by more than
their own error explains."""
LIMIT_SIGMAS = 4.0
SIZE_LIMIT = 0.02


@dataclass(frozen=True, slots=True)
class MapCheck:
    """How well a known map fits what is seen now."""

    code: str
    """``good``, ``bumped`` (the camera or the table moved), ``unseen`` (too little of
    what the map rests on can be seen to say)."""
    moved_mm: float
    moved_px: float
    references: int


def check_map(
    table: TableMap, seen: KnownPoints | None, *, fewest: int = 3
) -> MapCheck:
    """Return whether `table` still holds, by reference points that were just found.

    Their median is what counts, so that a marker that somebody moved is not a bump.
    """
    if seen is None or len(seen.px) < fewest:
        return MapCheck("unseen", 0.0, 0.0, 0 if seen is None else len(seen.px))
    off_px = missed_px(table, seen)
    moved_px = float(np.median(off_px))
    met = table.to_table(seen.px)
    moved_mm = float(np.median(np.linalg.norm(met - seen.mm, axis=1)))
    clear = moved_px > LIMIT_SIGMAS * seen.sigma_px
    code = "bumped" if clear and moved_mm > LIMIT_MM else "good"
    return MapCheck(code, round(moved_mm, 3), round(moved_px, 3), len(seen.px))


def check_sizes(
    table: TableMap, quads_px: Sequence[Array], size_mm: tuple[float, float]
) -> MapCheck:
    """Return the same by rigid things of known size: cards that measure wrong.

    A camera that only slid keeps sizes; one that tilted or rose does not. `moved_mm` is
    by how much the long side is off.
    """
    if not len(quads_px):
        return MapCheck("unseen", 0.0, 0.0, 0)
    off = []
    for quad in quads_px:
        corners = table.to_table(np.asarray(quad, float))
        sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
        measured = np.sort([sides[0] + sides[2], sides[1] + sides[3]]) / 2
        off.append(measured / np.sort(size_mm) - 1)
    share = float(np.abs(np.median(np.array(off), axis=0)).max())
    code = "bumped" if share > SIZE_LIMIT else "good"
    return MapCheck(code, round(share * max(size_mm), 3), 0.0, len(quads_px))
