"""Events of tables in play, kept so that nothing is lost and nothing changes unseen."""

from companion.ledger.errors import (
    ExportError,
    LedgerError,
    RefusedEventError,
    StaleSequenceError,
    UnknownBlobError,
    UnknownEventError,
    UnknownTableError,
)
from companion.ledger.records import (
    Event,
    Head,
    Kind,
    LiveState,
    SignedHead,
    TableRecord,
)
from companion.ledger.report import Fault, FaultCode, VerifyReport, Witness
from companion.ledger.store import FILE_NAME, Ledger, open_ledger
from companion.ledger.verify import verify_export, verify_table

__all__ = [
    "FILE_NAME",
    "Event",
    "ExportError",
    "Fault",
    "FaultCode",
    "Head",
    "Kind",
    "Ledger",
    "LedgerError",
    "LiveState",
    "RefusedEventError",
    "SignedHead",
    "StaleSequenceError",
    "TableRecord",
    "UnknownBlobError",
    "UnknownEventError",
    "UnknownTableError",
    "VerifyReport",
    "Witness",
    "open_ledger",
    "verify_export",
    "verify_table",
]
