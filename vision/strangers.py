"""What of a heap is a card that nothing explains, or may be one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.errors import GeometryError
from vision.identify import nothing
from vision.matching.claim import shown_share, unclaimed
from vision.matching.leftover import is_burnt, is_outline, strange_px2
from vision.matching.patches import Mask
from vision.places import MANY_VOTES, Place
from vision.quads import area_px2, share_inside
from vision.types import Array
from vision.unpeeled import OWN_SHARE, WORTH_A_LOOK, Heap, Layer

ASKED = 0.7
"""Share of a place in one that is asked about already."""
HINT = 0.04
"""Likeness from which what many details have voted for is asked about: a false vote had
0.017 at most."""
STRANGE, UNLIKE = 0.08, 0.1
"""Share of a card that must look unlike the table for an unknown one to be there, and
unlike a known one that it lies on."""
MOSTLY = 0.7
"""Share of a box that must show for its outline to be told."""
BESIDE, MUCH_BESIDE, FINER = 0.35, 0.08, 2
"""How far beside a known card, in shares of its width or height, one is looked for that
lies under it; how much of it, in shares of a card, must look unlike the table; and how
many times finer than other places it is looked at: of strips an eighth of a card wide
half was lost along the known card's edge."""


def strangers(heap: Heap) -> list[Layer]:
    """Return what the detector took for cards and nothing explains, and what lies on
    known cards and is none."""
    usual = float(np.median([area_px2(q) for q in heap.known_px()] or [0.0]))
    left = _left(heap, usual, heap.boxes)
    if left:
        left = _left(heap, usual, _things(heap, usual))
    left += _unlike(heap, usual, [x.sighting.quad_px for x in left])
    return sorted(left, key=lambda layer: -layer.sighting.seen)


def _left(heap: Heap, usual_px2: float, things: Mask) -> list[Layer]:
    """Return the places in which a card may lie beside a table that is no `things`."""
    left: list[Layer] = []
    for place in heap.places:
        quad, look = place.quad_px, place.look or nothing(place.quad_px)
        if not _is_open(heap, place, left):
            continue
        agrees = _is_hint(place) and _says_the_same(heap, place)
        least_px2 = 0.0 if agrees else STRANGE * (usual_px2 or area_px2(quad))
        if (agrees and _is_borne_out(heap, place)) or _is_strange(
            heap, quad, least_px2, things
        ):
            left.append(Layer(replace(look, deck=None), place.source))
    return left


def _is_borne_out(heap: Heap, place: Place) -> bool:
    """Return whether the details that have voted for a place show, or glare lies there:
    details that known cards hide are theirs."""
    height, width = heap.visible.shape
    inside = np.clip(place.details_px, 0, (width - 1, height - 1))
    x, y = np.floor(inside).astype(int).T
    if np.count_nonzero(heap.visible[y, x]) >= MANY_VOTES:
        return True
    return is_burnt(heap.bgr, place.quad_px, heap.visible)


def _things(heap: Heap, usual_px2: float) -> Mask:
    """Return the boxes without those that show and look like the table: print of a mat
    that passes for a card is the table beside more of it."""
    odd: list[Array] = []
    for quad in heap.quads_px:
        least_px2 = STRANGE * (usual_px2 or area_px2(quad))
        is_covered = shown_share(heap.visible, quad) < MOSTLY
        if is_covered or _is_strange(heap, quad, least_px2, heap.boxes):
            odd.append(quad)
    things = _with(np.zeros_like(heap.boxes), odd)
    return np.asarray(cv2.bitwise_and(things, heap.boxes), np.uint8)


def _is_strange(heap: Heap, quad_px: Array, least_px2: float, things: Mask) -> bool:
    """Return whether more than that of what shows is unlike the table beside it, and
    more than print that the table has elsewhere, too."""
    others = _with(things, [quad_px])
    return all(
        strange_px2(heap.bgr, quad_px, heap.visible, others, is_bright=is_bright)
        > least_px2
        for is_bright in (False, True)
    )


def is_beside(heap: Heap) -> bool:
    """Return whether beside a known card something shows that is no table, where the
    detector has seen nothing; from now on cards are looked for there, too."""
    # Not all of a known card is like its face, and none of it is table.
    is_any, things = False, _with(heap.boxes, heap.known_px())
    for layer in heap.found[heap.edged :]:
        quad = layer.sighting.quad_px
        strips = [_strip(quad, side) for side in range(4)]
        odd = [
            strange_px2(heap.bgr, strip, heap.visible, things, finer=FINER)
            for strip in strips
        ]
        # What lies under a card shows on two sides of it where it lies askew.
        if sum(odd) > MUCH_BESIDE * area_px2(quad):
            is_any = True
            for strip, px2 in zip(strips, odd, strict=True):
                if px2 > 0:
                    corners = np.round(strip).astype(np.int32)
                    cv2.fillConvexPoly(heap.strips, corners, (255,))
    heap.edged = len(heap.found)
    return is_any


def _with(things: Mask, quads_px: Sequence[Array]) -> Mask:
    """Return the mask with these quads, too."""
    more = things.copy()
    for quad in quads_px:
        cv2.fillConvexPoly(more, np.round(quad).astype(np.int32), (255,))
    return more


def _is_open(heap: Heap, place: Place, left: Sequence[Layer]) -> bool:
    """Return whether a place may hold a card beside those that are `left` already."""
    quad, is_hint = place.quad_px, _is_hint(place)
    if place.is_tabled and not is_hint:
        return False
    shown = shown_share(heap.shows(place), quad)
    if shown < (WORTH_A_LOOK if is_hint else OWN_SHARE):
        return False
    # What holds the whole table is no card of it.
    if heap.found and area_px2(quad) > heap.largest_px2:
        return False
    if share_inside(quad, [x.sighting.quad_px for x in left]) > ASKED:
        return False
    return is_hint or shown <= MOSTLY or _is_outline(heap, quad)


def _is_hint(place: Place) -> bool:
    return place.is_voted and place.look is not None and place.look.likeness > HINT


def _says_the_same(heap: Heap, place: Place) -> bool:
    """Return whether the look at a place is most like the card that details have voted
    for, in any deck: else its details may be those of the cards beside, and only what
    is unlike the table is a card."""
    vote, look = place.expected, place.look
    if vote is None or look is None or look.picture is None:
        return False
    keys = [heap.identifier.references.all[n].key for n in (vote.picture, look.picture)]
    return keys[0][1] == keys[1][1]


def _is_outline(heap: Heap, quad_px: Array) -> bool:
    """Return whether a box may be a card's; yes where the table is not known."""
    if heap.table is None:
        return True
    try:
        there = heap.table.to_table(quad_px)
    except GeometryError:
        return True
    return is_outline(heap.bgr, quad_px, there, heap.size_mm)


def _unlike(heap: Heap, usual_px2: float, asked_px: Sequence[Array]) -> list[Layer]:
    """Return what lies on known cards, does not look like them and is not asked about
    yet."""
    if not heap.found:
        return []
    wide = heap.usual_width_px()
    quads = unclaimed(heap.visible, heap.known_px(), wide, UNLIKE * usual_px2)
    return [
        Layer(nothing(quad), heap.source(quad))
        for quad in quads
        if share_inside(quad, asked_px) < ASKED
    ]


def _strip(quad_px: Array, side: int) -> Array:
    """Return the strip that lies outside a side of a card."""
    start, end, after, before = (quad_px[(side + n) % 4] for n in range(4))
    out = 0.5 * ((start - before) + (end - after)) * BESIDE
    return np.array([start + out, end + out, end, start])
