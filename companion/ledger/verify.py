"""Is this what happened? An answer without any secret, from one file (C4).

The checks go from the smallest thing that can be named to the whole file, so that the
first fault says what was touched; the seal over all bytes comes last and leaves
nothing out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from companion.ledger.archive import Archive, ArchiveError, open_archive
from companion.ledger.chain import event_of, first_break, first_digest, table_of
from companion.ledger.errors import UnknownBlobError
from companion.ledger.export import (
    EVENTS,
    FORMAT,
    MANIFEST,
    PICTURES,
    RULINGS,
    VERSION,
    Verdicts,
)
from companion.ledger.records import Event, Head, SignedHead, TableRecord
from companion.ledger.report import Fault, FaultCode, VerifyReport, Witness
from companion.ledger.signing import fingerprint, head_of, is_head_signed
from companion.ledger.store import Ledger

MOST_BYTES = 256_000_000
"""Of the events of one table: a million of them."""
NOBODY = Witness()
MALFORMED = (
    ArchiveError,
    AttributeError,
    KeyError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading JSON of another shape than ours raises."""


@dataclass(frozen=True, slots=True)
class Session:
    """What an export holds, read but not yet believed."""

    archive: Archive
    table: TableRecord
    head: SignedHead
    events: tuple[Event, ...]
    version: str
    """Of the Arbitro that exported it."""
    exported_at: datetime
    files: Mapping[str, str]
    """Name -> SHA-256."""
    pictures: Mapping[str, str]
    """SHA-256 of every picture that is packed -> its media type."""
    disputed: tuple[int, ...]
    state: str
    """SHA-256 of the state at the end, when it was exported."""

    def verdicts(self) -> Verdicts:
        """Return what the replay came to when it was exported."""
        lines = self.archive.read(RULINGS, most_bytes=MOST_BYTES).splitlines()
        rulings = {int(row["seq"]): row["sha256"] for row in map(json.loads, lines)}
        return Verdicts(rulings, self.state)


def verify_export(path: Path, witness: Witness = NOBODY) -> VerifyReport:
    """Return whether a file is a session as it was exported, or its first fault.

    `witness` is what somebody outside knows: only with it a session that was written
    anew from the start, with another key or by the holder of this one, is found.
    """
    read = read_session(path)
    if isinstance(read, VerifyReport):
        return read
    report = VerifyReport(read.table, _head_of(read.head), read.table.origin)
    fault = (
        _history_fault(read.table, read.events, read.head)
        or _witness_fault(read.table, read.events, read.head, witness)
        or _list_fault(read)
    )
    if fault is not None:
        return replace(report, fault=fault)
    pictures = _pictures_in(read)
    if isinstance(pictures, Fault):
        return replace(report, fault=pictures)
    if read.archive.key != read.head.key or not read.archive.is_sealed():
        return report.with_fault(FaultCode.CHANGED_FILE)
    return replace(report, pictures=pictures)


def verify_table(
    ledger: Ledger, table_id: str, witness: Witness = NOBODY
) -> VerifyReport:
    """Return whether a table here is as it was written, or its first fault."""
    table = ledger.table(table_id)
    head, events = ledger.record(table_id)
    own = Witness(witness.head, witness.key or fingerprint(ledger.key.public))
    report = VerifyReport(table, _head_of(head), fingerprint(head.key))
    fault = _history_fault(table, events, head)
    fault = fault or _witness_fault(table, events, head, own)
    if fault is not None:
        return replace(report, fault=fault)
    disputed, pictures = ledger.disputed(table_id), 0
    for event in events:
        for sha256 in event.evidence:
            try:
                content = ledger.blob(sha256)
            except UnknownBlobError:
                if event.seq in disputed:
                    return report.with_fault(FaultCode.MISSING_PICTURE, seq=event.seq)
                continue
            if hashlib.sha256(content).hexdigest() != sha256:
                return report.with_fault(FaultCode.CHANGED_PICTURE, seq=event.seq)
            pictures += 1
    return replace(report, pictures=pictures)


def read_session(path: Path) -> Session | VerifyReport:
    """Return what a file holds, or a report that says why it cannot be read."""
    report = VerifyReport()
    try:
        archive = open_archive(path)
        manifest = json.loads(archive.read(MANIFEST, most_bytes=MOST_BYTES))
        session = _session(archive, manifest)
        raw = archive.read(EVENTS, most_bytes=MOST_BYTES)
    except MALFORMED:
        return report.with_fault(FaultCode.NO_EXPORT)
    report = VerifyReport(session.table, _head_of(session.head), session.table.origin)
    events: list[Event] = []
    for line in raw.splitlines():
        try:
            events.append(event_of(json.loads(line)))
        except MALFORMED:
            seq = len(events) + 1
            return report.with_fault(FaultCode.CHANGED_EVENT, seq=seq)
    return replace(session, events=tuple(events))


def _session(archive: Archive, manifest: dict[str, Any]) -> Session:
    """Return what the manifest says; raises one of `MALFORMED`."""
    if (manifest["format"], manifest["version"]) != (FORMAT, VERSION):
        raise ArchiveError("another format")
    head = head_of(manifest["head"])
    listed = manifest["pictures"].items()
    return Session(
        archive=archive,
        table=table_of(manifest["table"], code="", origin=fingerprint(head.key)),
        head=head,
        events=(),
        version=str(manifest["arbitro"]),
        exported_at=datetime.fromisoformat(manifest["exported_at"]),
        files=dict(manifest["files"]),
        pictures={
            sha256: str(one["media_type"]) for sha256, one in listed if one["packed"]
        },
        disputed=tuple(map(int, manifest["disputed"])),
        state=str(manifest["state"]),
    )


def _history_fault(
    table: TableRecord, events: Sequence[Event], head: SignedHead
) -> Fault | None:
    """Return what is wrong between the table, its events and the signed head."""
    try:
        broken = first_break(table, events)
    except MALFORMED:
        return Fault(FaultCode.NO_EXPORT)  # values that were never written by us
    if broken is not None:
        return Fault(FaultCode.CHANGED_EVENT, broken)
    if not is_head_signed(head) or head.table != table.id:
        return Fault(FaultCode.WRONG_SIGNATURE)
    if len(events) < head.seq:
        return Fault(FaultCode.MISSING_TAIL, len(events))
    if len(events) > head.seq:
        return Fault(FaultCode.CHANGED_EVENT, head.seq + 1)
    last = events[-1].digest if events else first_digest(table)
    if last != head.digest:
        return Fault(FaultCode.OTHER_HISTORY, head.seq)
    return None


def _witness_fault(
    table: TableRecord, events: Sequence[Event], head: SignedHead, witness: Witness
) -> Fault | None:
    """Return how the record differs from what somebody outside knows."""
    name = fingerprint(head.key)
    if witness.key and witness.key != name:
        return Fault(FaultCode.FOREIGN_KEY, key=name)
    kept = witness.head
    if kept is None:
        return None
    if not is_head_signed(kept) or kept.table != head.table:
        return Fault(FaultCode.WRONG_RECEIPT)
    if kept.key != head.key:
        return Fault(FaultCode.FOREIGN_KEY, key=name)
    if kept.seq > len(events):
        return Fault(FaultCode.MISSING_TAIL, len(events))
    then = events[kept.seq - 1].digest if kept.seq else first_digest(table)
    if then != kept.digest:
        return Fault(FaultCode.OTHER_HISTORY, kept.seq)
    return None


def _list_fault(session: Session) -> Fault | None:
    """Return whether the list of rulings is not the one that was packed."""
    try:
        lines = session.archive.read(RULINGS, most_bytes=MOST_BYTES)
    except ArchiveError:
        return Fault(FaultCode.CHANGED_RULINGS)
    if hashlib.sha256(lines).hexdigest() != session.files.get(RULINGS):
        return Fault(FaultCode.CHANGED_RULINGS)
    return None


def _pictures_in(session: Session) -> int | Fault:
    """Return how many pictures are there and right, or the first that is not."""
    seen: set[str] = set()
    for event in session.events:
        for sha256 in event.evidence:
            if sha256 in seen or sha256 not in session.pictures:
                continue
            digest = hashlib.sha256()
            try:
                for chunk in session.archive.chunks(PICTURES + sha256):
                    digest.update(chunk)
            except ArchiveError:
                return Fault(FaultCode.MISSING_PICTURE, event.seq)
            if digest.hexdigest() != sha256:
                return Fault(FaultCode.CHANGED_PICTURE, event.seq)
            seen.add(sha256)
    return len(seen)


def _head_of(head: SignedHead) -> Head:
    return Head(head.seq, head.digest)
