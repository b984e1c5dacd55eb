"""Tells the ground from a card: at its sides a card ends, and the ground goes on.

A carpet or the grain of wood may look like a back to the detector. Then there is no
edge along the sides of what it outlines, and what lies just within them looks like what
lies just beyond. A card face down has its print within and the table beyond.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards import CardSeen
from vision.quads import from_quad, on_quad
from vision.types import Array, Bgr, Identity

ALONG, ACROSS = np.linspace(0.1, 0.9, 24), np.linspace(0.04, 0.2, 6)
"""Where it is looked at each side: shares of the side, and of the card from it."""
MARGIN = 0.03
"""So much around another card is its edge and its shadow."""
LEAST_SEEN = 0.4
"""So much of a side must show within and beyond: else it tells nothing."""
ALIKE = 0.08
"""Two strips whose colours are no further apart (Bhattacharyya) are of one thing."""
ROUNDS = 2
"""Backs go on in the backs beside them: these are known from the first round on."""
NOISE = 4.0
"""Variance of colours that is no more than noise, grey levels squared."""


def without_ground(
    bgr: Bgr,
    cards: Sequence[CardSeen],
    identities: Sequence[Identity],
    real: Sequence[bool],
) -> tuple[bool, ...]:
    """Return which of the cards that are believed to be there (`real`) are no piece of
    the ground; what has a name or an index is none."""
    doubtful = [
        i
        for i, (card, identity) in enumerate(zip(cards, identities, strict=True))
        if real[i] and identity.label is None and not card.indices
    ]
    for _ in range(ROUNDS):
        known = [
            c.quad_px for i, c in enumerate(cards) if real[i] and i not in doubtful
        ]
        doubtful = [i for i in doubtful if is_ground(bgr, cards[i], known)]
    return tuple(kept and i not in doubtful for i, kept in enumerate(real))


def is_ground(bgr: Bgr, card: CardSeen, others_px: Sequence[Array]) -> bool:
    """Return whether what was taken for a card goes on across half at least of its
    sides that show, and across more than those at which it ends with an edge. A side on
    another card or beyond the picture does not show; what has no side in the picture is
    no card."""
    sides = [np.roll(card.quad_px, -n, axis=0) for n in range(4)]
    if not any(_shows(bgr, _strips(side), ()).mean() >= LEAST_SEEN for side in sides):
        return True
    goes_on = differs = ends = 0
    for side, support in zip(sides, card.support, strict=True):
        gap = _gap(bgr, side, others_px)
        if gap is not None:
            goes_on += gap < ALIKE
            differs += gap >= ALIKE
            ends += gap >= ALIKE and support > 0
    return goes_on > ends and goes_on >= differs


def _strips(quad_px: Array) -> Array:
    """Return (2, N, M, 2) places within and beyond the first side of a quad: N along
    it, M across."""
    x, y = np.meshgrid(ALONG, ACROSS, indexing="ij")
    strips = [np.column_stack([x.ravel(), side * y.ravel()]) for side in (1, -1)]
    places = from_quad(quad_px, np.vstack(strips))
    return np.asarray(places.reshape(2, len(ALONG), len(ACROSS), 2))


def _gap(bgr: Bgr, quad_px: Array, others_px: Sequence[Array]) -> float | None:
    """Return how unlike the colours within and beyond the first side of a quad are;
    `None` if too little of it shows."""
    places = _strips(quad_px)
    shows = _shows(bgr, places, others_px)
    if shows.mean() < LEAST_SEEN:
        return None
    spots = places[:, shows].astype(np.float32).reshape(2, -1, 2)
    colours = cv2.remap(bgr, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR)
    within, beyond = np.asarray(colours, float)
    return _apart(within, beyond)


def _shows(bgr: Bgr, strips_px: Array, others_px: Sequence[Array]) -> NDArray[np.bool_]:
    """Return at which (N,) places along a side both strips lie in the picture and on no
    other card."""
    height, width = bgr.shape[:2]
    flat = strips_px.reshape(-1, 2)
    shows = ((flat >= 1) & (flat <= [width - 2, height - 2])).all(axis=1)
    for other in others_px:
        at = on_quad(other, flat)
        shows &= ~((at > -MARGIN) & (at < 1 + MARGIN)).all(axis=1)
    by_place = shows.reshape(strips_px.shape[:-1])
    return np.asarray(np.all(by_place, axis=(0, 2)), bool)


def _apart(one: Array, other: Array) -> float:
    """Return the Bhattacharyya distance of two sets of (N, 3) colours, each taken as a
    normal distribution: both their means and how they spread tell."""
    first, second = (np.cov(c.T) + NOISE * np.eye(3) for c in (one, other))
    both = (first + second) / 2
    off = one.mean(axis=0) - other.mean(axis=0)
    by_mean = float(off @ np.linalg.solve(both, off)) / 8
    sizes = [float(np.linalg.slogdet(c)[1]) for c in (both, first, second)]
    return by_mean + (sizes[0] - (sizes[1] + sizes[2]) / 2) / 2
