"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., object])
Pairs = tuple[tuple[str, str], ...]


class Pair(click.ParamType[tuple[str, str]]):
    """`key=value`."""

    name = "key=value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        key, equals, chosen = str(value).partition("=")
        if not (key and equals):
            self.fail(f"{value!r} is not of the form key=value", param, ctx)
        return key.strip(), chosen.strip()


def with_language(command: Command) -> Command:
    """Add `--lang`."""

    def choose(ctx: click.Context, _: click.Parameter, value: str | None) -> str:
        from companion.i18n import language_of_environment  # noqa: PLC0415

        language = value or language_of_environment()
        ctx.meta["arbitro.language"] = language
        return language

    return click.option(
        "--lang",
        "language",
        type=click.Choice(["en", "it"]),
        callback=choose,
        is_eager=True,
        help="Language of the answers.  [default: from LANG]",
    )(command)


def with_picture_options(command: Command) -> Command:
    """Add what `read` and `score` have in common."""
    options = (
        click.option("--json", "as_json", is_flag=True, help="One JSON per line."),
        click.option(
            "--overlay",
            type=click.Path(path_type=Path),
            help="Write the picture with what was seen (a folder for several photos).",
        ),
        click.option(
            "--decks",
            type=click.IntRange(1, 4),
            default=1,
            show_default=True,
            help="Standard decks on the table.",
        ),
        with_language,
    )
    for option in reversed(options):
        command = option(command)
    return command
