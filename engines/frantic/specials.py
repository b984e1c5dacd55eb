"""What each special card does when it is played: one entry per card (5.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from engines.core import Seat
from engines.frantic.aiming import Aim
from engines.frantic.calling import call_event
from engines.frantic.cards import PlayCard, Special
from engines.frantic.four import SplitFour
from engines.frantic.state import State, Top, Wisher
from engines.frantic.wishes import NUMBER_WISHES, match, swap_colour

Effect: TypeAlias = Callable[[State, Seat, PlayCard], State]


def lay(state: State, seat: Seat, card: PlayCard) -> State:
    """Return the state in which the next card must match `card`, without its effect;
    a neutral card changes nothing by itself (F-08)."""
    if card.special is Special.SWAP:
        return swap_colour(state, seat, card)
    if card.is_neutral:
        return state
    colour = card.colours[0] if card.colours else None
    top = Top(colour, card.number, card.special, black=card.is_black)
    return match(state, top)


def no_effect(state: State, seat: Seat, card: PlayCard) -> State:
    """Colour Swap, Curse and Fuck You do nothing more than lie there (F-21)."""
    return state


def wish(state: State, seat: Seat, card: PlayCard) -> State:
    """Fantastic, and the reaction cards in one's own turn: only the wish (4.4)."""
    return replace(state, wisher=Wisher(seat, card.special in NUMBER_WISHES))


def attack(state: State, seat: Seat, card: PlayCard) -> State:
    """A coloured card must be aimed at somebody."""
    assert card.special is not None
    return state.push(Aim(seat, card.special, may_decline=False))


def attack_and_wish(state: State, seat: Seat, card: PlayCard) -> State:
    """A neutral card may be used for its effect, for a wish, or for both (F-08)."""
    assert card.special is not None
    state = wish(state, seat, card)
    return state.push(Aim(seat, card.special, may_decline=True))


def fantastic_four(state: State, seat: Seat, card: PlayCard) -> State:
    """Four cards to draw, and a wish."""
    return wish(state, seat, card).push(SplitFour(seat))


def troublemaker(state: State, seat: Seat, card: PlayCard) -> State:
    """An event at once."""
    return call_event(state, seat)


EFFECTS: Mapping[Special, Effect] = {
    Special.SWAP: no_effect,
    Special.EXCHANGE: attack,
    Special.GIFT: attack,
    Special.SKIP: attack,
    Special.THIEF: attack,
    Special.TROUBLEMAKER: troublemaker,
    Special.FANTASTIC: wish,
    Special.FOUR: fantastic_four,
    Special.COUNTERATTACK: wish,
    Special.EQUALITY: attack_and_wish,
    Special.INEQUALITY: attack_and_wish,
    Special.LUCKY: wish,
    Special.NICE_TRY: wish,
    Special.FAVOURS: attack_and_wish,
    Special.CURSE: no_effect,
    Special.FY: no_effect,
}
"""2nd Chance and Mimicry, which lead to another card, live in `turn.py`."""
