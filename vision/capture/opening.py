"""From what a person typed to a source."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from vision.capture.replay import PICTURES, VIDEOS, FolderReplay, VideoReplay
from vision.capture.source import Source
from vision.capture.stream import Stream
from vision.capture.webcam import Webcam
from vision.errors import CameraError


def open_source(
    text: str,
    *,
    allowed_hosts: Iterable[str] = (),
    real_time: bool = True,
    fps: float = 2.0,
) -> Source:
    """Return the source that is meant; it is not opened yet.

    ``rtsp://`` and ``http://`` addresses are streams, what exists is a video file or a
    folder of pictures (`fps` of them a second), anything else is the name or number of
    a webcam. Raises `CameraError`.
    """
    if "://" in text:
        return Stream(text, allowed_hosts)
    path = Path(text)
    if path.is_dir():
        return FolderReplay(path, fps, real_time)
    if path.is_file() or path.suffix.lower() in (*VIDEOS, *PICTURES):
        if path.suffix.lower() in PICTURES:
            raise CameraError(f"{path.name} is one picture; `arbitro score` reads it")
        return VideoReplay(path, real_time)
    return Webcam(text)
