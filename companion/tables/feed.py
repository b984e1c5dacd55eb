"""News of a table for all who watch it: one look at the ledger serves them all.

Five hundred phones that each ask the database are five hundred questions per event.
Here one thread asks, for the tables that somebody watches, and wakes the others.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from companion.ledger import Event, Ledger, LiveState

LOOK_S = 0.04
"""How often the ledger is looked at; moves entered here are told at once."""
REMEMBERED = 512
"""Events kept at hand; who is further behind reads them from the ledger."""
Key = TypeVar("Key")
Value = TypeVar("Value")


class Once(Generic[Key, Value]):
    """Makes each value once, though many ask at the same time; keeps the last few."""

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._lock = threading.RLock()  # one value may be made of another
        self._made: dict[Key, Value] = {}

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of `key`."""
        found = self._made.get(key)
        if found is not None:
            return found
        with self._lock:
            if key not in self._made:
                while len(self._made) >= self._most:
                    self._made.pop(next(iter(self._made)))
                self._made[key] = make()
            return self._made[key]


class Feed:
    """The latest events of one table."""

    def __init__(self, ledger: Ledger, table_id: str) -> None:
        self._ledger = ledger
        self._table_id = table_id
        self.table = ledger.table(table_id)
        self._states: Once[int, LiveState] = Once(4)
        self._news = threading.Condition()
        self._events: deque[Event] = deque(maxlen=REMEMBERED)
        self._seq = 0
        self.pulse = 1
        """Grows when the page changes without an event: what a camera waits for."""
        self.is_closed = False
        """The server goes down: who listens is let go."""
        self.listeners = 0
        self.drawn: Once[object, bytes] = Once()
        """Messages for several who see the same."""

    def look(self) -> None:
        """Read what is new from the ledger and wake who waits for it."""
        with self._news:
            seq = self._seq
        found = self._ledger.events(self._table_id, since=seq)
        if not found:
            return
        with self._news:
            fresh = [event for event in found if event.seq > self._seq]
            self._events.extend(fresh)
            if fresh:
                self._seq = fresh[-1].seq
                self._news.notify_all()

    def live(self) -> LiveState:
        """Return where the table stands, replayed once for all who ask."""
        with self._news:
            seq = self._seq
        return self._states.get(seq, lambda: self._ledger.state(self._table_id))

    def shake(self) -> None:
        """Wake who waits: something but the events has changed."""
        with self._news:
            self.pulse += 1
            self._news.notify_all()

    def wait(
        self, since: int, timeout_s: float, pulse: int | None = None
    ) -> tuple[Event, ...]:
        """Return the events after `since`; none if nothing came in time, or if the
        `pulse` is another one."""
        with self._news:
            if self._seq <= since:
                self._news.wait_for(
                    lambda: self._seq > since or pulse not in (None, self.pulse),
                    timeout_s,
                )
            if self._seq <= since:
                return ()
            at_hand = self._events[0].seq if self._events else self._seq + 1
            if at_hand <= since + 1:  # numbers have no gaps
                return tuple(islice(self._events, since + 1 - at_hand, None))
        return tuple(self._ledger.events(self._table_id, since=since))


class Feeds:
    """The feeds of the tables that somebody watches now."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._feeds: dict[str, Feed] = {}
        self._looker: threading.Thread | None = None
        self._stop = threading.Event()
        self._late: Once[tuple[str, int], LiveState] = Once(32)

    def late(self, table_id: str, age_s: float) -> LiveState:
        """Return where a table stood so long ago, replayed once for all who ask."""
        since = datetime.now(UTC) - timedelta(seconds=age_s)
        seqs = [e.seq for e in self._ledger.events(table_id) if e.recorded_at <= since]
        seq = seqs[-1] if seqs else 0
        return self._late.get(
            (table_id, seq), lambda: self._ledger.state(table_id, seq=seq)
        )

    @contextmanager
    def listening(self, table_id: str) -> Iterator[Feed]:
        """Give the feed of a table for as long as somebody listens."""
        with self._lock:
            feed = self._feeds.get(table_id)
            if feed is None:
                feed = self._feeds[table_id] = Feed(self._ledger, table_id)
            feed.listeners += 1
            if self._looker is None or not self._looker.is_alive():
                self._stop.clear()
                self._looker = threading.Thread(
                    target=self._look, name="arbitro-feeds", daemon=True
                )
                self._looker.start()
        try:
            feed.look()
            yield feed
        finally:
            with self._lock:
                feed.listeners -= 1
                if feed.listeners == 0:
                    self._feeds.pop(table_id, None)

    def ring(self, table_id: str) -> None:
        """Say that something was added to a table by this process."""
        with self._lock:
            feed = self._feeds.get(table_id)
        if feed is not None:
            feed.look()

    def shake(self, table_id: str) -> None:
        """Say that a table looks otherwise, though nothing happened in the game."""
        with self._lock:
            feed = self._feeds.get(table_id)
        if feed is not None:
            feed.shake()

    def count(self) -> int:
        """Return how many listen, at all tables together."""
        with self._lock:
            return sum(feed.listeners for feed in self._feeds.values())

    def close(self) -> None:
        """Stop looking, and let go who listens."""
        self._stop.set()
        with self._lock:
            feeds = list(self._feeds.values())
        for feed in feeds:
            feed.is_closed = True
            feed.shake()

    def _look(self) -> None:
        while not self._stop.wait(LOOK_S):
            with self._lock:
                watched = list(self._feeds.values())
                if not watched:
                    self._looker = None
                    return
            for feed in watched:
                feed.look()
