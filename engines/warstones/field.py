"""The rules for the moves that cost action points (4.1 to 4.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engines.core import Objection, Seat
from engines.warstones.kit import AbilityType, UnitType
from engines.warstones.moves import (
    Ability,
    Army,
    Attack,
    Besiege,
    Deploy,
    Movement,
    Pass,
    Recruit,
)
from engines.warstones.objections import (
    can_pay,
    chip_text,
    known_chip,
    known_seat,
    known_sector,
    no,
    on_turn,
    own_chip,
)
from engines.warstones.scoring import (
    ACTION_POINTS,
    Damage,
    attack_damage,
    movement_cost,
)
from engines.warstones.state import Chip, State
from engines.warstones.terms import BASE_LIMIT, ChipId, Spot, Terrain, player_text


def army_of(state: State, move: Army) -> list[tuple[UnitType, int]]:
    """Return the known units of an army with their numbers."""
    faction = state.options.factions[move.seat]
    found = ((state.options.kit.unit(f"{faction}.{u}"), n) for u, n in move.units)
    return [(unit, chips) for unit, chips in found if unit is not None]


# Recruit, deploy, move


def recruit(state: State, move: Recruit) -> Objection | None:
    """Rule on a Recruit (4.2)."""
    return (
        on_turn(state, move.seat)
        or own_chip(state, move.seat, move.chip, rule="4.2")
        or is_in(state, move.chip, Spot.RESERVE, rule="4.2", message="not_in_reserve")
        or base_has_room(state, move.seat)
        or can_pay(state, move.seat, recruit_cost(state, move.chip))
    )


def deploy(state: State, move: Deploy) -> Objection | None:
    """Rule on a Deploy (4.3)."""
    return (
        on_turn(state, move.seat)
        or own_chip(state, move.seat, move.chip, rule="4.3")
        or is_in(state, move.chip, Spot.BASE, rule="4.3", message="not_in_base")
        or can_pay(state, move.seat, deploy_cost(state, move.chip))
    )


def movement(state: State, move: Movement) -> Objection | None:
    """Rule on a Movement (4.4)."""
    return (
        on_turn(state, move.seat)
        or own_chip(state, move.seat, move.chip, rule="4.4")
        or on_field(state, move.chip)
        or can_pay(state, move.seat, move_cost(state, move.chip))
    )


def ability(state: State, move: Ability) -> Objection | None:
    """Rule on the use of an ability (5)."""
    if refusal := (
        on_turn(state, move.seat)
        or own_chip(state, move.seat, move.chip, rule="5")
        or not_out_of_play(state, move.chip)
    ):
        return refusal
    used = ability_type(state, move)
    if used is None:
        chip = chip_text(state.options, move.chip)
        return no("5", "no_such_ability", chip=chip, ability=move.name)
    flick = flicks_from_field(state, move, used)
    return flick or can_pay(state, move.seat, used.ap)


def pass_round(state: State, move: Pass) -> Objection | None:
    """Rule on a pass: whoever is at turn may."""
    return on_turn(state, move.seat)


def is_in(
    state: State, chip: ChipId, spot: Spot, *, rule: str, message: str
) -> Objection | None:
    """A unit is recruited from the Reserve and deployed from the Base."""
    found = state.chip(chip)
    if found is not None and found.place.spot is spot:
        return None
    return no(rule, message, chip=chip_text(state.options, chip))


def base_has_room(state: State, seat: Seat) -> Objection | None:
    """A Base holds five units at most."""
    if len(state.at(Spot.BASE, seat)) < BASE_LIMIT:
        return None
    return no("4.2", "base_full", limit=BASE_LIMIT)


def on_field(state: State, chip: ChipId) -> Objection | None:
    """Only a unit that has been deployed can be moved."""
    found = state.chip(chip)
    if found is not None and found.place.is_on_field:
        return None
    return no("4.4", "not_on_field", chip=chip_text(state.options, chip))


def not_out_of_play(state: State, chip: ChipId) -> Objection | None:
    """A unit in the Reserve or destroyed uses no ability."""
    found = state.chip(chip)
    if found is not None and found.place.spot not in {Spot.RESERVE, Spot.LOST}:
        return None
    return no("5", "out_of_play", chip=chip_text(state.options, chip))


def flicks_from_field(
    state: State, move: Ability, used: AbilityType
) -> Objection | None:
    """An ability that flicks needs a unit on the field."""
    return on_field(state, move.chip) if used.is_flick else None


def ability_type(state: State, move: Ability) -> AbilityType | None:
    """Return the ability that a move names."""
    unit = state.options.unit(move.chip)
    abilities = () if unit is None else unit.abilities
    return next((known for known in abilities if known.name == move.name), None)


def recruit_cost(state: State, chip: ChipId) -> int:
    """Return the Recruit cost of a unit."""
    unit = state.options.unit(chip)
    return 0 if unit is None else unit.recruit


def deploy_cost(state: State, chip: ChipId) -> int:
    """Return the cost of a Deploy: 1 unless the card says otherwise."""
    unit = state.options.unit(chip)
    return ACTION_POINTS if unit is None else unit.deploy


def move_cost(state: State, chip: ChipId) -> int:
    """Return the cost of a Movement: by the terrain where it starts (W-22)."""
    found = state.chip(chip)
    return movement_cost(Terrain.PLAIN if found is None else state.terrain(found))


# Attack


def attack(state: State, move: Attack) -> Objection | None:
    """Rule on an attack (4.6)."""
    return (
        on_turn(state, move.seat)
        or known_sector(state, move.sector)
        or known_seat(state, move.target)
        or is_enemy(state, move)
        or is_present(state, move.seat, move.sector, rule="4.6")
        or has_targets(state, move)
        or may_help(state, move)
        or distant_reach_somebody(state, move)
        or can_pay(state, move.seat, ACTION_POINTS)
    )


def is_enemy(state: State, move: Attack) -> Objection | None:
    """An attack is against one opponent; allies do not attack each other."""
    if move.seat == move.target:
        return no("4.6", "attack_self")
    if state.options.are_allies(move.seat, move.target):
        return no("7", "attack_ally", player=player_text(move.target))
    return None


def is_present(state: State, seat: Seat, sector: str, *, rule: str) -> Objection | None:
    """To attack or besiege somebody of the own side must be in the sector (W-16)."""
    seats = state.options.team(seat) if state.options.ally_presence else (seat,)
    if state.in_sector(sector, *seats):
        return None
    return no(rule, "not_present", sector=state.options.mat.sector_text(sector))


def has_targets(state: State, move: Attack) -> Objection | None:
    """There must be a unit to attack."""
    if state.in_sector(move.sector, move.target):
        return None
    sector = state.options.mat.sector_text(move.sector)
    return no("4.6", "no_target", player=player_text(move.target), sector=sector)


def may_help(state: State, move: Attack | Besiege) -> Objection | None:
    """Only allied units there, and distant units whose card says so, take part."""
    rule = "4.6" if isinstance(move, Attack) else "4.7"
    allowed = {chip.id for chip in possible_helpers(state, move)}
    for helper in move.helpers:
        if refusal := known_chip(state, helper):
            return refusal
        if helper not in allowed:
            chip = chip_text(state.options, helper)
            return no(rule, "cannot_help", chip=chip)
    return None


def distant_reach_somebody(state: State, move: Attack) -> Objection | None:
    """Distant units cannot attack where all targets hide in a forest."""
    targets = state.in_sector(move.sector, move.target)
    if any(state.terrain(chip) is not Terrain.FOREST for chip in targets):
        return None
    for helper in move.helpers:
        found = state.chip(helper)
        if found is not None and found.sector != move.sector:
            return no("W-23", "forest_hides", chip=chip_text(state.options, helper))
    return None


def possible_helpers(state: State, move: Attack | Besiege) -> Iterator[Chip]:
    """Yield the units that may take part beside the own ones in the sector."""
    side = state.options.team(move.seat)
    for chip in state.chips:
        sector = chip.place.sector
        if sector is None or chip.seat not in side:
            continue
        if sector == move.sector:
            if chip.seat != move.seat:
                yield chip
            continue
        unit = state.unit(chip)
        reach = unit.attack_range if isinstance(move, Attack) else unit.siege_range
        steps = state.options.mat.steps(sector, move.sector) if reach else None
        if steps is not None and steps <= reach:
            yield chip


def participants(state: State, move: Attack | Besiege) -> tuple[Chip, ...]:
    """Return the units that take part: the own ones there and the helpers."""
    own = state.in_sector(move.sector, move.seat)
    helpers = (state.chip(helper) for helper in move.helpers)
    return own + tuple(chip for chip in helpers if chip is not None)


def damage_of(state: State, move: Attack) -> Damage:
    """Return the damage of an attack (4.6, W-23)."""
    attackers = participants(state, move)
    targets = state.in_sector(move.sector, move.target)
    hidden = [c for c in targets if state.terrain(c) is Terrain.FOREST]
    return attack_damage(
        _strengths(state, (c for c in attackers if c.sector == move.sector)),
        _strengths(state, (c for c in targets if c not in hidden)),
        distant=_strengths(state, (c for c in attackers if c.sector != move.sector)),
        hidden=_strengths(state, hidden),
    )


# Siege


def besiege(state: State, move: Besiege) -> Objection | None:
    """Rule on a siege (4.7)."""
    return (
        on_turn(state, move.seat)
        or known_sector(state, move.sector)
        or is_city_sector(state, move)
        or has_token(state, move)
        or is_present(state, move.seat, move.sector, rule="4.7")
        or may_help(state, move)
        or somebody_besieges(state, move)
        or can_pay(state, move.seat, ACTION_POINTS)
    )


def is_city_sector(state: State, move: Besiege) -> Objection | None:
    """Only a City sector can be besieged."""
    if state.options.mat.city_in(move.sector) is not None:
        return None
    sector = state.options.mat.sector_text(move.sector)
    return no("4.7", "no_city", sector=sector)


def has_token(state: State, move: Besiege) -> Objection | None:
    """A Fortress without a token cannot be besieged (W-13)."""
    city = state.options.mat.city_in(move.sector)
    if city is not None and state.token(city) is not None:
        return None
    return no("W-13", "no_token", sector=state.options.mat.sector_text(move.sector))


def somebody_besieges(state: State, move: Besiege) -> Objection | None:
    """At least one unit in the City sector itself must take part."""
    if any(chip.sector == move.sector for chip in participants(state, move)):
        return None
    sector = state.options.mat.sector_text(move.sector)
    return no("4.7", "not_present", sector=sector)


def siege_total(state: State, move: Besiege) -> int:
    """Return the Strength of a siege."""
    return sum(_strengths(state, participants(state, move)))


def _strengths(state: State, chips: Iterable[Chip]) -> list[int]:
    return [state.strength(chip) for chip in chips]
