"""Carpets of tufts, whose light and shade pass for the print of backs."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.scene.ground import fractal
from vision.types import Bgr

SIZE_PX = 1024
TUFT_PX = (1.2, 5.0)


def carpet(rng: np.random.Generator) -> Bgr:
    """Return a (1024, 1024, 3) piece of carpet that can be tiled by mirroring."""
    tuft_px = math.exp(rng.uniform(*np.log(TUFT_PX)))
    noise = rng.normal(0, 1, (2, SIZE_PX, SIZE_PX)).astype(np.float32)
    tufts, yarns = (cv2.GaussianBlur(layer, (0, 0), tuft_px) for layer in noise)
    light = tufts / tufts.std() * rng.uniform(15, 45)
    light = np.where(light > 0, rng.uniform(0.5, 1.2), rng.uniform(0.8, 2.0)) * light
    light += fractal(rng, SIZE_PX, octaves=4) * rng.uniform(0, 25)
    colour = rng.uniform([30, 40, 50], [190, 200, 215])
    ground = colour * (1 + light[..., None] / 120)
    if rng.random() < 0.4:
        other = ground / 2 + rng.uniform(10, 110, 3)
        ground = np.where(yarns[..., None] > 0, ground, other)
    return np.asarray(np.clip(ground, 0, 255), np.uint8)
