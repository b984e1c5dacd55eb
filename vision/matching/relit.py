"""A picture of the gallery in the glare that a card lies in.

Glare adds white light, and what exceeds white is cut off: of the print only the dark
parts are left, and these pale. So the picture is lit as the card is, before the two are
compared. Of 21 cards of two rendered tables, half of whose pixels were burnt out, the
print then correlated .76 to .88 with the right face, before .66 to .79, and .48 at most
with any of 13 others.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.matching.patches import (
    BURNT,
    BURNT_WEIGHT,
    PAPER_WEIGHT,
    Plane,
    darkest,
    ring,
)

LEAST_BURNT = 0.2
"""Share of what is seen of a card from which it may lie in glare."""
GLARE = 30.0
"""Levels of white light, on the whole of what is seen, from which print is lost."""
EXPOSURES = (0.5, 0.65, 0.8, 0.95, 1.1)
AROUND = 0.5
"""Glare is told from so wide a part of a card: narrower, and it would draw print."""
DARKEST = -40.0
"""Light that shade may take."""


@dataclass(frozen=True, slots=True, eq=False)
class Lit:
    """A picture in the light of a card."""

    pixels: Plane
    """(H, W, 4)."""
    shine: float
    """White light that was added, on the whole, in levels."""

    @property
    def is_in_glare(self) -> bool:
        """Return whether so much was added that print is lost."""
        return self.shine > GLARE


def is_bright(seen: Plane) -> bool:
    """Return whether much of a card, (H, W, 4) pixels, is burnt out, or white paper."""
    told = seen[..., 3] > 0.01
    burnt = (darkest(seen) >= BURNT) & told
    return bool(burnt.sum() > LEAST_BURNT * max(int(told.sum()), 1))


def believed(seen: Plane) -> Plane:
    """Return the (H, W, 4) pixels with burnt ones told as well as any other: in glare
    they say that there is no dark print."""
    weight = seen[..., 3]
    burnt = darkest(seen) >= BURNT
    whole = np.where(burnt, np.minimum(weight / BURNT_WEIGHT, 1.0), weight)
    return np.dstack([seen[..., :3], whole]).astype(np.float32)


def relit(picture: Plane, seen: Plane, level: int) -> Lit:
    """Return a picture, (H, W, 4) pixels, in the light of a card laid over it."""
    colours, own = planes_of(seen), planes_of(picture)
    told = (seen[..., 3] > 0.01).astype(np.float32)
    free = (colours < BURNT) * told
    side = int(AROUND * seen.shape[1]) | 1
    near = cv2.blur(free.sum(axis=0), (side, side)) + np.float32(1e-3)
    best, most, least = own, 0.0, np.inf
    for gain in EXPOSURES:
        printed = np.float32(gain) * own
        missing = ((colours - printed) * free).sum(axis=0)
        shine = np.maximum(cv2.blur(missing, (side, side)) / near, DARKEST)
        lit = np.clip(printed + shine, 0, 255)
        away = float(np.vdot(np.abs(lit - colours).sum(axis=0), told))
        if away < least:
            best, least = lit, away
            most = float(np.vdot(shine, told)) / max(float(told.sum()), 1.0)
    tells = np.where(best.min(axis=0) >= BURNT, PAPER_WEIGHT, 1.0) * ring(level)
    return Lit(np.dstack([*best, tells]).astype(np.float32), most)


def planes_of(pixels: Plane) -> Plane:
    """Return the (3, H, W) colours of (H, W, 4) pixels: many steps on planes take far
    less time."""
    return np.ascontiguousarray(np.moveaxis(pixels[..., :3], -1, 0))
