"""The page in a real browser, served by the real server."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import pytest
from flask import Flask
from playwright._impl._api_structures import SetCookieParam
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    expect,
    sync_playwright,
)
from waitress.server import create_server

from companion.config import Config
from companion.decks.places import open_decks
from companion.decks.roles import in_play
from companion.tables.hall import Hall, open_hall
from companion.tables.rights import Role
from companion.tables.seats import HOUSE
from companion.terminal.serve import close_tables
from companion.watching.readers import reader_of
from companion.web import create_app
from companion.web.server import bind, settings
from tests.companion.tables import FIGHT, Laid, observation, picture
from tests.support.quick import be_quick
from vision.types import Frame, Observation

be_quick()
expect.set_options(timeout=15_000)  # machines of tests are shared
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


NO_MEDIA = "delete Navigator.prototype.mediaDevices"
"""Over plain HTTP phones give pages no camera: all of it must work without (A2)."""


@dataclass
class Served:
    """A running page and what its eyes see next."""

    url: str
    folder: Path
    seen: Observation
    app: Flask

    def watch_in_thread(self, patch: pytest.MonkeyPatch) -> None:
        """Let cameras be watched in this process, with the eyes of the test."""
        from companion.watching.plan import TEMPI, Tempo  # noqa: PLC0415 - heavy
        from companion.watching.service import Watches  # noqa: PLC0415 - as above
        from companion.web.live_guard import hall  # noqa: PLC0415 - as above
        from vision.views import Pace  # noqa: PLC0415 - as above

        with self.app.app_context():
            at = hall()
        config = self.app.extensions["arbitro"].config
        quick = Tempo(Pace(settle_s=0.2, crops=False), quiet_s=0.3)
        patch.setitem(TEMPI, "regicide", quick)
        self.app.extensions["arbitro.watches"] = Watches(
            at.ledger,
            config.folder,
            on_change=at.feeds.shake,
            reader=config.reader,
            own_process=False,
        )

    def lay(self, cards: tuple[Laid, ...]) -> Path:
        """Put these cards on the table; return a photo of it."""
        self.seen = observation(cards)
        path = self.folder / "table.jpg"
        cv2.imwrite(str(path), picture(cards))
        return path


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """The page at work on tables whose truth is known."""
    seen = observation(FIGHT)
    served = Served("", tmp_path, seen, Flask("not yet"))

    def see(_: Frame) -> Observation:
        return served.seen

    def reader(game: str, **gear: Any) -> tuple[Any, tuple[Any, ...]]:
        if game == "warstones":
            return reader_of(game, **gear)
        return lambda: see, in_play(game, open_decks(gear["decks"]))

    # Every stream holds a thread of the server from its start.
    config = Config(
        folder=tmp_path / "home",
        load_pipeline=lambda decks: see,
        reader=reader,
        most_streams=100,
    )
    served.app = create_app(config)
    sock = bind("127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{sock.getsockname()[1]}"
    server = create_server(served.app, sockets=[sock], **settings(config))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield served
    close_tables(served.app)
    if "arbitro.hall" in served.app.extensions:
        feeds = served.app.extensions["arbitro.hall"].feeds
        until_s = time.monotonic() + 2
        while feeds.count() and time.monotonic() < until_s:
            time.sleep(0.02)
    server.close()
    server.task_dispatcher.shutdown()
    thread.join(timeout=5)


Launch = Callable[..., Browser]


@pytest.fixture(scope="session")
def launch(chromium: str) -> Iterator[Launch]:
    """Starts browsers; all of them from one driver, and ended with it."""
    # Wrong DISPLAY or proxies of the machine must not decide over a test.
    environment: dict[str, str | float | bool] = {
        name: value for name, value in os.environ.items() if "proxy" not in name.lower()
    }
    with sync_playwright() as playwright:
        started: list[Browser] = []

        def start(*more: str) -> Browser:
            made = playwright.chromium.launch(
                executable_path=chromium, args=[*ARGUMENTS, *more], env=environment
            )
            started.append(made)
            return made

        yield start
        for one in started:
            for context in one.contexts:
                close(context)
            one.close()


@pytest.fixture(scope="session")
def browser(launch: Launch) -> Browser:
    return launch()


@dataclass(frozen=True)
class Manner:
    """How a phone is set up."""

    locale: str = "en-GB"
    dark: bool = False
    scripts: bool = True
    worker: bool = False
    """Whether pages may install their service worker."""
    keeper: bool = False
    """Whether the phone may set things up."""


PLAIN = Manner()


def keeper_cookie(served: Served) -> SetCookieParam:
    """Return the cookie of somebody who may set things up."""
    with open_hall_of(served) as hall:
        visitor, token = hall.people.arrive()
        hall.seats.take(visitor.id, HOUSE, Role.KEEPER)
    return {"name": "arbitro_id", "value": token, "url": served.url}


@contextmanager
def open_hall_of(served: Served) -> Iterator[Hall]:
    """Open the tables of the running page beside it."""
    hall = open_hall(served.folder / "home")
    try:
        yield hall
    finally:
        hall.ledger.close()


def close(context: BrowserContext) -> None:
    """Close a phone. Chromium sometimes never closes one that is just going to another
    page, so it stays where it is first."""
    for page in context.pages:
        with suppress(Error):  # it has just arrived
            page.evaluate("window.stop()")
    context.close()


Opens = Callable[..., Page]


@pytest.fixture
def phone(browser: Browser, served: Served) -> Iterator[Opens]:
    """Opens pages as a phone of 390 x 844; no page may ask another origin or fail."""
    contexts: list[BrowserContext] = []
    troubles: list[str] = []

    def opens(path: str = "/", manner: Manner = PLAIN) -> Page:
        context = browser.new_context(
            viewport={"width": 390, "height": 844},
            device_scale_factor=2,
            has_touch=True,
            locale=manner.locale,
            color_scheme="dark" if manner.dark else "light",
            java_script_enabled=manner.scripts,
            reduced_motion="reduce",
            service_workers="allow" if manner.worker else "block",
        )
        contexts.append(context)
        if manner.keeper:
            context.add_cookies([keeper_cookie(served)])
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.add_init_script(NO_MEDIA)

        def note(url: str) -> None:
            if not url.startswith((served.url, "blob:")):
                troubles.append(f"asked another origin: {url}")

        page.on("request", lambda request: note(request.url))
        page.on("pageerror", lambda error: troubles.append(f"script: {error}"))

        def complain(line: ConsoleMessage) -> None:
            # What is refused is told on a page with a status of 4xx.
            if line.type == "error" and not line.location["url"].endswith(
                ("/read", "/setup/mats/kitchen", "/moves")
            ):
                troubles.append(line.text)

        page.on("console", complain)
        page.goto(served.url + path)
        return page

    yield opens
    found = tuple(troubles)  # what is cut off by closing is none
    for context in contexts:
        close(context)
    assert found == ()
