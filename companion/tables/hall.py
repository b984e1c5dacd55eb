"""Everything that the pages of the tables work with, opened once per process."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from companion.ledger import Ledger, open_ledger
from companion.tables.asked import Asked
from companion.tables.eyes import Eyes
from companion.tables.feed import Feeds
from companion.tables.people import People
from companion.tables.seats import Seats

FILE_NAME = "arbitro.db"


@dataclass(frozen=True, slots=True)
class Hall:
    """The ledger of the games, and who sits where."""

    ledger: Ledger
    people: People
    seats: Seats
    feeds: Feeds
    eyes: Eyes
    asked: Asked = field(default_factory=Asked)


def has_hall(folder: Path) -> bool:
    """Return whether there are tables in `folder` already."""
    return (folder / FILE_NAME).is_file()


def open_hall(folder: Path) -> Hall:
    """Return the tables kept in `folder`; the file is made where there is none."""
    ledger = open_ledger(folder / FILE_NAME)
    people = People(ledger.engine, ledger.writer)
    seats = Seats(ledger.engine, ledger.writer, people)
    return Hall(ledger, people, seats, Feeds(ledger), Eyes(ledger))
