"""Perfect eyes for rendered videos: what lies there, as far as it can be seen.

They stand in for the trained networks where a test is about time: settling, tracking,
moves. They see exactly what the renderer says is visible, in the part that was cut out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.first_look import is_same
from vision.geometry import TableMap
from vision.observing import Stopwatch, observed
from vision.quality import assess
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
    Position,
    TableFound,
    TableNotFound,
)

LEAST_VISIBLE = 0.3
"""Of a card, to see that it lies there; in a fan its corner index is enough."""
CHIP_MM = 32.0
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
    to_mm: Callable[[Array], tuple[float, float]] | None = None
    """Measures chips as well: from px to mm on the mat."""
    sigma_mm: float = 0.4
    assesses: bool = False
    """Says of a picture what is wrong with it, as the pipeline does."""
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
        placements = []
        for number, true in enumerate(self.truth()):
            quad = true.quad_px - [left, top]
            if true.kind is Kind.HAND or not self._is_seen(true, quad, frame.bgr):
                continue
            quad = quad + self.rng.normal(0, self.jitter_px, quad.shape)
            placements.append(self._placement(number, true, quad))
        return observed(
            frame,
            TableNotFound("no_reference") if self.to_mm is None else TableFound(0.3, 4),
            tuple(placements),
            tuple(assess(frame.bgr, tuple(placements))) if self.assesses else (),
            Stopwatch(),
        )

    def alone(
        self, frame: Frame, outline_px: Array, table: TableMap | None = None
    ) -> Placement | None:
        """Return the card with a name in an outline that is right to a few px."""
        seen = self(frame).placements
        named = [p for p in seen if p.kind is Kind.CARD and p.identity.label]
        near = [p for p in named if is_same(np.array(p.quad_px), outline_px)]
        return near[0] if len(near) == 1 else None

    def _placement(self, number: int, true: Truth, quad: Array) -> Placement:
        reads = _has_index(true) or (not true.indices and true.visible >= READABLE)
        deck, _, name = (true.label or "").rpartition("/")
        label = name if reads and name else None
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
            deck=deck or None,
            position=self._position(true),
            diameter_mm=CHIP_MM if true.kind is Kind.DISC else None,
        )

    def _position(self, true: Truth) -> Position | None:
        if self.to_mm is None:
            return None
        x, y = self.to_mm(true.quad_px.mean(axis=0))
        dx, dy = self.rng.normal(0, self.sigma_mm, 2)
        variance = self.sigma_mm**2
        return Position(x + dx, y + dy, 90.0, (variance, 0.0, variance))

    def _is_seen(self, true: Truth, quad: Array, bgr: Bgr) -> bool:
        height, width = bgr.shape[:2]
        middle = quad.mean(axis=0)
        inside = (middle > 0).all() and middle[0] < width and middle[1] < height
        shows = true.visible >= LEAST_VISIBLE or _has_index(true)
        return bool(inside) and shows

    def _corner(self, cut: Bgr) -> tuple[int, int]:
        """Return where the cut lies in the frame that was shown."""
        assert self.shown is not None
        if cut.shape == self.shown.shape:
            return 0, 0
        height, width = cut.shape[:2]
        shown, part = _packed(self.shown), _packed(cut)
        rows, columns = shown.shape[0] - height + 1, shown.shape[1] - width + 1
        # Noise makes every place its own: a few pixels leave hardly any candidate.
        fits = np.ones((rows, columns), bool)
        probes = (0, 0), (1, 7), (height // 2, width // 2), (height - 1, width - 1)
        for y, x in probes:
            fits &= shown[y : y + rows, x : x + columns] == part[y, x]
        for top, left in zip(*np.nonzero(fits), strict=True):
            window = self.shown[top : top + height, left : left + width]
            if np.array_equal(window[::16], cut[::16]):
                return int(left), int(top)
        raise AssertionError("the cut is no part of the frame that was shown")


def _has_index(true: Truth) -> bool:
    return any(index.visible >= INDEX for index in true.indices)


def _packed(bgr: Bgr) -> NDArray[np.uint32]:
    """Return each pixel as one number."""
    blue, green, red = (bgr[..., channel].astype(np.uint32) for channel in range(3))
    return np.asarray(blue | green << 8 | red << 16, np.uint32)
