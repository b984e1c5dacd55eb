"""Fits the rim of a disc: first where most edges point, then to sub-pixel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vision.blur import Blur, Widths, edge_widths
from vision.edges import Steps, fit_steps
from vision.geometry import TableMap
from vision.rim import (
    SEARCH_DIAMETER_PX,
    SEARCH_RAYS,
    DiscSize,
    Rim,
    cut_window,
    edge_rows,
    rim_at,
    rim_samples,
    vote,
)
from vision.types import Array, Bgr

SEED_REACH = 0.2
"""How far off a seed may be, in diameters."""
MIN_VOTES = 0.27
"""Mean strength of edges along the rim below which there is no disc."""
RIVAL, APART = 0.86, 0.09
"""Other places with this share of the votes, so many diameters away, are tried too."""
MOST_PLACES = 3
OUTSIDE_SHARE, OUTSIDE_WEIGHT = 0.09, 0.5
"""Width of the band around a disc, in diameters, and what counts if it is not even."""
ARCS = 40
STEP_PX = 0.5
SYSTEMATIC_PX = 0.07
"""What every arc may be off, whatever its contrast."""
FAINT_PX = 8.0
"""What a disc may be off, in px, at one level of linear light of contrast: faint rims
are pulled by grain, print and the edges of JPEG blocks, all arcs together."""
MIN_RIM = 0.28
"""Share of the rim that must be seen on an edge."""
ROUNDS = 2
FIRST_SLACK_PX, LATER_SLACK_PX = 1.5, 0.8
"""How far from where the rim should be an edge may lie, before and after one fit."""
MAX_RADIUS_SIGMAS = 3.5
"""A rim that much larger or smaller than the kit allows is another edge."""
BLOOM_PX = 0.12
"""How far all of the rim may lie outwards, beyond what the kit allows."""
TONE_PX = 0.35
"""How far an edge may shift to its dark side: cameras sharpen, clip and bend tones, and
what is bright grows by it. It is one unknown of the disc, times each arc's polarity."""
MIN_FAR = 0.4
"""Where the side is seen, so much of the far half of the rim must be clear: from the
near half alone, upper and lower rim can be taken for each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where a search ended."""

    centre_mm: Array
    votes: float
    rivals_mm: tuple[Array, ...] = ()
    """Other places with almost as many votes."""


@dataclass(frozen=True, slots=True, eq=False)
class RimFit:
    """A rim fitted to sub-pixel."""

    centre_mm: Array
    covariance_mm2: Array
    """(2, 2) of the picture alone, without that of the map."""
    radius_error_mm: float
    rim_share: float
    contrast: float


def px_per_mm(table: TableMap, size: DiscSize, at_mm: Array) -> float:
    """Return the scale of the picture at a disc, the mean over all directions."""
    by_mm = table.jacobian(at_mm[None], size.top_mm)[0]
    return math.sqrt(abs(float(np.linalg.det(by_mm))))


def search(bgr: Bgr, table: TableMap, size: DiscSize, seed_mm: Array) -> Found | str:
    """Return the place to which most of the edges around point, or a reason:
    ``outside``, ``no_rim``."""
    rim = rim_at(table, size, seed_mm, SEARCH_RAYS)
    density = px_per_mm(table, size, seed_mm)
    shrink = max(1, int(density * size.diameter_mm / SEARCH_DIAMETER_PX + 0.35))
    scale = density / shrink
    reach_px = SEED_REACH * size.diameter_mm * scale + 1.5
    gap_px = float(np.maximum(rim.gap_px, 0).max()) / shrink
    steepest = float(np.linalg.norm(rim.along, axis=1).max()) / density
    margin = (reach_px * steepest + gap_px + 3) * shrink + 3
    window = cut_window(bgr, rim, margin, shrink)
    if window is None:
        return "outside"
    inner, outer = reach_px * steepest + 2, reach_px * steepest + gap_px + 2
    rows = edge_rows(window, rim, inner, outer)
    moves = _grid(reach_px / scale, 1.4 / scale)
    seen = vote(rows, rim, moves, window.scale, two=True).mean(1)
    places, votes = [], []
    free = np.ones(len(moves), bool)
    for _ in range(MOST_PLACES):
        best = int(np.where(free, seen, -1).argmax())
        finer = moves[best] + _grid(1.2 / scale, 0.4 / scale)
        there = vote(rows, rim, finer, window.scale, two=True).mean(1)
        places.append(seed_mm + finer[int(there.argmax())])
        votes.append(float(there.max()))
        away = np.linalg.norm(moves - moves[best], axis=1)
        free &= away > APART * size.diameter_mm
        if not free.any() or seen[free].max() < RIVAL * seen.max():
            break
    if max(votes) < MIN_VOTES:
        return "no_rim"
    first = int(np.argmax(votes))
    rivals = [place for number, place in enumerate(places) if number != first]
    return Found(places[first], votes[first], tuple(rivals))


def widths_of(
    bgr: Bgr, table: TableMap, size: DiscSize, centre_mm: Array
) -> Widths | None:
    """Return what the edges of a disc say about the picture's blur; those where its
    side is seen say nothing. `None` where fewer than eight arcs are left."""
    density = px_per_mm(table, size, centre_mm)
    reach = float(np.clip(0.12 * size.diameter_mm * density, 3.0, 8.0))
    at = np.arange(-reach, reach + 0.26, STEP_PX)
    per_arc = _per_arc(size, density)
    rim = rim_at(table, size, centre_mm, ARCS * per_arc)
    arcs = _mean_rim(rim, per_arc)
    rows, inside = rim_samples(bgr, rim, at, groups=ARCS)
    single = (arcs.gap_px < 0.7) & (inside == 1)
    if single.sum() < 8:
        return None
    return edge_widths(rows[single], at, arcs.normals[single])


def fit_rim(
    bgr: Bgr, table: TableMap, size: DiscSize, start_mm: Array, blur: Blur
) -> RimFit | str:
    """Return the rim near `start_mm`, or a reason: ``outside``, ``little_rim``."""
    centre = start_mm
    density = px_per_mm(table, size, centre)
    per_arc = _per_arc(size, density)
    fit: RimFit | str = "little_rim"
    for turn in range(ROUNDS):
        rim = rim_at(table, size, centre, ARCS * per_arc)
        arcs = _mean_rim(rim, per_arc)
        steps, inside, thin = _steps(bgr, rim, arcs, blur, first=turn == 0)
        if inside.mean() < MIN_RIM:
            return "outside"
        fit = _solve(arcs, steps, inside, thin, size, density)
        if isinstance(fit, str):
            return fit
        move = np.clip(fit.centre_mm, -3 / density, 3 / density)
        centre = centre + move
        fit = RimFit(
            centre,
            fit.covariance_mm2,
            fit.radius_error_mm,
            fit.rim_share,
            fit.contrast,
        )
        if turn and float(np.abs(move).max()) * density < 0.02:
            break
    return fit


def support(
    bgr: Bgr,
    table: TableMap,
    size: DiscSize,
    centre_mm: Array,
    blur: Blur,
    *,
    contrast: float,
) -> float:
    """Return how much of what varies across the rim a disc there explains, in [0, 1].

    An arc counts by how its change compares with `contrast`, that of a clear arc: where
    nothing changes there is nothing to explain, and no support. What changes in a band
    outside counts against it, for a ring of the print may look like a rim, but then the
    true rim lies beyond it; print inside counts nothing.

    Edges stay where the disc puts them; only levels are fitted. Wrong places explain
    part of it too, and so it is for comparing places.
    """
    density = px_per_mm(table, size, centre_mm)
    per_arc = _per_arc(size, density)
    rim = rim_at(table, size, centre_mm, ARCS * per_arc)
    arcs = _mean_rim(rim, per_arc)
    band = OUTSIDE_SHARE * size.diameter_mm * density
    across = _across(bgr, rim, arcs, blur, 0.3, beyond_px=band)
    fixed = fit_steps(
        across.rows,
        across.at_px,
        across.width_px,
        start_px=0.5 * across.thin_px,
        gap_px=across.gap_px,
        weights=across.weights,
        steps=0,
    )
    weight = across.weights[..., None]
    total = weight.sum(axis=1)
    mean = (across.rows * weight).sum(axis=1) / total
    spread = ((across.rows - mean[:, None]) ** 2 * weight).sum(axis=1) / total
    varies = spread.mean(axis=1)
    # A step varies by a quarter of its square, spread over three channels.
    floor = 0.2 * contrast**2 / 12 + 0.3
    explained = np.maximum(varies - fixed.misfit**2, 0.0) / (varies + floor)
    start = across.gap_px + across.thin_px + 1.8 * across.width_px + 0.5
    away = across.at_px[None, :] - start[:, None]
    outer = ((away > 0) & (away <= band))[..., None].astype(float)
    outer_total = np.maximum(outer.sum(axis=1), 1)
    outer_mean = (across.rows * outer).sum(axis=1) / outer_total
    outer_spread = (across.rows - outer_mean[:, None]) ** 2 * outer
    ragged = (outer_spread.sum(axis=1) / outer_total).mean(axis=1)
    against = OUTSIDE_WEIGHT * ragged / (ragged + floor)
    seen = across.inside > 0.99
    return float((explained - against)[seen].mean()) if seen.any() else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Across:
    """Samples across the rim, arc by arc, and what is known of the edges in them."""

    rows: Array
    """(G, M, 3)"""
    at_px: Array
    """(M,)"""
    weights: Array
    """(G, M)"""
    width_px: Array
    """(G,) blur of the edge."""
    gap_px: Array
    """(G,) between upper and lower rim, where they are apart; else 0."""
    thin_px: Array
    """(G,) the same where they run into each other; else 0."""
    inside: Array
    """(G,) share that lies in the picture."""


def _across(
    bgr: Bgr,
    rim: Rim,
    arcs: Rim,
    blur: Blur,
    slack_px: float,
    *,
    beyond_px: float = 0.0,
) -> _Across:
    seen_gap = np.maximum(arcs.gap_px, 0.0)
    width = blur.across(arcs.normals)
    wide = seen_gap > 1.5 * width + 0.6
    gap = np.where(wide, seen_gap, 0.0)
    thin = np.where(wide, 0.0, seen_gap)
    taper = 0.95 * width[:, None] + 0.5 * slack_px
    reach = 2.0 * float(taper.max())
    span = np.maximum(gap, thin)
    last = max(reach, 1.8 * float(width.max()) + 0.5 + beyond_px)
    at = np.arange(-reach, last + float(span.max()) + 0.26, STEP_PX)
    rows, inside = rim_samples(bgr, rim, at, groups=ARCS)
    # A ring printed near the rim is often the stronger edge: what lies farther from
    # where the rim must be counts less.
    beyond = np.maximum(np.maximum(-at, at - span[:, None]), 0.0)
    weights = np.exp(-0.5 * (beyond / taper) ** 2)
    return _Across(rows, at, weights, width, gap, thin, inside)


def _grid(reach: float, step: float) -> Array:
    count = math.ceil(reach / step)
    line = np.arange(-count, count + 1) * step
    x, y = np.meshgrid(line, line)
    grid = np.column_stack([x.ravel(), y.ravel()])
    return np.asarray(grid[np.hypot(*grid.T) <= reach + 1e-9], float)


def _per_arc(size: DiscSize, density: float) -> int:
    return int(np.clip(round(math.pi * size.diameter_mm * density / ARCS), 1, 8))


def _mean_rim(rim: Rim, per_arc: int) -> Rim:
    """Return the rim with one direction for each arc."""

    def mean(values: Array) -> Array:
        return np.asarray(values.reshape(-1, per_arc, *values.shape[1:]).mean(1))

    return Rim(
        mean(rim.directions),
        mean(rim.points_px),
        mean(rim.normals),
        mean(rim.along),
        mean(rim.gap_px),
    )


def _steps(
    bgr: Bgr, rim: Rim, arcs: Rim, blur: Blur, *, first: bool
) -> tuple[Steps, Array, Array]:
    """Return the edge of each arc, the share of the arc that lies in the picture, and
    (ARCS,) px of side where upper and lower rim run into each other."""
    slack = FIRST_SLACK_PX if first else LATER_SLACK_PX
    across = _across(bgr, rim, arcs, blur, slack)
    thin = across.thin_px
    steps = fit_steps(
        across.rows,
        across.at_px,
        across.width_px,
        start_px=0.5 * thin,
        gap_px=across.gap_px,
        weights=across.weights,
    )
    strayed = np.maximum(-steps.at_px, steps.at_px - thin)
    return steps, across.inside * (strayed < slack + 0.5), thin


def _solve(
    arcs: Rim, steps: Steps, inside: Array, thin: Array, size: DiscSize, density: float
) -> RimFit | str:
    """Return the move (mm, as `centre_mm`) that puts the rim on the edges.

    Robust least squares. Unknowns: the move, an error of the radius, where in a thin
    side the edge is seen, from 0 (upper rim) to 1 (lower), and how far bright things
    have grown. All but the move have priors, so that half a rim says what it can.
    """
    use = inside > 0.99
    if use.sum() < 8:
        return "little_rim"
    design = np.column_stack([arcs.along, arcs.per_radius, thin, steps.polarity])
    noise = max(float(np.median(steps.misfit[use])), 0.3)
    own = np.maximum(steps.misfit, noise)
    # Neighbouring samples lie half a pixel apart: about half of them are news.
    sigma = np.sqrt(2 * (own * steps.sigma_px) ** 2 + SYSTEMATIC_PX**2)
    faint = steps.jump < 3 * noise
    sigma = np.where(faint, np.maximum(sigma, 0.5), sigma)
    spare_mm2 = (size.diameter_sigma_mm / 2) ** 2 + (BLOOM_PX / density) ** 2
    prior = np.diag([0.0, 0.0, 1 / spare_mm2, 1 / 0.4**2, 1 / TONE_PX**2])
    wanted = prior @ [0, 0, 0, 0.5, 0]
    base = use / sigma**2
    weights, unknowns, scale = base, np.zeros(5), 1.0
    for turn in range(10):
        normal = design.T @ (weights[:, None] * design) + prior + 1e-9 * np.eye(5)
        unknowns = np.linalg.solve(normal, design.T @ (weights * steps.at_px) + wanted)
        left = (steps.at_px - design @ unknowns) / sigma
        scale = max(1.4826 * float(np.median(np.abs(left[use]))), 0.7)
        reach = 2.2 * scale * (2.5 if turn < 3 else 1.0)
        weights = base / (1 + (left / reach) ** 2) ** 2
    fits = use & (np.abs(left) < 3.2 * scale)
    share = float((fits & ~faint).mean())
    if share < MIN_RIM:
        return "little_rim"
    far = arcs.gap_px < 0
    wide_side = float(arcs.gap_px.max()) > 2.5
    if wide_side and float((fits & ~faint)[far].mean()) < MIN_FAR:
        return "little_rim"
    if unknowns[2] ** 2 > MAX_RADIUS_SIGMAS**2 * spare_mm2:
        return "no_rim"
    spread = _spread(left, weights / base.clip(1e-12) * use)
    contrast = float(np.median(steps.jump[fits]))
    per_mm = arcs.along.T @ arcs.along / len(arcs.along)
    pulled = (FAINT_PX / contrast) ** 2 * np.linalg.inv(2 * per_mm)
    return RimFit(
        unknowns[:2],
        np.linalg.inv(normal)[:2, :2] * spread + pulled,
        float(unknowns[2]),
        share,
        contrast,
    )


def _spread(left: Array, kept: Array) -> float:
    """Return how much larger the variance is than stated: by the residuals, and because
    neighbouring arcs err together (texture, shadows, JPEG blocks)."""
    root = np.sqrt(kept) * left
    power = float(root @ root)
    if power <= 0:
        return 1.0
    freedom = max(float(kept.sum()) - 5, 1.0)
    variance = (10 + power) / (10 + freedom)
    together = [float(root @ np.roll(root, lag)) / power for lag in (1, 2, 3, 4)]
    inflation = 1 + 2 * sum(max(r, 0.0) for r in together)
    return CALIBRATION * max(variance, 0.4) * inflation


CALIBRATION = 2.8
"""By how much the variance of rendered boards exceeds all that, see models/measure."""
