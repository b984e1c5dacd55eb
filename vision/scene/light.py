"""What light, lens and sensor do to a picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Bgr

Canvas = NDArray[np.float32]
"""(H, W, 3) BGR in [0, 255], linear enough for our purpose."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """How hard the picture is, each in its own unit; zeros are a studio."""

    shading: float = 0.0
    """Relative fall-off of light over the picture."""
    hard_shadow: float = 0.0
    """Darkness of a shadow edge across the table, in [0, 1]."""
    cast: tuple[float, float, float] = (1.0, 1.0, 1.0)
    gain: float = 1.0
    gamma: float = 1.0
    glare: float = 0.0
    """Strength of reflections on glossy things."""
    blur_px: float = 0.0
    motion_px: float = 0.0
    noise: float = 0.0
    """Sensor noise in grey levels at mid grey."""
    sharpen: float = 0.0


def draw_conditions(rng: np.random.Generator, hardness: float = 1.0) -> Conditions:
    """Return random conditions; `hardness` 0 is a studio, 1 the tables of people."""

    def often(chance: float, low: float, high: float) -> float:
        on = rng.random() < chance * min(hardness, 1.0)
        return float(rng.uniform(low, high)) if on else 0.0

    warm = float(rng.normal(0, 0.13 * hardness))
    tint = float(rng.normal(0, 0.05 * hardness))
    return Conditions(
        shading=often(0.7, 0.0, 0.7),
        hard_shadow=often(0.3, 0.15, 0.75),
        cast=(1 - warm, 1 + tint, 1 + warm),
        gain=float(np.exp(rng.normal(0, 0.25 * hardness))),
        gamma=float(np.exp(rng.normal(0, 0.18 * hardness))),
        glare=often(0.35, 0.2, 1.0),
        blur_px=often(0.75, 0.2, 1.3),
        motion_px=often(0.15, 1.0, 4.5),
        noise=often(0.8, 0.5, 9.0),
        sharpen=often(0.3, 0.2, 1.2),
    )


def shade(canvas: Canvas, conditions: Conditions, rng: np.random.Generator) -> Canvas:
    """Return the scene in this light: fall-off, hard shadow, colour, exposure."""
    h, w = canvas.shape[:2]
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    light = np.ones((h, w), np.float32)
    if conditions.shading:
        cx, cy = rng.uniform(-0.3, 1.3, 2) * [w, h]
        far = np.hypot(x - cx, y - cy) / (0.8 * max(w, h))
        light *= 1 - conditions.shading * np.clip(far, 0, 1) ** 1.5
    if conditions.hard_shadow:
        angle, offset = rng.uniform(0, 2 * np.pi), rng.uniform(-0.4, 0.4) * max(w, h)
        signed = (x - w / 2) * np.cos(angle) + (y - h / 2) * np.sin(angle) - offset
        soft = rng.uniform(0.8, 0.08 * w)
        inside = 1 / (1 + np.exp(-np.clip(signed / soft, -30, 30)))
        if rng.random() < 0.4:  # a bar, such as an arm or a window frame throws
            width = rng.uniform(0.05, 0.4) * w
            inside *= 1 / (1 + np.exp(np.clip((signed - width) / soft, -30, 30)))
        light *= 1 - conditions.hard_shadow * inside.astype(np.float32)
    gains = np.asarray(conditions.cast, np.float32) * conditions.gain
    lit = canvas * light[..., None] * gains
    lit = 255 * np.power(np.clip(lit, 0, 255) / 255, conditions.gamma)
    return np.asarray(lit, np.float32)


def reflect(
    canvas: Canvas, glossy: NDArray[np.bool_], strength: float, rng: np.random.Generator
) -> Canvas:
    """Return the picture with bright reflections on the `glossy` (H, W) pixels."""
    if not strength:
        return canvas
    h, w = canvas.shape[:2]
    glare = np.zeros((h, w), np.float32)
    for _ in range(int(rng.integers(1, 5))):
        centre = (rng.uniform(0, 1, 2) * [w, h]).astype(int).tolist()
        axes = (rng.uniform(0.02, 0.25, 2) * w).astype(int).tolist()
        angle = float(rng.uniform(0, 180))
        cv2.ellipse(glare, centre, axes, angle, 0, 360, (1.0,), -1)
    glare = np.asarray(cv2.GaussianBlur(glare, (0, 0), float(rng.uniform(1.5, 14))))
    shine = glare * (0.25 + 0.75 * glossy) * strength * 230
    return np.asarray(canvas + shine[..., None], np.float32)


def expose(canvas: Canvas, conditions: Conditions, rng: np.random.Generator) -> Bgr:
    """Return the 8 bit picture after lens blur, motion, noise and sharpening."""
    if conditions.blur_px:
        canvas = np.asarray(cv2.GaussianBlur(canvas, (0, 0), conditions.blur_px))
    if conditions.motion_px:
        canvas = np.asarray(cv2.filter2D(canvas, -1, _motion(conditions, rng)))
    if conditions.noise:
        canvas = np.clip(canvas, 0, 255)
        level = np.sqrt(0.3 + 1.4 * canvas / 255) * conditions.noise
        grain: Canvas = rng.standard_normal(canvas.shape, np.float32)
        if rng.random() < 0.5:  # demosaicing spreads the noise
            grain = cv2.GaussianBlur(grain * 1.6, (0, 0), 0.7).astype(np.float32)
        canvas = np.asarray(canvas + grain * level, np.float32)
    if conditions.sharpen:
        soft = np.asarray(cv2.GaussianBlur(canvas, (0, 0), 1.2))
        canvas = canvas + (canvas - soft) * conditions.sharpen
    return np.clip(canvas, 0, 255).astype(np.uint8)


def _motion(conditions: Conditions, rng: np.random.Generator) -> Canvas:
    size = int(conditions.motion_px) | 1
    size = max(3, size + 2)
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, np.pi)
    reach = conditions.motion_px / 2
    middle = size // 2
    step = np.array([np.cos(angle), np.sin(angle)]) * reach
    start, end = (middle - step).round(), (middle + step).round()
    cv2.line(kernel, start.astype(int).tolist(), end.astype(int).tolist(), (1.0,), 1)
    return np.asarray(kernel / kernel.sum(), np.float32)
