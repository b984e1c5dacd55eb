"""Bringing a database file to the schema of this program, at opening."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from companion import migrations
from companion.i18n import N_
from companion.ledger.errors import LedgerError

FOLDER = Path(migrations.__file__).parent
VERSIONS = FOLDER / "versions"


def newest() -> str:
    """Return the newest revision: the number in the name of the last file.

    Read from names, so that a file that is up to date opens without Alembic, whose
    import takes longer than everything else; a test holds both to one answer.
    """
    return max(path.stem[1:5] for path in VERSIONS.glob("r[0-9]*.py"))


def bring_up_to_date(engine: Engine, path: Path) -> None:
    """Upgrade the schema in one transaction: all of it, or nothing.

    `engine` begins its transactions with the write lock, so that of several processes
    that open a file at the same time one upgrades and the others then find it done.
    """
    with engine.connect() as db:
        if revision(db) == newest():
            return
    with engine.begin() as db:
        found = revision(db)
        if found == newest():
            return
        if found is not None and found > newest():
            raise LedgerError(
                N_(
                    "%(file)s was made by a newer version of Arbitro."
                    " Update Arbitro to open it."
                ),
                file=path.name,
            )
        upgrade(db, newest())


def revision(db: Connection) -> str | None:
    """Return the revision of the schema, `None` for an empty file."""
    if not inspect(db).has_table("alembic_version"):
        return None
    found: str | None = db.execute(
        text("SELECT version_num FROM alembic_version")
    ).scalar()
    return found


def upgrade(db: Connection, wanted: str) -> None:
    """Run the migrations up to `wanted` inside the caller's transaction."""
    from alembic import command  # noqa: PLC0415 - slow, and seldom needed
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = db
    command.upgrade(config, wanted)
