"""Cuts straightened crops out of a picture: what the reader sees, here and in training.

A crop is CROP_WIDTH x CROP_HEIGHT px, upright. A whole card fills it with a small
margin; a corner index stands in the middle with some of its surroundings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from vision.types import Array, Bgr

CROP_WIDTH = 80
CROP_HEIGHT = 112
CARD_MARGIN = 0.05
"""Share of the card's size that is added on each side."""
INDEX_CONTEXT = 1.35
"""Height of the crop around an index, in heights of the index."""

EDGE_PX, STROKE_PX = 2.0, 5
"""Edges that are so soft are sharpened before print is thinned; so wide is what takes
the place of each px: print loses half of it at each side."""

Way = tuple[float, float, float, float]
"""Shares of a window to its right and down, the factor of its size, and degrees."""

_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)


def card_window(quad_px: Array) -> Array:
    """Return the (4, 2) window around a card's quad, margin included."""
    return _grown(quad_px, 1 + 2 * CARD_MARGIN, 1 + 2 * CARD_MARGIN)


def index_window(quad_px: Array) -> Array:
    """Return the (4, 2) window around an index's quad: its height and some more, and
    as wide as the crop's shape asks."""
    down = (quad_px[3] + quad_px[2] - quad_px[0] - quad_px[1]) / 2
    right = (quad_px[1] + quad_px[2] - quad_px[0] - quad_px[3]) / 2
    height, width = float(np.hypot(*down)), float(np.hypot(*right))
    tall = max(height, width * CROP_HEIGHT / CROP_WIDTH * 0.9) * INDEX_CONTEXT
    wide = tall * CROP_WIDTH / CROP_HEIGHT
    return _grown(quad_px, wide / max(width, 1e-6), tall / max(height, 1e-6))


def in_window(window_px: Array) -> Array:
    """Return the (4, 2) quad of the index that an index window is around, as wide as
    the window asks."""
    return _grown(window_px, 1 / INDEX_CONTEXT, 1 / INDEX_CONTEXT)


def turned(window_px: Array) -> Array:
    """Return the same window, or other quad, seen upside down."""
    return window_px[[2, 3, 0, 1]]


def mirrored(window_px: Array) -> Array:
    """Return the same window, or other quad, seen in a mirror."""
    return window_px[[1, 0, 3, 2]]


def beside(window_px: Array, ways: Sequence[Way]) -> Array:
    """Return (len(ways), 4, 2) windows a little beside a (4, 2) one."""
    right, down = window_px[1] - window_px[0], window_px[3] - window_px[0]
    middle = window_px.mean(0)
    return np.array(
        [
            (window_px - middle) @ cv2.getRotationMatrix2D((0, 0), turn, grown)[:, :2].T
            + middle
            + x * right
            + y * down
            for x, y, grown, turn in ways
        ]
    )


def cut(bgr: Bgr, window_px: Array) -> Bgr:
    """Return the (112, 80, 3) crop of a (4, 2) window, clockwise from its top left.

    Where the window is much larger than the crop, the picture is first halved until it
    is not, so that no detail turns into false ones. Outside the picture is grey.
    """
    right, down = window_px[1] - window_px[0], window_px[3] - window_px[0]
    size = max(math.hypot(*down) / CROP_HEIGHT, math.hypot(*right) / CROP_WIDTH)
    if size > 1.6:
        bgr, window_px = _shrunk(bgr, window_px, size)
    target = _UNIT * [CROP_WIDTH, CROP_HEIGHT] - 0.5
    matrix = cv2.getPerspectiveTransform(
        window_px.astype(np.float32), target.astype(np.float32)
    )
    crop = cv2.warpPerspective(
        bgr,
        matrix,
        (CROP_WIDTH, CROP_HEIGHT),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(114, 114, 114),
    )
    return np.asarray(crop, np.uint8)


def thinned(crop: Bgr) -> Bgr:
    """Return a crop with what is dark in it made thinner: its edges sharpened, then
    each px as bright as the brightest near it."""
    soft = cv2.GaussianBlur(crop, (0, 0), EDGE_PX)
    sharp = cv2.addWeighted(crop, 2.0, soft, -1.0, 0.0)
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (STROKE_PX, STROKE_PX))
    return np.asarray(cv2.dilate(sharp, around), np.uint8)


def _shrunk(bgr: Bgr, window_px: Array, factor: float) -> tuple[Bgr, Array]:
    low = np.maximum(np.floor(window_px.min(0)).astype(int) - 2, 0)
    high = np.ceil(window_px.max(0)).astype(int) + 3
    part = bgr[low[1] : high[1], low[0] : high[0]]
    if part.shape[0] < 4 or part.shape[1] < 4:
        return bgr, window_px
    width = max(2, round(part.shape[1] / factor))
    height = max(2, round(part.shape[0] / factor))
    small = cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA)
    scale = np.array([width / part.shape[1], height / part.shape[0]])
    return np.asarray(small, np.uint8), (window_px - low + 0.5) * scale - 0.5


def _grown(quad_px: Array, wide: float, tall: float) -> Array:
    right = (quad_px[1] + quad_px[2] - quad_px[0] - quad_px[3]) / 4
    down = (quad_px[3] + quad_px[2] - quad_px[0] - quad_px[1]) / 4
    middle = quad_px.sum(0) / 4
    skew = quad_px - (middle + _signs(right, down))
    return np.asarray(middle + _signs(right * wide, down * tall) + skew, float)


def _signs(right: Array, down: Array) -> Array:
    return np.array([-right - down, right - down, right + down, -right + down])
