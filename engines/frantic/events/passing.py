"""Events that move cards between hands by rule."""

from __future__ import annotations

from engines.frantic.sorting import Sieve, SortHand
from engines.frantic.state import Cause, State


def black_hole(state: State, cause: Cause) -> State:
    """The trigger gets all black cards of the others."""
    if cause.trigger in cause.immune:
        return state
    *others, trigger = state.involved(cause)
    return state.push(*(SortHand(seat, Sieve.BLACK, trigger) for seat in others))


def earthquake(state: State, cause: Cause) -> State:
    """Every hand goes to the right neighbour, past those who are protected."""
    seats = state.involved(cause)
    givers = seats[-1:] + seats[:-1]
    return state.with_hands(
        {seat: state.hands[giver] for seat, giver in zip(seats, givers, strict=True)}
    )


def robin_hood(state: State, cause: Cause) -> State:
    """The smallest and the largest hand change places; of several, those nearest to
    the trigger (F-47: nothing happens if all are equal)."""
    seats = state.involved(cause)
    if not seats:
        return state
    fewest = min(seats, key=lambda seat: len(state.hands[seat]))
    most = max(seats, key=lambda seat: len(state.hands[seat]))
    if len(state.hands[fewest]) == len(state.hands[most]):
        return state
    return state.with_hands({fewest: state.hands[most], most: state.hands[fewest]})
