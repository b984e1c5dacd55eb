"""The schema of the database: what an older Arbitro wrote is read by this one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

from companion.ledger import LedgerError, migrating, open_ledger, rows, verify_table
from companion.ledger.chain import chained, first_digest
from companion.ledger.database import make_engine
from companion.ledger.records import Event, Head, Kind, TableRecord
from companion.ledger.schema import METADATA
from companion.ledger.signing import load_key

NOW = datetime(2026, 11, 28, tzinfo=UTC)
TABLE = TableRecord("0123456789abcdef", "ABCDEF", "frenzy", {}, ("A",), "Old", 7, NOW)


def make_old(path: Path, revision: str = "0001") -> None:
    """Make a database of the first schema with a table and two events in it."""
    engine = make_engine(path)
    key = load_key(path.with_name(f"{path.stem}-key.txt"))
    with engine.execution_options(arbitro_write=True).begin() as db:
        migrating.upgrade(db, revision)
        head = Head(0, first_digest(TABLE))
        rows.add_table(db, TABLE, key.sign_head(TABLE.id, head))
        for words in ("one", "two"):
            event = Event(
                0, Kind.NOTE, words, None, "test", None, NOW, NOW, (), "0.1", ""
            )
            event = chained(head, event)
            head = Head(event.seq, event.digest)
            rows.add_events(db, [event], key.sign_head(TABLE.id, head))
    engine.dispose()


def test_an_old_database_is_upgraded_and_nothing_in_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    make_old(path)
    with open_ledger(path) as ledger:
        assert [event.move for event in ledger.events(TABLE.id)] == ["one", "two"]
        assert ledger.table(TABLE.id) == TABLE
        assert verify_table(ledger, TABLE.id).is_intact
        with ledger.engine.connect() as db:
            assert migrating.revision(db) == migrating.newest()
        with pytest.raises(LedgerError), ledger.writing() as db:  # what 0002 brought
            db.execute(sa.text("DELETE FROM event"))


def test_an_upgrade_that_fails_leaves_the_old_schema(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    make_old(path)
    engine = make_engine(path)
    with engine.execution_options(arbitro_write=True).begin() as db:
        # Something in the way of the last statement of the step.
        db.exec_driver_sql(
            "CREATE TRIGGER event_no_delete BEFORE DELETE ON event"
            " BEGIN SELECT RAISE(ABORT, 'in the way'); END"
        )
    with pytest.raises(LedgerError):
        open_ledger(path)
    with engine.connect() as db:
        assert migrating.revision(db) == "0001"
        found = db.exec_driver_sql(
            "SELECT name FROM sqlite_master WHERE type='trigger'"
        ).scalars()
        assert list(found) == ["event_no_delete"]
    engine.dispose()


def test_a_database_of_a_newer_arbitro_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    open_ledger(path).close()
    engine = make_engine(path)
    with engine.begin() as db:
        db.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(LedgerError, match="newer version"):
        open_ledger(path)
    engine.dispose()


def test_the_steps_lead_to_the_schema_of_the_code(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as ledger:
        found = sa.inspect(ledger.engine)
        for table in METADATA.tables.values():
            columns = [
                (c["name"], str(c["type"]), c["nullable"])
                for c in found.get_columns(table.name)
            ]
            assert columns == [(c.name, str(c.type), c.nullable) for c in table.columns]
            key = [column.name for column in table.primary_key]
            assert found.get_pk_constraint(table.name)["constrained_columns"] == key
            indexes = [tuple(i["column_names"]) for i in found.get_indexes(table.name)]
            assert indexes == [tuple(i.columns.keys()) for i in table.indexes]


def test_the_steps_are_one_line_and_the_names_say_which_is_the_newest() -> None:
    script = ScriptDirectory(str(migrating.FOLDER))
    assert script.get_heads() == [migrating.newest()]
    for step in script.walk_revisions():
        assert Path(step.path).stem[1:5] == step.revision


def test_an_up_to_date_file_opens_without_alembic(tmp_path: Path) -> None:
    """Its import takes longer than all else together."""
    source = Path(migrating.__file__).read_text("utf-8")
    assert "\nimport alembic" not in source
    assert "\nfrom alembic" not in source
    open_ledger(tmp_path / "a.db").close()
    with open_ledger(tmp_path / "a.db") as ledger:
        assert ledger.tables() == ()
