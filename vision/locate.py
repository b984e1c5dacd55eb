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
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.locate_cards import (
    CLEARLY_WRONG,
    NO_FIT,
    CardsFit,
    Problem,
    common_normal,
    error_scale,
    solve,
)
from vision.locate_planes import first_guesses
from vision.place import (
    STANDARD_CARD_MM,
    card_corners_mm,
    expected_variance,
    fit_rectangles,
    lay,
)
from vision.types import Array, TableNotFound

FLATTEST_DEG = 3.0
"""Above the table; a camera that looks flatter along it is not believed."""
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
    problem = Problem(camera, quads, card_corners_mm(size_mm), corner_sigma_px)
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return _conclude(_best_fit(problem))
    except NO_FIT:
        return TableNotFound("inconsistent")


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


def _best_fit(problem: Problem) -> CardsFit:
    best: CardsFit | None = None
    for started, unknowns in first_guesses(problem):
        with contextlib.suppress(*NO_FIT):
            fit = _settle_orders(solve(started, unknowns, robust=True))
            best = fit if best is None or fit.cost < best.cost else best
        if best is not None and best.cost < len(problem.quads_px) * CLEARLY_WRONG / 2:
            break
    if best is None:
        raise GeometryError("no plane fits")
    return best


def _settle_orders(fit: CardsFit) -> CardsFit:
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
    again = solve(problem, fit.unknowns, robust=True)
    return again if again.cost < fit.cost else fit


def _conclude(fit: CardsFit) -> TableMap | TableNotFound:
    good = fit.squared <= CLEARLY_WRONG * error_scale(fit.squared)
    if 2 * good.sum() < len(good):
        return TableNotFound("inconsistent")
    problem = replace(fit.problem, quads_px=fit.problem.quads_px[good])
    fit = solve(problem, fit.unknowns, robust=False)
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


def _objection(fit: CardsFit) -> str | None:
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


def _covariance(fit: CardsFit) -> Array:
    freedom = fit.left.size - fit.poses.size - 3
    shown = float(fit.squared.sum())
    variance = expected_variance(1.0, shown, max(freedom, 0))
    reduced, *_ = common_normal(fit, np.full(len(fit.left), 1 / variance))
    of_common = np.linalg.inv(reduced)
    covariance: Array = fit.map_by_common @ of_common @ fit.map_by_common.T
    return covariance
