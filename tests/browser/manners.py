"""The four manners of a phone (two languages, two schemes), and what it says in each.

Whole games take long: each is played in one manner, and all four are met across a run;
``ARBITRO_FULL=1`` plays every one of them in all four.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import pytest

from companion.i18n import say
from companion.labels import face
from engines import load_game
from engines.core import Text
from engines.core.kit import load_kit
from tests.browser.conftest import Manner

FOUR = (
    Manner("it-IT", dark=True),
    Manner("en-GB"),
    Manner("it-IT"),
    Manner("en-GB", dark=True),
)


def in_turn(number: int) -> pytest.MarkDecorator:
    """Give a test one of the manners, or all with ``ARBITRO_FULL``."""
    full = "ARBITRO_FULL" in os.environ
    manners = FOUR if full else (FOUR[number % len(FOUR)],)
    names = [f"{one.locale[:2]}-{'dark' if one.dark else 'light'}" for one in manners]
    return pytest.mark.parametrize("manner", manners, ids=names)


@dataclass(frozen=True)
class Said:
    """What a page says in the language of a manner."""

    manner: Manner

    @property
    def language(self) -> str:
        """Return ``it`` or ``en``."""
        return self.manner.locale[:2]

    def __call__(self, message: str, **values: str | float) -> str:
        """Return a sentence of the companion."""
        return say(self.language, message, **values)

    def rule(self, id_: str, **values: str | int) -> str:
        """Return a sentence of a game."""
        return Text.of(id_, **values).render(self.language)

    def card(self, label: str) -> str:
        """Return the name of a standard card."""
        return face(label, self.language, None).name

    def of_kit(self, game: str, label: str) -> str:
        """Return the name of a card of a game's kit."""
        load_game(game)
        faces = {one.label: one for one in load_kit(game).faces}
        return faces[label].name(self.language)
