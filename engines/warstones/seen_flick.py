"""How a flick ended, as the table shows it."""

from __future__ import annotations

from collections.abc import Iterator

from engines.core import Option, Question, RuleRef, Seat, Text
from engines.warstones.judge import chips_text
from engines.warstones.moves import (
    Deploy,
    Move,
    Settle,
)
from engines.warstones.objections import chip_text
from engines.warstones.rules import objection
from engines.warstones.seen import Seen
from engines.warstones.shifts import Shift
from engines.warstones.state import (
    PendingFlick,
    State,
    UnseenFlick,
)
from engines.warstones.terms import (
    ChipId,
    Place,
    Spot,
    chip_seat,
    letter,
)


def flick_step(
    state: State, flick: PendingFlick, table: Seen, moved: tuple[Shift, ...]
) -> Move | Question | None:
    """Return the result of an open flick, a question, or `None` if nothing moved."""
    ends = {
        s.chip: s.end
        for s in moved
        if s.old.spot in _IN_PLAY and (s.chip == flick.chip or not s.is_found)
    }
    if flick.chip not in ends and (twin := _twin(state, flick, moved)) is not None:
        ends[flick.chip] = ends.pop(twin.chip)
    if isinstance(flick, UnseenFlick) and ends.get(flick.chip, _OFF) == _OFF:
        if flick.end is None:
            return None  # people are asked where it lies
        ends[flick.chip] = flick.end
        if (pushed := _pushed_question(state, flick, ends)) is not None:
            return pushed
    if flick.chip not in ends:
        missing, alike = _missing(state, flick, table)
        if not ends and not missing:
            return None
        chip = state.chip(flick.chip)
        assert chip is not None, "a flicked chip is in the state"
        ends[flick.chip] = _OFF if missing else chip.place
        if missing and alike > 1:
            return _gone_question(state, flick, Settle(tuple(ends.items())))
        if missing and (pushed := _pushed_question(state, flick, ends)) is not None:
            return pushed
    settle = Settle(tuple(ends.items()))
    return _contact_question(state, flick, settle) or settle


def _missing(state: State, flick: PendingFlick, table: Seen) -> tuple[bool, int]:
    """Return whether a chip like the flicked one left the Base for nowhere, and how
    many such chips the Base should hold."""
    alike, seen = _based(state, flick.seat, state.options.label(flick.chip), table)
    return flick.chip in alike and seen < len(alike), len(alike)


def _based(
    state: State, seat: Seat, label: str, table: Seen
) -> tuple[list[ChipId], int]:
    """Return the chips of one unit that a Base should hold, and how many it does."""
    based = state.at(Spot.BASE, seat)
    alike = [chip.id for chip in based if state.options.label(chip.id) == label]
    seen = sum(
        (chip.seat, chip.label) == (seat, label)
        and chip.place is not None
        and chip.place.spot is Spot.BASE
        for chip in table.chips
    )
    return alike, seen


def left_base(state: State, seat: Seat, table: Seen) -> Question | None:
    """Ask whether the player at turn flicked a chip from the Base, if one is seen
    nowhere any more: no camera sees what such a flick was."""
    based = state.at(Spot.BASE, seat)
    gone: list[ChipId] = []
    for label in dict.fromkeys(state.options.label(chip.id) for chip in based):
        alike, seen = _based(state, seat, label, table)
        gone += alike[:1] if seen < len(alike) else []
    options = [
        Option(value, text, str(move))
        for chip in gone
        for value, text, move in _flicked(state, seat, chip)
        if objection(state, move) is None
    ]
    if not options:
        return None
    return Question(
        f"left_base:{letter(seat)}",
        seat,
        Text.of("warstones.ask_left_base", chips=chips_text(state, tuple(gone))),
        (*options, Option("wait", Text.of("warstones.none_flicked"))),
        rule=RuleRef("4.5"),
    )


def _flicked(
    state: State, seat: Seat, chip: ChipId
) -> Iterator[tuple[str, Text, Deploy]]:
    """Yield what a flick may have been after which a chip is seen nowhere."""
    name = chip_text(state.options, chip)
    yield chip, Text.of("warstones.flicked_off", chip=name), Deploy(seat, chip)
    unseen = Deploy(seat, chip, unseen=True)
    yield f"lies:{chip}", Text.of("warstones.flicked_unseen", chip=name), unseen


def _pushed_question(
    state: State, flick: PendingFlick, ends: dict[ChipId, Place]
) -> Question | None:
    """Ask whether a flick that nobody saw pushed a chip out of another Base, or whoever
    was next flicked that one."""
    based = {c.id for c in state.chips if c.place.spot is Spot.BASE}
    chips = [c for c in ends if c in based and chip_seat(c) != flick.seat]
    if not chips:
        return None
    alone = tuple((c, place) for c, place in ends.items() if c not in chips)
    texts = Text.of("warstones.next_flicked"), Text.of("warstones.was_pushed")
    settles = Settle(alone), Settle(tuple(ends.items()))
    return Question(
        f"pushed:{chips[0]}",
        None,
        Text.of("warstones.ask_pushed", chips=chips_text(state, tuple(chips))),
        tuple(
            Option(value, text, str(settle))
            for value, text, settle in zip(
                ("own", "pushed"), texts, settles, strict=True
            )
        ),
        rule=RuleRef("4.5"),
    )


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
_OFF = Place(Spot.OFF)


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
