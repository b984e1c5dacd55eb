"""Reads and checks a mat: GeoJSON in millimetres; messages name the feature."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING

from engines.core import KitError, Seat
from engines.core.zones import Point, Zone
from engines.warstones.mat import Area, AreaKind, Mat
from engines.warstones.terms import RESERVED_NAMES, Terrain

if TYPE_CHECKING:
    from shapely import MultiPolygon

SECTORS, CITIES = 9, 3
SEAM_MM = 3.0
"""Lines drawn by hand may miss or cross each other by so much."""
LEAST_BOARD_MM = 100.0

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_TERRAINS = {
    "forest": Terrain.FOREST,
    "hill": Terrain.HILL,
    "swamp": Terrain.SWAMP,
    "lake": Terrain.WATER,
    "river": Terrain.WATER,
    "water": Terrain.WATER,
}
_PLACES = ("central", "lateral")


@cache
def arbitro_mat() -> Mat:
    """Return the mat that ships: our own drawing of 90 x 90 cm."""
    text = (files("engines.warstones") / "mat.geojson").read_text("utf-8")
    return parse_mat(json.loads(text))


def parse_mat(data: Mapping[str, object]) -> Mat:
    """Return the mat that a parsed GeoJSON file describes; raise `KitError`.

    Every feature needs an id, properties with its `kind`, and a Polygon or
    MultiPolygon in millimetres, x right and y away from the near edge.
    """
    if data.get("type") != "FeatureCollection":
        raise KitError('a mat must be a GeoJSON object of type "FeatureCollection"')
    features = data.get("features")
    if not isinstance(features, list) or not features:
        raise KitError("a mat must list at least one feature")
    areas, shapes = [], {}
    for number, feature in enumerate(features, start=1):
        area, shape = _area(feature, number)
        if area.id in shapes:
            raise KitError(f"feature {number} ({area.id!r}): the id is used twice")
        areas.append(area)
        shapes[area.id] = shape
    of_kind = {kind: tuple(a for a in areas if a.kind is kind) for kind in AreaKind}
    _check_counts(of_kind, is_scenario="scenario" in data)
    board = of_kind[AreaKind.BOARD][0]
    _check_shapes(areas, shapes, board)
    _check_owners(of_kind)
    return Mat(
        str(data.get("name", "mat")),
        board,
        of_kind[AreaKind.SECTOR],
        of_kind[AreaKind.CITY],
        of_kind[AreaKind.BASE],
        of_kind[AreaKind.RESERVE],
        of_kind[AreaKind.TRACK],
        of_kind[AreaKind.TERRAIN],
        tuple(_city_sectors(of_kind, shapes)),
        tuple(_neighbours(of_kind[AreaKind.SECTOR], shapes)),
    )


def _area(feature: object, number: int) -> tuple[Area, MultiPolygon]:
    where = f"feature {number}"
    if not isinstance(feature, Mapping) or feature.get("type") != "Feature":
        raise KitError(f'{where}: must be an object of type "Feature"')
    properties = feature.get("properties")
    if not isinstance(properties, Mapping):
        raise KitError(f"{where}: has no properties")
    name = feature.get("id", properties.get("id"))
    if not isinstance(name, str) or _ID.fullmatch(name) is None:
        raise KitError(f"{where}: needs an id of letters, digits, - and _")
    where = f"feature {number} ({name!r})"
    if name in RESERVED_NAMES:
        raise KitError(f"{where}: {name!r} is a word of the notation, not an id")
    kinds = {kind.value: kind for kind in AreaKind}
    kind = kinds[_word(properties, "kind", tuple(kinds), where)]
    polygons, shape = _geometry(feature.get("geometry"), where)
    terrain, place = Terrain.PLAIN, "lateral"
    if kind is AreaKind.TERRAIN:
        terrain = _TERRAINS[_word(properties, "terrain", tuple(_TERRAINS), where)]
    if kind is AreaKind.CITY:
        place = _word(properties, "place", _PLACES, where)
    area = Area(
        kind,
        Zone.of(name, polygons),
        tuple((key, str(properties[key])) for key in ("en", "it") if key in properties),
        terrain,
        place,
        _number(properties.get("facing_deg", 90.0), f"{where}: facing_deg"),
        _seats(properties.get("seats", {}), where),
    )
    return area, shape


def _geometry(
    geometry: object, where: str
) -> tuple[list[list[list[Point]]], MultiPolygon]:
    if not isinstance(geometry, Mapping):
        raise KitError(f"{where}: has no geometry")
    coordinates = geometry.get("coordinates")
    if geometry.get("type") == "Polygon":
        coordinates = [coordinates]
    elif geometry.get("type") != "MultiPolygon":
        raise KitError(f"{where}: the geometry must be a Polygon or MultiPolygon")
    polygons = [
        [_ring(ring, where) for ring in _sequence(rings, where)]
        for rings in _sequence(coordinates, where)
    ]
    if any(not rings for rings in polygons):
        raise KitError(f"{where}: a polygon needs an outer ring")
    # Slow to import, and it needs numpy: only who reads a mat has to have it.
    import shapely  # noqa: PLC0415

    shape = shapely.MultiPolygon([(rings[0], rings[1:]) for rings in polygons])
    if not shape.is_valid:
        why = shapely.is_valid_reason(shape)
        raise KitError(f"{where}: the outline is not a simple polygon: {why}")
    return polygons, shape


def _ring(ring: object, where: str) -> list[Point]:
    points = [_point(point, where) for point in _sequence(ring, where)]
    if len(points) < 4 or points[0] != points[-1]:
        raise KitError(
            f"{where}: a ring needs four points or more, the last = the first"
        )
    return points


def _point(point: object, where: str) -> Point:
    values = _sequence(point, where)
    if len(values) < 2:
        raise KitError(f"{where}: a point needs x and y in millimetres")
    x, y = (_number(value, f"{where}: a coordinate") for value in values[:2])
    return x, y


def _check_counts(
    of_kind: Mapping[AreaKind, tuple[Area, ...]], *, is_scenario: bool
) -> None:
    boards = of_kind[AreaKind.BOARD]
    if len(boards) != 1:
        raise KitError(f"a mat has exactly one board, this one has {len(boards)}")
    left, low, right, high = boards[0].zone.bounds_mm
    if min(right - left, high - low) < LEAST_BOARD_MM:
        raise KitError(
            f"board {boards[0].id!r} measures {right - left:g} x {high - low:g}: "
            "coordinates must be millimetres"
        )
    if is_scenario and of_kind[AreaKind.SECTOR]:
        return
    for kind, wanted in ((AreaKind.SECTOR, SECTORS), (AreaKind.CITY, CITIES)):
        if len(of_kind[kind]) != wanted:
            raise KitError(
                f"a mat has {wanted} features of kind {kind.value!r}, this one has "
                f'{len(of_kind[kind])}; a mat that differs must say "scenario"'
            )


def _check_shapes(
    areas: Sequence[Area], shapes: Mapping[str, MultiPolygon], board: Area
) -> None:
    roomy = shapes[board.id].buffer(SEAM_MM)
    for area in areas:
        if not roomy.covers(shapes[area.id]):
            raise KitError(f"feature {area.id!r} reaches beyond the board")
    ground = [a for a in areas if a.kind in _APART]
    terrains = [a for a in areas if a.kind is AreaKind.TERRAIN]
    for one, two in (*combinations(ground, 2), *combinations(terrains, 2)):
        common = shapes[one.id].buffer(-SEAM_MM).intersection(shapes[two.id])
        if common.area > 0:
            raise KitError(f"features {one.id!r} and {two.id!r} overlap")


_APART = frozenset({AreaKind.SECTOR, AreaKind.BASE, AreaKind.RESERVE, AreaKind.TRACK})


def _check_owners(of_kind: Mapping[AreaKind, tuple[Area, ...]]) -> None:
    for players in (2, 3, 4):
        owners = Counter(s for a in of_kind[AreaKind.BASE] for s in a.owners(players))
        if not owners and players > 2:
            continue
        for seat in range(players):
            if owners[Seat(seat)] != 1:
                raise KitError(
                    f"with {players} players seat {seat} has {owners[Seat(seat)]} "
                    "Bases; give one feature of kind 'base' "
                    f'"seats": {{"{players}": [{seat}]}}'
                )


def _city_sectors(
    of_kind: Mapping[AreaKind, tuple[Area, ...]],
    shapes: Mapping[str, MultiPolygon],
) -> Iterator[tuple[str, str]]:
    taken: dict[str, str] = {}
    for city in of_kind[AreaKind.CITY]:
        homes = [
            sector.id
            for sector in of_kind[AreaKind.SECTOR]
            if shapes[sector.id].buffer(SEAM_MM).covers(shapes[city.id])
        ]
        if len(homes) != 1:
            raise KitError(f"City space {city.id!r} must lie inside one sector")
        if homes[0] in taken:
            raise KitError(
                f"City spaces {taken[homes[0]]!r} and {city.id!r} lie in one sector"
            )
        taken[homes[0]] = city.id
        yield city.id, homes[0]


def _neighbours(
    sectors: Sequence[Area], shapes: Mapping[str, MultiPolygon]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for one in sectors:
        wide = shapes[one.id].buffer(SEAM_MM)
        # More than a corner: a strip longer than a few seams.
        strip = 5 * SEAM_MM * SEAM_MM
        yield (
            one.id,
            tuple(
                two.id
                for two in sectors
                if two is not one and wide.intersection(shapes[two.id]).area > strip
            ),
        )


def _seats(value: object, where: str) -> tuple[tuple[int, tuple[Seat, ...]], ...]:
    if not isinstance(value, Mapping):
        raise KitError(f'{where}: seats must be such as {{"2": [0], "4": [0, 1]}}')
    seats = []
    for players, owners in value.items():
        if players not in {"2", "3", "4"}:
            raise KitError(f"{where}: seats has {players!r}, not 2, 3 or 4 players")
        numbers = [
            owner
            for owner in _sequence(owners, f"{where}: seats")
            if isinstance(owner, int) and 0 <= owner < int(players)
        ]
        if not isinstance(owners, list) or len(numbers) < len(owners):
            raise KitError(f"{where}: seats of {players} players go from 0 on")
        seats.append((int(players), tuple(Seat(number) for number in numbers)))
    return tuple(sorted(seats))


def _word(
    properties: Mapping[object, object], key: str, words: tuple[str, ...], where: str
) -> str:
    value = properties.get(key)
    if not isinstance(value, str) or value not in words:
        raise KitError(f"{where}: {key} must be one of {', '.join(words)}")
    return value


def _sequence(value: object, where: str) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise KitError(f"{where}: a list was expected, not {type(value).__name__}")
    return value


def _number(value: object, where: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not isinstance(value, int | float) or not math.isfinite(value):
        raise KitError(f"{where} must be a number")
    return float(value)
