"""What the table is made of: textures from files, wood, cloth, felt, printed mats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene.chance import one_of
from vision.scene.ink import letters, stamp
from vision.scene.mosaic import mosaic
from vision.types import Bgr

SIZE_PX = 512
Noise = NDArray[np.float32]


def load_textures(folder: Path, names: Sequence[str] | None = None) -> tuple[Bgr, ...]:
    """Return the pictures of `folder` (those in `names`, if given), smallest 64 px."""
    textures = []
    for path in sorted(folder.glob("*.jpg")):
        if names is None or path.name in names:
            bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if bgr is not None and min(bgr.shape[:2]) >= 48:
                textures.append(np.asarray(bgr, np.uint8))
    return tuple(textures)


def draw_ground(rng: np.random.Generator, textures: Sequence[Bgr] = ()) -> Bgr:
    """Return a (512, 512, 3) piece of table top that can be tiled by mirroring."""
    odds = np.array([0.45 if len(textures) else 0.0, 0.2, 0.12, 0.15, 0.12, 0.1])
    match rng.choice(6, p=odds / odds.sum()):
        case 0:
            ground = _tiled(rng, one_of(rng, textures))
        case 1:
            ground = wood(rng)
        case 2:
            ground = _plain(rng)
        case 3:
            ground = cloth(rng)
        case 4:
            ground = _carpet(rng)
        case _:
            ground = _mat(rng)
    return _tinted(rng, ground)


def fractal(rng: np.random.Generator, size: int, *, octaves: int = 5) -> Noise:
    """Return (size, size) smooth noise in [-1, 1]."""
    total = np.zeros((size, size), np.float32)
    for octave in range(octaves):
        cells = min(size, 2 ** (octave + 1))
        grid = rng.normal(0, 1, (cells, cells)).astype(np.float32)
        layer = cv2.resize(grid, (size, size), interpolation=cv2.INTER_CUBIC)
        total += np.asarray(layer, np.float32) / 1.7**octave
    peak = float(np.abs(total).max())
    return total / max(peak, 1e-6)


def _tiled(rng: np.random.Generator, texture: Bgr) -> Bgr:
    scale = rng.uniform(0.6, 2.5) * 200 / min(texture.shape[:2])
    size = (int(texture.shape[1] * scale) + 1, int(texture.shape[0] * scale) + 1)
    tile = np.asarray(cv2.resize(texture, size, interpolation=cv2.INTER_AREA))
    rows, columns = -(-SIZE_PX // tile.shape[0]), -(-SIZE_PX // tile.shape[1])
    return np.asarray(np.tile(tile, (rows, columns, 1))[:SIZE_PX, :SIZE_PX], np.uint8)


def wood(rng: np.random.Generator, colour: Sequence[float] | None = None) -> Bgr:
    """Return boards of wood; `colour` is BGR of the dark grain."""
    y, x = np.mgrid[0:SIZE_PX, 0:SIZE_PX].astype(np.float32)
    bend = fractal(rng, SIZE_PX, octaves=3) * rng.uniform(10, 60)
    rings = np.sin((y + bend + 0.05 * x) / rng.uniform(4, 18)) * rng.uniform(0.2, 1)
    grain = rng.normal(0, 1, (SIZE_PX, SIZE_PX)).astype(np.float32)
    grain = np.asarray(cv2.blur(grain, (61, 1)), np.float32) * 4
    value = 0.5 + 0.18 * rings + rng.uniform(0.05, 0.2) * grain
    dark = rng.uniform([10, 25, 40], [90, 130, 160])
    if colour is not None:
        dark = np.asarray(colour, float)
    light = np.clip(dark * rng.uniform(1.2, 2.0), 0, 245)
    wood = dark + (light - dark) * np.clip(value, 0, 1)[..., None]
    if rng.random() < 0.5:
        step = int(rng.uniform(70, 200))
        for seam in range(int(rng.integers(step)), SIZE_PX, step):
            wood[seam : seam + 2] *= 0.55
            wood[seam : seam + step] *= rng.uniform(0.85, 1.15)
    return np.asarray(np.clip(wood, 0, 255), np.uint8)


def _plain(rng: np.random.Generator) -> Bgr:
    colour = rng.uniform(5, 250, 3)
    if rng.random() < 0.5:
        colour[:] = colour[0]
    ground = colour + fractal(rng, SIZE_PX, octaves=3)[..., None] * rng.uniform(0, 14)
    grain = rng.normal(0, 1.5, (SIZE_PX, SIZE_PX, 1))
    return np.asarray(np.clip(ground + grain, 0, 255), np.uint8)


def cloth(rng: np.random.Generator, colour: Sequence[float] | None = None) -> Bgr:
    """Return woven cloth or felt; `colour` is BGR."""
    shade = rng.uniform(10, 200, 3)
    if rng.random() < 0.35:
        shade = rng.uniform([20, 60, 5], [80, 130, 60])  # card-table green
    if colour is not None:
        shade = np.asarray(colour, float)
    y, x = np.mgrid[0:SIZE_PX, 0:SIZE_PX]
    step = int(rng.integers(2, 6))
    weave = ((x % step == 0) * 1.0 + (y % step == 0) * 1.0) * rng.uniform(3, 25)
    noise = rng.normal(0, rng.uniform(2, 12), (SIZE_PX, SIZE_PX))
    folds = fractal(rng, SIZE_PX, octaves=3) * rng.uniform(0, 35)
    ground = shade + (weave + noise + folds)[..., None]
    if rng.random() < 0.25:
        period = rng.uniform(40, 140)
        stripe = (x % period < period * rng.uniform(0.1, 0.6))[..., None]
        ground = np.where(stripe, ground * 0.5 + rng.uniform(0, 120, 3), ground)
    return np.asarray(np.clip(ground, 0, 255), np.uint8)


def _carpet(rng: np.random.Generator) -> Bgr:
    coarse = rng.normal(0, 1, (SIZE_PX // 3, SIZE_PX // 3)).astype(np.float32)
    coarse = np.asarray(cv2.resize(coarse, (SIZE_PX, SIZE_PX)), np.float32)
    fine = rng.normal(0, 0.6, (SIZE_PX, SIZE_PX))
    colour = rng.uniform([40, 50, 60], [190, 200, 215])
    ground = colour + ((coarse + fine) * rng.uniform(10, 40))[..., None]
    return np.asarray(np.clip(ground, 0, 255), np.uint8)


def _mat(rng: np.random.Generator) -> Bgr:
    ground = mosaic(rng, SIZE_PX, SIZE_PX, symmetric=False)
    ground = np.asarray(cv2.GaussianBlur(ground, (0, 0), float(rng.uniform(1, 8))))
    line = rng.integers(0, 255, 3).tolist()
    for _ in range(int(rng.integers(2, 9))):  # printed fields, as on play mats
        x, y = rng.integers(0, SIZE_PX - 120, 2).tolist()
        width, height = rng.integers(60, 260, 2).tolist()
        corner = (x + width, y + height)
        cv2.rectangle(ground, (x, y), corner, line, int(rng.integers(1, 5)))
    for _ in range(int(rng.integers(0, 4))):
        centre = rng.integers(0, SIZE_PX, 2).tolist()
        cv2.circle(ground, centre, int(rng.integers(20, 90)), line, 2)
    if rng.random() < 0.5:
        word = letters("".join(rng.choice(list("ABDEGHKMNORSTU"), 6)), "sans", 700)
        x, y = rng.uniform(0, SIZE_PX - 220, 2)
        stamp(ground, word, (x, y, x + 200, y + 50), line)
    return np.asarray(ground, np.uint8)


def patterned(rng: np.random.Generator) -> Bgr:
    """Return cloth or paper printed with checks, plaid, dots, lozenges or triangles.

    Squares of chequered cloth pass for cards and its dots for discs, unless a detector
    has met them.
    """
    y, x = np.mgrid[0:SIZE_PX, 0:SIZE_PX].astype(np.float32)
    turn = rng.choice([0.0, np.pi / 4, rng.uniform(0, np.pi)], p=[0.5, 0.2, 0.3])
    step = float(np.exp(rng.uniform(np.log(14), np.log(110))))
    across = (x * np.cos(turn) + y * np.sin(turn)) / step
    along = (y * np.cos(turn) - x * np.sin(turn)) / (step * rng.uniform(0.7, 1.5))
    share = rng.uniform(0.2, 0.6)
    match rng.integers(5):
        case 0:
            ink = ((across // 1 + along // 1) % 2).astype(float)
        case 1:
            ink = ((across % 1 < share) + 0.0 + (along % 1 < share)) / 2
        case 2:
            shifted = across + 0.5 * (along // 1 % 2)
            ink = (np.hypot(shifted % 1 - 0.5, along % 1 - 0.5) < share * 0.7) + 0.0
        case 3:
            ink = (np.abs(across % 1 - 0.5) + np.abs(along % 1 - 0.5) < share) + 0.0
        case _:
            ink = (across % 1 + along % 1 < 1) + 0.0
    paper, print_ = rng.uniform(0, 255, (2, 3))
    if rng.random() < 0.6:
        paper = rng.uniform(190, 250) + rng.normal(0, 6, 3)
    folds = fractal(rng, SIZE_PX, octaves=3)[..., None] * rng.uniform(0, 20)
    grain = rng.normal(0, rng.uniform(1, 6), (SIZE_PX, SIZE_PX, 1))
    ground = paper + ink[..., None] * (print_ - paper) + folds + grain
    return np.asarray(np.clip(ground, 0, 255), np.uint8)


def _tinted(rng: np.random.Generator, ground: Bgr) -> Bgr:
    if rng.random() < 0.5:
        return ground
    gain, offset = rng.uniform(0.5, 1.3, 3), rng.uniform(-30, 40)
    return np.clip(ground * gain + offset, 0, 255).astype(np.uint8)
