"""What the eye is asked to read: which part of the picture, what in it, how closely.

What has changed is read at the size at which cards are read best, and nothing else: a
card beside it that nobody touched is known. When it is quiet again all that changed is
looked at closely once, in several sizes, as is what could not be read or what readings
do not agree about; the whole picture only at first (once more as closely, where cards
turn out to be small in it), and now and then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.capture.source import Shot
from vision.cells import Mask, grown, without_specks
from vision.gate import Gate
from vision.roi import Part, part_around, whole
from vision.sameness import CHANGED_SHARE
from vision.track import Tracker
from vision.types import Array, Bgr, Kind, Placement
from vision.views import Pace

RECHECK_S = 20.0
"""So often the whole table is read although nothing has changed."""
SMALL_SHARE = 0.09
"""Of the picture's longer side; cards that are shorter may be overlooked in a look at
all of it: one of 80 px in 1280 was."""
UNREAD_S = 1.0
"""So soon it is read again if a card could not be read; then after twice as long."""
MOST_NEAR = 2
"""Readings of a part that do not agree, before it is looked at closely: that takes
longer."""
FREE_SHARE = 0.2
"""Of a place under a hand or in motion; more, and it waits."""
TOUCHES_CELLS = 2
"""So near to what changed lies what is looked at with it."""


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """One reading that is asked for."""

    part: Part
    wanted: Mask
    """What lies on one of these cells is read, if its place has changed."""
    again: Mask
    """What lies on one of these is read though nothing has changed."""
    is_close: bool
    """In several sizes: at the one at which cards are read best, backs and strips are
    overlooked."""
    is_afresh: bool = False
    """As if nothing were known, not even how large cards are: that takes longer."""

    def wants(self, gate: Gate, quad_px: Array) -> bool:
        """Return whether what lies on a quad in picture px is to be read."""
        return self.part.holds(quad_px) and self.touches(gate, quad_px)

    def touches(self, gate: Gate, quad_px: Array) -> bool:
        """Return whether a quad in picture px lies on what is wanted. A card of which
        only the edge touches what changed is as it was: to name it again costs most of
        a reading."""
        if self.part.is_whole or gate.share(self.again, quad_px) > 0:
            return True
        is_near = gate.share(self.wanted, quad_px) > 0
        return is_near and gate.share(gate.changed, quad_px) >= CHANGED_SHARE


def all_of_it(bgr: Bgr, gate: Gate, *, is_afresh: bool) -> Request:
    """Return the request for the whole picture."""
    everything = np.ones(gate.changed.shape, bool)
    part = whole(bgr)
    return Request(part, everything, everything, is_close=True, is_afresh=is_afresh)


@dataclass(slots=True)
class Asking:
    """What was read when, as far as it decides what is read next."""

    pace: Pace
    _whole_s: float = -np.inf
    _close_s: float = -np.inf
    _unread_s: float = UNREAD_S
    _is_new: bool = False
    """The table was read as a whole, and nothing of it closely."""
    _is_wide: bool = False
    """The last part showed what changed, but not the whole card."""
    _disagreed: int = 0
    """Readings of parts after which something was still not sure."""
    is_open: bool = False
    """The last part showed something new that no card explains."""
    _fresh: Mask = field(default_factory=lambda: np.zeros((0, 0), bool))
    """What changed since it was looked at closely."""

    def request(
        self, shot: Shot, gate: Gate, tracker: Tracker, *, is_first: bool
    ) -> Request | None:
        """Return what is to be read of a picture now, `None`: nothing."""
        pending = _free(gate, tracker.pending_px())
        wanted = gate.due | pending
        check = self._check(shot, gate, tracker)
        if not wanted.any() and not check.any():
            return None
        is_afresh = is_first or not self.pace.crops
        if is_afresh or check.all():
            return all_of_it(shot.bgr, gate, is_afresh=is_afresh)
        long_px, is_wide = card_px(tracker), self._is_wide
        part = part_around(
            wanted | check, gate.scale, shot.bgr, long_px, is_wide=is_wide
        )
        if part.is_whole:
            return all_of_it(shot.bgr, gate, is_afresh=False)
        doubt = tracker.is_doubtful or self.is_open or self._disagreed >= MOST_NEAR
        return Request(
            part,
            grown(gate.changed | wanted | check, TOUCHES_CELLS),
            pending | check,
            is_close=doubt or bool(check.any()),
        )

    def asks_wider(
        self, request: Request, gate: Gate, seen: Sequence[Placement]
    ) -> bool:
        """Make the next part a wider one if a card that changed reaches out of this one
        and none that did lies in it; return whether it is."""
        cards = [np.array(p.quad_px) for p in seen if p.kind in (Kind.CARD, Kind.BACK)]
        changed = [quad for quad in cards if gate.share(gate.changed, quad) > 0]
        held = [quad for quad in changed if request.part.holds(quad)]
        was_wide, self._is_wide = self._is_wide, False
        if not request.part.is_whole and not was_wide:
            self._is_wide = bool(changed) and not held
        return self._is_wide

    def took(
        self, request: Request, gate: Gate, accepted: Mask, *, has_unread: bool
    ) -> None:
        """Note a reading, after which the cells `accepted` are known."""
        if self._fresh.shape != accepted.shape:
            self._fresh = np.zeros(accepted.shape, bool)
        self._fresh |= gate.changed & accepted
        if not request.is_close:
            return
        self._is_new = request.is_afresh and self.pace.crops
        self._fresh &= ~request.part.cells(accepted.shape, gate.scale)
        self._close_s = gate.at_s
        if request.part.is_whole:
            self._whole_s = gate.at_s
        longer_s = min(2 * self._unread_s, RECHECK_S)
        self._unread_s = longer_s if has_unread else UNREAD_S

    def came_to(
        self, tracker: Tracker, *, has_changed: bool, is_close: bool, is_open: bool
    ) -> None:
        """Note what came of a reading; `is_open`: something new that no card explains
        is looked at again."""
        self.is_open = is_open
        self._disagreed += MOST_NEAR if is_close else 1
        if not tracker.is_pending:
            self._disagreed = 0
        if has_changed:
            self._unread_s = UNREAD_S

    def _check(self, shot: Shot, gate: Gate, tracker: Tracker) -> Mask:
        """Return what is looked at although nothing is due there."""
        nothing = np.zeros(gate.changed.shape, bool)
        if not gate.is_quiet or gate.still_s < self.pace.settle_s:
            return nothing
        if shot.taken_s - self._whole_s > RECHECK_S:
            return ~nothing
        long_px, picture_px = card_px(tracker), max(shot.bgr.shape)
        if self._is_new and 0 < long_px < SMALL_SHARE * picture_px:
            return ~nothing
        recheck_s = self.pace.recheck_s
        if recheck_s is not None and self._fresh.shape == nothing.shape:
            fresh = without_specks(self._fresh)
            if fresh.any():
                return fresh if gate.still_s >= recheck_s else nothing
        if shot.taken_s - self._close_s > self._unread_s:
            return _cells(gate, tracker.unread_px())
        return nothing


def card_px(tracker: Tracker) -> float:
    """Return how long the cards are that lie there; 0 where none is known."""
    sizes = [np.ptp(t.quad_px, axis=0).max() for t in tracker.lying]
    return float(np.median(sizes)) if sizes else 0.0


def _cells(gate: Gate, quads_px: list[Array]) -> Mask:
    cells = np.zeros(gate.changed.shape, bool)
    for quad in quads_px:
        cells |= gate.cells(quad)
    return cells


def _free(gate: Gate, quads_px: list[Array]) -> Mask:
    """Return the cells of places of which nearly nothing is covered or moves."""
    busy = gate.covered | gate.moving
    return _cells(
        gate, [quad for quad in quads_px if gate.share(busy, quad) <= FREE_SHARE]
    )
