"""Opening the database file: how SQLite is set, and its errors as sentences.

WAL with `synchronous=FULL` is the one setting under which a commit outlives a power
cut and readers do not wait for the writer (ecosystem.md B1: 457 commits/s).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError

from companion.i18n import N_
from companion.ledger.errors import LedgerError

BUSY_TIMEOUT_MS = 20_000
PRAGMAS = (
    f"busy_timeout={BUSY_TIMEOUT_MS}",
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "trusted_schema=OFF",
)
SENTENCES = {
    sqlite3.SQLITE_FULL: N_(
        "%(file)s: the disk is full, nothing was added. Make room and try again."
    ),
    sqlite3.SQLITE_READONLY: N_(
        "%(file)s may only be read here, so nothing can be added."
    ),
    sqlite3.SQLITE_CORRUPT: N_(
        "%(file)s is damaged. Keep it as it is, and go on with a copy or an export."
    ),
    sqlite3.SQLITE_NOTADB: N_("%(file)s is no database of Arbitro."),
    sqlite3.SQLITE_BUSY: N_(
        "%(file)s is in use by another program. Try again in a moment."
    ),
    sqlite3.SQLITE_CANTOPEN: N_("%(file)s cannot be opened or made."),
    sqlite3.SQLITE_IOERR: N_("%(file)s: the disk does not answer as it should."),
}
OTHERWISE = N_("%(file)s: the database refuses (%(reason)s).")


def make_engine(path: Path, module: ModuleType | None = None) -> Engine:
    """Return an engine on the file; `module` is another DB-API than the built-in one.

    Transactions read (BEGIN) unless the execution option `arbitro_write` is set; then
    they take the write lock at once, so that what they read stays true (BEGIN
    IMMEDIATE).
    """
    engine = create_engine(
        f"sqlite:///{path}", module=module, pool_size=8, max_overflow=56
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        cursor = connection.cursor()
        for pragma in PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("arbitro_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def make_file(path: Path) -> None:
    """Make an empty file that only this user may read; SQLite's others follow it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn the database's errors into `LedgerError`, in words."""
    try:
        yield
    except DBAPIError as error:
        raise ledger_error(path, error.orig) from error


def ledger_error(path: Path, error: BaseException | None) -> LedgerError:
    """Return what a person is told about an error of the database."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the family
    sentence = SENTENCES.get(code)
    if sentence is None:
        return LedgerError(OTHERWISE, file=path.name, reason=str(error))
    return LedgerError(sentence, file=path.name)
