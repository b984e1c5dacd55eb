"""The pose of the camera over the table, from things of known size in the picture.

Cards lie flat, on one plane, and are all of one size. Each has its own place and angle
(three unknowns for eight coordinates); the plane and the focal length (four unknowns)
are common to all. They are found together by least squares in the picture, a prior on
the focal length being one more equation: seen from straight above, focal length and
distance cannot be told apart.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.place import (
    STANDARD_CARD_MM,
    card_corners_mm,
    card_jacobian,
    expected_variance,
    fit_rectangles,
    lay,
)
from vision.types import Array, TableNotFound

MAX_STARTS = 6
"""Cards from which a first guess is made; the largest ones."""
FOCAL_GUESSES = (1.0, 0.7, 1.4)
TURNED_COST = 0.05
"""Of doubting the detector's order of corners, where 1 is a quad that does not fit."""
ALIKE = math.cos(math.radians(10))
MAX_GUESSES = 6
"""First guesses that are followed, where the one before led nowhere good."""
MAX_STEPS = 25
DIFFERENCE = 1e-6
LONGEST_STEP = 0.7
"""Of the unknowns: a tilt by 35 degrees, or twice the distance."""
FLATTEST_DEG = 3.0
"""Above the table; a camera that looks flatter along it is not believed."""
TYPICAL, CLEARLY_WRONG = 4.35, 25.7
"""Squared error of a quad, in sigmas: the median at five degrees of freedom, and what
one in 10,000 exceeds."""
PLAUSIBLE_SHARE = 0.035
"""Corners that miss by more than this share of the card's diagonal, 3.8 mm, do not
agree: that is more than their rounding, so that it is not the card's outline."""


def locate_by_cards(
    quads_px: Sequence[Array],
    camera: Camera,
    *,
    size_mm: tuple[float, float] = STANDARD_CARD_MM,
    corner_sigma_px: float = 1.0,
) -> TableMap | TableNotFound:
    """Return the map of the table on which these cards lie.

    The focal length of `camera` is a prior of relative width `focal_sigma`. The origin
    is what the camera sees at the middle of the cards, x points to the right of the
    picture there, y away from the viewer. Quads that do not fit the others are left
    out; `references` counts the rest. One card will do, with a large covariance.
    """
    quads = _usable(quads_px)
    if not len(quads):
        return TableNotFound("no_reference")
    problem = _Problem(camera, quads, card_corners_mm(size_mm), corner_sigma_px)
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return _conclude(_best_fit(problem))
    except _NO_FIT:
        return TableNotFound("inconsistent")


_NO_FIT = (GeometryError, np.linalg.LinAlgError, FloatingPointError)


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    camera: Camera
    quads_px: Array
    """(N, 4, 2)"""
    model_mm: Array
    sigma_px: float

    @property
    def focal_weight(self) -> float:
        return 1 / max(self.camera.focal_sigma, 1e-6) ** 2


def _plane(unknowns: Array) -> Array:
    """Return (K, 3) planes m: m . X = -1 for camera points X on it, in 1/mm; m points
    to the camera.

    The unknowns: two slopes; the logarithm of the nearness of the plane per focal
    length; the logarithm of the focal length's correction. A longer focal length from
    farther off looks almost the same, and so the last one stands by itself.
    """
    nearness = np.exp(unknowns[:, 2] - unknowns[:, 3])
    slopes = np.column_stack([unknowns[:, :2], np.full(len(unknowns), -1.0)])
    planes: Array = nearness[:, None] * slopes
    return planes


def _unknowns(plane: Array, log_factor: float) -> Array:
    x, y, z = plane
    return np.array([-x / z, -y / z, math.log(-z) + log_factor, log_factor])


def _frames(camera: Camera, anchor_px: Array, unknowns: Array) -> tuple[Array, Array]:
    """Return rotations (K, 3, 3) and translations (K, 3) of K sets of unknowns.

    The table's origin lies behind `anchor_px`, its x axis points where the picture's
    horizontal does there.
    """
    centre = np.array(camera.centre_px)
    shrunk: Array = (anchor_px - centre) * np.exp(-unknowns[:, 3:])
    rays = camera.rays(centre + shrunk)
    plane = _plane(unknowns)
    facing = np.einsum("kj,kj->k", plane, rays)
    if not np.all(facing < 0):
        raise GeometryError("the cards lie beyond the horizon")
    origin = rays / -facing[:, None]
    up = plane / np.sqrt(np.einsum("kj,kj->k", plane, plane))[:, None]
    right = plane[:, :1] * origin
    right[:, 0] += 1
    right /= np.sqrt(np.einsum("kj,kj->k", right, right))[:, None]
    return np.stack([right, np.cross(up, right), up], axis=2), origin


def _table(camera: Camera, anchor_px: Array, unknowns: Array) -> TableMap:
    rotations, translations = _frames(camera, anchor_px, unknowns[None, :])
    scaled = camera.scaled_focal(math.exp(unknowns[3]))
    return TableMap(scaled, rotations[0], translations[0])


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """One state of the least squares, linearised."""

    problem: _Problem
    unknowns: Array
    poses: Array
    """(N, 3) x, y (mm) and angle (rad) of each card."""
    table: TableMap
    left: Array
    """(N, 8) residuals, in sigmas."""
    by_common: Array
    """(N, 8, 4) sigmas per unknown."""
    by_card: Array
    """(N, 8, 3)"""
    map_by_common: Array
    """(7, 4) the parameters of the table map per unknown."""
    squared: Array
    """(N,) residuals of each quad, squared and summed."""

    @property
    def cost(self) -> float:
        return self.cost_within(CLEARLY_WRONG)

    def cost_within(self, reach: float) -> float:
        """Return the sum of squares; no quad adds more than `reach`."""
        quads = (self.squared / (1 + self.squared / reach)).sum()
        return float(quads + self.problem.focal_weight * self.unknowns[3] ** 2)


def _usable(quads_px: Sequence[Array]) -> Array:
    """Return (N, 4, 2), without quads that no card can look like."""
    quads = np.asarray([np.asarray(quad, float) for quad in quads_px])
    if not len(quads):
        return np.empty((0, 4, 2))
    edges = np.roll(quads, -1, axis=1) - quads
    following = np.roll(edges, -1, axis=1)
    corners = edges[..., 0] * following[..., 1] - edges[..., 1] * following[..., 0]
    # Clockwise in an image whose y points down, convex, and more than a speck.
    usable = np.isfinite(quads).all(axis=(1, 2)) & (corners > 4.0).all(axis=1)
    chosen: Array = quads[usable]
    return chosen


def _best_fit(problem: _Problem) -> _Fit:
    best: _Fit | None = None
    for started, unknowns in _first_guesses(problem):
        with contextlib.suppress(*_NO_FIT):
            fit = _settle_orders(_solve(started, unknowns, robust=True))
            best = fit if best is None or fit.cost < best.cost else best
        if best is not None and best.cost < len(problem.quads_px) * CLEARLY_WRONG / 2:
            break
    if best is None:
        raise GeometryError("no plane fits")
    return best


def _settle_orders(fit: _Fit) -> _Fit:
    """Return the fit with those quads turned that start at another corner after all."""
    if fit.squared.max() <= CLEARLY_WRONG:
        return fit
    quads, model_mm = fit.problem.quads_px, fit.problem.model_mm
    corners_mm = fit.table.to_table(quads.reshape(-1, 2)).reshape(-1, 4, 2)
    _, _, as_taken = fit_rectangles(corners_mm, model_mm)
    _, _, other = fit_rectangles(np.roll(corners_mm, 1, axis=1), model_mm)
    turned = 4 * other < as_taken
    if not turned.any():
        return fit
    started = np.where(turned[:, None, None], np.roll(quads, 1, axis=1), quads)
    problem = replace(fit.problem, quads_px=started)
    again = _solve(problem, fit.unknowns, robust=True)
    return again if again.cost < fit.cost else fit


def _first_guesses(problem: _Problem) -> Iterator[tuple[_Problem, Array]]:
    """Yield unknowns, the best first, with the problem whose quads start rightly."""
    rated = [
        candidate
        for factor in FOCAL_GUESSES
        for candidate in _rate_planes(problem, factor)
    ]
    rated.sort(key=lambda candidate: candidate[0])
    taken: list[tuple[Array, Array]] = []
    for _, unknowns, turned in rated:
        up = _plane(unknowns[None, :])[0]
        up /= np.linalg.norm(up)
        if any(
            up @ other > ALIKE and np.array_equal(turned, others)
            for other, others in taken
        ):
            continue
        taken.append((up, turned))
        quads = problem.quads_px
        started = np.where(turned[:, None, None], np.roll(quads, 1, axis=1), quads)
        yield replace(problem, quads_px=started), unknowns
        if len(taken) == MAX_GUESSES:
            return


def _rate_planes(problem: _Problem, factor: float) -> list[tuple[float, Array, Array]]:
    """Return (cost, unknowns, which quads are taken to start at a long edge)."""
    quads = problem.quads_px
    camera = problem.camera.scaled_focal(factor)
    rays = camera.rays(quads.reshape(-1, 2)).reshape(-1, 4, 3)
    diagonals = np.linalg.norm(quads[:, 0] - quads[:, 2], axis=1)
    planes = _planes_of_cards(rays[np.argsort(-diagonals)[:MAX_STARTS]], problem)
    # (planes, quads, corners): the inverse depth of every corner on every plane.
    nearness = -np.einsum("sk,nck->snc", planes, rays)
    seen = (nearness > 0).all(axis=2)
    points = rays / np.where(nearness > 0, nearness, np.inf)[..., None]
    flat = np.einsum("sncj,sjk->snck", points, _axes_in(planes))
    _, _, along = fit_rectangles(flat, problem.model_mm)
    _, _, across = fit_rectangles(np.roll(flat, 1, axis=2), problem.model_mm)
    px_per_mm = camera.focal_px[0] * nearness.mean(axis=2)
    # Robust: a quad that fits nowhere must not decide between the guesses. What counts
    # as fitting is a share of the card, for the guesses are rough.
    reach_px2 = 4 * ((0.03 * diagonals) ** 2 + problem.sigma_px**2)

    def cost(left_mm2: Array) -> Array:
        left_px2 = left_mm2 * px_per_mm**2
        shares = np.where(seen, left_px2 / (left_px2 + reach_px2), 1.0)
        return np.asarray(shares.sum(axis=1), float)

    # A card that lies across at a low camera looks wider than high, and its quad starts
    # at the other corner. The guess is too rough to settle that: the detector's own
    # order stays in the race on every plane.
    turned = 2 * across < along
    mixed = cost(np.where(turned, across, along)) + TURNED_COST * turned.sum(axis=1)
    as_given, none = cost(along), np.zeros(len(quads), bool)
    rated = []
    for index, plane in enumerate(planes):
        unknowns = _unknowns(plane, math.log(factor))
        rated.append((float(as_given[index]), unknowns, none))
        if turned[index].any():
            rated.append((float(mixed[index]), unknowns, turned[index]))
    return rated


def _planes_of_cards(rays: Array, problem: _Problem) -> Array:
    """Return the (S, 3) planes that single cards suggest, for (N, 4, 3) rays."""
    turned = np.roll(rays, 1, axis=1)
    views = _views_from_cards(np.concatenate([rays, turned])[..., :2], problem.model_mm)
    # Two columns are the card's axes, of length one; the third is its place.
    views = (
        views * (2 / np.linalg.norm(views[:, :, :2], axis=1).sum(axis=1))[:, None, None]
    )
    up = np.cross(views[:, :, 0], views[:, :, 1])
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    place = views[:, :, 2]
    sight = place / np.linalg.norm(place, axis=1, keepdims=True)
    facing = np.einsum("nj,nj->n", up, sight)[:, None]
    # A small card seen at an angle looks almost the same tilted the other way, and
    # noise cannot tell: turn it by half about the line of sight. And straight on.
    normals = np.concatenate([up, 2 * facing * sight - up, -sight])
    places = np.concatenate([place, place, place])
    distance = -np.einsum("nj,nj->n", normals, places)
    planes = normals / np.where(distance > 1, distance, 1.0)[:, None]
    # Cameras that look above the horizon see no table to speak of.
    sensible: Array = planes[(distance > 1) & (normals[:, 2] < -0.01)]
    return sensible


def _views_from_cards(seen: Array, model_mm: Array) -> Array:
    """Return (N, 3, 3) exact homographies from the model to (N, 4, 2) points."""
    u, v = seen[..., 0], seen[..., 1]
    x, y = (
        np.broadcast_to(model_mm[:, 0], u.shape),
        np.broadcast_to(model_mm[:, 1], u.shape),
    )
    one, none = np.ones_like(u), np.zeros_like(u)
    rows_u = np.stack([x, y, one, none, none, none, -u * x, -u * y], axis=-1)
    rows_v = np.stack([none, none, none, x, y, one, -v * x, -v * y], axis=-1)
    equations = np.concatenate([rows_u, rows_v], axis=1)
    found = np.linalg.solve(equations, np.concatenate([u, v], axis=1)[..., None])
    return np.concatenate([found[..., 0], np.ones((len(u), 1))], axis=1).reshape(
        -1, 3, 3
    )


def _axes_in(planes: Array) -> Array:
    """Return (S, 3, 2): two axes in each plane, right-handed seen from the camera."""
    up = planes / np.linalg.norm(planes, axis=1, keepdims=True)
    right = np.cross(np.array([0.0, 1.0, 0.0]), -up)
    right = right / np.linalg.norm(right, axis=1, keepdims=True)
    return np.stack([right, np.cross(up, right)], axis=2)


def _conclude(fit: _Fit) -> TableMap | TableNotFound:
    good = fit.squared <= CLEARLY_WRONG * _error_scale(fit.squared)
    if 2 * good.sum() < len(good):
        return TableNotFound("inconsistent")
    problem = replace(fit.problem, quads_px=fit.problem.quads_px[good])
    fit = _solve(problem, fit.unknowns, robust=False)
    if reason := _objection(fit):
        return TableNotFound(reason)
    quads = problem.quads_px.reshape(-1, 2)
    laid_mm = lay(problem.model_mm, fit.poses).reshape(-1, 2)
    missed_mm = np.linalg.norm(fit.table.to_table(quads) - laid_mm, axis=1)
    return replace(
        fit.table,
        residual_mm=float(np.sqrt((missed_mm**2).mean())),
        references=len(problem.quads_px),
        covariance=_covariance(fit),
    )


def _solve(problem: _Problem, unknowns: Array, *, robust: bool) -> _Fit:
    """Return the best fit near `unknowns`, by Levenberg and Marquardt."""
    anchor_px = problem.quads_px.reshape(-1, 2).mean(axis=0)
    table = _table(problem.camera, anchor_px, unknowns)
    corners_mm = table.to_table(problem.quads_px.reshape(-1, 2))
    middles, angles, _ = fit_rectangles(corners_mm.reshape(-1, 4, 2), problem.model_mm)
    poses = np.column_stack([middles, angles])
    fit = _linearise(problem, anchor_px, unknowns, poses)
    damping = 1e-4
    for _ in range(MAX_STEPS):
        reach = CLEARLY_WRONG * _error_scale(fit.squared) if robust else math.inf
        weights = (1 + fit.squared / reach) ** -2.0
        step, steps_of_cards = _step(fit, weights, damping)
        better = -math.inf
        with contextlib.suppress(*_NO_FIT):
            tried = _linearise(
                problem, anchor_px, fit.unknowns + step, fit.poses + steps_of_cards
            )
            cost = fit.cost_within(reach)
            better = cost - tried.cost_within(reach)
        if better < 0:
            damping *= 10
            if damping > 1e6:
                break
            continue
        fit, damping = tried, damping / 10
        if better < 1e-6 + 1e-9 * cost:
            break
    return fit


def _linearise(
    problem: _Problem, anchor_px: Array, unknowns: Array, poses: Array
) -> _Fit:
    table = _table(problem.camera, anchor_px, unknowns)
    laid_mm = lay(problem.model_mm, poses)
    flat_mm = laid_mm.reshape(-1, 2)
    left = problem.quads_px - table.to_image(flat_mm).reshape(laid_mm.shape)
    left = left.reshape(-1, 8) / problem.sigma_px
    px_per_mm = table.jacobian(flat_mm).reshape(-1, 4, 2, 2)
    by_card = card_jacobian(problem.model_mm, poses[:, 2], px_per_mm)
    map_by_common = _map_by_common(problem.camera, anchor_px, unknowns)
    by_common = table.pose_jacobian(flat_mm) @ map_by_common
    return _Fit(
        problem,
        unknowns,
        poses,
        table,
        left,
        by_common.reshape(-1, 8, 4) / problem.sigma_px,
        by_card.reshape(-1, 8, 3) / problem.sigma_px,
        map_by_common,
        (left**2).sum(axis=1),
    )


def _map_by_common(camera: Camera, anchor_px: Array, unknowns: Array) -> Array:
    """Return (7, 4), by finite differences: there are only four."""
    by = np.eye(4) * DIFFERENCE
    moved = np.concatenate([unknowns + by, unknowns - by])
    rotations, translations = _frames(camera, anchor_px, moved)
    turned = rotations[:4] @ rotations[4:].transpose(0, 2, 1)
    twice = turned - turned.transpose(0, 2, 1)
    derivative = np.zeros((7, 4))
    derivative[:3] = twice[:, [2, 0, 1], [1, 2, 0]].T / (4 * DIFFERENCE)
    derivative[3:6] = (translations[:4] - translations[4:]).T / (2 * DIFFERENCE)
    derivative[6, 3] = 1.0
    return derivative


def _step(fit: _Fit, weights: Array, damping: float) -> tuple[Array, Array]:
    """Return the changes of the common unknowns and of every card's pose.

    The cards are eliminated first, each by itself (Schur complement): the effort grows
    with the number of cards, not with its cube.
    """
    reduced, right, inverse, coupling, pull = _reduced(fit, weights)
    diagonal = np.sqrt(np.diag(reduced))
    scaled = reduced / np.outer(diagonal, diagonal) + damping * np.eye(4)
    step = np.linalg.solve(scaled, right / diagonal) / diagonal
    step /= max(1.0, float(np.abs(step).max()) / LONGEST_STEP)
    of_cards = np.einsum("nij,nj->ni", inverse, pull - coupling @ step)
    return step, of_cards


def _reduced(fit: _Fit, weights: Array) -> tuple[Array, Array, Array, Array, Array]:
    transposed = fit.by_card.transpose(0, 2, 1)
    inverse = np.asarray(np.linalg.inv(transposed @ fit.by_card), float)
    coupling: Array = transposed @ fit.by_common
    pull = np.einsum("nij,nj->ni", transposed, fit.left)
    hat = coupling.transpose(0, 2, 1) @ inverse
    common = fit.by_common.transpose(0, 2, 1) @ fit.by_common - hat @ coupling
    wanted = np.einsum("nki,nk->ni", fit.by_common, fit.left)
    wanted -= np.einsum("nij,nj->ni", hat, pull)
    reduced: Array = np.einsum("n,nij->ij", weights, common)
    right: Array = weights @ wanted
    reduced[3, 3] += fit.problem.focal_weight
    right[3] -= fit.problem.focal_weight * fit.unknowns[3]
    return reduced, right, inverse, coupling, pull


def _error_scale(squared: Array) -> float:
    """Return how much larger than stated the errors of most quads are (squared)."""
    return max(1.0, float(np.median(squared)) / TYPICAL)


def _objection(fit: _Fit) -> str | None:
    sight = fit.table.translation_mm / np.linalg.norm(fit.table.translation_mm)
    if -(sight @ fit.table.rotation[:, 2]) < math.sin(math.radians(FLATTEST_DEG)):
        return "horizon"
    quads = fit.problem.quads_px
    diagonals = np.linalg.norm(quads[:, 0] - quads[:, 2], axis=1)
    missed_px = np.sqrt(fit.squared / 4) * fit.problem.sigma_px
    if np.median(missed_px / diagonals) > PLAUSIBLE_SHARE:
        return "inconsistent"
    if fit.unknowns[3] ** 2 * fit.problem.focal_weight > 4**2:
        return "inconsistent"
    return None


def _covariance(fit: _Fit) -> Array:
    freedom = fit.left.size - fit.poses.size - 3
    shown = float(fit.squared.sum())
    variance = expected_variance(1.0, shown, max(freedom, 0))
    reduced, *_ = _reduced(fit, np.full(len(fit.left), 1 / variance))
    of_common = np.linalg.inv(reduced)
    covariance: Array = fit.map_by_common @ of_common @ fit.map_by_common.T
    return covariance
