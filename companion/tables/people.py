"""Visitors, and the persons among them who signed in; all of it on the server.

The cookie holds a random token and nothing else. The token changes when somebody signs
in or out, so that one planted before is worth nothing after (session fixation), and a
signed-out session is gone on the server too (OctoPrint, CVE-2022-2888).
"""

from __future__ import annotations

import hashlib
import secrets
import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Engine, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from companion.errors import CompanionError, UsageError
from companion.i18n import N_
from companion.tables.rights import Role
from companion.tables.schema import person, place, visitor

LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""No 0, 1, I, L, O: read out or copied by hand, they are mistaken for each other."""
KEEP_S = 60 * 24 * 3600.0
"""A visitor who does not come back for so long is forgotten."""
LONGEST_NAME = 40


class SignInError(CompanionError):
    """Name and secret do not belong together."""

    http_status = 403
    code = "sign_in"

    def __init__(self) -> None:
        super().__init__(N_("This name and this secret do not belong together."))


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody with a cookie, perhaps a referee or an organiser."""

    id: int
    person: str = ""
    role: Role | None = None
    confirmed_s: float | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """A referee or an organiser."""

    id: int
    name: str
    role: Role


class People:
    """Reads and writes visitors and persons; safe to share between threads.

    `writer` is the engine that takes the write lock at once (see `companion.ledger`).
    """

    def __init__(
        self, engine: Engine, writer: Engine, now: Callable[[], float] = time.time
    ) -> None:
        self._engine = engine
        self._writer = writer
        self._now = now

    def visitor(self, token: str | None) -> Visitor | None:
        """Return who holds this token, `None` if nobody does."""
        if not token:
            return None
        query = (
            select(visitor, person.c.name, person.c.role)
            .join_from(visitor, person, isouter=True)
            .where(visitor.c.token_hash == _digest(token))
        )
        with self._engine.connect() as db:
            row = db.execute(query).one_or_none()
        if row is None or self._now() - row.seen_at > KEEP_S:
            return None
        given = row.confirmed_at
        return Visitor(
            row.id,
            row.name or "",
            Role(row.role) if row.role else None,
            None if given is None else self._now() - given,
        )

    def arrive(self) -> tuple[Visitor, str]:
        """Return a new visitor and the token for the cookie."""
        token = secrets.token_urlsafe(32)
        row = {"token_hash": _digest(token), "seen_at": self._now()}
        with self._writer.begin() as db:
            db.execute(delete(visitor).where(visitor.c.seen_at < self._now() - KEEP_S))
            made = db.execute(insert(visitor).values(row)).inserted_primary_key
        assert made is not None
        return Visitor(made[0]), token

    def sign_in(self, visitor_id: int, name: str, secret: str) -> str:
        """Make a visitor a person; return the new token. Raises `SignInError`."""
        found = self._person(name, secret)
        now = self._now()
        return self._renew(visitor_id, person_id=found, confirmed_at=now)

    def confirm(self, who: Visitor, secret: str) -> None:
        """Note that the secret was given again; raise `SignInError` if it is wrong."""
        self._person(who.person, secret)
        changed = update(visitor).where(visitor.c.id == who.id)
        with self._writer.begin() as db:
            db.execute(changed.values(confirmed_at=self._now(), seen_at=self._now()))

    def sign_out(self, visitor_id: int) -> None:
        """Forget a visitor with all places: the token is worth nothing from now on."""
        with self._writer.begin() as db:
            db.execute(delete(place).where(place.c.visitor_id == visitor_id))
            db.execute(delete(visitor).where(visitor.c.id == visitor_id))

    def renew(self, visitor_id: int) -> str:
        """Return a new token: when the role changes, an old one must not carry it."""
        return self._renew(visitor_id)

    def add(self, name: str, role: Role) -> str:
        """Add a person and return the secret, which is told once and never kept."""
        name = clean_name(name)
        if not name or role not in (Role.REFEREE, Role.ORGANISER):
            raise UsageError(N_("A referee or organiser needs a name."))
        secret = "-".join(readable(4) for _ in range(4))
        row = {
            "name": name,
            "role": str(role),
            "secret_hash": hasher().hash(secret),
            "made_at": self._now(),
        }
        try:
            with self._writer.begin() as db:
                db.execute(insert(person).values(row))
        except IntegrityError as error:
            raise UsageError(
                N_("There is somebody called %(name)s already."), name=name
            ) from error
        return secret

    def remove(self, person_id: int) -> None:
        """Remove a person and end what they signed in to."""
        with self._writer.begin() as db:
            db.execute(
                update(visitor)
                .where(visitor.c.person_id == person_id)
                .values(person_id=None, confirmed_at=None)
            )
            db.execute(delete(person).where(person.c.id == person_id))

    def staff(self) -> tuple[Person, ...]:
        """Return referees and organisers by name."""
        query = select(person.c.id, person.c.name, person.c.role).order_by(
            person.c.name
        )
        with self._engine.connect() as db:
            rows = db.execute(query).all()
        return tuple(Person(row.id, row.name, Role(row.role)) for row in rows)

    def has_organiser(self) -> bool:
        """Return whether somebody runs this hall; else everybody may open tables."""
        query = select(func.count()).select_from(person)
        with self._engine.connect() as db:
            count: int = db.execute(
                query.where(person.c.role == str(Role.ORGANISER))
            ).scalar_one()
        return count > 0

    def _person(self, name: str, secret: str) -> int:
        query = select(person).where(person.c.name == clean_name(name))
        with self._engine.connect() as db:
            row = db.execute(query).one_or_none()
        # An unknown name takes as long as a wrong secret.
        stored = _decoy() if row is None else row.secret_hash
        if not _fits(stored, secret) or row is None:
            raise SignInError
        found: int = row.id
        return found

    def _renew(self, visitor_id: int, **values: object) -> str:
        token = secrets.token_urlsafe(32)
        row = {"token_hash": _digest(token), "seen_at": self._now(), **values}
        with self._writer.begin() as db:
            db.execute(update(visitor).where(visitor.c.id == visitor_id).values(row))
        return token


def clean_name(text: str) -> str:
    """Return a name without what could disturb a page: one form, no controls.

    >>> clean_name("  Ada\\u202e\\n  Lovelace ")
    'Ada Lovelace'
    """
    spaced = "".join(
        " " if letter.isspace() else letter
        for letter in unicodedata.normalize("NFC", text)
    )
    kept = "".join(x for x in spaced if unicodedata.category(x)[0] != "C")
    return " ".join(kept.split())[:LONGEST_NAME].strip()


def readable(length: int) -> str:
    """Return random letters that are easy to read out."""
    return "".join(secrets.choice(LETTERS) for _ in range(length))


@cache
def hasher() -> PasswordHasher:
    """Return Argon2id with the parameters of RFC 9106 for little memory."""
    return PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=1)


@cache
def _decoy() -> str:
    return hasher().hash(secrets.token_hex(16))


def _fits(stored: str, secret: str) -> bool:
    try:
        return hasher().verify(stored, secret.strip().upper())
    except (VerificationError, InvalidHashError):
        return False


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
