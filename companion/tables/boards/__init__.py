"""How a game in play is drawn: one module per game, found by its name.

A module offers `draw(view, scene)`: what a seat may know becomes what its template
`templates/tables/boards/<game>.html` shows; and `HIDDEN`, the moves that tell a secret.
A game without one is drawn by `generic`, so that a new game needs no edit here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from companion.tables.boards.scene import Drawing, Scene, Tile

__all__ = ["Drawing", "Scene", "Tile", "draw", "has_articles", "is_hidden"]

Draw = Callable[[Mapping[str, object], Scene], Drawing]


def draw(view: Mapping[str, object], scene: Scene) -> Drawing:
    """Return the drawing of a view; the game's own if there is one."""
    return _draw_of(scene.game)(view, scene)


def is_hidden(game: str, notation: str) -> bool:
    """Return whether a move names cards that only its own seat may know."""
    pattern: str = _module(game).HIDDEN
    return bool(pattern) and re.match(rf"(?:{pattern})(?!\w)", notation) is not None


def has_articles(game: str, language: str) -> bool:
    """Return whether a game's sentences put an article before "player 1"."""
    return language in getattr(_module(game), "ARTICLES", ())


@cache
def _module(game: str) -> Any:
    own = f"{__name__}.{game}"
    name = own if find_spec(own) is not None else f"{__name__}.generic"
    return import_module(name)


def _draw_of(game: str) -> Draw:
    return cast(Draw, _module(game).draw)
