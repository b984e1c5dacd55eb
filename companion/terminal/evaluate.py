"""`arbitro evaluate`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click
from rich.progress import Progress
from rich.table import Table

from companion.decks.places import open_decks
from companion.errors import UsageError
from companion.i18n import N_, say
from companion.sight import open_picture, sight_of
from companion.terminal.show import console
from vision.accuracy import Report, Share, to_csv
from vision.evaluate import evaluate
from vision.types import Observation


def evaluate_folder(
    folder: Path,
    csv: Path | None,
    language: str,
    decks: Sequence[str] = (),
    *,
    as_json: bool,
) -> int:
    """Read every labelled picture and print how many cards were named.

    `decks` are names or folders of decks to name the cards from. Raises `UsageError`
    where there is no folder, `VisionError` where its labels cannot be used.
    """
    if not folder.is_dir():
        raise UsageError(N_("There is no folder %(folder)s."), folder=str(folder))
    sight = sight_of(open_decks(decks))

    def read(path: Path) -> Observation:
        return sight.look(open_picture(path)).observation

    # On the error stream, so that what is printed can be piped on.
    with Progress(console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(folder.name)
        report = evaluate(
            folder,
            read,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if csv is not None:
        csv.write_text(to_csv(report), encoding="utf-8")
    if as_json:
        document = {
            "folder": report.folder,
            "photos": len(report.rows),
            "measures": report.records(),
            "median_ms": report.median_ms,
        }
        click.echo(json.dumps(document, ensure_ascii=False))
    else:
        _show(report, language)
    return 0


def _show(report: Report, language: str) -> None:
    out = console()
    out.print(_measures(report, language))
    failed = [row for row in report.rows if not row.exact]
    if failed:
        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in (N_("Photo"), N_("Missed"), N_("Wrong"), N_("Note")):
            table.add_column(say(language, heading), overflow="fold")
        for row in failed:
            note = row.error or " ".join(row.findings)
            table.add_row(row.image, " ".join(row.missed), " ".join(row.false), note)
        out.print(table)
    spent = ", ".join(f"{stage} {ms:.0f}" for stage, ms in report.median_ms.items())
    out.print(f"ms: {spent}" if spent else "", style="dim")


def _measures(report: Report, language: str) -> Table:
    table = Table(title=report.folder, title_justify="left", box=None, pad_edge=False)
    table.add_column(say(language, N_("Measure")))
    table.add_column(say(language, N_("Count")), justify="right")
    table.add_column(say(language, N_("Share")), justify="right")
    table.add_column("95 %", justify="right")
    shares: list[tuple[str, Share]] = [
        (N_("cards named (recall)"), report.recall),
        (N_("names that are right (precision)"), report.precision),
        (N_("photos exactly right"), report.exact),
        (N_("boxes found"), report.localisation),
    ]
    for name, share in shares:
        if share.total:
            low, high = share.interval
            table.add_row(
                say(language, name),
                f"{share.hits}/{share.total}",
                f"{share.value:.3f}",
                f"{low:.3f}-{high:.3f}",
            )
    return table
