"""The camera that took a picture: calibrated, or guessed with its uncertainty."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from companion.config import default_folder
from companion.errors import UsageError
from companion.i18n import N_
from companion.measure.errors import BoardDataError

if TYPE_CHECKING:
    from vision.geometry import Camera
    from vision.types import Frame


def camera_folder() -> Path:
    """Return where calibrated cameras are kept."""
    return default_folder() / "cameras"


def camera_of(frame: Frame, name: str | None) -> Camera:
    """Return the calibrated camera of that name, or what is known without.

    Raises `UsageError` if there is none such, `BoardDataError` if it does not fit.
    """
    from vision.camera_store import for_picture, load_camera  # noqa: PLC0415 - slow
    from vision.errors import CameraError  # noqa: PLC0415 - as above
    from vision.geometry import Camera  # noqa: PLC0415 - as above

    height, width = frame.bgr.shape[:2]
    if name is None:
        return Camera.guess(width, height, frame.exif)
    try:
        calibration = load_camera(camera_folder(), name)
        if calibration is None:
            raise UsageError(
                N_(
                    "There is no camera %(name)s."
                    " `arbitro calibrate PHOTO... --camera %(name)s` makes one."
                ),
                name=name,
            )
        return for_picture(calibration, width, height)
    except CameraError as error:
        raise BoardDataError("%(reason)s", reason=str(error)) from error
