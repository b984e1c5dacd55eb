"""One disc and the line that decides about it, straightened and enlarged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import TableMap
from vision.overlay.pen import (
    FINE,
    INK,
    PAPER,
    RED,
    SURE,
    fixed,
    polyline,
    text_width,
    write,
)
from vision.types import Array, Bgr, Position

REACH = 0.8
"""Half of the side of what is shown, in diameters of the disc."""
SIGMAS_95 = 1.96
ELLIPSE_95 = math.sqrt(5.991)
BAND = (40, 170, 255)
MOST_LINES = 6


@dataclass(frozen=True, slots=True, eq=False)
class CloseUp:
    """What one close-up shows."""

    position: Position
    diameter_mm: float
    height_mm: float
    """Of the disc's face."""
    ring_mm: Array
    """(N, 2) the outline whose line decides."""
    sigma_mm: float
    """Of the distance between the centre and that line."""
    caption: tuple[str, ...]
    """One line each; the first one is the title."""


def draw_closeup(
    bgr: Bgr,
    table: TableMap,
    closeup: CloseUp,
    rings_mm: Sequence[Array],
    side_px: int,
) -> Bgr:
    """Return a tile as wide as `side_px`, the caption below."""
    view = _View.around(closeup, side_px)
    picture = _straightened(bgr, table, closeup, view)
    picture = _with_band(picture, view, closeup)
    for ring in rings_mm:
        polyline(picture, view.px(_closed(ring)), INK, 1)
    polyline(picture, view.px(_closed(closeup.ring_mm)), RED, 1)
    at = np.array([closeup.position.x_mm, closeup.position.y_mm])
    circle = _circle() * closeup.diameter_mm / 2
    for ink, thick in ((INK, 3.0), (PAPER, 1.5)):
        polyline(picture, view.px(at + circle), ink, thick)
    ellipse = _circle() @ _root(closeup.position).T * ELLIPSE_95
    _dot(picture, view.px(at[None])[0])
    polyline(picture, view.px(at + ellipse), INK, 3)
    polyline(picture, view.px(at + ellipse), SURE, 1)
    return np.vstack([picture, _caption(closeup.caption, side_px)])


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    left_mm: float
    high_mm: float
    px_per_mm: float
    side_px: int

    @classmethod
    def around(cls, closeup: CloseUp, side_px: int) -> _View:
        half = REACH * closeup.diameter_mm
        at = closeup.position
        return cls(at.x_mm - half, at.y_mm + half, side_px / (2 * half), side_px)

    def px(self, points_mm: Array) -> Array:
        away = (points_mm - [self.left_mm, self.high_mm]) * [1, -1]
        return np.asarray(away * self.px_per_mm - 0.5, float)

    @property
    def grid_mm(self) -> Array:
        steps = (np.arange(self.side_px) + 0.5) / self.px_per_mm
        x, y = np.meshgrid(self.left_mm + steps, self.high_mm - steps)
        return np.column_stack([x.ravel(), y.ravel()])


def _straightened(bgr: Bgr, table: TableMap, closeup: CloseUp, view: _View) -> Bgr:
    """Return the ground from above, and on it the face where the disc really is."""
    grid = view.grid_mm
    away = grid - [closeup.position.x_mm, closeup.position.y_mm]
    on_disc = np.hypot(*away.T) <= closeup.diameter_mm / 2
    heights = np.where(on_disc, closeup.height_mm, 0.0)
    seen = table.to_image(grid, heights).astype(np.float32)
    maps = seen.reshape(view.side_px, view.side_px, 2)
    flat = cv2.remap(bgr, maps[..., 0], maps[..., 1], cv2.INTER_CUBIC)
    return np.asarray(flat, np.uint8)


def _with_band(picture: Bgr, view: _View, closeup: CloseUp) -> Bgr:
    """Return the picture with the strip along the line that is within 95 %."""
    half_px = SIGMAS_95 * closeup.sigma_mm * view.px_per_mm
    strip = np.zeros(picture.shape[:2], np.uint8)
    path = fixed(view.px(_closed(closeup.ring_mm)))
    wide = max(1, round(2 * half_px))
    cv2.polylines(strip, [path], False, 255, wide, cv2.LINE_AA, FINE)
    share = (strip.astype(float) / 255 * 0.8)[..., None]
    return np.asarray(picture * (1 - share) + np.array(BAND) * share, np.uint8)


def _circle() -> Array:
    t = np.linspace(0, 2 * math.pi, 97)
    return np.column_stack([np.cos(t), np.sin(t)])


def _closed(ring: Array) -> Array:
    return np.vstack([ring, ring[:1]])


def _root(position: Position) -> Array:
    """Return (2, 2) the root of the covariance."""
    xx, xy, yy = position.covariance_mm2
    values, vectors = np.linalg.eigh(np.array([[xx, xy], [xy, yy]]))
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)), float)


def _dot(picture: Bgr, at: Array) -> None:
    centre = (round(float(at[0])), round(float(at[1])))
    cv2.drawMarker(picture, centre, INK, cv2.MARKER_CROSS, 13, 3, cv2.LINE_AA)
    cv2.drawMarker(picture, centre, PAPER, cv2.MARKER_CROSS, 11, 1, cv2.LINE_AA)


def _caption(lines: Sequence[str], width: int) -> Bgr:
    text_px = max(11, round(0.048 * width))
    step = round(1.3 * text_px)
    wrapped = [part for line in lines for part in _wrapped(line, text_px, width - 12)]
    canvas = np.full((step * MOST_LINES + step // 2, width, 3), 255, np.uint8)
    for number, line in enumerate(wrapped[:MOST_LINES]):
        write(canvas, line, 6, step * (number + 1) - 0.2 * step, INK, text_px)
    return canvas


def _wrapped(text: str, text_px: int, width: float) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, text_px) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
