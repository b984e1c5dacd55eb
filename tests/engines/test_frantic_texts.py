"""Words: every sentence in both languages, every cited rule a heading of RULES.md."""

import re
from importlib.resources import files

import pytest

from engines.core import LANGUAGES, load_kit, message_ids
from engines.frantic import GAME
from engines.frantic.cards import FACES, Special
from engines.frantic.event import Event
from engines.frantic.moves import Referee
from engines.frantic.words import card_name, event_name, special_name
from tests.support.frantic import MOVES

FOLDER = files("engines.frantic")


@pytest.mark.parametrize("text", MOVES)
def test_notation_round_trips_and_speaks_both_languages(text: str) -> None:
    move = GAME.parse_move(text)
    assert str(move) == text
    assert GAME.parse_move(str(move)) == move
    for language in LANGUAGES:
        assert move.claim.render(language)
        assert move.label.render(language)
    assert isinstance(move, Referee) or str(move.claim) != text


def test_the_order_of_named_things_does_not_matter() -> None:
    for one, other in (
        ("p1 give R5 B3", "p1 give B3 R5"),
        ("p1 take #4 #1", "p1 take #1 #4"),
        ("p1 split p4:1 p2:3", "p1 split p2:3 p4:1"),
        ("p1 swap p3 p2", "p1 swap p2 p3"),
        ("p1 play *:fantastic", "p1 play N-fantastic"),
        ("p1 play GR:swap", "p1 play RG-swap"),
    ):
        assert GAME.parse_move(one) == GAME.parse_move(other)


def test_the_kit_names_every_face_as_the_rulings_do() -> None:
    kit = load_kit("frantic")
    spoken = {str(card): card_name(card) for card in FACES}
    spoken |= {event.value: event_name(event) for event in Event}
    assert {face.label for face in kit.faces} == set(spoken)
    for face in kit.faces:
        for language in LANGUAGES:
            assert face.name(language) == spoken[face.label].render(language)
    assert all(str(special_name(special)) for special in Special)


def test_every_message_has_the_same_places_in_both_languages() -> None:
    for message, texts in message_ids("frantic").items():
        places = {frozenset(re.findall(r"{(\w+)}", texts[lang])) for lang in LANGUAGES}
        assert len(places) == 1, message


def test_every_decision_and_section_of_the_rules_is_a_heading() -> None:
    text = (FOLDER / "RULES.md").read_text("utf-8")
    headings = re.findall(r"^#+ (\S+)", text, re.MULTILINE)
    assert set(headings) >= {f"F-{number:02}" for number in range(1, 50)}
    sections = {"1", "1.1", "1.2", "2", "3", "4", "5", "5.1", "5.2", "6", "7", "8", "9"}
    assert set(headings) >= sections | {f"4.{number}" for number in range(1, 6)}
    assert len(set(headings)) == len(headings)


def test_the_rules_name_every_card_and_event() -> None:
    text = (FOLDER / "RULES.md").read_text("utf-8")
    for special in Special:
        assert str(special_name(special)) in text
    for event in Event:
        assert str(event_name(event)) in text
