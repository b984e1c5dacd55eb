"""Which cards of a rendered photo nobody could read: their print is burnt out."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene.render import Truth
from vision.types import Array, Bgr

SIZE = (64, 88)
PRINT_BELOW = 200
"""What is darker than this in some colour is print, in the picture of the face."""
BURNT_FROM = 240
"""What is lighter than this in all colours is burnt out, in the photo."""
LEAST_LEFT = 0.05
"""Share of the print that shows, as much as one index, of which this much must be left.
"""


def is_burnt(bgr: Bgr, card: Truth, others: Sequence[Truth], face: Bgr) -> bool:
    """Return whether glare leaves nothing to read of what shows of a card.

    `others` are all cards of the picture, `face` is the card's own picture.
    """
    seen, shows = _straight(bgr, card.quad_px), np.ones(SIZE[::-1], np.uint8)
    for other in others:
        if other.order > card.order:
            cv2.fillConvexPoly(shows, _on_card(card.quad_px, other.quad_px), (0,))
    own = np.asarray(cv2.resize(face, SIZE, interpolation=cv2.INTER_AREA), np.uint8)
    printed = (own.min(axis=2) < PRINT_BELOW) & (shows > 0)
    left = printed & (seen.min(axis=2) < BURNT_FROM)
    return float(left.sum()) < LEAST_LEFT * float(printed.sum())


def _straight(bgr: Bgr, quad_px: Array) -> Bgr:
    matrix = cv2.getPerspectiveTransform(quad_px.astype(np.float32), _corners())
    return np.asarray(cv2.warpPerspective(bgr, matrix, SIZE), np.uint8)


def _on_card(quad_px: Array, other_px: Array) -> NDArray[np.int32]:
    matrix = cv2.getPerspectiveTransform(quad_px.astype(np.float32), _corners())
    there = cv2.perspectiveTransform(other_px[None].astype(np.float32), matrix)[0]
    return np.asarray(np.round(there), np.int32)


def _corners() -> NDArray[np.float32]:
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * SIZE - 0.5
    return np.asarray(corners, np.float32)
