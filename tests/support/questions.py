"""What a game asks of a table, as people would be asked."""

from __future__ import annotations

from typing import Any

from engines.core import LANGUAGES, Question


def asked_of(game: Any, state: Any, snapshot: Any) -> Question:
    """Return what is asked where `snapshot` lies and `state` is known: it must be said
    in every language, and each answer be a move (a foul, maybe)."""
    found = game.changes(state, snapshot)
    assert isinstance(found, Question), [str(move) for move in found]
    for text in (found.text, *(option.text for option in found.options)):
        assert all(text.render(language) for language in LANGUAGES)
    for option in found.options:
        if option.move is not None:
            assert str(game.parse_move(option.move)) == option.move
    return found
