"""Taking in a session that another installation exported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import select

from companion.errors import CompanionError
from companion.i18n import N_
from companion.ledger import rows
from companion.ledger.checks import check_foreign
from companion.ledger.errors import ExportError
from companion.ledger.export import PICTURES
from companion.ledger.records import TableRecord
from companion.ledger.report import Fault, FaultCode, VerifyReport, Witness
from companion.ledger.schema import game_table
from companion.ledger.store import Ledger
from companion.ledger.verify import (
    MALFORMED,
    NOBODY,
    Session,
    read_session,
    verify_export,
)
from engines.core import RulesError

MOST_PICTURE_BYTES = 64_000_000


def import_table(ledger: Ledger, path: Path, witness: Witness = NOBODY) -> TableRecord:
    """Return the table that was taken in, with its events, pictures and disputes.

    All of it, or nothing. Raises `ExportError` for a file that does not verify, that
    holds what no table of ours could, or a table that is here already.
    """
    session = checked_session(path, witness)
    with ExitStack() as files:
        prepared = [
            (files.enter_context(ledger.blobs.prepared(content)), media_type)
            for content, media_type in _pictures(session)
        ]
        with ledger.writing() as db:
            here = select(game_table.c.id).where(game_table.c.id == session.table.id)
            if db.execute(here).first() is not None:
                raise ExportError(N_("This table is here already."))
            for file, media_type in prepared:
                ledger.blobs.keep(db, file, media_type)
            table = ledger.add_table(db, session.table)
            if session.events:
                ledger.add_events(db, table.id, session.events)
            for seq in session.disputed:
                rows.dispute_event(db, table.id, seq)
            ledger.blobs.make_room(db)
    return table


def checked_session(path: Path, witness: Witness = NOBODY) -> Session:
    """Return what a file holds; raise `ExportError` that names its first fault."""
    fault = verify_export(path, witness).fault
    session = read_session(path)
    if fault is not None or isinstance(session, VerifyReport):
        raise _refusal(fault or Fault(FaultCode.NO_EXPORT))
    try:
        check_foreign(session.table, session.events)
        session.verdicts()
    except (*MALFORMED, CompanionError, RulesError) as error:
        # Sealed by its maker, and still nothing that Arbitro writes.
        raise _refusal(Fault(FaultCode.NO_EXPORT)) from error
    return session


def _pictures(session: Session) -> Iterator[tuple[bytes, str]]:
    for sha256, media_type in session.pictures.items():
        name = PICTURES + sha256
        yield session.archive.read(name, most_bytes=MOST_PICTURE_BYTES), media_type


def _refusal(fault: Fault) -> ExportError:
    return ExportError(fault.message, **fault.values)
