"""The mat: sectors, terrain, Bases, Reserves, City spaces and tracks in mm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from engines.core import Seat, Text, names_text
from engines.core.zones import Point, Zone
from engines.warstones.terms import Terrain

EQUAL_DISTANCE_MM = 5.0
"""Sectors whose distances from a Base differ by less are equally far (W-06): a mat
drawn by hand is not exactly symmetrical."""

GRID_MM = 4.0
"""Of a terrain a strip that is narrower than this does not reach into a sector."""


class AreaKind(StrEnum):
    """The kinds of feature of a mat."""

    BOARD = "board"
    SECTOR = "sector"
    CITY = "city"
    BASE = "base"
    RESERVE = "reserve"
    TRACK = "track"
    TERRAIN = "terrain"


@dataclass(frozen=True, slots=True)
class Area:
    """One feature of a mat."""

    kind: AreaKind
    zone: Zone
    names: tuple[tuple[str, str], ...]
    terrain: Terrain = Terrain.PLAIN
    place: str = "lateral"
    """Of a City space: ``central`` or ``lateral``."""
    facing_deg: float = 90.0
    """Of a Base: the way units are flicked. Of a track: the way its numbers rise."""
    seats: tuple[tuple[int, tuple[Seat, ...]], ...] = ()
    """Of a Base, Reserve or track: number of players -> whose it is."""

    @property
    def id(self) -> str:
        """Return the feature's id."""
        return self.zone.id

    @property
    def text(self) -> Text:
        """Return the feature's name."""
        return names_text(self.names, self.zone.id)

    def owners(self, players: int) -> tuple[Seat, ...]:
        """Return whose it is in a game of so many players."""
        return dict(self.seats).get(players, ())


@dataclass(frozen=True, slots=True)
class Mat:
    """A checked mat."""

    name: str
    board: Area
    sectors: tuple[Area, ...]
    cities: tuple[Area, ...]
    bases: tuple[Area, ...]
    reserves: tuple[Area, ...]
    tracks: tuple[Area, ...]
    terrains: tuple[Area, ...]
    city_sectors: tuple[tuple[str, str], ...]
    """City space -> the sector that holds it."""
    neighbours: tuple[tuple[str, tuple[str, ...]], ...]
    """Sector -> the sectors that share a border with it."""

    def sector(self, id: str) -> Area | None:
        """Return the sector of that id."""
        return next((area for area in self.sectors if area.id == id), None)

    def sector_text(self, id: str) -> Text:
        """Return the sector's name, or its id if the mat has none such."""
        area = self.sector(id)
        return Text.of("core.literal", text=id) if area is None else area.text

    def terrains_in(self, sector: str) -> tuple[Terrain, ...]:
        """Return the kinds of terrain that reach into a sector."""
        area = self.sector(sector)
        if area is None:
            return ()
        kinds = (a.terrain for a in self.terrains if _common(a.zone, area.zone))
        return tuple(dict.fromkeys(kinds))

    def city(self, id: str) -> Area | None:
        """Return the City space of that id."""
        return next((area for area in self.cities if area.id == id), None)

    def city_in(self, sector: str) -> str | None:
        """Return the City space in a sector."""
        return next((city for city, held in self.city_sectors if held == sector), None)

    def sector_of_city(self, city: str) -> str:
        """Return the sector that holds a City space; raise `KeyError`."""
        return dict(self.city_sectors)[city]

    def base(self, seat: Seat, players: int) -> Area | None:
        """Return the player's Base."""
        return next((a for a in self.bases if seat in a.owners(players)), None)

    def steps(self, start: str, end: str) -> int | None:
        """Return how many borders lie between two sectors, `None` if no way leads."""
        seen, front, steps = {start}, {start}, 0
        borders = dict(self.neighbours)
        while front:
            if end in front:
                return steps
            front = {b for a in front for b in borders.get(a, ())} - seen
            seen |= front
            steps += 1
        return None

    def distances_mm(self, seat: Seat, players: int) -> dict[str, float]:
        """Return every sector's distance from the player's Base, centre to centre."""
        base = self.base(seat, players)
        if base is None:
            return {}
        return {
            a.id: _apart(a.zone.centre_mm, base.zone.centre_mm) for a in self.sectors
        }


def _common(one: Zone, other: Zone) -> bool:
    """Return whether two zones have points in common."""
    (left, low, right, high), bounds = one.bounds_mm, other.bounds_mm
    xs = _steps(max(left, bounds[0]), min(right, bounds[2]))
    ys = _steps(max(low, bounds[1]), min(high, bounds[3]))
    points = product(xs, ys)
    return any(one.contains(point) and other.contains(point) for point in points)


def _steps(start: float, end: float) -> list[float]:
    return [start + GRID_MM * (n + 0.5) for n in range(int((end - start) // GRID_MM))]


def _apart(a: Point, b: Point) -> float:
    return math.hypot(a[0] - b[0], a[1] - b[1])
