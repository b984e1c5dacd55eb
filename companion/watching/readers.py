"""What reads the cards or chips of a game, given its decks, its mat, its kit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from companion.measure import is_measured
from companion.sight import load_pipeline

if TYPE_CHECKING:
    from companion.decks.roles import DeckInPlay
    from companion.watching.plan import LoadEye

Board = Mapping[str, "str | None"]


def reader_of(
    game: str, *, decks: Sequence[str] = (), board: Board, copies: int = 1
) -> tuple[LoadEye, tuple[DeckInPlay, ...]]:
    """Return what loads the reader of a game, and the decks on the table.

    Chips are measured on the mat and with the kit of `board`; cards are named from
    `decks`, in the order of the players, or without any as standard cards, of which
    `copies` decks are in play. Raises `CompanionError` for what does not exist.
    """
    if is_measured(game):
        from companion.watching.boards import board_eye  # noqa: PLC0415 - slow

        return board_eye(board), ()
    if not decks:
        return partial(load_pipeline, copies), ()
    from companion.decks.places import open_decks  # noqa: PLC0415 - loads pictures
    from companion.decks.roles import distinct, in_play  # noqa: PLC0415 - as above

    galleries = open_decks(decks)
    load = partial(load_pipeline, copies, distinct(galleries))
    return load, in_play(game, galleries)
