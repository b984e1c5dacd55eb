"""The ledger's tables as SQLAlchemy Core knows them; `companion.migrations` makes them.

Moments are text in one form (`chain.time_text`), so that what is hashed is what is
stored, on any database.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)

METADATA = MetaData()

game_table = Table(
    "game_table",
    METADATA,
    Column("id", String(40), primary_key=True),
    Column("code", String(12), nullable=False, unique=True),
    Column("game", String(40), nullable=False),
    Column("options", JSON, nullable=False),
    Column("seats", JSON, nullable=False),
    Column("title", Text, nullable=False),
    Column("seed", Integer),
    Column("created_at", String(32), nullable=False),
    Column("origin", String(64), nullable=False),
    # Where the chain ends; moves on in the transaction that adds an event.
    Column("head_seq", Integer, nullable=False),
    Column("head_digest", String(64), nullable=False),
    Column("head_signed_at", String(32), nullable=False),
    Column("head_key", String(64), nullable=False),
    Column("head_signature", String(128), nullable=False),
)
event = Table(
    "event",
    METADATA,
    Column("table_id", String(40), ForeignKey("game_table.id"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("move", Text, nullable=False),
    Column("target", Integer),
    Column("source", Text, nullable=False),
    Column("actor", Text),
    Column("taken_at", String(32), nullable=False),
    Column("recorded_at", String(32), nullable=False),
    Column("evidence", JSON, nullable=False),
    Column("engine", String(40), nullable=False),
    Column("digest", String(64), nullable=False),
    PrimaryKeyConstraint("table_id", "seq"),
)
blob = Table(
    "blob",
    METADATA,
    Column("sha256", String(64), primary_key=True),
    Column("media_type", String(60), nullable=False),
    Column("size_bytes", Integer, nullable=False),
    # Grows with every picture: the smallest makes room first.
    Column("place", Integer, nullable=False),
    Column("is_kept", Boolean, nullable=False),
    Column("is_disputed", Boolean, nullable=False),
    Index("blob_ring", "is_kept", "is_disputed", "place"),
)
dispute = Table(
    "dispute",
    METADATA,
    Column("table_id", String(40), nullable=False),
    Column("seq", Integer, nullable=False),
    PrimaryKeyConstraint("table_id", "seq"),
)
