"""Photos as other cameras, and other hands, would have taken them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from companion.sight import Sight
from vision.images import read_image
from vision.types import Array, Bgr, Observation

Change = Callable[[Bgr], Bgr]


def coloured(blue: float, green: float, red: float, bgr: Bgr) -> Bgr:
    """Return the picture in light of another colour."""
    return np.asarray(np.clip(bgr * [blue, green, red], 0, 255), np.uint8)


def grey(bgr: Bgr) -> Bgr:
    """Return the picture as a camera sees it at night: without colour."""
    return np.repeat(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)[..., None], 3, 2)


def dark(bgr: Bgr) -> Bgr:
    """Return the picture a stop darker, its shadows deeper."""
    return np.asarray(255 * (bgr / 255.0) ** 1.8 * 0.5, np.uint8)


def noisy(bgr: Bgr) -> Bgr:
    """Return the picture with noise of 18 grey levels."""
    noise = np.random.default_rng(0).normal(0, 18, bgr.shape)
    return np.asarray(np.clip(bgr + noise, 0, 255), np.uint8)


def smaller(share: float, bgr: Bgr) -> Bgr:
    """Return the picture at so much of its size."""
    small = cv2.resize(bgr, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def twice(bgr: Bgr) -> Bgr:
    """Return the picture at twice its size, with no more in it."""
    large = cv2.resize(bgr, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    return np.asarray(large, np.uint8)


def blurred(bgr: Bgr) -> Bgr:
    """Return the picture out of focus by a thousandth of its long side."""
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), max(bgr.shape) / 1000), np.uint8)


def packed(quality: int, bgr: Bgr) -> Bgr:
    """Return the picture as a JPEG of low quality shows it."""
    data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def overexposed(bgr: Bgr) -> Bgr:
    """Return the picture a stop brighter, what is too bright burnt out."""
    light = 2 * (bgr / 255.0) ** 2.2
    return np.asarray(255 * np.clip(light, 0, 1) ** (1 / 2.2), np.uint8)


def hazy(bgr: Bgr) -> Bgr:
    """Return the picture through a dirty lens against the light: less contrast."""
    return np.asarray(0.5 * bgr + 100, np.uint8)


def vignetted(bgr: Bgr) -> Bgr:
    """Return the picture with its corners three quarters darker."""
    y, x = (np.linspace(-1, 1, side) ** 2 / 2 for side in bgr.shape[:2])
    light = 1 - 0.75 * (y[:, None, None] + x[None, :, None])
    return np.asarray(bgr * light, np.uint8)


def rolled(angle_deg: float, bgr: Bgr) -> Bgr:
    """Return the picture from a camera held askew, all of it, on a plain ground."""
    angle = np.radians(angle_deg)
    cos, sin = np.cos(angle), np.sin(angle)
    return _warped(np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]), bgr)


def slanted(angle_deg: float, bgr: Bgr) -> Bgr:
    """Return the picture as if seen from lower, all of it, on a plain ground."""
    angle = np.radians(angle_deg)
    cos, sin = np.cos(angle), np.sin(angle)
    focal = 1.1 * max(bgr.shape)
    in_px = np.diag([focal, focal, 1])
    tilt = np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])
    return _warped(in_px @ tilt @ np.linalg.inv(in_px), bgr)


def _warped(matrix: Array, bgr: Bgr) -> Bgr:
    """Return all of a picture through a matrix of px from its middle, at its size."""
    height, width = bgr.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], float)
    centred = matrix @ np.column_stack([corners - corners.mean(0), np.ones(4)]).T
    there = (centred[:2] / centred[2]).T
    low, high = there.min(0), there.max(0)
    zoom = max(bgr.shape[:2]) / float((high - low).max())
    to_picture = np.array(
        [[zoom, 0, -zoom * low[0]], [0, zoom, -zoom * low[1]], [0, 0, 1]]
    )
    to_middle = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
    size = np.ceil(zoom * (high - low)).astype(int)
    warped = cv2.warpPerspective(
        bgr,
        to_picture @ matrix @ to_middle,
        (int(size[0]), int(size[1])),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=np.median(bgr[:: height - 1].reshape(-1, 3), axis=0).tolist(),
    )
    return np.asarray(warped, np.uint8)


CHANGES: Mapping[str, Change] = {
    "none": lambda bgr: bgr,
    "grey": grey,
    "mirrored": lambda bgr: np.ascontiguousarray(bgr[:, ::-1]),
    "turned": lambda bgr: np.rot90(bgr).copy(),
    "upside down": lambda bgr: np.rot90(bgr, 2).copy(),
    "dark": dark,
    "warm light": partial(coloured, 0.45, 0.8, 1.1),
    "cold light": partial(coloured, 1.2, 0.85, 0.55),
    "green light": partial(coloured, 0.8, 1.1, 0.75),
    "overexposed": overexposed,
    "haze": hazy,
    "vignette": vignetted,
    "noise": noisy,
    "blur": blurred,
    "half size": partial(smaller, 0.5),
    "third size": partial(smaller, 1 / 3),
    "twice the size": twice,
    "17 degrees": partial(rolled, 17.0),
    "from lower": partial(slanted, 20.0),
    "JPEG 25": partial(packed, 25),
}


def read_changed(sight: Sight, change: str, path: Path) -> Observation:
    """Return what is seen in a photo that was taken in another way, of `CHANGES`."""
    frame = read_image(path)
    return sight.look(replace(frame, bgr=CHANGES[change](frame.bgr))).observation
