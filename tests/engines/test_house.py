"""Rulings of the house: whatever is offered, the game takes; the default is its own."""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.resources import files
from itertools import product

import pytest

from engines import game_names, load_game
from engines.core.errors import OptionError
from engines.core.house import HouseRuling, house_rulings

ELSEWHERE = {
    # How many play, their decks, mat, kit: chosen beside the rulings on the page.
    *("players", "decks", "factions", "census", "kit", "mat"),
    # Of one game or one picture, not of a house: who deals, who was drawn, the camera.
    *("dealer", "firstPlayer", "play_off", "framePeriodMs", "period_ms"),
    *("discards_mm", "centre_mm", "seatsDeg", "look", "mirrored"),
}
every_game = pytest.mark.parametrize("game", game_names())


def value_of(text: str) -> object:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdigit() else text


def options_of(game: str, ruling: HouseRuling, value: str, players: int = 2) -> object:
    """The options with one ruling decided; teams need four players."""
    given: dict[str, object] = {} if game == "frenzy" else {"players": players}
    if value:
        given[ruling.key] = value_of(value)
    return load_game(game).options(given)


@every_game
def test_the_first_choice_is_what_holds_anyway(game: str) -> None:
    for ruling in house_rulings(game):
        assert options_of(game, ruling, ruling.default) == options_of(game, ruling, "")
        assert ruling.allows(ruling.default)


@every_game
def test_every_choice_is_another_game(game: str) -> None:
    for ruling in house_rulings(game):
        players = 4 if ruling.key == "teams" else 2
        made = [
            options_of(game, ruling, choice.value, players) for choice in ruling.choices
        ]
        assert all(made.count(one) == 1 for one in made), ruling.key


@every_game
def test_a_number_of_ones_own_is_taken_within_its_bounds(game: str) -> None:
    for ruling in house_rulings(game):
        if ruling.number is None:
            assert not ruling.allows("7")
            continue
        low, high = ruling.number
        options_of(game, ruling, str(low))
        with suppress(OptionError):  # how much a box holds is no rule
            options_of(game, ruling, str(high))
        assert ruling.allows(str(low))
        assert ruling.allows(str(high))
        for wrong in (str(low - 1), str(high + 1), "-1", "1.5", "x", "٣", "9" * 40):
            assert not ruling.allows(wrong)


@every_game
def test_no_ruling_that_the_rules_leave_to_a_table_is_missing(game: str) -> None:
    """Every option of the game is offered, or chosen elsewhere on the page."""
    try:
        load_game(game).options({"no such option": 1})
    except OptionError as error:
        told = set(re.findall(r"[A-Za-z_0-9]+", str(error)))
    offered = {ruling.key for ruling in house_rulings(game)}
    rules = (files(f"engines.{game}") / "RULES.md").read_text("utf-8")
    named = set(re.findall(r"`(\w+)(?: = \w+)?`", rules))
    for key in sorted(named | told):
        try:
            load_game(game).options({key: object()})
        except OptionError as error:
            is_known = f"option {key!r}" not in str(error)
            assert not is_known or key in offered | ELSEWHERE, key
    assert offered & ELSEWHERE == set()


@every_game
def test_a_ruling_has_its_rule_and_both_languages(game: str) -> None:
    for name in ("RULES.md", "RULES.it.md"):
        rules = (files(f"engines.{game}") / name).read_text("utf-8")
        numbers = set(re.findall(r"^#+ +(\S+)", rules, re.MULTILINE))
        assert {ruling.rule for ruling in house_rulings(game)} <= numbers
    for ruling in house_rulings(game):
        said = [ruling.words, *(choice.words for choice in ruling.choices)]
        for words, language in product(said, ("en", "it")):
            assert words.render(language)
        assert ruling.words.render("it") != ruling.words.render("en")
        assert ruling.words.render("de") == ruling.words.render("en")
