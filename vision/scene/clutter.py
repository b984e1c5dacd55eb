"""Things on a table that are not cards: printed paper, screens, chips, hands."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike

from vision.scene.art import Face, premultiplied, rounded_mask
from vision.scene.chance import one_of
from vision.scene.ink import letters, stamp
from vision.scene.mosaic import mosaic
from vision.types import Array, Bgr, Kind


def draw_sheet(
    rng: np.random.Generator, fonts: Sequence[str], pictures: Sequence[Bgr]
) -> tuple[Face, float, float]:
    """Return a flat thing with print and its size in mm: (art, width, height).

    Newspapers, magazines, boxes, notes, screens, coasters, bank notes, keyboards.
    """
    match rng.integers(6):
        case 0 | 1:
            bgr, size = _printed_page(rng, fonts, pictures)
        case 2:
            bgr, size = _screen(rng)
        case 3:
            bgr, size = _note(rng)
        case 4:
            bgr, size = _box(rng, fonts, pictures)
        case _:
            bgr, size = _keyboard(rng)
    radius = float(rng.choice([0.0, 0.01, 0.06]))
    mask = rounded_mask(bgr.shape[1], bgr.shape[0], max(radius, 0.004))
    face = Face(Kind.CARD, None, premultiplied(np.dstack([bgr, mask])))
    return face, *size


def _canvas(width_mm: float, height_mm: float, colour: ArrayLike) -> Bgr:
    scale = 420 / max(width_mm, height_mm)
    shape = (max(60, round(height_mm * scale)), max(60, round(width_mm * scale)), 3)
    return np.full(shape, np.asarray(colour), np.uint8)


def _printed_page(
    rng: np.random.Generator, fonts: Sequence[str], pictures: Sequence[Bgr]
) -> tuple[Bgr, tuple[float, float]]:
    size = (float(rng.uniform(100, 300)), float(rng.uniform(120, 400)))
    bgr = _canvas(*size, colour=rng.uniform(170, 250, 3))
    h, w = bgr.shape[:2]
    y = int(h * 0.04)
    while y < h * 0.95:
        kind = rng.random()
        if kind < 0.25:
            word = "".join(rng.choice(list("AEIORSTNLDCUMPhKQJ2579 "), 9))
            glyph = letters(word, str(one_of(rng, fonts)), 700)
            tall = rng.uniform(0.03, 0.12) * h
            stamp(
                bgr,
                glyph,
                (w * 0.05, y, w * rng.uniform(0.4, 0.95), y + tall),
                rng.integers(0, 255, 3).tolist()
                if rng.random() < 0.3
                else (20, 20, 20),
            )
            y += int(tall * 1.4)
        elif kind < 0.45 and len(pictures):
            tall = int(rng.uniform(0.1, 0.4) * h)
            x0, x1 = sorted(rng.integers(0, w, 2).tolist())
            tall = min(tall, h - y)
            if x1 - x0 > 12 and tall > 12:
                art = one_of(rng, pictures)
                bgr[y : y + tall, x0:x1] = cv2.resize(art, (x1 - x0, tall))
            y += tall
        else:
            for _ in range(int(rng.integers(2, 10))):
                end = int(w * rng.uniform(0.7, 0.95))
                cv2.line(bgr, (int(w * 0.05), y), (end, y), (70, 70, 70), 1)
                y += max(4, h // 70)
    return bgr, size


def _screen(rng: np.random.Generator) -> tuple[Bgr, tuple[float, float]]:
    size = (float(rng.uniform(62, 80)), float(rng.uniform(130, 165)))
    if rng.random() < 0.3:
        size = (float(rng.uniform(150, 300)), float(rng.uniform(110, 200)))
    bgr = _canvas(*size, colour=rng.uniform(0, 50, 3))
    h, w = bgr.shape[:2]
    m = int(w * rng.uniform(0.02, 0.08))
    if rng.random() < 0.6:
        bgr[m * 2 : h - m * 2, m : w - m] = mosaic(
            rng, w - 2 * m, h - 4 * m, symmetric=False
        )
    return bgr, size


def _note(rng: np.random.Generator) -> tuple[Bgr, tuple[float, float]]:
    size = (float(rng.uniform(40, 160)), float(rng.uniform(40, 220)))
    bgr = _canvas(*size, colour=rng.uniform([150, 200, 200], [255, 255, 255]))
    h, w = bgr.shape[:2]
    for y in range(20, h - 10, int(rng.integers(18, 40))):
        if rng.random() < 0.7:
            xs = np.arange(15, int(w * rng.uniform(0.3, 0.95)), 3)
            ys = y + np.cumsum(rng.normal(0, 2, len(xs)))
            line = np.column_stack([xs, ys]).astype(np.int32)
            cv2.polylines(bgr, [line], isClosed=False, color=(120, 40, 30), thickness=2)
    return bgr, size


def _box(
    rng: np.random.Generator, fonts: Sequence[str], pictures: Sequence[Bgr]
) -> tuple[Bgr, tuple[float, float]]:
    size = (float(rng.uniform(30, 150)), float(rng.uniform(50, 200)))
    bgr = _canvas(*size, colour=rng.uniform(0, 255, 3))
    h, w = bgr.shape[:2]
    if len(pictures) and rng.random() < 0.5:
        art = cv2.resize(one_of(rng, pictures), (w, h // 2))
        bgr[h // 4 : h // 4 + h // 2] = art
    word = letters(
        "".join(rng.choice(list("ABCDEGHLMNOPRSTX"), 5)),
        str(one_of(rng, fonts)),
        800,
    )
    stamp(
        bgr,
        word,
        (w * 0.1, h * 0.05, w * 0.9, h * 0.2),
        rng.integers(0, 255, 3).tolist(),
    )
    return bgr, size


def _keyboard(rng: np.random.Generator) -> tuple[Bgr, tuple[float, float]]:
    size = (float(rng.uniform(120, 350)), float(rng.uniform(50, 130)))
    bgr = _canvas(*size, colour=rng.uniform(10, 90, 3))
    key = int(rng.integers(14, 30))
    shade = float(rng.uniform(0.5, 2.5))
    for y in range(4, bgr.shape[0] - key, key + 4):
        for x in range(4, bgr.shape[1] - key, key + 4):
            patch = bgr[y : y + key, x : x + key]
            patch[:] = np.clip(patch * shade + 10, 0, 255)
    return bgr, size


def draw_disc(rng: np.random.Generator) -> Face:
    """Return the face of a chip: plain, with edge spots, ring, number or picture."""
    size = 200
    colour = rng.integers(0, 255, 3)
    if rng.random() < 0.3:
        colour = np.full(3, rng.choice([20, 35, 225, 245]))
    bgr = np.full((size, size, 3), colour, np.uint8)
    centre, other = (size // 2, size // 2), rng.integers(0, 255, 3).tolist()
    style = rng.integers(4)
    if style == 1:
        spots = int(rng.integers(4, 10))
        for i in range(spots):
            at = math.tau * i / spots
            spot = (int(100 + 84 * math.cos(at)), int(100 + 84 * math.sin(at)))
            cv2.circle(bgr, spot, int(rng.integers(7, 17)), (240, 240, 240), -1)
        cv2.circle(bgr, centre, 64, other, int(rng.integers(1, 4)))
    elif style == 2:
        bgr[:] = mosaic(rng, size, size, symmetric=False)
        cv2.circle(bgr, centre, 92, other, int(rng.integers(4, 16)))
    elif style == 3:
        cv2.circle(bgr, centre, int(rng.integers(50, 85)), other, -1)
        glyph = letters(str(rng.integers(1, 100)), "sans", 700)
        stamp(bgr, glyph, (70, 70, 130, 130), rng.integers(0, 255, 3).tolist())
    mask = np.zeros((size, size), np.uint8)
    cv2.circle(mask, centre, size // 2 - 1, (255,), -1, cv2.LINE_AA)
    return Face(Kind.DISC, None, premultiplied(np.dstack([bgr, mask])))


def draw_hand(rng: np.random.Generator) -> tuple[list[Array], Array]:
    """Return a hand that reaches in along +y, and the colour of its skin (BGR).

    The hand is a list of (N, 2) polygons in mm around the palm's centre: forearm, palm,
    four fingers, thumb.
    """
    polygons = [_capsule((0, -260), (0, -50), 34, 42)]
    polygons.append(_capsule((-12, -35), (12, 20), 46, 40))
    spread = rng.uniform(0.5, 1.3)
    curl = rng.uniform(0.35, 1.0, 5)
    for i, (x, length) in enumerate(
        zip((-28, -9, 10, 28), (68, 80, 76, 60), strict=True)
    ):
        angle = math.radians(90 + (1.5 - i) * 9 * spread)
        reach = length * curl[i]
        end = (x + reach * math.cos(angle), 30 + reach * math.sin(angle))
        polygons.append(_capsule((x, 20), end, 11, 9))
    thumb = math.radians(90 + rng.uniform(25, 65))
    end = (-35 + 62 * math.cos(thumb), -15 + 62 * math.sin(thumb))
    polygons.append(_capsule((-32, -22), end, 14, 10))
    if rng.random() < 0.5:
        polygons = [p * [-1, 1] for p in polygons]
    tone = rng.uniform(0.25, 1.0)
    skin = np.array([120, 150, 205]) * tone + np.array([60, 60, 45]) * (1 - tone)
    return polygons, skin


def _capsule(
    start: tuple[float, float], end: tuple[float, float], wide: float, narrow: float
) -> Array:
    a, b = np.asarray(start, float), np.asarray(end, float)
    direction = math.atan2(b[1] - a[1], b[0] - a[0])
    first = np.linspace(direction + math.pi / 2, direction + 3 * math.pi / 2, 12)
    second = np.linspace(direction - math.pi / 2, direction + math.pi / 2, 12)
    around_a = a + wide * np.column_stack([np.cos(first), np.sin(first)])
    around_b = b + narrow * np.column_stack([np.cos(second), np.sin(second)])
    return np.vstack([around_a, around_b])
