"""Perfect eyes for rendered videos: what lies there, as far as it can be seen.

They stand in for the trained networks where a test is about time: settling, tracking,
moves. They see exactly what the renderer says is visible, in the part that was cut out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.scene.render import Truth
from vision.types import (
    UNKNOWN,
    Array,
    Bgr,
    Frame,
    Identity,
    Kind,
    Observation,
    Placement,
    TableNotFound,
)

LEAST_VISIBLE = 0.3
READABLE = 0.4
INDEX = 0.85
"""Of a corner index must be seen to read it; a card without any, as a whole."""


@dataclass
class TrueEyes:
    """A `See` whose answers are the truth of the frame that was shown last.

    A cut is found in the picture by its pixels, so that nobody has to say where it is.
    """

    jitter_px: float = 0.4
    misread: Callable[[np.random.Generator, str | None], str | None] | None = None
    """Says something else now and then, for tests of hysteresis."""
    shown: Bgr | None = None
    truth: Callable[[], Sequence[Truth]] = tuple
    readings: int = 0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def show(self, bgr: Bgr, truth: Callable[[], Sequence[Truth]]) -> None:
        """Say what the next frame is, and what is true in it."""
        self.shown, self.truth = bgr, truth

    def __call__(self, frame: Frame) -> Observation:
        """Return what the frame says."""
        self.readings += 1
        left, top = self._corner(frame.bgr)
        height_px, width_px = frame.bgr.shape[:2]
        placements = []
        for number, true in enumerate(self.truth()):
            quad = true.quad_px - [left, top]
            if true.kind is Kind.HAND or not self._is_seen(true, quad, frame.bgr):
                continue
            quad = quad + self.rng.normal(0, self.jitter_px, quad.shape)
            placements.append(self._placement(number, true, quad))
        return Observation(
            frame.id,
            frame.source,
            width_px,
            height_px,
            frame.taken_at,
            TableNotFound("no_reference"),
            tuple(placements),
        )

    def _placement(self, number: int, true: Truth, quad: Array) -> Placement:
        corners = [index.visible for index in true.indices]
        reads = max(corners) >= INDEX if corners else true.visible >= READABLE
        label = true.label if reads else None
        if self.misread is not None:
            label = self.misread(self.rng, label)
        identity = UNKNOWN if label is None else Identity(label, ((label, 0.99),), 6.0)
        return Placement(
            f"p{number}",
            true.kind,
            identity,
            0.95,
            tuple((float(x), float(y)) for x, y in quad),
            visible=true.visible,
            order=true.order,
        )

    def _is_seen(self, true: Truth, quad: Array, bgr: Bgr) -> bool:
        height, width = bgr.shape[:2]
        middle = quad.mean(axis=0)
        inside = (middle > 0).all() and middle[0] < width and middle[1] < height
        return bool(inside) and true.visible >= LEAST_VISIBLE

    def _corner(self, cut: Bgr) -> tuple[int, int]:
        """Return where the cut lies in the frame that was shown."""
        assert self.shown is not None
        if cut.shape == self.shown.shape:
            return 0, 0
        patch = cut[:24, :24]
        found = cv2.matchTemplate(self.shown, patch, cv2.TM_SQDIFF)
        for place in np.argsort(found, axis=None)[:50]:
            top, left = np.unravel_index(int(place), found.shape)
            size = cut.shape[0], cut.shape[1]
            window = self.shown[top : top + size[0], left : left + size[1]]
            if window.shape == cut.shape and np.array_equal(window[::16], cut[::16]):
                return int(left), int(top)
        raise AssertionError("the cut is no part of the frame that was shown")
