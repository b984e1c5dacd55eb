"""`arbitro demo`: the first thing that people run."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from companion import showcase
from companion.errors import NotHereError
from companion.i18n import N_, say
from companion.referee import Terms
from companion.terminal.photos import Job, score_photos


def show_demo(
    photos: Sequence[Path], game: str | None, out: Path | None, language: str
) -> int:
    """Score the photos (or the tables that ship) and write their overlays.

    Returns 0, or 1 if a photo could not be read.
    """
    pictures = tuple(photos) or showcase.pictures()
    if not pictures:
        raise NotHereError(N_("No demo tables ship with this installation."))
    folder = out or Path(tempfile.mkdtemp(prefix="arbitro-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    exit_code = 0
    for picture in pictures:
        click.echo(click.style(f"== {picture.name}", bold=True))
        job = Job(as_json=False, overlay=folder, decks=1, language=language)
        terms = Terms(game or showcase.GAME)
        exit_code |= score_photos((picture,), terms, job)
        click.echo()
    click.echo(say(language, N_("The overlays are in %(folder)s"), folder=str(folder)))
    return exit_code
