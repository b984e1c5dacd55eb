"""The rules for results and choices: flicks, damage, returns, draws, fouls."""

from __future__ import annotations

from engines.core import Objection
from engines.warstones.moves import (
    Assigner,
    CallFlick,
    Destroy,
    Draw,
    Excess,
    Foul,
    Lies,
    Return,
    Settle,
)
from engines.warstones.objections import (
    chip_text,
    is_running,
    known_chip,
    known_seat,
    known_sector,
    no,
    own_chip,
    token_text,
)
from engines.warstones.scoring import may_fall, resistance
from engines.warstones.state import (
    PendingAssigner,
    PendingCounter,
    PendingDamage,
    PendingDraw,
    PendingFlick,
    PendingFoul,
    PendingReturn,
    State,
)
from engines.warstones.terms import (
    BASE_LIMIT,
    ChipId,
    Place,
    Spot,
    Terrain,
    chip_seat,
    player_text,
)

FLICK_ENDS = frozenset({Spot.SECTOR, Spot.MARGIN, Spot.BASE, Spot.OFF, Spot.LOST})
FLICKABLE = frozenset({Spot.SECTOR, Spot.MARGIN, Spot.BASE})


# The end of a flick (4.5)


def settle(state: State, move: Settle) -> Objection | None:
    """Rule on the result of a flick (4.5)."""
    flick = state.next_pending
    if state.overfull is not None or not isinstance(flick, PendingFlick):
        return no("4.5", "no_flick")
    return flicked_is_named(state, move, flick) or each_end_is_possible(state, move)


def flicked_is_named(
    state: State, move: Settle, flick: PendingFlick
) -> Objection | None:
    """The result says where the flicked chip is, and names each chip once."""
    chips = [chip for chip, _ in move.ends]
    if len(set(chips)) < len(chips):
        return no("4.5", "named_twice")
    if flick.chip not in chips:
        return no("4.5", "flicked_missing", chip=chip_text(state.options, flick.chip))
    return None


def each_end_is_possible(state: State, move: Settle) -> Objection | None:
    """Chips in play can be pushed to where a flick can end."""
    for chip, place in move.ends:
        if refusal := known_chip(state, chip) or end_is_possible(state, chip, place):
            return refusal
    return at_most_one_by_contact(state, move)


def end_is_possible(state: State, chip: ChipId, place: Place) -> Objection | None:
    """A chip that is not in play is not moved by a flick."""
    found = state.chip(chip)
    if found is None or found.place.spot not in FLICKABLE:
        return no("4.5", "not_in_play", chip=chip_text(state.options, chip))
    if place.spot not in FLICK_ENDS:
        return no("4.5", "no_flick_end", chip=chip_text(state.options, chip))
    return None if place.sector is None else known_sector(state, place.sector)


def at_most_one_by_contact(state: State, move: Settle) -> Objection | None:
    """A flick destroys only by a card's contact effect, and one enemy unit (5)."""
    fallen = [chip for chip, place in move.ends if place.spot is Spot.LOST]
    flick = state.next_pending
    if not fallen or not isinstance(flick, PendingFlick):
        return None
    unit = state.options.unit(flick.chip)
    if unit is None or not unit.destroys_on_contact:
        chip = chip_text(state.options, flick.chip)
        return no("5", "no_contact_effect", chip=chip)
    allies = [c for c in fallen if state.options.are_allies(chip_seat(c), flick.seat)]
    return no("5", "one_by_contact") if len(fallen) > 1 or allies else None


def lies(state: State, move: Lies) -> Objection | None:
    """Rule on where a unit lies that no camera saw."""
    return (
        is_running(state)
        or known_chip(state, move.chip)
        or end_is_possible(state, move.chip, move.place)
        or place_is_open(state, move)
    )


def place_is_open(state: State, move: Lies) -> Objection | None:
    """It is open where the flicked chip lies, and where on the field one does that was
    not seen yet."""
    flick, chip = state.next_pending, state.chip(move.chip)
    if isinstance(flick, PendingFlick) and flick.chip == move.chip:
        is_open = move.place.spot is not Spot.LOST
    else:
        is_open = chip is not None and chip.place.is_unseen and move.place.is_on_field
    name = chip_text(state.options, move.chip)
    return None if is_open else no("4.5", "place_known", chip=name)


# Damage (4.6, 4.7)


def destroy(state: State, move: Destroy) -> Objection | None:
    """Rule on the choice of the units that damage destroys."""
    pending = state.next_pending
    if state.overfull is not None or not isinstance(
        pending, PendingDamage | PendingCounter
    ):
        return no("5", "no_damage")
    if move.seat != pending.seat:
        return no(
            "4.6" if isinstance(pending, PendingDamage) else "4.7",
            "assigns_damage",
            player=player_text(pending.seat),
        )
    if isinstance(pending, PendingDamage):
        return attack_targets(state, move, pending) or attack_sum(state, move, pending)
    return siege_targets(state, move, pending) or siege_fall(state, move, pending)


def attack_targets(
    state: State, move: Destroy, pending: PendingDamage
) -> Objection | None:
    """Damage falls on the attacked player's units in the sector."""
    targets = {c.id for c in state.in_sector(pending.sector, pending.target)}
    for chip in move.chips:
        if chip not in targets:
            return no("4.6", "not_attacked", chip=chip_text(state.options, chip))
    return None


def attack_sum(state: State, move: Destroy, pending: PendingDamage) -> Objection | None:
    """Each destroyed unit takes its Strength out of the damage (4.6, W-23)."""
    chosen = [c for c in state.chips if c.id in move.chips]
    needed = sum(resistance(state.strength(c)) for c in chosen)
    if needed > pending.damage:
        return no("4.6", "too_little_damage", needed=needed, damage=pending.damage)
    hidden = [c for c in chosen if state.terrain(c) is Terrain.FOREST]
    needed = sum(resistance(state.strength(c)) for c in hidden)
    if needed > pending.near_damage:
        near = pending.near_damage
        return no("W-23", "too_little_near", needed=needed, damage=near)
    return None


def siege_targets(
    state: State, move: Destroy, pending: PendingCounter
) -> Objection | None:
    """The counterattack falls on units that took part in the siege."""
    for chip in move.chips:
        if chip not in pending.units:
            return no("4.7", "not_besieging", chip=chip_text(state.options, chip))
    return None if move.chips else no("4.7", "one_must_fall")


def siege_fall(
    state: State, move: Destroy, pending: PendingCounter
) -> Objection | None:
    """The damage must suffice; if it destroys nobody, one unit falls all the same;
    distant units fall only after all others."""
    if falls(state, move.chips, pending):
        return None
    besiegers = [c for c in state.chips if c.id in pending.units]
    local = [c for c in besiegers if c.sector == pending.sector]
    spared = [c for c in local if c.id not in move.chips]
    if spared and any(c.id in move.chips and c not in local for c in besiegers):
        return no("4.7", "distant_last")
    return no("4.7", "too_little_counter", damage=pending.damage)


def falls(state: State, chips: tuple[ChipId, ...], pending: PendingCounter) -> bool:
    """Return whether a counterattack may destroy just these units."""
    besiegers = [c for c in state.chips if c.id in pending.units]
    chosen = [c for c in besiegers if c.id in chips]
    local = [c for c in besiegers if c.sector == pending.sector]
    return may_fall(
        [state.strength(c) for c in chosen],
        spared=[state.strength(c) for c in local if c.id not in chips],
        damage=pending.damage,
        distant=any(c.sector != pending.sector for c in chosen),
    )


def assigner(state: State, move: Assigner) -> Objection | None:
    """Rule on who assigns the counterattack: an opponent (W-10)."""
    pending = state.next_pending
    if state.overfull is not None or not isinstance(pending, PendingAssigner):
        return no("W-10", "no_assigner_open")
    if move.seat in state.options.opponents(pending.seat):
        return None
    return no("W-10", "not_an_opponent", player=player_text(move.seat))


# Returns, excess, draws


def returns(state: State, move: Return) -> Objection | None:
    """Rule on which units leave a conquered sector (4.7)."""
    pending = state.next_pending
    if state.overfull is not None or not isinstance(pending, PendingReturn):
        return no("4.7", "no_return_open")
    if move.seat != pending.seat:
        return no("4.7", "not_your_choice", player=player_text(pending.seat))
    staying = {c.id for c in state.in_sector(pending.sector, pending.seat)}
    for chip in move.chips:
        if chip not in staying:
            return no("4.7", "not_in_sector", chip=chip_text(state.options, chip))
    return None


def excess(state: State, move: Excess) -> Objection | None:
    """Rule on which unit leaves an overfull Base: its owner chooses (4.2, W-25)."""
    seat = state.overfull
    foul = isinstance(state.next_pending, PendingFoul)
    if seat is None or foul:
        return no("4.2", "base_not_overfull", limit=BASE_LIMIT)
    if move.seat != seat:
        return no("4.2", "not_your_choice", player=player_text(seat))
    if refusal := own_chip(state, move.seat, move.chip, rule="4.2"):
        return refusal
    if any(chip.id == move.chip for chip in state.at(Spot.BASE, seat)):
        return None
    return no("4.2", "not_in_base", chip=chip_text(state.options, move.chip))


def draw(state: State, move: Draw) -> Objection | None:
    """Rule on a drawn City token: from the right stack, onto a free Fortress."""
    if state.options.mat.city(move.city) is None:
        return no("3", "no_such_city", city=move.city)
    pending = state.next_pending
    is_due = isinstance(pending, PendingDraw) and pending.city == move.city
    if state.overfull is not None or not (state.is_setup or is_due):
        return no("4.7", "no_draw_open")
    if state.token(move.city) is not None:
        return no("4.7", "fortress_taken", city=move.city)
    if move.token not in state.drawable(move.city):
        token = token_text(state.options, move.token)
        return no("W-15", "not_drawable", token=token)
    return None


# Fouls (4.8)


def foul(state: State, move: Foul) -> Objection | None:
    """Rule on calling the last flick foul: until the next move is made."""
    if refusal := known_seat(state, move.seat) or is_running(state):
        return refusal
    if isinstance(state.next_pending, PendingFoul):
        return no("4.8", "foul_open")
    if state.flick is None or state.flick.seat != move.seat:
        return no("4.8", "no_flick_to_call", player=player_text(move.seat))
    return None


def call_flick(state: State, move: CallFlick) -> Objection | None:
    """Rule on the referee's decision: only about a foul that was called."""
    if isinstance(state.next_pending, PendingFoul):
        return None
    return no("4.8", "no_foul_open", call=str(move.call))
