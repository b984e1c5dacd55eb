"""Which cards may be played together in phase one, and what a play is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engines.core import JOKER, Card, Objection, Rank, RuleRef, Suit, Text
from engines.regicide.cards import is_royal, spoken_all, total
from engines.regicide.options import Options, RetroSpades

LARGEST_SUM = 10
"""What the cards of one number may come to in all."""
COMPANION_PAIR = 2
MOST_CARDS = 4


def together(cards: Sequence[Card]) -> Objection | None:
    """Object to cards that may not be one play, whoever holds them (4.1)."""
    if not cards:
        return _refuse("no_card_played")
    if len(cards) == 1:
        return None
    if JOKER in cards:
        return _refuse("joker_alone")
    doubled = [card for card, count in Counter(cards).items() if count > 1]
    if doubled:
        return _refuse("card_once", cards=spoken_all(doubled))
    aces = sum(card.rank is Rank.ACE for card in cards)
    if aces:
        return _companions(cards, aces)
    return _combination(cards)


def is_set(cards: Sequence[Card]) -> bool:
    """Return whether `together` has nothing to object: the quick way to ask."""
    count = len(cards)
    if count == 1:
        return True
    if not 0 < count <= MOST_CARDS or JOKER in cards or len(set(cards)) < count:
        return False
    rank = cards[0].rank
    if rank is Rank.ACE or any(card.rank is Rank.ACE for card in cards):
        return count == COMPANION_PAIR
    same = all(card.rank is rank for card in cards)
    return same and not is_royal(cards[0]) and total(cards) <= LARGEST_SUM


def joker_in_game(cards: Sequence[Card], options: Options) -> Objection | None:
    """Object to a Joker played with one or two players, who shuffle none in (1)."""
    if JOKER not in cards or options.tavern_jokers:
        return None
    reason = Text.of("regicide.jokers_not_in_game", players=options.players)
    return Objection(RuleRef("1.2"), reason)


def _companions(cards: Sequence[Card], aces: int) -> Objection | None:
    if len(cards) == COMPANION_PAIR:
        return None
    reason = "too_many_companions" if aces == len(cards) else "companion_joins_one"
    return _refuse(reason, cards=spoken_all(cards))


def _combination(cards: Sequence[Card]) -> Objection | None:
    if len({card.rank for card in cards}) > 1:
        return _refuse("one_number_only", cards=spoken_all(cards))
    if is_royal(cards[0]):
        return _refuse("no_royal_sets", cards=spoken_all(cards))
    if total(cards) > LARGEST_SUM:
        return _refuse("sum_too_high", cards=spoken_all(cards), sum=total(cards))
    return None


def _refuse(message: str, **values: int | Text) -> Objection:
    return Objection(RuleRef("4.1"), Text.of(f"regicide.{message}", **values))


def suits_of(cards: Sequence[Card]) -> frozenset[Suit]:
    """Return the suits among `cards`."""
    return frozenset(card.suit for card in cards if card.suit is not None)


def damage(cards: Sequence[Card], *, doubled: bool) -> int:
    """Return the damage of one play; `doubled` says whether clubs act."""
    clubs = doubled and any(card.suit is Suit.CLUBS for card in cards)
    return total(cards) * (2 if clubs else 1)


def late_shield(cards: Sequence[Card], counting: RetroSpades) -> int:
    """Return what a play made before the Joker adds to the shield afterwards (R-05)."""
    spades = [card for card in cards if card.suit is Suit.SPADES]
    if not spades:
        return 0
    return total(cards if counting is RetroSpades.ATTACK_VALUE else spades)
