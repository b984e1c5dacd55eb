"""Outlines around several cards: none of them is a card.

Where cards lie fanned the detector sometimes takes two for one. Such an outline holds a
card that is known, is larger than it, and no card is larger than another; named, it
tells at most that this card is there. Without this, one of two cards that were played
together became a third one, or was put away below an outline that was none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.cells import Mask
from vision.laid import is_too_large
from vision.quads import area_px2
from vision.sameness import covered_by, is_its_face, plain, rests
from vision.tracks import Stage, Track
from vision.types import Array, Kind, Placement

HELD_SHARE = 0.85
"""So much of a card lies in the outline that holds it."""
LARGER, LARGEST = 1.25, 2.5
"""So many times as large as the card that it holds an outline around several is; what
is larger is none of cards: a book, a box."""
FULL_SHARE = 0.7
"""Of the usual area; outlines of less are those of strips and tell no size."""
NAMED_SHARE = 0.8
"""So much of an outline without a name is filled by cards that have one."""
SAME_SHARE = 0.5
"""So much of a card lies in the outline that is named like it."""
RASTER_PX = 64


@dataclass(frozen=True, slots=True, eq=False)
class _Card:
    quad_px: Array
    placement: Placement
    track: Track | None = None


def without_large(seen: Sequence[Placement], known: Iterable[Track]) -> list[Placement]:
    """Return what was seen without the nameless outlines that are far larger than the
    cards that have names, known or seen: stripes of the cloth, a book."""
    named = [np.array(p.quad_px) for p in seen if p.identity.label is not None]
    named += [track.quad_px for track in known if _is_named(track)]
    return [
        one
        for one in seen
        if one.kind is not Kind.CARD
        or one.identity.label is not None
        or not is_too_large(np.array(one.quad_px), named)
    ]


def without_several(
    seen: Sequence[Placement], known: Iterable[Track]
) -> list[Placement]:
    """Return what was seen, with cards for outlines around several: the known ones that
    they hold, which were seen with them, and the other one if it is not known yet."""
    tracks = [track for track in known if _is_named(track)]
    cards = [_Card(t.quad_px, t.seen, t) for t in tracks]
    cards += [
        _Card(np.array(p.quad_px), p) for p in seen if p.identity.label is not None
    ]
    usual_px2 = float(np.median([area_px2(c.quad_px) for c in cards])) if cards else 0.0
    kept: list[Placement] = []
    outlines: list[Array] = []
    for one in seen:
        quad = np.array(one.quad_px)
        others = [card for card in cards if card.placement is not one]
        held = _held(quad, others, usual_px2) if one.kind is Kind.CARD else None
        if held is None:
            kept.append(one)
            continue
        outlines.append(quad)
        kept += _other_card(one, quad, others, held)
    return kept + _held_too(tracks, kept, outlines)


def apart_from(outline_px: Array, known_px: Sequence[Array]) -> Array:
    """Return where the other card lies if this is an outline around one of the known
    cards and another; else the outline."""
    sizes_px2 = [area_px2(quad) for quad in known_px]
    usual_px2 = float(np.median(sizes_px2)) if sizes_px2 else 0.0
    for quad in known_px:
        if _is_around(outline_px, quad, usual_px2):
            return _at_the_other_end(outline_px, quad)
    return outline_px


def is_part_of(placement: Placement, track: Track) -> bool:
    """Return whether what was seen is a smaller part of a card where it lies: what lies
    on it hides the rest, and the card has not shrunk. A name says where all of the card
    lies, an outline without one only what shows."""
    quad = np.array(placement.quad_px)
    is_named = placement.identity.label is not None
    times = LARGER if is_named else 1.0
    is_smaller = times * area_px2(quad) < area_px2(track.quad_px)
    return is_smaller and covered_by(quad, track.quad_px) > HELD_SHARE


def _other_card(
    one: Placement, quad: Array, others: Sequence[_Card], held: _Card
) -> list[Placement]:
    """Return the card that makes up an outline with the card that it holds: where one
    of its face is known to lie, else at the other end; none if all have names."""
    if one.identity.label is None and _is_filled(quad, others):
        return []
    same = _named_alike(one, quad, others)
    if same is None:
        return [replace(one, quad_px=plain(_at_the_other_end(quad, held.quad_px)))]
    if same.track is None:
        return []  # it was seen for itself as well
    return [replace(one, quad_px=plain(same.quad_px))]


def _held_too(
    tracks: Sequence[Track], seen: Sequence[Placement], outlines_px: Sequence[Array]
) -> list[Placement]:
    """Return the known cards in the outlines that were not seen for themselves."""
    return [
        replace(track.seen, quad_px=plain(track.quad_px))
        for track in tracks
        if track.stage is Stage.LYING
        and any(covered_by(track.quad_px, out) > HELD_SHARE for out in outlines_px)
        and not any(rests(track, placement) for placement in seen)
    ]


def _at_the_other_end(outline: Array, held: Array) -> Array:
    """Return where a card lies that makes up an outline with the card that it holds."""
    turned = [np.roll(outline, turns, axis=0) for turns in range(4)]
    fitting = min(turned, key=lambda quad: float(np.abs(quad - held).sum()))
    off = fitting - held
    farthest = np.argsort(-np.linalg.norm(off, axis=1))[:2]
    return np.asarray(held + off[farthest].mean(axis=0))


def _is_named(track: Track) -> bool:
    is_there = track.stage in (Stage.LYING, Stage.TENTATIVE)
    return is_there and track.label is not None and track.seen.kind is Kind.CARD


def _held(quad: Array, others: Sequence[_Card], usual_px2: float) -> _Card | None:
    """Return a card that lies in an outline which is too large for one card."""
    return next((c for c in others if _is_around(quad, c.quad_px, usual_px2)), None)


def _is_around(outline: Array, card: Array, usual_px2: float) -> bool:
    is_full = area_px2(card) > FULL_SHARE * usual_px2
    times = area_px2(outline) / max(area_px2(card), 1.0)
    is_larger = LARGER < times < LARGEST
    return is_full and is_larger and covered_by(card, outline) > HELD_SHARE


def _named_alike(one: Placement, quad: Array, others: Sequence[_Card]) -> _Card | None:
    """Return the card of the same face that lies in the outline, a known one first."""
    if one.identity.label is None:
        return None
    for card in others:
        if card.track is None:
            is_same = card.placement.identity.label == one.identity.label
        else:
            is_same = is_its_face(card.track, one)
        if is_same and covered_by(card.quad_px, quad) > SAME_SHARE:
            return card
    return None


def _is_filled(quad: Array, others: Sequence[_Card]) -> bool:
    """Return whether cards with names fill nearly all of an outline."""
    corner, size = quad.min(axis=0), max(float(np.ptp(quad, axis=0).max()), 1.0)

    def filled(quads_px: Iterable[Array]) -> Mask:
        mask = np.zeros((RASTER_PX, RASTER_PX), np.uint8)
        for each in quads_px:
            points = np.round((each - corner) * (RASTER_PX - 1) / size)
            cv2.fillConvexPoly(mask, points.astype(np.int32), (1,))
        return np.asarray(mask > 0)

    whole = filled([quad])
    named = whole & filled(card.quad_px for card in others)
    return float(named.sum()) > NAMED_SHARE * float(whole.sum())
