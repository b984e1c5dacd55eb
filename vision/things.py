"""The things on the table as far as they are known: where, under which ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from vision.piles import below
from vision.sameness import is_same, plain, shows
from vision.tracks import Change, Sight, Stage, Track
from vision.types import Array, Kind, Placement

RECALL_S = 20.0
"""A card that was taken away and comes back within that time keeps its id."""
TOUCH_SHARE = 0.03


class Things:
    """What lies there, lies below, or was taken away a while ago."""

    def __init__(self) -> None:
        self._tracks: dict[str, Track] = {}
        self._number = 0
        self._gone: list[tuple[float, Track]] = []

    @property
    def lying(self) -> tuple[Track, ...]:
        """Return what lies there and can be seen, oldest first."""
        return tuple(t for t in self._tracks.values() if t.stage is Stage.LYING)

    @property
    def is_pending(self) -> bool:
        """Return whether more readings are needed before all is sure."""
        return any(t.is_pending for t in self._tracks.values())

    @property
    def is_doubtful(self) -> bool:
        """Return whether a back waits for a reading, or what could not be read, or was
        named once and then overlooked."""
        return any(
            t.is_pending
            and (t.seen.kind is Kind.BACK or t.label is None or t.is_overlooked)
            for t in self._tracks.values()
        )

    def named_px(self) -> list[Array]:
        """Return the places of cards that lie open and have names."""
        return [
            t.quad_px
            for t in self.lying
            if t.seen.kind is Kind.CARD and t.label is not None
        ]

    def cards_px(self) -> list[Array]:
        """Return the places of the cards that lie there, open or not."""
        return [t.quad_px for t in self.lying if t.seen.kind is not Kind.DISC]

    def unread_px(self) -> list[Array]:
        """Return the places of cards that lie open and could not be read."""
        return [
            t.quad_px
            for t in self.lying
            if t.seen.kind is Kind.CARD and t.label is None and not t.is_pending
        ]

    def known_px(self) -> list[Array]:
        """Return the places of what lies there, or was named and may come to lie."""
        shown = (Stage.LYING, Stage.TENTATIVE)
        return [
            t.quad_px
            for t in self._tracks.values()
            if t.stage in shown and not t.is_nameless_guess
        ]

    def guesses_px(self) -> list[Array]:
        """Return the places of which nothing is known but that something may lie there
        that could not be read."""
        return [t.quad_px for t in self._tracks.values() if t.is_nameless_guess]

    def guessed_discs_px(self) -> list[Array]:
        """Return where a disc without a name was seen that does not count yet: it may
        be all that was seen of a card."""
        return [
            t.quad_px
            for t in self._tracks.values()
            if t.is_nameless_guess and t.seen.kind is Kind.DISC
        ]

    def pending_px(self) -> list[Array]:
        """Return the places that must be read again."""
        waiting = [t for t in self._tracks.values() if t.is_pending]
        rivals = [np.array(t.rival.quad_px) for t in waiting if t.rival is not None]
        return [*(t.quad_px for t in waiting), *rivals]

    def below(self, id_: str) -> tuple[Track, ...]:
        """Return what lies under a thing, from the one next to it downwards."""
        return below(self._tracks, id_)

    def touch(self, arm: Callable[[Array], float]) -> bool:
        """Note which things a hand is on; return whether that has changed."""
        has_changed = False
        for track in self.lying:
            touched = arm(track.quad_px) > TOUCH_SHARE
            has_changed |= touched is not track.touched
            track.touched = touched
        return has_changed

    def placements(self) -> tuple[Placement, ...]:
        """Return what lies there, each under its own id."""
        return tuple(replace(t.seen, touched=t.touched) for t in self.lying)

    def carry(self, new_from_old: Callable[[Array], Array]) -> None:
        """Move all places along with the picture: the camera was bumped."""
        for track in self._tracks.values():
            track.quad_px = new_from_old(track.quad_px)
            track.seen = replace(track.seen, quad_px=plain(track.quad_px))
            if track.is_off:
                track.forget_stirs()  # by a hair, as the camera was

    def clear(self) -> None:
        """Forget everything but the numbers that were given out."""
        self._tracks.clear()
        self._gone.clear()

    # Coming and going ------------------------------------------------------------

    def _new(self, placement: Placement, stage: Stage, moved_s: float) -> Track:
        self._number += 1
        id_ = f"{placement.kind.value[0]}{self._number}"
        quad = np.array(placement.quad_px, float)
        track = Track(id_, replace(placement, id=id_), quad, stage, moved_s)
        self._tracks[id_] = track
        return track

    def _put(self, placement: Placement, sight: Sight) -> Track:
        """Return a new thing that lies where it is seen."""
        moved_s = sight.moved_s(np.array(placement.quad_px))
        return self._adopt(self._new(placement, Stage.LYING, moved_s))

    def lay_unread(
        self, unread: Sequence[Placement], sight: Sight
    ) -> tuple[Change, ...]:
        """Take things for there that nobody can read."""
        changes = []
        for placement in unread:
            moved_s = sight.moved_s(np.array(placement.quad_px))
            track = self._new(placement, Stage.LYING, moved_s)
            changes.append(Change(track.moved_s, track.id, "laid"))
        return tuple(changes)

    def _take_away(self, track: Track, sight: Sight) -> Change:
        track.stage = Stage.GONE
        del self._tracks[track.id]
        self._gone.append((sight.at_s, track))
        return Change(track.missed_s, track.id, "gone")

    def _adopt(self, track: Track) -> Track:
        """Give a thing the id it had, if it was taken up, or covered, a while ago."""
        if track.label is None:
            return track
        known = [t for _, t in self._gone if is_same(t, track)]
        known += [
            t
            for t in self._tracks.values()
            if t is not track
            and is_same(t, track)
            and t.stage is Stage.BELOW
            and shows(t, track.seen)
            and not self._is_held_down(t)
        ]
        if not known:
            return track
        old = known[-1]
        self._gone = [(at_s, t) for at_s, t in self._gone if t is not old]
        self._tracks.pop(old.id, None)
        self._tracks = {
            (old.id if id_ == track.id else id_): t for id_, t in self._tracks.items()
        }
        for other in self._tracks.values():
            other.under = old.id if other.under == track.id else other.under
        track.id, track.seen = old.id, replace(track.seen, id=old.id)
        return track

    def _is_held_down(self, track: Track) -> bool:
        """Return whether what was laid on a thing was seen there just now: it is not
        what comes to light."""
        upper = self._tracks.get(track.under or "")
        return upper is not None and upper.stage is Stage.LYING and not upper.missed

    def _forget(self, now_s: float) -> None:
        self._gone = [(at, t) for at, t in self._gone if now_s - at < RECALL_S]
