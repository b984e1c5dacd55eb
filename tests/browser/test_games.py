"""Whole games on phones, from pictures: what people do from joining to the evidence.

The eyes know what lies on the table, so that these tests are about the pages; whole
photos are measured in `tests/bench` and `tests/companion`. Italian and English, light
and dark take turns (`tests/browser/manners.py`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import pypdfium2 as pdfium
import pytest
from playwright.sync_api import Page, expect

from companion.evidence import verify_pack
from companion.labels import capital
from companion.web.parts import limiter
from tests.browser.conftest import Manner, Opens, Served
from tests.browser.manners import Said, in_turn
from tests.browser.test_live import open_table, play, qr_text, sign_in
from tests.companion.conftest import models
from tests.companion.tables import FIGHT, Laid, observation
from tests.support.live_games import FRENZY
from tests.support.warboard import ARMY, chip, keep_board, shot

__all__ = ["models"]
pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def no_limits() -> Iterator[None]:
    yield
    limiter.reset()


def photograph(page: Page, path: Path) -> None:
    """Send a photo of the table, as a phone without a live camera does."""
    page.locator("input[name=photo]").nth(1).set_input_files(path)


def press(page: Page, words: str) -> None:
    """Tap the first button that says so."""
    page.get_by_role("button", name=words).first.tap()


def sat_down(owner: Page, phone: Opens, served: Served, said: Said, seat: int) -> Page:
    """Return a phone that scanned the code of a seat and sat down."""
    alt = said("QR code of seat %(number)s", number=seat)
    text = qr_text(owner, alt)
    player = phone(text.removeprefix(served.url), said.manner)
    press(player, said("Join"))
    player.wait_for_url("**/tables/*")
    return player


# Frenzy -------------------------------------------------------------------------------

COLUMNS_MM = {1: 85.0, 2: 0.0, 3: -85.0}
ROWS_MM = {"B": 95.0, "S": 190.0, "H": 278.0}


def frenzy(turned: int, *cards: str) -> tuple[Laid, ...]:
    """Return a table on which so many Battlefields are turned: ``P1.B2 W4``."""
    laid = [
        Laid(f"F{number}{'o' if number <= turned else 'b'}", 0.0, y, 0.0)
        for number, y in COLUMNS_MM.items()
    ]
    for card in cards:
        zone, label = card.split()
        seat, place = zone.split(".")
        x = ROWS_MM[place[0]] * (-1 if seat == "P1" else 1)
        y = 0.0 if place == "HQ" else COLUMNS_MM[int(place[1])]
        laid.append(Laid(label, x, y, 0.0 if seat == "P1" else 180.0))
    return tuple(laid)


FIRST_PLAYS = ("P1.B1 W4", "P2.B1 W3", "P1.S1 W2", "P2.S1 W4")
HEROES = ("P1.HQ A", "P1.HQ Z", "P1.HQ A")


@in_turn(0)
def test_a_whole_frenzy_round_from_pictures(
    phone: Opens, served: Served, manner: Manner
) -> None:
    """U3, U12: join by QR; every play from a photo, on both phones; the end is called
    with the third Hero; the round is resolved, and the points are on both."""
    said = Said(manner)
    owner = phone("/", manner)
    table = open_table(owner, "frenzy")
    player = sat_down(owner, phone, served, said, 2)
    owner.goto(served.url + table)
    story = owner.locator(".timeline li")

    def shoot(turned: int, cards: tuple[str, ...], events: int) -> None:
        photograph(owner, served.lay(frenzy(turned, *cards)))
        expect(owner.locator(".timeline li")).to_have_count(min(events, 20))

    shoot(0, (), 0)
    owner.locator(".question button").first.tap()  # who is First Player
    expect(story).to_have_count(1)
    shoot(1, (), 2)
    expect(player.locator(".question")).to_have_count(1)
    player.locator(".question button").tap()  # the Second Player counts to three
    expect(story).to_have_count(3)
    expect(player.locator(".awaits")).to_contain_text(
        said("Battle! Both play at the same time.")
    )
    shoot(1, FIRST_PLAYS, 7)
    line = said("Battle Line %(number)s", number=1)
    top = f"[aria-label^='{line}: {said.of_kit('frenzy', 'W4')}']"
    expect(player.locator(top)).to_be_visible()
    for count in (1, 2, 3):
        shoot(1, (*FIRST_PLAYS, *HEROES[:count]), 7 + count)
    over = said("The round has ended. The table stays as it is.")
    expect(player.locator(".awaits")).to_contain_text(over)
    owner.locator(".question button").first.tap()  # all lies as shown
    expect(story).to_have_count(11)
    for page in (owner, player):
        points = page.locator(".tile strong")
        expect(points.nth(0)).to_have_text("6")  # a 4 and a 2, won with the 4
        expect(points.nth(1)).to_have_text("0")
    expect(player.locator("table.rounds td").first).to_have_text("Anna")


@in_turn(1)
def test_a_frenzy_round_by_hand_with_two_phones(
    phone: Opens, served: Served, manner: Manner
) -> None:
    """Every move on both phones; one undone, by whom it belongs to."""
    said = Said(manner)
    owner = phone("/", manner)
    table = open_table(owner, "frenzy")
    player = sat_down(owner, phone, served, said, 2)
    owner.goto(served.url + table)
    for move in FRENZY[:7]:
        play(owner if not move.startswith("P2") else player, move)
    play(owner, FRENZY[7])
    expect(player.locator(".timeline li")).to_have_count(8)
    # The last move is the host's: the player may not take it back, the host may.
    expect(player.get_by_role("button", name=said("Undo"))).to_have_count(0)
    press(owner, said("Undo"))
    expect(player.locator(".timeline").first).to_contain_text(said("taken back"))


# Regicide, Frantic, Brawl -------------------------------------------------------------


@in_turn(2)
def test_a_regicide_fight_from_pictures(
    phone: Opens, served: Served, manner: Manner
) -> None:
    """A photo sets the fight; a card is put right; the next photo goes on."""
    said = Said(manner)
    owner = phone("/", manner)
    table = open_table(owner, "regicide")
    player = sat_down(owner, phone, served, said, 2)
    owner.goto(served.url + table)
    photograph(owner, served.lay(FIGHT))
    expect(owner.locator(".picture-block svg.marks a")).to_have_count(6)
    expect(player.locator(".picture-block img")).to_be_visible()
    player.locator(f"svg.marks a[aria-label^='{said.card('4s')}']").tap()
    expect(player.locator("dialog#panel")).to_be_visible()
    player.locator("dialog button[value='4h']").tap()
    expect(player.locator("dialog#panel")).to_be_hidden()
    name = f"{said.card('4h')}, {said('put right by you')}"
    expect(owner.locator(f"svg.marks [aria-label^='{name}']")).to_have_count(1)
    picture = owner.locator(".picture-block img")
    before = picture.get_attribute("src")
    photograph(owner, served.lay((*FIGHT, Laid("3c", 180.0, -110))))
    expect(owner.locator(".picture-block svg.marks a")).to_have_count(7)
    assert picture.get_attribute("src") != before, "the picture is refreshed"


@in_turn(3)
def test_a_frantic_hand_from_a_picture(
    phone: Opens, served: Served, manner: Manner
) -> None:
    """The limit's sum of a hand, with Arbitro's own deck chosen on the page."""
    said = Said(manner)
    hand = [
        Laid(label, 70.0 * n - 140, -90)
        for n, label in enumerate(("R5", "G7", "B2", "Y9"))
    ]
    page = phone("/", manner)
    page.locator("label", has_text="Frantic").first.tap()
    page.locator("summary", has_text=said("Decks, mat, kit")).tap()
    page.locator("[name='deck.frantic']").select_option("own:frantic")
    photograph(page, served.lay(tuple(hand)))
    page.wait_for_url("**/t/*", timeout=60_000)
    expect(page.locator("svg.marks a.sure")).to_have_count(4)
    expect(page.locator(".told")).to_contain_text("23")


@in_turn(4)
def test_a_brawl_game_from_a_picture(
    phone: Opens, served: Served, manner: Manner
) -> None:
    """One photo of a finished game: three frozen Bases, who has which, who has won."""
    said = Said(manner)
    page = phone("/", manner)
    page.locator("label", has_text="Brawl").first.tap()
    page.locator("summary", has_text=said("Decks, mat, kit")).tap()
    for number, name in enumerate(("own:brawl-falco", "own:brawl-volpe")):
        page.locator("[name='deck.brawl']").nth(number).select_option(name)
    cards = [
        *(Laid("BASE", x, 0, a) for x, a in ((-120, 90.0), (0, 90.0), (120, 270.0))),
        *(Laid("Hr", x, -70) for x in (-120, 0)),
        Laid("Hg", 120, 70, 270.0),
        *(Laid("FREEZE", x + 18, 0, 90.0) for x in (-120, 0, 120)),
    ]
    photograph(page, served.lay(tuple(cards)))
    page.wait_for_url("**/t/*", timeout=60_000)
    expect(page.locator("svg.marks a")).to_have_count(9)
    expect(page.locator(".told h2").first).to_have_text("Brawl")
    score = page.locator(".block.row").first
    for words, figure in (
        (capital(said.rule("brawl.title_game_winner")), "A"),
        (said.rule("brawl.title_bases", seat="A"), "2"),
        (said.rule("brawl.title_bases", seat="B"), "1"),
    ):
        row = score.locator("div", has=page.locator("dt", has_text=words)).last
        expect(row.locator("dd")).to_have_text(figure)


# Disputes -----------------------------------------------------------------------------


@in_turn(5)
def test_a_warstones_dispute_to_the_evidence(
    phone: Opens, served: Served, monkeypatch: pytest.MonkeyPatch, manner: Manner
) -> None:
    """From the photo to the line with its band, the verdict and the signed pack: the
    real measuring, on a rendered mat."""
    said = Said(manner)
    home = served.folder / "home"
    monkeypatch.setenv("ARBITRO_HOME", str(home))
    keep_board(home)
    path = served.folder / "mat.jpg"
    cv2.imwrite(str(path), shot([*ARMY, chip("stranger", 640.0, 180.0)]).bgr)
    page = sign_in(phone, served, manner)
    page.wait_for_url("**/tables")
    page.goto(served.url)
    page.locator("label", has_text="Warstones").first.tap()
    page.locator("summary", has_text=said("Decks, mat, kit")).tap()
    page.locator("[name=mat]").select_option("cloth")
    page.locator("[name=kit]").select_option("box")
    photograph(page, path)
    page.wait_for_url("**/t/*", timeout=60_000)
    close = page.locator(".closeups li.doubtful").first
    mark = {"it": ",", "en": r"\."}[said.language]
    expect(close).to_contain_text(re.compile(rf"\d{mark}\d\s?mm.*±\s?\d"))
    expect(close).to_contain_text(re.compile(rf"\d{mark}\d%"))
    expect(close.locator("svg path.band")).not_to_have_count(0)
    law = page.locator(".rule-text", has_text=said("Rule %(number)s", number="3.2"))
    law.first.locator("summary").tap()
    expect(law.first.locator("p").first).to_be_visible()
    # The referee rules on it; the players read why on any phone.
    page.get_by_label(said("Reason")).fill("Measured again with a gauge.")
    page.get_by_label(said("About")).select_option(index=1)
    press(page, said("Do not accept"))
    decided = page.locator("[aria-labelledby=decided] .ruling")
    expect(decided).to_contain_text("Measured again with a gauge.")
    player = phone(page.url.removeprefix(served.url).partition("#")[0], manner)
    expect(player.locator("[aria-labelledby=decided]")).to_contain_text("Ada")
    expect(player.get_by_role("button", name=said("Accept"))).to_have_count(0)
    page.locator("summary", has_text=said("About this reading")).tap()
    with page.expect_download() as taken:
        page.get_by_role("link", name=said("Evidence pack, signed")).tap()
    assert verify_pack(taken.value.path()).facts["game"] == "warstones"


@in_turn(6)
def test_the_referee_walks_from_the_moment_to_the_evidence(
    phone: Opens, served: Served, manner: Manner
) -> None:
    """Issue 7, 5: look at the moment, print it, overrule it with a reason."""
    said = Said(manner)
    owner = phone("/", manner)
    table = open_table(owner, "frenzy")
    owner.goto(served.url + table)
    for move in FRENZY[:4]:
        play(owner, move)
    referee = sign_in(phone, served, manner)
    referee.wait_for_url("**/tables")
    referee.goto(f"{served.url}{table}/events/4")
    expect(referee.locator(".rule-text p").first).to_be_visible()
    with referee.expect_download() as taken:
        referee.get_by_role("link", name=said("One page to print (PDF)")).tap()
    with pdfium.PdfDocument(io.BytesIO(taken.value.path().read_bytes())) as document:
        text = document[0].get_textpage().get_text_range()
        assert said.of_kit("frenzy", "W4") in text
    with referee.expect_download() as taken:
        referee.get_by_role("link", name=said("Evidence pack, signed")).tap()
    assert verify_pack(taken.value.path()).facts["seq"] == 4
    referee.locator("input[value=rejected]").check(force=True)
    referee.locator("[name=reason]").fill("It came after the call.")
    press(referee, said("Rule so"))
    expect(owner.locator(".timeline")).to_contain_text("It came after the call.")


@in_turn(7)
def test_a_referee_rules_on_what_the_table_shows_now(
    phone: Opens, served: Served, manner: Manner
) -> None:
    """The picture of a dispute may be that of the table, not only a new photo."""
    said = Said(manner)
    owner = phone("/", manner)
    table = open_table(owner, "regicide")
    owner.goto(served.url + table)
    photograph(owner, served.lay(FIGHT))
    expect(owner.locator(".picture-block svg.marks a")).to_have_count(6)
    press(owner, said("Rule on this picture"))
    owner.wait_for_url("**/t/*")
    expect(owner.locator("svg.marks a")).to_have_count(6)
    expect(owner.locator("#rulings")).to_be_visible()


# Set-up and cameras -------------------------------------------------------------------


@in_turn(8)
def test_a_deck_is_enrolled_on_the_page(
    phone: Opens,
    served: Served,
    monkeypatch: pytest.MonkeyPatch,
    models: None,
    manner: Manner,
) -> None:
    """Photos in, cards cut out, named from the kit, kept: with the real detector."""
    from tests.companion.test_setup_pages import cards_photo  # noqa: PLC0415

    said = Said(manner)
    monkeypatch.setenv("ARBITRO_HOME", str(served.folder / "home"))
    path = served.folder / "cards.jpg"
    cv2.imwrite(str(path), cards_photo())
    page = phone("/setup/decks", replace(manner, keeper=True))
    page.locator("input[name=name]").first.fill("kitchen")
    page.locator("label", has_text="Frantic").first.tap()
    press(page, said("Go on to the photos"))
    photograph(page, path)
    expect(page.locator(".sheet li")).to_have_count(4, timeout=60_000)
    for number, name in enumerate(("R5", "G7*2", "B2", said.of_kit("frantic", "Y9"))):
        page.locator(".sheet input").nth(number).fill(name)
    press(page, said("Save the deck"))
    saved = page.locator("#remarks")
    expect(saved).to_contain_text(re.compile(r"\b4\b.*\b0\b"), timeout=30_000)
    page.goto(served.url)
    page.locator("label", has_text="Frantic").first.tap()
    page.locator("summary", has_text=said("Decks, mat, kit")).tap()
    assert "kitchen" in page.locator("[name='deck.frantic']").inner_text()


@in_turn(9)
def test_a_camera_watches_a_table_and_says_what_it_waits_for(
    phone: Opens, served: Served, monkeypatch: pytest.MonkeyPatch, manner: Manner
) -> None:
    from tests.companion.test_watching_page import Film  # noqa: PLC0415 - heavy

    said = Said(manner)
    served.seen = observation(FIGHT)
    served.watch_in_thread(monkeypatch)
    owner = phone("/", manner)
    table = open_table(owner, "regicide")
    film = Film(served.app)
    film.send()
    owner.goto(f"{served.url}{table}/camera")
    press(owner, said("Let it watch"))
    owner.wait_for_url(f"**{table}")
    expect(owner.locator(".watched")).to_be_visible()
    marks = owner.locator(".picture-block svg.marks a")
    film.until(lambda: marks.count() == 6)
    story = owner.locator(".timeline p")

    def told(was: str, now: str) -> None:
        words = said("%(was)s is put right: %(now)s", was=was, now=now)
        film.until(lambda: story.filter(has_text=words).count() == 1)

    nine = f"svg.marks a[aria-label^='{said.card('9d')}']"
    owner.locator(nine).tap()
    owner.locator("dialog .likely button", has_text="6").tap()
    told("9♦︎", "6♦︎")
    # Two taps say as well that a card lies face down, or that there is none.
    fixed = said("put right by you")
    owner.locator(f"svg.marks a[aria-label^='{said.card('6d')}, {fixed}']").tap()
    owner.locator("dialog").get_by_role("button", name=said("Face down")).tap()
    told("6♦︎", said("face down"))
    owner.locator(f"svg.marks a[aria-label^='{said('card')}, {fixed}']").tap()
    owner.locator("dialog").get_by_role("button", name=said("No card here")).tap()
    nothing = said("nothing there, as you said")
    gone = owner.locator(f'svg.marks a[aria-label^="{said("card")}, {nothing}"]')
    film.until(lambda: gone.count() == 1)
    gone.tap()
    owner.locator("dialog").get_by_role("button", name=said("As it was read")).tap()
    film.until(lambda: owner.locator(nine).count() == 1)
    owner.locator(".watched").get_by_role("button", name=said("Stop")).tap()
    film.until(lambda: owner.locator(".watched").count() == 0)
    film.send()  # an eye that waits for a picture ends with the next one


def test_the_worker_serves_the_style_and_says_when_the_server_is_gone(
    phone: Opens, served: Served
) -> None:
    """Only in a secure context: 127.0.0.1 is one."""
    page = phone("/", Manner(worker=True))
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    assert page.evaluate("navigator.serviceWorker.controller !== null")
    names = page.evaluate(
        "caches.keys().then(names => caches.open(names[0])).then(store => store.keys())"
        ".then(keys => keys.map(key => new URL(key.url).pathname))"
    )
    assert "/offline" in names
    assert all(re.match(r"/static/|/offline$", name) for name in names), names
