"""The sheet of one look at the table: chips, sectors, Bases, attacks and sieges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engines.core import Cell, Finding, Row, Seat, Sheet, Text
from engines.warstones import field
from engines.warstones.mat import Area
from engines.warstones.moves import Attack, Besiege
from engines.warstones.options import Options
from engines.warstones.resolve import Resolved, city_tokens, resolve, table_state
from engines.warstones.scoring import movement_cost
from engines.warstones.snapshot import Snapshot
from engines.warstones.state import Chip, State
from engines.warstones.terms import BASE_LIMIT, ChipId, Spot, letter, player_text


@dataclass(frozen=True, slots=True)
class _Look:
    """One look at the table, resolved."""

    options: Options
    chips: tuple[Resolved, ...]
    state: State
    ids: Mapping[str, ChipId]
    tokens: Mapping[str, str | None]

    def is_open(self, sector: str, seat: Seat) -> bool:
        """Return whether an unknown chip may count for the player in the sector."""
        return any(
            sector in chip.sectors
            and chip.seen.piece not in self.ids
            and chip.seat in {None, seat}
            for chip in self.chips
        )


def score_table(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> Sheet:
    """Return the sheet of one look at the table."""
    chips = resolve(snapshot, options, answers)
    tokens, city_questions = city_tokens(snapshot, options, answers)
    state, ids = table_state(chips, tokens, options)
    look = _Look(options, chips, state, ids, tokens)
    rows = (
        *(_sector_row(look, area) for area in options.mat.sectors),
        *(_home_row(look, seat) for seat in options.seats),
        *(_chip_row(look, chip) for chip in chips),
    )
    asked = (question for chip in chips for question in chip.questions)
    return Sheet(
        "warstones",
        rows,
        tuple(_totals(look)),
        tuple(ruling for chip in chips for ruling in chip.rulings),
        (*asked, *city_questions),
        (*snapshot.findings, *_findings(look)),
    )


def _cell(key: str, title: str, value: object, /, **names: Text) -> Cell:
    if not (value is None or isinstance(value, str | int | float | bool | Text | tuple)):
        raise TypeError(f"{key} is not a figure")
    return Cell(key, Text.of(f"warstones.col_{title}", **names), value)


# Sectors


def _sector_row(look: _Look, area: Area) -> Row:
    cells = [
        cell
        for seat in look.options.seats
        for cell in _presence_cells(look, area.id, seat)
    ]
    cells.extend(_attack_cells(look, area.id))
    city = look.options.mat.city_in(area.id)
    if city is not None:
        cells.extend(_city_cells(look, area.id, city))
    return Row(area.id, area.text, tuple(cells))


def _presence_cells(look: _Look, sector: str, seat: Seat) -> Iterator[Cell]:
    chips = look.state.in_sector(sector, seat)
    player = player_text(seat)
    labels = tuple(look.options.label(chip.id) for chip in chips)
    yield _cell(f"units_{letter(seat)}", "units", labels, player=player)
    strength = sum(look.state.strength(chip) for chip in chips)
    value = None if look.is_open(sector, seat) else strength
    yield _cell(f"strength_{letter(seat)}", "strength", value, player=player)


def _attack_cells(look: _Look, sector: str) -> Iterator[Cell]:
    """Yield the damage of each attack that is possible here, alone and with all help."""
    for seat in look.options.seats:
        for target in look.options.opponents(seat):
            move = Attack(seat, sector, target)
            if not _may_fight(look, move, target):
                continue
            key = f"attack_{letter(seat)}{letter(target)}"
            names = {"player": player_text(seat), "target": player_text(target)}
            open_ = look.is_open(sector, seat) or look.is_open(sector, target)
            alone = None if open_ else field.damage_of(look.state, move).total
            yield _cell(key, "attack", alone, **names)
            helpers = _useful_helpers(look.state, move)
            if helpers:
                helped = Attack(seat, sector, target, helpers)
                value = None if open_ else field.damage_of(look.state, helped).total
                yield _cell(f"{key}_helped", "attack_helped", value, **names)


def _may_fight(look: _Look, move: Attack, target: Seat) -> bool:
    """Return whether there is somebody to attack and somebody who attacks."""
    state = look.state
    if not state.in_sector(move.sector, target):
        return False
    if state.in_sector(move.sector, move.seat):
        return True
    present = field.is_present(state, move.seat, move.sector, rule="4.6") is None
    return present and bool(_useful_helpers(state, move))


def _useful_helpers(state: State, move: Attack | Besiege) -> tuple[ChipId, ...]:
    return tuple(chip.id for chip in field.possible_helpers(state, move))


def _city_cells(look: _Look, sector: str, city: str) -> Iterator[Cell]:
    token = look.tokens.get(city)
    kind = None if token is None else look.options.kit.city(token)
    empty = city in look.tokens and token is None
    name = Text.of("warstones.no_city") if empty else None if kind is None else kind.text
    yield _cell("token", "token", name)
    yield _cell("defence", "defence", None if kind is None else kind.defence)
    counter = None if kind is None else kind.counterattack
    yield _cell("counterattack", "counterattack", counter)
    yield _cell("points", "points", None if kind is None else kind.points)
    if empty:
        return
    for seat in look.options.seats:
        yield from _siege_cells(look, sector, seat, None if kind is None else kind.defence)


def _siege_cells(
    look: _Look, sector: str, seat: Seat, defence: int | None
) -> Iterator[Cell]:
    move = Besiege(seat, sector)
    helpers = _useful_helpers(look.state, move)
    if field.is_present(look.state, seat, sector, rule="4.7") is not None:
        return
    player = player_text(seat)
    open_ = look.is_open(sector, seat)
    for suffix, used in (("", ()), ("_helped", helpers)):
        if suffix and not helpers:
            return
        move = Besiege(seat, sector, used)
        if not any(c.sector == sector for c in field.participants(look.state, move)):
            continue
        total = None if open_ else field.siege_total(look.state, move)
        key = f"siege_{letter(seat)}{suffix}"
        yield _cell(key, f"siege{suffix}", total, player=player)
        conquers = None if total is None or defence is None else total >= defence
        key = f"conquers_{letter(seat)}{suffix}"
        yield _cell(key, f"conquers{suffix}", conquers, player=player)


# Bases, Reserves, chips


def _home_row(look: _Look, seat: Seat) -> Row:
    base = look.state.at(Spot.BASE, seat)
    reserve = look.state.at(Spot.RESERVE, seat)
    margin = look.state.at(Spot.MARGIN, seat)
    return Row(
        f"player:{letter(seat)}",
        player_text(seat),
        (
            _cell("base", "base", _labels(look, base)),
            _cell("base_count", "base_count", len(base)),
            _cell("reserve", "reserve", _labels(look, reserve)),
            _cell("margin", "margin", _labels(look, margin)),
            _cell("off_board", "off_board", _off_board(look, seat)),
        ),
    )


def _labels(look: _Look, chips: tuple[Chip, ...]) -> tuple[str, ...]:
    return tuple(look.options.label(chip.id) for chip in chips)


def _off_board(look: _Look, seat: Seat) -> tuple[str, ...]:
    return tuple(
        chip.label
        for chip in look.chips
        if chip.label is not None and chip.seat == seat and _is_off(chip)
    )


def _is_off(chip: Resolved) -> bool:
    return chip.place is not None and chip.place.spot is Spot.OFF


def _chip_row(look: _Look, chip: Resolved) -> Row:
    place, line = chip.place, chip.line
    known = look.ids.get(chip.seen.piece)
    found = None if known is None else look.state.chip(known)
    on_field = found is not None and found.sector is not None
    share = _share(chip)
    return Row(
        f"chip:{chip.seen.piece}",
        chip.name,
        (
            _cell("unit", "unit", chip.label),
            _cell("player", "player", None if chip.seat is None else letter(chip.seat)),
            _cell("zone", "zone", _zone(chip)),
            _cell("terrain", "terrain", None if place is None else place.terrain.value),
            _cell("share", "share", None if share is None else round(share, 4)),
            _cell("line_mm", "line_mm", None if line is None else round(line.value, 2)),
            _cell(
                "sigma_mm", "sigma_mm", None if line is None else round(line.sigma, 2)
            ),
            _cell(
                "strength",
                "chip_strength",
                look.state.strength(found) if on_field and found else None,
            ),
            _cell(
                "move_cost",
                "move_cost",
                movement_cost(look.state.terrain(found)) if on_field and found else None,
            ),
        ),
    )


def _zone(chip: Resolved) -> str | None:
    if chip.place is None:
        return None
    return chip.place.sector or chip.place.spot.value


def _share(chip: Resolved) -> float | None:
    if chip.place is None or chip.place.sector is None:
        return None
    part = dict(chip.seen.footing.sectors).get(chip.place.sector)
    return 0.0 if part is None else part.value


# Totals and findings


def _totals(look: _Look) -> Iterator[Cell]:
    yield _cell("goal", "goal", look.options.goal)
    for seat in look.options.seats:
        player, key = player_text(seat), letter(seat)
        sectors = [area.id for area in look.options.mat.sectors]
        chips = [c for c in look.state.chips if c.seat == seat and c.sector is not None]
        is_open = any(look.is_open(sector, seat) for sector in sectors)
        total = sum(look.state.strength(chip) for chip in chips)
        value = None if is_open else total
        yield _cell(f"strength_{key}", "strength", value, player=player)
        # Conquered tokens lie with the players, outside the picture.
        yield _cell(f"victory_points_{key}", "victory_points", None, player=player)


def _findings(look: _Look) -> Iterator[Finding]:
    for seat in look.options.seats:
        base = look.state.at(Spot.BASE, seat)
        if len(base) > BASE_LIMIT:
            text = Text.of(
                "warstones.find_base_full",
                player=player_text(seat),
                count=len(base),
                limit=BASE_LIMIT,
            )
            ids = {chip.id for chip in base}
            yield Finding(text, tuple(p for p, i in look.ids.items() if i in ids))
    off = tuple(chip.seen.piece for chip in look.chips if _is_off(chip))
    if off:
        yield Finding(Text.of("warstones.find_off_board"), off)
    if look.options.kit.is_sample:
        yield Finding(Text.of("warstones.find_sample_kit"))
