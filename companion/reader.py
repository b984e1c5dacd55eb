"""From what vision saw to what engines rule on: placements become pieces.

Pieces carry millimetres. Where the table was found they come from its map. Where it
was not, the cards themselves give a scale: their median size in pixels stands for the
size of a card. Perspective then bends distances, so these positions carry a large
sigma and the result says so (`scale_assumed`); who lies beside whom survives it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import TYPE_CHECKING

from companion.sentences import SCALE_ASSUMED
from engines.core import Kind as PieceKind
from engines.core import Piece, PieceId
from vision.types import Finding, Kind, Observation, Placement, Quad, TableFound

if TYPE_CHECKING:
    from engines.core import Kit

PIECE_KINDS = {
    Kind.CARD: PieceKind.CARD,
    Kind.BACK: PieceKind.BACK,
    Kind.DISC: PieceKind.DISC,
}
FLAT = frozenset({Kind.CARD, Kind.BACK})
ASSUMED_SIGMA_SHARE = 0.25
"""Sigma of an assumed position, as a share of the long side of a card."""
DISC_MM = 40.0


@dataclass(frozen=True, slots=True)
class CardSize:
    """The two sides of a card of the kit."""

    width_mm: float = 63.0
    height_mm: float = 88.0

    @classmethod
    def of(cls, kit: Kit | None) -> CardSize:
        """Return the size that the kit states, or that of a poker card."""
        return cls(kit.width_mm, kit.height_mm) if kit else cls()


@dataclass(frozen=True, slots=True)
class Scale:
    """The stand-in for a table map: image px around the middle of the picture."""

    mm_per_px: float
    centre_px: tuple[float, float]

    def position_mm(self, point_px: tuple[float, float]) -> tuple[float, float]:
        """Return x to the right and y away from the near edge."""
        (x, y), (cx, cy) = point_px, self.centre_px
        return (x - cx) * self.mm_per_px, (cy - y) * self.mm_per_px


def pieces(
    observation: Observation, size: CardSize, owners: Mapping[str, str] | None = None
) -> tuple[Piece, ...]:
    """Return the cards, backs and discs of an observation, in its order.

    `owners` says whose a deck is, by its name, where decks tell the players apart.
    """
    scale = None if is_located(observation) else assumed_scale(observation, size)
    owners = owners or {}
    return tuple(
        replace(_piece(placement, size, scale), owner=owners.get(placement.deck or ""))
        for placement in observation.placements
        if placement.kind in PIECE_KINDS
    )


def without_printed_rings(observation: Observation) -> Observation:
    """Return the observation without the discs that are but print on a card."""
    cards = [p.quad_px for p in observation.placements if p.kind in FLAT]
    kept = tuple(
        placement
        for placement in observation.placements
        if placement.kind is not Kind.DISC
        or not any(_is_inside(centre_px(placement.quad_px), quad) for quad in cards)
    )
    return replace(observation, placements=kept)


def is_located(observation: Observation) -> bool:
    """Return whether every piece has a position from the table's own map."""
    return isinstance(observation.table, TableFound) and all(
        placement.position is not None
        for placement in observation.placements
        if placement.kind in PIECE_KINDS
    )


def scale_findings(observation: Observation) -> tuple[Finding, ...]:
    """Return the finding that distances are estimated, if they are."""
    things = [p for p in observation.placements if p.kind in PIECE_KINDS]
    if not things or is_located(observation):
        return ()
    return (Finding(SCALE_ASSUMED),)


def assumed_scale(observation: Observation, size: CardSize) -> Scale:
    """Return the scale at which the median card has the size of a card."""
    cards = [
        math.sqrt(area_px2(placement.quad_px))
        for placement in observation.placements
        if placement.kind in FLAT
    ]
    side_px = median([side for side in cards if side > 0] or [0.0])
    side_mm = math.sqrt(size.width_mm * size.height_mm)
    mm_per_px = side_mm / side_px if side_px else 1.0
    centre_px = (observation.width_px - 1) / 2, (observation.height_px - 1) / 2
    return Scale(mm_per_px, centre_px)


def area_px2(quad: Quad) -> float:
    """Return the area inside a quad, by the shoelace formula."""
    following = (*quad[1:], quad[0])
    pairs = zip(quad, following, strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2


def centre_px(quad: Quad) -> tuple[float, float]:
    """Return the mean of the corners."""
    return fmean(x for x, _ in quad), fmean(y for _, y in quad)


def up_deg(quad: Quad) -> float:
    """Return where the top edge points in the picture: 90 is upwards, 0 right."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    return math.degrees(math.atan2((cy + dy) - (ay + by), (ax + bx) - (cx + dx)))


def _is_inside(point: tuple[float, float], quad: Quad) -> bool:
    """Return whether a point lies inside a quad whose corners run one way round."""
    x, y = point
    following = (*quad[1:], quad[0])
    sides = {
        (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0
        for (ax, ay), (bx, by) in zip(quad, following, strict=True)
    }
    return len(sides) == 1


def _way_up(placement: Placement, angle_deg: float) -> float:
    """Return which way the top of a card points, where its deck tells top from bottom.

    Positions have it modulo 180. The picture has it in full, and is turned from the
    table by less than a right angle.
    """
    if placement.deck is None:
        return angle_deg
    off = (up_deg(placement.quad_px) - angle_deg) % 360
    return angle_deg + 180 if 90 < off < 270 else angle_deg


def _piece(placement: Placement, size: CardSize, scale: Scale | None) -> Piece:
    piece = Piece(
        id=PieceId(placement.id),
        kind=PIECE_KINDS[placement.kind],
        label=placement.identity.label,
        x_mm=0.0,
        y_mm=0.0,
        width_mm=size.width_mm,
        height_mm=size.height_mm,
        order=placement.order,
        touched=placement.touched,
        candidates=placement.identity.candidates,
    )
    if placement.kind is Kind.DISC:
        across_mm = placement.diameter_mm or DISC_MM
        piece = replace(piece, width_mm=across_mm, height_mm=across_mm)
    if scale is None and (position := placement.position) is not None:
        return replace(
            piece,
            x_mm=position.x_mm,
            y_mm=position.y_mm,
            angle_deg=_way_up(placement, position.angle_deg),
            covariance_mm2=position.covariance_mm2,
        )
    assert scale is not None
    x_mm, y_mm = scale.position_mm(centre_px(placement.quad_px))
    variance = (ASSUMED_SIGMA_SHARE * size.height_mm) ** 2
    return replace(
        piece,
        x_mm=x_mm,
        y_mm=y_mm,
        angle_deg=up_deg(placement.quad_px),
        covariance_mm2=(variance, 0.0, variance),
    )


def labels(observation: Observation) -> Iterable[str]:
    """Return the label of every card that could be named."""
    return (
        placement.identity.label
        for placement in observation.placements
        if placement.kind is Kind.CARD and placement.identity.label is not None
    )
