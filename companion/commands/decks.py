"""Commands about decks with their own cards: enrol, list, check, export, import."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from companion.commands.options import Pair, Pairs, with_language


@click.command()
@click.argument("name")
@click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--game", required=True, help="Which game; `arbitro games` lists them.")
@click.option(
    "--names",
    help="The cards in the order of their numbers, with commas, or a file of them.",
)
@click.option(
    "--meta",
    type=Pair(),
    multiple=True,
    help="Something about the deck: faction=orcs, character=hale. Repeat for more.",
)
@click.option(
    "--sheet",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the picture with the numbered cards goes.  [default: with the deck]",
)
@click.option("--add", "adds", is_flag=True, help="Add to a deck that exists.")
@click.option("--replace", "replaces", is_flag=True, help="Replace a deck that exists.")
@with_language
def enrol(
    name: str,
    photos: tuple[Path, ...],
    game: str,
    names: str | None,
    meta: Pairs,
    sheet: Path | None,
    language: str,
    *,
    adds: bool,
    replaces: bool,
) -> None:
    """Teach Arbitro the deck NAME from PHOTOS of its cards, or a folder of scans.

    Cards are cut out and numbered on one picture; then each is named: with --names, by
    the file name of its scan, or when asked. ``back`` is the back, ``-`` leaves a
    picture out, ``R5*2`` says that the deck holds two.
    """
    from companion.terminal.enrol import Enrolment  # noqa: PLC0415
    from companion.terminal.enrol import enrol as enrol_deck  # noqa: PLC0415

    job = Enrolment(
        name,
        game,
        photos,
        names=names,
        meta=dict(meta),
        sheet=sheet,
        adds=adds,
        replaces=replaces,
        language=language,
    )
    sys.exit(enrol_deck(job))


@click.group(invoke_without_command=True)
@with_language
@click.pass_context
def decks(ctx: click.Context, language: str) -> None:
    """List the decks that Arbitro knows by sight, and what can be done with them."""
    if ctx.invoked_subcommand is None:
        from companion.terminal.decks import list_decks  # noqa: PLC0415

        sys.exit(list_decks(language))


@decks.command("check")
@click.argument("deck")
@with_language
def check_(deck: str, language: str) -> None:
    """Say what DECK lacks, and which of its faces look alike."""
    from companion.terminal.decks import check_deck  # noqa: PLC0415

    sys.exit(check_deck(deck, language))


@decks.command("export")
@click.argument("deck")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@with_language
def export_(deck: str, file: Path, language: str) -> None:
    """Write DECK into one zip FILE."""
    from companion.terminal.decks import export_deck  # noqa: PLC0415

    sys.exit(export_deck(deck, file, language))


@decks.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--name", help="What to call it.  [default: as the file]")
@with_language
def import_(file: Path, name: str | None, language: str) -> None:
    """Take a deck in from a zip FILE."""
    from companion.terminal.decks import import_deck  # noqa: PLC0415

    sys.exit(import_deck(file, name, language))
