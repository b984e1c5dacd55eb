"""What goes into measuring a board, and what comes out."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vision.chips import ChipGallery, ChipRead
from vision.discs import DiscFound
from vision.geometry import TableMap
from vision.locate_mat import MatReference
from vision.markers import MarkerBoard
from vision.rim import DiscSize
from vision.types import Observation, TableNotFound


@dataclass(frozen=True, slots=True, eq=False)
class BoardMat:
    """What is known of a mat: where it ends, and how it can be found."""

    bounds_mm: tuple[float, float, float, float]
    """Left, low, right, high."""
    reference: MatReference | None = None
    markers: MarkerBoard | None = None
    spots_mm: tuple[tuple[float, float], ...] = ()
    """Where tokens lie, if anywhere."""
    spot_reach_mm: float = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class BoardKit:
    """The discs of a game and their faces."""

    chip: DiscSize
    chips: ChipGallery
    token: DiscSize | None = None
    tokens: ChipGallery | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BoardLook:
    """What one frame says of a board, and the map that it rests on."""

    observation: Observation
    table: TableMap | TableNotFound


@dataclass(frozen=True, slots=True)
class Seen:
    """A disc and which one it is."""

    disc: DiscFound
    read: ChipRead
    doubt: str = ""
    """Why it could not be measured, where only its rough place is known."""

    @property
    def is_named(self) -> bool:
        """Return whether its face is known."""
        return self.read.identity.label is not None

    def is_near(self, at_mm: tuple[float, float], reach_mm: float) -> bool:
        """Return whether its centre lies within reach of a place."""
        return math.dist(self.disc.at_mm, at_mm) < reach_mm
