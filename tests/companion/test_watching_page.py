"""A camera over a table, on the page: chosen, started, waited for, put right."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask

from companion.cameras import Shelf
from companion.config import Config
from companion.tables.hall import Hall
from companion.tables.rights import Role
from companion.watching.plan import TEMPI, Tempo
from companion.web import create_app
from companion.web.parts import limiter
from tests.companion.conftest import Eyes, jpeg
from tests.companion.test_tables import Phone, hall, open_table, phone, seated
from vision.views import Pace

__all__ = ["hall", "phone"]


@pytest.fixture
def app(config: Config, eyes: Eyes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    """The page with eyes that know what lies on the table."""
    tempo = Tempo(Pace(settle_s=0.2, crops=False), quiet_s=0.3)
    monkeypatch.setitem(TEMPI, "regicide", tempo)

    def reader(game: str, **_: object) -> tuple[Callable[[], Any], tuple[()]]:
        del game
        return lambda: eyes, ()

    made = create_app(replace(config, trusts_loopback=False, reader=reader))
    yield made
    if "arbitro.watches" in made.extensions:
        made.extensions["arbitro.watches"].close()
    limiter.reset()


class Film:
    """A phone that sends a picture of the table again and again."""

    def __init__(self, app: Flask) -> None:
        self.shelf = Shelf(
            app.extensions["arbitro"].config.folder / "cameras",
            app.config["SECRET_KEY"],
        )
        self.key = self.shelf.admit("phone 7")
        self.count = 0

    def send(self) -> None:
        self.count += 1
        now_ms = int(datetime.now(UTC).timestamp() * 1000)
        self.shelf.put(self.key, jpeg(), count=self.count, taken_ms=now_ms)

    def until(self, is_so: Callable[[], object], patience_s: float = 15.0) -> None:
        """Send pictures until something holds."""
        until_s = time.monotonic() + patience_s
        while time.monotonic() < until_s:
            self.send()
            if is_so():
                return
            time.sleep(0.04)
        raise AssertionError("it never came")


@pytest.fixture
def film(app: Flask) -> Film:
    film = Film(app)
    film.send()
    return film


@pytest.fixture
def in_thread(app: Flask, hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look in a thread of this process: a new one would take seconds to start."""
    from companion.watching.service import Watches  # noqa: PLC0415 - heavy

    config = app.extensions["arbitro"].config
    app.extensions["arbitro.watches"] = Watches(
        hall.ledger,
        config.folder,
        on_change=hall.feeds.shake,
        reader=config.reader,
        own_process=False,
    )


def test_a_camera_follows_the_table_until_it_is_stopped(
    film: Film, phone: Callable[[], Phone], in_thread: None
) -> None:
    owner = phone()
    id_ = open_table(owner)
    page = f"/tables/{id_}"
    assert "phone 7" in owner.get(f"{page}/camera").text
    assert owner.get(f"{page}/camera/phone 7.jpg").status_code == 200
    assert owner.post(f"{page}/camera", source="phone:phone 7").status_code == 303
    assert 'class="watched' in owner.get(page).text
    film.until(
        lambda: "svg" in owner.get(page).text and "mark sure" in owner.get(page).text
    )
    shown = owner.get(page).text
    assert "nine of diamonds" in shown
    assert owner.get(f"{page}/now.jpg").data[:3] == b"\xff\xd8\xff"
    assert owner.post(f"{page}/camera/again").status_code == 303
    assert owner.post(f"{page}/camera/stop").status_code == 303
    assert 'class="watched' not in owner.get(page).text


def test_a_new_table_may_begin_with_its_camera(
    film: Film, phone: Callable[[], Phone], in_thread: None, hall: Hall
) -> None:
    """Issue 7, 1: game, names, decks, options, camera in one form."""
    owner = phone()
    assert 'value="phone:phone 7"' in owner.get("/tables/new").text
    id_ = open_table(owner, source="phone:phone 7")
    assert 'class="watched' in owner.get(f"/tables/{id_}").text
    before = len(hall.ledger.tables())
    names = ["Anna", "Bruno"]
    refused = owner.post("/tables", game="regicide", name=names, source="/etc/passwd")
    assert refused.status_code == 400
    assert len(hall.ledger.tables()) == before, "no table is left without its camera"
    film.send()


def test_a_misread_card_of_a_watched_table_takes_two_taps(
    film: Film, phone: Callable[[], Phone], in_thread: None, hall: Hall
) -> None:
    owner = phone()
    id_ = open_table(owner)
    page = f"/tables/{id_}"
    owner.post(f"{page}/camera", source="phone:phone 7")
    film.until(lambda: "mark sure" in owner.get(page).text)
    found = re.search(
        r'href="(\S+/cards/\S+?)"[^>]*aria-label="nine of diamonds',
        owner.get(page).text,
    )
    assert found is not None
    assert 'value="6d"' in owner.get(found[1]).text
    assert owner.post(found[1], value="6d").status_code == 303
    told = [event.move for event in hall.ledger.events(id_)]
    assert any(move.endswith("> 6d") for move in told)


def test_no_other_camera_than_those_that_are_offered(
    film: Film, phone: Callable[[], Phone], hall: Hall
) -> None:
    """SSRF and other people's files (C2): the owner of a table names phones only."""
    owner = phone()
    id_ = open_table(owner)
    sources = ("http://169.254.169.254/latest", "/etc/passwd", "0", "phone:../../x")
    for source in ("", *sources):
        answer = owner.post(f"/tables/{id_}/camera", source=source)
        assert answer.status_code == 400, source
    keeper = phone()
    keeper.post("/welcome", key=hall.seats.house_key(Role.KEEPER))
    for source in (*sources, "rtsp://10.0.0.1/x"):
        assert keeper.post(f"/tables/{id_}/camera", source=source).status_code == 400


def test_players_and_spectators_start_no_camera(
    phone: Callable[[], Phone], hall: Hall
) -> None:
    id_ = open_table(phone())
    for role in (Role.PLAYER, Role.SPECTATOR):
        asks = seated(hall, phone(), id_, role)
        assert asks.get(f"/tables/{id_}/camera").status_code == 403
        assert asks.post(f"/tables/{id_}/camera", source="phone:x").status_code == 403
