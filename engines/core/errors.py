"""What can go wrong in a rules engine, in words that a player can act on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.core.ruling import Ruling


class RulesError(Exception):
    """Base of all errors that `engines` raises."""


class NotationError(RulesError, ValueError):
    """A text is not in the notation that was expected.

    `column` counts from 1 inside the text; `expected` says what should stand there.
    """

    def __init__(self, message: str, *, column: int = 1, expected: str = "") -> None:
        super().__init__(message)
        self.column = column
        self.expected = expected


class KitError(RulesError, ValueError):
    """A kit, deck or mat file does not describe a playable set of things."""


class OptionError(RulesError, ValueError):
    """An option of a game has an unknown name or an impossible value."""


class UnknownGameError(RulesError, LookupError):
    """There is no game of that name."""


class IllegalMoveError(RulesError):
    """A move was refused; `ruling` says by which rule and why."""

    def __init__(self, ruling: Ruling) -> None:
        super().__init__(str(ruling.reason))
        self.ruling = ruling


class AmbiguousMoveError(RulesError):
    """A text could mean more than one move; `candidates` are their notations."""

    def __init__(self, message: str, candidates: Sequence[str]) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)
