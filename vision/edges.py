"""Edges to a fraction of a pixel: a blurred step fitted to rows of samples.

The model is what a lens makes of a step: an error function of known width between
levels that are free. Levels are eliminated exactly at every step (variable projection,
Golub and Pereyra 1973), so that the stated variance of the place includes not knowing
them. Values should be proportional to light (`linear_light`): in sRGB the middle of a
strong edge lies off its place by most of the blur's sigma.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Array, Bgr

Values = TypeVar("Values", NDArray[np.float32], NDArray[np.float64])

_STEPS = np.arange(256) / 255
LINEAR = (
    255 * np.where(_STEPS <= 0.04045, _STEPS / 12.92, ((_STEPS + 0.055) / 1.055) ** 2.4)
).astype(np.float32)
"""sRGB to linear light (IEC 61966-2-1), both in [0, 255]."""

STEPS = 3
LONGEST_STEP_PX, FIRM = 1.0, 1e-6
_REACH, _PER_UNIT = 6.0, 200
_TABLE_AT = np.arange(-_REACH, _REACH + 1e-9, 1 / _PER_UNIT)
_BELL = np.exp(-0.5 * _TABLE_AT**2) / np.sqrt(2 * np.pi)
_RISE = np.concatenate([[0.0], np.cumsum((_BELL[1:] + _BELL[:-1]) / (2 * _PER_UNIT))])
_SLOPES = np.diff(_RISE, append=_RISE[-1])
_TABLES = {
    np.dtype(kind): np.stack([_RISE, _SLOPES]).astype(kind)
    for kind in (np.float32, np.float64)
}
"""How high it is, and how much it rises from each place to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Edges found in G rows of samples."""

    at_px: Array
    """(G,) offsets of the step."""
    sigma_px: Array
    """(G,) for noise of sigma 1 in every sample; multiply by that of the picture."""
    jump: Array
    """(G,) change of level over the step, all channels together."""
    misfit: Array
    """(G,) root mean square of what the model leaves."""


def linear_light(bgr: Bgr) -> NDArray[np.float32]:
    """Return the picture proportional to light, in [0, 255]."""
    return np.asarray(cv2.LUT(bgr, LINEAR), np.float32)


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
    rows: Values,
    at_px: Array,
    blur_px: float | Array,
    *,
    start_px: Array,
    steps: int = STEPS,
) -> Steps:
    """Return the place of the step in each of G rows.

    `rows` is (G, M, C) and `at_px` (M,) or (G, M) the offsets of its samples;
    `start_px` (G,) is where to look first. Two steps side by side, as of a disc's side,
    are for `vision.sides`: one row alone cannot tell them apart.
    """
    kind = rows.dtype
    at_px = at_px.astype(kind)
    blur = np.broadcast_to(np.asarray(blur_px, kind), len(rows))
    place = np.array(start_px, kind)
    rows = rows - rows.mean(axis=1, keepdims=True)
    for turn in range(steps + 1):
        near = (at_px - place[:, None]) / blur[:, None]
        # What is left of the step and of its slope without the levels: a step beyond
        # the samples has none, and so no height.
        up, slope = _centred(rise(near)), _centred(bell(near))
        power = _sums(up, up) + kind.type(FIRM)
        slope -= up * (_sums(up, slope) / power)[:, None]
        jump = (up[:, None] @ rows)[:, 0] / power[:, None]
        strength = _sums(slope, slope) * _sums(jump, jump) / blur**2
        strength = np.maximum(strength, kind.type(1e-9))
        if turn == steps:
            break
        pull = -_sums((slope[:, None] @ rows)[:, 0], jump) / blur
        step = np.clip(pull / strength, -LONGEST_STEP_PX, LONGEST_STEP_PX)
        place = np.clip(place + step, at_px[..., 0], at_px[..., -1])
    left = rows - up[..., None] * jump[:, None]
    misfit = np.sqrt(np.square(left, out=left).mean(axis=(1, 2)))
    found = place, 1 / np.sqrt(strength), np.sqrt(_sums(jump, jump)), misfit
    return Steps(*(np.asarray(values, float) for values in found))


def _centred(values: Values) -> Values:
    return np.asarray(values - values.mean(axis=1, keepdims=True), values.dtype)


def _sums(one: Values, other: Values) -> Values:
    return np.asarray(np.einsum("gm,gm->g", one, other), one.dtype)


def rise(at: Values) -> Values:
    """Return the error function of a step, from 0 to 1 (a normal distribution's), in
    the precision of its argument."""
    kind = at.dtype.type
    heights, slopes = _TABLES[np.dtype(kind)]
    # In place, for what there is most of: new arrays cost as much as the sums.
    index = at * kind(_PER_UNIT)
    index += kind(_REACH * _PER_UNIT)
    np.maximum(index, kind(0), out=index)
    np.minimum(index, kind(len(_RISE) - 1.001), out=index)
    low = index.astype(np.intp)
    index -= low.astype(at.dtype)
    index *= slopes[low]
    index += heights[low]
    return index


def bell(at: Values) -> Values:
    """Return its slope, the density of a standard normal distribution."""
    kind = at.dtype.type
    high = at * at
    np.minimum(high, kind(60), out=high)
    high *= kind(-0.5)
    np.exp(high, out=high)
    high *= kind(0.3989422804)
    return high
