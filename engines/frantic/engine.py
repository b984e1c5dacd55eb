"""The rules at work: what a move is answered with, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engines.core import Objection, Outcome, Question, RuleRef, Ruling, Text
from engines.frantic.calling import EventDone
from engines.frantic.moves import Correction, Move, Play, Referee
from engines.frantic.options import Options
from engines.frantic.referee import Correct, may_open
from engines.frantic.rounds import CountRound, DealCards
from engines.frantic.rules import fit, player_exists
from engines.frantic.scoring import lowest
from engines.frantic.state import State
from engines.frantic.words import listed, seat_name

OPEN = Referee(Correction.OPEN)


def begin(options: Options) -> State:
    """Return the state before the first deal."""
    return State(
        options=options,
        dealer=options.dealer,
        accounts=(0,) * options.players,
        order=options.seats,
        hands=((),) * options.players,
        steps=(DealCards(),),
    )


def settle(state: State) -> State:
    """Return the state after all steps that need nobody. Until a round is counted
    there is a step left, so that its end is noticed here."""
    while state.steps:
        if ends_now(state):
            state = replace(state, steps=(CountRound(),))
        after = state.steps[-1].run(state.pop())
        if after is None:
            return state
        state = after
    return state


def ends_now(state: State) -> bool:
    """Whether the round is over and no event has to be completed first (5.2, 6)."""
    return (
        state.ending is not None
        and not isinstance(state.step, CountRound | Correct)
        and not any(isinstance(step, EventDone) for step in state.steps)
    )


def objection(state: State, move: Move) -> Objection | None:
    """Return the first rule that speaks against a move."""
    step = state.step
    if step is None:
        return Objection(RuleRef("6"), Text.of("frantic.game_over"))
    if missing := player_exists(state, move.seats):
        return missing
    if move == OPEN:
        return may_open(state)
    if isinstance(move, Referee) and not isinstance(step, Correct):
        return Objection(RuleRef("4.5"), Text.of("frantic.open_first"))
    return step.objection(state, move)


def judge(state: State, move: Move) -> Ruling:
    """Return the ruling on "this move is allowed now"."""
    found = objection(state, move)
    if found is not None:
        return Ruling.refused(move.claim, found)
    assert state.step is not None
    if isinstance(move, Play) and (reason := fit(move.card, state.top)):
        return Ruling.upheld(move.claim, reason.reason, RuleRef("4.2"))
    rule = RuleRef("4.5") if move == OPEN else state.step.rule
    return Ruling.upheld(move.claim, Text.of("frantic.allowed"), rule)


def advance(state: State, move: Move) -> State:
    """Return the state after a move that `judge` upholds."""
    if move == OPEN:
        return state.push(Correct())
    assert state.step is not None
    return settle(state.step.take(state.pop(), move))


def legal_moves(state: State) -> Iterable[Move] | None:
    """Return what `judge` upholds, `None` where a shuffle or unseen cards are due."""
    if state.step is None:
        return ()
    answers = state.step.answers(state)
    if answers is None:
        return None
    return (*answers, OPEN) if may_open(state) is None else tuple(answers)


def questions(state: State) -> tuple[Question, ...]:
    """Return what must be asked now."""
    return () if state.step is None else state.step.questions(state)


def outcome(state: State) -> Outcome | None:
    """Return who won: the lowest account, without points who got rid of all cards."""
    if state.step is not None:
        return None
    if state.options.points:
        winners = lowest(state.accounts)
        message, rule = "wins_points", RuleRef("6")
    else:
        winners = tuple(seat for seat in state.options.seats if not state.hands[seat])
        message, rule = ("wins_out" if winners else "nobody_out"), RuleRef("7")
    names = listed(seat_name(seat) for seat in winners)
    limit = state.options.limit
    reason = Text.of(f"frantic.{message}", winners=names, limit=limit)
    return Outcome(winners, reason, rule)
