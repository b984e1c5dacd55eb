"""What was last seen of a table, and what people put right in it."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the table of `companion.tables.looks`."""
    op.create_table(
        "last_look",
        sa.Column("table_id", sa.String(40), primary_key=True),
        sa.Column("photo", sa.Text),
        sa.Column("names", sa.Text),
    )
