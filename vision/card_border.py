"""Cards with a border: the field within has the stronger edges, and is no card.

What lies around a field in one colour on all sides, and ends all at once, is a border.
A table goes on, or ends elsewhere on each side.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.outline import is_card_shaped
from vision.quads import UNIT_CORNERS, from_quad
from vision.refine import RefinedQuad
from vision.types import Array, Bgr

LONG_PX, ROOM = 352, 0.14
"""The field is straightened to so long a side, with so much room around it."""
FROM_PX, NARROWEST, WIDEST = 2, 0.015, 0.1
"""A border begins beyond the blurred edge of the field; how wide it may be, in shares
of the long side."""
PLAIN, ONE_COLOUR, ENDS = 14.0, 26.0, 16.0
"""Levels by which a border may vary along a side, and from side to side; and how far
from it is what lies beyond."""
EVEN = 0.025
"""How much narrower or wider than the others a side's border may be."""
SIDES = 3
"""So many sides must show it: one may be lost in light or shade."""


def with_border(bgr: Bgr, field: RefinedQuad) -> RefinedQuad:
    """Return the outline of the card that has a border of which some sides lie within;
    the outline itself where there is no border, or all sides lie beyond it."""
    outside, inside = _around(bgr, field.quad_px)
    bands = [_band(strip) for strip in (*outside, *inside)]
    told = np.array([width for width, _ in bands])
    colours = np.array([colour for _, colour in bands])
    if np.isnan(told[:4]).all():
        return field
    usual = np.nanmedian(colours[:4], axis=0)
    told[np.linalg.norm(colours - usual, axis=1) > ONE_COLOUR] = np.nan
    out, there = told[:4], told[4:]
    # A side that lies on the outer edge has the border inside.
    seen = np.where(np.isnan(out), there, out)
    if np.isnan(out).all():
        return field
    width = float(np.nanmedian(seen))
    is_even = np.abs(seen - width) <= EVEN * LONG_PX
    if is_even.sum() < SIDES:
        return field
    lost = ~is_even & np.isnan(there)
    grown = _grown(
        field.quad_px, np.where(is_even & ~np.isnan(out), out, np.where(lost, width, 0))
    )
    if not is_card_shaped(grown, bgr.shape):
        return field
    top, right, bottom, left = np.maximum(field.support, is_even)
    return RefinedQuad(grown, (float(top), float(right), float(bottom), float(left)))


def _sides_px(quad_px: Array) -> tuple[int, int]:
    """Return width and height of the straightened field."""
    lengths = np.linalg.norm(np.roll(quad_px, -1, 0) - quad_px, axis=1)
    across, down = lengths[0] + lengths[2], lengths[1] + lengths[3]
    scale = LONG_PX / max(across, down)
    return max(8, round(across * scale)), max(8, round(down * scale))


def _around(bgr: Bgr, quad_px: Array) -> tuple[list[Array], list[Array]]:
    """Return for each side (top, right, bottom, left) the strips outside and inside it:
    (depth, length, 3), first what is next to the side."""
    room = round(ROOM * LONG_PX)
    width, height = _sides_px(quad_px)
    target = UNIT_CORNERS * [width, height] + room - 0.5
    matrix = cv2.getPerspectiveTransform(
        quad_px.astype(np.float32), target.astype(np.float32)
    )
    size = width + 2 * room, height + 2 * room
    seen = cv2.warpPerspective(bgr, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.cvtColor(seen, cv2.COLOR_BGR2LAB).astype(float)
    outside, inside = [], []
    for _ in range(4):
        middle = lab[:, room:-room]
        middle = middle[:, middle.shape[1] // 10 : -(middle.shape[1] // 10)]
        outside.append(middle[:room][::-1])
        inside.append(middle[room : 2 * room])
        lab = np.rot90(lab)
    return outside, inside


def _band(strip: Array) -> tuple[float, Array]:
    """Return how deep one colour reaches from the start of a strip, px (nan: it is no
    border), and the colour."""
    least, most = round(NARROWEST * LONG_PX), round(WIDEST * LONG_PX)
    first = strip[FROM_PX : least + 1].reshape(-1, 3)
    colour = np.median(first, axis=0)
    spread = np.median(np.linalg.norm(first - colour, axis=1))
    away = np.median(np.linalg.norm(strip - colour, axis=2), axis=1)
    beyond = np.flatnonzero(away[FROM_PX:] > ENDS) + FROM_PX
    if spread > PLAIN or not len(beyond) or not least <= beyond[0] <= most:
        return np.nan, np.full(3, np.nan)
    return float(beyond[0]), np.asarray(colour, float)


def _grown(quad_px: Array, widths: Array) -> Array:
    """Return the quad with each side so far out, px of the straightened field."""
    width, height = _sides_px(quad_px)
    top, right, bottom, left = widths
    outer = np.array(
        [
            [-left, -top],
            [width + right, -top],
            [width + right, height + bottom],
            [-left, height + bottom],
        ]
    )
    return from_quad(quad_px, outer / [width, height])
