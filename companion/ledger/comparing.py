"""A session played again: what each event was ruled, then and now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.ledger.export import Verdicts, verdicts_of
from companion.ledger.records import PLAYED, Event, LiveState
from companion.ledger.replaying import replayed
from companion.ledger.verify import Session
from engines.core import Ruling


@dataclass(frozen=True, slots=True)
class Step:
    """One event as this version of Arbitro sees it."""

    event: Event
    ruling: Ruling | None
    """`None` where nothing is ruled: notes, undone moves."""
    is_same: bool
    """Whether it was ruled just so when the session was exported."""


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """A session played again from its events alone."""

    session: Session
    live: LiveState
    then: Verdicts
    now: Verdicts

    @property
    def is_same(self) -> bool:
        """Return whether all rulings and the last state are equal to the byte."""
        return self.then == self.now

    def steps(self) -> Iterator[Step]:
        """Yield the events in order."""
        for event in self.session.events:
            same = self.then.rulings.get(event.seq) == self.now.rulings.get(event.seq)
            ruling = self.live.rulings.get(event.seq)
            yield Step(event, ruling if event.kind in PLAYED else None, same)


def play_again(session: Session) -> Played:
    """Return the session replayed with the rules of this version."""
    live = replayed(session.table, session.events)
    return Played(session, live, session.verdicts(), verdicts_of(live))
