"""Every page in a language that is longer by 40 %: nothing is cut or sticks out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from waitress.server import create_server

from companion.terminal.serve import close_tables
from companion.web.server import bind, settings
from tests.browser.conftest import close
from tests.support.pseudo import pseudo, unmarked
from tests.support.pseudo_hall import (
    KNOWN,
    Hall,
    addresses,
    keep_mat,
    pseudo_hall,
    sent,
)

pytestmark = pytest.mark.browser

STICKS_OUT = """() => {
  const found = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > 390) found.push(`the page has ${wide} px`);
  const shown = (e) => e.checkVisibility({ checkVisibilityCSS: true });
  const scrolls = (e) => e.closest(".scrolls, textarea, pre, .md");
  for (const e of document.querySelectorAll("body *")) {
    const says = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!says || !shown(e) || scrolls(e)) continue;
    if (e.closest("svg, .unseen, .skip, option")) continue;
    const box = e.getBoundingClientRect();
    if (box.width <= 1) continue;
    const name = `${e.tagName} ${e.className} "${e.textContent.trim().slice(0, 40)}"`;
    if (box.right > 390.5 || box.left < -0.5) found.push(`outside: ${name}`);
    const cut = e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0;
    if (cut && getComputedStyle(e).display !== "inline") found.push(`cut: ${name}`);
  }
  return found;
}"""


@contextmanager
def serving(hall: Hall) -> Iterator[str]:
    """Give the address at which the page is served."""
    sock = bind("127.0.0.1", 0)
    config = hall.app.extensions["arbitro"].config
    server = create_server(hall.app, sockets=[sock], **settings(config))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    close_tables(hall.app)
    server.close()
    thread.join(timeout=5)


def test_the_language_is_longer_and_marked_and_shows_what_it_lacks() -> None:
    assert pseudo("Take %(count)s photos") == "⟦Tàké %(count)s phötös ~~ ~⟧"
    long = "A sentence as they stand on the page, with a name in it."
    assert len(pseudo(long)) >= 1.4 * len(long)
    page = f"<p>{pseudo('Score')} 12 <b>Score</b></p><img alt='A photo'>"
    assert unmarked(page, KNOWN) == ["Score", "A photo"]


def test_all_is_translated_nothing_is_cut_and_nothing_sticks_out(
    browser: Browser, tmp_path: Path
) -> None:
    """Every page: each text that is read or heard came from a catalogue, and fits."""
    found: dict[str, list[str]] = {}
    with pseudo_hall(tmp_path) as hall, serving(hall) as url:
        keep_mat(tmp_path / "home")
        forms = list(sent(hall))
        context = browser.new_context(
            viewport={"width": 390, "height": 844}, locale="it-IT"
        )
        page = context.new_page()
        page.route("**/events?*", lambda route: route.fulfill(status=204))
        paths = [(place, "keeper") for place, _ in forms if place]
        paths += addresses(hall)
        for path, who in paths:
            cookie: Any = {"name": "arbitro_id", "value": hall.tokens[who], "url": url}
            context.add_cookies([cookie])
            page.goto(url + path, wait_until="domcontentloaded")
            page.evaluate(
                "document.querySelectorAll('details').forEach(one => one.open = true)"
            )
            troubles = unmarked(page.content(), KNOWN) + page.evaluate(STICKS_OUT)
            if troubles:
                found[path] = troubles
        close(context)
    (refused,) = (text for place, text in forms if not place)
    assert unmarked(refused, KNOWN) == []
    assert len(paths) > 40
    assert found == {}
