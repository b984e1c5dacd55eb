"""Games and their number of players, as the page offers them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache

from flask import request

from companion.errors import UsageError
from companion.i18n import N_
from engines import game_names, load_game
from engines.core import OptionError, RulesError, UnknownGameError

logger = logging.getLogger(__name__)

MOST_PLAYERS = 8


@dataclass(frozen=True, slots=True)
class GameChoice:
    """One game as the home page shows it."""

    name: str
    title: str
    players: tuple[int, ...]
    """Possible numbers of players; empty where the game does not ask."""
    usual: int
    """Number of players where nobody says."""


@cache
def game_choices() -> tuple[GameChoice, ...]:
    """Return every game that can be loaded; one broken game does not close the page."""
    return tuple(choice for name in game_names() if (choice := _choice(name)))


def choice_of(game: str) -> GameChoice:
    """Return one game; raise `UnknownGameError` if it cannot be played here."""
    for choice in game_choices():
        if choice.name == game:
            return choice
    raise UnknownGameError(game)


def chosen_game() -> str:
    """Return the game of the form; raise `UsageError` if there is no such game."""
    names = [choice.name for choice in game_choices()]
    game = request.form.get("game") or (names[0] if len(names) == 1 else "")
    if game not in names:
        raise UsageError(N_("Choose a game first."))
    return game


def chosen_options(game: str) -> dict[str, str]:
    """Return the options of the form; raise `UsageError` for too many players."""
    players = request.form.get("players", "")
    counts = choice_of(game).players
    if not players or not counts:
        return {}
    if players not in map(str, counts):
        raise UsageError(N_("This game is not played by so many."))
    return {"players": players}


def _choice(name: str) -> GameChoice | None:
    try:
        game = load_game(name)
    except (ImportError, AttributeError, RulesError):
        logger.exception("game %s cannot be loaded", name)
        return None
    possible = []
    for count in range(1, MOST_PLAYERS + 1):
        try:
            game.options({"players": count})
        except OptionError:
            continue
        possible.append(count)
    usual = getattr(game.options({}), "players", 2) if possible else 0
    return GameChoice(name, name.replace("_", " ").title(), tuple(possible), int(usual))
