"""`arbitro print`."""

from __future__ import annotations

from pathlib import Path

import click

from companion.i18n import N_, say, say_many
from companion.prints.catalogue import about, find_print, prints, write_print


def list_prints(language: str) -> None:
    """Tell what there is to print."""
    items = list(prints())
    width = max(len(item.what) for item in items)
    for item in items:
        click.echo(f"{item.what:{width}}  {about(item, language)}")


def print_one(
    words: tuple[str, ...],
    paper: str | None,
    kit: Path | None,
    language: str,
    out: Path | None,
) -> None:
    """Write one thing and tell where it is and how to print it."""
    written = write_print(find_print(words, kit), paper, language, out)
    pages = say_many(language, "%(count)s page", "%(count)s pages", written.pages)
    click.echo(f"{written.pdf}  ({pages})")
    for path in written.beside:
        click.echo(str(path))
    click.echo(
        say(
            language,
            N_("Print it at 100 %, then hold the ruler and a bank card against it."),
        )
    )
