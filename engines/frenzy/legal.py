"""The legal moves, as a collection that is asked rather than listed in full."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from engines.frenzy.cards import NUMBERS, SEATS, ZONES, Card, Region
from engines.frenzy.judging import is_allowed
from engines.frenzy.moves import (
    Agree,
    Aside,
    Blame,
    Claim,
    Copy,
    Decide,
    Draw,
    Earlier,
    Finished,
    Go,
    Lay,
    Lift,
    Lot,
    Move,
    Pick,
    Play,
    Release,
    Remedy,
    Resolve,
    RulingKey,
    Turn,
)
from engines.frenzy.notation import VALUES
from engines.frenzy.rules import MOST_ADVANCED
from engines.frenzy.state import FoulCode, Phase, State


class LegalMoves:
    """What `judge` upholds in one state.

    `in` is exact for every move. Iteration gives the players' moves and the answers to
    questions at the present instant; what a referee may put right or put on record at
    any time (`set`, `count`, `upset`, `foul`) and later times are not listed.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def __contains__(self, move: Move) -> bool:
        return is_allowed(self._state, move)

    def __iter__(self) -> Iterator[Move]:
        return (move for move in present_moves(self._state) if move in self)


def present_moves(state: State) -> Iterator[Move]:
    """Yield every players' move and answer that the phase knows, legal or not."""
    now = state.clock_ms
    match state.phase:
        case Phase.LOT | Phase.TURN | Phase.READY:
            yield from _countdown(now)
            yield from _claims(now)
        case Phase.BATTLE | Phase.ENDED:
            yield from _battle(now)
            yield from _claims(now)
        case Phase.SPOILS:
            yield from _spoils(now)


def _countdown(now: int) -> Iterator[Move]:
    for seat in SEATS:
        yield Lot(seat, now)
        yield Go(seat, now)
        for number in NUMBERS:
            yield Turn(seat, number, now)
        for number in range(1, MOST_ADVANCED + 1):
            yield Aside(seat, number, now)


def _battle(now: int) -> Iterator[Move]:
    for seat in SEATS:
        yield Draw(seat, now)
        yield Release(seat, now)
        yield Lift(seat, now)
        yield Finished(seat, now)
        for zone, card in product(ZONES, Card):
            yield Lay(seat, card, Region(seat, zone), now)
            yield Play(seat, card, Region(seat, zone), now)
    for who in (*SEATS, None):
        yield Blame(who, now)
        yield Earlier(who, now)
    yield Resolve(now)


def _claims(now: int) -> Iterator[Move]:
    for seat in SEATS:
        for code in FoulCode:
            yield Claim(seat, code, now)
        for remedy in Remedy:
            yield Decide(seat, remedy, now)


def _spoils(now: int) -> Iterator[Move]:
    for seat in SEATS:
        for number, source in product(NUMBERS, NUMBERS):
            yield Copy(seat, number, source, now)
        for card in Card:
            yield Pick(seat, card, now)
    for key in RulingKey:
        for value in VALUES[key]:
            yield Agree(key, value, now)
