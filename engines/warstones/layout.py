"""From pieces in millimetres to what lies where; strange ones are told, not guessed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from engines.core import Finding, Kind, Piece, Seat, Text, load_kit, surplus
from engines.core.zones import Disc
from engines.warstones.mat import Area
from engines.warstones.objections import token_text
from engines.warstones.options import Options
from engines.warstones.snapshot import (
    SeenChip,
    SeenCity,
    SeenCounter,
    Snapshot,
    footing,
)
from engines.warstones.terms import ROUND_POINTS, player_text

CITY_REACH_MM = 15.0
"""A token on a Fortress may appear so far outside its City space."""
STACKED = 0.9
"""Discs whose centres are closer than this part of their radii together overlap."""

COUNTER, FORTRESS, FIRST_PLAYER = "counter", "fortress", "first-player"


def layout(pieces: Sequence[Piece], options: Options) -> Snapshot:
    """Return what lies in which zone; never raises on a strange table."""
    sound = [piece for piece in pieces if _is_sound(piece)]
    broken = [piece.id for piece in pieces if not _is_sound(piece)]
    discs = [piece for piece in sound if piece.kind is Kind.DISC]
    tokens = [piece for piece in sound if piece.kind is Kind.TOKEN]
    chips = tuple(_chip(piece, options) for piece in discs)
    cities, counters, findings = _tokens(tokens, options)
    if broken:
        message = Text.of("warstones.find_broken", pieces=", ".join(broken))
        findings.append(Finding(message, tuple(broken)))
    findings.extend(_chip_findings(chips, discs, options))
    known = {face.label for face in options.kit.kit.faces}
    labels = (p.label for p in (*discs, *tokens) if p.label in known and p.label)
    boxes = max(Counter(options.factions).values())
    findings.extend(surplus(options.kit.kit, labels, decks=boxes))
    return Snapshot(chips, cities, counters, tuple(findings))


def _is_sound(piece: Piece) -> bool:
    numbers = (piece.x_mm, piece.y_mm, piece.width_mm, *piece.covariance_mm2)
    return all(math.isfinite(n) and abs(n) < 1e6 for n in numbers)


def _chip(piece: Piece, options: Options) -> SeenChip:
    unit = None if piece.label is None else options.kit.unit(piece.label)
    likely = sorted(piece.candidates, key=lambda item: -item[1])
    candidates = tuple(
        dict.fromkeys(label for label, _ in likely if options.kit.unit(label))
    )
    faction = piece.owner if unit is None else unit.faction
    if faction not in options.factions:
        factions = {label.partition(".")[0] for label in candidates}
        seats = tuple(s for s in options.seats if options.factions[s] in factions)
    else:
        seats = tuple(s for s in options.seats if options.factions[s] == faction)
    disc = Disc.of(piece)
    if disc.radius_mm <= 0:
        disc = replace(disc, radius_mm=options.kit.chip_mm / 2)
    ground = footing(options.mat, disc, options.players)
    return SeenChip(
        piece.id,
        piece.label if unit is not None else None,
        candidates,
        _owners(seats, ground.bases, options),
        ground,
        piece.touched,
    )


def _owners(
    seats: tuple[Seat, ...], bases: Sequence[tuple[str, object]], options: Options
) -> tuple[Seat, ...]:
    """Only own units lie in a Base, so it tells two players of one faction apart."""
    if len(seats) < 2 or len(bases) != 1:
        return seats
    base = next(a for a in options.mat.bases if a.id == bases[0][0])
    home = tuple(s for s in base.owners(options.players) if s in seats)
    return home or seats


def _tokens(
    tokens: Sequence[Piece], options: Options
) -> tuple[tuple[SeenCity, ...], tuple[SeenCounter, ...], list[Finding]]:
    cities: dict[str, SeenCity] = {}
    counters: list[SeenCounter] = []
    findings: list[Finding] = []
    for piece in sorted(tokens, key=lambda piece: piece.order):
        if piece.label in {FORTRESS, FIRST_PLAYER}:
            continue
        space, track = _city_space(piece, options), _track(piece, options)
        if piece.label == COUNTER:
            if track is not None:
                counters.extend(_counter(piece, track, options))
        elif space is not None and _may_be_city(piece):
            cities[space.id] = _city(piece, space, options)
        elif piece.label is None and track is not None:
            counters.extend(_counter(piece, track, options))
        else:
            findings.append(_stray(piece, options))
    ordered = (cities[a.id] for a in options.mat.cities if a.id in cities)
    return tuple(ordered), tuple(counters), findings


def _may_be_city(piece: Piece) -> bool:
    return piece.label is None or piece.label.startswith("city.")


def _city_space(piece: Piece, options: Options) -> Area | None:
    def off_centre(area: Area) -> float:
        x, y = area.zone.centre_mm
        return math.hypot(x - piece.x_mm, y - piece.y_mm)

    nearest = min(options.mat.cities, key=off_centre, default=None)
    if nearest is None:
        return None
    left, _, right, _ = nearest.zone.bounds_mm
    reach = (right - left) / 2 + CITY_REACH_MM
    return nearest if off_centre(nearest) <= reach else None


def _track(piece: Piece, options: Options) -> Area | None:
    for area in options.mat.tracks:
        if area.owners(options.players) and area.zone.contains(
            (piece.x_mm, piece.y_mm)
        ):
            return area
    return None


def _city(piece: Piece, space: Area, options: Options) -> SeenCity:
    keys = {city.label: city.key for city in options.kit.cities}
    likely = sorted(piece.candidates, key=lambda item: -item[1])
    candidates = tuple(keys[label] for label, _ in likely if label in keys)
    token = None if piece.label is None else keys.get(piece.label)
    return SeenCity(space.id, piece.id, token, candidates)


def _counter(piece: Piece, track: Area, options: Options) -> Iterator[SeenCounter]:
    """Read a counter: its track is divided into equal spaces from 0 to 5."""
    way = math.radians(track.facing_deg)
    along = [
        x * math.cos(way) + y * math.sin(way)
        for edge in track.zone.edges
        for x, y in (edge[:2],)
    ]
    start, end = min(along), max(along)
    here = piece.x_mm * math.cos(way) + piece.y_mm * math.sin(way)
    spaces = ROUND_POINTS + 1
    points = int((here - start) / (end - start) * spaces)
    points = min(max(points, 0), ROUND_POINTS)
    for seat in track.owners(options.players)[:1]:
        yield SeenCounter(seat, points, piece.id)


def _stray(piece: Piece, options: Options) -> Finding:
    if piece.label is not None and piece.label.startswith("city."):
        name = token_text(options, piece.label.partition(".")[2])
        return Finding(Text.of("warstones.find_city_off", token=name), (piece.id,))
    return Finding(Text.of("warstones.find_unknown_token"), (piece.id,))


@cache
def _stranger(label: str) -> Text:
    """Return what people call a unit that is not in their box: that which is shipped
    may know it."""
    return load_kit("warstones").text(label)


def _chip_findings(
    chips: Sequence[SeenChip], discs: Sequence[Piece], options: Options
) -> Iterator[Finding]:
    for piece, chip in zip(discs, chips, strict=True):
        known = None if piece.label is None else options.kit.unit(piece.label)
        if piece.label is not None and known is None:
            message = Text.of("warstones.find_not_in_kit", label=_stranger(piece.label))
            yield Finding(message, (piece.id,))
        elif known is not None and not chip.seats:
            name = options.kit.faction_text(known.faction)
            message = Text.of("warstones.find_foreign", unit=known.text, faction=name)
            yield Finding(message, (piece.id,))
        if piece.touched:
            yield Finding(Text.of("warstones.find_touched"), (piece.id,))
    yield from _stacks(discs)
    yield from _sides(chips, options)


def _stacks(discs: Sequence[Piece]) -> Iterator[Finding]:
    """A chip on another one is judged by its projection from above (W-24)."""
    across = sorted(discs, key=lambda piece: piece.x_mm)
    for number, one in enumerate(across):
        for two in across[number + 1 :]:
            touching = STACKED * (one.width_mm + two.width_mm) / 2
            if two.x_mm - one.x_mm >= touching:
                break
            if math.hypot(one.x_mm - two.x_mm, one.y_mm - two.y_mm) < touching:
                pieces = (one.id, two.id)
                yield Finding(Text.of("warstones.find_stacked"), pieces)


def _sides(chips: Sequence[SeenChip], options: Options) -> Iterator[Finding]:
    """Chips in somebody else's Base: perhaps the factions sit the other way round."""
    owners = {a.id: a.owners(options.players) for a in options.mat.bases}
    for chip in chips:
        for base, part in chip.footing.bases:
            strangers = [s for s in owners[base] if s not in chip.seats]
            if part.value > 0.5 and chip.seats and strangers:
                player = player_text(strangers[0])
                message = Text.of("warstones.find_foreign_base", player=player)
                yield Finding(message, (chip.piece,))
