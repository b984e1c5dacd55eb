"""Rows of the ledger's tables as records, and the questions asked of them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from companion.ledger.chain import (
    event_document,
    event_of,
    table_document,
    table_of,
    time_text,
)
from companion.ledger.errors import UnknownEventError, UnknownTableError
from companion.ledger.records import Event, Head, SignedHead, TableRecord
from companion.ledger.schema import blob, dispute, event, game_table
from companion.ledger.signing import head_of

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 6


def table_row(db: Connection, table_id: str) -> Row[Any]:
    """Return the row of a table; raise `UnknownTableError`."""
    query = select(game_table).where(game_table.c.id == table_id)
    row = db.execute(query).one_or_none()
    if row is None:
        raise UnknownTableError(table_id)
    return row


def table_in(row: Row[Any]) -> TableRecord:
    """Return the table of a row."""
    return table_of(dict(row._mapping), code=row.code, origin=row.origin)


def head_in(row: Row[Any]) -> Head:
    """Return where the chain of a table's row ends."""
    return Head(row.head_seq, row.head_digest)


def signed_head_in(row: Row[Any]) -> SignedHead:
    """Return the head of a table's row with the signature beside it."""
    fields = ("seq", "digest", "signed_at", "key", "signature")
    found = {name: getattr(row, f"head_{name}") for name in fields}
    return head_of({"table": row.id} | found)


def add_table(db: Connection, table: TableRecord, head: SignedHead) -> None:
    """Add a table without events."""
    row = table_document(table) | {"code": table.code, "origin": table.origin}
    db.execute(insert(game_table).values(row | _head_row(head)))


def add_events(db: Connection, events: Sequence[Event], head: SignedHead) -> None:
    """Add events that are chained already, and move the head to the last of them."""
    rows = [{"table_id": head.table} | event_document(one) for one in events]
    db.execute(insert(event), rows)
    here = game_table.c.id == head.table
    db.execute(update(game_table).where(here).values(_head_row(head)))


def events_of(db: Connection, table_id: str, since: int = 0) -> tuple[Event, ...]:
    """Return the events of a table with a number above `since`, in order."""
    query = (
        select(event)
        .where(event.c.table_id == table_id, event.c.seq > since)
        .order_by(event.c.seq)
    )
    return tuple(map(_event_in, db.execute(query)))


def dispute_event(db: Connection, table_id: str, seq: int) -> None:
    """Keep the pictures of an event for good; raise `UnknownEventError`."""
    here = (event.c.table_id == table_id) & (event.c.seq == seq)
    noted = (dispute.c.table_id == table_id) & (dispute.c.seq == seq)
    evidence = db.execute(select(event.c.evidence).where(here)).scalar()
    if evidence is None:
        raise UnknownEventError(seq)
    if db.execute(select(dispute).where(noted)).first() is None:
        db.execute(insert(dispute).values(table_id=table_id, seq=seq))
    shown = blob.c.sha256.in_(evidence)
    db.execute(update(blob).where(shown).values(is_disputed=True))


def free_code(db: Connection) -> str:
    """Return a join code that no table has."""
    while True:
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        query = select(game_table.c.id).where(game_table.c.code == code)
        if db.execute(query).first() is None:
            return code


def _head_row(head: SignedHead) -> dict[str, object]:
    return {
        "head_seq": head.seq,
        "head_digest": head.digest,
        "head_signed_at": time_text(head.signed_at),
        "head_key": head.key,
        "head_signature": head.signature,
    }


def _event_in(row: Row[Any]) -> Event:
    document = dict(row._mapping)
    del document["table_id"]
    return event_of(document)
