"""Outlines in millimetres drawn on a straightened picture, with their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.overlay.pen import INK, PAPER, UNSURE, polyline, text_width, write
from vision.types import Array, Bgr


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """One closed ring and whose it is."""

    ring_mm: Array
    """(N, 2)"""
    name: str
    is_terrain: bool = False


def draw_flat(
    picture: Bgr,
    bounds_mm: tuple[float, float, float, float],
    outlines: Sequence[Outline],
) -> Bgr:
    """Return the picture with the outlines and, in each, its name."""
    canvas = picture.copy()
    left, low, right, high = bounds_mm
    rows, columns = canvas.shape[:2]
    scale = np.array([columns / (right - left), -rows / (high - low)])
    width = max(1.0, 0.0012 * max(rows, columns))
    text_px = max(12, round(0.014 * max(rows, columns)))
    for outline in outlines:
        px = (outline.ring_mm - [left, high]) * scale - 0.5
        closed = np.vstack([px, px[:1]])
        colour = UNSURE if outline.is_terrain else PAPER
        for ink, thick in ((INK, 3 * width), (colour, 1.4 * width)):
            polyline(canvas, closed, ink, thick)
        x, y = px.min(0) + np.array([0.4, 1.3]) * text_px
        if outline.is_terrain:
            x, y = px.mean(0) - [text_width(outline.name, text_px) / 2, 0]
        for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            write(canvas, outline.name, x + dx, y + dy, INK, text_px)
        write(canvas, outline.name, x, y, PAPER, text_px)
    return canvas
