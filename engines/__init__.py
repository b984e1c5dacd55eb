"""The rules engines: pure functions over frozen values, one folder per game."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from engines.core import Game, UnknownGameError

NOT_GAMES = frozenset({"core"})


@cache
def game_names() -> tuple[str, ...]:
    """Return the names of all games, sorted: the sub-packages that are not `core`."""
    return tuple(
        sorted(
            module.name
            for module in pkgutil.iter_modules(__path__)
            if module.ispkg and module.name not in NOT_GAMES
        )
    )


def load_game(name: str) -> Game[Any, Any, Any, Any]:
    """Return the game `name`; raise `UnknownGameError` with the names that exist."""
    if name not in game_names():
        raise UnknownGameError(f"no game {name!r}; there are {', '.join(game_names())}")
    game: Game[Any, Any, Any, Any] = importlib.import_module(f"engines.{name}").GAME
    return game
