"""The mat on paper: one large sheet, or tiles to glue together.

A tile is cut along its left and lower line; its hatched strips, above and on the right,
lie under the neighbours, whose lower left corners come to lie on its crosses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from companion.i18n import N_, say
from companion.prints.mat import draw_mat
from companion.prints.mat_features import SIZE_MM
from companion.prints.paper import INK, PALE, Document, Paper
from companion.prints.pen import Pen

OVERLAP_MM = 10.0
SHEET_MARGIN_MM = 22.0
CROSS_MM = 3.0


@dataclass(frozen=True, slots=True)
class Tiling:
    """How a square mat is cut into sheets of one paper."""

    paper: Paper
    columns: int
    rows: int

    @property
    def window_mm(self) -> tuple[float, float]:
        """Return what one sheet shows of the mat, the strip to glue on included."""
        left, low, right, high = self.paper.free_mm
        return right - left, high - low

    @property
    def step_mm(self) -> tuple[float, float]:
        """Return how far neighbours lie from each other on the mat."""
        width, height = self.window_mm
        return width - OVERLAP_MM, height - OVERLAP_MM

    def corner_mm(self, column: int, row: int) -> tuple[float, float]:
        """Return the mat's point at the lower left corner of a tile; row 0 is near."""
        across, up = self.step_mm
        return column * across, row * up

    def names(self) -> list[str]:
        """Return the names in the order of the pages: A1 is far left, as on a map."""
        return [
            f"{chr(ord('A') + line)}{column + 1}"
            for line in range(self.rows)
            for column in range(self.columns)
        ]


def tiling_on(paper: Paper) -> Tiling:
    """Return the way round that needs fewest sheets."""
    return min((_cover(p) for p in (paper, paper.turned)), key=_sheets)


def _sheets(tiling: Tiling) -> int:
    return tiling.columns * tiling.rows


def _cover(paper: Paper) -> Tiling:
    across, up = Tiling(paper, 0, 0).step_mm
    # The strip of the last one may be missing: nothing is glued on there.
    columns = math.ceil((SIZE_MM - OVERLAP_MM) / across)
    return Tiling(paper, columns, math.ceil((SIZE_MM - OVERLAP_MM) / up))


def mat_sheet_pdf(language: str) -> bytes:
    """Return the mat on one sheet, for a print shop; the ruler is in its margin."""
    side = SIZE_MM + 2 * SHEET_MARGIN_MM
    title = say(language, N_("Arbitro: Warstones mat, 90 x 90 cm"))
    document = Document(title, language)
    page = document.page(Paper("sheet", side, side))
    with page as pen, pen.at(SHEET_MARGIN_MM, SHEET_MARGIN_MM):
        draw_mat(pen, language)
    return document.pdf()


def bare_mat_pdf(language: str) -> bytes:
    """Return the mat alone, without margins, to make a picture of."""
    document = Document("Arbitro", language)
    with document.page(Paper("mat", SIZE_MM, SIZE_MM), checks=False) as pen:
        draw_mat(pen, language)
    return document.pdf()


def mat_tiles_pdf(paper: Paper, language: str) -> bytes:
    """Return the mat in tiles; the first page shows how they go together."""
    title = say(language, N_("Arbitro: Warstones mat, 90 x 90 cm"))
    document = Document(title, language)
    tiling = tiling_on(paper)
    _draw_plan(document, tiling, title, language)
    hint = say(
        language,
        N_("cut along the dashed lines, glue onto the hatched strips"),
    )
    for number, name in enumerate(tiling.names()):
        line, column = divmod(number, tiling.columns)
        row = tiling.rows - 1 - line
        with document.page(tiling.paper, f"{name}  ({hint})") as pen:
            _draw_tile(pen, tiling, column, row, language)
    return document.pdf()


def _draw_tile(pen: Pen, tiling: Tiling, column: int, row: int, language: str) -> None:
    left, low, _, _ = tiling.paper.free_mm
    width, height = tiling.window_mm
    x, y = tiling.corner_mm(column, row)
    pen.rect(left, low, width, height, fill="#ffffff")
    with pen.clipped(left, low, width, height), pen.at(left - x, low - y):
        _draw_mat_once(pen, language)
    _draw_strips(pen, tiling, column, row)
    for x0, y0, x1, y1 in (
        (left, low - 3, left, low + height + 3),
        (left - 3, low, left + width + 3, low),
    ):
        pen.line(x0, y0, x1, y1, colour="#000000", width=0.12, dash=(1.5, 1.0))


def _draw_mat_once(pen: Pen, language: str) -> None:
    size = (SIZE_MM, SIZE_MM)
    pen.once(f"mat_{language}", size, lambda p: draw_mat(p, language))


def _draw_strips(pen: Pen, tiling: Tiling, column: int, row: int) -> None:
    """Hatch where the neighbours to the right and beyond are glued on; their lower
    left corner comes to lie on the cross."""
    left, low, _, _ = tiling.paper.free_mm
    across, up = tiling.step_mm
    width, height = tiling.window_mm
    if column + 1 < tiling.columns:
        _hatch(pen, left + across, low, OVERLAP_MM, height)
        _draw_cross(pen, left + across, low)
    if row + 1 < tiling.rows:
        _hatch(pen, left, low + up, width, OVERLAP_MM)
        _draw_cross(pen, left, low + up)


def _hatch(pen: Pen, x: float, y: float, width: float, height: float) -> None:
    pen.rect(x, y, width, height, fill="#ffffff")
    with pen.clipped(x, y, width, height):
        reach = min(width, height)
        for at in range(-int(reach), int(max(width, height)), 4):
            if width < height:
                pen.line(x, y + at, x + reach, y + at + reach, colour=PALE, width=0.15)
            else:
                pen.line(x + at, y, x + at + reach, y + reach, colour=PALE, width=0.15)
    pen.rect(x, y, width, height, line=INK, width=0.12)


def _draw_cross(pen: Pen, x: float, y: float) -> None:
    pen.line(x - CROSS_MM, y, x + CROSS_MM, y, colour="#c00000", width=0.25)
    pen.line(x, y - CROSS_MM, x, y + CROSS_MM, colour="#c00000", width=0.25)


def _draw_plan(document: Document, tiling: Tiling, title: str, language: str) -> None:
    """Draw the first page: which sheet goes where, and how to glue them."""
    paper = tiling.paper
    lines = (
        N_("Print all pages on stiff paper and check ruler and bank card."),
        N_("Cut every sheet along its left and its lower dashed line."),
        N_(
            "Begin with the first sheet of the last row. Glue each next one onto the"
            " hatched strips to its left and below, its lower left corner on the cross."
        ),
        N_("When all is glued, the board measures 900 mm from line to line both ways."),
    )
    with document.page(paper, title) as pen:
        side = min(paper.width_mm - 60, paper.height_mm - 140)
        scale, x = side / SIZE_MM, (paper.width_mm - side) / 2
        y = paper.height_mm - 24 - side
        with pen.at(x, y, scale=scale), pen.clipped(0, 0, SIZE_MM, SIZE_MM):
            _draw_mat_once(pen, language)
        _draw_plan_lines(pen, tiling, (x, y), scale)
        down = y - 8
        for sentence in lines:
            for line in pen.lines(say(language, sentence), 3.2, side):
                pen.text(x, down, line, 3.2, colour=INK)
                down -= 4.4
            down -= 1.2


def _draw_plan_lines(
    pen: Pen, tiling: Tiling, at: tuple[float, float], scale: float
) -> None:
    across, up = tiling.step_mm
    x, y = at
    side = SIZE_MM * scale
    for column in range(1, tiling.columns):
        here = x + column * across * scale
        pen.line(here, y, here, y + side, colour="#c00000", width=0.4)
    for row in range(1, tiling.rows):
        here = y + row * up * scale
        pen.line(x, here, x + side, here, colour="#c00000", width=0.4)
    for number, name in enumerate(tiling.names()):
        line, column = divmod(number, tiling.columns)
        row = tiling.rows - 1 - line
        left, low = tiling.corner_mm(column, row)
        right, high = min(left + across, SIZE_MM), min(low + up, SIZE_MM)
        cx, cy = x + (left + right) / 2 * scale, y + (low + high) / 2 * scale
        pen.circle(cx, cy, 4.6, fill="#ffffff", line="#c00000", width=0.3)
        pen.text(cx, cy - 1.3, name, 3.8, bold=True, colour="#c00000", align="middle")
