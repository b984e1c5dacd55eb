"""Drawing with one colour: suit symbols and letters, as masks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]
_SIZE = 192


def suit_symbol(suit: str, shape: Sequence[float]) -> Mask:
    """Return a (192, 192) mask of a suit `c d h s`.

    `shape` holds three numbers in [0, 1] that vary the outline: slenderness, how round
    the lobes are, how wide the foot.
    """
    a, b, c = shape
    if suit == "d":
        return _filled([_diamond(0.55 + 0.4 * a, 0.12 * b)])
    if suit == "h":
        return _filled([_heart(0.8 + 0.2 * a, 0.2 + 0.25 * b, upside_down=False)])
    foot = _foot(0.30 + 0.25 * c)
    if suit == "s":
        body = _heart(0.8 + 0.2 * a, 0.2 + 0.25 * b, upside_down=True)
        body[:, 1] = body[:, 1] * 0.86 - 0.1
        return _filled([body, foot])
    radius = 0.40 + 0.08 * b
    spread = 0.48 + 0.07 * a
    lobes = [
        _circle(x, y, radius) for x, y in ((0, -0.52), (-spread, 0.12), (spread, 0.12))
    ]
    middle = np.array([[-0.2, -0.3], [0.2, -0.3], [0.25, 0.3], [-0.25, 0.3]])
    return _filled([*lobes, middle, foot])


def _diamond(width: float, hollow: float) -> NDArray[np.float64]:
    corners = np.array([[0, -1], [width, 0], [0, 1], [-width, 0]], float)
    points: list[NDArray[np.float64]] = []
    for start, end in zip(corners, np.roll(corners, -1, 0), strict=True):
        t = np.linspace(0, 1, 12, endpoint=False)[:, None]
        bulge = 1 - hollow * 4 * t * (1 - t)
        points.append((start * (1 - t) + end * t) * bulge)
    return np.vstack(points)


def _heart(width: float, dip: float, *, upside_down: bool) -> NDArray[np.float64]:
    t = np.linspace(0, 2 * math.pi, 72, endpoint=False)
    x = width * np.sin(t) ** 3
    y = -(0.8125 * np.cos(t) - 0.3125 * np.cos(2 * t) - 0.125 * np.cos(3 * t))
    y = y + 0.1 - dip * 0.25 * np.cos(t) * np.exp(-6 * x * x)
    points = np.column_stack([x, y])
    return points * [1, -1] if upside_down else points


def _foot(width: float) -> NDArray[np.float64]:
    t = np.linspace(0, 1, 10)
    left = np.column_stack([-0.06 - (width - 0.06) * t**2.5, 0.2 + 0.8 * t])
    return np.vstack([left, left[::-1] * [-1, 1]])


def _circle(x: float, y: float, radius: float) -> NDArray[np.float64]:
    t = np.linspace(0, 2 * math.pi, 40, endpoint=False)
    return np.column_stack([x + radius * np.cos(t), y + radius * np.sin(t)])


def _filled(polygons: Sequence[NDArray[np.float64]]) -> Mask:
    mask = np.zeros((_SIZE * 2, _SIZE * 2), np.uint8)
    for polygon in polygons:
        points = np.clip(polygon, -1.05, 1.05) * _SIZE * 0.93 + _SIZE
        cv2.fillPoly(mask, [points.round().astype(np.int32)], 255)
    small = cv2.resize(mask, (_SIZE, _SIZE), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


@cache
def font(path: str) -> cv2.FontFace:
    """Return a font by file, or one that OpenCV carries: ``sans``, ``uni``."""
    return cv2.FontFace(path)


def letters(text: str, font_path: str, weight: int = 400) -> Mask:
    """Return the tight mask of a short text, 160 px high before trimming.

    An empty (1, 1) mask says that the font has no such letters.
    """
    canvas = np.zeros((260, 160 * (len(text) + 1)), np.uint8)
    cv2.putText(canvas, text, (40, 190), (255,), font(font_path), 160, weight)
    rows, columns = np.flatnonzero(canvas.any(1)), np.flatnonzero(canvas.any(0))
    if not len(rows) or not len(columns):
        return np.zeros((1, 1), np.uint8)
    return canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def stamp(
    bgr: NDArray[np.uint8],
    mask: Mask,
    box: tuple[float, float, float, float],
    colour: Sequence[float],
    *,
    turned: bool = False,
) -> None:
    """Print `mask` in `colour` into the box x0 y0 x1 y1 (px) of `bgr`, in place."""
    x0, y0, x1, y1 = (round(v) for v in box)
    width, height = max(1, x1 - x0), max(1, y1 - y0)
    if turned:
        mask = mask[::-1, ::-1]
    small = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)
    cx0, cy0 = max(0, x0), max(0, y0)
    cx1, cy1 = min(bgr.shape[1], x0 + width), min(bgr.shape[0], y0 + height)
    if cx1 <= cx0 or cy1 <= cy0:
        return
    cut = small[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0, None].astype(np.float32) / 255
    ground = bgr[cy0:cy1, cx0:cx1]
    ground[:] = (ground * (1 - cut) + np.asarray(colour, np.float32) * cut).astype(
        np.uint8
    )
