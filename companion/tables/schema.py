"""The tables of the database that say who sits where; events are in the ledger."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()

person = Table(
    "person",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(60), nullable=False, unique=True),
    Column("role", String(12), nullable=False),
    Column("secret_hash", String(200), nullable=False),
    Column("made_at", Float, nullable=False),
)
visitor = Table(
    "visitor",
    METADATA,
    Column("id", Integer, primary_key=True),
    # SHA-256 of the token in the cookie: who reads the file cannot take a session over.
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("person_id", ForeignKey("person.id", ondelete="SET NULL")),
    Column("confirmed_at", Float),
    Column("seen_at", Float, nullable=False),
)
place = Table(
    "place",
    METADATA,
    Column("visitor_id", ForeignKey("visitor.id", ondelete="CASCADE"), nullable=False),
    Column("table_id", String(40), nullable=False, index=True),
    Column("role", String(12), nullable=False),
    # -1 where the role has no seat, so that the constraint below can hold.
    Column("seat", Integer, nullable=False),
    UniqueConstraint("visitor_id", "table_id", "role", "seat"),
)
invitation = Table(
    "invitation",
    METADATA,
    Column("key", String(12), primary_key=True),
    Column("table_id", String(40), nullable=False, index=True),
    Column("seat", Integer, nullable=False),
    UniqueConstraint("table_id", "seat"),
)
setting = Table(
    "table_setting",
    METADATA,
    Column("table_id", String(40), primary_key=True),
    Column("is_listed", Boolean, nullable=False),
    Column("closed_at", Float),
    Column("gear", String(2000)),
    # Spectators see the table so late; none where hands are not hidden.
    Column("delay_s", Integer),
)
look = Table(
    "last_look",
    METADATA,
    Column("table_id", String(40), primary_key=True),
    # JSON, written and read by `tables.eyes`, `watching.names` and `watching.playing`.
    Column("photo", Text),
    Column("names", Text),
    Column("watched", Text),
)
