"""Commands that follow a table live."""

from __future__ import annotations

import sys

import click

from companion.commands.options import Pair, Pairs, with_language


@click.command()
@click.argument("source", required=False)
@click.option("--game", help="Which game; `arbitro games` lists them.")
@click.option("--table", help="Go on with this table: its id or its code.")
@click.option(
    "--option",
    "options",
    type=Pair(),
    multiple=True,
    help="Set an option of a new table: key=value. Repeat for more.",
)
@click.option(
    "--answer",
    "answers",
    type=Pair(),
    multiple=True,
    help="Answer a question when it comes: id=value. Repeat for more.",
)
@click.option("--seat", "seats", multiple=True, help="Name of a player, in seat order.")
@click.option(
    "--deck",
    "decks",
    multiple=True,
    help="Deck on the table: a name, a folder, or own:NAME. Repeat, in seat order.",
)
@click.option("--mat", help="Mat to measure on: a name, a folder, or own.")
@click.option("--kit", help="Kit of chips: a name, a folder, or own.")
@click.option("--camera", help="A camera from `arbitro calibrate`.")
@click.option(
    "--decks",
    "copies",
    type=click.IntRange(1, 4),
    default=1,
    show_default=True,
    help="Standard decks on the table.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    help="Camera in the network that may be asked: name, address or network.",
)
@click.option(
    "--full-speed",
    is_flag=True,
    help="Read every picture of a recording, however long it takes.",
)
@click.option(
    "--fps",
    type=click.FloatRange(0.1, 120.0),
    default=2.0,
    show_default=True,
    help="Pictures a second of a folder.",
)
@click.option("--cameras", is_flag=True, help="List the webcams and end.")
@click.option("--json", "as_json", is_flag=True, help="One event per line.")
@with_language
def watch(
    source: str | None,
    game: str | None,
    table: str | None,
    options: Pairs,
    answers: Pairs,
    seats: tuple[str, ...],
    decks: tuple[str, ...],
    mat: str | None,
    kit: str | None,
    camera: str | None,
    copies: int,
    hosts: tuple[str, ...],
    fps: float,
    language: str,
    *,
    full_speed: bool,
    cameras: bool,
    as_json: bool,
) -> None:
    """Follow the table that SOURCE shows, and referee the game on it.

    SOURCE is the name or number of a webcam, an rtsp:// or http:// address (with
    --allow-host), phone:NAME, a video file, or a folder of pictures.
    """
    from companion.terminal.watch import (  # noqa: PLC0415
        WatchJob,
        list_cameras,
        watch_table,
    )

    if cameras:
        sys.exit(list_cameras(language, as_json=as_json))
    if source is None:
        raise click.UsageError("Missing argument 'SOURCE'.")
    job = WatchJob(
        source,
        game,
        table,
        dict(options),
        dict(answers),
        seats,
        decks,
        {"mat": mat, "kit": kit, "camera": camera},
        copies,
        hosts,
        fps,
        language,
        full_speed=full_speed,
        as_json=as_json,
    )
    sys.exit(watch_table(job))
