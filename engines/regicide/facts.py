"""What follows from a state without anybody's choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import cycle

from engines.core import JOKER, Card, Rank
from engines.regicide.cards import CASTLE_RANKS, COMMONERS, ROYALS, total, value
from engines.regicide.options import Options
from engines.regicide.state import Action, Slots, State


def whole_deck(options: Options) -> Counter[Card]:
    """Return how often each card is in the game (the solo Jokers lie aside)."""
    deck = Counter((*COMMONERS, *ROYALS))
    if options.tavern_jokers:
        deck[JOKER] = options.tavern_jokers
    return deck


def places(state: State) -> tuple[Slots, ...]:
    """Return all places where cards are."""
    enemy = () if state.enemy is None else (state.enemy,)
    played = tuple(card for play in state.plays for card in play.cards)
    return (
        state.castle,
        state.tavern,
        state.discard,
        *state.hands,
        enemy,
        played,
    )


def unseen(state: State) -> Counter[Card]:
    """Return the cards whose place is not known, each as often as it is missing."""
    missing = whole_deck(state.options)
    missing.subtract(card for place in places(state) for card in place if card)
    return +missing


def unseen_in_hands(state: State) -> Counter[Card]:
    """Return the cards that an unknown place outside the Castle may hold."""
    missing = unseen(state)
    hidden = Counter(
        rank
        for rank, slot in zip(
            CASTLE_RANKS[len(CASTLE_RANKS) - len(state.castle) :],
            state.castle,
            strict=True,
        )
        if slot is None
    )
    for rank, count in hidden.items():
        of_rank = [card for card in missing if card.rank is rank]
        if len(of_rank) <= count:
            for card in of_rank:
                del missing[card]
    return missing


def next_rank(state: State) -> Rank | None:
    """Return the rank of the next Castle card, `None` when the pile is empty."""
    return CASTLE_RANKS[-len(state.castle)] if state.castle else None


def holds(slots: Slots, cards: Sequence[Card], state: State) -> bool:
    """Return whether a place can hold `cards`, as far as the engine knows."""
    if all(card in slots for card in cards) and len(set(cards)) == len(cards):
        return True
    known = Counter(card for card in slots if card is not None)
    lacking = Counter(cards) - known
    if not lacking:
        return True
    free = sum(slot is None for slot in slots)
    if lacking.total() > free:
        return False
    return lacking <= unseen_in_hands(state)


def without(slots: Slots, cards: Iterable[Card | None]) -> Slots:
    """Return a place after `cards` left it; an unknown card stands in for a missing."""
    rest = list(slots)
    for card in cards:
        rest.remove(card if card in rest else None)
    return tuple(rest)


def highest_hand(slots: Slots, state: State) -> int:
    """Return the most that a hand may be worth, as far as the engine knows."""
    known = [card for card in slots if card is not None]
    free = len(slots) - len(known)
    if not free:
        return total(known)
    best = sorted(map(value, unseen_in_hands(state).elements()), reverse=True)
    return total(known) + sum(best[:free])


def can_yield(state: State, seat: int) -> bool:
    """Return whether that seat may yield (4.2, R-01, R-02)."""
    if state.options.players == 1:
        return state.options.solo_yield
    return any(
        action is not Action.YIELD
        for other, action in enumerate(state.last)
        if other != seat
    )


def may_give_up(state: State, seat: int) -> bool:
    """Return whether an empty hand leaves nothing to hope for (6, R-01).

    A lone player who may yield can do so for ever behind a full shield.
    """
    alone = state.options.players == 1
    return not state.hands[seat] and (alone or not can_yield(state, seat))


def room(state: State, seat: int) -> int:
    """Return how many cards that hand may still take."""
    return state.options.hand_limit - len(state.hands[seat])


def draw_order(state: State) -> tuple[int, ...]:
    """Return the seats in the order in which they draw for diamonds (5.2)."""
    rooms = [room(state, seat) for seat in range(state.options.players)]
    left = min(state.to_draw, len(state.tavern), sum(rooms))
    return in_turn(rooms, left, state.current)


def in_turn(most: Sequence[int], count: int, first: int) -> tuple[int, ...]:
    """Return `count` seats clockwise from `first`, none more often than `most` says."""
    order: list[int] = []
    rest = list(most)
    for seat in cycle([*range(first, len(rest)), *range(first)]):
        if len(order) == count:
            break
        if rest[seat]:
            rest[seat] -= 1
            order.append(seat)
    return tuple(order)


def draw_counts(state: State) -> tuple[int, ...]:
    """Return how many cards each seat draws for diamonds (5.2)."""
    order = draw_order(state)
    return tuple(order.count(seat) for seat in range(state.options.players))
