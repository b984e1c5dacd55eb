"""Cameras that were measured, kept under the stable name of the device.

One JSON file per camera. A new calibration does not destroy the old one (F-53): that is
kept beside it, with the time at which it was taken.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from vision.calibrate import Calibration
from vision.errors import CameraError
from vision.geometry import Camera

VERSION = 1


def camera_path(folder: Path, name: str) -> Path:
    """Return the file of the camera with this stable name (a by-id path, a URL)."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:48]
    # Names may differ only in characters that a file name cannot hold.
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return folder / f"{readable or 'camera'}-{digest}.json"


def save_camera(
    folder: Path, name: str, calibration: Calibration, taken_at: datetime
) -> Path:
    """Write the calibration and return its file; an older one is kept beside it."""
    path = camera_path(folder, name)
    folder.mkdir(parents=True, exist_ok=True)
    if path.exists():
        stamp = _stamp(path)
        path.replace(path.with_name(f"{path.stem}.{stamp}.json"))
    camera = calibration.camera
    values = {
        "version": VERSION,
        "name": name,
        "taken_at": taken_at.astimezone(UTC).isoformat(timespec="seconds"),
        "width_px": camera.width_px,
        "height_px": camera.height_px,
        "focal_px": list(camera.focal_px),
        "centre_px": list(camera.centre_px),
        "focal_sigma": camera.focal_sigma,
        "distortion": camera.distortion.tolist(),
        "covariance": calibration.covariance.tolist(),
        "rms_px": calibration.rms_px,
        "views": calibration.views,
        "dropped": calibration.dropped,
        "covered": calibration.covered,
    }
    path.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    return path


def load_camera(folder: Path, name: str) -> Calibration | None:
    """Return the calibration kept for this camera, `None` if there is none.

    Raises `CameraError` if the file is not one of ours.
    """
    path = camera_path(folder, name)
    if not path.exists():
        return None
    return _calibration(path, _values(path))


def for_picture(calibration: Calibration, width_px: int, height_px: int) -> Camera:
    """Return the camera for pictures of another size, of the same shape.

    Raises `CameraError` for another shape: what the device cuts off is not known.
    """
    camera = calibration.camera
    scale = width_px / camera.width_px
    if abs(height_px - scale * camera.height_px) > 2:
        raise CameraError(
            f"the camera was calibrated at {camera.width_px} x {camera.height_px}; "
            f"a picture of {width_px} x {height_px} has another shape"
        )
    return camera.resized(width_px, height_px)


def _calibration(path: Path, values: dict[str, Any]) -> Calibration:
    try:
        if values["version"] != VERSION:
            raise CameraError(
                f"{path} is of version {values['version']}, not {VERSION}"
            )
        fx, fy = (float(v) for v in values["focal_px"])
        cx, cy = (float(v) for v in values["centre_px"])
        covariance = np.array(values["covariance"], float).reshape(9, 9)
        width = int(values["width_px"])
        camera = Camera(
            width,
            int(values["height_px"]),
            (fx, fy),
            (cx, cy),
            float(values["focal_sigma"]),
            np.array(values["distortion"], float).reshape(5),
            math.sqrt(float(np.diag(covariance)[2:4].mean())) / width,
        )
        return Calibration(
            camera,
            covariance,
            float(values["rms_px"]),
            int(values["views"]),
            int(values["dropped"]),
            float(values["covered"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CameraError(f"{path} is not a camera of Arbitro: {error}") from error


def _values(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CameraError(f"cannot read {path}: {error}") from error
    if not isinstance(values, dict):
        raise CameraError(f"{path} is not a camera of Arbitro")
    return values


def _stamp(path: Path) -> str:
    try:
        taken = datetime.fromisoformat(str(_values(path)["taken_at"]))
    except (CameraError, KeyError, ValueError):
        taken = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return taken.strftime("%Y%m%dT%H%M%SZ")
