"""The view as a whole: when it was lost, and when it is worth looking for again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.gate import Gate
from vision.haze import PATIENCE_S
from vision.settle import LARGEST_NEW_ARM
from vision.types import Array

RETRY_S, LONGEST_RETRY_S = 0.5, 4.0
MOVED_SHARE, ALL_SHARE, FEWEST_MOVED = 0.25, 0.8, 4
"""So much of so many of the things on the table, and so many things at least."""
SHARP_SHARE = 0.6
"""Of the steepness of edges; less is left in a blurred picture."""


@dataclass(slots=True)
class LostView:
    """Whether the picture shows the table; times are of the source's clock."""

    is_lost: bool = False
    _since_s: float = -np.inf
    """When it was lost, or found by itself, last."""
    _retry_s: float = RETRY_S
    _not_before_s: float = -np.inf

    def notice(self, gate: Gate, at_s: float) -> list[str]:
        """Return what is told of a picture in which it was lost or is back."""
        if gate.is_lost == self.is_lost:
            return []
        self.is_lost, self._since_s = gate.is_lost, at_s
        return ["view_changed" if gate.is_lost else "view_found"]

    def is_worth_a_look(self, gate: Gate, at_s: float, settle_s: float) -> bool:
        """Return whether the lost view may be found in this picture."""
        is_still = gate.still_s >= settle_s
        return is_still and at_s >= self._not_before_s and not self.is_blurred(gate)

    def looked(self, at_s: float) -> None:
        """Look less and less often."""
        self._not_before_s = at_s + self._retry_s
        self._retry_s = min(2 * self._retry_s, LONGEST_RETRY_S)

    def found(self) -> None:
        """Know that the picture shows the table again."""
        self.is_lost, self._retry_s = False, RETRY_S

    def is_blurred(self, gate: Gate) -> bool:
        """Return whether the view is lost since the camera is blurred: it will focus
        again, and nothing that it shows till then is believed. Not for ever."""
        return gate.sharp < SHARP_SHARE and gate.at_s - self._since_s < PATIENCE_S


def has_all_moved(gate: Gate, lying_px: Sequence[Array]) -> bool:
    """Return whether what lies there moved in this one picture: no arm does that,
    coming from the edge, unless it came while nobody looked. On striped cloth little
    else may tell of a bump."""
    if gate.has_blinked and float(gate.covered.mean()) < LARGEST_NEW_ARM:
        lying_px = [q for q in lying_px if gate.share(gate.covered, q) < MOVED_SHARE]
    moved = sum(gate.share(gate.moving, quad) >= MOVED_SHARE for quad in lying_px)
    return len(lying_px) >= FEWEST_MOVED and moved >= ALL_SHARE * len(lying_px)
