"""Tables in play on a phone: join by QR, a round, questions, undo, two taps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import APIResponse, Page, Route, expect

from companion.ledger import Kind
from companion.tables.rights import Role
from companion.web.parts import limiter
from tests.browser.conftest import PLAIN, Manner, Opens, Served, open_hall_of
from tests.companion.tables import FIGHT
from tests.support.live_games import OPTIONS, moves_of, write_move
from tests.support.payloads import payloads

pytestmark = pytest.mark.browser

ITALIAN_DARK = Manner("it-IT", dark=True)
NO_SCRIPTS = Manner(scripts=False)
FIRST_LOAD_BYTES = 150_000
TOUCH_PX = 44
ROUND = (
    "REF first P1 @0",
    "P1 turn F1 @1",
    "P2 go @2",
    "P1 play W4 P1.B1 @3000",
    "P2 play W3 P2.B1 @3100",
    "P1 play A P1.B2 @4000",
)


@pytest.fixture(autouse=True)
def no_limits() -> Iterator[None]:
    yield
    limiter.reset()


def open_table(page: Page, game: str) -> str:
    """Open a table of two on the page; return its path."""
    page.goto(page.url.rstrip("/") + "/tables/new")
    page.locator(f"input[value={game}]").check(force=True)
    page.locator("input[name=name]").nth(0).fill("Anna")
    page.locator("input[name=name]").nth(1).fill("Bruno")
    page.locator("main form button.wide").click()
    page.wait_for_url("**/seats")
    return re.sub(r".*(/tables/\w+)/seats", r"\1", page.url)


def play(page: Page, move: str) -> None:
    """Write a move and see it in the story."""
    count = page.locator(".timeline li").count()
    page.locator("#move").fill(move)
    page.get_by_role("button", name=re.compile("^(Play|Gioca)$")).click()
    expect(page.locator(".timeline li")).to_have_count(count + 1)


def begun(served: Served, game: str, *, most: int = 9) -> str:
    """Return the path of a table at which some moves were made."""
    with open_hall_of(served) as hall:
        table = hall.ledger.create_table(game, OPTIONS[game], seats=["Anna", "Bruno"])
        owner, _ = hall.people.arrive()
        hall.seats.open(table.id, 2, is_listed=True, owner=owner.id)
        for move in moves_of(game, most=most):
            write_move(hall.ledger, table.id, move, actor="owner")
    return f"/tables/{table.id}"


def sign_in(phone: Opens, served: Served, manner: Manner = PLAIN) -> Page:
    """Return the phone of a referee who has just signed in."""
    with open_hall_of(served) as hall:
        secret = hall.people.add("Ada", Role.REFEREE)
    referee = phone("/sign-in", manner)
    referee.locator("[name=name]").fill("Ada")
    referee.locator("[name=secret]").fill(secret)
    referee.locator("main form button").tap()
    return referee


def qr_text(page: Page, alt: str) -> str:
    """Read a QR code from the screen, as a phone's camera would: from near and far."""
    code = page.get_by_alt_text(alt)
    code.scroll_into_view_if_needed()
    code.evaluate("image => image.decode()")  # it has come
    bgr = cv2.imdecode(np.frombuffer(code.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert bgr is not None
    for size in (1.0, 2.0, 1.5, 3.0, 0.75, 1.25, 2.5):
        seen = cv2.resize(bgr, None, fx=size, fy=size, interpolation=cv2.INTER_CUBIC)
        edge = round(24 * size)
        seen = cv2.copyMakeBorder(
            seen, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(255,) * 3
        )
        for phone in (cv2.QRCodeDetector(), cv2.QRCodeDetectorAruco()):
            text, *_ = phone.detectAndDecode(seen)
            if text:
                return text
    raise AssertionError(f"the code {alt!r} cannot be read")


def test_a_player_joins_by_qr_and_sees_the_game_live(
    phone: Opens, served: Served
) -> None:
    """U3: from the code to the live table in two taps; a round of Frenzy."""
    owner = phone()
    table = open_table(owner, "frenzy")
    seat = qr_text(owner, "QR code of seat 2")
    assert seat.startswith(served.url + "/join/")
    player = phone(seat.removeprefix(served.url))
    assert player.locator("[name=key]").input_value() != ""
    assert "#" not in player.url
    player.get_by_role("button", name="Join").tap()
    player.wait_for_url(f"**{table}")
    owner.goto(served.url + table)
    for move in ROUND:
        play(owner, move)
    expect(player.locator(".timeline li")).to_have_count(len(ROUND))
    expect(player.locator(".awaits")).to_contain_text("Battle!")
    expect(player.locator("[aria-label^='Battle Line 1: Warrior 4']")).to_be_visible()
    owner.get_by_role("button", name="Undo").first.tap()
    expect(player.locator(".timeline")).to_contain_text("taken back")
    expect(player.locator("[aria-label^='Battle Line 2: empty']")).to_have_count(2)


def test_an_answer_that_the_stream_overtook_changes_nothing(
    phone: Opens, served: Served
) -> None:
    """What is older than what is shown never takes its place, and what was typed
    meanwhile stays."""
    owner = phone()
    table = open_table(owner, "frenzy")
    seat = qr_text(owner, "QR code of seat 2")
    player = phone(seat.removeprefix(served.url))
    player.get_by_role("button", name="Join").tap()
    owner.goto(served.url + table)
    for move in ROUND[:4]:
        play(owner, move)
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        if route.request.method == "POST":
            held.append((route, route.fetch()))
        else:
            route.continue_()

    player.route("**/tables/**", hold)
    owner.route("**/tables/**", hold)
    play(player, ROUND[4])
    play(owner, ROUND[5])
    expect(player.locator(".timeline li")).to_have_count(len(ROUND))
    owner.locator("#move").fill("P1 pass")
    assert len(held) == 2
    for route, answer in reversed(held):
        with route.request.frame.page.expect_event("requestfinished"):
            route.fulfill(response=answer)
    expect(player.locator("#move")).to_have_value("")
    expect(player.locator(".timeline li")).to_have_count(len(ROUND))
    expect(owner.locator("#move")).to_have_value("P1 pass")


def test_a_question_is_asked_on_the_right_phone(phone: Opens, served: Served) -> None:
    owner = phone()
    table = open_table(owner, "warstones")
    seat = qr_text(owner, "QR code of seat 1")
    player = phone(seat.removeprefix(served.url))
    player.get_by_role("button", name="Join").tap()
    expect(player.locator(".question .to")).to_contain_text("Question to Anna asked at")
    owner.goto(served.url + table)
    expect(owner.get_by_text("Question to Anna")).to_have_count(0)
    expect(owner.get_by_text("Question to Bruno")).to_have_count(1)
    player.locator(".question button").first.tap()
    expect(player.locator(".question")).to_have_count(0)
    expect(owner.locator(".timeline li")).to_have_count(1)
    expect(owner.locator(".pill").first).to_be_visible()


def test_a_refused_move_stays_in_its_field_with_the_reason(
    phone: Opens, served: Served
) -> None:
    owner = phone(manner=Manner())
    table = open_table(owner, "frenzy")
    owner.goto(served.url + table)
    owner.locator("#move").fill("P1 turn F2 @0")
    owner.on("console", lambda line: None)
    with owner.expect_response("**/moves") as refused:
        owner.get_by_role("button", name="Play", exact=True).click()
    assert refused.value.status == 422
    expect(owner.locator("#refused")).to_contain_text("Rule")
    assert owner.locator("#move").input_value() == "P1 turn F2 @0"


def test_two_taps_put_a_card_right(phone: Opens, served: Served) -> None:
    """U12: in the picture of the table; logged, and played anew."""
    owner = phone()
    table = open_table(owner, "regicide")
    owner.goto(served.url + table)
    owner.locator("input[name=photo]").nth(1).set_input_files(served.lay(FIGHT))
    expect(owner.locator(".picture-block svg.marks a")).to_have_count(6)
    owner.locator("svg.marks a[aria-label^='nine of diamonds']").tap()
    expect(owner.locator("dialog#panel")).to_be_visible()
    owner.locator("dialog .likely button", has_text="6").tap()
    expect(owner.locator("dialog#panel")).to_be_hidden()
    expect(owner.locator(".timeline p", has_text="9♦︎ is put right: 6♦︎")).to_have_count(
        1
    )
    label = "svg.marks a[aria-label^='six of diamonds, put right by you']"
    expect(owner.locator(label)).to_have_count(1)


def test_a_referee_overrules_with_the_secret(phone: Opens, served: Served) -> None:
    owner = phone()
    table = open_table(owner, "frenzy")
    owner.goto(served.url + table)
    for move in ROUND[:4]:
        play(owner, move)
    referee = sign_in(phone, served)
    referee.locator(".tables-list a").first.tap()
    referee.get_by_label("Look at moment 4").tap()
    referee.locator("input[value=rejected]").check(force=True)
    referee.locator("[name=reason]").fill("The hand was still on it.")
    referee.get_by_role("button", name="Rule so").tap()
    referee.wait_for_url(f"**{table}")
    expect(owner.locator(".timeline")).to_contain_text("The hand was still on it.")
    expect(owner.locator("[aria-label^='Battle Line 1: empty']")).to_have_count(2)


def test_it_works_without_scripts(phone: Opens, served: Served) -> None:
    page = phone("/", NO_SCRIPTS)
    table = open_table(page, "frenzy")
    page.goto(served.url + table)
    page.locator("#move").fill(ROUND[0])
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".timeline li")).to_have_count(1)
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator(".timeline li")).to_have_count(2)


@pytest.mark.parametrize("manner", [PLAIN, ITALIAN_DARK], ids=["en", "it-dark"])
def test_nothing_hinders_people_who_see_or_hear_otherwise(
    phone: Opens, served: Served, manner: Manner
) -> None:
    """U4: axe finds nothing; targets are large; no page is wider than the phone."""
    axe = Axe()
    page = phone("/", replace(manner, keeper=True))
    tables = {game: begun(served, game) for game in OPTIONS}
    paths = [*tables.values(), f"{tables['frenzy']}/seats"]
    paths += [f"{tables['frenzy']}/events/4"]
    paths += ["/tables", "/tables/new", "/join/ABC234", "/sign-in", "/confirm"]
    for path in paths:
        page.goto(served.url + path)
        found = axe.run(page)
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        small = page.evaluate(
            """least => [...document.querySelectorAll('main button, main a, summary')]
            .map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])
            .filter(([, b]) => b.width && (b.height < least - 0.5))
            .map(([html]) => html)""",
            TOUCH_PX,
        )
        assert small == [], path


def test_the_first_load_is_small(phone: Opens, served: Served) -> None:
    """U3: 150 KB with everything that the live table needs."""
    owner = phone()
    table = open_table(owner, "regicide")
    sizes: list[int] = []
    owner.on("response", lambda answer: sizes.append(_size(answer)))
    owner.goto(served.url + table)
    owner.wait_for_timeout(300)
    assert 20_000 < sum(sizes) <= FIRST_LOAD_BYTES


def _size(answer: object) -> int:
    headers = getattr(answer, "headers", {})
    if "event-stream" in headers.get("content-type", ""):
        return 0
    return int(headers.get("content-length", 0))


def test_the_stream_resumes_after_the_page_slept(phone: Opens, served: Served) -> None:
    owner, watcher = phone(), phone()
    table = open_table(owner, "frenzy")
    owner.goto(served.url + table)
    code = Path(qr_text_of_code(owner, served, table)).name
    watcher.goto(f"{served.url}/join/{code}")
    watcher.get_by_role("button", name="Join").tap()
    watcher.wait_for_url(f"**{table}")
    watcher.wait_for_timeout(500)
    watcher.context.set_offline(True)
    for move in ROUND[:3]:
        play(owner, move)
    watcher.context.set_offline(False)
    expect(watcher.locator(".timeline li")).to_have_count(3, timeout=20_000)


def test_the_table_is_followed_without_the_stream(phone: Opens, served: Served) -> None:
    """A3: polling always works."""
    owner, watcher = phone(), phone()
    table = open_table(owner, "frenzy")
    code = Path(qr_text_of_code(owner, served, table)).name
    watcher.route("**/events?*", lambda route: route.fulfill(status=204))
    watcher.clock.install()
    watcher.goto(f"{served.url}/join/{code}")
    watcher.get_by_role("button", name="Join").tap()
    watcher.wait_for_url(f"**{table}")
    for move in ROUND[:2]:
        play(owner, move)
    watcher.clock.fast_forward(4500)  # it sees that no stream comes
    watcher.clock.fast_forward(2500)  # it asks
    expect(watcher.locator(".timeline li")).to_have_count(2, timeout=20_000)


def qr_text_of_code(owner: Page, served: Served, table: str) -> str:
    """Return the address in the code that lets people watch."""
    owner.goto(f"{served.url}{table}/seats")
    found = qr_text(owner, "QR code to watch this table")
    owner.goto(served.url + table)
    return found


def test_no_text_of_a_player_runs_as_a_script(phone: Opens, served: Served) -> None:
    """R9: more than 200 texts as names, titles, notes, sources and actors."""
    texts = payloads()
    assert len(texts) >= 200
    page = phone("/tables")
    with open_hall_of(served) as hall:
        owner, _ = hall.people.arrive()
        for start in range(0, len(texts), 8):
            some = texts[start : start + 8]
            table = hall.ledger.create_table(
                "frantic", {"players": 8}, seats=[*some, *[""] * (8 - len(some))]
            )
            hall.seats.open(table.id, 8, is_listed=True, owner=owner.id)
            for number, text in enumerate(some, start=1):
                hall.ledger.append(
                    table.id,
                    number,
                    text,
                    kind=Kind.NOTE,
                    source=text,
                    actor=text,
                    taken_at=datetime.now(UTC),
                )
            page.goto(f"{served.url}/tables/{table.id}")
            hall.ledger.append(  # one more, through the stream
                table.id,
                len(some) + 1,
                some[0],
                kind=Kind.NOTE,
                source=some[0],
                actor=some[0],
                taken_at=datetime.now(UTC),
            )
            expect(page.locator(".timeline p.meta").first).to_contain_text(
                f"{len(some) + 1} ·"
            )
            assert page.evaluate("window.hit") is None, some
    page.goto(f"{served.url}/tables")
    assert page.evaluate("window.hit") is None


HEARS = """
window.heard = []; window.awake = 0;
Object.defineProperty(window, "speechSynthesis", { value: {
  getVoices: () => [{ lang: "en" }],
  speak: (one) => window.heard.push([one.text, one.lang]),
} });
window.SpeechSynthesisUtterance = function (text) { this.text = text; };
Object.defineProperty(navigator, "wakeLock", { value: {
  request: async (what) => { window.awake += what === "screen"; },
} });
"""
BEEPS = """
delete window.speechSynthesis; window.beeps = 0;
window.AudioContext = function () {
  const node = { connect: (next) => next, gain: {}, frequency: {}, stop() {} };
  this.currentTime = 0;
  this.createGain = () => node;
  this.createOscillator = () => ({ ...node, start: () => { window.beeps += 1; } });
};
"""


@pytest.mark.parametrize("voice", [HEARS, BEEPS], ids=["speech", "tone"])
def test_calls_are_spoken_or_a_tone_and_the_screen_stays_awake(
    phone: Opens, served: Served, voice: str
) -> None:
    owner = phone()
    owner.add_init_script(voice)
    table = open_table(owner, "frenzy")
    owner.goto(served.url + table)
    play(owner, ROUND[0])  # before anybody asked for it: silent
    owner.locator("#speak").tap()
    expect(owner.locator("#speak")).to_have_attribute("aria-pressed", "true")
    play(owner, ROUND[1])
    if voice is BEEPS:
        owner.wait_for_function("window.beeps === 1")
        return
    owner.wait_for_function("window.heard.length === 1")
    ((text, language),) = owner.evaluate("window.heard")
    assert language == "en"
    assert owner.locator(".timeline p").first.inner_text().startswith(text[:12])
    assert owner.evaluate("window.awake") >= 1
    owner.locator("#speak").tap()
    play(owner, ROUND[2])
    assert owner.evaluate("window.heard.length") == 1


def test_a_table_is_played_with_the_keyboard_alone(
    phone: Opens, served: Served
) -> None:
    owner = phone()
    table = open_table(owner, "warstones")
    owner.goto(served.url + table)
    skip = owner.locator(".skip")
    owner.keyboard.press("Tab")
    expect(skip).to_be_focused()
    for _ in range(40):
        owner.keyboard.press("Tab")
        if owner.evaluate("document.activeElement.closest('.question') !== null"):
            break
    outline = owner.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none", "one sees where one is"
    owner.keyboard.press("Enter")
    expect(owner.locator(".timeline li")).to_have_count(1)
