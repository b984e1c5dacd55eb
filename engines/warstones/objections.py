"""Small things that all rule functions use."""

from __future__ import annotations

from engines.core import Objection, RuleRef, Seat, Text
from engines.core.text import Value
from engines.warstones.options import Options
from engines.warstones.state import State
from engines.warstones.terms import (
    ChipId,
    chip_number,
    chip_seat,
    chip_unit,
    player_text,
)


def no(rule: str, message: str, /, **values: Value) -> Objection:
    """Return an objection by a rule, with a sentence of this game."""
    return Objection(RuleRef(rule), Text.of(f"warstones.{message}", **values))


def chip_text(options: Options, chip: ChipId) -> Text:
    """Return a chip's name in sentences: unit, number and whose."""
    unit = options.unit(chip)
    name = Text.of("core.literal", text=chip_unit(chip)) if unit is None else unit.text
    return Text.of(
        "warstones.chip",
        unit=name,
        number=chip_number(chip),
        player=player_text(chip_seat(chip)),
    )


def token_text(options: Options, token: str) -> Text:
    """Return a City token's name in sentences."""
    city = options.kit.city(token)
    return Text.of("core.literal", text=token) if city is None else city.text


def known_seat(state: State, seat: Seat) -> Objection | None:
    """Nobody plays who is not at the table."""
    if seat < state.options.players:
        return None
    return no("2", "no_such_player", player=player_text(seat))


def known_chip(state: State, chip: ChipId) -> Objection | None:
    """A move speaks of a chip of somebody's army."""
    if state.chip(chip) is not None:
        return None
    return no("2", "no_such_chip", chip=chip_text(state.options, chip))


def own_chip(state: State, seat: Seat, chip: ChipId, *, rule: str) -> Objection | None:
    """A player recruits, deploys and moves own chips only, never an ally's."""
    if refusal := known_chip(state, chip):
        return refusal
    if chip_seat(chip) == seat:
        return None
    return no(rule, "not_own_chip", chip=chip_text(state.options, chip))


def known_sector(state: State, sector: str) -> Objection | None:
    """A move speaks of a sector of the mat."""
    if state.options.mat.sector(sector) is not None:
        return None
    return no("3", "no_such_sector", sector=sector)


def on_turn(state: State, seat: Seat) -> Objection | None:
    """Players act one after the other, and only when nothing is left to settle."""
    if refusal := known_seat(state, seat):
        return refusal
    if refusal := is_running(state):
        return refusal
    if state.overfull is not None or state.pending:
        return no("4.1", "settle_first")
    if state.turn != seat and state.turn is not None:
        if not state.points[seat]:
            return no("4.1", "no_points", player=player_text(seat))
        return no("4.1", "not_on_turn", player=player_text(state.turn))
    return None


def is_running(state: State) -> Objection | None:
    """Before the start only the set-up is done."""
    return no("2", "not_started") if state.is_setup else None


def can_pay(state: State, seat: Seat, cost: int) -> Objection | None:
    """A move that costs more than the action points left is not available."""
    left = state.points[seat]
    if cost <= left:
        return None
    return no("4.1", "too_dear", cost=cost, left=left)
