"""Commands about referees and organisers."""

from __future__ import annotations

import click

from companion.commands.options import with_language


@click.group()
def people() -> None:
    """Name referees and organisers for the tables on the page."""


@people.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["referee", "organiser"]),
    default="referee",
    show_default=True,
    help="A referee rules; an organiser also opens tables and names others.",
)
@with_language
def add(name: str, role: str, language: str) -> None:
    """Add NAME and show the secret to sign in with, this once."""
    from companion.terminal.people import add_person  # noqa: PLC0415

    add_person(name, role, language)


@people.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@with_language
def show(language: str, *, as_json: bool) -> None:
    """List referees and organisers."""
    from companion.terminal.people import list_people  # noqa: PLC0415

    list_people(language, as_json=as_json)


@people.command("remove")
@click.argument("name")
@with_language
def remove(name: str, language: str) -> None:
    """Remove NAME, and end what was signed in to."""
    from companion.terminal.people import remove_person  # noqa: PLC0415

    remove_person(name, language)
