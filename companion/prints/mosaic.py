"""The ground of a card: a mosaic that its label alone decides.

Six by eight fields of three tones, with quarter discs and triangles in them. A field is
10 mm wide: where a card is seen 60 px wide and blurred it still is a field, so that two
labels differ all over, whatever the camera makes of their signs.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

from companion.prints import STYLE
from companion.prints.glyphs import star
from companion.prints.pen import Pen

COLUMNS, ROWS = 6, 8
SEAM_MM = 0.1
"""Fields and figures reach so far over their edges: no line shows between them."""


@dataclass(frozen=True, slots=True)
class Tones:
    """Three tones of one colour."""

    dark: str
    full: str
    pale: str

    @property
    def all(self) -> tuple[str, str, str]:
        """Return them from dark to pale."""
        return self.dark, self.full, self.pale


def seed_bytes(label: str, count: int) -> bytes:
    """Return so many bytes that the label alone decides."""
    return hashlib.shake_128(f"arbitro {STYLE} {label}".encode()).digest(count)


def draw_mosaic(
    pen: Pen, label: str, tones: Tones, width_mm: float, height_mm: float
) -> None:
    """Fill the rectangle from the origin with the mosaic of a label."""
    across, up = width_mm / COLUMNS, height_mm / ROWS
    pen.rect(0, 0, width_mm, height_mm, fill=tones.full)
    places = [(c * across, r * up) for r in range(ROWS) for c in range(COLUMNS)]
    seeds = seed_bytes(label, COLUMNS * ROWS)
    # All grounds first: a ground and its figure under one soft edge would show a seam.
    for seed, (x, y) in zip(seeds, places, strict=True):
        pen.rect(x, y, across + SEAM_MM, up + SEAM_MM, fill=tones.all[seed % 3])
    for seed, (x, y) in zip(seeds, places, strict=True):
        reach = (across + 2 * SEAM_MM, up + 2 * SEAM_MM)
        with pen.clipped(x - SEAM_MM, y - SEAM_MM, *reach), pen.at(x, y):
            _draw_figure(pen, seed, tones, across, up)


def _draw_figure(pen: Pen, seed: int, tones: Tones, w: float, h: float) -> None:
    ground = tones.all[seed % 3]
    others = [tone for tone in tones.all if tone != ground]
    figure = others[seed // 3 % 2]
    corner = ((0.0, 0.0), (w, 0.0), (w, h), (0.0, h))
    turn = seed // 6 % 4
    what = seed // 24 % 5
    if what == 0:
        pen.circle(*corner[turn], 0.72 * w, fill=figure)
    elif what == 1:
        # Out of the field along its diagonals, which leaves the long side where it is.
        wide = [
            (w / 2 + 1.2 * (x - w / 2), h / 2 + 1.2 * (y - h / 2)) for x, y in corner
        ]
        pen.polygon([wide[turn - 1], wide[turn], wide[turn - 3]], fill=figure)
    elif what == 2:
        pen.circle(w / 2, h / 2, 0.3 * w, fill=figure)


def draw_rosette(
    pen: Pen, label: str, tones: Sequence[str], x: float, y: float, radius: float
) -> None:
    """Draw a figure of stars and rings that the label alone decides."""
    seeds = seed_bytes(f"rosette {label}", 12)
    points = 3 + seeds[0] % 7
    size = radius
    with pen.at(x, y, angle_deg=seeds[1] % 60):
        for number in range(3):
            tone = tones[(seeds[2] + number) % len(tones)]
            inner = size * (0.38 + 0.42 * (seeds[3 + number] % 8) / 7)
            if seeds[6 + number] % 3 == 0:
                pen.circle(0, 0, size * 0.86, fill=tone)
            else:
                pen.polygon(list(star(0, 0, points, size, inner)), fill=tone)
            size *= 0.62
            points = 3 + seeds[9 + number] % 7
            tone = tones[(seeds[2] + number + 1) % len(tones)]
        dots = 4 + seeds[1] % 5
        for number in range(dots):
            turn = 2 * math.pi * number / dots
            at = 0.9 * radius
            pen.circle(
                at * math.cos(turn), at * math.sin(turn), 0.06 * radius, fill=tone
            )
