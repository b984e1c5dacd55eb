"""What people do on a phone, in a real browser of 390 x 844."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from companion import showcase
from tests.browser.conftest import PLAIN, Manner, Opens, Served
from tests.companion.tables import FIGHT, UNREAD, Laid, rendered

pytestmark = pytest.mark.browser

ITALIAN_DARK = Manner("it-IT", dark=True)
NO_SCRIPTS = Manner(scripts=False)
TOUCH_PX = 44


def send(page: Page, served: Served, cards: tuple[Laid, ...] = FIGHT) -> None:
    """Choose a photo of these cards; the page sends it by itself."""
    page.locator("input[name=photo]").nth(1).set_input_files(served.lay(cards))
    page.wait_for_url("**/t/*")
    page.wait_for_load_state()


def left(page: Page) -> str:
    """Return how many hit points the sheet says are left."""
    tile = page.locator(".first .numbers div", has_text="Hit points left")
    return tile.locator("dd").inner_text()


def test_a_photo_becomes_a_score(phone: Opens, served: Served) -> None:
    page = phone()
    send(page, served)
    expect(page.locator("svg.marks a")).to_have_count(6)
    expect(page.locator(".first h3")).to_have_text("Enemy")
    expect(page.locator(".rulings")).to_contain_text("25 damage is more than its 20")
    picture = page.locator(".photo img")
    assert picture.evaluate("image => image.complete && image.naturalWidth") == 1280


def test_two_taps_put_a_card_right(phone: Opens, served: Served) -> None:
    page = phone()
    send(page, served, FIGHT[:5])
    assert left(page) == "3"
    page.locator("svg.marks a[aria-label^='nine of diamonds']").tap()
    expect(page.locator("dialog#panel")).to_be_visible()
    page.locator("dialog .likely button", has_text="6").tap()
    expect(page.locator(".log")).to_contain_text("became 6♦")
    expect(page.locator("dialog#panel")).to_be_hidden()
    assert left(page) == "6"
    expect(page.locator("#said")).to_contain_text("Hit points left: 6")
    page.get_by_role("button", name="Undo").tap()
    expect(page.locator(".log")).to_have_count(0)
    assert left(page) == "3"


def test_a_tap_beside_a_card_finds_the_nearest(phone: Opens, served: Served) -> None:
    page = phone()
    send(page, served)
    box = page.locator("svg.marks a[aria-label^='jack of hearts']").bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] + 12, box["y"] + box["height"] / 2)
    expect(page.locator("dialog .looked")).to_contain_text("J♥")
    page.keyboard.press("Escape")
    expect(page.locator("dialog#panel")).to_be_hidden()


def test_a_question_is_answered_in_place(phone: Opens, served: Served) -> None:
    page = phone()
    send(page, served, UNREAD)
    expect(page.locator(".question h2")).to_have_text("Which card is this?")
    address = page.url
    page.locator(".question button", has_text="8♣").tap()
    expect(page.locator(".question")).to_have_count(0)
    assert page.url == address
    assert left(page) == "4"
    expect(page.locator(".log")).to_contain_text("Which card is this?")


def test_it_works_with_the_keyboard_alone(phone: Opens, served: Served) -> None:
    page = phone()
    send(page, served)
    page.locator("svg.marks a").nth(3).focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog#panel")).to_be_visible()
    assert page.evaluate("document.activeElement.closest('dialog') !== null")
    page.keyboard.press("Escape")
    expect(page.locator("dialog#panel")).to_be_hidden()


def test_it_works_without_scripts(phone: Opens, served: Served) -> None:
    page = phone("/", NO_SCRIPTS)
    page.locator("input[name=photo]").nth(1).set_input_files(served.lay(FIGHT[:5]))
    page.get_by_role("button", name="Read the table").click()
    page.wait_for_url("**/t/*")
    assert left(page) == "3"
    page.locator(".hand a", has_text="nine of diamonds").click()
    page.get_by_role("button", name="six of diamonds").first.click()
    assert left(page) == "6"
    page.get_by_role("button", name="Italiano").click()
    expect(page.locator("#rulings, #log").first).to_be_visible()
    expect(page.locator("#log")).to_have_text("Quello che hai detto")


@pytest.mark.parametrize("manner", [PLAIN, ITALIAN_DARK], ids=["en", "it-dark"])
def test_nothing_hinders_people_who_see_or_hear_otherwise(
    phone: Opens, served: Served, manner: Manner
) -> None:
    axe = Axe()
    page = phone("/", manner)

    def check(where: str) -> None:
        found = axe.run(page)
        assert found.violations_count == 0, f"{where}: {found.generate_report()}"

    check("home")
    doubtful = (*UNREAD, Laid("X", -150, -120))
    send(page, served, doubtful)
    check("result")
    page.locator("svg.marks a").nth(1).tap()
    page.wait_for_selector("dialog[open]")
    check("panel")
    page.locator("dialog .special button").first.tap()
    page.wait_for_selector(".log")
    for summary in page.locator(".more summary").all():
        summary.tap()
    check("corrected")
    for game in ("regicide", "frantic"):  # the longest rules, the widest tables
        page.goto(f"{served.url}/rules/{game}")
        check(f"rules of {game}")


@pytest.mark.parametrize("manner", [PLAIN, ITALIAN_DARK], ids=["en", "it-dark"])
def test_every_target_is_large_enough_for_a_thumb(
    phone: Opens, served: Served, manner: Manner
) -> None:
    page = phone("/", manner)

    def check() -> None:
        small = page.evaluate(
            """least => [...document.querySelectorAll("button, a, summary, .choice")]
              .filter(element => !element.closest("svg.marks, article, .skip"))
              .filter(element => !element.matches(".skip"))
              .map(element => [element.outerHTML.slice(0, 90),
                               element.getBoundingClientRect()])
              .filter(([, box]) => box.width && box.height)
              .filter(([, box]) => box.width < least || box.height < least)
              .map(([html, box]) => `${html} ${box.width}x${box.height}`)""",
            TOUCH_PX - 0.5,
        )
        assert small == []
        assert page.evaluate(
            "document.documentElement.scrollWidth <= window.innerWidth"
        ), "the page is wider than the phone"

    check()
    send(page, served, UNREAD)
    check()
    page.locator(".hand a").first.tap()
    page.wait_for_selector("dialog[open]")
    check()


def test_language_and_colours_follow_the_phone_and_the_choice(
    phone: Opens, served: Served
) -> None:
    page = phone("/", ITALIAN_DARK)
    expect(page.get_by_text("Scatta una foto")).to_be_visible()

    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    dark = background()
    assert dark == "rgb(15, 19, 17)"
    page.locator("button.theme").tap()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert background() != dark
    page.get_by_role("button", name="English").tap()
    expect(page.get_by_text("Take a photo")).to_be_visible()
    send(page, served)
    expect(page.locator("#rulings")).to_have_text("Rulings")


def test_the_players_offered_are_those_of_the_game(phone: Opens) -> None:
    page = phone()
    expect(page.get_by_role("radio", name="Regicide")).to_be_checked()
    shown = page.locator(".players label:visible")
    assert shown.all_inner_texts() == ["1", "2", "3", "4"]


def test_a_bad_picture_is_told_on_a_page(phone: Opens, served: Served) -> None:
    page = phone("/", NO_SCRIPTS)
    bad = served.folder / "notes.jpg"
    bad.write_text("no picture")
    page.locator("input[name=photo]").nth(1).set_input_files(bad)
    response = page.context.request.get(served.url)
    assert response.ok
    with page.expect_navigation():
        page.get_by_role("button", name="Read the table").click()
    expect(page.locator(".lead")).to_contain_text("This file is not a picture.")
    page.get_by_role("link", name="Back to the start").click()
    expect(page.locator("h1")).to_have_text("Photograph the table")


@pytest.mark.parametrize("table", showcase.tables(), ids=lambda table: table.name)
def test_the_tables_that_ship_are_a_tap_away(
    phone: Opens, served: Served, table: showcase.DemoTable
) -> None:
    served.seen = rendered(table)
    page = phone()
    place = showcase.tables().index(table)
    page.get_by_role("button", name="Demo table").nth(place).tap()
    page.wait_for_url("**/t/*")
    expect(page.locator(".hand li")).to_have_count(
        sum(thing.kind in ("card", "back") for thing in served.seen.placements)
    )
    expect(page.locator(".first .hands .card")).to_be_visible()
