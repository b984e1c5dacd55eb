"""`arbitro tables`, `verify`, `export`, `import`, `replay`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text as Line

from companion.config import default_folder
from companion.errors import UsageError
from companion.evidence import PackError, is_pack, verify_pack
from companion.i18n import N_, say, say_many
from companion.ledger import (
    Ledger,
    TableRecord,
    UnknownTableError,
    Witness,
    open_ledger,
)
from companion.ledger.chain import event_document, time_text
from companion.ledger.comparing import Played, Step, play_again
from companion.ledger.export import export_table
from companion.ledger.importing import checked_session, import_table
from companion.ledger.records import Kind, SignedHead
from companion.ledger.report import VerifyReport
from companion.ledger.signing import head_document, head_of
from companion.ledger.store import FILE_NAME
from companion.ledger.verify import verify_export, verify_table
from companion.report import ruling_json
from companion.terminal.show import console, ruling_line

KIND_NAMES = {
    Kind.UNDO: N_("taken back: number %(target)s"),
    Kind.CORRECTION: N_("number %(target)s put right"),
    Kind.OVERRULE: N_("number %(target)s overruled"),
    Kind.NOTE: N_("note"),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """What is to be verified, and against what."""

    file: Path | None
    table: str | None
    receipt: Path | None
    key: str
    save_receipt: Path | None


def list_tables(language: str, *, as_json: bool) -> None:
    """Print the tables, the newest first."""
    with _ledger() as ledger:
        found = [(table, ledger.head(table.id).seq) for table in ledger.tables()]
    if as_json:
        for table, count in found:
            click.echo(json.dumps(_table_json(table, count), ensure_ascii=False))
        return
    if not found:
        console().print(say(language, N_("There are no tables here yet.")))
        return
    listed = Table(box=None, pad_edge=False, header_style="dim")
    for name in (N_("Code"), N_("Game"), N_("Title"), N_("Seats"), N_("Events")):
        listed.add_column(say(language, name))
    listed.add_column(say(language, N_("Opened")))
    listed.add_column("Id", style="dim")
    for table, count in found:
        seats = ", ".join(name or "-" for name in table.seats)
        opened = table.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
        row = (table.code, table.game, table.title, seats, str(count), opened, table.id)
        listed.add_row(*map(Line, row))
    console().print(listed)


def verify_record(checked: Checked, language: str, *, as_json: bool) -> int:
    """Print whether the record is intact; return 0 if it is, else 1."""
    receipt = None if checked.receipt is None else read_receipt(checked.receipt)
    witness = Witness(receipt, checked.key)
    if checked.file is not None:
        if checked.save_receipt is not None:
            raise UsageError(N_("A receipt is made of a table, not of a file."))
        if is_pack(checked.file):
            return verify_evidence(checked.file, checked.key, language, as_json=as_json)
        report = verify_export(checked.file, witness)
    else:
        with _ledger() as ledger:
            table = find_table(ledger, checked.table or "")
            report = verify_table(ledger, table.id, witness)
            if report.is_intact and checked.save_receipt is not None:
                document = head_document(ledger.signed_head(table.id))
                checked.save_receipt.write_text(json.dumps(document) + "\n", "utf-8")
    if as_json:
        click.echo(json.dumps(_report_json(report, language), ensure_ascii=False))
    else:
        _show_report(report, language)
    return 0 if report.is_intact else 1


def verify_evidence(file: Path, key: str, language: str, *, as_json: bool) -> int:
    """Print whether an evidence pack is intact; return 0 if it is, else 1."""
    try:
        report = verify_pack(file)
        if key and report.fingerprint != key:
            raise PackError(
                N_("This was signed with another key, %(key)s."), key=report.fingerprint
            )
    except PackError as error:
        sentence = say(language, error.message, **error.values)
        if as_json:
            told = {"intact": False, "fault": sentence}
            click.echo(json.dumps(told, ensure_ascii=False))
        else:
            console().print(f"✗ {sentence}")
        return 1
    if as_json:
        told_all = {
            "intact": True,
            "key": report.fingerprint,
            "files": list(report.files),
            **report.facts,
        }
        click.echo(json.dumps(told_all, ensure_ascii=False))
        return 0
    sentence = say(
        language,
        N_("Intact: %(count)s files about %(game)s, signed with key %(key)s."),
        count=len(report.files),
        game=str(report.facts.get("game", "")),
        key=report.fingerprint,
    )
    console().print(f"✓ {sentence}")
    return 0


def export_to(name: str, file: Path, language: str) -> None:
    """Write a table to a file."""
    with _ledger() as ledger:
        table = find_table(ledger, name)
        export_table(ledger, table.id, file)
        count = ledger.head(table.id).seq
    console().print(
        say_many(
            language,
            "One event written to %(file)s.",
            "%(count)s events written to %(file)s.",
            count,
            file=str(file),
        )
    )


def import_from(file: Path, language: str) -> None:
    """Take in a table from a file."""
    with _ledger() as ledger:
        table = import_table(ledger, file)
    console().print(
        say(
            language,
            N_("Taken in as table %(code)s, signed with key %(key)s."),
            code=table.code,
            key=table.origin,
        )
    )


def replay_file(file: Path, language: str, *, as_json: bool) -> int:
    """Print every event with its ruling; return 0 if all rulings are as they were."""
    played = play_again(checked_session(file))
    for step in played.steps():
        if as_json:
            click.echo(json.dumps(_step_json(step, language), ensure_ascii=False))
        else:
            _show_step(console(), step, played, language)
    if not as_json:
        sentence = (
            N_("The same rulings and the same state as then (Arbitro %(version)s).")
            if played.is_same
            else N_("This version rules otherwise than Arbitro %(version)s did.")
        )
        said = say(language, sentence, version=played.session.version)
        console().print(Line(said, "green" if played.is_same else "red"))
    return 0 if played.is_same else 1


def find_table(ledger: Ledger, name: str) -> TableRecord:
    """Return the table of an id or a join code; raise `UnknownTableError`."""
    try:
        return ledger.table(name)
    except UnknownTableError:
        return ledger.table_by_code(name)


def read_receipt(path: Path) -> SignedHead:
    """Return the signed head in a file; raise `UsageError` if it holds none."""
    try:
        return head_of(json.loads(path.read_text("utf-8")))
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(
            N_("%(file)s is no receipt of Arbitro."), file=str(path)
        ) from error


def _ledger() -> Ledger:
    return open_ledger(default_folder() / FILE_NAME)


def _show_report(report: VerifyReport, language: str) -> None:
    out = console()
    if report.fault is not None:
        said = say(language, report.fault.message, **report.fault.values)
        out.print(Line(f"✗ {said}", "red"))
        return
    assert report.head is not None
    said = say(
        language,
        N_(
            "Intact: %(events)s events, %(pictures)s pictures, signed with key %(key)s."
        ),
        events=report.head.seq,
        pictures=report.pictures,
        key=report.key,
    )
    out.print(Line(f"✓ {said}", "green"))


def _show_step(out: Console, step: Step, played: Played, language: str) -> None:
    event = step.event
    line = Line.assemble(
        (f"{event.seq:>4}  ", "dim"),
        (f"{event.taken_at.astimezone():%H:%M:%S}  ", "dim"),
    )
    if event.kind in KIND_NAMES:
        name = KIND_NAMES[event.kind]
        line.append(say(language, name, target=event.target or 0) + "  ", "magenta")
    undone = event.seq in played.live.undone
    line.append(event.move, "strike dim" if undone else "bold cyan")
    if event.actor:
        line.append(f"  {event.actor}", "dim")
    out.print(line)
    if step.ruling is not None:
        out.print(ruling_line(step.ruling, language, indent=6))
    if not step.is_same:
        said = say(language, N_("This was ruled otherwise then."))
        out.print(Line(f"      {said}", "red"))


def _table_json(table: TableRecord, count: int) -> dict[str, Any]:
    return {
        "id": table.id,
        "code": table.code,
        "game": table.game,
        "options": dict(table.options),
        "seats": list(table.seats),
        "title": table.title,
        "created_at": time_text(table.created_at),
        "origin": table.origin or None,
        "events": count,
    }


def _report_json(report: VerifyReport, language: str) -> dict[str, Any]:
    fault, head = report.fault, report.head
    return {
        "intact": report.is_intact,
        "table": None if report.table is None else report.table.id,
        "events": None if head is None else head.seq,
        "digest": None if head is None else head.digest,
        "key": report.key or None,
        "pictures": report.pictures,
        "fault": None
        if fault is None
        else {
            "code": str(fault.code),
            "seq": fault.seq or None,
            "sentence": say(language, fault.message, **fault.values),
        },
    }


def _step_json(step: Step, language: str) -> dict[str, Any]:
    ruling = step.ruling
    return event_document(step.event) | {
        "ruling": None if ruling is None else ruling_json(ruling, language),
        "same": step.is_same,
    }
