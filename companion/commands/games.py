"""Commands about the games and their rules."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from companion.commands.options import with_language


@click.command()
def games() -> None:
    """List the games."""
    from engines import game_names  # noqa: PLC0415

    for name in game_names():
        click.echo(name)


@click.command()
@click.argument("game")
@click.argument("rule", required=False)
@with_language
def rules(game: str, rule: str | None, language: str) -> None:
    """Show the rules of GAME, or only one RULE such as 4.2 or R-08."""
    from companion.terminal.rulebook import show_rules  # noqa: PLC0415

    show_rules(game, rule, language)


@click.command()
@click.argument("game")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON per ruling.")
@with_language
def play(game: str, file: Path, language: str, *, as_json: bool) -> None:
    """Replay a FILE of moves and show every ruling.

    One move a line; `#` starts a comment; lines such as `players: 3` before the first
    move set options of the game. `-` reads from the standard input.
    """
    from companion.terminal.playback import play_file  # noqa: PLC0415

    sys.exit(play_file(game, file, language, as_json=as_json))
