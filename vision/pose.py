"""The pose of a camera over the table from points whose places in mm are known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.errors import GeometryError
from vision.geometry import Camera, TableMap, fit_homography
from vision.place import expected_variance
from vision.types import Array, TableNotFound

MAX_STEPS, SETTLED = 40, 1e-6
"""The share of what is left that a step must gain to be followed by another."""
ROBUST_SIGMAS = 3.0
FOCAL_GUESSES = (1.0, 0.75, 1.35)
FLATTEST_DEG = 3.0
LOOSE_FOCAL = 0.05
"""A focal length that is known better is found by the points alone as well, from
within that share: a wrong one would not show where it is held."""
FEWEST_CLUSTERS = 8
"""Fewer do not tell how things err together."""
BY_CHANCE, FEW_TELL = 4.0, 5.0
"""What noise leaves of shifts, against its mean; and by how much shifts may be larger
than one or two numbers tell (t with two degrees of freedom). Of simulated maps with one
of four markers off by ten times its noise 80 % and more of the places are within their
95 % (before: 39 to 51); where none is off, rendered maps are off by what they say."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownPoints:
    """Points of the table seen in the picture."""

    px: Array
    """(N, 2)"""
    mm: Array
    """(N, 2)"""
    sigma_px: float
    """How exact they are thought to be, in each direction."""
    groups: Array | None = None
    """(N,) number of the thing each belongs to; points of one thing may err together.
    """


def fit_pose(
    points: KnownPoints,
    camera: Camera,
    *,
    robust: bool = False,
    near: TableMap | None = None,
    with_lens: bool = True,
) -> TableMap | TableNotFound:
    """Return the pose that explains four or more points best, with its covariance.

    The focal length of `camera` is a prior of relative width `focal_sigma`. With
    `robust`, points far off count less. `near` is a pose from which to start, where one
    is known. Reasons for none: ``no_reference`` (too few),
    ``inconsistent`` (they lie on a line, or behind the camera), ``mirrored`` (they are
    seen in the wrong sense of rotation), ``horizon``. What the points tell of the lens
    by themselves is found only `with_lens`.
    """
    if len(points.px) < 4:
        return TableNotFound("no_reference")
    starts = _starts(points, camera, near)
    if isinstance(starts, TableNotFound):
        return starts
    fits = [fit for s, f in starts if (fit := _solve(points, camera, s, f, robust))]
    if not fits:
        return TableNotFound("inconsistent")
    best = min(fits, key=lambda fit: fit.cost)
    sight = best.table.translation_mm / np.linalg.norm(best.table.translation_mm)
    if -(sight @ best.table.rotation[:, 2]) < math.sin(math.radians(FLATTEST_DEG)):
        return TableNotFound("horizon")
    try:
        lens = _lens_alone(points, camera, best, robust) if with_lens else None
        return replace(_concluded(points, best), lens=lens)
    except GeometryError:  # a point lies where this lens sees nothing of the table
        return TableNotFound("inconsistent")


def _starts(
    points: KnownPoints, camera: Camera, near: TableMap | None
) -> list[tuple[TableMap, float]] | TableNotFound:
    """Return poses from which to start, each with its focal length against the usual;
    the reason where the points are mirrored."""
    if near is not None:
        return [(near, near.camera.focal_px[0] / camera.focal_px[0])]
    starts = []
    for factor in FOCAL_GUESSES if camera.focal_sigma > 0.02 else (1.0,):
        start = _start(points, camera.scaled_focal(factor))
        if isinstance(start, TableMap):
            starts.append((start, factor))
        elif start.reason == "mirrored":
            return start
    return starts


def missed_px(table: TableMap, points: KnownPoints) -> Array:
    """Return (N,) px by which the map misses each point."""
    return np.asarray(np.linalg.norm(points.px - table.to_image(points.mm), axis=1))


def _start(points: KnownPoints, camera: Camera) -> TableMap | TableNotFound:
    try:
        rays = camera.rays(points.px)[:, :2]
        view_from_table = fit_homography(rays, points.mm)
    except GeometryError:
        return TableNotFound("inconsistent")
    if np.linalg.det(view_from_table) > 0:
        # Table y points away and image y down: seen from above, orientation flips.
        return TableNotFound("mirrored")
    columns = view_from_table / np.sqrt(
        np.linalg.norm(view_from_table[:, 0]) * np.linalg.norm(view_from_table[:, 1])
    )
    if columns[2, 2] < 0:
        columns = -columns
    x, y = columns[:, 0], columns[:, 1]
    u, _, v = np.linalg.svd(np.column_stack([x, y, np.cross(x, y)]))
    rotation = u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
    return TableMap(camera, rotation, columns[:, 2])


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    table: TableMap
    log_focal: float
    left: Array
    """(2N,) residuals, in sigmas."""
    weights: Array
    """(2N,)"""
    by: Array
    """(2N, 7) how what is seen follows the unknowns, in sigmas."""
    normal: Array
    """(7, 7)"""
    cost: float


def _solve(
    points: KnownPoints, camera: Camera, start: TableMap, factor: float, robust: bool
) -> _Fit | None:
    log_focal = math.log(factor)
    fit = _linearised(points, camera, start, log_focal, robust)
    if fit is None:
        return None
    damping = 1e-3
    for _ in range(MAX_STEPS):
        tried = _stepped(points, camera, fit, damping, robust)
        if tried is None or tried.cost > fit.cost:
            damping *= 8
            if damping > 1e8:
                break
            continue
        gained, fit, damping = fit.cost - tried.cost, tried, damping / 6
        if gained < SETTLED * (1 + fit.cost):
            break
    return fit


def _stepped(
    points: KnownPoints, camera: Camera, fit: _Fit, damping: float, robust: bool
) -> _Fit | None:
    pull = fit.by.T @ (fit.weights * fit.left)
    pull[6] -= _focal_weight(camera) * fit.log_focal
    scale = np.sqrt(np.diag(fit.normal))
    scaled = fit.normal / np.outer(scale, scale) + damping * np.eye(7)
    step = np.linalg.solve(scaled, pull / scale) / scale
    turn, _ = cv2.Rodrigues(step[:3].reshape(3, 1))
    log_focal = fit.log_focal + float(step[6])
    if abs(log_focal) > 2:
        return None
    table = TableMap(
        camera.scaled_focal(math.exp(log_focal)),
        np.asarray(turn, float).reshape(3, 3) @ fit.table.rotation,
        fit.table.translation_mm + step[3:6],
    )
    return _linearised(points, camera, table, log_focal, robust)


def _linearised(
    points: KnownPoints, camera: Camera, table: TableMap, log_focal: float, robust: bool
) -> _Fit | None:
    try:
        left = ((points.px - table.to_image(points.mm)) / points.sigma_px).ravel()
        by = _design(points, table)
    except GeometryError:
        return None
    weights, loss = np.ones_like(left), float(left @ left)
    if robust:
        squared = np.repeat((left.reshape(-1, 2) ** 2).sum(1), 2)
        scale = max(1.0, float(np.median(squared)) / 1.39)
        reach = ROBUST_SIGMAS**2 * scale
        weights = 1 / (1 + squared / reach) ** 2
        loss = float((squared / (1 + squared / reach)).sum() / 2)
    normal = by.T @ (weights[:, None] * by)
    normal[6, 6] += _focal_weight(camera)
    cost = loss + _focal_weight(camera) * log_focal**2
    return _Fit(table, log_focal, left, weights, by, normal, cost)


def _design(points: KnownPoints, table: TableMap) -> Array:
    by = table.pose_jacobian(points.mm).reshape(-1, 7) / points.sigma_px
    return np.asarray(by, float)


def _focal_weight(camera: Camera) -> float:
    return 1 / max(camera.focal_sigma, 1e-5) ** 2


def _concluded(points: KnownPoints, fit: _Fit) -> TableMap:
    counted = fit.weights
    shown = float(counted @ fit.left**2)
    variance = expected_variance(1.0, shown, max(int(counted.sum()) - 6, 0))
    inverse: Array = np.asarray(np.linalg.inv(fit.normal), float)
    weighed = fit.by.T * fit.weights
    to_sigmas = np.tile(np.eye(2), (len(points.px), 1)) / points.sigma_px
    met = fit.table.to_table(points.px)
    missed = np.linalg.norm(met - points.mm, axis=1)
    weight = fit.weights[::2]
    residual = float(np.sqrt((weight * missed**2).sum() / weight.sum()))
    return replace(
        fit.table,
        residual_mm=residual,
        references=len(points.px)
        if points.groups is None
        else len(np.unique(points.groups)),
        covariance=_clustered(points, fit, inverse, max(variance, 0.25)),
        by_centre=np.asarray(-inverse @ weighed @ to_sigmas, float),
    )


def _lens_alone(
    points: KnownPoints, camera: Camera, fit: _Fit, robust: bool
) -> tuple[float, float] | None:
    if camera.focal_sigma >= LOOSE_FOCAL:
        return None
    loose = replace(camera, focal_sigma=LOOSE_FOCAL)
    free = _solve(points, loose, fit.table, math.exp(fit.log_focal), robust)
    if free is None:
        return None
    variance = float(_concluded(points, free).covariance[6, 6])
    return free.log_focal, math.sqrt(variance)


def _clustered(
    points: KnownPoints, fit: _Fit, inverse: Array, variance: float
) -> Array:
    """Return a covariance in which the points of one thing may err together: a sandwich
    (Liang and Zeger 1986), added to what independent errors would give. Four markers
    are too few for that, see `_shifted`.
    """
    if points.groups is None:
        return inverse * variance
    owner = np.repeat(points.groups, 2)
    names = np.unique(owner)
    by = fit.by * np.sqrt(fit.weights)[:, None]
    left = fit.left * np.sqrt(fit.weights)
    if len(names) < FEWEST_CLUSTERS:
        return inverse * variance + _shifted(points, fit, by, left, owner, inverse)
    pulls = np.array([by[owner == name].T @ left[owner == name] for name in names])
    spare = len(names) / max(len(names) - 1, 1)
    sandwich = inverse @ (pulls.T @ pulls) @ inverse * spare
    return np.asarray(inverse * variance + sandwich, float)


def _shifted(
    points: KnownPoints, fit: _Fit, by: Array, left: Array, owner: Array, inverse: Array
) -> Array:
    """Return the covariance that is due to things that lie off as a whole: a marker
    that is bent, or hidden in part.

    Of eight numbers, the shifts of four markers, a pose takes away six or seven: how
    large shifts are is told by the rest, by its first moment (a variance component,
    Henderson 1953), and so poorly that it counts `FEW_TELL` times. Where no more is
    left than noise and an optical axis that is not quite known leave, there are none.
    """
    one = [np.outer(owner == name, [1, 1]) for name in np.unique(owner)]
    even = np.arange(len(owner))[:, None] % 2 == [0, 1]
    shift = np.concatenate([each & even for each in one], axis=1).astype(float)
    absorbed = shift.T @ by
    seen = shift.T @ shift - absorbed @ inverse @ absorbed.T
    pull = shift.T @ left
    camera = fit.table.camera
    axis_px = camera.centre_sigma * camera.width_px
    axis = np.tile(np.eye(2), (len(points.px), 1)) * axis_px / points.sigma_px
    by_axis = shift.T @ axis - absorbed @ inverse @ (by.T @ axis)
    usual = float(np.trace(seen)) + float((by_axis**2).sum())
    excess = float(pull @ pull) - BY_CHANCE * usual
    variance = FEW_TELL * max(excess, 0.0) / float((seen**2).sum())
    moved = inverse @ absorbed.T
    return np.asarray(variance * moved @ moved.T, float)
