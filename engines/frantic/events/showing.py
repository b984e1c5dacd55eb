"""Events that lay cards open: Market and The All-Seeing Eye."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from engines.core import Objection, Option, RuleRef, Seat, Text
from engines.frantic.cards import UNKNOWN, Hand
from engines.frantic.flipping import flippable, flips
from engines.frantic.hands import is_known, shown, without
from engines.frantic.moves import Agree, Flip, Handle, Move, Verb
from engines.frantic.piles import exhausted, flip
from engines.frantic.rules import in_hand
from engines.frantic.selection import Selection, sentence
from engines.frantic.state import Cause, State, Step

RULE = RuleRef("5.2")


def market(state: State, cause: Cause) -> State:
    """As many cards as players are turned and taken in turn."""
    return state.push(TurnMarket(state.involved(cause)))


def all_seeing_eye(state: State, cause: Cause) -> State:
    """All hands lie open until everybody agrees to take them up."""
    return state.push(OpenHands(state.involved(cause)))


@dataclass(frozen=True, slots=True)
class TurnMarket(Step):
    """The cards of the Market are turned; too few end the round (F-32)."""

    seats: tuple[Seat, ...]
    step: str = "market"
    rule: ClassVar[RuleRef] = RULE

    def number(self, state: State) -> int:
        """Return how many cards there are to turn."""
        return min(len(self.seats), len(state.pile))

    def run(self, state: State) -> State | None:
        if self.number(state):
            return None
        return exhausted(state) if self.seats else state

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.turn_cards", number=self.number(state))

    def answers(self, state: State) -> Iterable[Move] | None:
        return flippable(state, self.number(state))

    def objection(self, state: State, move: Move) -> Objection | None:
        return flips(self, state, move, self.number(state))

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Flip)
        number = len(move.cards)
        state = replace(flip(state, move.cards), market=move.cards)
        if number < len(self.seats):
            state = exhausted(state)
        return state.push(*(TakeFromMarket(seat) for seat in self.seats[:number]))


@dataclass(frozen=True, slots=True)
class TakeFromMarket(Selection):
    """`seat` takes one of the cards that lie open."""

    seat: Seat
    most: int = 1
    step: str = "market-take"
    rule: ClassVar[RuleRef] = RULE
    verb: ClassVar[Verb] = Verb.TAKE

    def source(self, state: State) -> Hand:
        return state.market

    def awaits(self, state: State) -> Text:
        return sentence("takes_market", self.seat)

    def chosen(self, state: State, cards: Hand) -> State:
        hand = state.hands[self.seat] + cards
        state = replace(state, market=without(state.market, cards))
        return state.with_hands({self.seat: hand})


@dataclass(frozen=True, slots=True)
class OpenHands(Step):
    """Hands lie open; those that the referee did not know may be shown to him."""

    seats: tuple[Seat, ...]
    step: str = "open-hands"
    rule: ClassVar[RuleRef] = RULE

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.hands_open")

    def answers(self, state: State) -> Iterable[Move] | None:
        if all(is_known(state.hands[seat]) for seat in self.seats):
            return (Agree(),)
        return None

    def default(self, state: State) -> Move:
        return Agree()

    def options(self, state: State) -> tuple[Option, ...]:
        return (Option(str(Agree()), Agree().label, str(Agree())),)

    def objection(self, state: State, move: Move) -> Objection | None:
        if isinstance(move, Agree):
            return None
        if not isinstance(move, Handle) or move.verb is not Verb.SHOW:
            return self.not_now(state)
        if move.seat not in self.seats:
            return self.not_now(state)
        return shows_hand(self, state, move)

    def take(self, state: State, move: Move) -> State:
        if isinstance(move, Handle):
            return learn(state, move).push(self)
        return state


def shows_hand(step: Step, state: State, move: Handle) -> Objection | None:
    """Return why `move` does not lay open a hand that the referee did not know."""
    hand = state.hands[move.seat]
    if is_known(hand):
        return Objection(step.rule, Text.of("frantic.hand_is_known"))
    return shows(step, state, move, len(hand))


def shows(step: Step, state: State, move: Handle, number: int) -> Objection | None:
    """Return why `move` does not show `number` cards of a hand."""
    cards = tuple(card for card in move.cards if not isinstance(card, int))
    if len(move.cards) != number:
        reason = Text.of("frantic.wrong_number", number=len(move.cards), right=number)
        return Objection(step.rule, reason)
    if len(cards) < number or UNKNOWN in cards:
        return Objection(step.rule, Text.of("frantic.show_faces"))
    return in_hand(state, move.seat, cards)


def learn(state: State, move: Handle) -> State:
    """Return the state in which the shown cards of a hand are known."""
    cards = tuple(card for card in move.cards if not isinstance(card, int))
    return state.with_hands({move.seat: shown(state.hands[move.seat], cards)})
