"""Whether a picture was taken of a screen rather than of the table itself."""

from __future__ import annotations

from vision.types import Bgr


def is_screen(bgr: Bgr) -> bool:
    """Return whether the picture shows the pixel grid of a screen."""
    return bgr.size == 0
