"""Whole games on phones, from pictures: what people do from joining to the evidence.

The eyes know what lies on the table, so that these tests are about the pages; whole
photos are measured in `tests/bench` and `tests/companion`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import cv2
import pypdfium2 as pdfium
import pytest
from playwright.sync_api import Page, expect

from companion.evidence import verify_pack
from companion.web.parts import limiter
from tests.browser.conftest import Manner, Opens, Served
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


def join_by_qr(owner: Page, phone: Opens, served: Served, seat: int) -> Page:
    """Return a phone that scanned the code of a seat and sat down."""
    text = qr_text(owner, f"QR code of seat {seat}")
    player = phone(text.removeprefix(served.url))
    player.get_by_role("button", name="Join").tap()
    player.wait_for_url("**/tables/*")
    return player


def test_a_whole_frenzy_round_with_two_phones(phone: Opens, served: Served) -> None:
    """U3, U12: join by QR; every move on both phones; one undone; the end called."""
    owner = phone()
    table = open_table(owner, "frenzy")
    player = join_by_qr(owner, phone, served, 2)
    owner.goto(served.url + table)
    for move in FRENZY:
        play(owner if not move.startswith("P2") else player, move)
    expect(player.locator(".timeline li")).to_have_count(len(FRENZY))
    expect(
        owner.locator("[aria-label^='Battle Line 1: Warrior 4']").first
    ).to_be_visible()
    # The last move is the host's: the player may not take it back, the host may.
    expect(player.get_by_role("button", name="Undo")).to_have_count(0)
    owner.get_by_role("button", name="Undo").first.tap()
    expect(player.locator(".timeline").first).to_contain_text("taken back")


def test_a_regicide_fight_from_pictures(phone: Opens, served: Served) -> None:
    """A photo sets the fight; a card is put right; the enemy's hit points follow."""
    owner = phone()
    table = open_table(owner, "regicide")
    player = join_by_qr(owner, phone, served, 2)
    owner.goto(served.url + table)
    photograph(owner, served.lay(FIGHT))
    expect(owner.locator(".picture-block svg.marks a")).to_have_count(6)
    expect(player.locator(".picture-block img")).to_be_visible()
    player.locator("svg.marks a[aria-label^='four of spades']").tap()
    expect(player.locator("dialog#panel")).to_be_visible()
    player.locator("dialog button[value='4h']").tap()
    expect(player.locator("dialog#panel")).to_be_hidden()
    fixed = "svg.marks [aria-label^='four of hearts, put right by you']"
    expect(owner.locator(fixed)).to_have_count(1)


def test_a_frantic_hand_from_a_picture(phone: Opens, served: Served) -> None:
    """The limit's sum of a hand, with Arbitro's own deck chosen on the page."""
    hand = [
        Laid(label, 70.0 * n - 140, -90)
        for n, label in enumerate(("R5", "G7", "B2", "Y9"))
    ]
    page = phone()
    page.locator("label", has_text="Frantic").first.tap()
    page.locator("summary", has_text="Decks, mat, kit").tap()
    page.locator("[name='deck.frantic']").select_option("own:frantic")
    served.lay(tuple(hand))
    photograph(page, served.folder / "table.jpg")
    page.wait_for_url("**/t/*")
    expect(page.locator("svg.marks a.sure")).to_have_count(4)
    expect(page.locator(".told")).to_contain_text("23")


def test_a_brawl_game_from_a_picture(phone: Opens, served: Served) -> None:
    """One photo of Bases and chains: who has which Base."""
    page = phone()
    page.locator("label", has_text="Brawl").first.tap()
    page.locator("summary", has_text="Decks, mat, kit").tap()
    for number, name in enumerate(("own:brawl-falco", "own:brawl-volpe")):
        page.locator("[name='deck.brawl']").nth(number).select_option(name)
    cards = [
        *(Laid("BASE", x, 0, 0.0) for x in (-120, 0, 120)),
        *(Laid("Hr", x, -70) for x in (-120, 0)),
        Laid("Hg", 120, 70, 270.0),
    ]
    served.lay(tuple(cards))
    photograph(page, served.folder / "table.jpg")
    page.wait_for_url("**/t/*")
    expect(page.locator("svg.marks a")).to_have_count(6)
    expect(page.locator(".told h2").first).to_have_text("Brawl")
    expect(page.locator(".block.row").first).to_be_visible()


def test_a_warstones_dispute_to_the_evidence(
    phone: Opens, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the photo to the line with its band, the verdict and the signed pack: the
    real measuring, on a rendered mat."""
    home = served.folder / "home"
    monkeypatch.setenv("ARBITRO_HOME", str(home))
    keep_board(home)
    path = served.folder / "mat.jpg"
    cv2.imwrite(str(path), shot([*ARMY, chip("stranger", 640.0, 180.0)]).bgr)
    page = sign_in(phone, served)
    page.wait_for_url("**/tables")
    page.goto(served.url)
    page.locator("label", has_text="Warstones").first.tap()
    page.locator("summary", has_text="Decks, mat, kit").tap()
    page.locator("[name=mat]").select_option("cloth")
    page.locator("[name=kit]").select_option("box")
    photograph(page, path)
    page.wait_for_url("**/t/*", timeout=60_000)
    close = page.locator(".closeups li.doubtful").first
    expect(close).to_contain_text("mm inside the line")
    expect(close).to_contain_text("Too close to call")
    # The referee rules on it; the players read why on any phone.
    page.get_by_label("Reason").fill("Measured again with a gauge.")
    page.get_by_label("About").select_option(index=1)
    page.get_by_role("button", name="Do not accept").tap()
    decided = page.locator("[aria-labelledby=decided] .ruling")
    expect(decided).to_contain_text("Measured again with a gauge.")
    player = phone(page.url.removeprefix(served.url).partition("#")[0])
    expect(player.locator("[aria-labelledby=decided]")).to_contain_text("Ada")
    expect(player.get_by_role("button", name="Accept")).to_have_count(0)
    with page.expect_download() as taken:
        page.locator("summary", has_text="About this reading").tap()
        page.get_by_role("link", name="Evidence pack, signed").tap()
    assert verify_pack(taken.value.path()).facts["game"] == "warstones"


def test_the_referee_walks_from_the_moment_to_the_evidence(
    phone: Opens, served: Served
) -> None:
    """Issue 7, 5: look at the moment, print it, overrule it with a reason."""
    owner = phone()
    table = open_table(owner, "frenzy")
    owner.goto(served.url + table)
    for move in FRENZY[:4]:
        play(owner, move)
    referee = sign_in(phone, served)
    referee.wait_for_url("**/tables")
    referee.goto(f"{served.url}{table}/events/4")
    with referee.expect_download() as taken:
        referee.get_by_role("link", name="One page to print").tap()
    with pdfium.PdfDocument(io.BytesIO(taken.value.path().read_bytes())) as document:
        assert "Warrior 4" in document[0].get_textpage().get_text_range()
    with referee.expect_download() as taken:
        referee.get_by_role("link", name="Evidence pack, signed").tap()
    assert verify_pack(taken.value.path()).facts["seq"] == 4
    referee.locator("input[value=rejected]").check(force=True)
    referee.locator("[name=reason]").fill("It came after the call.")
    referee.get_by_role("button", name="Rule so").tap()
    expect(owner.locator(".timeline")).to_contain_text("It came after the call.")


def test_a_deck_is_enrolled_on_the_page(
    phone: Opens, served: Served, monkeypatch: pytest.MonkeyPatch, models: None
) -> None:
    """Photos in, cards cut out, named from the kit, kept: with the real detector."""
    from tests.companion.test_setup_pages import cards_photo  # noqa: PLC0415

    monkeypatch.setenv("ARBITRO_HOME", str(served.folder / "home"))
    path = served.folder / "cards.jpg"
    cv2.imwrite(str(path), cards_photo())
    page = phone("/setup/decks", Manner(keeper=True))
    page.locator("input[name=name]").first.fill("kitchen")
    page.locator("label", has_text="Frantic").first.tap()
    page.get_by_role("button", name="Go on to the photos").tap()
    photograph(page, path)
    expect(page.locator(".sheet li")).to_have_count(4, timeout=60_000)
    for number, name in enumerate(("R5", "G7*2", "B2", "Yellow 9")):
        page.locator(".sheet input").nth(number).fill(name)
    page.get_by_role("button", name="Save the deck").tap()
    saved = page.locator("#remarks")
    expect(saved).to_contain_text("4 faces, 0 backs", timeout=30_000)
    page.goto(served.url)
    page.locator("label", has_text="Frantic").first.tap()
    page.locator("summary", has_text="Decks, mat, kit").tap()
    assert "kitchen" in page.locator("[name='deck.frantic']").inner_text()


def test_a_camera_watches_a_table_and_says_what_it_waits_for(
    phone: Opens, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.companion.test_watching_page import Film  # noqa: PLC0415 - heavy

    served.seen = observation(FIGHT)
    served.watch_in_thread(monkeypatch)
    owner = phone()
    table = open_table(owner, "regicide")
    film = Film(served.app)
    film.send()
    owner.goto(f"{served.url}{table}/camera")
    owner.get_by_role("button", name="Let it watch").tap()
    owner.wait_for_url(f"**{table}")
    expect(owner.locator(".watched")).to_be_visible()
    marks = owner.locator(".picture-block svg.marks a")
    film.until(lambda: marks.count() == 6)
    story = owner.locator(".timeline p")
    owner.locator("svg.marks a[aria-label^='nine of diamonds']").tap()
    owner.locator("dialog .likely button", has_text="6").tap()
    film.until(lambda: story.filter(has_text="is put right: 6♦").count() == 1)
    # Two taps say as well that a card lies face down, or that there is none.
    owner.locator("svg.marks a[aria-label^='six of diamonds, put right']").tap()
    owner.locator("dialog").get_by_role("button", name="Face down").tap()
    film.until(lambda: story.filter(has_text="is put right: face down").count() == 1)
    owner.locator("svg.marks a[aria-label^='card, put right by you']").tap()
    owner.locator("dialog").get_by_role("button", name="No card here").tap()
    gone = owner.locator("svg.marks a[aria-label^='card, nothing there']")
    film.until(lambda: gone.count() == 1)
    gone.tap()
    owner.locator("dialog").get_by_role("button", name="As it was read").tap()
    read = owner.locator("svg.marks a[aria-label^='nine of diamonds']")
    film.until(lambda: read.count() == 1)
    owner.locator(".watched").get_by_role("button", name="Stop").tap()
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
