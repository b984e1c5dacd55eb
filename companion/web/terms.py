"""Games and their number of players, as the page offers them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from flask import request

from companion.errors import UsageError
from companion.i18n import N_
from engines import game_names, load_game
from engines.core import OptionError

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
    """Return every game that is installed."""
    return tuple(map(_choice, game_names()))


def chosen_game() -> str:
    """Return the game of the form; raise `UsageError` if there is no such game."""
    names = game_names()
    game = request.form.get("game") or (names[0] if len(names) == 1 else "")
    if game not in names:
        raise UsageError(N_("Choose a game first."))
    return game


def chosen_options(game: str) -> dict[str, str]:
    """Return the options of the form that this game knows."""
    players = request.form.get("players", "")
    choice = next(item for item in game_choices() if item.name == game)
    return {"players": players} if players in map(str, choice.players) else {}


def _choice(name: str) -> GameChoice:
    game = load_game(name)
    possible = []
    for count in range(1, MOST_PLAYERS + 1):
        try:
            game.options({"players": count})
        except OptionError:
            continue
        possible.append(count)
    usual = getattr(game.options({}), "players", 2) if possible else 0
    return GameChoice(name, name.replace("_", " ").title(), tuple(possible), int(usual))
