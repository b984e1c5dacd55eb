"""The pinhole camera that looks at a rendered table."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vision.types import Array


@dataclass(frozen=True, slots=True, eq=False)
class SceneCamera:
    """A pinhole camera over the table plane z = 0 (mm, z up)."""

    focal_px: float
    centre_px: tuple[float, float]
    """Principal point; outside the picture when the picture is a crop."""
    rotation: Array
    """(3, 3) camera_from_table; camera x right, y down, z forward."""
    translation_mm: Array
    """(3,) the table's origin in camera space."""

    def image_from_plane(self, height_mm: float = 0.0) -> Array:
        """Return the (3, 3) homography from table mm at `height_mm` to px."""
        intrinsics = np.array(
            [
                [self.focal_px, 0, self.centre_px[0]],
                [0, self.focal_px, self.centre_px[1]],
                [0, 0, 1],
            ]
        )
        columns = np.column_stack(
            [
                self.rotation[:, 0],
                self.rotation[:, 1],
                self.translation_mm + height_mm * self.rotation[:, 2],
            ]
        )
        return np.asarray(intrinsics @ columns, float)

    def project(self, points_mm: Array) -> Array:
        """Return the (N, 2) px of (N, 3) table points; none may lie behind."""
        camera = points_mm @ self.rotation.T + self.translation_mm
        return np.asarray(
            camera[:, :2] / camera[:, 2:] * self.focal_px + self.centre_px, float
        )


def look_at_table(
    *,
    focal_px: float,
    distance_mm: float,
    tilt_deg: float,
    yaw_deg: float,
    roll_deg: float,
    centre_px: tuple[float, float],
) -> SceneCamera:
    """Return a camera whose axis meets the table's origin.

    `tilt_deg` is 0 when it looks straight down; `yaw_deg` walks around the table;
    `roll_deg` turns the camera about its own axis.
    """
    tilt, yaw, roll = (math.radians(a) for a in (tilt_deg, yaw_deg, roll_deg))
    down = np.diag([1.0, -1.0, -1.0])  # table y up in the picture, camera z downwards
    about_x = _rotation(0, -tilt)
    about_z = _rotation(2, yaw)
    rotation = _rotation(2, roll) @ about_x @ down @ about_z
    return SceneCamera(focal_px, centre_px, rotation, np.array([0.0, 0.0, distance_mm]))


def _rotation(axis: int, angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    a, b = [i for i in range(3) if i != axis]
    matrix = np.eye(3)
    matrix[a, a] = matrix[b, b] = c
    matrix[a, b], matrix[b, a] = -s, s
    return matrix
