"""What one picture says about the table's parts."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cells import Mask
from vision.sameness import SAME_LEVELS
from vision.types import Array, Bgr


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """What one picture says about the table's parts; masks are small (H, W)."""

    at_s: float
    scale: float
    """Picture px per cell."""
    moving: Mask
    covered: Mask
    """Under an arm; neither read nor believed."""
    glare: Mask
    """As bright as nothing was before: a lamp, or white paper that came. It is read,
    but what is not seen there is not gone, and no other face is believed there."""
    resting: Mask
    """May be an arm that lies still, or a card at the edge of the picture: read, but
    what is not seen there is not gone."""
    changed: Mask
    """Against what was last read."""
    rested: Mask
    """Changed, and has come to rest since: due, or put off since it was read in vain.
    """
    due: Mask
    """To be read now."""
    unknown: Mask
    """Never read, or under a hand when it was."""
    doubtful: Mask
    """Unknown, and something moved there a moment ago: it may be under a hand."""
    now_s: float
    """Seconds since the first picture."""
    moved_s: NDArray[np.float32]
    """When each cell last moved, on the same clock."""
    has_arm: bool
    is_lost: bool
    """The whole picture changed at once, and has not come back."""
    still_s: float
    """How long nothing has moved anywhere."""
    small: Bgr
    """The picture, a pixel for each cell."""
    known: Bgr
    """What was read last, in the light of now, likewise; before that the picture."""
    sharp: float = 1.0
    """While the view is lost: how steep the steepest edges are against those that were
    read; half of it, or less, in a blurred picture."""
    has_blinked: bool = False
    """Nobody looked for a while before this picture: an arm may have come in."""

    @property
    def is_due(self) -> bool:
        """Return whether something is to be read."""
        return bool(self.due.any())

    @property
    def is_quiet(self) -> bool:
        """Return whether no arm is over the table and nothing moves."""
        return not self.has_arm and not bool(self.moving.any())

    def share(self, mask: Mask, quad_px: Array) -> float:
        """Return which share of a quad in picture px lies in a mask."""
        box, inside = self._inside(quad_px)
        count = int(np.count_nonzero(inside))
        return int(np.count_nonzero(mask[box] & inside)) / count if count else 0.0

    def moved_at_s(self, quad_px: Array) -> float:
        """Return when a quad in picture px last moved, on the clock of `now_s`."""
        box, inside = self._inside(quad_px)
        return float(self.moved_s[box][inside].max()) if inside.any() else self.now_s

    def patch(self, quad_px: Array) -> Bgr:
        """Return what the box around a quad in picture px shows."""
        box, _ = self._inside(quad_px)
        return self.small[box]

    def shows_as_read(self, quad_px: Array) -> bool:
        """Return whether a place shows what was read there, in a light that is another
        around it as well: where a picture was nearly white that seems a change."""
        (rows, columns), _ = self._inside(quad_px)
        high, wide = rows.stop - rows.start, columns.stop - columns.start
        top, left = max(0, rows.start - high), max(0, columns.start - wide)
        near = np.s_[top : rows.stop + high, left : columns.stop + wide]
        now, then = self.small[near] + np.float32(1), self.known[near] + np.float32(1)
        inside = np.zeros(now.shape[:2], bool)
        inside[rows.start - top :, columns.start - left :][:high, :wide] = True
        if not inside.any() or inside.all():
            return False
        gain = np.median((now / then)[~inside], axis=0)
        off = np.abs(now - gain * then)[inside].max(axis=1)
        return float(off.mean()) < SAME_LEVELS

    def cells(self, quad_px: Array) -> Mask:
        """Return the cells of a quad in picture px."""
        cells = np.zeros(self.moving.shape, bool)
        box, inside = self._inside(quad_px)
        cells[box] = inside
        return cells

    def _inside(self, quad_px: Array) -> tuple[tuple[slice, slice], Mask]:
        """Return the box of cells around a quad, and which of them lie in it.

        A quad has some hundred of the 57,600 cells; only these are worth a look.
        """
        height, width = self.moving.shape
        points = (np.asarray(quad_px, float) + 0.5) / self.scale - 0.5
        rounded = np.round(np.clip(points, -4096, 4096)).astype(np.int32)
        left, top = np.maximum(rounded.min(axis=0), 0)
        right, bottom = np.minimum(rounded.max(axis=0) + 1, (width, height))
        inside = np.zeros((max(0, bottom - top), max(0, right - left)), np.uint8)
        if inside.size:
            cv2.fillConvexPoly(inside, rounded - [left, top], (1,))
        return np.s_[top:bottom, left:right], inside.astype(bool)
