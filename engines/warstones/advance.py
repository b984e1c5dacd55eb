"""What moves do to the state. Every move here was upheld before."""

from __future__ import annotations

from dataclasses import replace

from engines.core import Outcome, RuleRef, Seat, Text
from engines.warstones import field
from engines.warstones.flow import counter, goal, proceed, side_text, team_points
from engines.warstones.moves import (
    Ability,
    Army,
    Assigner,
    Attack,
    Besiege,
    CallFlick,
    Deploy,
    Destroy,
    Draw,
    Excess,
    First,
    Foul,
    FoulCall,
    Lies,
    Move,
    Movement,
    Pass,
    PutBack,
    Recruit,
    Return,
    SetCity,
    SetGoal,
    SetPoints,
    Settle,
)
from engines.warstones.objections import token_text
from engines.warstones.scoring import (
    ACTION_POINTS,
)
from engines.warstones.state import (
    Chip,
    PendingAssigner,
    PendingCounter,
    PendingDamage,
    PendingDraw,
    PendingFlick,
    PendingFoul,
    PendingReturn,
    State,
    UnseenFlick,
)
from engines.warstones.terms import (
    BASE,
    LOST,
    RESERVE,
    ChipId,
    Place,
    Spot,
    Terrain,
    chip_seat,
    letter,
)


def advance(state: State, move: Move) -> State:
    """Return the state after `move` and all that follows from it by itself."""
    return proceed(_apply(state, move))


def _apply(state: State, move: Move) -> State:
    match move:
        case Army():
            return _army(state, move)
        case First():
            return replace(state, first=move.seat)
        case SetGoal():
            return replace(state, goal=move.points)
        case Draw():
            return _draw(state, move)
        case Settle():
            return _settle(state, move)
        case Lies():
            return _lies(state, move)
        case Destroy():
            return _destroy(state, move)
        case Assigner():
            return _assigner(state, move)
        case Return():
            places = {chip: BASE for chip in move.chips}
            return replace(state.move_chips(places), pending=state.pending[1:])
        case Excess():
            return state.move_chips({move.chip: RESERVE})
        case Foul():
            pending = (PendingFoul(move.seat, str(move.kind)), *state.pending)
            return replace(state, pending=pending)
        case CallFlick():
            return _call_flick(state, move)
        case PutBack() | SetPoints() | SetCity():
            return _correct(replace(state, flick=None, before=None), move)
        case _:
            return _action(state, move)


def _action(
    state: State, move: Recruit | Deploy | Movement | Ability | Attack | Besiege | Pass
) -> State:
    state = replace(state, acted=True, flick=None, before=None)
    match move:
        case Recruit():
            state = _pay(state, move.seat, field.recruit_cost(state, move.chip))
            return state.move_chips({move.chip: BASE})
        case Deploy():
            cost = field.deploy_cost(state, move.chip)
            flicked = _flick(_pay(state, move.seat, cost), move.seat, move.chip)
            return _unseen(flicked) if move.unseen else flicked
        case Movement():
            cost = field.move_cost(state, move.chip)
            return _flick(_pay(state, move.seat, cost), move.seat, move.chip)
        case Ability():
            return _ability(state, move)
        case Attack():
            return _attack(state, move)
        case Besiege():
            return _besiege(state, move)
        case Pass():
            return state.with_points(move.seat, 0)


def _pay(state: State, seat: Seat, cost: int) -> State:
    return state.with_points(seat, state.points[seat] - cost)


# Set-up


def _army(state: State, move: Army) -> State:
    new = tuple(
        Chip(ChipId(f"{letter(move.seat)}:{unit}-{number}"), RESERVE)
        for unit, chips in move.units
        for number in range(1, chips + 1)
    )
    chips = sorted((*state.chips, *new), key=lambda chip: chip.id)
    return replace(state, chips=tuple(chips))


def _draw(state: State, move: Draw) -> State:
    stack = tuple(token for token in state.stack if token != move.token)
    pending = state.pending[1:] if not state.is_setup else state.pending
    return replace(
        state.with_token(move.city, move.token), stack=stack, pending=pending
    )


def _correct(state: State, move: PutBack | SetPoints | SetCity) -> State:
    match move:
        case PutBack():
            return state.move_chips({move.chip: move.place})
        case SetPoints():
            return state.with_points(move.seat, move.points)
        case SetCity():
            return _set_city(state, move)


def _set_city(state: State, move: SetCity) -> State:
    old = state.token(move.city)
    stack = {token for token in state.stack if token != move.token}
    if old is not None:
        stack.add(old)
    return replace(state.with_token(move.city, move.token), stack=tuple(sorted(stack)))


# Flicks


def _flick(state: State, seat: Seat, chip: ChipId) -> State:
    flick = PendingFlick(seat, chip)
    made = replace(state, pending=(flick, *state.pending), flick=flick)
    return replace(made, before=made)


def _unseen(state: State) -> State:
    """Return the state after a flick that no camera saw; if it is repeated, one may."""
    flick = state.pending[0]
    assert isinstance(flick, PendingFlick), "it was flicked just now"
    unseen = UnseenFlick(flick.seat, flick.chip)
    return replace(state, pending=(unseen, *state.pending[1:]))


def _lies(state: State, move: Lies) -> State:
    flick = state.next_pending
    if not isinstance(flick, PendingFlick) or flick.chip != move.chip:
        return state.move_chips({move.chip: move.place})
    return replace(state, pending=(_told(state, flick, move), *state.pending[1:]))


def _told(state: State, flick: PendingFlick, move: Lies) -> UnseenFlick:
    """Return a flick of which somebody said where its chip lies. A sector in which
    there is terrain is said twice, unless the terrain is said at once."""
    place, sector = move.place, move.place.sector
    told = flick.sector if isinstance(flick, UnseenFlick) else None
    is_known = place.terrain is not Terrain.PLAIN or sector == told
    if sector is None or is_known or not state.options.terrains_in(sector):
        return UnseenFlick(flick.seat, flick.chip, end=place)
    return UnseenFlick(flick.seat, flick.chip, sector)


def _settle(state: State, move: Settle) -> State:
    flick = state.pending[0]
    assert isinstance(flick, PendingFlick), "judge upholds no other result"
    places = {chip: _end(state, flick, chip, place) for chip, place in move.ends}
    return replace(state.move_chips(places), pending=state.pending[1:])


def _end(state: State, flick: PendingFlick, chip: ChipId, place: Place) -> Place:
    """Return where a chip goes that a flick has brought to `place` (4.5)."""
    if place.spot is Spot.LOST:
        return _fallen(state, chip)
    is_off = place.spot is Spot.OFF
    if place.spot is Spot.MARGIN:
        is_off = state.options.margin == "reserve"
    if not is_off:
        return place
    if state.options.are_allies(flick.seat, chip_seat(chip)):
        return RESERVE
    return BASE


def _ability(state: State, move: Ability) -> State:
    used = field.ability_type(state, move)
    assert used is not None, "judge upholds no other ability"
    state = _pay(state, move.seat, used.ap)
    return _flick(state, move.seat, move.chip) if used.is_flick else state


def _call_flick(state: State, move: CallFlick) -> State:
    before = state.before
    if move.call is FoulCall.ACCEPT or before is None:
        return replace(state, pending=state.pending[1:])
    if move.call is FoulCall.REPEAT:
        return replace(before, before=before)
    return replace(before, pending=before.pending[1:], flick=None, before=None)


# Attack


def _attack(state: State, move: Attack) -> State:
    damage = field.damage_of(state, move)
    pending = PendingDamage(
        move.seat, move.sector, move.target, damage.total, damage.near
    )
    state = _pay(state, move.seat, ACTION_POINTS)
    return replace(state, pending=(pending, *state.pending))


def _destroy(state: State, move: Destroy) -> State:
    pending = state.pending[0]
    state = replace(state, pending=state.pending[1:])
    state = state.move_chips({chip: _fallen(state, chip) for chip in move.chips})
    if isinstance(pending, PendingCounter):
        return _after_siege(state, pending)
    return state


def _fallen(state: State, chip: ChipId) -> Place:
    unit = state.options.unit(chip)
    ways = {"reserve": RESERVE, "base": BASE}
    return LOST if unit is None else ways.get(unit.when_destroyed, LOST)


# Siege


def _besiege(state: State, move: Besiege) -> State:
    city = state.options.mat.city_in(move.sector)
    token = None if city is None else state.token(city)
    kind = None if token is None else state.options.kit.city(token)
    assert city is not None, "judge upholds no siege without a City"
    assert token is not None, "judge upholds no siege without a token"
    assert kind is not None, "every token of a state comes from its kit"
    conquered = field.siege_total(state, move) >= kind.defence
    units = tuple(chip.id for chip in field.participants(state, move))
    state = _pay(state, move.seat, ACTION_POINTS)
    if conquered:
        state = _take(state, move.seat, city, token)
        if state.outcome is not None:
            return state
    siege = PendingAssigner(
        move.seat, move.sector, units, conquered, kind.counterattack
    )
    return replace(state, pending=(siege, *state.pending))


def _take(state: State, seat: Seat, city: str, token: str) -> State:
    taken = tuple(
        (*tokens, token) if s == seat else tokens
        for s, tokens in enumerate(state.taken)
    )
    state = replace(state.with_token(city, None), taken=taken)
    points = team_points(state, seat)
    if points < goal(state):
        return state
    reason = Text.of(
        "warstones.won_by_points",
        player=side_text(state, seat),
        points=points,
        token=token_text(state.options, token),
    )
    return replace(
        state, outcome=Outcome(state.options.team(seat), reason, RuleRef("6"))
    )


def _assigner(state: State, move: Assigner) -> State:
    siege = state.pending[0]
    assert isinstance(siege, PendingAssigner), "judge upholds no other answer"
    return counter(state, siege, move.seat)


def _after_siege(state: State, siege: PendingCounter) -> State:
    """Survivors go home, opponents choose, a new token is drawn (4.7, W-09)."""
    if siege.conquered or state.options.failed_siege_return:
        survivors = (state.chip(unit) for unit in siege.units)
        state = state.move_chips(
            {c.id: BASE for c in survivors if c is not None and c.sector is not None}
        )
    if not siege.conquered:
        return state
    choices = (
        PendingReturn(seat, siege.sector)
        for seat in state.options.opponents(siege.besieger)
    )
    city = state.options.mat.city_in(siege.sector)
    assert city is not None, "a siege is in a City sector"
    return replace(state, pending=(*choices, PendingDraw(city), *state.pending))
