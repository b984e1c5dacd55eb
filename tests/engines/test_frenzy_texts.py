"""Sentences in both languages, cited headings, and the kit's labels."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from importlib.resources import files

from engines.core import LANGUAGES, load_kit, message_ids
from engines.frenzy import GAME
from engines.frenzy.calls import Remedy, RulingKey
from engines.frenzy.cards import BATTLEFIELDS, Card, Faction, Region, Zone, parse_seat
from engines.frenzy.notation import VALUES
from engines.frenzy.questions import RULINGS
from engines.frenzy.state import Cause, FoulCode
from engines.frenzy.texts import name, region
from tests.support.frenzy import options

FOLDER = files("engines.frenzy")
HEADING = re.compile(r"^#+ (\S+)", re.MULTILINE)


def sources() -> Iterator[str]:
    for path in FOLDER.iterdir():
        if path.name.endswith(".py"):
            yield path.read_text("utf-8")


def places(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_every_sentence_has_both_languages_with_the_same_places() -> None:
    for id, texts in message_ids("frenzy").items():
        assert set(texts) == set(LANGUAGES), id
        assert places(texts["en"]) == places(texts["it"]), id
        assert all(texts.values()), id


def test_every_message_that_the_code_names_exists_and_is_used() -> None:
    code = "\n".join(sources())
    literal = set(
        re.findall(r'(?:say|_won|_times)\(\s*"([a-z_A-Z]+)"', code)
        + re.findall(r'refuse\(\s*[^,()]+,\s*"([a-z_]+)"', code)
        + re.findall(r'"((?:ok|ended|census|more)_[a-z_]+)"', code)
    )
    patterns = {
        *(f"card_{card}" for card in Card),
        *(f"faction_{faction}" for faction in Faction),
        *(f"foul_{code}" for code in FoulCode),
        *(f"remedy_{remedy}" for remedy in Remedy),
        *(f"{key}_{value}" for key in RulingKey for value in VALUES[key]),
        *(f"ask_{key}" for key in RulingKey),
        *(f"region_{kind}" for kind in ("B", "S", "HQ")),
        *(f"cell_{kind}" for kind in ("battle", "supply")),
        *("no_card", "copy_nothing", "copy_top"),
    }
    assert literal | patterns == set(message_ids("frenzy"))
    assert len(Cause) == 4


def test_every_cited_rule_is_a_heading() -> None:
    headings = set(HEADING.findall((FOLDER / "RULES.md").read_text("utf-8")))
    code = "\n".join(sources())
    cited = set(
        re.findall(r'RuleRef\(\s*"([^"]+)"', code)
        + re.findall(r'refuse\(\s*"([^"]+)"', code)
        + re.findall(r'rule="([^"]+)"', code)
        + re.findall(r'\("([0-9A-Z][^"]*)", "(?:ok|ended)_', code)
        + re.findall(r'_won\([^)]*?"([0-9F][^"]*)"\)', code)
        + re.findall(r'"((?:FZ-R|F-)[0-9A-Z]+)"', code)
    ) | {rule for rule, _ in RULINGS.values()}
    assert len(cited) > 25
    assert cited <= headings, cited - headings


def test_rules_have_all_headings_of_the_reference() -> None:
    headings = set(HEADING.findall((FOLDER / "RULES.md").read_text("utf-8")))
    assert {f"FZ-R{number:02}" for number in range(1, 25)} <= headings
    assert {f"F-{letter}" for letter in "ABCDEFGHI"} <= headings


def test_the_kit_names_every_face_once_in_short_ascii() -> None:
    kit = load_kit("frenzy")
    labels = [face.label for face in kit.faces]
    assert labels == [*Card, *BATTLEFIELDS]
    for face in kit.faces:
        assert face.label.isascii()
        assert re.fullmatch(r"[A-Z][0-9]?[bo]?", face.label)
        assert {language for language, _ in face.names} == set(LANGUAGES)
        if face.label in set(Card):
            for language in LANGUAGES:
                text = name(Card(face.label)).render(language)
                assert face.name(language) == text


def test_every_label_of_the_kit_is_documented() -> None:
    rules = (FOLDER / "RULES.md").read_text("utf-8")
    for face in load_kit("frenzy").faces:
        assert f"`{face.label}`" in rules
    for faction in Faction:
        assert f"`{faction}`" in rules


def test_every_move_of_the_rules_can_be_read() -> None:
    rules = (FOLDER / "RULES.md").read_text("utf-8")
    table = re.findall(r"^\| `((?:P[12]|REF) .*?)` \|", rules, re.MULTILINE)
    assert len(table) == 22
    for text in table:
        assert str(GAME.parse_move(text)) == text


def test_every_option_of_the_rules_is_read() -> None:
    for key, values in VALUES.items():
        for value in values:
            assert options(**{key: value}) != options()


def test_regions_are_said_with_their_preposition() -> None:
    seat = parse_seat("P2")
    spoken = {zone: region(Region(seat, zone)) for zone in Zone}
    said = [text.render("it") for text in spoken.values()]
    assert said[0] == "sulla Linea di Battaglia 1 di Giocatore 2"
    assert said[-1] == "nel Quartier Generale di Giocatore 2"
