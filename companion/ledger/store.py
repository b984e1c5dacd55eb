"""The ledger: tables, their events in order, their pictures, their state."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self

from sqlalchemy import Connection, select

from companion.about import our_version
from companion.ledger import migrating, rows
from companion.ledger.chain import chained, first_digest
from companion.ledger.checks import check_event, check_target
from companion.ledger.database import make_engine, make_file, told
from companion.ledger.errors import (
    StaleSequenceError,
    UnknownEventError,
    UnknownTableError,
)
from companion.ledger.evidence import Blobs, check_known
from companion.ledger.records import (
    Event,
    Head,
    Kind,
    LiveState,
    SignedHead,
    TableRecord,
)
from companion.ledger.replaying import options_of, replayed
from companion.ledger.schema import dispute, game_table
from companion.ledger.signing import SigningKey, load_key
from companion.ledger.states import States

FILE_NAME = "arbitro.db"
"""In the user's folder (`companion.config.default_folder`)."""
KEEP_BYTES = 2_000_000_000
"""Undisputed pictures beyond this make room; about 20 000 of 100 KB."""
POLL_S = 0.05
"""How often a waiting reader looks whether another process added something."""


def open_ledger(
    path: Path, *, keep_bytes: int = KEEP_BYTES, module: ModuleType | None = None
) -> Ledger:
    """Return the ledger in a file, made or brought up to date where needed.

    Raises `LedgerError` for a file that is damaged, locked, or of a newer Arbitro.
    """
    make_file(path)
    return Ledger(path, keep_bytes=keep_bytes, module=module)


class Ledger:
    """All tables of one database file; safe between threads and between processes."""

    def __init__(
        self, path: Path, *, keep_bytes: int, module: ModuleType | None = None
    ) -> None:
        self.path = path
        self.engine = make_engine(path, module)
        """For reading; see the README for tables of other parts in the same file."""
        self.writer = self.engine.execution_options(arbitro_write=True)
        self.blobs = Blobs(
            path.with_name(f"{path.stem}-pictures"), keep_bytes=keep_bytes
        )
        self._tables: dict[str, TableRecord] = {}
        self._states = States()
        self._news = threading.Condition()
        self._key: SigningKey | None = None
        with told(path):
            migrating.bring_up_to_date(self.writer, path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.engine.dispose()

    @property
    def key(self) -> SigningKey:
        """Return the signing key of this installation; made when first needed."""
        if self._key is None:
            self._key = load_key(self.path.with_name(f"{self.path.stem}-key.txt"))
        return self._key

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a transaction that holds the write lock; it is committed at the end."""
        with told(self.path), self.writer.begin() as db:
            yield db

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a transaction that sees one moment of the file."""
        with told(self.path), self.engine.connect() as db:
            yield db

    # Tables ---------------------------------------------------------------------------

    def create_table(
        self,
        game: str,
        options: Mapping[str, Any],
        *,
        seats: Sequence[str] = (),
        title: str = "",
        seed: int | None = None,
    ) -> TableRecord:
        """Return a new table; raises what the game says of wrong options."""
        table = TableRecord(
            id=secrets.token_hex(8),
            code="",
            game=game,
            options=dict(options),
            seats=tuple(seats),
            title=title,
            seed=seed,
            created_at=datetime.now(UTC),
        )
        options_of(table)
        with self.writing() as db:
            return self.add_table(db, table)

    def add_table(self, db: Connection, table: TableRecord) -> TableRecord:
        """Return the table with a join code that no other has; it has no events."""
        table = replace(table, code=rows.free_code(db))
        head = Head(0, first_digest(table))
        rows.add_table(db, table, self.key.sign_head(table.id, head))
        return table

    def tables(self) -> tuple[TableRecord, ...]:
        """Return all tables, the newest first."""
        query = select(game_table).order_by(game_table.c.created_at.desc())
        with self.reading() as db:
            return tuple(map(rows.table_in, db.execute(query)))

    def table(self, table_id: str) -> TableRecord:
        """Return a table; raise `UnknownTableError`."""
        if table_id not in self._tables:
            with self.reading() as db:
                found = rows.table_in(rows.table_row(db, table_id))
            self._tables[table_id] = found
        return self._tables[table_id]

    def table_by_code(self, code: str) -> TableRecord:
        """Return the table of a join code, in letters of any size; raise
        `UnknownTableError`."""
        clean = code.strip().upper()
        with self.reading() as db:
            query = select(game_table).where(game_table.c.code == clean)
            row = db.execute(query).one_or_none()
        if row is None:
            raise UnknownTableError(code)
        return rows.table_in(row)

    # Events ---------------------------------------------------------------------------

    def append(
        self,
        table_id: str,
        expected_seq: int,
        move: str,
        *,
        source: str,
        actor: str | None,
        taken_at: datetime,
        kind: Kind | str = Kind.MOVE,
        target: int | None = None,
        evidence: Sequence[str] = (),
    ) -> Event:
        """Return the event once it is on the disk.

        Raises `StaleSequenceError` if `expected_seq` is not the next number,
        `NotationError` for a move that cannot be read, `UnknownEventError` for a target
        that cannot be meant, `LedgerError` if the disk refuses; then nothing was added.
        """
        event = Event(
            seq=expected_seq,
            kind=Kind(kind),
            move=move,
            target=target,
            source=source,
            actor=actor,
            taken_at=taken_at,
            recorded_at=datetime.now(UTC),
            evidence=tuple(evidence),
            engine=our_version(),
            digest="",
        )
        check_event(self.table(table_id).game, event)
        with self.writing() as db:
            head = rows.head_in(rows.table_row(db, table_id))
            if expected_seq != head.seq + 1:
                raise StaleSequenceError(expected_seq, head.seq + 1)
            check_target(db, table_id, event)
            check_known(db, event.evidence)
            event = chained(head, event)
            self.add_events(db, table_id, [event])
        with self._news:
            self._news.notify_all()
        return event

    def add_events(
        self, db: Connection, table_id: str, events: Sequence[Event]
    ) -> None:
        """Add events that are chained already, and sign the new head."""
        head = Head(events[-1].seq, events[-1].digest)
        rows.add_events(db, events, self.key.sign_head(table_id, head))

    def events(self, table_id: str, since: int = 0) -> tuple[Event, ...]:
        """Return the events with a number above `since`, in order."""
        with self.reading() as db:
            return rows.events_of(db, table_id, since)

    def wait(self, table_id: str, since: int, timeout_s: float) -> tuple[Event, ...]:
        """Return the events above `since` as soon as there is one; none in time: ()."""
        until_s = time.monotonic() + timeout_s
        while self.head(table_id).seq <= since:
            left_s = until_s - time.monotonic()
            if left_s <= 0:
                return ()
            with self._news:  # at once for this process, soon for another one
                self._news.wait(min(left_s, POLL_S))
        return self.events(table_id, since)

    def head(self, table_id: str) -> Head:
        """Return the last event's number and digest; number 0 before the first."""
        with self.reading() as db:
            return rows.head_in(rows.table_row(db, table_id))

    def signed_head(self, table_id: str) -> SignedHead:
        """Return the head with this installation's signature, to be kept elsewhere."""
        with self.reading() as db:
            return rows.signed_head_in(rows.table_row(db, table_id))

    def record(self, table_id: str) -> tuple[SignedHead, tuple[Event, ...]]:
        """Return the signed head and all events, both of one moment."""
        with self.reading() as db:
            row = rows.table_row(db, table_id)
            return rows.signed_head_in(row), rows.events_of(db, table_id)

    def state(self, table_id: str, *, seq: int | None = None) -> LiveState:
        """Return where the table stands, or stood after event `seq`."""
        table = self.table(table_id)
        if seq is None:
            return self._states.latest(table, partial(self.events, table_id))
        events = self.events(table_id)
        if not 0 <= seq <= len(events):
            raise UnknownEventError(seq)
        return replayed(table, events[:seq])

    # Pictures -------------------------------------------------------------------------

    def keep(self, content: bytes, media_type: str) -> str:
        """Return the SHA-256 of a picture that is on the disk from now on.

        The oldest ones that nobody disputes make room for it.
        """
        with self.blobs.prepared(content) as file, self.writing() as db:
            sha256 = self.blobs.keep(db, file, media_type)
            self.blobs.make_room(db)
        return sha256

    def blob(self, sha256: str) -> bytes:
        """Return a picture; raise `UnknownBlobError` where only its hash is left."""
        return self.blobs.read(sha256)

    def media_type(self, sha256: str) -> str:
        """Return what kind of picture it is; raise `UnknownBlobError`."""
        with self.reading() as db:
            return self.blobs.media_type(db, sha256)

    def mark_disputed(self, table_id: str, seq: int) -> None:
        """Keep the pictures of an event for good; raise `UnknownEventError`."""
        with self.writing() as db:
            rows.dispute_event(db, table_id, seq)

    def disputed(self, table_id: str) -> frozenset[int]:
        """Return the events whose pictures are kept for good."""
        query = select(dispute.c.seq).where(dispute.c.table_id == table_id)
        with self.reading() as db:
            return frozenset(db.execute(query).scalars())
