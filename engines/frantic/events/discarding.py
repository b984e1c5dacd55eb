"""Events that make everybody discard; the cards go under the pile (F-25)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engines.core import RuleRef, Seat, Text
from engines.frantic.cards import CURSE, Hand
from engines.frantic.hands import is_known
from engines.frantic.moves import Verb
from engines.frantic.piles import discard_under, draw_in_turn
from engines.frantic.selection import OwnCards, sentence
from engines.frantic.sorting import Sieve, SortHand
from engines.frantic.state import Cause, State, Step

STANDOFF_CARDS = 3


def mating_season(state: State, cause: Cause) -> State:
    """Everybody discards all combinations of one number."""
    return _all_sort(state, cause, Sieve.COMBINATIONS)


def vandalism(state: State, cause: Cause) -> State:
    """Everybody discards the colour in force, if there is one."""
    if state.colour is None:
        return state
    return _all_sort(state, cause, Sieve.COLOUR)


def mexican_standoff(state: State, cause: Cause) -> State:
    """All hands are discarded; then everybody draws three."""
    seats = state.involved(cause)
    sorts = (SortHand(seat, Sieve.EVERYTHING) for seat in seats)
    return state.push(*sorts, StandoffDraw(seats))


def recession(state: State, cause: Cause) -> State:
    """The first discards one card, the second two, and so on."""
    seats = state.involved(cause)
    return state.push(*(Drop(seat, n) for n, seat in enumerate(seats, start=1)))


def _all_sort(state: State, cause: Cause, sieve: Sieve) -> State:
    return state.push(*(SortHand(seat, sieve) for seat in state.involved(cause)))


@dataclass(frozen=True, slots=True)
class StandoffDraw(Step):
    """The new hands of a Mexican Standoff."""

    seats: tuple[Seat, ...]
    step: str = "standoff-draw"

    def run(self, state: State) -> State:
        return draw_in_turn(state, dict.fromkeys(self.seats, STANDOFF_CARDS))


@dataclass(frozen=True, slots=True)
class Drop(OwnCards):
    """`seat` discards cards of his choice, a known hand one after the other."""

    seat: Seat
    most: int
    step: str = "drop"
    rule: ClassVar[RuleRef] = RuleRef("5.2")
    verb: ClassVar[Verb] = Verb.DISCARD
    stays = CURSE

    def sizes(self, state: State) -> set[int]:
        if is_known(self.source(state)):
            return {min(self.most, 1, len(self.pickable(state)))}
        return OwnCards.sizes(self, state)

    def awaits(self, state: State) -> Text:
        return sentence("drops", self.seat, number=max(self.sizes(state)))

    def chosen(self, state: State, cards: Hand) -> State:
        is_seen = is_known(state.hands[self.seat])
        state = discard_under(state, self.seat, cards)
        if cards and is_seen and self.most > 1:
            return state.push(Drop(self.seat, self.most - 1))
        return state
