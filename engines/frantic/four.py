"""Fantastic Four: four cards for one player or split among several (5.1, F-10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.aiming import answers_attack, countered, reactions
from engines.frantic.moves import Move, React, Reaction, Say, Split, Word
from engines.frantic.options import CounterSplit
from engines.frantic.piles import draw_in_turn
from engines.frantic.rules import not_oneself
from engines.frantic.selection import sentence
from engines.frantic.state import State, Step

Shares: TypeAlias = tuple[tuple[Seat, int], ...]


def splits(seats: tuple[Seat, ...], number: int) -> Iterator[Shares]:
    """Yield every way to split `number` cards among some of `seats`."""
    if number == 0:
        yield ()
    elif seats:
        first, *others = seats
        for share in range(number + 1):
            for rest in splits(tuple(others), number - share):
                yield ((first, share), *rest) if share else rest


@dataclass(frozen=True, slots=True)
class SplitFour(Step):
    """`seat` says who draws how many of the cards."""

    seat: Seat
    number: int = 4
    step: str = "split"
    rule: ClassVar[RuleRef] = RuleRef("5.1")

    @property
    def actor(self) -> Seat:
        return self.seat

    def awaits(self, state: State) -> Text:
        return sentence("splits", self.seat, number=self.number)

    def answers(self, state: State) -> Iterable[Move]:
        for shares in splits(state.others(self.seat), self.number):
            yield Split(self.seat, shares)
        yield Split(self.seat, ())

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Split):
            return self.not_now(state)
        if move.seat != self.seat:
            return self.not_yours(state, move.seat)
        for victim, _ in move.shares:
            if objection := not_oneself(self.seat, victim):
                return objection
        total = sum(number for _, number in move.shares)
        if move.shares and total != self.number:
            reason = Text.of("frantic.wrong_split", number=total, right=self.number)
            return Objection(self.rule, reason)
        return None

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Split)
        shares = dict(move.shares)
        in_turn = (seat for seat in state.others(self.seat) if seat in shares)
        return state.push(FourWindows(tuple((seat, shares[seat]) for seat in in_turn)))


@dataclass(frozen=True, slots=True)
class FourWindows(Step):
    """Each victim in turn draws or counters; the draws are made together."""

    pending: Shares
    accepted: Shares = ()
    step: str = "counter-four"
    rule: ClassVar[RuleRef] = RuleRef("4.3")

    @property
    def actor(self) -> Seat | None:
        return self.pending[0][0] if self.pending else None

    def run(self, state: State) -> State | None:
        if not self.pending:
            return draw_in_turn(state, dict(self.accepted))
        (victim, _), *_ = self.pending
        return None if state.hands[victim] else self._accept(state)

    def awaits(self, state: State) -> Text:
        return sentence("may_counter", self._victim)

    def answers(self, state: State) -> Iterable[Move]:
        yield Say(self._victim, Word.ACCEPT)
        yield from reactions(state, self._victim, Reaction.COUNTER)

    def default(self, state: State) -> Move:
        return Say(self._victim, Word.ACCEPT)

    def objection(self, state: State, move: Move) -> Objection | None:
        return answers_attack(self, state, move, self._victim)

    def take(self, state: State, move: Move) -> State:
        if not isinstance(move, React):
            return self._accept(state)
        state = countered(state, self._victim, move.card)
        if state.options.counter_split is CounterSplit.ALL:
            number = sum(share for _, share in self.pending + self.accepted)
            return state.push(SplitFour(self._victim, number))
        others = replace(self, pending=self.pending[1:])
        return state.push(SplitFour(self._victim, self.pending[0][1]), others)

    @property
    def _victim(self) -> Seat:
        return self.pending[0][0]

    def _accept(self, state: State) -> State:
        accepted = (*self.accepted, self.pending[0])
        return state.push(FourWindows(self.pending[1:], accepted))
