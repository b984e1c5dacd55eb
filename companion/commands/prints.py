"""The command that prints."""

from __future__ import annotations

from pathlib import Path

import click

from companion.commands.options import with_language


@click.command("print")
@click.argument("what", nargs=-1)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The PDF to write.  [default: a name of its own, here]",
)
@click.option(
    "--paper",
    type=click.Choice(["a4", "a3", "letter"]),
    help="Paper; for a mat, in tiles of it.  [default: a4; a mat on one sheet]",
)
@click.option(
    "--kit",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Kit file for fiches and tokens.  [default: the one that ships]",
)
@with_language
def print_sheets(
    what: tuple[str, ...],
    out: Path | None,
    paper: str | None,
    kit: Path | None,
    language: str,
) -> None:
    """Write a PDF to print: WHAT is, for example, `deck frenzy`.

    Without WHAT it lists what there is. Everything is true to size when printed at
    100 %; a ruler and the outline of a bank card on every sheet show whether it was.
    """
    from companion.terminal.prints import list_prints, print_one  # noqa: PLC0415

    if what:
        print_one(what, paper, kit, language, out)
    else:
        list_prints(language)
