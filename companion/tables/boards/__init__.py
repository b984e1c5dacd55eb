"""How a game in play is drawn: one module per game, found by its name.

A module offers `draw(view, scene)`: what a seat may know becomes what its template
`templates/tables/boards/<game>.html` shows; and `HIDDEN`, the moves that tell a secret
(patterns of their notation), with what it is about.
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

__all__ = ["Drawing", "Scene", "Tile", "draw", "has_articles", "secret_of"]

Draw = Callable[[Mapping[str, object], Scene], Drawing]


def draw(view: Mapping[str, object], scene: Scene) -> Drawing:
    """Return the drawing of a view; the game's own if there is one."""
    return _draw_of(scene.game)(view, scene)


def secret_of(game: str, notation: str) -> str | None:
    """Return what a move is about that names cards which only its own seat may know, a
    message to be translated; `None` of any other move."""
    hidden: Mapping[str, str] = _module(game).HIDDEN
    for pattern, what in hidden.items():
        if re.match(rf"(?:{pattern})(?!\w)", notation):
            return what
    return None


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
