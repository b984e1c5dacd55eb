"""Names the cards of a picture from galleries, layer by layer from the top.

What is recognised whole lies on top. It is then taken away: what it covers no longer
counts when the cards under it are compared. So the order in which cards are recognised
is often the order in which they lie; where it is not, the print tells: where a card is
not like its face another one lies on it (`matching.claim`). Once cards that lie open
have told where the table is, what shows and has no name yet is tried as a card in every
way that one may lie there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.by_details import told_by_details
from vision.geometry import TableMap
from vision.identify import Identifier, Mask, Sighting
from vision.matching.claim import Claim, claim_of, shown_share
from vision.matching.glare import whitened
from vision.matching.ground import MIN_INSIDE, Region, ground_of, ways
from vision.matching.heap import lying_over, topmost_first
from vision.matching.pale import in_grey
from vision.matching.patches import BURNT, darkest
from vision.matching.shortlist import Thumbs
from vision.matching.votes import Pairs, Vote, Voter, votes
from vision.open_outlines import open_outlines
from vision.outline import matched, outlined
from vision.places import WHOLE, Place, is_open, poses_of, tops
from vision.quads import area_px2, common_px2, quad_overlap
from vision.refine import refine_quad
from vision.strangers import is_beside, strangers
from vision.types import Array, Bgr, Frame
from vision.unpeeled import FEW, OWN_SHARE, Heap, Layer

__all__ = ["Layer", "peel"]

LAYERS = 12
MOST_VOTED, BEYOND_BOXES = 60, 5.6
"""So many ways to lie that details have voted for are looked at; and so far around the
boxes, in widths of a card, is the field in which details are looked for: chains run on
where the detector sees nothing."""
MOST_WAYS = 8
"""So many ways to lie are looked at closer in each place that nothing explains yet."""
MOST_WAYS_PALE, PALE_INSIDE = 24, 0.6
"""The same where glare has left print pale, and share of what shows of a card that must
lie in such a place: boxes end where print does."""
LEAST_CLAIM = 0.15
"""Share of a card that must look like it, where details have voted for it."""
OPEN = 0.7
"""What shows of a card whose outline is looked for afresh."""
GLARE_EDGE_PX = 5
"""Beside glare the print is pale."""
ASIDE = 0.5, 0.9
"""Overlap of two outlines of which one lies aside of the other."""
MOVED = 0.02
"""Share of its width that a corner must move to be worth another look."""


def peel(
    frame: Frame,
    quads_px: Sequence[Array],
    identifier: Identifier,
    size_mm: tuple[float, float],
    table: TableMap | None = None,
    *,
    searches: bool = True,
) -> list[Layer]:
    """Return each physical card once, the topmost first.

    Of a card that is mostly covered the detector sees what shows, if anything. Once
    cards that lie open have told where the table is, all ways are tried in which a card
    of that size may lie there (`matching.ground`). Who knows the `table` says it; who
    looks again anyway where something has no name need not search now.
    """
    heap = Heap(whitened(frame.bgr), identifier, size_mm, quads_px, table)
    looks = _Looks(heap)
    heap.take(tops(looks.named(FEW), least=WHOLE))
    for _ in range(LAYERS):
        heap.locate(frame)
        heap.straighten()
        if any(heap.take(tops(look())) for look in (looks.voted, looks.named)):
            continue
        if heap.take(looks.claimed()) or heap.take(tops(looks.believed())):
            continue
        if not searches:
            break
        # Burnt-out strips may look like the table, and nothing seem to be left open.
        if heap.take(tops(looks.voted_pale())):
            continue
        # What costs most comes last, and only if the rest leaves something open.
        dear = (
            looks.told_by_details,
            looks.forgiven,
            looks.searched,
            looks.named_afresh,
            looks.boxed,
            looks.searched_pale,
        )
        if not is_beside(heap) and not strangers(heap):
            break
        if not any(heap.take(tops(look())) for look in dear):
            break
    return [*heap.ordered(), *strangers(heap)]


class _Looks:
    """The ways to find out what lies in a heap."""

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        self._pairs: Pairs | None = None
        self._pale_on: TableMap | None = None
        self._open_px: list[Array] | None = None

    def named(self, enough: int | None = None) -> list[Place]:
        """Return the places with a card that can be named; no more are looked for once
        there are `enough` that lie open."""
        open_px: list[Array] = []
        for place in self.heap.places:
            if len(open_px) == enough:
                break
            if self.heap.is_worth_a_look(place, open_px):
                place.look, place.known = self.heap.look(place), len(self.heap.found)
                place.is_sorted = False
                if place.look.deck is not None and is_open(place.look):
                    open_px.append(place.look.quad_px)
        return [place for place in self.heap.places if place.is_named]

    def named_afresh(self) -> list[Place]:
        """Return the same, once the outlines of what lies open and has no name yet have
        been looked for afresh: what lies by itself is told by its outline alone."""
        for place in self.heap.places:
            quad = place.quad_px
            if place.is_fresh or shown_share(self.heap.visible, quad) < OPEN:
                continue
            place.is_fresh = True
            bgr = self.heap.bgr
            again = self._by_itself(quad)
            if again is None:
                again = outlined(bgr, quad, refine_quad(bgr, quad)).quad_px
            if np.abs(again - quad).max() > MOVED * np.abs(quad[1] - quad[0]).max():
                place.quad_px, place.look = again, None
        return self.named()

    def _by_itself(self, quad_px: Array) -> Array | None:
        """Return the open outline that a box is most like, from the same corner; `None`
        if it is like none."""
        if self._open_px is None:
            self._open_px = [one.quad_px for one in open_outlines(self.heap.bgr)]
        near = [
            (quad_overlap(quad_px, quad), n) for n, quad in enumerate(self._open_px)
        ]
        overlap, number = max(near, default=(0.0, 0))
        return matched(self._open_px[number], quad_px) if overlap > ASIDE[0] else None

    def voted(self) -> list[Place]:
        """Return the places with a card that can be named, of those that details of the
        print have voted for."""
        if self.heap.table is None or self.heap.has_voted:
            return []
        self.heap.has_voted = True
        if self._pairs is None:
            self._pairs = self._matched(self.heap.identifier.voter)
        if self._pairs is None:
            return []
        found = votes(self._pairs, self.heap.table, self.heap.visible)[:MOST_VOTED]
        boxed = list(self.heap.places)
        places = [self._told(self._pairs, vote) for vote in found]
        self.heap.places += places
        named = self._sorted([place for place in places if place.is_voted])
        return self._without_aside(named, boxed)

    def _without_aside(
        self, named: Sequence[Place], boxed: Sequence[Place]
    ) -> list[Place]:
        """Return the places without those that lie aside of a box in which a card shows
        whole that looks more like another face: figures that a face has twice vote for
        it one figure farther, too. Those cards come with them."""
        kept: list[Place] = []
        for place in named:
            whole = self._whole_card(place, boxed)
            kept.append(whole or place)
        return list(dict.fromkeys(kept))

    def _whole_card(self, place: Place, boxed: Sequence[Place]) -> Place | None:
        """Return the box aside of a place in which another card lies open."""
        assert place.look is not None
        quad = place.look.quad_px
        for box in boxed:
            overlap = quad_overlap(quad, box.quad_px)
            if box.is_tabled or not ASIDE[0] < overlap < ASIDE[1]:
                continue
            if shown_share(self.heap.visible, box.quad_px) < WHOLE:
                continue
            if box.look is None:
                box.look, box.known = self.heap.look(box), len(self.heap.found)
            is_other = box.look.picture != place.look.picture
            is_surer = box.look.likeness > place.look.likeness
            if is_other and is_surer and box.is_named and is_open(box.look):
                place.look = replace(place.look, deck=None)
                return box
        return None

    def _sorted(self, places: Sequence[Place]) -> list[Place]:
        """Return those of the places that can be named, the topmost first: each is
        looked at without what lies on it by its details."""
        quads = [place.quad_px for place in places]
        over = lying_over(quads, [place.details_px for place in places])
        order = [places[number] for number in topmost_first(over)]
        self.heap.sorted_ones = order
        for place, others in zip(places, over, strict=True):
            place.over = [places[i] for i in others]
        for place in order:
            self.heap.look_under(place, place.over, self.heap.visible)
        for place in order:
            # What was thought to lie there may be nothing.
            above = [other for other in place.over if other.is_named]
            if not place.is_named and len(above) < len(place.over):
                self.heap.look_under(place, above, self.heap.visible)
        return [place for place in order if place.is_named]

    def claimed(self) -> list[tuple[Place, Sighting]]:
        """Return the cards that many details have voted for and that look like their
        faces where these show, whatever lies on them; first those that show most."""
        open_ones = [p for p in self.heap.places if p.is_voted and not p.is_named]
        shown: list[tuple[float, Place, Claim]] = []
        for place in open_ones:
            shows = self.heap.shows(place)
            if shown_share(shows, place.quad_px) < LEAST_CLAIM:
                continue
            assert place.expected is not None
            face = self.heap.face(place.expected.picture)
            claim = claim_of(self.heap.bgr, place.quad_px, face, shows)
            share = claim.px2 / max(area_px2(place.quad_px), 1.0)
            if share > LEAST_CLAIM and not self.heap.is_owned(claim):
                shown.append((share, place, claim))
        taken: list[tuple[Place, Sighting]] = []
        for _, place, claim in sorted(shown, key=lambda each: -each[0]):
            if any(common_px2(place.quad_px, one.quad_px) > 0 for one, _ in taken):
                continue
            only: Mask = np.zeros_like(self.heap.visible)
            claim.given_to(only)
            self.heap.look_under(place, (), only)
            if place.is_named and place.look is not None:
                taken.append((place, place.look))
        return taken

    def believed(self) -> list[Place]:
        """Return the places with a card that can be named and that details have voted
        for, few as they may be: of two that say the same neither needs be so sure."""
        for place in self.heap.places:
            vote, look = place.expected, place.look
            if vote is not None and look is not None and look.deck is not None:
                place.is_forgiven |= look.picture == vote.picture
        return [place for place in self.heap.places if place.is_named]

    def boxed(self) -> list[Place]:
        """Return the places with a card that can be named, though it is not so sure,
        where the detector has seen one, too, that nothing explains."""
        for place in self.heap.places:
            is_named = place.look is not None and place.look.deck is not None
            if place.is_tabled and is_named and self.heap.has_box(place):
                place.is_forgiven = True
        return [place for place in self.heap.places if place.is_named]

    def forgiven(self) -> list[Place]:
        """Return the places with a card that many details have voted for, though it
        looks less like its face than others do: glare hides a part of it."""
        dark = cv2.erode(
            np.where(darkest(self.heap.bgr) < BURNT, 255, 0).astype(np.uint8),
            np.ones((GLARE_EDGE_PX, GLARE_EDGE_PX), np.uint8),
        )
        for place in self.heap.places:
            shows = self.heap.shows(place)
            shown = shown_share(shows, place.quad_px)
            if not place.is_voted or place.is_named or shown < OWN_SHARE:
                continue
            self.heap.look_under(place, (), np.asarray(cv2.bitwise_and(shows, dark)))
            if place.is_named and place.look is not None:
                place.look = replace(place.look, seen=shown)
                continue
            place.is_forgiven = True
            self.heap.look_under(place, (), shows)
        return [place for place in self.heap.places if place.is_named]

    def told_by_details(self) -> list[Place]:
        """Return the places with a card that can be named, where none lies open."""
        return told_by_details(self.heap)

    def voted_pale(self) -> list[Place]:
        """Return the places with a card that can be named, of those that many details
        have voted for which glare has left pale: both must say the same."""
        heap = self.heap
        if heap.table is None or heap.table is self._pale_on:
            return []
        self._pale_on = heap.table
        pairs = self._matched(heap.identifier.pale)
        if pairs is None:
            return []
        found = votes(pairs, heap.table, heap.visible)[:MOST_VOTED]
        pale = [self._told(pairs, vote) for vote in found]
        pale = [place for place in pale if place.is_voted]
        for place in pale:
            place.is_forgiven = True
        known = [p for p in heap.places if p.is_voted and not p.is_named]
        self._sorted([*known, *pale])
        heap.places += [place for place in pale if place.is_seconded]
        return [place for place in heap.places if place.is_named]

    def searched(self) -> list[Place]:
        """Return the places with a card that can be named, of all in which the table
        lets a card lie where something is not explained yet."""
        heap = self.heap
        thumbs = heap.identifier.references.thumbs
        return self._searched_on(heap.bgr, thumbs, heap.done, MOST_WAYS)

    def searched_pale(self) -> list[Place]:
        """Return the same, of print that glare has left pale: nothing looks so much
        like its face there, so more ways are looked at."""
        heap = self.heap
        thumbs = heap.identifier.pale_thumbs.ready()
        if thumbs is None:
            return []
        bgr = in_grey(heap.bgr, heap.usual_width_px())
        return self._searched_on(
            bgr, thumbs, heap.done_pale, MOST_WAYS_PALE, PALE_INSIDE
        )

    def _searched_on(
        self,
        bgr: Bgr,
        thumbs: Thumbs,
        done: set[Region],
        most: int,
        least_inside: float = MIN_INSIDE,
    ) -> list[Place]:
        """Return the same, by how like thumbnails some picture of the table looks."""
        heap = self.heap
        if heap.table is None:
            return []
        quads = [*heap.quads_px, *heap.known_px()]
        hints = poses_of(heap.table, quads, heap.size_mm)
        region = np.asarray(cv2.bitwise_or(heap.boxes, heap.strips), np.uint8)
        ground = ground_of(bgr, heap.table, heap.visible, region, hints, heap.size_mm)
        poses = ways(ground, thumbs, hints, most, done, least_inside)
        places = [heap.tabled(pose, None) for pose in poses]
        for place in places:
            place.is_unseen = not heap.has_box(place)
        heap.places += places
        return self.named()

    def _matched(self, voter: Voter) -> Pairs | None:
        wide = self.heap.usual_width_px()
        if not wide:
            return None
        reach = int(wide * BEYOND_BOXES) | 1
        small = cv2.resize(
            self.heap.boxes, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_NEAREST
        )
        kernel = np.ones((reach // 4 | 1, reach // 4 | 1), np.uint8)
        height, width = self.heap.boxes.shape
        near = cv2.resize(
            cv2.dilate(small, kernel), (width, height), interpolation=cv2.INTER_NEAREST
        )
        region = np.asarray(cv2.bitwise_and(near, self.heap.visible), np.uint8)
        return voter.pairs(self.heap.bgr, region, wide, self.heap.size_mm)

    def _told(self, pairs: Pairs, vote: Vote) -> Place:
        """Return the place that details have voted for."""
        place = self.heap.tabled(vote.pose, vote)
        place.details_px = pairs.seen.points[vote.details]
        return place
