"""A phone's shelf as a source of frames for `vision.capture`."""

from __future__ import annotations

import time
from dataclasses import dataclass

from companion.cameras import FRESH_S, Shelf
from companion.decoding import decode_apart
from companion.errors import NotHereError
from vision.capture.source import Shot
from vision.errors import CameraError, ImageError

POLL_S = 0.02


@dataclass(slots=True)
class PhoneSource:
    """The newest pictures of one phone; others that came between are passed over.

    A phone is a stranger too: its pictures are opened by a child.
    """

    shelf: Shelf
    name: str
    patience_s: float = FRESH_S / 2
    is_live: bool = True
    frozen_after_s: float | None = 1.5
    _count: int = -1

    def open(self) -> None:
        """Nothing has to be opened: the phone comes to us."""

    def read(self) -> Shot:
        """Return the next picture; raise `CameraError` if none comes for a while."""
        until = time.monotonic() + self.patience_s
        while time.monotonic() < until:
            found = self.shelf.newest(self.name)
            if found is not None and found.count != self._count:
                self._count = found.count
                try:
                    bgr = decode_apart(found.jpeg, self.name).bgr
                    return Shot(bgr, time.monotonic())
                except (ImageError, NotHereError) as error:
                    raise CameraError(f"{self.name}: {error}") from error
            time.sleep(POLL_S)
        raise CameraError(f"{self.name} has sent no picture for a while")

    def close(self) -> None:
        """Keep the shelf: pictures may come again."""
