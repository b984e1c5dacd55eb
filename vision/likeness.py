"""What the sure cards of a picture say of the doubtful ones: whose corners theirs are
like.

Cards on one table are of one deck, in one light, before one camera. Where it is not
clear what a corner shows, its rank and its suit are compared with those of the cards
that are beyond doubt in the same picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vision.cards import CardSeen, IndexSeen
from vision.glyphs import RANK, SUIT, Zone, laid, likeness, shape_of
from vision.inks import told_by_ink
from vision.leaves import told_by_outline
from vision.reading import JOKER, LABELS
from vision.types import Array, Bgr, Kind

SURE_CARD, SURE_CORNER, LEAST_TALL_PX = 0.93, 0.9, 17.0
"""What is surer, in a window at least this tall, shows what the signs of its deck look
like."""
IN_DOUBT = 0.03
"""A card of which a second rank or suit is as likely as this is compared."""
FEWEST_SUITS, MOST = 2, 6
"""So many sure corners there must be of each of two suits, which are much alike; and so
many of a rank or suit are looked at."""
LIKE = 0.88
"""A suit that is like neither of two was not cut out well."""
LOG_PER_LIKENESS, MOST_LOG = 60.0, 3.0
"""How much likelier a suit is by how much more its shape is like; no comparison says
more. Of 967 corners on 140 rendered tables that were a whole unit likelier of one of
two suits of a colour, ten were of the other."""
RANKS_LIKE = np.array([0.55, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95])
RANKS_LOG = np.array([-1.5, -0.5, 0.0, 0.7, 1.5, 2.5, 3.0])
"""How much likelier a rank is that is so like a sure one of the picture. Of 990 corners
there 498 were more like their own rank than .9, and 43 of 12,263 more like another; 158
and 711 were between .7 and .85."""
IS_FACE = 0.9
"""What may well be no face at all is not made one by what it is like."""


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """A rank or suit as a corner of a sure card shows it."""

    card: int
    sign: int
    shape: Array


def likened(bgr: Bgr, cards: Sequence[CardSeen]) -> tuple[CardSeen, ...]:
    """Return the cards, those in doubt likelier to be what the corners of sure ones
    look like, too; the same where none is in doubt."""
    cards = told_by_outline(bgr, cards)
    sure = _sure_corners(cards)
    cards = told_by_ink(bgr, cards, sure)
    told = list(cards)
    for zone, say in ((RANK, _ranked), (SUIT, _suited)):
        counts = Counter(_sign(index, zone) for _, index in sure)
        least = 1 if zone is RANK else FEWEST_SUITS
        known = {sign for sign, count in counts.items() if count >= least}
        open_signs = [_open_signs(card, zone) & known for card in cards]
        shown = _shown(bgr, sure, zone, frozenset().union(*open_signs))
        for number, signs in enumerate(open_signs):
            there = _by_sign(shown, number, signs)
            if there:
                told[number] = say(bgr, told[number], there)
    return tuple(told)


def _open_signs(card: CardSeen, zone: Zone) -> frozenset[int]:
    """Return the ranks or suits that a card may show, none where that is clear."""
    if card.kind is not Kind.CARD:
        return frozenset()
    if not any(index.reading.face > IS_FACE for index in card.indices):
        return frozenset()
    likely = np.flatnonzero(_likely(card, zone) >= IN_DOUBT)
    return frozenset(likely.tolist()) if len(likely) > 1 else frozenset()


def _likely(card: CardSeen, zone: Zone) -> Array:
    """Return the probabilities of the 13 ranks or the 4 suits."""
    if zone is SUIT:
        return card.suits
    return np.asarray(card.faces[:-1].reshape(4, JOKER).sum(0), float)


def _sure_corners(cards: Sequence[CardSeen]) -> list[tuple[int, IndexSeen]]:
    """Return the corners that are beyond doubt and the numbers of their cards, the
    tallest first."""
    sure = [
        (number, index)
        for number, card in enumerate(cards)
        for index in card.indices
        if _is_sure(card, index)
    ]
    return sorted(sure, key=lambda one: -_tall_px(one[1]))


def _sign(index: IndexSeen, zone: Zone) -> int:
    """Return the number of the rank or suit that was read."""
    suit, rank = divmod(int(index.reading.faces.argmax()), JOKER)
    return rank if zone is RANK else suit


def _shown(
    bgr: Bgr,
    sure: Sequence[tuple[int, IndexSeen]],
    zone: Zone,
    wanted: frozenset[int],
) -> list[_Shown]:
    """Return the ranks or suits that are surely shown, of those wanted the tallest."""
    left = dict.fromkeys(wanted, MOST)
    shown: list[_Shown] = []
    for number, index in sure:
        sign = _sign(index, zone)
        if left.get(sign, 0):
            shape = shape_of(bgr, index, zone)
            if shape is not None:
                left[sign] -= 1
                shown.append(_Shown(number, sign, shape))
    return shown


def _is_sure(card: CardSeen, index: IndexSeen) -> bool:
    best = int(card.log_faces.argmax())
    return (
        card.kind is Kind.CARD
        and LABELS[best] != "X"
        and float(card.faces[best]) > SURE_CARD
        and index.reading.certainty > SURE_CORNER
        and int(index.reading.faces.argmax()) == best
        and _tall_px(index) > LEAST_TALL_PX
    )


def _tall_px(index: IndexSeen) -> float:
    if index.window_px is None:
        return 0.0
    return float(np.linalg.norm(index.window_px[0] - index.window_px[3]))


def _by_sign(
    shown: Sequence[_Shown], card: int, signs: frozenset[int]
) -> dict[int, list[Array]]:
    """Return the shapes of each of the ranks or suits that cards but one show."""
    there: dict[int, list[Array]] = {}
    for one in shown:
        if one.card != card and one.sign in signs:
            there.setdefault(one.sign, []).append(one.shape)
    return there


def _ranked(bgr: Bgr, card: CardSeen, there: Mapping[int, Sequence[Array]]) -> CardSeen:
    """Return the card with what its corners' ranks are like."""
    shapes = [shape_of(bgr, index, RANK) for index in card.indices]
    ways = [laid(shape) for shape in shapes if shape is not None]
    if not ways:
        return card
    logs = np.zeros(JOKER)
    for rank, shown in there.items():
        like = [likeness(way, shown) for way in ways]
        logs[rank] = float(np.interp(like, RANKS_LIKE, RANKS_LOG).mean())
    return card.likelier(logs)


def _suited(bgr: Bgr, card: CardSeen, there: Mapping[int, Sequence[Array]]) -> CardSeen:
    """Return the card with which of its two likeliest suits its corners' are like."""
    second, first = (int(n) for n in np.argsort(_likely(card, SUIT))[-2:])
    pair = [there.get(suit, ()) for suit in (first, second)]
    if min(map(len, pair)) < FEWEST_SUITS:
        return card
    shapes = [shape_of(bgr, index, SUIT) for index in card.indices]
    ways = [laid(shape) for shape in shapes if shape is not None]
    if not ways:
        return card
    lead = float(np.mean([_lead(way, *pair) for way in ways]))
    return card.likelier_suit(first, second, lead)


def _lead(ways: Array, ones: Sequence[Array], others: Sequence[Array]) -> float:
    """Return how much likelier (log) a suit is one of the first than of the others."""
    one, other = likeness(ways, ones), likeness(ways, others)
    if max(one, other) < LIKE:
        return 0.0
    return float(np.clip(LOG_PER_LIKENESS * (one - other), -MOST_LOG, MOST_LOG))
