"""What of the table was told so far, and what is told after a change: a view each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import numpy as np

from vision.capture.source import Shot
from vision.sameness import plain
from vision.track import Tracker
from vision.tracks import Change
from vision.types import Array, Finding, FrameId, Observation, Placement
from vision.views import View
from vision.where import Whereabouts

TOGETHER_S = 0.02
"""Changes nearer in time than this are one."""
LASTING = ("dark", "overexposed", "low_resolution", "blurred", "mirrored", "colourless")
"""Findings about the camera, which hold until a picture says otherwise."""


@dataclass(slots=True)
class Showing:
    """The table as it was shown last."""

    source: str
    origin: datetime
    """The wall clock when the source's clock stood at 0."""
    findings: tuple[Finding, ...] = ()
    """What was last said of the whole picture."""
    where: Whereabouts = field(default_factory=Whereabouts)
    _shown: dict[str, Placement] = field(default_factory=dict)
    _is_first: bool = True

    @property
    def is_empty(self) -> bool:
        """Return whether nothing has been shown to lie there."""
        return not self._shown

    def clear(self) -> None:
        """Forget the table."""
        self.where = Whereabouts()
        self._shown.clear()
        self._is_first = True

    def carry(
        self, new_from_old: Callable[[Array], Array], back: Callable[[Array], Array]
    ) -> None:
        """Move all places along with the picture: the camera was bumped."""
        self.where.carry(back)
        self._shown = {
            id_: replace(p, quad_px=plain(new_from_old(np.array(p.quad_px))))
            for id_, p in self._shown.items()
        }

    def wall(self, at_s: float) -> datetime:
        """Return a moment of the source's clock on the wall clock."""
        return self.origin + timedelta(seconds=at_s)

    def views(
        self,
        shot: Shot,
        frame: FrameId,
        tracker: Tracker,
        changes: Sequence[Change],
        *,
        has_touched: bool,
    ) -> tuple[View, ...]:
        """Return the table after each change, in the order of time."""
        lying = {p.id: p for p in tracker.placements()}
        if not changes and not has_touched:
            self._shown = {k: lying.get(k, v) for k, v in self._shown.items()}
            return ()
        for id_ in self._shown.keys() & lying.keys():
            # A hand that left in this picture is told with what it laid, or never.
            touched = lying[id_].touched
            self._shown[id_] = replace(self._shown[id_], touched=touched)
        views: list[View] = []
        for group in _together(changes):
            for change in group:
                self._shown.pop(change.track, None)
                if change.track in lying and change.what not in ("gone", "covered"):
                    self._shown[change.track] = lying[change.track]
            what = tuple((change.track, change.what) for change in group)
            views.append(self._view(shot, frame, tracker, group[-1].at_s, what))
        self._shown = {k: v for k, v in lying.items() if k in self._shown}
        if has_touched and not changes:
            views.append(self._view(shot, frame, tracker, shot.taken_s, ()))
        if views and self._is_first:
            # What lay there from the start came together.
            views, self._is_first = views[-1:], False
        return tuple(views)

    def again(self, shot: Shot, frame: FrameId, tracker: Tracker) -> tuple[View, ...]:
        """Return what was told once more, nothing where nothing was."""
        if self._is_first:
            return ()
        return (self._view(shot, frame, tracker, shot.taken_s, ()),)

    def _view(
        self,
        shot: Shot,
        frame: FrameId,
        tracker: Tracker,
        at_s: float,
        what: tuple[tuple[str, str], ...],
    ) -> View:
        height_px, width_px = shot.bgr.shape[:2]
        moved = {t.id: (round(t.moved_s, 1), t.seen.order) for t in tracker.lying}
        upwards = sorted(self._shown, key=lambda id_: moved.get(id_, (0.0, 0)))
        table, placements = self.where.place(
            [replace(self._shown[id_], order=n) for n, id_ in enumerate(upwards)],
            (width_px, height_px),
        )
        observation = Observation(
            frame,
            self.source,
            width_px,
            height_px,
            self.wall(at_s),
            table,
            placements,
            tuple(f for f in self.findings if f.code in LASTING),
        )
        return View(observation, at_s, what)


def _together(changes: Sequence[Change]) -> list[list[Change]]:
    groups: list[list[Change]] = []
    for change in changes:
        if groups and change.at_s - groups[-1][-1].at_s < TOGETHER_S:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups
