"""Measured games: mats, kits and cameras as people keep them, and a photo's score."""

from __future__ import annotations

from collections.abc import Mapping

from companion.errors import UsageError
from companion.i18n import N_

MEASURED_GAMES = frozenset({"warstones"})


_OPTIONS = {"corners_px": "corners", "no_chips": "no-chip"}


def is_measured(game: str) -> bool:
    """Return whether a game is played with chips on a mat."""
    return game in MEASURED_GAMES


def refuse_board_options(game: str, given: Mapping[str, object]) -> None:
    """Raise `UsageError` if a game without a mat was given options of one."""
    for name, value in given.items():
        if value:
            raise UsageError(
                N_("%(game)s is not measured on a mat: --%(option)s does nothing."),
                game=game,
                option=_OPTIONS.get(name, name),
            )
