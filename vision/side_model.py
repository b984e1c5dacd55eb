"""What light does across the rims of discs: face, side and ground of many at once.

Across the rim of a disc light takes three levels: that of the face, of the side (in a
strip of known width where the camera sees it, else of none) and of the ground. Face and
ground are free in every arc; the side has one colour all around the disc, which an arc
may leave a little. Levels are eliminated exactly (variable projection, Golub and
Pereyra 1973), so that what is said of the edges includes not knowing them.

The face may end in a line, of known width and light: then this is its shape.

Why the side is shared: where it is seen one or two px wide, an arc alone cannot tell
its colour from a shift of the rim, and what it says of its own error is too little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.edges import bell, rise
from vision.medians import middle_of
from vision.side_arcs import Alike, Sides
from vision.side_strips import Samples, Strips
from vision.types import Array

SIDE_SPREAD, SHAPE_SIGMAS, STATED_SIGMAS = 30.0, 1.0, 2.0
"""How unlike the rest a side may be, in levels; by how much the shape of edges may
differ from the model, in what the model leaves."""
NOISE_LEVELS = 2.0
"""What a model leaves, before one was fitted."""
SIDE_SHARE, SIDE_LEVELS = 0.12, 3.0
"""By how much the side may differ from arc to arc: of its contrast, and in levels."""


FACE, SIDE, GROUND, NEAR, FAR, LINE = range(6)
PARTS, EDGES, LIGHT = slice(0, 3), slice(3, -3), slice(-3, None)


@dataclass(frozen=True, slots=True, eq=False)
class _Products:
    """Weighed sums over the samples of each arc, of all that a look needs.

    Numbers come first and discs and arcs last, for so each sum is one plane of memory.
    """

    joint: Array
    """(5, 8, P, G) of how much of each sample is face, side and ground, how steeply
    face becomes side and side ground (by px), with each other and with the light in
    three channels; (6, 9, ..) with how much more steeply the light of a face with a
    line changes."""
    power: Array
    """(3, P, G) of the squares of the light."""
    inverse: Array
    """(3, P, G) of face and ground together: its three different elements."""
    side_by: Array
    """(2, P, G) how much face and ground explain of the side."""
    free: Array
    """(P, G) what they leave of it."""
    alike: Alike
    parts: Samples
    """(3, P, G, M) how much of each sample is face, side and ground."""

    @classmethod
    def of(
        cls, strips: Strips, place: Array, weights: Samples, alike: Alike
    ) -> _Products:
        """Return those for edges at (P, G) places."""
        each = _shapes(strips, place)
        weighed = each[: LIGHT.start] * weights
        # Sums of products take half the time where what is summed over comes first.
        last = np.ascontiguousarray(each.transpose(1, 2, 3, 0))
        sums = weighed.transpose(1, 2, 0, 3) @ last
        joint = np.array(sums.transpose(2, 3, 0, 1), float, order="C")
        squares = weights[:, :, None] @ np.square(strips.rows)
        power = np.array(squares[:, :, 0].transpose(2, 0, 1), float, order="C")
        a, b, c = joint[FACE, FACE], joint[FACE, GROUND], joint[GROUND, GROUND]
        a, c = a + alike.firm[0][:, None], c + alike.firm[1][:, None]
        inverse = np.stack([c, -b, a]) / (a * c - b**2 + 1e-6)
        face, ground = _solved(inverse, joint[FACE, SIDE], joint[GROUND, SIDE])
        taken = face * joint[FACE, SIDE] + ground * joint[GROUND, SIDE]
        free = np.maximum(joint[SIDE, SIDE] - taken, 0.0)
        by = np.stack([face, ground])
        return cls(joint, power, inverse, by, free, alike, each[PARTS])

    def explained(self, sums: Array) -> tuple[Array, Array, Array]:
        """Return, of (3, C, P, G) weighed sums of values with face, side and ground,
        (C, P, G) the levels of face and of ground that explain them best, and what the
        rest has in common with the side."""
        face, ground = _solved(self.inverse, sums[FACE], sums[GROUND])
        by_face, by_ground = self.side_by
        shared = sums[SIDE] - by_face * sums[FACE] - by_ground * sums[GROUND]
        return face, ground, shared


def _shapes(strips: Strips, place: Array) -> Samples:
    """Return (8, P, G, M), or (9, ..) where a face has a line, what `joint` sums up."""
    blur = np.asarray(strips.blur_px[..., None], np.float32)
    here = np.asarray(place[..., None], np.float32)
    near: Samples = (strips.at_px - here) / blur
    far: Samples = (strips.past_px - here) / blur
    has_line = bool(strips.lined.any())
    each = np.empty((LINE + has_line + 3, *near.shape), np.float32)
    up, down = rise(near), rise(far)
    np.subtract(np.float32(1), up, out=each[FACE])
    np.subtract(up, down, out=each[SIDE])
    each[GROUND] = down
    np.divide(bell(near), blur, out=each[NEAR])
    np.divide(bell(far), blur, out=each[FAR])
    each[LIGHT] = strips.rows.transpose(3, 0, 1, 2)
    if has_line:
        into, less = strips.line_at(near, blur)
        each[FACE] -= less * (rise(into) - up)
        each[LINE] = less * (bell(into) / blur - each[NEAR])
    return each


def _solved(inverse: Array, face: Array, ground: Array) -> tuple[Array, Array]:
    aa, ab, bb = inverse
    return aa * face + ab * ground, ab * face + bb * ground


def look_across(
    strips: Strips,
    place: Array,
    weights: Samples,
    *,
    alike: Alike | None = None,
    channels: Array | None = None,
    trust: Array | None = None,
    noise: Array | None = None,
) -> Sides:
    """Return what the light says of edges at (P, G) places.

    `weights` (P, G, M) are those of the samples, `channels` (P, 3) of brightness and
    colour, `trust` (P, G) of arcs where they say what colour the side has; `noise` (P,)
    is what the model leaves; `alike` says what
    arcs have in common.
    """
    count = len(place)
    channels = strips.channels if channels is None else channels
    trust = strips.known.astype(float) if trust is None else trust
    noise = np.full(count, NOISE_LEVELS) if noise is None else noise
    alike = Alike.free(count) if alike is None else alike
    seen = _Products.of(strips, place, weights, alike)
    pull = alike.firm[:, None] * alike.levels
    sums = seen.joint[PARTS, LIGHT].copy()
    sums[[FACE, GROUND]] += pull[..., None]
    face, ground, shared = seen.explained(sums)
    jump = np.sqrt(((ground - face) ** 2).sum(0))
    ridge = 4.0 / (SIDE_SHARE * jump + SIDE_LEVELS) ** 2
    ridge = np.maximum(ridge, alike.side_firm[:, None])
    kept = ridge / (seen.free + ridge)
    common, doubt = _side_level(face, ground, trust * kept, seen.free, shared, noise)
    own = shared - common[:, :, None] * seen.free
    side = common[:, :, None] + own / (seen.free + ridge)
    by_face, by_ground = seen.side_by
    levels = np.stack([face - by_face * side, side, ground - by_ground * side])
    weight = channels.T[:, :, None]
    left = seen.joint[:, LIGHT] - _joined(seen.joint[:, PARTS], levels)
    told = (levels * (seen.joint[PARTS, LIGHT] + left[PARTS])).sum(0)
    power = (np.maximum(seen.power - told, 0.0) * weight).sum(0)
    samples = channels.sum(1)[:, None] * np.maximum(weights.sum(-1), 1e-9)
    pull, strength, by_side = _by_place(seen, levels, left, kept, weight)
    steps = np.diff(levels, axis=0)
    return Sides(
        pull / strength,
        strength,
        by_side.transpose(1, 2, 0),
        common.T,
        doubt.T,
        (shared / np.maximum(seen.free, 1e-6)).transpose(1, 2, 0),
        seen.free,
        _jump(strips, steps),
        _polarity(levels[FACE, 0], levels[GROUND, 0]),
        np.sqrt(power / samples),
        steps.transpose(0, 2, 3, 1),
        levels.transpose(2, 3, 0, 1),
        seen.inverse[[0, 2]],
        seen.parts,
    )


def _joined(sums: Array, levels: Array) -> Array:
    """Return (K, C, P, G) the (K, N, P, G) sums, each times one of (N, C, P, G)
    levels, put together."""
    return np.asarray(np.einsum("knpg,ncpg->kcpg", sums, levels), float)


def _by_place(
    seen: _Products, levels: Array, left: Array, kept: Array, channels: Array
) -> tuple[Array, Array, Array]:
    """Return by how much a better place would explain more: its pull and its strength
    (P, G), and what it has in common with the side (C, P, G); `left` is what is (K, C,
    P, G) common to the shapes and what light is left."""
    edges = [levels[FACE] - levels[SIDE], levels[SIDE] - levels[GROUND], levels[FACE]]
    slopes = np.stack(edges[: len(seen.joint) - NEAR])
    outer = _joined(seen.joint[:, EDGES], slopes)
    face, ground, shared = seen.explained(outer)
    total = (slopes * outer[NEAR:]).sum(0) - face * outer[FACE] - ground * outer[GROUND]
    # What the side would take of it, as far as its prior lets it.
    taken = (1 - kept) / np.maximum(seen.free, 1e-12)
    strength = (total - shared**2 * taken) * channels
    pull = (slopes * left[NEAR:]).sum(0) * channels
    by_side = shared * kept * channels
    return pull.sum(0), np.maximum(strength.sum(0), 1e-9), by_side


def _jump(strips: Strips, steps: Array) -> Array:
    """Return (P, G) the greatest change of level over an edge of each arc, of (2, C, P,
    G) steps."""
    each = np.sqrt((steps**2).sum(1)).max(0)
    whole = np.sqrt((steps.sum(0) ** 2).sum(0))
    return np.asarray(np.where(strips.gap_px <= 0, whole, each), float)


def _side_level(
    face: Array, ground: Array, told: Array, free: Array, free_y: Array, noise: Array
) -> tuple[Array, Array]:
    """Return the (C, P) level of the side, and its variance.

    A thin side is little more than a change of the edge's shape, and so are print near
    the rim and what a camera sharpens. These are alike in all arcs: more arcs do not
    help then, and it counts that sides are about as light as the rest.
    """
    inner, outer = middle_of(np.stack([face, ground]))
    jump = np.abs(outer - inner)
    seen = (told * free).sum(-1)
    firm = 1 / (0.5 * jump + SIDE_SPREAD) ** 2

    def wrong(sigmas: float) -> Array:
        return np.asarray(noise**2 * (1 + sigmas**2 * told.sum(-1)), float)

    pulled, usual = (told * free_y).sum(-1), (inner + outer) / 2
    best = pulled / wrong(SHAPE_SIGMAS) + usual * firm
    best = best / (seen / wrong(SHAPE_SIGMAS) + firm)
    variance = 1 / (seen / wrong(STATED_SIGMAS) + firm)
    return np.asarray(best, float), np.asarray(variance, float)


def _polarity(inner: Array, outer: Array) -> Array:
    size = np.maximum(np.abs(inner) + np.abs(outer), 1.0)
    return np.asarray(np.clip((outer - inner) / size, -1, 1), float)
