"""Which parts of a picture an eye has not seen yet, in a form that can be sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np

from vision.cells import Mask
from vision.types import Array


@dataclass(frozen=True, slots=True)
class Unseen:
    """Cells of a picture that were never seen as they are: a hand was there, or what
    lies there was not read often enough."""

    width: int
    height: int
    scale: float
    """Picture px per cell."""
    bits: bytes

    @classmethod
    def of(cls, cells: Mask, scale: float) -> Self:
        """Return a mask of (H, W) cells."""
        height, width = cells.shape
        return cls(width, height, scale, np.packbits(cells).tobytes())

    def share(self, quad_px: Array) -> float:
        """Return which share of a quad in picture px was not seen; 1 outside of it."""
        packed = np.frombuffer(self.bits, np.uint8)
        cells = np.unpackbits(packed, count=self.width * self.height)
        points = (np.asarray(quad_px, float) + 0.5) / self.scale - 0.5
        inside = np.zeros((self.height, self.width), np.uint8)
        rounded = np.round(np.clip(points, -4096, 4096)).astype(np.int32)
        cv2.fillConvexPoly(inside, rounded, (1,))
        count = int(inside.sum())
        hidden = int((inside.ravel() & cells).sum())
        return hidden / count if count else 1.0
