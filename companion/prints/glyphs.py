"""The signs on cards and fiches: outlines on a field of 100 by 100, y down.

An outline is a line of commands: ``M x y`` and ``L x y`` move and draw, ``C`` takes
three points of a curve, ``Z`` closes, ``O x y r`` is a circle. Where outlines cover
each other twice there is a hole. A star stands for a regular one: ``S x y points outer
inner``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from reportlab.pdfgen.pathobject import PDFPathObject

from companion.prints.pen import Pen

FIELD = 100.0

# Colours as shapes: colour is never the only carrier.
_SHAPES = {
    "triangle": "M50 8 L95 88 L5 88 Z",
    "square": "M12 12 L88 12 L88 88 L12 88 Z",
    "disc": "O50 50 42",
    "star": "S50 53 5 48 20",
    "diamond": "M50 3 L88 50 L50 97 L12 50 Z",
    "ring": "O50 50 44 O50 50 22",
    "wheel": "S50 50 8 47 30 O50 50 14",
}

_ARMS = {
    "sword": "M50 2 L59 14 L57 64 L43 64 L41 14 Z M24 64 L76 64 L76 73 L24 73 Z "
    "M45 73 L55 73 L55 90 L45 90 Z O50 93 7",
    "dagger": "M50 4 L60 20 L56 52 L44 52 L40 20 Z M28 52 L36 50 L50 56 L64 50 L72 52 "
    "L66 62 L34 62 Z M44 62 L56 62 L54 88 L46 88 Z O50 91 8",
    "shield": "M50 4 C62 14 76 18 90 18 C92 58 78 84 50 97 C22 84 8 58 10 18 "
    "C24 18 38 14 50 4 Z M50 20 L50 82 C34 72 24 54 23 30 C34 30 42 26 50 20 Z",
    "axe": "M46 6 L54 6 L54 97 L46 97 Z M54 14 C70 4 86 8 94 18 C86 26 86 44 94 52 "
    "C86 62 70 66 54 56 Z M46 22 C34 14 22 16 14 22 C20 30 20 40 14 48 "
    "C22 54 34 56 46 48 Z",
    "hammer": "M18 10 L82 10 L82 46 L18 46 Z M44 46 L56 46 L56 97 L44 97 Z "
    "M28 20 L72 20 L72 36 L28 36 Z",
    "club": "M34 8 C50 0 66 8 68 24 C70 44 58 56 55 70 L55 97 L43 97 L43 70 "
    "C38 54 26 44 26 26 C26 18 28 12 34 8 Z O40 24 5 O56 30 5 O45 44 5",
    "spear": "M50 2 L63 30 L54 34 L54 98 L46 98 L46 34 L37 30 Z M32 40 L68 40 "
    "L68 46 L32 46 Z",
    "bow": "M28 4 C76 20 76 80 28 96 L24 90 C60 74 60 26 24 10 Z M22 8 L27 8 L27 92 "
    "L22 92 Z M27 47 L78 47 L78 38 L97 50 L78 62 L78 53 L27 53 Z",
    "helm": "M50 6 C78 6 88 28 86 60 L80 92 L60 97 L56 62 L44 62 L40 97 L20 92 L14 60 "
    "C12 28 22 6 50 6 Z M26 46 L74 46 L74 55 L26 55 Z",
    "banner": "M16 3 L24 3 L24 97 L16 97 Z M24 8 L88 8 L76 30 L88 52 L24 52 Z",
    "tower": "M16 6 L32 6 L32 18 L42 18 L42 6 L58 6 L58 18 L68 18 L68 6 L84 6 L84 34 "
    "L76 40 L76 95 L24 95 L24 40 L16 34 Z M42 95 L42 70 C42 58 58 58 58 70 L58 95 Z",
    "gear": "S50 50 10 48 36 O50 50 17",
    "claw": "M20 6 C30 34 30 60 14 92 C38 70 44 38 20 6 Z M50 4 C58 34 58 64 44 97 "
    "C68 70 72 36 50 4 Z M78 8 C84 34 84 60 74 88 C94 66 98 34 78 8 Z",
}

_BEINGS = {
    "hat": "M54 3 L76 70 L96 82 C70 96 30 96 4 82 L26 70 L40 22 L28 24 Z "
    "S52 54 5 12 5 M28 72 L74 72 L77 79 L25 79 Z",
    "skull": "M50 5 C78 5 92 24 90 48 C89 60 84 66 76 70 L74 92 L60 92 L58 84 L54 92 "
    "L46 92 L42 84 L40 92 L26 92 L24 70 C16 66 11 60 10 48 C8 24 22 5 50 5 Z "
    "O33 46 11 O67 46 11 M50 56 L57 70 L43 70 Z",
    "lich": "M18 30 L18 3 L34 16 L50 1 L66 16 L82 3 L82 30 Z M50 34 C74 34 86 44 85 58 "
    "C84 68 80 72 74 75 L72 96 L58 96 L56 88 L44 88 L42 96 L28 96 L26 75 "
    "C20 72 16 68 15 58 C14 44 26 34 50 34 Z O35 60 9 O65 60 9",
    "crown": "M8 20 L30 48 L50 10 L70 48 L92 20 L84 84 L16 84 Z M22 68 L78 68 L77 75 "
    "L23 75 Z",
    "ghost": "M50 5 C76 5 84 28 84 52 L88 95 L72 84 L60 97 L50 85 L40 97 L28 84 L12 95 "
    "L16 52 C16 28 24 5 50 5 Z O37 40 9 O63 40 9 M42 60 L58 60 L50 72 Z",
    "bone": "M34 24 C34 8 16 6 15 17 C4 18 6 36 22 36 L64 78 C66 94 84 94 85 83 "
    "C96 82 94 66 78 64 L36 22 Z",
    "bat": "M50 34 L42 20 L38 32 C26 16 10 20 2 36 C16 34 20 46 20 58 C30 50 38 56 "
    "40 66 L50 84 L60 66 C62 56 70 50 80 58 C80 46 84 34 98 36 C90 20 74 16 "
    "62 32 L58 20 Z",
    "hand": "M30 96 L22 62 L6 40 C12 30 20 36 28 48 L26 12 C28 4 36 4 38 12 L42 40 "
    "L44 6 C46 0 54 0 55 6 L56 40 L62 10 C66 4 72 6 72 14 L68 46 L80 28 C86 24 90 "
    "28 88 36 L76 68 L70 96 Z",
    "falcon": "M14 97 C4 56 14 18 46 8 C66 3 82 14 86 28 C98 34 98 50 90 68 C88 56 "
    "82 50 74 52 C64 55 64 68 72 82 L60 97 Z M46 30 L70 24 C70 36 62 42 54 38 Z",
    "fox": "M6 6 L34 26 L66 26 L94 6 L90 52 C86 70 68 78 50 97 C32 78 14 70 10 52 Z "
    "M26 48 L42 54 L32 60 Z M74 48 L58 54 L68 60 Z M42 76 L58 76 L50 88 Z",
    "feather": "M84 4 C50 10 24 34 22 70 L10 92 L18 96 L30 78 C64 78 84 48 84 4 Z "
    "M34 68 L70 24 L72 27 L38 71 Z",
    "paw": "M50 50 C66 50 80 66 78 80 C76 92 62 92 50 88 C38 92 24 92 22 80 "
    "C20 66 34 50 50 50 Z O18 48 11 O38 24 12 O62 24 12 O82 48 11",
}

_DEEDS = {
    "burst": "S50 50 9 48 24",
    "bursts": "S34 36 8 34 17 S66 66 8 34 17",
    "press": "M8 10 L50 38 L92 10 L92 34 L50 62 L8 34 Z M8 50 L50 78 L92 50 L92 70 "
    "L50 98 L8 70 Z",
    "sweep": "M78 4 L86 10 L54 52 L46 46 Z M40 42 L64 60 L56 74 L20 96 L4 92 L30 54 Z "
    "M70 70 L96 70 L96 78 L70 78 Z M64 84 L90 84 L90 92 L64 92 Z",
    "snow": "O50 50 9 M46 37 L46 24 L35 16 L39 10 L46 15 L46 2 L54 2 L54 15 L61 10 "
    "L65 16 L54 24 L54 37 Z M59 40 L71 34 L72 20 L79 20 L78 29 L90 23 L94 29 "
    "L82 36 L90 40 L87 46 L75 40 L63 47 Z M63 53 L75 60 L87 54 L90 60 L82 64 "
    "L94 71 L90 77 L78 71 L79 80 L72 80 L71 66 L59 60 Z M54 63 L54 76 L65 84 "
    "L61 90 L54 85 L54 98 L46 98 L46 85 L39 90 L35 84 L46 76 L46 63 Z M41 60 "
    "L29 66 L28 80 L21 80 L22 71 L10 77 L6 71 L18 64 L10 60 L13 54 L25 60 L37 "
    "53 Z M37 47 L25 40 L13 46 L10 40 L18 36 L6 29 L10 23 L22 29 L21 20 L28 "
    "20 L29 34 L41 40 Z",
    "again": "M50 12 C74 12 90 30 90 52 C90 76 72 92 50 92 C28 92 12 76 10 54 L25 54 "
    "C27 68 37 77 50 77 C64 77 75 66 75 52 C75 38 64 27 50 27 L50 42 L24 20 L50 0 Z",
    "exchange": "M4 34 L66 34 L66 16 L96 42 L66 62 L66 46 L4 46 Z M96 66 L34 66 L34 52 "
    "L4 74 L34 98 L34 80 L96 80 Z",
    "gift": "M8 34 L92 34 L92 50 L8 50 Z M14 54 L44 54 L44 96 L14 96 Z M56 54 L86 54 "
    "L86 96 L56 96 Z M48 32 C34 2 10 14 24 30 Z M52 32 C66 2 90 14 76 30 Z",
    "skip": "O50 50 47 O50 50 33 M24 66 L66 24 L76 34 L34 76 Z",
    "mask": "M4 34 C24 22 40 30 50 38 C60 30 76 22 96 34 C98 62 78 80 60 66 "
    "C54 60 46 60 40 66 C22 80 2 62 4 34 Z O28 48 10 O72 48 10",
    "bolt": "M62 2 L14 56 L44 56 L32 98 L86 38 L54 38 Z",
    "swap": "O35 38 30 O65 62 30",
    "spark": "S50 50 4 48 11 S16 18 4 15 4 S84 82 4 15 4",
    "sparks": "S28 28 4 27 7 S72 28 4 27 7 S28 72 4 27 7 S72 72 4 27 7",
    "rebound": "M6 10 L20 10 L20 64 L58 64 L58 44 L94 72 L58 99 L58 80 L6 80 Z "
    "M34 10 L92 10 L92 24 L34 24 Z",
    "equal": "M10 24 L90 24 L90 42 L10 42 Z M10 58 L90 58 L90 76 L10 76 Z",
    "unequal": "M10 24 L46 24 L40 42 L10 42 Z M64 24 L90 24 L90 42 L57 42 Z M10 58 "
    "L34 58 L28 76 L10 76 Z M51 58 L90 58 L90 76 L45 76 Z M66 4 L76 8 L34 96 L24 92 Z",
    "clover": "M50 50 C20 54 4 34 22 22 C28 4 50 14 50 50 Z M50 50 C50 14 72 4 78 22 "
    "C96 34 80 54 50 50 Z M50 50 C20 46 6 66 22 76 C28 94 50 84 50 50 Z M50 50 "
    "C80 46 94 66 78 76 C72 94 50 84 50 50 Z",
    "heart": "M50 92 C10 62 0 40 8 24 C18 4 42 8 50 28 C58 8 82 4 92 24 "
    "C100 40 90 62 50 92 Z",
    "masks": "M2 10 L58 10 C60 44 50 62 30 66 C10 62 0 44 2 10 Z O19 30 6 O41 30 6 "
    "M18 46 L42 46 L30 56 Z M64 34 L98 34 C100 68 90 86 70 92 C58 89 50 82 46 72 "
    "C58 66 64 54 64 34 Z O72 54 5 O88 54 5",
    "sun": "S50 50 12 48 32 O50 50 22",
    "moon": "M64 4 C28 10 14 46 32 74 C46 96 76 98 92 80 C62 84 42 62 46 38 "
    "C48 22 54 12 64 4 Z",
}

GLYPHS = _SHAPES | _ARMS | _BEINGS | _DEEDS


def draw_glyph(
    pen: Pen, name: str, x: float, y: float, size_mm: float, colour: str
) -> None:
    """Draw a sign around its centre."""
    with pen.at(x, y):
        pen.path(_path(pen, GLYPHS[name], size_mm / FIELD), fill=colour)


def _path(pen: Pen, outline: str, scale: float) -> PDFPathObject:
    path = pen.new_path()

    def to(x: float, y: float) -> tuple[float, float]:
        return (x - FIELD / 2) * scale, (FIELD / 2 - y) * scale

    for letter, values in _commands(outline):
        if letter == "M":
            path.moveTo(*to(values[0], values[1]))
        elif letter == "L":
            path.lineTo(*to(values[0], values[1]))
        elif letter == "C":
            one, two, three = to(*values[:2]), to(*values[2:4]), to(*values[4:6])
            path.curveTo(*one, *two, *three)
        elif letter == "O":
            path.circle(*to(values[0], values[1]), values[2] * scale)
        elif letter == "S":
            corners = [to(*corner) for corner in star(*values)]
            path.moveTo(*corners[0])
            for corner in corners[1:]:
                path.lineTo(*corner)
            path.close()
        else:
            path.close()
    return path


def star(
    x: float, y: float, points: float, outer: float, inner: float
) -> Iterator[tuple[float, float]]:
    """Yield the corners of a regular star, the first one on top."""
    count = int(points)
    for number in range(2 * count):
        radius = inner if number % 2 else outer
        turn = math.pi * number / count
        yield x + radius * math.sin(turn), y - radius * math.cos(turn)


def _commands(outline: str) -> Iterator[tuple[str, tuple[float, ...]]]:
    letter = ""
    values: list[float] = []
    for word in outline.split():
        if word[0].isalpha():
            if letter:
                yield letter, tuple(values)
            letter, values = word[0], []
        if number := word.lstrip("MLCZOS"):
            values.append(float(number))
    yield letter, tuple(values)
