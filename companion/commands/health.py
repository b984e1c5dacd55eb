"""The command that looks whether all is well."""

from __future__ import annotations

import sys

import click

from companion.commands.options import with_language


@click.command()
@with_language
def doctor(language: str) -> None:
    """Check what Arbitro needs: models, cameras, disk, clock, and its eyes."""
    from companion.terminal.health import show_health  # noqa: PLC0415

    sys.exit(show_health(language))
