"""Mats that were photographed once, kept as folders, and how such a folder is made.

A folder holds ``mat.png`` (straightened, first row farthest from the near edge),
``mat.toml`` (its size, its corner markers if it has any), ``mat.pgw`` (a world file:
drawing programs then show millimetres) and ``features.npz``, by which the mat is found.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.errors import GeometryError, MatError
from vision.geometry import Camera, fit_homography, transform
from vision.images import read_image, to_png
from vision.locate_mat import MatReference, register_mat
from vision.markers import MarkerBoard, corner_board
from vision.types import Array, Bgr

PICTURE, FACTS, FEATURES, WORLD = "mat.png", "mat.toml", "features.npz", "mat.pgw"
PICTURE_LONG_PX = 1800
FEWEST_FEATURES = 120
"""Fewer on the whole mat would not find it with chips on it."""


@dataclass(frozen=True, slots=True)
class MatFacts:
    """What a person says of a mat."""

    bounds_mm: tuple[float, float, float, float]
    """Left, low, right, high edge of its picture."""
    markers: tuple[tuple[float, float, float, float], float] | None = None
    """Rectangle on whose corners the markers' centres lie, and a marker's side."""

    @property
    def board(self) -> MarkerBoard | None:
        """Return the markers printed on it."""
        return None if self.markers is None else corner_board(*self.markers)


def straightened(
    bgr: Bgr, corners_px: Array, size_mm: tuple[float, float], camera: Camera
) -> Bgr:
    """Return the mat seen from straight above, `PICTURE_LONG_PX` on its long side.

    `corners_px` is (4, 2), counter-clockwise on the mat from the near left corner.
    Raises `GeometryError` if they do not make a quad that is seen the right way round.
    """
    width, height = size_mm
    scale = PICTURE_LONG_PX / max(size_mm)
    columns, rows = round(width * scale), round(height * scale)
    corners_mm = np.array([[0, 0], [width, 0], [width, height], [0, height]], float)
    rays_from_mm = fit_homography(camera.rays(corners_px)[:, :2], corners_mm)
    if np.linalg.det(rays_from_mm) > 0:
        raise GeometryError("the corners run the wrong way round")
    x, y = np.meshgrid(
        (np.arange(columns) + 0.5) / scale, height - (np.arange(rows) + 0.5) / scale
    )
    on_mat = np.column_stack([x.ravel(), y.ravel()])
    rays = np.column_stack([transform(rays_from_mm, on_mat), np.ones(len(on_mat))])
    seen = camera.project(rays * 1000).astype(np.float32).reshape(rows, columns, 2)
    coarser = float(np.linalg.norm(seen[0, 0] - seen[-1, -1])) / np.hypot(columns, rows)
    soft = bgr if coarser < 1.3 else cv2.GaussianBlur(bgr, (0, 0), 0.45 * coarser)
    flat = cv2.remap(soft, seen[..., 0], seen[..., 1], cv2.INTER_CUBIC)
    return np.asarray(flat, np.uint8)


def save_mat(folder: Path, picture: Bgr, facts: MatFacts) -> MatReference:
    """Write a mat's folder and return its reference.

    Raises `MatError` if the picture shows too little to find the mat by.
    """
    reference = register_mat(picture, facts.bounds_mm)
    if len(reference.keypoints_px) < FEWEST_FEATURES and facts.markers is None:
        raise MatError("plain", "the mat shows too little to be found by")
    folder.mkdir(parents=True, exist_ok=True)
    packed = to_png(picture)
    (folder / PICTURE).write_bytes(packed)
    (folder / FACTS).write_text(_toml(facts), "utf-8")
    (folder / WORLD).write_text(_world(picture, facts.bounds_mm), "utf-8")
    _write_features(folder / FEATURES, reference, packed)
    return reference


def load_mat(folder: Path) -> tuple[MatReference, MatFacts]:
    """Return what `save_mat` wrote; features are made anew if the picture changed.

    Raises `MatError` (``missing``, ``facts``) or `ImageError`.
    """
    facts = _facts(folder / FACTS)
    picture = folder / PICTURE
    if not picture.is_file():
        raise MatError("missing", f"{folder} holds no {PICTURE}")
    kept = _read_features(folder / FEATURES, picture.read_bytes(), facts)
    if kept is not None:
        return kept, facts
    return register_mat(read_image(picture).bgr, facts.bounds_mm), facts


def _facts(path: Path) -> MatFacts:
    try:
        values = tomllib.loads(path.read_text("utf-8"))
        markers = values.get("markers")
        return MatFacts(
            _four(values["bounds_mm"]),
            None
            if markers is None
            else (_four(markers["centres_mm"]), float(markers["side_mm"])),
        )
    except OSError as error:
        raise MatError("missing", f"cannot read {path}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise MatError("facts", f"{path} does not describe a mat: {error}") from error


def _four(values: Any) -> tuple[float, float, float, float]:
    left, low, right, high = (float(value) for value in values)
    if not (left < right and low < high):
        raise ValueError("left, low, right, high must rise")
    return left, low, right, high


def _toml(facts: MatFacts) -> str:
    left, low, right, high = facts.bounds_mm
    lines = [
        "# The edges of mat.png on the table, in millimetres: left, low, right, high.",
        f"bounds_mm = [{left:g}, {low:g}, {right:g}, {high:g}]",
    ]
    if facts.markers is not None:
        (a, b, c, d), side = facts.markers
        lines += [
            "",
            "[markers]",
            f"centres_mm = [{a:g}, {b:g}, {c:g}, {d:g}]",
            f"side_mm = {side:g}",
        ]
    return "\n".join(lines) + "\n"


def _world(picture: Bgr, bounds_mm: tuple[float, float, float, float]) -> str:
    left, low, right, high = bounds_mm
    rows, columns = picture.shape[:2]
    x, y = (right - left) / columns, (high - low) / rows
    return "".join(f"{v:.6f}\n" for v in (x, 0, 0, -y, left + x / 2, high - y / 2))


def _write_features(path: Path, reference: MatReference, picture: bytes) -> None:
    np.savez_compressed(
        path,
        bgr=reference.bgr,
        keypoints_px=reference.keypoints_px.astype(np.float32),
        descriptors=reference.descriptors.round().astype(np.uint8),
        sha256=np.frombuffer(hashlib.sha256(picture).digest(), np.uint8),
    )


def _read_features(path: Path, picture: bytes, facts: MatFacts) -> MatReference | None:
    """Return the kept features, `None` if there are none of this picture."""
    try:
        with np.load(path, allow_pickle=False) as kept:
            if kept["sha256"].tobytes() != hashlib.sha256(picture).digest():
                return None
            bgr = np.asarray(kept["bgr"], np.uint8)
            return MatReference(
                np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8),
                facts.bounds_mm,
                np.asarray(kept["keypoints_px"], float),
                np.asarray(kept["descriptors"], np.float32),
                bgr,
            )
    except (OSError, KeyError, ValueError):
        return None
