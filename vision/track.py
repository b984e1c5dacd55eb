"""Which things lie on the table, over time: stable ids, hysteresis, piles.

A reading says what one picture shows. A thing counts when several readings agree, and
is gone only when several readings miss it where nothing covers its place (F-35). Cards
are counted by what lies there, never by ids (F-82). A card on which another was laid is
remembered below it, so that a pile has a history; when it comes to light again it has
its old id. Whatever changes keeps the time at which its place last moved.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

import cv2
import numpy as np

from vision.assign import best_pairs
from vision.types import UNKNOWN, Array, Identity, Kind, Placement

AGREE = 2
"""So many readings must say the same before it counts."""
MOST_READINGS = 5
"""After so many that do not agree a thing counts as unread."""
NEAR = 0.45
"""Two places are one if their middles are nearer, in shares of the thing's size."""
REST = 0.06
"""A thing that lies within this share of where it lay has not been moved."""
EXACT, EXACT_PX = 0.025, 2.0
"""A card that was covered and shows again lies exactly where it lay; one that is laid
there by hand does not. Below so many px nobody can tell."""
ASKEW_SHARE = 0.6
"""So much of a card is hidden by one that was laid on it, more or less squarely."""
OTHER_FACE, OTHER_KIND = 0.35, 0.2
"""What another face, or kind, costs in matching, in shares of the size."""
COVERED_SHARE = 0.2
"""A thing of which a hand hides more may be missed without being gone."""
CHANGED_SHARE = 0.04
"""A place of which less has changed still shows what it showed."""
UNDER_SHARE = 0.8
"""Of a card below others: then it may well be invisible."""
STRIP_SHARE = 0.6
"""Of which more is covered by one card, shows a strip: not to see it says little."""
SECOND_OUTLINE = 0.5
STIR_S = 0.1
"""Motion so soon after a card came to rest is that of the hand that laid it."""
RECALL_S = 20.0
"""A card that was taken away and comes back within that time keeps its id."""
TOUCH_SHARE = 0.03


class Stage(Enum):
    """What is thought of a track."""

    TENTATIVE = auto()
    LYING = auto()
    BELOW = auto()
    """Completely under another; not seen, not forgotten."""
    GONE = auto()


@dataclass(slots=True, eq=False)
class Track:
    """One physical thing, as far as readings tell."""

    id: str
    seen: Placement
    """As it was seen last, under its own id."""
    quad_px: Array
    stage: Stage
    moved_s: float
    """When its place last moved before it came to lie there."""
    votes: Counter[str | None] = field(default_factory=Counter)
    rivals: Counter[tuple[Kind, str | None]] = field(default_factory=Counter)
    readings: int = 0
    read_s: float = 0.0
    """When it was seen last."""
    again: int = 0
    """Readings in which it lay where another of its face would lie."""
    missed: int = 0
    missed_s: float = 0.0
    under: str | None = None
    """Id of the track that hides it."""
    touched: bool = False

    @property
    def size_px(self) -> float:
        """Return the square root of its area."""
        area = float(cv2.contourArea(self.quad_px.astype(np.float32)))
        return math.sqrt(max(area, 1.0))

    @property
    def is_pending(self) -> bool:
        """Return whether more readings are needed before it is sure."""
        if self.stage is Stage.BELOW:
            return False
        waits = self.missed or self.rivals or self.again
        return self.stage is Stage.TENTATIVE or bool(waits)

    @property
    def label(self) -> str | None:
        """Return its name, `None` while it is unread."""
        return self.seen.identity.label


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A thing came to lie, was uncovered, covered, moved, or taken away."""

    at_s: float
    track: str
    what: str
    """``laid``, ``uncovered``, ``covered``, ``moved``, ``gone``, ``named``."""


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What a tracker must know about the picture that was read."""

    at_s: float
    looked: Callable[[Array], bool]
    """Whether a quad lies in the part that was read."""
    covered: Callable[[Array], float]
    """Which share of a quad an arm or a glare hides."""
    changed: Callable[[Array], float]
    """Which share of a quad has changed since it was last read."""
    moved_s: Callable[[Array], float]
    """When a quad last moved."""
    resting: Callable[[Array], float] = lambda quad: 0.0
    """Which share may lie under an arm that does not move: missed there is not gone."""
    dazzled: Callable[[Array], float] = lambda quad: 0.0
    """Which share is so bright as it was not before: missed there is not gone either,
    and another face is not believed."""


class Tracker:
    """The table's things; updated with each reading."""

    def __init__(self, *, agree: int = AGREE) -> None:
        self._agree = agree
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
        """Return whether a back, or what could not be read, waits for a reading."""
        return any(
            t.is_pending and (t.seen.kind is Kind.BACK or t.label is None)
            for t in self._tracks.values()
        )

    @property
    def has_unread(self) -> bool:
        """Return whether a card lies open that could not be read."""
        return any(
            t.seen.kind is Kind.CARD and t.label is None and not t.is_pending
            for t in self.lying
        )

    def pending_px(self) -> list[Array]:
        """Return the places that must be read again."""
        return [t.quad_px for t in self._tracks.values() if t.is_pending]

    def below(self, id_: str) -> tuple[Track, ...]:
        """Return what lies under a thing, from the one next to it downwards."""
        found: list[Track] = []
        upper: str | None = id_
        while upper is not None:
            under = [t for t in self._tracks.values() if t.under == upper]
            found += under
            upper = under[-1].id if under else None
        return tuple(found)

    def update(self, seen: Sequence[Placement], sight: Sight) -> tuple[Change, ...]:
        """Take a reading in; return what counts as changed by now, in order of time."""
        seen = [p for p in seen if sight.looked(np.array(p.quad_px))]
        pairs, loose = self._matched(seen)
        changes: list[Change] = []
        for track, placement in pairs:
            track.read_s = sight.at_s
            changes += self._meet(track, placement, sight)
        met = {track.id for track, _ in pairs}
        for track in list(self._tracks.values()):
            if track.id not in met and track.stage is not Stage.BELOW:
                changes += self._miss(track, sight)
        for placement in loose:
            self._begin(placement, sight)
        changes += self._settle_new(sight)
        changes += self._uncover(sight)
        self._forget(sight.at_s)
        return tuple(sorted(changes, key=lambda change: change.at_s))

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
            track.seen = replace(track.seen, quad_px=_plain(track.quad_px))

    def clear(self) -> None:
        """Forget everything but the numbers that were given out."""
        self._tracks.clear()
        self._gone.clear()

    # Matching ------------------------------------------------------------------------

    def _matched(
        self, seen: Sequence[Placement]
    ) -> tuple[list[tuple[Track, Placement]], list[Placement]]:
        """Return which placement is which visible track, and those that are none."""
        tracks = [t for t in self._tracks.values() if t.stage is not Stage.BELOW]
        if not tracks or not seen:
            return [], list(seen)
        cost = np.array([[_cost(t, p) for p in seen] for t in tracks])
        pairs = [
            (tracks[r], seen[c])
            for r, c in best_pairs(np.minimum(cost, 10.0))
            if math.isfinite(cost[r, c])
        ]
        taken = {id(placement) for _, placement in pairs}
        return pairs, [p for p in seen if id(p) not in taken]

    def _meet(self, track: Track, placement: Placement, sight: Sight) -> list[Change]:
        track.missed = 0
        quad = np.array(placement.quad_px)
        label = placement.identity.label
        if track.stage is Stage.TENTATIVE:
            off_px = float(np.abs(quad - track.quad_px).max())
            moved_s = sight.moved_s(quad)
            if off_px > REST * track.size_px and moved_s > track.moved_s:
                track.readings, track.moved_s = 0, moved_s
                track.votes.clear()  # it still slides: these readings say nothing
            track.readings += 1
            track.votes[label] += 1
            track.quad_px = track.quad_px + (quad - track.quad_px) / track.readings
            if label is not None or track.label is None:
                track.seen = replace(placement, id=track.id)
            return []
        same_kind = placement.kind is track.seen.kind
        if same_kind and (label is None or _is_its_face(track, placement)):
            track.rivals.clear()
            return self._lies(track, placement, quad, sight)
        if same_kind and track.label is None:
            return self._name(track, placement, sight)
        return self._other_face(track, placement, sight)

    def _lies(
        self, track: Track, placement: Placement, quad: Array, sight: Sight
    ) -> list[Change]:
        """Note where a known thing lies now; small differences are noise: averaged."""
        away = float(np.abs(quad - track.quad_px).max()) / track.size_px
        changes = []
        if _is_another(track, placement, away, sight):
            track.again += 1
            if track.again < self._agree:
                return []
            return self._lay_on(track, placement, sight)
        track.again = 0
        if away < REST:
            track.quad_px = track.quad_px + 0.3 * (quad - track.quad_px)
        elif (
            placement.visible >= 0.5
            and sight.changed(quad) >= CHANGED_SHARE
            and _has_moved_since(track, quad, sight)
        ):
            track.quad_px = quad
            changes.append(Change(sight.moved_s(quad), track.id, "moved"))
        known = track.seen.identity if placement.identity.label is None else None
        track.seen = replace(
            placement,
            id=track.id,
            quad_px=_plain(track.quad_px),
            identity=known or placement.identity,
        )
        return changes

    def _name(self, track: Track, placement: Placement, sight: Sight) -> list[Change]:
        """A thing that could not be read can be read now."""
        track.votes[placement.identity.label] += 1
        if track.votes[placement.identity.label] < self._agree:
            track.rivals[placement.kind, placement.identity.label] = 1
            return []
        track.rivals.clear()
        track.seen = replace(placement, id=track.id, quad_px=_plain(track.quad_px))
        return [Change(sight.moved_s(track.quad_px), track.id, "named")]

    def _other_face(
        self, track: Track, placement: Placement, sight: Sight
    ) -> list[Change]:
        """Another face lies where this one lay: laid on it, if its place changed."""
        quad = np.array(placement.quad_px)
        if not track.rivals and sight.changed(quad) < CHANGED_SHARE:
            return []
        if not _has_moved_since(track, quad, sight):
            return []  # nobody was there: it is read otherwise, it is no other card
        if sight.dazzled(quad) > COVERED_SHARE:
            track.read_s = -math.inf  # as if it had not been seen: it is read again
            return []
        key = placement.kind, placement.identity.label
        track.rivals[key] += 1
        if placement.identity.label is None and not track.rivals.total() > self._agree:
            return []
        if track.rivals[key] < self._agree:
            if track.rivals.total() >= MOST_READINGS:
                track.rivals.clear()
            return []
        track.rivals.clear()
        lower = [t for t in self.below(track.id) if _shows(t, placement)]
        if lower:
            return self._brought_to_light(track, lower[0], sight)
        return self._lay_on(track, placement, sight)

    def _lay_on(self, track: Track, placement: Placement, sight: Sight) -> list[Change]:
        """What is seen there now was laid on what lay there."""
        quad = np.array(placement.quad_px)
        top = self._new(placement, Stage.LYING, sight.moved_s(quad))
        top = self._adopt(top)
        track.again = 0
        laid = Change(top.moved_s, top.id, "laid")
        share = _covered_by(track.quad_px, top.quad_px)
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

    def _begin(self, placement: Placement, sight: Sight) -> None:
        quad = np.array(placement.quad_px)
        if sight.covered(quad) > COVERED_SHARE:
            return
        if any(self._is_seen_twice(t, placement, sight) for t in self.lying):
            return
        track = self._new(placement, Stage.TENTATIVE, sight.moved_s(quad))
        track.readings = 1
        track.votes[placement.identity.label] += 1

    def _is_seen_twice(self, track: Track, placement: Placement, sight: Sight) -> bool:
        """Return whether this is a second outline of a card that lies there: of its
        face, over most of it, and nothing has moved since it was laid."""
        quad = np.array(placement.quad_px)
        return (
            placement.identity.label is not None
            and _is_its_face(track, placement)
            and placement.kind is track.seen.kind
            and _covered_by(track.quad_px, quad) > SECOND_OUTLINE
            and not _has_moved_since(track, quad, sight)
        )

    def _new(self, placement: Placement, stage: Stage, moved_s: float) -> Track:
        self._number += 1
        id_ = f"{placement.kind.value[0]}{self._number}"
        quad = np.array(placement.quad_px, float)
        track = Track(id_, replace(placement, id=id_), quad, stage, moved_s)
        self._tracks[id_] = track
        return track

    def _miss(self, track: Track, sight: Sight) -> list[Change]:
        """A track was not seen: covered, hidden below something, or gone."""
        if not sight.looked(track.quad_px):
            return []
        if track.stage is Stage.TENTATIVE:
            if sight.covered(track.quad_px) <= COVERED_SHARE:
                del self._tracks[track.id]
            return []
        quad = track.quad_px
        hidden = sight.covered(quad), sight.resting(quad), sight.dazzled(quad)
        if max(hidden) > COVERED_SHARE:
            return []
        if not track.missed and sight.changed(track.quad_px) < CHANGED_SHARE:
            return []
        if self._hiding(track, STRIP_SHARE) is not None:
            track.missed = 0
            over = self._hiding(track)
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

    def _take_away(self, track: Track, sight: Sight) -> Change:
        track.stage = Stage.GONE
        del self._tracks[track.id]
        self._gone.append((sight.at_s, track))
        return Change(track.missed_s, track.id, "gone")

    def _hiding(self, track: Track, share: float = UNDER_SHARE) -> Track | None:
        """Return the newest thing that lies on (nearly) all of a track, or on so much
        of it."""
        newer = [
            other
            for other in self._tracks.values()
            if other is not track
            and other.stage in (Stage.LYING, Stage.TENTATIVE)
            and other.moved_s >= track.moved_s
            and _covered_by(track.quad_px, other.quad_px) > share
        ]
        return newer[-1] if newer else None

    def _settle_new(self, sight: Sight) -> list[Change]:
        """Let tentative tracks count on which enough readings agree."""
        changes = []
        for track in list(self._tracks.values()):
            if track.stage is not Stage.TENTATIVE:
                continue
            label, agreed = _winner(track, self._agree)
            has_name = track.seen.kind is not Kind.BACK
            if label is None and has_name and track.readings < self._agree + 1:
                continue
            if agreed < self._agree and track.readings < MOST_READINGS:
                continue
            if agreed < self._agree or label != track.label:
                track.seen = replace(track.seen, identity=_unsure(track, label))
            track.stage = Stage.LYING
            laid = self._adopt(track)
            changes.append(Change(laid.moved_s, laid.id, "laid"))
            changes += self._push_down(laid)
        return changes

    def _push_down(self, top: Track) -> list[Change]:
        """Put what has just been covered completely below its cover."""
        changes = []
        for track in self.lying:
            hides = _covered_by(track.quad_px, top.quad_px) > 0.97
            if track is not top and hides and track.missed:
                track.stage, track.under, track.missed = Stage.BELOW, top.id, 0
                changes.append(Change(top.moved_s, track.id, "covered"))
        return changes

    def _adopt(self, track: Track) -> Track:
        """Give a thing the id it had, if it was taken up, or covered, a while ago."""
        if track.label is None:
            return track
        known = [t for _, t in self._gone if _is_same(t, track)]
        known += [
            t
            for t in self._tracks.values()
            if t is not track
            and _is_same(t, track)
            and t.stage is Stage.BELOW
            and _shows(t, track.seen)
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

    def _uncover(self, sight: Sight) -> list[Change]:
        """What lay below a thing that is gone is looked for like any other."""
        for track in self._tracks.values():
            if track.stage is Stage.BELOW and track.under not in self._tracks:
                over = self._hiding(track)
                track.under = over.id if over is not None else None
                if over is None:
                    track.stage, track.missed = Stage.LYING, 1
                    track.missed_s = sight.moved_s(track.quad_px)
        return []

    def _forget(self, now_s: float) -> None:
        self._gone = [(at, t) for at, t in self._gone if now_s - at < RECALL_S]


def _cost(track: Track, placement: Placement) -> float:
    """Return how unlikely it is that they are one thing; infinite: they are not."""
    quad = np.array(placement.quad_px)
    away = float(np.linalg.norm(quad.mean(0) - track.quad_px.mean(0))) / track.size_px
    if away > NEAR:
        return math.inf
    label = placement.identity.label
    cost = away
    is_read = label is not None and track.label is not None
    if is_read and not _is_its_face(track, placement):
        if track.stage is Stage.TENTATIVE and away > 2 * REST:
            return math.inf  # the next card of a play, laid on the one before
        cost += OTHER_FACE
    if placement.kind is not track.seen.kind:
        cost += OTHER_KIND
    return cost


def _is_its_face(track: Track, placement: Placement) -> bool:
    """Return whether it is named as the track is: of two decks that share faces, by
    the same deck too."""
    ours, theirs = track.seen.deck, placement.deck
    return placement.identity.label == track.label and (
        ours is None or theirs is None or ours == theirs
    )


def _shows(track: Track, placement: Placement) -> bool:
    """Return whether this is the lower card, where it lay: not another of its face."""
    off_px = float(np.abs(np.array(placement.quad_px) - track.quad_px).max())
    same = _is_its_face(track, placement) and placement.kind is track.seen.kind
    return same and off_px < _exact_px(track)


def _has_moved_since(track: Track, quad: Array, sight: Sight) -> bool:
    """Return whether anything moved at a place since a thing came to lie there."""
    return sight.moved_s(quad) > track.moved_s + STIR_S


def _exact_px(track: Track) -> float:
    return max(EXACT * track.size_px, EXACT_PX)


def _is_another(track: Track, placement: Placement, away: float, sight: Sight) -> bool:
    """Return whether another card of the same face seems to lie on a card.

    Askew on it by more than the error, its place changed, and in full view: it may be
    the same card, nudged. Who must know gets another id and can ask.
    """
    quad = np.array(placement.quad_px)
    return (
        away * track.size_px > _exact_px(track)
        and _has_moved_since(track, quad, sight)
        and placement.kind is not Kind.DISC
        and placement.visible >= 0.9
        and (track.again > 0 or sight.changed(quad) >= CHANGED_SHARE)
        and _covered_by(track.quad_px, quad) > ASKEW_SHARE
    )


def _is_same(one: Track, other: Track) -> bool:
    return _is_its_face(one, other.seen) and one.seen.kind is other.seen.kind


def _covered_by(lower: Array, upper: Array) -> float:
    """Return which share of one quad lies in another."""
    a, b = lower.astype(np.float32), upper.astype(np.float32)
    area, _ = cv2.intersectConvexConvex(a, b)
    return float(area) / max(float(cv2.contourArea(a)), 1.0)


def _winner(track: Track, agree: int) -> tuple[str | None, int]:
    """Return what most readings said, and how many: a name on which enough agree is
    one, however often it could not be read."""
    names = Counter(
        {k: n for k, n in track.votes.items() if k is not None and n >= agree}
    )
    return (names or track.votes).most_common(1)[0]


def _unsure(track: Track, label: str | None) -> Identity:
    """Return what is left of a name on which readings did not agree."""
    if label is not None and track.votes[label] >= 2:
        return Identity(label, ((label, 0.9),))
    total = max(track.votes.total(), 1)
    names: Iterable[tuple[str, int]] = (
        (name, count) for name, count in track.votes.most_common() if name is not None
    )
    candidates = tuple((name, round(count / total, 3)) for name, count in names)
    return Identity(None, candidates) if candidates else UNKNOWN


def _plain(quad: Array) -> tuple[tuple[float, float], ...]:
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in quad)
