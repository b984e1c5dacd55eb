"""The sheets that the camera measures by: ChArUco for its lens, markers for the table.

Their squares are those that `vision.sheet` and `vision.markers` look for: the patterns
come from OpenCV and are drawn as vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.i18n import N_, say
from companion.prints.paper import INK, PALE, Document, Paper
from companion.prints.pen import Pen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vision.markers import MarkerBoard
    from vision.sheet import Sheet

MARKER_MM = 40.0
"""Side of the black square of a corner marker."""
CELLS = 6
"""Of a marker's black square."""
CUT_MM = 1.5 * MARKER_MM
CORNERS = (
    N_("near left corner"),
    N_("near right corner"),
    N_("far right corner"),
    N_("far left corner"),
)


def charuco_pdf(paper: Paper, language: str) -> bytes:
    """Return the sheet for `arbitro calibrate`."""
    from vision.sheet import Sheet  # noqa: PLC0415 - slow

    sheet = Sheet()
    page = paper if paper.is_landscape else paper.turned
    title = say(language, N_("Arbitro: sheet to calibrate a camera"))
    document = Document(title, language)
    with document.page(page) as pen:
        left, low = sheet_corner_mm(sheet, page)
        width, height = sheet.size_mm
        pen.rect(left - 2, low - 2, width + 4, height + 4, fill="#ffffff")
        with pen.at(left, low):
            _draw_board(pen, sheet)
        hint = say(
            language,
            N_("Glue it on something flat. Squares of %(square)s mm, 11 by 7."),
            square=f"{sheet.square_mm:g}",
        )
        pen.text(left, low + height + 3.2, hint, 2.6, colour=INK)
    return document.pdf()


def sheet_corner_mm(sheet: Sheet, page: Paper) -> tuple[float, float]:
    """Return where the lower left corner of the sheet is printed on the page."""
    width, height = sheet.size_mm
    return (page.width_mm - width) / 2, (page.height_mm - height) / 2 + 1.5


def _draw_board(pen: Pen, sheet: Sheet) -> None:
    import cv2  # noqa: PLC0415 - slow
    import numpy as np  # noqa: PLC0415

    from vision.sheet import DICTIONARY  # noqa: PLC0415

    dictionary, board = cv2.aruco.getPredefinedDictionary(DICTIONARY), sheet.board()
    across = dictionary.markerSize + 2
    black = np.ones((sheet.rows, sheet.columns), bool)
    _, height = sheet.size_mm
    for id, corners in zip(np.ravel(board.getIds()), board.getObjPoints(), strict=True):
        x, down = np.asarray(corners)[:, :2].mean(0)
        black[int(down // sheet.square_mm), int(x // sheet.square_mm)] = False
        cells = np.asarray(cv2.aruco.generateImageMarker(dictionary, int(id), across))
        half = sheet.marker_mm / 2
        with pen.at(float(x) - half, height - float(down) - half):
            _draw_cells(pen, cells < 128, sheet.marker_mm / across)
    # Squares that hold no marker are the black ones; they touch only at corners.
    _draw_cells(pen, black, sheet.square_mm)


def markers_pdf(paper: Paper, language: str) -> bytes:
    """Return the sheet with the four corner markers, to cut out."""
    title = say(language, N_("Arbitro: corner markers"))
    document = Document(title, language)
    with document.page(paper) as pen:
        for id, (x, y) in enumerate(marker_centres_mm(paper)):
            half = CUT_MM / 2
            box = (x - half, y - half, CUT_MM, CUT_MM)
            pen.rect(*box, fill="#ffffff", line=PALE, width=0.15)
            with pen.at(x - MARKER_MM / 2, y - MARKER_MM / 2):
                _draw_cells(pen, marker_cells(id), MARKER_MM / CELLS)
            name = say(language, CORNERS[id])
            pen.text(
                x, y - half + 2.4, f"{id}: {name}", 2.8, colour=INK, align="middle"
            )
        _draw_advice(pen, paper, language)
    return document.pdf()


def marker_centres_mm(paper: Paper) -> list[tuple[float, float]]:
    """Return the centres of markers 0 to 3 on the sheet, from its lower left corner.

    They go round as on a table, so that the sheet can be used before it is cut.
    """
    x0, x1 = paper.width_mm / 2 - 44, paper.width_mm / 2 + 44
    y0 = 62.0 + CUT_MM / 2 + 6
    y1 = y0 + 100
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def sheet_markers(paper: Paper) -> MarkerBoard:
    """Return the board that the uncut sheet is; its origin is the lower left corner."""
    from vision.markers import corner_board  # noqa: PLC0415 - slow

    (x0, y0), _, (x1, y1), _ = marker_centres_mm(paper)
    return corner_board((x0, y0, x1, y1), MARKER_MM)


def marker_cells(id: int) -> NDArray[np.bool_]:
    """Return the (6, 6) cells of a marker that are black, first row on top."""
    import numpy as np  # noqa: PLC0415

    from vision.markers import marker_picture  # noqa: PLC0415 - slow

    return np.asarray(marker_picture(id, 1)[1:-1, 1:-1] < 128)


def draw_marker(pen: Pen, id: int, x: float, y: float, side_mm: float) -> None:
    """Draw a marker around its centre, on white with a margin of one cell."""
    cell = side_mm / CELLS
    outer = side_mm + 2 * cell
    pen.rect(x - outer / 2, y - outer / 2, outer, outer, fill="#ffffff")
    with pen.at(x - side_mm / 2, y - side_mm / 2):
        _draw_cells(pen, marker_cells(id), cell)


def _draw_cells(pen: Pen, black: NDArray[np.bool_], cell_mm: float) -> None:
    """Draw all black cells as one path: within a path no seam shows between cells, and
    its edges are not moved to whole pixels, as pdfium does with single rectangles."""
    rows, columns = black.shape
    path = pen.new_path()
    for row in range(rows):
        column = 0
        while column < columns:
            start = column
            while column < columns and black[row, column]:
                column += 1
            if column > start:
                x, y = start * cell_mm, (rows - 1 - row) * cell_mm
                path.rect(x, y, (column - start) * cell_mm, cell_mm)
            column += 1
    pen.path(path, fill="#000000")


def _draw_advice(pen: Pen, paper: Paper, language: str) -> None:
    lines = (
        N_("Cut along the grey lines; the white margin must stay."),
        N_("Lay the centres on the corners of a rectangle, every name towards you."),
        N_("Arbitro asks for the width and the depth between the centres."),
    )
    top = marker_centres_mm(paper)[-1][1] + CUT_MM / 2 + 14
    for number, line in enumerate(lines):
        x, y = paper.width_mm / 2 - 44 - CUT_MM / 2, top - 4.4 * number
        pen.text(x, y, say(language, line), 3.0, colour=INK)
