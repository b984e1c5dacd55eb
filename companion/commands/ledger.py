"""Commands about tables in play, and about sessions in a file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from companion.commands.options import with_language

a_file = click.Path(path_type=Path, dir_okay=False)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command()
@as_json
@with_language
def tables(language: str, *, as_json: bool) -> None:
    """List the tables that are kept here."""
    from companion.terminal.ledger import list_tables  # noqa: PLC0415

    list_tables(language, as_json=as_json)


@click.command()
@click.argument("file", type=a_file, required=False)
@click.option("--table", metavar="ID", help="A table that is kept here, or its code.")
@click.option("--receipt", type=a_file, help="A signed receipt that you kept.")
@click.option("--key", metavar="FINGERPRINT", default="", help="The key it must have.")
@click.option("--save-receipt", type=a_file, help="Write a receipt to keep elsewhere.")
@as_json
@with_language
def verify(
    file: Path | None,
    table: str | None,
    receipt: Path | None,
    key: str,
    save_receipt: Path | None,
    language: str,
    *,
    as_json: bool,
) -> None:
    """Check that the session in FILE, or a table, is what was recorded.

    The file alone shows that nothing was changed after it was signed. A receipt from
    that table, kept by somebody else, also shows that it was not written anew.
    """
    from companion.terminal.ledger import Checked, verify_record  # noqa: PLC0415

    if (file is None) == (table is None):
        raise click.UsageError("name either a FILE or a --table")
    checked = Checked(file, table, receipt, key, save_receipt)
    sys.exit(verify_record(checked, language, as_json=as_json))


@click.command()
@click.argument("table")
@click.argument("file", type=a_file)
@with_language
def export(table: str, file: Path, language: str) -> None:
    """Write TABLE (its id or code) with all its pictures to FILE, signed."""
    from companion.terminal.ledger import export_to  # noqa: PLC0415

    export_to(table, file, language)


@click.command("import")
@click.argument("file", type=a_file)
@with_language
def take_in(file: Path, language: str) -> None:
    """Take in the session that is in FILE; refused if it was touched."""
    from companion.terminal.ledger import import_from  # noqa: PLC0415

    import_from(file, language)


@click.command()
@click.argument("file", type=a_file)
@as_json
@with_language
def replay(file: Path, language: str, *, as_json: bool) -> None:
    """Show the session in FILE again, and whether its rulings are the same."""
    from companion.terminal.ledger import replay_file  # noqa: PLC0415

    sys.exit(replay_file(file, language, as_json=as_json))
