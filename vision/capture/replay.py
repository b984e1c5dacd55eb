"""Recordings as sources: a video file, or a folder of pictures."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from vision.capture.source import EndOfShotsError, Shot
from vision.errors import CameraError, ImageError
from vision.images import read_image
from vision.types import Bgr

PICTURES = (".jpg", ".jpeg", ".png", ".webp")
VIDEOS = (".mp4", ".mkv", ".avi", ".mov", ".webm", ".m4v", ".mpg", ".mpeg")
LOWEST_FPS, HIGHEST_FPS = 1.0, 240.0
DEFAULT_FPS = 30.0


@dataclass(slots=True)
class Pace:
    """Gives each picture of a recording its time, and waits for it at real speed."""

    real_time: bool
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _began_s: float | None = None

    def keep(self, taken_s: float) -> None:
        """Wait until the picture of that time is due; not at full speed."""
        if not self.real_time:
            return
        if self._began_s is None:
            self._began_s = self.clock() - taken_s
        ahead_s = self._began_s + taken_s - self.clock()
        if ahead_s > 0:
            self.sleep(ahead_s)


@dataclass(slots=True)
class VideoReplay:
    """A video file, once, from its beginning."""

    path: Path
    real_time: bool = True
    is_live: bool = False
    frozen_after_s: float | None = None
    _capture: cv2.VideoCapture | None = None
    _pace: Pace = field(init=False)
    _fps: float = DEFAULT_FPS
    _count: int = 0

    def __post_init__(self) -> None:
        self._pace = Pace(self.real_time)

    @property
    def name(self) -> str:
        """Return the file's name."""
        return self.path.name

    def open(self) -> None:
        """Open the file with the FFmpeg that OpenCV carries; raise `CameraError`."""
        if not self.path.is_file():
            raise CameraError(f"there is no file {self.path}")
        capture = cv2.VideoCapture(str(self.path.resolve()), cv2.CAP_FFMPEG)
        if not capture.isOpened():
            raise CameraError(f"{self.path.name} is not a video that can be read")
        fps = capture.get(cv2.CAP_PROP_FPS)
        self._fps = fps if LOWEST_FPS <= fps <= HIGHEST_FPS else DEFAULT_FPS
        self._capture, self._count = capture, 0

    def read(self) -> Shot:
        """Return the next picture; its time follows from its number."""
        assert self._capture is not None
        ok, bgr = self._capture.read()
        if not ok or bgr is None:
            raise EndOfShotsError(f"{self.name} is over after {self._count} pictures")
        taken_s = self._count / self._fps
        self._count += 1
        self._pace.keep(taken_s)
        return Shot(np.asarray(bgr, np.uint8), taken_s)

    def close(self) -> None:
        """Close the file."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


@dataclass(slots=True)
class FolderReplay:
    """The pictures of a folder, in the order of their names."""

    folder: Path
    fps: float = 2.0
    real_time: bool = True
    is_live: bool = False
    frozen_after_s: float | None = None
    _paths: Sequence[Path] = ()
    _pace: Pace = field(init=False)
    _next: int = 0

    def __post_init__(self) -> None:
        self._pace = Pace(self.real_time)

    @property
    def name(self) -> str:
        """Return the folder's name."""
        return self.folder.name

    def open(self) -> None:
        """List the pictures; raise `CameraError` if there is none."""
        if not self.folder.is_dir():
            raise CameraError(f"there is no folder {self.folder}")
        found = (p for p in self.folder.iterdir() if p.suffix.lower() in PICTURES)
        self._paths, self._next = sorted(found), 0
        if not self._paths:
            raise CameraError(f"no picture lies in {self.folder}")

    def read(self) -> Shot:
        """Return the next picture that can be read."""
        while self._next < len(self._paths):
            path, taken_s = self._paths[self._next], self._next / self.fps
            self._next += 1
            self._pace.keep(taken_s)
            try:
                return Shot(read_image(path).bgr, taken_s)
            except ImageError:
                continue
        raise EndOfShotsError(f"{self.name} is over after {len(self._paths)} pictures")

    def close(self) -> None:
        """Nothing is held open."""


@dataclass(slots=True)
class ShotReplay:
    """Shots that somebody already has, such as a rendered video."""

    shots: Sequence[tuple[float, Bgr]]
    name: str = "shots"
    is_live: bool = False
    frozen_after_s: float | None = None
    real_time: bool = False
    _pace: Pace = field(init=False)
    _next: int = 0

    def __post_init__(self) -> None:
        self._pace = Pace(self.real_time)

    def open(self) -> None:
        """Nothing has to be opened; goes on where it was closed."""

    def read(self) -> Shot:
        """Return the next one."""
        if self._next >= len(self.shots):
            raise EndOfShotsError(f"{self.name} is over")
        taken_s, bgr = self.shots[self._next]
        self._next += 1
        self._pace.keep(taken_s)
        return Shot(bgr, taken_s)

    def close(self) -> None:
        """Nothing is held open."""
