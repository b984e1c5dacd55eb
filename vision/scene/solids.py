"""Thick things on a table, as a camera sees them: closed forms for every pixel.

A ray that crosses a slab of air between two heights moves over the table plan from one
point to another. It meets a cylinder exactly if that segment comes within its radius,
and its top if the upper point does. The same distance, with the way of the light in
place of the ray, is the shadow. No outline is approximated by a polygon but those of
blocks, which are polygons.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import TableMap
from vision.types import Array, Bgr

Plan: TypeAlias = NDArray[np.float32]
"""(..., 2) mm on the table plan."""
Layer: TypeAlias = NDArray[np.float32]

RAY_GRID_PX = 8
"""Rays are exact on a grid of this step and linear between."""


@dataclass(frozen=True, slots=True, eq=False)
class SceneDisc:
    """A chip, a stone or a coin: a cylinder that lies flat."""

    x_mm: float
    y_mm: float
    diameter_mm: float
    thickness_mm: float
    face: Bgr
    """(N, N, 3) what is printed on top; the circle touches the edges of the square."""
    wall: tuple[float, float, float]
    """Colour of its side, BGR."""
    angle_deg: float = 90.0
    """Direction of the face's top edge; 90 = away from the near edge."""
    base_mm: float = 0.0
    """Height of its underside, where it lies on something."""
    label: str | None = None
    gloss: float = 0.0
    """How much of a reflection it throws back, in [0, 1]."""

    @property
    def top_mm(self) -> float:
        """Return the height of its face."""
        return self.base_mm + self.thickness_mm


@dataclass(frozen=True, slots=True, eq=False)
class SceneBlock:
    """A fortress: a box that stands on the table."""

    x_mm: float
    y_mm: float
    width_mm: float
    depth_mm: float
    height_mm: float
    angle_deg: float
    colour: tuple[float, float, float]

    @property
    def plan_mm(self) -> Array:
        """Return the (4, 2) corners of its ground plan, counter-clockwise."""
        turn = math.radians(self.angle_deg)
        c, s = math.cos(turn), math.sin(turn)
        w, d = self.width_mm / 2, self.depth_mm / 2
        local = np.array([[-w, -d], [w, -d], [w, d], [-w, d]])
        turned = local @ np.array([[c, s], [-s, c]])
        return np.asarray(turned + np.array([self.x_mm, self.y_mm]), float)


@dataclass(frozen=True, slots=True)
class Lamp:
    """A light and the shadows it throws."""

    shift: tuple[float, float]
    """How far a shadow moves over the table, mm per mm of height."""
    strength: float
    """Its share of the light on an open table."""
    softness: float = 0.1
    """Half width of a shadow's edge, mm per mm of height above what it falls on."""


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """Where on the table plan each pixel's ray is, for any height."""

    foot_mm: Array
    """(2,) the point below the camera."""
    height_mm: float
    """Of the camera."""
    slopes: Plan
    """(H, W, 2) mm on the plan per mm of height along each ray."""
    window: tuple[int, int] = field(default=(0, 0))
    """Left and top of this part in the picture."""

    @classmethod
    def of(cls, table: TableMap) -> Sight:
        """Return the sight of the whole picture; raise `GeometryError` beyond the
        horizon of the lens."""
        width, height = table.camera.width_px, table.camera.height_px
        columns = np.arange(-(-width // RAY_GRID_PX) + 1) * RAY_GRID_PX
        rows = np.arange(-(-height // RAY_GRID_PX) + 1) * RAY_GRID_PX
        grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
        rays = table.camera.rays(grid.astype(float))[:, :2]
        coarse = rays.reshape(len(rows), len(columns), 2).astype(np.float32)
        at_x, at_y = np.meshgrid(
            np.arange(width, dtype=np.float32) / np.float32(RAY_GRID_PX),
            np.arange(height, dtype=np.float32) / np.float32(RAY_GRID_PX),
        )
        # cv2.remap rounds to 1/32 of a cell, and so linear parts are done by hand.
        fine = _bilinear(
            coarse, np.asarray(at_x, np.float32), np.asarray(at_y, np.float32)
        )
        turn = table.rotation
        down = fine @ turn[:2, 2].astype(np.float32) + np.float32(turn[2, 2])
        across = fine @ turn[:2, :2].astype(np.float32)
        across += turn[2, :2].astype(np.float32)
        safe = np.where(down < -1e-3, down, np.float32(-1e-3))
        position = table.position_mm
        return cls(
            position[:2],
            float(position[2]),
            np.asarray(across / safe[..., None], np.float32),
        )

    def part(self, left: int, top: int, right: int, bottom: int) -> Sight:
        """Return the sight of a window of the picture."""
        slopes = self.slopes[top:bottom, left:right]
        return Sight(self.foot_mm, self.height_mm, slopes, (left, top))

    def finer(self, factor: int) -> Sight:
        """Return it for `factor` x `factor` rays in each pixel."""
        size = (self.slopes.shape[1] * factor, self.slopes.shape[0] * factor)
        slopes = cv2.resize(self.slopes, size, interpolation=cv2.INTER_LINEAR)
        return Sight(self.foot_mm, self.height_mm, np.asarray(slopes, np.float32))

    def plan(self, height_mm: float) -> Plan:
        """Return (H, W, 2) mm where the rays meet the plane at a height."""
        reach = np.float32(height_mm - self.height_mm)
        return np.asarray(
            self.slopes * reach + self.foot_mm.astype(np.float32), np.float32
        )


def segment_distance(starts: Plan, ends: Plan, at: tuple[float, float]) -> Layer:
    """Return (...) mm from the point `at` to each segment of the plan."""
    along = ends - starts
    to_point = np.array(at, np.float32) - starts
    length2 = np.maximum((along * along).sum(-1), np.float32(1e-12))
    t = np.clip((to_point * along).sum(-1) / length2, 0, 1)
    left = to_point - t[..., None] * along
    return np.asarray(np.hypot(left[..., 0], left[..., 1]), np.float32)


def covered(inside_mm: Layer) -> Layer:
    """Return the share of each cell that is covered, from signed mm inside an edge."""
    gy, gx = np.gradient(inside_mm)
    steep = np.maximum(np.hypot(gx, gy), np.float32(1e-6))
    return np.asarray(np.clip(0.5 + inside_mm / steep, 0, 1), np.float32)


def disc_cover(disc: SceneDisc, sight: Sight, *, finer: int = 4) -> tuple[Layer, Layer]:
    """Return (H, W) shares of each pixel that see its face, and its face or side."""
    rays = sight.finer(finer)
    upper, lower = rays.plan(disc.top_mm), rays.plan(disc.base_mm)
    at, radius = (disc.x_mm, disc.y_mm), disc.diameter_mm / 2
    away = upper - np.array(at, np.float32)
    apart = np.hypot(away[..., 0], away[..., 1])
    face = covered(np.asarray(radius - apart, np.float32))
    whole = covered(radius - segment_distance(lower, upper, at))
    size = (sight.slopes.shape[1], sight.slopes.shape[0])
    shrunk = [
        np.asarray(cv2.resize(layer, size, interpolation=cv2.INTER_AREA), np.float32)
        for layer in (face, np.maximum(face, whole))
    ]
    return shrunk[0], shrunk[1]


def disc_shadow(disc: SceneDisc, lamp: Lamp, plan: Plan, height_mm: float) -> Layer:
    """Return (H, W) how much of the lamp's light the disc takes from points at a
    height, in [0, 1]."""
    low, high = max(disc.base_mm - height_mm, 0.0), disc.top_mm - height_mm
    if high <= 1e-6:
        return np.zeros(plan.shape[:-1], np.float32)
    way = np.array(lamp.shift, np.float32)
    # A point is dark if the way from it towards the light meets the disc.
    starts, ends = plan - way * np.float32(low), plan - way * np.float32(high)
    inside = disc.diameter_mm / 2 - segment_distance(
        starts, ends, (disc.x_mm, disc.y_mm)
    )
    return _penumbra(inside, lamp, high)


def block_shadow(block: SceneBlock, lamp: Lamp, plan: Plan, height_mm: float) -> Layer:
    """Return the same for a block."""
    high = block.height_mm - height_mm
    if high <= 0:
        return np.zeros(plan.shape[:-1], np.float32)
    base = block.plan_mm
    moved = base + np.array(lamp.shift) * high
    hull = cv2.convexHull(np.vstack([base, moved]).astype(np.float32))
    outline = np.asarray(hull, float).reshape(-1, 2)
    return _penumbra(polygon_inside(outline, plan), lamp, high / 2)


def polygon_inside(polygon: Array, points: Plan) -> Layer:
    """Return (...) how far points lie inside a convex polygon of either winding;
    outside it is negative, and less exact beyond the corners."""
    following = np.roll(polygon, -1, axis=0)
    x, y = polygon.T
    turning = float((x * following[:, 1] - following[:, 0] * y).sum())
    inside = np.full(points.shape[:-1], np.inf, np.float32)
    for start, end in zip(polygon, following, strict=True):
        along = end - start
        length = math.hypot(*along)
        if length < 1e-9:
            continue
        normal = np.array([-along[1], along[0]], np.float32) / length
        normal *= math.copysign(1.0, turning)
        inside = np.minimum(inside, (points - start.astype(np.float32)) @ normal)
    return inside


def _penumbra(inside: Layer, lamp: Lamp, high: float) -> Layer:
    half = 0.12 + lamp.softness * high
    t = np.clip(0.5 + inside / np.float32(2 * half), 0, 1)
    return np.asarray(t * t * (3 - 2 * t), np.float32)


def _bilinear(coarse: Layer, at_x: Layer, at_y: Layer) -> Layer:
    x0 = np.minimum(at_x.astype(int), coarse.shape[1] - 2)
    y0 = np.minimum(at_y.astype(int), coarse.shape[0] - 2)
    fx, fy = (at_x - x0)[..., None], (at_y - y0)[..., None]
    above = coarse[y0, x0] * (1 - fx) + coarse[y0, x0 + 1] * fx
    below = coarse[y0 + 1, x0] * (1 - fx) + coarse[y0 + 1, x0 + 1] * fx
    return np.asarray(above * (1 - fy) + below * fy, np.float32)
