"""Follows a table through the pictures of one camera: gate, read what changed, track.

Most pictures cost a glance (`Settle`). What has changed and come to rest is cut out and
read (the pipeline of single photos), several readings must agree (`Tracker`), and each
change leaves as a `View` of the table with the moment at which its place came to rest.
If the whole picture jumps nothing is believed until the table is found again: where it
was, or moved as a whole (a bump). A mirrored picture, or another camera's, is neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from vision.capture.source import Shot
from vision.cells import Mask
from vision.gate import Gate
from vision.observing import Stopwatch
from vision.quality import MAX_BLUR_PER_CARD
from vision.roi import Part, cut, part_around, whole
from vision.same_view import moved_view, stays
from vision.settle import Settle
from vision.track import Tracker
from vision.tracks import Change, Sight
from vision.types import (
    Array,
    Bgr,
    Finding,
    Frame,
    FrameId,
    Kind,
    Observation,
    Placement,
)
from vision.where import Whereabouts

See: TypeAlias = Callable[[Frame], Observation]

UNUSABLE = "unusable"
"""Code of a finding: the eye could make nothing of this picture; it says nothing of
the table, not that it is empty."""
RECHECK_S = 20.0
"""So often the whole table is read although nothing has changed."""
UNREAD_S = 1.0
"""So soon it is read again if a card could not be read; then after twice as long."""
VIEW_RETRY_S, LONGEST_VIEW_RETRY_S = 0.5, 4.0
BLUR_PATIENCE_S = 6.0
"""So long a camera that was sharp may be blurred before that is how it is."""
WHOLE_BLUR, PART_BLUR = 1.3, 1.8
"""How much worse than its limit a picture, or a part of one, must be to wait for it: a
camera may always be near the limit, and few edges tell the blur badly."""
GLARE_S = 0.8
"""Shorter than that it is white paper, read by then, or a reflection on a hand."""
TOGETHER_S = 0.02
"""Changes nearer in time than this are one."""
MOST_TRIES = 3
"""So often a change that no card explains is read before it is taken as it is."""
UNEXPLAINED_CELLS = 40


class Waiting(StrEnum):
    """What the eye is waiting for; one sentence each in the companion."""

    NOTHING = "nothing"
    HANDS = "hands"
    REST = "rest"
    """Something moves, or has just moved."""
    AGREEMENT = "agreement"
    """What was read once is read again."""
    QUIET = "quiet"
    """All is read; who takes a play for whole only when the table is quiet waits."""
    VIEW = "view"
    """The picture has changed as a whole."""
    SHARPNESS = "sharpness"
    GLARE = "glare"
    """A part of the table is too bright; it is read, but nothing there is gone."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a game is played."""

    settle_s: float = 0.4
    """A part of the table must be still that long before it is read."""
    agree: int = 2
    """So many readings must say the same."""
    crops: bool = True
    """Only what has changed is cut out and read."""
    recheck_s: float | None = None
    """After a change, when nothing has moved for so long, the whole table is read."""


@dataclass(frozen=True, slots=True)
class View:
    """The table after a change."""

    observation: Observation
    at_s: float
    """When what changed came to rest, on the source's clock."""
    changes: tuple[tuple[str, str], ...] = ()
    """(id, what happened to it)."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What one picture has brought."""

    at_s: float
    waiting: Waiting
    views: tuple[View, ...]
    has_read: bool
    is_quiet: bool
    still_s: float
    timings_ms: dict[str, float]
    before: Bgr | None = None
    """The settled picture before the change, where there was one."""
    notices: tuple[str, ...] = ()
    """``bumped``, ``view_changed``, ``view_found``."""


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
    _where: Whereabouts = field(default_factory=Whereabouts)
    _shown: dict[str, Placement] = field(default_factory=dict)
    _findings: tuple[Finding, ...] = ()
    _number: int = 0
    _whole_s: float = -np.inf
    _changed_s: float = -np.inf
    """When a reading changed what is known last."""
    _unread_s: float = UNREAD_S
    _view_retry_s: float = VIEW_RETRY_S
    _view_at_s: float = -np.inf
    _was_lost: bool = False
    _blurred_since_s: float | None = None
    _was_sharp: bool = False
    _is_soft: bool = False
    """It was waited for in vain once: the camera is like that."""
    _glare_since_s: float | None = None
    _tries: int = 0
    _calm: Bgr | None = None
    _is_first: bool = True

    def __post_init__(self) -> None:
        self._settle = Settle(self.pace.settle_s)
        self._tracker = Tracker(agree=self.pace.agree)

    def look(self, shot: Shot) -> Look:
        """Return what the next picture brings."""
        watch, notices = Stopwatch(), []
        gate = self._settle.feed(shot.bgr, shot.taken_s)
        is_covered = bool(gate.covered.any())
        has_touched = self._tracker.touch(
            lambda quad: gate.share(gate.covered, quad) if is_covered else 0.0
        )
        watch.lap("settle")
        if gate.is_lost != self._was_lost:
            self._was_lost = gate.is_lost
            notices.append("view_changed" if gate.is_lost else "view_found")
        before = self._calm
        changes: tuple[Change, ...] = ()
        if gate.is_lost:
            notices += self._find_view(shot, gate, watch)
        else:
            part = self._part(shot, gate)
            if part is not None:
                changes = self._read(shot, gate, part, watch)
            elif gate.is_quiet and not gate.changed.any():
                self._blurred_since_s = None  # as it was when it was read sharp
        views = self._views(shot, changes, has_touched=has_touched)
        watch.lap("track")
        if gate.is_quiet and not gate.is_due and not self._tracker.is_pending:
            self._calm = shot.bgr
        return Look(
            shot.taken_s,
            self._waiting(gate),
            views,
            "read" in watch.laps,
            gate.is_quiet,
            gate.still_s,
            watch.laps,
            before,
            tuple(notices),
        )

    def resync(self) -> None:
        """Forget the table and read it anew: a person says that this is it."""
        self._tracker.clear()
        self._where = Whereabouts()
        self._shown.clear()
        self._settle.found()
        self._is_first = True

    def tracker(self) -> Tracker:
        """Return the tracker, to ask for piles."""
        return self._tracker

    # Reading -------------------------------------------------------------------------

    def _part(self, shot: Shot, gate: Gate) -> Part | None:
        """Return which part of the picture is to be read now, `None`: nothing."""
        wanted = gate.due.copy()
        for quad in self._tracker.pending_px():
            cells = gate.cells(quad)
            busy = cells & (gate.covered | gate.moving)
            if busy.sum() <= 0.2 * max(int(cells.sum()), 1):
                wanted |= cells
        recheck = self._is_recheck_due(shot, gate)
        if not wanted.any() and not recheck:
            return None
        # At the size at which cards are read best, backs are overlooked.
        hardly = self._tracker.is_doubtful and hasattr(self.see, "near")
        if recheck or hardly or not self.pace.crops or not self._shown:
            return whole(shot.bgr)
        return part_around(wanted, gate.scale, shot.bgr, self._card_px())

    def _is_recheck_due(self, shot: Shot, gate: Gate) -> bool:
        """Return whether to read the whole table although nothing is due."""
        if not gate.is_quiet or gate.still_s < self.pace.settle_s:
            return False
        since_s = shot.taken_s - self._whole_s
        has_changed = self._changed_s > self._whole_s
        if has_changed and self.pace.recheck_s is not None:
            return gate.still_s >= self.pace.recheck_s
        return since_s > (self._unread_s if self._tracker.has_unread else RECHECK_S)

    def _card_px(self) -> float:
        """Return how long the cards are that lie there; 0 where none is known."""
        sizes = [np.ptp(t.quad_px, axis=0).max() for t in self._tracker.lying]
        return float(np.median(sizes)) if sizes else 0.0

    def _read(
        self, shot: Shot, gate: Gate, part: Part, watch: Stopwatch
    ) -> tuple[Change, ...]:
        observation = self._seen(shot, part)
        watch.lap("read")
        if self._is_too_blurred(observation, shot.taken_s, part):
            self._settle.tried(gate.due, shot.taken_s)
            return ()
        if part.is_whole:
            self._whole_s = shot.taken_s
            self._findings = observation.findings
            had_unread = self._tracker.has_unread
            self._unread_s = (
                min(2 * self._unread_s, RECHECK_S) if had_unread else UNREAD_S
            )
        hands = self._hands(observation, gate)
        hidden = gate.covered | hands
        known = [t.quad_px for t in self._tracker.lying]
        seen = [p for p in observation.placements if p.kind is not Kind.HAND]
        changes = self._tracker.update(seen, self._sight(shot, gate, part, hidden))
        known += [t.quad_px for t in self._tracker.lying]
        known += self._tracker.pending_px()
        for track in self._tracker.lying:
            if track.read_s < shot.taken_s:
                hidden |= (gate.resting | gate.glare) & gate.cells(track.quad_px)
        self._accept(shot, gate, part, hidden, known)
        self._where.observe(observation, is_whole=part.is_whole)
        if changes:
            self._changed_s, self._unread_s = shot.taken_s, UNREAD_S
        watch.lap("track")
        return changes

    def _seen(self, shot: Shot, part: Part) -> Observation:
        self._number += 1
        frame = Frame(
            FrameId(f"live{self._number}"),
            cut(shot.bgr, part),
            self._wall(shot.taken_s),
            self.source,
        )
        near, card_px = getattr(self.see, "near", None), self._card_px()
        if part.is_whole or near is None or not card_px:
            observation = self.see(frame)
        else:
            observation = near(frame, card_px)
        if part.is_whole:
            return observation
        moved = tuple(part.moved(p) for p in observation.placements)
        return replace(observation, placements=moved)

    def _sight(self, shot: Shot, gate: Gate, part: Part, hidden: Mask) -> Sight:
        first_s = shot.taken_s - gate.now_s
        return Sight(
            shot.taken_s,
            part.holds,
            lambda quad: gate.share(hidden, quad),
            lambda quad: gate.share(gate.changed, quad),
            lambda quad: first_s + gate.moved_at_s(quad),
            lambda quad: gate.share(gate.resting, quad),
            lambda quad: gate.share(gate.glare, quad),
        )

    def _hands(self, observation: Observation, gate: Gate) -> Mask:
        hands = np.zeros(gate.moving.shape, bool)
        for placement in observation.placements:
            if placement.kind is Kind.HAND:
                hands |= gate.cells(np.array(placement.quad_px))
        return hands

    def _accept(
        self, shot: Shot, gate: Gate, part: Part, hidden: Mask, known: list[Array]
    ) -> None:
        """Take what was read as known, except for what no card explains as yet."""
        looked = part.cells(gate.moving.shape, gate.scale) & ~hidden & ~gate.moving
        unexplained = gate.due & looked
        for quad in known:
            unexplained &= ~gate.cells(quad)
        is_new = not gate.unknown.any()
        self._tries += 1
        if (
            is_new
            and int(unexplained.sum()) > UNEXPLAINED_CELLS
            and self._tries < MOST_TRIES
        ):
            looked &= ~unexplained
        else:
            self._tries = 0
        self._settle.accept(looked)
        self._settle.tried(gate.due, shot.taken_s)

    def _is_too_blurred(
        self, observation: Observation, at_s: float, part: Part
    ) -> bool:
        """Return whether a sharp camera is blurred just now: it will focus again."""
        if UNUSABLE in {finding.code for finding in observation.findings}:
            return True
        limit = (WHOLE_BLUR if part.is_whole else PART_BLUR) * MAX_BLUR_PER_CARD
        if not any(_blur(finding) > limit for finding in observation.findings):
            self._was_sharp, self._blurred_since_s = True, None
            return False
        if not self._was_sharp:
            return False
        if self._blurred_since_s is None:
            self._blurred_since_s = at_s
        self._is_soft |= at_s - self._blurred_since_s >= BLUR_PATIENCE_S
        return not self._is_soft

    # The view as a whole -------------------------------------------------------------

    def _find_view(self, shot: Shot, gate: Gate, watch: Stopwatch) -> list[str]:
        """After a jump: look whether this is the table, where it was or moved."""
        is_still = gate.still_s >= self.pace.settle_s
        if not is_still or shot.taken_s < self._view_at_s:
            return []
        observation = self._seen(shot, whole(shot.bgr))
        watch.lap("read")
        self._view_at_s = shot.taken_s + self._view_retry_s
        self._view_retry_s = min(2 * self._view_retry_s, LONGEST_VIEW_RETRY_S)
        lying = self._tracker.lying
        if self._is_too_blurred(observation, shot.taken_s, whole(shot.bgr)):
            return []
        if stays(lying, observation.placements):
            found = ["view_found"]
        else:
            moved = moved_view(lying, observation.placements)
            if moved is None:
                return []
            carry, back = moved
            self._tracker.carry(carry)
            self._where.carry(back)
            self._shown = {
                id_: replace(p, quad_px=_plain(carry(np.array(p.quad_px))))
                for id_, p in self._shown.items()
            }
            found = ["view_found", "bumped"]
        self._settle.found()
        self._was_lost, self._view_retry_s = False, VIEW_RETRY_S
        return found

    # What leaves ---------------------------------------------------------------------

    def _views(
        self, shot: Shot, changes: tuple[Change, ...], *, has_touched: bool
    ) -> tuple[View, ...]:
        """Return the table after each change, in the order of time."""
        lying = {p.id: p for p in self._tracker.placements()}
        if not changes and not has_touched:
            self._shown = {k: lying.get(k, v) for k, v in self._shown.items()}
            return ()
        views: list[View] = []
        for group in _together(changes):
            for change in group:
                self._shown.pop(change.track, None)
                if change.track in lying and change.what not in ("gone", "covered"):
                    self._shown[change.track] = lying[change.track]
            what = tuple((change.track, change.what) for change in group)
            views.append(self._view(shot, group[-1].at_s, what))
        self._shown = {k: v for k, v in lying.items() if k in self._shown}
        if has_touched and not changes:
            views.append(self._view(shot, shot.taken_s, ()))
        if views and self._is_first:
            # What lay there from the start came together.
            views, self._is_first = views[-1:], False
        return tuple(views)

    def _view(self, shot: Shot, at_s: float, what: tuple[tuple[str, str], ...]) -> View:
        height_px, width_px = shot.bgr.shape[:2]
        moved = {t.id: (round(t.moved_s, 1), t.seen.order) for t in self._tracker.lying}
        upwards = sorted(self._shown, key=lambda id_: moved.get(id_, (0.0, 0)))
        table, placements = self._where.place(
            [replace(self._shown[id_], order=n) for n, id_ in enumerate(upwards)],
            (width_px, height_px),
        )
        observation = Observation(
            FrameId(f"live{self._number}"),
            self.source,
            width_px,
            height_px,
            self._wall(at_s),
            table,
            placements,
            tuple(f for f in self._findings if f.code in _LASTING),
        )
        return View(observation, at_s, what)

    def _waiting(self, gate: Gate) -> Waiting:
        if gate.is_lost:
            return Waiting.VIEW
        is_hazy = self._blurred_since_s is not None and self._was_sharp
        if is_hazy and not self._is_soft:
            return Waiting.SHARPNESS
        if gate.has_arm:
            return Waiting.HANDS
        if self._dazzled_s(gate) >= GLARE_S:
            return Waiting.GLARE
        if self._tracker.is_pending:
            return Waiting.AGREEMENT
        if gate.still_s < self.pace.settle_s:
            return Waiting.REST
        return Waiting.NOTHING

    def _dazzled_s(self, gate: Gate) -> float:
        """Return for how long something has been too bright."""
        if not gate.glare.any():
            self._glare_since_s = None
            return 0.0
        if self._glare_since_s is None:
            self._glare_since_s = gate.at_s
        return gate.at_s - self._glare_since_s

    def _wall(self, at_s: float) -> datetime:
        return self.origin + timedelta(seconds=at_s)


def _blur(finding: Finding) -> float:
    """Return how blurred a finding says it is; 0 for one about something else."""
    is_blur = finding.code == "blurred"
    return float(dict(finding.values).get("share", 1.0)) if is_blur else 0.0


_LASTING = ("dark", "overexposed", "low_resolution", "blurred")


def _together(changes: tuple[Change, ...]) -> list[list[Change]]:
    groups: list[list[Change]] = []
    for change in changes:
        if groups and change.at_s - groups[-1][-1].at_s < TOGETHER_S:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _plain(quad: Array) -> tuple[tuple[float, float], ...]:
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in quad)
