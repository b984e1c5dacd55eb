"""Steps in which a rule, not a choice, says which cards leave a hand.

Known cards are sorted at once; a hand that the referee cannot see is sorted by its
holder, who shows what leaves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from engines.core import Objection, Option, RuleRef, Seat, Text
from engines.frantic.cards import CURSE, UNKNOWN, Colour, Hand, PlayCard
from engines.frantic.hands import is_known
from engines.frantic.moves import Handle, Move, Verb
from engines.frantic.piles import discard_under, hand_over, unseen_copies
from engines.frantic.rules import in_hand
from engines.frantic.selection import sentence
from engines.frantic.state import State, Step


class Sieve(StrEnum):
    """Which cards leave the hand."""

    COMBINATIONS = "combinations"
    """Every number that is held twice or more, whatever its colour."""
    COLOUR = "colour"
    """Every card that shows the colour in force (F-33)."""
    BLACK = "black"
    EVERYTHING = "everything"
    """All cards but the Curse, which cannot be discarded (F-34)."""


def sift(sieve: Sieve, cards: Hand, colour: Colour | None) -> Hand:
    """Return the cards that leave a hand."""
    match sieve:
        case Sieve.COMBINATIONS:
            numbers = [card.number for card in cards]
            return tuple(
                card
                for card in cards
                if card.number is not None and numbers.count(card.number) > 1
            )
        case Sieve.COLOUR:
            return tuple(card for card in cards if colour in card.colours)
        case Sieve.BLACK:
            return tuple(card for card in cards if card.is_black)
        case Sieve.EVERYTHING:
            return tuple(card for card in cards if card != CURSE)


@dataclass(frozen=True, slots=True)
class SortHand(Step):
    """`seat` discards, or gives to `to`, the cards that the sieve finds."""

    seat: Seat
    sieve: Sieve
    to: Seat | None = None
    step: str = "sort"
    rule: ClassVar[RuleRef] = RuleRef("5.2")

    @property
    def actor(self) -> Seat:
        return self.seat

    @property
    def verb(self) -> Verb:
        """Return how the cards leave the hand."""
        return Verb.DISCARD if self.to is None else Verb.GIVE

    def run(self, state: State) -> State | None:
        hand = state.hands[self.seat]
        if not is_known(hand):
            return None
        return self._gone(state, sift(self.sieve, hand, state.colour))

    def awaits(self, state: State) -> Text:
        return sentence(f"sorts_{self.sieve}", self.seat)

    def answers(self, state: State) -> None:
        return None

    def options(self, state: State) -> tuple[Option, ...]:
        hand = state.hands[self.seat]
        moves = [Handle(self.seat, self.verb, ())]
        if self.sieve is Sieve.EVERYTHING:
            moves = [
                Handle(self.seat, self.verb, (UNKNOWN,) * size)
                for size in self._sizes(state, hand)
            ]
        return tuple(Option(str(move), move.label, str(move)) for move in moves)

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Handle) or move.verb is not self.verb:
            return self.not_now(state)
        if move.seat != self.seat:
            return self.not_yours(state, move.seat)
        cards = tuple(card for card in move.cards if not isinstance(card, int))
        if len(cards) < len(move.cards):
            return Objection(RuleRef("4.1"), Text.of("frantic.name_the_cards"))
        if objection := in_hand(state, self.seat, cards):
            return objection
        hand = state.hands[self.seat]
        if self.sieve is Sieve.EVERYTHING:
            fits = len(cards) in self._sizes(state, hand) and CURSE not in cards
        else:
            fits = UNKNOWN not in cards and self._is_right(state, hand, cards)
        if fits:
            return None
        return Objection(self.rule, Text.of(f"frantic.unsorted_{self.sieve}"))

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Handle)
        return self._gone(
            state, tuple(card for card in move.cards if not isinstance(card, int))
        )

    def _sizes(self, state: State, hand: Hand) -> tuple[int, ...]:
        if CURSE in hand:
            return (len(hand) - 1,)
        if unseen_copies(state, CURSE) > 0:
            return (len(hand), len(hand) - 1)
        return (len(hand),)

    def _is_right(self, state: State, hand: Hand, cards: Sequence[PlayCard]) -> bool:
        """Whether all shown cards must go and no known card is held back."""
        left = list(hand)
        for card in cards:
            left.remove(card if card in left else UNKNOWN)
        stay = tuple(card for card in left if card != UNKNOWN)
        going = sift(self.sieve, tuple(cards), state.colour)
        together = sift(self.sieve, (*cards, *stay), state.colour)
        return len(going) == len(cards) == len(together)

    def _gone(self, state: State, cards: Hand) -> State:
        if self.to is None:
            return discard_under(state, self.seat, cards)
        return hand_over(state, self.seat, self.to, cards)
