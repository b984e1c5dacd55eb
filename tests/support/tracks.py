"""Placements that a tracker is shown, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.track import Tracker
from vision.tracks import Change, Sight
from vision.types import UNKNOWN, Array, Identity, Kind, Placement

W, H = 60.0, 84.0


def quad(x: float, y: float) -> Array:
    """Return the outline of a card whose top left corner is there."""
    return np.array([[x, y], [x + W, y], [x + W, y + H], [x, y + H]])


def card(label: str | None, x: float, y: float, **fields: object) -> Placement:
    """Return a card there, without a name if `label` is none."""
    identity = UNKNOWN if label is None else Identity(label, ((label, 0.99),), 6.0)
    corners = tuple((float(a), float(b)) for a, b in quad(x, y))
    placement = Placement("?", Kind.CARD, identity, 0.9, corners)
    for name, value in fields.items():
        object.__setattr__(placement, name, value)
    return placement


def of_deck(label: str | None, x: float, y: float, **fields: object) -> Placement:
    """Return a card of a deck of one's own there."""
    return card(label, x, y, deck="own", **fields)


def sight(
    at_s: float,
    *,
    covered: Sequence[Array] = (),
    changed: bool = True,
    looked: bool = True,
) -> Sight:
    """Return what is known of places at a moment; `covered` ones are below hands."""

    def hidden(place: Array) -> float:
        middle = place.mean(axis=0)
        inside = [
            (middle > c.min(0)).all() and (middle < c.max(0)).all() for c in covered
        ]
        return 1.0 if any(inside) else 0.0

    return Sight(
        at_s,
        lambda place: looked,
        hidden,
        lambda place: 1.0 if changed else 0.0,
        lambda place: at_s - 0.5,
    )


def show(
    tracker: Tracker, seen: Sequence[Placement], at_s: float, times: int = 2
) -> list[tuple[str, str]]:
    """Read the same table so often; return what changed."""
    changes: list[Change] = []
    for number in range(times):
        changes += tracker.update(seen, sight(at_s + number / 30))
    return [(change.track, change.what) for change in changes]


def names(tracker: Tracker) -> dict[str, str | None]:
    """Return the name of each thing that is known to lie there."""
    return {p.id: p.identity.label for p in tracker.placements()}


def partly(at_s: float, changed_from_x: float) -> Sight:
    """Return the sight of a place that has changed from some x to the right."""

    def changed(place: Array) -> float:
        left, right = place[:, 0].min(), place[:, 0].max()
        share = (right - max(left, changed_from_x)) / (right - left)
        return float(np.clip(share, 0.0, 1.0))

    return replace(sight(at_s), changed=changed)


def still(at_s: float, moved_s: float) -> Sight:
    """Return a sight of a table on which nothing has moved since."""
    return replace(sight(at_s, changed=False), moved_s=lambda place: moved_s)
