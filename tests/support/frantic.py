"""Builders for Frantic: states with given hands, shuffles, and a random player."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from engines.core import Kind, Piece, PieceId, Seat, Verdict
from engines.frantic import GAME
from engines.frantic.calling import EventDone, RefillEvents, carry_out
from engines.frantic.cards import UNKNOWN, Colour, Hand, PlayCard, deck
from engines.frantic.engine import settle
from engines.frantic.event import Event, events
from engines.frantic.events.distributing import DealAnew
from engines.frantic.events.together import ShuffleOnPile
from engines.frantic.moves import (
    Correction,
    Deal,
    Move,
    Referee,
    Shuffle,
    ShuffleEvents,
)
from engines.frantic.rounds import DealCards
from engines.frantic.state import Cause, State, Top
from engines.frantic.turn import EndTurn, Turn

MOVES = """
deal ?
flip R5 B3
p1 play RG-swap
p1 draw
p1 pass
p1 as R-gift
p1 colour Y
p1 wish R
p1 wish 7
p1 wish none
p1 target p2
p1 target none
p1 split p2:3 p4:1
p1 split none
p2 accept
p2 counter N-counterattack
p3 lucky N-mimicry
p8 nice N-nice-try
nobody
p1 give B3 R5
p1 give none
p2 take #1 #4 #12
p3 discard ? ?
p4 put K5
p4 bid none
p4 show N-fantastic R5
p1 give R5 to p2
p1 give ? to p2
p1 give all to p3
event E-market
p1 choose E-tornado
events ?
events E-market E-tornado
p1 assign p2 p3
p1 swap p2 p3
p1 risk
p1 decline
agree
shuffle ?
shuffle R5 B3
dealer p2
referee open
referee allow p1 R5
referee draw p1
referee return p1 ?
referee turn p3
referee forget
referee done
""".strip().splitlines()
"""One move of every kind."""


def cards(text: str) -> Hand:
    """Return the cards named in a text."""
    return tuple(PlayCard(word) for word in text.split())


def rest_of_deck(used: Iterable[PlayCard], *, starred: bool = True) -> Hand:
    """Return the cards of the box that are not used; numbers come first."""
    left = Counter(deck(starred=starred))
    left.subtract(used)
    assert min(left.values()) >= 0, "the box does not hold these cards"
    return tuple(left.elements())


def table(
    *hands: str,
    top: Top | None = None,
    turn: int = 0,
    pile: str | None = None,
    colour: str | None = None,
    options: Mapping[str, object] | None = None,
) -> State:
    """Return a round in which player `turn` is to move, with these hands.

    Cards that lie nowhere make up the draw pile, or the discard pile where `pile`
    says what is left to draw; nobody knows them where a hand holds ``?``.
    """
    values = {"players": len(hands), **(options or {})}
    parsed = GAME.options(values)
    held = tuple(cards(hand) for hand in hands)
    drawn = cards(pile) if pile is not None else ()
    rest = rest_of_deck(
        (card for hand in (*held, drawn) for card in hand if card != UNKNOWN),
        starred=parsed.starred,
    )
    unknown = sum(hand.count(UNKNOWN) for hand in held)
    if unknown:
        rest = (UNKNOWN,) * (len(rest) - unknown)
    state = GAME.setup(parsed)
    state = replace(
        state,
        hands=held,
        pile=drawn if pile is not None else rest,
        discard=rest if pile is not None else (),
        event_pile=events(starred=parsed.starred),
        top=top or Top(any=True),
        mover=Seat(turn),
        steps=(),
    )
    if top is not None and top.colour is not None:
        state = replace(state, colour=top.colour)
    if colour is not None:
        state = replace(state, colour=Colour(colour))
    return state.push(Turn(Seat(turn)), EndTurn())


def event_now(
    state: State, event: Event, trigger: int, immune: Sequence[int] = ()
) -> State:
    """Return the state in which `event` has just been turned by `trigger`'s card."""
    pile = tuple(other for other in state.event_pile if other is not event)
    cause = Cause(Seat(trigger), tuple(Seat(seat) for seat in immune))
    state = replace(
        state, steps=(), event_pile=pile, open_events=(event,), mover=Seat(trigger)
    )
    state = state.push(EventDone((event,)), EndTurn())
    return settle(carry_out(state, event, cause))


def shuffled(state: State, rng: random.Random) -> Move | None:
    """Return a random answer where a shuffle is due, `None` elsewhere."""
    starred = state.options.starred
    match state.step:
        case DealCards():
            dealt = list(deck(starred=starred))
            shown = list(events(starred=starred))
            rng.shuffle(dealt)
            rng.shuffle(shown)
            return Deal(tuple(dealt), tuple(shown))
        case DealAnew(seats=seats):
            gathered = [card for seat in seats for card in state.hands[seat]]
        case ShuffleOnPile(put=put):
            gathered = [card for _, cards in put for card in cards]
        case RefillEvents():
            shown = list(state.shown_events)
            rng.shuffle(shown)
            return ShuffleEvents(tuple(shown))
        case _:
            return None
    rng.shuffle(gathered)
    return Shuffle(tuple(gathered))


def random_move(state: State, rng: random.Random, *, corrections: bool) -> Move:
    """Return a move that the rules allow now."""
    moves = GAME.legal_moves(state)
    if moves is None:
        move = shuffled(state, rng)
        assert move is not None, state.step
        return move
    everything = list(moves)
    listed = [m for m in everything if corrections or not isinstance(m, Referee)]
    listed = listed or everything
    assert listed, state.step
    return rng.choice(listed)


def playing(state: State, *moves: str) -> State:
    """Return the state after moves that must all be upheld."""
    for text in moves:
        move = GAME.parse_move(text)
        ruling = GAME.judge(state, move)
        assert ruling.verdict is Verdict.UPHELD, f"{text}: {ruling.reason}"
        state = GAME.advance(state, move)
    return state


def refusal(state: State, move: str) -> tuple[str, str]:
    """Return the rule and the reason by which a move is refused."""
    ruling = GAME.judge(state, GAME.parse_move(move))
    assert ruling.verdict is Verdict.REJECTED, move
    return str(ruling.rule), str(ruling.reason)


def answers(state: State) -> set[str]:
    """Return the notation of all moves of players that are legal now."""
    return {
        str(move)
        for move in GAME.legal_moves(state) or ()
        if move != Referee(Correction.OPEN)
    }


def filled(sizes: Sequence[int], used: Sequence[PlayCard] = ()) -> list[Hand]:
    """Return hands of these sizes that share no card with `used`, numbers only."""
    left = Counter(card for card in deck(starred=True) if card.number is not None)
    left.subtract(card for card in used if card.number is not None)
    pool = list(left.elements())
    hands: list[Hand] = []
    for size in sizes:
        hands.append(tuple(pool[:size]))
        del pool[:size]
    return hands


def worth(points: Sequence[int]) -> list[Hand]:
    """Return hands of number cards that are worth these points."""
    pool = sorted(
        (card for card in deck(starred=True) if card.number is not None),
        key=lambda card: -(card.number or 0),
    )
    hands: list[Hand] = []
    for wanted in points:
        hand: list[PlayCard] = []
        for card in list(pool):
            if sum(c.number or 0 for c in hand) + (card.number or 0) <= wanted:
                hand.append(card)
                pool.remove(card)
        assert sum(c.number or 0 for c in hand) == wanted
        hands.append(tuple(hand))
    return hands


def at_seat(
    labels: Sequence[str], seat_deg: float, away_mm: float = 350, step_mm: float = 22
) -> list[Piece]:
    """Return fanned cards before a seat, as their owner lays them: left to right."""
    out = math.radians(seat_deg)
    right = out + math.pi / 2
    pieces = []
    for n, label in enumerate(labels):
        along = (n - (len(labels) - 1) / 2) * step_mm
        x = away_mm * math.cos(out) + along * math.cos(right)
        y = away_mm * math.sin(out) + along * math.sin(right)
        turn = seat_deg + 180 - (n - len(labels) / 2) * 2
        name = PieceId(f"{label}@{x:.0f},{y:.0f}")
        pieces.append(Piece(name, Kind.CARD, label, x, y, turn, order=n))
    return pieces
