"""What an eye takes for the table at first: not a hand that was there when it began.

Later a hand is what differs from the table as it was read. At first nothing was read,
and a hand that lies still for a moment looks like any part of the table: what it hid
seemed empty, and as it left the table seemed to lie under an arm. So what shows nothing
known is the table only if nothing moves around it for long enough, or if it shows again
what it showed before something moved there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cells import Mask, apart, in_the_light_of
from vision.types import Bgr

HAND_RESTS_S = 0.8
"""So long after the last motion a hand may lie still."""
GIVES_UP_S = 10.0
"""So long after the beginning all that was looked at is the table: a lamp flickers."""
REACH = 25
"""Cells around a motion that may be of the same hand: it shows at the rims of an arm
that moves along itself, and an arm is up to so wide."""
_REACH_CELLS = np.ones((REACH, REACH), np.uint8)


@dataclass(slots=True)
class Beginning:
    """When each cell was looked at, and what it showed then."""

    began_s: float = 0.0
    """On the clock of the gate, as all times here."""
    _looked_s: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, 0), np.float32)
    )
    _showed: Bgr = field(default_factory=lambda: np.zeros((0, 0, 3), np.uint8))
    _has_differed: Mask = field(default_factory=lambda: np.zeros((0, 0), bool))
    """It has shown something else since."""

    def begin(self, now_s: float) -> None:
        """Forget what was looked at: it is another view."""
        self.began_s = now_s
        self._looked_s = np.zeros((0, 0), np.float32)

    def waiting(
        self, small: Bgr, moved_s: NDArray[np.float32], now_s: float, limit: float
    ) -> tuple[Mask, Mask]:
        """Return the cells in which nothing has moved since they were looked at, and
        which of them are the table by now; to be asked of each picture. Colours may
        differ by `limit` levels."""
        if self._looked_s.shape != moved_s.shape:
            nothing = np.zeros(moved_s.shape, bool)
            return nothing, nothing
        self._has_differed |= self._differs(small, limit)
        near_s = _near_s(moved_s)
        waits = self._looked_s >= near_s
        return waits, waits & (now_s - near_s >= HAND_RESTS_S)

    def table(
        self,
        looked: Mask,
        small: Bgr,
        moved_s: NDArray[np.float32],
        now_s: float,
        limit: float,
    ) -> Mask:
        """Return which of the cells that were looked at, and show nothing known, are
        the table."""
        if now_s - self.began_s > GIVES_UP_S:
            return looked
        if self._looked_s.shape != looked.shape:
            self._looked_s = np.full(looked.shape, -np.inf, np.float32)
            self._showed = small.copy()
            self._has_differed = np.zeros(looked.shape, bool)
        near_s = _near_s(moved_s)
        is_again = self._has_differed & ~self._differs(small, limit)
        sure = looked & (is_again | (now_s - near_s >= HAND_RESTS_S))
        fresh = looked & ~sure & (self._looked_s < near_s)
        self._showed = np.where(fresh[..., None], small, self._showed)
        self._has_differed &= ~fresh
        self._looked_s[fresh] = now_s
        return sure

    def _differs(self, small: Bgr, limit: float) -> Mask:
        before = in_the_light_of(small, self._showed)
        return np.asarray(apart(small, before) > limit, bool)


def _near_s(moved_s: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return when anything moved in or near each cell."""
    return np.asarray(cv2.dilate(moved_s, _REACH_CELLS), np.float32)
