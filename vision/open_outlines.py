"""Cards that lie open and by themselves, told from the table by their outline alone.

What is lighter, darker or more colourful than what lies around it, has four straight
sides in a card's proportion, and an edge along all of each, is a card whatever is
printed on it; or a part of its print, or paper that it lies on.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from vision.outline import Mask, is_card_shaped, turns_right
from vision.quads import quad_overlap
from vision.refine import RefinedQuad, refine_quad
from vision.types import Array, Bgr

LONG_PX = 640
"""The picture is looked at so long."""
SMALLEST, LARGEST = 0.008, 0.9
"""Share of the picture that a card may take up."""
SOLID, STRAIGHT = 0.85, 0.88
"""Share of its hull, and of the nearest four-sided shape, that a region must fill."""
SUPPORT = 0.7
"""Each side must lie on an edge for so much of its length."""
AS_FOUND, SAME = 0.85, 0.93
"""Overlap of the outline on the edges with the region, and of outlines that are one."""
CANNY = ((20.0, 60.0), (50.0, 150.0))


def open_outlines(bgr: Bgr) -> list[RefinedQuad]:
    """Return the outlines, (4, 2) px clockwise, of what may be a card, each once."""
    found: list[RefinedQuad] = []
    for quad in _quads(bgr):
        edges = refine_quad(bgr, quad)
        if min(edges.support) < SUPPORT or not is_card_shaped(edges.quad_px, bgr.shape):
            continue
        is_new = all(quad_overlap(edges.quad_px, o.quad_px) <= SAME for o in found)
        if is_new and quad_overlap(edges.quad_px, quad) > AS_FOUND:
            found.append(edges)
    return found


def _quads(bgr: Bgr) -> list[Array]:
    """Return card-shaped regions, px of the picture."""
    scale = min(1.0, LONG_PX / max(bgr.shape[:2]))
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found: list[Array] = []
    for mask in _masks(np.asarray(small, np.uint8)):
        for quad in _four_sided(mask):
            there = (quad + 0.5) / scale - 0.5
            is_new = all(quad_overlap(there, other) <= SAME for other in found)
            if is_new and is_card_shaped(there, bgr.shape):
                found.append(there)
    return found


def _masks(small: Bgr) -> Iterator[Mask]:
    """Yield pictures of what is lighter or darker, more or less colourful, and of what
    edges enclose: 255."""
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (5, 5), 0), cv2.COLOR_BGR2LAB)
    lightness = lab[..., 0]
    chroma = np.linalg.norm(lab[..., 1:].astype(float) - 128, axis=2)
    colour = np.asarray(np.clip(3 * chroma, 0, 255), np.uint8)
    for plane in (lightness, colour):
        middle = cv2.threshold(plane, 0, 255, cv2.THRESH_OTSU)[0]
        for level in (0.6 * middle, middle, (middle + 255) / 2):
            mask = np.asarray(
                cv2.threshold(plane, level, 255, cv2.THRESH_BINARY)[1], np.uint8
            )
            yield mask
            yield 255 - mask
    for low, high in CANNY:
        edges = cv2.dilate(cv2.Canny(lightness, low, high), np.ones((3, 3), np.uint8))
        yield np.asarray(255 - edges, np.uint8)


def _four_sided(mask: Mask) -> Iterator[Array]:
    """Yield the four corners, clockwise, of regions that have four straight sides."""
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        area = cv2.contourArea(contour)
        if not SMALLEST * mask.size < area < LARGEST * mask.size:
            continue
        hull = cv2.convexHull(contour)
        if len(hull) < 4 or area < SOLID * cv2.contourArea(hull):
            continue
        quad = np.asarray(cv2.approxPolyN(hull, 4, ensure_convex=True), np.float32)
        quad = quad.reshape(-1, 2)
        if len(quad) == 4 and area > STRAIGHT * cv2.contourArea(quad):
            corners = quad.astype(float)
            yield corners if turns_right(corners) else corners[::-1]
