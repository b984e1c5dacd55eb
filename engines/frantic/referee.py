"""Errors at the table and what the referee may do about them (4.5).

The rules know no penalties. A wrong move is refused, and taking back what happened is
undoing moves; what remains is to put right what has been agreed on. `referee open`
begins a correction, `referee done` ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from engines.core import Objection, RuleRef, Text
from engines.frantic.calling import LuckyWindow, TurnEvent
from engines.frantic.cards import UNKNOWN
from engines.frantic.hands import is_known
from engines.frantic.moves import Correction, Move, Referee
from engines.frantic.piles import lose, play_from, possible_cards
from engines.frantic.rules import in_hand
from engines.frantic.state import State, Step
from engines.frantic.turn import EndTurn, Turn, perform

RULE = RuleRef("4.5")


def may_open(state: State) -> Objection | None:
    """A table is corrected between two moves, not in the middle of an effect (4.5)."""
    if isinstance(state.step, Turn | LuckyWindow | TurnEvent):
        return None
    return Objection(RULE, Text.of("frantic.no_correction_now"))


@dataclass(frozen=True, slots=True)
class Correct(Step):
    """The referee puts the table right."""

    step: str = "referee"
    rule: ClassVar[RuleRef] = RULE

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.corrects")

    def answers(self, state: State) -> Iterable[Move]:
        yield Referee(Correction.DONE)
        for move in _candidates(state):
            if self.objection(state, move) is None:
                yield move

    def default(self, state: State) -> Move:
        return Referee(Correction.DONE)

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Referee) or move.correction is Correction.OPEN:
            return self.not_now(state)
        rule = _RULES.get(move.correction)
        return rule(_interrupted(state), move) if rule else None

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Referee)
        if move.correction is Correction.DONE:
            return state
        return _DEEDS[move.correction](state, move).push(self)


def _interrupted(state: State) -> State:
    """Return the state as it was before the correction was opened."""
    return state.pop() if isinstance(state.step, Correct) else state


def _candidates(state: State) -> Iterable[Referee]:
    yield Referee(Correction.FORGET)
    for seat in state.options.seats:
        hand = state.hands[seat]
        yield Referee(Correction.DRAW, seat)
        yield Referee(Correction.TURN, seat)
        for card in possible_cards(state, hand):
            yield Referee(Correction.ALLOW, seat, card)
        surplus = set(hand) if is_known(hand) else {UNKNOWN}
        for card in sorted(surplus):
            yield Referee(Correction.RETURN, seat, card)


def _may_allow(state: State, move: Referee) -> Objection | None:
    """A card may stand that was played against the rules, if all agree."""
    assert move.seat is not None
    assert move.card is not None
    return _between_turns(state, move) or in_hand(state, move.seat, (move.card,))


def _may_draw(state: State, move: Referee) -> Objection | None:
    """A forgotten card is drawn, if there is one."""
    if state.pile:
        return _between_turns(state, move)
    return Objection(RULE, Text.of("frantic.pile_empty"))


def _may_return(state: State, move: Referee) -> Objection | None:
    """A surplus card goes back unseen; of a hand that nobody sees it has no name."""
    assert move.seat is not None
    assert move.card is not None
    hand = state.hands[move.seat]
    if not is_known(hand) and move.card != UNKNOWN:
        return Objection(RULE, Text.of("frantic.goes_back_unseen"))
    return _between_turns(state, move) or in_hand(state, move.seat, (move.card,))


def _between_turns(state: State, move: Referee) -> Objection | None:
    """Hands and turns are put right only while a player is to move."""
    if isinstance(state.step, Turn):
        return None
    return Objection(RULE, Text.of("frantic.not_between_turns"))


def _may_forget(state: State, move: Referee) -> Objection | None:
    """An event that was forgotten is dropped only before it is turned."""
    if isinstance(state.step, LuckyWindow | TurnEvent):
        return None
    return Objection(RULE, Text.of("frantic.no_event_due"))


def _allow(state: State, move: Referee) -> State:
    assert move.seat is not None
    assert move.card is not None
    state = _turn(state, move).pop()
    return perform(play_from(state, move.seat, move.card), move.seat, move.card)


def _draw(state: State, move: Referee) -> State:
    assert move.seat is not None
    hand = (*state.hands[move.seat], state.pile[0])
    return replace(state, pile=state.pile[1:]).with_hands({move.seat: hand})


def _return(state: State, move: Referee) -> State:
    assert move.seat is not None
    assert move.card is not None
    state = lose(state, move.seat, (move.card,))
    return replace(state, pile=(move.card, *state.pile))


def _turn(state: State, move: Referee) -> State:
    assert move.seat is not None
    skips = tuple(seat for seat in state.skips if seat != move.seat)
    state = replace(
        state, mover=move.seat, again=False, wisher=None, skips=skips, steps=()
    )
    return state.push(Turn(move.seat), EndTurn())


def _forget(state: State, move: Referee) -> State:
    return state.pop()


_RULES: Mapping[Correction, Callable[[State, Referee], Objection | None]] = {
    Correction.ALLOW: _may_allow,
    Correction.DRAW: _may_draw,
    Correction.RETURN: _may_return,
    Correction.TURN: _between_turns,
    Correction.FORGET: _may_forget,
}
_DEEDS: Mapping[Correction, Callable[[State, Referee], State]] = {
    Correction.ALLOW: _allow,
    Correction.DRAW: _draw,
    Correction.RETURN: _return,
    Correction.TURN: _turn,
    Correction.FORGET: _forget,
}
