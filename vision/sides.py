"""By how much discs must move for their rims to lie on the edges in the picture.

A disc moves as one; what `vision.side_model` says of each arc is put together by
weighted least squares, arcs being weighed down as they disagree (redescending, Huber
1981). The stated covariance includes not knowing the levels of light and the side's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.edges import bell, rise
from vision.medians import median_of, middle_of
from vision.side_arcs import Alike, Sides
from vision.side_model import look_across
from vision.side_strips import Samples, Strips
from vision.types import Array

SYSTEMATIC_PX = 0.05
"""What every arc may be off, whatever its contrast."""
OWN_TURNS, JOINT_TURNS, LAST_JOINT_TURNS = 1, 2, 3
BLUR_FITS, BLUR_TURNS, BLUR_SHARE, FAR_BLUR = 2, 4, 0.05, 0.2
"""How often rims are fitted to find a blur, and it is corrected in between; the share
of a correction that ends this, and from which on rims are fitted once more."""
AGREE_TURNS = 5
LONGEST_PX = 1.0
"""The longest step of an edge in one turn."""
TONE_PX = 0.35
"""How far an edge may shift to its dark side: cameras sharpen, clip and bend tones, and
what is bright grows by it. It is one unknown of the disc, times each arc's polarity."""
WIDE = 2.6
"""How much farther than the narrow window a clean arc is looked at."""
REDESCEND, REJECT = 2.2, 3.2
"""Sigmas from which on an arc counts less, and from which on it does not fit."""


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
    strips: Strips,
    along: Array,
    prior: Array,
    *,
    own_turns: int = OWN_TURNS,
    joint_turns: int = JOINT_TURNS,
) -> Moves:
    """Return the moves of P discs.

    `along` is (P, G, 3): px along the normal of each arc per mm of x, y and radius;
    `prior` (P, 3) the precision with which these are known to be zero, per mm2. In the
    first `own_turns` every arc follows its own edge, in `joint_turns` those of a disc
    follow where they led together.
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
    alike = Alike.of(moves.sides, moves.weights, moves.noise)
    for _ in range(joint_turns - 1):
        place = _places(moves, along)
        seen = look_across(
            strips,
            place,
            weights,
            channels=channels,
            trust=moves.weights,
            noise=moves.noise,
            alike=alike,
        )
        moves = _agree(strips, along, prior, place, seen)
    return moves


def widened(strips: Strips, along: Array, prior: Array, *, own_turns: int = 0) -> float:
    """Return how many times wider edges are than was thought."""
    whole = 1.0
    for turn in range(BLUR_FITS):
        first = own_turns if turn == 0 else 0
        moves = fit_moves(strips, along, prior, own_turns=first)
        place, sides, factor = _places(moves, along), moves.sides, 1.0
        for _ in range(BLUR_TURNS):
            more = float(np.clip(_widening(strips, moves, place, sides), -0.3, 0.3))
            factor *= math.exp(more)
            strips = replace(strips, blur_px=strips.blur_px * math.exp(more))
            if abs(more) < BLUR_SHARE:
                break
            sides = look_across(
                strips, place, _window(strips), trust=moves.weights, noise=moves.noise
            )
        whole *= factor
        if abs(math.log(factor)) < FAR_BLUR:
            break
    return whole


def _widening(strips: Strips, moves: Moves, place: Array, sides: Sides) -> float:
    """Return the logarithm of that, to first order. Only arcs say so that lie on their
    rims where no side is seen: a side is a blur too."""
    blur = np.asarray(strips.blur_px[..., None], np.float32)
    near: Samples = (strips.at_px - np.asarray(place[..., None], np.float32)) / blur
    up, steep = rise(near), bell(near)
    slope = -(near * steep)[:, :, None] * sides.steps.sum(0)[..., None]
    if strips.lined.any():
        into, less = strips.line_at(near, blur)
        bent = less * (into * bell(into) - near * steep)
        slope = slope + bent[:, :, None] * sides.levels[:, :, 0, :, None]
        slope = slope * strips.channels[:, None, :, None]
    weights = _window(strips)
    base = np.stack([1 - up, steep, up], axis=2).astype(float)
    weighed = base * weights[:, :, None]
    normal = weighed @ base.swapaxes(2, 3) + 1e-6 * np.eye(3)
    told = np.linalg.solve(normal, weighed @ slope.swapaxes(2, 3))
    free = slope - told.swapaxes(2, 3) @ base
    single = moves.fits & (strips.gap_px <= 0)
    trust = single * moves.weights / moves.noise[:, None] ** 2
    pull = free * (weights * trust[..., None])[:, :, None]
    strength = max(float((pull * slope).sum()), 1e-6)
    return float((pull * sides.left(strips.rows)).sum()) / strength


def _window(strips: Strips, wide: float = 1.0) -> Samples:
    """Return (P, G, M) weights: what is nearer is more."""
    inner = np.asarray(-strips.line_px[..., None], np.float32) - strips.at_px
    beyond = np.maximum(np.maximum(inner, strips.past_px), 0)
    taper = (wide * strips.taper_px[..., None]).astype(np.float32)
    bells = np.exp(np.float32(-0.5) * np.square(beyond / taper))
    return np.asarray(bells * strips.worth, np.float32)


def _after_a_look(
    strips: Strips, seen: Sides, weights: Samples
) -> tuple[Samples, Array]:
    """Return weights of samples and channels by what the first look left.

    A ring printed near the rim is often the stronger edge: only what follows the levels
    near the rim is looked at farther out. Colour never weighs more than brightness,
    for cameras and JPEG keep it at half the resolution.
    """
    left = seen.left(strips.rows)
    squares = np.square(left, out=left)
    power = (squares @ weights[..., None])[..., 0]
    each = power / np.maximum(_sum(weights), 1e-9)[..., None]
    per = middle_of(each.swapaxes(1, 2))
    noise = np.maximum(per, 0.05)
    channels = np.minimum(noise[:, :1] / noise, 1.0) * strips.channels
    told = strips.channels / (3.5**2 * noise)
    squares *= told.astype(np.float32)[:, None, :, None]
    worst = squares.max(axis=2)
    follows = 1 / (1 + np.square(worst, out=worst))
    wider = np.maximum(weights, _window(strips, WIDE) * follows)
    return np.asarray(wider, np.float32), channels


def _noise(strips: Strips, seen: Sides) -> Array:
    """Return (P,) what the model leaves of most arcs, in levels of brightness."""
    middle = median_of(seen.misfit, strips.known, default=1.0)
    return np.asarray(np.maximum(middle, 0.3), float)


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
    for turn in range(AGREE_TURNS):
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
    middle = median_of(np.abs(off), known > 0, default=1.0)
    return np.maximum(1.4826 * middle[:, None], 0.7)


def _solved(
    design: Array, kept: Array, firm: Array, edge: Array
) -> tuple[Array, Array]:
    """Return the unknowns (P, K) and the inverse (P, K, K) of their normal matrix."""
    weighed = (design * kept[..., None]).swapaxes(1, 2)
    normal = weighed @ design + (firm[:, :, None] + 1e-9) * np.eye(4)
    inverse = np.linalg.inv(normal)
    by = (inverse @ (weighed @ edge[..., None]))[..., 0]
    return np.asarray(by, float), np.asarray(inverse, float)


def _of_side(design: Array, kept: Array, inverse: Array, seen: Sides) -> Array:
    """Return (P, K, K), the covariance that the side's unknown level brings."""
    by_arc = (kept / seen.strength)[..., None] * seen.by_side
    moved = inverse @ (design.swapaxes(1, 2) @ by_arc)
    return np.asarray((moved * seen.side_variance[:, None]) @ moved.swapaxes(1, 2))


def _places(moves: Moves, along: Array) -> Array:
    design = np.concatenate([along, moves.sides.polarity[..., None]], axis=-1)
    return np.asarray(np.einsum("pgk,pk->pg", design, moves.by), float)


def _sum(values: Array | Samples) -> Array:
    return np.asarray(values.sum(-1), float)
