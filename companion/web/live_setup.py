"""What a new table is made of: names of people, options of the game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.errors import UsageError
from companion.i18n import N_
from companion.measure import is_measured
from companion.referee import game_options
from companion.tables.gear import Gear
from companion.tables.people import clean_name
from companion.web.rulings import differing
from companion.web.terms import choice_of
from engines import load_game


def names_of(written: Iterable[str]) -> list[str]:
    """Return the names up to the last one that is given; gaps stay empty."""
    names = [clean_name(name) for name in written][:12]
    while names and not names[-1]:
        names.pop()
    return names


def options_of(
    game: str, names: list[str], decided: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the options of a new table and a name for each of its seats.

    Raises `UsageError` for rulings that do not go together, or more names than the game
    has seats.
    """
    options = differing(game, decided)
    counts = choice_of(game).players
    if counts and names:
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
