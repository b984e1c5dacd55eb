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

from vision.pairing import matched
from vision.piles import (
    UNDER_SHARE,
    below,
    hiding,
    lies_on,
    lying_over_px,
    new_over_px,
    push_down,
    uncover,
)
from vision.sameness import (
    CHANGED_SHARE,
    REST,
    SHOWS_WHOLE,
    covered_by,
    has_moved_since,
    is_another,
    is_explained,
    is_its_face,
    left_whole_px,
    looks_as_before,
    may_be_another,
    named_whole_px,
    plain,
    rests,
    shows,
    shows_beside,
    shows_unchanged,
    tells_place,
    unsure,
    winner,
    without_second_looks,
)
from vision.several import is_part_of, without_several
from vision.things import Things
from vision.tracks import Change, Sight, Stage, Track
from vision.types import Array, Identity, Kind, Placement

AGREE = 2
"""So many readings must say the same before it counts."""
MOST_READINGS = 5
"""After so many that do not agree a thing counts as unread."""
COVERED_SHARE = 0.2
"""A thing of which a hand hides more may be missed without being gone."""
STRIP_SHARE = 0.6
"""Of which more is covered by one card, shows a strip: not to see it says little."""
SECOND_OUTLINE = 0.5


class Tracker(Things):
    """The table's things, updated with each reading."""

    def __init__(self, *, agree: int = AGREE) -> None:
        super().__init__()
        self._agree = agree

    def update(self, seen: Sequence[Placement], sight: Sight) -> tuple[Change, ...]:
        """Take a reading in; return what counts as changed by now, in order of time."""
        seen = [p for p in seen if sight.looked(np.array(p.quad_px))]
        known = list(self._tracks.values())
        rivals = [(t, t.rival) for t in known if t.rival is not None]
        left_px = left_whole_px(known, sight)
        seen = without_second_looks(seen, known, left_px)
        whole_px = named_whole_px(seen)
        explain_px = [*whole_px, *left_px]
        seen = without_several(seen, known)
        pairs, loose = matched(self._tracks.values(), seen)
        pairs = [pair for pair in pairs if not shows_beside(*pair)]
        there = list(self._tracks.values())  # what is laid now was not missed
        changes: list[Change] = []
        for track, placement in pairs:
            if track.is_nameless_guess and is_explained(placement, explain_px):
                del self._tracks[track.id]
                continue
            track.read_s = sight.at_s
            changes += self._meet(track, placement, sight)
            if track.seen.kind is Kind.BACK:
                track.patch = sight.patch(track.quad_px)
        met = {track.id for track, _ in pairs}
        missed = [t for t in there if t.id not in met and t.id in self._tracks]
        for track in missed:
            if track.stage is Stage.LYING:
                over_px = new_over_px(track, pairs, loose)
                changes += self._miss(track, sight, over_px)
        for placement in loose:
            if not is_explained(placement, explain_px):
                self._begin(placement, sight, [rival for _, rival in rivals])
        for track in missed:  # what was laid on them is known by now
            if track.stage is Stage.TENTATIVE and sight.looked(track.quad_px):
                changes += self._doubt(track, sight)
        for track, rival in rivals:
            self._keep_in_mind(track, rival, sight)
        changes += self._settle_new(sight)
        uncover(self._tracks, sight)
        self._forget(sight.at_s)
        return tuple(sorted(changes, key=lambda change: change.at_s))

    # What was seen -------------------------------------------------------------------

    def _meet(self, track: Track, placement: Placement, sight: Sight) -> list[Change]:
        waits = track.is_pending
        track.missed = 0
        quad = np.array(placement.quad_px)
        label = placement.identity.label
        if track.stage is Stage.TENTATIVE:
            off_px = float(np.abs(quad - track.quad_px).max())
            is_off, moved_s = off_px > REST * track.size_px, sight.moved_s(quad)
            if is_its_face(track, placement) and placement.visible < SHOWS_WHOLE:
                # Another card was laid on it: where it lies was seen better before.
                placement = replace(placement, quad_px=plain(track.quad_px))
            elif is_off and moved_s > track.moved_s:
                track.readings, track.moved_s = 0, moved_s
                track.votes.clear()  # it still slides: these readings say nothing
            track.readings += 1
            track.votes[label] += 1
            quad = np.array(placement.quad_px)
            track.quad_px = track.quad_px + (quad - track.quad_px) / track.readings
            if label is not None or track.label is None:
                track.seen = replace(placement, id=track.id)
            return []
        same_kind = placement.kind is track.seen.kind
        if label is None and track.rival is not None:
            return self._rival_unread(track, placement, sight)
        if same_kind and (label is None or is_its_face(track, placement)):
            track.forget_rivals()
            return self._lies(track, placement, quad, sight)
        if same_kind and track.label is None:
            return self._name(track, placement, sight)
        has_no_name = label is None and track.label is None
        if has_no_name and not has_moved_since(track, quad, sight):
            return self._other_kind(track, placement, sight)
        if not waits and sight.changed(quad) < CHANGED_SHARE:
            return []
        return self._other_face(track, placement, sight)

    def _lies(
        self, track: Track, placement: Placement, quad: Array, sight: Sight
    ) -> list[Change]:
        """Note where a known thing lies now; small differences are noise: averaged."""
        if is_part_of(placement, track):
            quad = track.quad_px
        away = float(np.abs(quad - track.quad_px).max()) / track.size_px
        changes = []
        if is_another(track, placement, away, sight):
            track.again += 1
            # Without a name it is more likely the card itself, half hidden.
            is_vague = placement.identity.label is None and away < 2 * REST
            if is_vague and track.again >= MOST_READINGS:
                track.again = 0
            if is_vague or track.again < self._agree:
                return []
            return self._lay_on(track, placement, sight)
        if may_be_another(track, placement, away, sight):
            track.again = max(track.again, 1)
            return []
        track.again = 0
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

    def _name(self, track: Track, placement: Placement, sight: Sight) -> list[Change]:
        """A thing that could not be read can be read now."""
        track.votes[placement.identity.label] += 1
        if track.votes[placement.identity.label] < self._agree:
            track.rivals[placement.kind, placement.identity.label] = 1
            return []
        track.forget_rivals()
        track.seen = replace(placement, id=track.id, quad_px=plain(track.quad_px))
        return [Change(sight.moved_s(track.quad_px), track.id, "named")]

    def _other_kind(
        self, track: Track, placement: Placement, sight: Sight
    ) -> list[Change]:
        """What nobody touched is taken for another kind of thing: a back, no disc."""
        key = placement.kind, None
        track.rivals[key] += 1
        if track.rivals[key] < self._agree:
            return []
        track.forget_rivals()
        track.seen = replace(placement, id=track.id, quad_px=plain(track.quad_px))
        return [Change(sight.moved_s(track.quad_px), track.id, "named")]

    def _other_face(
        self, track: Track, placement: Placement, sight: Sight
    ) -> list[Change]:
        """Another face lies where this one lay: laid on it, if its place changed (now,
        or before the reading that was the first not to show it)."""
        quad = np.array(placement.quad_px)
        if not has_moved_since(track, quad, sight):
            return []  # nobody was there: it is read otherwise, it is no other card
        if sight.dazzled(quad) > COVERED_SHARE:
            track.read_s = -math.inf  # as if it had not been seen: it is read again
            return []
        key = placement.kind, placement.identity.label
        track.rivals[key] += 1
        track.rival = track.rival if placement.identity.label is None else placement
        if placement.identity.label is None and not track.rivals.total() > self._agree:
            return []
        if track.rivals[key] < self._agree:
            if track.rivals.total() >= MOST_READINGS:
                track.forget_rivals()
            return []
        track.forget_rivals()
        lower = [t for t in below(self._tracks, track.id) if shows(t, placement)]
        if lower:
            return self._brought_to_light(track, lower[0], sight)
        return self._lay_on(track, placement, sight)

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
        label, score = rival.identity.label, 1 / MOST_READINGS
        unread = Identity(None, ((label, score),) if label is not None else ())
        return self._lay_on(track, replace(rival, identity=unread), sight)

    def _lay_on(self, track: Track, placement: Placement, sight: Sight) -> list[Change]:
        """What is seen there now was laid on what lay there."""
        quad = np.array(placement.quad_px)
        top = self._new(placement, Stage.LYING, sight.moved_s(quad))
        top = self._adopt(top)
        track.again = 0
        laid = Change(top.moved_s, top.id, "laid")
        share = covered_by(track.quad_px, top.quad_px)
        if share < UNDER_SHARE:
            # A part of it shows, too little to be seen perhaps: it lies there still.
            track.seen = replace(track.seen, visible=round(1 - share, 3))
            return [laid]
        track.stage, track.under = Stage.BELOW, top.id
        return [Change(top.moved_s, track.id, "covered"), laid]

    def _brought_to_light(self, top: Track, lower: Track, sight: Sight) -> list[Change]:
        """What lay below shows again: the upper one was taken off."""
        top.missed_s = sight.moved_s(lower.quad_px)
        lower.stage, lower.under = Stage.LYING, None
        gone = self._take_away(top, sight)
        return [gone, Change(gone.at_s, lower.id, "uncovered")]

    def _begin(
        self, placement: Placement, sight: Sight, rivals: Sequence[Placement]
    ) -> None:
        quad = np.array(placement.quad_px)
        if sight.covered(quad) > COVERED_SHARE:
            return
        if any(self._is_seen_twice(t, placement, sight) for t in self.lying):
            return
        track = self._new(placement, Stage.TENTATIVE, sight.moved_s(quad))
        # It may have been taken for another face of what is seen beside it now.
        track.readings = 1 + any(rests(track, rival) for rival in rivals)
        track.votes[placement.identity.label] += track.readings

    def _keep_in_mind(self, track: Track, rival: Placement, sight: Sight) -> None:
        """What was taken for another face of a card that is seen as before now, and lay
        beside it, may be a card that has been covered meanwhile."""
        off_px = np.linalg.norm(np.array(rival.quad_px).mean(0) - track.quad_px.mean(0))
        is_beside = float(off_px) > 2 * REST * track.size_px
        is_known = any(rests(other, rival) for other in self._tracks.values())
        if track.rival is None and is_beside and not is_known:
            self._begin(rival, sight, ())

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

    def _miss(
        self, track: Track, sight: Sight, over_px: Sequence[Array]
    ) -> list[Change]:
        """What lay there was not seen: covered, hidden below something, or gone."""
        if not sight.looked(track.quad_px):
            return []
        quad = track.quad_px
        hidden = sight.covered(quad), sight.resting(quad), sight.dazzled(quad)
        if max(hidden) > COVERED_SHARE:
            return []
        if not track.missed and sight.changed(track.quad_px) < CHANGED_SHARE:
            return []
        track.again = 0
        over_px = [*over_px, *lying_over_px(self._tracks, track)]
        if not track.missed and shows_unchanged(track, over_px, sight):
            return []
        if looks_as_before(track.patch, sight.patch(track.quad_px)):
            track.missed = 0
            return []  # backs are overlooked easily
        if hiding(self._tracks, track, STRIP_SHARE) is not None:
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
            return []
        return [self._take_away(track, sight)]

    def _doubt(self, track: Track, sight: Sight) -> list[Change]:
        """Forget what was seen once and now is not; what had a name is looked for once
        more, since one look at a heap may well overlook it. Of what showed whole and
        was covered before a second look a strip still shows: it is asked about."""
        if sight.covered(track.quad_px) > COVERED_SHARE:
            return []
        track.missed += 1
        if track.label is not None and track.missed < self._agree:
            return []
        over = hiding(self._tracks, track, SECOND_OUTLINE)
        share = 0.0 if over is None else covered_by(track.quad_px, over.quad_px)
        was_whole = track.label is not None and track.seen.visible >= SHOWS_WHOLE
        if over is None or not was_whole or share > UNDER_SHARE:
            del self._tracks[track.id]
            return []
        track.stage, track.missed = Stage.LYING, 0
        doubt = unsure(track, None)
        track.seen = replace(track.seen, identity=doubt, visible=round(1 - share, 3))
        return [Change(track.moved_s, track.id, "laid")]

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
