"""What was seen, drawn over the picture for people to check at a glance.

Every card found has an outline and a tag like the index of a card. How sure the reading
is shows in shape as well as colour: a full line and a rounded tag, a dashed line and a
pointed tag with a question mark, a dotted line and a round question mark. A card that
lies on top hides the outlines below it, as the card itself does.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import cv2
import numpy as np

from vision.overlay.bar import draw_bar, scale_bar
from vision.overlay.shapes import draw_outlines, line_width, shape
from vision.overlay.tags import draw_tag, lay_tags
from vision.place import STANDARD_CARD_MM
from vision.types import Bgr, Frame, Observation

_NO_TEXTS: Mapping[str, str] = MappingProxyType({})


def draw(
    frame: Frame,
    observation: Observation,
    *,
    labels: Mapping[str, str] = _NO_TEXTS,
    long_side_px: int = 1600,
    size_mm: tuple[float, float] = STANDARD_CARD_MM,
) -> Bgr:
    """Return the picture, at most `long_side_px` large, with what was seen on it.

    `labels` says how to write a name where that differs from the name itself: letters
    of another language, short titles. Standard cards are written as rank and suit sign.
    `size_mm` is that of the cards; it scales the bar in the corner, which is drawn when
    the table was found, and well enough, and is true where it stands.
    """
    height, width = frame.bgr.shape[:2]
    scale = min(1.0, long_side_px / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    picture = frame.bgr
    if scale < 1:
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA))
    doubtful = {
        id_
        for finding in observation.findings
        if finding.code == "duplicate"
        for id_ in finding.placements
    }
    shapes = [
        shape(placement, scale, labels, doubtful=placement.id in doubtful)
        for placement in sorted(observation.placements, key=lambda one: one.order)
    ]
    line_px = line_width(shapes, size)
    canvas = draw_outlines(np.asarray(picture, np.uint8), shapes, line_px)
    bar = scale_bar(observation, scale, size, size_mm)
    if bar is not None:
        draw_bar(canvas, *bar, line_px)
    for tag in lay_tags(shapes, size):
        draw_tag(canvas, tag)
    return canvas
