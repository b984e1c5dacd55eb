"""Aiming a special card, and the Counterattack that turns it round (4.3, 5.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.attacks import ATTACKS
from engines.frantic.cards import MIMICRY, PlayCard, Special
from engines.frantic.moves import Move, React, Reaction, Say, Target, Word
from engines.frantic.options import AfterCounter
from engines.frantic.piles import may_hold, play_from
from engines.frantic.rules import reacts
from engines.frantic.selection import sentence
from engines.frantic.state import State, Step, Wisher
from engines.frantic.words import seat_name, special_name

REACTION_CARDS = {
    Reaction.COUNTER: PlayCard(f"N-{Special.COUNTERATTACK}"),
    Reaction.LUCKY: PlayCard(f"N-{Special.LUCKY}"),
    Reaction.NICE_TRY: PlayCard(f"N-{Special.NICE_TRY}"),
}


def reactions(state: State, seat: Seat, reaction: Reaction) -> Iterable[Move]:
    """Yield the ways in which a player may react, as far as his hand is known."""
    for card in (REACTION_CARDS[reaction], MIMICRY):
        if may_hold(state, seat, card):
            yield React(seat, reaction, card)


def countered(state: State, seat: Seat, card: PlayCard) -> State:
    """Return the state after a Counterattack: the wish and, by the table's ruling, the
    order of play belong to its player now (F-09, F-10)."""
    state = replace(play_from(state, seat, card), wisher=Wisher(seat))
    match state.options.after_counter:
        case AfterCounter.NEXT_AFTER_HIM:
            return replace(state, mover=seat, again=False)
        case AfterCounter.HIMSELF:
            return replace(state, mover=seat, again=True)
        case AfterCounter.ORIGINAL_ORDER:
            return state


def victims(state: State, seat: Seat, special: Special) -> tuple[Seat, ...]:
    """Return whom the card may hit."""
    attack = ATTACKS[special]
    return tuple(
        victim
        for victim in state.others(seat)
        if attack.spares(state, seat, victim) is None
    )


@dataclass(frozen=True, slots=True)
class Aim(Step):
    """`seat` chooses the victim of a special card."""

    seat: Seat
    special: Special
    may_decline: bool
    """The card may be used without its effect (4.4), or the attack only cancelled."""
    step: str = "target"
    rule: ClassVar[RuleRef] = RuleRef("5.1")

    @property
    def actor(self) -> Seat:
        return self.seat

    def run(self, state: State) -> State | None:
        return None if victims(state, self.seat, self.special) else state

    def awaits(self, state: State) -> Text:
        name = special_name(self.special)
        return Text.of("frantic.aims", seat=seat_name(self.seat), name=name)

    def answers(self, state: State) -> Iterable[Move]:
        for victim in victims(state, self.seat, self.special):
            yield Target(self.seat, victim)
        if self.may_decline:
            yield Target(self.seat, None)

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Target):
            return self.not_now(state)
        if move.seat != self.seat:
            return self.not_yours(state, move.seat)
        if move.victim is None:
            if self.may_decline:
                return None
            return Objection(self.rule, Text.of("frantic.must_target"))
        return ATTACKS[self.special].spares(state, self.seat, move.victim)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Target)
        if move.victim is None:
            return state
        return state.push(CounterWindow(self.seat, self.special, move.victim))


@dataclass(frozen=True, slots=True)
class CounterWindow(Step):
    """The victim of a special card may answer with Counterattack."""

    seat: Seat
    special: Special
    victim: Seat
    step: str = "counter"
    rule: ClassVar[RuleRef] = RuleRef("4.3")

    @property
    def actor(self) -> Seat:
        return self.victim

    def run(self, state: State) -> State | None:
        return None if state.hands[self.victim] else self._strike(state)

    def awaits(self, state: State) -> Text:
        return sentence("may_counter", self.victim)

    def answers(self, state: State) -> Iterable[Move]:
        yield Say(self.victim, Word.ACCEPT)
        yield from reactions(state, self.victim, Reaction.COUNTER)

    def default(self, state: State) -> Move:
        return Say(self.victim, Word.ACCEPT)

    def objection(self, state: State, move: Move) -> Objection | None:
        return answers_attack(self, state, move, self.victim)

    def take(self, state: State, move: Move) -> State:
        if isinstance(move, React):
            state = countered(state, self.victim, move.card)
            return state.push(Aim(self.victim, self.special, may_decline=True))
        return self._strike(state)

    def _strike(self, state: State) -> State:
        return ATTACKS[self.special].strike(state, self.seat, self.victim)


def answers_attack(
    step: Step, state: State, move: Move, victim: Seat
) -> Objection | None:
    """Return why `move` is no answer of `victim` to an attack."""
    if isinstance(move, Say) and move.word is Word.ACCEPT:
        return None if move.seat == victim else step.not_yours(state, move.seat)
    if isinstance(move, React) and move.reaction is Reaction.COUNTER:
        if move.seat != victim:
            return step.not_yours(state, move.seat)
        return reacts(state, victim, Reaction.COUNTER, move.card)
    return step.not_now(state)
