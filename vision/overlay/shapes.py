"""The outlines of things, and what they say about how sure a reading is."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.overlay.pen import (
    BACK,
    FINE,
    INK,
    PAPER,
    SURE,
    UNKNOWN,
    UNSURE,
    Colour,
    fixed,
    polyline,
)
from vision.types import Array, Bgr, Kind, Placement

SURE_PROBABILITY = 0.9
"""A name that is less likely than this is drawn as unsure."""
DIMMED = 0.72
"""Brightness of what is no card."""
SUITS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
LONGEST_TEXT = 20
MANY = 20
"""Of more shapes than this the lines get thinner."""

_STANDARD = re.compile(r"(10|[2-9AJQK])([shdc])")


@dataclass(frozen=True, slots=True)
class Style:
    """How an outline is drawn."""

    colour: Colour
    dash: tuple[float, float] | None
    """Lengths of dash and gap, in line widths; `None` is a full line."""
    width: float = 1.0


SURE_STYLE = Style(SURE, None)
UNSURE_STYLE = Style(UNSURE, (4.5, 3.0))
UNKNOWN_STYLE = Style(UNKNOWN, (0.6, 2.4), 1.2)
BACK_STYLE = Style(BACK, None, 0.7)
HAND_STYLE = Style(PAPER, (0.6, 3.4), 0.8)


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One placement, ready to draw."""

    placement: Placement
    style: Style
    path: Array
    """(N, 2) the closed outline, in px of the drawing."""
    text: str


def shape(
    placement: Placement, scale: float, labels: Mapping[str, str], *, doubtful: bool
) -> Shape:
    """Return a placement's outline, text and style, at the scale of the drawing."""
    # Pixel centres are at integers, and stay there when the picture shrinks.
    quad = (np.array(placement.quad_px) + 0.5) * scale - 0.5
    path = ellipse_in(quad) if placement.kind is Kind.DISC else _rounded(quad)
    style = _style(placement, doubtful=doubtful)
    return Shape(placement, style, path, _text(placement, style, labels))


def _style(placement: Placement, *, doubtful: bool) -> Style:
    identity = placement.identity
    if placement.kind is Kind.HAND:
        return HAND_STYLE
    if placement.kind is Kind.BACK:
        return BACK_STYLE
    if identity.label is None:
        return SURE_STYLE if placement.kind is Kind.DISC else UNKNOWN_STYLE
    best = identity.candidates[0][1] if identity.candidates else 1.0
    return UNSURE_STYLE if doubtful or best < SURE_PROBABILITY else SURE_STYLE


def _text(placement: Placement, style: Style, labels: Mapping[str, str]) -> str:
    label = placement.identity.label
    if label is None:
        return "?" if style is UNKNOWN_STYLE else ""
    text = labels.get(label)
    if text is None:
        standard = _STANDARD.fullmatch(label)
        text = standard[1] + SUITS[standard[2]] if standard else label
    if len(text) > LONGEST_TEXT:
        text = text[: LONGEST_TEXT - 1].rstrip() + "…"
    return text + " ?" if style is UNSURE_STYLE else text


def _rounded(quad: Array) -> Array:
    """Return the outline of a card: the quad with its corners cut round."""
    following = np.roll(quad, -1, axis=0) - quad
    length = np.linalg.norm(following, axis=1)
    radius = 0.055 * min(length.max(), 1.4 * length.min())
    before, after = np.roll(quad, 1, axis=0) - quad, following
    points = []
    for corner, one, other in zip(quad, before, after, strict=True):
        start = corner + one * radius / max(float(np.linalg.norm(one)), 1e-6)
        end = corner + other * radius / max(float(np.linalg.norm(other)), 1e-6)
        for t in np.linspace(0, 1, 5):
            points.append((1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * end)
    return np.array(points)


def ellipse_in(quad: Array) -> Array:
    """Return the (64, 2) ellipse that touches the sides of a (4, 2) quad."""
    centre = quad.mean(axis=0)
    right, down = (quad[1] + quad[2]) / 2 - centre, (quad[2] + quad[3]) / 2 - centre
    angles = np.linspace(0, 2 * math.pi, 64, endpoint=False)[:, None]
    ellipse: Array = centre + np.cos(angles) * right + np.sin(angles) * down
    return ellipse


def line_width(shapes: Sequence[Shape], size: tuple[int, int]) -> float:
    """Return the width of lines: finer for small cards, and for many."""
    usual = 0.0021 * max(size)
    sides = [short_side(shape.path) for shape in shapes]
    if sides:
        usual = min(usual, 0.025 * float(np.median(sides)))
        usual *= min(1.0, math.sqrt(MANY / len(sides)))
    return max(1.0, usual)


def draw_outlines(picture: Bgr, shapes: Sequence[Shape], line_px: float) -> Bgr:
    """Return the picture dimmed, the shapes bright, those on top over those below."""
    dimmed = cv2.convertScaleAbs(picture, alpha=DIMMED if shapes else 1.0)
    canvas: Bgr = np.ascontiguousarray(dimmed, np.uint8)
    for shape in shapes:
        if shape.style is not HAND_STYLE:
            _light_up(canvas, picture, shape.path)
        width = line_px * shape.style.width
        strokes = _strokes(shape.path, shape.style.dash, width)
        for colour, thick in ((INK, 2.2 * width), (shape.style.colour, width)):
            for stroke in strokes:
                polyline(canvas, stroke, colour, thick)
    return canvas


def _light_up(canvas: Bgr, picture: Bgr, path: Array) -> None:
    """Show the picture itself within the path, and none of the lines drawn before."""
    height, width = picture.shape[:2]
    left, top = np.maximum(np.floor(path.min(axis=0)).astype(int) - 1, 0)
    right, bottom = np.ceil(path.max(axis=0)).astype(int) + 2
    right, bottom = min(int(right), width), min(int(bottom), height)
    if right <= left or bottom <= top:
        return
    mask = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillPoly(mask, [fixed(path - (left, top))], 1, cv2.LINE_8, FINE)
    within = mask.astype(bool)
    canvas[top:bottom, left:right][within] = picture[top:bottom, left:right][within]


def _strokes(
    path: Array, dash: tuple[float, float] | None, width: float
) -> list[Array]:
    """Return the closed path, or its dashes."""
    closed = np.vstack([path, path[:1]])
    if dash is None:
        return [closed]
    along = np.concatenate(
        [[0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))]
    )
    period = sum(dash) * width
    # Whole periods, so that the pattern closes.
    count = max(1, round(along[-1] / period))
    starts = np.arange(count) * along[-1] / count
    strokes = []
    for start in starts:
        end = start + along[-1] / count * dash[0] / sum(dash)
        inner = along[(along > start) & (along < end)]
        at = np.array([start, *inner, end])
        strokes.append(
            np.column_stack([np.interp(at, along, closed[:, axis]) for axis in (0, 1)])
        )
    return strokes


def short_side(path: Array) -> float:
    """Return the shorter side of the smallest rectangle around a path."""
    (_, sides, _) = cv2.minAreaRect(path.astype(np.float32))
    return float(min(sides))
