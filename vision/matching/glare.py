"""What glare cannot have made of the print of a card: there something else lies on it.

Glare adds white light, as much as it likes, and what exceeds white is cut off. So a
pixel speaks against a card only where it is darker than the card's print, or of another
colour than the print with any white added. Of windows of cards in glare of rendered
tables that showed 14 % had so many of these among their pixels that are not burnt out;
of those that another card covered 88 % did, and 59 % where most was burnt out.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.matching.patches import BURNT, Mask, Plane, darkest
from vision.types import Bgr

AWAY = 22.0
"""Levels by which a pixel may be off."""
ASIDE_PX = 3
"""The print may lie a pixel beside."""
LEAST_LIGHT, LEAST_TOLD, UNLIT = 60.0, 40, 20
"""So light print, so many pixels of it, and the lowest so many per cent of what they
show tell how the card is exposed without glare."""
LEAST_BURNT, MOST_DENIED = 0.1, 0.06
"""Share of a window that is burnt out if it lies in glare, and share of its other
pixels that glare may fail to explain."""
SOME_LEFT = 0.1
NO_GLARE = 0.02
"""So little burnt out is no glare."""
SHRINK, LIGHTEST, BRIGHT, AT_WHITE = 0.25, 99.9, (244.0, 254.0), 0.2
"""So much smaller a picture shows, on the lightest of it, how light burnt-out parts are
on the whole; and they are burnt out if such a share of their pixels is white."""


def whitened(bgr: Bgr) -> Bgr:
    """Return a picture in which what is burnt out is white: noise, which goes one way
    only there, leaves it a little darker."""
    small = cv2.resize(bgr, None, fx=SHRINK, fy=SHRINK, interpolation=cv2.INTER_AREA)
    lowest = small.min(axis=2)
    white = float(np.percentile(lowest, LIGHTEST))
    if not BRIGHT[0] <= white < BRIGHT[1]:
        return bgr
    lightest = np.asarray(lowest >= white - 2, np.uint8)
    there = cv2.resize(lightest, bgr.shape[1::-1], interpolation=cv2.INTER_NEAREST)
    if float(np.mean(bgr[there > 0] >= BURNT + 4)) < AT_WHITE:
        return bgr
    return np.asarray(cv2.convertScaleAbs(bgr, alpha=255 / (white - 1)), np.uint8)


def unlit(pixels: Plane, picture: Plane, unlike: Mask) -> Plane | None:
    """Return (3,) how much of its light each colour of a picture has in the photo of a
    card that lies in no glare; `None` in glare, and where too little tells."""
    told, burnt = pixels[..., 3] > 0, _burnt(pixels)
    if burnt.sum() > NO_GLARE * max(int(told.sum()), 1):
        return None
    return _exposed(pixels[..., :3], picture[..., :3], told & ~burnt & (unlike == 0))


def excused(
    pixels: Plane,
    picture: Plane,
    unlike: Mask,
    window_px: int,
    light: Plane | None = None,
) -> Mask:
    """Return 255 where glare explains why a card does not look like its picture.

    `pixels` and `picture` are (H, W, 4); `unlike` is 255 where they differ. `light` is
    that of cards about it, (3,): glare may lie on all of this one but its edge.
    """
    seen, own = pixels[..., :3], picture[..., :3]
    burnt = _burnt(pixels)
    none: Mask = np.zeros(unlike.shape, np.uint8)
    if not burnt.any():
        return none
    gains = _exposed(seen, own, (unlike == 0) & ~burnt & (pixels[..., 3] > 0))
    if gains is None:
        return none
    if light is not None:
        gains = np.minimum(gains, light)
    window = window_px, window_px
    burnt_share = cv2.blur(burnt.astype(np.float32), window)
    denied = cv2.blur(_denied(seen, own * gains).astype(np.float32), window)
    left = np.maximum(1 - burnt_share, SOME_LEFT)
    explains = (burnt_share >= LEAST_BURNT) & (denied <= MOST_DENIED * left)
    return np.where(explains, 255, 0).astype(np.uint8)


def _burnt(pixels: Plane) -> NDArray[np.bool_]:
    return np.asarray((darkest(pixels) >= BURNT) & (pixels[..., 3] > 0), bool)


def _exposed(seen: Plane, own: Plane, sure: Mask | Plane) -> Plane | None:
    """Return how much of its light each colour of a picture has in the photo."""
    gains = []
    for colour in range(3):
        told = (sure > 0) & (own[..., colour] > LEAST_LIGHT)
        if told.sum() < LEAST_TOLD:
            return None
        shares = seen[..., colour][told] / own[..., colour][told]
        gains.append(float(np.percentile(shares, UNLIT)))
    return np.array(gains, np.float32)


def _denied(seen: Plane, print_: Plane) -> Mask:
    """Return 1 where no white light turns the print into what is seen."""
    beside = np.ones((ASIDE_PX, ASIDE_PX), np.uint8)
    darkest, lightest = cv2.erode(print_, beside), cv2.dilate(print_, beside)
    least = np.maximum((seen - lightest - AWAY).max(axis=2), -AWAY)
    most = np.where(seen >= BURNT, np.inf, seen - darkest + AWAY).min(axis=2)
    return np.asarray(least > most, np.uint8)
