"""Whether what shows in a place can be a card: how much of it looks unlike the table
around it, and whether it ends where a card would."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.matching.patches import BURNT, Mask
from vision.refine import refine_quad
from vision.types import Array, Bgr

LOOK_PX = 56
"""Size at which the place is looked at, without what is around it."""
RINGS = (0.35, 1.2, 4.0)
"""How far around a place the table is looked at, in shares of the place: farther where
nearer there is none."""
LIGHT, MOST_GAIN = 230.0, 5.0
"""What is lightest there is brought to this: in the dark colours are nearer."""
CELLS = (16, 26, 26)
"""Colours nearer than this in L, a and b (of 255) are one."""
MIN_TABLE = 0.01
"""Share of the table from which a colour is one of the table's."""
LEAST_TABLE = 60
OTHER_SIZE, LEAST_SIDES, MOST_BURNT = 0.1, 2, 0.1
"""A box whose sides differ by such a share from a card's, and fewer of which lie on an
edge, is the outline of no card; unless so much of it is burnt out."""
FAR_PX, FAR_BESIDE_PX, FAR_SHARE, BRIGHT = 400, 5, 0.003, 35.0
"""Size of the whole picture, how far beside things the table begins in it, share of the
table from which a colour is one of it; and distance from grey of a bright one."""
EDGE_PX, BESIDE_PX = 2, 7
"""What a known card may hide beside its quad, and what beside a box may be no table."""


def strange_px2(
    bgr: Bgr,
    quad_px: Array,
    visible: Mask,
    things: Mask,
    *,
    is_bright: bool = False,
    finer: int = 1,
) -> float:
    """Return the area in the quad that shows and has no colour of the table beside it.

    `visible` and `things` are masks of the picture: what nothing known covers, and what
    may be no table. Where no table shows around the place all of it is strange. With
    `is_bright` it also has no bright colour that the table has anywhere: letters and
    lines of mats are of one, and cards are more than that. Looked at so many times
    `finer`, less is lost along the edges of known cards.
    """
    found, far = 0.0, _far(bgr, visible, things) if is_bright else None
    for ring in RINGS:
        part, low = _around(quad_px, ring)
        if min(bgr[part].shape[:2]) < 4:
            return 0.0
        scale = min(1.0, finer * LOOK_PX * (1 + 2 * ring) / max(bgr[part].shape[:2]))
        planes = [_small(plane[part], scale) for plane in (bgr, visible, things)]
        inside = np.zeros(planes[0].shape[:2], np.uint8)
        corners = np.round((quad_px - low) * scale).astype(np.int32)
        cv2.fillConvexPoly(inside, corners, (1,))
        found, is_told = _strange(planes, inside > 0, finer * BESIDE_PX, far)
        found /= scale**2
        if is_told:
            break
    return found


def is_outline(
    bgr: Bgr, quad_px: Array, quad_mm: Array, size_mm: tuple[float, float]
) -> bool:
    """Return whether a box that shows may be the outline of a card: as large as one on
    the table, or along edges, or in glare, where nothing can be told."""
    sides = np.linalg.norm(np.roll(quad_mm, -1, axis=0) - quad_mm, axis=1)
    away = [np.abs(sides / np.roll([*size_mm] * 2, turn) - 1).max() for turn in (0, 1)]
    if min(away) < OTHER_SIZE:
        return True
    if sum(share > 0 for share in refine_quad(bgr, quad_px).support) >= LEAST_SIDES:
        return True
    return is_burnt(bgr, quad_px)


def is_burnt(bgr: Bgr, quad_px: Array, visible: Mask | None = None) -> bool:
    """Return whether so much of what is `visible` in a quad is burnt out that nothing
    can be told from it."""
    inside = np.zeros(bgr.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.round(quad_px).astype(np.int32), (1,))
    if visible is not None:
        inside = np.asarray(cv2.bitwise_and(inside, visible), np.uint8)
    seen = bgr[inside > 0].min(axis=1)
    return not len(seen) or float(np.mean(seen >= BURNT)) > MOST_BURNT


def _around(quad_px: Array, ring: float) -> tuple[tuple[slice, slice], Array]:
    size = np.ptp(quad_px, axis=0)
    low = np.maximum(np.floor(quad_px.min(0) - ring * size), 0).astype(int)
    high = np.ceil(quad_px.max(0) + ring * size).astype(int)
    return (slice(low[1], high[1]), slice(low[0], high[0])), low


def _small(plane: Mask, scale: float) -> Mask:
    small = cv2.resize(plane, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _far(bgr: Bgr, visible: Mask, things: Mask) -> tuple[Mask, NDArray[np.bool_]]:
    """Return the whole picture, small, and what of it is table."""
    scale = min(1.0, FAR_PX / max(bgr.shape[:2]))
    small, shows, other = (_small(plane, scale) for plane in (bgr, visible, things))
    beside = np.ones((FAR_BESIDE_PX, FAR_BESIDE_PX), np.uint8)
    away = cv2.erode(np.asarray((shows > 250) & (other < 5), np.uint8), beside)
    return small, away > 0


def _strange(
    planes: Sequence[Mask],
    inside: NDArray[np.bool_],
    beside_px: int,
    far: tuple[Mask, NDArray[np.bool_]] | None = None,
) -> tuple[float, bool]:
    """Return how many pixels inside look unlike the table, and whether any table could
    be seen."""
    small, shows, other = planes
    # Along the side of a card its shadow, and its own rounded corner, are no card.
    brim = np.ones((2 * EDGE_PX + 1, 2 * EDGE_PX + 1), np.uint8)
    known = cv2.dilate(np.asarray(shows < 250, np.uint8), brim)
    asked = inside & (known == 0)
    near = cv2.dilate(other, np.ones((2 * beside_px + 1, 2 * beside_px + 1), np.uint8))
    table = (near == 0) & (known == 0)
    if table.sum() < LEAST_TABLE:
        return float(asked.sum()), False
    gain = _gain(small)
    cells = _cells(small, gain)
    counts = np.zeros(tuple(255 // n + 3 for n in CELLS), np.float32)
    np.add.at(counts, tuple(cells[table].T), 1.0 / float(table.sum()))
    alike = np.asarray(counts > MIN_TABLE, np.float32)
    for axis in range(3):
        alike = np.maximum(
            alike, np.maximum(np.roll(alike, 1, axis), np.roll(alike, -1, axis))
        )
    strange = asked & (alike[tuple(np.moveaxis(cells, -1, 0))] == 0)
    if far is not None:
        strange &= ~_is_bright_print(cells, far, gain)
    opened = cv2.morphologyEx(
        np.asarray(strange, np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
    )
    return float(opened.sum()), True


def _is_bright_print(
    cells: NDArray[np.int64], far: tuple[Mask, NDArray[np.bool_]], gain: float
) -> NDArray[np.bool_]:
    """Return which pixels have a bright colour of the table elsewhere, be it in another
    light."""
    picture, table = far
    colours = _cells(picture, gain)[table][:, 1:]
    counts = np.zeros(tuple(255 // n + 3 for n in CELLS[1:]), np.float32)
    np.add.at(counts, tuple(colours.T), 1.0 / max(len(colours), 1))
    alike = cv2.dilate(np.asarray(counts > FAR_SHARE, np.uint8), np.ones((3, 3)))
    a, b = np.meshgrid(*(np.arange(n) for n in counts.shape), indexing="ij")
    steps = [(p - 0.5) * n - 128 for p, n in zip((a, b), CELLS[1:], strict=True)]
    alike[np.hypot(*steps) < BRIGHT] = 0
    return np.asarray(alike[cells[..., 1], cells[..., 2]] > 0, np.bool_)


def _gain(bgr: Bgr) -> float:
    top = float(np.percentile(bgr.max(axis=2), 95))
    return min(max(LIGHT / max(top, 1.0), 1.0), MOST_GAIN)


def _cells(bgr: Bgr, gain: float) -> NDArray[np.int64]:
    lit = cv2.convertScaleAbs(cv2.GaussianBlur(bgr, (3, 3), 0), alpha=gain)
    lab = cv2.cvtColor(lit, cv2.COLOR_BGR2LAB)
    return np.asarray(lab.astype(int) // np.array(CELLS) + 1, np.int64)
