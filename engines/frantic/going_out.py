"""Empty hands: Last Chance, Nice Try, and the end of the round (4.3, 6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.aiming import reactions
from engines.frantic.calling import call_event
from engines.frantic.moves import Move, Nobody, React, Reaction
from engines.frantic.piles import draw_in_turn, end, play_from
from engines.frantic.rules import reacts
from engines.frantic.state import End, Ending, State, Step
from engines.frantic.wishes import MakeWish

NICE_TRY_CARDS = 3


def empty_hands(state: State) -> tuple[Seat, ...]:
    """Return who has no cards, in turn from the player on turn."""
    in_turn = (state.mover, *state.others(state.mover))
    return tuple(seat for seat in in_turn if not state.hands[seat])


@dataclass(frozen=True, slots=True)
class CheckOut(Step):
    """A card and its effect are done: who has got rid of all cards?"""

    step: str = "check"

    def run(self, state: State) -> State:
        empty = empty_hands(state)
        noted = tuple(seat for seat in state.emptied if seat in empty)
        state = replace(state, emptied=noted)
        for seat in empty:
            if seat not in noted and seat in (state.last_chance or ()):
                state = replace(state, emptied=(*noted, seat)).push(self)
                return call_event(state, seat)
        return state.push(NiceTryWindow()) if empty else state


@dataclass(frozen=True, slots=True)
class NiceTryWindow(Step):
    """Somebody is out: anybody may still play Nice Try (F-18)."""

    step: str = "nice-try"
    rule: ClassVar[RuleRef] = RuleRef("4.3")

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.may_nice_try")

    def answers(self, state: State) -> Iterable[Move]:
        yield Nobody()
        for seat in state.options.seats:
            yield from reactions(state, seat, Reaction.NICE_TRY)

    def default(self, state: State) -> Move:
        return Nobody()

    def objection(self, state: State, move: Move) -> Objection | None:
        if isinstance(move, Nobody):
            return None
        if isinstance(move, React) and move.reaction is Reaction.NICE_TRY:
            return reacts(state, move.seat, move.reaction, move.card)
        return self.not_now(state)

    def take(self, state: State, move: Move) -> State:
        if not isinstance(move, React):
            return end(state, Ending(End.OUT))
        draws = dict.fromkeys(empty_hands(state), NICE_TRY_CARDS)
        state = draw_in_turn(play_from(state, move.seat, move.card), draws)
        return state.push(MakeWish(move.seat, with_numbers=False), CheckOut())
