"""What a table is played with: decks, mat, kit, calibrated camera."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column of `companion.tables`."""
    op.add_column("table_setting", sa.Column("gear", sa.String(2000)))
