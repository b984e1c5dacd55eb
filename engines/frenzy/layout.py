"""From pieces on the table to what lies in which region."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engines.core import Finding, Kind, Piece, Seat
from engines.frenzy.cards import (
    BATTLEFIELDS,
    NUMBERS,
    SEATS,
    ZONES,
    Faction,
    Region,
    Side,
    Zone,
    seat_name,
)
from engines.frenzy.grid import (
    Grid,
    Possible,
    Row,
    extent,
    filled_row,
    find_row,
    grid_of,
    overlap,
    row_pitch,
    rows_at,
)
from engines.frenzy.noticed import CARDS, Placed, fouls_found, labels_found
from engines.frenzy.options import Options
from engines.frenzy.snapshot import Doubt, Pile, Seen, Snapshot
from engines.frenzy.texts import say

FACTIONS: Mapping[str, Faction] = {faction.value: faction for faction in Faction}
OWNERS: Mapping[str, Seat] = {seat_name(seat): seat for seat in SEATS}
"""A piece's owner may be a player, too: ``P1``, where the decks are known apart."""
WIDEST_MM = 100_000.0
"""Nothing on a table lies farther away; such a place is a mistake."""


@dataclass(frozen=True, slots=True)
class Table:
    """The grid and the row that it was found by."""

    grid: Grid
    row: Row
    faces: tuple[Side | None, Side | None, Side | None]
    is_swapped: bool = False
    """The first half of the grid belongs to the second seat."""


def laid_out(pieces: Sequence[Piece], options: Options) -> Snapshot:
    """Return what lies in which region."""
    cards, findings = _readable(pieces)
    table, notes = _find_table(cards, options)
    findings += notes
    if table is None:
        faces = _faces(_by_number(cards))
        return Snapshot(faces=faces, findings=tuple(findings), is_laid_out=False)
    row = {piece.id for piece in table.row.pieces}
    others = [piece for piece in cards if piece.id not in row]
    placed = _placed(others, table, options)
    findings += labels_found(placed)
    placed = [each for each in placed if each.piece.label not in BATTLEFIELDS]
    first, second = (_piles(placed, seat) for seat in SEATS)
    doubts = tuple(
        Doubt(each.seen, each.regions, each.may_be_off)
        for each in placed
        if not each.is_sure and each.piece.kind is Kind.CARD
    )
    findings += fouls_found(placed, (first, second), options)
    return Snapshot((first, second), table.faces, doubts, tuple(findings))


def _readable(pieces: Sequence[Piece]) -> tuple[list[Piece], list[Finding]]:
    """Return the cards, and what is said about all other things."""
    cards, findings = [], []
    for piece in pieces:
        if not _is_somewhere(piece):
            findings.append(Finding(say("found_nowhere"), (piece.id,)))
        elif piece.kind in (Kind.CARD, Kind.BACK):
            cards.append(piece)
        else:
            findings.append(Finding(say("found_no_card"), (piece.id,)))
    return cards, findings


def _is_somewhere(piece: Piece) -> bool:
    numbers = (piece.x_mm, piece.y_mm, piece.angle_deg, *piece.covariance_mm2)
    sizes = (piece.width_mm, piece.height_mm)
    return (
        all(math.isfinite(number) for number in (*numbers, *sizes))
        and abs(piece.x_mm) < WIDEST_MM
        and abs(piece.y_mm) < WIDEST_MM
        and all(0 < size < WIDEST_MM for size in sizes)
    )


def _by_number(cards: Iterable[Piece]) -> dict[int, list[Piece]]:
    found: dict[int, list[Piece]] = {number: [] for number in NUMBERS}
    for piece in cards:
        if piece.kind is Kind.CARD and piece.label in BATTLEFIELDS:
            found[BATTLEFIELDS[piece.label][0]].append(piece)
    return found


def _faces(
    by_number: Mapping[int, Sequence[Piece]],
) -> tuple[Side | None, Side | None, Side | None]:
    one, two, three = (
        _face(by_number[number][0]) if len(by_number[number]) == 1 else None
        for number in NUMBERS
    )
    return one, two, three


def _face(piece: Piece) -> Side | None:
    return BATTLEFIELDS[piece.label][1] if piece.label in BATTLEFIELDS else None


def _find_table(
    cards: Sequence[Piece], options: Options
) -> tuple[Table | None, list[Finding]]:
    by_number = _by_number(cards)
    known = {number: found[0] for number, found in by_number.items() if found}
    others = [piece for piece in cards if piece.label not in BATTLEFIELDS]
    findings = []
    row = find_row(by_number, others)
    if row is None and len(known) == 2:
        unread = [p for p in others if p.kind is Kind.CARD and p.label is None]
        if (filled := filled_row(known, unread)) is not None:
            missing, row = filled
            piece = row.pieces[missing - 1]
            findings.append(Finding(say("found_filled", number=missing), (piece.id,)))
    if row is None:
        return None, [_no_row(known)]
    one, two, three = (_face(piece) for piece in row.pieces)
    faces = (one, two, three)
    if _is_out_of_order(faces):
        findings.append(
            Finding(say("found_out_of_order"), tuple(p.id for p in row.pieces))
        )
    grid = grid_of(row)
    ids = {piece.id for piece in row.pieces}
    around = [piece for piece in others if piece.id not in ids]
    return Table(grid, row, faces, _is_swapped(grid, around, options)), findings


def _no_row(known: Mapping[int, Piece]) -> Finding:
    pieces = tuple(piece.id for piece in known.values())
    if len(known) == len(NUMBERS):
        return Finding(say("found_no_row"), pieces)
    missing = ", ".join(f"F{number}" for number in NUMBERS if number not in known)
    return Finding(say("found_missing", missing=missing), pieces)


def _is_out_of_order(faces: Iterable[Side | None]) -> bool:
    seen = [face for face in faces if face is not None]
    return seen != sorted(seen, key=lambda face: face is Side.BLUE)


def _is_swapped(grid: Grid, cards: Iterable[Piece], options: Options) -> bool:
    """Return whether the decks, where they differ, say that the sides are swapped."""
    votes = 0
    for piece in cards:
        seat = _owner(piece, options)
        if seat is not None and piece.kind is Kind.CARD:
            is_in_first = grid.locate(piece)[1] > 0
            votes += 1 if (seat == SEATS[0]) is is_in_first else -1
    return votes < 0


def _owner(piece: Piece, options: Options) -> Seat | None:
    """Return whose deck a card is of, `None` where the decks do not tell."""
    owner = piece.owner or ""
    if owner in OWNERS:
        return OWNERS[owner]
    faction, (first, second) = FACTIONS.get(owner.lower()), options.factions
    if faction is None or first is second:
        return None
    return next((seat for seat in SEATS if options.factions[seat] is faction), None)


def _faction(piece: Piece, options: Options) -> Faction | None:
    owner = piece.owner or ""
    if owner in OWNERS:
        return options.factions[OWNERS[owner]]
    return FACTIONS.get(owner.lower())


def _placed(cards: Sequence[Piece], table: Table, options: Options) -> list[Placed]:
    """Return the cards that lie in a region or may do so; others are left out."""
    grid = table.grid
    spots = [(piece, *grid.locate(piece)) for piece in cards]
    placed = []
    for half, seat in zip((1, -1), _seats(table), strict=True):
        own = [(p, along, half * across) for p, along, across in spots]
        own = [each for each in own if each[2] > 0 or (each[2] == 0 and half == 1)]
        pitch_mm = _pitch(own, grid)
        for piece, along_mm, depth_mm in own:
            columns = grid.columns_at(along_mm, piece.sigma_mm)
            rows = rows_at(depth_mm, pitch_mm, piece.sigma_mm)
            seen = _seen(piece, options)
            found = _place(piece, seen, seat, columns, rows)
            if found is not None:
                placed.append(found)
    return placed


def _seats(table: Table) -> tuple[Seat, Seat]:
    return (SEATS[1], SEATS[0]) if table.is_swapped else SEATS


def _pitch(own: Sequence[tuple[Piece, float, float]], grid: Grid) -> float:
    near = [
        (piece, depth_mm)
        for piece, along_mm, depth_mm in own
        if grid.columns_at(along_mm, 0.0).numbers
        and depth_mm > 0.4 * grid.extent_mm
        and piece.label not in BATTLEFIELDS
    ]
    extents = [grid.extent_mm, *(extent(piece, grid.along) for piece, _ in near)]
    return row_pitch([depth for _, depth in near], sum(extents) / len(extents))


def _place(
    piece: Piece, seen: Seen, seat: Seat, columns: Possible, rows: Possible
) -> Placed | None:
    if not rows.numbers or not columns.numbers:
        return None
    zones: dict[Zone, None] = {}
    for row in rows.numbers:
        if row == 3:
            zones[Zone.HQ] = None
        else:
            zones.update(
                (Zone(f"{'BS'[row - 1]}{column}"), None) for column in columns.numbers
            )
    if piece.kind is Kind.BACK and (piece.touched or Zone.HQ in zones):
        return None  # a deck in the hand, or beside the Headquarters
    regions = tuple(Region(seat, zone) for zone in zones)
    return Placed(piece, seen, regions, rows.may_be_off or columns.may_be_off)


def _seen(piece: Piece, options: Options) -> Seen:
    is_face_up = piece.kind is Kind.CARD
    return Seen(
        CARDS.get(piece.label or "") if is_face_up else None,
        piece.id,
        piece.order,
        piece.touched,
        _faction(piece, options),
        tuple((CARDS[k], p) for k, p in piece.candidates if k in CARDS),
    )


def _piles(placed: Sequence[Placed], seat: Seat) -> tuple[Pile, ...]:
    found: dict[Zone, list[Placed]] = {zone: [] for zone in ZONES}
    for each in placed:
        if each.is_sure and each.regions[0].seat == seat:
            found[each.regions[0].zone].append(each)
    return tuple(_pile(found[zone], zone) for zone in ZONES)


def _pile(placed: list[Placed], zone: Zone) -> Pile:
    """Return the pile from the top; a touched card is the one laid last."""
    placed = sorted(
        placed, key=lambda each: (each.seen.touched, each.piece.order), reverse=True
    )
    cards = tuple(each.seen for each in placed)
    if zone is Zone.HQ or len(placed) < 2:
        return Pile(cards)
    if placed[0].seen.touched and not placed[1].seen.touched:
        placed = placed[1:]
    top, *rest = placed
    rivals = [
        each.piece.id
        for each in rest
        if each.piece.order == top.piece.order or not overlap(top.piece, each.piece)
    ]
    return Pile(cards, (top.piece.id, *rivals) if rivals else ())
