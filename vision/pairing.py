"""Which thing that was seen is which that is known: one card is one thing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from vision.assign import best_pairs
from vision.quads import turned_like
from vision.sameness import (
    NEAR,
    OTHER_FACE,
    is_its_face,
    plain,
    rests,
    unlikeness,
)
from vision.tracks import Stage, Track
from vision.types import Placement

LEFT_OVER = NEAR + OTHER_FACE
"""What it costs to leave a track and a placement without each other: as much as to take
another face, as far off as may be, for it. One that lies just there and a rest are
likelier than two that lie beside where they lay."""


def matched(
    known: Iterable[Track], seen: Sequence[Placement]
) -> tuple[list[tuple[Track, Placement]], list[Placement]]:
    """Return which placement is which visible track, and those that are none.

    What lies where it lay and has its face is it, whatever else would fit: cards side
    by side are never taken for their neighbours. A card is told from the corner from
    which it was told first: what looks the same the other way up is read either way.
    """
    tracks = [t for t in known if t.stage is not Stage.BELOW]
    pairs = _paired(tracks, seen, are_one=rests)
    met = {track.id for track, _ in pairs}
    rest = _others(seen, pairs)
    pairs += _paired([t for t in tracks if t.id not in met], rest)
    return [(t, _as_told(t, p)) for t, p in pairs], _others(seen, pairs)


def _as_told(track: Track, placement: Placement) -> Placement:
    if placement.identity.label is not None and not is_its_face(track, placement):
        return placement
    was = np.array(placement.quad_px)
    quad = turned_like(was, track.quad_px)
    return placement if quad is was else replace(placement, quad_px=plain(quad))


def _others(
    seen: Sequence[Placement], pairs: Sequence[tuple[Track, Placement]]
) -> list[Placement]:
    taken = {id(placement) for _, placement in pairs}
    return [p for p in seen if id(p) not in taken]


def _paired(
    tracks: Sequence[Track],
    seen: Sequence[Placement],
    are_one: Callable[[Track, Placement], bool] = lambda track, placement: True,
) -> list[tuple[Track, Placement]]:
    """Return the likeliest pairs of those that may be one thing."""
    if not tracks or not seen:
        return []
    cost = np.array(
        [
            [unlikeness(t, p) if are_one(t, p) else math.inf for p in seen]
            for t in tracks
        ]
    )
    return [
        (tracks[row], seen[column])
        for row, column in best_pairs(np.minimum(cost, LEFT_OVER))
        if math.isfinite(cost[row, column])
    ]
