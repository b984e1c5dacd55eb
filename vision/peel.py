"""Names the cards of a picture from galleries, layer by layer from the top.

What is recognised whole lies on top. It is then taken away: what it covers no longer
counts when the cards under it are compared. So the order in which cards are recognised
is the order in which they lie.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.identify import Identifier, Mask, Sighting
from vision.locate import locate_by_cards
from vision.place import card_corners_mm, lay
from vision.quads import area_px2, common_px2, quad_overlap
from vision.types import Array, Bgr, Frame, TableNotFound

LAYERS = 8
MOST_REFERENCES = 12
WHOLE = 0.97
"""Likeness from which a card without anything over it is taken off."""
AGREED = 0.6
"""What shows of a card must be what the detector saw of it (IoU)."""
AGREED_ROUGHLY = 0.45
OFFSETS_MM = (-22.0, -11.0, 0.0, 11.0, 22.0)
TILTS_RAD = (-0.18, 0.0, 0.18)
MOST_POSES = 3
SAME_CARD = 0.6
OWN_SHARE = 0.18
"""What shows of an unknown card beyond all known ones, or it is a part of these."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One card and how far from the top it lies."""

    sighting: Sighting
    depth: int
    source: int
    """Index of the quad that it was found by."""


def peel(
    frame: Frame,
    quads_px: Sequence[Array],
    identifier: Identifier,
    size_mm: tuple[float, float],
) -> list[Layer]:
    """Return each physical card once, the topmost first.

    Of a card that is mostly covered the detector sees what shows. Once cards that lie
    open have told where the table is, such a part is taken for a corner of a card, each
    of its corners in turn, and the card is looked at as it then lies.
    """
    bgr, table = frame.bgr, None
    visible: Mask = np.full(bgr.shape[:2], 255, np.uint8)
    waiting = list(range(len(quads_px)))
    found: list[Layer] = []
    for depth in range(LAYERS):
        looked = [
            (i, _looked_at(identifier, bgr, quads_px[i], visible, table, size_mm))
            for i in waiting
        ]
        known = [(i, s) for i, s in looked if _is_named(s)]
        tops = _tops(known, strict=depth == 0)
        if not tops and depth:
            break
        for number, sighting in tops:
            waiting.remove(number)
            if any(_is_same(sighting, layer.sighting) for layer in found):
                continue
            found.append(Layer(sighting, depth, number))
            _cover(visible, sighting.quad_px)
        table = _table(frame, found, size_mm)
    last = [(i, identifier.identify(bgr, quads_px[i], visible)) for i in waiting]
    for number, sighting in sorted(last, key=lambda pair: -pair[1].seen):
        others = [layer.sighting.quad_px for layer in found]
        if _own_share(sighting.quad_px, others) > OWN_SHARE:
            found.append(Layer(replace(sighting, deck=None), LAYERS, number))
    return found


def _looked_at(
    identifier: Identifier,
    bgr: Bgr,
    quad_px: Array,
    visible: Mask,
    table: TableMap | None,
    size_mm: tuple[float, float],
) -> Sighting:
    plain = identifier.identify(bgr, quad_px, visible)
    if table is None or _is_named(plain):
        return plain
    tried = [
        identifier.identify(bgr, corner_quad, visible)
        for corner_quad in _corner_quads(quad_px, table, size_mm)
        if _agreement(visible, corner_quad, quad_px) > AGREED
    ]
    named = [sighting for sighting in tried if _is_named(sighting)]
    if not named:
        named = list(_searched(identifier, bgr, quad_px, visible, table, size_mm))
    return max(named, key=lambda s: s.likeness * s.seen**0.25, default=plain)


def _searched(
    identifier: Identifier,
    bgr: Bgr,
    quad_px: Array,
    visible: Mask,
    table: TableMap,
    size_mm: tuple[float, float],
) -> Iterator[Sighting]:
    """Yield what a box that fits no card may still be: a card about its middle, or half
    of two cards that the detector took for one."""
    try:
        corners = table.to_table(quad_px)
    except GeometryError:
        return
    middle, side = corners.mean(0), corners[1] - corners[0]
    turn = math.atan2(side[1], side[0])
    poses = [
        (middle[0] + dx, middle[1] + dy, turn + quarter * math.pi / 2 + tilt)
        for dx in OFFSETS_MM
        for dy in OFFSETS_MM
        for quarter in (0, 1)
        for tilt in TILTS_RAD
    ]
    model, looked = card_corners_mm(size_mm), []
    for pose in poses:
        try:
            quad = table.to_image(lay(model, np.array([pose]))[0])
        except GeometryError:
            continue
        if _agreement(visible, quad, quad_px) > AGREED_ROUGHLY:
            looked.append((identifier.resemblance(bgr, quad, visible), quad))
    looked.sort(key=lambda pair: -pair[0])
    for _, quad in looked[:MOST_POSES]:
        sighting = identifier.identify(bgr, quad, visible)
        if _is_named(sighting):
            yield sighting


def _table(
    frame: Frame, found: Sequence[Layer], size_mm: tuple[float, float]
) -> TableMap | None:
    height, width = frame.bgr.shape[:2]
    open_cards = [
        layer.sighting.quad_px for layer in found if layer.sighting.seen > 0.95
    ][:MOST_REFERENCES]
    camera = Camera.guess(width, height, frame.exif)
    table = locate_by_cards(open_cards, camera, size_mm=size_mm)
    return None if isinstance(table, TableNotFound) else table


def _corner_quads(
    quad_px: Array, table: TableMap, size_mm: tuple[float, float]
) -> Iterator[Array]:
    """Yield the cards that share a corner, and the directions of its sides, with a
    quad: long side one way or the other."""
    try:
        corners = table.to_table(quad_px)
    except GeometryError:
        return
    for number in range(4):
        corner = corners[number]
        after = corners[(number + 1) % 4] - corner
        before = corners[number - 1] - corner
        after /= max(float(np.hypot(*after)), 1e-6)
        before = np.array([-after[1], after[0]]) * _sign(after, before)
        for along, across in (size_mm, size_mm[::-1]):
            ring = np.array(
                [
                    corner,
                    corner + along * after,
                    corner + along * after + across * before,
                    corner + across * before,
                ]
            )
            try:
                quad = table.to_image(ring)
            except GeometryError:
                continue
            # The first side of a quad is a short one.
            yield quad if along < across else np.roll(quad, -1, 0)


def _agreement(visible: Mask, one_px: Array, other_px: Array) -> float:
    """Return the IoU of what can be seen of two quads."""
    low = np.floor(np.minimum(one_px.min(0), other_px.min(0))).astype(int).clip(0)
    size = visible.shape[1], visible.shape[0]
    high = np.ceil(np.maximum(one_px.max(0), other_px.max(0))).astype(int).clip(0, size)
    if (high - low).min() < 2:
        return 0.0
    shown = visible[low[1] : high[1], low[0] : high[0]] > 0
    masks = []
    for quad in (one_px, other_px):
        mask = np.zeros(shown.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(quad - low).astype(np.int32), (1,))
        masks.append((mask > 0) & shown)
    either = int((masks[0] | masks[1]).sum())
    return int((masks[0] & masks[1]).sum()) / max(either, 1)


def _sign(after: Array, before: Array) -> float:
    return 1.0 if -after[1] * before[0] + after[0] * before[1] > 0 else -1.0


def _is_named(sighting: Sighting) -> bool:
    return sighting.deck is not None


def _tops(
    known: Sequence[tuple[int, Sighting]], *, strict: bool
) -> list[tuple[int, Sighting]]:
    """Return the cards that no other of them lies on, the surest first.

    Of two that overlap the one that looks more like its face hides the other.
    """
    ranked = sorted(known, key=lambda pair: -pair[1].likeness)
    tops: list[tuple[int, Sighting]] = []
    for number, sighting in ranked:
        if strict and sighting.likeness < WHOLE:
            continue
        over = [s for _, s in tops if _overlap(sighting, s)]
        if not over or any(_is_same(sighting, s) for s in over):
            tops.append((number, sighting))
    return tops


def _overlap(one: Sighting, other: Sighting) -> bool:
    both = common_px2(one.quad_px, other.quad_px)
    return both > 0.02 * min(area_px2(one.quad_px), area_px2(other.quad_px))


def _is_same(one: Sighting, other: Sighting) -> bool:
    same_name = (one.deck, one.identity.label) == (other.deck, other.identity.label)
    overlap = quad_overlap(one.quad_px, other.quad_px)
    return overlap > SAME_CARD and (same_name or overlap > 0.9)


def _cover(visible: Mask, quad_px: Array) -> None:
    middle = quad_px.mean(0)
    grown = middle + (quad_px - middle) * 1.02
    cv2.fillConvexPoly(visible, np.round(grown).astype(np.int32), (0,))


def _own_share(quad_px: Array, others: Sequence[Array]) -> float:
    """Return the share of a quad that none of the others covers."""
    low = np.floor(quad_px.min(0)).astype(int)
    size = np.ceil(quad_px.max(0)).astype(int) - low + 1
    if size.min() < 2 or size.max() > 20_000:
        return 0.0
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(mask, np.round(quad_px - low).astype(np.int32), (1,))
    whole = max(int(mask.sum()), 1)
    for other in others:
        cv2.fillConvexPoly(mask, np.round(other - low).astype(np.int32), (0,))
    return float(mask.sum() / whole)
