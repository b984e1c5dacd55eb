"""Details of print that glare has left pale.

Glare adds white light, so print loses its contrast and, where the light is strongest,
its colours; but until all is white the darkest colour still draws it. Brought back to
its contrast, print shows details again. They are compared with the details of faces
that were lit and brought back likewise: what is lost on the one is lost on the other.
Of a card of which nothing was known by its looks 17 details agreed so, and on no wrong
face of another design more than four.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.matching.glaring import MOST_FACES
from vision.matching.patches import (
    BURNT,
    SIZES_PX,
    Mask,
    darkest,
    features,
    picture_pixels,
)
from vision.matching.references import References
from vision.matching.shortlist import Thumbs, index, thumb
from vision.matching.votes import CARD_PX, Details, details_of, faces_of, joined
from vision.types import Bgr

SHINES, EXPOSURE = (100.0, 180.0), 0.9
"""White light, in levels, that faces are lit with; and how they are exposed."""
AROUND, SHRINK = 0.25, 0.25
"""How far the surroundings reach whose darkest print tells the contrast, in widths of a
card; and at which size that is told."""
LEAST_DARK, DARK = 12.0, 220.0
"""Print that is darker than white by so much at least is brought to this."""
NEAR, LEAST_BURNT = 0.5, 0.15
"""Where such a share of what is so near, in widths of a card, is burnt out print may be
pale."""


def brought_back(bgr: Bgr, card_px: float) -> Mask:
    """Return (H, W) grey levels in which pale print has its contrast again; cards are
    about so wide."""
    dark = 255 - darkest(bgr)
    height, width = dark.shape
    small = cv2.resize(
        dark,
        (max(1, round(SHRINK * width)), max(1, round(SHRINK * height))),
        interpolation=cv2.INTER_AREA,
    )
    side = max(3, int(AROUND * SHRINK * card_px) | 1)
    most = cv2.blur(cv2.dilate(small, np.ones((side, side), np.uint8)), (side, side))
    large = cv2.resize(most, (width, height), interpolation=cv2.INTER_LINEAR)
    top = large.astype(np.float32)
    grey = 255 - dark.astype(np.float32) * (DARK / np.maximum(top, LEAST_DARK))
    return np.asarray(np.clip(grey, 0, 255), np.uint8)


def in_grey(bgr: Bgr, card_px: float) -> Bgr:
    """Return the same as a picture of three colours, to be compared as any other."""
    grey = brought_back(bgr, card_px)
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)


def _pale(bgr: Bgr, region: Mask, card_px: float) -> Mask:
    side = int(NEAR * card_px) | 1
    burnt = np.asarray(darkest(bgr) >= BURNT, np.float32)
    near = cv2.blur(burnt, (side, side)) > LEAST_BURNT
    return np.where(near, region, 0).astype(np.uint8)


def pale_details(bgr: Bgr, region: Mask, card_px: float) -> Details:
    """Return the details of a picture in a region, where its print may be pale."""
    region = _pale(bgr, region, card_px)
    x, y, wide, tall = cv2.boundingRect(region)
    grey = np.full(region.shape, 255, np.uint8)
    part = slice(y, y + tall), slice(x, x + wide)
    if min(wide, tall) > 0:
        grey[part] = brought_back(bgr[part], card_px)
    return details_of(grey, region, card_px)


def pale_faces(references: References, size_mm: tuple[float, float]) -> Details:
    """Return the details of all pictures of the galleries as glare leaves them."""
    lights = [partial(_lit, shine=shine) for shine in SHINES]
    return joined([faces_of(references, size_mm, lit) for lit in lights])


def _lit(bgr: Bgr, shine: float) -> Mask:
    return brought_back(_shone_on(bgr, shine), CARD_PX)


def _shone_on(bgr: Bgr, shine: float) -> Bgr:
    return np.asarray(cv2.convertScaleAbs(bgr, alpha=EXPOSURE, beta=shine), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class PaleThumbs:
    """Thumbnails of all pictures as glare leaves them; ready at their first use."""

    references: References
    _made: list[Thumbs] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ready(self) -> Thumbs | None:
        """Return them, one of each picture for each of `SHINES`; `None` where there are
        so many pictures that none is lit."""
        if not 0 < len(self.references.all) <= MOST_FACES:
            return None
        with self._lock:
            if not self._made:
                made = [
                    _thumb(one.picture, shine)
                    for shine in SHINES
                    for one in self.references.all
                ]
                self._made.append(index(made))
            return self._made[0]


def _thumb(picture: Bgr, shine: float) -> NDArray[np.float32]:
    size = SIZES_PX[1]
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    lit = _shone_on(np.asarray(small, np.uint8), shine)
    pixels = picture_pixels(in_grey(lit, size[0]), 0)
    return thumb(features(pixels))[0]
