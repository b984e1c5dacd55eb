"""Names of places and answers, as message ids."""

from __future__ import annotations

from engines.brawl.place import AtEnd, End, OnBase, OnChain, Pair, Place, letter
from engines.brawl.state import State
from engines.core import Seat, Text


def base_text(index: int, bases: int) -> Text:
    """Return the name of a Base by its position in a row of `bases`."""
    names = {1: ("only",), 2: ("left", "right"), 3: ("left", "middle", "right")}
    known = names.get(bases, ())
    if index < len(known):
        return Text.of(f"brawl.base_{known[index]}")
    return Text.of("brawl.base_number", number=index + 1)


def place_text(state: State, place: Place) -> Text:
    """Return the name of a place, with its row where there are several."""
    row = state.row(place.pair)
    bases = len(row.cards.bases) if row is not None else 0
    text = _place_text(place, bases)
    return in_row(text, place.pair, several=len(state.rows) > 1)


def in_row(text: Text, pair: Pair, *, several: bool) -> Text:
    """Return the name of a place with the two neighbours, where there are several."""
    if not several:
        return text
    return Text.of(
        "brawl.in_row", place=text, first=letter(pair.first), second=letter(pair.second)
    )


def seat_text(seat: Seat | None) -> Text:
    """Return the letter of a seat as a sentence; the referee for `None`."""
    if seat is None:
        return Text.of("core.referee")
    return Text.of("core.literal", text=letter(seat))


def chain_text(side: Seat, index: int, bases: int) -> Text:
    """Return the name of one side of a Base."""
    base = base_text(index, bases)
    return Text.of("brawl.place_chain", side=letter(side), base=base)


def _place_text(place: Place, bases: int) -> Text:
    match place:
        case OnChain():
            return chain_text(place.side, place.base, bases)
        case OnBase():
            return base_text(place.base, bases)
        case AtEnd():
            if place.end in (End.LEFT, End.RIGHT):
                return Text.of(f"brawl.place_{place.end}")
            return Text.of("brawl.place_between")
