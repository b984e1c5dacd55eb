"""Who sits where: places at tables, and the keys that let somebody sit down.

A table has a short code that lets people watch. Every seat has a key of its own, shown
to the owner as a QR code; it works once and is then replaced, so that a photographed
code is worth nothing (ecosystem.md C2, "uninvited join").

The house has keys of the same kind: one makes its holder the keeper, one lets a phone
film. They and their places stand under `HOUSE` instead of a table.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Engine, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from companion.errors import CompanionError
from companion.i18n import N_
from companion.tables.gear import Gear, read_gear
from companion.tables.people import People, Visitor, readable
from companion.tables.rights import Role, Standing
from companion.tables.schema import invitation, place, setting

KEY_LETTERS = 8
NO_SEAT = -1
HOUSE = "*"
"""Stands for the whole installation where else a table is named."""
HOUSE_KEYS = (Role.KEEPER, Role.CAMERA)
"""What the keys of the house make of people; their place here is the key's number."""


class WrongKeyError(CompanionError):
    """No seat has this key, or it was used already."""

    http_status = 403
    code = "wrong_key"

    def __init__(self) -> None:
        super().__init__(
            N_("This key fits no seat, or somebody used it. Ask for a new one.")
        )


@dataclass(frozen=True, slots=True)
class Place:
    """What a visitor is at one table."""

    table_id: str
    role: Role
    seat: int | None


class Seats:
    """Reads and writes places and keys; safe to share between threads."""

    def __init__(
        self,
        engine: Engine,
        writer: Engine,
        people: People,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._engine = engine
        self._writer = writer
        self._people = people
        self._now = now
        self.version = 0
        """Grows when somebody sits down or leaves: pages show it at once."""

    def open(
        self,
        table_id: str,
        seats: int,
        *,
        is_listed: bool,
        owner: int,
        gear: Gear | None = None,
        delay_s: int = 0,
    ) -> None:
        """Note a new table: its owner, its gear, how late spectators see it, and a key
        for every seat."""
        row = {
            "table_id": table_id,
            "is_listed": is_listed,
            "gear": None if gear is None else gear.written(),
            "delay_s": delay_s,
        }
        with self._writer.begin() as db:
            db.execute(insert(setting).values(row))
            for seat in range(seats):
                db.execute(insert(invitation).values(_invitation(table_id, seat)))
        self.take(owner, table_id, Role.OWNER)

    def take(
        self, visitor_id: int, table_id: str, role: Role, seat: int = NO_SEAT
    ) -> None:
        """Give a visitor a place; taking one twice changes nothing."""
        row = {
            "visitor_id": visitor_id,
            "table_id": table_id,
            "role": str(role),
            "seat": seat,
        }
        try:
            with self._writer.begin() as db:
                db.execute(insert(place).values(row))
        except IntegrityError:
            return

    def sit_down(self, visitor_id: int, table_id: str, key: str) -> int:
        """Use a key: the visitor gets its seat, the key is replaced.

        Raises `WrongKeyError`; of two who use one key at the same time, one sits.
        """
        seat = self._use(table_id, key)
        self.take(visitor_id, table_id, Role.PLAYER, seat)
        self.version += 1
        return seat

    def house_key(self, role: Role) -> str:
        """Return the key that gives a role of the house to who uses it, once."""
        number = HOUSE_KEYS.index(role)
        keys = self.keys(HOUSE)
        if number not in keys:
            with suppress(IntegrityError), self._writer.begin() as db:
                db.execute(insert(invitation).values(_invitation(HOUSE, number)))
            keys = self.keys(HOUSE)
        return keys[number]

    def enter_house(self, visitor_id: int, key: str) -> Role:
        """Use a key of the house: the visitor gets its role, the key is replaced.

        Raises `WrongKeyError`.
        """
        role = HOUSE_KEYS[self._use(HOUSE, key)]
        self.take(visitor_id, HOUSE, role)
        return role

    def free(self, table_id: str, seat: int) -> None:
        """Free a seat: whoever sat there only watches now."""
        self.version += 1
        here = place.c.table_id == table_id
        with self._writer.begin() as db:
            db.execute(delete(place).where(here, place.c.seat == seat))
            db.execute(
                update(invitation)
                .where(invitation.c.table_id == table_id, invitation.c.seat == seat)
                .values(key=readable(KEY_LETTERS))
            )

    def keys(self, table_id: str) -> dict[int, str]:
        """Return the key of every seat."""
        query = select(invitation).where(invitation.c.table_id == table_id)
        with self._engine.connect() as db:
            rows = db.execute(query.order_by(invitation.c.seat)).all()
        return {row.seat: row.key for row in rows}

    def taken(self, table_id: str) -> frozenset[int]:
        """Return the seats on which somebody sits with a phone."""
        query = select(place.c.seat).where(
            place.c.table_id == table_id, place.c.role == str(Role.PLAYER)
        )
        with self._engine.connect() as db:
            return frozenset(row.seat for row in db.execute(query))

    def places(self, visitor_id: int) -> tuple[Place, ...]:
        """Return every place of a visitor."""
        query = select(place).where(place.c.visitor_id == visitor_id)
        with self._engine.connect() as db:
            rows = db.execute(query).all()
        return tuple(
            Place(row.table_id, Role(row.role), None if row.seat < 0 else row.seat)
            for row in rows
        )

    def gear(self, table_id: str) -> Gear:
        """Return what a table is played with."""
        query = select(setting.c.gear).where(setting.c.table_id == table_id)
        with self._engine.connect() as db:
            return read_gear(db.execute(query).scalar())

    def delay_s(self, table_id: str) -> int:
        """Return how late spectators see a table."""
        query = select(setting.c.delay_s).where(setting.c.table_id == table_id)
        with self._engine.connect() as db:
            found: int | None = db.execute(query).scalar()
        return found or 0

    def listed(self) -> frozenset[str]:
        """Return the tables that everybody on this page may watch."""
        query = select(setting.c.table_id).where(setting.c.is_listed)
        with self._engine.connect() as db:
            return frozenset(row.table_id for row in db.execute(query))

    def close(self, table_id: str) -> None:
        """Note that a table is over; it can still be looked at."""
        changed = update(setting).where(setting.c.table_id == table_id)
        with self._writer.begin() as db:
            db.execute(changed.values(closed_at=self._now()))

    def closed(self) -> frozenset[str]:
        """Return the tables that are over."""
        query = select(setting.c.table_id).where(setting.c.closed_at.is_not(None))
        with self._engine.connect() as db:
            return frozenset(row.table_id for row in db.execute(query))

    def standing(self, who: Visitor | None, table_id: str | None) -> Standing:
        """Return what a visitor is at a table, or, for `None`, outside of any."""
        roles = {Role.NOBODY}
        places = () if who is None else self.places(who.id)
        here = [held for held in places if held.table_id == table_id]
        roles |= {held.role for held in places if held.table_id in (table_id, HOUSE)}
        if who is not None and who.role is not None:
            roles.add(who.role)
        if table_id is not None and table_id in self.listed():
            roles.add(Role.SPECTATOR)
        return Standing(
            visitor=None if who is None else who.id,
            roles=frozenset(roles),
            seats=frozenset(held.seat for held in here if held.seat is not None),
            person="" if who is None else who.person,
            confirmed_s=None if who is None else who.confirmed_s,
            is_open_house=table_id is None and not self._people.has_organiser(),
        )

    def _use(self, table_id: str, key: str) -> int:
        wanted = invitation.c.key == clean_key(key)
        here = invitation.c.table_id == table_id
        with self._writer.begin() as db:
            row = db.execute(select(invitation).where(wanted, here)).one_or_none()
            if row is None:
                raise WrongKeyError
            used = db.execute(
                update(invitation).where(wanted, here).values(key=readable(KEY_LETTERS))
            )
            if used.rowcount != 1:
                raise WrongKeyError
        seat: int = row.seat
        return seat


def clean_key(text: str) -> str:
    """Return a key as it is stored: letters typed by hand may be small or spaced.

    >>> clean_key(" abcd-ef23 ")
    'ABCDEF23'
    """
    return "".join(letter for letter in text.upper() if letter.isalnum())[:12]


def _invitation(table_id: str, seat: int) -> dict[str, object]:
    return {"key": readable(KEY_LETTERS), "table_id": table_id, "seat": seat}
