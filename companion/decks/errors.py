"""What can be wrong with a deck."""

from __future__ import annotations

from collections.abc import Sequence

from companion.errors import CompanionError
from companion.i18n import N_


class DeckError(CompanionError):
    """A deck is not sound, or what was asked of it cannot be done."""

    http_status = 422
    code = "deck"


class UnknownDeckError(DeckError):
    """There is no deck of that name and no folder with one."""

    http_status = 404
    code = "unknown_deck"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(
            N_("There is no deck %(name)s. There are: %(known)s."),
            name=name,
            known=", ".join(known) or "-",
        )
