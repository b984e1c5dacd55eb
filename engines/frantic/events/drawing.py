"""Events in which everybody draws, in turn from the trigger's right."""

from __future__ import annotations

from engines.frantic.piles import draw_in_turn
from engines.frantic.state import Cause, State

THIRD_TIME = 3


def capitalism(state: State, cause: Cause) -> State:
    """Everybody draws as many cards as he holds."""
    seats = state.involved(cause)
    return draw_in_turn(state, {seat: len(state.hands[seat]) for seat in seats})


def communism(state: State, cause: Cause) -> State:
    """Everybody draws up to the largest hand."""
    counts = {seat: len(state.hands[seat]) for seat in state.involved(cause)}
    most = max(counts.values(), default=0)
    return draw_in_turn(state, {seat: most - n for seat, n in counts.items()})


def expansion(state: State, cause: Cause) -> State:
    """The first draws one card, the second two, and so on."""
    seats = state.involved(cause)
    return draw_in_turn(state, {seat: n for n, seat in enumerate(seats, start=1)})


def third_time_lucky(state: State, cause: Cause) -> State:
    """Everybody draws three."""
    return draw_in_turn(state, dict.fromkeys(state.involved(cause), THIRD_TIME))
