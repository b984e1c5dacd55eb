"""The sheet of one look at the table: sectors, players, chips, totals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engines.core import Cell, Finding, Row, Seat, Sheet, Text
from engines.warstones.fights import Look, cell, helpers_of, sector_row
from engines.warstones.options import Options
from engines.warstones.resolve import Resolved, city_tokens, resolve, table_state
from engines.warstones.scoring import movement_cost
from engines.warstones.snapshot import Snapshot
from engines.warstones.state import Chip
from engines.warstones.terms import BASE_LIMIT, Spot, letter, player_text


def score_table(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> Sheet:
    """Return the sheet of one look at the table."""
    chips = resolve(snapshot, options, answers)
    tokens, city_questions = city_tokens(snapshot, options, answers)
    state, ids = table_state(chips, tokens, options)
    unknown = tuple(chip for chip in chips if chip.seen.piece not in ids)
    look = Look(options, chips, unknown, state, ids, helpers_of(state), tokens)
    rows = (
        *(sector_row(look, area) for area in options.mat.sectors),
        *(_home_row(look, seat) for seat in options.seats),
        *(_chip_row(look, chip) for chip in chips),
    )
    asked = (question for chip in chips for question in chip.questions)
    return Sheet(
        "warstones",
        rows,
        tuple(_totals(look)),
        # What nobody has named may be no chip at all: it is asked about, not ruled on.
        tuple(r for chip in chips if chip.label is not None for r in chip.rulings),
        (*asked, *city_questions),
        (*snapshot.findings, *_findings(look)),
    )


# Bases, Reserves, chips


def _home_row(look: Look, seat: Seat) -> Row:
    base = look.state.at(Spot.BASE, seat)
    reserve = look.state.at(Spot.RESERVE, seat)
    margin = look.state.at(Spot.MARGIN, seat)
    return Row(
        f"player:{letter(seat)}",
        player_text(seat),
        (
            cell("base", "base", _labels(look, base)),
            cell("base_count", "base_count", len(base)),
            cell("reserve", "reserve", _labels(look, reserve)),
            cell("margin", "margin", _labels(look, margin)),
            cell("off_board", "off_board", _off_board(look, seat)),
        ),
    )


def _labels(look: Look, chips: tuple[Chip, ...]) -> tuple[str, ...]:
    return tuple(look.options.label(chip.id) for chip in chips)


def _off_board(look: Look, seat: Seat) -> tuple[str, ...]:
    return tuple(
        chip.label
        for chip in look.chips
        if chip.label is not None and chip.seat == seat and _is_off(chip)
    )


def _is_off(chip: Resolved) -> bool:
    return chip.place is not None and chip.place.spot is Spot.OFF


def _chip_row(look: Look, chip: Resolved) -> Row:
    place, line, share = chip.place, chip.line, _share(chip)
    strength, cost = _on_field(look, chip)
    return Row(
        f"chip:{chip.seen.piece}",
        chip.name,
        (
            cell("unit", "unit", chip.label),
            cell("player", "player", None if chip.seat is None else letter(chip.seat)),
            cell("zone", "zone", _zone(chip)),
            cell("terrain", "terrain", None if place is None else place.terrain.value),
            cell("share", "share", None if share is None else round(share, 4)),
            cell("line_mm", "line_mm", None if line is None else round(line.value, 2)),
            cell(
                "sigma_mm", "sigma_mm", None if line is None else round(line.sigma, 2)
            ),
            cell("strength", "chip_strength", strength),
            cell("move_cost", "move_cost", cost),
        ),
    )


def _on_field(look: Look, chip: Resolved) -> tuple[int | None, int | None]:
    """Return the Strength of a chip in a sector and what its Movement costs."""
    known = look.ids.get(chip.seen.piece)
    found = None if known is None else look.state.chip(known)
    if found is None or found.sector is None:
        return None, None
    return look.state.strength(found), movement_cost(look.state.terrain(found))


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


def _totals(look: Look) -> Iterator[Cell]:
    yield cell("goal", "goal", look.options.goal)
    for seat in look.options.seats:
        player, key = player_text(seat), letter(seat)
        sectors = [area.id for area in look.options.mat.sectors]
        chips = [c for c in look.state.chips if c.seat == seat and c.sector is not None]
        is_open = any(look.is_open(sector, seat) for sector in sectors)
        total = sum(look.state.strength(chip) for chip in chips)
        value = None if is_open else total
        yield cell(f"strength_{key}", "strength", value, player=player)
        # Conquered tokens lie with the players, outside the picture.
        yield cell(f"victory_points_{key}", "victory_points", None, player=player)


def _findings(look: Look) -> Iterator[Finding]:
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
