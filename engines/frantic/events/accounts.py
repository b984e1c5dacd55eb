"""Events about points: Double Taxation, Identity Theft, Seppuku; without points they
have replacement texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.cards import Hand
from engines.frantic.events.discarding import Drop
from engines.frantic.events.giving import takes_part
from engines.frantic.events.showing import learn, shows
from engines.frantic.flipping import flippable, flips
from engines.frantic.hands import is_known, without
from engines.frantic.moves import Flip, Handle, Move, Say, SwapSeats, Verb, Word
from engines.frantic.piles import draw, draw_in_turn, exhausted, flip
from engines.frantic.scoring import (
    SEPPUKU_BAD_LUCK,
    SEPPUKU_LUCK,
    SEPPUKU_REFUSED,
    card_points,
    most_valuable,
    tax_draws,
)
from engines.frantic.selection import sentence
from engines.frantic.state import Cause, State, Step

RULE = RuleRef("5.2")
TAXED_CARDS = 3
REFUSED_DRAW, BAD_LUCK_DRAW, LUCKY_DISCARD = 2, 4, 2


def added(state: State, points: Mapping[Seat, int]) -> State:
    """Return the state with points added to accounts; they may sink below 0 (F-49)."""
    accounts = (
        account + points.get(Seat(seat), 0)
        for seat, account in enumerate(state.accounts)
    )
    return replace(state, accounts=tuple(accounts))


def double_taxation(state: State, cause: Cause) -> State:
    """The three most valuable cards of each hand are counted at once."""
    return state.push(TaxHands(state.involved(cause)))


@dataclass(frozen=True, slots=True)
class TaxHands(Step):
    """Hands are taxed in turn; a hand that the referee cannot see shows its cards."""

    seats: tuple[Seat, ...]
    taxes: tuple[int, ...] = ()
    step: str = "tax"
    rule: ClassVar[RuleRef] = RULE

    @property
    def actor(self) -> Seat:
        return self.seats[len(self.taxes)]

    def run(self, state: State) -> State | None:
        if len(self.taxes) == len(self.seats):
            return self._collected(state)
        hand = state.hands[self.actor]
        return self._taxed(state, hand) if is_known(hand) else None

    def awaits(self, state: State) -> Text:
        return sentence("shows_best", self.actor, number=self._number(state))

    def answers(self, state: State) -> None:
        return None

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Handle) or move.verb is not Verb.SHOW:
            return self.not_now(state)
        if move.seat != self.actor:
            return self.not_yours(state, move.seat)
        if objection := shows(self, state, move, self._number(state)):
            return objection
        cards = tuple(card for card in move.cards if not isinstance(card, int))
        scoring = state.options.scoring
        least = min(card_points(card, scoring) for card in cards)
        rest = without(state.hands[self.actor], cards)
        if any(card_points(c, scoring) > least for c in rest if c.is_known):
            return Objection(self.rule, Text.of("frantic.not_the_best"))
        return None

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Handle)
        cards = tuple(card for card in move.cards if not isinstance(card, int))
        return self._taxed(learn(state, move), cards)

    def _number(self, state: State) -> int:
        return min(TAXED_CARDS, len(state.hands[self.actor]))

    def _taxed(self, state: State, cards: Hand) -> State:
        tax = most_valuable(cards, TAXED_CARDS, state.options.scoring)
        return state.push(replace(self, taxes=(*self.taxes, tax)))

    def _collected(self, state: State) -> State:
        taxes = dict(zip(self.seats, self.taxes, strict=True))
        if state.options.points:
            return added(state, taxes)
        return draw_in_turn(state, tax_draws(taxes))


def identity_theft(state: State, cause: Cause) -> State:
    """The highest and the lowest account change places; without points two players
    change places, and each finds the other's hand there."""
    seats = state.involved(cause)
    if len(seats) < 2:
        return state
    if not state.options.points:
        return state.push(ChangeSeats(cause.trigger, seats))
    low = min(seats, key=lambda seat: state.accounts[seat])
    high = max(seats, key=lambda seat: state.accounts[seat])
    difference = state.accounts[high] - state.accounts[low]
    return added(state, {low: difference, high: -difference}) if difference else state


@dataclass(frozen=True, slots=True)
class ChangeSeats(Step):
    """`seat` names the two players who change places, himself allowed."""

    seat: Seat
    seats: tuple[Seat, ...]
    step: str = "change-seats"
    rule: ClassVar[RuleRef] = RULE

    @property
    def actor(self) -> Seat:
        return self.seat

    def awaits(self, state: State) -> Text:
        return sentence("changes_seats", self.seat)

    def answers(self, state: State) -> Iterable[Move]:
        return (SwapSeats(self.seat, a, b) for a, b in combinations(self.seats, 2))

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, SwapSeats):
            return self.not_now(state)
        if move.seat != self.seat:
            return self.not_yours(state, move.seat)
        return takes_part(self.seats, move.first) or takes_part(self.seats, move.second)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, SwapSeats)
        a, b = move.first, move.second
        places = {a: b, b: a}
        state = replace(state, order=tuple(places.get(s, s) for s in state.order))
        return state.with_hands({a: state.hands[b], b: state.hands[a]})


def seppuku(state: State, cause: Cause) -> State:
    """In turn everybody takes the risk or refuses it."""
    return state.push(*(Dare(seat) for seat in state.involved(cause)))


@dataclass(frozen=True, slots=True)
class Dare(Step):
    """`seat` takes the risk of Seppuku, or refuses."""

    seat: Seat
    step: str = "seppuku"
    rule: ClassVar[RuleRef] = RULE

    @property
    def actor(self) -> Seat:
        return self.seat

    def awaits(self, state: State) -> Text:
        return sentence("dares", self.seat)

    def answers(self, state: State) -> Iterable[Move]:
        return (Say(self.seat, Word.RISK), Say(self.seat, Word.DECLINE))

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Say) or move.word not in {Word.RISK, Word.DECLINE}:
            return self.not_now(state)
        return None if move.seat == self.seat else self.not_yours(state, move.seat)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Say)
        if move.word is Word.RISK:
            return state.push(TurnFate(self.seat))
        if state.options.points:
            return added(state, {self.seat: SEPPUKU_REFUSED})
        return draw(state, self.seat, REFUSED_DRAW)


@dataclass(frozen=True, slots=True)
class TurnFate(Step):
    """The top card is turned for `seat`; it goes under the discard pile (F-37)."""

    seat: Seat
    step: str = "seppuku-flip"
    rule: ClassVar[RuleRef] = RULE

    def run(self, state: State) -> State | None:
        return None if state.pile else exhausted(state)

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.turn_cards", number=1)

    def answers(self, state: State) -> Iterable[Move] | None:
        return flippable(state, 1)

    def objection(self, state: State, move: Move) -> Objection | None:
        return flips(self, state, move, 1)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Flip)
        (card,) = move.cards
        state = flip(state, move.cards)
        state = replace(state, discard=move.cards + state.discard)
        if card.number is not None:
            if state.options.points:
                return added(state, {self.seat: SEPPUKU_LUCK})
            return state.push(Drop(self.seat, LUCKY_DISCARD))
        if state.options.points:
            return added(state, {self.seat: SEPPUKU_BAD_LUCK})
        return draw(state, self.seat, BAD_LUCK_DRAW)
