"""Visitors, persons, places at tables, keys of seats."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables of `companion.tables`; written out, as a step must be."""
    op.create_table(
        "person",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(60), nullable=False, unique=True),
        sa.Column("role", sa.String(12), nullable=False),
        sa.Column("secret_hash", sa.String(200), nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
    )
    op.create_table(
        "visitor",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
        sa.Column(
            "person_id",
            sa.Integer,
            sa.ForeignKey("person.id", ondelete="SET NULL"),
        ),
        sa.Column("confirmed_at", sa.Float),
        sa.Column("seen_at", sa.Float, nullable=False),
    )
    op.create_table(
        "place",
        sa.Column(
            "visitor_id",
            sa.Integer,
            sa.ForeignKey("visitor.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("table_id", sa.String(40), nullable=False),
        sa.Column("role", sa.String(12), nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.UniqueConstraint("visitor_id", "table_id", "role", "seat"),
    )
    op.create_index("ix_place_table_id", "place", ["table_id"])
    op.create_table(
        "invitation",
        sa.Column("key", sa.String(12), primary_key=True),
        sa.Column("table_id", sa.String(40), nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.UniqueConstraint("table_id", "seat"),
    )
    op.create_index("ix_invitation_table_id", "invitation", ["table_id"])
    op.create_table(
        "table_setting",
        sa.Column("table_id", sa.String(40), primary_key=True),
        sa.Column("is_listed", sa.Boolean, nullable=False),
        sa.Column("closed_at", sa.Float),
    )
