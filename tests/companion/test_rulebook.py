"""Rules are found by the number of their heading, for every game."""

from __future__ import annotations

import re

import pytest

from companion.errors import UsageError
from companion.rulebook import rule_number, rule_section, rules_markdown
from companion.web.markdown import rules_html
from engines import game_names
from engines.core import UnknownGameError


def test_every_numbered_heading_is_an_anchor() -> None:
    numbers = [
        rule_number(line.lstrip("# "))
        for line in rules_markdown("regicide", "en").splitlines()
        if line.startswith("#")
    ]
    html = rules_html("regicide", "en")
    anchors = re.findall(r'id="(rule-[a-z0-9-]+)"', html)
    assert len(anchors) == len([number for number in numbers if number])
    assert len(set(anchors)) == len(anchors)


def test_a_section_ends_where_the_next_begins() -> None:
    section = rule_section("regicide", "1", "en")
    assert section.startswith("## 1 ")
    assert "### 1.2" in section
    assert "## 2" not in section


def test_a_section_is_shown_in_the_language_asked_for() -> None:
    assert rule_section("frenzy", "4.2", "it").startswith("### 4.2 Fine di un round")


def test_what_does_not_exist_is_told() -> None:
    with pytest.raises(UsageError):
        rule_section("regicide", "99", "it")
    with pytest.raises(UnknownGameError):
        rules_markdown("chess", "it")


@pytest.mark.parametrize("game", game_names())
def test_both_languages_have_the_same_rules(game: str) -> None:
    english, italian = (rules_markdown(game, one) for one in ("en", "it"))
    assert numbers(italian) == numbers(english)
    assert len(numbers(english)) > 10
    code = re.compile(r"`[^`\n]+`")  # labels, options, moves: the same in all languages
    assert sorted(code.findall(italian)) == sorted(code.findall(english))
    paragraphs = [text.count("\n\n") for text in (english, italian)]
    assert paragraphs[0] == paragraphs[1]


@pytest.mark.parametrize("game", game_names())
def test_no_sentence_of_the_rules_was_left_in_english(game: str) -> None:
    english, italian = (
        {line.strip() for line in rules_markdown(game, one).splitlines()}
        for one in ("en", "it")
    )
    same = {line for line in english & italian if len(line.split()) > 4}
    assert not {line for line in same if not line.startswith("|")}
    assert not re.search(r"\b(which|must|does|with|player|cards)\b", rules_text(game))


def rules_text(game: str) -> str:
    """The Italian rules without labels and moves."""
    return re.sub(r"`[^`\n]+`", "", rules_markdown(game, "it"))


def numbers(rules: str) -> list[tuple[int, str]]:
    """Depth and number of every heading."""
    return [
        (len(line.split()[0]), rule_number(line.lstrip("# ")))
        for line in rules.splitlines()
        if line.startswith("#")
    ]
