"""The values that pass between the stages of `vision`, and what leaves it.

What leaves `vision` (`Placement`, `Observation`) holds scalars only, so that it
compares, hashes and stores. Image space: px, x right, y down, pixel centres at
integers. Table space: mm, x right, y away from the near edge, angles
counter-clockwise in degrees seen from above.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType, TypeAlias

import numpy as np
from numpy.typing import NDArray

FrameId = NewType("FrameId", str)
Array: TypeAlias = NDArray[np.float64]
Bgr: TypeAlias = NDArray[np.uint8]
Quad: TypeAlias = tuple[tuple[float, float], ...]


class Kind(StrEnum):
    """What the detector can tell apart."""

    CARD = "card"
    BACK = "back"
    INDEX = "index"
    """Rank and suit in the corner of a standard card; never leaves `vision`."""
    DISC = "disc"
    HAND = "hand"


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture, upright, as it was taken."""

    id: FrameId
    bgr: Bgr
    """(H, W, 3), blue first."""
    taken_at: datetime
    source: str = ""
    """Where it came from, for people: a file name, the name of a camera."""
    exif: Mapping[str, Any] | None = None
    """Focal length and the like, where the file told."""


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """One thing found in the picture, in pixels only."""

    kind: Kind
    quad_px: Array
    """(4, 2) corners, clockwise as seen in the image; for a disc the corners of the
    rectangle around its ellipse. The first edge is a short one."""
    score: float
    """Detector confidence in [0, 1]; not a probability."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Which card or chip it is; `label` is `None` for "none of those I know, or not
    sure enough to say"."""

    label: str | None
    candidates: tuple[tuple[str, float], ...] = ()
    """Most likely first; probabilities that sum to at most 1 (the rest is "none")."""
    margin: float = 0.0
    """Log-likelihood ratio of the first candidate to the second."""


UNKNOWN = Identity(None)


@dataclass(frozen=True, slots=True)
class Position:
    """Where a thing lies on the table, with its covariance."""

    x_mm: float
    y_mm: float
    angle_deg: float
    """Direction in which the top edge of the card points; 90 = away from the near
    edge. Cards that look the same both ways round have it modulo 180."""
    covariance_mm2: tuple[float, float, float]
    """(xx, xy, yy)."""

    @property
    def sigma_mm(self) -> float:
        """Return the larger standard deviation, in any direction."""
        xx, xy, yy = self.covariance_mm2
        spread = float(np.hypot((xx - yy) / 2, xy))
        return float(np.sqrt(max((xx + yy) / 2 + spread, 0.0)))


@dataclass(frozen=True, slots=True)
class Placement:
    """One physical thing on the table."""

    id: str
    kind: Kind
    identity: Identity
    score: float
    quad_px: Quad
    """Four corners clockwise in the image, from the object's own top left."""
    visible: float = 1.0
    """Estimated share of the thing that is not covered, in [0, 1]."""
    order: int = 0
    """Stacking order where things overlap: a larger number lies on top."""
    position: Position | None = None
    """`None` where the table was not found."""
    diameter_mm: float | None = None
    touched: bool = False
    deck: str | None = None
    """Name of the gallery that the card was recognised by."""


@dataclass(frozen=True, slots=True)
class TableNotFound:
    """Millimetres are not known: an expected outcome, a value.

    `reason` is a code: ``no_reference`` (nothing of known size in view),
    ``inconsistent`` (what is of known size does not agree), ``horizon``.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class TableFound:
    """The scalars of a table map, as they leave `vision`."""

    residual_mm: float
    """Root mean square distance of the reference points from where they should be."""
    references: int
    """How many things of known size, or markers, the map rests on."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the picture that people should know, as a code with values.

    Codes: ``blurred``, ``dark``, ``overexposed``, ``low_resolution``,
    ``nothing_found``, ``duplicate`` (label), ``unread`` (count), ``screen``,
    ``colourless``, ``mirrored`` (nothing is named then), ``lens_unknown`` (of a
    measured board).
    """

    code: str
    values: tuple[tuple[str, str | int | float], ...] = ()
    placements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """All that one frame says."""

    frame: FrameId
    source: str
    width_px: int
    height_px: int
    taken_at: datetime
    table: TableFound | TableNotFound
    placements: tuple[Placement, ...]
    findings: tuple[Finding, ...] = ()
    timings_ms: tuple[tuple[str, float], ...] = ()
