"""Options that several commands share."""

from __future__ import annotations

import math
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


class Numbers(click.ParamType[tuple[float, ...]]):
    """So many numbers, separated by commas."""

    def __init__(self, count: int, name: str) -> None:
        self.count = count
        self.name = name

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        try:
            numbers = tuple(float(part) for part in str(value).split(","))
        except ValueError:
            numbers = ()
        if len(numbers) != self.count or not all(map(math.isfinite, numbers)):
            self.fail(f"{value!r} is not of the form {self.name}", param, ctx)
        return numbers


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


def with_decks(command: Command) -> Command:
    """Add `--deck`."""
    return click.option(
        "--deck",
        "own_decks",
        multiple=True,
        metavar="NAME|FOLDER",
        help="A deck with its own cards; `arbitro decks` lists them. Repeat for the"
        " second player's.",
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
        with_decks,
        with_language,
    )
    for option in reversed(options):
        command = option(command)
    return command


def with_board_options(command: Command) -> Command:
    """Add what measuring on a mat needs."""
    options = (
        click.option(
            "--mat", help="Mat to measure on: a name, a folder, or own.  [default: own]"
        ),
        click.option("--kit", help="Kit: a name, a folder, or own.  [default: own]"),
        click.option("--camera", help="A camera from `arbitro calibrate`."),
        click.option(
            "--corners",
            "corners_px",
            type=Numbers(8, "X,Y,..."),
            help="The mat's corners in the photo, px: near left, near right, far right,"
            " far left.",
        ),
        click.option(
            "--no-chip",
            "no_chips",
            multiple=True,
            metavar="ID",
            help="What was found there is no chip. Repeat for more.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
