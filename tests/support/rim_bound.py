"""How far measured rims are from the Cramer-Rao bound of their pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tests.support.boards import (
    FELT,
    PLAIN,
    SIZE,
    chip,
    flat,
    seed_px,
    shown,
    small_table,
)
from tests.support.figures import Row
from vision.discs import DiscFound, measure_disc
from vision.geometry import TableMap
from vision.rim import DiscSize
from vision.scene.boards import linear
from vision.types import Array

LENS_FINER = 4
"""Where errors of thousandths of a pixel count, as fine as that against pixels."""


def crb_rows(seed: int, trials: int = 60) -> Iterator[Row]:
    """Compare with the Cramer-Rao bound of the same picture, by its own derivatives.

    White chips with a dark side on a plain dark ground, known camera, known noise. The
    first bound knows all but the centre; the second has to find the levels of light of
    face, side and ground and the blur as well, as the fit has. Centres lie anywhere
    between the pixels.
    """
    centre = np.array([8.3, -5.7])
    exact = DiscSize(SIZE.diameter_mm, SIZE.thickness_mm, 1e-3, 1e-3)
    for tilt in (0.0, 20.0, 40.0):
        table = small_table(tilt)
        known, found_too = bounds_mm(table, centre)
        errors = []
        rng = np.random.default_rng([seed, round(tilt)])
        for number in range(trials):
            here = centre + rng.uniform(-1, 1, 2)
            disc = chip(*here.tolist())
            picture, _, (truth,) = shown(
                [disc], table=table, seed=number, finer=LENS_FINER
            )
            found = measure_disc(picture, table, exact, seed_px(truth))
            if isinstance(found, DiscFound):
                errors.append(math.dist(found.centre_mm, here))
        rms = math.sqrt(float(np.mean(np.square(errors))))
        for bound, what, target in (
            (known, "", "<= 1.5"),
            (found_too, ", levels and blur not known", "<= 1.5"),
        ):
            ratio = rms / bound
            spread = ratio / math.sqrt(4 * len(errors)) * 1.96
            name = f"error / Cramer-Rao bound{what}, tilt {tilt:.0f}"
            yield Row(name, ratio, ratio - spread, ratio + spread, len(errors), target)


def bounds_mm(table: TableMap, centre: Array) -> tuple[float, float]:
    """Return the least error of a centre, all else being known, and not."""

    def light(
        shift: tuple[float, float] = (0.0, 0.0),
        face: int = 200,
        wall: float = 40.0,
        ground: int = 0,
        blur_px: float = PLAIN.defocus_px,
    ) -> Array:
        quiet = replace(PLAIN, full_well=0.0, read_noise=0.0, defocus_px=blur_px)
        disc = chip(
            float(centre[0] + shift[0]),
            float(centre[1] + shift[1]),
            face=flat((face, face, face)),
            wall=(wall, wall, wall),
        )
        b, g, r = (level + ground for level in FELT)
        under = flat((b, g, r))
        picture, _, _ = shown(
            [disc], table=table, sensor=quiet, ground=under, finer=LENS_FINER
        )
        return np.asarray(linear(picture), float)

    # Eight bits round the derivatives; differences this large are far above that.
    step = 0.05
    by = [
        (light((step, 0)) - light((-step, 0))) / (2 * step),
        (light((0, step)) - light((0, -step))) / (2 * step),
        light(face=220) - light(face=180),
        light(wall=60.0) - light(wall=20.0),
        light(ground=20) - light(ground=-20),
        light(blur_px=0.9) - light(blur_px=0.7),
    ]
    base = light()
    noise = PLAIN.read_noise**2 + base / PLAIN.full_well + 1e-9
    rounding = ((1 / 255) * (0.2 + 2 * np.sqrt(base))) ** 2 / 12
    weight = 1 / (noise + rounding)
    joint = np.array([[float((a * b * weight).sum()) for b in by] for a in by])
    # Straight from above there is no side whose level could be found.
    size = np.sqrt(np.maximum(np.diag(joint), 1e-9))
    inverse = np.linalg.pinv(joint / np.outer(size, size)) / np.outer(size, size)
    known, all_found = np.linalg.inv(joint[:2, :2]), inverse[:2, :2]
    return math.sqrt(float(np.trace(known))), math.sqrt(float(np.trace(all_found)))
