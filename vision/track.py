"""Which things lie on the table, over time: stable ids, hysteresis, piles.

A reading says what one picture shows. A thing counts when several readings agree, and
is gone only when several readings miss it where nothing covers its place (F-35). Cards
are counted by what lies there, never by ids (F-82). A card on which another was laid is
remembered below it, so that a pile has a history; when it comes to light again it has
its old id. Whatever changes keeps the time at which its place last moved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.newcomers import (
    HIDDEN,
    MOST_READINGS,
    Newcomers,
    laid_between,
    unsure_of,
)
from vision.pairing import matched
from vision.piles import (
    below,
    came_at,
    came_over_px,
    go_under,
    hiding,
    is_one_outline,
    lying_over_px,
    may_hide,
    new_over_px,
    uncover,
)
from vision.sameness import (
    CHANGED_SHARE,
    COVERED_SHARE,
    REST,
    STIR_S,
    has_moved_since,
    is_another,
    is_as_first_read,
    is_explained,
    is_half_read,
    is_hardly_seen,
    is_its_face,
    left_whole_px,
    looks_as_before,
    may_be_another,
    may_be_new,
    named_whole_px,
    plain,
    rests,
    shows,
    shows_beside,
    shows_unchanged,
    stays_in_doubt,
    tells_place,
    without_second_looks,
)
from vision.several import is_part_of, without_large, without_several
from vision.tracks import Change, Sight, Stage, Track, in_time
from vision.types import UNKNOWN, Array, Kind, Placement

AGREE = 2
"""So many readings must say the same before it counts."""
STRIP_SHARE = 0.6
"""Of which more is covered by one card, shows a strip: not to see it says little."""


class Tracker(Newcomers):
    """The table's things, updated with each reading."""

    def __init__(self, *, agree: int = AGREE) -> None:
        super().__init__(agree=agree)

    def update(self, seen: Sequence[Placement], sight: Sight) -> tuple[Change, ...]:
        """Take a reading in; return what counts as changed by now, in order of time."""
        seen = [p for p in seen if sight.looked(np.array(p.quad_px))]
        known = list(self._tracks.values())
        rivals = [(t, t.rival) for t in known if t.rival is not None]
        left_px = left_whole_px(known, sight)
        seen = without_second_looks(seen, known, left_px)
        whole_px = named_whole_px(seen)
        explain_px = [*whole_px, *left_px]
        seen = without_several(without_large(seen, known), known)
        pairs, loose = matched(self._tracks.values(), seen)
        pairs = [pair for pair in pairs if not shows_beside(*pair)]
        there = list(self._tracks.values())  # what is laid now was not missed
        changes: list[Change] = []
        for track, placement in pairs:
            if track.is_nameless_guess and is_explained(placement, explain_px):
                del self._tracks[track.id]
                continue
            if self._is_covered_since(track, placement, sight):
                changes += self._lie_in_doubt(track, HIDDEN)
                self._begin(placement, sight, ())
                continue
            track.read_s = sight.at_s
            over_px = new_over_px(track, pairs, loose)
            changes += self._meet(track, placement, sight, over_px)
            if track.seen.kind is Kind.BACK:
                track.patch = sight.patch(track.quad_px)
        met = {track.id for track, _ in pairs}
        missed = [t for t in there if t.id not in met and t.id in self._tracks]
        for track in missed:
            if track.stage is Stage.LYING:
                over_px = new_over_px(track, pairs, loose)
                changes += self._miss(track, sight, over_px)
        for placement in loose:
            is_old = self._shows_below(placement, explain_px, sight)
            if not is_old and not is_explained(placement, explain_px):
                self._begin(placement, sight, [rival for _, rival in rivals])
        for track in missed:  # what was laid on them is known by now
            if track.stage is Stage.TENTATIVE and sight.looked(track.quad_px):
                changes += self._doubt(track, sight)
        for track, rival in rivals:
            self._keep_in_mind(track, rival, sight)
        changes += self._settle_new(sight)
        uncover(self._tracks, sight)
        self._forget(sight.at_s)
        return in_time(changes)

    def nudged(self, track: Track) -> None:
        """Look whether another card of its face lies on one that lies a hair off."""
        track.again, track.is_off = max(track.again, 1), True

    # What was seen -------------------------------------------------------------------

    def _meet(
        self,
        track: Track,
        placement: Placement,
        sight: Sight,
        over_px: Sequence[Array],
    ) -> list[Change]:
        waits = track.is_pending
        track.missed = 0
        if track.stage is Stage.TENTATIVE:
            self._see_again(track, placement, sight)
            return []
        quad = np.array(placement.quad_px)
        label = placement.identity.label
        same_kind = placement.kind is track.seen.kind
        if track.was_read_once and label is not None:
            track.was_read_once = False
            if not has_moved_since(track, quad, sight) and label != track.label:
                return self._is_called(track, placement, track.moved_s)
        if label is None and track.rival is not None:
            return self._rival_unread(track, placement, sight)
        if same_kind and (label is None or is_its_face(track, placement)):
            track.forget_rivals()
            return self._lies(track, placement, sight, over_px)
        is_nameless = same_kind and track.label is None
        if is_nameless and not may_be_new(track, placement, over_px, sight):
            return self._name(track, placement, sight)
        has_no_name = label is None and track.label is None
        if has_no_name and not has_moved_since(track, quad, sight):
            return self._other_kind(track, placement, sight)
        if not waits and sight.changed(quad) < CHANGED_SHARE:
            return []
        return self._other_face(track, placement, sight)

    def _lies(
        self,
        track: Track,
        placement: Placement,
        sight: Sight,
        over_px: Sequence[Array],
    ) -> list[Change]:
        """Note where a known thing lies now; small differences are noise: averaged."""
        if is_hardly_seen(track, placement, sight):
            return []
        is_part = is_part_of(placement, track)
        quad = track.quad_px if is_part else np.array(placement.quad_px)
        away = float(np.abs(quad - track.quad_px).max()) / track.size_px
        lying_px = lying_over_px(self._tracks, track)
        over_px = [*over_px, *lying_px]
        is_there = away < 2 * REST or track.label is None  # its place is vague
        if is_there and may_be_new(track, placement, over_px, sight):
            return self._stir(track, sight)
        changes = []
        if is_another(track, placement, away, sight):
            track.again += 1
            # Without a name it is more likely the card itself, half hidden.
            if placement.identity.label is None and away < 2 * REST:
                track.again %= MOST_READINGS
                return []
            if track.again < self._agree:
                track.stirred = max(track.stirred, 1)  # until a name tells
                return []
            return self._lay_on(track, placement, sight)
        if may_be_another(track, placement, away, sight):
            track.again = max(track.again, 1)
            return []
        if is_half_read(track, placement, over_px, lying_px, sight):
            return self._stir(track, sight, track.label)
        track.forget_stirs()
        if away < REST:
            track.quad_px = track.quad_px + 0.3 * (quad - track.quad_px)
        elif (
            placement.visible >= 0.5
            and tells_place(track, placement)
            and sight.changed(quad) >= CHANGED_SHARE
            and has_moved_since(track, quad, sight)
            and not shows_unchanged(track, (quad,), sight)
        ):
            track.quad_px = quad
            changes.append(Change(sight.moved_s(quad), track.id, "moved"))
        named = placement if placement.identity.label is not None else track.seen
        track.seen = replace(
            placement,
            id=track.id,
            quad_px=plain(track.quad_px),
            identity=named.identity,
            deck=named.deck,
        )
        return changes

    @staticmethod
    def _is_called(track: Track, placement: Placement, at_s: float) -> list[Change]:
        """It is what was seen now. A card that counted after one look may be another as
        the second one tells, that covers all around it: who noted the first asks."""
        track.forget_rivals()
        track.seen = replace(placement, id=track.id, quad_px=plain(track.quad_px))
        return [Change(at_s, track.id, "named")]

    def _stir(
        self, track: Track, sight: Sight, label: str | None = None
    ) -> list[Change]:
        """Where a card with a name lay nearly all has changed, or another of its face
        was read once, and nobody can read what lies there, or all of it: it is looked
        at again, and in the end asked about."""
        track.stirred += 1
        if track.stirred < MOST_READINGS:
            return []
        label = track.label if track.again else label
        unread = replace(unsure_of(label, track.seen), quad_px=plain(track.quad_px))
        return self._lay_on(track, unread, sight)

    def _name(self, track: Track, placement: Placement, sight: Sight) -> list[Change]:
        """A thing that could not be read can be read now."""
        track.forget_stirs()
        track.votes[placement.identity.label] += 1
        if track.votes[placement.identity.label] < self._agree:
            track.rivals[placement.kind, placement.identity.label] = 1
            return []
        return self._is_called(track, placement, sight.moved_s(track.quad_px))

    def _other_kind(
        self, track: Track, placement: Placement, sight: Sight
    ) -> list[Change]:
        """What nobody touched is taken for another kind of thing: a back, no disc."""
        key = placement.kind, None
        track.rivals[key] += 1
        if track.rivals[key] < self._agree:
            return []
        return self._is_called(track, placement, sight.moved_s(track.quad_px))

    def _other_face(
        self, track: Track, placement: Placement, sight: Sight
    ) -> list[Change]:
        """Another face lies where this one lay: laid on it, if its place changed (now,
        or before the reading that was the first not to show it)."""
        quad = np.array(placement.quad_px)
        if not has_moved_since(track, quad, sight):
            # Nobody was there: it is read otherwise, it is no other card.
            return self._overlooked(track, sight) if track.rivals else []
        if max(sight.dazzled(quad), sight.covered(quad)) > COVERED_SHARE:
            track.read_s = -math.inf  # as if it had not been seen: it is read again
            return []
        key = placement.kind, placement.identity.label
        track.rivals[key] += 1
        track.rivals_s[key] = sight.at_s
        track.rival = track.rival if placement.identity.label is None else placement
        if placement.identity.label is None and not track.rivals.total() > self._agree:
            return []
        if track.rivals[key] < self._agree:
            if track.rivals.total() >= MOST_READINGS:
                track.forget_rivals()
            return []
        between = laid_between(track, placement, sight)
        track.forget_rivals()
        lower = [t for t in below(self._tracks, track.id) if shows(t, placement)]
        if lower:
            return self._brought_to_light(track, lower[0], sight)
        if between is None:
            return self._lay_on(track, placement, sight)
        # It lies open as far as people are concerned: they are asked what it is.
        read_s, unread = between
        changes = self._lay_on(track, unread, sight)
        doubt = self._tracks[changes[-1].track]
        doubt.moved_s = read_s
        doubt.seen = replace(doubt.seen, visible=HIDDEN)
        top = self._put(placement, sight)
        told = [replace(change, at_s=read_s) for change in changes]
        return [*told, Change(top.moved_s, top.id, "laid")]

    def _rival_unread(
        self, track: Track, placement: Placement, sight: Sight
    ) -> list[Change]:
        """What was read once of another face, and moved there, cannot be read now: that
        says nothing against it. In the end it is a card that nobody could read."""
        track.rivals[placement.kind, None] += 1
        rival = track.rival
        others = [other for other in self._tracks.values() if other is not track]
        is_known = rival is not None and any(rests(t, rival) for t in others)
        if is_known or track.rivals.total() >= MOST_READINGS:
            track.forget_rivals()
        if rival is None or is_known or track.rival is not None:
            return []
        return self._lay_on(track, unsure_of(rival.identity.label, rival), sight)

    def _overlooked(self, track: Track, sight: Sight) -> list[Change]:
        """What is in doubt and was as it is now was not seen: in the end that is no
        doubt any longer, or all would wait for it."""
        if track.rivals.total() + 1 >= MOST_READINGS:
            track.forget_stirs()
        return self._rival_unread(track, track.seen, sight)

    def _lay_on(self, track: Track, placement: Placement, sight: Sight) -> list[Change]:
        """What is seen there now was laid on what lay there, or took its place."""
        top = self._put(placement, sight)
        track.forget_stirs()
        laid = Change(top.moved_s, top.id, "laid")
        if may_hide(top, track):
            return [*go_under(track, top), laid]
        track.missed_s = top.moved_s
        return [self._take_away(track, sight), laid]

    def _brought_to_light(self, top: Track, lower: Track, sight: Sight) -> list[Change]:
        """What lay below shows again: the upper one was taken off."""
        top.missed_s = sight.moved_s(lower.quad_px)
        lower.stage, lower.under = Stage.LYING, None
        gone = self._take_away(top, sight)
        return [gone, Change(gone.at_s, lower.id, "uncovered")]

    def _keep_in_mind(self, track: Track, rival: Placement, sight: Sight) -> None:
        """What was taken for another face of a card that is seen as before now, and lay
        beside it, may be a card that has been covered meanwhile."""
        off_px = np.linalg.norm(np.array(rival.quad_px).mean(0) - track.quad_px.mean(0))
        is_beside = float(off_px) > 2 * REST * track.size_px
        is_known = any(rests(other, rival) for other in self._tracks.values())
        if track.rival is None and is_beside and not is_known:
            self._begin(rival, sight, ())

    def _miss(
        self, track: Track, sight: Sight, over_px: Sequence[Array]
    ) -> list[Change]:
        """What lay there was not seen: covered, hidden below something, or gone."""
        if not sight.looked(track.quad_px) or is_as_first_read(track, sight):
            return []
        quad = track.quad_px
        hidden = sight.covered(quad), sight.resting(quad), sight.dazzled(quad)
        if max(hidden) > COVERED_SHARE:
            return []
        over = hiding(self._tracks, track, STRIP_SHARE)
        if stays_in_doubt(track, over, sight):
            return self._stir(track, sight)
        track.stirred = 0  # what came lies on it
        if not track.missed and sight.changed(quad) < CHANGED_SHARE:
            return self._overlooked(track, sight) if track.is_pending else []
        track.again = 0
        over_px = [*over_px, *lying_over_px(self._tracks, track)]
        if not track.missed and shows_unchanged(track, over_px, sight):
            return []
        if looks_as_before(track.patch, sight.patch(track.quad_px)):
            track.missed = 0
            return []  # backs are overlooked easily
        if over is not None:
            track.missed = 0
            over = hiding(self._tracks, track)
            if over is None:
                return []  # only a strip of it shows, and may well be overlooked
            if over.stage is not Stage.LYING:
                return []
            track.stage, track.under = Stage.BELOW, over.id
            return [Change(over.moved_s, track.id, "covered")]
        track.missed += 1
        if track.missed < self._agree:
            track.missed_s = sight.moved_s(track.quad_px)
            track.over_px = came_over_px(track, sight)
            return []
        came_px = track.over_px
        top = came_at(self._tracks, track, came_px)
        if top is not None and not top.is_pending:
            track.missed = 0
            return go_under(track, top)
        if came_px is None or sight.moved_s(came_px) > track.missed_s + STIR_S:
            return [self._take_away(track, sight)]
        is_seen = any(is_one_outline(came_px, over) for over in over_px)
        if top is not None or (is_seen and track.missed < MOST_READINGS):
            return []  # what was laid on it does not count yet
        # What was laid on it has no name: it is asked about, this is not gone.
        track.missed = 0
        unread = Placement("", Kind.CARD, UNKNOWN, 0.0, plain(came_px))
        return self._lay_on(track, unread, sight)
