"""Where a card lies on the table, from its four corners in the picture."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from vision.geometry import TableMap
from vision.types import Array, Position

STANDARD_CARD_MM = (63.0, 88.0)
"""Width and height. Bridge cards have 57 x 89, German ones 59 x 91."""

PRIOR_FREEDOM = 10.0
"""How much the stated error of the corners counts, in degrees of freedom, against the
error that the fit shows; one card alone gives five."""

STEPS = 4

Measure = TypeVar("Measure", float, Array)


def place(
    quad_px: Array,
    table: TableMap,
    *,
    size_mm: tuple[float, float] = STANDARD_CARD_MM,
    corner_sigma_px: float = 1.0,
    height_mm: float = 0.0,
) -> Position:
    """Return where the card with these corners lies, with its covariance.

    The card is rigid and of known size, so its corners check each other: where they fit
    badly the covariance grows. `angle_deg` is in [0, 180): standard cards look the same
    both ways round. Raises `GeometryError` if the card lies beyond the horizon.
    """
    (position,) = place_all(
        np.asarray(quad_px, float)[None],
        table,
        size_mm=size_mm,
        corner_sigmas_px=np.array([corner_sigma_px]),
        height_mm=height_mm,
    )
    return position


def place_all(
    quads_px: Array,
    table: TableMap,
    *,
    size_mm: tuple[float, float] = STANDARD_CARD_MM,
    corner_sigmas_px: Array,
    height_mm: float = 0.0,
) -> list[Position]:
    """Return where the cards with (N, 4, 2) corners lie, each with its (N,) sigma, as
    `place` does for one.

    Raises `GeometryError` if any of them lies beyond the horizon.
    """
    model_mm, count = card_corners_mm(size_mm), len(quads_px)
    corners_mm = table.to_table(quads_px.reshape(-1, 2), height_mm).reshape(-1, 4, 2)
    # A card that lies across at a low camera looks wider than high. The detector's word
    # on which edge is short holds unless it is clearly wrong.
    rolled_mm = np.roll(corners_mm, 1, axis=1)
    _, _, as_taken = fit_rectangles(corners_mm, model_mm)
    _, _, across = fit_rectangles(rolled_mm, model_mm)
    is_across = (4 * across < as_taken)[:, None, None]
    corners_px = np.where(is_across, np.roll(quads_px, 1, axis=1), quads_px)
    centres, angles, _ = fit_rectangles(
        np.where(is_across, rolled_mm, corners_mm), model_mm
    )
    poses = np.column_stack([centres, angles])
    for _ in range(STEPS):
        laid_mm = lay(model_mm, poses)
        flat_mm = laid_mm.reshape(-1, 2)
        seen_px = table.to_image(flat_mm, height_mm).reshape(-1, 4, 2)
        left_px = (corners_px - seen_px).reshape(-1, 8)
        px_per_mm = table.jacobian(flat_mm, height_mm).reshape(-1, 4, 2, 2)
        by_card = card_jacobian(model_mm, poses[:, 2], px_per_mm).reshape(-1, 8, 3)
        normals = np.linalg.inv(by_card.transpose(0, 2, 1) @ by_card)
        poses = poses + np.einsum("nij,nkj,nk->ni", normals, by_card, left_px)
    squared = np.einsum("nk,nk->n", left_px, left_px)
    freedom = left_px.shape[1] - poses.shape[1]
    variances = expected_variance(corner_sigmas_px, squared, freedom)
    by_map = table.pose_jacobian(flat_mm, height_mm).reshape(count, 8, 7)
    by_pose = normals @ by_card.transpose(0, 2, 1) @ by_map
    of_map = by_pose @ table.covariance @ by_pose.transpose(0, 2, 1)
    covariances = variances[:, None, None] * normals + of_map
    return [
        Position(
            x_mm=float(x),
            y_mm=float(y),
            angle_deg=(math.degrees(angle) + 90) % 180,
            covariance_mm2=(
                float(covariance[0, 0]),
                float(covariance[0, 1]),
                float(covariance[1, 1]),
            ),
        )
        for (x, y, angle), covariance in zip(poses, covariances, strict=True)
    ]


def expected_variance(sigma: Measure, squared: Measure, freedom: int) -> Measure:
    """Return the variance of corners that were said to have `sigma` and then missed,
    of one thing or of many.

    The mean of the posterior, the prior being an inverse gamma distribution.
    """
    return (PRIOR_FREEDOM * sigma**2 + squared) / (PRIOR_FREEDOM + freedom - 2)


def card_corners_mm(size_mm: tuple[float, float]) -> Array:
    """Return the (4, 2) corners of an upright card around its middle, as quads go:
    clockwise from the top left."""
    x, y = size_mm[0] / 2, size_mm[1] / 2
    return np.array([[-x, y], [x, y], [x, -y], [-x, -y]])


def fit_rectangles(corners_mm: Array, model_mm: Array) -> tuple[Array, Array, Array]:
    """Lay rigid models on (..., 4, 2) corners by least squares, all at once.

    Returns centres (..., 2), angles (...) in radians, and squared residuals (...) in
    mm2, summed over the corners.
    """
    seen = corners_mm[..., 0] + 1j * corners_mm[..., 1]
    model = model_mm[:, 0] + 1j * model_mm[:, 1]
    middle = seen.mean(axis=-1)
    seen = seen - middle[..., None]
    turned = seen @ model.conj()
    spread = (np.abs(seen) ** 2).sum(-1) + (np.abs(model) ** 2).sum()
    left = np.maximum(spread - 2 * np.abs(turned), 0.0)
    return np.stack([middle.real, middle.imag], axis=-1), np.angle(turned), left


def lay(model_mm: Array, poses: Array) -> Array:
    """Return the (N, 4, 2) corners of models at N poses (x, y, angle in rad)."""
    x, y, angle = poses[:, 0, None], poses[:, 1, None], poses[:, 2, None]
    c, s = np.cos(angle), np.sin(angle)
    u, v = model_mm.T
    return np.stack([x + c * u - s * v, y + s * u + c * v], axis=-1)


def card_jacobian(model_mm: Array, angles: Array, px_per_mm: Array) -> Array:
    """Return (N, 4, 2, 3): px of the corners of N cards per x, y (mm) and angle (rad).

    `px_per_mm` is (N, 4, 2, 2), taken at the corners.
    """
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    u, v = model_mm.T
    by_angle_mm = np.stack([-s * u - c * v, c * u - s * v], axis=-1)
    by_angle_px = px_per_mm @ by_angle_mm[..., None]
    return np.concatenate([px_per_mm, by_angle_px], axis=-1)
