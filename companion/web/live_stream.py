"""The stream of a table: server-sent events that a phone can resume.

Every event of the ledger is one message with its number as id, so that a browser that
comes back with `Last-Event-ID` misses none and gets none twice (U7). The page itself is
sent as a message without id, once for all events of a moment: who is slow skips
drawings, never events.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from flask import Response, current_app, stream_with_context

from companion.errors import CompanionError
from companion.i18n import N_
from companion.tables.feed import Feed
from companion.tables.rights import Standing
from companion.web.live_guard import hall
from companion.web.live_view import Look, look_at, said, stage_html
from companion.web.parts import parts

HEARTBEAT_S = 5.0
"""Silence is broken so often: only a write shows that a phone has gone."""
LATE_LOOK_S = 1.0
CALM_S = 0.25
"""So long changes of the picture are gathered before they are sent."""
PER_VISITOR = 3


class FullError(CompanionError):
    """More phones listen than this machine should serve at once."""

    http_status = 503
    code = "full"

    def __init__(self) -> None:
        super().__init__(
            N_("Too many follow the tables right now. The page asks again by itself.")
        )


class Doors:
    """Counts who listens: some of the server's threads always stay free for others.

    A visitor who opens one stream too many has left an old page: that one is closed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._of: dict[int, deque[threading.Event]] = {}

    def enter(self, visitor: int | None, most: int) -> threading.Event:
        """Let one more listen until the event is set. Raises `FullError`."""
        goes = threading.Event()
        with self._lock:
            if self._inside >= most:
                raise FullError
            self._inside += 1
            if visitor is not None:
                mine = self._of.setdefault(visitor, deque())
                mine.append(goes)
                if len(mine) > PER_VISITOR:
                    mine.popleft().set()
        return goes

    def leave(self, visitor: int | None, goes: threading.Event) -> None:
        """Note that somebody has gone."""
        goes.set()
        with self._lock:
            self._inside -= 1
            mine = self._of.get(visitor or 0, deque())
            if goes in mine:
                mine.remove(goes)
            if visitor is not None and not mine:
                self._of.pop(visitor, None)


def doors() -> Doors:
    """Return the count of this application."""
    found: Doors = current_app.extensions.setdefault("arbitro.doors", Doors())
    return found


def stream(id_: str, standing: Standing, language: str, since: int) -> Response:
    """Return the endless answer with every event after `since`."""
    # A wrong table is told before the stream begins.
    look = look_at(id_, standing, language)
    entrance, visitor = doors(), standing.visitor
    goes = entrance.enter(visitor, parts().config.most_streams)
    watcher = Watcher(id_, standing, language, goes)
    messages = _late_messages if look.delay_s else _messages
    response = Response(
        stream_with_context(messages(watcher, since)), mimetype="text/event-stream"
    )
    response.headers["X-Accel-Buffering"] = "no"
    response.call_on_close(lambda: entrance.leave(visitor, goes))
    return response


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who listens to which table."""

    table_id: str
    standing: Standing
    language: str
    goes: threading.Event


def _late_messages(watcher: Watcher, since: int) -> Iterator[bytes]:
    """Yield what a spectator may see by now, looked for once a second."""
    shown, silent_s = -1, 0.0
    with hall().feeds.listening(watcher.table_id) as feed:
        yield b"retry: 1000\n\n"
        while not (watcher.goes.is_set() or feed.is_closed):
            look = look_at(watcher.table_id, watcher.standing, watcher.language)
            if look.live.seq != shown:
                span = since, look.live.seq
                yield _news(feed, look, span)
                since = shown = look.live.seq
                silent_s = 0.0
            elif silent_s >= HEARTBEAT_S:
                silent_s = 0.0
                yield b": still here\n\n"
            watcher.goes.wait(LATE_LOOK_S)
            silent_s += LATE_LOOK_S


def _messages(watcher: Watcher, since: int) -> Iterator[bytes]:
    with hall().feeds.listening(watcher.table_id) as feed:
        pulse = feed.pulse
        yield b"retry: 1000\n\n" + _stage(feed, _look(feed, watcher))
        while not (watcher.goes.is_set() or feed.is_closed):
            events = feed.wait(since, HEARTBEAT_S, pulse)
            if not events:
                if feed.pulse == pulse:
                    yield b": still here\n\n"
                    continue
                watcher.goes.wait(CALM_S)  # a camera tells more than eyes can follow
                pulse = feed.pulse
                yield _stage(feed, _look(feed, watcher))
                continue
            pulse = feed.pulse
            look = _look(feed, watcher)
            span = since, events[-1].seq
            since = events[-1].seq
            yield _news(feed, look, span)


def _look(feed: Feed, watcher: Watcher) -> Look:
    """Return the table as the newest event left it, read once for all who watch."""
    live = feed.live()
    return Look(feed.table, live, watcher.standing, watcher.language)


def _stage(feed: Feed, look: Look) -> bytes:
    return feed.drawn.get(
        ("stage", look.audience), lambda: message(stage_html(look)).encode()
    )


def _news(feed: Feed, look: Look, span: tuple[int, int]) -> bytes:
    """Return events and drawing, written once for all who may see the same."""

    def make() -> bytes:
        told = "".join(
            message(
                json.dumps(one, ensure_ascii=False, separators=(",", ":")),
                id=one["seq"],
                event="told",
            )
            for one in said(look, span[0])
            if isinstance(one["seq"], int) and one["seq"] <= span[1]
        )
        return told.encode() + _stage(feed, look)

    return feed.drawn.get(("news", span, look.audience), make)


def message(data: str, *, id: object = None, event: str = "") -> str:
    """Return one message of a stream.

    >>> message("a\\nb", id=3, event="told")
    'id: 3\\nevent: told\\ndata: a\\ndata: b\\n\\n'
    """
    head = "" if id is None else f"id: {id}\n"
    head += f"event: {event}\n" if event else ""
    return head + "".join(f"data: {line}\n" for line in data.split("\n")) + "\n"
