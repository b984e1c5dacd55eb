"""A pen that draws vectors in millimetres: a thin layer over reportlab.

Colours are ``#rrggbb``. Fonts are those that come with reportlab (Bitstream Vera), and
are embedded, so that every printer prints the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Literal

from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.pdfgen.pathobject import PDFPathObject

PLAIN, BOLD = "Vera", "VeraBd"
Align = Literal["left", "middle", "right"]
Point = tuple[float, float]
EVEN_ODD = 0


def new_canvas(to: IO[bytes], title: str) -> Canvas:
    """Return a canvas that writes the same bytes for the same drawing."""
    for name in (PLAIN, BOLD):
        if name not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))
    canvas = Canvas(to, invariant=1, pageCompression=1)
    canvas.setTitle(title)
    canvas.setAuthor("Arbitro")
    canvas.setCreator("Arbitro")
    return canvas


class Pen:
    """Draws on one page in millimetres, y up."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas

    @classmethod
    def on_page(cls, canvas: Canvas, width_mm: float, height_mm: float) -> Pen:
        """Return the pen for the canvas's next page, which has this size."""
        canvas.setPageSize((width_mm * mm, height_mm * mm))
        canvas.saveState()
        canvas.scale(mm, mm)
        return cls(canvas)

    @contextmanager
    def at(
        self, x: float, y: float, *, angle_deg: float = 0.0, scale: float = 1.0
    ) -> Iterator[None]:
        """Move the origin to x, y, then turn and scale, until the block ends."""
        self._canvas.saveState()
        self._canvas.translate(x, y)
        self._canvas.rotate(angle_deg)
        self._canvas.scale(scale, scale)
        yield
        self._canvas.restoreState()

    @contextmanager
    def clipped(
        self, x: float, y: float, width: float, height: float, *, radius: float = 0.0
    ) -> Iterator[None]:
        """Draw only inside a rectangle until the block ends."""
        self._canvas.saveState()
        path = self._canvas.beginPath()
        path.roundRect(x, y, width, height, radius)
        self._canvas.clipPath(path, stroke=0, fill=0)
        yield
        self._canvas.restoreState()

    @contextmanager
    def clipped_circle(self, x: float, y: float, radius: float) -> Iterator[None]:
        """Draw only inside a circle until the block ends."""
        self._canvas.saveState()
        path = self._canvas.beginPath()
        path.circle(x, y, radius)
        self._canvas.clipPath(path, stroke=0, fill=0)
        yield
        self._canvas.restoreState()

    @contextmanager
    def clipped_polygon(self, points: Sequence[Point]) -> Iterator[None]:
        """Draw only inside a polygon until the block ends."""
        self._canvas.saveState()
        self._canvas.clipPath(self._polygon(points), stroke=0, fill=0)
        yield
        self._canvas.restoreState()

    def rect(
        self,
        x: float,
        y: float,
        width_mm: float,
        height_mm: float,
        *,
        fill: str | None = None,
        line: str | None = None,
        width: float = 0.2,
        radius: float = 0.0,
    ) -> None:
        """Draw a rectangle from its lower left corner."""
        self._style(fill, line, width)
        has = {"stroke": int(line is not None), "fill": int(fill is not None)}
        if radius:
            self._canvas.roundRect(x, y, width_mm, height_mm, radius, **has)
        else:
            self._canvas.rect(x, y, width_mm, height_mm, **has)

    def circle(
        self,
        x: float,
        y: float,
        radius: float,
        *,
        fill: str | None = None,
        line: str | None = None,
        width: float = 0.2,
    ) -> None:
        """Draw a circle around its centre."""
        self._style(fill, line, width)
        self._canvas.circle(
            x, y, radius, stroke=int(line is not None), fill=int(fill is not None)
        )

    def polygon(
        self,
        points: Sequence[Point],
        *,
        fill: str | None = None,
        line: str | None = None,
        width: float = 0.2,
    ) -> None:
        """Draw a closed polygon."""
        self.path(self._polygon(points), fill=fill, line=line, width=width)

    def path(
        self,
        path: PDFPathObject,
        *,
        fill: str | None = None,
        line: str | None = None,
        width: float = 0.2,
    ) -> None:
        """Draw a path of `new_path`; holes are where it covers itself twice."""
        self._style(fill, line, width)
        self._canvas.drawPath(
            path,
            stroke=int(line is not None),
            fill=int(fill is not None),
            fillMode=EVEN_ODD,
        )

    def new_path(self) -> PDFPathObject:
        """Return an empty path."""
        return self._canvas.beginPath()

    def line(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        *,
        colour: str,
        width: float = 0.2,
        dash: Sequence[float] = (),
    ) -> None:
        """Draw a line between two points."""
        self._style(None, colour, width)
        self._canvas.setDash(list(dash))
        self._canvas.line(x0, y0, x1, y1)
        self._canvas.setDash([])

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        bold: bool = False,
        colour: str = "#000000",
        align: Align = "left",
    ) -> None:
        """Write one line whose baseline begins, ends or has its middle at x, y."""
        self._canvas.setFillColor(HexColor(colour))
        self._canvas.setFont(BOLD if bold else PLAIN, size)
        shift = {"left": 0.0, "middle": 0.5, "right": 1.0}[align]
        self._canvas.drawString(x - shift * self.width(text, size, bold=bold), y, text)

    def fitted(
        self,
        x: float,
        y: float,
        text: str,
        room_mm: float,
        size: float,
        *,
        bold: bool = False,
        colour: str = "#000000",
        align: Align = "left",
    ) -> None:
        """Write one line, smaller where it would be longer than `room_mm`."""
        size = min(size, size * room_mm / max(self.width(text, size, bold=bold), 1e-6))
        self.text(x, y, text, size, bold=bold, colour=colour, align=align)

    def lines(self, text: str, size: float, room_mm: float) -> list[str]:
        """Return the text in lines of at most `room_mm`, broken between words."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.width(longer, size) > room_mm:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def once(
        self, name: str, size_mm: tuple[float, float], draw: Callable[[Pen], None]
    ) -> None:
        """Draw what the document holds only once, however often it is used.

        It is cut at the origin and at its size.
        """
        if not self._canvas.hasForm(name):
            self._canvas.beginForm(name, 0, 0, *size_mm)
            draw(self)
            self._canvas.endForm()
        self._canvas.doForm(name)

    @staticmethod
    def width(text: str, size: float, *, bold: bool = False) -> float:
        """Return how long a line of text is."""
        return float(pdfmetrics.stringWidth(text, BOLD if bold else PLAIN, size))

    def _style(self, fill: str | None, line: str | None, width: float) -> None:
        if fill is not None:
            self._canvas.setFillColor(HexColor(fill))
        if line is not None:
            self._canvas.setStrokeColor(HexColor(line))
            self._canvas.setLineWidth(width)

    def _polygon(self, points: Sequence[Point]) -> PDFPathObject:
        path = self._canvas.beginPath()
        path.moveTo(*points[0])
        for point in points[1:]:
            path.lineTo(*point)
        path.close()
        return path
