"""What the live eye is told, and what it tells: views of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from vision.types import Array, Bgr, Frame, Observation, Placement

if TYPE_CHECKING:
    from vision.geometry import TableMap
    from vision.unseen import Unseen
    from vision.wanted import Wanted

See: TypeAlias = Callable[[Frame], Observation]
"""What reads a whole picture. It may be able to do more: `SeesNear`, `SeesAlone`,
`TellsUnread`."""
UNUSABLE = "unusable"
"""Code of a finding: the eye could make nothing of this picture; it says nothing of
the table, not that it is empty."""


@runtime_checkable
class SeesNear(Protocol):
    """Eyes that read a part of a picture faster, since they are told what is known."""

    def near(
        self,
        frame: Frame,
        card_px: float,
        *,
        closely: bool,
        wanted: Wanted,
        table: TableMap | None,
        known: Sequence[Array],
        laid: Sequence[Array],
    ) -> Observation:
        """Return what a part says in which cards are so long; see `Pipeline.near`."""


@runtime_checkable
class SeesAlone(Protocol):
    """Eyes that read one card for itself, in a fraction of the time."""

    def alone(
        self, frame: Frame, outline_px: Array, table: TableMap | None = None
    ) -> Placement | None:
        """Return the card that lies open in an outline, which is right to a few px;
        `None` where none can be named. The `table` tells how cards lie, if known."""


@runtime_checkable
class TellsUnread(Protocol):
    """Eyes that know how large the things are that they may fail to read."""

    def unread(self, boxes_px: Sequence[Array]) -> list[Placement]:
        """Return the nameless things that (4, 2) boxes in the last picture may be."""


class Waiting(StrEnum):
    """What the eye is waiting for; one sentence each in the companion."""

    NOTHING = "nothing"
    HANDS = "hands"
    REST = "rest"
    """Something moves, or has just moved."""
    AGREEMENT = "agreement"
    """What was read once is read again."""
    QUIET = "quiet"
    """All is read; who takes a play for whole only when the table is quiet waits."""
    VIEW = "view"
    """The picture has changed as a whole."""
    SHARPNESS = "sharpness"
    GLARE = "glare"
    """A part of the table is too bright; it is read, but nothing there is gone."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a game is played."""

    settle_s: float = 0.4
    """A part of the table must be still that long before it is read."""
    agree: int = 2
    """So many readings must say the same."""
    crops: bool = True
    """Only what has changed is cut out and read."""
    at_once: bool = False
    """A card that was just laid, is read surely and shows whole counts after one look
    at it alone, if nothing has moved there when it is over (`vision/first_look.py`)."""
    recheck_s: float | None = None
    """After a change, when nothing has moved for so long, the whole table is read."""
    hairs: bool = False
    """Cards of one face are laid on each other, nearly exactly: whether one lies a hair
    off after a hand was there is looked at, and asked about."""
    fewest_cells: int = 40
    """So many cells that changed, of 320 across the picture, and that nothing explains
    are looked at again: half a card, or half a chip."""


@dataclass(frozen=True, slots=True)
class View:
    """The table after a change."""

    observation: Observation
    at_s: float
    """When what changed came to rest, on the source's clock."""
    changes: tuple[tuple[str, str], ...] = ()
    """(id, what happened to it)."""
    unseen: Unseen | None = None
    """Places that no picture has shown yet since the eye began: what lies there is not
    known."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What one picture has brought."""

    at_s: float
    waiting: Waiting
    views: tuple[View, ...]
    has_read: bool
    is_quiet: bool
    still_s: float
    timings_ms: dict[str, float]
    before: Bgr | None = None
    """The settled picture before the change, where there was one."""
    notices: tuple[str, ...] = ()
    """``bumped``, ``view_changed``, ``view_found``."""
