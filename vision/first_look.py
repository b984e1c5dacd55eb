"""The first look at a card that was just laid: at it alone, and one is enough.

Who calls the end of a round must not wait for two readings of all that lies around the
last card. Where what has changed has the outline of a card, what lies in it is read at
once, alone, in a quarter of the time or less. What is named surely counts as soon as
the next picture shows that nothing has moved there meanwhile. The reading that follows
covers all that changed; if it reads another face there, that is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.cells import without_specks
from vision.gate import Gate
from vision.laid import laid_px
from vision.quads import quad_overlap
from vision.sameness import SHOWS_WHOLE
from vision.track import Tracker
from vision.tracks import Change, Sight
from vision.types import Array, Kind, Placement

SAME_OUTLINE = 0.6
"""Overlap from which on two outlines are of one card; that of a Hero and one beside it
in a Headquarters is 0.45."""
LEAST_CELLS, MOST_WAIT_S = 40, 0.3
"""So much that changed and has not come to rest is waited for, and for so long; less
beside an arm is no card."""


def is_same(one_px: Array, other_px: Array) -> bool:
    """Return whether two outlines are of one card."""
    return quad_overlap(one_px, other_px) > SAME_OUTLINE


@dataclass(slots=True)
class FirstLook:
    """What is looked at first, and what came of it until the next picture."""

    _moved_s: float = -np.inf
    """When the place that was looked at last had moved, on the clock of the gate."""
    _seen: tuple[Placement, Sight, float] | None = None
    """What was read in the picture before, and when its place had moved by then."""
    _waits_s: float | None = None
    """Since when nothing else is read, since something comes to rest."""

    def outline(self, gate: Gate, cards_px: Sequence[Array]) -> Array | None:
        """Return where a card was just laid, px; `None` where the change is not plainly
        one card, or nothing has moved since a place was looked at."""
        if not gate.is_due:
            return None
        outlines = [
            quad
            for quad in laid_px(gate.due, gate.scale, cards_px, roughly=True)
            if gate.moved_at_s(quad) > self._moved_s and _is_free(gate, quad)
        ]
        if len(outlines) != 1:
            return None
        self._moved_s = gate.moved_at_s(outlines[0])
        return outlines[0]

    def is_coming(self, gate: Gate) -> bool:
        """Return whether something that is no arm has changed and comes to rest, or an
        arm is there and beside it is but its shadow, once all is known: any other
        reading would keep the eye busy just then. Not for long: hands stay."""
        is_new = gate.changed & ~gate.rested & ~gate.covered & ~gate.unknown
        is_coming = int(without_specks(is_new).sum()) >= LEAST_CELLS
        if gate.is_due:
            is_shadow = bool(gate.covered.any()) and not gate.unknown.any()
            is_coming = bool(is_shadow and int(gate.due.sum()) < LEAST_CELLS)
        if not is_coming:
            self._waits_s = None
            return False
        self._waits_s = gate.now_s if self._waits_s is None else self._waits_s
        return gate.now_s - self._waits_s < MOST_WAIT_S

    def took(self, seen: Placement | None, gate: Gate, sight: Sight) -> None:
        """Keep what was read until the next picture, if it is sure."""
        self._seen = None
        if seen is not None and is_sure(seen):
            self._seen = seen, sight, gate.moved_at_s(np.array(seen.quad_px))

    def counts(self, gate: Gate, tracker: Tracker) -> tuple[Change, ...]:
        """Return what has changed by what was read in the picture before: it counts if
        nothing has moved there since and no hand came; else it was one reading."""
        if self._seen is None:
            return ()
        (placement, sight, moved_s), self._seen = self._seen, None
        quad = np.array(placement.quad_px)
        if _is_free(gate, quad) and gate.moved_at_s(quad) <= moved_s:
            return tracker.lay_at_once(placement, sight)
        return tracker.update([placement], sight)

    @property
    def is_open(self) -> bool:
        """Return whether what was read waits for the next picture."""
        return self._seen is not None

    def clear(self) -> None:
        """Forget what was read: the view is another."""
        self._seen = None


def is_sure(placement: Placement) -> bool:
    """Return whether one look tells which card this is: it has a name (who reads it is
    not sure of others) and shows whole. None of 196 first looks (Frenzy 5275 to 5299)
    was contradicted by a second one, which sees the same still picture."""
    return (
        placement.kind is Kind.CARD
        and placement.identity.label is not None
        and placement.visible >= SHOWS_WHOLE
    )


def _is_free(gate: Gate, quad_px: Array) -> bool:
    """Return whether neither a hand, nor what may be one, nor glare is on a place."""
    return not any(
        gate.share(mask, quad_px) for mask in (gate.covered, gate.resting, gate.glare)
    )
