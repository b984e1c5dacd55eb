"""What `arbitro people` does."""

from __future__ import annotations

import json

import click

from companion.config import default_folder
from companion.errors import UsageError
from companion.i18n import N_, say
from companion.tables.hall import open_hall
from companion.tables.people import People, clean_name
from companion.tables.rights import Role

ROLES = {Role.REFEREE: N_("referee"), Role.ORGANISER: N_("organiser")}


def add_person(name: str, role: str, language: str) -> None:
    """Add somebody and print the secret alone, so that it can be piped."""
    secret = _people().add(name, Role(role))
    note = N_("The secret of %(name)s. It is shown this once:")
    click.echo(say(language, note, name=clean_name(name)), err=True)
    click.echo(secret)


def list_people(language: str, *, as_json: bool) -> None:
    """Print who may rule and organise."""
    staff = _people().staff()
    if as_json:
        rows = [{"name": one.name, "role": str(one.role)} for one in staff]
        click.echo(json.dumps({"people": rows}, ensure_ascii=False))
        return
    for one in staff:
        click.echo(f"{one.name}\t{say(language, ROLES[one.role])}")


def remove_person(name: str, language: str) -> None:
    """Remove somebody; raise `UsageError` if there is no such."""
    people, wanted = _people(), clean_name(name)
    for one in people.staff():
        if one.name == wanted:
            people.remove(one.id)
            click.echo(say(language, N_("%(name)s is removed."), name=wanted))
            return
    raise UsageError(N_("There is nobody called %(name)s."), name=wanted)


def _people() -> People:
    return open_hall(default_folder()).people
