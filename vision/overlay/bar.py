"""The bar that shows how long a centimetre is."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.errors import GeometryError
from vision.geometry import fit_homography, transform
from vision.overlay.pen import INK, PAPER, polyline, text_width, write
from vision.place import card_corners_mm, lay
from vision.types import Array, Bgr, Kind, Observation, TableFound

BARS_MM = (10, 20, 50, 100, 200, 500)
MAX_RESIDUAL_MM, MAX_SIGMA_MM = 2.0, 3.0
"""Of a table map, and of most cards on it, that a bar is drawn from: a bar that is five
per cent wrong is worse than none."""
MIN_REFERENCES = 3
"""One or two outlines may be wrong in the same way, and then nothing shows it."""


def scale_bar(
    observation: Observation,
    scale: float,
    size: tuple[int, int],
    size_mm: tuple[float, float],
) -> tuple[Array, float, int] | None:
    """Return (left end, length in px, length in mm) of a bar that is true there."""
    if not _is_trusted(observation):
        return None
    image_from_table = _image_from_table(observation, scale, size_mm)
    if image_from_table is None:
        return None
    start = np.array([0.035 * size[0], size[1] - 0.04 * size[1]])
    try:
        table_from_image = np.asarray(np.linalg.inv(image_from_table), float)
        table_from_image *= np.sign(table_from_image[2] @ np.append(start, 1.0))
        beside = start + np.array([0.1 * size[0], 0])
        ends = transform(table_from_image, np.array([start, beside]))
    except (GeometryError, np.linalg.LinAlgError):
        return None
    px_per_mm = 0.1 * size[0] / max(float(np.linalg.norm(ends[1] - ends[0])), 1e-6)
    fitting = [bar for bar in BARS_MM if bar * px_per_mm < 0.22 * size[0]]
    if not fitting or fitting[-1] * px_per_mm < 0.04 * size[0]:
        return None
    return start, fitting[-1] * px_per_mm, fitting[-1]


def _is_trusted(observation: Observation) -> bool:
    table = observation.table
    if not isinstance(table, TableFound) or table.references < MIN_REFERENCES:
        return False
    sigmas_mm = [
        one.position.sigma_mm for one in observation.placements if one.position
    ]
    if table.residual_mm > MAX_RESIDUAL_MM or not sigmas_mm:
        return False
    return float(np.median(sigmas_mm)) <= MAX_SIGMA_MM


def _image_from_table(
    observation: Observation, scale: float, size_mm: tuple[float, float]
) -> Array | None:
    cards = [
        (
            np.array(
                [one.position.x_mm, one.position.y_mm, one.position.angle_deg - 90]
            ),
            (np.array(one.quad_px) + 0.5) * scale - 0.5,
        )
        for one in observation.placements
        if one.position is not None and one.kind in (Kind.CARD, Kind.BACK)
    ]
    if not cards:
        return None
    cards.sort(key=lambda card: -cv2.contourArea(card[1].astype(np.float32)))
    poses = np.array([pose for pose, _ in cards]) * (1, 1, math.pi / 180)
    middles_px = np.array([_middle(quad) for _, quad in cards])
    corners_mm = lay(card_corners_mm(size_mm), poses[:1])[0]
    best: tuple[float, Array] | None = None
    # Angles are known modulo half a turn, and quads may start at a long edge.
    for shift in range(4):
        quad = np.roll(cards[0][1], shift, axis=0)
        try:
            rough = fit_homography(quad, corners_mm)
            missed = np.linalg.norm(transform(rough, poses[:, :2]) - middles_px, axis=1)
            found = fit_homography(
                np.concatenate([quad, middles_px]),
                np.concatenate([corners_mm, poses[:, :2]]),
            )
        except GeometryError:
            continue
        if best is None or np.median(missed) < best[0]:
            best = (float(np.median(missed)), found)
    return best[1] if best is not None else None


def _middle(quad: Array) -> Array:
    """Return where the diagonals cross: the card's own middle, in perspective."""
    square = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    middle: Array = transform(fit_homography(quad, square), np.zeros((1, 2)))[0]
    return middle


def draw_bar(
    canvas: Bgr, start: Array, length_px: float, length_mm: int, line_px: float
) -> None:
    """Draw the bar, with its length written above."""
    tick = 2.5 * line_px
    end = start + np.array([length_px, 0])
    up = np.array([0, -tick])
    strokes = [np.array([start + up, start, end, end + up])]
    for colour, width in ((INK, 3 * line_px), (PAPER, 1.2 * line_px)):
        for stroke in strokes:
            polyline(canvas, stroke, colour, width)
    text = f"{length_mm} mm" if length_mm < 100 else f"{length_mm // 10} cm"
    text_px = max(11, round(6 * line_px))
    x = start[0] + (length_px - text_width(text, text_px)) / 2
    y = start[1] - 1.6 * tick
    for dx, dy in (
        (-1, -1),
        (-1, 1),
        (1, -1),
        (1, 1),
        (0, 1),
        (0, -1),
        (1, 0),
        (-1, 0),
    ):
        off = max(1.0, text_px / 12)
        write(canvas, text, x + dx * off, y + dy * off, INK, text_px)
    write(canvas, text, x, y, PAPER, text_px)
