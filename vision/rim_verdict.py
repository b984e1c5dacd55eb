"""What the edges around discs come to: a rim with its error, or the reason for none."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.medians import median_of
from vision.rim import Rim
from vision.side_strips import Strips
from vision.sides import TONE_PX, Moves
from vision.types import Array

ARCS = 40
PRINT_LEVELS, UNEVEN_SHARE, UNEVEN_POWER = 1.7, 0.6, 1.25
"""Levels of linear light by which print and shadows at a rim differ from the model; how
much more where the light differs from arc to arc, and how fast that grows: what has
stripes has outlines too. Set on rendered boards, see models/measure."""
SLOW_WAVES, FAST_WAVES, REDNESS = (2, 6), (12, 19), 1.25
"""How many times around the rim what the fit leaves varies, where light that nobody
models rules, and where noise does; the power of the former falls with their number to
that power (467 chips on rendered boards, see models/measure)."""
USUAL_SLOW, TRUST_IN_USUAL = 3.5, 2.0
"""Their power as it is for one wave, in variances of the noise, before any was seen,
and how many waves that counts for."""
AS_STATED = 0.8
"""The share of what print and noise come to that is stated: few rims need all of it,
half of them lie within a third. Without it .963 of 15,714 chips on 687 rendered boards
(seeds 20261502, 03, 05 and 08) lay within their 95 %.
"""
TOGETHER_PX = 0.02
"""How far all of a rim lies off, each way, by what chips of one picture share: light
from one side, demosaicing (50 pictures on rendered boards, see models/measure)."""
MIN_RIM = 0.28
"""Share of the rim that must be seen on an edge."""
MAX_RADIUS_SIGMAS, OTHER_SIZE = 3.5, "other_size"
"""A rim that much larger or smaller than the kit allows is another edge, or the map is
none."""
WIDE_SIDE_PX = 2.5
"""A side that is seen wider than that may be taken for the rim."""
MIN_FAR = 0.4
"""Where the side is seen, so much of the far half of the rim must be clear: from the
near half alone, upper and lower rim can be taken for each other."""


@dataclass(frozen=True, slots=True, eq=False)
class RimFit:
    """A rim fitted to sub-pixel."""

    centre_mm: Array
    covariance_mm2: Array
    """(2, 2) of the picture alone, without that of the map."""
    radius_error_mm: float
    rim_share: float
    contrast: float
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
    covariance = _covariance(moves, contrast, spare_mm2) + _together(arcs)
    sigmas = moves.by[:, 2] / np.sqrt(spare_mm2)
    return [
        reason
        or RimFit(
            moved_mm[n],
            covariance[n],
            float(moves.by[n, 2]),
            float(seen[n]),
            float(contrast[n]),
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
    more = UNEVEN_SHARE * _unevenness(moves) ** UNEVEN_POWER
    levels = np.hypot(PRINT_LEVELS, more)
    share = np.minimum(levels * math.sqrt(2 * math.pi) / contrast, 1.0)
    by_print = moves.by_print[:, :2] * share[:, None]
    # A radius or a tone that nobody expected says that edges are not what they seem.
    strange = moves.by[:, 2] ** 2 / spare_mm2 + (moves.by[:, 3] / TONE_PX) ** 2
    spread = _spread(moves.off_sigmas, moves.weights) * np.maximum(1.0, strange / 2)
    noise = moves.covariance[:, :2, :2] * spread[:, None, None]
    both = noise + by_print[:, :, None] * by_print[:, None]
    return np.asarray(AS_STATED * both, float)


def _together(arcs: Rim) -> Array:
    """Return (P, 2, 2) what rims lie off as a whole, by their scale in the picture."""
    along = arcs.along
    per_mm = along.swapaxes(1, 2) @ along * (2 / along.shape[1])
    return np.asarray(TOGETHER_PX**2 * np.linalg.inv(per_mm), float)


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


def _spread(left: Array, kept: Array) -> Array:
    """Return (P,) how much larger variances are than noise explains.

    Print, shadows and JPEG blocks vary slowly around a rim, the more so the slower: in
    red noise. A place is moved by one wave around the rim, and just that the fit takes
    away; how strong it was is told by the next ones.
    """
    root = np.sqrt(kept) * left
    arcs = root.shape[1]
    share = np.maximum(kept.mean(axis=1), 0.2)[:, None]
    power = np.abs(np.fft.rfft(root, axis=1)) ** 2 / (arcs * share)
    low, high = FAST_WAVES
    white = power[:, low : high + 1].mean(axis=1)
    low, high = SLOW_WAVES
    waves = np.arange(low, high + 1)
    single = waves**REDNESS * (power[:, low : high + 1] - white[:, None])
    slow = np.maximum(single.sum(axis=1), 0) + TRUST_IN_USUAL * USUAL_SLOW
    return np.asarray(white + slow / (len(waves) + TRUST_IN_USUAL), float)
