"""States of tables, remembered: most events only go on from the one before."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from companion.ledger.records import AIMED, Event, LiveState, TableRecord
from companion.ledger.replaying import opening, played_on, replayed

REMEMBERED = 64

ReadEvents = Callable[[int], Sequence[Event]]
"""Returns the events after a number."""


class States:
    """The latest state of each of the last few tables; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: OrderedDict[str, LiveState] = OrderedDict()

    def latest(self, table: TableRecord, events_since: ReadEvents) -> LiveState:
        """Return the state after all events that there are."""
        with self._lock:
            live = self._latest.get(table.id)
        live = opening(table) if live is None else live
        fresh = events_since(live.seq)
        if any(event.kind in AIMED for event in fresh):
            live = replayed(table, events_since(0))
        elif fresh:
            live = played_on(table, live, fresh)
        self._remember(table.id, live)
        return live

    def _remember(self, table: str, live: LiveState) -> None:
        with self._lock:
            known = self._latest.get(table)
            if known is None or known.seq <= live.seq:
                self._latest[table] = live
            self._latest.move_to_end(table)
            while len(self._latest) > REMEMBERED:
                self._latest.popitem(last=False)
