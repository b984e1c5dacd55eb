"""Webcams by a name that stays, whatever number the system gives them today."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.capture.source import Shot
from vision.errors import CameraError

WARM_UP_SHOTS = 5
"""Dropped after opening: exposure still settles (F-71)."""
LOST_AFTER_READS = 20
MJPG = cv2.VideoWriter.fourcc(*"MJPG")


@dataclass(frozen=True, slots=True)
class WebcamInfo:
    """One webcam, as the system lists it."""

    name: str
    path: str
    """Stable where the system has such a thing: a device path, a unique id."""
    index: int
    backend: int

    @property
    def key(self) -> str:
        """Return what to ask for it by: unique, and the same after a replug (F-65)."""
        return f"{self.name}@{self.path}" if self.path else self.name


def list_webcams() -> tuple[WebcamInfo, ...]:
    """Return the webcams of this machine, each once."""
    from cv2_enumerate_cameras import enumerate_cameras  # noqa: PLC0415 - by platform

    found: dict[tuple[str, str], WebcamInfo] = {}
    for backend in backends():
        try:
            listed = enumerate_cameras(backend)
        except Exception as error:  # a driver may raise anything
            raise CameraError(f"the cameras cannot be listed: {error}") from error
        for info in listed:
            name, path = str(info.name or "").strip(), str(info.path or "")
            key = (name, path or str(info.index))
            webcam = WebcamInfo(name or f"camera {info.index}", path, info.index, 0)
            found.setdefault(key, _with_backend(webcam, int(info.backend or backend)))
    return tuple(found.values())


def _with_backend(webcam: WebcamInfo, backend: int) -> WebcamInfo:
    return WebcamInfo(webcam.name, webcam.path, webcam.index % 100, backend)


def backends(platform: str = sys.platform) -> tuple[int, ...]:
    """Return what to try in turn: DirectShow opens at once, MSMF may take 20 s."""
    if platform == "win32":
        return cv2.CAP_DSHOW, cv2.CAP_MSMF
    if platform == "darwin":
        return (cv2.CAP_AVFOUNDATION,)
    return (cv2.CAP_V4L2,)


def choose(webcams: Sequence[WebcamInfo], wanted: str) -> WebcamInfo:
    """Return the webcam that is meant by a key, a name, a part of it, or a number.

    Raises `CameraError` with the names there are.
    """
    known = ", ".join(f"{i}: {one.name}" for i, one in enumerate(webcams)) or "none"
    if wanted.isdecimal():
        if int(wanted) < len(webcams):
            return webcams[int(wanted)]
        raise CameraError(f"there is no camera {wanted}; there are: {known}")
    for matches in (
        [one for one in webcams if wanted in (one.key, one.path)],
        [one for one in webcams if one.name == wanted],
        [one for one in webcams if wanted.casefold() in one.name.casefold()],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise CameraError(f"{wanted} may be several cameras: {known}")
    raise CameraError(f"there is no camera {wanted}; there are: {known}")


@dataclass(frozen=True, slots=True)
class Locks:
    """What the driver let us hold still."""

    exposure: bool
    focus: bool
    white_balance: bool


class Webcam:
    """A webcam of this machine; found again by its name after each replug."""

    is_live = True
    frozen_after_s: float | None = 1.0

    def __init__(
        self,
        wanted: str,
        *,
        size_px: tuple[int, int] = (1280, 720),
        fps: float = 30.0,
        lock: bool = True,
    ) -> None:
        self._wanted = wanted
        self._size_px = size_px
        self._fps = fps
        self._lock = lock
        self._capture: cv2.VideoCapture | None = None
        self.name = wanted
        self.locks = Locks(exposure=False, focus=False, white_balance=False)

    def open(self) -> None:
        """Find it by name, ask for MJPG before the size, lock what can be locked."""
        webcam = choose(list_webcams(), self._wanted)
        self.name = webcam.name
        tried = []
        for backend in dict.fromkeys((webcam.backend, *backends())):
            capture = cv2.VideoCapture(webcam.index, backend)
            if capture.isOpened() and self._starts(capture):
                self._capture = capture
                return
            capture.release()
            tried.append(str(backend))
        raise CameraError(f"{self.name} does not open (back-ends {', '.join(tried)})")

    def _starts(self, capture: cv2.VideoCapture) -> bool:
        # MJPG first, or HD comes uncompressed at 5 to 10 pictures a second (F-69).
        capture.set(cv2.CAP_PROP_FOURCC, MJPG)
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._size_px[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size_px[1])
        capture.set(cv2.CAP_PROP_FPS, self._fps)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        for _ in range(WARM_UP_SHOTS):
            if not capture.read()[0]:
                return False
        if self._lock:
            self.locks = locked(capture)
        return True

    def read(self) -> Shot:
        """Return the next picture; raise `CameraError` if none comes."""
        assert self._capture is not None
        for _ in range(LOST_AFTER_READS):
            ok, bgr = self._capture.read()
            if ok and bgr.size:
                return Shot(np.asarray(bgr, np.uint8), time.monotonic())
            time.sleep(0.02)
        raise CameraError(f"{self.name} has stopped sending pictures")

    def close(self) -> None:
        """Let other programs have it."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


def locked(capture: cv2.VideoCapture) -> Locks:
    """Hold exposure, focus and white balance where they are now; say what was granted.

    A value counts as granted when it can be read back.
    """

    def holds(automatic: int, off: Iterable[float], value: int) -> bool:
        now = capture.get(value)
        for setting in off:
            if capture.set(automatic, setting) and capture.get(automatic) == setting:
                return bool(capture.set(value, now))
        return False

    return Locks(
        # V4L2 says 1 for manual, DirectShow 0.25.
        exposure=holds(cv2.CAP_PROP_AUTO_EXPOSURE, (1.0, 0.25), cv2.CAP_PROP_EXPOSURE),
        focus=holds(cv2.CAP_PROP_AUTOFOCUS, (0.0,), cv2.CAP_PROP_FOCUS),
        white_balance=holds(cv2.CAP_PROP_AUTO_WB, (0.0,), cv2.CAP_PROP_WB_TEMPERATURE),
    )
