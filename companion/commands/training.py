"""Commands that make the models."""

from __future__ import annotations

import click


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.argument("stage", type=click.Choice(["dataset", "found", "detector", "reader"]))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def train(stage: str, arguments: tuple[str, ...]) -> None:
    """Make the models again, STAGE by stage (needs the extra `train`).

    `arbitro train STAGE --help` shows the arguments of a stage.
    """
    from companion.terminal.train import run_training  # noqa: PLC0415

    run_training(stage, arguments)
