"""After the picture has jumped: is this the same table, and where is it now?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median, median_low
from typing import TypeAlias

import cv2
import numpy as np

from vision.gate import Gate
from vision.hair import FEWEST_OTHERS, off_small_px
from vision.quads import apart_px, area_px2, turned_like
from vision.sameness import CHANGED_SHARE, EXACT, EXACT_PX, SHOWS_WHOLE, exact_px
from vision.tracks import Track
from vision.types import Array, Kind, Placement

STAYS_SHARE, MOST_SHARE = 0.5, 0.7
"""So many of the known cards at their places, and of those that are seen anywhere: it
is the same view."""
SAME_PLACE = 0.25
"""A corner that is nearer, in shares of the card's size, is where it was."""
FEWEST_NAMED = 2
AGREES_SHARE = 0.7
"""Of the corners of the cards that were found again."""
REFOUND_SHARE = 0.6
"""Of the named cards must be found again."""
NEAR_PX = 12.0
LARGEST_SCALE = 1.6
ANY_CORNER = range(4)
"""An outline may be told from any of its corners."""
MOVED_TOO = 0.25
"""The others moved as well if most did by so much of the way of a card that is off."""


def stays(lying: Sequence[Track], seen: Sequence[Placement]) -> bool:
    """Return whether it is the same view: at least half of the tracks are seen where
    they lay, and most of those that are seen at all."""
    if not lying:
        return True
    at_place = sum(_is_at_its_place(track, seen) for track in lying)
    names = {(p.identity.label, p.kind) for p in seen}
    anywhere = sum((track.label, track.seen.kind) in names for track in lying)
    return at_place >= max(1.0, STAYS_SHARE * len(lying), MOST_SHARE * anywhere)


def _is_at_its_place(track: Track, seen: Sequence[Placement]) -> bool:
    return _at_its_place(track, seen) is not None


def _at_its_place(track: Track, seen: Sequence[Placement]) -> Array | None:
    """Return the outline of what is seen about where a thing lay, and is named as it
    is, from the corner that was its first; `None` where nothing is."""
    alike = [
        turned_like(np.array(placement.quad_px), track.quad_px, turns=ANY_CORNER)
        for placement in seen
        if placement.identity.label == track.label and placement.kind is track.seen.kind
    ]
    near = min(alike, key=lambda quad: apart_px(track.quad_px, quad), default=None)
    if near is None or apart_px(track.quad_px, near) >= SAME_PLACE * track.size_px:
        return None
    return near


def _corners_off_px(before: Array, after: Array) -> float:
    """Return how far the corners of two outlines are apart, whichever comes first."""
    return apart_px(turned_like(before, after, turns=ANY_CORNER), after)


Ways: TypeAlias = tuple[Callable[[Array], Array], Callable[[Array], Array]]
"""From where things lay to where they lie, and back."""


def nudged_view(lying: Sequence[Track], seen: Sequence[Placement]) -> Ways | None:
    """Return how places moved if all were moved together by a little: more than the
    error of outlines, so that each card would seem to be laid on itself; else `None`.
    """
    moved, pairs = moved_view(lying, seen), _refound(lying, seen)
    if moved is None:
        return None
    sizes_px = [math.sqrt(area_px2(before)) for before, _ in pairs]
    was_px = median(_corners_off_px(before, after) for before, after in pairs)
    is_px = median(_corners_off_px(moved[0](before), after) for before, after in pairs)
    error_px = max(EXACT * median(sizes_px), EXACT_PX)
    return moved if was_px > error_px and is_px < was_px / 2 else None


def hardly_moved_view(
    lying: Sequence[Track], seen: Sequence[Placement], gate: Gate
) -> Ways | None:
    """Return how places moved if a card lies off where it lay, and most others do too,
    by so little that the picture did not jump: it is the camera that was moved, and no
    card of its face was laid on it. `None` where it moved alone."""
    places = {t: t.quad_px for t in lying if _shows(t.seen)}
    shown = [placement for placement in seen if _shows(placement)]
    read = {track: _at_its_place(track, shown) for track in places}
    found = {t: quad for t, quad in read.items() if quad is not None}
    off_px = {t: apart_px(places[t], quad) for t, quad in found.items()}
    far_px = [px for t, px in off_px.items() if px > exact_px(t)]
    if not far_px:
        return None
    prints_px = {t: off_small_px(gate, quad) for t, quad in places.items()}
    told_px = [off_px.get(t, 0.0) if p is None else p for t, p in prints_px.items()]
    others_px = sorted(told_px)[:-1]
    if len(others_px) < FEWEST_OTHERS:
        return None
    if median_low(others_px) < MOVED_TOO * min(far_px):
        return None
    return _how_moved(places, found, gate)


def _how_moved(
    places: Mapping[Track, Array], found: Mapping[Track, Array], gate: Gate
) -> Ways | None:
    """Return how places moved; what was not read, since nothing has changed there, lies
    where it lay."""
    pairs = [
        (quad, found.get(track, quad))
        for track, quad in places.items()
        if track in found or gate.share(gate.changed, quad) < CHANGED_SHARE
    ]
    before = np.vstack([quad for quad, _ in pairs])
    after = np.vstack([quad for _, quad in pairs])
    matrix, _ = cv2.estimateAffinePartial2D(
        before, after, method=cv2.RANSAC, ransacReprojThreshold=EXACT_PX
    )
    if matrix is None:
        return None
    return _ways(np.asarray(matrix, float))


def _shows(placement: Placement) -> bool:
    """Return whether it is a card that has a name and nothing on it."""
    is_card = placement.kind is Kind.CARD and placement.identity.label is not None
    return is_card and placement.visible >= SHOWS_WHOLE


def moved_view(lying: Sequence[Track], seen: Sequence[Placement]) -> Ways | None:
    """Return how places moved, and how they move back, if the named cards moved
    together, else `None`.

    A shift, turn and zoom only: a mirrored picture is not the table.
    """
    pairs = _refound(lying, seen)
    old = _named([(t.label, t.quad_px) for t in lying])
    if len(pairs) < FEWEST_NAMED or len(pairs) < REFOUND_SHARE * len(old):
        return None
    before = np.vstack([quad.mean(axis=0) for quad, _ in pairs])
    after = np.vstack([quad.mean(axis=0) for _, quad in pairs])
    found, inliers = cv2.estimateAffinePartial2D(
        before, after, method=cv2.RANSAC, ransacReprojThreshold=NEAR_PX
    )
    if found is None:
        return None
    scale = float(np.hypot(found[0, 0], found[1, 0]))
    agrees = float(inliers.mean()) >= AGREES_SHARE
    if not agrees or not 1 / LARGEST_SCALE < scale < LARGEST_SCALE:
        return None
    matrix = np.asarray(found, float)
    if not _corners_fit(matrix, pairs):
        return None
    return _ways(matrix)


def _refound(
    lying: Sequence[Track], seen: Sequence[Placement]
) -> list[tuple[Array, Array]]:
    """Return where the things whose names occur once lay, and where they are seen."""
    old = _named([(t.label, t.quad_px) for t in lying])
    new = _named([(p.identity.label, np.array(p.quad_px)) for p in seen])
    return [(old[label], new[label]) for label in sorted(old.keys() & new.keys())]


def _corners_fit(matrix: Array, pairs: Sequence[tuple[Array, Array]]) -> bool:
    """Return whether most cards kept their outline too: middles alone may be chance."""
    fits = 0
    for before, after in pairs:
        size = float(np.linalg.norm(after[0] - after[2]))
        fits += _corners_off_px(_carried(matrix, before), after) < 0.2 * size
    return fits >= AGREES_SHARE * len(pairs)


def _ways(matrix: Array) -> Ways:
    back = np.asarray(cv2.invertAffineTransform(matrix), float)
    return partial(_carried, matrix), partial(_carried, back)


def _carried(matrix: Array, quad_px: Array) -> Array:
    return np.asarray(quad_px @ matrix[:, :2].T + matrix[:, 2], float)


def _named(quads: Sequence[tuple[str | None, Array]]) -> dict[str, Array]:
    """Return the quads of names that occur once."""
    count = Counter(label for label, _ in quads)
    return {
        label: quad for label, quad in quads if label is not None and count[label] == 1
    }
