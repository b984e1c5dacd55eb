"""All moves that are allowed now, except results of flicks and corrections."""

from __future__ import annotations

from collections.abc import Iterator

from engines.core import Seat
from engines.warstones.armies import legal_armies
from engines.warstones.field import possible_helpers
from engines.warstones.flow import goal
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
    FoulKind,
    Move,
    Movement,
    Pass,
    Recruit,
    Return,
    SetGoal,
)
from engines.warstones.rules import objection
from engines.warstones.scoring import subsets
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
from engines.warstones.terms import ChipId, Spot


def legal_moves(state: State) -> Iterator[Move] | None:
    """Return the players' moves that are upheld now; `None` while a flick is open.

    Where the chips of a flick come to rest cannot be listed. The referee's corrections
    (``referee place``, ``points``, ``city``) are not listed either, and of the goals
    (``referee goal``) only the two rows of the table around the armies' size.
    """
    if isinstance(state.next_pending, PendingFlick) and state.overfull is None:
        return None
    return (move for move in _candidates(state) if objection(state, move) is None)


def _candidates(state: State) -> Iterator[Move]:
    if state.outcome is not None:
        return
    if state.is_setup:
        yield from _setup(state)
        return
    if isinstance(state.next_pending, PendingFoul):
        yield from (CallFlick(call) for call in FoulCall)
        return
    if state.flick is not None:
        yield from (Foul(state.flick.seat, kind) for kind in FoulKind)
    if state.overfull is not None:
        chips = state.at(Spot.BASE, state.overfull)
        yield from (Excess(state.overfull, chip.id) for chip in chips)
    elif state.pending:
        yield from choices(state)
    elif state.turn is not None:
        yield from _actions(state, state.turn)


def _setup(state: State) -> Iterator[Move]:
    built = {chip.seat for chip in state.chips}
    for seat in state.options.seats:
        if seat not in built:
            yield from _armies(state, seat)
        yield First(seat)
    for city, _ in state.cities:
        yield from (Draw(city, token) for token in state.drawable(city))
    yield from (SetGoal(points) for points in (goal(state), goal(state) + 2))


def _armies(state: State, seat: Seat) -> Iterator[Move]:
    options = state.options
    faction = options.factions[seat]
    for units in legal_armies(options.kit, faction, options.army_points):
        yield Army(seat, units)


def choices(state: State) -> Iterator[Move]:
    """Yield the answers to what must be settled next, legal or not."""
    pending = state.next_pending
    match pending:
        case PendingDamage():
            targets = state.in_sector(pending.sector, pending.target)
            for chips in subsets([chip.id for chip in targets]):
                yield Destroy(pending.seat, _ids(chips))
        case PendingCounter():
            for chips in subsets(pending.units):
                yield Destroy(pending.seat, _ids(chips))
        case PendingAssigner():
            yield from (Assigner(s) for s in state.options.opponents(pending.seat))
        case PendingReturn():
            staying = state.in_sector(pending.sector, pending.seat)
            for chips in subsets([chip.id for chip in staying]):
                yield Return(pending.seat, _ids(chips))
        case PendingDraw():
            tokens = state.drawable(pending.city)
            yield from (Draw(pending.city, token) for token in tokens)
        case _:
            return


def _actions(state: State, seat: Seat) -> Iterator[Move]:
    for chip in state.chips:
        if chip.seat == seat:
            yield Recruit(seat, chip.id)
            yield Deploy(seat, chip.id)
            yield Movement(seat, chip.id)
            for ability in state.unit(chip).abilities:
                yield Ability(seat, chip.id, ability.name)
    for area in state.options.mat.sectors:
        yield from _fights(state, seat, area.id)
    yield Pass(seat)


def _fights(state: State, seat: Seat, sector: str) -> Iterator[Move]:
    if not state.in_sector(sector, *state.options.team(seat)):
        return
    for target in state.options.opponents(seat):
        attack = Attack(seat, sector, target)
        for helpers in _helper_sets(state, attack):
            yield Attack(seat, sector, target, helpers)
    for helpers in _helper_sets(state, Besiege(seat, sector)):
        yield Besiege(seat, sector, helpers)


def _helper_sets(state: State, move: Attack | Besiege) -> Iterator[tuple[ChipId, ...]]:
    helpers = [chip.id for chip in possible_helpers(state, move)]
    return (_ids(chips) for chips in subsets(helpers))


def _ids(chips: tuple[str, ...]) -> tuple[ChipId, ...]:
    return tuple(ChipId(chip) for chip in chips)
