"""What every drawing needs: words, names of people and cards, numbers of a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from companion.i18n import N_, say
from companion.labels import CardFace, face
from engines.core import KitError, load_kit

if TYPE_CHECKING:
    from engines.core import Kit


@dataclass(frozen=True, slots=True)
class Tile:
    """One side of the score: a seat and its number."""

    name: str
    value: str
    note: str
    """What the number counts, in words."""
    seat: int | None = None
    is_turn: bool = False
    has_won: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a template shows of one game."""

    template: str
    tiles: tuple[Tile, ...]
    waiting: str
    """What must happen next, in a sentence; "" where nothing is awaited."""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scene:
    """Who sits at the table, and in which language one speaks."""

    game: str
    language: str
    names: tuple[str, ...] = ()
    """What the players are called, by seat."""
    options: Any = None
    """The game's own options."""
    winners: tuple[int, ...] | None = None

    def say(self, message: str, **values: str | int | float) -> str:
        """Return a sentence of the catalogue."""
        return say(self.language, message, **values)

    def name(self, seat: int) -> str:
        """Return what a player is called: the name, or ``Player 2``."""
        if seat < len(self.names) and self.names[seat]:
            return self.names[seat]
        return self.say(N_("Player %(number)s"), number=seat + 1)

    def card(self, label: str) -> CardFace:
        """Return how a card of this game is shown."""
        return face(label, self.language, kit_of(self.game))

    def has_won(self, seat: int) -> bool:
        """Return whether the game is over and that seat won."""
        return self.winners is not None and seat in self.winners


@cache
def kit_of(game: str) -> Kit | None:
    """Return the game's kit, `None` where it has none that can be read."""
    try:
        return load_kit(game)
    except (FileNotFoundError, KitError):
        return None


def share(part: float, whole: float) -> int:
    """Return a part in whole percent, from 0 to 100.

    >>> share(5, 20), share(9, 3), share(1, 0)
    (25, 100, 0)
    """
    return 0 if whole <= 0 else round(100 * min(max(part / whole, 0.0), 1.0))
