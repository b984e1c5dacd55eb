"""Whether what is seen is what was seen: one thing, another of its face, or none."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from vision.quads import area_px2, common_px, common_px2, grown, hull_px, turned_like
from vision.tracks import Sight, Stage, Track
from vision.types import UNKNOWN, Array, Bgr, Identity, Kind, Placement

NEAR = 0.45
"""Two places are one if their middles are nearer, in shares of the thing's size."""
REST = 0.06
"""A thing that lies within this share of where it lay has not been moved."""
EXACT, EXACT_PX = 0.025, 2.0
"""A card that was covered and shows again lies exactly where it lay; one that is laid
there by hand does not. Below so many px nobody can tell."""
ASKEW_SHARE = 0.6
"""So much of a card is hidden by one that was laid on it, more or less squarely."""
OTHER_FACE, OTHER_KIND, NO_FACE = 0.35, 0.2, 0.1
"""What another face, or kind, or none of a card that has one, costs in matching, in
shares of the size."""
CHANGED_SHARE = 0.04
"""A place of which less has changed still shows what it showed."""
TOUCHED_SHARE = 0.1
"""Of which less has changed, something lies beside, and nothing on it."""
SAME_LEVELS = 9.0
"""So many grey levels a place may differ, on average, and still show what it showed."""
SHADOW, LEAST_SHOWN, STILL_SHARE = 1.1, 0.1, 0.25
"""A card's shadow reaches so far; so much of a card must show beside it to tell; and
where a card was taken away nearly all has changed, where it lies no more than this."""
COVERED_SHARE = 0.2
"""A thing of which an arm hides more may be missed without being gone."""
STIR_S = 0.1
"""Motion so soon after a card came to rest is that of the hand that laid it."""


def unlikeness(track: Track, placement: Placement) -> float:
    """Return how unlikely it is that they are one thing; infinite: they are not."""
    quad = np.array(placement.quad_px)
    away = float(np.linalg.norm(quad.mean(0) - track.quad_px.mean(0))) / track.size_px
    if away > NEAR:
        return math.inf
    label = placement.identity.label
    cost = away
    is_read = label is not None and track.label is not None
    if is_read and not is_its_face(track, placement):
        if track.stage is Stage.TENTATIVE and away > 2 * REST:
            return math.inf  # the next card of a play, laid on the one before
        cost += OTHER_FACE
    if label is None and track.label is not None:
        cost += NO_FACE
    if placement.kind is not track.seen.kind:
        cost += OTHER_KIND
    return cost


def rests(track: Track, placement: Placement) -> bool:
    """Return whether this is a named card that lies where it lay."""
    quad = np.array(placement.quad_px)
    away = float(np.linalg.norm(quad.mean(0) - track.quad_px.mean(0))) / track.size_px
    named = placement.identity.label is not None and is_its_face(track, placement)
    return named and placement.kind is track.seen.kind and away < 2 * REST


def is_its_face(track: Track, placement: Placement) -> bool:
    """Return whether it is named as the track is: of two decks that share faces, by
    the same deck too."""
    ours, theirs = track.seen.deck, placement.deck
    return placement.identity.label == track.label and (
        ours is None or theirs is None or ours == theirs
    )


def shows_beside(track: Track, placement: Placement) -> bool:
    """Return whether this is no second look at a card that was read once, but what
    shows of it, or of another, beside what was laid on it."""
    off_px = float(np.abs(np.array(placement.quad_px) - track.quad_px).max())
    was_named = track.stage is Stage.TENTATIVE and track.label is not None
    is_off = off_px > REST * track.size_px
    return was_named and placement.identity.label is None and is_off


def tells_place(track: Track, placement: Placement) -> bool:
    """Return whether what was seen of a thing says where all of it lies: of a card with
    a name an outline without one may be what shows below another, or its shadow."""
    return placement.identity.label is not None or track.label is None


def is_hardly_seen(track: Track, placement: Placement, sight: Sight) -> bool:
    """Return whether a disc that has a name was seen again without it, and lies where
    it lay or nothing has changed there: its place was measured better before."""
    if placement.kind is not Kind.DISC or track.label is None:
        return False
    off_px = np.linalg.norm(np.array(placement.quad_px).mean(0) - track.quad_px.mean(0))
    is_there = float(off_px) < REST * track.size_px
    is_there |= sight.changed(track.quad_px) < CHANGED_SHARE
    return placement.identity.label is None and is_there


def shows(track: Track, placement: Placement) -> bool:
    """Return whether this is the lower card, where it lay: not another of its face."""
    quad = turned_like(np.array(placement.quad_px), track.quad_px)
    off_px = float(np.abs(quad - track.quad_px).max())
    same = is_its_face(track, placement) and placement.kind is track.seen.kind
    return same and off_px < exact_px(track)


def has_moved_since(track: Track, quad: Array, sight: Sight) -> bool:
    """Return whether anything moved at a place since a thing came to lie there."""
    return sight.moved_s(quad) > track.moved_s + STIR_S


def is_as_first_read(track: Track, sight: Sight) -> bool:
    """Return whether one look told what lies there, and nothing has moved since."""
    return track.was_read_once and sight.moved_s(track.quad_px) <= track.read_s


def shows_unchanged(track: Track, over_px: Sequence[Array], sight: Sight) -> bool:
    """Return whether all that shows of a card beside what lies on it now is as it was:
    then it lies there still, though so little of it was not recognised."""
    whole_px2 = area_px2(track.quad_px)
    changed, shown = _beside(track.quad_px, over_px, sight)
    is_enough = LEAST_SHOWN * whole_px2 < shown < (1 - LEAST_SHOWN) * whole_px2
    return is_enough and changed < STILL_SHARE * shown


def may_be_new(
    track: Track, placement: Placement, over_px: Sequence[Array], sight: Sight
) -> bool:
    """Return whether what was seen may be another card than the one that lies there,
    where one of them has no name: it shows whole, and more of that has changed than is
    so of a card that still lies there; or that was so a reading ago."""
    quad = np.array(placement.quad_px)
    is_named = placement.identity.label is not None
    if placement.kind is not Kind.CARD or (is_named and track.label is not None):
        return False
    off_px = float(np.abs(quad - track.quad_px).max())
    is_itself = is_named and off_px < exact_px(track)  # and can be read now
    if track.label is None and (is_itself or placement.visible < SHOWS_WHOLE):
        return False
    if track.stirred or placement.visible < SHOWS_WHOLE:
        return track.stirred > 0
    return _has_come_beside(track, quad, over_px, sight)


def is_half_read(
    track: Track,
    placement: Placement,
    over_px: Sequence[Array],
    lying_px: Sequence[Array],
    sight: Sight,
) -> bool:
    """Return whether a card was named again by a part of it that does not lie where it
    lay, and it may be another of its face, badly outlined: beside what was seen on it
    more has changed than is so of a card that still lies there, or it was in doubt and
    nothing is known to lie on it yet (`lying_px`)."""
    is_named = placement.identity.label is not None and track.label is not None
    is_part = placement.kind is Kind.CARD and placement.visible < SHOWS_WHOLE
    quad = np.array(placement.quad_px)
    off_px = float(np.abs(quad - track.quad_px).max())
    if not (is_named and is_part and off_px > exact_px(track)):
        return False
    if track.again or track.stirred:
        return not lying_px
    return _has_come_beside(track, quad, over_px, sight)


def stays_in_doubt(track: Track, over: Track | None, sight: Sight) -> bool:
    """Return whether a card in doubt that was not seen is looked at again: if what came
    on it (`over`) came since, or nothing did. Where another of its face was read once
    and something has moved since, it may have been taken up."""
    if over is not None:
        return track.stirred > 0 and over.moved_s > track.read_s
    may_be_gone = track.again > 0 and sight.changed(track.quad_px) >= CHANGED_SHARE
    return track.stirred > 0 and not may_be_gone


def _has_come_beside(
    track: Track, quad: Array, over_px: Sequence[Array], sight: Sight
) -> bool:
    """Return whether more has changed beside what was seen on a card than is so of one
    that still lies there, and nothing hides it."""
    is_hidden = max(sight.covered(quad), sight.dazzled(quad)) > COVERED_SHARE
    if is_hidden or not has_moved_since(track, quad, sight):
        return False
    changed, shown = _beside(track.quad_px, over_px, sight)
    is_enough = shown > LEAST_SHOWN * area_px2(track.quad_px)
    return is_enough and changed > STILL_SHARE * shown


def is_old_strip(quad: Array, over_px: Sequence[Array], sight: Sight) -> bool:
    """Return whether what shows of a card below others is as it was when it was not
    seen: it did not come."""
    if sight.changed(quad) < CHANGED_SHARE:
        return True
    changed, shown = _beside(quad, over_px, sight)
    return shown > LEAST_SHOWN * area_px2(quad) and changed < STILL_SHARE * shown


def _beside(quad: Array, over_px: Sequence[Array], sight: Sight) -> tuple[float, float]:
    """Return how much of a card has changed, and how much of it shows, beside what lies
    on it and its shadow, in px squared."""
    shown = area_px2(quad)
    changed = sight.changed(quad) * shown
    parts = [common_px(quad, grown(over, SHADOW)) for over in over_px]
    corners = [part for part in parts if part is not None]
    if corners:
        hidden = hull_px(np.concatenate(corners))
        changed -= sight.changed(hidden) * area_px2(hidden)
        shown -= area_px2(hidden)
    return changed, shown


def looks_as_before(before: Bgr | None, now: Bgr) -> bool:
    """Return whether a place shows what it showed, in whatever light."""
    if before is None or not now.size or before.shape != now.shape:
        return False
    then = before.astype(np.float32)
    gain = float(np.median((now + 1.0) / (then + 1.0)))
    return float(np.abs(now - gain * then).mean()) < SAME_LEVELS


def exact_px(track: Track) -> float:
    """Return how far off a card may be that lies exactly where it lay."""
    return max(EXACT * track.size_px, EXACT_PX)


def is_another(track: Track, placement: Placement, away: float, sight: Sight) -> bool:
    """Return whether another card of the same face seems to lie on a card.

    Askew on it by more than the error, its place changed, and in full view: it may be
    the same card, nudged. Who must know gets another id and can ask. Farther off it is
    another if what shows of the known one beside it is as it was.
    """
    return placement.visible >= SHOWS_WHOLE and _seems_another(
        track, placement, away, sight
    )


def may_be_another(
    track: Track, placement: Placement, away: float, sight: Sight
) -> bool:
    """Return whether the same seems so of a card on which a hand still is: it is told
    when the hand is gone."""
    is_held = sight.covered(np.array(placement.quad_px)) > 0
    return is_held and _seems_another(track, placement, away, sight)


def _seems_another(
    track: Track, placement: Placement, away: float, sight: Sight
) -> bool:
    quad = np.array(placement.quad_px)
    return (
        (track.is_off or away * track.size_px > exact_px(track))
        and has_moved_since(track, quad, sight)
        and placement.kind is not Kind.DISC
        and (track.again + track.stirred > 0 or sight.changed(quad) >= CHANGED_SHARE)
        and (
            covered_by(track.quad_px, quad) > ASKEW_SHARE
            or shows_unchanged(track, (quad,), sight)
        )
    )


def is_same(one: Track, other: Track) -> bool:
    """Return whether two tracks may be one card: of one kind and face."""
    return is_its_face(one, other.seen) and one.seen.kind is other.seen.kind


PRINT_INSIDE, PRINT_SHARE = 0.9, 0.5
"""So much of it lies in a card, and it has less of the card's area: it is print."""

SHOWS_WHOLE, EXPLAINED_SHARE = 0.9, 0.75
"""So much of a card's print shows if nothing lies on it; and what such cards fill more
than that shows too little to be a card below them."""


def covered_by(lower: Array, upper: Array) -> float:
    """Return which share of one quad lies in another."""
    return common_px2(lower, upper) / max(area_px2(lower), 1.0)


def without_prints(seen: Sequence[Placement]) -> list[Placement]:
    """Return what was seen without nameless things that lie within a named card and are
    much smaller: no card is half as large as another; it is what is printed there."""
    named = [
        np.array(p.quad_px)
        for p in seen
        if p.kind is Kind.CARD and p.identity.label is not None
    ]

    def is_print(one: Placement) -> bool:
        if one.kind is Kind.DISC or one.identity.label is not None:
            return False
        quad = np.array(one.quad_px)
        return any(
            covered_by(quad, card) > PRINT_INSIDE
            and area_px2(quad) < PRINT_SHARE * area_px2(card)
            for card in named
        )

    return [one for one in seen if not is_print(one)]


def named_whole_px(seen: Sequence[Placement]) -> list[Array]:
    """Return the places of cards that were named from pictures of their deck and all of
    whose print shows: nothing lies on them."""
    return [np.array(p.quad_px) for p in seen if _is_whole(p)]


def left_whole_px(known: Iterable[Track], sight: Sight) -> list[Array]:
    """Return the places of such cards that lie there and that nothing was laid on: they
    need not be read again to be there. What is in doubt may lie below another."""
    return [
        track.quad_px
        for track in known
        if track.stage is Stage.LYING
        and not track.is_pending
        and _is_whole(track.seen)
        and sight.changed(track.quad_px) < TOUCHED_SHARE
    ]


def _is_whole(placement: Placement) -> bool:
    return (
        placement.kind is Kind.CARD
        and placement.deck is not None
        and placement.identity.label is not None
        and placement.visible >= SHOWS_WHOLE
    )


def without_second_looks(
    seen: Sequence[Placement], known: Iterable[Track], left_px: Sequence[Array] = ()
) -> list[Placement]:
    """Return what was seen without nameless things that cards which show whole explain,
    seen now or left as they were, but for those that lie where a thing lies that is not
    seen otherwise."""
    whole_px = named_whole_px(seen)
    places = [
        track.quad_px
        for track in known
        if track.stage is Stage.LYING
        and not any(_is_there(card, track.quad_px) for card in whole_px)
    ]
    return [
        one
        for one in seen
        if not is_explained(one, [*whole_px, *left_px])
        or any(_is_there(np.array(one.quad_px), place) for place in places)
    ]


def _is_there(quad: Array, place: Array) -> bool:
    away_px = float(np.linalg.norm(quad.mean(0) - place.mean(0)))
    return away_px < 2 * REST * math.sqrt(area_px2(place))


def is_explained(placement: Placement, whole_px: Sequence[Array]) -> bool:
    """Return whether a thing without a name is what is printed on cards that show
    whole, or a second outline of them: they fill nearly all of it."""
    if placement.identity.label is not None or not whole_px:
        return False
    quad = np.array(placement.quad_px)
    within = sum(common_px2(quad, card) for card in whole_px)
    return within > EXPLAINED_SHARE * area_px2(quad)


def winner(track: Track, agree: int) -> tuple[str | None, int]:
    """Return what most readings said, and how many: a name on which enough agree is
    one, however often it could not be read."""
    names = Counter(
        {k: n for k, n in track.votes.items() if k is not None and n >= agree}
    )
    return (names or track.votes).most_common(1)[0]


def unsure(track: Track, label: str | None) -> Identity:
    """Return what is left of a name on which readings did not agree."""
    if label is not None and track.votes[label] >= 2:
        return Identity(label, ((label, 0.9),))
    total = max(track.votes.total(), 1)
    names: Iterable[tuple[str, int]] = (
        (name, count) for name, count in track.votes.most_common() if name is not None
    )
    candidates = tuple((name, round(count / total, 3)) for name, count in names)
    return Identity(None, candidates) if candidates else UNKNOWN


def plain(quad: Array) -> tuple[tuple[float, float], ...]:
    """Return a quad as it is kept in a placement."""
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in quad)
