"""Card backs, drawn by chance."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene.art import FACE_HEIGHT_PX, Face, cut_round
from vision.scene.mosaic import mosaic
from vision.types import Array, Bgr, Kind


def draw_back(rng: np.random.Generator) -> Face:
    """Return a random card back: lattice, dots, checks, waves or a picture."""
    h, w = FACE_HEIGHT_PX, round(FACE_HEIGHT_PX * rng.uniform(0.635, 0.73))
    first, second = rng.integers(0, 255, (2, 3)).astype(float)
    if rng.random() < 0.6:
        second = np.array([245.0, 248, 250])
    y, x = np.mgrid[0:h, 0:w]
    step = rng.uniform(6, 40)
    match rng.integers(6):
        case 0:
            pattern = ((x + y) % step < step * 0.3) | ((x - y) % step < step * 0.3)
        case 1:
            pattern = np.hypot(x % step - step / 2, y % step - step / 2) < step * 0.35
        case 2:
            pattern = ((x // step) + (y // step)) % 2 == 0
        case 3:
            pattern = np.sin(x / step) + np.sin(y / step * rng.uniform(0.5, 2)) > 0
        case 4:
            pattern = np.hypot(x - w / 2, y - h / 2) % step < step * 0.4
        case _:
            pattern = np.zeros((h, w), bool)
    bgr = np.where(pattern[..., None], first, second).astype(np.uint8)
    if rng.random() < 0.3:
        width, height = int(w * 0.7), int(h * 0.7)
        art = mosaic(rng, width, height, symmetric=True)
        bgr[(h - height) // 2 :, (w - width) // 2 :][:height, :width] = art
    margin = int(rng.choice([0, 8, 14, 20]))
    if margin:
        border = (245, 248, 250) if rng.random() < 0.8 else tuple(first.tolist())
        cv2.rectangle(bgr, (0, 0), (w - 1, h - 1), border, margin * 2)
    return Face(Kind.BACK, None, cut_round(bgr, rng))


def draw_medallion_back(rng: np.random.Generator) -> Face:
    """Return a random card back with lozenges, rings or stars (one within another, of
    some) on a ground of one ink, the same from both ends, within a border: what printed
    decks mostly have."""
    h, w = FACE_HEIGHT_PX, round(FACE_HEIGHT_PX * rng.uniform(0.635, 0.73))
    ink = rng.uniform(0, 170, 3).tolist()
    light = (np.full(3, 240.0) + rng.normal(0, 8, 3)).tolist()
    bgr = np.full((h, w, 3), ink, np.uint8)
    columns = int(rng.integers(1, 5))
    rows = max(1, round(columns * rng.uniform(1.0, 1.8)))
    size = np.array([w / columns, h / rows]) * rng.uniform(0.25, 0.5)
    kind, thick = int(rng.integers(3)), int(rng.integers(2, 9))
    if rng.random() < 0.6:
        thick = -1
    nested = int(rng.choice([1, 2, 3], p=[0.7, 0.15, 0.15]))
    for row, column in np.ndindex(rows, columns):
        middle = np.array([(column + 0.5) * w / columns, (row + 0.5) * h / rows])
        for number, share in enumerate((1.0, 0.62, 0.3)[:nested]):
            colour = ink if number % 2 and thick < 0 else light
            bgr = _filled(bgr, _outline(kind, middle, size * share), colour, thick)
    half = h // 2
    bgr[h - half :] = bgr[:half][::-1, ::-1]
    for inset in np.cumsum(rng.integers(6, 22, int(rng.integers(1, 4)))).tolist():
        line = light if rng.random() < 0.7 else ink
        cv2.rectangle(bgr, (inset, inset), (w - 1 - inset, h - 1 - inset), line, 3)
    margin = int(rng.choice([4, 10, 16, 24]))
    cv2.rectangle(bgr, (0, 0), (w - 1, h - 1), light, margin * 2)
    return Face(Kind.BACK, None, cut_round(bgr, rng))


def _outline(kind: int, middle: Array, size: Array) -> Array:
    """Return the corners (N, 2) of a lozenge, a disc or a star around a place."""
    if kind == 0:
        lozenge = np.array([[0, -1], [1, 0], [0, 1], [-1, 0]])
        return np.asarray(middle + size * lozenge, float)
    number = np.arange(16 if kind == 2 else 40)
    turns = number * 2 * np.pi / len(number)
    reach = size.min() * np.where((number % 2 == 1) & (kind == 2), 0.5, 1.0)
    star = reach[:, None] * np.column_stack([np.sin(turns), np.cos(turns)])
    return np.asarray(middle + star, float)


def _filled(bgr: Bgr, points: NDArray[np.float64], ink: list[float], thick: int) -> Bgr:
    """Return the art with a polygon: filled, or only its line, `thick` px."""
    corners = points.round().astype(np.int32)
    if thick < 0:
        cv2.fillPoly(bgr, [corners], ink, cv2.LINE_AA)
    else:
        cv2.polylines(bgr, [corners], isClosed=True, color=ink, thickness=thick)
    return bgr
