"""From detections to physical cards: each index is given to its card, the rest become
cards of their own, and what was seen twice is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.cards import CardSeen, IndexSeen, log_faces_of
from vision.from_index import DeckSeen, Pair, learn_deck
from vision.owners import index_fit, index_fits, owners_of
from vision.quads import quad_overlap, turned_like
from vision.refine import SURE_SUPPORT, is_well_cut
from vision.sightings import once_each
from vision.types import Array, Kind

ALIKE = 0.6
"""Two outlines of one card that overlap less (IoU) contradict each other."""
BACK = 0.9
"""What reads this likely as a card's back is one."""
READ = 0.8
"""An index that reads this likely is one, and of the card that it stands on."""


def assemble(
    cards: Sequence[CardSeen],
    indices: Sequence[IndexSeen],
    shape: tuple[int, ...] | None = None,
    card_px: float = 0.0,
) -> tuple[CardSeen, ...]:
    """Return the physical cards: indices given to cards, the rest become cards.

    `shape` is the picture's, and cards are known to be about `card_px` long, unless
    that is 0. A card whose outline is not on edges is laid out from its index.
    """
    owners = owners_of(cards, indices)
    owned = [
        replace(
            card,
            indices=tuple(
                index
                for index, owner in zip(indices, owners, strict=True)
                if owner == number
            ),
        )
        for number, card in enumerate(cards)
    ]
    deck = replace(_learnt(owned, shape), long_px=card_px)
    joined = [_laid_out(card, deck) for card in owned]
    for index, owner in zip(indices, owners, strict=True):
        if owner < 0:
            quad = deck.card_of(index.quad_px)
            joined.append(CardSeen(quad, index.score, Kind.CARD, None, (index,)))
    weighed = [
        replace(
            card,
            log_faces=log_faces_of(card),
            is_cut_off=shape is not None and _is_cut_off(card.quad_px, shape),
        )
        for card in joined
    ]
    return tuple(once_each(weighed))


def _is_cut_off(quad_px: Array, shape: tuple[int, ...]) -> bool:
    return bool((quad_px < 0).any() or (quad_px > [shape[1], shape[0]]).any())


def _learnt(cards: Sequence[CardSeen], shape: tuple[int, ...] | None) -> DeckSeen:
    """Return what the cards with an index, and open backs, say of all cards of the
    deck."""
    whole: list[Pair] = []
    partly: list[Pair] = []
    others: list[Pair] = []
    for card in cards:
        is_read = any(index.reading.certainty > READ for index in card.indices)
        if is_read and min(card.support) >= SURE_SUPPORT:
            group = whole
        elif is_read and is_well_cut(card.support):
            group = partly
        else:
            group = others
        # In an outline of two cards one's own index may stand beside the other's.
        quads = np.array([i.quad_px for i in card.indices]).reshape(-1, 4, 2)
        (fits,), _ = index_fits([card.quad_px], quads)
        group.append((card.quad_px, list(quads[fits < 1])))
    backs = [card.quad_px for card in cards if _is_open_back(card)]
    return learn_deck(whole, partly, others, shape, backs)


def _is_open_back(card: CardSeen) -> bool:
    shows_back = card.whole is not None and card.whole.back > BACK
    return shows_back and not card.indices and min(card.support) >= SURE_SUPPORT


def _laid_out(card: CardSeen, deck: DeckSeen) -> CardSeen:
    """Return the card where its best index says that it lies, if the deck is known.

    An outline that lies on edges on all sides stays, or on which the index stands where
    it should, or two in two corners; one that lies on three edges stays unless the
    index says something quite different.
    """
    if not card.indices or not deck.whole_px or min(card.support) >= SURE_SUPPORT:
        return card
    if len({index_fit(card.quad_px, index.quad_px)[1] for index in card.indices}) > 1:
        return card
    best = max(card.indices, key=lambda index: index.score)
    if deck.fits(card.quad_px, best.quad_px):
        return card
    right, lower = index_fit(card.quad_px, best.quad_px)[1]
    quad = deck.card_of(best.quad_px, mirrored=right != lower)
    if is_well_cut(card.support) and quad_overlap(quad, card.quad_px) > ALIKE:
        return card
    quad = turned_like(quad, card.quad_px)
    return replace(card, quad_px=quad, cut_px=card.quad_px)
