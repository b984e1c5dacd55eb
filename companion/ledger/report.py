"""What `verify` says: intact, or the first fault in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from companion.i18n import N_
from companion.ledger.records import Head, SignedHead, TableRecord


class FaultCode(StrEnum):
    """What is wrong with the record of a table."""

    NO_EXPORT = "no_export"
    CHANGED_EVENT = "changed_event"
    MISSING_TAIL = "missing_tail"
    OTHER_HISTORY = "other_history"
    WRONG_SIGNATURE = "wrong_signature"
    FOREIGN_KEY = "foreign_key"
    CHANGED_RULINGS = "changed_rulings"
    MISSING_PICTURE = "missing_picture"
    CHANGED_PICTURE = "changed_picture"
    CHANGED_FILE = "changed_file"
    WRONG_RECEIPT = "wrong_receipt"


SENTENCES = {
    FaultCode.NO_EXPORT: N_("This is no session of Arbitro, or not all of it."),
    FaultCode.CHANGED_EVENT: N_(
        "Event %(seq)s was changed, moved, removed or put in later."
    ),
    FaultCode.MISSING_TAIL: N_(
        "The end is missing: there are %(seq)s events, and there were more."
    ),
    FaultCode.OTHER_HISTORY: N_(
        "This is not what the signed receipt says: the events up to number %(seq)s"
        " were written anew."
    ),
    FaultCode.WRONG_SIGNATURE: N_("The signature does not fit what is signed."),
    FaultCode.FOREIGN_KEY: N_("This was signed with another key, %(key)s."),
    FaultCode.CHANGED_RULINGS: N_("The list of rulings was changed."),
    FaultCode.MISSING_PICTURE: N_("A picture of event %(seq)s is missing."),
    FaultCode.CHANGED_PICTURE: N_("A picture of event %(seq)s was changed."),
    FaultCode.CHANGED_FILE: N_("The file was changed after it was signed."),
    FaultCode.WRONG_RECEIPT: N_("The receipt is not of this table, or is not genuine."),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """The first thing that is wrong."""

    code: FaultCode
    seq: int = 0
    """The event that it is about; 0 where it is about none."""
    key: str = ""
    """Fingerprint of the key, where it is about one."""

    @property
    def message(self) -> str:
        """Return the sentence of the catalogue."""
        return SENTENCES[self.code]

    @property
    def values(self) -> dict[str, str | int | float]:
        """Return what stands in the places of the sentence."""
        return {"seq": self.seq, "key": self.key}


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was looked at, and the first fault, if there is one."""

    table: TableRecord | None = None
    head: Head | None = None
    key: str = ""
    """Fingerprint of the key that signed."""
    pictures: int = 0
    """Pictures that are there and are what they were."""
    fault: Fault | None = None

    @property
    def is_intact(self) -> bool:
        """Return whether nothing was found to be wrong."""
        return self.fault is None

    def with_fault(
        self, code: FaultCode, *, seq: int = 0, key: str = ""
    ) -> VerifyReport:
        """Return the report with its fault."""
        return replace(self, fault=Fault(code, seq, key))


@dataclass(frozen=True, slots=True)
class Witness:
    """What somebody outside knows: a receipt kept earlier, or the right key."""

    head: SignedHead | None = None
    key: str = ""
    """Fingerprint that the key must have, "" for any."""
