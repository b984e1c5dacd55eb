"""What light says of the arcs of a disc's rim, and how alike they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.side_strips import Samples
from vision.types import Array

SAME_LEVELS, FEWEST_ALIKE, BY_NOISE = 0.2, 6.0, 4.0
"""By how much arcs of one even colour differ, in levels; how many of them tell so; and
how often the variance that noise explains they may differ by and still be of one."""


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """How alike the arcs of a disc are: what the light of one says of the others."""

    levels: Array
    """(2, 3, P) of face and ground, the mean over all arcs."""
    firm: Array
    """(2, P) how firmly arcs are held to it, in samples."""
    side_firm: Array
    """(P,) how firmly sides are held to theirs."""

    @classmethod
    def free(cls, discs: int) -> Alike:
        """Return that of discs of which nothing is known: each arc for itself."""
        return cls(np.zeros((2, 3, discs)), np.zeros((2, discs)), np.zeros(discs))

    @classmethod
    def of(cls, sides: Sides, trust: Array, noise: Array) -> Alike:
        """Return it as (P, G) arcs show it that were seen on their own, each counting
        by its trust; what differs more than the noise explains holds nothing."""
        outer = np.moveaxis(sides.levels[:, :, [0, 2]], (2, 3), (0, 1))
        total = np.maximum(trust.sum(-1), 1e-9)
        mean = (outer * trust).sum(-1) / total
        spread2 = (((outer - mean[..., None]) ** 2) * trust).sum(-1) / total
        by_noise = (sides.level_variance * trust).sum(-1) / total * noise**2
        more = np.maximum(spread2.max(axis=1) - BY_NOISE * by_noise, 0.0)
        firm = noise**2 / (more + SAME_LEVELS**2)
        return cls(
            mean,
            np.where(total > FEWEST_ALIKE, firm, 0.0),
            _side_firm(sides, trust, noise),
        )


def _side_firm(sides: Sides, trust: Array, noise: Array) -> Array:
    """Return (P,) how firmly arcs are held to the side of their disc, in samples."""
    told = trust * sides.side_told
    total = np.maximum(told.sum(-1), 1e-9)
    off = np.moveaxis(sides.own_side - sides.side[:, None], -1, 0)
    spread2 = ((off**2 * told).sum(-1) / total).max(axis=0)
    by_noise = trust.sum(-1) / total * noise**2
    more = np.maximum(spread2 - BY_NOISE * by_noise, 0.0)
    return np.asarray(noise**2 / (more + SAME_LEVELS**2), float)


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """What the light says of each arc at given places of its edge."""

    step_px: Array
    """(P, G) from the place to the best one, to first order."""
    strength: Array
    """(P, G) information about the place, per variance of the brightness."""
    by_side: Array
    """(P, G, 3) what the side's level has in common with the place, by channel."""
    side: Array
    """(P, 3) level of the side."""
    side_variance: Array
    """(P, 3)"""
    own_side: Array
    """(P, G, 3) level of the side by each arc alone."""
    side_told: Array
    """(P, G) how many samples of the side that rests on."""
    jump: Array
    """(P, G) greatest change of level over an edge, all channels together."""
    polarity: Array
    """(P, G) in [-1, 1]: how much brighter it is outside than inside, as a share."""
    misfit: Array
    """(P, G) root mean square of what the model leaves, in levels of brightness."""
    steps: Array
    """(2, P, G, 3) changes of level from face to side and from side to ground."""
    levels: Array
    """(P, G, 3, 3) of face, side and ground."""
    level_variance: Array
    """(2, P, G) of the levels of face and ground, for a noise of one level."""
    parts: Samples
    """(3, P, G, M) how much of each sample is face, side and ground."""

    def left(self, rows: Samples) -> Samples:
        """Return (P, G, 3, M) what the model leaves of (P, G, M, 3) samples."""
        levels = self.levels.astype(np.float32).swapaxes(2, 3)
        modelled = levels @ self.parts.transpose(1, 2, 0, 3)
        return np.asarray(rows.swapaxes(2, 3) - modelled, np.float32)
