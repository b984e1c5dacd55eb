"""What the page promises of itself: small, quiet, readable, alone with its server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import CDPSession, expect

from companion.web.marks import STATES
from tests.browser.conftest import (
    Launch,
    Manner,
    Opens,
    Served,
    keeper_cookie,
    open_hall_of,
)
from tests.browser.test_live import begun, no_limits
from tests.companion.tables import FIGHT
from tests.support.live_games import OPTIONS, moves_of, write_move

__all__ = ["no_limits"]
pytestmark = pytest.mark.browser

FIRST_LOAD_BYTES = 150_000
PATHS = ("/", "/tables", "/tables/new", "/join", "/sign-in", "/rules/frantic")
CHROMIUMS_OWN = ("google.com", "googleapis.com", "gvt1.com")
"""What the browser asks for itself, on any page; that ours asks no other origin is seen
in every test with the fixture `phone`."""
SIZE = {"width": 390, "height": 844}


def fresh(phone: Opens, served: Served, path: str) -> int:
    """Return the bytes of a first visit, with all headers and pictures."""
    page = phone("/offline")
    found: list[float] = []
    session: CDPSession = page.context.new_cdp_session(page)
    session.on(
        "Network.loadingFinished", lambda e: found.append(e["encodedDataLength"])
    )
    session.send("Network.enable")
    session.send("Network.clearBrowserCache")
    page.goto(served.url + path)
    page.wait_for_load_state("load")
    page.wait_for_timeout(400)
    page.context.close()
    return round(sum(found))


def test_every_first_load_is_small(phone: Opens, served: Served) -> None:
    """U3: at most 150 KB, on each page that somebody may open first."""
    tables = [begun(served, game) for game in OPTIONS]
    sizes = {path: fresh(phone, served, path) for path in (*PATHS, *tables)}
    assert min(sizes.values()) > 20_000, sizes
    assert max(sizes.values()) <= FIRST_LOAD_BYTES, sizes


def test_no_name_is_looked_up(launch: Launch, served: Served, tmp_path: Path) -> None:
    """U4: Chromium's own log of its network knows no look-up but the one that is made
    on purpose at the end."""
    log = tmp_path / "net.json"
    browser = launch(f"--log-net-log={log}")
    context = browser.new_context(viewport=SIZE)  # type: ignore[arg-type]
    context.add_cookies([keeper_cookie(served)])
    page = context.new_page()
    table = begun(served, "frenzy")
    more = ("/setup", "/setup/print", "/setup/doctor", "/camera", "/trust", table)
    for path in (*PATHS, *more):
        page.goto(served.url + path)
    page.wait_for_timeout(500)
    with pytest.raises(Exception, match="ERR_NAME_NOT_RESOLVED"):
        page.goto("http://control.invalid/")
    browser.close()
    assert looked_up(log) == {"control.invalid"}


def looked_up(log: Path) -> set[str]:
    """Return the names that a log of the network says were looked up."""
    data = json.loads(log.read_text("utf-8"))
    types = {
        number: name for name, number in data["constants"]["logEventTypes"].items()
    }
    hosts = set()
    for event in data["events"]:
        if types[event["type"]] == "HOST_RESOLVER_MANAGER_JOB":
            host = str(event.get("params", {}).get("host", ""))
            hosts.add(host.partition("://")[2] or host)
    names = {host.partition(":")[0] for host in hosts if host}
    return {name for name in names if not name.endswith(CHROMIUMS_OWN)}


def test_over_plain_http_everything_but_the_camera_works(
    launch: Launch, served: Served
) -> None:
    """A phone in the hall opens a numeric address or a name: no secure context, hence
    no `mediaDevices` and no service worker; a photo is read all the same."""
    served.app.config["TRUSTED_HOSTS"].append("table.lan")
    browser = launch("--host-resolver-rules=MAP table.lan 127.0.0.1")
    context = browser.new_context(viewport=SIZE, has_touch=True)  # type: ignore[arg-type]
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    url = served.url.replace("127.0.0.1", "table.lan")
    page.goto(url)
    assert page.evaluate("isSecureContext") is False
    assert page.evaluate("'mediaDevices' in navigator") is False
    assert page.evaluate("'serviceWorker' in navigator") is False
    page.locator("input[name=photo]").nth(1).set_input_files(served.lay(FIGHT))
    page.wait_for_url("**/t/*")
    expect(page.locator("svg.marks a")).to_have_count(6)
    page.goto(f"{url}/camera")
    expect(page.locator("main")).to_contain_text("--https")
    expect(page.locator("[data-camera]")).to_have_count(0)
    browser.close()
    assert troubles == []


def test_who_asks_for_calm_gets_it(phone: Opens) -> None:
    """Nothing moves by itself where the phone asks for reduced motion."""
    page = phone()
    count = "document.getAnimations().length"
    page.evaluate("document.querySelector('.waiting').hidden = false")
    assert page.evaluate(count) == 0
    page.emulate_media(reduced_motion="no-preference")
    page.wait_for_function(f"{count} > 0")


def test_the_score_is_said_as_it_changes(phone: Opens, served: Served) -> None:
    """The same live region stays on the page, so that its change is announced."""
    page = phone()
    path, moves = begun(served, "warstones", most=33), moves_of("warstones", most=40)
    page.goto(served.url + path)
    live = page.locator("section.tiles[aria-live=polite][aria-atomic=true]")
    before = live.inner_text()
    live.evaluate("region => { region.here = true; }")
    with open_hall_of(served) as hall:
        id_ = path.rpartition("/")[2]
        for number, move in enumerate(moves[33:], start=34):
            write_move(hall.ledger, id_, move, actor="owner")
            expect(page.locator(f"[data-seq='{number}']")).to_be_visible()
            if live.inner_text() != before:
                break
    assert live.inner_text() != before
    assert live.evaluate("region => region.here === true")


def test_colour_is_never_alone(phone: Opens, served: Served) -> None:
    """States of marks differ without colour, and coloured cards carry a shape each."""
    page = phone()
    page.locator("input[name=photo]").nth(1).set_input_files(served.lay(FIGHT))
    page.wait_for_url("**/t/*")
    looks: dict[str, Any] = page.evaluate(
        """states => Object.fromEntries(states.map(state => {
          const mark = document.querySelector("svg.marks a").cloneNode(true);
          mark.setAttribute("class", `mark ${state}`);
          document.querySelector("svg.marks").append(mark);
          const edge = getComputedStyle(mark.querySelector(".edge"));
          return [state, edge.strokeDasharray + "/" + edge.strokeWidth];
        }))""",
        list(STATES),
    )
    assert len(set(looks.values())) == len(STATES), looks
    seen: dict[str, set[str]] = {"brawl": set(), "frantic": set()}
    for game, most in (("brawl", 34), *(("frantic", n) for n in (8, 12, 18, 26))):
        page.goto(served.url + begun(served, game, most=most))
        page.evaluate(
            "document.querySelectorAll('details').forEach(e => e.open = true)"
        )
        shapes = page.evaluate(
            """colours => [...document.querySelectorAll(
                `:is(.bcard, .xcard):is(${colours})`
              )].map(card => [
                [...card.classList].find(name => colours.includes(name)),
                [...card.querySelectorAll('svg.shape > *')].map(e => e.outerHTML) + "",
              ])""",
            ".red, .green, .blue, .yellow",
        )
        seen[game] |= {colour for colour, _ in shapes}
        assert all(drawn for _, drawn in shapes)
        by_shape: dict[str, set[str]] = {}
        for colour, drawn in shapes:
            by_shape.setdefault(drawn, set()).add(colour)
        assert all(len(colours) == 1 for colours in by_shape.values()), by_shape
    assert all(seen.values()), seen


def test_the_page_can_be_put_on_the_home_screen(phone: Opens, served: Served) -> None:
    page = phone("/", Manner("it-IT"))
    manifest = page.evaluate(
        "fetch(document.querySelector('link[rel=manifest]').href).then(a => a.json())"
    )
    assert manifest["display"] == "standalone"
    assert page.request.get(served.url + manifest["start_url"]).ok
    for icon in manifest["icons"]:
        size = page.evaluate(
            """src => { const image = new Image(); image.src = src;
              return image.decode().then(
                () => [image.naturalWidth, image.naturalHeight]);
            }""",
            f"/static/{icon['src']}",
        )
        if icon["sizes"] != "any":
            assert f"{size[0]}x{size[1]}" == icon["sizes"]
    worker = page.request.get(f"{served.url}/worker.js")
    assert worker.ok
