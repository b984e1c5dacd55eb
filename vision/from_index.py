"""Where a card lies of which only a corner shows.

A corner index says where the card's corner is and which way is up. How large the card
is, and how it looks from there, say the cards on the same table that are seen whole:
all are of one size and lie on one plane. Without such cards the index's own size has to
do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline import is_card_shaped, sides_ratio
from vision.quads import area_px2, on_quad
from vision.types import Array

ALIKE = 0.15
"""Sizes (logarithm of the area, on one plane) of like cards agree within this."""
FEWEST_INDICES = 2
"""So many indices must stand on cards that are alike: two cards, or one with two."""
ASIDE, AS_TALL = 0.06, 0.35
"""So far an index may stand from its place, in shares of the card, and so much may its
height (logarithm) be another."""
ODD_SIZE, LEAST_PART = 2.0, 0.15
"""No card has an area so many times that of another of its deck. What seems to be the
corner of a giant, and is as large as a card, is a card that is seen whole. What seems
to be that of a dwarf, but of not less than so much, is a rank alone."""
RATIOS = (1.35, 1.6)
"""Long side over short side: poker cards have 1.40, bridge cards 1.54."""


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """Where the index stands on the cards of this deck, in shares of the card."""

    x: float = 0.09
    y: float = 0.135
    height: float = 0.21
    ratio: float = 1.4
    """Height of the card over its width."""


@dataclass(frozen=True, slots=True, eq=False)
class DeckSeen:
    """What the cards that are seen whole say of all cards of the deck."""

    place: IndexPlace = IndexPlace()
    whole_px: tuple[Array, ...] = ()
    """(4, 2) quads of cards that agree on how large a card is; none where too few."""
    has_four: bool = False
    """Whether its cards have an index in all four corners: few decks do."""
    long_px: float = 0.0
    """So long its cards are about, as is known from elsewhere; 0 where it is not."""

    def card_of(self, index_px: Array, *, mirrored: bool = False) -> Array:
        """Return the quad of the card whose upper left index this is; its upper right
        one if `mirrored` and the deck has those."""
        if not self.whole_px:
            return card_from_index(index_px, self.place, self.long_px)
        middle = index_px.mean(0)
        nearest = min(
            self.whole_px, key=lambda q: float(np.linalg.norm(q.mean(0) - middle))
        )
        mirrored = mirrored and self.has_four
        card = card_like(nearest, index_px, self.place, mirrored=mirrored)
        if self.fits(card, index_px):
            return card
        alone = card_from_index(index_px, self.place)
        usual, own = area_px2(card), area_px2(alone)
        near = area_px2(nearest)
        # A px at a corner makes giants far away: what is more like the nearest stays.
        is_usual = abs(np.log(own / near)) < abs(np.log(usual / near))
        if LEAST_PART * usual < own < usual / ODD_SIZE and not is_usual:
            return card
        # Nor a card: far from those that are whole the plane may vanish.
        is_whole = area_px2(index_px) > max(usual, near) / ODD_SIZE
        return index_px if is_whole and own > ODD_SIZE * usual else alone

    def fits(self, card_px: Array, index_px: Array) -> bool:
        """Return whether an index stands on a card where this deck's stand, and is as
        large: what is wrong by much, or seen askew, it does not."""
        points = on_quad(card_px, index_px)
        x, y = points.mean(0)
        x, y = min(x, 1 - x), min(y, 1 - y)
        tall = abs(float(_axes(points)[1][1]))
        off = np.abs([x - self.place.x, y - self.place.y])
        larger = np.log(max(tall, 1e-6) / self.place.height)
        return bool(off.max() < ASIDE and abs(larger) < AS_TALL)


Pair = tuple[Array, Sequence[Array]]
"""(4, 2) quads of a card and of its own indices."""


def learn_deck(
    whole: Sequence[Pair],
    partly: Sequence[Pair] = (),
    others: Sequence[Pair] = (),
    shape: tuple[int, ...] | None = None,
    backs_px: Sequence[Array] = (),
) -> DeckSeen:
    """Return what cards with their indices say of the deck.

    `whole` were cut out exactly; `partly`, of which a side is hidden, count where there
    are too few of those, then `backs_px` that were cut out exactly, and `others` only
    for where indices stand. `shape` is that of the picture, `None` where it is not
    known.
    """
    alike = _alike(whole, shape)
    if _indices(alike) < FEWEST_INDICES:
        alike = _alike([*whole, *partly], shape)
    ratio = IndexPlace().ratio
    if _indices(alike) < FEWEST_INDICES:
        backs = max(
            _groups([(back, ()) for back in backs_px], shape), key=len, default=[]
        )
        place = _place([*whole, *partly, *others], ratio)
        return DeckSeen(place, tuple(back for back, _ in backs))
    if shape is not None:
        ratios = [sides_ratio(card, shape) for card, _ in alike]
        ratio = float(np.clip(np.median(ratios), *RATIOS))
    whole_px = tuple(card for card, _ in alike)
    return DeckSeen(_place(alike, ratio), whole_px, _has_four(alike))


def _has_four(pairs: Sequence[Pair]) -> bool:
    """Return whether any card has an index at its upper right or lower left."""
    middles = [on_quad(card, index).mean(0) for card, own in pairs for index in own]
    return any((x > 0.5) != (y > 0.5) for x, y in middles)


def _alike(pairs: Sequence[Pair], shape: tuple[int, ...] | None) -> list[Pair]:
    """Return the most pairs whose cards agree on how large a card is."""
    return max(_groups(pairs, shape), key=_indices, default=[])


def _groups(pairs: Sequence[Pair], shape: tuple[int, ...] | None) -> list[list[Pair]]:
    """Return for each card-shaped one all that are as large."""
    shaped = [p for p in pairs if shape is None or is_card_shaped(p[0], shape)]
    quads = np.array([card for card, _ in shaped]).reshape(-1, 4, 2)
    return [
        [
            p
            for p, is_like in zip(shaped, _are_like(card, quads), strict=True)
            if is_like
        ]
        for card, _ in shaped
    ]


def _indices(pairs: Sequence[Pair]) -> int:
    return sum(len(own) for _, own in pairs)


def card_from_index(index_px: Array, place: IndexPlace, about_px: float = 0.0) -> Array:
    """Return the quad of the card whose upper left index this is, as seen from
    straight above; as long as cards are about, if that is known and the index tells
    quite another size."""
    right, down = _axes(index_px)
    down = down / place.height
    longer = float(np.hypot(*down)) / about_px if about_px else 1.0
    if not 1 / ODD_SIZE < longer**2 < ODD_SIZE:
        down = down / longer
    across = np.array([-down[1], down[0]]) / place.ratio
    if float(across @ right) < 0:
        across = -across
    corner = index_px.mean(0) - across * place.x - down * place.y
    return _laid_out(corner, across, down)


def card_like(
    whole_px: Array, index_px: Array, place: IndexPlace, *, mirrored: bool
) -> Array:
    """Return the quad of the card whose index this is, as large as one that is seen
    whole and on its plane."""
    flat = np.array([[0, 0], [1, 0], [1, place.ratio], [0, place.ratio]], np.float32)
    to_plane = np.asarray(
        cv2.getPerspectiveTransform(whole_px.astype(np.float32), flat), float
    )
    index = _mapped(index_px, to_plane)
    right, down = _axes(index)
    down = down / max(float(np.hypot(*down)), 1e-9)
    across = np.array([down[1], -down[0]])
    if float(across @ right) < 0:
        across = -across
    x = 1 - place.x if mirrored else place.x
    corner = index.mean(0) - across * x - down * place.y * place.ratio
    card = _laid_out(corner, across, down * place.ratio)
    return _mapped(card, np.asarray(np.linalg.inv(to_plane), float))


def _are_like(card_px: Array, others_px: Array) -> NDArray[np.bool_]:
    """Return (N,) whether (N, 4, 2) cards are of one size with another if all lie on
    one plane."""
    flat = on_quad(card_px, others_px.reshape(-1, 2)).reshape(-1, 4, 2).astype(float)
    x, y = (flat[:, 2] - flat[:, 0]).T
    u, v = (flat[:, 3] - flat[:, 1]).T
    areas = np.abs(x * v - y * u) / 2
    return np.asarray(np.abs(np.log(np.maximum(areas, 1e-6))) < ALIKE, np.bool_)


def _place(pairs: Sequence[Pair], ratio: float) -> IndexPlace:
    """Return where the indices stand, the usual place where nothing says it."""
    places = []
    for points in (on_quad(card, index) for card, own in pairs for index in own):
        x, y = points.mean(0)
        tall = abs(float(_axes(points)[1][1]))
        places.append((min(x, 1 - x), min(y, 1 - y), tall))
    if not places:
        return IndexPlace(ratio=ratio)
    x, y, tall = np.median(np.array(places), axis=0)
    return IndexPlace(float(x), float(y), float(np.clip(tall, 0.12, 0.4)), ratio)


def _axes(quad: Array) -> tuple[Array, Array]:
    """Return the mean right and down sides of a quad."""
    right = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
    down = (quad[3] + quad[2] - quad[0] - quad[1]) / 2
    return right, down


def _laid_out(corner: Array, across: Array, down: Array) -> Array:
    return np.array([corner, corner + across, corner + across + down, corner + down])


def _mapped(points: Array, matrix: Array) -> Array:
    mapped = cv2.perspectiveTransform(points[None].astype(np.float32), matrix)
    return np.asarray(mapped[0], float)
