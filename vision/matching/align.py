"""Lays a reference exactly over a card in the picture (Lucas-Kanade).

Inverse compositional (Baker and Matthews 2004), on the print of the cards, which light
leaves as it is; pixels that do not fit (glare, a finger) lose their say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.matching.patches import (
    CORNERS,
    SIZES_PX,
    Patch,
    Plane,
    card_features,
    pixel_centres,
)
from vision.types import Array

MISFIT = 1.2
"""Difference of print at which a pixel has lost half its say."""
STIFFNESS = np.array([0.002, 0.002, 0.01, 0.01, 0.01, 0.01, 0.05, 0.05])
"""Resistance against shifts, stretches, tilts, in shares of all evidence."""
LARGEST = 0.45
"""A corner that has moved farther, in half widths of the card, has lost its way."""
DONE = 0.002
ANYHOW: Plane = np.eye(8, dtype=np.float32)


def rigid(size_mm: tuple[float, float]) -> Plane:
    """Return the (8, 5) ways to move a card of that size which lies flat on a table
    that is known: along, across, and turned; and a little larger or smaller either
    way, since the table is not known so well far from the cards that told it."""
    ratio = size_mm[1] / size_mm[0]
    moves = np.zeros((8, 5), np.float32)
    moves[0, 0] = moves[1, 1] = 1.0
    moves[3, 2], moves[4, 2] = -ratio, 1 / ratio
    moves[2, 3] = moves[5, 4] = 1.0
    return moves


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
    found, _ = all_aligned(patch, [reference], level, start[None], steps=steps)
    return np.asarray(found[0], float)


def all_aligned(
    patch: Patch,
    references: Sequence[Slopes],
    level: int,
    starts: Array,
    *,
    steps: int,
    freedom: Plane = ANYHOW,
) -> tuple[Array, Array]:
    """Return (B, 3, 3) maps, one for each reference and start, and the (B,)
    correlations of what then lies on each other.

    `freedom` is the (8, K) ways in which cards may be moved.
    """
    found, points = starts.copy(), pixel_centres(*SIZES_PX[level])
    prints = np.stack([one.print_ for one in references])
    tells = np.stack([one.weight for one in references])
    steepest = np.stack([one.steepest @ freedom for one in references])
    going = np.arange(len(found))
    for _ in range(steps):
        seen = card_features(patch, level, found[going], points)
        step = _steps(seen, prints[going], tells[going], steepest[going], freedom)
        found[going] = found[going] @ np.linalg.inv(_moved(step))
        found[going] /= found[going, 2:, 2:]
        going = going[np.abs(step).max(1) >= DONE]
        if not len(going):
            break
    for number, start in enumerate(starts):
        if not is_near(found[number], start):
            found[number] = start
    seen = card_features(patch, level, found, points)
    return found, _correlations(seen[..., 0], prints, seen[..., 4] * tells)


def is_near(found: Array, start: Array) -> bool:
    """Return whether the corners have stayed near where they were."""
    corners = np.column_stack([CORNERS, np.ones(4)])
    moved, stayed = corners @ found.T, corners @ start.T
    if np.any(moved[:, 2] < 0.3):
        return False
    away = moved[:, :2] / moved[:, 2:] - stayed[:, :2] / stayed[:, 2:]
    return bool(np.abs(away).max() < LARGEST)


def _correlations(seen: Plane, prints: Plane, weight: Plane) -> Array:
    cross = (weight * seen * prints).sum(1)
    own, other = (weight * prints**2).sum(1), (weight * seen**2).sum(1)
    return np.asarray(cross / np.sqrt(own * other + 1e-6), float)


def _steps(
    seen: Plane, prints: Plane, tells: Plane, steepest: Plane, freedom: Plane
) -> Array:
    """Return the (B, 8) ways in which references are to be moved over what is seen."""
    print_, weight = seen[..., 0], seen[..., 4] * tells
    own = (weight * prints * prints).sum(1)
    gain = (weight * print_ * prints).sum(1) / np.maximum(own, 1e-6)
    misfit = print_ / gain.clip(0.4, 1.2)[:, None] - prints
    weight = weight / (1 + (misfit / MISFIT) ** 2) ** 2
    weighted = (steepest * weight[..., None]).transpose(0, 2, 1)
    evidence = (weighted @ steepest).astype(float)
    total = np.trace(evidence, axis1=1, axis2=2)
    stiff = freedom.T @ (STIFFNESS[:, None] * freedom)
    evidence += stiff * total[:, None, None] + 1e-6 * np.eye(len(stiff))
    wanted = (weighted @ misfit[..., None]).astype(float)
    return np.asarray(np.linalg.solve(evidence, wanted)[..., 0] @ freedom.T, float)


def _moved(steps: Array) -> Array:
    moved = np.zeros((len(steps), 3, 3))
    dx, dy, xx, xy, yx, yy, tx, ty = steps.T
    moved[:, 0, 0], moved[:, 0, 1], moved[:, 0, 2] = 1 + xx, xy, dx
    moved[:, 1, 0], moved[:, 1, 1], moved[:, 1, 2] = yx, 1 + yy, dy
    moved[:, 2, 0], moved[:, 2, 1], moved[:, 2, 2] = -tx, -ty, 1.0
    return moved
