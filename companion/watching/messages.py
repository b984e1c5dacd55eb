"""What an eye tells, and what it can be told; plain values that travel."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from vision.capture.source import CameraStatus
from vision.views import View, Waiting


class Order(StrEnum):
    """What an eye can be told."""

    STOP = "stop"
    RESYNC = "resync"
    """Read the whole table anew: a person says that what lies there now counts."""


@dataclass(frozen=True, slots=True)
class CameraTold:
    """The camera does otherwise than before."""

    status: CameraStatus


@dataclass(frozen=True, slots=True)
class Seen:
    """The table after a change, with the pictures that show it."""

    view: View
    before: bytes
    """JPEG of the table at rest before it; empty at the beginning."""
    after: bytes


@dataclass(frozen=True, slots=True)
class Beat:
    """How it goes, a few times a second."""

    waiting: Waiting
    fps: float
    looked: int
    """Pictures looked at so far."""
    readings: int
    timings_ms: tuple[tuple[str, float], ...]
    """Stage -> median of the last pictures in which it ran."""
    lag_s: float = 0.0
    """How old a picture is when it is looked at."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What the camera shows now, smaller: for people, nothing is read from it."""

    jpeg: bytes
    waiting: Waiting


END_UNREAD = "end_unread"
"""The recording ends with something that was not read: a card just laid, a hand."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something about the view: ``bumped``, ``view_changed``, ``view_found``; or
    `END_UNREAD`."""

    code: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The recording is over, or the eye was told to stop."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The eye cannot go on; `sentence` is English and names no secrets."""

    code: str
    sentence: str


Message = CameraTold | Seen | Beat | Glimpse | Noticed | Ended | Failed
