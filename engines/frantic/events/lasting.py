"""Events that end the round, last until its end, or do nothing."""

from __future__ import annotations

from dataclasses import replace

from engines.frantic.piles import end
from engines.frantic.state import Bomb, Cause, End, Ending, State


def doomsday(state: State, cause: Cause) -> State:
    """The round ends and everybody gets fifty points."""
    return end(state, Ending(End.DOOMSDAY, cause.immune))


def finish_line(state: State, cause: Cause) -> State:
    """The round ends and hands are counted."""
    return end(state, Ending(End.FINISH_LINE, cause.immune))


def friday_the_13th(state: State, cause: Cause) -> State:
    """Nothing happens."""
    return state


def plus_one(state: State, cause: Cause) -> State:
    """For the rest of the round a draw is one card more (F-27)."""
    return replace(state, plus_one=True)


def last_chance(state: State, cause: Cause) -> State:
    """From now on an emptied hand triggers an event (F-35)."""
    if state.last_chance is not None:
        return state
    return replace(state, last_chance=state.involved(cause))


def time_bomb(state: State, cause: Cause) -> State:
    """Three more turns for everybody; a second bomb restarts nothing (F-36)."""
    if state.bomb is not None:
        return state
    turns = (0,) * state.options.players
    return replace(state, bomb=Bomb(turns, cause.immune))
