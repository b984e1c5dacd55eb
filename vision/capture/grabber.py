"""The thread that reads a source and keeps its newest usable shot.

A slot of one, no queue: whoever is slow sees fewer pictures, never old ones (F-72).
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from vision.capture.source import CameraStatus, EndOfShotsError, Health, Shot, Source
from vision.capture.watchdog import Watchdog
from vision.errors import CameraError

logger = logging.getLogger(__name__)

FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 30.0
"""Between two tries to open a camera; doubled after each."""
FPS_SHOTS = 30
SILENT_S = 1.5
"""A live source that gave no shot for so long counts as unplugged."""


@dataclass(frozen=True, slots=True, eq=False)
class Grabbed:
    """A shot with its number; numbers that are missing were dropped or unusable."""

    number: int
    shot: Shot


class Grabber:
    """Reads one source in a thread of its own; a context manager."""

    def __init__(
        self,
        source: Source,
        *,
        keep_all: bool = False,
        on_status: Callable[[CameraStatus], None] = lambda status: None,
    ) -> None:
        """`keep_all` waits until each shot was taken: for recordings at full speed."""
        self._source = source
        self._keep_all = keep_all
        self._on_status = on_status
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._slot: Grabbed | None = None
        self._taken = 0
        self._number = 0
        self._wait_s = FIRST_WAIT_S
        self._read_at_s = time.monotonic()
        self._slow_after_s = math.inf
        """So long without another shot, and few come."""
        self._times: deque[float] = deque(maxlen=FPS_SHOTS)
        self._status = CameraStatus(Health.OPENING, time.monotonic())
        self._thread = threading.Thread(
            target=self._run, name=f"grab {source.name}", daemon=True
        )

    def __enter__(self) -> Grabber:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def status(self) -> CameraStatus:
        """Return how the source does now."""
        silent_s = time.monotonic() - self._read_at_s
        status = self._status
        flows = status.health in (Health.GOOD, Health.SLOW, Health.FROZEN)
        if self._source.is_live and flows and silent_s > SILENT_S:
            return replace(status, health=Health.UNPLUGGED, fps=0.0)
        if status.health is Health.GOOD and silent_s > self._slow_after_s:
            return replace(status, health=Health.SLOW)
        return status

    def newest(self, after: int, timeout_s: float) -> Grabbed | None:
        """Return the newest usable shot if its number is above `after`, else `None`.

        Waits for one up to `timeout_s`.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._has_newer(after) or self._is_over(), timeout_s
            )
            if not self._has_newer(after):
                return None
            grabbed = self._slot
            assert grabbed is not None
            self._taken = grabbed.number
            self._changed.notify_all()
            return grabbed

    def stop(self) -> None:
        """End the thread and close the source."""
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def _has_newer(self, after: int) -> bool:
        return self._slot is not None and self._slot.number > after

    def _is_over(self) -> bool:
        return self._stop.is_set() or self._status.health is Health.ENDED

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._source.open()
                self._read_all()
            except EndOfShotsError as end:
                self._tell(Health.ENDED, str(end))
                break
            except CameraError as error:
                logger.info("%s: %s", self._source.name, error)
                self._tell(Health.UNPLUGGED, str(error))
                self._stop.wait(self._wait_s)
                self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S)
            finally:
                self._source.close()

    def _read_all(self) -> None:
        dog = Watchdog(self._source.frozen_after_s)
        while not self._stop.is_set():
            shot = self._source.read()
            self._read_at_s = time.monotonic()
            self._times.append(self._read_at_s)
            finding = dog.check(shot)
            self._slow_after_s = dog.slow_from_s - shot.taken_s
            self._tell(finding.health, "", shot)
            if finding.is_usable:
                self._wait_s = FIRST_WAIT_S
                self._put(shot)

    def _put(self, shot: Shot) -> None:
        with self._changed:
            self._number += 1
            self._slot = Grabbed(self._number, shot)
            self._changed.notify_all()
            if self._keep_all:
                self._changed.wait_for(
                    lambda: self._taken >= self._number or self._stop.is_set()
                )

    def _tell(self, health: Health, detail: str, shot: Shot | None = None) -> None:
        status = self._status
        since_s = status.since_s if status.health is health else time.monotonic()
        self._status = CameraStatus(
            health,
            since_s,
            detail,
            self._fps() if shot is not None else 0.0,
            status.width_px if shot is None else shot.bgr.shape[1],
            status.height_px if shot is None else shot.bgr.shape[0],
        )
        if health is not status.health:
            self._on_status(self._status)
            with self._changed:
                self._changed.notify_all()

    def _fps(self) -> float:
        if len(self._times) < 2:
            return 0.0
        span_s = self._times[-1] - self._times[0]
        return round((len(self._times) - 1) / span_s, 1) if span_s > 0 else 0.0
