"""Edges to a fraction of a pixel: a blurred step, or two, fitted to rows of samples.

The model is what a lens makes of a step: an error function of known width between
levels that are free. Levels are eliminated exactly at every step (variable projection,
Golub and Pereyra 1973), so that the stated variance of the place includes not knowing
them. Values should be proportional to light (`linear_light`): in sRGB the middle of a
strong edge lies off its place by most of the blur's sigma.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Array, Bgr

_STEPS = np.arange(256) / 255
LINEAR = (
    255 * np.where(_STEPS <= 0.04045, _STEPS / 12.92, ((_STEPS + 0.055) / 1.055) ** 2.4)
).astype(np.float32)
"""sRGB to linear light (IEC 61966-2-1), both in [0, 255]."""

STEPS = 3
LONGEST_STEP_PX = 1.0
_REACH, _PER_UNIT = 6.0, 200
_TABLE_AT = np.arange(-_REACH, _REACH + 1e-9, 1 / _PER_UNIT)
_BELL = np.exp(-0.5 * _TABLE_AT**2) / np.sqrt(2 * np.pi)
_RISE = np.concatenate([[0.0], np.cumsum((_BELL[1:] + _BELL[:-1]) / (2 * _PER_UNIT))])


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Edges found in G rows of samples."""

    at_px: Array
    """(G,) offsets of the first step."""
    sigma_px: Array
    """(G,) for noise of sigma 1 in every sample; multiply by that of the picture."""
    jump: Array
    """(G,) greatest change of level over a step, all channels together."""
    misfit: Array
    """(G,) root mean square of what the model leaves."""
    polarity: Array
    """(G,) in [-1, 1]: how much brighter it is behind the step than before it, in the
    first channel, as a share of both."""


def linear_light(bgr: Bgr) -> NDArray[np.float32]:
    """Return the picture proportional to light, in [0, 255]."""
    return np.asarray(LINEAR[bgr], np.float32)


def sample(
    picture: NDArray[np.float32], points_px: Array, *, origin_px: Array
) -> NDArray[np.float64]:
    """Return (..., C) values at (..., 2) px, linear between pixels.

    `origin_px` is where the picture's own first pixel lies. Outside it, the nearest.
    """
    local = (points_px - origin_px).reshape(len(points_px), -1, 2).astype(np.float32)
    values = cv2.remap(
        picture,
        np.ascontiguousarray(local[..., 0]),
        np.ascontiguousarray(local[..., 1]),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    channels = 1 if picture.ndim == 2 else picture.shape[2]
    return np.asarray(values, float).reshape(*points_px.shape[:-1], channels)


def fit_steps(
    rows: NDArray[np.float64],
    at_px: Array,
    blur_px: float | Array,
    *,
    start_px: Array,
    gap_px: Array | None = None,
    weights: Array | None = None,
    steps: int = STEPS,
) -> Steps:
    """Return the place of the step in each of G rows.

    `rows` is (G, M, C) and `at_px` (M,) the offsets of its samples; `start_px` (G,) is
    where to look first. `gap_px` (G,) puts a second step so far behind the first, with
    a level of its own; 0 = none. `weights` (G, M) leaves samples out or down.
    With no `steps`, the step stays where it starts and only the levels are fitted.
    """
    count = len(rows)
    gap = np.zeros(count) if gap_px is None else gap_px
    double = (gap > 0).astype(float)
    weight = np.ones(rows.shape[:2]) if weights is None else weights
    blur = np.broadcast_to(np.asarray(blur_px, float), count)[:, None]
    place = np.array(start_px, float)
    ridge = np.eye(3) * 1e-6
    ridge = ridge + np.einsum("g,ij->gij", 1 - double, np.diag([0, 0, 1.0]))
    for turn in range(steps + 1):
        near = (at_px - place[:, None]) / blur
        far = near - gap[:, None] / blur
        base = np.stack(
            [np.ones_like(near), _rise(near), _rise(far) * double[:, None]], axis=2
        )
        weighed = base * weight[..., None]
        inverse = np.linalg.inv(np.einsum("gmi,gmj->gij", weighed, base) + ridge)
        levels = inverse @ np.einsum("gmi,gmc->gic", weighed, rows)
        left = rows - base @ levels
        slope = (
            -(
                _bell(near)[..., None] * levels[:, None, 1]
                + (_bell(far) * double[:, None])[..., None] * levels[:, None, 2]
            )
            / blur[..., None]
        )
        hidden = inverse @ np.einsum("gmi,gmc->gic", weighed, slope)
        free = (slope - base @ hidden) * weight[..., None]
        strength = np.maximum(np.einsum("gmc,gmc->g", free, slope), 1e-9)
        step = np.einsum("gmc,gmc->g", free, left) / strength
        if turn == steps:
            break
        place = np.clip(
            place + np.clip(step, -LONGEST_STEP_PX, LONGEST_STEP_PX),
            at_px[0],
            at_px[-1],
        )
    samples = np.maximum(weight.sum(1) * rows.shape[2], 1)
    misfit = np.sqrt(np.einsum("gmc,gm->g", left**2, weight) / samples)
    jumps = np.linalg.norm(levels[:, 1:], axis=2)
    jump = np.maximum(jumps[:, 0], jumps[:, 1] * double)
    polarity = _polarity(levels[:, :, 0], double)
    return Steps(place, 1 / np.sqrt(strength), jump, misfit, polarity)


def _polarity(levels: Array, double: Array) -> Array:
    """(G, 3) level, jump, second jump -> the mean of both steps by their size."""
    before, jump, second = levels[:, 0], levels[:, 1], levels[:, 2] * double
    between = before + jump
    one = jump / np.maximum(np.abs(before) + np.abs(between), 1.0)
    two = second / np.maximum(np.abs(between) + np.abs(between + second), 1.0)
    size = np.abs(jump) + np.abs(second) + 1e-9
    return np.asarray((np.abs(jump) * one + np.abs(second) * two) / size, float)


def _rise(at: Array) -> Array:
    index = np.clip((at + _REACH) * _PER_UNIT, 0, len(_RISE) - 1.001)
    low = index.astype(int)
    return np.asarray(_RISE[low] + (index - low) * (_RISE[low + 1] - _RISE[low]), float)


def _bell(at: Array) -> Array:
    return np.asarray(np.exp(-0.5 * np.minimum(at * at, 60.0)) * 0.3989422804, float)
