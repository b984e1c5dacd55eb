"""Eyes for what lies on a table: standard cards, own decks, chips on a mat."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from flask import current_app, request

from companion.config import ReaderOf
from companion.decks.roles import DeckInPlay
from companion.measure import is_measured
from companion.sight import Sight
from companion.tables.gear import OWN, Gear, chosen_gear
from companion.web.parts import parts

if TYPE_CHECKING:
    from companion.measure.score import Setup

MOST = 4
"""Decks are pictures held in memory: so many readers are kept."""


class Looking:
    """The eyes of this process by game and gear; the last few are kept."""

    def __init__(self, sight: Sight, reader: ReaderOf) -> None:
        self._sight, self._reader = sight, reader
        self._lock = threading.Lock()
        self._boards: dict[Gear, Setup] = {}
        self._kept: dict[tuple[str, Gear], tuple[Sight, tuple[DeckInPlay, ...]]] = {}

    def at(self, game: str, gear: Gear) -> tuple[Sight, tuple[DeckInPlay, ...]]:
        """Return the sight for a table and the decks on it.

        Raises `CompanionError` for a deck, mat, kit or camera that is gone.
        """
        if not gear.decks and not is_measured(game):
            return self._sight, ()
        with self._lock:
            found = self._kept.pop((game, gear), None) or self._made(game, gear)
            self._kept[game, gear] = found
            while len(self._kept) > MOST:
                self._kept.pop(next(iter(self._kept)))
            return found

    def board(self, gear: Gear) -> Setup:
        """Return mat, kit and camera of a measured game, opened.

        Raises `CompanionError` for what is gone.
        """
        from companion.measure.kits import open_kit  # noqa: PLC0415 - slow
        from companion.measure.mats import open_mat  # noqa: PLC0415 - as above
        from companion.measure.score import Setup  # noqa: PLC0415 - as above

        with self._lock:
            if gear not in self._boards:
                mat, kit = open_mat(gear.mat or OWN), open_kit(gear.kit or OWN)
                if len(self._boards) >= MOST:
                    self._boards.clear()
                self._boards[gear] = Setup(mat, kit, gear.camera or None)
            return self._boards[gear]

    def forget(self) -> None:
        """Open everything anew: a deck, mat, kit or camera was changed."""
        with self._lock:
            self._kept.clear()
            self._boards.clear()

    def _made(self, game: str, gear: Gear) -> tuple[Sight, tuple[DeckInPlay, ...]]:
        load, decks = self._reader(
            game, decks=gear.decks, board=gear.board, copies=gear.copies
        )
        return self._sight.beside(lambda _: load()), decks


def gear_of_form(game: str) -> Gear:
    """Return the gear that the form of this request names; raise `UsageError`."""
    return chosen_gear(game, request.form.getlist(f"deck.{game}"), request.form)


def looking() -> Looking:
    """Return the eyes of the present application."""
    extensions = current_app.extensions
    if "arbitro.looking" not in extensions:
        made = Looking(parts().sight, reader())
        extensions.setdefault("arbitro.looking", made)
    found: Looking = extensions["arbitro.looking"]
    return found


def reader() -> ReaderOf:
    """Return what reads own decks and chips."""
    chosen: ReaderOf | None = parts().config.reader
    if chosen is not None:
        return chosen
    from companion.watching.readers import reader_of  # noqa: PLC0415 - heavy

    return reader_of
