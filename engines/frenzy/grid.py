"""Where the regions are: a grid that the row of Battlefield cards spans (3).

Nothing about the table is fixed in millimetres, so everything is measured against the
cards themselves, whatever the camera's direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from engines.core import CLEAR_SIGMAS, Piece
from engines.frenzy.cards import NUMBERS

MIN_EVEN = 0.35
"""A row is even enough if its smaller gap is this share of the larger one."""
MAX_BEND = 0.6
"""How far the middle card may lie off the line, in card heights."""
BLUR = 0.08
"""Share of a pitch on both sides of a border in which a place is in doubt."""
MOST_BLUR = 0.2
"""More than this a large sigma does not add. Where no map of the table was found, all
positions are off together (scale, perspective); the grid is measured from the same
cards and is off with them, so who lies beside whom survives."""
REACH = 0.62
"""Share of a pitch that the outer columns reach beyond their Battlefield card."""
NEAR = 1.1
"""Up to here a card beside the outer columns may be meant for them."""
LAST_ROW = 4.0
"""Beyond so many row pitches a card lies behind the Headquarters."""
CANDIDATES = 4
"""So many cards per number are tried as the row; more are not looked at."""


@dataclass(frozen=True, slots=True)
class Possible:
    """The columns or rows that a place may be in, likeliest first; none: surely off."""

    numbers: tuple[int, ...]
    may_be_off: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """Axes of the table: `along` the row, `across` it towards one of the halves."""

    origin: tuple[float, float]
    along: tuple[float, float]
    columns: tuple[float, float, float]
    """Position of Battlefield 1, 2, 3 along the row, in mm."""
    extent_mm: float
    """How much a card takes up across the row."""

    @property
    def across(self) -> tuple[float, float]:
        """Return the direction of the first half: `along`, turned clockwise."""
        return self.along[1], -self.along[0]

    @property
    def pitch_mm(self) -> float:
        """Return the mean distance of neighbouring columns."""
        return (max(self.columns) - min(self.columns)) / 2

    def locate(self, piece: Piece) -> tuple[float, float]:
        """Return the position along and across the row, in mm."""
        dx, dy = piece.x_mm - self.origin[0], piece.y_mm - self.origin[1]
        (ax, ay), (cx, cy) = self.along, self.across
        return dx * ax + dy * ay, dx * cx + dy * cy

    def columns_at(self, along_mm: float, sigma_mm: float) -> Possible:
        """Return the Battlefields whose column a position may be in."""
        blur_mm = _blur(sigma_mm / self.pitch_mm) * self.pitch_mm
        near = sorted(
            NUMBERS, key=lambda number: abs(along_mm - self.columns[number - 1])
        )
        first, second = (abs(along_mm - self.columns[n - 1]) for n in near[:2])
        beyond_mm = self._beyond(along_mm)
        if beyond_mm > NEAR * self.pitch_mm:
            return Possible((), True)
        if beyond_mm > REACH * self.pitch_mm - blur_mm:
            return Possible((near[0],), True)
        if (second - first) / 2 < blur_mm:
            return Possible((near[0], near[1]), False)
        return Possible((near[0],), False)

    def _beyond(self, along_mm: float) -> float:
        return max(along_mm - max(self.columns), min(self.columns) - along_mm, 0.0)


@dataclass(frozen=True, slots=True)
class Row:
    """Three pieces taken for Battlefield 1, 2 and 3."""

    pieces: tuple[Piece, Piece, Piece]
    unevenness: float


def grid_of(row: Row) -> Grid:
    """Return the grid that a row spans."""
    first, last = _ends(row.pieces)
    length = math.hypot(last.x_mm - first.x_mm, last.y_mm - first.y_mm)
    along = ((last.x_mm - first.x_mm) / length, (last.y_mm - first.y_mm) / length)
    origin = (
        sum(piece.x_mm for piece in row.pieces) / 3,
        sum(piece.y_mm for piece in row.pieces) / 3,
    )
    if not _is_near_first(along):
        along = (-along[0], -along[1])
    one, two, three = (
        (piece.x_mm - origin[0]) * along[0] + (piece.y_mm - origin[1]) * along[1]
        for piece in row.pieces
    )
    extents = [extent(piece, along) for piece in row.pieces]
    return Grid(origin, along, (one, two, three), sum(extents) / 3)


def extent(piece: Piece, along: tuple[float, float]) -> float:
    """Return how much a card takes up across the row, in mm."""
    up = math.radians(piece.angle_deg)
    lengthwise = abs(math.cos(up) * along[0] + math.sin(up) * along[1])
    across = math.sqrt(max(1 - lengthwise * lengthwise, 0.0))
    return max(piece.height_mm * across, piece.width_mm * lengthwise)


def _is_near_first(along: tuple[float, float]) -> bool:
    """Return whether `along`, turned clockwise, points to the first seat's half.

    Seats count clockwise from the near edge, so the first half is the near one, or the
    left one where the row runs away from the viewer. The change from one to the other
    is at the diagonals, far from how anybody looks at a table.
    """
    across_x, across_y = along[1], -along[0]
    clockwise = math.degrees(math.atan2(-across_x, -across_y))
    return -45 <= clockwise < 135


def find_row(
    by_number: Mapping[int, Sequence[Piece]], others: Iterable[Piece]
) -> Row | None:
    """Return the best row of one card per number, `None` where there is none.

    Both players own three Battlefield cards and one set is put aside; the set in play
    is the one with cards around it.
    """
    rows = list(_rows(by_number))
    if len(rows) < 2:
        return rows[0] if rows else None
    around = list(others)
    return min(rows, key=lambda row: (-_support(row, around), row.unevenness))


def _rows(by_number: Mapping[int, Sequence[Piece]]) -> Iterator[Row]:
    candidates = (by_number.get(number, ())[:CANDIDATES] for number in NUMBERS)
    for one, two, three in product(*candidates):
        if (row := row_of((one, two, three))) is not None:
            yield row


def row_of(pieces: tuple[Piece, Piece, Piece]) -> Row | None:
    """Return the row that three cards form, `None` if they do not lie side by side."""
    if len({piece.id for piece in pieces}) < 3:
        return None
    first, last = _ends(pieces)
    middle = next(piece for piece in pieces if piece is not first and piece is not last)
    dx, dy = last.x_mm - first.x_mm, last.y_mm - first.y_mm
    length = math.hypot(dx, dy)
    if length < min(first.width_mm, last.width_mm):
        return None
    mx, my = middle.x_mm - first.x_mm, middle.y_mm - first.y_mm
    share = (mx * dx + my * dy) / length**2
    bend_mm = abs(mx * dy - my * dx) / length
    smaller = min(share, 1 - share)
    if smaller <= 0 or smaller / (1 - smaller) < MIN_EVEN:
        return None
    if bend_mm > MAX_BEND * middle.height_mm:
        return None
    return Row(pieces, (0.5 - smaller) + bend_mm / middle.height_mm)


def _ends(pieces: tuple[Piece, Piece, Piece]) -> tuple[Piece, Piece]:
    def distance(pair: tuple[Piece, Piece]) -> float:
        return math.hypot(pair[0].x_mm - pair[1].x_mm, pair[0].y_mm - pair[1].y_mm)

    one, two, three = pieces
    first, last = max(((one, two), (one, three), (two, three)), key=distance)
    return first, last


def _support(row: Row, others: Sequence[Piece]) -> int:
    """Return how many cards lie where the regions of this row would be."""
    grid = grid_of(row)
    count = 0
    for piece in others:
        along_mm, across_mm = grid.locate(piece)
        is_beside = bool(grid.columns_at(along_mm, 0.0).numbers)
        count += is_beside and abs(across_mm) < LAST_ROW * grid.extent_mm
    return count


def filled_row(
    known: Mapping[int, Piece], unread: Sequence[Piece]
) -> tuple[int, Row] | None:
    """Return the missing number and the row that an unread card completes.

    `known` are two Battlefield cards. The best-fitting unread card is taken; `None`
    where none fits, for a place is not made up.
    """
    (missing,) = set(NUMBERS) - set(known)
    rows = []
    for piece in unread:
        one, two, three = (known.get(number, piece) for number in NUMBERS)
        if (row := row_of((one, two, three))) is not None:
            rows.append(row)
    if not rows:
        return None
    return missing, min(rows, key=lambda row: row.unevenness)


def row_pitch(depths_mm: Sequence[float], extent_mm: float) -> float:
    """Return the distance from row to row that explains the depths of one half best.

    A search over plausible pitches: cards should lie near 1, 2 or 3 pitches, and a
    pitch near one card and a finger's gap is likelier than others.
    """

    def cost(pitch_mm: float) -> float:
        prior = ((pitch_mm / extent_mm - 1.12) / 0.12) ** 2
        misfit = 0.0
        for depth_mm in depths_mm:
            rows = min(max(round(depth_mm / pitch_mm), 1), 3)
            misfit += min(((depth_mm - rows * pitch_mm) / (0.15 * extent_mm)) ** 2, 4.0)
        return prior + misfit

    return min((extent_mm * (0.9 + 0.02 * step) for step in range(41)), key=cost)


def rows_at(depth_mm: float, pitch_mm: float, sigma_mm: float) -> Possible:
    """Return the rows (1 Battle Line, 2 Supply Line, 3 HQ) that a depth may be in."""
    blur = _blur(sigma_mm / pitch_mm)
    rows = depth_mm / pitch_mm
    if rows > LAST_ROW + blur:
        return Possible((), True)
    if rows > LAST_ROW - blur:
        return Possible((3,), True)
    if rows < 0.5 + blur:
        return Possible((1,), True)
    nearest = min(max(round(rows), 1), 3)
    for lower in (1, 2):
        if abs(rows - lower - 0.5) < blur:
            further = lower + 1 if nearest == lower else lower
            return Possible((nearest, further), False)
    return Possible((nearest,), False)


def _blur(sigma: float) -> float:
    """Return how near to a border a place is in doubt; all in pitches."""
    return min(max(BLUR, CLEAR_SIGMAS * sigma), MOST_BLUR)


def overlap(first: Piece, second: Piece) -> bool:
    """Return whether two cards cover each other anywhere (separating axes)."""
    shapes = (first.corners_mm, second.corners_mm)
    for piece in (first, second):
        for turn in (0.0, 90.0):
            angle = math.radians(piece.angle_deg + turn)
            ax, ay = math.cos(angle), math.sin(angle)
            spans = [[x * ax + y * ay for x, y in shape] for shape in shapes]
            if max(spans[0]) <= min(spans[1]) or max(spans[1]) <= min(spans[0]):
                return False
    return True
