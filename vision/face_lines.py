"""The lines with which the face of a chip ends, as its enrolled picture shows them."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.edges import linear_light
from vision.rim import OPPONENT
from vision.rim_verdict import ARCS
from vision.types import Array, Bgr

NO_LINE = (0.0, 1.0)
TURNS, STEPS = 360, 160
INNER, OUTER = 0.75, 0.985
"""Where in radii lines are looked for; what is farther out may be the table."""
NARROWEST = 0.02
BESIDE = (3, 8)
"""Which steps beside a line are the face."""
DIFFERS, EVEN = 0.2, 0.3
"""By how much of the brightest light a line differs from the face, and how much of that
the face beside it may vary."""


def lines_of(square: Bgr) -> Array:
    """Return (360, 2) the width in radii of the line with which a face ends, whose
    circle fills a square, and its light as a share of that of the face beside it:
    degree by degree, counter-clockwise from the right, as an arc of the rim sees it
    that is centred there. Where there is none it is `NO_LINE`."""
    light = _around(square)
    radii = (np.arange(STEPS) + 0.5) / STEPS
    outer = (radii > INNER) & (radii < OUTER)
    light, radii = light[:, outer], radii[outer]
    level = light[:, -3:].mean(axis=1)
    apart = np.abs(light - level[:, None])
    ends = _last(apart > DIFFERS * max(float(light.max()), 1.0))
    near = np.maximum(ends[:, None] - np.arange(*BESIDE), 0)
    beside = np.take_along_axis(light, near, axis=1)
    inner = beside.mean(axis=1)
    step = np.abs(inner - level)
    half = _last(apart > step[:, None] / 2)
    width = 1 - radii[half] - 0.5 / STEPS
    is_line = (ends >= BESIDE[1]) & (width > NARROWEST)
    is_line &= step > DIFFERS * max(float(light.max()), 1.0)
    is_line &= np.abs(beside - inner[:, None]).max(axis=1) < EVEN * step
    found = np.column_stack([width, level / np.maximum(inner, 1.0)])
    return np.where(is_line[:, None], found, NO_LINE)


def _last(what: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return (N,) the last place of each row that is true, 0 if none is."""
    found = what.shape[1] - 1 - what[:, ::-1].argmax(axis=1)
    return np.asarray(np.where(what.any(axis=1), found, 0), np.intp)


def _around(square: Bgr) -> Array:
    """Return (TURNS, STEPS) the brightness of a face from its middle outwards, the mean
    over as much as an arc sees."""
    half = square.shape[0] / 2
    t = np.arange(TURNS) * (2 * math.pi / TURNS)
    radii = (np.arange(STEPS) + 0.5) / STEPS * half
    x = (half - 0.5 + np.outer(np.cos(t), radii)).astype(np.float32)
    y = (half - 0.5 - np.outer(np.sin(t), radii)).astype(np.float32)
    light = linear_light(square) @ OPPONENT[:, 0].astype(np.float32)
    seen = cv2.remap(np.asarray(light, np.float32), x, y, cv2.INTER_LINEAR)
    arc = TURNS // ARCS
    whole = np.concatenate([seen[-(arc // 2) :], seen, seen[: arc // 2]])
    return np.asarray(
        np.mean([whole[n : n + TURNS] for n in range(arc)], axis=0), float
    )
