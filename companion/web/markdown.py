"""The rules of a game as HTML, with the numbers of rules as anchors."""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from companion.errors import UsageError
from companion.rulebook import rule_number, rule_section, rules_markdown


@cache
def rules_html(game: str, language: str) -> Markup:
    """Return the rules of a game in a language; HTML in the Markdown stays text."""
    return _html(rules_markdown(game, language), has_anchors=True)


@cache
def section_html(game: str, number: str, language: str) -> Markup:
    """Return one rule with its heading, without anchors; empty if there is none."""
    try:
        text = rule_section(game, number, language)
    except UsageError:
        return Markup()
    return _html(re.sub(r"^#+", "###", text), has_anchors=False)


def _html(text: str, *, has_anchors: bool) -> Markup:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    for place, token in enumerate(tokens):
        if token.type == "table_open":  # wide ones scroll, with the keyboard too
            token.attrSet("class", "scrolls")
            token.attrSet("tabindex", "0")
        if token.type == "heading_open" and has_anchors:
            number = rule_number(tokens[place + 1].content)
            if number:
                token.attrSet("id", anchor(number))
    rendered: str = parser.renderer.render(tokens, parser.options, {})
    # Safe: our own file, rendered with HTML switched off.
    return Markup(rendered)


def anchor(number: str) -> str:
    """Return the id of the heading of a rule.

    >>> anchor("4.2"), anchor("R-08")
    ('rule-4-2', 'rule-r-08')
    """
    return "rule-" + number.lower().replace(".", "-")
