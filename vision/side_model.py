"""What light does across the rims of discs: face, side and ground of many at once.

Across the rim of a disc light takes three levels: that of the face, of the side (in a
strip of known width where the camera sees it, else of none) and of the ground. Face and
ground are free in every arc; the side has one colour all around the disc, which an arc
may leave a little. Levels are eliminated exactly (variable projection, Golub and
Pereyra 1973), so that what is said of the edges includes not knowing them.

Why the side is shared: where it is seen one or two px wide, an arc alone cannot tell
its colour from a shift of the rim, and what it says of its own error is too little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.edges import bell, rise
from vision.types import Array

SIDE_SPREAD, SHAPE_SIGMAS = 30.0, 2.0
"""How unlike the rest a side may be, in levels; by how much the shape of edges may
differ from the model, in what the model leaves."""
NOISE_LEVELS = 2.0
"""What a model leaves, before one was fitted."""
SIDE_SHARE, SIDE_LEVELS = 0.12, 3.0
"""By how much the side may differ from arc to arc: of its contrast, and in levels."""


@dataclass(frozen=True, slots=True, eq=False)
class Strips:
    """Samples across the rims of P discs, in G arcs each, at M offsets."""

    rows: Array
    """(P, G, M, 3) linear light: brightness and two of colour."""
    at_px: Array
    """(M,) outwards from where the rim is thought to be."""
    blur_px: Array
    """(P, G) sigma of the edges."""
    gap_px: Array
    """(P, G) width of the side that is seen, 0 where it is hidden."""
    taper_px: Array
    """(P, G) how far from the rim samples count, as the sigma of a bell."""
    known: NDArray[np.bool_]
    """(P, G) whether an arc lies in the picture."""


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
    jump: Array
    """(P, G) greatest change of level over an edge, all channels together."""
    polarity: Array
    """(P, G) in [-1, 1]: how much brighter it is outside than inside, as a share."""
    misfit: Array
    """(P, G) root mean square of what the model leaves, in levels of brightness."""
    steps: Array
    """(2, P, G, 3) changes of level from face to side and from side to ground."""
    left: Array
    """(P, G, M, 3) what the model leaves."""


@dataclass(frozen=True, slots=True, eq=False)
class _Shapes:
    """How much of each sample is face, side and ground, for edges at given places."""

    parts: Array
    """(P, G, M, 3)"""
    weighed: Array
    """(P, G, 3, M) the same, times the weights of the samples."""
    near_slope: Array
    """(P, G, M) how steeply face becomes side, by px."""
    far_slope: Array
    """(P, G, M) how steeply side becomes ground."""
    inverse: Array
    """(P, G, 2, 2) of face and ground together."""
    side_by: Array
    """(P, G, 2) how much face and ground explain of the side."""
    free: Array
    """(P, G) what they leave of it."""

    @classmethod
    def of(cls, strips: Strips, place: Array, weights: Array) -> _Shapes:
        """Return those for edges at (P, G) places."""
        blur = strips.blur_px[..., None]
        near = (strips.at_px - place[..., None]) / blur
        far = near - strips.gap_px[..., None] / blur
        up, down = rise(near), rise(far)
        parts = np.stack([1 - up, up - down, down], axis=-1)
        weighed = np.ascontiguousarray((parts * weights[..., None]).swapaxes(2, 3))
        joint = weighed @ parts
        a, b, c = joint[..., 0, 0], joint[..., 0, 2], joint[..., 2, 2]
        inverse = np.stack([c, -b, -b, a], axis=-1).reshape(*a.shape, 2, 2)
        inverse = inverse / (a * c - b**2 + 1e-6)[..., None, None]
        with_side = joint[..., [0, 2], 1]
        side_by = (inverse @ with_side[..., None])[..., 0]
        free = np.maximum(joint[..., 1, 1] - (side_by * with_side).sum(-1), 0.0)
        slopes = bell(near) / blur, bell(far) / blur
        return cls(parts, weighed, *slopes, inverse, side_by, free)

    def explained(self, values: Array) -> tuple[Array, Array, Array]:
        """Return, of (P, G, M, C) values, (P, G, 2, C) levels of face and ground that
        explain them best, their sums (P, G, 2, C), and (P, G, C) what the rest has in
        common with the side."""
        sums = self.weighed @ values
        outer = sums[..., [0, 2], :]
        levels = self.inverse @ outer
        shared = sums[..., 1, :] - (self.side_by[..., None] * outer).sum(-2)
        return levels, outer, shared


def look_across(
    strips: Strips,
    place: Array,
    weights: Array,
    *,
    channels: Array | None = None,
    trust: Array | None = None,
    noise: Array | None = None,
) -> Sides:
    """Return what the light says of edges at (P, G) places.

    `weights` (P, G, M) are those of the samples, `channels` (P, 3) of brightness and
    colour, `trust` (P, G) of arcs where they say what colour the side has; `noise` (P,)
    is what the model leaves.
    """
    count = len(place)
    channels = np.ones((count, 3)) if channels is None else channels
    trust = strips.known.astype(float) if trust is None else trust
    noise = np.full(count, NOISE_LEVELS) if noise is None else noise
    shapes = _Shapes.of(strips, place, weights)
    levels, _, shared = shapes.explained(strips.rows)
    ridge = _ridge(levels[..., 0, :], levels[..., 1, :])
    kept = ridge / (shapes.free + ridge)
    common, doubt = _side_level(
        levels[..., 0, :],
        levels[..., 1, :],
        (trust * kept)[..., None],
        shapes.free[..., None],
        shared,
        noise,
    )
    own = shared - common[:, None] * shapes.free[..., None]
    side = common[:, None] + own / (shapes.free + ridge)[..., None]
    levels = levels - shapes.side_by[..., None] * side[..., None, :]
    all_three = np.stack([levels[..., 0, :], side, levels[..., 1, :]], axis=-2)
    left = strips.rows - shapes.parts @ all_three
    steps = np.stack([side - levels[..., 0, :], levels[..., 1, :] - side])
    power = ((weights[..., None, :] @ left**2)[..., 0, :] * channels[:, None]).sum(-1)
    samples = channels.sum(1)[:, None] * np.maximum(weights.sum(-1), 1e-9)
    pull, strength, by_side = _by_place(shapes, weights, steps, left, kept, channels)
    return Sides(
        pull / strength,
        strength,
        by_side,
        common,
        doubt,
        _jump(strips, steps),
        _polarity(levels[..., 0, 0], levels[..., 1, 0]),
        np.sqrt(power / samples),
        steps,
        left,
    )


def _by_place(
    shapes: _Shapes,
    weights: Array,
    steps: Array,
    left: Array,
    kept: Array,
    channels: Array,
) -> tuple[Array, Array, Array]:
    """Return by how much a better place would explain more: its pull and its strength
    (P, G), and what it has in common with the side (P, G, 3)."""
    slope = shapes.near_slope[..., None] * steps[0][:, :, None]
    slope = -(slope + shapes.far_slope[..., None] * steps[1][:, :, None])
    levels, outer, shared = shapes.explained(slope)
    row = weights[..., None, :]
    total = (row @ slope**2)[..., 0, :] - (levels * outer).sum(-2)
    # What the side would take of it, as far as its prior lets it.
    taken = (1 - kept) / np.maximum(shapes.free, 1e-12)
    strength = (total - shared**2 * taken[..., None]) * channels[:, None]
    pull = (row @ (slope * left))[..., 0, :] * channels[:, None]
    by_side = shared * kept[..., None] * channels[:, None]
    return pull.sum(-1), np.maximum(strength.sum(-1), 1e-9), by_side


def _jump(strips: Strips, steps: Array) -> Array:
    """Return (P, G) the greatest change of level over an edge of each arc."""
    each = np.linalg.norm(steps, axis=-1).max(0)
    whole = np.linalg.norm(steps.sum(0), axis=-1)
    return np.asarray(np.where(strips.gap_px <= 0, whole, each), float)


def _side_level(
    face: Array, ground: Array, told: Array, free: Array, free_y: Array, noise: Array
) -> tuple[Array, Array]:
    """Return the (P, 3) level of the side, and its variance.

    A thin side is little more than a change of the edge's shape, and so are print near
    the rim and what a camera sharpens. These are alike in all arcs: more arcs do not
    help then, and it counts that sides are about as light as the rest.
    """
    inner, outer = np.median(face, axis=1), np.median(ground, axis=1)
    jump = np.abs(outer - inner)
    seen = (told * free).sum(1)
    wrong = noise[:, None] ** 2 * (1 + SHAPE_SIGMAS**2 * told.sum(1))
    firm = 1 / (0.5 * jump + SIDE_SPREAD) ** 2
    variance = 1 / (seen / wrong + firm)
    best = (told * free_y).sum(1) / wrong + (inner + outer) / 2 * firm
    return np.asarray(best * variance, float), np.asarray(variance, float)


def _ridge(face: Array, ground: Array) -> Array:
    """Return (P, G): how firmly the side of an arc is held to that of the disc, for a
    noise of one or two levels."""
    contrast = np.linalg.norm(ground - face, axis=-1)
    return np.asarray(4.0 / (SIDE_SHARE * contrast + SIDE_LEVELS) ** 2, float)


def _polarity(inner: Array, outer: Array) -> Array:
    size = np.maximum(np.abs(inner) + np.abs(outer), 1.0)
    return np.asarray(np.clip((outer - inner) / size, -1, 1), float)
