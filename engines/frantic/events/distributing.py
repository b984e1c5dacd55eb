"""Events that deal all hands anew: Distributor and Tornado."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.cards import UNKNOWN, Hand
from engines.frantic.events.giving import takes_part
from engines.frantic.hands import is_known
from engines.frantic.moves import Assign, Move, Shuffle
from engines.frantic.selection import sentence
from engines.frantic.state import Cause, State, Step
from engines.frantic.words import seat_name

RULE = RuleRef("5.2")


def distributor(state: State, cause: Cause) -> State:
    """The trigger looks at all hands and hands them out again unshuffled."""
    seats = state.involved(cause)
    if len(seats) < 2:
        return state
    return state.push(Distribute(cause.trigger, seats))


def tornado(state: State, cause: Cause) -> State:
    """All hands are shuffled together and dealt out one by one."""
    seats = state.involved(cause)
    return state.push(DealAnew(seats)) if seats else state


@dataclass(frozen=True, slots=True)
class Distribute(Step):
    """`seat` says whose hand each player gets, one player after the other."""

    seat: Seat
    seats: tuple[Seat, ...]
    given: tuple[Seat, ...] = ()
    """Whose hands the first of `seats` have got."""
    step: str = "distribute"
    rule: ClassVar[RuleRef] = RULE

    @property
    def actor(self) -> Seat:
        return self.seat

    @property
    def to(self) -> Seat:
        """Return who gets a hand next."""
        return self.seats[len(self.given)]

    def awaits(self, state: State) -> Text:
        return sentence("distributes", self.seat, self.to)

    def answers(self, state: State) -> Iterable[Move]:
        for source in self.seats:
            move = Assign(self.seat, self.to, source)
            if self.objection(state, move) is None:
                yield move

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Assign):
            return self.not_now(state)
        if move.seat != self.seat:
            return self.not_yours(state, move.seat)
        if move.to != self.to:
            return self.not_now(state)
        if objection := takes_part(self.seats, move.source):
            return objection
        if move.source in self.given:
            reason = Text.of("frantic.hand_is_gone", source=seat_name(move.source))
            return Objection(self.rule, reason)
        if self._is_barred(state, move.to, move.source):
            return Objection(self.rule, Text.of("frantic.not_own_hand"))
        if self._leaves_own_hand(state, move.source):
            return Objection(self.rule, Text.of("frantic.own_hand_left"))
        return None

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Assign)
        given = (*self.given, move.source)
        if len(given) < len(self.seats):
            return state.push(replace(self, given=given))
        hands = {
            seat: state.hands[source]
            for seat, source in zip(self.seats, given, strict=True)
        }
        return state.with_hands(hands)

    def _is_barred(self, state: State, to: Seat, source: Seat) -> bool:
        """Whether this is the own hand of somebody who may not keep it (F-29)."""
        return to == source and (
            to == self.seat or state.options.distributor_derangement
        )

    def _leaves_own_hand(self, state: State, source: Seat) -> bool:
        """Whether the last player would be left with a hand he may not keep."""
        done = len(self.given) + 1
        if len(self.seats) - done != 1:
            return False
        (last,) = self.seats[done:]
        return (
            source != last
            and last not in self.given
            and self._is_barred(state, last, last)
        )


@dataclass(frozen=True, slots=True)
class DealAnew(Step):
    """The hands of `seats` are shuffled together and dealt out in turn."""

    seats: tuple[Seat, ...]
    step: str = "tornado"
    rule: ClassVar[RuleRef] = RULE

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.shuffle_hands")

    def answers(self, state: State) -> None:
        return None

    def objection(self, state: State, move: Move) -> Objection | None:
        return shuffles(self, state, move, self._all(state))

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Shuffle)
        cards = move.cards or (UNKNOWN,) * len(self._all(state))
        number = len(self.seats)
        return state.with_hands(
            {seat: cards[at::number] for at, seat in enumerate(self.seats)}
        )

    def _all(self, state: State) -> Hand:
        return tuple(card for seat in self.seats for card in state.hands[seat])


def shuffles(step: Step, state: State, move: Move, cards: Hand) -> Objection | None:
    """Return why `move` is no shuffle of exactly these cards; where one of them is
    unknown, the order is unknown too."""
    if not isinstance(move, Shuffle):
        return step.not_now(state)
    if not move.cards:
        return None
    if is_known(cards) and sorted(move.cards) == sorted(cards):
        return None
    return Objection(step.rule, Text.of("frantic.not_these_cards"))
