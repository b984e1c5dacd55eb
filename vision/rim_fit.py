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
MIN_VOTES = 0.3
"""Mean strength of edges along the rim below which there is no disc."""
RIVAL = 0.93
"""Another place with this share of the votes makes the disc ambiguous."""
ARCS = 48
STEP_PX = 0.5
SYSTEMATIC_PX = 0.05
"""What every arc may be off, whatever its contrast."""
MIN_RIM = 0.28
"""Share of the rim that must be seen on an edge."""
ROUNDS = 3
FIRST_SLACK_PX, LATER_SLACK_PX = 1.5, 0.8
"""How far from where the rim should be an edge may lie, before and after one fit."""
MAX_RADIUS_SIGMAS = 3.5
"""A rim that much larger or smaller than the kit allows is another edge."""
BLOOM_PX = 0.2
"""How far all of an edge may shift outwards: bloom, clipping, an unknown tone curve."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where a search ended."""

    centre_mm: Array
    votes: float


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
    ``outside``, ``no_rim``, ``two_rims``."""
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
    best = int(seen.argmax())
    far = np.linalg.norm(moves - moves[best], axis=1) > 0.13 * size.diameter_mm
    rival = float(seen[far].max(initial=0.0))
    finer = moves[best] + _grid(1.2 / scale, 0.4 / scale)
    votes = vote(rows, rim, finer, window.scale, two=True).mean(1)
    top = int(votes.argmax())
    if votes[top] < MIN_VOTES:
        return "no_rim"
    if rival > RIVAL * votes[top]:
        return "two_rims"
    return Found(seed_mm + finer[top], float(votes[top]))


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
    seen_gap = np.maximum(arcs.gap_px, 0.0)
    width = blur.across(arcs.normals)
    wide = seen_gap > 1.5 * width + 0.6
    gap = np.where(wide, seen_gap, 0.0)
    thin = np.where(wide, 0.0, seen_gap)
    slack = FIRST_SLACK_PX if first else LATER_SLACK_PX
    taper = 1.25 * width[:, None] + 0.5 * slack
    reach = 2.0 * float(taper.max())
    span = np.maximum(gap, thin)
    at = np.arange(-reach, reach + float(span.max()) + 0.26, STEP_PX)
    rows, inside = rim_samples(bgr, rim, at, groups=ARCS)
    # A ring printed near the rim is often the stronger edge: what lies farther from
    # where the rim must be counts less.
    beyond = np.maximum(np.maximum(-at, at - span[:, None]), 0.0)
    weights = np.exp(-0.5 * (beyond / taper) ** 2)
    steps = fit_steps(rows, at, width, start_px=0.5 * thin, gap_px=gap, weights=weights)
    strayed = np.maximum(-steps.at_px, steps.at_px - thin)
    return steps, inside * (strayed < slack + 0.5), thin


def _solve(
    arcs: Rim, steps: Steps, inside: Array, thin: Array, size: DiscSize, density: float
) -> RimFit | str:
    """Return the move (mm, as `centre_mm`) that puts the rim on the edges.

    Robust least squares. Unknowns: the move, an error of the radius, and where in a
    thin side the edge is seen, from 0 (upper rim) to 1 (lower). The last two have
    priors, so that half a rim says what it can and no more.
    """
    use = inside > 0.99
    if use.sum() < 8:
        return "little_rim"
    design = np.column_stack([arcs.along, arcs.per_radius, thin])
    noise = max(float(np.median(steps.misfit[use])), 0.3)
    own = np.maximum(steps.misfit, noise)
    # Neighbouring samples lie half a pixel apart: about half of them are news.
    sigma = np.sqrt(2 * (own * steps.sigma_px) ** 2 + SYSTEMATIC_PX**2)
    faint = steps.jump < 3 * noise
    sigma = np.where(faint, np.maximum(sigma, 0.5), sigma)
    spare_mm2 = (size.diameter_sigma_mm / 2) ** 2 + (BLOOM_PX / density) ** 2
    prior = np.diag([0.0, 0.0, 1 / spare_mm2, 1 / 0.4**2])
    wanted = prior @ [0, 0, 0, 0.5]
    base = use / sigma**2
    weights, unknowns, scale = base, np.zeros(4), 1.0
    for turn in range(10):
        normal = design.T @ (weights[:, None] * design) + prior + 1e-9 * np.eye(4)
        unknowns = np.linalg.solve(normal, design.T @ (weights * steps.at_px) + wanted)
        left = (steps.at_px - design @ unknowns) / sigma
        scale = max(1.4826 * float(np.median(np.abs(left[use]))), 0.7)
        reach = 2.2 * scale * (2.5 if turn < 3 else 1.0)
        weights = base / (1 + (left / reach) ** 2) ** 2
    fits = use & (np.abs(left) < 3.2 * scale)
    share = float((fits & ~faint).mean())
    if share < MIN_RIM:
        return "little_rim"
    if unknowns[2] ** 2 > MAX_RADIUS_SIGMAS**2 * spare_mm2:
        return "no_rim"
    spread = _spread(left, weights / base.clip(1e-12) * use)
    return RimFit(
        unknowns[:2],
        np.linalg.inv(normal)[:2, :2] * spread,
        float(unknowns[2]),
        share,
        float(np.median(steps.jump[fits])),
    )


def _spread(left: Array, kept: Array) -> float:
    """Return how much larger the variance is than stated: by the residuals, and because
    neighbouring arcs err together (texture, shadows, JPEG blocks)."""
    root = np.sqrt(kept) * left
    power = float(root @ root)
    if power <= 0:
        return 1.0
    freedom = max(float(kept.sum()) - 4, 1.0)
    variance = (10 + power) / (10 + freedom)
    together = [float(root @ np.roll(root, lag)) / power for lag in (1, 2, 3, 4)]
    inflation = 1 + 2 * sum(max(r, 0.0) for r in together)
    return CALIBRATION * max(variance, 0.4) * inflation


CALIBRATION = 2.0
"""By how much the variance of rendered boards exceeds all that, see models/measure."""
