"""What of a card shows, by its own print: where the picture is not like the card's face
something else lies on it, known or not.

Of 2,900 windows of cards that show none correlated less than 0.78 with the face; of
1,000 that something covers 99.7 % did less than 0.5 (rendered hands, their truth).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from vision.matching.glare import excused, unlit
from vision.matching.heap import SLIVER
from vision.matching.patches import (
    BURNT_WEIGHT,
    SIZES_PX,
    Mask,
    Plane,
    card_pixels,
    cut_patch,
    features,
    homography,
    picture_pixels,
    pixel_from_card,
)
from vision.quads import area_px2, common_px2, grown
from vision.types import Array, Bgr

LEVEL = 1
"""The size in which cards are compared."""
WINDOW_PX, ALIKE_HERE, TELLS = 16, 0.5, 0.3
"""Side of a window, a quarter of a card's width; the correlation from which it is the
card's; and how much of it must tell, or it is the card's too."""
FAINT = 0.4
"""Print of which both have less in a window is the grain of paper, which is like
nothing: that of 19 in 20 such windows of photographed cards with white paper."""
OTHER_LIGHT = 40.0
"""Paper that is so much lighter or darker, in hundredths, is not the card's: a shadow
leaves half of its light, which is 26."""
PRINTED, GLARE_SHARE = 80.0, 0.3
"""What is darker is print, no paper; where so much of it is burnt out glare hides it.
"""
SPECK_PX = 7
"""What is unlike must be so wide."""
RIM_PX = 4
"""What does not show so near the edge reaches over it."""
MOST_POINTS = 300
"""About so many points tell where a card shows."""
HIDES = 1.02
"""A card hides a little more than its quad: its edge and shadow."""


@dataclass(frozen=True, eq=False)
class Claim:
    """The part of the picture in which one card shows."""

    low: tuple[int, int]
    """x and y of the first pixel."""
    mask: Mask
    """255 where it shows."""
    told: tuple[Plane, Plane, Mask] | None = None
    """What tells its light: its pixels, its picture's, and where these differ."""

    @cached_property
    def light(self) -> Plane | None:
        """Return (3,) which share of its light each colour of its picture has in the
        photo; `None` in glare, and where too little tells."""
        return None if self.told is None else unlit(*self.told)

    @property
    def px2(self) -> int:
        """Return the area."""
        return cv2.countNonZero(self.mask)

    def points(self) -> Array:
        """Return (N, 2) points spread over where the card shows."""
        step = max(1, round(math.sqrt(self.px2 / MOST_POINTS)))
        rows, columns = np.nonzero(self.mask[::step, ::step])
        return np.asarray(np.column_stack([columns, rows]) * step + self.low, float)

    def part_of(self, plane: Mask) -> Mask:
        """Return the pixels of a mask of the picture that this one is about."""
        (x, y), (height, width) = self.low, self.mask.shape
        return plane[y : y + height, x : x + width]

    def taken_from(self, plane: Mask) -> None:
        """Blacken a mask of the picture where the card shows."""
        self.part_of(plane)[self.mask > 0] = 0

    def given_to(self, plane: Mask) -> None:
        """Whiten a mask of the picture where the card shows."""
        self.part_of(plane)[self.mask > 0] = 255

    def taken_from_other(self, other: Claim) -> None:
        """Leave another claim without what this one has of it."""
        mask: Mask = np.zeros_like(other.mask)
        x, y = (mine - its for mine, its in zip(self.low, other.low, strict=True))
        top, left = max(y, 0), max(x, 0)
        mine = self.mask[top - y :, left - x :]
        part = mask[top:, left:]
        height, width = (min(a, b) for a, b in zip(part.shape, mine.shape, strict=True))
        part[:height, :width] = mine[:height, :width]
        other.mask[mask > 0] = 0

    def inside_px2(self, quad_px: Array) -> int:
        """Return the area that lies in a quad."""
        return cv2.countNonZero(cv2.bitwise_and(self.mask, self._quad(quad_px)))

    def _quad(self, quad_px: Array) -> Mask:
        return polygon(quad_px, self.low, self.mask.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Print:
    """A picture of the galleries in the size `LEVEL`, for claims."""

    features: Plane
    """(H, W, 5)."""
    pixels: Plane
    """(H, W, 4)."""


def print_of(picture: Bgr) -> Print:
    """Return the print of a picture."""
    pixels = picture_pixels(picture, LEVEL)
    return Print(features(pixels), pixels)


def claim_of(
    bgr: Bgr, quad_px: Array, face: Print, visible: Mask, light: Plane | None = None
) -> Claim:
    """Return where a card shows of the pixels that are visible.

    The quad begins at the card's own top left. `light` is that of cards about it.
    """
    patch = cut_patch(bgr, quad_px, visible)
    pixels = card_pixels(patch, LEVEL, np.eye(3))
    hidden = unlike(features(pixels), face.features)
    if hidden.any():
        hidden[excused(pixels, face.pixels, hidden, WINDOW_PX, light) > 0] = 0
    edge = grown(quad_px, HIDES)
    height, width = bgr.shape[:2]
    low = np.clip(np.floor(edge.min(0)), 0, (width - 1, height - 1)).astype(int)
    high = np.clip(np.ceil(edge.max(0)) + 1, low + 1, (width, height)).astype(int)
    size = int(high[0] - low[0]), int(high[1] - low[1])
    start = int(low[0]), int(low[1])
    shows = polygon(edge, start, (size[1], size[0]))
    if hidden.any():
        shift = np.array([[1, 0, -start[0]], [0, 1, -start[1]], [0, 0, 1.0]])
        matrix = (
            shift
            @ patch.image_from_card
            @ np.linalg.inv(pixel_from_card(LEVEL, (0, 0)))
        )
        there = cv2.warpPerspective(hidden, matrix, size, flags=cv2.INTER_NEAREST)
        shows[there > 0] = 0
    claim = Claim(start, shows, (pixels, face.pixels, hidden))
    shows[claim.part_of(visible) == 0] = 0
    return claim


def _straight(mask: Mask, quad_px: Array) -> Mask:
    """Return a mask as the card in the quad shows it, in the size `LEVEL`."""
    width, height = SIZES_PX[LEVEL]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], float) - 0.5
    matrix = homography(corners, quad_px)
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
    straight = cv2.warpPerspective(mask, matrix, (width, height), flags=flags)
    return np.asarray(straight, np.uint8)


def unlike(seen: Plane, face: Plane) -> Mask:
    """Return 255 where a card, (H, W, 5) features, does not look like its face."""
    told = _told(seen, face)
    speck = np.ones((SPECK_PX, SPECK_PX), np.uint8)
    coarse = _both(_unlike(seen, face, WINDOW_PX, TELLS), told)
    found = np.asarray(cv2.morphologyEx(coarse, cv2.MORPH_OPEN, speck), np.uint8)
    if not found.any():
        return found
    # Beside it a smaller window tells where it ends.
    beside = cv2.dilate(found, np.ones((WINDOW_PX, WINDOW_PX), np.uint8))
    finer = _both(_unlike(seen, face, WINDOW_PX // 2, TELLS / 3), told)
    ends = _both(np.asarray(beside, np.uint8), finer)
    return np.asarray(cv2.bitwise_or(found, ends), np.uint8)


def _both(one: Mask, other: Mask) -> Mask:
    return np.asarray(cv2.bitwise_and(one, other), np.uint8)


def _told(seen: Plane, face: Plane) -> Mask:
    """Return 0 where glare hides the print, and 255 where it can be compared."""
    burnt = np.abs(seen[..., 4] - BURNT_WEIGHT) < BURNT_WEIGHT / 2
    lost = burnt & (face[..., 3] < PRINTED)
    share = cv2.blur(lost.astype(np.float32), (WINDOW_PX, WINDOW_PX))
    return np.where(share > GLARE_SHARE, 0, 255).astype(np.uint8)


def _unlike(seen: Plane, face: Plane, window_px: int, tells: float) -> Mask:
    weight = seen[..., 4] * face[..., 4]
    mine, yours = seen[..., 0], face[..., 0]
    lighter = seen[..., 3] - face[..., 3]
    products = mine * yours, mine * mine, yours * yours, lighter
    planes = np.dstack([weight, *(weight * one for one in products)])
    told, cross, own, other, light = np.moveaxis(
        cv2.blur(planes.astype(np.float32), (window_px, window_px)), -1, 0
    )
    alike = cross / np.sqrt(own * other + 1e-6)
    is_printed = np.maximum(own, other) > FAINT**2 * told
    is_other_ground = np.abs(light) > OTHER_LIGHT * told
    is_unlike = (alike < ALIKE_HERE) & (is_printed | is_other_ground)
    return np.where(is_unlike & (told > tells), 255, 0).astype(np.uint8)


def polygon(quad_px: Array, low: tuple[int, int], shape: tuple[int, ...]) -> Mask:
    """Return a mask of that shape, 255 in the quad; its first pixel is at `low`."""
    mask: Mask = np.zeros(shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(quad_px - low).astype(np.int32), (255,))
    return mask


def shown_share(
    visible: Mask, quad_px: Array, others_px: Sequence[Array] = ()
) -> float:
    """Return the share of a quad that is visible and not in one of the others; what
    lies outside the picture is left out."""
    height, width = visible.shape
    low = np.clip(np.floor(quad_px.min(0)), 0, (width, height)).astype(int)
    high = np.clip(np.ceil(quad_px.max(0)) + 1, 0, (width, height)).astype(int)
    if (high - low).min() < 2:
        return 0.0
    start = int(low[0]), int(low[1])
    part = visible[low[1] : high[1], low[0] : high[0]]
    mask = polygon(quad_px, start, part.shape)
    whole = max(cv2.countNonZero(mask), 1)
    for other in others_px:
        cv2.fillConvexPoly(mask, np.round(other - start).astype(np.int32), (0,))
    return cv2.countNonZero(cv2.bitwise_and(mask, part)) / whole


def enclosed_share(claim: Claim, quad_px: Array) -> float:
    """Return the share of a card that does not show and is surrounded by what does.

    Another card that lies on it would reach over its edge; the picture of another face
    in the same frame does not.
    """
    hidden: Mask = 255 - _straight(claim.mask, quad_px - claim.low)
    _, regions, stats, _ = cv2.connectedComponentsWithStats(hidden)
    sides = (regions, regions[::-1], regions.T, regions.T[::-1])
    at_edge = {int(n) for side in sides for n in np.unique(side[:RIM_PX])}
    areas = stats[:, cv2.CC_STAT_AREA]
    inner = [int(a) for n, a in enumerate(areas) if n > 0 and n not in at_edge]
    return sum(inner) / hidden.size


def lying_on(quads_px: Sequence[Array], claims: Sequence[Claim]) -> list[set[int]]:
    """Return for each card which of the others lie on it: what shows where two overlap
    is the upper one."""
    over: list[set[int]] = [set() for _ in quads_px]
    for i, one in enumerate(quads_px):
        for j, other in enumerate(quads_px[:i]):
            least = SLIVER * min(area_px2(one), area_px2(other))
            if common_px2(one, other) <= least:
                continue
            mine, yours = claims[i].inside_px2(other), claims[j].inside_px2(one)
            if max(mine, yours) > least / 2 and mine != yours:
                over[j if mine > yours else i].add(i if mine > yours else j)
    return over


def unclaimed(
    visible: Mask, quads_px: Sequence[Array], wide_px: float, least_px2: float
) -> list[Array]:
    """Return a box around each region that lies on known cards and is none of them.

    `wide_px` is the width of a card: what is narrower than a tenth of it is an edge.
    """
    shrink = 4
    small = cv2.resize(
        visible, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_NEAREST
    )
    on_cards: Mask = np.zeros_like(small, np.uint8)
    for quad in quads_px:
        inner = grown(quad, 1 / HIDES)
        cv2.fillConvexPoly(on_cards, np.round(inner / shrink).astype(np.int32), (255,))
    edge = max(3, int(0.1 * wide_px / shrink) | 1)
    left = cv2.morphologyEx(
        cv2.bitwise_and(on_cards, small),
        cv2.MORPH_OPEN,
        np.ones((edge, edge), np.uint8),
    )
    count, labels, stats, _ = cv2.connectedComponentsWithStats(left)
    found = []
    for number in range(1, count):
        if stats[number, cv2.CC_STAT_AREA] * shrink**2 >= least_px2:
            rows, columns = np.nonzero(labels == number)
            points = np.column_stack([columns, rows]).astype(np.float32) * shrink
            found.append(np.asarray(cv2.boxPoints(cv2.minAreaRect(points)), float))
    return found
