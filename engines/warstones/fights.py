"""The figures of one sector: who stands there, what attacks and sieges would do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from engines.core import Cell, Row, Seat, Text
from engines.warstones import field
from engines.warstones.mat import Area
from engines.warstones.moves import Attack, Besiege
from engines.warstones.options import Options
from engines.warstones.resolve import Resolved
from engines.warstones.state import State
from engines.warstones.terms import ChipId, letter, player_text


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the table, resolved."""

    options: Options
    chips: tuple[Resolved, ...]
    unknown: tuple[Resolved, ...]
    """Those of them that are not in the state."""
    state: State
    ids: Mapping[str, ChipId]
    """Piece -> chip of the state."""
    helpers: State
    """The same with only the units that may help in another sector or an ally."""
    tokens: Mapping[str, str | None]

    def is_open(self, sector: str, seat: Seat) -> bool:
        """Return whether an unknown chip may count for the player in the sector."""
        return any(
            sector in chip.sectors and seat in chip.seats for chip in self.unknown
        )


def cell(
    key: str,
    title: str,
    value: str | float | bool | Text | tuple[str, ...] | None,
    /,
    **names: Text,
) -> Cell:
    """Return a figure with its title."""
    if names:
        return Cell(key, Text.of(f"warstones.col_{title}", **names), value)
    return Cell(key, _plain_title(title), value)


@cache
def _plain_title(title: str) -> Text:
    return Text.of(f"warstones.col_{title}")


def helpers_of(state: State) -> State:
    """Return a state with only the units that may help elsewhere or an ally."""
    if state.options.teams != "none":
        return state
    units = ((chip, state.unit(chip)) for chip in state.chips)
    ranged = (chip for chip, unit in units if unit.attack_range or unit.siege_range)
    return replace(state, chips=tuple(ranged))


def sector_row(look: Look, area: Area) -> Row:
    """Return the figures of a sector."""
    sector = area.id
    cells = [c for seat in look.options.seats for c in _presence(look, sector, seat)]
    there = {chip.seat for chip in look.state.in_sector(sector)}
    city = look.options.mat.city_in(sector)
    if len(there) > 1:
        cells.extend(_attacks(look, sector, there))
    if city is not None:
        cells.extend(_city(look, sector, city, there))
    return Row(sector, area.text, tuple(cells))


def _presence(look: Look, sector: str, seat: Seat) -> Iterator[Cell]:
    chips, player = look.state.in_sector(sector, seat), player_text(seat)
    labels = tuple(look.options.label(chip.id) for chip in chips)
    yield cell(f"units_{letter(seat)}", "units", labels, player=player)
    strength = sum(look.state.strength(chip) for chip in chips)
    value = None if look.is_open(sector, seat) else strength
    yield cell(f"strength_{letter(seat)}", "strength", value, player=player)


def _attacks(look: Look, sector: str, there: set[Seat]) -> Iterator[Cell]:
    """Yield the damage of each possible attack, alone and with all help."""
    options = look.options
    for seat in options.seats:
        targets = [target for target in options.opponents(seat) if target in there]
        helpers = _helpers(look, Attack(seat, sector, seat), there) if targets else ()
        if seat not in there and not helpers:
            continue
        for target in targets:
            is_open = look.is_open(sector, seat) or look.is_open(sector, target)
            key = f"attack_{letter(seat)}{letter(target)}"
            names = {"player": player_text(seat), "target": player_text(target)}
            for suffix, used in (("", ()), ("_helped", helpers)):
                if not suffix or used:
                    move = Attack(seat, sector, target, used)
                    damage = field.damage_of(look.state, move).total
                    value = None if is_open else damage
                    yield cell(f"{key}{suffix}", f"attack{suffix}", value, **names)


def _helpers(
    look: Look, move: Attack | Besiege, there: set[Seat]
) -> tuple[ChipId, ...]:
    """Return all units that may help, if the side may fight in the sector at all."""
    present = (
        look.options.team(move.seat) if look.options.ally_presence else (move.seat,)
    )
    if there.isdisjoint(present):
        return ()
    return tuple(chip.id for chip in field.possible_helpers(look.helpers, move))


def _city(look: Look, sector: str, city: str, there: set[Seat]) -> Iterator[Cell]:
    token = look.tokens.get(city)
    kind = None if token is None else look.options.kit.city(token)
    is_empty = city in look.tokens and token is None
    name = Text.of("warstones.empty_fortress") if is_empty else None
    yield cell("token", "token", name if kind is None else kind.text)
    yield cell("defence", "defence", None if kind is None else kind.defence)
    counter = None if kind is None else kind.counterattack
    yield cell("counterattack", "counterattack", counter)
    yield cell("points", "points", None if kind is None else kind.points)
    for seat in () if is_empty else look.options.seats:
        helpers = _helpers(look, Besiege(seat, sector), there)
        is_open = look.is_open(sector, seat)
        for suffix, used in (("", ()), ("_helped", helpers)):
            move = Besiege(seat, sector, used)
            if (suffix and not used) or not _besieges(look, move, there):
                continue
            total = None if is_open else field.siege_total(look.state, move)
            defence = None if kind is None else kind.defence
            yield from _siege(seat, suffix, total, defence)


def _besieges(look: Look, move: Besiege, there: set[Seat]) -> bool:
    """Return whether a unit in the City sector itself takes part."""
    return move.seat in there or any(
        chip.sector == move.sector for chip in field.participants(look.state, move)
    )


def _siege(
    seat: Seat, suffix: str, total: int | None, defence: int | None
) -> Iterator[Cell]:
    player = player_text(seat)
    yield cell(f"siege_{letter(seat)}{suffix}", f"siege{suffix}", total, player=player)
    conquers = None if total is None or defence is None else total >= defence
    key = f"conquers_{letter(seat)}{suffix}"
    yield cell(key, f"conquers{suffix}", conquers, player=player)
