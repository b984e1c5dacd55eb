"""Sentences by message id, in every language of the product.

A game keeps its sentences in `messages.toml` beside its code: one table per message
id with a text per language, holding `{name}` places for values. Engines speak in
`Text` values; only the edge of the program turns them into a language.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from engines.core.errors import RulesError

LANGUAGES = ("en", "it")
DEFAULT_LANGUAGE = "en"
COMMA_LANGUAGES = ("it",)
"""Where the whole part of a number ends with a comma."""

Value: TypeAlias = "str | int | float | Text"


class Number(str):
    """A number as English writes it; `render` writes it as a language does."""

    __slots__ = ()

    def render(self, language: str = DEFAULT_LANGUAGE) -> str:
        """Return the number with the decimal sign of `language`.

        >>> Number("0.93").render("it")
        '0,93'
        """
        return self.replace(".", ",") if language in COMMA_LANGUAGES else str(self)


def number(value: float, places: int) -> Number:
    """Return `value` with so many decimal places."""
    return Number(f"{value:.{places}f}")


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence: `<game or core>.<message>` and the values of its places."""

    id: str
    values: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, id: str, /, **values: Value) -> Text:
        """Return the sentence `id` with named values."""
        return cls(id, tuple(values.items()))

    def render(self, language: str = DEFAULT_LANGUAGE) -> str:
        """Return the sentence in `language` (English where it is not known).

        Raises `RulesError` if the id or one of its places does not exist.
        """
        room, _, message = self.id.partition(".")
        try:
            texts = _catalogue(room)[message]
        except (KeyError, FileNotFoundError, ModuleNotFoundError) as error:
            raise RulesError(f"there is no message {self.id!r}") from error
        template = texts.get(language, texts[DEFAULT_LANGUAGE])
        values = {
            name: value.render(language) if isinstance(value, Text | Number) else value
            for name, value in self.values
        }
        try:
            return template.format(**values)
        except (KeyError, IndexError) as error:
            raise RulesError(f"message {self.id!r} lacks {error}") from error

    def __str__(self) -> str:
        return self.render()


def names_text(names: Iterable[tuple[str, str]], otherwise: str) -> Text:
    """Return a name that comes from data, in the language of the sentence; `names` are
    (language, name) pairs."""
    known = dict(names)
    english = known.get("en", otherwise)
    return Text.of("core.name", en=english, it=known.get("it", english))


def doubted(question: Text, likely: Sequence[Text]) -> Text:
    """Return the question with what the picture leaves open: the two likeliest."""
    if not likely:
        return question
    if len(likely) == 1:
        return Text.of("core.doubt_one", question=question, first=likely[0])
    first, second = likely[:2]
    return Text.of("core.doubt_two", question=question, first=first, second=second)


def message_ids(room: str) -> Mapping[str, Mapping[str, str]]:
    """Return all messages of a game (or `core`): id -> language -> template."""
    return _catalogue(room)


@cache
def _catalogue(room: str) -> Mapping[str, Mapping[str, str]]:
    path = files(f"engines.{room}") / "messages.toml"
    catalogue: dict[str, Mapping[str, str]] = tomllib.loads(path.read_text("utf-8"))
    return catalogue
