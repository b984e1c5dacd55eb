"""What a new table is made of: names of people, options of the game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.errors import UsageError
from companion.i18n import N_
from companion.measure import is_measured
from companion.referee import game_options
from companion.script import OPTION
from companion.tables.gear import Gear
from companion.tables.people import clean_name
from companion.web.terms import choice_of
from engines import load_game

MOST_OPTIONS = 30


def names_of(written: Iterable[str]) -> list[str]:
    """Return the names up to the last one that is given; gaps stay empty."""
    names = [clean_name(name) for name in written][:12]
    while names and not names[-1]:
        names.pop()
    return names


def options_of(
    game: str, names: list[str], written: str
) -> tuple[dict[str, str], list[str]]:
    """Return the options of a new table and a name for each of its seats.

    `written` holds one option a line, ``key: value``. Raises `UsageError` for what the
    game does not know, or more names than it has seats.
    """
    options = _written(written)
    counts = choice_of(game).players
    if counts and "players" not in options and names:
        options["players"] = str(max(len(names), min(counts)))
    chosen = game_options(load_game(game), options)
    seats = int(getattr(chosen, "players", 2))
    if len(names) > seats:
        raise UsageError(N_("There are more names than seats at this table."))
    return options, [*names, *[""] * (seats - len(names))]


def options_with(
    options: Mapping[str, str], game: str, gear: Gear
) -> Mapping[str, object]:
    """Return the options with what the gear says: a mat and a kit are stored with the
    table, which then needs no folder any more."""
    if is_measured(game) and not (gear.mat or gear.kit):
        return options  # those that the rules of the game come with
    if is_measured(game):
        from companion.watching.boards import board_options  # noqa: PLC0415 - slow

        return {**options, **board_options(gear.board)}
    from companion.decks.roles import deck_options  # noqa: PLC0415 - only with decks

    return {**deck_options(game, gear.in_play(game)), **options}


def _written(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for line in text.splitlines()[:MOST_OPTIONS]:
        if not line.strip():
            continue
        found = OPTION.fullmatch(line)
        if found is None:
            raise UsageError(
                N_("Write one option a line, as key: value. Not: %(line)s"),
                line=line.strip()[:60],
            )
        options[found[1]] = found[2]
    return options
