"""Fits camera, table and cards to quads together, by least squares in the picture.

Common to all cards are four unknowns: the table's plane and the focal length. Each card
has three of its own.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass

import numpy as np

from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.place import card_jacobian, fit_rectangles, lay
from vision.types import Array

MAX_STEPS = 25
DIFFERENCE = 1e-6
LONGEST_STEP = 0.7
"""Of the unknowns: a tilt by 35 degrees, or twice the distance."""
TYPICAL, CLEARLY_WRONG = 4.35, 25.7
"""Squared error of a quad, in sigmas: the median at five degrees of freedom, and what
one in 10,000 exceeds."""
NO_FIT = (GeometryError, np.linalg.LinAlgError, FloatingPointError)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Quads of cards that lie on one table, as one camera sees them."""

    camera: Camera
    quads_px: Array
    """(N, 4, 2)"""
    model_mm: Array
    sigma_px: float

    @property
    def focal_weight(self) -> float:
        """Return the precision of the logarithm of the focal length."""
        return 1 / max(self.camera.focal_sigma, 1e-6) ** 2


def plane_of(unknowns: Array) -> Array:
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


def unknowns_of(plane: Array, log_factor: float) -> Array:
    """Return the (4,) unknowns of a plane seen with a corrected focal length."""
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
    plane = plane_of(unknowns)
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
class CardsFit:
    """One state of the least squares, linearised."""

    problem: Problem
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


def solve(problem: Problem, unknowns: Array, *, robust: bool) -> CardsFit:
    """Return the best fit near `unknowns`, by Levenberg and Marquardt."""
    anchor_px = problem.quads_px.reshape(-1, 2).mean(axis=0)
    table = _table(problem.camera, anchor_px, unknowns)
    corners_mm = table.to_table(problem.quads_px.reshape(-1, 2))
    middles, angles, _ = fit_rectangles(corners_mm.reshape(-1, 4, 2), problem.model_mm)
    poses = np.column_stack([middles, angles])
    fit = _linearise(problem, anchor_px, unknowns, poses)
    damping = 1e-4
    for _ in range(MAX_STEPS):
        reach = CLEARLY_WRONG * error_scale(fit.squared) if robust else math.inf
        weights = (1 + fit.squared / reach) ** -2.0
        step, steps_of_cards = _step(fit, weights, damping)
        better = -math.inf
        with contextlib.suppress(*NO_FIT):
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
    problem: Problem, anchor_px: Array, unknowns: Array, poses: Array
) -> CardsFit:
    table = _table(problem.camera, anchor_px, unknowns)
    laid_mm = lay(problem.model_mm, poses)
    flat_mm = laid_mm.reshape(-1, 2)
    left = problem.quads_px - table.to_image(flat_mm).reshape(laid_mm.shape)
    left = left.reshape(-1, 8) / problem.sigma_px
    px_per_mm = table.jacobian(flat_mm).reshape(-1, 4, 2, 2)
    by_card = card_jacobian(problem.model_mm, poses[:, 2], px_per_mm)
    map_by_common = _map_by_common(problem.camera, anchor_px, unknowns)
    by_common = table.pose_jacobian(flat_mm) @ map_by_common
    return CardsFit(
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


def _step(fit: CardsFit, weights: Array, damping: float) -> tuple[Array, Array]:
    """Return the changes of the common unknowns and of every card's pose.

    The cards are eliminated first, each by itself (Schur complement): the effort grows
    with the number of cards, not with its cube.
    """
    reduced, right, inverse, coupling, pull = common_normal(fit, weights)
    diagonal = np.sqrt(np.diag(reduced))
    scaled = reduced / np.outer(diagonal, diagonal) + damping * np.eye(4)
    step = np.linalg.solve(scaled, right / diagonal) / diagonal
    step /= max(1.0, float(np.abs(step).max()) / LONGEST_STEP)
    of_cards = np.einsum("nij,nj->ni", inverse, pull - coupling @ step)
    return step, of_cards


def common_normal(
    fit: CardsFit, weights: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Return the normal matrix (4, 4) and right side of the common unknowns, and of
    each card the inverse of its own, its coupling and its pull."""
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


def error_scale(squared: Array) -> float:
    """Return how much larger than stated the errors of most quads are (squared)."""
    return max(1.0, float(np.median(squared)) / TYPICAL)
