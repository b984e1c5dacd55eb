"""A measured board drawn for people to check: lines of the mat, rims, close-ups.

The photo carries the lines where the map puts them, the rim of every disc at its
height, and tags. Beside it stand close-ups, each straightened: the ground as seen from
above, the face of the disc moved to where it really stands, the deciding line with the
band in which the measurement cannot tell (95 %).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.overlay.beside import Box, box_of, place_beside
from vision.overlay.closeup import CloseUp, draw_closeup
from vision.overlay.pen import (
    INK,
    PAPER,
    SURE,
    UNKNOWN,
    UNSURE,
    Colour,
    polyline,
    text_width,
    write,
)
from vision.types import Array, Bgr, Frame, Observation, Placement

PANEL_SHARE = 0.3
"""Side of a close-up, of the picture's height."""
MOST_CLOSEUPS = 6
DENSE_MM = 8.0
"""Lines are drawn through points so far apart: a lens bends them."""


@dataclass(frozen=True, slots=True, eq=False)
class MatLine:
    """One outline of the mat."""

    ring_mm: Array
    """(N, 2), closed by itself."""
    is_terrain: bool = False


def draw_board(
    frame: Frame,
    observation: Observation,
    table: TableMap,
    lines: Sequence[MatLine],
    *,
    heights_mm: Mapping[str, float],
    labels: Mapping[str, str],
    doubtful: Sequence[str] = (),
    closeups: Sequence[CloseUp] = (),
    long_side_px: int = 1500,
) -> Bgr:
    """Return the picture with what was measured, close-ups to its right.

    `heights_mm` is that of each placement's face, `labels` what its tag says (its id
    where there is none), `doubtful` the ids of those that lie too near to a line.
    """
    scale = min(1.0, long_side_px / max(frame.bgr.shape[:2]))
    canvas = _scaled(frame.bgr, scale)
    width = max(1.0, 0.0011 * max(canvas.shape[:2]))
    for line in lines:
        _draw_line(canvas, table, line, scale, width)
    boxes: list[Box] = []
    tags = []
    for placement in sorted(observation.placements, key=lambda one: one.order):
        colour = _colour(placement, placement.id in doubtful)
        rim = _rim_px(table, placement, heights_mm.get(placement.id, 0.0), scale)
        for ink, thick in ((INK, 3.2 * width), (colour, 1.6 * width)):
            polyline(canvas, rim, ink, thick)
        boxes.append(box_of(rim))
        tags.append((labels.get(placement.id, placement.id), rim, colour))
    for text, rim, colour in tags:
        boxes.append(_tag(canvas, text, rim, colour, boxes))
    return _beside(canvas, frame.bgr, table, closeups[:MOST_CLOSEUPS], lines)


def _scaled(bgr: Bgr, scale: float) -> Bgr:
    if scale == 1.0:
        return bgr.copy()
    size = (round(bgr.shape[1] * scale), round(bgr.shape[0] * scale))
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def _colour(placement: Placement, is_doubtful: bool) -> Colour:
    if placement.identity.label is None:
        return UNKNOWN
    return UNSURE if is_doubtful else SURE


def _draw_line(
    canvas: Bgr, table: TableMap, line: MatLine, scale: float, width: float
) -> None:
    try:
        seen = table.to_image(dense(line.ring_mm))
    except GeometryError:
        return
    path = (seen + 0.5) * scale - 0.5
    colour = (90, 215, 250) if line.is_terrain else PAPER
    for ink, thick in ((INK, 2.4 * width), (colour, width)):
        polyline(canvas, path, ink, thick)


def dense(ring_mm: Array) -> Array:
    """Return the closed ring with points at most `DENSE_MM` apart."""
    closed = np.vstack([ring_mm, ring_mm[:1]])
    parts = []
    for start, end in pairwise(closed):
        steps = max(1, math.ceil(float(np.linalg.norm(end - start)) / DENSE_MM))
        t = np.arange(steps)[:, None] / steps
        parts.append(start + t * (end - start))
    return np.vstack([*parts, closed[:1]])


def _rim_px(
    table: TableMap, placement: Placement, height_mm: float, scale: float
) -> Array:
    assert placement.position is not None, "only measured discs are drawn"
    t = np.linspace(0, 2 * math.pi, 73)
    around = np.column_stack([np.cos(t), np.sin(t)]) * (placement.diameter_mm or 0) / 2
    at = np.array([placement.position.x_mm, placement.position.y_mm])
    return np.asarray((table.to_image(at + around, height_mm) + 0.5) * scale - 0.5)


def _tag(
    canvas: Bgr, text: str, rim: Array, colour: Colour, taken: Sequence[Box]
) -> Box:
    """Write a tag beside the rim, where it hides the least; return its box."""
    text_px = max(12, round(0.0135 * max(canvas.shape[:2])))
    pad = 0.3 * text_px
    wide, tall = text_width(text, text_px) + 2 * pad + 2, 1.3 * text_px
    height, width = canvas.shape[:2]
    best = place_beside(box_of(rim), (wide, tall), pad, taken, (width, height))
    low, high = (round(best[0]), round(best[1])), (round(best[2]), round(best[3]))
    cv2.rectangle(canvas, low, high, PAPER, -1)
    cv2.rectangle(canvas, low, high, INK, 1, cv2.LINE_AA)
    cv2.rectangle(canvas, low, (low[0] + 3, high[1]), colour, -1)
    write(canvas, text, best[0] + pad + 3, best[3] - 0.32 * text_px, INK, text_px)
    return best


def _beside(
    canvas: Bgr,
    bgr: Bgr,
    table: TableMap,
    closeups: Sequence[CloseUp],
    lines: Sequence[MatLine],
) -> Bgr:
    if not closeups:
        return canvas
    rings = [line.ring_mm for line in lines]
    columns = 1 if len(closeups) <= 3 else 2
    side = round(PANEL_SHARE * canvas.shape[0])
    tiles = [draw_closeup(bgr, table, one, rings, side) for one in closeups]
    tall = tiles[0].shape[0]
    rows = -(-len(tiles) // columns)
    height = max(canvas.shape[0], rows * tall)
    sheet = np.full((height, canvas.shape[1] + columns * side, 3), 245, np.uint8)
    sheet[: canvas.shape[0], : canvas.shape[1]] = canvas
    for number, tile in enumerate(tiles):
        row, column = number // columns, number % columns
        left = canvas.shape[1] + column * side
        sheet[row * tall : row * tall + tall, left : left + side] = tile
    return sheet
