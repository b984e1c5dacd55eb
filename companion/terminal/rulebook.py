"""`arbitro rules`."""

from __future__ import annotations

import click
from rich.markdown import Markdown

from companion.rulebook import rule_section, rules_markdown
from companion.terminal.show import console


def show_rules(game: str, number: str | None, language: str) -> None:
    """Print the rules of a game, or one rule; as plain Markdown into a pipe."""
    text = (
        rule_section(game, number, language)
        if number
        else rules_markdown(game, language)
    )
    out = console()
    if out.is_terminal:
        out.print(Markdown(text))
    else:
        click.echo(text, nl=not text.endswith("\n"))
