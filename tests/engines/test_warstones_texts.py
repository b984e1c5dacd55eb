"""Sentences and rule numbers: nothing is cited that does not exist."""

from __future__ import annotations

import ast
import re
import string
from importlib.resources import files
from pathlib import Path

import pytest

from engines.core import LANGUAGES, Seat, Text, message_ids
from engines.warstones import GAME
from engines.warstones.moves import FoulCall, FoulKind
from engines.warstones.terms import Spot, Terrain
from tests.support.warstones import game

ROOM = Path(str(files("engines.warstones")))
MESSAGES = message_ids("warstones")
RULE = re.compile(r"[1-8](\.[1-8])?|W-[0-9]{2}")


def literals() -> set[str]:
    """Return every string of the engine's code, f-strings as their fixed parts."""
    found: set[str] = set()
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def test_every_rule_that_is_cited_is_a_heading() -> None:
    text = (ROOM / "RULES.md").read_text("utf-8")
    headings = set(re.findall(r"^#+ ([1-9][0-9.]*|W-\d\d)\b", text, re.MULTILINE))
    cited = {word for word in literals() if RULE.fullmatch(word)}
    assert cited >= {"2", "3.2", "4.6", "W-23"}
    assert cited - headings == set()
    assert {f"W-{n:02}" for n in range(1, 28)} <= headings


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_every_message_has_the_same_places_in_both_languages(name: str) -> None:
    texts = MESSAGES[name]
    assert set(texts) == set(LANGUAGES)
    places = [
        {field for _, field, _, _ in string.Formatter().parse(texts[lang]) if field}
        for lang in LANGUAGES
    ]
    assert places[0] == places[1]
    values = dict.fromkeys(places[0], "x")
    for language in LANGUAGES:
        assert Text.of(f"warstones.{name}", **values).render(language)


def test_every_message_is_used() -> None:
    words = {word.removeprefix("warstones.") for word in literals()}
    families = {
        *(f"col_{word}" for word in words),
        *(f"terrain_{terrain}" for terrain in Terrain),
        *(f"in_{spot}" for spot in Spot),
        *(f"flick_{call}" for call in FoulCall),
        *(f"claim_flick_{call}" for call in FoulCall),
        *(f"ask_foul_{kind}" for kind in FoulKind),
        *(f"col_{word}_helped" for word in ("attack", "siege", "conquers")),
    }
    assert set(MESSAGES) - words - families == set()


def test_every_message_that_is_used_exists() -> None:
    used = {word for word in literals() if word.startswith("warstones.")}
    known = {f"warstones.{name}" for name in MESSAGES}
    prefixes = {"warstones.col_", "warstones.terrain_", "warstones.in_"}
    prefixes |= {"warstones.flick_", "warstones.claim_flick_", "warstones.ask_foul_"}
    assert used - known - prefixes - {"warstones."} == set()


def test_names_from_data_follow_the_language() -> None:
    state = game()
    ruling = GAME.judge(state, GAME.parse_move("A recruit A:militia-1"))
    assert str(ruling.claim) == "player 1 recruits Militia 1 of player 1"
    assert (
        ruling.claim.render("it") == "il giocatore 1 recluta Milizia 1 del giocatore 1"
    )


def test_a_view_has_plain_values_and_no_secret() -> None:
    state = game()
    view = GAME.view(state, Seat(1))
    assert view["seat"] == 1
    assert view["stack"] == 9
    assert set(state.stack).isdisjoint(re.findall(r"[a-z]+-\d", str(view["cities"])))
