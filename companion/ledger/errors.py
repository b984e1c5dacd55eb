"""What can go wrong in the ledger, in sentences that a person can act on."""

from __future__ import annotations

from companion.errors import CompanionError
from companion.i18n import N_


class UnknownTableError(CompanionError):
    """There is no table of this id or code."""

    http_status = 404
    code = "unknown_table"

    def __init__(self, table: str) -> None:
        super().__init__(N_("There is no table %(table)s here."), table=table)


class UnknownEventError(CompanionError):
    """The table has no event of this number that could be meant."""

    http_status = 404
    code = "unknown_event"

    def __init__(self, seq: int) -> None:
        super().__init__(N_("Nothing that happened here has number %(seq)s."), seq=seq)


class StaleSequenceError(CompanionError):
    """Somebody else added an event first; look again, then decide."""

    http_status = 409
    code = "stale"

    def __init__(self, expected_seq: int, next_seq: int) -> None:
        super().__init__(
            N_(
                "The table has moved on: the next event is number %(next_seq)s, not"
                " %(expected_seq)s. Look again."
            ),
            next_seq=next_seq,
            expected_seq=expected_seq,
        )
        self.next_seq = next_seq


class RefusedEventError(CompanionError):
    """The event says something that this table cannot hold."""

    http_status = 422
    code = "refused_event"


class UnknownBlobError(CompanionError):
    """A picture is not kept: never was, or had to make room; its hash stays."""

    http_status = 404
    code = "unknown_blob"

    def __init__(self) -> None:
        super().__init__(N_("This picture is no longer kept; only its fingerprint is."))


class LedgerError(CompanionError):
    """The database or the disk under it did not do what was asked; nothing is lost."""

    http_status = 503
    code = "ledger"


class ExportError(CompanionError):
    """A file of a session was refused; the message names the first fault."""

    http_status = 422
    code = "export"
