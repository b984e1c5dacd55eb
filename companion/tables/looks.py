"""What was last seen of each table, kept so that it outlives the server.

One row a table: the last photo with its corrections (pictures are in the ledger), and
what a camera saw last, with what people are asked and said about it. Both are replaced,
not added to: what happened is in the ledger, here stands what can still be put right.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import insert, select, update

from companion.ledger import Ledger
from companion.tables.schema import look


class Looks:
    """The last looks of all tables; safe between threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def photo(self, table_id: str) -> Mapping[str, Any] | None:
        """Return what was kept of the last photo, `None` before the first."""
        return self._read(table_id, "photo")

    def keep_photo(self, table_id: str, written: Mapping[str, Any]) -> None:
        """Keep the last photo in place of the one before it."""
        self._write(table_id, "photo", written)

    def watched(self, table_id: str) -> Mapping[str, Any]:
        """Return what the process that watched a table last knew of it (see
        `watching.Playing.recall`); nothing before the first time."""
        kept = self._read(table_id, "watched")
        if kept is not None:
            return kept
        # An older Arbitro kept no more than what people said that pieces are.
        return {"names": self._read(table_id, "names") or {}}

    def keep_watched(self, table_id: str, written: Mapping[str, Any]) -> None:
        """Keep what the process that watches a table knows of it."""
        self._write(table_id, "watched", written)

    def _read(self, table_id: str, column: str) -> Mapping[str, Any] | None:
        query = select(look.c[column]).where(look.c.table_id == table_id)
        with self._ledger.engine.connect() as db:
            text: str | None = db.execute(query).scalar()
        found: Mapping[str, Any] | None = None if text is None else json.loads(text)
        return found

    def _write(self, table_id: str, column: str, written: Mapping[str, Any]) -> None:
        value = {column: json.dumps(written, separators=(",", ":"))}
        with self._ledger.writing() as db:
            known = update(look).where(look.c.table_id == table_id).values(value)
            if db.execute(known).rowcount == 0:
                db.execute(insert(look).values(value | {"table_id": table_id}))
