"""Lists moves: all that are worth asking about, and those that are legal."""

from __future__ import annotations

from collections.abc import Iterator

from engines.brawl.chain import places
from engines.brawl.faces import Face
from engines.brawl.moves import (
    Act,
    BlockOnHit2,
    ConfirmPairs,
    Contest,
    Discard,
    First,
    Foul,
    Move,
    Play,
    Remedy,
    Settle,
    Swap,
    Take,
    Verb,
)
from engines.brawl.rules import can_be, deck_not_empty, objection
from engines.brawl.state import Player, Row, Source, State
from engines.core import Seat


def legal_moves(state: State) -> tuple[Move, ...]:
    """Return every move, without a time, that is allowed now."""
    return tuple(move for move in candidates(state) if objection(state, move) is None)


def candidates(state: State) -> Iterator[Move]:
    """Yield every move whose card is in reach, legal or not."""
    for seat in state.seats:
        player = state.players[seat]
        reach = tuple(within_reach(player))
        yield from (Act(seat, verb) for verb in Verb)
        yield Take(seat)
        for card, source in reach:
            if source is Source.DECK:
                yield Take(seat, card)
            if source is not Source.DISCARD:
                yield Discard(seat, card, source)
        for row in state.rows:
            if seat in row.pair:
                yield from _in_row(row, seat, reach)
    yield from _referee(state)


def within_reach(player: Player) -> Iterator[tuple[Face, Source]]:
    """Yield the cards that a player could play now, and where from."""
    if player.hand:
        held = {card.card for card in player.hand}
        unseen = None in held
        for face in Face:
            if face in held or (unseen and can_be(player, face) is None):
                yield face, Source.HAND
        return
    if player.pile:
        yield player.pile[-1], Source.DISCARD
    if deck_not_empty(player) is None:
        for face in Face:
            if can_be(player, face) is None:
                yield face, Source.DECK


def _in_row(
    row: Row, seat: Seat, reach: tuple[tuple[Face, Source], ...]
) -> Iterator[Move]:
    for card, source in reach:
        for place in places(row.pair, row.cards, card):
            yield Play(seat, card, place, source)
            yield Foul(seat, card, place, source)
        if row.before_last is not None:
            for place in places(row.pair, row.before_last, card):
                yield Contest(seat, card, place, source)
    yield from (Settle(seat, row.pair, remedy) for remedy in Remedy)


def _referee(state: State) -> Iterator[Move]:
    for row in state.rows:
        for seat in (row.pair.first, row.pair.second, None):
            yield First(row.pair, seat)
        yield Swap(row.pair)
    yield BlockOnHit2(allowed=True)
    yield BlockOnHit2(allowed=False)
    yield ConfirmPairs()
