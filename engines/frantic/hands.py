"""Hands of known and unknown cards.

A referee with a camera does not see what is drawn: such a card is ``?``. It becomes a
face when it is shown. When a card leaves a hand unseen, nobody can say any more which
of the remaining ones are left, so the whole hand becomes unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from engines.frantic.cards import UNKNOWN, Hand, PlayCard
from engines.frantic.moves import Pick


def is_known(hand: Hand) -> bool:
    """Return whether every card of the hand has been seen."""
    return UNKNOWN not in hand


def uncovered(hand: Hand, cards: Iterable[PlayCard]) -> Counter[PlayCard]:
    """Return the named cards that are not among the known ones of the hand."""
    missing = Counter[PlayCard]()
    left = list(hand)
    for card in cards:
        if card in left:
            left.remove(card)
        elif card != UNKNOWN:
            missing[card] += 1
    return missing


def can_hold(hand: Hand, cards: Sequence[PlayCard]) -> bool:
    """Return whether the hand may contain all these cards."""
    unknown = hand.count(UNKNOWN)
    if len(cards) > len(hand) or (UNKNOWN in cards and not unknown):
        return False
    return uncovered(hand, cards).total() <= unknown


def without(hand: Hand, cards: Sequence[PlayCard]) -> Hand:
    """Return the hand after these cards have left it."""
    if UNKNOWN in cards:
        return (UNKNOWN,) * (len(hand) - len(cards))
    left = list(hand)
    for card in cards:
        left.remove(card if card in left else UNKNOWN)
    return tuple(left)


def shown(hand: Hand, cards: Sequence[PlayCard]) -> Hand:
    """Return the hand after some of its cards have been shown: they are known now."""
    return (*cards, *without(hand, cards))


def at_places(hand: Hand, picks: Sequence[Pick]) -> Hand:
    """Return the cards picked by name or by place, counted from 1."""
    return tuple(
        hand[pick - 1] if isinstance(pick, int) else PlayCard(pick) for pick in picks
    )


def choices(cards: Hand, number: int) -> Iterator[Hand]:
    """Yield each different selection of `number` cards once."""
    ordered = sorted(cards)
    seen: set[Hand] = set()
    for selection in combinations(ordered, number):
        if selection not in seen:
            seen.add(selection)
            yield selection
