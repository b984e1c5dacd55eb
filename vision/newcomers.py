"""Things that were seen once or twice, and do not count yet.

Enough readings must agree on one before it lies there for anybody else. What was seen
once and then was covered is told without its name, so that it is asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.piles import UNDER_SHARE, hiding, lies_on, push_down
from vision.quads import quad_overlap, turned_like
from vision.sameness import (
    CHANGED_SHARE,
    COVERED_SHARE,
    REST,
    SHOWS_WHOLE,
    covered_by,
    has_moved_since,
    is_its_face,
    is_old_strip,
    plain,
    rests,
    unsure,
    winner,
)
from vision.things import Things
from vision.tracks import Change, Sight, Stage, Track
from vision.types import Array, Identity, Kind, Placement

MOST_READINGS = 5
"""After so many that do not agree a thing counts as unread."""
SECOND_OUTLINE = 0.5
STRIP = 0.5
"""What shows of a card that lies below another, at most."""
JUST_THERE = 0.75
"""A strip whose outline overlaps that of a card which is known to lie below more (IoU)
is what shows of that."""
HIDDEN = 0.05
"""What shows, at most, of a card that has been covered whole."""
BESIDE = 0.2
"""So far from a card of its face, in shares of its size, another one is plainly another
if all of it has changed."""


class Newcomers(Things):
    """What lies there, and what may have come to lie there."""

    def __init__(self, *, agree: int) -> None:
        super().__init__()
        self._agree = agree

    def _begin(
        self, placement: Placement, sight: Sight, rivals: Sequence[Placement]
    ) -> None:
        quad = np.array(placement.quad_px)
        if sight.covered(quad) > COVERED_SHARE:
            return
        if any(self._is_seen_twice(t, placement, sight) for t in self.lying):
            return
        if any(_peeps_out(t, placement) for t in self._tracks.values()):
            return
        track = self._new(placement, Stage.TENTATIVE, sight.moved_s(quad))
        # It may have been taken for another face of what is seen beside it now.
        track.readings = 1 + any(rests(track, rival) for rival in rivals)
        track.votes[placement.identity.label] += track.readings
        track.read_s = sight.at_s
        has_come = sight.changed(quad) >= CHANGED_SHARE
        track.came_whole = has_come and _was_whole(track)

    def _shows_below(
        self, placement: Placement, over_px: Sequence[Array], sight: Sight
    ) -> bool:
        """Return whether this is a strip of what is known to lie below others, read for
        something else: it lies just where that lies, or what little shows there is as
        it was. Without a name it would be explained by what lies on it."""
        if placement.visible >= STRIP:
            return False
        quad = np.array(placement.quad_px)
        below = [t for t in self._tracks.values() if t.stage is Stage.BELOW]
        if any(_lies_just_there(track, quad) for track in below):
            return True
        return is_old_strip(quad, over_px, sight) and any(
            covered_by(track.quad_px, quad) > SECOND_OUTLINE for track in below
        )

    def _is_covered_since(
        self, track: Track, placement: Placement, sight: Sight
    ) -> bool:
        """Return whether another face is seen where one was read that does not count
        yet, and something was laid there between: it is no second look at it."""
        quad = np.array(placement.quad_px)
        return (
            track.stage is Stage.TENTATIVE
            and placement.identity.label is not None
            and not is_its_face(track, placement)
            and _was_whole(track)
            and sight.moved_s(quad) > track.read_s
            and sight.covered(quad) <= COVERED_SHARE
        )

    def _lie_in_doubt(self, track: Track, shown: float) -> list[Change]:
        """Let what was read once and then was covered lie there without its name, as if
        it lay open: people are asked what it is."""
        track.stage, track.missed = Stage.LYING, 0
        identity = unsure(track, None)
        track.seen = replace(track.seen, identity=identity, visible=round(shown, 3))
        return [Change(track.moved_s, track.id, "laid")]

    def _see_again(self, track: Track, placement: Placement, sight: Sight) -> None:
        """Take what was seen before, and does not count yet, for seen once more."""
        quad = np.array(placement.quad_px)
        label = placement.identity.label
        off_px = float(np.abs(quad - track.quad_px).max())
        is_off, moved_s = off_px > REST * track.size_px, sight.moved_s(quad)
        if is_its_face(track, placement) and placement.visible < SHOWS_WHOLE:
            # Another card was laid on it: where it lies was seen better before.
            placement = replace(placement, quad_px=plain(track.quad_px))
        elif is_off and moved_s > track.moved_s:
            track.readings, track.moved_s = 0, moved_s
            track.votes.clear()  # it still slides: these readings say nothing
        was_print = track.seen.kind is Kind.DISC and placement.kind is Kind.CARD
        if was_print and label is not None:
            track.readings = 0  # a disc that is printed on it says nothing of it
            track.votes.clear()
        track.readings += 1
        track.votes[label] += 1
        quad = np.array(placement.quad_px)
        # A name says where all of the card lies, an outline without one what shows.
        says_first = label is not None and track.label is None
        share = 1.0 if says_first else 1 / track.readings
        track.quad_px = track.quad_px + share * (quad - track.quad_px)
        if label is not None or track.label is None:
            track.seen = replace(placement, id=track.id)

    def _is_seen_twice(self, track: Track, placement: Placement, sight: Sight) -> bool:
        """Return whether this is a second outline of a card that lies there: of its
        face, over most of it, and nothing has moved since it was laid."""
        quad = np.array(placement.quad_px)
        return (
            placement.identity.label is not None
            and is_its_face(track, placement)
            and placement.kind is track.seen.kind
            and covered_by(track.quad_px, quad) > SECOND_OUTLINE
            and not has_moved_since(track, quad, sight)
        )

    def _doubt(self, track: Track, sight: Sight) -> list[Change]:
        """Forget what was seen once and now is not; what had a name, or lies where the
        table changed, is looked for once more, since one look may well overlook it.
        What showed whole and was covered before a second look is asked about."""
        if sight.covered(track.quad_px) > COVERED_SHARE:
            return []
        track.missed += 1
        has_come = sight.changed(track.quad_px) >= CHANGED_SHARE
        if (track.label is not None or has_come) and track.missed < self._agree:
            return []
        if self._lies_unseen(track, sight):
            enough = track.missed >= MOST_READINGS
            return self._lie_in_doubt(track, 1.0) if enough else []
        over = hiding(self._tracks, track, SECOND_OUTLINE)
        share = 0.0 if over is None else covered_by(track.quad_px, over.quad_px)
        is_lost = over is None or not _was_whole(track)
        # Where nothing moved since, it was another outline of what is seen there.
        if over is not None and share > UNDER_SHARE:
            is_lost |= over.moved_s <= track.read_s
        if is_lost:
            del self._tracks[track.id]
            return []
        return self._lie_in_doubt(track, max(1 - share, HIDDEN))

    def _lies_unseen(self, track: Track, sight: Sight) -> bool:
        """Return whether what was read once, whole, where the table had changed lies
        there still, for nothing has moved there since and nothing else explains it."""
        if not track.came_whole or sight.moved_s(track.quad_px) > track.read_s:
            return False
        return not any(
            covered_by(track.quad_px, other.quad_px) > BESIDE
            for other in self._tracks.values()
            if other is not track and other.moved_s >= track.moved_s
        )

    def lay_at_once(self, placement: Placement, sight: Sight) -> tuple[Change, ...]:
        """Let a card lie there after one look, unless what is known to lie there may be
        this card, or is not sure itself: then more readings tell."""
        quad = np.array(placement.quad_px)
        if any(_is_in_doubt_with(t, placement) for t in self._tracks.values()):
            return ()
        track = self._new(placement, Stage.LYING, sight.moved_s(quad))
        track.read_s, track.was_read_once = sight.at_s, True
        laid = self._adopt(track)
        return Change(laid.moved_s, laid.id, "laid"), *push_down(self._tracks, laid)

    def _settle_new(self, sight: Sight) -> list[Change]:
        """Let tentative tracks count on which enough readings agree, each after those
        that it was laid on: nobody played what lies on a card that was not played."""
        changes = []
        new = [t for t in self._tracks.values() if t.stage is Stage.TENTATIVE]
        unsure_yet = [t for t in new if not self._is_sure(t)]
        for track in new:
            if track in unsure_yet or any(lies_on(track, low) for low in unsure_yet):
                continue
            label, agreed = winner(track, self._agree)
            if agreed < self._agree or label != track.label:
                track.seen = replace(track.seen, identity=unsure(track, label))
            track.stage = Stage.LYING
            laid = self._adopt(track)
            changes.append(Change(laid.moved_s, laid.id, "laid"))
            changes += push_down(self._tracks, laid)
        return changes

    def _is_sure(self, track: Track) -> bool:
        """Return whether enough readings agree on a new thing, or there were so many
        that it counts as unread."""
        label, agreed = winner(track, self._agree)
        has_name = track.seen.kind is not Kind.BACK
        if label is None and has_name and track.readings < self._agree + 1:
            return False
        return agreed >= self._agree or track.readings >= MOST_READINGS


def _peeps_out(track: Track, placement: Placement) -> bool:
    """Return whether this is a strip of a card that is known to lie below another: its
    outline is guessed from what shows."""
    return (
        track.stage is Stage.BELOW
        and track.label is not None
        and placement.visible < STRIP
        and is_its_face(track, placement)
        and covered_by(track.quad_px, np.array(placement.quad_px)) > SECOND_OUTLINE
    )


def _lies_just_there(track: Track, quad: Array) -> bool:
    """Return whether an outline is that of a known card, either way up: no other is
    laid under one so exactly."""
    return track.label is not None and quad_overlap(track.quad_px, quad) > JUST_THERE


def _was_whole(track: Track) -> bool:
    return track.label is not None and track.seen.visible >= SHOWS_WHOLE


def _is_in_doubt_with(track: Track, placement: Placement) -> bool:
    """Return whether a card that was just read may be one that is known, or lies where
    something lies of which it is not known yet what it is; unless that is whether this
    card lies on it."""
    quad = np.array(placement.quad_px)
    rivals = track.rivals.keys() - {(placement.kind, placement.identity.label)}
    if track.stage is Stage.TENTATIVE or rivals or track.stirred:
        return covered_by(quad, track.quad_px) > 0
    off_px = float(np.abs(turned_like(quad, track.quad_px) - track.quad_px).max())
    return is_its_face(track, placement) and off_px < BESIDE * track.size_px


def laid_between(
    track: Track, placement: Placement, sight: Sight
) -> tuple[float, Placement] | None:
    """Return when, and what, was read once of yet another face before something was
    laid there again: a card that has been covered since. It has no name, for once is
    not enough."""
    moved_s = sight.moved_s(np.array(placement.quad_px))
    names = [
        (at_s, label)
        for (kind, label), at_s in track.rivals_s.items()
        if kind is placement.kind
        and label not in {None, placement.identity.label}
        and at_s < moved_s
    ]
    if not names:
        return None
    at_s, label = max(names)
    return at_s, unsure_of(label, placement)


def unsure_of(label: str | None, placement: Placement) -> Placement:
    """Return a thing without a name, which was read once as `label`."""
    candidates = ((label, 1 / MOST_READINGS),) if label is not None else ()
    return replace(placement, identity=Identity(None, candidates))
