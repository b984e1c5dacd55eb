"""What a table is played with, and how late spectators see it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns of `companion.tables`."""
    op.add_column("table_setting", sa.Column("gear", sa.String(2000)))
    op.add_column("table_setting", sa.Column("delay_s", sa.Integer))
