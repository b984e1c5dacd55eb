"""What a camera saw last, with what people are asked about it."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add a column to the table of `companion.tables.looks`."""
    op.add_column("last_look", sa.Column("watched", sa.Text))
