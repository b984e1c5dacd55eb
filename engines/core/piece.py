"""Pieces: what lies on the table, in millimetres, without a word about pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

PieceId = NewType("PieceId", str)


class Kind(StrEnum):
    """What a piece is as a thing, whatever game it belongs to."""

    CARD = "card"
    BACK = "back"
    DISC = "disc"
    TOKEN = "token"


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing on the table.

    Table space: millimetres, x right, y away from the near edge, angles
    counter-clockwise in degrees seen from above. `label` is `None` when the face could
    not be told; `candidates` are then the likely ones with their probability.
    """

    id: PieceId
    kind: Kind
    label: str | None
    x_mm: float
    y_mm: float
    angle_deg: float = 0.0
    """Direction in which the top edge of the face points; 90 = away from the near
    edge."""
    width_mm: float = 63.0
    """Short side of a card, or the diameter of a disc."""
    height_mm: float = 88.0
    """Long side of a card, or the diameter of a disc."""
    covariance_mm2: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Variances of x and y, and their covariance: (xx, xy, yy)."""
    order: int = 0
    """Stacking order where pieces overlap: a larger number lies on top."""
    owner: str | None = None
    """Name of the deck or faction that the piece was recognised by."""
    touched: bool = False
    """A hand is on the piece."""
    candidates: tuple[tuple[str, float], ...] = ()

    @property
    def sigma_mm(self) -> float:
        """Return the larger standard deviation of the position, in any direction."""
        xx, xy, yy = self.covariance_mm2
        mean, spread = (xx + yy) / 2, math.hypot((xx - yy) / 2, xy)
        return math.sqrt(max(mean + spread, 0.0))

    @property
    def corners_mm(self) -> tuple[tuple[float, float], ...]:
        """Return the four corners of a card, from its own top left, clockwise."""
        up = math.radians(self.angle_deg)
        ux, uy = math.cos(up), math.sin(up)
        rx, ry = uy, -ux
        w, h = self.width_mm / 2, self.height_mm / 2
        return tuple(
            (self.x_mm + a * w * rx + b * h * ux, self.y_mm + a * w * ry + b * h * uy)
            for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1))
        )
