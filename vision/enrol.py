"""Cuts the cards of a new deck out of photos, and finds faces that look alike.

A card to be enrolled lies open and by itself; so outlines that the picture's edges do
not bear out, parts of cards and covered cards are left out rather than guessed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import cv2
import numpy as np
from shapely import Polygon, union_all

from vision.card_border import with_border
from vision.detect import Detect, load_detector, whole_view
from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.locate import locate_by_cards
from vision.models import load_manifest
from vision.open_outlines import open_outlines
from vision.outline import outlined
from vision.place import card_corners_mm, fit_rectangles, lay, place
from vision.quads import UNIT_CORNERS, area_px2, quad_overlap, share_inside
from vision.refine import RefinedQuad, edges_across, refine_quad
from vision.types import Array, Bgr, Detection, Frame, Kind, TableNotFound

LONG_SIDES_PX = (226, 320, 453, 640, 905, 1280)
"""The picture is looked at in these sizes: nine cards, or one that fills it, are seen
in at least two of them."""
ONE_THING, SEEN_AGAIN, AS_SEEN = 0.75, 2, 0.75
"""Overlap of boxes of one thing, in so many of which a card is seen; and how much of
what was seen the right edges hold."""
MIN_SCORE = 0.3
MIN_SUPPORT = 0.5
"""Three of the four sides must lie on edges for so much of their length."""
SAME, NESTED = 0.5, 0.7
WITHIN, LEAST_PRINT, MOST_PRINT = 0.9, 0.15, 0.85
"""Share of an outline that lies in another if it is a part of it; of a card a picture
or a panel with rules takes up so much, paper that it lies on is larger."""
GOOD_FIT_MM2 = 2.0
"""Squared misses of the four corners, in all, of an outline that needs no second look:
0.7 mm each. A side that lies on the print 3 mm inside makes 6 to 9."""
ASKEW_MM2 = 25.0
"""With more, the cut is said to be askew."""
SEARCHES = (
    (12.0, 2.0, (-0.05, -0.025, 0.0, 0.025, 0.05)),
    (2.0, 0.8, (-0.04, -0.028, -0.014, 0.0, 0.014, 0.028, 0.04)),
    (0.8, 0.3, (-0.007, 0.0, 0.007)),
)
"""Reach and step in mm and turns in rad, from coarse to fine, of the search for a card
whose sides were not all found."""
EDGES_KEPT = 0.9
"""A card of the right size is taken for an outline that fits worse, but only if about
as much of an edge runs along it."""
STRONG_EDGE = 18.0
"""Grey levels per px; more do not make it more of an edge."""
ODD_SIZE = 2.2
"""Cards of one photo are of one size, within this ratio of areas."""
SHARP = 60.0
"""Variance of the Laplacian of a straightened card below which it is called soft."""
GLARE_SHARE = 0.12
BURNT = 252
CUT_PX_PER_MM = 6.0
CARD_MM = (63.0, 88.0)


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """One card, straightened."""

    bgr: Bgr
    """The whole picture is the card; its top is the side that was farther up."""
    quad_px: Array
    """(4, 2) where it was in the photo, from the top left of the cut, clockwise."""
    sharpness: float
    notes: tuple[str, ...] = ()
    """Codes: ``askew``, ``soft``, ``glare``, ``small``."""


def cut_cards(frame: Frame, size_mm: tuple[float, float] = CARD_MM) -> tuple[Cut, ...]:
    """Return the cards in a photo in reading order: rows from the top, then left to
    right; raise `ModelError` where the detector is missing."""
    views = [whole_view(frame.bgr, side) for side in LONG_SIDES_PX]
    looks = [_detector()(frame.bgr, [view]) for view in views]
    cards = [[d for d in look if _is_card(d)] for look in looks]
    seen = [
        _outline(frame.bgr, quad, count)
        for quad, count in agreed(cards)
        if count >= SEEN_AGAIN
    ]
    fields = open_outlines(frame.bgr)
    alone = [_seen_by(with_border(frame.bgr, field), seen) for field in fields]
    open_cards = _open_cards(_whole(alone, seen))
    found_quads, askew = _as_rigid_cards(frame, open_cards, size_mm)
    return tuple(
        _cut(frame.bgr, quad, size_mm, is_askew=any(quad is other for other in askew))
        for quad in _reading_order(found_quads)
    )


@cache
def _detector() -> Detect:
    return load_detector(load_manifest("detector"))


def _is_card(found: Detection) -> bool:
    return found.kind in {Kind.CARD, Kind.BACK} and found.score >= MIN_SCORE


def agreed(looks: Sequence[Sequence[Detection]]) -> list[tuple[Array, int]]:
    """Return what several looks at a picture, each in another size, say of the same
    thing: the mean of its boxes (4, 2), px, the surer ones counting more, and in how
    many looks it was seen; first what is surest in all."""
    found: list[list[tuple[int, Array, float]]] = []
    ranked = [(n, one) for n, look in enumerate(looks) for one in look]
    for number, one in sorted(ranked, key=lambda each: -each[1].score):
        quad = np.asarray(one.quad_px, float)
        for same in found:
            first = same[0][1]
            is_new = all(number != other for other, *_ in same)
            if is_new and quad_overlap(quad, first) > ONE_THING:
                turns = [np.roll(quad, turn, axis=0) for turn in range(4)]
                quad = min(
                    turns, key=lambda turned: float(np.abs(turned - first).sum())
                )
                same.append((number, quad, one.score))
                break
        else:
            found.append([(number, quad, one.score)])
    found.sort(key=lambda same: -sum(score for *_, score in same))
    return [(_mean(same), len(same)) for same in found]


def _mean(same: Sequence[tuple[int, Array, float]]) -> Array:
    weights = [score for *_, score in same]
    return np.asarray(np.average([quad for _, quad, _ in same], 0, weights), float)


@dataclass(frozen=True, slots=True, eq=False)
class _Outline:
    """Where a card seems to lie."""

    edges: RefinedQuad
    looks: int
    """In so many sizes the detector saw it there."""
    is_alone: bool = False
    """It is told from the table by its outline."""

    @property
    def quad_px(self) -> Array:
        return self.edges.quad_px


def _outline(bgr: Bgr, quad_px: Array, looks: int) -> _Outline:
    """Return the outline on the edges about a box; the box itself where the edges are
    not those of what was seen several times."""
    edges = with_border(bgr, outlined(bgr, quad_px, refine_quad(bgr, quad_px)))
    if quad_overlap(edges.quad_px, quad_px) < AS_SEEN:
        edges = RefinedQuad(quad_px, (0.0, 0.0, 0.0, 0.0))
    return _Outline(edges, looks)


def _seen_by(edges: RefinedQuad, seen: Sequence[_Outline]) -> _Outline:
    """Return an outline that shows by itself, and how often the detector saw it."""
    looks = [
        one.looks
        for one in seen
        if quad_overlap(one.quad_px, edges.quad_px) > ONE_THING
    ]
    return _Outline(edges, max(looks, default=0), is_alone=True)


def _whole(alone: Sequence[_Outline], seen: Sequence[_Outline]) -> list[_Outline]:
    """Return outlines without the print of cards that lies within them; but of several
    cards side by side, and of paper and what lies on it, without the outer one."""
    every = [*alone, *seen]
    left_out: set[int] = set()
    for k, outer in enumerate(every):
        shares = {i: _share_of(one, outer) for i, one in enumerate(every) if i != k}
        inner = {i: share for i, share in shares.items() if 0 < share < MOST_PRINT}
        parts = [Polygon(every[i].quad_px) for i in inner if every[i].is_alone]
        if union_all(parts).area > MOST_PRINT * area_px2(outer.quad_px):
            left_out.add(k)
            continue
        for i, share in inner.items():
            if outer.is_alone and share >= LEAST_PRINT:
                left_out.add(i)
            elif outer.is_alone or every[i].is_alone:
                # Shape does not tell: what the detector sees more often is the card.
                left_out.add(i if outer.looks > every[i].looks else k)
    return [one for number, one in enumerate(every) if number not in left_out]


def _share_of(inner: _Outline, outer: _Outline) -> float:
    """Return how much of an outline another one within it takes up; 0: it is not."""
    if share_inside(inner.quad_px, [outer.quad_px]) < WITHIN:
        return 0.0
    return area_px2(inner.quad_px) / area_px2(outer.quad_px)


def _surest(outline: _Outline) -> tuple[bool, int, float]:
    return not outline.is_alone, -outline.looks, -sum(outline.edges.support)


def _open_cards(outlines: Sequence[_Outline]) -> list[RefinedQuad]:
    """Return each card once: the outline that shows by itself, or was seen most often,
    no parts."""
    kept: list[_Outline] = []
    for outline in sorted(outlines, key=_surest):
        quads = [other.quad_px for other in kept]
        if any(quad_overlap(outline.quad_px, quad) > SAME for quad in quads):
            continue
        if share_inside(outline.quad_px, quads) < NESTED:
            kept.append(outline)
    if not kept:
        return []
    areas = np.array([area_px2(one.quad_px) for one in kept])
    usual = float(np.median(np.repeat(areas, [max(one.looks, 1) for one in kept])))
    return [
        one.edges
        for one, area in zip(kept, areas, strict=True)
        if 1 / ODD_SIZE < area / usual < ODD_SIZE
    ]


def _as_rigid_cards(
    frame: Frame, outlines: Sequence[RefinedQuad], size_mm: tuple[float, float]
) -> tuple[list[Array], list[Array]]:
    """Return the outlines as cards of one size on one table have them, and those among
    them that still do not fit the others.

    A side that fell on a line of the print is found again: from where the card must
    lie for its other sides, the true edge is near.
    """
    height, width = frame.bgr.shape[:2]
    camera = Camera.guess(width, height, frame.exif)
    quads = [_upright(outline.quad_px) for outline in outlines]
    table = locate_by_cards(quads, camera, size_mm=size_mm)
    if isinstance(table, TableNotFound) or len(quads) < 2:
        return quads, []
    better = [
        _upright(_rigid(frame.bgr, outline, quad, table, size_mm).quad_px)
        for outline, quad in zip(outlines, quads, strict=True)
    ]
    better = _each_once(better, [_misfit(table, q, size_mm) for q in better])
    return better, [q for q in better if _misfit(table, q, size_mm) > ASKEW_MM2]


def _each_once(quads: Sequence[Array], misfits: Sequence[float]) -> list[Array]:
    """Return quads without those that are another look at a card that fits better."""
    kept: list[int] = []
    for i in sorted(range(len(quads)), key=lambda i: misfits[i]):
        others = [quads[k] for k in kept]
        if share_inside(quads[i], others) < SAME:
            kept.append(i)
    return [quads[i] for i in sorted(kept)]


def _rigid(
    bgr: Bgr,
    outline: RefinedQuad,
    quad_px: Array,
    table: TableMap,
    size_mm: tuple[float, float],
) -> RefinedQuad:
    """Return the outline that fits a card of that size best, started from around where
    the card was found."""
    miss = _misfit(table, quad_px, size_mm)
    if miss < GOOD_FIT_MM2 and min(outline.support) >= MIN_SUPPORT:
        return outline
    try:
        at = place(quad_px, table, size_mm=size_mm)
    except GeometryError:
        return outline
    pose = np.array([at.x_mm, at.y_mm, math.radians(at.angle_deg - 90)])
    for reach_mm, step_mm, tilts in SEARCHES:
        steps = np.arange(-reach_mm, reach_mm + 1e-6, step_mm)
        poses = [
            pose + np.array([dx, dy, tilt])
            for dx, dy, tilt in product(steps, steps, tilts)
        ]
        shown = [_edges_shown(bgr, table, one, size_mm, step_mm) for one in poses]
        pose = poses[int(np.argmax(shown))]
    try:
        rigid = table.to_image(lay(card_corners_mm(size_mm), pose[None])[0])
    except GeometryError:
        return outline
    again = refine_quad(bgr, rigid)
    fits = _misfit(table, again.quad_px, size_mm) < GOOD_FIT_MM2
    if fits and sorted(again.support)[1] >= MIN_SUPPORT:
        return again
    reach_px = 0.4 * float(np.linalg.norm(rigid[1] - rigid[0])) / size_mm[0]
    if EDGES_KEPT * _edges_along(bgr, quad_px, reach_px) > _edges_along(
        bgr, rigid, reach_px
    ):
        return outline
    return RefinedQuad(rigid, outline.support)


def _edges_shown(
    bgr: Bgr,
    table: TableMap,
    pose: Array,
    size_mm: tuple[float, float],
    reach_mm: float,
) -> float:
    """Return how much of an edge runs along all four sides of a card that lies so."""
    try:
        quad = table.to_image(lay(card_corners_mm(size_mm), pose[None])[0])
    except GeometryError:
        return 0.0
    px_per_mm = float(np.linalg.norm(quad[1] - quad[0])) / size_mm[0]
    return _edges_along(bgr, quad, reach_mm * px_per_mm)


def _edges_along(bgr: Bgr, quad_px: Array, reach_px: float) -> float:
    """Return the strength of the edges along the sides of a quad; the least of the four
    counts twice, for a card has no side without one."""
    sides = []
    for start, end in zip(quad_px, np.roll(quad_px, -1, 0), strict=True):
        along = end - start
        points = start + np.linspace(0.1, 0.9, 17)[:, None] * along
        normal = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-6)
        normals = np.repeat(normal[None], len(points), 0)
        strength, _ = edges_across(bgr, points, normals, reach_px)
        sides.append(float(np.minimum(strength, STRONG_EDGE).mean()))
    return sum(sides) + min(sides)


def _misfit(table: TableMap, quad_px: Array, size_mm: tuple[float, float]) -> float:
    """Return how far the corners are from those of a card of that size, in mm2."""
    try:
        corners = table.to_table(_upright(quad_px))
    except GeometryError:
        return math.inf
    return float(fit_rectangles(corners, card_corners_mm(size_mm))[2])


def _upright(quad_px: Array) -> Array:
    """Return the quad from its top left, its short sides at top and bottom."""
    sides = np.linalg.norm(np.roll(quad_px, -1, 0) - quad_px, axis=1)
    quad = quad_px if sides[0] + sides[2] <= sides[1] + sides[3] else None
    quad = np.roll(quad_px, -1, 0) if quad is None else quad
    top, bottom = quad[:2].mean(0), quad[2:].mean(0)
    return quad if top[1] <= bottom[1] else np.roll(quad, -2, 0)


def _reading_order(quads: Sequence[Array]) -> list[Array]:
    """Return quads in rows from the top, each from left to right."""
    if not quads:
        return []
    tall = float(np.median([np.ptp(quad[:, 1]) for quad in quads]))
    left = sorted(quads, key=lambda quad: float(quad[:, 1].mean()))
    ordered: list[Array] = []
    while left:
        first = float(left[0][:, 1].mean())
        row = [q for q in left if float(q[:, 1].mean()) - first < 0.5 * tall]
        left = left[len(row) :]
        ordered += sorted(row, key=lambda quad: float(quad[:, 0].mean()))
    return ordered


def _cut(
    bgr: Bgr, quad_px: Array, size_mm: tuple[float, float], *, is_askew: bool
) -> Cut:
    size = tuple(round(side * CUT_PX_PER_MM) for side in size_mm)
    target = UNIT_CORNERS * np.array(size, np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(
        quad_px.astype(np.float32), target.astype(np.float32)
    )
    warped = cv2.warpPerspective(
        bgr, matrix, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    card: Bgr = np.asarray(warped, np.uint8)
    gray = cv2.cvtColor(card, cv2.COLOR_BGR2GRAY)
    sharpness = float(cv2.Laplacian(gray, cv2.CV_64F).var())
    notes = ["askew"] if is_askew else []
    if sharpness < SHARP:
        notes.append("soft")
    if float((card.min(axis=2) >= BURNT).mean()) > GLARE_SHARE:
        notes.append("glare")
    if float(np.linalg.norm(quad_px[3] - quad_px[0])) < 150:
        notes.append("small")
    return Cut(card, quad_px, round(sharpness, 1), tuple(notes))
