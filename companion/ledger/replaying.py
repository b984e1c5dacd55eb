"""From events to the state of a table: who undid, corrected and overruled what.

Everything is worked out anew from the events (field report F-48: after a correction
later moves must not hang in a side variation), so that undo, redo and correction are
one rule: an event counts unless a later one that counts takes it back.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.ledger.records import PLAYED, Event, Kind, LiveState, TableRecord
from companion.referee import game_options, value_of
from engines import load_game
from engines.core import NotationError, Verdict

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Effects:
    """What later events did to earlier ones."""

    undone: set[int] = field(default_factory=set)
    corrected: dict[int, str] = field(default_factory=dict)
    overruled: dict[int, Verdict] = field(default_factory=dict)


def effects_of(events: Sequence[Event]) -> Effects:
    """Return who takes back, corrects and overrules whom; read from the last event on,
    so that each is known to count before what it says is heeded."""
    found = Effects()
    for event in reversed(events):
        if event.seq in found.undone or event.target is None:
            continue
        match event.kind:
            case Kind.UNDO:
                found.undone.add(event.target)
            case Kind.CORRECTION:
                found.corrected.setdefault(event.target, event.move)
            case Kind.OVERRULE:
                found.overruled.setdefault(event.target, verdict_in(event.move))
    return found


def verdict_in(text: str) -> Verdict:
    """Return the verdict at the start of an overruling; raise `ValueError`.

    >>> verdict_in("upheld the Hit was let pass").value
    'upheld'
    """
    verdict = Verdict(text.partition(" ")[0])
    if verdict is Verdict.UNDECIDED:
        raise ValueError("a person who rules decides")
    return verdict


def opening(table: TableRecord) -> LiveState:
    """Return the state before the first event."""
    game = load_game(table.game)
    return LiveState(0, game.setup(options_of(table)))


def options_of(table: TableRecord) -> Any:
    """Return the game's own options of a table; texts mean what they mean there."""
    game = load_game(table.game)
    written = {k: v for k, v in table.options.items() if isinstance(v, str)}
    if len(written) == len(table.options):
        return game_options(game, written)
    values = {k: value_of(v) for k, v in written.items()}
    return game.options({**table.options, **values})


def replayed(table: TableRecord, events: Sequence[Event]) -> LiveState:
    """Return the state after all of `events`, which are the first ones of the table."""
    effects = effects_of(events)
    start = replace(
        opening(table),
        undone=frozenset(effects.undone),
        corrected=effects.corrected,
        overruled=effects.overruled,
    )
    return played_on(table, start, events)


def played_on(
    table: TableRecord, live: LiveState, events: Iterable[Event]
) -> LiveState:
    """Return `live` after more events, none of which is about an earlier one."""
    game = load_game(table.game)
    state, seq = live.state, live.seq
    rulings, refused = dict(live.rulings), set(live.refused)
    for event in events:
        seq = event.seq
        if event.kind not in PLAYED or seq in live.undone:
            continue
        refused.add(seq)
        try:
            move = game.parse_move(live.corrected.get(seq, event.move))
        except NotationError:
            # Readable when it was added; a later version of the game may not read it.
            logger.warning("event %d of table %s cannot be read", seq, table.id)
            continue
        rulings[seq] = game.judge(state, move)
        if live.overruled.get(seq, rulings[seq].verdict) is not Verdict.UPHELD:
            continue
        try:
            state = game.advance(state, move)
        except Exception:
            if seq not in live.overruled:
                raise
            # Upheld by a person, but nothing that the game can carry out.
            logger.warning("event %d of table %s cannot be played", seq, table.id)
            continue
        refused.discard(seq)
    return replace(
        live, seq=seq, state=state, rulings=rulings, refused=frozenset(refused)
    )
