"""Lists the legal moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from engines.brawl.chain import places
from engines.brawl.conditions import can_be, deck_not_empty, may_lie_there, ready
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
from engines.brawl.place import Source
from engines.brawl.rules import objection
from engines.brawl.state import Player, Row, State
from engines.core import Seat

Reach: TypeAlias = tuple[tuple[Face, Source], ...]
"""Cards that a player could play now, and where from."""


def legal_moves(state: State) -> tuple[Move, ...]:
    """Return every move, without a time, that is allowed now."""
    return tuple(_legal(state))


def _legal(state: State) -> Iterator[Move]:
    for seat in state.seats:
        reach = tuple(within_reach(state.players[seat]))
        yield from _allowed(state, _own(seat, reach))
        is_ready = ready(state, seat) is None
        for row in state.rows:
            if seat not in row.pair:
                continue
            if is_ready and not row.is_finished:
                yield from _landings(state, row, seat, reach)
            if row.last is not None and row.last.seat != seat:
                yield from _allowed(state, _contests(row, seat, reach))
            if row.incident is not None:
                settling = (Settle(seat, row.pair, remedy) for remedy in Remedy)
                yield from _allowed(state, settling)
    yield from _allowed(state, _referee(state))


def _allowed(state: State, moves: Iterable[Move]) -> Iterator[Move]:
    return (move for move in moves if objection(state, move) is None)


def _own(seat: Seat, reach: Reach) -> Iterator[Move]:
    """Yield what a seat might do without laying a card in a row."""
    yield from (Act(seat, verb) for verb in Verb)
    yield Take(seat)
    for card, source in reach:
        if source is Source.DECK:
            yield Take(seat, card)
        if source is not Source.DISCARD:
            yield Discard(seat, card, source)


def _landings(state: State, row: Row, seat: Seat, reach: Reach) -> Iterator[Move]:
    """Yield the plays and, where a card may not lie, the fouls."""
    for card, source in reach:
        for place in places(row.pair, row.cards, card):
            play = Play(seat, card, place, source)
            if may_lie_there(state, play) is None:
                yield play
            elif row.incident is None:
                yield Foul(seat, card, place, source)


def _contests(row: Row, seat: Seat, reach: Reach) -> Iterator[Move]:
    if row.before_last is not None:
        for card, source in reach:
            for place in places(row.pair, row.before_last, card):
                yield Contest(seat, card, place, source)


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


def _referee(state: State) -> Iterator[Move]:
    for row in state.rows:
        for seat in (row.pair.first, row.pair.second, None):
            yield First(row.pair, seat)
        yield Swap(row.pair)
    yield BlockOnHit2(allowed=True)
    yield BlockOnHit2(allowed=False)
    yield ConfirmPairs()
