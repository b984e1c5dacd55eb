"""Since when each question is open: a late answer is another thing than a quick one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

MOST_TABLES = 1000


class Asked:
    """When the open questions of each table were first asked; safe between threads."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._since: dict[str, dict[str, datetime]] = {}

    def since(self, table_id: str, open_now: Iterable[str]) -> Mapping[str, datetime]:
        """Return since when each of the questions that are open now is asked.

        One that was closed meanwhile and is open again is asked anew.
        """
        with self._lock:
            before, now = self._since.pop(table_id, {}), self._now()
            asked = {id_: before.get(id_, now) for id_ in open_now}
            self._since[table_id] = asked
            while len(self._since) > MOST_TABLES:
                self._since.pop(next(iter(self._since)))
            return dict(asked)
