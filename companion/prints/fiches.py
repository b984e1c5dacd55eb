"""Fiches and tokens of Warstones, made from the kit's own labels and values.

A fiche tells its faction by colour and by the shape of its middle, its unit by a sign,
a letter and a ring of light and dark fields that the label alone decides and that is
the same no other way round. Printed on both sides alike: a fiche that has turned over
is still read.
"""

from __future__ import annotations

import colorsys
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.prints.glyphs import draw_glyph
from companion.prints.mosaic import Tones, draw_rosette, seed_bytes
from companion.prints.paper import INK
from companion.prints.pen import Pen

if TYPE_CHECKING:
    from engines.warstones.kit import CityType, UnitType, WarKit

BLEED_MM = 0.8
"""How far colour reaches beyond the line to cut along."""
COUNTER_MM, FIRST_MM = 20.0, 40.0
WHITE = "#ffffff"
FIELDS = 12
RIM_FROM_MM, FIELDS_FROM_MM = 14.9, 12.4
"""Inner edges of the dark rim and of the ring of fields, for a disc of 32 mm."""
FACTION_TONES = {
    "empire": Tones("#173a75", "#4a86dc", "#d6e6fc"),
    "undead": Tones("#3d1a60", "#9a5fd0", "#e8d8f6"),
}
FACTION_CORNERS = {"empire": 6, "undead": 4}
CENTRAL = Tones("#5e2613", "#c0623c", "#f6d9c8")
LATERAL = Tones("#2f3338", "#868d97", "#e4e6ea")
GOLD = Tones("#5a4300", "#d8aa1c", "#fbefc4")
UNIT_SIGNS = {
    "militia": "spear",
    "soldier": "sword",
    "archer": "bow",
    "knight": "helm",
    "engineer": "gear",
    "captain": "banner",
    "hero": "crown",
    "skeleton": "skull",
    "revenant": "again",
    "zombie": "hand",
    "wraith": "ghost",
    "thrower": "bone",
    "lich": "lich",
    "vampire": "bat",
}


@dataclass(frozen=True, slots=True)
class Disc:
    """A round thing to cut out."""

    label: str
    diameter_mm: float
    copies: int
    front: Callable[[Pen], None]
    back: Callable[[Pen], None]


def fiches(kit: WarKit) -> tuple[Disc, ...]:
    """Return the units of a kit."""
    letters = unit_letters(kit)
    return tuple(
        Disc(unit.label, kit.chip_mm, unit.copies, draw, draw)
        for unit in kit.units
        for draw in (_unit_drawing(unit, kit.chip_mm, letters[unit.label]),)
    )


def tokens(kit: WarKit) -> tuple[Disc, ...]:
    """Return the City tokens, counters and the First Player marker of a kit."""
    copies = {face.label: face.copies for face in kit.kit.faces}
    discs = []
    for city in kit.cities:
        tones = CENTRAL if city.place == "central" else LATERAL
        front = _city_drawing(city, kit.token_mm, tones)
        back = _plain_drawing(city.place, kit.token_mm, tones, "tower")
        discs.append(Disc(city.label, kit.token_mm, copies[city.label], front, back))
    for label, size, sign in (
        ("counter", COUNTER_MM, "diamond"),
        ("first-player", FIRST_MM, "star"),
    ):
        if label in copies:
            draw = _plain_drawing(label, size, GOLD, sign)
            discs.append(Disc(label, size, copies[label], draw, draw))
    return tuple(discs)


def unit_letters(kit: WarKit) -> Mapping[str, str]:
    """Return the fewest first letters that tell a unit from others of its faction."""
    letters = {}
    for unit in kit.units:
        others = [u.key for u in kit.faction_units(unit.faction) if u is not unit]
        count = 1
        while any(key[:count] == unit.key[:count] for key in others):
            count += 1
        letters[unit.label] = unit.key[:count].capitalize()
    return letters


def faction_tones(faction: str) -> Tones:
    """Return the colours of a faction; one that we do not know gets its own."""
    if faction in FACTION_TONES:
        return FACTION_TONES[faction]
    hue = seed_bytes(f"hue {faction}", 1)[0] / 256
    shades = ((0.24, 0.6), (0.52, 0.55), (0.9, 0.6))
    dark, full, pale = (_hex(colorsys.hls_to_rgb(hue, *shade)) for shade in shades)
    return Tones(dark, full, pale)


def _hex(colour: Sequence[float]) -> str:
    return "#" + "".join(f"{round(255 * value):02x}" for value in colour)


def _corners(faction: str) -> int:
    others = (5, 8, 3)
    chosen = others[seed_bytes(f"shape {faction}", 1)[0] % len(others)]
    return FACTION_CORNERS.get(faction, chosen)


def _unit_drawing(
    unit: UnitType, diameter_mm: float, letter: str
) -> Callable[[Pen], None]:
    tones, corners = faction_tones(unit.faction), _corners(unit.faction)

    def draw(pen: Pen) -> None:
        with pen.at(0, 0, scale=diameter_mm / 32):
            _draw_ring(pen, unit.label, tones)
            middle = [*_regular(corners, 11.4)]
            pen.polygon(middle, fill=WHITE)
            pen.polygon([*_regular(corners, 10.7)], line=tones.dark, width=0.5)
            sign = UNIT_SIGNS.get(unit.key)
            if sign:
                draw_glyph(pen, sign, 0, 2.1, 8.6, tones.dark)
            else:
                shades = (tones.dark, tones.full, tones.pale)
                draw_rosette(pen, unit.label, shades, 0, 2.1, 4.6)
            _draw_values(pen, unit, letter, tones)

    return draw


def _draw_values(pen: Pen, unit: UnitType, letter: str, tones: Tones) -> None:
    """Draw Recruit cost in a square, the letter, Strength in a disc."""
    y = -4.6
    pen.rect(-6.4, y - 1.9, 3.8, 3.8, fill=tones.dark, radius=0.5)
    pen.circle(4.5, y, 2.1, fill=tones.dark)
    for x, value in ((-4.5, unit.recruit), (4.5, unit.strength)):
        pen.text(x, y - 1.15, str(value), 3.2, bold=True, colour=WHITE, align="middle")
    pen.fitted(
        0, y - 1.35, letter, 4.6, 3.8, bold=True, colour=tones.dark, align="middle"
    )


def _draw_ring(pen: Pen, label: str, tones: Tones) -> None:
    """Draw the ground: wedges of three tones, then dark and pale fields, then a rim all
    dark, whose edge on a pale mat is what is measured."""
    outer = RIM_FROM_MM + 0.1
    pen.circle(0, 0, 16 + BLEED_MM, fill=tones.dark)
    pen.circle(0, 0, RIM_FROM_MM, fill=tones.full)
    seeds = seed_bytes(f"ring {label}", 2 * FIELDS)
    for number in range(FIELDS):
        start = 2 * math.pi * number / FIELDS
        rim = tones.dark if seeds[number] % 2 else tones.pale
        pen.polygon(_wedge(start, outer, FIELDS_FROM_MM), fill=rim)
        inside = tones.all[seeds[FIELDS + number] % 3]
        pen.polygon(_wedge(start, FIELDS_FROM_MM, 6.0), fill=inside)
    pen.circle(0, 0, FIELDS_FROM_MM, line=WHITE, width=0.5)


def _wedge(start: float, outer: float, inner: float) -> list[tuple[float, float]]:
    step = 2 * math.pi / FIELDS / 4
    turns = [start + step * number for number in range(5)]
    turns[-1] += 0.004
    far = [(outer * math.cos(t), outer * math.sin(t)) for t in turns]
    near = [(inner * math.cos(t), inner * math.sin(t)) for t in reversed(turns)]
    return far + near


def _regular(corners: int, radius: float) -> Iterator[tuple[float, float]]:
    for number in range(corners):
        turn = 2 * math.pi * (number + 0.5) / corners + math.pi / 2
        yield radius * math.cos(turn), radius * math.sin(turn)


def _city_drawing(
    city: CityType, diameter_mm: float, tones: Tones
) -> Callable[[Pen], None]:
    def draw(pen: Pen) -> None:
        with pen.at(0, 0, scale=diameter_mm / 32):
            _draw_ring(pen, city.label, tones)
            pen.circle(0, 0, 9.8, fill=WHITE)
            pen.circle(0, 0, 9.2, line=tones.dark, width=0.4)
            draw_glyph(pen, "tower", 0, 5.4, 4.4, tones.full)
            values = (
                (-4.4, "shield", city.defence),
                (4.4, "sword", city.counterattack),
            )
            for x, sign, value in values:
                draw_glyph(pen, sign, x, 2.4, 3.8, tones.dark)
                word = str(value)
                pen.text(x, -3.2, word, 4.6, bold=True, colour=INK, align="middle")
            for number in range(city.points):
                at = 3.0 * (number - (city.points - 1) / 2)
                draw_glyph(pen, "star", at, -6.0, 2.9, GOLD.full)

    return draw


def _plain_drawing(
    label: str, diameter_mm: float, tones: Tones, sign: str
) -> Callable[[Pen], None]:
    def draw(pen: Pen) -> None:
        with pen.at(0, 0, scale=diameter_mm / 32):
            _draw_ring(pen, label, tones)
            pen.circle(0, 0, 9.0, fill=tones.pale)
            draw_glyph(pen, sign, 0, 0, 11.5, tones.dark)

    return draw
