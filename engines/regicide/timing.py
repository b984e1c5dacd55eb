"""Whose turn it is and what it is time for: the rules that come before all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from engines.core import Objection, RuleRef, Text
from engines.regicide.cards import seat_name
from engines.regicide.moves import (
    Cover,
    Discard,
    Flip,
    Lost,
    Next,
    Play,
    Say,
    Start,
    Yield,
)
from engines.regicide.state import Phase, State

PlayersMove: TypeAlias = Play | Yield | Flip | Discard | Cover | Next | Lost

_RULE_OF_PHASE: Mapping[Phase, str] = {
    Phase.CASTLE: "2",
    Phase.TAVERN: "2",
    Phase.REVEAL: "2",
    Phase.START: "R-14",
    Phase.PLAY: "4.1",
    Phase.HEAL: "5.1",
    Phase.DRAW: "5.2",
    Phase.SETTLE: "4.6",
    Phase.SUFFER: "4.3",
    Phase.CHOOSE: "4.4",
    Phase.OVER: "6",
}


def objecting(rule: str, message: str, **values: int | Text) -> Objection:
    return Objection(RuleRef(rule), Text.of(f"regicide.{message}", **values))


def due(state: State) -> Text:
    """Return what must happen now, in one clause."""
    message = f"regicide.due_{state.phase}"
    seat = seat_name(state.current)
    match state.phase:
        case Phase.HEAL:
            return Text.of(message, count=state.to_heal)
        case Phase.PLAY | Phase.CHOOSE | Phase.DRAW:
            return Text.of(message, seat=seat)
        case Phase.SUFFER:
            return Text.of(message, seat=seat, damage=state.suffer)
        case _:
            return Text.of(message)


def _in(state: State, *phases: Phase) -> Objection | None:
    if state.phase in phases:
        return None
    rule = _RULE_OF_PHASE[state.phase]
    return objecting(rule, "not_now", due=due(state))


def in_castle(state: State, _: object) -> Objection | None:
    """Set-up begins with the Castle (2)."""
    return _in(state, Phase.CASTLE)


def in_tavern(state: State, _: object) -> Objection | None:
    """The Tavern is shuffled and dealt after the Castle (2)."""
    return _in(state, Phase.TAVERN)


def in_reveal(state: State, _: object) -> Objection | None:
    """A Castle card is turned only when there is no enemy (2, 5.6)."""
    return _in(state, Phase.REVEAL)


def in_start(state: State, _: object) -> Objection | None:
    """The first player is named once (R-14)."""
    return _in(state, Phase.START)


def in_play(state: State, _: object) -> Objection | None:
    """Cards are played, or yielded, in phase one (4.1)."""
    return _in(state, Phase.PLAY)


def in_heal(state: State, _: object) -> Objection | None:
    """Hearts heal at once, and only then (5.1)."""
    return _in(state, Phase.HEAL)


def in_draw(state: State, _: object) -> Objection | None:
    """Diamonds draw at once, after hearts (5.2)."""
    return _in(state, Phase.DRAW)


def in_settle(state: State, _: object) -> Objection | None:
    """The group decides only on a wrong draw (4.6)."""
    return _in(state, Phase.SETTLE)


def in_suffer(state: State, _: object) -> Objection | None:
    """Cards are discarded in phase four (4.3)."""
    return _in(state, Phase.SUFFER)


def in_choose(state: State, _: object) -> Objection | None:
    """The next player is chosen only after a Joker (4.4)."""
    return _in(state, Phase.CHOOSE)


def in_flip(state: State, _: object) -> Objection | None:
    """A solo Joker is flipped, and a game given up, in phase one or four (7.2, 6)."""
    return _in(state, Phase.PLAY, Phase.SUFFER)


def game_is_on(state: State, _: object) -> Objection | None:
    """After the end there is nothing left to rule on (6)."""
    return None if state.ending is None else _in(state)


def own_turn(state: State, move: PlayersMove) -> Objection | None:
    """Only the current player acts (4)."""
    if move.seat == state.current:
        return None
    return objecting("4", "not_your_turn", seat=seat_name(state.current))


def a_seat_of_the_table(state: State, move: Start | Say) -> Objection | None:
    """A seat must exist (1.2)."""
    return seat_exists(state, move.seat)


def seat_exists(state: State, seat: int) -> Objection | None:
    if 0 <= seat < state.options.players:
        return None
    return objecting(
        "1.2", "no_such_seat", seat=seat_name(seat), players=state.options.players
    )
