"""One function per rule; `objection` asks those that concern a move, in order."""

from __future__ import annotations

from engines.core import Number, Objection
from engines.warstones import choices, field
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
from engines.warstones.objections import (
    is_running,
    known_chip,
    known_seat,
    known_sector,
    no,
    token_text,
)
from engines.warstones.scoring import army_points, base_points, base_points_needed
from engines.warstones.scoring import commanders as count_commanders
from engines.warstones.state import State
from engines.warstones.terms import ROUND_POINTS, Place, Spot, player_text


def objection(state: State, move: Move) -> Objection | None:
    """Return why `move` is not allowed now, `None` if it is."""
    if state.outcome is not None:
        return no("6", "game_over")
    match move:
        case Army() | First() | SetGoal():
            return _setup_objection(state, move)
        case Draw():
            return choices.draw(state, move)
        case Recruit():
            return field.recruit(state, move)
        case Deploy():
            return field.deploy(state, move)
        case Movement():
            return field.movement(state, move)
        case Ability():
            return field.ability(state, move)
        case Pass():
            return field.pass_round(state, move)
        case Attack():
            return field.attack(state, move)
        case Besiege():
            return field.besiege(state, move)
        case Settle():
            return choices.settle(state, move)
        case Lies():
            return choices.lies(state, move)
        case Destroy():
            return choices.destroy(state, move)
        case Assigner():
            return choices.assigner(state, move)
        case Return():
            return choices.returns(state, move)
        case Excess():
            return choices.excess(state, move)
        case Foul():
            return choices.foul(state, move)
        case CallFlick():
            return choices.call_flick(state, move)
        case PutBack() | SetPoints() | SetCity():
            return _correction_objection(state, move)


def _setup_objection(state: State, move: Army | First | SetGoal) -> Objection | None:
    if not state.is_setup:
        return no("2", "already_started")
    match move:
        case Army():
            return (
                known_seat(state, move.seat)
                or one_army(state, move)
                or known_units(state, move)
                or one_commander(state, move)
                or within_budget(state, move)
                or half_in_base_units(state, move)
            )
        case First():
            return known_seat(state, move.seat) or first_once(state)
        case SetGoal():
            return goal_open(state) or goal_positive(move)


def one_army(state: State, move: Army) -> Objection | None:
    """Each player builds one army."""
    if any(chip.seat == move.seat for chip in state.chips):
        return no("2", "army_built", player=player_text(move.seat))
    return None


def known_units(state: State, move: Army) -> Objection | None:
    """An army consists of chips of the own faction that the box holds."""
    faction = state.options.factions[move.seat]
    for key, chips in move.units:
        unit = state.options.kit.unit(f"{faction}.{key}")
        if unit is None:
            name = state.options.kit.faction_text(faction)
            return no("2", "no_such_unit", unit=key, faction=name)
        if chips > unit.copies:
            return no("2", "too_few_chips", unit=unit.text, copies=unit.copies)
    return None


def one_commander(state: State, move: Army) -> Objection | None:
    """An army has exactly one commander."""
    found = count_commanders(field.army_of(state, move))
    return None if found == 1 else no("2", "commanders", found=found)


def within_budget(state: State, move: Army) -> Objection | None:
    """An army costs no more than the Army Points agreed on."""
    spent, agreed = army_points(field.army_of(state, move)), state.options.army_points
    return None if spent <= agreed else no("2", "budget", spent=spent, agreed=agreed)


def half_in_base_units(state: State, move: Army) -> Objection | None:
    """Half of the Army Points, less five, go into Base units (W-01)."""
    spent = base_points(field.army_of(state, move))
    needed = base_points_needed(state.options.army_points)
    if spent >= needed:
        return None
    return no("W-01", "base_units", spent=spent, needed=Number(f"{needed:g}"))


def first_once(state: State) -> Objection | None:
    """The First Player is drawn once."""
    return None if state.first is None else no("2", "first_known")


def goal_open(state: State) -> Objection | None:
    """The victory points are agreed on only where the table does not say them."""
    return None if state.goal is None else no("6", "goal_known", goal=state.goal)


def goal_positive(move: SetGoal) -> Objection | None:
    """Somebody has to win something."""
    return None if move.points >= 1 else no("6", "goal_positive")


def _correction_objection(
    state: State, move: PutBack | SetPoints | SetCity
) -> Objection | None:
    if refusal := is_running(state):
        return refusal
    if state.pending or state.overfull is not None:
        return no("4.8", "settle_first")
    match move:
        case PutBack():
            return known_chip(state, move.chip) or stays_there(state, move.place)
        case SetPoints():
            return known_seat(state, move.seat) or counter_range(move)
        case SetCity():
            return city_exists(state, move.city) or token_free(state, move)


def stays_there(state: State, place: Place) -> Objection | None:
    """A unit can be put back only where units stay."""
    if place.spot is Spot.OFF:
        return no("4.8", "not_a_place")
    return None if place.sector is None else known_sector(state, place.sector)


def counter_range(move: SetPoints) -> Objection | None:
    """A counter goes from 0 to 5."""
    if move.points <= ROUND_POINTS:
        return None
    return no("4.8", "counter_range", most=ROUND_POINTS)


def city_exists(state: State, city: str) -> Objection | None:
    """A move speaks of a City space of the mat."""
    if state.options.mat.city(city) is not None:
        return None
    return no("3", "no_such_city", city=city)


def token_free(state: State, move: SetCity) -> Objection | None:
    """Only a token that has not been drawn can be the right one."""
    if move.token in state.stack:
        return None
    token = token_text(state.options, move.token)
    return no("4.8", "token_not_in_stack", token=token)
