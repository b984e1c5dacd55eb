"""What lens, sensor and file format do to a picture of linear light."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Bgr

Light = NDArray[np.float32]
"""(H, W, 3) BGR, linear, 1 = white paper in full light."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """How a picture is taken; the defaults are a perfect camera."""

    gain: float = 1.0
    defocus_px: float = 0.0
    """Sigma of the lens's blur."""
    motion_px: float = 0.0
    """Length of the smear."""
    motion_deg: float = 0.0
    vignetting: float = 0.0
    """Share of light that is lost in the corners."""
    full_well: float = 0.0
    """Electrons at white; their number varies as its root. 0 = no shot noise."""
    read_noise: float = 0.0
    """Sigma of what the electronics add, as a share of white."""
    demosaic: bool = False
    """One colour per pixel, the others filled in from its neighbours."""
    linear: bool = False
    """Whether values are proportional to light; else they are sRGB."""
    sharpen: float = 0.0
    jpeg: int = 0
    """Quality of the JPEG file, 0 = none."""


def take(light: Light, sensor: Sensor, rng: np.random.Generator) -> Bgr:
    """Return the (H, W, 3) picture that the sensor makes of the light."""
    seen = light * np.float32(sensor.gain)
    if sensor.vignetting:
        seen = seen * _falloff(seen.shape, sensor.vignetting)[..., None]
    if sensor.defocus_px:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), sensor.defocus_px))
    if sensor.motion_px:
        seen = np.asarray(cv2.filter2D(seen, -1, smear(sensor)), np.float32)
    if sensor.full_well or sensor.read_noise:
        variance = np.full(seen.shape, sensor.read_noise**2, np.float32)
        if sensor.full_well:
            variance += np.clip(seen, 0, None) / np.float32(sensor.full_well)
        seen = seen + rng.standard_normal(seen.shape, np.float32) * np.sqrt(variance)
    if sensor.demosaic:
        seen = _demosaiced(seen)
    levels = 255 * (np.clip(seen, 0, 1) if sensor.linear else srgb(seen))
    if sensor.sharpen:
        soft = np.asarray(cv2.GaussianBlur(levels, (0, 0), 1.0))
        levels = levels + (levels - soft) * np.float32(sensor.sharpen)
    picture = np.clip(np.round(levels), 0, 255).astype(np.uint8)
    if sensor.jpeg:
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, sensor.jpeg])
        picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return np.asarray(picture, np.uint8)


def srgb(light: Light) -> Light:
    """Return the sRGB values in [0, 1] of linear light (IEC 61966-2-1)."""
    bounded = np.clip(light, 0, 1)
    bright = np.float32(1.055) * bounded ** np.float32(1 / 2.4) - np.float32(0.055)
    return np.where(bounded <= 0.0031308, bounded * np.float32(12.92), bright)


def smear(sensor: Sensor) -> NDArray[np.float32]:
    """Return the kernel of a straight motion, exact to a fraction of a pixel."""
    half = math.ceil(sensor.motion_px / 2) + 1
    kernel = np.zeros((2 * half + 1, 2 * half + 1), np.float32)
    turn = math.radians(sensor.motion_deg)
    steps = (np.arange(64) + 0.5) / 64 - 0.5
    for step in steps * sensor.motion_px:
        x, y = half + step * math.cos(turn), half + step * math.sin(turn)
        x0, y0 = int(x), int(y)
        fx, fy = x - x0, y - y0
        kernel[y0, x0] += (1 - fx) * (1 - fy)
        kernel[y0, x0 + 1] += fx * (1 - fy)
        kernel[y0 + 1, x0] += (1 - fx) * fy
        kernel[y0 + 1, x0 + 1] += fx * fy
    return np.asarray(kernel / kernel.sum(), np.float32)


def _falloff(shape: tuple[int, ...], strength: float) -> NDArray[np.float32]:
    h, w = shape[:2]
    y = (np.arange(h, dtype=np.float32) - (h - 1) / 2)[:, None]
    x = (np.arange(w, dtype=np.float32) - (w - 1) / 2)[None, :]
    r2 = (x * x + y * y) / np.float32((w * w + h * h) / 4)
    return np.asarray(1 - np.float32(strength) * r2, np.float32)


def _demosaiced(seen: Light) -> Light:
    raw = np.empty(seen.shape[:2], np.float32)
    raw[0::2, 0::2] = seen[0::2, 0::2, 2]
    raw[0::2, 1::2] = seen[0::2, 1::2, 1]
    raw[1::2, 0::2] = seen[1::2, 0::2, 1]
    raw[1::2, 1::2] = seen[1::2, 1::2, 0]
    codes = np.clip(raw * 40000 + 4000, 0, 65535).astype(np.uint16)
    # Red stands at the top left; OpenCV names patterns by the second row and column.
    filled = cv2.demosaicing(codes, cv2.COLOR_BayerBG2BGR)
    return np.asarray((filled.astype(np.float32) - 4000) / 40000, np.float32)
