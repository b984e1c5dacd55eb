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


FACE, SIDE, GROUND, NEAR, FAR, LIGHT, LINE = 0, 1, 2, 3, 4, slice(5, 8), 8


@dataclass(frozen=True, slots=True, eq=False)
class _Products:
    """Weighed sums over the samples of each arc, of all that a look needs.

    Numbers come first and discs and arcs last, for so each sum is one plane of memory.
    """

    joint: Array
    """(8, 8, P, G) of how much of each sample is face, side and ground, how steeply
    face becomes side and side ground (by px), and the light in three channels; (9, 9,
    ..) with how much more steeply the light of a face with a line changes."""
    inverse: Array
    """(3, P, G) of face and ground together: its three different elements."""
    side_by: Array
    """(2, P, G) how much face and ground explain of the side."""
    free: Array
    """(P, G) what they leave of it."""
    alike: Alike
    parts: Samples
    """(P, G, 3, M) how much of each sample is face, side and ground."""

    @classmethod
    def of(
        cls, strips: Strips, place: Array, weights: Samples, alike: Alike
    ) -> _Products:
        """Return those for edges at (P, G) places."""
        blur = np.asarray(strips.blur_px[..., None], np.float32)
        here = np.asarray(place[..., None], np.float32)
        near: Samples = (strips.at_px - here) / blur
        far: Samples = (strips.past_px - here) / blur
        lined = strips.lined
        many = LINE + 1 if lined.any() else LINE
        each = np.empty((*near.shape[:2], many, near.shape[2]), np.float32)
        up, down = rise(near), rise(far)
        each[:, :, FACE], each[:, :, SIDE] = 1 - up, up - down
        each[:, :, GROUND] = down
        each[:, :, NEAR], each[:, :, FAR] = bell(near) / blur, bell(far) / blur
        each[:, :, LIGHT] = strips.rows.swapaxes(2, 3)
        if lined.any():
            into, less = strips.line_at(near, blur)
            each[:, :, FACE] -= less * (rise(into) - up)
            each[:, :, LINE] = less * (bell(into) / blur - each[:, :, NEAR])
        sums = (each * weights[:, :, None]) @ each.swapaxes(2, 3)
        joint = np.array(sums.transpose(2, 3, 0, 1), float, order="C")
        a, b, c = joint[FACE, FACE], joint[FACE, GROUND], joint[GROUND, GROUND]
        a, c = a + alike.firm[0][:, None], c + alike.firm[1][:, None]
        inverse = np.stack([c, -b, a]) / (a * c - b**2 + 1e-6)
        face, ground = _solved(inverse, joint[FACE, SIDE], joint[GROUND, SIDE])
        taken = face * joint[FACE, SIDE] + ground * joint[GROUND, SIDE]
        free = np.maximum(joint[SIDE, SIDE] - taken, 0.0)
        by = np.stack([face, ground])
        return cls(joint, inverse, by, free, alike, each[:, :, :3])

    def explained(self, sums: Array) -> tuple[Array, Array, Array]:
        """Return, of (3, C, P, G) weighed sums of values with face, side and ground,
        (C, P, G) the levels of face and of ground that explain them best, and what the
        rest has in common with the side."""
        face, ground = _solved(self.inverse, sums[FACE], sums[GROUND])
        by_face, by_ground = self.side_by
        shared = sums[SIDE] - by_face * sums[FACE] - by_ground * sums[GROUND]
        return face, ground, shared


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
    sums = seen.joint[:3, LIGHT].copy()
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
    power = (np.maximum(_unexplained(seen.joint, levels), 0.0) * weight).sum(0)
    samples = channels.sum(1)[:, None] * np.maximum(weights.sum(-1), 1e-9)
    pull, strength, by_side = _by_place(seen, levels, kept, weight)
    steps = np.diff(levels, axis=0)
    return Sides(
        pull / strength,
        strength,
        np.moveaxis(by_side, 0, -1),
        common.T,
        doubt.T,
        np.moveaxis(shared / np.maximum(seen.free, 1e-6), 0, -1),
        seen.free,
        _jump(strips, steps),
        _polarity(levels[FACE, 0], levels[GROUND, 0]),
        np.sqrt(power / samples),
        np.moveaxis(steps, 1, -1),
        np.moveaxis(levels, (0, 1), (-2, -1)),
        seen.inverse[[0, 2]],
        seen.parts,
    )


def _unexplained(joint: Array, levels: Array) -> Array:
    """Return (C, P, G) the squares of what levels of face, side and ground leave."""
    left = joint[[5, 6, 7], [5, 6, 7]]
    for part in (FACE, SIDE, GROUND):
        left -= levels[part] * (2 * joint[part, LIGHT] - _modelled(joint[part], levels))
    return np.asarray(left, float)


def _modelled(sums: Array, levels: Array) -> Array:
    """Return (C, P, G) weighed sums of what levels of face, side and ground explain; by
    hand, for numpy is slow to sum over three."""
    face, side, ground = sums[FACE], sums[SIDE], sums[GROUND]
    return np.asarray(
        face * levels[FACE] + side * levels[SIDE] + ground * levels[GROUND], float
    )


def _by_place(
    seen: _Products, levels: Array, kept: Array, channels: Array
) -> tuple[Array, Array, Array]:
    """Return by how much a better place would explain more: its pull and its strength
    (P, G), and what it has in common with the side (C, P, G)."""
    joint = seen.joint
    near, far = levels[FACE] - levels[SIDE], levels[SIDE] - levels[GROUND]
    outer = joint[:3, NEAR, None] * near + joint[:3, FAR, None] * far
    total = joint[NEAR, NEAR] * near**2 + joint[FAR, FAR] * far**2
    total = total + 2 * joint[NEAR, FAR] * near * far
    if len(joint) > LINE:
        line = levels[FACE]
        outer = outer + joint[:3, LINE, None] * line
        beside = joint[NEAR, LINE] * near + joint[FAR, LINE] * far
        total = total + (joint[LINE, LINE] * line + 2 * beside) * line
    face, ground, shared = seen.explained(outer)
    total = total - face * outer[FACE] - ground * outer[GROUND]
    # What the side would take of it, as far as its prior lets it.
    taken = (1 - kept) / np.maximum(seen.free, 1e-12)
    strength = (total - shared**2 * taken) * channels
    left_near = joint[NEAR, LIGHT] - _modelled(joint[NEAR], levels)
    left_far = joint[FAR, LIGHT] - _modelled(joint[FAR], levels)
    pull = near * left_near + far * left_far
    if len(joint) > LINE:
        left_line = joint[LINE, LIGHT] - _modelled(joint[LINE], levels)
        pull = pull + levels[FACE] * left_line
    pull = pull * channels
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
