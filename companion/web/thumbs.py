"""Small copies of pictures that we keep ourselves, for lists on a phone."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

SIDE_PX, QUALITY, KEPT = 320, 66, 64


def small_jpeg(path: Path) -> bytes:
    """Return a picture of ours as a JPEG of at most 320 px; some are remembered."""
    return _small(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=KEPT)
def _small(path: Path, changed_ns: int) -> bytes:
    from companion.sight import at_most  # noqa: PLC0415 - imports OpenCV
    from vision.images import read_image, to_jpeg  # noqa: PLC0415 - as above

    return to_jpeg(at_most(read_image(path).bgr, SIDE_PX), QUALITY)
