"""A whole session in one file: the table, its events, rulings, pictures, signed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from companion.about import our_version
from companion.ledger.archive import write_archive
from companion.ledger.chain import (
    event_document,
    first_break,
    table_document,
    time_text,
)
from companion.ledger.errors import ExportError, UnknownBlobError
from companion.ledger.records import Event, Head, LiveState, TableRecord
from companion.ledger.replaying import replayed
from companion.ledger.report import SENTENCES, FaultCode
from companion.ledger.signing import head_document
from companion.ledger.store import Ledger
from engines.core import canonical

FORMAT, VERSION = "arbitro-session", 1
MANIFEST, EVENTS, RULINGS = "manifest.json", "events.jsonl", "rulings.jsonl"
PICTURES = "pictures/"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a replay came to, in digests: to be compared with another replay."""

    rulings: Mapping[int, str]
    """Event -> SHA-256 of the whole ruling."""
    state: str
    """SHA-256 of the state at the end."""


def export_table(ledger: Ledger, table_id: str, path: Path) -> None:
    """Write the session to a file, signed by this installation.

    Raises `ExportError` if the record here is not what it was: nothing that was
    touched gets a new signature.
    """
    table, events = ledger.table(table_id), ledger.events(table_id)
    broken = first_break(table, events)
    if broken is not None:
        raise ExportError(SENTENCES[FaultCode.CHANGED_EVENT], seq=broken, key="")
    write_archive(path, _entries(ledger, table, events), ledger.key)


def verdicts_of(live: LiveState) -> Verdicts:
    """Return the digests of the rulings and of the state."""
    rulings = {seq: _sha256(canonical(given)) for seq, given in live.rulings.items()}
    return Verdicts(rulings, _sha256(canonical(live.state)))


def ruling_lines(live: LiveState) -> bytes:
    """Return one line of JSON for each ruling."""
    digests = verdicts_of(live).rulings
    documents = (
        {
            "seq": seq,
            "verdict": str(ruling.verdict),
            "rule": str(ruling.rule),
            "sha256": digests[seq],
        }
        for seq, ruling in live.rulings.items()
    )
    return b"".join(canonical(document) + b"\n" for document in documents)


def _entries(
    ledger: Ledger, table: TableRecord, events: tuple[Event, ...]
) -> Iterator[tuple[str, bytes]]:
    """Yield the manifest last: it says which pictures were still there to pack."""
    live = replayed(table, events)
    lines = {
        EVENTS: b"".join(canonical(event_document(e)) + b"\n" for e in events),
        RULINGS: ruling_lines(live),
    }
    yield from lines.items()
    pictures: dict[str, Any] = {}
    for sha256 in dict.fromkeys(sha for event in events for sha in event.evidence):
        pictures[sha256] = {"media_type": ledger.media_type(sha256), "packed": True}
        try:
            yield PICTURES + sha256, ledger.blob(sha256)
        except UnknownBlobError:
            pictures[sha256]["packed"] = False
    head = Head(len(events), events[-1].digest) if events else ledger.head(table.id)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "arbitro": our_version(),
        "exported_at": time_text(datetime.now(UTC)),
        "table": table_document(table),
        "head": head_document(ledger.key.sign_head(table.id, head)),
        "disputed": sorted(ledger.disputed(table.id)),
        "files": {name: _sha256(content) for name, content in lines.items()},
        "pictures": pictures,
        "state": verdicts_of(live).state,
    }
    yield MANIFEST, json.dumps(manifest, indent=1, sort_keys=True).encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
