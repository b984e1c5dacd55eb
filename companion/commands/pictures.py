"""Commands that look at pictures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from companion.commands.options import (
    Pair,
    Pairs,
    with_board_options,
    with_decks,
    with_language,
    with_picture_options,
)


@click.command()
@click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path))
@with_picture_options
def read(
    photos: tuple[Path, ...],
    overlay: Path | None,
    decks: int,
    own_decks: tuple[str, ...],
    language: str,
    *,
    as_json: bool,
) -> None:
    """Say which cards lie where in each PHOTO."""
    from companion.terminal.photos import Job, read_photos  # noqa: PLC0415

    sys.exit(read_photos(photos, Job(as_json, overlay, decks, language, own_decks)))


@click.command()
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
@with_board_options
@with_picture_options
def score(
    photos: tuple[Path, ...],
    game: str,
    answers: Pairs,
    options: Pairs,
    overlay: Path | None,
    decks: int,
    own_decks: tuple[str, ...],
    language: str,
    *,
    as_json: bool,
    **board: Any,
) -> None:
    """Score the table in each PHOTO by the rules of a game.

    Games with chips are measured on a mat: `--mat`, `--kit`, `--camera`.
    """
    from companion.measure import is_measured, refuse_board_options  # noqa: PLC0415
    from companion.referee import Terms  # noqa: PLC0415
    from companion.terminal.photos import Job, score_photos  # noqa: PLC0415

    terms = Terms(game, dict(options), dict(answers))
    if is_measured(game):
        from companion.terminal.measure import BoardJob, score_boards  # noqa: PLC0415

        board_job = BoardJob(
            as_json=as_json, overlay=overlay, language=language, **board
        )
        sys.exit(score_boards(photos, terms, board_job))
    refuse_board_options(game, board)
    job = Job(as_json, overlay, decks, language, own_decks)
    sys.exit(score_photos(photos, terms, job))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option("--csv", type=click.Path(path_type=Path), help="Write one row a photo.")
@with_decks
@with_language
def evaluate(
    folder: Path,
    csv: Path | None,
    own_decks: tuple[str, ...],
    language: str,
    *,
    as_json: bool,
) -> None:
    """Measure how well the photos of a labelled FOLDER are read."""
    from companion.terminal.evaluate import evaluate_folder  # noqa: PLC0415

    sys.exit(evaluate_folder(folder, csv, language, own_decks, as_json=as_json))


@click.command()
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
