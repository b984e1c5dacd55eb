"""Builders for Regicide: tables of pieces, shuffles, and players who choose moves."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from engines.core import JOKER, Card, Kind, Piece, PieceId, Rank, Seat, Suit
from engines.regicide import GAME
from engines.regicide.cards import (
    CASTLE_RANKS,
    attack_of,
    hit_points_of,
    tavern_cards,
    total,
    value,
)
from engines.regicide.facts import can_yield, draw_counts, may_give_up
from engines.regicide.listing import plays
from engines.regicide.moves import (
    Castle,
    Discard,
    Draw,
    Flip,
    Heal,
    Lost,
    Move,
    Next,
    Play,
    Start,
    Tavern,
    Yield,
)
from engines.regicide.options import Options
from engines.regicide.sets import damage, suits_of
from engines.regicide.state import Phase, Slots, State

WIDTH_MM, HEIGHT_MM = 63.0, 88.0


# Tables ------------------------------------------------------------------------------


@dataclass(slots=True)
class Table:
    """Cards laid one after the other; each later one lies on top."""

    pieces: list[Piece]

    @classmethod
    def empty(cls) -> "Table":
        return cls([])

    def lay(
        self,
        labels: str,
        at: tuple[float, float],
        *,
        step: tuple[float, float] = (18.0, 0.0),
        angle_deg: float = 90.0,
    ) -> "Table":
        """Lay cards (``?`` an unread one, ``#`` a face-down one) in a row."""
        for i, label in enumerate(labels.split()):
            number = len(self.pieces)
            self.pieces.append(
                Piece(
                    PieceId(f"c{number}"),
                    Kind.BACK if label == "#" else Kind.CARD,
                    None if label in {"?", "#"} else label,
                    at[0] + i * step[0],
                    at[1] + i * step[1],
                    angle_deg,
                    WIDTH_MM,
                    HEIGHT_MM,
                    order=number,
                )
            )
        return self


def cards(labels: str) -> tuple[Card, ...]:
    """Return the cards of a text such as ``8d Ac``."""
    return tuple(map(Card.parse, labels.split()))


# Shuffles ----------------------------------------------------------------------------


def shuffled_castle(rng: random.Random) -> Castle:
    """Return a Castle in the order of its ranks, each rank shuffled."""
    pile: list[Card] = []
    for rank in dict.fromkeys(CASTLE_RANKS):
        same = [Card(rank, suit) for suit in Suit]
        rng.shuffle(same)
        pile += same
    return Castle(tuple(pile))


def shuffled_tavern(rng: random.Random, players: int) -> Tavern:
    """Return a shuffled Tavern."""
    pile = list(tavern_cards(players))
    rng.shuffle(pile)
    return Tavern(tuple(pile))


def chance(state: State, rng: random.Random) -> Move | None:
    """Return what the cards decide in this phase, `None` where a player decides."""
    match state.phase:
        case Phase.CASTLE:
            return shuffled_castle(rng)
        case Phase.TAVERN:
            return shuffled_tavern(rng, state.options.players)
        case Phase.START:
            return Start(Seat(rng.randrange(state.options.players)))
        case Phase.HEAL:
            known = [card for card in state.discard if card is not None]
            if len(known) < state.to_heal:
                return Heal(state.to_heal)
            return Heal(state.to_heal, tuple(rng.sample(known, state.to_heal)))
        case Phase.DRAW:
            return Draw(draw_counts(state))
        case _:
            return None


# Players -----------------------------------------------------------------------------

Player: TypeAlias = Callable[[State, random.Random], Move]


def hand_of(state: State) -> list[Card]:
    """Return the known cards of the current player."""
    return [card for card in state.hands[state.current] if card is not None]


def choosable(state: State) -> list[Seat]:
    """Return whom the player of a Joker may choose."""
    seats = map(Seat, range(state.options.players))
    return [s for s in seats if s != state.current or state.options.joker_self]


def careless(state: State, rng: random.Random) -> Move:
    """Choose any legal move, discards in a random order."""
    seat = state.current
    match state.phase:
        case Phase.PLAY:
            moves: list[Move] = list(plays(state))
            if can_yield(state, seat):
                moves.append(Yield(seat))
            if state.jokers:
                moves.append(Flip(seat))
            if may_give_up(state, seat):
                moves.append(Lost(seat))
            return rng.choice(moves)
        case Phase.SUFFER:
            hand = hand_of(state)
            if total(hand) < state.suffer:
                return rng.choice((Flip(seat), Lost(seat)))
            rng.shuffle(hand)
            return Discard(seat, _until_covered(hand, state.suffer))
        case _:
            return Next(seat, rng.choice(choosable(state)))


def _until_covered(hand: Sequence[Card], suffer: int) -> tuple[Card, ...]:
    covered = 0
    for count, card in enumerate(hand, 1):
        covered += value(card)
        if covered >= suffer:
            return tuple(hand[:count])
    raise AssertionError("the hand does not cover the damage")


def careful(state: State, rng: random.Random) -> Move:
    """Choose what a player with some sense might: to stay alive, to hit exactly."""
    seat = state.current
    match state.phase:
        case Phase.PLAY:
            return _best_play(state, rng)
        case Phase.SUFFER:
            hand = hand_of(state)
            if total(hand) < state.suffer:
                return Flip(seat)
            return Discard(seat, _cheapest_cover(hand, state.suffer))
        case _:
            chosen = max(choosable(state), key=lambda other: len(state.hands[other]))
            return Next(seat, chosen)


def _best_play(state: State, rng: random.Random) -> Move:
    seat = state.current
    moves: list[Move] = list(plays(state))
    if may_give_up(state, seat):
        return Flip(seat) if state.jokers else Lost(seat)
    if can_yield(state, seat):
        moves.append(Yield(seat))
    return max(moves, key=lambda move: (_worth(state, move), rng.random()))


def _worth(state: State, move: Move) -> float:
    """Guess how good a play is: damage, what the powers bring, what it costs."""
    enemy = state.enemy
    assert enemy is not None
    hand = hand_of(state)
    if not isinstance(move, Play):
        return 0.0 if total(hand) >= state.attack else -200.0
    left = total(hand) - total(move.cards)
    if move.cards == (JOKER,):
        return 6.0 if state.immune else -5.0
    active = suits_of(move.cards) - {state.is_blocked}
    attack = total(move.cards)
    dealt = damage(move.cards, doubled=state.is_blocked is not Suit.CLUBS)
    missing = hit_points_of(enemy) - state.dealt - dealt
    shield = attack if Suit.SPADES in active else 0
    worth = dealt + 1.5 * min(shield, max(0, attack_of(enemy) - state.shield))
    if Suit.HEARTS in active:
        worth += 1.2 * min(attack, len(state.discard))
    if Suit.DIAMONDS in active:
        free = sum(state.options.hand_limit - len(hand) for hand in state.hands)
        worth += 2.5 * min(attack, len(state.tavern), free + len(move.cards))
    if missing <= 0:
        return worth + (80.0 if missing == 0 else 40.0)
    suffer = max(0, attack_of(enemy) - state.shield - shield)
    drawn = 3.0 if Suit.DIAMONDS in active else 0.0
    return worth - (150.0 if left + drawn < suffer else 0.5 * suffer)


def _cheapest_cover(hand: Sequence[Card], suffer: int) -> tuple[Card, ...]:
    """Return few points' worth of cards, sparing Jokers and companions."""
    worth, cost, highest = [0], [0], [0]
    best = 0
    for chosen in range(1, 1 << len(hand)):
        rest = chosen & (chosen - 1)
        card = hand[(chosen ^ rest).bit_length() - 1]
        spared = 50 if card == JOKER else 6 if card.rank is Rank.ACE else 0
        worth.append(worth[rest] + value(card))
        cost.append(cost[rest] + 4 * value(card) + spared)
        highest.append(max(highest[rest], value(card)))
        covers = worth[chosen] >= suffer > worth[chosen] - highest[chosen]
        if covers and (not best or cost[chosen] < cost[best]):
            best = chosen
    assert best
    return tuple(card for i, card in enumerate(hand) if best >> i & 1)


def game_moves(
    options: Options, rng: random.Random, player: Player
) -> Iterator[tuple[State, Move]]:
    """Yield every state of a random game with the move that follows, to its end."""
    state = GAME.setup(options)
    while state.phase is not Phase.OVER:
        move = chance(state, rng) or player(state, rng)
        yield state, move
        state = GAME.advance(state, move)


def disguised(state: State, seat: Seat | None) -> State:
    """Return the state with other cards wherever `seat` cannot see them."""
    if not state.hands:
        # Below its top the Castle is as secret as everything else.
        return replace(state, castle=_castle_turned(state.castle))
    known = [card for slots in _hidden(state, seat) for card in slots]
    cards_in_new_order = iter(known[1:] + known[:1])

    def redealt(slots: Slots) -> Slots:
        return tuple(next(cards_in_new_order) for _ in slots)

    hands = tuple(
        hand if other == seat else redealt(hand)
        for other, hand in enumerate(state.hands)
    )
    tavern = redealt(state.tavern)
    discard = state.discard
    if not state.options.discard_browse:
        discard = discard[:1] + redealt(discard[1:])
    castle = _castle_turned(state.castle)
    return replace(state, hands=hands, tavern=tavern, discard=discard, castle=castle)


def _hidden(state: State, seat: Seat | None) -> list[Slots]:
    hands = [hand for other, hand in enumerate(state.hands) if other != seat]
    below_top = () if state.options.discard_browse else state.discard[1:]
    return [*hands, state.tavern, below_top]


def _castle_turned(castle: Slots) -> Slots:
    """Return the Castle with each rank in another order."""
    ranks = CASTLE_RANKS[len(CASTLE_RANKS) - len(castle) :]
    turned: list[Card | None] = []
    for rank in dict.fromkeys(ranks):
        same = [c for c, r in zip(castle, ranks, strict=True) if r is rank]
        turned += reversed(same)
    return tuple(turned)
