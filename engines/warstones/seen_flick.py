"""How a flick ended, as the table shows it."""

from __future__ import annotations

from engines.core import Option, Question, RuleRef, Text
from engines.warstones.moves import (
    Move,
    Settle,
)
from engines.warstones.objections import chip_text
from engines.warstones.seen import Seen
from engines.warstones.shifts import Shift
from engines.warstones.state import (
    PendingFlick,
    State,
)
from engines.warstones.terms import (
    Place,
    Spot,
    chip_seat,
)


def flick_step(
    state: State, flick: PendingFlick, table: Seen, moved: tuple[Shift, ...]
) -> Move | Question | None:
    """Return the result of an open flick, a question, or `None` if nothing moved."""
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


def _missing(state: State, flick: PendingFlick, table: Seen) -> tuple[bool, int]:
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
