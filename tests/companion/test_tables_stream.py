"""The stream of a table, from the real server (U6, U7; field report F-40 kind)."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest
from waitress.server import create_server

from companion.config import Config
from companion.ledger import Kind, Ledger, open_ledger
from companion.tables.feed import Feed, Feeds, Once
from companion.tables.hall import FILE_NAME, Hall, open_hall
from companion.web import create_app
from companion.web.live_stream import PER_VISITOR, Doors, FullError, message
from companion.web.server import bind, settings
from tests.support.streams import Stream


@dataclass
class Served:
    """A running page with one table that everybody may watch."""

    port: int
    hall: Hall
    table_id: str

    @property
    def path(self) -> str:
        return f"/tables/{self.table_id}/events"

    def add(self, number: int = 1) -> None:
        """Add so many events, as another process would: past the page."""
        for _ in range(number):
            note(self.hall.ledger, self.table_id)


def note(ledger: Ledger, table_id: str) -> None:
    """Add an event that changes nothing in the game."""
    ledger.append(
        table_id,
        ledger.head(table_id).seq + 1,
        "a word",
        kind=Kind.NOTE,
        source="test",
        actor=None,
        taken_at=datetime.now(UTC),
    )


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr("companion.web.live_stream.HEARTBEAT_S", 0.3)
    config = Config(folder=tmp_path / "home", most_streams=12)
    app = create_app(config)
    hall = app.extensions["arbitro.hall"] = open_hall(config.folder)
    table = hall.ledger.create_table("regicide", {}, seats=["Anna", "Bruno"])
    owner, _ = hall.people.arrive()
    hall.seats.open(table.id, 2, is_listed=True, owner=owner.id)
    sock = bind("127.0.0.1", 0)
    server = create_server(app, sockets=[sock], **settings(config))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield Served(sock.getsockname()[1], hall, table.id)
    server.close()
    thread.join(timeout=5)
    hall.feeds.close()


def test_events_come_in_order_with_their_numbers(served: Served) -> None:
    stream = Stream.open(served.port, served.path)
    served.add(5)
    assert stream.read_until(5) == [1, 2, 3, 4, 5]
    stream.close()


def test_the_page_is_drawn_at_once_and_after_events(served: Served) -> None:
    stream = Stream.open(served.port, served.path)
    served.add()
    stream.read_until(1)
    served.add()
    stream.read_until(2)
    assert stream.stages >= 2
    stream.close()


def test_who_comes_back_misses_nothing_and_gets_nothing_twice(served: Served) -> None:
    """U7, 40 forced drops at random moments; the bench does 1,000."""
    rng = random.Random(4)
    got: list[int] = []
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            served.add()
            time.sleep(0.005)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(40):
            last = got[-1] if got else 0
            stream = Stream.open(served.port, served.path, last=last)
            stream.read_until(last + rng.randint(1, 4))
            got += stream.ids
            stream.close()
    finally:
        stop.set()
        writer.join()
    assert got == list(range(1, len(got) + 1))
    assert len(got) >= 40


def polled(served: Served, since: int) -> list[int]:
    """Return the numbers of the events that a program is told."""
    url = f"http://127.0.0.1:{served.port}{served.path}?since={since}"
    with urlopen(url, timeout=10) as answer:
        return [one["seq"] for one in json.load(answer)["events"]]


def test_polling_gives_the_same_as_the_stream(served: Served) -> None:
    served.add(4)
    assert polled(served, 2) == [3, 4]


def test_one_too_many_is_told_so_and_the_site_goes_on(served: Served) -> None:
    """Finding 2: open streams must never stop the site."""
    streams = [Stream.open(served.port, served.path) for _ in range(12)]
    for stream in streams:
        assert b"200 OK" in stream.sock.recv(200)
    extra = Stream.open(served.port, served.path)
    assert b"503" in extra.sock.recv(200)
    assert polled(served, 0) == []
    for stream in (*streams, extra):
        stream.close()


def test_the_newest_page_of_a_visitor_wins() -> None:
    doors = Doors()
    goes = [doors.enter(7, 100) for _ in range(PER_VISITOR + 2)]
    assert [event.is_set() for event in goes] == [True, True] + [False] * PER_VISITOR
    for event in goes:
        doors.leave(7, event)
    doors.enter(None, 1)
    with pytest.raises(FullError):
        doors.enter(None, 1)


def test_a_stream_ends_where_its_reader_has_gone(served: Served) -> None:
    stream = Stream.open(served.port, served.path)
    served.add()
    stream.read_until(1)
    assert served.hall.feeds.count() == 1
    stream.close()
    deadline = time.monotonic() + 15
    while served.hall.feeds.count() and time.monotonic() < deadline:
        served.add()
        time.sleep(0.1)
    assert served.hall.feeds.count() == 0


# The feed -----------------------------------------------------------------------------


def test_a_feed_tells_what_another_process_wrote(tmp_path: Path) -> None:
    with (
        open_ledger(tmp_path / FILE_NAME) as ours,
        open_ledger(tmp_path / FILE_NAME) as theirs,
    ):
        table = ours.create_table("regicide", {}, seats=["A", "B"])
        feeds = Feeds(ours)
        with feeds.listening(table.id) as feed:
            assert feed.wait(0, 0.05) == ()
            note(theirs, table.id)
            assert [event.seq for event in feed.wait(0, 10)] == [1]
            assert feed.live().seq == 1
        assert feeds.count() == 0
        feeds.close()


def test_a_feed_reads_from_the_ledger_what_it_no_longer_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.tables.feed.REMEMBERED", 3)
    with open_ledger(tmp_path / FILE_NAME) as ledger:
        table = ledger.create_table("regicide", {}, seats=["A", "B"])
        feed = Feed(ledger, table.id)
        for _ in range(8):
            note(ledger, table.id)
        feed.look()
        for since in range(8):
            found = [event.seq for event in feed.wait(since, 0)]
            assert found == list(range(since + 1, 9))


def test_what_many_ask_for_is_made_once() -> None:
    made: list[int] = []
    once: Once[int, int] = Once(2)

    def make(key: int) -> int:
        made.append(key)
        time.sleep(0.02)
        return key * 10

    threads = [
        threading.Thread(target=once.get, args=(1, partial(make, 1))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
    for key in (2, 3, 1):
        assert once.get(key, partial(make, key)) == key * 10
    assert made == [1, 2, 3, 1]


def test_a_message_keeps_every_line() -> None:
    assert message("a\nb") == "data: a\ndata: b\n\n"
    assert message("x", id=4, event="told").startswith("id: 4\nevent: told\n")
