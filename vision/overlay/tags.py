"""The tags that name the cards: where they go, and how they look."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.overlay.pen import (
    FINE,
    INK,
    PAPER,
    RED,
    UNKNOWN,
    UNSURE,
    fixed,
    polyline,
    text_width,
    write,
)
from vision.overlay.shapes import (
    HAND_STYLE,
    SURE_STYLE,
    UNKNOWN_STYLE,
    UNSURE_STYLE,
    Shape,
    short_side,
)
from vision.types import Array, Bgr, Kind

_EDGE_COSTS = ((0, 0.0), (2, 0.25), (3, 0.35), (1, 0.4))
"""Edge of the card, and how much less a tag is wanted there than at the top."""
_ALONG_COSTS = ((0.5, 0.0), (0.3, 0.1), (0.7, 0.12), (0.12, 0.2), (0.88, 0.22))
"""Place along the edge, likewise: the index corners are left free where possible."""


_PUSHES = (0.4, 1.0)
"""How far out of the card a tag sits, from astride its edge to clear of it."""
_PUSH_COSTS = (0.0, 0.4)


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """Where on its card a tag may sit."""

    costs: Array
    """(N,) how much less each place is wanted."""
    points: Array
    """(N, 2)"""
    outward: Array
    """(N, 2) the direction out of the card, of length one; zero within it."""


@dataclass(frozen=True, slots=True, eq=False)
class Tag:
    """A label, and where it goes."""

    shape: Shape
    centre: Array
    anchor: Array
    """The point of the card that it names."""
    size: Array
    """(2,) width and height in px."""


def lay_tags(shapes: Sequence[Shape], size: tuple[int, int]) -> list[Tag]:
    """Return the tags in the largest lettering with which they hardly overlap."""
    tagged = [index for index, shape in enumerate(shapes) if shape.text]
    if not tagged:
        return []
    owners = _owners(shapes, size)
    anchors = {index: _anchors(shapes, index, owners) for index in tagged}
    largest = max(14.0, 0.0195 * max(size))
    short = [short_side(shapes[index].path) for index in tagged]
    largest = min(largest, max(12.0, 0.34 * float(np.median(short))))
    tags: list[Tag] = []
    for text_px in (largest, largest * 0.82, largest * 0.66, 11.0):
        tags, overlap = _spread(shapes, anchors, max(11, round(text_px)), owners)
        if overlap < 0.02:
            break
    return tags


def _anchors(shapes: Sequence[Shape], index: int, owners: NDArray[np.int16]) -> Anchors:
    """Return the places for a tag that are in sight.

    Astride an edge it hides neither index nor pips; a covered place is no use.
    """
    path = shapes[index].path
    if shapes[index].placement.kind is Kind.DISC:
        return Anchors(np.zeros(1), path.mean(axis=0)[None], np.zeros((1, 2)))
    # Each rounded corner has five points, the middle one nearest to the corner itself.
    quad = path[2::5]
    middle = quad.mean(axis=0)
    costs, points = [], []
    for edge, edge_cost in _EDGE_COSTS:
        start, end = quad[edge], quad[(edge + 1) % 4]
        for t, t_cost in _ALONG_COSTS:
            points.append(start + t * (end - start))
            costs.append(edge_cost + t_cost)
    on_edges = len(points)
    for u in (0.5, 0.25, 0.75):
        for v in (0.5, 0.2, 0.8):
            top, bottom = (
                (1 - u) * quad[0] + u * quad[1],
                (1 - u) * quad[3] + u * quad[2],
            )
            points.append((1 - v) * top + v * bottom)
            costs.append(0.55 + abs(v - 0.5))
    places = np.array(points)
    outward = places - middle
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-6)
    outward[on_edges:] = 0
    seen = _owner_at(owners, places + 0.06 * (middle - places)) == index
    if not seen.any():
        return Anchors(np.zeros(1), middle[None], np.zeros((1, 2)))
    return Anchors(np.array(costs)[seen], places[seen], outward[seen])


def _spread(
    shapes: Sequence[Shape],
    anchors: Mapping[int, Anchors],
    text_px: int,
    owners: NDArray[np.int16],
) -> tuple[list[Tag], float]:
    """Return the tags, and the share of their area that overlaps."""
    tags: dict[int, Tag] = {}
    boxes = np.empty((0, 4))
    covered = area = 0.0
    room = np.array(owners.shape[::-1])
    # Those with the fewest places choose first.
    for index in sorted(anchors, key=lambda index: len(anchors[index].costs)):
        extent = _tag_size(shapes[index], text_px)
        places = anchors[index]
        reach = np.abs(places.outward) @ extent / 2
        centres = np.concatenate([
            places.points + places.outward * (push * reach)[:, None] for push in _PUSHES
        ])  # fmt: skip
        centres = np.clip(centres, extent / 2 + 1, room - extent / 2 - 2)
        costs = np.concatenate([places.costs + cost for cost in _PUSH_COSTS])
        taken = np.hstack([centres - extent / 2, centres + extent / 2])
        overlaps = _overlaps(taken, boxes).sum(axis=1)
        costs += 8 * overlaps / extent.prod()
        costs += 0.9 * _share_on_others(owners, index, centres, extent)
        best = int(np.argmin(costs))
        point = places.points[best % len(places.points)]
        tags[index] = Tag(shapes[index], centres[best], point, extent)
        boxes = np.vstack([boxes, taken[best]])
        covered += float(overlaps[best])
        area += float(extent.prod())
    return [tags[index] for index in sorted(tags)], covered / max(area, 1.0)


def _share_on_others(
    owners: NDArray[np.int16], index: int, centres: Array, extent: Array
) -> Array:
    """Return how much of a tag lies where another card is seen, from 0 to 1, for each
    of (N, 2) places of its middle."""
    grid = np.array([(x, y) for x in (-0.45, 0, 0.45) for y in (-0.45, 0.45)])
    points = centres[:, None, :] + grid * extent
    seen = _owner_at(owners, points.reshape(-1, 2)).reshape(points.shape[:2])
    share: Array = ((seen >= 0) & (seen != index)).mean(axis=1)
    return share


def _owners(shapes: Sequence[Shape], size: tuple[int, int]) -> NDArray[np.int16]:
    """Return which shape is seen at each pixel, -1 for none."""
    owners = np.full((size[1], size[0]), -1, np.int16)
    for index, shape in enumerate(shapes):
        if shape.style is not HAND_STYLE:
            cv2.fillPoly(owners, [fixed(shape.path)], index, cv2.LINE_8, FINE)
    return owners


def _owner_at(owners: NDArray[np.int16], points: Array) -> NDArray[np.int16]:
    """Return the owners at (N, 2) points, -2 outside the picture."""
    x, y = np.round(points).astype(int).T
    height, width = owners.shape
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    found = owners[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    return np.where(inside, found, np.int16(-2))


def _overlaps(boxes: Array, others: Array) -> Array:
    """Return (N, M) areas in which (N, 4) and (M, 4) boxes overlap."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    areas: Array = np.maximum(high - low, 0).prod(axis=2)
    return areas


def _tag_size(shape: Shape, text_px: int) -> Array:
    """Return width and height; the lettering is 1 / 1.5 of the height."""
    height = 1.5 * text_px
    if shape.style is UNKNOWN_STYLE:
        return np.array([height, height])
    pad = 1.1 * text_px if shape.style is UNSURE_STYLE else 0.6 * text_px
    return np.array([max(text_width(shape.text, text_px) + pad, height), height])


def draw_tag(canvas: Bgr, tag: Tag) -> None:
    """Draw a tag, with a line to its card where it stands off."""
    style, extent = tag.shape.style, tag.size
    text_px = round(float(extent[1]) / 1.5)
    border = max(1.0, text_px / 14)
    if np.linalg.norm(tag.centre - tag.anchor) > extent[1] * 0.6:
        for colour, width in ((INK, 3 * border), (style.colour, 1.4 * border)):
            polyline(canvas, np.array([tag.anchor, tag.centre]), colour, width)
    outline = _tag_outline(tag)
    fill = {SURE_STYLE: PAPER, UNSURE_STYLE: UNSURE, UNKNOWN_STYLE: UNKNOWN}.get(
        style, PAPER
    )
    grown = tag.centre + (outline - tag.centre) * (1 + 2 * border / extent)
    cv2.fillPoly(canvas, [fixed(grown)], INK, cv2.LINE_AA, FINE)
    cv2.fillPoly(canvas, [fixed(outline)], fill, cv2.LINE_AA, FINE)
    width = text_width(tag.shape.text, text_px)
    x = tag.centre[0] - width / 2
    y = tag.centre[1] + 0.36 * text_px
    for part in re.findall(r"[♥♦♠♣]|[^♥♦♠♣]+", tag.shape.text):
        red = part in "♥♦" and style is not UNKNOWN_STYLE
        write(canvas, part, x, y, RED if red else INK, text_px)
        x += text_width(part, text_px)


def _tag_outline(tag: Tag) -> Array:
    width, height = tag.size / 2
    if tag.shape.style is UNKNOWN_STYLE:
        angles = np.linspace(0, 2 * math.pi, 40, endpoint=False)
        rim = np.column_stack([np.cos(angles), np.sin(angles)]) * height
        return np.asarray(tag.centre + rim, float)
    if tag.shape.style is UNSURE_STYLE:
        point = 0.55 * height
        x = np.array([-width, -width + point, width - point, width])
        rim = np.array([
            [x[0], 0], [x[1], -height], [x[2], -height],
            [x[3], 0], [x[2], height], [x[1], height],
        ])  # fmt: skip
        return np.asarray(tag.centre + rim, float)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width, height)
    turns = (math.pi, -math.pi / 2, 0, math.pi / 2)
    radius = 0.32 * height
    angles = np.linspace(0, math.pi / 2, 7)
    rim = np.concatenate([
        corner - radius * np.sign(corner)
        + radius * np.column_stack([np.cos(angles + turn), np.sin(angles + turn)])
        for corner, turn in zip(corners, turns, strict=True)
    ])  # fmt: skip
    return np.asarray(tag.centre + rim, float)
