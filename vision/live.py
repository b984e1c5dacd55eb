"""Follows a table through the pictures of one camera: gate, read what changed, track.

Most pictures cost a glance (`Settle`). What has changed and come to rest is cut out and
read (the pipeline of single photos), several readings must agree (`Tracker`), and each
change leaves as a `View` of the table with the moment at which its place came to rest.
If the whole picture jumps nothing is believed until the table is found again: where it
was, or moved as a whole (a bump). A mirrored picture, or another camera's, is neither.
A bump by so little that the picture does not jump is told by the cards: all moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np

from vision.asking import Asking, Request, all_of_it, card_px
from vision.beginning import HAND_RESTS_S
from vision.capture.source import Shot
from vision.cells import Mask, without_specks
from vision.first_look import FirstLook, is_same
from vision.gate import Gate
from vision.hair import Hairs
from vision.haze import Haze
from vision.laid import around_px, laid_px
from vision.lost_view import LostView, has_all_moved
from vision.observing import Stopwatch
from vision.roi import Part, cut, part_around
from vision.rows import with_rows
from vision.same_view import Ways, hardly_moved_view, moved_view, nudged_view, stays
from vision.sameness import SHOWS_WHOLE, without_prints
from vision.seeing import apart_from_hands, hands_on, sight_of
from vision.settle import Settle
from vision.showing import Showing
from vision.track import Tracker
from vision.tracks import Change, Sight
from vision.types import Array, Bgr, Frame, FrameId, Kind, Observation
from vision.unexplained import (
    Unexplained,
    cards_unread,
    discs_unread,
    still_open,
)
from vision.unseen import Unseen
from vision.views import Look, Pace, See, SeesAlone, SeesNear, View, Waiting

GLARE_S = 0.8
"""Shorter than that it is white paper, read by then, or a reflection on a hand."""


@dataclass(slots=True)
class LiveEye:
    """All that is remembered of one table; used by one thread."""

    see: See
    pace: Pace = field(default_factory=Pace)
    source: str = ""
    origin: datetime = field(default_factory=lambda: datetime.now(UTC))
    """The wall clock when the source's clock stood at 0."""
    _settle: Settle = field(init=False)
    _tracker: Tracker = field(init=False)
    _showing: Showing = field(init=False)
    _asking: Asking = field(init=False)
    _hairs: Hairs = field(init=False)
    _unexplained: Unexplained = field(init=False)
    _haze: Haze = field(default_factory=Haze)
    _first: FirstLook = field(default_factory=FirstLook)
    _view: LostView = field(default_factory=LostView)
    _number: int = 0
    _was_calm: bool = False
    """In the picture before nothing moved and no arm was seen."""
    _calm: Bgr | None = None
    _has_seen_all: bool = False
    """Nothing is left that no picture has shown yet."""

    def __post_init__(self) -> None:
        self._settle = Settle(self.pace.settle_s)
        self._tracker = Tracker(agree=self.pace.agree)
        self._showing = Showing(self.source, self.origin)
        self._asking = Asking(self.pace)
        self._hairs = Hairs(self.pace.settle_s)
        self._unexplained = Unexplained(self.pace.fewest_cells)

    def look(self, shot: Shot) -> Look:
        """Return what the next picture brings."""
        watch = Stopwatch()
        gate = self._settle.feed(shot.bgr, shot.taken_s)
        lying_px = [track.quad_px for track in self._tracker.lying]
        if self._was_calm and not gate.is_lost and has_all_moved(gate, lying_px):
            self._settle.lose()
            gate = replace(gate, is_lost=True)
        self._was_calm = gate.is_quiet
        is_covered = bool(gate.covered.any())
        has_touched = self._tracker.touch(
            lambda quad: gate.share(gate.covered, quad) if is_covered else 0.0
        )
        watch.lap("settle")
        notices = self._view.notice(gate, shot.taken_s)
        before = self._calm
        changes: tuple[Change, ...] = ()
        if gate.is_lost:
            self._hairs.clear()
            self._first.clear()
            notices += self._find_view(shot, gate, watch)
        else:
            if self.pace.hairs:
                lying = self._tracker.lying
                for track in self._hairs.off(shot.bgr, gate, lying):
                    self._tracker.nudged(track)
            changes = self._first.counts(gate, self._tracker)
            if changes or self._looks_at_once(shot, gate, watch):
                request = None
            else:
                request = self._asking.request(
                    shot, gate, self._tracker, is_first=self._showing.is_empty
                )
            if request is not None:
                changes = self._read(shot, gate, request, watch, notices)
            elif gate.is_quiet and not gate.changed.any():
                self._haze.lifted()
        views = self._showing.views(
            shot, self._frame, self._tracker, changes, has_touched=has_touched
        )
        views = self._told(shot, gate, views)
        watch.lap("track")
        if gate.is_quiet and not gate.is_due and not self._tracker.is_pending:
            self._calm = shot.bgr
        return Look(
            shot.taken_s,
            self._waiting(gate),
            views,
            not watch.laps.keys().isdisjoint({"read", "first"}),
            gate.is_quiet,
            gate.still_s,
            watch.laps,
            before,
            tuple(notices),
        )

    def resync(self) -> None:
        """Forget the table and read it anew: a person says that this is it."""
        self._tracker.clear()
        self._showing.clear()
        self._settle.found()

    @property
    def has_unread(self) -> bool:
        """Return whether the last picture shows what is not known yet: a card that was
        just laid, a hand and what it covers, another view."""
        if self._view.is_lost or self._tracker.is_pending or self._first.is_open:
            return True
        unread = without_specks(self._settle.unread())
        return int(unread.sum()) > self.pace.fewest_cells

    def tracker(self) -> Tracker:
        """Return the tracker, to ask for piles."""
        return self._tracker

    # Reading -------------------------------------------------------------------------

    def _looks_at_once(self, shot: Shot, gate: Gate, watch: Stopwatch) -> bool:
        """Look at what was just laid, alone, where it is plain where that is; return
        whether it was, or is about to be: nothing else is read of this picture."""
        see, is_blurred = self.see, self._haze.is_waited_for
        if not self.pace.at_once or not isinstance(see, SeesAlone) or is_blurred:
            return False
        outline = self._first.outline(gate, self._tracker.cards_px())
        if outline is None:
            return self._first.is_coming(gate)
        self._number += 1
        wall = self._showing.wall(shot.taken_s)
        part = part_around(
            gate.cells(outline), gate.scale, shot.bgr, card_px(self._tracker)
        )
        frame = Frame(self._frame, cut(shot.bgr, part), wall, self.source)
        corner = np.array([part.left, part.top])
        seen = see.alone(frame, outline - corner, self._showing.where.in_part(part))
        sight = sight_of(
            shot.taken_s,
            gate,
            lambda quad: is_same(quad, outline),
            gate.covered,
            gate.resting,
        )
        self._first.took(None if seen is None else part.moved(seen), gate, sight)
        watch.lap("first")
        return True

    def _read(
        self,
        shot: Shot,
        gate: Gate,
        request: Request,
        watch: Stopwatch,
        notices: list[str],
    ) -> tuple[Change, ...]:
        observation = self._seen(shot, gate, request)
        watch.lap("read")
        is_whole = request.part.is_whole
        if self._haze.is_too_blurred(observation, shot.taken_s, is_whole=is_whole):
            self._settle.tried(gate.due, shot.taken_s)
            return ()
        if self._asking.asks_wider(request, gate, observation.placements):
            self._unexplained.tried()
            return ()
        if request.is_afresh and self.pace.at_once and isinstance(self.see, SeesAlone):
            observation = with_rows(observation, shot.bgr, self.see)
        if is_whole:
            self._showing.findings = observation.findings
        had_unread = bool(self._tracker.unread_px())
        hands = hands_on(observation, gate)
        # What seems a hand and does not move hides nothing that is seen there.
        busy = gate.now_s - gate.moved_s < HAND_RESTS_S
        hidden = gate.covered | (hands & busy)
        resting = gate.resting | hands | gate.doubtful
        known = [t.quad_px for t in self._tracker.lying]
        seen = without_prints(
            [p for p in observation.placements if p.kind is not Kind.HAND]
        )
        seen, half_seen = apart_from_hands(seen, gate)
        moved = hardly_moved_view(self._tracker.lying, seen, gate)
        if moved is not None:
            self._carry(moved)
            notices.append("bumped")
        sight = sight_of(
            shot.taken_s,
            gate,
            lambda quad: request.wants(gate, quad),
            hidden,
            resting,
            laid_px(gate.rested, gate.scale, self._tracker.cards_px()),
        )
        changes = self._tracker.update(seen, sight)
        known += [t.quad_px for t in self._tracker.lying]
        known += self._tracker.pending_px()
        for track in self._tracker.lying:
            if track.read_s < shot.taken_s:
                hidden |= (gate.resting | gate.glare) & gate.cells(track.quad_px)
        looked = request.part.cells(gate.moving.shape, gate.scale)
        looked &= ~hidden & ~half_seen & ~still_open(gate, self._tracker)
        unexplained = self._unexplained.of(gate, looked, known)
        is_open = unexplained is not None and self._unexplained.is_open
        if unexplained is not None and is_open:
            looked &= ~unexplained
        elif unexplained is not None:
            changes += self._laid_unread(gate, request.part, unexplained, known, sight)
        self._settle.accept(looked, self._shown_whole(gate))
        self._settle.tried(gate.due, shot.taken_s)
        self._asking.took(request, gate, looked, has_unread=had_unread)
        self._asking.came_to(
            self._tracker,
            has_changed=bool(changes),
            is_close=request.is_close,
            is_open=is_open,
        )
        self._showing.where.observe(observation, is_whole=is_whole)
        watch.lap("track")
        return changes

    def _shown_whole(self, gate: Gate) -> Mask:
        """Return the cells of cards that have names and nothing on them."""
        cells = np.zeros(gate.moving.shape, bool)
        for track in self._tracker.lying:
            if track.label is not None and track.seen.visible >= SHOWS_WHOLE:
                cells |= gate.cells(track.quad_px)
        return cells

    @property
    def _frame(self) -> FrameId:
        return FrameId(f"live{self._number}")

    def _seen(self, shot: Shot, gate: Gate, request: Request) -> Observation:
        self._number += 1
        part = request.part
        frame = Frame(
            self._frame,
            cut(shot.bgr, part),
            self._showing.wall(shot.taken_s),
            self.source,
        )
        see, long_px = self.see, card_px(self._tracker)
        if request.is_afresh or not isinstance(see, SeesNear) or not long_px:
            observation = self.see(frame)
        else:
            corner = np.array([part.left, part.top])
            observation = see.near(
                frame,
                long_px,
                closely=request.is_close,
                wanted=lambda quad: request.touches(gate, quad + corner),
                table=self._showing.where.in_part(part),
                known=[]
                if request.is_close  # it searches for itself, and better
                else [quad - corner for quad in self._tracker.named_px()],
                laid=[quad - corner for quad in self._may_lie_px(gate, part)],
            )
        if part.is_whole:
            return observation
        moved = tuple(part.moved(p) for p in observation.placements)
        return replace(observation, placements=moved)

    def _may_lie_px(self, gate: Gate, part: Part) -> list[Array]:
        """Return where in a part a card may lie: what changed has the outline of one,
        or one, or a disc that may be its print, was seen and is looked for again."""
        cards_px = self._tracker.cards_px()
        outlines = laid_px(gate.due, gate.scale, cards_px)
        for disc in self._tracker.guessed_discs_px():
            outlines += around_px(disc, cards_px)
        return [q for q in (*outlines, *self._tracker.pending_px()) if part.holds(q)]

    def _laid_unread(
        self,
        gate: Gate,
        part: Part,
        unexplained: Mask,
        known: Sequence[Array],
        sight: Sight,
    ) -> tuple[Change, ...]:
        """Take what was read in vain for cards and discs that could not be read: they
        are asked about."""
        tracker = self._tracker
        unread = cards_unread(gate, part, unexplained, known, tracker)
        unread += discs_unread(gate, unexplained, self.see)
        return tracker.lay_unread(unread, sight)

    # The view as a whole -------------------------------------------------------------

    def _find_view(self, shot: Shot, gate: Gate, watch: Stopwatch) -> list[str]:
        """After a jump: look whether this is the table, where it was or moved."""
        if not self._view.is_worth_a_look(gate, shot.taken_s, self.pace.settle_s):
            return []
        observation = self._seen(shot, gate, all_of_it(shot.bgr, gate, is_afresh=True))
        watch.lap("read")
        self._view.looked(shot.taken_s)
        lying = self._tracker.lying
        if self._haze.is_too_blurred(observation, shot.taken_s, is_whole=True):
            return []
        is_there = stays(lying, observation.placements)
        find = nudged_view if is_there else moved_view
        moved = find(lying, observation.placements)
        if moved is None and not is_there:
            return []
        found = ["view_found"]
        if moved is not None:
            self._carry(moved)
            found = ["view_found", "bumped"]
        self._settle.found()
        self._view.found()
        return found

    def _carry(self, moved: Ways) -> None:
        """Take all to lie where it lay: the camera was moved."""
        carry, back = moved
        self._tracker.carry(carry)
        self._showing.carry(carry, back)
        self._hairs.clear()

    def _is_unexplained(self, gate: Gate) -> bool:
        """Return whether something new that nothing explained yet is still there."""
        is_open = self._asking.is_open
        return is_open and bool(without_specks(gate.changed & ~gate.unknown).any())

    # What leaves ---------------------------------------------------------------------

    def _told(
        self, shot: Shot, gate: Gate, views: tuple[View, ...]
    ) -> tuple[View, ...]:
        """Return the views with what no picture has shown yet; one more when there is
        no such place any longer."""
        if self._has_seen_all:
            return views
        unseen = self._settle.unseen()
        for quad in self._tracker.pending_px():
            unseen |= gate.cells(quad)
        if int(unseen.sum()) > self.pace.fewest_cells:
            cells = Unseen.of(unseen, gate.scale)
            return tuple(replace(view, unseen=cells) for view in views)
        self._has_seen_all = True
        return views or self._showing.again(shot, self._frame, self._tracker)

    def _waiting(self, gate: Gate) -> Waiting:
        if gate.is_lost:
            return Waiting.SHARPNESS if self._view.is_blurred(gate) else Waiting.VIEW
        if self._haze.is_waited_for:
            return Waiting.SHARPNESS
        if gate.has_arm:
            return Waiting.HANDS
        has_glare = bool(gate.glare.any())
        if self._haze.dazzled_s(gate.at_s, has_glare=has_glare) >= GLARE_S:
            return Waiting.GLARE
        if self._tracker.is_pending or self._is_unexplained(gate):
            return Waiting.AGREEMENT
        if gate.still_s < self.pace.settle_s:
            return Waiting.REST
        return Waiting.NOTHING
