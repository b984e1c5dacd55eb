"""What the edges around discs come to: a rim with its error, or the reason for none."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.medians import median_of
from vision.rim import Rim
from vision.side_model import Strips
from vision.sides import TONE_PX, Moves
from vision.types import Array

ARCS = 40
PRINT_LEVELS = 3.0
"""Levels of linear light by which print and shadows at a rim differ from the model; set
on rendered boards, see models/measure."""
UNEVEN_SHARE, UNSEEN_LEVELS = 0.6, 0.75
"""Of what the levels of light differ by from most arcs to the next, what they differ by
within an eighth of the rim and nobody models; and levels that are not seen even so; set
on rendered boards, see models/measure."""
MIN_RIM = 0.28
"""Share of the rim that must be seen on an edge."""
MAX_RADIUS_SIGMAS, OTHER_SIZE = 3.5, "other_size"
"""A rim that much larger or smaller than the kit allows is another edge, or the map is
none."""
SIDE_PX, WIDE_SIDE_PX = 0.5, 2.5
"""A side that is seen narrower than that is none; a wider one may be taken for it."""
MIN_FAR = 0.4
"""Where the side is seen, so much of the far half of the rim must be clear: from the
near half alone, upper and lower rim can be taken for each other."""
NEIGHBOURS = 4
"""So many arcs away edges err together."""


@dataclass(frozen=True, slots=True, eq=False)
class RimFit:
    """A rim fitted to sub-pixel."""

    centre_mm: Array
    covariance_mm2: Array
    """(2, 2) of the picture alone, without that of the map."""
    radius_error_mm: float
    rim_share: float
    contrast: float
    upper_share: float = 1.0
    """How much of the change of light from face to ground is at the upper rim where the
    side is seen; 1 where it is not."""
    arcs: NDArray[np.bool_] = field(default_factory=lambda: np.ones(ARCS, bool))
    """(ARCS,) on which an edge was seen."""
    radius_sigmas: float = 0.0
    """The error of its radius in what the kit and cameras allow."""


def verdicts(
    arcs: Rim, strips: Strips, moves: Moves, moved_mm: Array, spare_mm2: Array
) -> list[RimFit | str]:
    """Return the fits of P discs at (P, 2) places, or why there is none: ``outside``,
    ``little_rim``, ``other_size``. `spare_mm2` (P,) is the variance of their radii as
    they look."""
    reasons = _reasons(arcs, strips, moves, spare_mm2)
    seen = moves.fits.mean(axis=1)
    contrast = np.maximum(median_of(moves.sides.jump, moves.fits, default=1.0), 1e-6)
    covariance = _covariance(moves, contrast, spare_mm2)
    upper = _upper_shares(strips, moves)
    sigmas = moves.by[:, 2] / np.sqrt(spare_mm2)
    return [
        reason
        or RimFit(
            moved_mm[n],
            covariance[n],
            float(moves.by[n, 2]),
            float(seen[n]),
            float(contrast[n]),
            float(upper[n]),
            moves.fits[n],
            float(sigmas[n]),
        )
        for n, reason in enumerate(reasons)
    ]


def _reasons(arcs: Rim, strips: Strips, moves: Moves, spare_mm2: Array) -> list[str]:
    """Return of each disc why it has no rim, or ""."""
    outside = strips.known.mean(axis=1) < MIN_RIM
    far = arcs.gap_px < 0
    seen_far = (moves.fits & far).sum(axis=1) / np.maximum(far.sum(axis=1), 1)
    either = (arcs.gap_px.max(axis=1) > WIDE_SIDE_PX) & (seen_far < MIN_FAR)
    little = (moves.fits.mean(axis=1) < MIN_RIM) | either
    other = moves.by[:, 2] ** 2 > MAX_RADIUS_SIGMAS**2 * spare_mm2
    reasons = np.where(little, "little_rim", np.where(other, OTHER_SIZE, ""))
    return [str(one) for one in np.where(outside, "outside", reasons)]


def _covariance(moves: Moves, contrast: Array, spare_mm2: Array) -> Array:
    """Return (P, 2, 2) what is stated of the places."""
    # A change of light that nobody models, next to a blurred step of height C, moves it
    # by change * sigma * sqrt(2 pi) / C. Around the whole rim that cancels out, but not
    # where the side is seen: there it looks like more or less of the side.
    share = np.minimum(PRINT_LEVELS * math.sqrt(2 * math.pi) / contrast, 1.0)
    by_print = moves.by_print[:, :2] * share[:, None]
    # A radius or a tone that nobody expected says that edges are not what they seem.
    strange = moves.by[:, 2] ** 2 / spare_mm2 + (moves.by[:, 3] / TONE_PX) ** 2
    spread = _spread(moves.off_sigmas, moves.weights) * np.maximum(1.0, strange / 2)
    noise = moves.covariance[:, :2, :2] * spread[:, None, None]
    # What light varies by from arc to arc it varies by within arcs too, some of it.
    levels = np.hypot(UNEVEN_SHARE * _unevenness(moves), UNSEEN_LEVELS)
    share = levels * math.sqrt(2 * math.pi) / contrast
    by_parts = moves.by_parts[:, :2, :2] * np.minimum(share, 1.0)[:, None, None] ** 2
    by_sides = by_print[:, :, None] * by_print[:, None]
    return np.asarray(noise + by_parts + by_sides, float)


def _unevenness(moves: Moves) -> Array:
    """Return (P,) by how many levels face and ground differ from arc to arc, beyond
    what noise explains."""
    both = moves.fits & np.roll(moves.fits, 1, axis=1)
    power = np.zeros(len(both))
    for part, variance in zip((0, 2), moves.sides.level_variance, strict=True):
        level = moves.sides.levels[:, :, part, 0]
        step = median_of(np.abs(level - np.roll(level, 1, axis=1)), both, default=0.0)
        by_noise = median_of(variance, both, default=0.0) * moves.noise**2
        power += np.maximum(step**2 - 2 * 0.6745**2 * by_noise, 0.0)
    return np.asarray(np.sqrt(power), float)


def _upper_shares(strips: Strips, moves: Moves) -> Array:
    """Return (P,) how much of the light changes at the upper rim."""
    beside = (strips.gap_px > SIDE_PX) & strips.known
    upper, lower = np.linalg.norm(moves.sides.steps, axis=-1)
    shares = upper / np.maximum(upper + lower, 1e-6)
    return np.asarray(median_of(shares, beside, default=1.0), float)


def _spread(left: Array, kept: Array) -> Array:
    """Return (P,) how much larger variances are than stated: by the residuals, and
    because neighbouring arcs err together (texture, shadows, JPEG blocks)."""
    root = np.sqrt(kept) * left
    power = (root * root).sum(axis=1)
    freedom = np.maximum(kept.sum(axis=1) - 5, 1.0)
    variance = (10 + power) / (10 + freedom)
    shifted = [root]
    for _ in range(NEIGHBOURS):
        shifted.append(np.roll(shifted[-1], 1, axis=1))
    together = np.array([(root * other).sum(axis=1) for other in shifted[1:]])
    inflation = 1 + 2 * np.maximum(together / np.maximum(power, 1e-12), 0).sum(axis=0)
    wider = np.maximum(variance, 0.4) * inflation
    return np.asarray(np.where(power > 0, wider, 1.0), float)
