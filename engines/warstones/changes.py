"""The live way: the moves that explain what now lies on the table, or a question.

An illegal play is reported as the move that was made; `judge` refuses it and the live
loop can rule on it. Nothing is put right silently.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engines.core import Option, Question, RuleRef, Seat, Text
from engines.warstones import field
from engines.warstones.advance import advance
from engines.warstones.judge import chips_text
from engines.warstones.moves import (
    Ability,
    Army,
    Attack,
    Besiege,
    Deploy,
    Destroy,
    Draw,
    Excess,
    Move,
    Movement,
    PutBack,
    Recruit,
    Return,
    SetPoints,
    Settle,
)
from engines.warstones.objections import chip_text
from engines.warstones.resolve import Resolved, resolve
from engines.warstones.rules import objection
from engines.warstones.shifts import Shift, shifts
from engines.warstones.snapshot import Snapshot
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
    ChipId,
    Place,
    Spot,
    chip_seat,
    letter,
    player_text,
)

MOST_STEPS = 60


@dataclass(frozen=True, slots=True)
class _Table:
    """What one look shows, in the words of the state."""

    chips: tuple[Resolved, ...]
    tokens: tuple[tuple[str, str], ...]
    counters: tuple[tuple[Seat, int], ...]

    def token(self, city: str) -> str | None:
        return dict(self.tokens).get(city)


def changes(state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
    """Return the moves that lead from the state to what is seen, or what to ask.

    Several changes at once become several moves; the last one may be illegal. Nothing
    is said while a hand is on a chip.
    """
    if state.outcome is not None or any(chip.touched for chip in snapshot.chips):
        return ()
    chips = resolve(snapshot, state.options, {})
    tokens = ((c.city, c.token) for c in snapshot.cities if c.token is not None)
    counters = tuple((c.seat, c.points) for c in snapshot.counters)
    table = _Table(chips, tuple(tokens), counters)
    if doubt := _doubt(state, snapshot, table):
        return doubt
    return _explain(state, table)


def _explain(state: State, table: _Table) -> tuple[Move, ...] | Question:
    moves: list[Move] = []
    while len(moves) < MOST_STEPS:
        step = _step(state, table)
        if isinstance(step, Question):
            return step if not moves else tuple(moves)
        if step is None:
            break
        moves.append(step)
        if objection(state, step) is not None:
            break
        state = advance(state, step)
    if not moves and state.turn is not None and not state.pending:
        return _counter_question(state, table) or ()
    return tuple(moves)


def _doubt(state: State, snapshot: Snapshot, table: _Table) -> Question | None:
    """Return the first doubt about a chip, its options with the moves that follow."""
    for chip in table.chips:
        for question in chip.questions:
            if question.default is None and chip.place != _stays_off(chip):
                options = tuple(
                    replace(
                        option,
                        move=_sole_move(
                            state, snapshot, table, question.id, option.value
                        ),
                    )
                    for option in question.options
                )
                return replace(question, options=options)
    return None


def _stays_off(chip: Resolved) -> object:
    """Return the chip's place if it lies off the board, where nobody need know it."""
    is_off = chip.place is not None and chip.place.spot is Spot.OFF
    return chip.place if is_off else ...


def _sole_move(
    state: State, snapshot: Snapshot, table: _Table, question: str, answer: str
) -> str | None:
    """Return the move that follows from an answer, if it is exactly one."""
    piece = question.partition(":")[2]
    seen = tuple(chip for chip in snapshot.chips if chip.piece == piece)
    if len(seen) != 1:
        return None
    only = replace(snapshot, chips=seen)
    answered = resolve(only, state.options, {question: answer})
    if any(q.default is None for q in answered[0].questions):
        return None
    known = (c for c in table.chips if c.seen.piece != piece and c.is_known)
    moves = _explain(state, replace(table, chips=(*known, *answered)))
    return str(moves[0]) if isinstance(moves, tuple) and len(moves) == 1 else None


def _step(state: State, table: _Table) -> Move | Question | None:
    """Return the next move that happened, a question, or `None` if nothing did."""
    if state.is_setup:
        return _setup_step(state, table)
    if isinstance(state.next_pending, PendingFoul):
        return None
    moved = shifts(state, table.chips)
    if state.overfull is not None:
        return _excess_step(state.overfull, moved)
    match state.next_pending:
        case PendingFlick() as flick:
            return _flick_step(state, flick, table, moved)
        case PendingDamage() | PendingCounter() as damage:
            return _damage_step(state, damage, moved)
        case PendingReturn() as back:
            return _return_step(state, back, moved)
        case PendingDraw() as draw:
            token = table.token(draw.city)
            return None if token is None else Draw(draw.city, token)
        case PendingAssigner():
            return None
        case _:
            return _free_step(state, table, moved)


def _setup_step(state: State, table: _Table) -> Move | None:
    built = {chip.seat for chip in state.chips}
    for seat in state.options.seats:
        units = [
            chip.label.partition(".")[2]
            for chip in table.chips
            if chip.label and chip.seat == seat and _is_home(chip)
        ]
        if seat not in built and units:
            counts = {unit: units.count(unit) for unit in units}
            return Army(seat, tuple(counts.items()))
    for city, token in table.tokens:
        if state.token(city) is None:
            return Draw(city, token)
    return None


def _is_home(chip: Resolved) -> bool:
    return chip.place is not None and chip.place.spot is Spot.RESERVE


def _excess_step(seat: Seat, moved: Iterable[Shift]) -> Move | None:
    for shift in moved:
        is_back = shift.seen is not None and shift.seen.spot is Spot.RESERVE
        if shift.seat == seat and shift.old.spot is Spot.BASE and is_back:
            return Excess(seat, shift.chip)
    return None


def _flick_step(
    state: State, flick: PendingFlick, table: _Table, moved: tuple[Shift, ...]
) -> Move | Question | None:
    ends = {s.chip: s.end for s in moved if s.old.spot in _IN_PLAY}
    if flick.chip not in ends and (twin := _twin(state, flick, moved)) is not None:
        ends[flick.chip] = ends.pop(twin.chip)
    if flick.chip not in ends:
        missing, alike = _missing(state, flick, table)
        if not ends and not missing:
            return None
        chip = state.chip(flick.chip)
        assert chip is not None, "a flicked chip is in the state"
        ends[flick.chip] = Place(Spot.OFF) if missing else chip.place
        if missing and alike > 1:
            return _gone_question(state, flick, Settle(tuple(ends.items())))
    settle = Settle(tuple(ends.items()))
    return _contact_question(state, flick, settle) or settle


def _missing(state: State, flick: PendingFlick, table: _Table) -> tuple[bool, int]:
    """Return whether a chip like the flicked one left the Base for nowhere, and how
    many such chips the Base should hold."""
    label = state.options.label(flick.chip)
    based = state.at(Spot.BASE, flick.seat)
    alike = [chip for chip in based if state.options.label(chip.id) == label]
    seen = [
        chip
        for chip in table.chips
        if (chip.seat, chip.label) == (flick.seat, label)
        and chip.place is not None
        and chip.place.spot is Spot.BASE
    ]
    is_based = any(chip.id == flick.chip for chip in alike)
    return is_based and len(seen) < len(alike), len(alike)


def _gone_question(state: State, flick: PendingFlick, settle: Settle) -> Question:
    """Ask if the flicked chip is gone: another one like it may be missing as well."""
    return Question(
        "left_board",
        flick.seat,
        Text.of("warstones.ask_left", chip=chip_text(state.options, flick.chip)),
        (
            Option("off", Text.of("warstones.left_board"), str(settle)),
            Option("wait", Text.of("warstones.not_flicked")),
        ),
        rule=RuleRef("4.5"),
    )


def _twin(state: State, flick: PendingFlick, moved: tuple[Shift, ...]) -> Shift | None:
    """Return the shift of a chip of the same unit that was in the Base as well: chips
    of one unit are alike, so it is the flicked one."""
    label, chip = state.options.label(flick.chip), state.chip(flick.chip)
    if chip is None or chip.place.spot is not Spot.BASE:
        return None
    for shift in moved:
        is_alike = state.options.label(shift.chip) == label
        is_there = shift.old.spot is Spot.BASE
        if shift.seat == flick.seat and is_alike and is_there:
            return shift
    return None


_IN_PLAY = frozenset({Spot.SECTOR, Spot.MARGIN, Spot.BASE})


def _contact_question(
    state: State, flick: PendingFlick, settle: Settle
) -> Question | None:
    """Ask whether an enemy chip left the board or fell by a touch (5)."""
    unit = state.options.unit(flick.chip)
    gone = [
        chip
        for chip, place in settle.ends
        if place.spot is Spot.OFF
        and not state.options.are_allies(chip_seat(chip), flick.seat)
    ]
    if unit is None or not unit.destroys_on_contact or not gone:
        return None
    options = [Option("off", Text.of("warstones.left_board"), str(settle))]
    for chip in gone:
        ends = tuple(
            (c, Place(Spot.LOST) if c == chip else place) for c, place in settle.ends
        )
        text = Text.of("warstones.touched_first", chip=chip_text(state.options, chip))
        options.append(Option(chip, text, str(Settle(ends))))
    return Question(
        "contact",
        None,
        Text.of("warstones.ask_contact", chip=chip_text(state.options, flick.chip)),
        tuple(options),
        rule=RuleRef("5"),
    )


def _damage_step(
    state: State, pending: PendingDamage | PendingCounter, moved: tuple[Shift, ...]
) -> Move | None:
    gone = [s.chip for s in moved if s.is_gone]
    if isinstance(pending, PendingDamage):
        targets = {c.id for c in state.in_sector(pending.sector, pending.target)}
        fallen = [chip for chip in gone if chip in targets]
    else:
        fallen = [chip for chip in gone if chip in pending.units]
    return Destroy(pending.seat, tuple(fallen)) if fallen else None


def _return_step(
    state: State, pending: PendingReturn, moved: tuple[Shift, ...]
) -> Move | None:
    back = tuple(
        s.chip
        for s in moved
        if s.seat == pending.seat
        and s.old.sector == pending.sector
        and s.seen is not None
        and s.seen.spot is Spot.BASE
    )
    return Return(pending.seat, back) if back else None


# Nothing is open: somebody made a new move


def _free_step(
    state: State, table: _Table, moved: tuple[Shift, ...]
) -> Move | Question | None:
    seat = state.turn
    assert seat is not None, "a running game has somebody at turn"
    order = [Seat((seat + n) % state.options.players) for n in range(4)]
    ordered = sorted(moved, key=lambda s: (order.index(s.seat), s.chip))
    if siege := _siege_step(state, seat, table):
        return siege
    for shift in ordered:
        if shift.old.spot is Spot.RESERVE and _went_to(shift, Spot.BASE):
            return Recruit(shift.seat, shift.chip)
    launched = [s for s in ordered if s.old.spot in _HOME and _left_home(s)]
    if launched:
        return Deploy(launched[0].seat, launched[0].chip)
    field_shifts = [s for s in ordered if s.old.is_on_field]
    if field_shifts:
        return _field_step(state, seat, field_shifts)
    return _unexplained(state, ordered)


_HOME = frozenset({Spot.BASE, Spot.RESERVE})


def _went_to(shift: Shift, spot: Spot) -> bool:
    return shift.seen is not None and shift.seen.spot is spot


def _left_home(shift: Shift) -> bool:
    return _went_to(shift, Spot.SECTOR) or _went_to(shift, Spot.MARGIN)


def _siege_step(state: State, seat: Seat, table: _Table) -> Move | None:
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
    return _unexplained(state, moved)


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
    return _which_flicked(state, own) if own else _unexplained(state, gone)


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


def _unexplained(state: State, moved: Iterable[Shift]) -> Question | None:
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


def _counter_question(state: State, table: _Table) -> Question | None:
    """A counter that shows another number is corrected, or the number is (4.8)."""
    for seat, points in table.counters:
        if state.points[seat] == points:
            continue
        return Question(
            f"counter:{letter(seat)}",
            None,
            Text.of(
                "warstones.ask_counter_shows",
                player=player_text(seat),
                shown=points,
                points=state.points[seat],
            ),
            (
                Option("counter", Text.of("warstones.move_counter")),
                Option(
                    "points",
                    Text.of("warstones.counter_right"),
                    str(SetPoints(seat, points)),
                ),
            ),
            "counter",
            RuleRef("4.8"),
        )
    return None


def _names(state: State, moved: Iterable[Shift]) -> Text:
    return chips_text(state, tuple(shift.chip for shift in moved))


def _pieces(moved: Iterable[Shift]) -> tuple[str, ...]:
    return tuple(shift.piece for shift in moved if shift.piece is not None)
