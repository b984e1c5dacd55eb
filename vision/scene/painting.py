"""Pictures of no meaning, as cards and mats have them: flat, painted, given."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.scene.chance import one_of
from vision.scene.mosaic import mosaic
from vision.types import Bgr

GIVEN, FLAT = 0.25, 0.15
"""Shares of the pictures that are given ones in another light, and flat art."""


def painting(
    rng: np.random.Generator, width: int, height: int, pictures: Sequence[Bgr] = ()
) -> Bgr:
    """Return a picture: painted, flat, or one of those given in another light."""
    way = rng.random()
    if pictures and way < GIVEN:
        given = cv2.resize(one_of(rng, pictures), (width, height))
        lit = np.clip(given * rng.uniform(0.4, 1.15, 3), 0, 255)
        return np.asarray(lit, np.uint8)
    flat = mosaic(rng, width, height, symmetric=False)
    if way < GIVEN + FLAT:
        return flat
    light, grey = rng.uniform(0.25, 1.0), rng.uniform(0, 0.8)
    coarse = rng.uniform(0, 255, (*rng.integers(2, 5, 2), 3))
    coarse = (1 - grey) * coarse + grey * coarse.mean(axis=2, keepdims=True)
    soft = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    blur = rng.uniform(0.004, 0.02) * height
    share = cv2.GaussianBlur(flat, (0, 0), blur).astype(float)
    grain = rng.normal(0, rng.uniform(3, 14), (height // 6 + 1, width // 6 + 1, 1))
    strokes = cv2.resize(grain, (width, height), interpolation=cv2.INTER_CUBIC)
    mixed = rng.uniform(0.3, 0.8)
    painted = light * (mixed * soft + (1 - mixed) * share) + strokes[..., None]
    return np.asarray(np.clip(painted, 0, 255), np.uint8)
