"""The rules of a game, as its RULES.md and RULES.it.md state them, in our own words."""

from __future__ import annotations

import re
from importlib.resources import files

from companion.errors import NotHereError, UsageError
from companion.i18n import N_
from engines import game_names
from engines.core import UnknownGameError
from engines.core.text import DEFAULT_LANGUAGE

HEADING = re.compile(r"^(#+)\s+(.*)$")
NUMBER = re.compile(r"\d+[a-z]?(\.\d+)*|[A-Z]{1,3}-[A-Z]?\d*[a-z]?")
"""``4.2``, ``R-08``, ``FZ-R08``, ``F-E``."""


def rules_markdown(game: str, language: str) -> str:
    """Return the whole rules of a game in a language; raise `UnknownGameError`."""
    if game not in game_names():
        raise UnknownGameError(game)
    name = "RULES.md" if language == DEFAULT_LANGUAGE else f"RULES.{language}.md"
    try:
        return (files(f"engines.{game}") / name).read_text("utf-8")
    except FileNotFoundError as error:
        raise NotHereError(N_("The rules of this game are not here.")) from error


def rule_number(heading: str) -> str:
    """Return the number that a heading starts with, "" if it has none.

    >>> rule_number("4.2 Yielding"), rule_number("R-08: discarding"), rule_number("End")
    ('4.2', 'R-08', '')
    >>> rule_number("F-E Warrior in the Headquarters")
    'F-E'
    """
    first = heading.split(maxsplit=1)[0].rstrip(".:") if heading.strip() else ""
    return first if NUMBER.fullmatch(first) else ""


def rule_section(game: str, number: str, language: str) -> str:
    """Return one rule with its sub-sections; raise `UsageError` if there is none."""
    kept: list[str] = []
    depth = 0
    for line in rules_markdown(game, language).splitlines():
        if found := HEADING.match(line):
            level = len(found[1])
            if depth and level <= depth:
                break
            if not depth and rule_number(found[2]) == number:
                depth = level
        if depth:
            kept.append(line)
    if not kept:
        raise UsageError(
            N_("The rules of %(game)s have no heading %(number)s."),
            game=game,
            number=number,
        )
    return "\n".join(kept) + "\n"
