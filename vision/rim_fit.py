"""Fits rims to sub-pixel, those of many discs at once, and says how sure that is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from vision.blur import Blur, Widths, edge_widths
from vision.geometry import TableMap
from vision.rim import (
    DiscSize,
    Patch,
    Rim,
    rim_samples,
    rims_at,
)
from vision.rim_pixels import lines_px, own_blur_px, pixel_strips
from vision.rim_verdict import ARCS, RimFit, verdicts
from vision.side_model import look_across
from vision.side_strips import Samples, Strips
from vision.sides import (
    JOINT_TURNS,
    LAST_JOINT_TURNS,
    OWN_TURNS,
    WIDE,
    fit_moves,
    widened,
)
from vision.types import Array

OUTSIDE_SHARE, OUTSIDE_WEIGHT = 0.09, 0.5
"""Width of the band around a disc, in diameters, and what counts if it is not even."""
STEP_PX, PX_PER_RAY, MOST_RAYS = 1.0, 2.0, 5
COMPARED_ARCS, COMPARED_RAYS = 20, 3
"""Places of a disc are compared on so many arcs, of no more rays each."""
BLUR_REACH, SINGLE_PX, FEWEST_ARCS = 0.2, 0.7, 8
"""Of the diameter: how far around a rim its blur is looked at; the width of a side that
is none to speak of, and the arcs without one that a disc needs to tell."""
BLUR_WITNESSES = 6
"""Rims that refine the blur of the picture; the clearest ones."""
FIRST_SETTLED_PX, SETTLED_PX = 1.0, 0.6
"""A fit that moved by more is made once more, from there; the first ones choose between
places, and the last one starts from them."""
FIRST_SLACK_PX, LATER_SLACK_PX = 1.5, 0.8
"""How far from where the rim should be an edge may lie, before and after one fit."""
BLOOM_PX = 0.12
"""How far all of the rim may lie outwards, beyond what the kit allows."""


Look = tuple[Rim, Strips]
"""Rims, arc by arc, and what is seen across them."""


@dataclass(frozen=True, eq=False)
class Places:
    """Where P discs may lie, and what the picture shows there."""

    table: TableMap
    sizes: Sequence[DiscSize]
    patches: Sequence[Patch]
    centres_mm: Array
    """(P, 2)"""
    blur: Blur
    lines: Array | None = None
    """(P, ARCS, 2) width in mm and light of the lines with which their faces end."""

    def at(self, chosen: Sequence[int], centres_mm: Array) -> Places:
        """Return some of them, elsewhere."""
        sizes = [self.sizes[i] for i in chosen]
        patches = [self.patches[i] for i in chosen]
        lines = None if self.lines is None else self.lines[list(chosen)]
        return Places(self.table, sizes, patches, centres_mm, self.blur, lines)

    @cached_property
    def densities(self) -> Array:
        """Return (P,) px per mm at each place."""
        tops = np.array([size.top_mm for size in self.sizes])
        by_mm = self.table.jacobian(self.centres_mm, tops)
        return np.asarray(np.sqrt(np.abs(np.linalg.det(by_mm))), float)


def widths_at(places: Places) -> Widths | None:
    """Return what the edges of discs say about the picture's blur; those where a side
    is seen say nothing, nor do discs with few others. `None` where none says anything.
    """
    diameters = _diameters_px(places)
    reach = float(np.clip(BLUR_REACH * diameters.min(), 3.0, 10.0))
    at = np.arange(-reach, reach + STEP_PX / 2, STEP_PX)
    rim = rims_at(
        places.table, places.sizes, places.centres_mm, ARCS * _per_arc(diameters)
    )
    arcs = rim.arcs(ARCS)
    points, normals = rim.points_px, rim.normals
    rows, inside = rim_samples(places.patches, points, normals, at, groups=ARCS)
    single = (arcs.gap_px < SINGLE_PX) & (inside == 1)
    single &= single.sum(axis=1, keepdims=True) >= FEWEST_ARCS
    if not single.any():
        return None
    return edge_widths(rows[single], at, arcs.normals[single])


def sharper(places: Places) -> Blur:
    """Return the blur of the picture as the rims near some places show it."""
    look = _strips(places, FIRST_SLACK_PX)
    known = _known_of(places, look)
    return places.blur.scaled(widened(look[1], *known, own_turns=OWN_TURNS))


def _wider(places: Places, look: Look, fits: Sequence[RimFit | str]) -> float:
    """Return how many times wider edges are than was thought, by the clearest rims."""
    clear = sorted(
        (-fit.rim_share * fit.contrast, n)
        for n, fit in enumerate(fits)
        if isinstance(fit, RimFit)
    )
    chosen = [n for _, n in clear[:BLUR_WITNESSES]]
    mine = places.at(chosen, places.centres_mm[chosen])
    look = look[0].some(chosen), look[1].some(chosen)
    return widened(look[1], *_known_of(mine, look))


def fit_rims(places: Places) -> list[RimFit | str]:
    """Return for each place the rim near it, or a reason: ``outside``, ``little_rim``,
    ``other_size``. Raises `GeometryError` if one is beyond the horizon."""
    first = _fitted(places, _strips(places, FIRST_SLACK_PX), OWN_TURNS)
    look = partial(_strips, slack_px=LATER_SLACK_PX)
    return _again(places, first, look, FIRST_SETTLED_PX)


def finish_rims(places: Places, fits: Sequence[RimFit | str]) -> list[RimFit | str]:
    """Return the fits as the pixels themselves have them, as they are where these show
    none. Raises `GeometryError` if one is beyond the horizon."""
    result = list(fits)
    chosen = [n for n, fit in enumerate(fits) if isinstance(fit, RimFit)]
    if not chosen:
        return result
    mine = places.at(chosen, np.array([_centre(fits[n]) for n in chosen]))
    own_px = own_blur_px(np.array(places.blur.own_px))
    mine = replace(mine, blur=replace(places.blur, own_px=float(own_px)))
    arcs, strips = _pixel_strips(mine)
    factor = _wider(mine, (arcs, strips), [fits[n] for n in chosen])
    mine = replace(mine, blur=mine.blur.scaled(factor))
    strips = replace(strips, blur_px=strips.blur_px * factor)
    first = _fitted(mine, (arcs, strips), 0, LAST_JOINT_TURNS)
    again = _again(mine, first, _pixel_strips, SETTLED_PX)
    for n, fit in zip(chosen, again, strict=True):
        result[n] = fit if isinstance(fit, RimFit) else result[n]
    return result


def _again(
    places: Places,
    first: Sequence[tuple[RimFit | str, float]],
    look: Callable[[Places], Look],
    settled_px: float,
) -> list[RimFit | str]:
    """Return the fits, those that moved far made once more from where they led."""
    fits = [fit for fit, _ in first]
    again = [
        n
        for n, (fit, off_px) in enumerate(first)
        if isinstance(fit, RimFit) and off_px > settled_px
    ]
    if again:
        there = places.at(again, np.array([_centre(fits[n]) for n in again]))
        nearer = _fitted(there, look(there), 0)
        for n, (fit, _) in zip(again, nearer, strict=True):
            fits[n] = fit
    return fits


def _centre(fit: RimFit | str) -> Array:
    assert isinstance(fit, RimFit)
    return fit.centre_mm


def _fitted(
    places: Places, look: Look, own_turns: int, joint_turns: int = JOINT_TURNS
) -> list[tuple[RimFit | str, float]]:
    """Return fits, and how many px each moved."""
    arcs, strips = look
    known = _known_of(places, look)
    moves = fit_moves(strips, *known, own_turns=own_turns, joint_turns=joint_turns)
    densities = places.densities
    limit = 3 / densities[:, None]
    move = np.clip(moves.by[:, :2], -limit, limit)
    fits = verdicts(arcs, strips, moves, places.centres_mm + move, _spare_mm2(places))
    off_px = np.abs(move).max(axis=1) * densities
    return list(zip(fits, off_px.tolist(), strict=True))


def _known_of(places: Places, look: Look) -> tuple[Array, Array]:
    """Return (P, G, 3) px of each arc per mm of x, y and radius, and (P, 3) how
    precisely these are known."""
    arcs = look[0]
    along = np.concatenate([arcs.along, arcs.per_radius[..., None]], axis=-1)
    prior = np.zeros((len(places.sizes), 3))
    prior[:, 2] = 1 / _spare_mm2(places)
    return along, prior


def _diameters_px(places: Places) -> Array:
    return places.densities * [size.diameter_mm for size in places.sizes]


def _spare_mm2(places: Places) -> Array:
    """Return (P,) the variance of a radius as it looks."""
    of_kit = np.array([size.diameter_sigma_mm / 2 for size in places.sizes])
    return np.asarray(of_kit**2 + (BLOOM_PX / places.densities) ** 2, float)


def supports(places: Places, contrasts: Array) -> Array:
    """Return (P,) how much of what varies across the rim a disc at each place explains.

    An arc counts by how its change compares with the contrast (P,) of a clear arc:
    where nothing changes there is nothing to explain, and no support. What changes in a
    band outside counts against it, for a ring of the print may look like a rim, but
    then the true rim lies beyond it; print inside counts nothing.

    Edges stay where the disc puts them; only levels are fitted. Wrong places explain
    part of it too, and so it is for comparing places.
    """
    _, strips = _strips(
        places,
        0.3,
        beyond=OUTSIDE_SHARE,
        count=COMPARED_ARCS,
        most_rays=COMPARED_RAYS,
    )
    weights = np.exp(-0.5 * _beyond(strips) ** 2).astype(np.float32)
    seen = look_across(strips, np.zeros(strips.gap_px.shape), weights)
    varies = _variance(strips.rows, weights)
    # A step varies by a quarter of its square, spread over three channels.
    floor = (0.2 * contrasts**2 / 12 + 0.3)[:, None]
    explained = np.maximum(varies - seen.misfit**2, 0.0) / (varies + floor)
    start = strips.gap_px + 1.8 * strips.blur_px + 0.5
    away = strips.at_px - start[..., None]
    band = OUTSIDE_SHARE * _diameters_px(places)[:, None, None]
    ragged = _variance(strips.rows, ((away > 0) & (away <= band)).astype(np.float32))
    against = OUTSIDE_WEIGHT * ragged / (ragged + floor)
    # Arcs outside the picture explain nothing: no place gains by lying there.
    return np.asarray(((explained - against) * strips.known).mean(1), float)


def _variance(rows: Samples, weights: Samples) -> Array:
    """Return (P, G) by how much samples vary, the mean of the channels; 0 without."""
    total = np.maximum(weights.sum(-1), 1e-9)
    mean = weights[:, :, None] @ rows / total[..., None, None]
    power = weights[:, :, None] @ np.square(rows - mean)
    return np.asarray(power[:, :, 0].sum(-1) / total / 3, float)


def _strips(
    places: Places,
    slack_px: float,
    *,
    beyond: float = 0.0,
    count: int = ARCS,
    most_rays: int = MOST_RAYS,
) -> tuple[Rim, Strips]:
    """Return the rims at the places, in so many arcs of no more rays each, and the
    samples across them.

    `beyond` is what to look at outside them, in diameters.
    """
    sizes, diameters = places.sizes, _diameters_px(places)
    rays = count * _per_arc(diameters, most_rays)
    rim = rims_at(places.table, sizes, places.centres_mm, rays)
    arcs = rim.arcs(count)
    width = places.blur.across(arcs.normals.reshape(-1, 2)).reshape(arcs.gap_px.shape)
    gap = np.maximum(arcs.gap_px, 0.0)
    taper = 0.95 * width + 0.5 * slack_px
    reach = 2.0 * float(taper.max())
    outer = max(reach, 1.8 * float(width.max()) + 0.5 + beyond * float(diameters.max()))
    at = np.arange(-reach, outer + float(gap.max()) + STEP_PX / 2, STEP_PX)
    points, normals = rim.points_px, rim.normals
    rows, inside = rim_samples(places.patches, points, normals, at, groups=count)
    lines = lines_px(places.lines, arcs, taper)
    return arcs, Strips.of(rows, at, width, gap, taper, inside > 0.99, lines)


def _pixel_strips(places: Places) -> Look:
    """Return the same as pixels, as far as clean arcs are looked at."""
    rim = rims_at(places.table, places.sizes, places.centres_mm, ARCS)
    blur = places.blur.across(rim.normals.reshape(-1, 2)).reshape(rim.gap_px.shape)
    taper = 0.95 * blur + 0.5 * LATER_SLACK_PX
    reach = min(
        2.0 * WIDE * float(taper.max()), 0.25 * float(_diameters_px(places).min())
    )
    return pixel_strips(
        places.table,
        places.sizes,
        places.patches,
        places.centres_mm,
        reach,
        blur,
        ARCS,
        taper,
        places.lines,
    )


def _beyond(strips: Strips) -> Array:
    """Return (P, G, M) how far outside rim and side samples lie, in tapers."""
    beyond = np.maximum(np.maximum(-strips.at_px, strips.past_px), 0.0)
    return np.asarray(beyond / strips.taper_px[..., None], float)


def _per_arc(diameters_px: Array, most: int = MOST_RAYS) -> int:
    around_px = math.pi * float(np.max(diameters_px))
    return int(np.clip(round(around_px / ARCS / PX_PER_RAY), 1, most))
