"""Names the one card that lies open in an outline, by galleries: a first look at it.

Nothing is searched: the outline is right to a few px, and the card is compared where
its edges show. Where the table is known, and that was in vain, it is compared in all
ways in which a card may lie there: less must then be known of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from vision.detect import Detect, whole_view
from vision.geometry import TableMap
from vision.identify import Identifier, Sighting
from vision.matching.ground import on_table
from vision.matching.votes import votes
from vision.pipeline import near_sides
from vision.places import poses_of
from vision.quads import quad_overlap
from vision.refine import is_well_cut, refine_quad
from vision.types import Array, Bgr, Kind

SAME_CARD = 0.6
"""Overlap from which on two outlines are of one card."""
LIES_SO = 0.85
"""Overlap from which on a card lies as the table has one lie: of a card that is 50 px
wide the map may be off by a px or two."""


def read_alone(
    bgr: Bgr,
    outline_px: Array,
    identifier: Identifier,
    detect: Detect,
    size_mm: tuple[float, float],
    table: TableMap | None,
) -> Sighting | None:
    """Return what the card in the outline is; `None` where it cannot be named, or glare
    is on it. `bgr` is freed of glare's tint, `size_mm` width and height of the card."""
    looks = []
    for quad in _edges(bgr, outline_px, detect):
        looks.append(identifier.where_it_lies(bgr, quad))
        if _is_named(looks[-1]):
            return looks[-1]
    if table is None:
        return None
    found = [
        (look.quad_px, quad)
        for look in looks
        for quad in _placed(look.quad_px, table, size_mm)
    ]
    # A face that was laid over it and lies as cards do is nearer than the map of cards.
    laid = [outline for outline, quad in found if quad_overlap(outline, quad) > LIES_SO]
    quads = [
        *(quad for _, quad in found),
        *_placed(outline_px, table, size_mm),
        *_voted(bgr, outline_px, identifier, size_mm, table),
    ]
    for quad in [*laid, *quads]:
        look = identifier.where_it_lies(bgr, quad, size_mm=size_mm)
        if _is_named(look):
            return look
    return None


def _is_named(look: Sighting) -> bool:
    return look.deck is not None and not look.in_glare


def _placed(
    quad_px: Array, table: TableMap, size_mm: tuple[float, float]
) -> list[Array]:
    """Return the outline, if any, of a card of this size on the table that lies as a
    quad does."""
    poses = poses_of(table, [quad_px], size_mm)
    return [on_table(table, pose, size_mm) for pose in poses]


def _edges(bgr: Bgr, outline_px: Array, detect: Detect) -> Iterator[Array]:
    """Yield an outline on the edges of the card in it; where they do not show, those of
    what the detector sees there first, and itself last."""
    ours = refine_quad(bgr, outline_px)
    if is_well_cut(ours.support):
        yield ours.quad_px
        return
    side = near_sides(bgr, float(np.ptp(outline_px, axis=0).max()), closely=False)
    for one in detect(bgr, [whole_view(bgr, *side)]):
        if one.kind is Kind.CARD and quad_overlap(one.quad_px, outline_px) > SAME_CARD:
            yield refine_quad(bgr, one.quad_px).quad_px
            break
    yield from (ours.quad_px, outline_px)


def _voted(
    bgr: Bgr,
    outline_px: Array,
    identifier: Identifier,
    size_mm: tuple[float, float],
    table: TableMap,
) -> list[Array]:
    """Return how a card may lie in the outline, px, by details of its print: an
    outline that takes a part of the next card along is told by nothing else."""
    inside = np.zeros(bgr.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.round(outline_px).astype(np.int32), 255)
    sides_px = np.linalg.norm(np.roll(outline_px, -1, axis=0) - outline_px, axis=1)
    pairs = identifier.voter.pairs(bgr, inside, float(sides_px.min()), size_mm)
    found = [] if pairs is None else votes(pairs, table, inside)
    quads = [on_table(table, vote.pose, size_mm) for vote in found[:1]]
    return [quad for quad in quads if quad_overlap(quad, outline_px) > SAME_CARD]
