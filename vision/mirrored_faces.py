"""Pictures in which the faces of a deck are seen as in a mirror.

Some front cameras take them so, and some decks were enrolled with one. Cards give it
away: what lies open and is like no face is like one in a mirror, and what is like one
is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vision.identify import Identifier, Sighting
from vision.mirrored import FLOOR, MOST_CORNERS, SPEAKING_LOG, SURE_LOG
from vision.types import Array, Bgr

WHOLE = 0.85
"""What shows less of a card says nothing of a mirror."""


def speaking_for_mirror(
    bgr: Bgr, seen: Sequence[Sighting], identifier: Identifier
) -> int:
    """Return how many cards that were `seen` are far rather faces in a mirror; 0 where
    all together are not, or a named one speaks against it.

    Those speak for it that are like no face as they are, or like another one; a few
    that are named, and the same of both, decide.
    """
    whole = [sighting for sighting in seen if sighting.seen > WHOLE]
    unlike = [s for s in whole if s.deck is None][:MOST_CORNERS]
    named = [s for s in whole if s.deck is not None][:MOST_CORNERS]
    # Of the named ones the least likely may be a card that is another in a mirror.
    doubtful = sorted(whole, key=lambda one: one.likeness)
    named += [s for s in doubtful if s.deck is not None and s not in named][:1]
    if not unlike:
        return 0
    flipped = np.ascontiguousarray(bgr[:, ::-1])
    total, speaking = 0.0, 0
    for sighting in (*named, *unlike):
        quad, here = sighting.quad_px, sighting
        if sighting.deck is None:
            here = identifier.identify(bgr, quad)
        there = identifier.identify(flipped, flipped_quad(quad, bgr))
        gain = _log_odds(there) - _log_odds(here)
        if sighting.deck is not None and -gain > SURE_LOG:
            return 0
        name = None if sighting.deck is None else sighting.identity.label
        is_another = there.deck is not None and there.identity.label != name
        speaking += is_another and gain > SPEAKING_LOG
        total += gain
    return speaking if total > SURE_LOG else 0


def _log_odds(sighting: Sighting) -> float:
    """Return the log-odds of being any card of the decks; nothing is that sure."""
    likeness = min(max(sighting.likeness, FLOOR), 1 - FLOOR)
    return math.log(likeness / (1 - likeness))


def flipped_quad(quad_px: Array, bgr: Bgr) -> Array:
    """Return where a quad is with left and right swapped, again from its top left."""
    flipped = quad_px[[1, 0, 3, 2]].copy()
    flipped[:, 0] = bgr.shape[1] - 1 - flipped[:, 0]
    return flipped
