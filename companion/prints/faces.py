"""One drawing of a card for all games: corners, medallion, ground, name, text.

A card is 63 x 88 mm with a white rim of 2.5 mm, so that a cut that is half a
millimetre off is not seen. What a card is stands in two opposite corners, in words or
figures and as a sign; its colour has a sign too. The origin is the lower left corner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from tomllib import loads

from companion.prints.glyphs import draw_glyph
from companion.prints.mosaic import Tones, draw_mosaic, draw_rosette
from companion.prints.pen import Pen

WIDTH_MM, HEIGHT_MM = 63.0, 88.0
RIM_MM, PANEL_RADIUS_MM = 2.5, 3.0
PANEL_MM = (WIDTH_MM - 2 * RIM_MM, HEIGHT_MM - 2 * RIM_MM)
CORNER_MM = 13.0
"""Width of a corner plate."""
MEDAL_AT, MEDAL_MM = (31.5, 47.0), 17.0
PLATE_LEFT_MM, PLATE_RIGHT_MM, PLATE_LOW_MM = 4.5, 46.3, 4.5
TEXT_MM, LEAST_TEXT_MM = 3.0, 1.7
LEADING = 1.22
TEXT_ROOM_MM = 14.4
"""Height for a card's text under its name."""
WHITE, INK = "#ffffff", "#1b1b1b"

Words = tuple[str, str]
"""English and Italian."""


@cache
def grounds() -> Mapping[str, int]:
    """Return deck and label -> which mosaic, for all but the first ones."""
    file = files("companion.prints") / "data" / "grounds.toml"
    return {name: int(which) for name, which in loads(file.read_text("utf-8")).items()}


def in_language(words: Words, language: str) -> str:
    """Return the words in one of the two languages."""
    return words[1] if language == "it" else words[0]


@dataclass(frozen=True, slots=True)
class Face:
    """What is drawn on one side of a card."""

    label: str
    """The kit's label."""
    deck: str
    """Name of the deck; with the label it decides the mosaic."""
    names: Words
    tones: Tones
    index: str = ""
    """Figure or letters of the corners."""
    marks: tuple[str, ...] = ()
    """Signs of the corners, under the index."""
    sign: str = ""
    """Sign of the medallion, which else shows two colours or a rosette of its own."""
    figure: str = ""
    """Figure of the medallion; the sign then stands under it, `repeat` times."""
    repeat: int = 0
    text: Words = ("", "")
    badge: str = ""
    """In the upper right corner: a word such as ``x4``, or the name of a sign."""
    second: Tones | None = None
    """The other colour of a card of two."""

    @property
    def seed(self) -> str:
        """Return what decides the art that is not drawn by hand."""
        which = grounds().get(f"{self.deck} {self.label}", 0)
        return f"{self.deck} {which} {self.label}" if which else self.name

    @property
    def name(self) -> str:
        """Return what the face is called among all that are printed."""
        return f"{self.deck} {self.label}"


@dataclass(frozen=True, slots=True)
class Back:
    """The back of a deck: the same whichever way round it lies."""

    label: str
    deck: str
    tones: Tones
    sign: str

    @property
    def seed(self) -> str:
        """Return what decides its mosaic."""
        return f"{self.deck} {self.label}"


def draw_side(pen: Pen, side: Face | Back, language: str) -> None:
    """Draw a face or a back."""
    if isinstance(side, Face):
        draw_face(pen, side, language)
    else:
        draw_back(pen, side)


def draw_face(pen: Pen, face: Face, language: str) -> None:
    """Draw the front of a card, or the other face of one with two."""
    pen.rect(0, 0, WIDTH_MM, HEIGHT_MM, fill=WHITE)
    with pen.clipped(RIM_MM, RIM_MM, *PANEL_MM, radius=PANEL_RADIUS_MM):
        _draw_ground(pen, face)
    _draw_medal(pen, face)
    _draw_plate(pen, face, language)
    with pen.at(0, 0):
        _draw_corner(pen, face)
    with pen.at(WIDTH_MM, HEIGHT_MM, angle_deg=180):
        _draw_corner(pen, face)
    if face.badge:
        _draw_badge(pen, face)


def draw_back(pen: Pen, back: Back) -> None:
    """Draw a back: half a mosaic, and the same half turned round."""
    pen.rect(0, 0, WIDTH_MM, HEIGHT_MM, fill=WHITE)
    tones = back.tones
    with pen.clipped(RIM_MM, RIM_MM, *PANEL_MM, radius=PANEL_RADIUS_MM):
        for angle in (0, 180):
            with (
                pen.at(WIDTH_MM / 2, HEIGHT_MM / 2, angle_deg=angle),
                pen.clipped(-WIDTH_MM / 2, 0, WIDTH_MM, HEIGHT_MM / 2),
                pen.at(-PANEL_MM[0] / 2, -PANEL_MM[1] / 2),
            ):
                draw_mosaic(pen, back.seed, tones, *PANEL_MM)
    with pen.at(WIDTH_MM / 2, HEIGHT_MM / 2):
        for reach, colour in ((26.0, WHITE), (24.0, tones.dark)):
            across = 0.8 * reach
            corners = [(0.0, -reach), (across, 0.0), (0.0, reach), (-across, 0.0)]
            pen.polygon(corners, fill=colour)
    for angle in (0, 180):
        with pen.at(WIDTH_MM / 2, HEIGHT_MM / 2, angle_deg=angle):
            draw_glyph(pen, back.sign, 0, 8.2, 12.5, tones.pale)


def _draw_ground(pen: Pen, face: Face) -> None:
    with pen.at(RIM_MM, RIM_MM):
        draw_mosaic(pen, face.seed, face.tones, *PANEL_MM)
    if face.second is None:
        return
    half = [(WIDTH_MM, 0.0), (WIDTH_MM, HEIGHT_MM), (0.0, 0.0)]
    with pen.clipped_polygon(half), pen.at(RIM_MM, RIM_MM):
        draw_mosaic(pen, face.seed, face.second, *PANEL_MM)


def _draw_medal(pen: Pen, face: Face) -> None:
    (x, y), radius = MEDAL_AT, MEDAL_MM
    tones = face.tones
    pen.circle(x, y, radius, fill=WHITE)
    pen.circle(x, y, radius - 1.6, line=tones.dark, width=0.7)
    inside = radius - 2.6
    if face.figure:
        low = 3.0 if face.repeat else 0.0
        _draw_figure(pen, face.figure, x, y + low, inside, tones.dark)
        for number in range(face.repeat):
            at = x + 5.0 * (number - (face.repeat - 1) / 2)
            draw_glyph(pen, face.sign, at, y - 9.2, 5.4, tones.full)
    elif face.second:
        pen.circle(x - 4, y + 3, 7.4, fill=tones.full)
        pen.circle(x + 4, y - 3, 7.4, fill=face.second.full, line=WHITE, width=1.0)
    elif face.sign:
        draw_glyph(pen, face.sign, x, y, 1.36 * inside, tones.dark)
    else:
        colours = (tones.dark, tones.full, tones.pale)
        draw_rosette(pen, face.seed, colours, x, y, inside)


def _draw_figure(
    pen: Pen, figure: str, x: float, y: float, reach: float, colour: str
) -> None:
    size = 1.5 * reach
    room = 1.65 * reach
    size = min(size, size * room / pen.width(figure, size, bold=True))
    pen.text(x, y - 0.36 * size, figure, size, bold=True, colour=colour, align="middle")
    if figure in {"6", "9"}:
        low = y - 0.36 * size - 1.9
        pen.rect(x - 0.26 * size, low, 0.52 * size, 0.9, fill=colour)


def _draw_corner(pen: Pen, face: Face) -> None:
    """Draw the plate of the upper left corner."""
    step, high = 7.4, HEIGHT_MM - RIM_MM
    size = {0: 0.0, 1: 8.6, 2: 7.4}.get(len(face.index), 5.4)
    height = (0.86 * size + 1.6 if size else 1.2) + step * len(face.marks) + 0.6
    pen.rect(
        RIM_MM, high - height, CORNER_MM, height, fill=WHITE, radius=PANEL_RADIUS_MM
    )
    pen.rect(RIM_MM, high - height / 2, CORNER_MM, height / 2, fill=WHITE)
    pen.rect(RIM_MM, high - height, CORNER_MM / 2, height / 2, fill=WHITE)
    x, y = RIM_MM + CORNER_MM / 2 - 0.4, high - 0.4
    dark = face.tones.dark
    if size:
        y -= 0.86 * size
        room = CORNER_MM - 1.8
        pen.fitted(
            x, y + 0.3, face.index, room, size, bold=True, colour=dark, align="middle"
        )
        if face.index in {"6", "9"}:
            pen.rect(x - 2, y - 0.9, 4, 0.6, fill=dark)
        y -= 1.2
    for number, mark in enumerate(face.marks):
        of_second = face.second is not None and number == len(face.marks) - 1
        colour = face.second.full if of_second and face.second else face.tones.full
        draw_glyph(pen, mark, x, y - step / 2, step - 1.2, colour)
        y -= step


def _draw_plate(pen: Pen, face: Face, language: str) -> None:
    """Draw the name, and under it the text where there is one."""
    name, text = in_language(face.names, language), in_language(face.text, language)
    height = 6.4 if not text else 6.4 + TEXT_ROOM_MM
    width = PLATE_RIGHT_MM - PLATE_LEFT_MM
    pen.rect(PLATE_LEFT_MM, PLATE_LOW_MM, width, height, fill=WHITE, radius=1.6)
    x, room = PLATE_LEFT_MM + 1.6, width - 3.2
    y = PLATE_LOW_MM + height - 4.5
    dark = face.tones.dark
    pen.fitted(x, y, name[:1].upper() + name[1:], room, 3.6, bold=True, colour=dark)
    if not text:
        return
    size, lines = fit_text(pen, text, room)
    y -= 0.9
    for line in lines:
        y -= LEADING * size
        pen.text(x, y, line, size, colour=INK)


def fit_text(pen: Pen, text: str, room_mm: float) -> tuple[float, list[str]]:
    """Return the largest size at which a card's text fits, and its lines."""
    size = TEXT_MM
    while size > LEAST_TEXT_MM:
        lines = pen.lines(text, size, room_mm)
        if LEADING * size * len(lines) <= TEXT_ROOM_MM - 1.8:
            return size, lines
        size -= 0.05
    return LEAST_TEXT_MM, pen.lines(text, LEAST_TEXT_MM, room_mm)


def _draw_badge(pen: Pen, face: Face) -> None:
    x, y = WIDTH_MM - RIM_MM - 6.6, HEIGHT_MM - RIM_MM - 6.6
    pen.circle(x, y, 5.4, fill=WHITE)
    if face.badge.startswith("x"):
        word = f"\N{MULTIPLICATION SIGN}{face.badge[1:]}"
        pen.fitted(x, y - 1.5, word, 8.6, 4.4, bold=True, align="middle")
    else:
        draw_glyph(pen, face.badge, x, y, 7.6, face.tones.dark)
