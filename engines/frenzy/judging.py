"""Rulings on moves: which rules are asked, and what an upheld move is told."""

from __future__ import annotations

from functools import singledispatch

from engines.core import Margin, Objection, RuleRef, Ruling, Text, Verdict
from engines.frenzy import referee, rules
from engines.frenzy.advancing import advanced
from engines.frenzy.moves import (
    Agree,
    Aside,
    Blame,
    Claim,
    Copy,
    Count,
    Decide,
    Draw,
    Earlier,
    Finished,
    Go,
    Lay,
    Lift,
    Lot,
    Move,
    Pick,
    Play,
    Record,
    Release,
    Resolve,
    Restore,
    Turn,
    Upset,
)
from engines.frenzy.rounds import before_end
from engines.frenzy.rules import first_objection
from engines.frenzy.state import Cause, Phase, State
from engines.frenzy.texts import player, say

ALLOWED: dict[type, tuple[str, str]] = {
    Lot: ("2", "ok_first"),
    Aside: ("2", "ok_aside"),
    Turn: ("2", "ok_turn"),
    Go: ("2", "ok_go"),
    Draw: ("4.1", "ok_draw"),
    Lay: ("4.1", "ok_lay"),
    Release: ("4.1", "ok_release"),
    Lift: ("4.1", "ok_lift"),
    Play: ("4.1", "ok_release"),
    Finished: ("4.2", "ok_finished"),
    Count: ("4.1", "ok_count"),
    Restore: ("F-D", "ok_set"),
    Upset: ("F-A", "ok_upset"),
    Blame: ("F-A", "ok_blame"),
    Record: ("4.4", "ok_foul"),
    Claim: ("4.4", "ok_claim"),
    Decide: ("4.4", "ok_decide"),
    Earlier: ("FZ-R19", "ok_earlier"),
    Resolve: ("6.1", "ok_resolve"),
    Copy: ("5.1", "ok_copy"),
    Agree: ("8", "ok_rule"),
    Pick: ("5.3", "ok_pick"),
}
"""The rule that allows a kind of move, and the sentence that says so."""
CAUSES: dict[Cause, tuple[str, str]] = {
    Cause.LAST_CARD: ("4.2", "ended_last_card"),
    Cause.THIRD_HERO: ("4.2", "ended_third_hero"),
    Cause.EMPTY_DECK: ("FZ-R23", "ended_empty_deck"),
    Cause.FOUL: ("4.4", "ended_foul"),
}


def judged(state: State, move: Move) -> Ruling:
    """Return the ruling on "this move is allowed now"."""
    objection = objection_to(move, state)
    if objection is not None:
        return _refused(state, move, objection)
    if state.phase is Phase.ENDED and isinstance(move, Play | Release):
        return _late(state, move)
    after = advanced(state, move)
    if state.phase is not Phase.ENDED and after.phase is Phase.ENDED:
        return _ending(move, after)
    rule, reason = ALLOWED[type(move)]
    return Ruling.upheld(move.claim, say(reason), RuleRef(rule))


def is_allowed(state: State, move: Move) -> bool:
    """Return whether `judged` upholds the move, without the ruling."""
    return objection_to(move, state) is None


@singledispatch
def objection_to(move: object, state: State) -> Objection | None:
    """Return the first objection to `move`, `None` if it is allowed."""
    raise TypeError(f"not a move of Frenzy: {move!r}")


def _refused(state: State, move: Move, objection: Objection) -> Ruling:
    """Return the refusal; one by the clock alone carries its margin."""
    is_late = state.phase is Phase.ENDED and isinstance(move, Play | Release)
    if is_late and state.end is not None and objection.rule == RuleRef("F-I"):
        margin = before_end(state, move.time_ms)
        if margin.verdict is Verdict.REJECTED:
            return Ruling(
                move.claim,
                Verdict.REJECTED,
                _times("late", margin),
                objection.rule,
                margin=margin,
            )
    return Ruling.refused(move.claim, objection)


def _late(state: State, move: Play | Release) -> Ruling:
    margin = before_end(state, move.time_ms)
    in_time = say("claim_in_time", player=player(move.seat))
    if margin.verdict is Verdict.UPHELD:
        return Ruling(
            move.claim,
            Verdict.UPHELD,
            _times("in_time", margin),
            RuleRef("4.2"),
            margin=margin,
        )
    return _put_to_a_person(move.claim, in_time, margin)


def _put_to_a_person(claim: Text, in_time: Text, margin: Margin) -> Ruling:
    """Return the ruling that notes a release in doubt: a person says who was first."""
    measured = Ruling(
        in_time,
        Verdict.UNDECIDED,
        _times("too_close", margin),
        RuleRef("4.2"),
        margin=margin,
    )
    return Ruling(
        claim,
        Verdict.UPHELD,
        say("doubt_asked"),
        RuleRef("FZ-R19"),
        grounds=(measured,),
    )


def _ending(move: Move, after: State) -> Ruling:
    end, race = after.end, after.race
    assert end is not None
    rule, message = CAUSES[end.cause]
    reason = say(message, player=player(end.seat))
    if race is None:
        return Ruling.upheld(move.claim, reason, RuleRef(rule))
    margin = before_end(after, race.laid.time_ms)
    measured = Ruling(
        say("claim_in_time", player=player(race.seat)),
        Verdict.UNDECIDED,
        _times("too_close", margin),
        RuleRef("FZ-R19"),
        margin=margin,
    )
    return Ruling(
        move.claim, Verdict.UPHELD, reason, RuleRef(rule), grounds=(measured,)
    )


def _times(message: str, margin: Margin) -> Text:
    return say(message, value=f"{abs(margin.value):.0f}", sigma=f"{margin.sigma:.0f}")


@objection_to.register
def _(move: Lot, state: State) -> Objection | None:
    return first_objection(state, move, rules.COUNTDOWN_LOT)


@objection_to.register
def _(move: Aside, state: State) -> Objection | None:
    return first_objection(state, move, rules.COUNTDOWN_ASIDE)


@objection_to.register
def _(move: Turn, state: State) -> Objection | None:
    return first_objection(state, move, rules.COUNTDOWN_TURN)


@objection_to.register
def _(move: Go, state: State) -> Objection | None:
    return first_objection(state, move, rules.COUNTDOWN_GO)


@objection_to.register
def _(move: Draw, state: State) -> Objection | None:
    return first_objection(state, move, rules.DRAW)


@objection_to.register
def _(move: Lay, state: State) -> Objection | None:
    return first_objection(state, move, rules.LAY)


@objection_to.register
def _(move: Play, state: State) -> Objection | None:
    return first_objection(state, move, rules.PLAY)


@objection_to.register
def _(move: Release, state: State) -> Objection | None:
    return first_objection(state, move, rules.RELEASE)


@objection_to.register
def _(move: Lift, state: State) -> Objection | None:
    return first_objection(state, move, rules.LIFT)


@objection_to.register
def _(move: Finished, state: State) -> Objection | None:
    return first_objection(state, move, rules.FINISHED)


@objection_to.register
def _(move: Count, state: State) -> Objection | None:
    return first_objection(state, move, referee.COUNT)


@objection_to.register
def _(move: Restore, state: State) -> Objection | None:
    return first_objection(state, move, referee.RESTORE)


@objection_to.register
def _(move: Upset, state: State) -> Objection | None:
    return first_objection(state, move, referee.UPSET)


@objection_to.register
def _(move: Blame, state: State) -> Objection | None:
    return first_objection(state, move, referee.BLAME)


@objection_to.register
def _(move: Record, state: State) -> Objection | None:
    return first_objection(state, move, referee.RECORD)


@objection_to.register
def _(move: Claim, state: State) -> Objection | None:
    return first_objection(state, move, referee.CLAIM)


@objection_to.register
def _(move: Decide, state: State) -> Objection | None:
    return first_objection(state, move, referee.DECIDE)


@objection_to.register
def _(move: Earlier, state: State) -> Objection | None:
    return first_objection(state, move, referee.EARLIER)


@objection_to.register
def _(move: Resolve, state: State) -> Objection | None:
    return first_objection(state, move, referee.RESOLVE)


@objection_to.register
def _(move: Copy, state: State) -> Objection | None:
    return first_objection(state, move, referee.COPY)


@objection_to.register
def _(move: Agree, state: State) -> Objection | None:
    return first_objection(state, move, referee.AGREE)


@objection_to.register
def _(move: Pick, state: State) -> Objection | None:
    return first_objection(state, move, referee.PICK)
