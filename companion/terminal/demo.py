"""`arbitro demo`: the first thing that people run."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from companion import showcase
from companion.errors import NotHereError
from companion.i18n import N_, say
from companion.reader import labels
from companion.referee import Reading, Terms
from companion.sight import Sight
from companion.terminal.photos import Job, score_photos


def show_demo(
    photos: Sequence[Path], game: str | None, out: Path | None, language: str
) -> int:
    """Score the photos (or the tables that ship) and write their overlays.

    Returns 0, or 1 if a photo could not be read.
    """
    folder = out or Path(tempfile.mkdtemp(prefix="arbitro-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    job = Job(as_json=False, overlay=folder, decks=1, language=language)
    sight = Sight()
    exit_code = 0
    if photos:
        terms = Terms(game or showcase.GAME)
        for photo in photos:
            _heading(photo)
            exit_code |= score_photos((photo,), terms, job, sight)
    else:
        exit_code = _show_tables(job, sight)
    click.echo(say(language, N_("The overlays are in %(folder)s"), folder=str(folder)))
    return exit_code


def _show_tables(job: Job, sight: Sight) -> int:
    if not showcase.tables():
        raise NotHereError(N_("No demo tables ship with this installation."))
    exit_code = 0
    for table in showcase.tables():
        _heading(table.path)

        def against_truth(reading: Reading, table: showcase.DemoTable = table) -> None:
            _tell_comparison(
                showcase.compare(table, labels(reading.observation)), job.language
            )

        terms = Terms(table.game, table.options)
        exit_code |= score_photos((table.path,), terms, job, sight, against_truth)
    return exit_code


def _heading(path: Path) -> None:
    click.echo()
    click.echo(click.style(path.name, bold=True))


def _tell_comparison(found: showcase.Comparison, language: str) -> None:
    told = say(
        language,
        N_("Against the truth of this rendered table: %(right)s of %(total)s cards."),
        right=found.right,
        total=found.total,
    )
    if found.missed:
        told += say(language, N_(" Missed: %(cards)s."), cards=" ".join(found.missed))
    if found.wrong:
        told += say(language, N_(" Wrong: %(cards)s."), cards=" ".join(found.wrong))
    is_right = not (found.missed or found.wrong)
    click.echo(click.style(told, fg="green" if is_right else "yellow"))
