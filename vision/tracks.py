"""What is remembered of a thing on the table, and what a reading says of its place."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, auto

import cv2
import numpy as np

from vision.types import Array, Bgr, Kind, Placement


class Stage(Enum):
    """What is thought of a track."""

    TENTATIVE = auto()
    LYING = auto()
    BELOW = auto()
    """Completely under another; not seen, not forgotten."""
    GONE = auto()


@dataclass(slots=True, eq=False)
class Track:
    """One physical thing, as far as readings tell."""

    id: str
    seen: Placement
    """As it was seen last, under its own id."""
    quad_px: Array
    stage: Stage
    moved_s: float
    """When its place last moved before it came to lie there."""
    votes: Counter[str | None] = field(default_factory=Counter)
    rivals: Counter[tuple[Kind, str | None]] = field(default_factory=Counter)
    rivals_s: dict[tuple[Kind, str | None], float] = field(default_factory=dict)
    """When each of them was read last."""
    rival: Placement | None = None
    """What was read last of another face that may lie there."""
    readings: int = 0
    read_s: float = 0.0
    """When it was seen last."""
    again: int = 0
    """Readings in which it lay where another of its face would lie."""
    is_off: bool = False
    """It lies a hair off where it lay, as its print tells: it was nudged, or another of
    its face was laid on it."""
    stirred: int = 0
    """Readings in which nobody could name what lies there, since its place changed."""
    missed: int = 0
    missed_s: float = 0.0
    over_px: Array | None = None
    """What came when it was missed first, as large as a card and on a part of it."""
    under: str | None = None
    """Id of the track that hides it."""
    was_read_once: bool = False
    """It counts after a single look, and waits for a second one that bears it out."""
    came_whole: bool = False
    """Its place had changed when it was seen first, with a name and whole."""
    touched: bool = False
    patch: Bgr | None = None
    """What its place showed when it was seen last; kept for backs."""

    @property
    def size_px(self) -> float:
        """Return the square root of its area."""
        area = float(cv2.contourArea(self.quad_px.astype(np.float32)))
        return math.sqrt(max(area, 1.0))

    def forget_rivals(self) -> None:
        """Take it for what it was taken for."""
        self.rivals.clear()
        self.rivals_s.clear()
        self.rival = None

    def forget_stirs(self) -> None:
        """Take it to lie where it lay: nothing was laid on it unseen."""
        self.again, self.stirred, self.is_off = 0, 0, False

    @property
    def is_pending(self) -> bool:
        """Return whether more readings are needed before it is sure."""
        if self.stage is Stage.BELOW:
            return False
        waits = self.missed or self.rivals or self.again or self.stirred
        return self.stage is Stage.TENTATIVE or bool(waits)

    @property
    def is_nameless_guess(self) -> bool:
        """Return whether nothing is known of it yet, not even that it is there."""
        return self.stage is Stage.TENTATIVE and self.label is None

    @property
    def is_overlooked(self) -> bool:
        """Return whether it came, does not count yet, and was not seen any more: of a
        strip of what lies below nobody expects that."""
        return self.stage is Stage.TENTATIVE and self.came_whole and self.missed > 0

    @property
    def label(self) -> str | None:
        """Return its name, `None` while it is unread."""
        return self.seen.identity.label


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A thing came to lie, was uncovered, covered, moved, or taken away."""

    at_s: float
    track: str
    what: str
    """``laid``, ``uncovered``, ``covered``, ``moved``, ``gone``, ``named``."""


def in_time(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return changes in the order of time. What was laid elsewhere was gone before
    that: a hand may have passed where it lay since."""
    changes = list(changes)
    laid_s = {c.track: c.at_s for c in changes if c.what == "laid"}
    told = (
        replace(c, at_s=min(c.at_s, laid_s.get(c.track, c.at_s)))
        if c.what == "gone"
        else c
        for c in changes
    )
    return tuple(sorted(told, key=lambda change: change.at_s))


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What a tracker must know about the picture that was read."""

    at_s: float
    looked: Callable[[Array], bool]
    """Whether a quad lies in the part that was read."""
    covered: Callable[[Array], float]
    """Which share of a quad an arm or a glare hides."""
    changed: Callable[[Array], float]
    """Which share of a quad has changed since it was last read."""
    moved_s: Callable[[Array], float]
    """When a quad last moved."""
    resting: Callable[[Array], float] = lambda quad: 0.0
    """Which share may lie under an arm that does not move: missed there is not gone."""
    dazzled: Callable[[Array], float] = lambda quad: 0.0
    """Which share is so bright as it was not before: missed there is not gone either,
    and another face is not believed."""
    patch: Callable[[Array], Bgr] = lambda quad: np.zeros((0, 0, 3), np.uint8)
    """What the box around a quad shows, small."""
    laid_px: tuple[Array, ...] = ()
    """The outlines of what has changed and has the shape of a card."""
