"""Piles: what lies below what, known because it was seen being covered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from vision.quads import common_px2, quad_overlap
from vision.sameness import SHOWS_WHOLE, covered_by
from vision.tracks import Change, Sight, Stage, Track
from vision.types import Array, Kind, Placement

Tracks: TypeAlias = Mapping[str, Track]
"""All tracks by their id, oldest first."""
UNDER_SHARE = 0.8
"""Of a card below others: then it may well be invisible."""
LIES_ON_SHARE = 0.2
"""Of a card; of which less lies under another, the two lie side by side."""
OWN_OUTLINE = 0.6
"""Overlap from which on two outlines are of one card."""
WHERE_IT_LAY = 0.8
"""So much of what is seen of a card lies in its place if nobody has moved it."""


def below(tracks: Tracks, id_: str) -> tuple[Track, ...]:
    """Return what lies under a thing, from the one next to it downwards."""
    found: list[Track] = []
    upper: str | None = id_
    while upper is not None:
        under = [t for t in tracks.values() if t.under == upper]
        found += under
        upper = under[-1].id if under else None
    return tuple(found)


def hiding(tracks: Tracks, track: Track, share: float = UNDER_SHARE) -> Track | None:
    """Return the newest thing that lies on (nearly) all of a track, or on so much
    of it."""
    newer = [
        other
        for other in tracks.values()
        if may_hide(other, track)
        and other.stage in (Stage.LYING, Stage.TENTATIVE)
        and other.moved_s >= track.moved_s
        and covered_by(track.quad_px, other.quad_px) > share
    ]
    return newer[-1] if newer else None


def may_hide(upper: Track, lower: Track) -> bool:
    """Return whether one thing may lie on another. No disc lies on a disc: where one
    comes to lie just where another lay, that one is gone."""
    are_discs = upper.seen.kind is Kind.DISC and lower.seen.kind is Kind.DISC
    return upper is not lower and not are_discs


def lying_over_px(tracks: Tracks, track: Track) -> list[Array]:
    """Return the places of what was laid later and may lie on a part of a track: what
    changes there says nothing of it."""
    return [
        other.quad_px
        for other in tracks.values()
        if other.stage is Stage.LYING
        and other.moved_s > track.moved_s
        and common_px2(track.quad_px, other.quad_px) > 0
    ]


def lies_on(track: Track, lower: Track) -> bool:
    """Return whether a thing seems to lie on a named one, whose rest was read."""
    is_below = lower.label is not None and lower.seen.visible < SHOWS_WHOLE
    is_older = lower.moved_s <= track.moved_s and lower is not track
    is_on_it = covered_by(lower.quad_px, track.quad_px) > LIES_ON_SHARE
    return is_below and is_older and is_on_it


def new_over_px(
    track: Track,
    pairs: Sequence[tuple[Track, Placement]],
    loose: Sequence[Placement],
) -> list[Array]:
    """Return the places of what was seen and may have been laid on a track: not of what
    lay there before it, and shows where it lay."""
    seen = [p for t, p in pairs if t is not track and not _lies_below(t, p, track)]
    return [np.array(p.quad_px) for p in (*seen, *loose) if p.kind is not Kind.DISC]


def _lies_below(met: Track, placement: Placement, track: Track) -> bool:
    is_there = covered_by(np.array(placement.quad_px), met.quad_px) > WHERE_IT_LAY
    return met.moved_s <= track.moved_s and is_there


def came_over_px(track: Track, sight: Sight) -> Array | None:
    """Return the outline of what came to lie on a part of a track, as what changed
    tells it: another than the track's own, which would change if it was taken away."""
    quad = track.quad_px
    found = [
        laid
        for laid in sight.laid_px
        if covered_by(quad, laid) > LIES_ON_SHARE and not is_one_outline(quad, laid)
    ]
    return found[0] if len(found) == 1 else None


def came_at(tracks: Tracks, track: Track, came_px: Array | None) -> Track | None:
    """Return what is known of what came to lie on a part of a track: the newest thing
    of that outline."""
    if came_px is None:
        return None
    newer = [
        other
        for other in tracks.values()
        if other is not track
        and other.stage is not Stage.BELOW
        and other.moved_s > track.moved_s
        and is_one_outline(other.quad_px, came_px)
    ]
    return newer[-1] if newer else None


def is_one_outline(one_px: Array, other_px: Array) -> bool:
    """Return whether two outlines are of one card."""
    return quad_overlap(one_px, other_px) >= OWN_OUTLINE


def go_under(track: Track, top: Track) -> list[Change]:
    """Note that another thing lies on a track, or on a part of it."""
    share = covered_by(track.quad_px, top.quad_px)
    if share < UNDER_SHARE:
        # A part of it shows, too little to be seen perhaps: it lies there still.
        track.seen = replace(track.seen, visible=round(1 - share, 3))
        return []
    track.stage, track.under = Stage.BELOW, top.id
    return [Change(top.moved_s, track.id, "covered")]


def push_down(tracks: Tracks, top: Track) -> list[Change]:
    """Put what has just been covered completely below its cover."""
    changes = []
    for track in tracks.values():
        if not may_hide(top, track):
            continue
        if track.stage is not Stage.LYING or not track.missed:
            continue
        if covered_by(track.quad_px, top.quad_px) > 0.97:
            track.stage, track.under, track.missed = Stage.BELOW, top.id, 0
            changes.append(Change(top.moved_s, track.id, "covered"))
    return changes


def uncover(tracks: Tracks, sight: Sight) -> None:
    """What lay below a thing that is gone is looked for like any other."""
    for track in tracks.values():
        if track.stage is Stage.BELOW and track.under not in tracks:
            over = hiding(tracks, track)
            track.under = over.id if over is not None else None
            if over is None:
                track.stage, track.missed = Stage.LYING, 1
                track.missed_s = sight.moved_s(track.quad_px)
