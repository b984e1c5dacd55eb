"""What every source of frames offers, and what can be said of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vision.errors import CameraError
from vision.types import Bgr


class Health(StrEnum):
    """What a page says about a camera; each has one sentence in the companion."""

    OPENING = "opening"
    GOOD = "good"
    UNPLUGGED = "unplugged"
    """It cannot be opened, or stopped sending; it is tried again."""
    FROZEN = "frozen"
    """It sends the same picture again and again (F-64)."""
    BLACK = "black"
    """Covered, or without permission (F-68)."""
    REPEATED = "repeated"
    """It shows pictures again that were shown before: a loop."""
    SLOW = "slow"
    """So few pictures come that play is seen late; they are read all the same."""
    RESIZED = "resized"
    """Its pictures have another size than a moment ago."""
    ENDED = "ended"
    """A recording is over, or the camera was put away."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One picture as a source gave it."""

    bgr: Bgr
    taken_s: float
    """On the source's own clock, which never runs backwards: the recording's time, or
    `time.monotonic` for a camera."""


@dataclass(frozen=True, slots=True)
class CameraStatus:
    """How a camera does, right now."""

    health: Health
    since_s: float
    """On the clock of whoever watches: when that began."""
    detail: str = ""
    """In English, for the log: what the driver or the network said."""
    fps: float = 0.0
    width_px: int = 0
    height_px: int = 0


class EndOfShotsError(CameraError):
    """A recording has no more pictures."""


class Source(Protocol):
    """Where shots come from; used by one thread at a time."""

    @property
    def name(self) -> str:
        """For people: the camera's name, a file name, a host. Never a password."""

    @property
    def is_live(self) -> bool:
        """Whether it shows now: a live one that ends is a fault, not an end."""

    @property
    def frozen_after_s(self) -> float | None:
        """After how long a picture without the least change is a fault; `None`: never.

        A sensor's noise differs in every picture; a compressed stream of a still scene
        may truly repeat itself up to its next key frame.
        """

    def open(self) -> None:
        """Make it ready; raise `CameraError`."""

    def read(self) -> Shot:
        """Return the next shot; raise `CameraError`, or `EndOfShotsError` at its end.

        Returns within a few seconds, whatever the camera does.
        """

    def close(self) -> None:
        """Let go of it; harmless when it is not open."""
