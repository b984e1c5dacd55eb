"""Where round, thick things lie: the centre in mm and a covariance that holds.

The rim of a disc of known size, at its height, is searched for around a seed, then
fitted to sub-pixel. Two circles are in the model, the upper rim and, on the side of the
camera, the lower one; what of the side can be told from face and ground decides by
itself which of the two carries the fit. A disc is refused rather than guessed: every
refusal is a value with a reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.blur import Blur
from vision.disc_choice import best_fits, without_unlikely
from vision.disc_faces import FaceLikeness
from vision.disc_places import (
    FINDER_REACH,
    NoPlace,
    Place,
    parallax,
    picture_blur,
    places_of,
)
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.rim import DiscSize
from vision.rim_search import SEED_REACH
from vision.rim_verdict import ARCS, MIN_RIM, RimFit
from vision.types import Array, Bgr, Position

MAX_BLUR_SHARE = 0.09
"""Of the diameter: edges wider than that are not measured."""
MAX_SMEAR_SHARE = 0.06
"""Of the diameter: sigma of a motion blur beyond which a disc is refused."""
MAX_SIGMA_SHARE = 0.06
LEAST_PART, WHOLE, PART_SIGMA_SHARE = 0.45, 0.9, 0.012
"""Shares of a rim between which a disc is partly hidden, and how exactly, in diameters,
what is left of it must be seen to be a part of a disc."""


@dataclass(frozen=True, slots=True)
class DiscFound:
    """A disc, measured."""

    position: Position
    """Of its centre; the angle is 0, for a rim has none."""
    size: DiscSize
    rim_share: float
    """Share of the rim that was seen, in [0, 1]."""
    votes: float
    """How clearly it was seen, in [0, 1]."""
    blur_px: float
    radius_error_mm: float
    """How much larger than the kit says its rim looks."""
    contrast: float
    """Median change of linear light over its rim, levels of 255."""
    arcs: int = (1 << ARCS) - 1
    """Bits: on which arcs of its rim an edge was seen, counter-clockwise from x."""
    order: int = 0
    """Stacking order: larger lies on top."""
    radius_sigmas: float = 0.0
    """The error of its radius in what the kit and cameras allow."""

    @property
    def shows_rim(self) -> bool:
        """Return whether its rim is seen; if not, its face says where it lies."""
        return self.rim_share > MIN_RIM

    @property
    def is_exact(self) -> bool:
        """Return whether what is seen of its rim fits one place well."""
        exact = self.position.sigma_mm < PART_SIGMA_SHARE * self.size.diameter_mm
        return exact and self.rim_share >= LEAST_PART

    @property
    def is_part(self) -> bool:
        """Return whether a part of it is hidden, and the rest is seen exactly."""
        return self.is_exact and self.rim_share < WHOLE

    @property
    def centre_mm(self) -> Array:
        """Return (2,) its centre."""
        return np.array(self.at_mm)

    @property
    def at_mm(self) -> tuple[float, float]:
        """Return its centre."""
        return self.position.x_mm, self.position.y_mm


@dataclass(frozen=True, slots=True)
class DiscUnclear:
    """A disc that was not measured: an expected outcome, a value.

    Codes: ``too_small`` (in px), ``outside`` (of the picture), ``no_rim``, ``two_rims``
    (two places fit as well), ``little_rim`` (too much of it is hidden), ``other_size``
    (than the kit says), ``unlikely``,
    ``blurred``, ``moving``, ``horizon``, ``inexact``, ``same`` (as another one),
    ``printed``.
    """

    reason: str
    seed_mm: tuple[float, float] | None = None


Disc = DiscFound | DiscUnclear


def measure_disc(
    bgr: Bgr,
    table: TableMap,
    size: DiscSize,
    seed_px: Array,
    *,
    blur: Blur | None = None,
    face: FaceLikeness | None = None,
) -> Disc:
    """Return where the disc near `seed_px` lies.

    `seed_px` is the middle of what the picture shows of it, side included, and may be
    off by a fifth of the diameter. `blur` is that of the picture, where it is known.
    """
    return measure_discs(bgr, table, [(size, seed_px)], blur=blur, face=face)[0]


def measure_discs(
    bgr: Bgr,
    table: TableMap,
    seeds: Sequence[tuple[DiscSize, Array]],
    *,
    blur: Blur | None = None,
    face: FaceLikeness | None = None,
    votes: Sequence[float] | None = None,
) -> tuple[Disc, ...]:
    """Return the same for many, one result per seed, in order.

    They share the blur of the picture, so that a faint or half hidden rim is judged by
    what the clear ones show. `face` (see `vision.chips.face_likeness`) tells a rim from
    printed rings where edges alone cannot. `votes` are those of a finder of seeds: what
    has few of them and looks like no face is ``unlikely`` and costs no more time.
    """
    where = places_of(bgr, table, seeds, SEED_REACH if votes is None else FINDER_REACH)
    if face is not None and votes is not None:
        where = without_unlikely(where, votes, face)
    places = [place for place in where if isinstance(place, Place)]
    if blur is None:
        blur = picture_blur(table, places)
    still = [place for place in places if not _is_smeared(place, blur)]
    fits, blur = best_fits(table, still, blur, face)
    by_place = dict(zip(map(id, still), fits, strict=True))
    ended = [
        place.reason
        if isinstance(place, NoPlace)
        else by_place.get(id(place), "moving")
        for place in where
    ]
    by_map = _of_map(table, where, ended)
    return tuple(
        DiscUnclear(place.reason, place.seed_mm)
        if isinstance(place, NoPlace)
        else _checked(place, fit, by_map.get(number), blur)
        for number, (place, fit) in enumerate(zip(where, ended, strict=True))
    )


def seed_of(quad_px: Array) -> Array:
    """Return the (2,) middle of a detection's quad, as a seed."""
    return np.asarray(np.asarray(quad_px, float).mean(axis=0))


def _is_smeared(place: Place, blur: Blur) -> bool:
    return blur.smear_px > max(MAX_SMEAR_SHARE * place.diameter_px, 1.6)


def _checked(place: Place, fit: RimFit | str, by_map: Array | None, blur: Blur) -> Disc:
    size, start = place.size, place.start
    if isinstance(fit, str):
        return _unclear(fit, start.centre_mm)
    if blur.own_px > max(MAX_BLUR_SHARE * place.diameter_px, 1.5):
        return _unclear("blurred", start.centre_mm)
    if by_map is None:
        return DiscUnclear("horizon")
    covariance = fit.covariance_mm2 + by_map
    position = Position(
        float(fit.centre_mm[0]),
        float(fit.centre_mm[1]),
        0.0,
        (float(covariance[0, 0]), float(covariance[0, 1]), float(covariance[1, 1])),
    )
    # What the map lacks is common to all discs: it is stated, and no fault of the rim.
    if (
        float(np.linalg.eigvalsh(fit.covariance_mm2).max())
        > (MAX_SIGMA_SHARE * size.diameter_mm) ** 2
    ):
        return _unclear("inexact", fit.centre_mm)
    return DiscFound(
        position,
        size,
        round(fit.rim_share, 3),
        round(start.votes, 3),
        round(blur.own_px, 2),
        round(fit.radius_error_mm, 3),
        round(fit.contrast, 1),
        sum(1 << int(n) for n in np.flatnonzero(fit.arcs)),
        radius_sigmas=round(fit.radius_sigmas, 2),
    )


def _of_map(
    table: TableMap, places: Sequence[Place | NoPlace], fits: Sequence[RimFit | str]
) -> dict[int, Array]:
    """Return the (2, 2) covariance that map and height of each fitted disc bring, by
    number; those beyond the horizon have none."""
    fitted = [
        (number, place.size, fit.centre_mm)
        for number, (place, fit) in enumerate(zip(places, fits, strict=True))
        if isinstance(place, Place) and isinstance(fit, RimFit)
    ]
    if not fitted:
        return {}
    numbers, sizes, centres = zip(*fitted, strict=True)
    try:
        found = _covariances(table, sizes, np.array(centres))
    except GeometryError:
        found = [_covariance(table, size, at) for _, size, at in fitted]
    return {
        number: one
        for number, one in zip(numbers, found, strict=True)
        if one is not None
    }


def _covariance(table: TableMap, size: DiscSize, at: Array) -> Array | None:
    try:
        return _covariances(table, [size], at[None])[0]
    except GeometryError:
        return None


def _covariances(
    table: TableMap, sizes: Sequence[DiscSize], at: Array
) -> list[Array | None]:
    tops = np.array([size.top_mm for size in sizes])
    of_pose = table.covariance_mm2(at, np.zeros((2, 2)), tops)
    by_height = parallax(table, sizes, at)
    variances = np.array([size.thickness_sigma_mm**2 for size in sizes])
    of_height = by_height[:, :, None] * by_height[:, None] * variances[:, None, None]
    return list(of_pose + of_height)


def _unclear(reason: str, seed_mm: Array) -> DiscUnclear:
    return DiscUnclear(reason, (float(seed_mm[0]), float(seed_mm[1])))


# Stacks -----------------------------------------------------------------------------


def settle_heights(
    bgr: Bgr, table: TableMap, discs: Sequence[Disc], *, blur: Blur | None = None
) -> tuple[Disc, ...]:
    """Return the discs with those that lie on others raised and measured again.

    Where two overlap, the one whose rim is seen inside the other is on top; its base is
    then the other's top. Two at the same spot are one disc, found twice: ``same``.
    """
    result = list(discs)
    at = np.array([_at(disc) for disc in discs]).reshape(-1, 2)
    widest = max(
        (d.size.diameter_mm for d in discs if isinstance(d, DiscFound)), default=0
    )
    for number in sorted(range(len(discs)), key=lambda n: -_rim_share(discs[n])):
        mine = result[number]
        if not isinstance(mine, DiscFound):
            continue
        # Unknown places are nowhere: a comparison with them is false.
        near = np.abs(at - at[number]).max(axis=1) < widest
        below = [
            (other.size.top_mm, n)
            for n in np.flatnonzero(near).tolist()
            if n != number
            and isinstance(other := result[n], DiscFound)
            and do_overlap(mine, other)
        ]
        if not below:
            continue
        top, support = max(below)
        other = result[support]
        assert isinstance(other, DiscFound)
        if math.dist(mine.at_mm, other.at_mm) < 0.15 * mine.size.diameter_mm:
            result[support] = _unclear("same", other.centre_mm)
        elif mine.rim_share > other.rim_share and mine.size.base_mm < top:
            raised = replace(mine.size, base_mm=top)
            seen = table.to_image(mine.centre_mm[None], mine.size.base_mm)[0]
            again = measure_disc(bgr, table, raised, seen, blur=blur)
            if isinstance(again, DiscFound):
                result[number] = replace(again, order=other.order + 1)
                at[number] = again.at_mm
    return tuple(result)


def _at(disc: Disc) -> tuple[float, float]:
    return disc.at_mm if isinstance(disc, DiscFound) else (math.nan, math.nan)


def _rim_share(disc: Disc) -> float:
    return disc.rim_share if isinstance(disc, DiscFound) else -1.0


def do_overlap(one: DiscFound, other: DiscFound) -> bool:
    """Return whether two discs lie nearer to each other than ones at one height can."""
    reach = (one.size.diameter_mm + other.size.diameter_mm) / 2
    return math.dist(one.at_mm, other.at_mm) < 0.93 * reach
