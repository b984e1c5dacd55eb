"""Pixels and millimetres: homographies, cameras, and the pose of a camera over a table.

The spaces, said once. *Image*: px, x right, y down, pixel centres at integers, so that
halving a picture maps x to (x - 0.5) / 2. *Table*: mm, x right, y away from the near
edge, z up; angles counter-clockwise in degrees seen from above. *Camera*: mm, x right,
y down, z along the view. Transforms are called ``a_from_b``.

Points are (N, 2); where there are many, all x are kept first and then all y, for numpy
is slow with rows of two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vision.errors import GeometryError
from vision.types import Array

DIAGONAL_35MM = math.hypot(36.0, 24.0)
HORIZON = 1e-3
"""Sine of the flattest angle at which a ray is still said to meet the table: there, a
pixel is already metres long."""
NEAREST_MM = 1.0

# Of a camera of which nothing is known: phones see 65 to 84 degrees from corner to
# corner, webcams 55 to 90, pictures that were cut out of larger ones less.
USUAL_FOCAL_PER_DIAGONAL = 0.72
USUAL_FOCAL_SIGMA = 0.3
STATED_FOCAL_SIGMA = 0.05
CROPPED_FOCAL_SIGMA = 0.25


def transform(a_from_b: Array, points_b: Array) -> Array:
    """Map (N, 2) points through a (3, 3) homography.

    Raises `GeometryError` if a point lies on or behind the horizon.
    """
    homogeneous = np.column_stack([points_b, np.ones(len(points_b))])
    x, y, w = a_from_b @ homogeneous.T
    if not np.all(w > 0):
        raise GeometryError("a point lies on or behind the horizon")
    return np.column_stack([x / w, y / w])


def fit_homography(points_a: Array, points_b: Array) -> Array:
    """Return the (3, 3) ``a_from_b`` that maps four or more (N, 2) points best.

    Scaled so that w is positive at every point of b. Raises `GeometryError` where the
    points do not determine it: too few, not finite, on one line, or on both sides of
    the horizon.
    """
    points_a, points_b = np.asarray(points_a, float), np.asarray(points_b, float)
    if points_a.shape != points_b.shape or points_a.shape[1:] != (2,):
        raise GeometryError("two lists of as many points are needed")
    if len(points_a) < 4 or not np.isfinite([points_a, points_b]).all():
        raise GeometryError("a homography needs four points, all of them finite")
    norm_a, norm_b = _normalising(points_a), _normalising(points_b)
    (ax, ay), (bx, by) = transform(norm_a, points_a).T, transform(norm_b, points_b).T
    one, none = np.ones_like(bx), np.zeros_like(bx)
    rows_x = np.stack([bx, by, one, none, none, none, -ax * bx, -ax * by, -ax], axis=1)
    rows_y = np.stack([none, none, none, bx, by, one, -ay * bx, -ay * by, -ay], axis=1)
    # The null vector of a 9 x 9 matrix, so that four points have one too.
    equations = np.zeros((max(2 * len(bx), 9), 9))
    equations[: 2 * len(bx)] = np.concatenate([rows_x, rows_y])
    _, strength, vectors = np.linalg.svd(equations, full_matrices=False)
    normalised = vectors[8].reshape(3, 3)
    if strength[7] < 1e-6 * strength[0] or _is_flat(normalised):
        raise GeometryError("the points lie on one line")
    found: Array = np.linalg.solve(norm_a, normalised @ norm_b)
    w = np.column_stack([points_b, one]) @ found[2]
    found = found / (np.linalg.norm(found) * np.sign(w[0] or 1.0))
    if not np.all(w * np.sign(w[0]) > 0):
        raise GeometryError("the points lie on both sides of the horizon")
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A pinhole camera with lens distortion."""

    width_px: int
    height_px: int
    focal_px: tuple[float, float]
    """Along x and along y."""
    centre_px: tuple[float, float]
    """Where the optical axis meets the picture."""
    focal_sigma: float = 0.0
    """Of the focal length, as a share of it; both directions err together."""
    distortion: Array = field(default_factory=lambda: np.zeros(5))
    """(5,) k1 k2 p1 p2 k3, as OpenCV has them."""
    centre_sigma: float = 0.0
    """Of each coordinate of that centre, as a share of the width."""

    @classmethod
    def guess(
        cls, width_px: int, height_px: int, facts: Mapping[str, Any] | None = None
    ) -> Camera:
        """Return what is known before anything was measured, with its uncertainty.

        `facts` are those of `Frame.exif`. The axis is assumed in the middle.
        """
        per_diagonal, sigma = USUAL_FOCAL_PER_DIAGONAL, USUAL_FOCAL_SIGMA
        facts = facts or {}
        if stated := facts.get("focal_35mm"):
            per_diagonal, sigma = stated / DIAGONAL_35MM, STATED_FOCAL_SIGMA
            stored = facts.get("stored_width_px"), facts.get("stored_height_px")
            if not _same_shape((width_px, height_px), stored):
                sigma = CROPPED_FOCAL_SIGMA
        focal = per_diagonal * math.hypot(width_px, height_px)
        centre = ((width_px - 1) / 2, (height_px - 1) / 2)
        return cls(width_px, height_px, (focal, focal), centre, sigma)

    def scaled_focal(self, factor: float) -> Camera:
        """Return the same camera with its focal length multiplied."""
        focal = (self.focal_px[0] * factor, self.focal_px[1] * factor)
        return replace(self, focal_px=focal)

    def resized(self, width_px: int, height_px: int) -> Camera:
        """Return the same camera for pictures of another size, of the same shape."""
        scale = width_px / self.width_px
        (fx, fy), (cx, cy) = self.focal_px, self.centre_px
        return replace(
            self,
            width_px=width_px,
            height_px=height_px,
            focal_px=(fx * scale, fy * scale),
            centre_px=((cx + 0.5) * scale - 0.5, (cy + 0.5) * scale - 0.5),
        )

    def project(self, points_camera: Array) -> Array:
        """Return the (N, 2) px of (N, 3) points in camera space.

        Raises `GeometryError` for points beside or behind the camera.
        """
        depth = points_camera[:, 2:]
        if not np.all(depth > NEAREST_MM):
            raise GeometryError("a point lies behind the camera")
        bent = self._bent(points_camera[:, :2] / depth)
        return np.ascontiguousarray(bent * self.focal_px + self.centre_px)

    def rays(self, points_px: Array) -> Array:
        """Return the (N, 3) directions, with z = 1, that are seen at (N, 2) px.

        Raises `GeometryError` where the lens model has no answer, far outside.
        """
        bent = (points_px - np.array(self.centre_px)) / np.array(self.focal_px)
        straight = bent if not self.distortion.any() else self._undistort(bent)
        return np.column_stack([straight, np.ones(len(straight))])

    def jacobian(self, points_camera: Array) -> Array:
        """Return (N, 2, 3): px per mm in camera space."""
        z = points_camera[:, 2]
        straight = points_camera[:, :2] / z[:, None]
        focal = np.array(self.focal_px)[:, None, None]
        of_lens = self._bends(straight).transpose(1, 2, 0) * focal / z
        # Of a pinhole camera: what is farther moves less, and towards the axis.
        inwards = -(of_lens * straight.T).sum(axis=1, keepdims=True)
        return np.concatenate([of_lens, inwards], axis=1).transpose(2, 0, 1)

    def _bent(self, straight: Array) -> Array:
        """Return the (N, 2) places to which the lens bends."""
        _, _, p1, p2, _ = (float(one) for one in self.distortion)
        x, y = straight[:, 0], straight[:, 1]
        xx, yy, xy, r2, radial = self._terms(x, y)
        bent = np.empty((2, len(x)))
        bent[0] = x * radial + 2 * p1 * xy + p2 * (r2 + 2 * xx)
        bent[1] = y * radial + p1 * (r2 + 2 * yy) + 2 * p2 * xy
        return bent.T

    def _bends(self, straight: Array) -> Array:
        """Return the (N, 2, 2) derivatives of these."""
        k1, k2, p1, p2, k3 = (float(one) for one in self.distortion)
        x, y = straight[:, 0], straight[:, 1]
        xx, yy, xy, r2, radial = self._terms(x, y)
        slope = 2 * (k1 + r2 * (2 * k2 + r2 * 3 * k3))
        bends = np.empty((2, 2, len(x)))
        bends[0, 0] = radial + slope * xx + 2 * p1 * y + 6 * p2 * x
        bends[0, 1] = slope * xy + 2 * p1 * x + 2 * p2 * y
        bends[1, 0] = bends[0, 1]
        bends[1, 1] = radial + slope * yy + 6 * p1 * y + 2 * p2 * x
        return bends.transpose(2, 0, 1)

    def _terms(self, x: Array, y: Array) -> tuple[Array, ...]:
        """Return x^2, y^2, xy, r^2, and by how much the lens stretches there."""
        k1, k2, _, _, k3 = (float(one) for one in self.distortion)
        xx, yy = x * x, y * y
        r2 = xx + yy
        return xx, yy, x * y, r2, 1 + r2 * (k1 + r2 * (k2 + r2 * k3))

    def _undistort(self, bent: Array) -> Array:
        # Newton; the fixed-point iteration that OpenCV uses stops at 1e-3 px or so.
        bent = straight = np.asfortranarray(bent)
        for _ in range(20):
            off, by = bent - self._bent(straight), self._bends(straight)
            a, b, d = by[:, 0, 0], by[:, 0, 1], by[:, 1, 1]
            determinant = a * d - b * b
            if not np.all(determinant > 1e-3):
                break
            x, y = off.T
            step = np.stack([d * x - b * y, a * y - b * x]) / determinant
            straight = straight + step.T
            if np.all(np.abs(step) < 1e-14 + 1e-13 * np.abs(straight.T)):
                return straight
        if np.all(np.abs(self._bent(straight) - bent) < 1e-11):
            return straight
        raise GeometryError("a point lies outside what the lens shows")


@dataclass(frozen=True, slots=True, eq=False)
class TableMap:
    """Where the camera stands over the table: maps px to mm and back."""

    camera: Camera
    rotation: Array
    """(3, 3) camera_from_table."""
    translation_mm: Array
    """(3,) the table's origin in camera space."""
    residual_mm: float = 0.0
    """Root mean square distance of the reference points from where they should be."""
    references: int = 0
    """How many things of known size, or markers, it rests on."""
    covariance: Array = field(default_factory=lambda: np.zeros((7, 7)))
    """(7, 7) of a small turn of the camera (rad, about the camera's axes), of the
    translation (mm) and of the focal length (as a share of it)."""
    by_centre: Array | None = None
    """(7, 2) how these follow the optical axis, per px, where they were fitted."""
    lens: tuple[float, float] | None = None
    """The focal length that the reference points tell by themselves, as the logarithm
    of its ratio to the known one, and its sigma; `None` where it was not known well."""

    @property
    def position_mm(self) -> Array:
        """Return the (3,) place of the camera in table space."""
        position: Array = -self.rotation.T @ self.translation_mm
        return position

    def to_image(self, points_mm: ArrayLike, height_mm: ArrayLike = 0.0) -> Array:
        """Return the (N, 2) px of (N, 2) table points that lie at a height.

        Raises `GeometryError` for points beside or behind the camera.
        """
        return self.camera.project(self._in_camera(points_mm, height_mm))

    def to_table(self, points_px: ArrayLike, height_mm: ArrayLike = 0.0) -> Array:
        """Return the (N, 2) mm where the (N, 2) px see the plane at a height.

        Raises `GeometryError` for points on or beyond the horizon, and for planes that
        do not lie below the camera.
        """
        rays = self.camera.rays(_points(points_px)) @ self.rotation
        position = self.position_mm
        below = np.asarray(height_mm, float) - position[2]
        if not np.all(below < -NEAREST_MM):
            raise GeometryError("the camera is not above the plane")
        if not np.all(rays[:, 2] < -HORIZON * np.linalg.norm(rays, axis=1)):
            raise GeometryError("a point lies on or beyond the horizon of the table")
        reach = below / rays[:, 2]
        met: Array = position[:2] + reach[:, None] * rays[:, :2]
        return met

    def jacobian(self, points_mm: ArrayLike, height_mm: ArrayLike = 0.0) -> Array:
        """Return (N, 2, 2): px per mm on the table, at (N, 2) table points."""
        by = self.camera.jacobian(self._in_camera(points_mm, height_mm))
        on_table = self.rotation[:, :2].T @ by.transpose(1, 2, 0)
        return np.asarray(on_table.transpose(2, 0, 1), float)

    def pose_jacobian(self, points_mm: ArrayLike, height_mm: ArrayLike = 0.0) -> Array:
        """Return (N, 2, 7): px per unit of the parameters of `covariance`."""
        in_camera = self._in_camera(points_mm, height_mm)
        by_point = self.camera.jacobian(in_camera)
        turned = by_point @ -_cross_matrices(in_camera - self.translation_mm)
        by_focal = self.camera.project(in_camera) - np.array(self.camera.centre_px)
        return np.concatenate([turned, by_point, by_focal[:, :, None]], axis=2)

    def covariance_mm2(
        self,
        points_mm: ArrayLike,
        covariance_px2: ArrayLike,
        height_mm: ArrayLike = 0.0,
    ) -> Array:
        """Return the (N, 2, 2) covariance of table points seen with a given one.

        `covariance_px2` is (2, 2) or (N, 2, 2). First order; the uncertainty of the
        pose and of the focal length is added to that of the picture.
        """
        by_pose = self.pose_jacobian(points_mm, height_mm)
        of_pose = by_pose @ self.covariance @ by_pose.transpose(0, 2, 1)
        if self.by_centre is not None:
            # What the axis is off by, the pose makes good at the points it rests on.
            left = by_pose @ self.by_centre + np.eye(2)
            sigma_px = self.camera.centre_sigma * self.camera.width_px
            of_pose = of_pose + sigma_px**2 * left @ left.transpose(0, 2, 1)
        mm_per_px = np.linalg.inv(self.jacobian(points_mm, height_mm))
        in_image = of_pose + np.asarray(covariance_px2, float)
        covariance = mm_per_px @ in_image @ mm_per_px.transpose(0, 2, 1)
        return np.asarray(covariance, float)

    def _in_camera(self, points_mm: ArrayLike, height_mm: ArrayLike) -> Array:
        points = _points(points_mm)
        in_table = np.empty((3, len(points)))
        in_table[:2], in_table[2] = points.T, height_mm
        seen: Array = self.rotation @ in_table + self.translation_mm[:, None]
        return seen.T


def _points(points: ArrayLike) -> Array:
    array = np.asarray(points, float)
    if array.ndim != 2 or array.shape[1] != 2:
        raise GeometryError(f"(N, 2) points are needed, not {array.shape}")
    return array


def _normalising(points: Array) -> Array:
    centre = points.mean(axis=0)
    reach = np.abs(points - centre).mean()
    if reach <= 1e-12 * (1 + np.abs(centre).max()):
        raise GeometryError("the points lie on one spot")
    scale = 1 / reach
    return np.array(
        [[scale, 0, -scale * centre[0]], [0, scale, -scale * centre[1]], [0, 0, 1]]
    )


def _is_flat(homography: Array) -> bool:
    strength = np.linalg.svd(homography, compute_uv=False)
    return bool(strength[2] < 1e-6 * strength[0])


def _cross_matrices(vectors: Array) -> Array:
    x, y, z = vectors.T
    none = np.zeros_like(x)
    rows = [[none, -z, y], [z, none, -x], [-y, x, none]]
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1)


def _same_shape(size: tuple[int, int], stored: tuple[object, object]) -> bool:
    width, height = stored
    if not isinstance(width, int | float) or not isinstance(height, int | float):
        return True
    ratio = max(size) / min(size)
    return abs(ratio - max(width, height) / min(width, height)) < 0.02 * ratio
