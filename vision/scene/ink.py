"""Drawing with one colour: letters as masks, and masks printed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]


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


def flat_three(weight: int = 400) -> Mask:
    """Return the tight mask of a 3 with a straight top, as many decks print it and few
    fonts have it."""
    canvas = np.zeros((260, 200), np.uint8)
    thick = round(weight / 25)
    top, middle = (45, 40), (95, 104)
    cv2.polylines(
        canvas,
        [np.array([top, (150, 40), middle], np.int32)],
        isClosed=False,
        color=(255,),
        thickness=thick,
    )
    cv2.ellipse(canvas, (95, 154), (58, 50), 0, -90, 145, (255,), thick)
    rows, columns = np.flatnonzero(canvas.any(1)), np.flatnonzero(canvas.any(0))
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
