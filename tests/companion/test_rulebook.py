"""Rules are found by the number of their heading, for every game."""

from __future__ import annotations

import re

import pytest

from companion.errors import UsageError
from companion.rulebook import rule_number, rule_section, rules_markdown
from companion.web.markdown import rules_html
from engines.core import UnknownGameError


def test_every_numbered_heading_is_an_anchor() -> None:
    numbers = [
        rule_number(line.lstrip("# "))
        for line in rules_markdown("regicide").splitlines()
        if line.startswith("#")
    ]
    html = rules_html("regicide")
    anchors = re.findall(r'id="(rule-[a-z0-9-]+)"', html)
    assert len(anchors) == len([number for number in numbers if number])
    assert len(set(anchors)) == len(anchors)


def test_a_section_ends_where_the_next_begins() -> None:
    section = rule_section("regicide", "1")
    assert section.startswith("## 1 ")
    assert "### 1.2" in section
    assert "## 2" not in section


def test_what_does_not_exist_is_told() -> None:
    with pytest.raises(UsageError):
        rule_section("regicide", "99")
    with pytest.raises(UnknownGameError):
        rules_markdown("chess")
