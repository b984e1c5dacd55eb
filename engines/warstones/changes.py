"""The live way: the moves that explain what now lies on the table, or a question.

An illegal play is reported as the move that was made; `judge` refuses it and the live
loop can rule on it. Nothing is put right silently.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engines.core import Option, Question, RuleRef, Seat, Text
from engines.warstones.advance import advance
from engines.warstones.ask import where_it_lies
from engines.warstones.moves import (
    Army,
    Destroy,
    Draw,
    Excess,
    Move,
    Return,
    SetPoints,
    Settle,
)
from engines.warstones.resolve import Resolved, resolve
from engines.warstones.rules import objection
from engines.warstones.seen import Seen
from engines.warstones.seen_flick import flick_step
from engines.warstones.seen_play import play_step, unexplained
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
    Place,
    Spot,
    letter,
    player_text,
)

MOST_STEPS = 60


def changes(state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
    """Return the moves that lead from the state to what is seen, or what to ask.

    Several changes at once become several moves; the last one may be illegal. Nothing
    is said while a hand is on a chip.
    """
    if state.outcome is not None or any(chip.touched for chip in snapshot.chips):
        return ()
    chips = resolve(snapshot, state.options, dict(snapshot.answers), is_live=True)
    tokens = ((c.city, c.token) for c in snapshot.cities if c.token is not None)
    counters = tuple((c.seat, c.points) for c in snapshot.counters)
    table = Seen(chips, tuple(tokens), counters)
    if doubt := _doubt(state, snapshot, table):
        return doubt
    return _explain(state, table)


def astray(state: State, snapshot: Snapshot, move: Move) -> Question | None:
    """Return what to ask of a chip that lies where a move has brought it that was
    refused, or taken back: it may stay there, or is put back; `None` if it lies where
    the state says. If a flicked one did not leave the board: where it lies.

    Until it is known, all that follows would be refused as well.
    """
    if state.is_setup or state.outcome is not None:
        return None
    flick = state.next_pending
    if isinstance(move, Settle) and isinstance(flick, PendingFlick):
        is_gone = dict(move.ends).get(flick.chip) == Place(Spot.OFF)
        return where_it_lies(state, flick) if is_gone else None
    chips = resolve(snapshot, state.options, dict(snapshot.answers), is_live=True)
    chip = getattr(move, "chip", None)
    moved = [s for s in shifts(state, chips) if s.chip == chip and not s.is_found]
    return unexplained(state, moved[:1])


def _explain(state: State, table: Seen) -> tuple[Move, ...] | Question:
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


def _doubt(state: State, snapshot: Snapshot, table: Seen) -> Question | None:
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
    state: State, snapshot: Snapshot, table: Seen, question: str, answer: str
) -> str | None:
    """Return the move that follows from an answer, if it is exactly one and does not
    come of other chips."""
    piece = question.partition(":")[2]
    seen = tuple(chip for chip in snapshot.chips if chip.piece == piece)
    if len(seen) != 1:
        return None
    only = replace(snapshot, chips=seen)
    answered = resolve(
        only,
        state.options,
        {**dict(snapshot.answers), question: answer},
        is_live=True,
    )
    if any(q.default is None for chip in answered for q in chip.questions):
        return None
    known = tuple(c for c in table.chips if c.seen.piece != piece and c.is_known)
    moves = _explain(state, replace(table, chips=(*known, *answered)))
    others = _explain(state, replace(table, chips=known))
    if not isinstance(moves, tuple) or len(moves) != 1 or moves == others:
        return None
    return str(moves[0])


def _step(state: State, table: Seen) -> Move | Question | None:
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
            return flick_step(state, flick, table, moved)
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
            return play_step(state, table, moved)


def _setup_step(state: State, table: Seen) -> Move | None:
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


def _counter_question(state: State, table: Seen) -> Question | None:
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
