"""Our own Warstones mat, 90 x 90 cm: drawn from the GeoJSON that the engine rules by.

Every line of the drawing is a ring of `engines/warstones/mat.geojson`, so that what is
printed is what is measured. Around them small figures that differ everywhere help the
camera to know the mat and which way round it lies; they stay off the lines. Markers in
the corners serve where the mat's picture is too little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from companion.prints.boards import draw_marker
from companion.prints.glyphs import draw_glyph
from companion.prints.mat_features import (
    MARKER_INSET_MM,
    MARKER_MM,
    SIZE_MM,
    Feature,
    features,
    marker_centres,
    name_box,
)
from companion.prints.mat_figures import TERRAIN_COLOURS, draw_figures
from companion.prints.pen import Align, Pen

if TYPE_CHECKING:
    from vision.markers import MarkerBoard

LINE_MM = 0.8
"""Width of a ruling line; its middle is the ring of the GeoJSON."""
TRACK_SPACES = 6
PAPER_COLOUR, LINE_COLOUR = "#e9e1c8", "#3a3226"
SECTOR_COLOURS = ("#e3e2b4", "#d9dfb3")
ZONE_COLOURS = {"base": "#f0d9b8", "reserve": "#e2ddd0", "track": "#efe9da"}


def mat_markers() -> MarkerBoard:
    """Return the markers in the mat's corners."""
    from vision.markers import corner_board  # noqa: PLC0415 - slow

    low, high = MARKER_INSET_MM, SIZE_MM - MARKER_INSET_MM
    return corner_board((low, low, high, high), MARKER_MM)


def draw_mat(pen: Pen, language: str) -> None:
    """Draw the mat; the origin is its near left corner."""
    of_kind = {kind: [f for f in features() if f.kind == kind] for kind in KINDS}
    pen.rect(0, 0, SIZE_MM, SIZE_MM, fill=PAPER_COLOUR)
    for number, sector in enumerate(of_kind["sector"]):
        pen.polygon(sector.ring, fill=SECTOR_COLOURS[number % 2])
    for terrain in of_kind["terrain"]:
        ground, _ = TERRAIN_COLOURS[terrain.properties["terrain"]]
        pen.polygon(terrain.ring, fill=ground)
    draw_figures(pen)
    for kind in ("base", "reserve", "track"):
        for zone in of_kind[kind]:
            pen.polygon(zone.ring, fill=ZONE_COLOURS[kind])
    _draw_lines(pen, of_kind)
    for sector in of_kind["sector"]:
        _draw_sector_name(pen, sector, language)
    for zone in (*of_kind["base"], *of_kind["reserve"]):
        _draw_zone_name(pen, zone, language)
    for track in of_kind["track"]:
        _draw_track(pen, track, language)
    for city in of_kind["city"]:
        _draw_city(pen, city)
    for id, (x, y) in enumerate(marker_centres()):
        draw_marker(pen, id, x, y, MARKER_MM)
    pen.rect(0, 0, SIZE_MM, SIZE_MM, line=LINE_COLOUR, width=LINE_MM)


KINDS = ("board", "sector", "terrain", "city", "base", "reserve", "track")


def _draw_lines(pen: Pen, of_kind: Mapping[str, Sequence[Feature]]) -> None:
    """Draw the rings: terrain thin and coloured, all else dark."""
    for terrain in of_kind["terrain"]:
        _, colour = TERRAIN_COLOURS[terrain.properties["terrain"]]
        pen.polygon(terrain.ring, line=colour, width=LINE_MM)
    for kind in ("sector", "base", "reserve", "track", "city"):
        for feature in of_kind[kind]:
            pen.polygon(feature.ring, line=LINE_COLOUR, width=LINE_MM)


def _draw_sector_name(pen: Pen, sector: Feature, language: str) -> None:
    left, low, right, _ = name_box(sector)
    at_right = right > max(x for x, _ in sector.ring) - 10
    x = right if at_right else left
    align: Align = "right" if at_right else "left"
    for y, words, size in (
        (low + 7.5, sector.id, 9.0),
        (low + 1.5, sector.name(language), 4.6),
    ):
        bold = size > 5
        pen.text(x, y, words, size, bold=bold, colour=LINE_COLOUR, align=align)


def _draw_zone_name(pen: Pen, zone: Feature, language: str) -> None:
    """Write the name of a Base or Reserve so that its owners can read it."""
    x, y = zone.centre
    angle = 0 if y < SIZE_MM / 2 else 180
    with pen.at(x, y, angle_deg=angle):
        if zone.kind == "base":
            draw_glyph(pen, "tower", 0, 12, 26, "#cfa86b")
            pen.text(
                0,
                -16,
                zone.name(language),
                7,
                bold=True,
                colour=LINE_COLOUR,
                align="middle",
            )
            return
        draw_glyph(pen, "banner", 0, 8, 40, "#cbc4b2")
        pen.text(
            0,
            -30,
            zone.name(language),
            7,
            bold=True,
            colour=LINE_COLOUR,
            align="middle",
        )


def _draw_track(pen: Pen, track: Feature, language: str) -> None:
    """Draw the spaces 0 to 5 of an action track along the way its numbers rise."""
    (x, y), ring = track.centre, track.ring
    width = max(p[0] for p in ring) - min(p[0] for p in ring)
    height = max(p[1] for p in ring) - min(p[1] for p in ring)
    angle = float(track.properties["facing_deg"])
    step = width / TRACK_SPACES
    with pen.at(x, y, angle_deg=angle):
        name = track.name(language)
        pen.text(-width / 2 + 1, height / 2 + 1.6, name, 3.8, colour=LINE_COLOUR)
        for space in range(TRACK_SPACES):
            left = -width / 2 + space * step
            if space:
                pen.line(
                    left, -height / 2, left, height / 2, colour=LINE_COLOUR, width=0.4
                )
            pen.text(
                left + step / 2,
                -4.2,
                str(space),
                12,
                bold=True,
                colour="#b3a98f",
                align="middle",
            )


def _draw_city(pen: Pen, city: Feature) -> None:
    x, y = city.centre
    central = city.properties["place"] == "central"
    draw_glyph(pen, "tower", x, y + 2, 34, "#8c4a2f" if central else "#6b6b74")
