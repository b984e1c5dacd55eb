"""Rulings that a table may decide otherwise, as `house.toml` of a game tells them.

One table per ruling: the key of the option, the heading of RULES.md that it belongs to,
a question and the choices, in every language. The first choice is the default; the
value "" leaves the option out. `number` gives the bounds of a number of one's own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from engines.core.text import DEFAULT_LANGUAGE, LANGUAGES


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence in every language."""

    texts: tuple[tuple[str, str], ...]

    def render(self, language: str) -> str:
        """Return the sentence in `language`, in English where that is not known."""
        texts = dict(self.texts)
        return texts.get(language, texts[DEFAULT_LANGUAGE])


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to decide a ruling."""

    value: str
    """As written: ``true``, ``loses``, ``154``; "" leaves the option out."""
    words: Words


@dataclass(frozen=True, slots=True)
class HouseRuling:
    """A ruling that a table may decide otherwise."""

    key: str
    rule: str
    """The number of a heading in RULES.md."""
    words: Words
    choices: tuple[Choice, ...]
    number: tuple[int, int] | None = None
    """Bounds of a whole number that may be chosen instead."""

    @property
    def default(self) -> str:
        """Return the value that holds where nobody says otherwise."""
        return self.choices[0].value

    def allows(self, value: str) -> bool:
        """Return whether the ruling may be decided so."""
        if value in {choice.value for choice in self.choices}:
            return True
        if self.number is None or not value.isascii() or not value.isdigit():
            return False
        return self.number[0] <= int(value[:9]) <= self.number[1]


@cache
def house_rulings(game: str) -> tuple[HouseRuling, ...]:
    """Return the rulings of a game that may be chosen; none where it lists none."""
    path = files(f"engines.{game}") / "house.toml"
    if not path.is_file():
        return ()
    data = tomllib.loads(path.read_text("utf-8"))
    return tuple(_ruling(item) for item in data["ruling"])


def _ruling(item: Mapping[str, Any]) -> HouseRuling:
    low, high = item.get("number", (0, 0))
    choices = tuple(Choice(one["value"], _words(one)) for one in item["choices"])
    number = (low, high) if high else None
    return HouseRuling(item["key"], item["rule"], _words(item), choices, number)


def _words(item: Mapping[str, Any]) -> Words:
    return Words(tuple((language, item[language]) for language in LANGUAGES))
