"""Sentences of the companion in the languages of the product.

English is the language of the source; `translations/` holds the others. The terminal
and the page use one catalogue. Rulings and questions come from `engines`, which brings
its own sentences (`Text.render`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path

from engines.core.text import DEFAULT_LANGUAGE, LANGUAGES, Number

FOLDER = Path(__file__).parent / "translations"
DOMAIN = "messages"
NAMES: Mapping[str, str] = {"en": "English", "it": "Italiano"}
"""Every language by its own name."""


def N_(message: str) -> str:  # noqa: N802 - the mark that extraction looks for
    """Return `message` itself: it is translated where it is said."""
    return message


def say(language: str, message: str, **values: str | int | float) -> str:
    """Return `message` in `language` with its values filled in."""
    text = _catalogue(language).gettext(message)
    return text % _in(language, values) if values else text


def say_many(
    language: str, one: str, many: str, count: int, **values: str | int | float
) -> str:
    """Return the sentence for `count` things; ``%(count)s`` is its place."""
    text = _catalogue(language).ngettext(one, many, count)
    return text % _in(language, {"count": count, **values})


def _in(
    language: str, values: Mapping[str, str | int | float]
) -> Mapping[str, str | int | float]:
    return {
        name: value.render(language) if isinstance(value, Number) else value
        for name, value in values.items()
    }


def language_of_environment(environment: Mapping[str, str] | None = None) -> str:
    """Return the language that LANGUAGE, LC_ALL, LC_MESSAGES or LANG asks for.

    >>> language_of_environment({"LANG": "it_IT.UTF-8"})
    'it'
    >>> language_of_environment({"LANG": "C.UTF-8"})
    'en'
    """
    found = os.environ if environment is None else environment
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := found.get(name):
            wanted = value.split(":")[0][:2].lower()
            return wanted if wanted in LANGUAGES else DEFAULT_LANGUAGE
    return DEFAULT_LANGUAGE


@cache
def _catalogue(language: str) -> NullTranslations:
    return translation(DOMAIN, FOLDER, languages=[language], fallback=True)
