"""What has changed and no card explains: it is read again, and in the end asked about.

A reading may overlook what came; so it is looked at several times. What then has the
outline of a card, or is as wide as a disc, is taken for one that could not be read;
anything else, a glass or a sleeve, for a part of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vision.cells import Mask, without_specks
from vision.gate import Gate
from vision.laid import laid_px, parts_px, unexplained_px
from vision.roi import Part
from vision.sameness import plain
from vision.track import Tracker
from vision.types import UNKNOWN, Array, Kind, Placement
from vision.views import See, TellsUnread

MOST_TRIES = 3
"""So often a change that no card explains is read before it is taken as it is."""


@dataclass(slots=True)
class Unexplained:
    """How often what no card explains was read in vain."""

    fewest_cells: int
    """Fewer are not looked at again."""
    _tries: int = 0

    @property
    def is_open(self) -> bool:
        """Return whether it is worth another look."""
        return self._tries < MOST_TRIES

    def tried(self) -> None:
        """Count a reading that came to nothing."""
        self._tries += 1

    def of(self, gate: Gate, looked: Mask, known_px: Sequence[Array]) -> Mask | None:
        """Return what changed of the cells that were looked at and no card explains,
        `None` if that is next to nothing; count how often it was read in vain."""
        unexplained = without_specks(gate.rested & ~gate.unknown) & looked
        for quad in known_px:
            unexplained &= ~gate.cells(quad)
        if int(unexplained.sum()) <= self.fewest_cells:
            self._tries = 0
            return None
        self._tries = self._tries % MOST_TRIES + 1
        return unexplained


def still_open(gate: Gate, tracker: Tracker) -> Mask:
    """Return the cells that a reading does not make known: what moves, and what has
    changed where nothing lies that is known and it has not come to rest, or may be
    something that nobody could name yet."""
    may_be = ~gate.rested
    for quad in tracker.guesses_px():
        may_be |= gate.cells(quad)
    for quad in tracker.known_px():
        may_be &= ~gate.cells(quad)
    return gate.moving | without_specks(gate.changed & ~gate.unknown & may_be)


def cards_unread(
    gate: Gate,
    part: Part,
    unexplained: Mask,
    known_px: Sequence[Array],
    tracker: Tracker,
) -> list[Placement]:
    """Return the nameless cards that what was read in vain in a part may be."""
    outlines = laid_px(unexplained, gate.scale, tracker.cards_px())
    return [
        Placement("", Kind.CARD, UNKNOWN, 0.0, plain(quad))
        for quad in unexplained_px(outlines, known_px)
        if part.holds(quad) and gate.share(gate.glare, quad) == 0
    ]


def discs_unread(gate: Gate, unexplained: Mask, see: See) -> list[Placement]:
    """Return the nameless discs that what was read in vain may be, where the eye knows
    how wide discs are."""
    if not isinstance(see, TellsUnread) or gate.glare.any():
        return []
    parts = parts_px(unexplained, gate.scale)
    return see.unread([part for part in parts if not gate.shows_as_read(part)])
