"""Cards on the way between pile, hands and discard; the number of cards stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engines.core import Seat
from engines.frantic.cards import UNKNOWN, Hand, PlayCard, copies
from engines.frantic.hands import is_known, shown, uncovered, without
from engines.frantic.options import PlusOne
from engines.frantic.state import End, Ending, State


def amount(state: State, number: int) -> int:
    """Return how many cards a draw of `number` takes from the pile (F-27)."""
    if not state.plus_one or number == 0:
        return number
    if state.options.plus_one is PlusOne.PER_CARD:
        return number * 2
    return number + 1


def draw(state: State, seat: Seat, number: int) -> State:
    """Return the state after a draw; a draw that is not served ends the round."""
    due = amount(state, number)
    taken = state.pile[:due]
    hand = state.hands[seat] + taken
    state = replace(state, pile=state.pile[len(taken) :]).with_hands({seat: hand})
    return exhausted(state) if len(taken) < due else state


def exhausted(state: State) -> State:
    """Return the state with the round ending for want of cards."""
    return end(state, Ending(End.EXHAUSTED))


def end(state: State, ending: Ending) -> State:
    """Return the state with its round ending; the first reason counts."""
    return state if state.ending else replace(state, ending=ending)


def draw_in_turn(state: State, draws: Mapping[Seat, int]) -> State:
    """Return the state after one draw each, in the order of `draws`."""
    for seat, number in draws.items():
        state = draw(state, seat, number)
    return state


def lose(state: State, seat: Seat, cards: Sequence[PlayCard]) -> State:
    """Return the state after cards have left a hand; they must go somewhere."""
    return state.with_hands({seat: without(state.hands[seat], cards)})


def note(state: State, seat: Seat, cards: Sequence[PlayCard]) -> State:
    """Return the state in which the named ones of these cards are known to be in a
    hand, where they stay for now."""
    named = tuple(card for card in cards if card != UNKNOWN)
    hand = state.hands[seat]
    if not uncovered(hand, named):
        return state
    return state.with_hands({seat: shown(hand, named)})


def hand_over(state: State, giver: Seat, taker: Seat, cards: Hand) -> State:
    """Return the state after cards have gone from hand to hand."""
    state = lose(state, giver, cards)
    return state.with_hands({taker: state.hands[taker] + cards})


def discard_under(state: State, seat: Seat, cards: Hand) -> State:
    """Return the state after an event made a hand discard: under the pile (F-25)."""
    state = lose(state, seat, cards)
    return replace(state, discard=cards + state.discard)


def play_from(state: State, seat: Seat, card: PlayCard) -> State:
    """Return the state with a card of a hand on top of the discard pile."""
    state = lose(state, seat, (card,))
    return replace(state, discard=(*state.discard, card))


def flip(state: State, cards: Hand) -> State:
    """Return the state without the turned cards, which must go somewhere."""
    return replace(state, pile=state.pile[len(cards) :])


def unseen_copies(state: State, card: PlayCard) -> int:
    """Return how many copies of a face nobody has shown yet."""
    held = copies(starred=state.options.starred).get(card, 0)
    return held - sum(card == other for other in state.seen())


def may_hold(state: State, seat: Seat, card: PlayCard) -> bool:
    """Return whether a card may be in a hand, as far as the referee knows."""
    hand = state.hands[seat]
    if card in hand:
        return True
    return not is_known(hand) and unseen_copies(state, card) > 0


def possible_cards(state: State, hand: Hand) -> Hand:
    """Return every different face that may be in a hand, in the order of the kit."""
    held = set(hand)
    if UNKNOWN not in held:
        return tuple(sorted(held))
    seen: dict[PlayCard, int] = {}
    for card in state.seen():
        seen[card] = seen.get(card, 0) + 1
    return tuple(
        card
        for card, number in copies(starred=state.options.starred).items()
        if card in held or number > seen.get(card, 0)
    )
