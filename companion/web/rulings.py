"""Rulings of the house: the form that offers them, and what a table agreed on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flask import request

from companion.errors import UsageError
from companion.i18n import N_
from engines.core.house import HouseRuling, house_rulings


@dataclass(frozen=True, slots=True)
class Agreed:
    """A ruling that a table decided otherwise than the rules do."""

    ruling: HouseRuling
    value: str

    def words(self, language: str) -> str:
        """Return what was decided; a number of one's own is its own word."""
        for choice in self.ruling.choices:
            if choice.value == self.value:
                return choice.words.render(language)
        return self.value


def decided(game: str) -> dict[str, str]:
    """Return key -> value of every ruling in the form; raise `UsageError`.

    A form without rulings decides none.
    """
    return dict(_decided(game))


def differing(game: str, options: Mapping[str, str]) -> dict[str, str]:
    """Return the options without rulings that are as the rules have them."""
    defaults = {ruling.key: ruling.default for ruling in house_rulings(game)}
    return {k: v for k, v in options.items() if v and defaults.get(k) != v}


def agreed(game: str, options: Mapping[str, object]) -> tuple[Agreed, ...]:
    """Return the rulings that these options decide otherwise than the rules do."""
    found = (
        Agreed(ruling, written(options[ruling.key]))
        for ruling in house_rulings(game)
        if ruling.key in options
    )
    return tuple(one for one in found if one.value != one.ruling.default)


def written(value: object) -> str:
    """Return the value of an option as the form has it.

    >>> written(True), written(154), written("share")
    ('true', '154', 'share')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def _decided(game: str) -> Iterator[tuple[str, str]]:
    for ruling in house_rulings(game):
        name = f"rule.{game}.{ruling.key}"
        value = request.form.get(f"{name}.number", "").strip()
        value = value or request.form.get(name, ruling.default)
        if not ruling.allows(value):
            raise UsageError(
                N_("Rule %(number)s cannot be decided so."), number=ruling.rule
            )
        yield ruling.key, value
