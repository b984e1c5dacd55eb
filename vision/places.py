"""Places where cards may lie in a heap, and how they hide each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.identify import Mask, Sighting
from vision.matching.claim import HIDES
from vision.matching.patches import homography, mapped
from vision.matching.votes import Vote
from vision.place import card_corners_mm, fit_rectangles, lay
from vision.quads import area_px2, common_px2, grown, quad_overlap
from vision.types import Array

WHOLE_SEEN = 0.95
WHOLE = 0.97
"""Likeness from which a card without anything over it is taken off."""
MIN_FOUND_LIKENESS = 0.9
"""Of many ways to lie some look a little like a card by chance."""
MIN_UNSEEN_LIKENESS = 0.95
"""The same where the detector has seen nothing."""
SAME_CARD = 0.6
LITTLE = 0.15
"""Share of a card by which a look cannot gainsay what details have voted for."""
MANY_VOTES = 6
"""From so many details on chance has no part in it."""


@dataclass(slots=True, eq=False)
class Place:
    """Where a card may lie, and what the last look at it has shown."""

    quad_px: Array
    source: int
    """Index of the box that shows it."""
    is_tabled: bool
    """It lies as the table has cards lie, and may be moved only along it."""
    is_fresh: bool = False
    """Its outline was looked for afresh, or needs not be."""
    expected: Vote | None = None
    """What details have voted for."""
    details_px: Array = field(default_factory=lambda: np.zeros((0, 2)))
    """(N, 2) where these lie."""
    look: Sighting | None = None
    known: int = 0
    """How many cards were known at that look."""
    is_sorted: bool = False
    """Its look has left out what lies on it, known or not."""
    over: list[Place] = field(default_factory=list)
    """What lies on it by the details that show."""
    is_forgiven: bool = False
    """Its details were believed, though it looks less like its face: in glare."""

    is_unseen: bool = False
    """The detector has seen nothing there."""

    @property
    def is_named(self) -> bool:
        """Return whether the look has shown a card that can be named."""
        if self.look is None or self.look.deck is None or self.is_gainsaid:
            return False
        least = MIN_UNSEEN_LIKENESS if self.is_unseen else MIN_FOUND_LIKENESS
        is_clear = self.look.likeness > least
        is_clear |= self.look.in_glare and not self.is_unseen
        return is_clear or self.is_forgiven or not self.is_tabled

    @property
    def is_gainsaid(self) -> bool:
        """Return whether little shows, and its look and its details do not agree."""
        vote, look = self.expected, self.look
        if vote is None or look is None or look.seen >= LITTLE:
            return False
        return look.picture != vote.picture

    @property
    def is_seconded(self) -> bool:
        """Return whether the look says the same as the details."""
        vote, look = self.expected, self.look
        return vote is not None and look is not None and look.picture == vote.picture

    @property
    def is_voted(self) -> bool:
        """Return whether more details than chance has voted for it."""
        return self.expected is not None and self.expected.count >= MANY_VOTES


def poses_of(
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


def pose_by_part(
    table: TableMap, quad_px: Array, part_px: Array, size_mm: tuple[float, float]
) -> Array:
    """Return (3,) where a card lies on the table, in mm and rad, by the (N, 2) points
    of it that look like its face: a quad is stretched where nothing holds it.

    Raises `GeometryError` if a point is not on the table.
    """
    model = mapped(homography(quad_px, card_corners_mm(size_mm)), part_px)
    held = model.mean(0)
    middle, turn, _ = fit_rectangles(table.to_table(part_px), model - held)
    pose = np.array([*middle, float(turn)])
    pose[:2] -= lay(held[None], np.array([[0, 0, float(turn)]]))[0, 0]
    return pose


def is_open(sighting: Sighting) -> bool:
    return sighting.seen > WHOLE_SEEN and sighting.likeness > WHOLE


def tops(known: Sequence[Place], *, least: float = 0.0) -> list[tuple[Place, Sighting]]:
    """Return the cards that no other of them lies on, the surest first; all of those
    that are sorted already.

    Of two that overlap the one that looks more like its face hides the other.
    """
    looks = [(place, place.look) for place in known if place.look is not None]
    if all(place.is_sorted for place, _ in looks):
        return looks
    tops: list[tuple[Place, Sighting]] = []
    for place, sighting in sorted(looks, key=lambda pair: -pair[1].likeness):
        if sighting.likeness < least:
            continue
        over = [s for _, s in tops if _overlap(sighting, s)]
        if not over or any(is_same(sighting, s) for s in over):
            tops.append((place, sighting))
    return tops


def _overlap(one: Sighting, other: Sighting) -> bool:
    both = common_px2(one.quad_px, other.quad_px)
    return both > 0.02 * min(area_px2(one.quad_px), area_px2(other.quad_px))


def is_same(one: Sighting, other: Sighting) -> bool:
    same_name = (one.deck, one.identity.label) == (other.deck, other.identity.label)
    overlap = quad_overlap(one.quad_px, other.quad_px)
    return overlap > SAME_CARD and (same_name or overlap > 0.9)


def cover(visible: Mask, quad_px: Array) -> None:
    edge = grown(quad_px, HIDES)
    cv2.fillConvexPoly(visible, np.round(edge).astype(np.int32), (0,))
