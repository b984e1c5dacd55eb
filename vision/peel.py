"""Names the cards of a picture from galleries, layer by layer from the top.

What is recognised whole lies on top. It is then taken away: what it covers no longer
counts when the cards under it are compared. So the order in which cards are recognised
is often the order in which they lie; where it is not, the print tells: where a card is
not like its face another one lies on it (`matching.claim`). Once cards that lie open
have told where the table is, what shows and has no name yet is tried as a card in every
way that one may lie there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.geometry import Camera, TableMap
from vision.identify import Identifier, Mask, Sighting, nothing
from vision.locate import locate_by_cards
from vision.matching.claim import (
    LEVEL,
    Claim,
    claim_of,
    lying_on,
    shown_share,
    unclaimed,
)
from vision.matching.ground import Region, ground_of, on_table, ways
from vision.matching.heap import lying_over, topmost_first
from vision.matching.leftover import strange_px2
from vision.matching.patches import BURNT
from vision.matching.votes import Pairs, Vote, votes
from vision.outline import outlined
from vision.places import (
    WHOLE,
    WHOLE_SEEN,
    Place,
    cover,
    is_open,
    is_same,
    poses_of,
    tops,
)
from vision.quads import area_px2, common_px2, quad_overlap, share_inside
from vision.refine import refine_quad
from vision.types import Array, Bgr, Frame, TableNotFound

LAYERS = 12
FEW, MOST_REFERENCES = 6, 12
"""The table is looked for again until so many cards tell it; more than so many only
cost time."""
FAR_TOO_LARGE = 6.0
"""A box so much larger than the median one holds several cards, or the table."""
ASKED = 0.7
"""Share of a place in one that is asked about already."""
PROMISING = 0.3
"""Likeness from which a card is laid straight once more."""
MOST_VOTED, BEYOND_BOXES = 60, 5.6
"""So many ways to lie that details have voted for are looked at; and so far around the
boxes, in widths of a card, is the field in which details are looked for: chains run on
where the detector sees nothing."""
HINT = 0.04
"""Likeness from which what many details have voted for is asked about: a false vote had
0.017 at most."""
MOST_WAYS = 8
"""So many ways to lie are looked at closer in each place that nothing explains yet."""
STRANGE, UNLIKE = 0.08, 0.1
"""Share of a card that must look unlike the table for an unknown one to be there, and
unlike a known one that it lies on."""
LEAST_CLAIM = 0.15
"""Share of a card that must look like it, where details have voted for it."""
OWN_SHARE, WORTH_A_LOOK, OPEN = 0.15, 0.25, 0.7
"""What shows of an unknown card beyond all known ones, or it is a part of these; of one
that is looked at once more; of one whose outline is looked for afresh."""
GLARE_EDGE_PX = 5
"""Beside glare the print is pale."""
MOVED = 0.02
"""Share of its width that a corner must move to be worth another look."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One card; those before it in a list lie above it, or beside."""

    sighting: Sighting
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
    pile = _Pile(frame.bgr, identifier, size_mm, quads_px)
    pile.take(tops(pile.named(FEW), least=WHOLE))
    for _ in range(LAYERS):
        pile.locate(frame)
        if any(pile.take(tops(look())) for look in (pile.voted, pile.named)):
            continue
        if pile.take(pile.claimed()):
            continue
        # What costs most comes last, and only if the rest leaves something open.
        dear = (pile.forgiven, pile.searched, pile.named_afresh)
        if not pile.unknown() or not any(pile.take(tops(look())) for look in dear):
            break
    return [*pile.ordered(), *pile.unknown()]


class _Pile:
    """What has been recognised so far, and what of the picture is left to explain."""

    def __init__(
        self,
        bgr: Bgr,
        identifier: Identifier,
        size_mm: tuple[float, float],
        quads_px: Sequence[Array],
    ) -> None:
        self.bgr, self.identifier, self.size_mm = bgr, identifier, size_mm
        self.found: list[Layer] = []
        self._claims: list[Claim] = []
        self.table: TableMap | None = None
        self._references = 0
        self._quads_px = quads_px
        self._places = [Place(q, i, is_tabled=False) for i, q in enumerate(quads_px)]
        usual = float(np.median([area_px2(quad) for quad in quads_px] or [0.0]))
        self._largest_px2 = FAR_TOO_LARGE * usual if len(quads_px) >= FEW else math.inf
        self._visible: Mask = np.full(bgr.shape[:2], 255, np.uint8)
        self._boxes: Mask = np.zeros(bgr.shape[:2], np.uint8)
        for quad in quads_px:
            if area_px2(quad) < self._largest_px2:
                box = np.round(quad).astype(np.int32)
                cv2.fillConvexPoly(self._boxes, box, (255,))
        self._done: set[Region] = set()
        self._pairs: Pairs | None = None
        self._has_voted = False
        self._sorted_ones: list[Place] = []

    def locate(self, frame: Frame) -> None:
        """Find the table by the cards that lie open, as long as they are few."""
        looks = [layer.sighting for layer in self.found]
        clear = [look for look in looks if is_open(look)]
        # Where none is clear one that is not will do: without a table nothing votes.
        clear = clear or [look for look in looks if look.seen > WHOLE_SEEN]
        quads = [look.quad_px for look in clear]
        if self.table is not None and self._references >= min(len(quads), FEW):
            return
        height, width = frame.bgr.shape[:2]
        camera = Camera.guess(width, height, frame.exif)
        table = locate_by_cards(quads[:MOST_REFERENCES], camera, size_mm=self.size_mm)
        if not isinstance(table, TableNotFound):
            self.table, self._references = table, len(quads)
            self._done.clear()
            self._has_voted = False

    def named(self, enough: int | None = None) -> list[Place]:
        """Return the places with a card that can be named; no more are looked for once
        there are `enough` that lie open."""
        open_px: list[Array] = []
        for place in self._places:
            if len(open_px) == enough:
                break
            if self._is_worth_a_look(place, open_px):
                place.look, place.known = self._look(place), len(self.found)
                place.is_sorted = False
                if place.look.deck is not None and is_open(place.look):
                    open_px.append(place.look.quad_px)
        return [place for place in self._places if place.is_named]

    def named_afresh(self) -> list[Place]:
        """Return the same, once the outlines of what lies open and has no name yet have
        been looked for afresh."""
        for place in self._places:
            quad = place.quad_px
            if place.is_fresh or shown_share(self._visible, quad) < OPEN:
                continue
            place.is_fresh = True
            again = outlined(self.bgr, quad, refine_quad(self.bgr, quad)).quad_px
            if np.abs(again - quad).max() > MOVED * np.abs(quad[1] - quad[0]).max():
                place.quad_px, place.look = again, None
        return self.named()

    def voted(self) -> list[Place]:
        """Return the places with a card that can be named, of those that details of the
        print have voted for."""
        if self.table is None or self._has_voted:
            return []
        self._has_voted = True
        if self._pairs is None:
            self._pairs = self._matched()
        if self._pairs is None:
            return []
        found = votes(self._pairs, self.table, self._visible)[:MOST_VOTED]
        places = [self._tabled(vote.pose, vote) for vote in found]
        self._places += places
        return self._sorted([place for place in places if place.is_voted])

    def _sorted(self, places: Sequence[Place]) -> list[Place]:
        """Return those of the places that can be named, the topmost first: each is
        looked at without what lies on it by its details."""
        quads = [place.quad_px for place in places]
        over = lying_over(quads, [self._details_px(place) for place in places])
        order = [places[number] for number in topmost_first(over)]
        self._sorted_ones = order
        for place, others in zip(places, over, strict=True):
            place.over = [places[i] for i in others]
        for place in order:
            self._look_under(place, place.over, self._visible)
        for place in order:
            # What was thought to lie there may be nothing.
            above = [other for other in place.over if other.is_named]
            if not place.is_named and len(above) < len(place.over):
                self._look_under(place, above, self._visible)
        return [place for place in order if place.is_named]

    def claimed(self) -> list[tuple[Place, Sighting]]:
        """Return the cards that many details have voted for and that look like their
        faces where these show, whatever lies on them; first those that show most."""
        open_ones = [p for p in self._places if p.is_voted and not p.is_named]
        shown: list[tuple[float, Place, Claim]] = []
        for place in open_ones:
            shows = self._shows(place)
            if shown_share(shows, place.quad_px) < LEAST_CLAIM:
                continue
            assert place.expected is not None
            face = self.identifier.references.features(place.expected.picture, LEVEL)
            claim = claim_of(self.bgr, place.quad_px, face, shows)
            share = claim.px2 / max(area_px2(place.quad_px), 1.0)
            if share > LEAST_CLAIM:
                shown.append((share, place, claim))
        taken: list[tuple[Place, Sighting]] = []
        for _, place, claim in sorted(shown, key=lambda each: -each[0]):
            if any(common_px2(place.quad_px, one.quad_px) > 0 for one, _ in taken):
                continue
            only: Mask = np.zeros_like(self._visible)
            claim.given_to(only)
            self._look_under(place, (), only)
            if place.is_named and place.look is not None:
                taken.append((place, place.look))
        return taken

    def forgiven(self) -> list[Place]:
        """Return the places with a card that many details have voted for, though it
        looks less like its face than others do: glare hides a part of it."""
        dark = cv2.erode(
            np.where(self.bgr.min(axis=2) < BURNT, 255, 0).astype(np.uint8),
            np.ones((GLARE_EDGE_PX, GLARE_EDGE_PX), np.uint8),
        )
        for place in self._places:
            shows = self._shows(place)
            shown = shown_share(shows, place.quad_px)
            if not place.is_voted or place.is_named or shown < OWN_SHARE:
                continue
            self._look_under(place, (), np.asarray(cv2.bitwise_and(shows, dark)))
            if place.is_named and place.look is not None:
                place.look = replace(place.look, seen=shown)
                continue
            place.is_forgiven = True
            self._look_under(place, (), shows)
        return [place for place in self._places if place.is_named]

    def _below(self, place: Place) -> list[int]:
        """Return which of the known cards a place lies on, by its details."""
        below = [x.look for x in self._sorted_ones if place in x.over]
        return [i for i, x in enumerate(self.found) if x.sighting in below]

    def _shows(self, place: Place) -> Mask:
        """Return what no known card hides of the picture, but for those below."""
        below = self._below(place)
        if not below:
            return self._visible
        shows = self._visible.copy()
        for number in below:
            self._claims[number].given_to(shows)
        return shows

    def _look_under(self, place: Place, above: Sequence[Place], visible: Mask) -> None:
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

    def _details_px(self, place: Place) -> Array:
        assert self._pairs is not None
        assert place.expected is not None
        return self._pairs.seen.points[place.expected.details]

    def _tabled(self, pose: Array, vote: Vote | None) -> Place:
        """Return a place on the table; its source is the box that shows most of it."""
        assert self.table is not None
        quad = on_table(self.table, pose, self.size_mm)
        source = self._source(quad)
        return Place(quad, source, is_tabled=True, is_fresh=True, expected=vote)

    def _matched(self) -> Pairs | None:
        sizes = [np.linalg.norm(q[1] - q[0]) for q in self._known_px()]
        wide = float(np.median(sizes))
        reach = int(wide * BEYOND_BOXES) | 1
        small = cv2.resize(
            self._boxes, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_NEAREST
        )
        kernel = np.ones((reach // 4 | 1, reach // 4 | 1), np.uint8)
        height, width = self._boxes.shape
        near = cv2.resize(
            cv2.dilate(small, kernel), (width, height), interpolation=cv2.INTER_NEAREST
        )
        region = np.asarray(cv2.bitwise_and(near, self._visible), np.uint8)
        return self.identifier.voter.pairs(self.bgr, region, wide, self.size_mm)

    def searched(self) -> list[Place]:
        """Return the places with a card that can be named, of all in which the table
        lets a card lie where something is not explained yet."""
        if self.table is None:
            return []
        hints = poses_of(self.table, [*self._quads_px, *self._known_px()], self.size_mm)
        ground = ground_of(
            self.bgr, self.table, self._visible, self._boxes, hints, self.size_mm
        )
        thumbs = self.identifier.references.thumbs
        poses = ways(ground, thumbs, hints, MOST_WAYS, self._done)
        self._places += [self._tabled(pose, None) for pose in poses]
        return self.named()

    def take(self, cards: Sequence[tuple[Place, Sighting]]) -> bool:
        """Take off cards; return whether any was new."""
        before = len(self.found)
        for place, sighting in cards:
            self._places.remove(place)
            if any(is_same(sighting, layer.sighting) for layer in self.found):
                continue
            assert sighting.picture is not None
            face = self.identifier.references.features(sighting.picture, LEVEL)
            shows = self._shows(place)
            claim = claim_of(self.bgr, sighting.quad_px, face, shows)
            for number in self._below(place):
                claim.taken_from_other(self._claims[number])
            self.found.append(Layer(sighting, place.source))
            self._claims.append(claim)
            claim.taken_from(self._visible)
        return len(self.found) > before

    def ordered(self) -> list[Layer]:
        """Return the known cards, none before one that lies on it."""
        over = lying_on(self._known_px(), self._claims)
        return [self.found[number] for number in topmost_first(over)]

    def unknown(self) -> list[Layer]:
        """Return what the detector took for cards and nothing explains, and what lies
        on known cards and is none."""
        known = self._known_px()
        usual = float(np.median([area_px2(q) for q in known] or [0.0]))
        left: list[Layer] = []
        for place in self._places:
            quad, look = place.quad_px, place.look or nothing(place.quad_px)
            is_hint = place.is_voted and look.likeness > HINT
            if place.is_tabled and not is_hint:
                continue
            shown = shown_share(self._shows(place), quad)
            if shown < (WORTH_A_LOOK if is_hint else OWN_SHARE):
                continue
            # What holds the whole table is no card of it.
            if known and area_px2(quad) > self._largest_px2:
                continue
            if share_inside(quad, [x.sighting.quad_px for x in left]) > ASKED:
                continue
            strange = strange_px2(self.bgr, quad, self._visible, self._boxes)
            if is_hint or strange > STRANGE * (usual or area_px2(quad)):
                left.append(Layer(replace(look, deck=None), place.source))
        left += self._unlike(usual, [x.sighting.quad_px for x in left])
        return sorted(left, key=lambda layer: -layer.sighting.seen)

    def _unlike(self, usual_px2: float, asked_px: Sequence[Array]) -> list[Layer]:
        """Return what lies on known cards, does not look like them and is not asked
        about yet."""
        if not self.found:
            return []
        wide = float(np.median([np.linalg.norm(q[1] - q[0]) for q in self._known_px()]))
        quads = unclaimed(self._visible, self._known_px(), wide, UNLIKE * usual_px2)
        return [
            Layer(nothing(quad), self._source(quad))
            for quad in quads
            if share_inside(quad, asked_px) < ASKED
        ]

    def _source(self, quad_px: Array) -> int:
        """Return the box that shows most of a quad."""
        return int(np.argmax([quad_overlap(quad_px, box) for box in self._quads_px]))

    def _is_worth_a_look(self, place: Place, open_px: Sequence[Array]) -> bool:
        """Return whether a place was not looked at since something that covers a part
        of it has been recognised, and is more than another box of an open card."""
        if place.look is None:
            least = OWN_SHARE if place.is_tabled else WORTH_A_LOOK
            return shown_share(self._visible, place.quad_px, open_px) > least
        fresh = self._known_px()[place.known :]
        return any(common_px2(place.quad_px, quad) > 0 for quad in fresh)

    def _look(self, place: Place) -> Sighting:
        """Return what is in a place; nothing if nearly all of it is explained."""
        least = OWN_SHARE if place.is_tabled else WORTH_A_LOOK
        shows = self._shows(place)
        if shown_share(shows, place.quad_px) < least and place.look:
            return replace(place.look, deck=None)
        if shows is not self._visible:
            self._look_under(place, (), shows)
            assert place.look is not None
            return place.look
        if place.is_tabled:
            picture = place.expected.picture if place.expected else None
            return self._identified(place.quad_px, self.size_mm, picture)
        found = self._identified(place.quad_px, None)
        if self.table is None or found.deck is None or found.seen > WHOLE_SEEN:
            return found
        # Corners that are covered are where the table has them.
        poses = poses_of(self.table, [found.quad_px], self.size_mm)
        quads = [on_table(self.table, pose, self.size_mm) for pose in poses]
        again = [self._identified(quad, self.size_mm) for quad in quads]
        return again[0] if again and again[0].deck is not None else found

    def _identified(
        self,
        quad_px: Array,
        size_mm: tuple[float, float] | None,
        expected: int | None = None,
    ) -> Sighting:
        first = self.identifier.identify(
            self.bgr, quad_px, self._visible, size_mm=size_mm, expected=expected
        )
        if not PROMISING < first.likeness < WHOLE:
            return first
        # It was moved, but may not have come all the way.
        again = self.identifier.identify(
            self.bgr, first.quad_px, self._visible, size_mm=size_mm
        )
        return max(first, again, key=lambda sighting: sighting.likeness)

    def _known_px(self) -> list[Array]:
        """Return where known cards lie, in the order in which they were taken."""
        return [layer.sighting.quad_px for layer in self.found]
