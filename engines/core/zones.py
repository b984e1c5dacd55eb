"""Zones of a table in millimetres, and how much of a disc lies in them.

Area and distance are closed forms, and each comes with its slope: how it changes per
millimetre of the disc's centre. Slope and covariance give sigma to first order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engines.core.piece import Piece
from engines.core.ruling import Margin

Point: TypeAlias = tuple[float, float]
Ring: TypeAlias = Sequence[Point]
Edge: TypeAlias = tuple[float, float, float, float]
Covariance: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure read off a disc's position: its value and its slope per mm."""

    value: float
    slope: Point = (0.0, 0.0)

    def __add__(self, other: Measure) -> Measure:
        dx, dy = other.slope
        return Measure(
            self.value + other.value, (self.slope[0] + dx, self.slope[1] + dy)
        )

    def __neg__(self) -> Measure:
        return Measure(-self.value, (-self.slope[0], -self.slope[1]))

    def __sub__(self, other: Measure) -> Measure:
        return self + -other

    def sigma(self, covariance_mm2: Covariance) -> float:
        """Return one standard deviation of the figure, to first order."""
        (xx, xy, yy), (dx, dy) = covariance_mm2, self.slope
        return math.sqrt(max(dx * dx * xx + 2 * dx * dy * xy + dy * dy * yy, 0.0))

    def margin(self, covariance_mm2: Covariance, *, line: float, unit: str) -> Margin:
        """Return how far the figure lies above `line`."""
        return Margin(self.value - line, self.sigma(covariance_mm2), unit)


@dataclass(frozen=True, slots=True)
class Disc:
    """A round thing on the table and how well its centre is known."""

    x_mm: float
    y_mm: float
    radius_mm: float
    covariance_mm2: Covariance = (0.0, 0.0, 0.0)

    @classmethod
    def of(cls, piece: Piece) -> Disc:
        """Return the disc that a piece covers."""
        return cls(piece.x_mm, piece.y_mm, piece.width_mm / 2, piece.covariance_mm2)

    @property
    def area_mm2(self) -> float:
        """Return the area of the whole disc."""
        return math.pi * self.radius_mm**2


@dataclass(frozen=True, slots=True)
class Zone:
    """A region of the table: one or more polygons, holes allowed, as directed edges."""

    id: str
    edges: tuple[Edge, ...]
    """Start and end points in mm; the inside is on the left of each edge."""
    bounds_mm: tuple[float, float, float, float]
    """Least x, least y, greatest x, greatest y."""
    centre_mm: Point
    area_mm2: float

    @classmethod
    def of(cls, id: str, polygons: Sequence[Sequence[Ring]]) -> Zone:
        """Return the zone of polygons given as an outer ring and then its holes.

        Rings may be open or closed and run either way round; raises `ValueError` for
        a zone without area.
        """
        edges = tuple(
            edge
            for rings in polygons
            for number, ring in enumerate(rings)
            for edge in _edges(ring, hole=number > 0)
        )
        area = sum(_cross(edge) for edge in edges) / 2
        if area <= 0:
            raise ValueError(f"zone {id!r} has no area")
        cx = sum((e[0] + e[2]) * _cross(e) for e in edges) / (6 * area)
        cy = sum((e[1] + e[3]) * _cross(e) for e in edges) / (6 * area)
        xs, ys = [e[0] for e in edges], [e[1] for e in edges]
        bounds = (min(xs), min(ys), max(xs), max(ys))
        return cls(id, edges, bounds, (cx, cy), area)

    def is_near(self, disc: Disc, *, slack_mm: float = 0.0) -> bool:
        """Return whether the disc reaches the zone's bounding box."""
        left, low, right, high = self.bounds_mm
        reach = disc.radius_mm + slack_mm
        return (
            left - reach < disc.x_mm < right + reach
            and low - reach < disc.y_mm < high + reach
        )

    def contains(self, point: Point) -> bool:
        """Return whether the point lies inside; a point on the line may be either."""
        x, y = point
        inside = False
        for ax, ay, bx, by in self.edges:
            if (ay > y) is not (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
                inside = not inside
        return inside


NOWHERE = Measure(0.0)


def share(zone: Zone, disc: Disc) -> Measure:
    """Return the part of the disc's area that lies in the zone, from 0 to 1.

    Sum over the edges of the signed area of disc and triangle (centre, start, end).
    The slope follows from the divergence theorem: only chords of the zone's lines
    inside the disc count, each with its length and normal.
    """
    if not zone.is_near(disc):
        return NOWHERE
    twice_area = slope_x = slope_y = 0.0
    radius = disc.radius_mm
    for ax, ay, bx, by in zone.edges:
        dx, dy = bx - ax, by - ay
        px, py = ax - disc.x_mm, ay - disc.y_mm
        piece, chord = _slice(px, py, dx, dy, radius)
        twice_area += piece
        slope_x -= dy * chord
        slope_y += dx * chord
    area = disc.area_mm2
    value = min(max(twice_area / 2 / area, 0.0), 1.0)
    return Measure(value, (slope_x / area, slope_y / area))


def depth_mm(zone: Zone, point: Point) -> Measure:
    """Return how far the point lies inside the zone's line; outside it is negative."""
    x, y = point
    nearest, best = (0.0, 0.0), math.inf
    normal = (0.0, 0.0)
    for ax, ay, bx, by in zone.edges:
        dx, dy = bx - ax, by - ay
        length2 = dx * dx + dy * dy
        t = min(max(((x - ax) * dx + (y - ay) * dy) / length2, 0.0), 1.0)
        ox, oy = x - ax - t * dx, y - ay - t * dy
        distance2 = ox * ox + oy * oy
        if distance2 < best:
            best, nearest = distance2, (ox, oy)
            length = math.sqrt(length2)
            normal = (-dy / length, dx / length)
    distance = math.sqrt(best)
    if distance < 1e-9:
        return Measure(0.0, normal)
    sign = 1.0 if zone.contains(point) else -1.0
    slope = (sign * nearest[0] / distance, sign * nearest[1] / distance)
    return Measure(sign * distance, slope)


def _slice(
    px: float, py: float, dx: float, dy: float, radius: float
) -> tuple[float, float]:
    """Return twice the signed area of disc and triangle, and the part of the edge
    inside the disc; the disc's centre is the origin, the edge starts at p."""
    qx, qy = px + dx, py + dy
    a, b = dx * dx + dy * dy, px * dx + py * dy
    root = b * b - a * (px * px + py * py - radius * radius)
    square = radius * radius
    if root <= 0:
        return square * _angle(px, py, qx, qy), 0.0
    root = math.sqrt(root)
    enter, leave = (-b - root) / a, (-b + root) / a
    if enter >= 1 or leave <= 0:
        return square * _angle(px, py, qx, qy), 0.0
    area = 0.0
    sx, sy, ex, ey = px, py, qx, qy
    if enter > 0:
        sx, sy = px + enter * dx, py + enter * dy
        area += square * _angle(px, py, sx, sy)
    else:
        enter = 0.0
    if leave < 1:
        ex, ey = px + leave * dx, py + leave * dy
        area += square * _angle(ex, ey, qx, qy)
    else:
        leave = 1.0
    return area + sx * ey - sy * ex, leave - enter


def _angle(ax: float, ay: float, bx: float, by: float) -> float:
    return math.atan2(ax * by - ay * bx, ax * bx + ay * by)


def _edges(ring: Ring, *, hole: bool) -> list[Edge]:
    points = list(ring)
    if points and points[0] == points[-1]:
        points.pop()
    edges = [
        (ax, ay, bx, by)
        for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True)
        if (ax, ay) != (bx, by)
    ]
    clockwise = sum(_cross(edge) for edge in edges) < 0
    if clockwise is hole:
        return edges
    return [(bx, by, ax, ay) for ax, ay, bx, by in reversed(edges)]


def _cross(edge: Edge) -> float:
    return edge[0] * edge[3] - edge[1] * edge[2]
