"""When a view is passed on: at once in real time, or when the table is quiet.

One play may be several cards laid one by one, so games of turns wait for quiet. What
was laid and covered meanwhile is passed on too, below what covers it: it was seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from vision.types import Placement
from vision.views import Look, View, Waiting


@dataclass(slots=True)
class Patience:
    """Holds the newest view of one table back until the table is quiet."""

    quiet_s: float | None
    """`None`: real time."""
    _held: View | None = None
    _known: frozenset[str] = frozenset()
    """Ids of what the last view that was passed on showed."""
    _covered: dict[str, Placement] = field(default_factory=dict)

    def take(self, look: Look) -> tuple[View, ...]:
        """Return the views to pass on now, in order."""
        if self.quiet_s is None:
            return look.views
        for view in look.views:
            self._hold(view)
        is_agreed = look.waiting in (Waiting.NOTHING, Waiting.REST)
        if is_agreed and look.is_quiet and look.still_s >= self.quiet_s:
            return self.release()
        return ()

    @property
    def is_holding(self) -> bool:
        """Return whether a view waits."""
        return self._held is not None

    def release(self) -> tuple[View, ...]:
        """Return what is held, if anything: the recording is over, or it is quiet."""
        if self._held is None:
            return ()
        view, self._held = self._held, None
        shown = view.observation.placements
        self._known = frozenset(placement.id for placement in shown)
        lower = tuple(p for k, p in self._covered.items() if k not in self._known)
        self._covered.clear()
        if not lower:
            return (view,)
        upper = [replace(p, order=p.order + len(lower)) for p in shown]
        lower = tuple(replace(p, order=n) for n, p in enumerate(lower))
        observation = replace(view.observation, placements=(*lower, *upper))
        return (replace(view, observation=observation),)

    def _hold(self, view: View) -> None:
        before = self._held
        if before is not None:
            was = {p.id: p for p in before.observation.placements}
            for id_, what in view.changes:
                if what == "covered" and id_ in was and id_ not in self._known:
                    self._covered[id_] = replace(was[id_], visible=0.0)
                elif what in ("uncovered", "gone"):
                    self._covered.pop(id_, None)
            view = replace(view, changes=(*before.changes, *view.changes))
        self._held = view
