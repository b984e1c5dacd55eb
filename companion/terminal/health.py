"""`arbitro doctor`."""

from __future__ import annotations

from functools import partial

import click

from companion.config import Config
from companion.doctor import State, examine
from companion.errors import NotHereError
from companion.i18n import say
from companion.sight import load_pipeline

SIGNS = {State.GOOD: "✓", State.WARNING: "!", State.BAD: "✗"}
COLOURS = {State.GOOD: "green", State.WARNING: "yellow", State.BAD: "red"}


def show_health(language: str) -> int:
    """Print every check; return 0, or 1 if something is bad."""
    try:
        see = load_pipeline(1)
    except NotHereError:
        see = None  # the check of the models says why
    worst = State.GOOD
    for check in examine(Config(), see):
        sign = click.style(SIGNS[check.state], fg=COLOURS[check.state], bold=True)
        title = say(language, check.title)
        click.echo(f"{sign} {title}: {check.told(partial(say, language))}")
        if check.state is State.BAD:
            worst = State.BAD
    return 1 if worst is State.BAD else 0
