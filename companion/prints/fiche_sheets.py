"""Sheets of fiches and tokens to cut out, fronts and backs, and nets of Fortresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from companion.i18n import N_, say
from companion.prints.fiches import LATERAL, WHITE, Disc, fiches, tokens
from companion.prints.glyphs import draw_glyph
from companion.prints.paper import INK, PALE, Document, Paper
from companion.prints.pen import Pen

if TYPE_CHECKING:
    from engines.warstones.kit import WarKit

GAP_MM = 2.4
FORTRESS_MM, FORTRESS_HIGH_MM = 36.0, 22.0


def fiches_pdf(kit: WarKit, paper: Paper, language: str) -> bytes:
    """Return the sheets of all units, fronts and backs."""
    title = say(language, N_("Arbitro: Warstones fiches"))
    document = Document(title, language)
    discs = [disc for disc in fiches(kit) for _ in range(disc.copies)]
    note = say(
        language,
        N_("glue onto %(thick)s mm board and cut along the circles of %(across)s mm"),
        thick=f"{kit.thickness_mm:g}",
        across=f"{kit.chip_mm:g}",
    )
    _draw_sheets(document, discs, paper, f"{title}  ({note})", language)
    return document.pdf()


def tokens_pdf(kit: WarKit, paper: Paper, language: str) -> bytes:
    """Return the sheets of tokens, fronts and backs, and of the Fortresses."""
    title = say(language, N_("Arbitro: Warstones tokens"))
    document = Document(title, language)
    discs = [disc for disc in tokens(kit) for _ in range(disc.copies)]
    note = say(language, N_("glue onto board and cut along the circles"))
    _draw_sheets(document, discs, paper, f"{title}  ({note})", language)
    count = kit.kit.copies("fortress")
    if count:
        _draw_fortresses(document, count, paper, language)
    return document.pdf()


def discs_pdf(discs: Sequence[Disc]) -> bytes:
    """Return a PDF with one front on each page, the page as large as the circle."""
    document = Document("Arbitro", "en")
    for disc in discs:
        side = disc.diameter_mm
        page = document.page(Paper(disc.label, side, side), checks=False)
        with page as pen, pen.at(side / 2, side / 2):
            disc.front(pen)
    return document.pdf()


def _draw_sheets(
    document: Document, discs: Sequence[Disc], paper: Paper, note: str, language: str
) -> None:
    """Draw fronts and, on the next page, backs; sizes in rows of their own."""
    backs = say(language, N_("backs"))
    for places in _pages(discs, paper):
        for on_back in (False, True):
            title = f"{note}, {backs}" if on_back else note
            with document.page(paper, title) as pen:
                for disc, away, y in places:
                    # The same distance from the middle on both sides of the paper.
                    x = paper.width_mm / 2 + (-away if on_back else away)
                    with pen.at(x, y):
                        _draw_disc(pen, disc, on_back)


Place = tuple[Disc, float, float]
"""A disc, how far right of the paper's middle it is, its height on the paper."""


def _pages(discs: Sequence[Disc], paper: Paper) -> Iterator[list[Place]]:
    left, low, right, high = paper.free_mm
    page: list[Place] = []
    top = high
    for row in _rows(discs, right - left):
        pitch = row[0].diameter_mm + GAP_MM
        if top - pitch < low:
            yield page
            page, top = [], high
        for number, disc in enumerate(row):
            away = (number - (len(row) - 1) / 2) * pitch
            page.append((disc, away, top - pitch / 2))
        top -= pitch
    yield page


def _rows(discs: Sequence[Disc], room_mm: float) -> Iterator[list[Disc]]:
    for size in dict.fromkeys(disc.diameter_mm for disc in discs):
        same = [disc for disc in discs if disc.diameter_mm == size]
        columns = int(room_mm // (size + GAP_MM))
        for start in range(0, len(same), columns):
            yield same[start : start + columns]


def _draw_disc(pen: Pen, disc: Disc, on_back: bool) -> None:
    radius = disc.diameter_mm / 2
    pen.circle(0, 0, radius + GAP_MM / 2, fill=WHITE)
    (disc.back if on_back else disc.front)(pen)
    pen.circle(0, 0, radius, line=PALE, width=0.1)
    for number in range(4):
        with pen.at(0, 0, angle_deg=45 + 90 * number):
            pen.line(radius + 0.3, 0, radius + 1.4, 0, colour=INK, width=0.12)


def _draw_fortresses(
    document: Document, count: int, paper: Paper, language: str
) -> None:
    """Draw nets of square towers to fold: a roof, four walls, four flaps."""
    title = say(language, N_("Arbitro: Warstones Fortresses"))
    note = say(language, N_("cut out, fold along the dashed lines, glue the flaps"))
    reach = FORTRESS_MM + 2 * FORTRESS_HIGH_MM + 6
    left, low, right, high = paper.free_mm
    columns = int((right - left) // reach)
    rows = int((high - low) // reach)
    for start in range(0, count, columns * rows):
        with document.page(paper, f"{title}  ({note})") as pen:
            for number in range(min(columns * rows, count - start)):
                row, column = divmod(number, columns)
                x = paper.width_mm / 2 + (column - (columns - 1) / 2) * reach
                with pen.at(x, high - (row + 0.5) * reach):
                    _draw_net(pen)


def _draw_net(pen: Pen) -> None:
    half, tall, flap = FORTRESS_MM / 2, FORTRESS_HIGH_MM, 6.0
    for number in range(4):
        with pen.at(0, 0, angle_deg=90 * number):
            pen.rect(-half, half, 2 * half, tall, fill=LATERAL.pale, line=INK)
            if number % 2 == 0:
                for way in (-1, 1):
                    edge = way * half
                    flaps = [
                        (edge, half + 1),
                        (edge + way * flap, half + 4),
                        (edge + way * flap, half + tall - 4),
                        (edge, half + tall - 1),
                    ]
                    pen.polygon(flaps, fill=WHITE, line=PALE)
            for x in (-12.0, 0.0, 12.0):
                pen.rect(x - 2, half + 8, 4, 7, fill=LATERAL.dark)
            for step in range(6):
                pen.rect(-half + 6 * step + 1.5, half + 0.2, 3, 3, fill=LATERAL.full)
    pen.rect(-half, -half, 2 * half, 2 * half, fill=LATERAL.pale)
    draw_glyph(pen, "tower", 0, 0, 22, LATERAL.dark)
    for number in range(4):
        with pen.at(0, 0, angle_deg=90 * number):
            pen.line(-half, half, half, half, colour=INK, width=0.2, dash=(1.2, 0.8))
