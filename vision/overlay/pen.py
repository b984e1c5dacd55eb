"""Lines and lettering, to a fraction of a pixel."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Array, Bgr

Colour = tuple[int, int, int]

INK: Colour = (38, 32, 28)
PAPER: Colour = (255, 255, 255)
RED: Colour = (40, 28, 205)
SURE: Colour = (120, 235, 60)
UNSURE: Colour = (40, 185, 255)
UNKNOWN: Colour = (225, 90, 235)
BACK: Colour = (235, 205, 160)


FINE = 4
"""Bits of a pixel's fraction in OpenCV's drawing functions."""
_FONT, _WEIGHT = "sans", 600


def polyline(canvas: Bgr, points: Array, colour: Colour, width: float) -> None:
    """Draw an open line."""
    thick = max(1, round(width))
    cv2.polylines(canvas, [fixed(points)], False, colour, thick, cv2.LINE_AA, FINE)


def fixed(points: Array) -> NDArray[np.int32]:
    """Return points as OpenCV's drawing functions take them, to 1/16 px."""
    # Far outside, their arithmetic overflows.
    bounded = np.clip(points, -20_000, 20_000)
    fixed: NDArray[np.int32] = np.round(bounded * 2**FINE).astype(np.int32)
    return fixed


def text_width(text: str, text_px: int) -> float:
    """Return how wide a text is, in px."""
    box = cv2.getTextSize((0, 0), text, (0, 0), cv2.FontFace(_FONT), text_px, _WEIGHT)
    # The box ends at the ink; a suit sign is followed by a little air.
    return float(box[0] + box[2] + (0.08 * text_px if text else 0))


def write(
    canvas: Bgr, text: str, x: float, y: float, colour: Colour, text_px: int
) -> None:
    """Write a text from the left end of its base line."""
    at = (round(x), round(y))
    cv2.putText(canvas, text, at, colour, cv2.FontFace(_FONT), text_px, _WEIGHT)
