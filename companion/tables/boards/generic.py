"""A game without a drawing of its own: its view as rows of words."""

from __future__ import annotations

from collections.abc import Mapping

from companion.i18n import N_
from companion.tables.boards.scene import Drawing, Scene, Tile

HIDDEN = {r".*": N_("a move")}
"""Of a game that says nothing about its secrets, every move may tell one."""


def draw(view: Mapping[str, object], scene: Scene) -> Drawing:
    """Return the names of the players and every fact of the view."""
    tiles = tuple(
        Tile(name, "", "", seat, has_won=scene.has_won(seat))
        for seat, name in enumerate(scene.names)
    )
    rows = [(key.replace("_", " "), _words(value)) for key, value in view.items()]
    return Drawing("tables/boards/generic.html", tiles, "", {"rows": rows})


def _words(value: object) -> str:
    match value:
        case None:
            return "–"
        case Mapping():
            return ", ".join(f"{key}: {_words(item)}" for key, item in value.items())
        case list() | tuple():
            return ", ".join(map(_words, value)) or "–"
        case _:
            return str(value)
