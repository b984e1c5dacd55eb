"""What is where on our Warstones mat: the GeoJSON that the engine rules by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from companion.prints.pen import Point

SIZE_MM = 900.0
MARKER_MM, MARKER_INSET_MM = 28.0, 22.0
"""Side of the corner markers, and how far their centres lie from the mat's edges."""
NAME_MM = (54.0, 16.0)
"""Room for a sector's name."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of the GeoJSON: its ring is drawn."""

    id: str
    kind: str
    ring: tuple[Point, ...]
    properties: Mapping[str, Any]

    def name(self, language: str) -> str:
        """Return its name."""
        return str(self.properties.get(language, self.id))

    @property
    def centre(self) -> Point:
        """Return the middle of its bounds."""
        xs, ys = zip(*self.ring, strict=True)
        return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def mat_geojson() -> str:
    """Return the GeoJSON text that belongs to the print."""
    return (files("engines.warstones") / "mat.geojson").read_text("utf-8")


@cache
def features() -> tuple[Feature, ...]:
    """Return the features of our mat in the order of the file."""
    return tuple(
        Feature(
            item["id"],
            item["properties"]["kind"],
            tuple((float(x), float(y)) for x, y in item["geometry"]["coordinates"][0]),
            item["properties"],
        )
        for item in json.loads(mat_geojson())["features"]
    )


def name_box(sector: Feature) -> tuple[float, float, float, float]:
    """Return left, low, right, high of a sector's name: a corner without terrain."""
    from shapely import Polygon, box, union_all  # noqa: PLC0415 - slow to import

    xs, ys = zip(*sector.ring, strict=True)
    wide, high = NAME_MM
    ground = union_all([Polygon(f.ring) for f in features() if f.kind == "terrain"])
    places = [
        (x, y, x + wide, y + high)
        for x in (min(xs) + 6, max(xs) - 6 - wide)
        for y in (max(ys) - 5 - high, min(ys) + 5)
    ]
    free = (place for place in places if not box(*place).intersects(ground))
    return next(free, places[0])


def marker_centres() -> tuple[Point, ...]:
    low, high = MARKER_INSET_MM, SIZE_MM - MARKER_INSET_MM
    return (low, low), (high, low), (high, high), (low, high)
