"""What can go wrong between a person and the referee, in words to act on.

A message is a sentence of the catalogue in English, with named places and the values
for them, so that the border (terminal, page, JSON) can say it in any language.
"""

from __future__ import annotations

from typing import ClassVar

from companion.i18n import N_


class CompanionError(Exception):
    """Base of all errors that `companion` raises."""

    http_status: ClassVar[int] = 400
    code: ClassVar[str] = "error"

    def __init__(self, message: str, **values: str | int | float) -> None:
        super().__init__(message % values if values else message)
        self.message = message
        self.values = values


class UsageError(CompanionError):
    """The command or the request asks for something that does not exist."""

    code = "usage"


class ConfigError(CompanionError):
    """A setting has an impossible value."""

    code = "config"


class NotHereError(CompanionError):
    """A part that this installation lacks: an extra, a model, a demo picture."""

    http_status = 503
    code = "not_here"


class UnknownReadingError(CompanionError):
    """There is no such result, or it has been deleted after its time."""

    http_status = 404
    code = "unknown_reading"

    def __init__(self) -> None:
        super().__init__(
            N_("This result does not exist, or its time has run out. Take a new photo.")
        )


class BusyError(CompanionError):
    """More pictures wait to be read than this machine should hold at once."""

    http_status = 503
    code = "busy"

    def __init__(self) -> None:
        super().__init__(
            N_("Other pictures are being read right now. Try again in a few seconds.")
        )
