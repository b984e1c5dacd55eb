"""The 52 + 2 cards as Regicide uses them: values, enemies, numbers per player count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from engines.core import JOKER, STANDARD_52, Card, Rank, Text, label_text

VALUES: Mapping[Rank, int] = {
    Rank.ACE: 1,
    Rank.TWO: 2,
    Rank.THREE: 3,
    Rank.FOUR: 4,
    Rank.FIVE: 5,
    Rank.SIX: 6,
    Rank.SEVEN: 7,
    Rank.EIGHT: 8,
    Rank.NINE: 9,
    Rank.TEN: 10,
    Rank.JACK: 10,
    Rank.QUEEN: 15,
    Rank.KING: 20,
}
"""Worth of a card from the hand, to attack and to cover damage."""

ATTACK: Mapping[Rank, int] = {Rank.JACK: 10, Rank.QUEEN: 15, Rank.KING: 20}
HIT_POINTS: Mapping[Rank, int] = {Rank.JACK: 20, Rank.QUEEN: 30, Rank.KING: 40}

CASTLE_RANKS = (Rank.JACK,) * 4 + (Rank.QUEEN,) * 4 + (Rank.KING,) * 4
"""Ranks of the Castle pile from the top down."""

PLAYER_COUNTS = (1, 2, 3, 4)
HAND_LIMIT: Mapping[int, int] = {1: 8, 2: 7, 3: 6, 4: 5}
TAVERN_JOKERS: Mapping[int, int] = {1: 0, 2: 0, 3: 1, 4: 2}
SOLO_JOKERS = 2

ROYALS = tuple(card for card in STANDARD_52 if card.rank in ATTACK)
COMMONERS = tuple(card for card in STANDARD_52 if card.rank not in ATTACK)

_VALUE_OF: Mapping[Card, int] = {JOKER: 0} | {
    card: VALUES[card.rank] for card in STANDARD_52 if card.rank is not None
}
_PLACE: Mapping[Card, int] = {
    card: place
    for place, card in enumerate(
        sorted(
            STANDARD_52,
            key=lambda card: (-list(Rank).index(card.rank or Rank.ACE), str(card.suit)),
        )
    )
} | {JOKER: len(STANDARD_52)}


def value(card: Card) -> int:
    """Return what `card` is worth from the hand: Ace 1, Joker 0, King 20."""
    return _VALUE_OF[card]


def total(cards: Iterable[Card]) -> int:
    """Return the summed worth of `cards`."""
    return sum(map(_VALUE_OF.__getitem__, cards))


def is_royal(card: Card) -> bool:
    """Return whether `card` is a Jack, a Queen or a King."""
    return card.rank in ATTACK


def attack_of(enemy: Card) -> int:
    """Return the attack of an enemy."""
    return 0 if enemy.rank is None else ATTACK.get(enemy.rank, 0)


def hit_points_of(enemy: Card) -> int:
    """Return the hit points of an enemy."""
    return 0 if enemy.rank is None else HIT_POINTS.get(enemy.rank, 0)


def tavern_cards(players: int) -> tuple[Card, ...]:
    """Return all cards of the Tavern before the deal, unshuffled."""
    return COMMONERS + (JOKER,) * TAVERN_JOKERS[players]


def in_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return `cards` from the highest down, the order in which moves are written."""
    return tuple(sorted(cards, key=_PLACE.__getitem__))


def spoken(card: Card) -> Text:
    """Return the short name of a card, such as J♥, or the Joker's."""
    return label_text(str(card))


def spoken_all(cards: Iterable[Card]) -> Text:
    """Return the short names of several cards in a row."""
    names = [spoken(card) for card in cards]
    if not names:
        return Text.of("regicide.no_cards")
    return reduce(lambda a, b: Text.of("regicide.row", first=a, rest=b), names)


def seat_name(seat: int) -> Text:
    """Return how a seat is called: player 1 sits on seat 0."""
    return Text.of("core.seat", number=seat + 1)
