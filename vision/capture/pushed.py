"""A phone that sends its pictures itself, by POST: the newest one waits here."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from vision.capture.source import EndOfShotsError, Shot
from vision.errors import CameraError
from vision.types import Bgr

PATIENCE_S = 5.0
"""A phone that sent nothing for so long counts as gone."""


@dataclass(slots=True)
class Pushed:
    """A slot that requests fill and a grabber empties."""

    name: str
    patience_s: float = PATIENCE_S
    clock: Callable[[], float] = time.monotonic
    is_live: bool = True
    frozen_after_s: float | None = 1.5
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _shot: Shot | None = None
    _is_over: bool = False

    def push(self, bgr: Bgr) -> None:
        """Take a picture in; one that nobody has read yet is replaced."""
        with self._changed:
            self._shot = Shot(bgr, self.clock())
            self._changed.notify_all()

    def end(self) -> None:
        """Say that no more pictures will come."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def open(self) -> None:
        """Nothing has to be opened: the phone comes to us."""

    def read(self) -> Shot:
        """Return the newest picture; wait for one up to the phone's patience."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._shot is not None or self._is_over, self.patience_s
            )
            if self._shot is None:
                if self._is_over:
                    raise EndOfShotsError(f"{self.name} was put away")
                raise CameraError(f"{self.name} has sent no picture for a while")
            shot, self._shot = self._shot, None
            return shot

    def close(self) -> None:
        """Keep the slot: pictures may come again."""
