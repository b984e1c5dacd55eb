"""Every move that the rules allow now, where they can be listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from engines.core import JOKER, Card, Rank, Seat
from engines.regicide.cards import in_order, total
from engines.regicide.facts import (
    can_yield,
    draw_counts,
    highest_hand,
    may_give_up,
    next_rank,
    room,
    unseen,
    unseen_in_hands,
)
from engines.regicide.moves import (
    Discard,
    Draw,
    Flip,
    Lost,
    Misdraw,
    Move,
    Next,
    Play,
    Redress,
    Reveal,
    Say,
    Settle,
    Start,
    Statement,
    Top,
    Yield,
)
from engines.regicide.options import OverDiscard
from engines.regicide.rules import FORBIDDEN_TALK, stops_in_time
from engines.regicide.sets import MOST_CARDS, is_set
from engines.regicide.state import Phase, State

SET_RANKS = (Rank.TWO, Rank.THREE, Rank.FOUR, Rank.FIVE)


def legal_moves(state: State) -> Iterable[Move] | None:
    """Return the allowed moves; `None` where they depend on cards nobody has seen.

    That is so for shuffles, for hearts (any cards of the discard pile may be moved),
    and for discards from a hand that is not known.
    """
    if state.phase in {Phase.CASTLE, Phase.TAVERN, Phase.HEAL}:
        return None
    if state.phase is Phase.SUFFER and None in state.hands[state.current]:
        return None
    return _moves(state)


def _moves(state: State) -> Iterator[Move]:
    match state.phase:
        case Phase.PLAY:
            yield from _phase_one(state)
        case Phase.SUFFER:
            yield from _phase_four(state)
        case Phase.DRAW:
            yield from _draws(state)
        case _:
            yield from _decisions(state)
    if state.ending is None:
        yield from _found(state)
        yield from _talk(state)


def _found(state: State) -> Iterator[Top]:
    """Yield the cards that may turn out to lie on the discard pile."""
    if None in state.discard:
        yield from map(Top, unseen_in_hands(state))


def _decisions(state: State) -> Iterator[Move]:
    players = [Seat(seat) for seat in range(state.options.players)]
    match state.phase:
        case Phase.REVEAL:
            rank = next_rank(state)
            yield from (Reveal(card) for card in unseen(state) if card.rank is rank)
        case Phase.START:
            yield from map(Start, players)
        case Phase.SETTLE:
            yield from map(Settle, Redress)
        case Phase.CHOOSE:
            for seat in players:
                if seat != state.current or state.options.joker_self:
                    yield Next(state.current, seat)
        case _:
            return


def _phase_one(state: State) -> Iterator[Move]:
    seat = state.current
    yield from plays(state)
    if can_yield(state, seat):
        yield Yield(seat)
    if may_give_up(state, seat):
        yield Lost(seat)
    if state.jokers:
        yield Flip(seat)


def plays(state: State) -> Iterator[Play]:
    """Yield every set of cards that the current player may play."""
    hand = state.hands[state.current]
    known = {card for card in hand if card is not None}
    free = sum(card is None for card in hand)
    unknown = frozenset(unseen_in_hands(state) if free else ()) - known
    for cards in sets_among(in_order(known | unknown)):
        if not unknown or sum(card in unknown for card in cards) <= free:
            yield Play(state.current, cards)


def sets_among(cards: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
    """Yield every set of different `cards` that is a legal play (4.1)."""
    for card in cards:
        yield (card,)
    aces = [card for card in cards if card.rank is Rank.ACE]
    others = [c for c in cards if c.rank is not Rank.ACE and c != JOKER]
    yield from product(others, aces)
    yield from combinations(aces, 2)
    for rank in SET_RANKS:
        same = [card for card in cards if card.rank is rank]
        for size in range(2, min(len(same), MOST_CARDS) + 1):
            yield from filter(is_set, combinations(same, size))


def _phase_four(state: State) -> Iterator[Move]:
    seat = state.current
    hand = [card for card in state.hands[seat] if card is not None]
    if highest_hand(state.hands[seat], state) >= state.suffer:
        yield from (Discard(seat, cards) for cards in _discards(hand, state))
    if total(hand) < state.suffer:
        yield Lost(seat)
    if state.jokers and state.suffer == state.attack:
        yield Flip(seat)


def _discards(hand: Sequence[Card], state: State) -> Iterator[tuple[Card, ...]]:
    free = state.options.over_discard is OverDiscard.FREE
    ordered = in_order(hand)
    for size in range(1, len(ordered) + 1):
        for cards in dict.fromkeys(combinations(ordered, size)):
            if free or stops_in_time(cards, state.suffer):
                yield cards


def _draws(state: State) -> Iterator[Move]:
    right = draw_counts(state)
    yield Draw(right)
    rooms = [range(room(state, seat) + 1) for seat in range(state.options.players)]
    for counts in product(*rooms):
        if counts != right and sum(counts) <= len(state.tavern):
            yield Misdraw(counts)


def _talk(state: State) -> Iterator[Say]:
    for seat, statement in product(range(state.options.players), Statement):
        if statement in FORBIDDEN_TALK:
            continue
        if statement is not Statement.GO_NEXT or state.phase is Phase.CHOOSE:
            yield Say(Seat(seat), statement)
