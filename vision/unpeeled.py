"""What has been recognised of the cards in a picture, and what is left to explain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.identify import Identifier, Mask, Sighting
from vision.locate import locate_by_cards
from vision.matching.claim import (
    Claim,
    Print,
    claim_of,
    lying_on,
    print_of,
    shown_share,
)
from vision.matching.ground import Region, on_table
from vision.matching.heap import topmost_first
from vision.matching.patches import Plane
from vision.matching.votes import Vote
from vision.places import (
    WHOLE,
    WHOLE_SEEN,
    Place,
    cover,
    is_open,
    is_same,
    pose_by_part,
    poses_of,
)
from vision.quads import area_px2, common_px2, quad_overlap
from vision.types import Array, Bgr, Frame, TableNotFound

FEW, MOST_REFERENCES = 6, 12
"""The table is looked for again until so many cards tell it; more than so many only
cost time."""
FAR_TOO_LARGE = 6.0
"""A box so much larger than the median one holds several cards, or the table."""
MORE, FEWEST_POINTS = 1.1, 20
"""A card that is laid anew must show on so much more of the picture than before, or
look more like its face; and points that tell how it lies must be so many."""
AWRY = 0.02
"""Share of its width by which a corner that was laid without the table may be off."""
FAR_OFF, MOST_AGAIN = 0.08, 3
"""Share of its width by which corners were off from which it is laid once more, and how
often."""
PROMISING = 0.3
"""Likeness from which a card is laid straight once more."""
OWN_SHARE, WORTH_A_LOOK = 0.15, 0.25
"""What shows of an unknown card beyond all known ones, or it is a part of these; and of
one that is looked at once more."""
OWNED = 0.5
"""Share of a card's claim that known cards have already."""
LIGHTS = 2
"""So many cards tell the light of others about them."""
LAID_SHARE = 0.1
"""What must show of it where the table only roughly has it lie: a strip of .2 under a
Freeze showed .15 so, 3 mm aside, and the whole of it when the card was laid exactly."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One card; those before it in a list lie above it, or beside."""

    sighting: Sighting
    source: int
    """Index of the quad that it was found by."""


class Heap:
    """Cards that lie on each other: known ones, and places that may hold others."""

    def __init__(
        self,
        bgr: Bgr,
        identifier: Identifier,
        size_mm: tuple[float, float],
        quads_px: Sequence[Array],
        table: TableMap | None = None,
    ) -> None:
        self.bgr, self.identifier, self.size_mm = bgr, identifier, size_mm
        self.found: list[Layer] = []
        self.claims: list[Claim] = []
        self.table = table
        self._references = 0 if table is None else FEW
        self.quads_px = quads_px
        self.places = [Place(q, i, is_tabled=False) for i, q in enumerate(quads_px)]
        usual = float(np.median([area_px2(quad) for quad in quads_px] or [0.0]))
        self.largest_px2 = FAR_TOO_LARGE * usual if len(quads_px) >= FEW else math.inf
        self.visible: Mask = np.full(bgr.shape[:2], 255, np.uint8)
        self.boxes: Mask = np.zeros(bgr.shape[:2], np.uint8)
        for quad in quads_px:
            if area_px2(quad) < self.largest_px2:
                box = np.round(quad).astype(np.int32)
                cv2.fillConvexPoly(self.boxes, box, (255,))
        self.done: set[Region] = set()
        self.done_pale: set[Region] = set()
        self.has_voted = False
        self.sorted_ones: list[Place] = []
        self._straight = self.edged = 0
        self._prints: dict[int, Print] = {}
        self.strips: Mask = np.zeros_like(self.boxes)
        """Where else a card may lie under a known one (`strangers.is_beside`)."""

    def locate(self, frame: Frame) -> None:
        """Find the table by the cards that lie open, as long as they are few."""
        looks = [layer.sighting for layer in self.found]
        clear = [look for look in looks if is_open(look)]
        # Where none is clear one that is not will do: without a table nothing votes.
        clear = clear or [look for look in looks if look.seen > WHOLE_SEEN] or looks
        quads = [look.quad_px for look in clear]
        if self.table is not None and self._references >= min(len(quads), FEW):
            return
        height, width = frame.bgr.shape[:2]
        camera = Camera.guess(width, height, frame.exif)
        table = locate_by_cards(quads[:MOST_REFERENCES], camera, size_mm=self.size_mm)
        if not isinstance(table, TableNotFound):
            self.table, self._references = table, len(quads)
            self.done.clear()
            self.done_pale.clear()
            self.has_voted = False

    def straighten(self) -> None:
        """Lay cards that were found without the table as it has them lie."""
        if self.table is None:
            return
        for number in range(self._straight, len(self.found)):
            quad = self.found[number].sighting.quad_px
            there = self._as_it_shows(number)
            if there is None:
                continue
            if np.abs(there - quad).max() > AWRY * np.linalg.norm(quad[1] - quad[0]):
                self._lay_again(number, there)
        self._straight = len(self.found)

    def _as_it_shows(self, number: int) -> Array | None:
        """Return the corners of a known card as the table has it lie where it shows;
        `None` if it shows nowhere, or not on the table."""
        assert self.table is not None
        quad, part = self.found[number].sighting.quad_px, self.claims[number].points()
        if len(part) < FEWEST_POINTS:
            return None
        try:
            pose = pose_by_part(self.table, quad, part, self.size_mm)
        except GeometryError:
            return None
        return on_table(self.table, pose, self.size_mm)

    def _lay_again(self, number: int, quad_px: Array) -> None:
        """Move a known card if it then looks more like its face, or more of it does
        (what lies on the rest may not be known yet)."""
        layer, claimed = self.found[number], self.claims[number]
        shows = self.visible.copy()
        claimed.given_to(shows)
        picture = layer.sighting.picture
        assert picture is not None
        face = self.face(picture)
        again = self._looked_at(quad_px, shows, picture)
        is_liker = again is not None and again.likeness > layer.sighting.likeness
        if not is_liker:
            only: Mask = np.zeros_like(shows)
            claim_of(self.bgr, quad_px, face, shows).given_to(only)
            again = self._looked_at(quad_px, only, picture)
        if again is None:
            return
        claim = claim_of(self.bgr, again.quad_px, face, shows)
        if not is_liker and claim.px2 < MORE * claimed.px2:
            return
        self.found[number] = replace(layer, sighting=again)
        self.claims[number] = claim
        self.visible = shows
        claim.taken_from(self.visible)

    def _looked_at(self, quad_px: Array, shows: Mask, picture: int) -> Sighting | None:
        """Return the look at a picture where it lies, if it is named by it."""
        look = self.identifier.identify(
            self.bgr, quad_px, shows, size_mm=self.size_mm, expected=picture
        )
        return look if look.picture == picture and look.deck is not None else None

    def take(self, cards: Sequence[tuple[Place, Sighting]]) -> bool:
        """Take off cards; return whether any was new."""
        before = len(self.found)
        for place, sighting in cards:
            self.places.remove(place)
            if any(is_same(sighting, layer.sighting) for layer in self.found):
                continue
            assert sighting.picture is not None
            face = self.face(sighting.picture)
            shows = self.shows(place)
            claim = claim_of(self.bgr, sighting.quad_px, face, shows, self._light())
            for number in self._below(place):
                claim.taken_from_other(self.claims[number])
            self.found.append(Layer(sighting, place.source))
            self.claims.append(claim)
            claim.taken_from(self.visible)
        return len(self.found) > before

    def _light(self) -> Plane | None:
        """Return the light of known cards that lie in no glare; `None` of too few."""
        lights = [claim.light for claim in self.claims if claim.light is not None]
        if len(lights) < LIGHTS:
            return None
        return np.asarray(np.median(lights, axis=0), np.float32)

    def ordered(self) -> list[Layer]:
        """Return the known cards, none before one that lies on it."""
        over = lying_on(self.known_px(), self.claims)
        return [self.found[number] for number in topmost_first(over)]

    def _below(self, place: Place) -> list[int]:
        """Return which of the known cards a place lies on, by its details."""
        below = [x.look for x in self.sorted_ones if place in x.over]
        return [i for i, x in enumerate(self.found) if x.sighting in below]

    def is_owned(self, claim: Claim) -> bool:
        """Return whether most of where a card would show looks like known ones: what
        lies on them does not."""
        owned: Mask = np.zeros_like(self.visible)
        for known in self.claims:
            known.given_to(owned)
        both = cv2.bitwise_and(claim.part_of(owned), claim.mask)
        return cv2.countNonZero(both) > OWNED * claim.px2

    def shows(self, place: Place) -> Mask:
        """Return what no known card hides of the picture, but for those below."""
        below = self._below(place)
        if not below:
            return self.visible
        shows = self.visible.copy()
        for number in below:
            self.claims[number].given_to(shows)
        return shows

    def is_worth_a_look(self, place: Place, open_px: Sequence[Array]) -> bool:
        """Return whether a place was not looked at since something that covers a part
        of it has been recognised, and is more than another box of an open card."""
        if place.look is None:
            least = LAID_SHARE if place.is_tabled else WORTH_A_LOOK
            return shown_share(self.visible, place.quad_px, open_px) > least
        fresh = self.known_px()[place.known :]
        return any(common_px2(place.quad_px, quad) > 0 for quad in fresh)

    def look(self, place: Place) -> Sighting:
        """Return what is in a place; nothing if nearly all of it is explained."""
        least = OWN_SHARE if place.is_tabled else WORTH_A_LOOK
        shows = self.shows(place)
        if shown_share(shows, place.quad_px) < least and place.look:
            return replace(place.look, deck=None)
        if shows is not self.visible:
            self.look_under(place, (), shows)
            assert place.look is not None
            return place.look
        if place.is_tabled:
            picture = place.expected.picture if place.expected else None
            laid = self._identified(place.quad_px, self.size_mm, picture)
            is_own = shown_share(self.visible, laid.quad_px) >= OWN_SHARE
            return laid if is_own else replace(laid, deck=None)
        found = self._identified(place.quad_px, None)
        if self.table is None or (found.deck is not None and found.seen > WHOLE_SEEN):
            return found
        if found.deck is None and not found.in_glare:
            return found
        # Corners that are covered, or burnt out, are where the table has them.
        poses = poses_of(self.table, [found.quad_px], self.size_mm)
        quads = [on_table(self.table, pose, self.size_mm) for pose in poses]
        again = [self._identified(quad, self.size_mm) for quad in quads]
        return again[0] if again and again[0].deck is not None else found

    def look_under(self, place: Place, above: Sequence[Place], visible: Mask) -> None:
        """Look at a place that has votes, without some that may lie on it."""
        shows = visible.copy() if above else visible
        for other in above:
            cover(shows, other.quad_px)
        assert place.expected is not None
        place.look = self.identifier.identify(
            self.bgr,
            place.quad_px,
            shows,
            size_mm=self.size_mm,
            expected=place.expected.picture,
            details=place.expected.count if place.is_forgiven else 0,
        )
        place.known, place.is_sorted = len(self.found), True

    def _identified(
        self,
        quad_px: Array,
        size_mm: tuple[float, float] | None,
        expected: int | None = None,
    ) -> Sighting:
        first = self.identifier.identify(
            self.bgr, quad_px, self.visible, size_mm=size_mm, expected=expected
        )
        before = quad_px
        for _ in range(MOST_AGAIN):
            is_laid = first.likeness > WHOLE and not _is_moved(before, first.quad_px)
            if first.likeness < PROMISING or is_laid:
                break
            # It was moved, but may not have come all the way.
            before = first.quad_px
            again = self.identifier.identify(
                self.bgr, before, self.visible, size_mm=size_mm
            )
            if again.likeness <= first.likeness:
                break
            first = again
        return first

    def tabled(self, pose: Array, vote: Vote | None) -> Place:
        """Return a place on the table; its source is the box that shows most of it."""
        assert self.table is not None
        quad = on_table(self.table, pose, self.size_mm)
        source = self.source(quad)
        return Place(quad, source, is_tabled=True, is_fresh=True, expected=vote)

    def has_box(self, place: Place) -> bool:
        """Return whether the detector has seen most of what shows in a place."""
        boxed = np.asarray(cv2.bitwise_and(self.visible, self.boxes), np.uint8)
        shown = shown_share(self.visible, place.quad_px)
        return shown_share(boxed, place.quad_px) > shown / 2

    def source(self, quad_px: Array) -> int:
        """Return the box that shows most of a quad."""
        return int(np.argmax([quad_overlap(quad_px, box) for box in self.quads_px]))

    def face(self, picture: int) -> Print:
        """Return a picture of the galleries as claims are compared with it."""
        if picture not in self._prints:
            reference = self.identifier.references.all[picture]
            self._prints[picture] = print_of(reference.picture)
        return self._prints[picture]

    def usual_width_px(self) -> float:
        """Return how wide cards are here: known ones, or else as the table has them
        where the boxes are."""
        quads = self.known_px()
        if not quads and self.table is not None:
            poses = poses_of(self.table, self.quads_px, self.size_mm)
            quads = [on_table(self.table, pose, self.size_mm) for pose in poses]
        widths = [float(np.linalg.norm(quad[1] - quad[0])) for quad in quads]
        return float(np.median(widths or [0.0]))

    def known_px(self) -> list[Array]:
        """Return where known cards lie, in the order in which they were taken."""
        return [layer.sighting.quad_px for layer in self.found]


def _is_moved(quad_px: Array, again_px: Array) -> bool:
    """Return whether a card lies far from where it was looked for, either way up."""
    away = min(np.abs(np.roll(again_px, n, axis=0) - quad_px).max() for n in (0, 2))
    return bool(away > FAR_OFF * np.linalg.norm(quad_px[1] - quad_px[0]))
