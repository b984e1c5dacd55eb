"""What an event must be before it is added; the chain keeps even nonsense for good."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select

from companion.i18n import N_
from companion.ledger.errors import RefusedEventError, UnknownEventError
from companion.ledger.evidence import SHA256
from companion.ledger.records import (
    AIMED,
    IN_NOTATION,
    PLAYED,
    Event,
    Kind,
    TableRecord,
)
from companion.ledger.replaying import options_of, verdict_in
from companion.ledger.schema import event as event_table
from engines import load_game

MOST_CHARACTERS = 4000
MOST_PICTURES = 64
TABLE_ID = re.compile(r"[0-9a-z]{8,40}")


def check_event(game: str, event: Event) -> None:
    """Raise unless the event is well-formed by itself.

    `NotationError` for a move that the game cannot read; `RefusedEventError` for the
    rest. Whether a move is legal is not asked here: that is a ruling.
    """
    if event.taken_at.tzinfo is None or event.recorded_at.tzinfo is None:
        raise ValueError("a moment needs a time zone")
    if (event.kind in AIMED) != (event.target is not None):
        raise ValueError(f"a target and kind {event.kind} do not go together")
    texts = (event.move, event.source, event.actor or "", event.engine)
    if sum(map(len, texts)) > MOST_CHARACTERS or len(event.evidence) > MOST_PICTURES:
        raise RefusedEventError(N_("This is too long to be kept."))
    if not all(map(_is_text, texts)):
        raise RefusedEventError(N_("This holds characters that cannot be kept."))
    if event.kind in IN_NOTATION:
        load_game(game).parse_move(event.move)
    if event.kind is Kind.OVERRULE:
        _check_verdict(event.move)


def check_target(db: Connection, table: str, event: Event) -> None:
    """Raise `UnknownEventError` unless the target is there and can be meant."""
    if event.target is None:
        return
    query = select(event_table.c.kind).where(
        event_table.c.table_id == table, event_table.c.seq == event.target
    )
    kind = db.execute(query).scalar()
    check_aim(event, None if kind is None else Kind(kind))


def check_aim(event: Event, kind: Kind | None) -> None:
    """Raise `UnknownEventError` unless the event may be about one of that kind."""
    if kind is None or (event.kind is not Kind.UNDO and kind not in PLAYED):
        raise UnknownEventError(event.target or 0)


def check_foreign(table: TableRecord, events: tuple[Event, ...]) -> None:
    """Raise unless a session from elsewhere is one that could have been kept here.

    Its signature only says who made it; that can be anybody.
    """
    if not (_is_made_of_text(table) and TABLE_ID.fullmatch(table.id)):
        raise ValueError("not a table")
    if table.seed is not None and abs(table.seed) >= 1 << 63:
        raise ValueError("not a seed that fits")
    options_of(table)
    kinds: dict[int, Kind] = {}
    for event in events:
        texts: tuple[object, ...] = (event.move, event.source, event.engine)
        hashes = all(map(SHA256.fullmatch, event.evidence))
        if not (hashes and _are_texts((*texts, event.actor or ""))):
            raise ValueError("not an event")
        check_event(table.game, event)
        if event.target is not None:
            check_aim(event, kinds.get(event.target))
        kinds[event.seq] = event.kind


def _is_made_of_text(table: TableRecord) -> bool:
    options: object = table.options
    return isinstance(options, Mapping) and _are_texts(
        (table.id, table.game, table.title, *table.seats)
    )


def _are_texts(values: Iterable[object]) -> bool:
    return all(
        isinstance(value, str) and len(value) <= MOST_CHARACTERS for value in values
    )


def _check_verdict(text: str) -> None:
    try:
        verdict_in(text)
    except ValueError as error:
        raise RefusedEventError(
            N_("Say upheld or rejected, then why: not '%(text)s'."), text=text[:60]
        ) from error


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
