"""Cuts a sample out as a detector might: off, turned, in other light, less sharp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.crops import (
    CROP_HEIGHT,
    CROP_WIDTH,
    card_window,
    cut,
    index_window,
    mirrored,
    turned,
)
from vision.quads import UNIT_CORNERS, on_quad
from vision.reading import NO_SUIT, NONE, ONE_WAY_RANKS, RANKS
from vision.training.samples import Sample
from vision.types import Array, Bgr

STRETCHED = 0.35
SPREADS, SPREAD_ODDS = (0.01, 0.035, 0.065, 0.12), (0.25, 0.3, 0.3, 0.15)
"""How far a detector's box is off, in shares of a card; of an index, twice as much."""
FOUND_SPREAD = 0.03
"""How far a box that a detector did find is moved, in shares of its width."""
GREY, GREY_WEIGHTS = 0.1, (2.0, 5.0, 3.0)
"""So many crops are without colour, as cameras see at night: suits have shapes too."""
MIRRORED = 0.06
"""So many indices are seen in a mirror: they are none, or a 10 would pass for a Q."""
TURN, INDEX_TURNS, INDEX_TURN_ODDS = 0.04, (0.04, 0.12, 0.3), (0.5, 0.3, 0.2)
"""How far it is turned, in radians: that of an index, on fans, in a tenth of cases by
more than eleven degrees."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A crop as a detector might have cut it, and what it shows."""

    crop: Bgr
    rank: int
    suit: int
    corners: Array | None = None
    """(8,) as the network should say them; `None` where there is nothing to say."""
    suit_share: float = 1.0
    """How sure of its suit it can be; else it is the other one of its colour."""


def draw_sample(
    rng: np.random.Generator, pictures: Sequence[Bgr], sample: Sample
) -> Drawn:
    """Return a crop of the sample, or of no card or index at all."""
    bgr = pictures[sample.image]
    if sample.box_px is None and rng.random() < 0.12:
        return Drawn(degraded(rng, cut(bgr, _nothing(rng, bgr, sample))), NONE, NO_SUIT)
    window, meant = jittered(rng, sample), meant_window(sample)
    if sample.rank == NONE and sample.box_px is not None:
        window = turned(window) if rng.random() < 0.5 else window
        return Drawn(degraded(rng, cut(bgr, window)), NONE, NO_SUIT)
    if sample.is_index and rng.random() < 0.15:
        return Drawn(degraded(rng, cut(bgr, turned(window))), NONE, NO_SUIT)
    one_way = sample.is_index and RANKS[sample.rank] in ONE_WAY_RANKS
    if one_way and rng.random() < MIRRORED:
        return Drawn(degraded(rng, cut(bgr, mirrored(window))), NONE, NO_SUIT)
    if not sample.is_index and rng.random() < 0.5:
        window, meant = turned(window), turned(meant)
    corners = None if sample.rank == NONE else off_corners(window, meant)
    crop = degraded(rng, cut(bgr, window))
    return Drawn(crop, sample.rank, sample.suit, corners, sample.suit_share)


def jittered(rng: np.random.Generator, sample: Sample) -> Array:
    """Return the window that a detector might have given for the sample, or did."""
    if sample.box_px is not None:
        return _shaken(rng, sample.box_px)
    quad = sample.window_px
    if rng.random() < 0.5:
        quad = _boxed(quad)
    right, down = quad[1] - quad[0], quad[3] - quad[0]
    size = float(np.hypot(*right))
    spread = rng.choice(SPREADS, p=SPREAD_ODDS)
    turn = rng.normal(0, TURN)
    if sample.is_index:
        spread *= 2
        turn = rng.normal(0, rng.choice(INDEX_TURNS, p=INDEX_TURN_ODDS))
    move = rng.normal(0, spread, 2) @ np.array([right, down])
    grow = 1 + rng.normal(0, spread * 1.5)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    middle = quad.mean(0)
    quad = (quad - middle) @ rotation.T * grow + middle + move
    if rng.random() < STRETCHED:
        quad = stretched(rng, quad)
    quad = quad + rng.normal(0, spread * 0.5 * size, (4, 2))
    return index_window(quad) if sample.is_index else card_window(quad)


def _shaken(rng: np.random.Generator, box_px: Array) -> Array:
    """Return the window of a detector's box, which is a little off already."""
    size = float(np.linalg.norm(box_px[1] - box_px[0]))
    quad = box_px + rng.normal(0, FOUND_SPREAD * size, 2)
    if rng.random() < STRETCHED:
        quad = stretched(rng, quad)
    return index_window(quad)


def stretched(rng: np.random.Generator, quad: Array) -> Array:
    """Return the window broader or slimmer, and leaning: as other decks print."""
    broad, lean = np.exp(rng.normal(0, 0.12)), rng.normal(0, 0.07)
    middle = quad.mean(0)
    right = (quad[1] + quad[2] - quad[0] - quad[3]) / 4 * broad
    down = (quad[3] + quad[2] - quad[0] - quad[1]) / 4
    down = down + right * lean
    return np.asarray(
        middle + np.array([-right - down, right - down, right + down, down - right])
    )


def _boxed(quad: Array) -> Array:
    """Return the oriented rectangle around a quad, from the corner nearest its own."""
    box = np.asarray(cv2.boxPoints(cv2.minAreaRect(quad.astype(np.float32))), float)
    if _turn(box) * _turn(quad) < 0:
        box = box[::-1]
    first = int(np.argmin(np.linalg.norm(box - quad[0], axis=1)))
    return np.roll(box, -first, axis=0)


def _turn(quad: Array) -> float:
    """Return a number whose sign says which way round the corners go."""
    (ax, ay), (bx, by) = quad[1] - quad[0], quad[2] - quad[1]
    return float(ax * by - ay * bx)


def meant_window(sample: Sample) -> Array:
    """Return the window that an exact detector would have given."""
    make = index_window if sample.is_index else card_window
    return make(sample.window_px)


def off_corners(window_px: Array, meant_px: Array) -> Array:
    """Return (8,) where the corners of the window meant are, from those of the window
    cut, in its shares; what is more than one window off is as good as that."""
    off = on_quad(window_px, meant_px) - UNIT_CORNERS
    return np.asarray(np.clip(off, -1, 1).ravel(), float)


def _nothing(rng: np.random.Generator, bgr: Bgr, sample: Sample) -> Array:
    """Return a window that shows no card and no index in its middle."""
    middle = sample.window_px.mean(0)
    kind = rng.integers(3)
    if kind == 0:  # anywhere
        middle = rng.uniform(0, bgr.shape[0], 2)
        height = float(np.exp(rng.uniform(np.log(20), np.log(200))))
        turn = rng.uniform(0, 2 * np.pi)
    elif kind == 1 and not sample.is_index:  # a part of a card, askew
        height = sample.size_px * rng.uniform(0.2, 0.45)
        turn = rng.uniform(0, 2 * np.pi)
        middle = middle + rng.normal(0, sample.size_px * 0.08, 2)
    else:  # lying across
        edge = sample.window_px[3] - sample.window_px[0]
        turn = (
            np.arctan2(edge[1], edge[0])
            - np.pi / 2
            + rng.choice([-1, 1]) * (np.pi / 2 + rng.normal(0, 0.2))
        )
        height = sample.size_px * rng.uniform(0.7, 1.4)
    half = height / 2
    box = np.array([[-0.71, -1], [0.71, -1], [0.71, 1], [-0.71, 1]]) * half
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(box @ np.array([[c, s], [-s, c]]) + middle, float)


def degraded(rng: np.random.Generator, crop: Bgr) -> Bgr:
    """Return the crop in other light and less sharp."""
    if rng.random() < 0.3:
        factor = rng.uniform(1.2, 2.6)
        size = (int(CROP_WIDTH / factor), int(CROP_HEIGHT / factor))
        small = cv2.resize(crop, size, interpolation=cv2.INTER_AREA)
        crop = np.asarray(cv2.resize(small, (CROP_WIDTH, CROP_HEIGHT)), np.uint8)
    if rng.random() < 0.2:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.5, 1.6))))
    if rng.random() < 0.7:
        gain = np.exp(rng.normal(0, 0.15)) * (1 + rng.normal(0, 0.06, 3))
        table = np.arange(256)[:, None] / 255.0
        table = np.clip(table ** np.exp(rng.normal(0, 0.2)) * gain * 255, 0, 255)
        crop = np.asarray(cv2.LUT(crop, table.astype(np.uint8)[None]), np.uint8)
    if rng.random() < GREY:
        grey = crop @ rng.dirichlet(GREY_WEIGHTS)
        crop = np.repeat(grey[..., None], 3, axis=2).astype(np.uint8)
    return crop
