"""Lays a reference exactly over a card in the picture (Lucas-Kanade).

Inverse compositional (Baker and Matthews 2004), on the print of the cards, which light
leaves as it is; pixels that do not fit (glare, a finger) lose their say.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.matching.patches import (
    CORNERS,
    SIZES_PX,
    Patch,
    Plane,
    card_pixels,
    features,
)
from vision.types import Array

MISFIT = 1.2
"""Difference of print at which a pixel has lost half its say."""
STIFFNESS = np.array([0.002, 0.002, 0.01, 0.01, 0.01, 0.01, 0.05, 0.05])
"""Resistance against shifts, stretches, tilts, in shares of all evidence."""
LARGEST = 0.45
"""A corner that has moved farther, in half widths of the card, has lost its way."""
DONE = 0.002


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """How the print of a reference changes when it is moved."""

    print_: Plane
    """(N,)."""
    weight: Plane
    """(N,)."""
    steepest: Plane
    """(N, 8) change for each of the ways to move it."""


def slopes(reference: Plane, level: int) -> Slopes:
    """Return the slopes of (H, W, 5) features."""
    width, height = SIZES_PX[level]
    print_ = np.ascontiguousarray(reference[..., 0])
    gx = cv2.Scharr(print_, cv2.CV_32F, 1, 0, scale=1 / 32) * (width / 2)
    gy = cv2.Scharr(print_, cv2.CV_32F, 0, 1, scale=1 / 32) * (height / 2)
    x = np.broadcast_to((np.arange(width) + 0.5) / width * 2 - 1, print_.shape)
    y = np.broadcast_to(
        ((np.arange(height) + 0.5) / height * 2 - 1)[:, None], print_.shape
    )
    tilt = gx * x + gy * y
    planes = (gx, gy, gx * x, gx * y, gy * x, gy * y, tilt * x, tilt * y)
    steepest = np.stack([plane.ravel() for plane in planes], axis=1)
    return Slopes(
        print_.ravel(), reference[..., 4].ravel(), steepest.astype(np.float32)
    )


def aligned(
    patch: Patch, reference: Slopes, level: int, start: Array, *, steps: int
) -> Array:
    """Return the (3, 3) map in card space from the reference to the patch.

    `start` comes back where the alignment loses its way.
    """
    found = start
    for _ in range(steps):
        seen = features(card_pixels(patch, level, found))
        step = _step(seen, reference)
        found = found @ np.linalg.inv(_moved(step))
        found = found / found[2, 2]
        if np.abs(step).max() < DONE:
            break
    return found if is_near(found, start) else start


def is_near(found: Array, start: Array) -> bool:
    """Return whether the corners have stayed near where they were."""
    corners = np.column_stack([CORNERS, np.ones(4)])
    moved, stayed = corners @ found.T, corners @ start.T
    if np.any(moved[:, 2] < 0.3):
        return False
    away = moved[:, :2] / moved[:, 2:] - stayed[:, :2] / stayed[:, 2:]
    return bool(np.abs(away).max() < LARGEST)


def _step(seen: Plane, reference: Slopes) -> Array:
    print_ = seen[..., 0].ravel()
    weight = seen[..., 4].ravel() * reference.weight
    own = float(weight @ (reference.print_ * reference.print_))
    gain = float(weight @ (print_ * reference.print_)) / max(own, 1e-6)
    gain = min(max(gain, 0.4), 1.2)
    misfit = print_ / gain - reference.print_
    weight = weight / (1 + (misfit / MISFIT) ** 2) ** 2
    weighted = reference.steepest * weight[:, None]
    evidence = weighted.T @ reference.steepest
    evidence[np.diag_indices(8)] += STIFFNESS * float(np.trace(evidence)) + 1e-6
    return np.asarray(np.linalg.solve(evidence, weighted.T @ misfit), float)


def _moved(step: Array) -> Array:
    dx, dy, xx, xy, yx, yy, tx, ty = step
    return np.array([[1 + xx, xy, dx], [yx, 1 + yy, dy], [-tx, -ty, 1.0]])
