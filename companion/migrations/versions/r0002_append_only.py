"""Events that the database itself refuses to change or delete."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add a trigger for each way to change the past by mistake."""
    for act in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER event_no_{act.lower()} BEFORE {act} ON event"
            " BEGIN SELECT RAISE(ABORT, 'events are only ever added'); END"
        )
