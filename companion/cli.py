"""The command `arbitro`. Everything heavy is imported inside the commands."""

from __future__ import annotations

import os
import sys
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


class OneLineGroup(click.Group):
    """Commands whose errors are one line, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            # Whoever read our output has had enough: `arbitro rules regicide | head`.
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
            ctx.exit(0)
        except Exception as error:
            if os.environ.get("ARBITRO_DEBUG"):
                raise
            from companion.failure import failure_of  # noqa: PLC0415

            failure = failure_of(error, ctx.meta.get("arbitro.language", "en"))
            click.echo(f"arbitro: {failure.sentence}", err=True)
            ctx.exit(failure.exit_code)


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


def tell_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the version and end, if asked."""
    if not asked:
        return
    from companion.about import our_version  # noqa: PLC0415

    click.echo(f"arbitro {our_version()}")
    ctx.exit()


@click.group(cls=OneLineGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=tell_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Arbitro reads and scores a photo of a game table."""


@main.command()
@click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path))
@with_picture_options
def read(
    photos: tuple[Path, ...],
    overlay: Path | None,
    decks: int,
    language: str,
    *,
    as_json: bool,
) -> None:
    """Say which cards lie where in each PHOTO."""
    from companion.terminal.photos import Job, read_photos  # noqa: PLC0415

    sys.exit(read_photos(photos, Job(as_json, overlay, decks, language)))


@main.command()
@click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--game", required=True, help="Which game; `arbitro games` lists them.")
@click.option(
    "--answer",
    "answers",
    type=Pair(),
    multiple=True,
    help="Answer a question: id=value. Repeat for more.",
)
@click.option(
    "--option",
    "options",
    type=Pair(),
    multiple=True,
    help="Set an option of the game: key=value. Repeat for more.",
)
@with_picture_options
def score(
    photos: tuple[Path, ...],
    game: str,
    answers: Pairs,
    options: Pairs,
    overlay: Path | None,
    decks: int,
    language: str,
    *,
    as_json: bool,
) -> None:
    """Score the table in each PHOTO by the rules of a game."""
    from companion.referee import Terms  # noqa: PLC0415
    from companion.terminal.photos import Job, score_photos  # noqa: PLC0415

    terms = Terms(game, dict(options), dict(answers))
    sys.exit(score_photos(photos, terms, Job(as_json, overlay, decks, language)))


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen here.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option(
    "--lan", is_flag=True, help="Let phones in this network in; shows a QR code."
)
@click.option(
    "--name",
    "names",
    multiple=True,
    help="Another host name under which the page may be called.",
)
@click.option("--verbose", is_flag=True, help="Log more.")
@with_language
def serve(
    host: str,
    port: int,
    names: tuple[str, ...],
    language: str,
    *,
    lan: bool,
    verbose: bool,
) -> None:
    """Serve the page on which phones take pictures."""
    from companion.logs import log_to_terminal  # noqa: PLC0415
    from companion.terminal.serve import Place, serve_page  # noqa: PLC0415

    log_to_terminal(verbose=verbose)
    serve_page(Place(host, port, names, lan=lan), language)


@main.command()
@click.argument("photos", nargs=-1, type=click.Path(path_type=Path))
@click.option("--game", help="Which game.  [default: the demo's own]")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where the overlays are written."
)
@click.option(
    "--serve/--no-serve", "then_serve", default=True, help="Then serve the page."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option("--lan", is_flag=True, help="Let phones in this network in.")
@with_language
def demo(
    photos: tuple[Path, ...],
    game: str | None,
    out: Path | None,
    port: int,
    language: str,
    *,
    then_serve: bool,
    lan: bool,
) -> None:
    """Read and score the tables that ship with Arbitro, or any PHOTO."""
    from companion.terminal.demo import show_demo  # noqa: PLC0415
    from companion.terminal.serve import Place, serve_page  # noqa: PLC0415

    exit_code = show_demo(photos, game, out, language)
    if then_serve:
        serve_page(Place("127.0.0.1", port, lan=lan), language)
    sys.exit(exit_code)


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option("--csv", type=click.Path(path_type=Path), help="Write one row a photo.")
@with_language
def evaluate(folder: Path, csv: Path | None, language: str, *, as_json: bool) -> None:
    """Measure how well the photos of a labelled FOLDER are read."""
    from companion.terminal.evaluate import evaluate_folder  # noqa: PLC0415

    sys.exit(evaluate_folder(folder, csv, language, as_json=as_json))


@main.command()
def games() -> None:
    """List the games."""
    from engines import game_names  # noqa: PLC0415

    for name in game_names():
        click.echo(name)


@main.command()
@click.argument("game")
@click.argument("rule", required=False)
@with_language
def rules(game: str, rule: str | None, language: str) -> None:
    """Show the rules of GAME, or only one RULE such as 4.2 or R-08."""
    from companion.terminal.rulebook import show_rules  # noqa: PLC0415

    show_rules(game, rule, language)


@main.command()
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


@main.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.argument("stage", type=click.Choice(["dataset", "detector", "reader"]))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def train(stage: str, arguments: tuple[str, ...]) -> None:
    """Make the models again, STAGE by stage (needs the extra `train`).

    `arbitro train STAGE --help` shows the arguments of a stage.
    """
    from companion.terminal.train import run_training  # noqa: PLC0415

    run_training(stage, arguments)
