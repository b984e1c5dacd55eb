"""Gambling Man: hidden bids of the colour in force, the highest takes them all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from engines.core import Objection, Seat, Text
from engines.frantic.cards import Colour, PlayCard
from engines.frantic.events.together import Together
from engines.frantic.hands import is_known
from engines.frantic.moves import Handle, Move, Verb
from engines.frantic.piles import draw_in_turn, lose, note, possible_cards
from engines.frantic.rules import in_hand
from engines.frantic.state import Cause, State
from engines.frantic.words import colour_name

NO_BID_CARDS = 2


def gambling_man(state: State, cause: Cause) -> State:
    """Everybody bids, if a colour has been played at all."""
    if state.colour is None:
        return state
    return state.push(Bidding(state.involved(cause), state.colour))


@dataclass(frozen=True, slots=True)
class Bidding(Together):
    """Everybody bids a number card of the colour, or has none (F-31)."""

    seats: tuple[Seat, ...]
    colour: Colour
    bids: tuple[tuple[Seat, tuple[PlayCard, ...]], ...] = ()
    step: str = "bid"
    message: ClassVar[str] = "bids"

    def pending(self, state: State) -> tuple[Seat, ...]:
        done = {seat for seat, _ in self.bids}
        return tuple(seat for seat in self.seats if seat not in done)

    def run(self, state: State) -> State | None:
        if self.pending(state):
            return None
        laid = {seat: cards[0] for seat, cards in self.bids if cards}
        for seat, card in laid.items():
            state = lose(state, seat, (card,))
        if laid:
            loser = max(laid, key=lambda seat: laid[seat].number or 0)
            hand = state.hands[loser] + tuple(laid.values())
            state = state.with_hands({loser: hand})
        without = (seat for seat in self.seats if seat not in laid)
        return draw_in_turn(state, dict.fromkeys(without, NO_BID_CARDS))

    def answers(self, state: State) -> Iterable[Move]:
        return (
            move
            for seat in self.pending(state)
            for move in self.answers_of(state, seat)
        )

    def answers_of(self, state: State, seat: Seat) -> Iterable[Move]:
        for card in possible_cards(state, state.hands[seat]):
            if self._may_bid(card):
                yield Handle(seat, Verb.BID, (card,))
        if self._may_have_none(state, seat):
            yield Handle(seat, Verb.BID, ())

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Handle) or move.verb is not Verb.BID:
            return self.not_now(state)
        if move.seat not in self.pending(state):
            return self.not_yours(state, move.seat)
        if not move.cards:
            if self._may_have_none(state, move.seat):
                return None
            return Objection(self.rule, Text.of("frantic.must_bid"))
        cards = tuple(card for card in move.cards if not isinstance(card, int))
        if len(cards) != 1 or len(move.cards) != 1 or not self._may_bid(cards[0]):
            reason = Text.of("frantic.bid_number", colour=colour_name(self.colour))
            return Objection(self.rule, reason)
        return in_hand(state, move.seat, cards)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Handle)
        cards = tuple(card for card in move.cards if not isinstance(card, int))
        bids = (*self.bids, (move.seat, cards))
        bids = tuple(sorted(bids, key=lambda bid: self.seats.index(bid[0])))
        state = note(state, move.seat, cards)
        return state.push(replace(self, bids=bids))

    def _may_bid(self, card: PlayCard) -> bool:
        return card.number is not None and self.colour in card.colours

    def _may_have_none(self, state: State, seat: Seat) -> bool:
        hand = state.hands[seat]
        return not is_known(hand) or not any(self._may_bid(card) for card in hand)
