"""The command `arbitro`; the commands themselves are in `companion.commands`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from companion.commands import (
    decks,
    games,
    health,
    ledger,
    live,
    measure,
    page,
    people,
    pictures,
    prints,
    training,
)

COMMANDS = (
    pictures.read,
    pictures.score,
    pictures.evaluate,
    pictures.demo,
    page.serve,
    health.doctor,
    measure.rule,
    measure.calibrate,
    measure.mat,
    measure.chips,
    live.watch,
    people.people,
    games.games,
    games.rules,
    games.play,
    ledger.tables,
    ledger.export,
    ledger.take_in,
    ledger.verify,
    ledger.replay,
    decks.enrol,
    decks.decks,
    prints.print_sheets,
    training.train,
)


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
    # The matrices are small: a second thread of numpy's would only wait, at full speed.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


for command in COMMANDS:
    main.add_command(command)
