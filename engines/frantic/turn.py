"""Turns: who moves, what he may do, and what follows from a card (4.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.calling import call_event
from engines.frantic.cards import PlayCard, Special
from engines.frantic.going_out import CheckOut
from engines.frantic.hands import is_known
from engines.frantic.moves import Imitate, Move, Play, Say, Word
from engines.frantic.piles import draw, end, play_from, possible_cards
from engines.frantic.rules import may_imitate, models, playable
from engines.frantic.selection import sentence
from engines.frantic.specials import EFFECTS, lay
from engines.frantic.state import Bomb, End, Ending, State, Step
from engines.frantic.wishes import MakeWish

BOMB_TURNS = 3


def perform(state: State, seat: Seat, card: PlayCard) -> State:
    """Return the state after a card, or what Mimicry acts as, has been laid."""
    state = lay(replace(state, wisher=None), seat, card)
    if card.is_black:
        return call_event(state, seat)
    match card.special:
        case None:
            return state
        case Special.SECOND_CHANCE:
            return state.push(Turn(seat, Duty.FOLLOW))
        case Special.MIMICRY:
            return state.push(ActAs(seat))
        case special:
            return EFFECTS[special](state, seat, card)


class Duty(StrEnum):
    """What a player on turn may or must do."""

    FREE = "free"
    """Play a card or draw one."""
    DRAWN = "drawn"
    """He has drawn: play a card or pass."""
    FOLLOW = "follow"
    """2nd Chance: play another card, and draw only if none fits (F-12)."""


@dataclass(frozen=True, slots=True)
class NextTurn(Step):
    """The next player is found, past those who sit out (4.1, F-36)."""

    step: str = "next"

    def run(self, state: State) -> State:
        seat = state.mover if state.again else state.next_to(state.mover)
        while seat in state.skips:
            left = tuple(other for other in state.skips if other != seat)
            state, seat = replace(state, skips=left), state.next_to(seat)
        state = replace(state, mover=seat, again=False, wisher=None)
        if state.bomb is not None:
            if state.bomb.turns[seat] == BOMB_TURNS:
                return end(state, Ending(End.TIME_BOMB)).push(self)
            state = replace(state, bomb=_ticked(state.bomb, seat))
        return state.push(Turn(seat), EndTurn())


def _ticked(bomb: Bomb, seat: Seat) -> Bomb:
    turns = tuple(n + (other == seat) for other, n in enumerate(bomb.turns))
    return replace(bomb, turns=turns)


@dataclass(frozen=True, slots=True)
class EndTurn(Step):
    """A turn is over: the wish is heard, empty hands are noticed, the next moves."""

    step: str = "end"

    def run(self, state: State) -> State:
        if state.wisher is None:
            return state.push(CheckOut(), NextTurn())
        wisher = state.wisher
        state = replace(state, wisher=None)
        return state.push(MakeWish(wisher.seat, wisher.with_numbers), self)


@dataclass(frozen=True, slots=True)
class Turn(Step):
    """`seat` plays a card or draws one."""

    seat: Seat
    duty: Duty = Duty.FREE
    step: str = "turn"
    rule: ClassVar[RuleRef] = RuleRef("4.1")

    @property
    def actor(self) -> Seat:
        return self.seat

    def awaits(self, state: State) -> Text:
        return sentence(f"turn_{self.duty}", self.seat)

    def plays(self, state: State) -> Iterable[Move]:
        """Yield every card that may be played."""
        for card in possible_cards(state, state.hands[self.seat]):
            if playable(state, self.seat, card) is None:
                yield Play(self.seat, card)

    def answers(self, state: State) -> Iterable[Move]:
        yield from self.plays(state)
        if self.duty is Duty.DRAWN:
            yield Say(self.seat, Word.PASS)
        elif self._may_draw(state) is None:
            yield Say(self.seat, Word.DRAW)

    def objection(self, state: State, move: Move) -> Objection | None:
        match move:
            case Play(seat):
                if seat != self.seat:
                    return self.not_yours(state, seat)
                return playable(state, seat, move.card)
            case Say(seat, Word.DRAW | Word.PASS):
                if seat != self.seat:
                    return self.not_yours(state, seat)
                if move.word is Word.DRAW:
                    return self._may_draw(state)
                return self._may_pass()
            case _:
                return self.not_now(state)

    def take(self, state: State, move: Move) -> State:
        match move:
            case Play(seat, card):
                return perform(play_from(state, seat, card), seat, card)
            case Say(seat, Word.DRAW):
                return draw(state, seat, 1).push(Turn(seat, Duty.DRAWN))
            case _:
                return state

    def _may_draw(self, state: State) -> Objection | None:
        if self.duty is Duty.DRAWN:
            return Objection(self.rule, Text.of("frantic.drawn_already"))
        if self.duty is Duty.FREE or not is_known(state.hands[self.seat]):
            return None
        if any(True for _ in self.plays(state)):
            return Objection(RuleRef("5.1"), Text.of("frantic.must_follow"))
        return None

    def _may_pass(self) -> Objection | None:
        if self.duty is Duty.DRAWN:
            return None
        return Objection(self.rule, Text.of("frantic.draw_first"))


@dataclass(frozen=True, slots=True)
class ActAs(Step):
    """`seat` says what the Mimicry that he has just played acts as."""

    seat: Seat
    step: str = "mimicry"
    rule: ClassVar[RuleRef] = RuleRef("F-22")

    @property
    def actor(self) -> Seat:
        return self.seat

    def awaits(self, state: State) -> Text:
        return sentence("imitates", self.seat)

    def answers(self, state: State) -> Iterable[Move]:
        return (Imitate(self.seat, card) for card in models(state))

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Imitate):
            return self.not_now(state)
        if move.seat != self.seat:
            return self.not_yours(state, move.seat)
        return may_imitate(state, move.card)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Imitate)
        return perform(state, self.seat, move.card)
