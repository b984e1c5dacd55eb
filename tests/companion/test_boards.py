"""What the table's page draws of each game (issue 7, 2): drawn, not listed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from companion.labels import capital
from companion.tables.boards.frantic import event_text
from companion.tables.hall import Hall
from engines import load_game
from engines.core.kit import load_kit
from tests.companion.test_tables import Phone, app, hall, open_table, phone
from tests.support.live_games import OPTIONS, moves_of, write_move

__all__ = ["app", "hall", "phone"]


@pytest.fixture
def drawn(hall: Hall, phone: Callable[[], Phone]) -> Callable[..., str]:
    """Gives the page of a table after some moves."""

    def page(game: str, moves: list[str], language: str = "en") -> str:
        owner = phone()
        names = ["Anna", "Bruno", "Chiara"][: 3 if game == "frantic" else 2]
        rulings = {"rule.brawl.blockOnHit2": "true"} if game == "brawl" else {}
        id_ = open_table(owner, game, name=names, **rulings)
        for move in moves:
            write_move(hall.ledger, id_, move)
        owner.post("/settings", language=language)
        text = owner.get(f"/tables/{id_}").text
        return text[text.index('id="stage"') :]

    return page


def test_frenzy_shows_fourteen_regions_with_the_cards_seen(
    drawn: Callable[..., str],
) -> None:
    page = drawn("frenzy", moves_of("frenzy"))
    assert page.count('<div class="fcard') == 14
    for where, card in (
        ("Battle Line 1", "Warrior 4"),
        ("Battle Line 2", "Assassin"),
        ("Supply Line 1", "Warrior 2"),
        ("Headquarters", "Wizard"),
    ):
        assert f'aria-label="{where}: {card}' in page
    assert "Heroes: 1" in page
    assert page.count('class="battlefield turned') == 1


def test_brawl_shows_bases_and_chains(drawn: Callable[..., str]) -> None:
    page = drawn("brawl", moves_of("brawl", most=40))
    bases = re.findall(r'<p class="base .*?</p>', page, re.DOTALL)
    assert 2 <= len(bases) <= 3
    assert all(base.count("<b ") == 2 for base in bases)  # the Hits of either side
    assert page.count('class="chain far"') == page.count('class="chain near"')
    assert page.count('class="bcard') >= 3


def test_warstones_shows_the_mat_with_all_that_counts(
    drawn: Callable[..., str],
) -> None:
    page = drawn("warstones", moves_of("warstones", most=60))
    assert page.count('class="sector"') == 9
    assert page.count('class="terrain"') >= 4
    assert page.count('<g class="chip seat-') >= 1
    assert re.search(r'class="total">[AB] \d+', page)
    assert page.count("Action points: ") >= 2
    assert page.count("of 5 victory points") == 2


def test_regicide_shows_the_enemy_and_what_is_due(drawn: Callable[..., str]) -> None:
    page = drawn("regicide", moves_of("regicide", most=8))
    assert re.search(r"<strong>\d+</strong> of \d+ hit points left", page)
    for words in ("Attack", "Shield", "Strikes for"):
        assert f"<dt>{words}</dt><dd>" in page.replace("−", "")
    powers = page[page.index('class="powers"') :]
    assert powers[: powers.index("</ul>")].count("<li") == 4


@pytest.mark.parametrize("language", ["en", "it"])
def test_frantic_shows_accounts_active_card_limit_and_the_event_in_words(
    drawn: Callable[..., str], language: str
) -> None:
    game = load_game("frantic")
    state = game.setup(game.options(OPTIONS["frantic"]))
    moves: list[str] = []
    events: list[str] = []
    for move in moves_of("frantic", most=200):
        state = game.advance(state, game.parse_move(move))
        moves.append(move)
        shown: Any = game.view(state, None)["open_events"]
        events = list(shown)
        if events:
            break
    page = drawn("frantic", moves, language)
    event = str(events[0])
    text = event_text(event, language)
    assert len(text) > 20
    assert f"</strong> {text}".replace("'", "&#39;") in page
    faces = {face.label: face.name(language) for face in load_kit("frantic").faces}
    assert capital(faces[event]) in page
    assert 'class="xcard' in page
    assert page.count('class="who"') == 3
    assert "154" in page


def test_every_event_has_its_words_in_both_languages() -> None:
    events = [face.label for face in load_kit("frantic").faces if "E-" in face.label]
    assert len(events) == 34
    for event in events:
        assert event_text(event, "en") != event_text(event, "it") != ""
    assert event_text("E-unknown", "en") == ""
