"""Suit symbols in as many shapes as decks print them, as masks.

Spades differ from clubs by little: a reader that has seen few shapes of either takes a
broad spade for a club. So the shapes here vary far more than shops sell: built of
curves, or taken from a font, then bent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene.chance import one_of
from vision.scene.ink import Mask, letters

SUITS = ("c", "d", "h", "s")
GLYPHS: Mapping[str, str] = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
FROM_A_FONT = 0.4
HOLLOW = 0.03
SHADED = 0.45
LIGHTEST = 0.35
"""The ink that is left where a shaded symbol is lightest."""
POINTED = 0.3
"""How often a club's leaves end in points: a reader that has never seen such ones takes
them for spades."""
SIZE_PX = 160
Points = NDArray[np.float64]
"""(N, 2) in [-1, 1], y down."""


def draw_suits(
    rng: np.random.Generator, fonts: Sequence[str] = ()
) -> Mapping[str, Mask]:
    """Return a mask of each suit `c d h s`, trimmed, of one deck's style."""
    from_font = _of_a_font(rng, fonts) if rng.random() < FROM_A_FONT else None
    masks = from_font or {suit: _filled(_shape(rng, suit)) for suit in SUITS}
    weight = int(rng.integers(-3, 6))
    hollow = rng.random() < HOLLOW
    drawn = {
        suit: _finished(bent(rng, mask), weight, hollow=hollow)
        for suit, mask in masks.items()
    }
    if rng.random() < SHADED:
        shading = _draw_shading(rng)
        return {suit: _shaded(mask, shading) for suit, mask in drawn.items()}
    return drawn


def _of_a_font(
    rng: np.random.Generator, fonts: Sequence[str]
) -> dict[str, Mask] | None:
    """Return the suits of a font, or `None` if the first that is tried has none."""
    if not fonts:
        return None
    path = one_of(rng, fonts)
    weight = int(rng.choice([400, 600, 800]))
    masks = {suit: letters(glyph, path, weight) for suit, glyph in GLYPHS.items()}
    if any(mask.size < 400 for mask in masks.values()):
        return None
    return masks


def _shape(rng: np.random.Generator, suit: str) -> list[Points]:
    if suit == "d":
        return [_diamond(rng.uniform(0.5, 1.0), rng.uniform(-0.03, 0.14))]
    if suit == "h":
        return [_heart(rng)] if rng.random() < 0.5 else _lobed_heart(rng)
    if suit == "s":
        parts = [_heart(rng)] if rng.random() < 0.6 else _lobed_heart(rng)
        height = rng.uniform(0.72, 0.92)
        turned = [part * [1, -height] - [0, 1 - height] for part in parts]
        return [*turned, _foot(rng)]
    leaves = _pointed_leaves if rng.random() < POINTED else _clover
    return [*leaves(rng), _foot(rng)]


def _diamond(width: float, hollow: float) -> Points:
    corners = np.array([[0, -1], [width, 0], [0, 1], [-width, 0]], float)
    points: list[Points] = []
    for start, end in zip(corners, np.roll(corners, -1, 0), strict=True):
        t = np.linspace(0, 1, 12, endpoint=False)[:, None]
        points.append((start * (1 - t) + end * t) * (1 - hollow * 4 * t * (1 - t)))
    return np.vstack(points)


def _heart(rng: np.random.Generator) -> Points:
    """Return a heart as one curve."""
    width, dip = rng.uniform(0.75, 1.0), rng.uniform(0.15, 0.5)
    t = np.linspace(0, 2 * math.pi, 72, endpoint=False)
    x = width * np.sin(t) ** 3
    y = -(0.8125 * np.cos(t) - 0.3125 * np.cos(2 * t) - 0.125 * np.cos(3 * t))
    y = y + 0.1 - dip * 0.25 * np.cos(t) * np.exp(-6 * x * x)
    return np.column_stack([x, y])


def _lobed_heart(rng: np.random.Generator) -> list[Points]:
    """Return a heart as two lobes and what runs from them to the point."""
    radius = rng.uniform(0.38, 0.56)
    apart = rng.uniform(0.8, 1.0) * radius
    low = -1 + radius
    waist = rng.uniform(-0.35, 0.35) if rng.random() < 0.7 else rng.uniform(0.35, 1)
    sides = []
    for side in (-1, 1):
        start = np.array([side * (apart + radius * 0.93), low + radius * 0.38])
        middle = np.array([side * 0.5 * (1 - waist), 0.25 + 0.3 * waist])
        t = np.linspace(0, 1, 14)[:, None]
        end = np.array([0.0, 1.0])
        sides.append(start * (1 - t) ** 2 + middle * 2 * t * (1 - t) + end * t**2)
    body = np.vstack([sides[0], sides[1][::-1], [[0, low]]])
    return [_circle(-apart, low, radius), _circle(apart, low, radius), body]


def _clover(rng: np.random.Generator) -> list[Points]:
    """Return three lobes and what joins them."""
    radius = rng.uniform(0.3, 0.52)
    top = radius * rng.uniform(0.5, 1.15)  # a small one makes it like a spade
    apart = rng.uniform(0.6, 1.3) * radius
    low = rng.uniform(-0.1, 0.35)
    squash = rng.uniform(0.8, 1.2)
    lobes = [
        _circle(0, -1 + top, top, squash),
        _circle(-apart, low, radius, squash),
        _circle(apart, low, radius, squash),
    ]
    w = rng.uniform(0.12, 0.26)
    middle = np.array([[-w, -0.5], [w, -0.5], [w + 0.06, low], [-w - 0.06, low]])
    return [*lobes, middle]


def _pointed_leaves(rng: np.random.Generator) -> list[Points]:
    """Return three leaves that end in points, and what joins them: a shape that is
    near a spade's."""
    radius, out = rng.uniform(0.24, 0.36), rng.uniform(0.9, 1.5)
    reach, hollow = rng.uniform(1.2, 2.0), rng.uniform(0.0, 0.9)
    upper = rng.uniform(0.8, 1.25)
    aside = math.radians(rng.uniform(-25, 30))
    parts = [_circle(0, 0, radius * rng.uniform(0.4, 1.0))]
    for angle, size in (
        (-math.pi / 2, upper),
        (aside, 1.0),
        (math.pi - aside, 1.0),
    ):
        along = np.array([math.cos(angle), math.sin(angle)])
        turn = size * radius * np.array([along, [-along[1], along[0]]])
        leaf = (_ogive(reach, hollow), _circle(0, 0, 1), _stalk(out))
        parts += [(part + np.array([out, 0.0])) @ turn for part in leaf]
    low, high = np.vstack(parts).min(0), np.vstack(parts).max(0)
    across = max(high[0], rng.uniform(0.7, 1.0))
    tall = rng.uniform(1.2, 1.6)
    return [
        (part - [0, low[1]]) / [across, (high[1] - low[1]) / tall] - [0, 1]
        for part in parts
    ]


def _ogive(reach: float, hollow: float) -> Points:
    """Return a pointed arch along x, from a unit circle's sides to `reach`: its sides
    bulge as the circle does, or are straight where `hollow` is 1."""
    t = np.linspace(0, 1, 12)[:, None]
    start, end = np.array([0.0, 1.0]), np.array([reach, 0.0])
    bulge = (1 - hollow) * np.array([reach * 0.75, 1.0]) + hollow * (start + end) / 2
    side = start * (1 - t) ** 2 + bulge * 2 * t * (1 - t) + end * t**2
    return np.vstack([side, side[::-1] * [1, -1]])


def _stalk(out: float) -> Points:
    """Return what joins a leaf, whose middle lies at (0, 0), to the middle of all."""
    return np.array([[0, -0.6], [-out, -0.3], [-out, 0.3], [0, 0.6]])


def _foot(rng: np.random.Generator) -> Points:
    """Return the stem: a flare, a bar, a triangle, or hardly one."""
    slim, wide = rng.uniform(0.03, 0.12), rng.uniform(0.12, 0.6)
    bend = rng.uniform(1.0, 4.0)
    end = rng.uniform(0.8, 1.0)
    t = np.linspace(0, 1, 10)
    left = np.column_stack([-slim - (wide - slim) * t**bend, 0.1 + (end - 0.1) * t])
    if rng.random() < 0.12:
        left[:, 0] = -slim
    return np.vstack([left, left[::-1] * [-1, 1]])


def _circle(x: float, y: float, radius: float, squash: float = 1.0) -> Points:
    t = np.linspace(0, 2 * math.pi, 40, endpoint=False)
    return np.column_stack(
        [x + radius * np.cos(t) * squash, y + radius * np.sin(t) / squash]
    )


def _filled(polygons: Sequence[Points]) -> Mask:
    size = SIZE_PX * 2
    mask = np.zeros((size, size), np.uint8)
    for polygon in polygons:
        points = np.clip(polygon, -1.1, 1.1) * size * 0.42 + size / 2
        cv2.fillPoly(mask, [points.round().astype(np.int32)], 255)
    small = cv2.resize(mask, (SIZE_PX, SIZE_PX), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def bent(rng: np.random.Generator, mask: Mask) -> Mask:
    """Return the mask with its widest part moved up or down and its sides bent, the
    same left and right."""
    edge = mask.shape[1] // 4
    mask = np.pad(mask, ((0, 0), (edge, edge)))
    h, w = mask.shape
    y = np.linspace(-1, 1, h)
    rows = np.sign(y) * np.abs(y) ** np.exp(rng.normal(0, 0.12))
    rows = np.clip(rows + rng.normal(0, 0.06) * (1 - y**2), -1, 1)
    scale = 1 + rng.normal(0, 0.1) * y + rng.normal(0, 0.1) * (1 - 2 * y**2)
    across = np.linspace(-1, 1, w)[None, :] * np.clip(scale, 0.7, 1.5)[:, None]
    map_x = ((across + 1) / 2 * (w - 1)).astype(np.float32)
    map_y = np.repeat((rows + 1)[:, None] / 2 * (h - 1), w, 1).astype(np.float32)
    return np.asarray(cv2.remap(mask, map_x, map_y, cv2.INTER_LINEAR), np.uint8)


def _finished(mask: Mask, weight: int, *, hollow: bool) -> Mask:
    """Return the mask fatter or leaner, trimmed."""
    mask = thickened(mask, weight)
    if hollow:
        line = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (13, 13))
        inside = cv2.erode(np.pad(mask, 1), line)[1:-1, 1:-1]
        mask = np.asarray(cv2.subtract(mask, inside), np.uint8)
    return mask


def thickened(mask: Mask, by_px: int) -> Mask:
    """Return the mask grown by so many px on all sides, shrunk below 0, trimmed; as it
    is if nothing of it would be left."""
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(by_px) + 1,) * 2)
    change = cv2.dilate if by_px > 0 else cv2.erode
    changed = np.asarray(change(np.pad(mask, 8), around), np.uint8)
    rows, columns = np.flatnonzero(changed.any(1)), np.flatnonzero(changed.any(0))
    if not len(rows):
        return mask
    return changed[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


@dataclass(frozen=True, slots=True)
class _Shading:
    """How much lighter a symbol is towards an end (the upper one above 0) and towards
    its rim, and a light line inside the rim: how far from it, px, none at 0, how wide,
    down to which share of the height, and the ink that is left on it."""

    downwards: float
    outwards: float
    line_px: int
    line_until: float
    line_wide_px: float
    line_ink: float


def _draw_shading(rng: np.random.Generator) -> _Shading:
    downwards = float(rng.uniform(-1, 1))
    outwards = float(rng.uniform(0, 1)) if rng.random() < 0.5 else 0.0
    line = int(rng.integers(0, 9))
    until = 1.0 if rng.random() < 0.5 else float(rng.uniform(0.2, 0.8))
    wide, ink = float(rng.uniform(1.5, 5)), float(rng.uniform(0, LIGHTEST))
    return _Shading(downwards, outwards, line, until, wide, ink)


def _shaded(mask: Mask, shading: _Shading) -> Mask:
    """Return the mask with less ink where the shading says."""
    y = np.linspace(0, 1, len(mask))[:, None]
    x = np.linspace(-1, 1, mask.shape[1])[None]
    fall = 1 - y if shading.downwards > 0 else y
    away = np.clip(np.hypot(x, 2 * y - 1), 0, 1) ** 2
    lighter = np.maximum(abs(shading.downwards) * fall, shading.outwards * away)
    ink = 1 - (1 - LIGHTEST) * lighter
    if shading.line_px:
        depth = cv2.distanceTransform(np.pad(mask, 1), cv2.DIST_L2, 5)[1:-1, 1:-1]
        on_line = np.abs(depth - shading.line_px - 2) < shading.line_wide_px
        ink[on_line & (y <= shading.line_until)] *= shading.line_ink
    return np.asarray(mask * ink, np.uint8)
