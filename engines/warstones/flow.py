"""What follows by itself: settled choices, the next turn, the ends of the game."""

from __future__ import annotations

from dataclasses import replace

from engines.core import Outcome, RuleRef, Seat, Text
from engines.warstones.scoring import Tally, best, is_exhausted, resistance
from engines.warstones.state import (
    PendingAssigner,
    PendingCounter,
    PendingDamage,
    PendingDraw,
    PendingReturn,
    State,
)
from engines.warstones.terms import ROUND_POINTS, Spot, Terrain, player_text


def proceed(state: State) -> State:
    """Return the state after all that needs nobody's choice."""
    if state.outcome is not None:
        return _over(state)
    if state.is_setup:
        return _start(state)
    while state.pending and state.overfull is None:
        settled = _settled_by_itself(state)
        if settled is None:
            return state
        state = settled
    if state.pending or state.overfull is not None:
        return state
    state = _exhaustion(state)
    return _next_turn(state) if state.outcome is None else _over(state)


def _over(state: State) -> State:
    return replace(state, pending=(), acted=False, flick=None, before=None)


def _settled_by_itself(state: State) -> State | None:
    """Return the state without the next choice if there is nothing to choose."""
    pending, rest = state.pending[0], replace(state, pending=state.pending[1:])
    match pending:
        case PendingDamage() if not _can_destroy(state, pending):
            return rest
        case PendingReturn() if not state.in_sector(pending.sector, pending.seat):
            return rest
        case PendingDraw() if not any(state.drawable(pending.city)):
            return rest
        case PendingAssigner():
            seat = sole_assigner(state, pending)
            return None if seat is None else counter(state, pending, seat)
        case _:
            return None


def counter(state: State, siege: PendingAssigner, seat: Seat) -> State:
    """Return the state in which `seat` assigns the counterattack."""
    counter = PendingCounter(
        seat, siege.seat, siege.sector, siege.units, siege.conquered, siege.damage
    )
    return replace(state, pending=(counter, *state.pending[1:]))


def _can_destroy(state: State, pending: PendingDamage) -> bool:
    for chip in state.in_sector(pending.sector, pending.target):
        hidden = state.terrain(chip) is Terrain.FOREST
        damage = pending.near_damage if hidden else pending.damage
        if resistance(state.strength(chip)) <= damage:
            return True
    return False


def sole_assigner(state: State, siege: PendingAssigner) -> Seat | None:
    """Return who assigns the counterattack if nobody has to ask (W-10)."""
    opponents = state.options.opponents(siege.seat)
    there = [seat for seat in opponents if state.in_sector(siege.sector, seat)]
    if len(there) == 1:
        return there[0]
    return opponents[0] if len(opponents) == 1 else None


def _start(state: State) -> State:
    armies = {chip.seat for chip in state.chips}
    is_ready = (
        len(armies) == state.options.players
        and state.first is not None
        and all(token is not None for _, token in state.cities)
    )
    return replace(state, turn=state.first, round=1) if is_ready else state


def _next_turn(state: State) -> State:
    turn = state.turn
    assert turn is not None, "a running game has somebody at turn"
    if not state.acted and state.points[turn]:
        return state
    seats = [Seat((turn + n) % state.options.players) for n in range(1, 5)]
    following = next((seat for seat in seats if state.points[seat]), None)
    if following is not None:
        return replace(state, turn=following, acted=False)
    assert state.first is not None, "a running game has a First Player"
    first = Seat((state.first + 1) % state.options.players)
    return replace(
        state,
        points=tuple(ROUND_POINTS for _ in state.points),
        first=first,
        turn=first,
        round=state.round + 1,
        acted=False,
    )


def _exhaustion(state: State) -> State:
    seats = state.options.seats
    reserves = [len(state.at(Spot.RESERVE, seat)) for seat in seats]
    bases = [len(state.at(Spot.BASE, seat)) for seat in seats]
    if not is_exhausted(reserves, bases):
        return state
    sides = list(dict.fromkeys(state.options.team(seat) for seat in seats))
    top = best([tally(state, side) for side in sides])
    if len(top) > 1:
        outcome = Outcome((), Text.of("warstones.draw"), RuleRef("6"))
        return replace(state, outcome=outcome)
    reason = Text.of(
        "warstones.won_by_exhaustion", player=side_text(state, sides[top[0]][0])
    )
    return replace(state, outcome=Outcome(sides[top[0]], reason, RuleRef("6")))


def tally(state: State, side: tuple[Seat, ...]) -> Tally:
    """Return what decides between the sides at the end."""
    cities = tuple(
        points for seat in side for points in state.city_points(state.taken[seat])
    )
    lost = sum(len(state.at(Spot.LOST, seat)) for seat in side)
    return Tally(sum(cities), cities, lost)


def team_points(state: State, seat: Seat) -> int:
    """Return the victory points of a player's side."""
    return sum(state.victory_points(ally) for ally in state.options.team(seat))


def goal(state: State) -> int:
    """Return the victory points that win: the lower row where nobody said (W-03)."""
    return state.options.goal if state.goal is None else state.goal


def side_text(state: State, seat: Seat) -> Text:
    """Return a player's name, or both names of a team."""
    side = state.options.team(seat)
    if len(side) == 1:
        return player_text(seat)
    one, two = side
    return Text.of("warstones.team", one=player_text(one), two=player_text(two))
