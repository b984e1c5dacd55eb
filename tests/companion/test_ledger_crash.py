"""Nothing acknowledged is lost: killed writers, failing power, full and broken disks.

The long runs are `tests/bench/bench_ledger.py` (ecosystem.md, figures R1 and R2).
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.failure import failure_of
from companion.ledger import Ledger, LedgerError, database, open_ledger, verify_table
from tests.support.crashes import cut_power, kill_writers

NOW = datetime(2026, 11, 28, tzinfo=UTC)
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


def note(ledger: Ledger, table: str, words: str = "x") -> None:
    seq = ledger.head(table).seq + 1
    ledger.append(
        table, seq, words, kind="note", source="test", actor=None, taken_at=NOW
    )


@forks
def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    survey = kill_writers(tmp_path, 30, seed=1)
    assert survey.is_clean, survey
    assert survey.acknowledged > 0


@forks
def test_failing_power_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    survey = cut_power(tmp_path, 12, seed=1)
    assert survey.is_clean, survey
    assert survey.acknowledged > 20


@forks
def test_the_forgetful_disk_would_find_a_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the usual `synchronous=NORMAL` the same power cuts lose events."""
    weaker = [text.replace("=FULL", "=NORMAL") for text in database.PRAGMAS]
    monkeypatch.setattr(database, "PRAGMAS", tuple(weaker))
    assert cut_power(tmp_path, 6, seed=1).lost > 0


def test_the_database_is_set_to_outlive_a_power_cut(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as ledger, ledger.engine.connect() as db:
        asked = ("synchronous", "journal_mode", "foreign_keys")
        found = [db.exec_driver_sql(f"PRAGMA {name}").scalar() for name in asked]
    assert found == [2, "wal", 1]


def fill(ledger: Ledger, table: str) -> None:
    for _ in range(60):
        note(ledger, table, "x" * 3000)


# Trouble, in words --------------------------------------------------------------------


def sentence(error: LedgerError, language: str = "en") -> str:
    failure = failure_of(error, language)
    assert (failure.code, failure.exit_code) == ("ledger", 1)
    return failure.sentence


def test_a_full_disk_is_said_and_nothing_is_half_there(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as ledger:
        table = ledger.create_table("frenzy", {}).id
        note(ledger, table)
        with ledger.engine.connect() as db:
            pages = db.exec_driver_sql("PRAGMA page_count").scalar()
            db.exec_driver_sql(f"PRAGMA max_page_count={pages}")

        def fill() -> None:
            for _ in range(60):
                note(ledger, table, "x" * 3000)

        with pytest.raises(LedgerError) as caught:
            fill()
        assert "disk is full" in sentence(caught.value)
        assert verify_table(ledger, table).is_intact
        with ledger.engine.connect() as db:
            db.exec_driver_sql("PRAGMA max_page_count=100000")
        note(ledger, table)  # there is room again
        assert verify_table(ledger, table).is_intact


def test_a_file_that_may_only_be_read_is_said(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as ledger:
        table = ledger.create_table("frenzy", {}).id
        with ledger.engine.connect() as db:
            db.exec_driver_sql("PRAGMA query_only=ON")
        with pytest.raises(LedgerError) as caught:
            note(ledger, table)
        assert "may only be read" in sentence(caught.value)
        assert ledger.events(table) == ()


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"my holiday pictures" * 200)
    with pytest.raises(LedgerError) as caught:
        open_ledger(path)
    assert "is no database" in sentence(caught.value)
    assert path.read_bytes() == b"my holiday pictures" * 200


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_ledger(path) as ledger:
        table = ledger.create_table("frenzy", {}).id
        for number in range(40):
            note(ledger, table, f"{number}" * 200)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(LedgerError) as caught, open_ledger(path) as ledger:
        ledger.events(table)
    assert "damaged" in sentence(caught.value)


def test_a_file_in_use_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    quick = [text.replace("20000", "50") for text in database.PRAGMAS]
    monkeypatch.setattr(database, "PRAGMAS", tuple(quick))
    with open_ledger(path) as ledger:
        table = ledger.create_table("frenzy", {}).id
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError) as caught:
            note(ledger, table)
        assert "in use" in sentence(caught.value)
        other.execute("ROLLBACK")
        other.close()
        note(ledger, table)


def test_a_folder_instead_of_a_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="directory") as caught:
        open_ledger(tmp_path)
    assert failure_of(caught.value, "en").exit_code == 1


def test_a_copy_of_a_file_in_use_is_whole(tmp_path: Path) -> None:
    """Main file and log together are the table, wherever they are put."""
    with open_ledger(tmp_path / "a.db") as ledger:
        table = ledger.create_table("frenzy", {}).id
        note(ledger, table)
        other = tmp_path / "copy"
        other.mkdir()
        for path in tmp_path.glob("a*"):
            if path.is_file():
                shutil.copy(path, other / path.name)
    with open_ledger(other / "a.db") as copied:
        assert verify_table(copied, table).is_intact
        assert copied.head(table).seq == 1
