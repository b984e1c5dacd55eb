"""Renders a board with thick chips and fortresses through a camera, with exact truth.

The camera is a `TableMap`: the same class that measuring uses, whose projection is
tested against OpenCV's. What lies nearer to the camera is painted later.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.scene.sensor import Light, Sensor, take
from vision.scene.solids import (
    Lamp,
    Layer,
    Plan,
    SceneBlock,
    SceneDisc,
    Sight,
    block_shadow,
    disc_cover,
    disc_shadow,
    polygon_inside,
)
from vision.types import Array, Bgr

BLOCK, HAND, NOTHING = 20_000, 30_000, -1
HAND_HEIGHT_MM = 25.0
Owner = NDArray[np.int16]


@dataclass(frozen=True, slots=True, eq=False)
class Glare:
    """A reflection of a lamp or a window: a bright spot on glossy things."""

    x_mm: float
    y_mm: float
    radius_mm: float
    strength: float


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A table with a printed mat and what stands on it, as it will be photographed."""

    table: TableMap
    ground: Bgr
    """(H, W, 3) picture of the table top, its first row the farthest from the near
    edge."""
    ground_mm: tuple[float, float, float, float]
    """Left, low, right and high edge of that picture on the table."""
    discs: Sequence[SceneDisc] = ()
    blocks: Sequence[SceneBlock] = ()
    lamps: Sequence[Lamp] = ()
    glares: Sequence[Glare] = ()
    hands_mm: Sequence[Array] = ()
    """Convex polygons, (N, 2), that hover over the board."""
    window_shadow: tuple[float, float, float, float] | None = None
    """A long shadow: nx, ny, offset mm, and its darkness; dark where n.p > offset."""
    sensor: Sensor = field(default_factory=Sensor)
    beyond: tuple[float, float, float] = (62.0, 84.0, 110.0)
    """Colour of the table beyond the picture's edges, BGR."""


@dataclass(frozen=True, slots=True, eq=False)
class DiscTruth:
    """Where a disc really is."""

    disc: SceneDisc
    outline_px: Array
    """(N, 2) hull of its upper and lower rim."""
    visible: float
    """Share of the disc as the camera would see it alone that is seen."""
    rim_visible: float
    """Share of its upper rim that is seen."""


def render_board(
    board: Board, rng: np.random.Generator, *, finer: int = 1
) -> tuple[Bgr, tuple[DiscTruth, ...]]:
    """Return the (H, W, 3) picture and the truth about each disc.

    A lens blurs light before pixels gather it. With `finer` it blurs light that is so
    many times finer than they are, and print mixes as light does; at 1, for that much
    less work, it blurs what they gathered, and print mixes by its sRGB values: edges
    then differ by some hundredths of a pixel as they lie between pixels, those of print
    by a third of one of its own.
    """
    light, owner = light_of(_finer(board, finer), exact=finer > 1)
    sensor = board.sensor
    if finer > 1:
        light, sensor = _through_lens(board, light, finer)
        owner = owner[finer // 2 :: finer, finer // 2 :: finer]
    return take(light, sensor, rng), tuple(
        _truth(board, owner, number) for number in range(len(board.discs))
    )


def _finer(board: Board, finer: int) -> Board:
    """Return the board as a sensor with so many times more pixels each way sees it."""
    camera = board.table.camera
    more = camera.resized(camera.width_px * finer, camera.height_px * finer)
    return replace(board, table=replace(board.table, camera=more))


def _through_lens(board: Board, light: Light, finer: int) -> tuple[Light, Sensor]:
    """Return what pixels gather of light that the lens has blurred, and the sensor
    without that blur."""
    sensor, camera = board.sensor, board.table.camera
    if sensor.defocus_px:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), sensor.defocus_px * finer))
    size = camera.width_px, camera.height_px
    gathered = cv2.resize(light, size, interpolation=cv2.INTER_AREA)
    return np.asarray(gathered, np.float32), replace(sensor, defocus_px=0.0)


def light_of(board: Board, *, exact: bool = False) -> tuple[Light, Owner]:
    """Return the (H, W, 3) light that reaches the sensor, and what each pixel shows:
    the number of a disc, `BLOCK`, `HAND` or `NOTHING`; `exact` is for the print."""
    sight = Sight.of(board.table)
    canvas = _ground(board, sight, exact=exact)
    owner = np.full(canvas.shape[:2], NOTHING, np.int16)
    for thing in _far_to_near(board, sight):
        if isinstance(thing, SceneBlock):
            _put_block(canvas, owner, board, thing)
        else:
            _put_disc(canvas, owner, board, sight, board.discs.index(thing))
    for polygon in board.hands_mm:
        _put_hand(canvas, owner, board, polygon)
    return canvas, owner


def linear(bgr: Bgr) -> Light:
    """Return the linear light of sRGB values, white being 1."""
    return _LINEAR[bgr]


_STEPS = np.arange(256) / 255
_LINEAR = np.where(
    _STEPS <= 0.04045, _STEPS / 12.92, ((_STEPS + 0.055) / 1.055) ** 2.4
).astype(np.float32)


def rim_mm(disc: SceneDisc, count: int = 180, share: float = 1.0) -> Array:
    """Return (count, 2) points around a disc, on the table plan."""
    t = np.linspace(0, 2 * math.pi, count, endpoint=False)
    radius = share * disc.diameter_mm / 2
    around = np.column_stack([np.cos(t), np.sin(t)])
    return np.asarray(around * radius + [disc.x_mm, disc.y_mm], float)


def outline_px(table: TableMap, disc: SceneDisc) -> Array:
    """Return the (N, 2) convex hull of both rims in the picture."""
    rim = rim_mm(disc)
    both = [table.to_image(rim, disc.top_mm), table.to_image(rim, disc.base_mm)]
    hull = cv2.convexHull(np.vstack(both).astype(np.float32))
    return np.asarray(hull.reshape(-1, 2), float)


def _far_to_near(board: Board, sight: Sight) -> list[SceneBlock | SceneDisc]:
    def key(thing: SceneBlock | SceneDisc) -> tuple[float, float]:
        far = math.hypot(thing.x_mm - sight.foot_mm[0], thing.y_mm - sight.foot_mm[1])
        return (thing.base_mm if isinstance(thing, SceneDisc) else 0.0), -far

    return sorted((*board.blocks, *board.discs), key=key)


def _ground(board: Board, sight: Sight, *, exact: bool) -> Light:
    plan = sight.plan(0.0)
    left, low, right, high = board.ground_mm
    h, w = board.ground.shape[:2]
    x = (plan[..., 0] - left) / (right - left) * w - 0.5
    y = (high - plan[..., 1]) / (high - low) * h - 0.5
    # Light mixes, its sRGB values do not.
    table = np.array([[board.beyond]]).clip(0, 255).astype(np.uint8)
    art: Bgr | Light = linear(board.ground) if exact else board.ground
    beyond: Bgr | Light = linear(table) if exact else table
    art, x, y = _shrunk(art, x.astype(np.float32), y.astype(np.float32))
    seen = cv2.remap(
        art,
        x,
        y,
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=beyond[0, 0].tolist(),
    )
    light = np.asarray(seen) if exact else linear(np.asarray(seen, np.uint8))
    return np.asarray(light * _lit(board, plan, 0.0)[..., None], np.float32)


def _shrunk(art: Bgr | Light, x: Layer, y: Layer) -> tuple[Bgr | Light, Layer, Layer]:
    """Halve the picture until one px of the view is at most two of it."""
    rows, columns = x.shape[0] // 2, x.shape[1] // 2
    step = max(
        float(np.abs(np.diff(x[rows : rows + 1, :], axis=1)).mean()),
        float(np.abs(np.diff(y[:, columns : columns + 1], axis=0)).mean()),
    )
    while step > 1.6 and min(art.shape[:2]) > 8:
        size = (art.shape[1] // 2, art.shape[0] // 2)
        scale = np.float32(size[0] / art.shape[1]), np.float32(size[1] / art.shape[0])
        art = cv2.resize(art, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
        x = (x + np.float32(0.5)) * scale[0] - np.float32(0.5)
        y = (y + np.float32(0.5)) * scale[1] - np.float32(0.5)
        step /= 2
    return art, x, y


def _lit(board: Board, plan: Plan, height_mm: float, skip: int = -1) -> Layer:
    """Return (H, W) the share of light that reaches points at a height."""
    total = np.full(plan.shape[:-1], 1.0, np.float32)
    for lamp in board.lamps:
        taken = np.zeros_like(total)
        for number, disc in enumerate(board.discs):
            if number == skip:
                continue
            reach = disc.diameter_mm / 2 + 1 + disc.top_mm * 2
            window = _window_around(plan, disc.x_mm, disc.y_mm, reach)
            if window is not None:
                shade = disc_shadow(disc, lamp, plan[window], height_mm)
                taken[window] = np.maximum(taken[window], shade)
        for block in board.blocks:
            reach = block.width_mm + block.depth_mm + block.height_mm * 2
            window = _window_around(plan, block.x_mm, block.y_mm, reach)
            if window is not None:
                shade = block_shadow(block, lamp, plan[window], height_mm)
                taken[window] = np.maximum(taken[window], shade)
        total -= np.float32(lamp.strength) * taken
    if board.window_shadow is not None:
        nx, ny, offset, dark = board.window_shadow
        signed = plan[..., 0] * nx + plan[..., 1] * ny - offset
        total *= 1 - np.float32(dark) / (1 + np.exp(-np.clip(signed / 0.8, -30, 30)))
    return total


def _window_around(
    plan: Plan, x: float, y: float, reach: float
) -> tuple[slice, slice] | None:
    """Return the part of the plan that may lie within reach of a point."""
    step = 8
    coarse = plan[::step, ::step]
    gap = np.abs(np.diff(coarse, axis=1)).max(initial=0.0)
    gap = max(float(gap), float(np.abs(np.diff(coarse, axis=0)).max(initial=0.0)))
    near = np.hypot(coarse[..., 0] - x, coarse[..., 1] - y) < reach + gap
    rows, columns = np.flatnonzero(near.any(1)), np.flatnonzero(near.any(0))
    if not len(rows):
        return None
    return (
        slice(max(0, (rows[0] - 1) * step), (rows[-1] + 2) * step),
        slice(max(0, (columns[0] - 1) * step), (columns[-1] + 2) * step),
    )


def _put_disc(
    canvas: Light, owner: Owner, board: Board, sight: Sight, number: int
) -> None:
    disc = board.discs[number]
    try:
        outline = outline_px(board.table, disc)
    except GeometryError:
        return
    window = _window(outline, canvas.shape)
    if window is None:
        return
    left, top, right, bottom = window
    part = sight.part(*window)
    face, whole = disc_cover(disc, part)
    patch = canvas[top:bottom, left:right]
    patch *= 1 - whole[..., None]
    plan = part.plan(disc.top_mm)
    lit = _lit(board, plan, disc.top_mm, skip=number)
    shine = _shine(board, plan) * disc.gloss
    patch += face[..., None] * (_face(disc, plan) * lit[..., None] + shine[..., None])
    patch += (whole - face)[..., None] * _wall(board, disc, part)
    owner[top:bottom, left:right][whole > 0.5] = number


def _face(disc: SceneDisc, plan: Plan) -> Light:
    turn = math.radians(disc.angle_deg)
    ux, uy = math.cos(turn), math.sin(turn)
    away = (plan - np.array([disc.x_mm, disc.y_mm], np.float32)) / disc.diameter_mm
    size = disc.face.shape[0]
    x = (0.5 + away[..., 0] * uy - away[..., 1] * ux) * size - 0.5
    y = (0.5 - away[..., 0] * ux - away[..., 1] * uy) * size - 0.5
    art = disc.face
    # Rows of a turned face run any way through the view: both steps count.
    step = float(np.hypot(np.diff(x, axis=1).mean(), np.diff(y, axis=1).mean()))
    while step > 1.6 and art.shape[0] > 8:
        art = np.asarray(cv2.resize(art, None, fx=0.5, fy=0.5, interpolation=3))
        x, y = (x + 0.5) / 2 - 0.5, (y + 0.5) / 2 - 0.5
        step /= 2
    seen = cv2.remap(
        art,
        x.astype(np.float32),
        y.astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return linear(np.asarray(seen, np.uint8))


def _wall(board: Board, disc: SceneDisc, sight: Sight) -> Light:
    lower = sight.plan((disc.base_mm + disc.top_mm) / 2)
    away = lower - np.array([disc.x_mm, disc.y_mm], np.float32)
    away /= np.maximum(np.hypot(away[..., 0], away[..., 1]), 1e-6)[..., None]
    light = np.full(away.shape[:-1], 0.45, np.float32)
    for lamp in board.lamps:
        facing = -(away @ np.array(lamp.shift, np.float32))
        light += np.float32(0.4 * lamp.strength) * np.clip(facing, 0, 1)
    colour = linear(np.array([[disc.wall]]).clip(0, 255).astype(np.uint8))[0, 0]
    return np.asarray(light[..., None] * colour, np.float32)


def _shine(board: Board, plan: Plan) -> Layer:
    total = np.zeros(plan.shape[:-1], np.float32)
    for glare in board.glares:
        away = np.hypot(plan[..., 0] - glare.x_mm, plan[..., 1] - glare.y_mm)
        total += np.float32(glare.strength) * np.exp(
            -0.5 * (away / np.float32(glare.radius_mm)) ** 2
        )
    return total


def _put_block(canvas: Light, owner: Owner, board: Board, block: SceneBlock) -> None:
    plan = block.plan_mm
    try:
        low = board.table.to_image(plan)
        high = board.table.to_image(plan, block.height_mm)
    except GeometryError:
        return
    hull = cv2.convexHull(np.vstack([low, high]).astype(np.float32)).reshape(-1, 2)
    colour = linear(np.array([[block.colour]]).astype(np.uint8))[0, 0]
    _fill(canvas, owner, np.asarray(hull, float), colour * 0.4, BLOCK)
    for i in range(4):
        j = (i + 1) % 4
        wall = np.array([low[i], low[j], high[j], high[i]])
        edge = plan[j] - plan[i]
        outward = np.array([edge[1], -edge[0]]) / math.hypot(*edge)
        to_camera = board.table.position_mm[:2] - plan[i]
        if outward @ to_camera > 0:
            shade = 0.4 + 0.25 * max(float(outward @ [0.6, 0.8]), 0.0)
            _fill(canvas, owner, wall, colour * np.float32(shade), BLOCK)
    _fill(canvas, owner, high, colour, BLOCK)


def _put_hand(canvas: Light, owner: Owner, board: Board, polygon: Array) -> None:
    try:
        outline = board.table.to_image(polygon, HAND_HEIGHT_MM)
    except GeometryError:
        return
    _fill(canvas, owner, outline, np.array([0.24, 0.35, 0.6], np.float32), HAND)


def _fill(
    canvas: Light, owner: Owner, polygon: Array, colour: Light, number: int
) -> None:
    window = _window(polygon, canvas.shape)
    if window is None:
        return
    left, top, right, bottom = window
    x, y = np.meshgrid(np.arange(left, right), np.arange(top, bottom))
    points = np.stack([x, y], axis=-1).astype(np.float32)
    alpha = np.clip(0.5 + polygon_inside(polygon, points), 0, 1)[..., None]
    patch = canvas[top:bottom, left:right]
    patch *= 1 - alpha
    patch += alpha * colour
    owner[top:bottom, left:right][alpha[..., 0] > 0.5] = number


def _window(
    outline: Array, shape: tuple[int, ...], margin: int = 3
) -> tuple[int, int, int, int] | None:
    low = np.floor(outline.min(0)).astype(int) - margin
    high = np.ceil(outline.max(0)).astype(int) + margin + 1
    left, top = max(0, int(low[0])), max(0, int(low[1]))
    right, bottom = min(shape[1], int(high[0])), min(shape[0], int(high[1]))
    if right - left < 4 or bottom - top < 4:
        return None
    return left, top, right, bottom


def _truth(board: Board, owner: Owner, number: int) -> DiscTruth:
    disc = board.discs[number]
    outline = outline_px(board.table, disc)
    area = float(cv2.contourArea(outline.astype(np.float32)))
    seen = min(1.0, np.count_nonzero(owner == number) / max(area, 1.0))
    at = board.table.to_image(rim_mm(disc, 120, 0.96), disc.top_mm).round().astype(int)
    h, w = owner.shape
    inside = (at >= 0).all(1) & (at < [w, h]).all(1)
    mine = owner[at[inside, 1], at[inside, 0]] == number
    return DiscTruth(disc, outline, seen, float(mine.sum()) / len(at))
