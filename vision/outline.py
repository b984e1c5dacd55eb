"""Finds the outline of a card afresh where the detector's box lies askew.

A box of the detector may be turned by some degrees or too large; the sides are then out
of reach of `refine`. Here the card is told from its surroundings by brightness and
colour, and the four-sided shape that its edges support best is taken, if it is better
supported than what was there.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.levels import quantile
from vision.quads import UNIT_CORNERS, area_px2, quad_overlap
from vision.refine import RefinedQuad, refine_quad
from vision.types import Array, Bgr

Mask = NDArray[np.uint8]

ROOM = 0.3
"""Room around the box, in shares of its diagonal."""
LOOK_PX = 256
MIN_CARD_PX = 64.0
MIN_OVERLAP = 0.4
SIDES_RATIO = (1.25, 1.8)
"""Long side over short side of a card, whatever the deck."""
MAX_SKEW = 0.17
"""Cosine of the angle between its sides: 10 degrees from upright."""
FOCAL = 1.1
"""Focal length in long sides of the picture where it is not known: a phone's."""
MIN_SIDE_SUPPORT = 0.6
BETTER = 0.1
"""So much better must the support of all sides be, on average."""


def outlined(bgr: Bgr, box_px: Array, refined: RefinedQuad) -> RefinedQuad:
    """Return the best supported outline of the card in a detector's box.

    `refined` is what the box itself led to, and what comes back where nothing fits
    clearly better.
    """
    if float(np.linalg.norm(box_px[0] - box_px[3])) < MIN_CARD_PX:
        return refined
    best, best_support = refined, _support(refined) + BETTER
    for quad in _shapes(bgr, box_px):
        candidate = refine_quad(bgr, matched(quad, box_px))
        support = _support(candidate)
        if (
            support > best_support
            and _third(candidate) >= MIN_SIDE_SUPPORT
            and is_card_shaped(candidate.quad_px, bgr.shape)
        ):
            best, best_support = candidate, support
    return best


def _support(quad: RefinedQuad) -> float:
    return float(np.mean(quad.support))


def _third(quad: RefinedQuad) -> float:
    """Return what three of the four sides have at least: one may be hidden."""
    return sorted(quad.support)[1]


def _shapes(bgr: Bgr, box_px: Array) -> Iterator[Array]:
    """Yield four-sided shapes that may be the card in the box, in px of the picture."""
    diagonal = float(np.linalg.norm(box_px[2] - box_px[0]))
    low = np.maximum(np.floor(box_px.min(0) - ROOM * diagonal), 0).astype(int)
    high = np.ceil(box_px.max(0) + ROOM * diagonal).astype(int)
    part = bgr[low[1] : high[1], low[0] : high[0]]
    if min(part.shape[:2]) < 16:
        return
    scale = min(1.0, LOOK_PX / max(part.shape[:2]))
    small = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    local = (box_px - low + 0.5) * scale - 0.5
    for mask in _masks(np.asarray(small, np.uint8), local):
        for quad in _quads(mask, local):
            yield (quad + 0.5) / scale - 0.5 + low


def _masks(small: Bgr, box_px: Array) -> Iterator[Mask]:
    """Yield pictures of what may be card (255) and what is not."""
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (3, 3), 0), cv2.COLOR_BGR2LAB)
    inside = np.zeros(small.shape[:2], np.uint8)
    middle = box_px.mean(0)
    inner = ((box_px - middle) * 0.7 + middle).astype(np.int32)
    cv2.fillConvexPoly(inside, inner, 255)
    lightness = lab[..., 0]
    values = lightness[inside > 0]
    if not len(values):
        return
    paper = lab[(inside > 0) & (lightness >= quantile(values, 0.6))]
    colour = np.array([quantile(plane, 0.5) for plane in paper.T], np.float32)
    off = (lab - colour) * np.array([0.6, 1.0, 1.0], np.float32)
    far = np.sqrt(np.einsum("yxc,yxc->yx", off, off))
    alike = np.asarray(255 - np.clip(far * 2, 0, 255), np.uint8)
    for plane in (lightness, alike):
        level, mask = cv2.threshold(plane, 0, 255, cv2.THRESH_OTSU)
        yield _closed(np.asarray(mask, np.uint8))
        higher = cv2.threshold(plane, (level + 255) / 2, 255, cv2.THRESH_BINARY)[1]
        yield _closed(np.asarray(higher, np.uint8))
    edges = cv2.Canny(lightness, 40, 120)
    edges = cv2.dilate(edges, np.ones((3, 3), np.uint8))
    yield np.asarray(255 - edges, np.uint8)


def _closed(mask: Mask) -> Mask:
    kernel = np.ones((3, 3), np.uint8)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel), np.uint8)


def _quads(mask: Mask, box_px: Array) -> Iterator[Array]:
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    area = area_px2(box_px)
    large = [c for c in contours if 0.3 * area < cv2.contourArea(c) < 1.8 * area]
    for contour in sorted(large, key=cv2.contourArea, reverse=True)[:3]:
        hull = cv2.convexHull(contour)
        if len(hull) < 4 or cv2.contourArea(contour) < 0.8 * cv2.contourArea(hull):
            continue
        quad = np.asarray(cv2.approxPolyN(hull, 4, ensure_convex=True), float)
        quad = quad.reshape(-1, 2)
        if len(quad) == 4 and quad_overlap(quad, box_px) >= MIN_OVERLAP:
            yield quad


def is_card_shaped(quad_px: Array, shape: tuple[int, ...]) -> bool:
    """Return whether a quad may be a picture of a card: upright corners and sides in
    the ratio of a card's, as a camera of usual focal length sees them."""
    skew, ratio = _sides(quad_px, shape)
    shortest, longest = SIDES_RATIO
    return skew <= MAX_SKEW and shortest <= max(ratio, 1 / ratio) <= longest


def sides_ratio(quad_px: Array, shape: tuple[int, ...]) -> float:
    """Return how long the second side of the rectangle in a quad is, in first ones, as
    a camera of usual focal length sees it."""
    return _sides(quad_px, shape)[1]


def _sides(quad_px: Array, shape: tuple[int, ...]) -> tuple[float, float]:
    """Return the cosine between the sides of the rectangle in a quad, and their ratio.

    With K the intrinsics and H the homography of the unit square, the first two columns
    of K^-1 H are its sides in space (Zhang 2000).
    """
    height, width = shape[:2]
    focal = FOCAL * max(height, width)
    centred = (quad_px - [(width - 1) / 2, (height - 1) / 2]) / focal
    homography = cv2.getPerspectiveTransform(UNIT_CORNERS, centred.astype(np.float32))
    across, down = homography[:, 0], homography[:, 1]
    lengths = float(np.linalg.norm(across)), float(np.linalg.norm(down))
    skew = abs(float(across @ down)) / max(lengths[0] * lengths[1], 1e-9)
    return skew, max(lengths[1], 1e-9) / max(lengths[0], 1e-9)


def matched(quad: Array, box_px: Array) -> Array:
    """Return the corners clockwise, a short side first, from the one nearest the box's
    first corner."""
    if not turns_right(quad):
        quad = quad[::-1]
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    if sides[0] + sides[2] > sides[1] + sides[3]:
        quad = np.roll(quad, -1, axis=0)
    turned = np.roll(quad, -2, axis=0)
    near = np.linalg.norm(quad - box_px, axis=1).sum()
    return turned if np.linalg.norm(turned - box_px, axis=1).sum() < near else quad


def turns_right(quad_px: Array) -> bool:
    """Return whether the corners of a quad are told clockwise, as seen."""
    (ax, ay), (bx, by) = quad_px[1] - quad_px[0], quad_px[2] - quad_px[1]
    return float(ax * by - ay * bx) > 0
