"""Nothing was open: which new move was made, as the table shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engines.core import Option, Question, RuleRef, Seat, Text
from engines.warstones import field
from engines.warstones.advance import advance
from engines.warstones.judge import chips_text
from engines.warstones.moves import (
    Ability,
    Attack,
    Besiege,
    Deploy,
    Destroy,
    Lies,
    Move,
    Movement,
    PutBack,
    Recruit,
)
from engines.warstones.objections import chip_text
from engines.warstones.rules import objection
from engines.warstones.seen import Seen
from engines.warstones.seen_flick import left_base
from engines.warstones.shifts import Shift
from engines.warstones.state import (
    State,
)
from engines.warstones.terms import (
    ChipId,
    Place,
    Spot,
)


def play_step(
    state: State, table: Seen, moved: tuple[Shift, ...]
) -> Move | Question | None:
    """Return the new move that explains best what moved, or a question about it."""
    seat = state.turn
    assert seat is not None, "a running game has somebody at turn"
    found = [s for s in moved if s.is_found]
    moved = tuple(s for s in moved if not s.is_found)
    order = [Seat((seat + n) % state.options.players) for n in range(4)]
    ordered = sorted(moved, key=lambda s: (order.index(s.seat), s.chip))
    if siege := _siege_step(state, seat, table):
        return siege
    # Where a chip of the player at turn is missing, others played after that.
    has_played = any(shift.seat == seat for shift in moved)
    if not has_played and (left := left_base(state, seat, table)):
        return left
    # Of what several players did meanwhile the one at turn played first.
    for player in dict.fromkeys(shift.seat for shift in ordered):
        own = [shift for shift in ordered if shift.seat == player]
        for shift in own:
            if shift.old.spot is Spot.RESERVE and _went_to(shift, Spot.BASE):
                return Recruit(player, shift.chip)
        for shift in own:
            if shift.old.spot in _HOME and _left_home(shift):
                return Deploy(player, shift.chip)
    field_shifts = [s for s in ordered if s.old.is_on_field]
    if field_shifts:
        return _field_step(state, seat, field_shifts)
    return unexplained(state, ordered) or _found(found)


_HOME = frozenset({Spot.BASE, Spot.RESERVE})


def _went_to(shift: Shift, spot: Spot) -> bool:
    return shift.seen is not None and shift.seen.spot is spot


def _left_home(shift: Shift) -> bool:
    return _went_to(shift, Spot.SECTOR) or _went_to(shift, Spot.MARGIN)


def _found(shifts: list[Shift]) -> Move | None:
    """Return where a chip lies that was not seen before: from now on it is known."""
    lying = ((s.chip, s.seen) for s in shifts if s.seen is not None)
    return next((Lies(chip, place) for chip, place in lying), None)


def _siege_step(state: State, seat: Seat, table: Seen) -> Move | None:
    """A token that is replaced on its Fortress was conquered."""
    for city, token in state.cities:
        seen = table.token(city)
        if token is not None and seen is not None and seen != token:
            return Besiege(seat, state.options.mat.sector_of_city(city))
    return None


def _field_step(state: State, seat: Seat, moved: list[Shift]) -> Move | Question | None:
    """Chips on the field moved or are gone: a Movement, an attack or a siege."""
    gone = [s for s in moved if s.is_gone]
    if len(gone) == len(moved):
        return _gone_step(state, seat, gone)
    flicked = [s for s in moved if not s.is_gone and s.seat == seat]
    if len(flicked) == 1 and not any(s.is_gone and s.seat == seat for s in moved):
        return _flick_move(state, flicked[0])
    own = [s for s in moved if s.seat == seat]
    if own:
        return _which_flicked(state, own)
    if len(moved) == 1:
        return Movement(moved[0].seat, moved[0].chip)
    return unexplained(state, moved)


def _flick_move(state: State, shift: Shift) -> Move | Question:
    """Return the Movement, or an ability that flicks; if both can be, ask."""
    movement = Movement(shift.seat, shift.chip)
    unit = state.options.unit(shift.chip)
    abilities = () if unit is None else unit.abilities
    moves: list[Move] = [movement]
    moves += [Ability(shift.seat, shift.chip, a.name) for a in abilities if a.is_flick]
    legal = [move for move in moves if objection(state, move) is None]
    if len(legal) > 1:
        return _ask_move(state, legal, [shift])
    return legal[0] if legal else movement


def _gone_step(state: State, seat: Seat, gone: list[Shift]) -> Move | Question | None:
    """Chips were taken off the field and nothing else moved."""
    sectors = {s.old.sector for s in gone}
    owners = {s.seat for s in gone}
    if len(sectors) == 1 and len(owners) == 1:
        sector, owner = sectors.pop(), owners.pop()
        if sector is not None and owner != seat:
            helpers = _needed_helpers(state, Attack(seat, sector, owner), gone)
            return Attack(seat, sector, owner, helpers)
        if sector is not None:
            return _own_gone(state, seat, sector, gone)
    own = [s for s in gone if s.seat == seat]
    return _which_flicked(state, own) if own else unexplained(state, gone)


def _needed_helpers(
    state: State, attack: Attack, gone: list[Shift]
) -> tuple[ChipId, ...]:
    """Return the helpers without whom the damage would not do what is seen."""
    chips = tuple(shift.chip for shift in gone)
    helpers = tuple(chip.id for chip in field.possible_helpers(state, attack))
    for used in ((), helpers):
        move = replace(attack, helpers=used)
        if objection(state, move) is None:
            after = advance(state, move)
            if objection(after, Destroy(attack.seat, chips)) is None:
                return used
    return ()


def _own_gone(
    state: State, seat: Seat, sector: str, gone: list[Shift]
) -> Move | Question:
    """Own chips are gone: flicked off the board, or lost in a siege that failed."""
    besiege = Besiege(seat, sector)
    if objection(state, besiege) is not None and len(gone) == 1:
        return Movement(seat, gone[0].chip)
    moves: list[Move] = [Movement(seat, shift.chip) for shift in gone]
    if objection(state, besiege) is None:
        moves.append(besiege)
    return _ask_move(state, moves, gone)


def _which_flicked(state: State, own: list[Shift]) -> Question:
    return _ask_move(state, [Movement(s.seat, s.chip) for s in own], own)


def _ask_move(state: State, moves: list[Move], moved: list[Shift]) -> Question:
    options = []
    for move in moves:
        if isinstance(move, Movement):
            text = chip_text(state.options, move.chip)
            options.append(Option(move.chip, text, str(move)))
        elif isinstance(move, Ability):
            text = Text.of("core.literal", text=move.name)
            options.append(Option(f"ability:{move.name}", text, str(move)))
        else:
            options.append(Option("siege", Text.of("warstones.a_siege"), str(move)))
    return Question(
        "what_happened",
        state.turn,
        Text.of("warstones.ask_flicked", chips=_names(state, moved)),
        tuple(options),
        rule=RuleRef("4.4"),
        pieces=_pieces(moved),
    )


def unexplained(state: State, moved: Iterable[Shift]) -> Question | None:
    """No move explains this: the referee accepts the new place or puts it back."""
    left = [shift for shift in moved if shift.seen is not None]
    gone = [shift for shift in moved if shift.seen is None]
    if not left and not gone:
        return None
    first = (left or gone)[0]
    keep = None
    if first.seen is not None and first.seen.spot is not Spot.OFF:
        keep = str(PutBack(first.chip, first.seen))
    options = [Option("restore", Text.of("warstones.put_back"))]
    if keep is not None:
        options.insert(0, Option("keep", Text.of("warstones.keep_there"), keep))
    else:
        lost = str(PutBack(first.chip, Place(Spot.LOST)))
        options.insert(0, Option("keep", Text.of("warstones.keep_lost"), lost))
    return Question(
        f"unexplained:{first.chip}",
        None,
        Text.of("warstones.ask_unexplained", chip=chip_text(state.options, first.chip)),
        tuple(options),
        rule=RuleRef("4.8"),
        pieces=_pieces([first]),
    )


def _names(state: State, moved: Iterable[Shift]) -> Text:
    return chips_text(state, tuple(shift.chip for shift in moved))


def _pieces(moved: Iterable[Shift]) -> tuple[str, ...]:
    return tuple(shift.piece for shift in moved if shift.piece is not None)
