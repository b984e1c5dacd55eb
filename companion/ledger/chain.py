"""The hash chain of a table: each event's digest covers everything before it.

Digest 0 covers the table's own record, so that a chain cannot be moved to another
table. What a chain alone does not show, a cut tail or a chain built anew, is shown by
signed heads (`signing`) that somebody else keeps (ecosystem.md, finding 8).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from companion.ledger.records import Event, Head, Kind, TableRecord
from engines.core import canonical


def first_digest(table: TableRecord) -> str:
    """Return the digest before the first event; covers all but the local join code."""
    return _digest(table_document(table))


def event_digest(before: str, event: Event) -> str:
    """Return the digest of an event whose predecessor has digest `before`."""
    document = event_document(event)
    del document["digest"]
    return _digest([before, document])


def first_break(table: TableRecord, events: Iterable[Event]) -> int | None:
    """Return the number of the first event that does not fit, `None` if all do."""
    head = Head(0, first_digest(table))
    for event in events:
        if event.seq != head.seq + 1 or event.digest != event_digest(
            head.digest, event
        ):
            return head.seq + 1
        head = Head(event.seq, event.digest)
    return None


def chained(before: Head, event: Event) -> Event:
    """Return `event` with its place in the chain after `before`."""
    placed = replace(event, seq=before.seq + 1)
    return replace(placed, digest=event_digest(before.digest, placed))


def table_document(table: TableRecord) -> dict[str, Any]:
    """Return the table as JSON values; its join code and origin are local, left out."""
    return {
        "id": table.id,
        "game": table.game,
        "options": dict(table.options),
        "seats": list(table.seats),
        "title": table.title,
        "seed": table.seed,
        "created_at": time_text(table.created_at),
    }


def table_of(document: dict[str, Any], *, code: str, origin: str) -> TableRecord:
    """Return the table that `table_document` wrote; raises what malformed JSON does."""
    return TableRecord(
        id=document["id"],
        code=code,
        game=document["game"],
        options=document["options"],
        seats=tuple(document["seats"]),
        title=document["title"],
        seed=document["seed"],
        created_at=datetime.fromisoformat(document["created_at"]),
        origin=origin,
    )


def event_document(event: Event) -> dict[str, Any]:
    """Return an event as JSON values."""
    return {
        "seq": event.seq,
        "kind": str(event.kind),
        "move": event.move,
        "target": event.target,
        "source": event.source,
        "actor": event.actor,
        "taken_at": time_text(event.taken_at),
        "recorded_at": time_text(event.recorded_at),
        "evidence": list(event.evidence),
        "engine": event.engine,
        "digest": event.digest,
    }


def event_of(document: dict[str, Any]) -> Event:
    """Return the event that `event_document` wrote."""
    return Event(
        **document
        | {
            "kind": Kind(document["kind"]),
            "taken_at": datetime.fromisoformat(document["taken_at"]),
            "recorded_at": datetime.fromisoformat(document["recorded_at"]),
            "evidence": tuple(document["evidence"]),
        }
    )


def time_text(moment: datetime) -> str:
    """Return the one way in which a moment is written: UTC, with microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _digest(value: object) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()
