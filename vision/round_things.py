"""Round things of any size and colour, without a kit: coins, stones, round cards.

The network is asked in several sizes; what it calls a disc is believed if an ellipse
lies on edges around it. Nothing is known of the table here, so there are no
millimetres: the rim in the picture is what comes back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import Detect, View
from vision.types import Array, Bgr, Detection, Identity, Kind

LONG_SIDES_PX, CLOSER_PX, SMALL_PX = (320, 640, 1280, 1920), 2560, 60.0
"""The network was trained on things of 30 to 330 px: each size shows some. Where
discs are smaller than `SMALL_PX` in the last, it is asked once more, closer."""
BESIDE_CARDS_PX = LONG_SIDES_PX[2:]
"""Cards are looked for in the others."""
SMALLEST_PX, LARGEST_SHARE = 12.0, 0.9
"""Of a disc in the picture, and of the picture's short side."""
RAYS, STEPS = 72, 49
AROUND = 3.0
"""So far around a box, in halves of its longer side, no ellipse found there reaches."""
NEAREST, FARTHEST = 0.6, 1.45
"""Where around a box its rim may be, in half axes of the box."""
ON_RIM, MIN_SHARE, PART_OF_RIM = 0.07, 0.8, 0.65
"""How far an edge may lie off the ellipse, as a share of its radius; how many of all
rays must have theirs on it, and how many where cards may cover some."""
FLATTEST = 0.3
"""Ratio of the axes of a circle that is seen from very low."""
SAME, INSIDE = 0.5, 0.62
"""Discs whose centres are nearer than that, in radii of the smaller, are one. What
lies in a disc and is less than that large is printed on it."""
SHARED_RIM = 0.15
"""Of the larger radius: so near to its rim another one runs along it."""
SURE_SCORE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class RoundThing:
    """A disc in the picture."""

    centre_px: Array
    """(2,)"""
    axes_px: tuple[float, float]
    """Half axes, the longer one first."""
    angle_deg: float
    """Of the longer one, clockwise in the picture from its x axis."""
    rim_share: float
    """Share of the rays whose strongest edge lies on it."""
    score: float

    @property
    def radius_px(self) -> float:
        """Return the radius of a circle of the same area."""
        return math.sqrt(self.axes_px[0] * self.axes_px[1])

    @property
    def quad_px(self) -> Array:
        """Return the (4, 2) corners of the box around it, clockwise."""
        turn = math.radians(self.angle_deg)
        long = np.array([math.cos(turn), math.sin(turn)]) * self.axes_px[0]
        short = np.array([-math.sin(turn), math.cos(turn)]) * self.axes_px[1]
        corners = [-long - short, long - short, long + short, short - long]
        return np.asarray(self.centre_px + np.array(corners), float)


def find_round_things(bgr: Bgr, detect: Detect) -> tuple[RoundThing, ...]:
    """Return the discs in the picture, the surest first, each once."""
    boxes: list[Detection] = []
    for side in LONG_SIDES_PX:
        boxes += detect(bgr, [_view(bgr, side)])
    things = with_rims(bgr, boxes)
    least = min((thing.radius_px for thing in things), default=math.inf)
    if 2 * least * LONG_SIDES_PX[-1] / max(bgr.shape) < SMALL_PX:
        things = with_rims(bgr, [*boxes, *detect(bgr, [_view(bgr, CLOSER_PX)])])
    return things


def rims_beside_cards(
    bgr: Bgr, found: Sequence[Detection], detect: Detect
) -> tuple[RoundThing, ...]:
    """Return the discs of a picture of cards, the surest first, each once.

    Where one was seen in the sizes of its cards, others may show in others alone; what
    shows there must be seen surely.
    """
    boxes = [box for box in found if box.kind is Kind.DISC]
    if not boxes:
        return ()
    views = [_view(bgr, side) for side in BESIDE_CARDS_PX]
    more = [box for view in views for box in detect(bgr, [view])]
    boxes += [box for box in more if box.score >= SURE_SCORE]
    return with_rims(bgr, boxes, min_share=PART_OF_RIM)


def is_about_discs(discs: int, cards: Sequence[Identity]) -> bool:
    """Return whether a picture is worth searching for discs in all sizes, given how
    many were seen in the size of its cards.

    They are smaller than cards, and their board may pass for a card that is not read.
    """
    named = sum(card.label is not None for card in cards)
    return not cards or discs >= max(named, 1)


def _view(bgr: Bgr, side: int) -> View:
    h, w = bgr.shape[:2]
    return View(0, 0, w, h, side / max(h, w), frozenset({Kind.DISC}))


def discs_of(things: Sequence[RoundThing]) -> list[Detection]:
    """Return them as detections, whose quads touch the rims."""
    return [Detection(Kind.DISC, thing.quad_px, thing.score) for thing in things]


def with_rims(
    bgr: Bgr, boxes: Sequence[Detection], *, min_share: float = MIN_SHARE
) -> tuple[RoundThing, ...]:
    """Return the discs of those boxes that have a rim, each once."""
    boxes = [box for box in boxes if box.kind is Kind.DISC]
    if not boxes:
        return ()
    found = [rim_of(bgr, box) for box in boxes]
    things = [t for t in found if t is not None and t.rim_share >= min_share]
    return each_once(things)


def rim_of(bgr: Bgr, box: Detection) -> RoundThing | None:
    """Return the ellipse on the edges around a box, if there is one."""
    right, down = box.quad_px[1] - box.quad_px[0], box.quad_px[3] - box.quad_px[0]
    half = np.hypot(*right) / 2, np.hypot(*down) / 2
    if min(half) * 2 < SMALLEST_PX or max(half) * 2 > LARGEST_SHARE * min(
        bgr.shape[:2]
    ):
        return None
    light, corner = _light_around(bgr, box.quad_px.mean(axis=0), AROUND * max(half))
    middle = box.quad_px.mean(axis=0) - corner
    # First the network's box, then the ellipse that was found: its rays are better.
    ellipse = (middle, half, math.degrees(math.atan2(right[1], right[0])))
    share = 0.0
    for _ in range(3):
        points = _edges(light, *ellipse)
        if len(points) < 12:
            return None
        fitted, share = _fit(points)
        if fitted is None:
            return None
        ellipse = fitted
    centre, axes, angle = ellipse
    share *= len(points) / RAYS
    moved = float(np.hypot(*(centre - middle)))
    if min(axes) < FLATTEST * max(axes) or moved > min(half):
        return None
    if axes[0] < axes[1]:
        axes, angle = (axes[1], axes[0]), angle + 90
    return RoundThing(centre + corner, axes, angle % 180, round(share, 3), box.score)


def _light_around(
    bgr: Bgr, middle: Array, reach_px: float
) -> tuple[NDArray[np.float32], Array]:
    """Return the softened part of a picture so far around a place, and where its corner
    lies: the whole of a large one would fill a fifth of a gigabyte."""
    height, width = bgr.shape[:2]
    middle = np.clip(middle, 0, [width - 1, height - 1])
    left, top = np.maximum(np.floor(middle - reach_px), 0).astype(int)
    right, bottom = np.ceil(middle + reach_px).astype(int) + 1
    part = bgr[top : min(bottom, height), left : min(right, width)]
    soft = cv2.GaussianBlur(part, (0, 0), 0.8)
    return np.asarray(soft, np.float32), np.array([left, top], float)


def _edges(
    light: NDArray[np.float32],
    centre: Array,
    axes: tuple[float, float],
    angle_deg: float,
) -> Array:
    """Return (N, 2) the strongest edge on each ray, where the picture has one."""
    turn, t = math.radians(angle_deg), np.arange(RAYS) * (2 * math.pi / RAYS)
    x, y = axes[0] * np.cos(t), axes[1] * np.sin(t)
    c, s = math.cos(turn), math.sin(turn)
    way = np.column_stack([c * x - s * y, s * x + c * y])
    at = np.linspace(NEAREST, FARTHEST, STEPS)
    places = (centre + way[:, None] * at[None, :, None]).astype(np.float32)
    values = cv2.remap(light, places[..., 0], places[..., 1], cv2.INTER_LINEAR)
    soft = cv2.blur(np.asarray(values, np.float32), (3, 1))
    change = np.linalg.norm(soft[:, 4:] - soft[:, :-4], axis=2)
    # Of equal edges that nearer to where the rim is thought to be is likelier.
    change = change * np.exp(-0.5 * ((at[2:-2] - 1) / 0.25) ** 2)
    h, w = light.shape[:2]
    within = (places >= 1) & (places <= [w - 2, h - 2])
    inside = np.asarray(within.all(axis=2), bool)[:, 2:-2]
    best = np.where(inside, change, 0).argmax(axis=1)
    rows = np.arange(RAYS)
    clear = (change[rows, best] > 6) & inside[rows, best]
    return np.asarray(places[:, 2:-2][rows, best][clear], float)


Ellipse = tuple[Array, tuple[float, float], float]


def _fit(points: Array) -> tuple[Ellipse | None, float]:
    """Return the ellipse on most of the points, and the share that lies on it."""
    keep = np.ones(len(points), bool)
    found: Ellipse | None = None
    share = 0.0
    for _ in range(6):
        if keep.sum() < 8:
            return None, 0.0
        middle, size, angle = cv2.fitEllipseDirect(points[keep].astype(np.float32))
        axes = (float(size[0]) / 2, float(size[1]) / 2)
        if not np.isfinite([*middle, *axes]).all() or min(axes) < 2:
            return None, 0.0
        found = (np.array(middle, float), axes, float(angle))
        off = np.abs(_away(points, found))
        share = float((off < ON_RIM).mean())
        keep = off < max(ON_RIM, 1.5 * float(np.median(off)))
    return found, share


def _away(points: Array, ellipse: Ellipse) -> Array:
    """Return (N,) how far outside the ellipse points lie, as shares of its radius."""
    centre, axes, angle_deg = ellipse
    turn = math.radians(angle_deg)
    c, s = math.cos(turn), math.sin(turn)
    x, y = ((points - centre) @ np.array([[c, -s], [s, c]])).T
    return np.asarray(np.hypot(x / axes[0], y / axes[1]) - 1, float)


def each_once(things: Sequence[RoundThing]) -> tuple[RoundThing, ...]:
    """Return the discs, the surest first, without those that mean the same."""
    kept: list[RoundThing] = []
    for thing in sorted(things, key=lambda one: -(one.score + one.rim_share)):
        if not any(_is_same(thing, other) for other in kept):
            kept.append(thing)
    return tuple(
        thing for thing in kept if not any(_is_print(thing, other) for other in kept)
    )


def _is_same(one: RoundThing, other: RoundThing) -> bool:
    ratio = one.radius_px / other.radius_px
    near = math.dist(one.centre_px, other.centre_px)
    smaller = min(one.radius_px, other.radius_px)
    larger = max(one.radius_px, other.radius_px)
    # One that touches the other's rim from inside was fitted to a part of that rim.
    shared = abs(near + smaller - larger) < SHARED_RIM * larger and near < smaller
    return (near < SAME * smaller or shared) and INSIDE < ratio < 1 / INSIDE


def _is_print(one: RoundThing, other: RoundThing) -> bool:
    """Return whether one is a figure on the face of another."""
    if one is other or one.radius_px > INSIDE * other.radius_px:
        return False
    centre = (other.centre_px, other.axes_px, other.angle_deg)
    return bool(_away(one.centre_px[None], centre)[0] < 0) and other.score > SURE_SCORE
