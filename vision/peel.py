"""Names the cards of a picture from galleries, layer by layer from the top.

What is recognised whole lies on top. It is then taken away: what it covers no longer
counts when the cards under it are compared. So the order in which cards are recognised
is the order in which they lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.identify import Identifier, Mask, Sighting
from vision.locate import locate_by_cards
from vision.matching.ground import ground_of, ways
from vision.matching.leftover import strange_px2
from vision.outline import outlined
from vision.place import card_corners_mm, fit_rectangles
from vision.quads import area_px2, common_px2, quad_overlap
from vision.refine import refine_quad
from vision.types import Array, Bgr, Frame, TableNotFound

LAYERS = 12
MOST_REFERENCES = 12
WHOLE = 0.97
"""Likeness from which a card without anything over it is taken off."""
MOST_WAYS = 4
"""So many ways to lie are looked at closer in each place that nothing explains yet."""
MIN_FOUND_LIKENESS = 0.9
"""Of many ways to lie some look a little like a card by chance."""
SAME_CARD = 0.6
STRANGE = 0.12
"""Share of a card that must look unlike the table for an unknown one to be there."""
OWN_SHARE, WORTH_A_LOOK, OPEN = 0.18, 0.35, 0.7
"""What shows of an unknown card beyond all known ones, or it is a part of these; of one
that is looked at once more; of one whose outline is looked for afresh."""
MOVED = 0.02
"""Share of its width that a corner must move to be worth another look."""


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

    Of a card that is mostly covered the detector sees what shows, if anything. Once
    cards that lie open have told where the table is, all ways are tried in which a card
    of that size may lie there (`matching.ground`).
    """
    pile = _Pile(frame.bgr, identifier, size_mm, list(quads_px))
    pile.take(pile.named(), 0)
    pile.take(pile.named_afresh(), 0)
    for depth in range(1, LAYERS):
        pile.table = _table(frame, pile.found, size_mm)
        if not pile.take([*pile.named(), *pile.searched()], depth):
            break
    return [*pile.found, *pile.unknown()]


@dataclass(slots=True, eq=False)
class _Pile:
    """What has been recognised so far, and what of the picture is left to explain."""

    bgr: Bgr
    identifier: Identifier
    size_mm: tuple[float, float]
    quads_px: list[Array]
    found: list[Layer] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    table: TableMap | None = None
    visible: Mask = field(init=False)
    _boxes: Mask = field(init=False)
    _looks: dict[int, tuple[int, Sighting]] = field(default_factory=dict)
    """Of each quad how much had been found when it was last looked at, and the look."""

    def __post_init__(self) -> None:
        self.visible = np.full(self.bgr.shape[:2], 255, np.uint8)
        self._boxes = np.zeros(self.bgr.shape[:2], np.uint8)
        for quad in self.quads_px:
            cv2.fillConvexPoly(self._boxes, np.round(quad).astype(np.int32), (255,))
        self.waiting = list(range(len(self.quads_px)))

    def named(self) -> list[tuple[int, Sighting]]:
        """Return the waiting quads that can be named as they lie.

        One that was looked at before is looked at again if something that covers a part
        of it has been recognised since, unless that is nearly all of it.
        """
        for number in self.waiting:
            quad = self.quads_px[number]
            before = self._looks.get(number)
            if before is None or (
                any(common_px2(quad, top) > 0 for top in self._known_px()[before[0] :])
                and _own_share(quad, self._known_px()) > WORTH_A_LOOK
            ):
                looked = self.identifier.identify(self.bgr, quad, self.visible)
                self._looks[number] = len(self.found), looked
        looks = [(number, self._looks[number][1]) for number in self.waiting]
        return [(number, look) for number, look in looks if _is_named(look)]

    def named_afresh(self) -> list[tuple[int, Sighting]]:
        """Return the quads that lie open and can be named once their outline is looked
        for afresh."""
        for number in self.waiting:
            quad = self.quads_px[number]
            if _own_share(quad, self._known_px()) < OPEN:
                continue
            again = outlined(self.bgr, quad, refine_quad(self.bgr, quad)).quad_px
            if np.abs(again - quad).max() > MOVED * np.abs(quad[1] - quad[0]).max():
                self.quads_px[number] = again
                del self._looks[number]
        return self.named()

    def searched(self) -> list[tuple[int, Sighting]]:
        """Return the cards that are named where the table lets a card lie, each with
        the box that shows it best."""
        if self.table is None:
            return []
        hints = _poses(self.table, [*self.quads_px, *self._known_px()], self.size_mm)
        ground = ground_of(
            self.bgr, self.table, self.visible, self._boxes, hints, self.size_mm
        )
        thumbs = self.identifier.references.thumbs
        named = []
        for way in ways(ground, thumbs, hints, MOST_WAYS):
            sighting = self.identifier.identify(
                self.bgr, way.quad_px, self.visible, size_mm=self.size_mm
            )
            if _is_named(sighting) and sighting.likeness > MIN_FOUND_LIKENESS:
                named.append((self._source(sighting.quad_px), sighting))
        return named

    def take(self, known: Sequence[tuple[int, Sighting]], depth: int) -> bool:
        """Take off the cards that no other one lies on; return whether any was new."""
        before = len(self.found)
        for number, sighting in _tops(known, strict=depth == 0):
            if number in self.waiting:
                self.waiting.remove(number)
            if any(_is_same(sighting, layer.sighting) for layer in self.found):
                continue
            self.found.append(Layer(sighting, depth, number))
            _cover(self.visible, sighting.quad_px)
        return len(self.found) > before or depth == 0

    def unknown(self) -> list[Layer]:
        """Return what the detector took for cards and nothing explains."""
        usual = np.median([area_px2(q) for q in self._known_px()] or [0.0])
        left = []
        for number in self.waiting:
            quad = self.quads_px[number]
            if _own_share(quad, self._known_px()) < OWN_SHARE:
                continue
            if self._strange_px2(quad) < STRANGE * (usual or area_px2(quad)):
                continue
            sighting = self._looks[number][1]
            left.append(Layer(replace(sighting, deck=None), LAYERS, number))
        return sorted(left, key=lambda layer: -layer.sighting.seen)

    def _strange_px2(self, quad_px: Array) -> float:
        """Return how much of what shows in a quad does not look like the table beside
        it."""
        return strange_px2(self.bgr, quad_px, self.visible, self._boxes)

    def _known_px(self) -> list[Array]:
        return [layer.sighting.quad_px for layer in self.found]

    def _source(self, quad_px: Array) -> int:
        overlaps = [quad_overlap(quad_px, other) for other in self.quads_px]
        return int(np.argmax(overlaps))


def _poses(
    table: TableMap, quads_px: Sequence[Array], size_mm: tuple[float, float]
) -> Array:
    """Return (N, 3) where things lie on the table, in mm and rad."""
    found = [np.zeros((0, 3))]
    for quad in quads_px:
        try:
            corners = table.to_table(quad)
        except GeometryError:
            continue
        middle, turn, _ = fit_rectangles(corners, card_corners_mm(size_mm))
        found.append(np.array([[*middle, float(turn)]]))
    return np.concatenate(found)


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
