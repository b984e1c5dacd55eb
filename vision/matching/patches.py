"""Straightened cards in three sizes, and the features by which they are compared.

Card space is [-1, 1] x [-1, 1], y down: where a point lies on the card, whatever its
size. A patch shows a card with a margin around it, since its corners may be off.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Array, Bgr

Plane = NDArray[np.float32]
"""(H, W) or (H, W, C)."""

Mask = NDArray[np.uint8]
"""(H, W), 0 where something cannot be seen."""

SIZES_PX = ((32, 44), (64, 88), (128, 176))
"""Width and height of a card: in the first it is found, in the second compared, in the
third looked at again where that leaves a doubt."""
MARGINS_PX = ((5, 7), (10, 14), (20, 28))
ALIGNED = (0, 1)
"""The sizes in which cards are laid straight."""
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
BURNT, BURNT_WEIGHT = 250, 0.15
"""From this on in all colours a pixel is glare, or paper: it says little."""
PAPER_WEIGHT = 0.5
"""In the pictures of the gallery it is rather paper."""
RING, RING_WEIGHT = 0.05, 0.1
"""The outermost share of a card, where it may be cut too wide or too narrow."""
LIGHT = 0.93
"""Share of white to which the lightest part of a card is brought."""
LEAST_CONTRAST, LIMIT = 3.0, 3.0
WINDOW = 0.17
"""How far the surroundings of a pixel reach, in widths of the card."""


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A card in the picture, straightened, with its margin, in every size."""

    levels: tuple[Plane, ...]
    """(H, W, 4) blue, green, red and how much the pixel tells, smallest first; the
    largest only where it was asked for."""
    features: tuple[Plane, ...]
    """(H, W, 5) features of the first two sizes, margin and all: the card is laid
    straight on these, and compared on those of its own pixels."""
    image_from_card: Array
    """(3, 3) from card space to image px."""


def cut_patch(
    bgr: Bgr, quad_px: Array, visible: Mask | None = None, *, top: int = 1
) -> Patch:
    """Return the patch around a quad, in the sizes up to `top`; what the mask of the
    picture hides tells nothing."""
    image_from_card = homography(CORNERS, quad_px)
    image_from_patch = image_from_card @ np.linalg.inv(_patch_from_card(top))
    size = _patch_size(top)
    colours, inside = _warped(bgr, image_from_patch, size)
    weight = np.where(darkest(colours) >= BURNT, BURNT_WEIGHT, 1.0) * inside
    if visible is not None:
        flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
        weight *= cv2.warpPerspective(visible, image_from_patch, size, flags=flags) > 0
    levels = [np.dstack([colours, weight]).astype(np.float32)]
    for level in range(top - 1, -1, -1):
        half = cv2.resize(levels[0], _patch_size(level), interpolation=cv2.INTER_AREA)
        levels.insert(0, np.asarray(half, np.float32))
    planes = tuple(_with_margin(levels[level], level) for level in ALIGNED)
    return Patch(tuple(levels), planes, image_from_card)


def of_levels(levels: tuple[Plane, ...], patch: Patch) -> Patch:
    """Return the patch with other pixels, or with others that tell."""
    planes = tuple(_with_margin(levels[level], level) for level in ALIGNED)
    return Patch(levels, planes, patch.image_from_card)


def card_pixels(patch: Patch, level: int, card_from_card: Array) -> Plane:
    """Return the card's own (H, W, 4) pixels in one size, seen through a (3, 3) map
    from where they should be to where they are."""
    width, height = SIZES_PX[level]
    matrix = (
        _patch_from_card(level)
        @ card_from_card
        @ np.linalg.inv(pixel_from_card(level, (0, 0)))
    )
    warped = cv2.warpPerspective(
        patch.levels[level],
        matrix,
        (width, height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(0, 0, 0, 0),
    )
    return np.asarray(warped, np.float32)


def card_features(
    patch: Patch, level: int, cards_from_cards: Array, points: Array
) -> Plane:
    """Return the (B, N, 5) features of the patch at (N, 2) points of card space, seen
    through each of (B, 3, 3) maps; 0 beyond the patch."""
    return _sampled(
        patch.features[level], _patch_from_card(level), cards_from_cards, points
    )


def soft_features(patch: Patch, cards_from_cards: Array, points: Array) -> Plane:
    """Return the same of the smallest size, shrunk to half: (B, N, 5) features times
    how much each pixel tells, and that."""
    plane = patch.features[0]
    soft = plane * plane[..., 4:]
    soft[..., 4] = plane[..., 4]
    height, width = soft.shape[:2]
    small = cv2.resize(soft, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    half = np.asarray(small, np.float32)
    shrink = np.array([[0.5, 0, -0.25], [0, 0.5, -0.25], [0, 0, 1]])
    return _sampled(half, shrink @ _patch_from_card(0), cards_from_cards, points)


def _sampled(
    plane: Plane, plane_from_card: Array, cards_from_cards: Array, points: Array
) -> Plane:
    homogeneous = np.column_stack([points, np.ones(len(points))]).T
    lies = plane_from_card @ cards_from_cards @ homogeneous
    places = (lies[:, :2] / np.maximum(lies[:, 2:], 1e-3)).astype(np.float32)
    sampled = cv2.remap(
        plane,
        np.ascontiguousarray(places[:, 0]),
        np.ascontiguousarray(places[:, 1]),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(0, 0, 0, 0),
    )
    return np.asarray(sampled, np.float32)


@cache
def pixel_centres(width: int, height: int) -> Array:
    """Return the (N, 2) centres in card space of so many pixels, row by row."""
    x, y = (np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    return np.asarray(grid.reshape(-1, 2) * 2 - 1, float)


def picture_pixels(picture: Bgr, level: int) -> Plane:
    """Return a whole picture of a card as the card's pixels in one size."""
    small = np.asarray(
        cv2.resize(picture, SIZES_PX[level], interpolation=cv2.INTER_AREA), np.uint8
    )
    weight = np.where(darkest(small) >= BURNT, PAPER_WEIGHT, 1.0) * ring(level)
    return np.dstack([small, weight]).astype(np.float32)


def darkest(pixels: Plane | Bgr) -> Plane | Mask:
    """Return the darkest of the three colours of (H, W, 3 or 4) pixels. `min` along the
    last axis, so short, takes many times as long."""
    blue, green, red = (pixels[..., colour] for colour in range(3))
    return np.minimum(np.minimum(blue, green), red)


def features(pixels: Plane, *, card_px: int | None = None) -> Plane:
    """Return (H, W, 5) features of a card's pixels: print, two of colour, lightness,
    and how much each pixel tells.

    Print is lightness less that of its surroundings, in units of the contrast there
    (Jarrett et al. 2009): shadows and lamps leave it as it is. The brightest part of
    the card is brought to one lightness first. `card_px` is the width of the card where
    the pixels show more than it.
    """
    return _features(pixels, _brightest(pixels), card_px or pixels.shape[1])


def _features(pixels: Plane, top: float, card_px: int) -> Plane:
    weight = np.ascontiguousarray(pixels[..., 3])
    lit = np.minimum(pixels[..., :3] * np.float32(LIGHT / max(top, 25.0)), 1.0)
    lab = cv2.cvtColor(lit, cv2.COLOR_BGR2LAB)
    lightness = lab[..., 0]
    window = int(card_px * WINDOW) | 1
    near = _blurred(weight, window) + np.float32(1e-3)
    away = lightness - _blurred(lightness * weight, window) / near
    contrast = np.sqrt(np.maximum(_blurred(away * away * weight, window), 0) / near)
    found = np.empty((*weight.shape, 5), np.float32)
    found[..., 0] = np.clip(away / (contrast + LEAST_CONTRAST), -LIMIT, LIMIT)
    found[..., 1:3], found[..., 3], found[..., 4] = lab[..., 1:], lightness, weight
    return found


def _brightest(pixels: Plane) -> float:
    """Return the 95th percentile of the lightest colour where something is seen."""
    blue, green, red = (pixels[..., colour] for colour in range(3))
    light = np.maximum(np.maximum(blue, green), red)[pixels[..., 3] > 0.05]
    if not light.size:
        return 255.0
    at = 0.95 * (light.size - 1)
    low = int(at)
    high = min(low + 1, light.size - 1)
    parted = np.partition(light, (low, high))
    return float(parted[low] + (at - low) * (parted[high] - parted[low]))


def _with_margin(pixels: Plane, level: int) -> Plane:
    """Return the features of a patch, in the light of the card in its middle."""
    x, y = MARGINS_PX[level]
    height, width = pixels.shape[:2]
    top = _brightest(pixels[y : height - y, x : width - x])
    return _features(pixels, top, SIZES_PX[level][0])


def homography(from_points: Array, to_points: Array) -> Array:
    """Return the (3, 3) map that takes four points to four others."""
    matrix = cv2.getPerspectiveTransform(
        from_points.astype(np.float32), to_points.astype(np.float32)
    )
    return np.asarray(matrix, float)


def mapped(matrix: Array, points: Array) -> Array:
    """Return (N, 2) points through a (3, 3) map."""
    out = cv2.perspectiveTransform(points[None].astype(np.float64), matrix)
    return np.asarray(out[0], float)


def _blurred(plane: Plane, window: int) -> Plane:
    return np.asarray(
        cv2.blur(plane, (window, window), borderType=cv2.BORDER_REFLECT), np.float32
    )


@cache
def ring(level: int) -> Plane:
    """Return how much each pixel of a card tells, for where it lies; not to be
    changed."""
    width, height = SIZES_PX[level]
    x = np.abs((np.arange(width) + 0.5) / width * 2 - 1) < 1 - 2 * RING
    y = np.abs((np.arange(height) + 0.5) / height * 2 - 1) < 1 - 2 * RING
    return np.where(x[None] & y[:, None], 1.0, RING_WEIGHT).astype(np.float32)


def _patch_size(level: int) -> tuple[int, int]:
    (width, height), (x, y) = SIZES_PX[level], MARGINS_PX[level]
    return width + 2 * x, height + 2 * y


def pixel_from_card(level: int, margin_px: tuple[int, int]) -> Array:
    width, height = SIZES_PX[level]
    return np.array(
        [
            [width / 2, 0, width / 2 - 0.5 + margin_px[0]],
            [0, height / 2, height / 2 - 0.5 + margin_px[1]],
            [0, 0, 1],
        ]
    )


def _patch_from_card(level: int) -> Array:
    return pixel_from_card(level, MARGINS_PX[level])


def _warped(
    bgr: Bgr, image_from_patch: Array, size: tuple[int, int]
) -> tuple[Bgr, Plane]:
    """Return the patch and which of its pixels lie in the picture.

    Where the picture is much larger than the patch it is shrunk first, so that no
    detail turns into false ones.
    """
    width, height = size
    corners = mapped(
        image_from_patch,
        np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]]),
    )
    low = np.maximum(np.floor(corners.min(0)).astype(int) - 2, 0)
    high = np.ceil(corners.max(0)).astype(int) + 3
    part = bgr[low[1] : high[1], low[0] : high[0]]
    shift = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1.0]])
    if min(part.shape[:2]) < 2:
        return np.zeros((height, width, 3), np.uint8), np.zeros((height, width), "f4")
    larger = float(np.linalg.norm(corners[3] - corners[0])) / height
    if larger > 1.5:
        small = (
            max(2, round(part.shape[1] / larger)),
            max(2, round(part.shape[0] / larger)),
        )
        x, y = small[0] / part.shape[1], small[1] / part.shape[0]
        part = np.asarray(cv2.resize(part, small, interpolation=cv2.INTER_AREA))
        shrink = np.array([[x, 0, 0.5 * x - 0.5], [0, y, 0.5 * y - 0.5], [0, 0, 1.0]])
        shift = shrink @ shift
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    matrix = shift @ image_from_patch
    colours = cv2.warpPerspective(part, matrix, size, flags=flags)
    inside = cv2.warpPerspective(
        np.ones(part.shape[:2], np.float32), matrix, size, flags=flags
    )
    return np.asarray(colours, np.uint8), (np.asarray(inside) > 0.99).astype(np.float32)
