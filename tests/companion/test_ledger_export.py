"""A session as one file: any touch is found, and said; taken in, it is the same."""

from __future__ import annotations

import json
import random
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.cli import main
from companion.ledger import (
    ExportError,
    FaultCode,
    Kind,
    Ledger,
    TableRecord,
    VerifyReport,
    Witness,
    chain,
    open_ledger,
    rows,
    verify_export,
    verify_table,
)
from companion.ledger.archive import write_archive
from companion.ledger.comparing import play_again
from companion.ledger.export import EVENTS, MANIFEST, RULINGS, export_table
from companion.ledger.importing import checked_session, import_table
from companion.ledger.records import Head, SignedHead
from companion.ledger.signing import fingerprint, head_document, load_key
from engines.core import canonical
from tests.support.live_games import OPTIONS, moves_of
from tests.support.tampering import KINDS, tampered

NOW = datetime(2026, 11, 28, tzinfo=UTC)


@dataclass(frozen=True)
class Sample:
    """A game of Regicide with pictures, and how it was exported."""

    ledger: Ledger
    table: TableRecord
    file: Path
    receipt: SignedHead

    @property
    def witness(self) -> Witness:
        return Witness(self.receipt)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    folder = tmp_path_factory.mktemp("sample")
    with open_ledger(folder / "arbitro.db") as ledger:
        table = ledger.create_table("regicide", OPTIONS["regicide"], seats=["A", "B"])
        for seq, move in enumerate(moves_of("regicide", most=8), start=1):
            shown = [ledger.keep(f"picture {seq // 2}".encode() * 40, "image/jpeg")]
            add(ledger, table, move, evidence=shown)
        add(ledger, table, "", kind="undo", target=8)
        add(ledger, table, "Über den Tisch", kind="note", actor="Bo")
        ledger.mark_disputed(table.id, 4)
        file = folder / "session.arbitro"
        export_table(ledger, table.id, file)
        yield Sample(ledger, table, file, ledger.signed_head(table.id))


def add(ledger: Ledger, table: TableRecord, move: str, **more: Any) -> None:
    values = {"source": "test", "actor": None, "taken_at": NOW} | more
    ledger.append(table.id, ledger.head(table.id).seq + 1, move, **values)


def code_of(report: VerifyReport) -> str:
    return "" if report.fault is None else str(report.fault.code)


def rebuilt(sample: Sample, path: Path, changes: dict[str, bytes | None]) -> Path:
    """The same file with other entries, sealed again by the same installation."""
    with zipfile.ZipFile(sample.file) as packed:
        entries = {name: packed.read(name) for name in packed.namelist()}
    left: dict[str, bytes | None] = {**entries, **changes}
    kept = [(name, content) for name, content in left.items() if content is not None]
    write_archive(path, kept, sample.ledger.key)
    return path


# Verify ------------------------------------------------------------------------------


def test_an_export_is_intact_and_opens_anywhere(sample: Sample) -> None:
    report = verify_export(sample.file, sample.witness)
    assert report.is_intact, report.fault
    assert report.head is not None
    assert (report.head.seq, report.pictures) == (10, 5)
    assert report.key == fingerprint(sample.ledger.key.public)
    with zipfile.ZipFile(sample.file) as packed:
        assert packed.testzip() is None
        assert packed.read(EVENTS).count(b"\n") == 10
    assert verify_table(sample.ledger, sample.table.id, sample.witness).is_intact


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_change_of_a_byte_is_found(
    sample: Sample, tmp_path: Path, data: st.DataObject
) -> None:
    content = bytearray(sample.file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path / "touched"
    path.write_bytes(content)
    assert not verify_export(path).is_intact


def test_every_bit_of_the_seal_and_of_the_directory_counts(
    sample: Sample, tmp_path: Path
) -> None:
    content = sample.file.read_bytes()
    path = tmp_path / "touched"
    for place in range(len(content) - 260, len(content)):
        for bit in (0x01, 0x20):  # 0x20 is the other case of a letter
            touched = bytearray(content)
            touched[place] ^= bit
            path.write_bytes(touched)
            assert not verify_export(path).is_intact, (place, bit)


@pytest.mark.parametrize("kind", KINDS)
def test_edits_deletions_swaps_truncations_and_rebuilds_are_found(
    sample: Sample, tmp_path: Path, kind: str
) -> None:
    rng, path = random.Random(5), tmp_path / "touched"
    for _ in range(4):
        tampered(kind, sample.file, path, rng)
        report = verify_export(path, sample.witness)
        assert not report.is_intact, kind


def test_the_first_fault_is_named(sample: Sample, tmp_path: Path) -> None:
    path = tmp_path / "touched"
    with zipfile.ZipFile(sample.file) as packed:
        lines = packed.read(EVENTS).splitlines(keepends=True)
        pictures = [name for name in packed.namelist() if name.startswith("pictures/")]
    edited = lines.copy()
    edited[3] = edited[3].replace(b'"source":"test"', b'"source":"tesT"')
    cases: list[tuple[dict[str, bytes | None], FaultCode, int]] = [
        ({EVENTS: b"".join(edited)}, FaultCode.CHANGED_EVENT, 4),
        ({EVENTS: b"".join(lines[:2] + lines[3:])}, FaultCode.CHANGED_EVENT, 3),
        ({EVENTS: b"".join(lines[:-3])}, FaultCode.MISSING_TAIL, 7),
        ({EVENTS: b"{"}, FaultCode.CHANGED_EVENT, 1),
        ({RULINGS: b""}, FaultCode.CHANGED_RULINGS, 0),
        ({pictures[1]: None}, FaultCode.MISSING_PICTURE, 2),
        ({pictures[1]: b"another"}, FaultCode.CHANGED_PICTURE, 2),
        ({MANIFEST: None}, FaultCode.NO_EXPORT, 0),
    ]
    for changes, code, seq in cases:
        fault = verify_export(rebuilt(sample, path, changes)).fault
        assert fault is not None
        assert (fault.code, fault.seq) == (code, seq)
    # One byte in a picture, without touching checksums: it is still named.
    content = sample.file.read_bytes().replace(b"picture 3", b"picture 9", 1)
    path.write_bytes(content)
    fault = verify_export(path).fault
    assert fault is not None
    assert (fault.code, fault.seq) == (FaultCode.CHANGED_PICTURE, 6)
    path.write_bytes(sample.file.read_bytes().replace(b"1980", b"1980") + b" ")
    assert code_of(verify_export(path)) == FaultCode.NO_EXPORT


def test_a_head_of_another_signer_or_number_is_found(
    sample: Sample, tmp_path: Path
) -> None:
    path = tmp_path / "touched"
    with zipfile.ZipFile(sample.file) as packed:
        manifest = json.loads(packed.read(MANIFEST))
    for field, value in {"seq": 9, "digest": "0" * 64, "signature": "0" * 128}.items():
        head = manifest["head"] | {field: value}
        document = json.dumps(manifest | {"head": head}).encode()
        report = verify_export(rebuilt(sample, path, {MANIFEST: document}))
        assert code_of(report) == FaultCode.WRONG_SIGNATURE


def test_a_receipt_shows_a_history_that_was_written_anew(tmp_path: Path) -> None:
    """A chain alone cannot: the holder of the key may build it again (finding 8)."""
    with open_ledger(tmp_path / "a.db") as ledger:
        table = ledger.create_table("frenzy", {})
        for words in ("one", "two", "three"):
            add(ledger, table, words, kind="note")
        receipt = ledger.signed_head(table.id)
        assert verify_table(ledger, table.id, Witness(receipt)).is_intact
        rewrite(ledger, table, ["one", "2", "three", "four"])
        assert verify_table(ledger, table.id).is_intact
        report = verify_table(ledger, table.id, Witness(receipt))
        assert code_of(report) == FaultCode.OTHER_HISTORY
        rewrite(ledger, table, ["one"])
        report = verify_table(ledger, table.id, Witness(receipt))
        assert code_of(report) == FaultCode.MISSING_TAIL


def rewrite(ledger: Ledger, table: TableRecord, texts: list[str]) -> None:
    """What the owner of machine, key and database can do."""
    model = ledger.events(table.id)[0]
    head, events = Head(0, chain.first_digest(table)), []
    for words in texts:
        event = chain.chained(head, replace(model, move=words))
        head = Head(event.seq, event.digest)
        events.append(event)
    with ledger.writing() as db:
        db.exec_driver_sql("DROP TRIGGER IF EXISTS event_no_delete")
        db.exec_driver_sql("DELETE FROM event")
        rows.add_events(db, events, ledger.key.sign_head(table.id, head))


def test_a_table_changed_in_the_database_is_found(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as ledger:
        table = ledger.create_table("frenzy", {})
        picture = ledger.keep(b"a picture", "image/jpeg")
        add(ledger, table, "one", kind="note", evidence=[picture])
        add(ledger, table, "two", kind="note")
        changes = {
            "UPDATE event SET move = 'One' WHERE seq = 1": FaultCode.CHANGED_EVENT,
            "DELETE FROM event WHERE seq = 2": FaultCode.MISSING_TAIL,
            "UPDATE game_table SET head_seq = 1": FaultCode.WRONG_SIGNATURE,
        }
        for sql, code in changes.items():
            with ledger.engine.connect() as db:  # never committed
                db.exec_driver_sql("DROP TRIGGER event_no_update")
                db.exec_driver_sql("DROP TRIGGER event_no_delete")
                db.exec_driver_sql(sql)
                record = Record(ledger, rows.table_row(db, table.id), db)
                assert code_of(verify_table(record, table.id)) == code
        path = next((tmp_path / "a-pictures").rglob(picture))
        path.write_bytes(b"another")
        report = verify_table(ledger, table.id)
        assert code_of(report) == FaultCode.CHANGED_PICTURE
        path.unlink()
        assert verify_table(ledger, table.id).is_intact  # it may have made room
        ledger.mark_disputed(table.id, 1)
        report = verify_table(ledger, table.id)
        assert code_of(report) == FaultCode.MISSING_PICTURE


class Record(Ledger):
    """A ledger as one open transaction sees it."""

    def __init__(self, ledger: Ledger, row: Any, db: Any) -> None:
        self.__dict__.update(ledger.__dict__)
        self._found = rows.signed_head_in(row), rows.events_of(db, row.id)

    def record(self, table_id: str) -> Any:
        return self._found


def test_another_key_is_found_by_whoever_knows_the_right_one(
    sample: Sample, tmp_path: Path
) -> None:
    with open_ledger(tmp_path / "b.db") as other:
        table = import_table(other, sample.file)
        foreign = tmp_path / "foreign"
        export_table(other, table.id, foreign)
    assert verify_export(foreign).is_intact
    for witness in (Witness(key=sample.table.origin or own(sample)), sample.witness):
        report = verify_export(foreign, witness)
        assert code_of(report) == FaultCode.FOREIGN_KEY


def own(sample: Sample) -> str:
    return fingerprint(sample.ledger.key.public)


def test_a_receipt_of_another_table_or_a_forged_one_is_refused(sample: Sample) -> None:
    for forged in (
        replace(sample.receipt, seq=3),
        replace(sample.receipt, signature="00" * 64),
        sample.ledger.key.sign_head("another", Head(1, "0" * 64)),
    ):
        report = verify_export(sample.file, Witness(forged))
        assert code_of(report) == FaultCode.WRONG_RECEIPT


def test_the_key_is_made_once_and_a_broken_one_is_said(tmp_path: Path) -> None:
    path = tmp_path / "key.txt"
    assert load_key(path).public == load_key(path).public
    path.write_text("not a key")
    with pytest.raises(Exception, match="does not hold a key"):
        load_key(path)


# Export, import, replay --------------------------------------------------------------


def test_what_is_taken_in_is_the_same_and_can_go_on(
    sample: Sample, tmp_path: Path
) -> None:
    with open_ledger(tmp_path / "b.db", keep_bytes=1) as other:
        table = import_table(other, sample.file)
        assert other.events(table.id) == sample.ledger.events(sample.table.id)
        assert table.origin == own(sample)
        assert replace(table, code="", origin="") == replace(
            sample.table, code="", origin=""
        )
        then, now = sample.ledger.state(sample.table.id), other.state(table.id)
        assert canonical(then.state) == canonical(now.state)
        assert other.disputed(table.id) == {4}
        shown = other.events(table.id)[3].evidence[0]
        assert other.blob(shown)  # disputed: it stays, though the bound is one byte
        add(other, table, "and on", kind="note")
        assert verify_table(other, table.id, Witness()).is_intact
        with pytest.raises(ExportError, match="already"):
            import_table(other, sample.file)


def test_a_touched_file_is_not_taken_in(sample: Sample, tmp_path: Path) -> None:
    path = tmp_path / "touched"
    path.write_bytes(sample.file.read_bytes().replace(b"Tisch", b"Stuhl"))
    with open_ledger(tmp_path / "b.db") as other:
        with pytest.raises(ExportError, match="Event 10 was changed"):
            import_table(other, path)
        assert other.tables() == ()


def test_a_well_signed_file_of_nonsense_is_not_taken_in(tmp_path: Path) -> None:
    """A signature says who made it, not that it is a game."""
    with open_ledger(tmp_path / "a.db") as ledger:
        table = ledger.create_table("frenzy", {})
        add(ledger, table, "one", kind="note")
        model = ledger.events(table.id)[0]
        for number, wrong in enumerate(
            (
                {"kind": Kind.MOVE, "move": "no such move"},
                {"kind": Kind.UNDO, "target": 7},
                {"evidence": ("../../etc/passwd",)},
                {"source": ["a", "list"]},
                {"move": "x" * 100_000},
            )
        ):
            event = chain.chained(
                Head(0, chain.first_digest(table)),
                replace(model, **wrong),  # type: ignore[arg-type]
            )
            path = tmp_path / f"{number}.arbitro"
            head = ledger.key.sign_head(table.id, Head(1, event.digest))
            manifest = {
                "format": "arbitro-session",
                "version": 1,
                "arbitro": "0",
                "exported_at": NOW.isoformat(),
                "table": chain.table_document(table),
                "head": head_document(head),
                "disputed": [],
                "files": {
                    RULINGS: "e3b0c44298fc1c149afbf4c8996fb924"
                    "27ae41e4649b934ca495991b7852b855"
                },
                "pictures": {},
                "state": "",
            }
            line = canonical(chain.event_document(event))
            entries = [(EVENTS, line), (RULINGS, b"")]
            entries.append((MANIFEST, json.dumps(manifest).encode()))
            write_archive(path, entries, ledger.key)
            assert verify_export(path).is_intact
            with open_ledger(tmp_path / f"{number}.db") as other:
                with pytest.raises(ExportError):
                    import_table(other, path)
                assert other.tables() == ()


def test_a_table_that_was_touched_gets_no_new_signature(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as ledger:
        table = ledger.create_table("frenzy", {})
        add(ledger, table, "one", kind="note")
        with ledger.writing() as db:
            db.exec_driver_sql("DROP TRIGGER event_no_update")
            db.exec_driver_sql("UPDATE event SET move = 'two'")
        with pytest.raises(ExportError, match="Event 1 was changed"):
            export_table(ledger, table.id, tmp_path / "out")
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("game", sorted(OPTIONS))
def test_a_replay_gives_the_same_rulings(tmp_path: Path, game: str) -> None:
    with open_ledger(tmp_path / "a.db") as ledger:
        table = ledger.create_table(game, OPTIONS[game])
        for move in moves_of(game, most=10):
            add(ledger, table, move)
        add(ledger, table, "rejected so be it", kind="overrule", target=2)
        export_table(ledger, table.id, tmp_path / "s")
    played = play_again(checked_session(tmp_path / "s"))
    assert played.is_same
    assert len(played.now.rulings) >= 10


def test_an_empty_table_can_be_exported(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "a.db") as ledger:
        table = ledger.create_table("frenzy", {})
        export_table(ledger, table.id, tmp_path / "s")
    report = verify_export(tmp_path / "s")
    assert report.is_intact
    with open_ledger(tmp_path / "b.db") as other:
        assert other.events(import_table(other, tmp_path / "s").id) == ()


# Commands ----------------------------------------------------------------------------


def run(home: Path, *arguments: object) -> Result:
    runner = CliRunner(env={"ARBITRO_HOME": str(home), "LANG": "en", "LANGUAGE": ""})
    result = runner.invoke(main, [str(item) for item in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture
def home(sample: Sample, tmp_path: Path) -> Path:
    """A folder of a user who has the sample table."""
    for path in sample.ledger.path.parent.glob("arbitro*"):
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, tmp_path / path.name)
    return tmp_path


def test_the_commands_from_one_machine_to_another(home: Path, sample: Sample) -> None:
    code, file, other = sample.table.code, home / "s.arbitro", home / "other"
    assert code in run(home, "tables").output
    row = json.loads(run(home, "tables", "--json").output)
    assert (row["id"], row["events"]) == (sample.table.id, 10)
    assert "10 events written" in run(home, "export", code, file).output
    receipt = home / "receipt.json"
    asked = ("verify", "--table", code, "--save-receipt", receipt)
    assert run(home, *asked).exit_code == 0
    assert "Intact: 10 events" in run(other, "verify", file).output
    checked = run(other, "verify", file, "--receipt", receipt, "--json")
    assert json.loads(checked.output)["intact"] is True
    assert "Taken in" in run(other, "import", file).output
    played = run(other, "replay", file)
    assert (played.exit_code, "The same rulings" in played.output) == (0, True)
    lines = run(other, "replay", file, "--json").output.splitlines()
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 11))


def test_the_commands_say_what_is_wrong(home: Path, sample: Sample) -> None:
    touched = home / "touched"
    touched.write_bytes(sample.file.read_bytes().replace(b"Tisch", b"Stuhl"))
    for command in ("verify", "import", "replay"):
        result = run(home, command, touched)
        assert (result.exit_code, "Event 10" in result.output) == (1, True)
    fault = json.loads(run(home, "verify", touched, "--json").output)["fault"]
    assert (fault["code"], fault["seq"]) == ("changed_event", 10)
    wrong = run(home, "verify", sample.file, "--key", "0000-0000-0000-0000")
    assert (wrong.exit_code, "another key" in wrong.output) == (1, True)
    assert run(home, "verify").exit_code == 2
    assert run(home, "verify", home / "nothing").exit_code == 1
    assert run(home, "export", "nobody", home / "x").exit_code == 1
    assert run(home, "verify", sample.file, "--receipt", touched).exit_code == 2
