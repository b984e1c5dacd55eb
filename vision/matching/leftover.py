"""How much of what shows in a place looks unlike the table around it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.matching.patches import Mask
from vision.types import Array, Bgr

LOOK_PX = 96
"""Size at which the place is looked at."""
RING = 0.35
"""How far around a place the table is looked at, in shares of the place."""
CELLS = (16, 26, 26)
"""Colours nearer than this in L, a and b (of 255) are one."""
MIN_TABLE = 0.01
"""Share of the table from which a colour is one of the table's."""
LEAST_TABLE = 60
EDGE_PX = 2


def strange_px2(bgr: Bgr, quad_px: Array, visible: Mask, things: Mask) -> float:
    """Return the area in the quad that shows and has no colour of the table beside it.

    `visible` and `things` are masks of the picture: what nothing known covers, and what
    may be no table. Where no table shows around the place all of it is strange.
    """
    size = np.ptp(quad_px, axis=0)
    low = np.maximum(np.floor(quad_px.min(0) - RING * size), 0).astype(int)
    high = np.ceil(quad_px.max(0) + RING * size).astype(int)
    part = (slice(low[1], high[1]), slice(low[0], high[0]))
    if min(bgr[part].shape[:2]) < 4:
        return 0.0
    scale = min(1.0, LOOK_PX / max(bgr[part].shape[:2]))
    small, shows, other = [
        cv2.resize(plane[part], None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        for plane in (bgr, visible, things)
    ]
    inside = np.zeros(small.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.round((quad_px - low) * scale).astype(np.int32), (1,))
    # Along the side of a card its shadow, and its own rounded corner, are no card.
    brim = np.ones((2 * EDGE_PX + 1, 2 * EDGE_PX + 1), np.uint8)
    known = cv2.dilate(np.asarray(shows < 250, np.uint8), brim)
    asked = (inside > 0) & (known == 0)
    table = (other == 0) & (known == 0)
    if table.sum() < LEAST_TABLE:
        return float(asked.sum() / scale**2)
    cells = _cells(np.asarray(small, np.uint8))
    counts = np.zeros(tuple(255 // n + 3 for n in CELLS), np.float32)
    np.add.at(counts, tuple(cells[table].T), 1.0 / float(table.sum()))
    alike = np.asarray(counts > MIN_TABLE, np.float32)
    for axis in range(3):
        alike = np.maximum(
            alike, np.maximum(np.roll(alike, 1, axis), np.roll(alike, -1, axis))
        )
    strange = asked & (alike[tuple(np.moveaxis(cells, -1, 0))] == 0)
    opened = cv2.morphologyEx(
        np.asarray(strange, np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
    )
    return float(opened.sum() / scale**2)


def _cells(bgr: Bgr) -> NDArray[np.int64]:
    lab = cv2.cvtColor(cv2.GaussianBlur(bgr, (3, 3), 0), cv2.COLOR_BGR2LAB)
    return np.asarray(lab.astype(int) // np.array(CELLS) + 1, np.int64)
