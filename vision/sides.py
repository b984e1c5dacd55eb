"""Where a rim lies, from the light across it: face, side and ground of many discs.

Across the rim of a disc light takes three levels: that of the face, of the side (in a
strip of known width where the camera sees it, else of none) and of the ground. Face and
ground are free in every arc; the side has one colour all around the disc, which an arc
may leave a little. The disc moves as one. Levels are eliminated exactly at every step
(variable projection, Golub and Pereyra 1973), and so the stated covariance includes not
knowing them; arcs are weighed down as they disagree (redescending, Huber 1981).

Why the side is shared: where it is seen one or two px wide, an arc alone cannot tell
its colour from a shift of the rim, and what it says of its own error is too little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.edges import bell, rise
from vision.types import Array

SYSTEMATIC_PX = 0.05
"""What every arc may be off, whatever its contrast."""
SIDE_SPREAD, SHAPE_SIGMAS = 30.0, 2.0
"""How unlike the rest a side may be, in levels; by how much the shape of edges may
differ from the model, in what the model leaves."""
NOISE_LEVELS = 2.0
"""What a model leaves, before one was fitted."""
SIDE_SHARE, SIDE_LEVELS = 0.12, 3.0
"""By how much the side may differ from arc to arc: of its contrast, and in levels."""
OWN_TURNS, JOINT_TURNS = 2, 2
LONGEST_PX = 1.0
"""The longest step of an edge in one turn."""
TONE_PX = 0.35
"""How far an edge may shift to its dark side: cameras sharpen, clip and bend tones, and
what is bright grows by it. It is one unknown of the disc, times each arc's polarity."""
WIDE = 2.6
"""How much farther than the narrow window a clean arc is looked at."""
DARK_LEVELS = 12.0
"""Noise varies as light plus that."""
REDESCEND, REJECT = 2.2, 3.2
"""Sigmas from which on an arc counts less, and from which on it does not fit."""


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
class Moves:
    """By how much discs must move for their rims to lie on the edges."""

    by: Array
    """(P, K) the unknowns: x and y (mm), radius (mm), tone (px)."""
    covariance: Array
    """(P, K, K) by the noise of the arcs alone."""
    by_print: Array
    """(P, K) what they would be if all edges with a side were off by their blur."""
    sides: Sides
    sigma_px: Array
    """(P, G) stated of each arc."""
    off_sigmas: Array
    """(P, G) how far each arc's edge lies off the rim."""
    weights: Array
    """(P, G) in [0, 1] that each arc was given."""
    fits: NDArray[np.bool_]
    """(P, G) whether it lies on the rim."""
    noise: Array
    """(P,) in levels of brightness."""


def fit_moves(
    strips: Strips, along: Array, prior: Array, *, own_turns: int = OWN_TURNS
) -> Moves:
    """Return the moves of P discs.

    `along` is (P, G, 3): px along the normal of each arc per mm of x, y and radius;
    `prior` (P, 3) the precision with which these are known to be zero, per mm2. In the
    first `own_turns` every arc follows its own edge.
    """
    discs, arcs = strips.gap_px.shape
    place = np.zeros((discs, arcs))
    weights = _window(strips)
    seen = look_across(strips, place, weights)
    for _ in range(own_turns):
        place = place + np.clip(seen.step_px, -LONGEST_PX, LONGEST_PX)
        seen = look_across(strips, place, weights)
    weights, channels = _after_a_look(strips, seen, weights)
    seen = look_across(
        strips, place, weights, channels=channels, noise=_noise(strips, seen)
    )
    moves = _agree(strips, along, prior, place, seen)
    for _ in range(JOINT_TURNS - 1):
        place = _places(moves, along)
        seen = look_across(
            strips,
            place,
            weights,
            channels=channels,
            trust=moves.weights,
            noise=moves.noise,
        )
        moves = _agree(strips, along, prior, place, seen)
    return moves


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
    blur = strips.blur_px[..., None]
    near = (strips.at_px - place[..., None]) / blur
    far = near - strips.gap_px[..., None] / blur
    up, down = rise(near), rise(far)
    face, side, ground = 1 - up, up - down, down
    w, rows = weights, strips.rows
    ff, fg, gg = _sum(w * face * face), _sum(w * face * ground), _sum(w * ground**2)
    fs, gs, ss = _sum(w * face * side), _sum(w * ground * side), _sum(w * side**2)
    det = ff * gg - fg**2 + 1e-6
    face_y, ground_y, side_y = (_by_channel(w * k, rows) for k in (face, ground, side))

    def levels(of_face: Array, of_ground: Array) -> tuple[Array, Array]:
        """Return the levels of face and ground that explain something best."""
        if of_face.ndim == 3:
            d, a, b, c = (x[..., None] for x in (det, ff, fg, gg))
        else:
            d, a, b, c = det, ff, fg, gg
        return (c * of_face - b * of_ground) / d, (a * of_ground - b * of_face) / d

    face_s, ground_s = levels(fs, gs)
    free = np.maximum(ss - face_s * fs - ground_s * gs, 0.0)
    face_0, ground_0 = levels(face_y, ground_y)
    free_y = side_y - face_s[..., None] * face_y - ground_s[..., None] * ground_y
    ridge = _ridge(face_0, ground_0, free)
    kept = ridge / (free + ridge)
    common, doubt = _side_level(
        face_0, ground_0, (trust * kept)[..., None], free[..., None], free_y, noise
    )
    own = (free_y - common[:, None] * free[..., None]) / (free + ridge)[..., None]
    level = common[:, None] + own
    inner = face_0 - level * face_s[..., None]
    outer = ground_0 - level * ground_s[..., None]
    first, second = level - inner, outer - level
    model = inner[:, :, None] + up[..., None] * first[:, :, None]
    model = model + down[..., None] * second[:, :, None]
    left = rows - model
    slope = bell(near)[..., None] * first[:, :, None]
    slope = -(slope + bell(far)[..., None] * second[:, :, None]) / blur[..., None]
    face_d, ground_d, side_d = (_by_channel(w * k, slope) for k in (face, ground, side))
    level_d = levels(face_d, ground_d)
    total = np.einsum("pgm,pgmc->pgc", w, slope * slope)
    total = total - level_d[0] * face_d - level_d[1] * ground_d
    shared = side_d - face_s[..., None] * face_d - ground_s[..., None] * ground_d
    strength = total - shared**2 / (free + ridge)[..., None]
    strength = np.maximum((strength * channels[:, None]).sum(-1), 1e-9)
    pull = np.einsum("pgm,pgmc,pc->pg", w, slope * left, channels)
    samples = np.maximum(_sum(w), 1e-9)
    power = np.einsum("pgm,pgmc,pc->pg", w, left**2, channels)
    spread = channels.sum(1)[:, None] * samples
    jumps = np.linalg.norm(first, axis=-1), np.linalg.norm(second, axis=-1)
    hidden = strips.gap_px <= 0
    jump = np.where(hidden, np.linalg.norm(first + second, axis=-1), np.maximum(*jumps))
    return Sides(
        pull / strength,
        strength,
        shared * kept[..., None] * channels[:, None],
        common,
        doubt,
        jump,
        _polarity(inner[..., 0], outer[..., 0]),
        np.sqrt(power / spread),
        np.stack([first, second]),
        left,
    )


def widening(strips: Strips, moves: Moves, along: Array) -> float:
    """Return the logarithm of how much wider edges are than was thought, to first
    order. Only arcs say so that lie on their rims where no side is seen: a side is a
    blur too."""
    place = _places(moves, along)
    near = (strips.at_px - place[..., None]) / strips.blur_px[..., None]
    jump = moves.sides.steps.sum(0)[:, :, None]
    slope = -(near * bell(near))[..., None] * jump
    weights = _window(strips)[..., None]
    base = np.stack([1 - rise(near), bell(near), rise(near)], axis=-1)
    weighed = base * weights
    normal = base.swapaxes(2, 3) @ weighed + 1e-6 * np.eye(3)
    told = np.linalg.solve(normal, weighed.swapaxes(2, 3) @ slope)
    free = slope - base @ told
    single = moves.fits & (strips.gap_px <= 0)
    trust = single * moves.weights / moves.noise[:, None] ** 2
    weights = weights * trust[..., None, None]
    strength = float((weights * free * slope).sum())
    return float((weights * free * moves.sides.left).sum()) / max(strength, 1e-6)


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


def _ridge(face: Array, ground: Array, free: Array) -> Array:
    """Return (P, G): how firmly the side of an arc is held to that of the disc, for a
    noise of one or two levels."""
    contrast = np.linalg.norm(ground - face, axis=-1)
    return np.asarray(4.0 / (SIDE_SHARE * contrast + SIDE_LEVELS) ** 2, float)


def _polarity(inner: Array, outer: Array) -> Array:
    size = np.maximum(np.abs(inner) + np.abs(outer), 1.0)
    return np.asarray(np.clip((outer - inner) / size, -1, 1), float)


def _window(strips: Strips, wide: float = 1.0) -> Array:
    """Return (P, G, M) weights: nearer is more, bright is less (shot noise)."""
    past = strips.at_px - strips.gap_px[..., None]
    beyond = np.maximum(np.maximum(-strips.at_px, past), 0.0)
    bells = np.exp(-0.5 * (beyond / (wide * strips.taper_px[..., None])) ** 2)
    light = np.maximum(strips.rows[..., 0], 0.0) + DARK_LEVELS
    usual = np.median(light, axis=(1, 2), keepdims=True)
    return np.asarray(bells * usual / light, float)


def _after_a_look(strips: Strips, seen: Sides, weights: Array) -> tuple[Array, Array]:
    """Return weights of samples and channels by what the first look left.

    A ring printed near the rim is often the stronger edge: only what follows the levels
    near the rim is looked at farther out. Colour never weighs more than brightness,
    for cameras and JPEG keep it at half the resolution.
    """
    power = np.einsum("pgm,pgmc->pgc", weights, seen.left**2)
    per = np.median(power / np.maximum(_sum(weights), 1e-9)[..., None], axis=1)
    noise = np.maximum(per, 0.05)
    channels = np.minimum(noise[:, :1] / noise, 1.0)
    away = np.abs(seen.left) / (3 * np.sqrt(noise))[:, None, None]
    follows = 1 / (1 + away.max(-1) ** 2) ** 2
    return np.maximum(weights, _window(strips, WIDE) * follows), channels


def _noise(strips: Strips, seen: Sides) -> Array:
    """Return (P,) what the model leaves of most arcs, in levels of brightness."""
    known = np.where(strips.known, seen.misfit, np.nan)
    safe = np.where(strips.known.any(1, keepdims=True), known, 1.0)
    return np.asarray(np.maximum(np.nanmedian(safe, axis=1), 0.3), float)


def _agree(
    strips: Strips, along: Array, prior: Array, place: Array, seen: Sides
) -> Moves:
    """Return the moves on which most arcs agree, linear around their `place`."""
    known = strips.known.astype(float)
    noise = _noise(strips, seen)
    own = np.maximum(seen.misfit, noise[:, None])
    sigma = np.sqrt(own**2 / seen.strength + SYSTEMATIC_PX**2)
    faint = seen.jump < 3 * noise[:, None]
    sigma = np.where(faint, np.maximum(sigma, 0.5), sigma)
    edge = place + np.clip(seen.step_px, -LONGEST_PX, LONGEST_PX)
    design = np.concatenate([along, seen.polarity[..., None]], axis=-1)
    firm = np.concatenate([prior, np.full((len(prior), 1), 1 / TONE_PX**2)], axis=1)
    base = known / sigma**2
    kept = base
    for turn in range(6):
        by, inverse = _solved(design, kept, firm, edge)
        off = (edge - np.einsum("pgk,pk->pg", design, by)) / sigma
        scale = _scale(off, known)
        reach = REDESCEND * scale * (2.5 if turn < 2 else 1.0)
        kept = base / (1 + (off / reach) ** 2) ** 2
    fits = (known > 0) & (np.abs(off) < REJECT * scale) & ~faint
    beside = np.minimum(strips.gap_px, strips.blur_px)
    pulled = design.swapaxes(1, 2) @ (kept * beside)[..., None]
    return Moves(
        by,
        inverse + _of_side(design, kept, inverse, seen),
        (inverse @ pulled)[..., 0],
        seen,
        sigma,
        off,
        kept / np.maximum(base, 1e-12) * known,
        fits,
        noise,
    )


def _scale(off: Array, known: Array) -> Array:
    """Return (P, 1) the robust spread of the arcs, in their sigmas."""
    away = np.where(known > 0, np.abs(off), np.nan)
    safe = np.where((known > 0).any(1, keepdims=True), away, 1.0)
    return np.maximum(1.4826 * np.nanmedian(safe, axis=1, keepdims=True), 0.7)


def _solved(
    design: Array, kept: Array, firm: Array, edge: Array
) -> tuple[Array, Array]:
    """Return the unknowns (P, K) and the inverse (P, K, K) of their normal matrix."""
    weighed = design * kept[..., None]
    normal = weighed.swapaxes(1, 2) @ design
    inverse = np.linalg.inv(normal + (firm[:, :, None] + 1e-9) * np.eye(4))
    pulled = weighed.swapaxes(1, 2) @ edge[..., None]
    return np.asarray((inverse @ pulled)[..., 0]), np.asarray(inverse, float)


def _of_side(design: Array, kept: Array, inverse: Array, seen: Sides) -> Array:
    """Return (P, K, K), the covariance that the side's unknown level brings."""
    by_arc = (kept / seen.strength)[..., None] * seen.by_side
    moved = inverse @ (design.swapaxes(1, 2) @ by_arc)
    return np.asarray((moved * seen.side_variance[:, None]) @ moved.swapaxes(1, 2))


def _places(moves: Moves, along: Array) -> Array:
    design = np.concatenate([along, moves.sides.polarity[..., None]], axis=-1)
    return np.asarray(np.einsum("pgk,pk->pg", design, moves.by), float)


def _sum(values: Array) -> Array:
    return np.asarray(values.sum(-1), float)


def _by_channel(weights: Array, rows: Array) -> Array:
    return np.asarray((weights[:, :, None] @ rows)[:, :, 0], float)
