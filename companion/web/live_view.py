"""What the pages of a table show, cut to what the visitor may know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Any

from flask import render_template

from companion.ledger import Event, LiveState, TableRecord
from companion.referee import value_of
from companion.tables import boards
from companion.tables.rights import Act, Standing
from companion.tables.story import Listener, questions_for, scene_of, seat_of, told
from companion.web.live_guard import hall
from companion.web.live_watch import standing_of, watch_version, watched_questions
from engines import load_game
from engines.core import Outcome, Question, Seat

SHOWN, MOST_MOVES = 60, 40
LOOKED_AT = 4000
"""Legal moves that are looked through for suggestions."""


@dataclass(frozen=True, slots=True)
class Look:
    """A table as it stands, and how one visitor looks at it."""

    table: TableRecord
    live: LiveState
    standing: Standing
    language: str
    delay_s: int = 0
    """So old is what this visitor sees; 0 for who plays or runs the table."""

    @property
    def game(self) -> Any:
        """Return the rules of this table."""
        return load_game(self.table.game)

    @property
    def seat(self) -> Seat | None:
        """Return from which seat the table is seen; `None` as a spectator."""
        return Seat(min(self.standing.seats)) if self.standing.seats else None

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended."""
        found: Outcome | None = self.game.outcome(self.live.state)
        return found

    @property
    def audience(self) -> tuple[object, ...]:
        """Return what the page depends on: who has the same sees the same."""
        acts = _acts_of(self.standing)
        seats = hall().seats.version
        camera = 0 if self.delay_s else seen_version(self.table.id)
        return (
            self.live.seq,
            self.seat,
            acts,
            self.language,
            seats,
            camera,
            self.delay_s,
        )


def seen_version(table_id: str) -> tuple[int, int]:
    """Return what changes with what is seen of a table, by camera or by photo."""
    eye = hall().eyes.find(table_id)
    return watch_version(table_id), 0 if eye is None else eye.version


@lru_cache(maxsize=1024)
def _acts_of(standing: Standing) -> tuple[Act, ...]:
    return tuple(act for act in Act if standing.may(act))


def look_at(id_: str, standing: Standing, language: str) -> Look:
    """Return a table as it stands; raises `CompanionError` if there is no such."""
    ledger = hall().ledger
    delay_s = hall().seats.delay_s(id_) if standing.only_watches else 0
    table = ledger.table(id_)
    live = hall().feeds.late(id_, delay_s) if delay_s else ledger.state(id_)
    return Look(table, live, standing, language, delay_s)


def stage(look: Look) -> dict[str, Any]:
    """Return what `tables/stage.html` shows: score, board, questions, what happened."""
    table, live, language = look.table, look.live, look.language
    outcome = look.outcome
    scene = scene_of(table, options_of(table), language, outcome)
    drawing = boards.draw(look.game.view(live.state, look.seat), scene)
    taken = hall().seats.taken(table.id)
    asked = open_questions(look)
    since = {} if look.delay_s else asked_since(look, asked)
    events = events_of(look, max(0, live.seq - SHOWN))
    listener = Listener(look.standing, language)
    return {
        "table": table,
        "drawing": drawing,
        "board": drawing.facts,
        "outcome": outcome,
        "questions": questions_for(asked, look.standing, taken),
        "asked_of": [
            None if question.to is None else scene.name(question.to)
            for question in asked
            if question not in questions_for(asked, look.standing, taken)
        ],
        "asked_at": since,
        "scene": scene,
        "picture": None if look.delay_s else _picture(look),
        "camera": None if look.delay_s else standing_of(table.id, language),
        "delay_s": look.delay_s,
        "story": [told(table, event, live, listener) for event in reversed(events)],
        "seq": live.seq,
        "standing": look.standing,
        "Act": Act,
        "language": language,
    }


def open_questions(look: Look) -> tuple[Question, ...]:
    """Return what the game asks, and what the last picture leaves open."""
    if look.delay_s:
        return ()
    eye = hall().eyes.find(look.table.id)
    of_picture = watched_questions(look.table.id)
    if of_picture is None and eye is not None:
        of_picture = eye.questions()
    if of_picture is not None:
        return of_picture
    found: tuple[Question, ...] = look.game.questions(look.live.state)
    return found


def asked_since(look: Look, asked: tuple[Question, ...]) -> Mapping[str, datetime]:
    """Return since when each of the open questions is asked."""
    return hall().asked.since(look.table.id, [question.id for question in asked])


def _picture(look: Look) -> Any:
    from companion.web.live_picture import shown_picture  # noqa: PLC0415 - OpenCV

    return shown_picture(look)


def stage_html(look: Look) -> str:
    """Return the part of the page that changes with every event."""
    return render_template("tables/stage.html", **stage(look))


def said(look: Look, since: int) -> list[dict[str, object]]:
    """Return the events after `since` as they are told and spoken."""
    listener = Listener(look.standing, look.language)
    return [
        event_json(told(look.table, event, look.live, listener))
        for event in events_of(look, since)
    ]


def events_of(look: Look, since: int) -> tuple[Event, ...]:
    """Return the events after `since` that this visitor may know by now."""
    events = hall().ledger.events(look.table.id, since=since)
    return tuple(event for event in events if event.seq <= look.live.seq)


def event_json(one: Any) -> dict[str, object]:
    """Return one event for a program: a row of the timeline, a spoken call."""
    return {
        "seq": one.seq,
        "kind": one.kind,
        "text": one.text,
        "verdict": one.verdict or None,
        "reason": one.reason or None,
        "rule": one.rule or None,
        "source": one.source,
        "actor": one.actor or None,
        "taken_at": one.taken_at.isoformat(),
        "undone": one.is_undone,
        "pictures": list(one.pictures),
    }


def state_json(look: Look) -> dict[str, object]:
    """Return the table for a program: what the visitor may know, in plain values."""
    outcome = look.outcome
    return {
        "id": look.table.id,
        "game": look.table.game,
        "title": look.table.title,
        "seats": list(look.table.seats),
        "seq": look.live.seq,
        "view": look.game.view(look.live.state, look.seat),
        "outcome": None
        if outcome is None
        else {
            "winners": [int(seat) for seat in outcome.winners],
            "reason": outcome.reason.render(look.language),
            "rule": str(outcome.rule),
        },
    }


def suggestions(look: Look, typed: str) -> list[str]:
    """Return legal moves in notation that hold what was typed, the first ones."""
    moves = look.game.legal_moves(look.live.state)
    if moves is None:
        return []
    words = typed.casefold().split()
    texts = (str(move) for move in islice(moves, LOOKED_AT))
    own = (text for text in texts if may_enter(look, text))
    fitting = (text for text in own if all(word in text.casefold() for word in words))
    return list(islice(fitting, MOST_MOVES))


def may_enter(look: Look, notation: str) -> bool:
    """Return whether a visitor may enter this move: a player only the own ones."""
    if look.standing.is_host:
        return True
    seat = seat_of(look.table.game, notation)
    return seat is not None and seat in look.standing.seats


def options_of(table: TableRecord) -> Any:
    """Return the game's options of a table."""
    return _options(table.game, json.dumps(table.options, sort_keys=True, default=str))


@lru_cache(maxsize=64)
def _options(game: str, written: str) -> Any:
    values = {
        key: value_of(value) if isinstance(value, str) else value
        for key, value in json.loads(written).items()
    }
    return load_game(game).options(values)
