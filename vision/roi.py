"""Parts of a picture: what has changed is cut out, with room for a card around it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vision.cells import Mask
from vision.types import Array, Bgr, Placement

MARGIN_CARDS, WIDE_CARDS = 0.7, 1.3
"""How much of a card's length is shown around a change: its whole card fits in, as a
rule; where only the far end of a card differs from what lay there, in the wide one."""
MARGIN_SHARE = 0.2
"""Of the picture's width, as long as no card is known."""
LEAST_SHARE = 0.3
"""Of the picture's width and height: smaller cuts save nothing."""
WORTH_SHARE = 0.7
"""Of the picture's area: a larger cut may as well be all of it."""
EDGE_PX = 3.0


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle of a picture: [left, right) x [top, bottom), px."""

    left: int
    top: int
    right: int
    bottom: int
    width_px: int
    height_px: int

    @property
    def is_whole(self) -> bool:
        """Return whether it is all of the picture."""
        size = self.right - self.left, self.bottom - self.top
        return size == (self.width_px, self.height_px)

    def holds(self, quad_px: Array) -> bool:
        """Return whether a quad lies in it, and not cut at a side that was cut."""
        low, high = quad_px.min(axis=0), quad_px.max(axis=0)
        return bool(
            (self.left == 0 or low[0] > self.left + EDGE_PX)
            and (self.top == 0 or low[1] > self.top + EDGE_PX)
            and (self.right == self.width_px or high[0] < self.right - 1 - EDGE_PX)
            and (self.bottom == self.height_px or high[1] < self.bottom - 1 - EDGE_PX)
        )

    def moved(self, placement: Placement) -> Placement:
        """Return what was seen in the part, in px of the whole picture."""
        quad = tuple(
            (round(x + self.left, 2), round(y + self.top, 2))
            for x, y in placement.quad_px
        )
        return replace(placement, quad_px=quad, position=None)

    def cells(self, shape: tuple[int, ...], scale: float) -> Mask:
        """Return the cells of a small picture that lie in it."""
        cells = np.zeros(shape, bool)
        left, top = int(np.ceil(self.left / scale)), int(np.ceil(self.top / scale))
        right, bottom = int(self.right / scale), int(self.bottom / scale)
        if self.right == self.width_px:
            right = shape[1]
        if self.bottom == self.height_px:
            bottom = shape[0]
        cells[top:bottom, left:right] = True
        return cells


def whole(bgr: Bgr) -> Part:
    """Return all of a picture."""
    height, width = bgr.shape[:2]
    return Part(0, 0, width, height, width, height)


def part_around(
    wanted: Mask, scale: float, bgr: Bgr, card_px: float, *, is_wide: bool = False
) -> Part:
    """Return the part that shows the wanted cells and a card's length around them."""
    height, width = bgr.shape[:2]
    rows, columns = np.nonzero(wanted)
    if not len(rows):
        return whole(bgr)
    cards = WIDE_CARDS if is_wide else MARGIN_CARDS
    margin = cards * card_px if card_px else MARGIN_SHARE * width
    left, right = _span(columns, scale, margin, width)
    top, bottom = _span(rows, scale, margin, height)
    if (right - left) * (bottom - top) > WORTH_SHARE * width * height:
        return whole(bgr)
    return Part(left, top, right, bottom, width, height)


def _span(
    cells: np.ndarray[tuple[int], np.dtype[np.intp]],
    scale: float,
    margin: float,
    size: int,
) -> tuple[int, int]:
    low = float(cells.min()) * scale - margin
    high = (float(cells.max()) + 1) * scale + margin
    missing = LEAST_SHARE * size - (high - low)
    if missing > 0:
        low, high = low - missing / 2, high + missing / 2
    low, high = max(0.0, low), min(float(size), high)
    return int(low), int(np.ceil(high))


def cut(bgr: Bgr, part: Part) -> Bgr:
    """Return the pixels of a part."""
    if part.is_whole:
        return bgr
    return np.ascontiguousarray(bgr[part.top : part.bottom, part.left : part.right])
