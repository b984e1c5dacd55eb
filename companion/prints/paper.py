"""Paper, and what every sheet bears: a ruler, the outline of a bank card, one sentence.

Printers scale to fit the page without asking (ecosystem.md A6); a sheet that is not
true to size measures wrong. All lengths are millimetres, y up from the lower edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

from companion.i18n import N_, say
from companion.prints.pen import Pen, new_canvas

CARD_MM = (85.60, 53.98)
"""A bank card (ISO/IEC 7810 ID-1)."""
RULER_MM = 100.0
CARD_AT_MM = 6.0
"""The outline's distance from the left and the lower edge of the paper."""
MARGIN_LEFT_MM, MARGIN_RIGHT_MM = 8.5, 6.0
MARGIN_LOW_MM, MARGIN_HIGH_MM = 14.5, 8.0
"""Kept free by what is printed: ruler and sentences stand there."""
PALE, INK = "#9a9a9a", "#333333"


@dataclass(frozen=True, slots=True)
class Paper:
    """A size of paper."""

    name: str
    width_mm: float
    height_mm: float

    @property
    def turned(self) -> Paper:
        """Return the same paper the other way."""
        return Paper(self.name, self.height_mm, self.width_mm)

    @property
    def is_landscape(self) -> bool:
        """Return whether it is wider than high."""
        return self.width_mm > self.height_mm

    @property
    def free_mm(self) -> tuple[float, float, float, float]:
        """Return left, low, right, high edge of what may be printed on."""
        right, high = self.width_mm - MARGIN_RIGHT_MM, self.height_mm - MARGIN_HIGH_MM
        return MARGIN_LEFT_MM, MARGIN_LOW_MM, right, high


PAPERS = {
    paper.name: paper
    for paper in (
        Paper("a4", 210.0, 297.0),
        Paper("a3", 297.0, 420.0),
        Paper("letter", 215.9, 279.4),
    )
}
A4 = PAPERS["a4"]
DEFAULT_PAPER = A4.name


class Document:
    """A PDF that is being drawn, page by page."""

    def __init__(self, title: str, language: str) -> None:
        self.title = title
        self.language = language
        self._bytes = BytesIO()
        self._canvas = new_canvas(self._bytes, title)
        self.pages = 0

    @contextmanager
    def page(
        self, paper: Paper, note: str = "", *, checks: bool = True
    ) -> Iterator[Pen]:
        """Yield a pen in millimetres; `note` stands in the upper margin."""
        self.pages += 1
        pen = Pen.on_page(self._canvas, paper.width_mm, paper.height_mm)
        if checks:
            draw_checks(pen, paper, self.language, note or self.title)
        yield pen
        self._canvas.restoreState()
        self._canvas.showPage()

    def pdf(self) -> bytes:
        """Return the finished PDF; the same every time."""
        self._canvas.save()
        return self._bytes.getvalue()


def draw_checks(pen: Pen, paper: Paper, language: str, note: str) -> None:
    """Draw ruler, outline of a bank card and the sentences.

    First on the page: what is printed afterwards hides the middle of the outline; its
    lower and its left side, which lie in the margins, are enough to lay a card on.
    """
    width, height = CARD_MM
    pen.rect(CARD_AT_MM, CARD_AT_MM, width, height, line=PALE, width=0.15, radius=3.18)
    bank = say(language, N_("A bank card fits this line."))
    pen.text(CARD_AT_MM + 4, CARD_AT_MM + 1.2, bank, 2.2, colour=PALE)
    _draw_ruler(pen, CARD_AT_MM + width + 5, CARD_AT_MM)
    scale = say(
        language,
        N_("Print at 100 % (actual size); do not let it be fitted to the page."),
    )
    y = paper.height_mm - 6.2
    pen.text(paper.width_mm - MARGIN_RIGHT_MM, y, scale, 2.3, colour=INK, align="right")
    room = paper.width_mm - MARGIN_LEFT_MM - MARGIN_RIGHT_MM - pen.width(scale, 2.3) - 6
    pen.fitted(MARGIN_LEFT_MM + 2, y, note, room, 2.6, bold=True, colour=INK)


def _draw_ruler(pen: Pen, x: float, y: float) -> None:
    pen.line(x, y, x + RULER_MM, y, colour=INK, width=0.2)
    for at in range(int(RULER_MM) + 1):
        long = 4.0 if at % 10 == 0 else 2.6 if at % 5 == 0 else 1.6
        pen.line(x + at, y, x + at, y + long, colour=INK, width=0.12)
        if at % 10 == 0 and at < RULER_MM:
            pen.text(x + at + 0.5, y + 2.7, str(at), 1.9, colour=INK)
    pen.text(x + RULER_MM - 0.6, y + 4.6, "100 mm", 2.2, colour=INK, align="right")
