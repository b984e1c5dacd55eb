"""Tables, events, pictures, disputes."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables; written out, since a step must not change with the code."""
    op.create_table(
        "game_table",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("code", sa.String(12), nullable=False, unique=True),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("seats", sa.JSON, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("seed", sa.Integer),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("origin", sa.String(64), nullable=False),
        sa.Column("head_seq", sa.Integer, nullable=False),
        sa.Column("head_digest", sa.String(64), nullable=False),
        sa.Column("head_signed_at", sa.String(32), nullable=False),
        sa.Column("head_key", sa.String(64), nullable=False),
        sa.Column("head_signature", sa.String(128), nullable=False),
    )
    op.create_table(
        "event",
        sa.Column(
            "table_id", sa.String(40), sa.ForeignKey("game_table.id"), nullable=False
        ),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("move", sa.Text, nullable=False),
        sa.Column("target", sa.Integer),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("actor", sa.Text),
        sa.Column("taken_at", sa.String(32), nullable=False),
        sa.Column("recorded_at", sa.String(32), nullable=False),
        sa.Column("evidence", sa.JSON, nullable=False),
        sa.Column("engine", sa.String(40), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seq"),
    )
    op.create_table(
        "blob",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("media_type", sa.String(60), nullable=False),
        sa.Column("size_bytes", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("is_kept", sa.Boolean, nullable=False),
        sa.Column("is_disputed", sa.Boolean, nullable=False),
    )
    op.create_index("blob_ring", "blob", ["is_kept", "is_disputed", "place"])
    op.create_table(
        "dispute",
        sa.Column("table_id", sa.String(40), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seq"),
    )
