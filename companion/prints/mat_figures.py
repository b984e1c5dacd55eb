"""The small figures of our mat: trees, reeds, waves, stones.

They differ everywhere, so that the camera knows the mat and which way round it lies,
and they stay off the lines. Their order of chance is part of the print: a change of it
is another mat.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from companion.prints.mat_features import (
    MARKER_MM,
    SIZE_MM,
    features,
    marker_centres,
    name_box,
)
from companion.prints.pen import Pen, Point

if TYPE_CHECKING:
    from shapely import Polygon
    from shapely.geometry.base import BaseGeometry

TERRAIN_COLOURS = {
    "forest": ("#8fb573", "#3d6b34"),
    "hill": ("#d8b98a", "#8a5f2e"),
    "swamp": ("#a9ab8c", "#55583a"),
    "lake": ("#9cc9e6", "#3272a8"),
    "river": ("#a8d3ec", "#3a7db3"),
}
"""Ground and figures of each terrain."""
PLAIN_FIGURE = "#a9a36c"
CLEAR_MM = 2.5
"""Small figures keep so far from every line."""
SEED = 1
"""Of the small figures; another one is another mat to the camera."""


def draw_figures(pen: Pen) -> None:
    """Draw trees, reeds, waves, stones: on each ground its own, nowhere the same."""
    from shapely import Point as ShapelyPoint  # noqa: PLC0415 - slow to import

    chance = random.Random(SEED)
    grounds, lines, closed = _shapes()
    for x, y in _scattered(chance):
        here = ShapelyPoint(x, y)
        terrain = next((name for name, shape in grounds if shape.contains(here)), "")
        reach = chance.uniform(*SIZES.get(terrain, (1.6, 4.6)))
        if lines.distance(here) < reach + CLEAR_MM or closed.contains(here):
            continue
        colour = TERRAIN_COLOURS[terrain][1] if terrain else PLAIN_FIGURE
        FIGURES.get(terrain, _plain_figure)(pen, chance, (x, y), reach, colour)


SIZES = {"forest": (3.0, 6.5), "hill": (2.5, 6.0), "swamp": (2.0, 4.5)}
STEP_MM = 12.0
SHIFT_MM = 5.0


def _scattered(chance: random.Random) -> Iterator[Point]:
    """Yield places all over the mat, farthest ones first, so that near ones cover."""
    count = int(SIZE_MM / STEP_MM)
    for row in reversed(range(count)):
        for column in range(count):
            if chance.random() < 0.62:
                yield (
                    (column + 0.5) * STEP_MM + chance.uniform(-SHIFT_MM, SHIFT_MM),
                    (row + 0.5) * STEP_MM + chance.uniform(-SHIFT_MM, SHIFT_MM),
                )


def _shapes() -> tuple[list[tuple[str, Polygon]], BaseGeometry, BaseGeometry]:
    """Return the terrains, all lines and marks as one, and where no figure stands."""
    from shapely import Polygon, box, union_all  # noqa: PLC0415 - slow to import

    grounds: list[tuple[str, Polygon]] = []
    lines, closed = [], list[Polygon]()
    for feature in features():
        shape = Polygon(feature.ring)
        lines.append(shape.exterior)
        if feature.kind == "terrain":
            grounds.append((str(feature.properties["terrain"]), shape))
        elif feature.kind in {"base", "reserve", "city"}:
            closed.append(shape)
        elif feature.kind == "track":
            closed.append(shape.buffer(9, join_style="mitre"))
        elif feature.kind == "sector":
            closed.append(box(*name_box(feature)).buffer(2))
    half = MARKER_MM * 4 / 6 + 1
    closed += [box(x - half, y - half, x + half, y + half) for x, y in marker_centres()]
    kept_off = [shape.exterior for shape in closed]
    return grounds, union_all([*lines, *kept_off]), union_all(closed)


def _tree(
    pen: Pen, chance: random.Random, at: Point, reach: float, colour: str
) -> None:
    x, y = at
    if chance.random() < 0.5:
        pen.circle(x, y, 0.8 * reach, fill=colour)
        pen.circle(x - 0.2 * reach, y + 0.25 * reach, 0.4 * reach, fill="#6f9a58")
        return
    for level in range(3):
        low, half = y - reach + 0.5 * level * reach, (0.8 - 0.2 * level) * reach
        pen.polygon([(x - half, low), (x + half, low), (x, low + reach)], fill=colour)


def _mound(
    pen: Pen, chance: random.Random, at: Point, reach: float, colour: str
) -> None:
    x, y = at
    tip = x + chance.uniform(-0.3, 0.3) * reach
    left, right, low = x - reach, x + reach, y - 0.5 * reach
    pen.polygon([(left, low), (tip, y + 0.7 * reach), (right, low)], fill=colour)
    pen.polygon([(tip, y + 0.7 * reach), (right, low), (x, low)], fill="#b08850")


def _reed(
    pen: Pen, chance: random.Random, at: Point, reach: float, colour: str
) -> None:
    x, y = at
    for number in range(chance.randint(3, 5)):
        lean = chance.uniform(-0.6, 0.6) * reach
        start = x + (number - 2) * 0.35 * reach
        pen.line(start, y - reach, start + lean, y + reach, colour=colour, width=0.7)
    pen.line(x - reach, y - reach, x + reach, y - reach, colour="#6f8fa3", width=0.6)


def _wave(
    pen: Pen, chance: random.Random, at: Point, reach: float, colour: str
) -> None:
    x, y = at
    path = pen.new_path()
    for number in range(chance.randint(1, 3)):
        up = y + 1.8 * number
        path.moveTo(x - reach, up)
        path.curveTo(x - 0.5 * reach, up + 2, x - 0.5 * reach, up + 2, x, up)
        path.curveTo(x + 0.5 * reach, up - 2, x + 0.5 * reach, up - 2, x + reach, up)
    pen.path(path, line=colour, width=0.7)


def _plain_figure(
    pen: Pen, chance: random.Random, at: Point, reach: float, colour: str
) -> None:
    x, y = at
    what, turn = chance.randrange(4), chance.uniform(0, math.pi)
    if what == 0:
        corners = [
            (
                x + reach * chance.uniform(0.5, 1) * math.cos(turn + a),
                y + reach * chance.uniform(0.4, 0.8) * math.sin(turn + a),
            )
            for a in (0.0, 1.2, 2.4, 3.6, 4.9)
        ]
        pen.polygon(corners, fill="#b9b39a", line="#8d8768", width=0.3)
    elif what == 1:
        for a in (-0.5, 0.0, 0.5):
            tip = (x + reach * math.sin(a), y + reach * math.cos(a))
            pen.line(x, y - 0.5 * reach, *tip, colour=colour, width=0.6)
    elif what == 2:
        for number in range(5):
            a = turn + 1.2566 * number
            petal = (x + 0.5 * reach * math.cos(a), y + 0.5 * reach * math.sin(a))
            pen.circle(*petal, 0.3 * reach, fill=chance.choice(PETALS))
        pen.circle(x, y, 0.25 * reach, fill="#6d5a1e")
    else:
        pen.circle(x, y, 0.5 * reach, fill=colour)
        pen.circle(x + 0.4 * reach, y + 0.2 * reach, 0.35 * reach, fill="#8f965a")


PETALS = ("#c86f6f", "#d9c455", "#8f86c2", "#ffffff")
FIGURES = {
    "forest": _tree,
    "hill": _mound,
    "swamp": _reed,
    "lake": _wave,
    "river": _wave,
}
