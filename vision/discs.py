"""Where round, thick things lie: the centre in mm and a covariance that holds.

The rim of a disc of known size, at its height, is searched for around a seed, then
fitted to sub-pixel. Two circles are in the model, the upper rim and, on the side of the
camera, the lower one; what of the side can be told from face and ground decides by
itself which of the two carries the fit. A disc is refused rather than guessed: every
refusal is a value with a reason.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from vision.edges import Steps, fit_steps
from vision.errors import GeometryError
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
from vision.types import Array, Bgr, Position

SMALLEST_PX = 9.0
SEED_REACH = 0.2
"""How far off a seed may be, in diameters."""
MIN_VOTES = 0.3
"""Mean strength of edges along the rim below which there is no disc."""
RIVAL = 0.93
"""Another place with this share of the votes makes the disc ambiguous."""
ARCS = 48
BLURS_PX = (0.6, 0.8, 1.05, 1.4, 1.9, 2.6, 3.6, 5.0)
SMEARS_PX = (0.0, 1.5, 2.5, 4.0)
SMEAR_WAYS = tuple(math.pi * step / 8 for step in range(8))
MAX_BLUR_SHARE = 0.09
"""Of the diameter: edges wider than that are not measured."""
MAX_SMEAR_SHARE = 0.085
"""Of the diameter: sigma of a motion blur, beyond which the disc is refused."""
SYSTEMATIC_PX = 0.03
"""What every arc may be off, whatever its contrast."""
MIN_RIM = 0.28
"""Share of the rim that must be seen on an edge."""
MAX_SIGMA_SHARE = 0.06


@dataclass(frozen=True, slots=True)
class Blur:
    """How wide edges are, as the sigma of an error function."""

    own_px: float
    """In every direction."""
    smear_px: float = 0.0
    """More of it in one direction: the camera or the disc moved."""
    way_rad: float = 0.0

    def across(self, normals: Array) -> Array:
        """Return (N,) the sigma of edges with these normals."""
        way = np.array([math.cos(self.way_rad), math.sin(self.way_rad)])
        return np.sqrt(self.own_px**2 + (self.smear_px * (normals @ way)) ** 2)


@dataclass(frozen=True, slots=True)
class DiscFound:
    """A disc, measured."""

    position: Position
    """Of its centre; the angle is 0, for a rim has none."""
    rim_share: float
    """Share of the rim that was seen, in [0, 1]."""
    votes: float
    """How clearly it was seen, in [0, 1]."""
    blur_px: float
    radius_error_mm: float
    """How much larger than the kit says its rim looks."""
    base_mm: float
    diameter_mm: float
    contrast: float
    """Median change of linear light over its rim, levels of 255, all channels."""


@dataclass(frozen=True, slots=True)
class DiscUnclear:
    """A disc that was not measured: an expected outcome, a value.

    Codes: ``too_small`` (in px), ``outside`` (of the picture), ``no_rim``, ``two_rims``
    (two places fit as well), ``little_rim`` (too much of it is hidden), ``blurred``,
    ``moving``, ``horizon``, ``inexact``.
    """

    reason: str
    seed_mm: tuple[float, float] | None = None


def measure_disc(
    bgr: Bgr, table: TableMap, size: DiscSize, seed_px: Array
) -> DiscFound | DiscUnclear:
    """Return where the disc near `seed_px` lies.

    `seed_px` is the middle of what the picture shows of it, side included, and may be
    off by a fifth of the diameter.
    """
    try:
        middle = size.base_mm + size.thickness_mm / 2
        seed_mm = table.to_table(np.asarray(seed_px, float).reshape(1, 2), middle)[0]
        px_per_mm = math.sqrt(
            abs(float(np.linalg.det(table.jacobian(seed_mm[None], size.top_mm)[0])))
        )
        if px_per_mm * size.diameter_mm < SMALLEST_PX:
            return _unclear("too_small", seed_mm)
        searched = _search(bgr, table, size, seed_mm, px_per_mm)
        if isinstance(searched, str):
            return _unclear(searched, seed_mm)
        centre, votes = searched
        fitted = _fit(bgr, table, size, centre, px_per_mm)
        if isinstance(fitted, str):
            return _unclear(fitted, seed_mm)
        return _checked(table, size, fitted, votes, seed_mm)
    except GeometryError:
        return DiscUnclear("horizon")


def _unclear(reason: str, seed_mm: Array) -> DiscUnclear:
    return DiscUnclear(reason, (float(seed_mm[0]), float(seed_mm[1])))


# Search -----------------------------------------------------------------------------


def _search(
    bgr: Bgr, table: TableMap, size: DiscSize, seed_mm: Array, px_per_mm: float
) -> tuple[Array, float] | str:
    """Return the place to which most of the edges around point, and its votes."""
    rim = rim_at(table, size, seed_mm, SEARCH_RAYS)
    shrink = max(1, int(px_per_mm * size.diameter_mm / SEARCH_DIAMETER_PX + 0.35))
    scale = px_per_mm / shrink
    reach_px = SEED_REACH * size.diameter_mm * scale + 1.5
    gap_px = float(np.maximum(rim.gap_px, 0).max()) / shrink
    steepest = float(np.linalg.norm(rim.along, axis=1).max()) / px_per_mm
    margin = (reach_px * steepest + gap_px + 3) * shrink + 3
    window = cut_window(bgr, rim, margin, shrink)
    if window is None:
        return "outside"
    inner, outer = reach_px * steepest + 2, reach_px * steepest + gap_px + 2
    rows = edge_rows(window, rim, inner, outer)
    reach_mm = reach_px / scale
    moves = _grid(reach_mm, 1.0 / scale)
    seen = vote(rows, rim, moves, window.scale, two=True).mean(1)
    best = int(seen.argmax())
    far = np.linalg.norm(moves - moves[best], axis=1) > 0.13 * size.diameter_mm
    rival = float(seen[far].max(initial=0.0))
    finer = moves[best] + _grid(1.0 / scale, 0.25 / scale)
    all_votes = vote(rows, rim, finer, window.scale, two=True)
    top = int(all_votes.mean(1).argmax())
    votes = float(all_votes[top].mean())
    if votes < MIN_VOTES:
        return "no_rim"
    if rival > RIVAL * votes:
        return "two_rims"
    return seed_mm + finer[top], votes


def _grid(reach: float, step: float) -> Array:
    count = math.ceil(reach / step)
    line = np.arange(-count, count + 1) * step
    x, y = np.meshgrid(line, line)
    grid = np.column_stack([x.ravel(), y.ravel()])
    return np.asarray(grid[np.hypot(*grid.T) <= reach + 1e-9], float)


# Fit --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    centre_mm: Array
    covariance_mm2: Array
    """(2, 2) of the picture alone."""
    radius_error_mm: float
    rim_share: float
    blur: Blur
    contrast: float
    px_per_mm: float


def _fit(
    bgr: Bgr, table: TableMap, size: DiscSize, centre: Array, px_per_mm: float
) -> _Fit | str:
    per_arc = int(np.clip(round(math.pi * size.diameter_mm * px_per_mm / ARCS), 1, 10))
    blur: Blur | None = None
    fit: _Fit | None = None
    for turn in range(3):
        rim = rim_at(table, size, centre, ARCS * per_arc)
        arcs = _mean_rim(rim, per_arc)
        if blur is None:
            blur = _blur(bgr, rim, arcs, size.diameter_mm * px_per_mm)
        steps, inside, thin = _steps(bgr, rim, arcs, blur, first=turn == 0)
        if inside.mean() < MIN_RIM:
            return "outside"
        solved = _solve(arcs, steps, inside, thin, size, px_per_mm, blur)
        if solved is None:
            return "little_rim"
        move, fit = solved
        centre = centre + np.clip(move, -3 / px_per_mm, 3 / px_per_mm)
        fit = replace(fit, centre_mm=centre)
    return fit if fit is not None else "no_rim"


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


def _blur(bgr: Bgr, rim: Rim, arcs: Rim, diameter_px: float) -> Blur:
    """Return the blur of the rim's edges that explains most arcs.

    A smear widens the edges that it crosses: sigma^2 = own^2 + smear^2 cos^2 of the
    angle between it and the normal. All combinations are tried on a table of misfits.
    """
    reach = float(np.clip(0.12 * diameter_px, 3.0, 10.0))
    at = np.arange(-reach, reach + 0.26, 0.5)
    rows, inside = rim_samples(bgr, rim, at, groups=ARCS)
    single = (arcs.gap_px < 0.7) & (inside == 1)
    if single.sum() < 8:
        single = inside == 1
    if single.sum() < 8:
        return Blur(1.0)
    start = np.zeros(int(single.sum()))
    tried = [fit_steps(rows[single], at, b, start_px=start) for b in BLURS_PX]
    misfit2 = np.array([steps.misfit for steps in tried]) ** 2
    jump = np.array([steps.jump for steps in tried])[2]
    # How much worse each width is than the arc's best, in parts of the edge itself.
    worse = (misfit2 - misfit2.min(0)) / (0.02 * jump**2 + misfit2.min(0))
    worse = np.minimum(worse, 1.5) * (jump > 0.4 * np.median(jump))
    normals = arcs.normals[single]
    best, least = Blur(1.0), math.inf
    for smear in SMEARS_PX:
        for way in SMEAR_WAYS if smear else (0.0,):
            crossing = (normals @ [math.cos(way), math.sin(way)]) ** 2
            for own in BLURS_PX:
                width = np.sqrt(own**2 + smear**2 * crossing)
                cost = float(_between(worse, width).mean()) + (0.02 if smear else 0.0)
                if cost < least:
                    best, least = Blur(own, smear, way), cost
    return best


def _between(table: Array, width: Array) -> Array:
    """Look up (B, N) values at one width per column, linear in its logarithm."""
    at = np.interp(np.log(width), np.log(BLURS_PX), np.arange(len(BLURS_PX)))
    low = np.minimum(at.astype(int), len(BLURS_PX) - 2)
    column, share = np.arange(table.shape[1]), at - low
    return np.asarray(
        table[low, column] * (1 - share) + table[low + 1, column] * share, float
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
    reach = 3.2 * float(width.max()) + (2.0 if first else 1.0)
    at = np.arange(-reach, reach + float(gap.max()) + 0.26, 0.5)
    rows, inside = rim_samples(bgr, rim, at, groups=ARCS)
    weights = (at[None, :] <= (reach + gap)[:, None]).astype(float)
    start = 0.5 * thin
    steps = fit_steps(rows, at, width, start_px=start, gap_px=gap, weights=weights)
    inside = inside * (np.abs(steps.at_px) < reach - 0.3)
    return steps, inside, thin


def _solve(
    arcs: Rim,
    steps: Steps,
    inside: Array,
    thin: Array,
    size: DiscSize,
    px_per_mm: float,
    blur: Blur,
) -> tuple[Array, _Fit] | None:
    """Return the move (mm) that puts the rim on the edges, by robust least squares.

    Unknowns: the move, an error of the radius (a looser print, bloom), and where in a
    thin side the edge is seen, from 0 (upper rim) to 1 (lower). The last two have
    priors, so that half a rim says what it can and no more.
    """
    use = inside > 0.99
    if use.sum() < 8:
        return None
    design = np.column_stack([arcs.along, arcs.per_radius, thin])
    noise = max(float(np.median(steps.misfit[use])), 0.3)
    own = np.maximum(steps.misfit, noise)
    # Neighbouring samples lie half a pixel apart: about half of them are news.
    sigma = np.sqrt(2 * (own * steps.sigma_px) ** 2 + SYSTEMATIC_PX**2)
    faint = steps.jump < 3 * noise
    sigma = np.where(faint, np.maximum(sigma, 0.5), sigma)
    prior = np.diag(
        [
            0.0,
            0.0,
            1 / ((size.diameter_sigma_mm / 2) ** 2 + (0.12 / px_per_mm) ** 2),
            1 / 0.4**2,
        ]
    )
    wanted = prior @ [0, 0, 0, 0.5]
    base = use / sigma**2
    weights, unknowns = base, np.zeros(4)
    scale = 1.0
    for turn in range(12):
        normal = design.T @ (weights[:, None] * design) + prior + 1e-9 * np.eye(4)
        unknowns = np.linalg.solve(normal, design.T @ (weights * steps.at_px) + wanted)
        left = (steps.at_px - design @ unknowns) / sigma
        scale = max(1.4826 * float(np.median(np.abs(left[use]))), 0.7)
        reach = 2.2 * scale * (2.5 if turn < 3 else 1.0)
        weights = base / (1 + (left / reach) ** 2) ** 2
    fits = use & (np.abs(left) < 3.2 * scale)
    share = float((fits & ~faint).mean())
    if share < MIN_RIM:
        return None
    covariance = np.linalg.inv(normal) * _spread(left, weights / base.clip(1e-12), use)
    fit = _Fit(
        centre_mm=unknowns[:2],
        covariance_mm2=covariance[:2, :2],
        radius_error_mm=float(unknowns[2]),
        rim_share=share,
        blur=blur,
        contrast=float(np.median(steps.jump[fits])),
        px_per_mm=px_per_mm,
    )
    return unknowns[:2], fit


def _spread(left: Array, kept: Array, use: Array) -> float:
    """Return how much larger the variance is than stated: by the residuals, and because
    neighbouring arcs err together (texture, shadows)."""
    root = np.sqrt(kept) * left * use
    count = max(float((kept * use).sum()), 1.0)
    variance = (10 + float(root @ root) * len(left) / max(count, 1)) / (10 + len(left) - 4)
    power = float(root @ root)
    if power <= 0:
        return 1.0
    together = [float(root @ np.roll(root, lag)) / power for lag in (1, 2, 3)]
    inflation = 1 + 2 * sum(max(r, 0.0) for r in together)
    return max(variance, 0.3) * inflation


def _checked(
    table: TableMap, size: DiscSize, fit: _Fit, votes: float, seed_mm: Array
) -> DiscFound | DiscUnclear:
    diameter_px = size.diameter_mm * fit.px_per_mm
    if np.linalg.norm(fit.centre_mm - seed_mm) > (SEED_REACH + 0.12) * size.diameter_mm:
        return _unclear("no_rim", seed_mm)
    if fit.blur.smear_px > max(MAX_SMEAR_SHARE * diameter_px, 2.0):
        return _unclear("moving", seed_mm)
    if fit.blur.own_px > max(MAX_BLUR_SHARE * diameter_px, 1.5):
        return _unclear("blurred", seed_mm)
    covariance = fit.covariance_mm2 + _of_map(table, size, fit.centre_mm)
    position = Position(
        float(fit.centre_mm[0]),
        float(fit.centre_mm[1]),
        0.0,
        (float(covariance[0, 0]), float(covariance[0, 1]), float(covariance[1, 1])),
    )
    if position.sigma_mm > MAX_SIGMA_SHARE * size.diameter_mm:
        return _unclear("inexact", seed_mm)
    return DiscFound(
        position,
        round(fit.rim_share, 3),
        round(votes, 3),
        round(fit.blur.own_px, 2),
        round(fit.radius_error_mm, 3),
        size.base_mm,
        size.diameter_mm,
        round(fit.contrast, 1),
    )


def _of_map(table: TableMap, size: DiscSize, centre: Array) -> Array:
    """Return the (2, 2) covariance that the map and the disc's height bring."""
    at = centre[None]
    of_pose = table.covariance_mm2(at, np.zeros((2, 2)), size.top_mm)[0]
    seen = table.to_image(at, size.top_mm)
    by_height = table.to_table(seen, size.top_mm + 1.0)[0] - centre
    of_height = np.outer(by_height, by_height) * size.thickness_sigma_mm**2
    return np.asarray(of_pose + of_height, float)
