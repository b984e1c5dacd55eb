"""Cards of a heap in which none lies open: details of their print tell where they lie.

A hand that is held fanned, or whose topmost card lies in glare, shows no card whole, so
nothing tells where the table is, and without it no detail votes. But many details of
one face tell by themselves where that face lies. Laid so, the card is looked at where
it looks like its face, whatever lies on the rest of it. Of two rendered hands all cards
that show so came to a likeness of .83 to .997, and what lies elsewhere to .16.
"""

from __future__ import annotations

import numpy as np

from vision.identify import Mask, Sighting
from vision.matching.claim import Claim, claim_of, enclosed_share, shown_share
from vision.places import MIN_FOUND_LIKENESS, Place
from vision.quads import area_px2
from vision.types import Array
from vision.unpeeled import Heap

LEAST_LIKE = 0.3
"""Share of a card that must look like its face."""
MOST_ENCLOSED = 0.1
"""Share that may not within what does: a die or a coin. Of cards of another deck in the
same frame the picture is unlike (.21 of a photographed one)."""
MOST_UNKNOWN = 0.5
"""Share that may be unlike and lie under no other card that is told: of another card in
the same frame it may be all but a part of the frame (.72 of a photographed one)."""


def told_by_details(heap: Heap) -> list[Place]:
    """Return the places of cards that can be named by what shows of them; none once the
    table is known."""
    if heap.table is not None:
        return []
    told = [_look(heap, *each) for each in heap.identifier.proposed.of_faces(heap.bgr)]
    found = [each for each in told if each is not None]
    places = []
    for number, (look, claim) in enumerate(found):
        rest = heap.visible.copy()
        claim.taken_from(rest)
        others = [one.quad_px for i, (one, _) in enumerate(found) if i != number]
        if shown_share(rest, look.quad_px, others) > MOST_UNKNOWN:
            continue
        source = heap.source(look.quad_px)
        place = Place(look.quad_px, source, is_tabled=False, is_fresh=True)
        place.look, place.known, place.is_sorted = look, len(heap.found), True
        places.append(place)
    heap.places += places
    return places


def _look(heap: Heap, picture: int, quad_px: Array) -> tuple[Sighting, Claim] | None:
    """Return the look at a face where it seems to lie, and what shows of it there, if
    it is known."""
    names, bgr = heap.identifier, heap.bgr
    first = names.identify(bgr, quad_px, heap.visible, expected=picture)
    claim = claim_of(bgr, first.quad_px, heap.face(picture), heap.visible)
    if claim.px2 < LEAST_LIKE * area_px2(first.quad_px):
        return None
    if enclosed_share(claim, first.quad_px) > MOST_ENCLOSED:
        return None
    only: Mask = np.zeros_like(heap.visible)
    claim.given_to(only)
    look = names.identify(bgr, first.quad_px, only, expected=picture)
    is_it = look.deck is not None and look.picture == picture
    if not is_it or look.likeness <= MIN_FOUND_LIKENESS:
        return None
    return look, claim
