"""Pictures as small masks: what differs between two, and which parts of it belong
together.

Pictures are compared 320 px wide; what is said of one cell is said of some 16 px.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Bgr

Mask = NDArray[np.bool_]
WIDTH_PX = 320
"""The width at which pictures are compared; a card of 60 px is then still 15 px."""
ARM_SHARE = 0.004
"""Of the picture: what touches the edge and is smaller is a card's corner."""
SPECK_CELLS = 10
"""Smaller changes are noise; a chip of 20 px in a picture of 1280 has 20 cells."""
RESTLESS_SHARE = 0.05
"""Of a changed part may have moved a moment ago, and it is at rest all the same."""


def edge_parts(mask: Mask) -> tuple[NDArray[np.int32], Mask, NDArray[np.float64]]:
    """Return the parts of a mask, which of them begin at the picture's edge and are not
    small, and the share of the picture that each takes."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(
        grown(mask, 1).astype(np.uint8), connectivity=8
    )
    height, width = mask.shape
    left, top = stats[:, cv2.CC_STAT_LEFT], stats[:, cv2.CC_STAT_TOP]
    right = left + stats[:, cv2.CC_STAT_WIDTH]
    bottom = top + stats[:, cv2.CC_STAT_HEIGHT]
    at_edge = (left <= 1) | (top <= 1) | (right >= width - 1)
    at_edge |= bottom >= height - 1
    share = stats[:, cv2.CC_STAT_AREA] / (height * width)
    is_arm = at_edge & (share >= ARM_SHARE)
    is_arm[0] = False
    return np.asarray(labels, np.int32), np.asarray(is_arm, bool), share


def shrunk(bgr: Bgr) -> Bgr:
    """Return the picture `WIDTH_PX` wide, or as it is where it is smaller."""
    height, width = bgr.shape[:2]
    if width <= WIDTH_PX:
        return bgr
    if width >= 2 * WIDTH_PX and not width % 2 and not height % 2:
        # Two halvings take a quarter of the time of one step by four.
        half = (width // 2, height // 2)
        smaller = cv2.resize(bgr, half, interpolation=cv2.INTER_AREA)
        return shrunk(np.asarray(smaller, np.uint8))
    size = (WIDTH_PX, max(1, round(height * WIDTH_PX / width)))
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def difference(now: Bgr, then: Bgr) -> NDArray[np.uint8]:
    """Return by how much cells differ, once the light is the same; (H, W)."""
    return apart(now, in_the_light_of(now, then))


def apart(now: Bgr, then: Bgr) -> NDArray[np.uint8]:
    blue, green, red = cv2.split(cv2.absdiff(now, then))
    return np.asarray(cv2.max(blue, cv2.max(green, red)), np.uint8)


def darkest(bgr: Bgr) -> NDArray[np.uint8]:
    """Return the darkest channel of each cell; numpy's `min` takes 40 times as long."""
    blue, green, red = cv2.split(bgr)
    return np.asarray(cv2.min(blue, cv2.min(green, red)), np.uint8)


def gain_between(now: Bgr, then: Bgr) -> NDArray[np.float32] | None:
    """Return by what `then` is multiplied, per channel, to have the exposure and white
    balance of `now`; `None` where they are the same, or too little tells."""
    a = now[4::8, 4::8].reshape(-1, 3)
    b = then[4::8, 4::8].reshape(-1, 3)
    fair = ((a > 15) & (a < 240) & (b > 15) & (b < 240)).all(axis=1)
    if np.count_nonzero(fair) < 50:
        return None
    ratio = (a[fair] + np.float32(0.5)) / (b[fair] + np.float32(0.5))
    middle = len(ratio) // 2
    gain = np.partition(ratio.T, middle)[:, middle]
    return None if float(np.abs(gain - 1).max()) < 0.004 else gain


def in_the_light_of(now: Bgr, then: Bgr) -> Bgr:
    """Return `then` as the exposure and white balance of `now` would show it."""
    gain = gain_between(now, then)
    if gain is None:
        return then
    levels = np.arange(256, dtype=np.float32)[:, None] * gain[None, :]
    table = np.clip(np.rint(levels), 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(then, table[:, None, :]), np.uint8)


def slope(bgr: Bgr) -> NDArray[np.float32]:
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    x = cv2.Sobel(gray, cv2.CV_32F, 1, 0, scale=0.25)
    y = cv2.Sobel(gray, cv2.CV_32F, 0, 1, scale=0.25)
    return np.asarray(cv2.magnitude(x, y), np.float32)


def opened(mask: Mask) -> Mask:
    """Return a mask without single cells: of each 3x3, at least four must be set."""
    share = cv2.boxFilter(mask.astype(np.uint8), cv2.CV_8U, (3, 3), normalize=False)
    return np.asarray((share >= 4) & mask, bool)


def grown(mask: Mask, cells: int) -> Mask:
    size = 2 * cells + 1
    kernel = np.ones((size, size), np.uint8)
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel), bool)


def at_rest(changed: Mask, still: Mask) -> Mask:
    """Return the changed parts that are still as a whole.

    A white card that is pushed moves at its rim only: its middle must not count alone.
    """
    number, labels = cv2.connectedComponents(changed.astype(np.uint8), connectivity=8)
    if number < 2:
        return changed
    area = np.bincount(labels.ravel(), minlength=number)
    moved = np.bincount(labels.ravel(), weights=~still.ravel(), minlength=number)
    rests = moved <= RESTLESS_SHARE * area
    rests[0] = False
    return np.asarray(rests[labels] & still, bool)


def without_specks(mask: Mask) -> Mask:
    if not mask.any():
        return mask
    number, labels, stats, _ = cv2.connectedComponentsWithStats(
        mask.astype(np.uint8), connectivity=8
    )
    keep = stats[:, cv2.CC_STAT_AREA] >= SPECK_CELLS
    keep[0] = False
    return np.asarray(keep[labels], bool) if number > 1 else mask
