"""Special cards that are aimed at somebody: one small class per card (5.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.cards import FY, Hand, Special
from engines.frantic.hands import is_known, without
from engines.frantic.moves import Handle, Move, Verb
from engines.frantic.piles import draw, hand_over, lose, note
from engines.frantic.rules import (
    holds_fewer,
    in_hand,
    not_oneself,
    not_waiting_already,
)
from engines.frantic.scoring import taken_unequally
from engines.frantic.selection import OwnCards, Selection, sentence
from engines.frantic.state import State, Step

RULE = RuleRef("5.1")


class Attack(Protocol):
    """What an aimed card does to its victim."""

    def spares(self, state: State, seat: Seat, victim: Seat) -> Objection | None:
        """Return why `victim` cannot be chosen."""

    def strike(self, state: State, seat: Seat, victim: Seat) -> State:
        """Return the state with the effect carried out, or its steps to come."""


class Aimed:
    """An attack that may hit any other player."""

    def spares(self, state: State, seat: Seat, victim: Seat) -> Objection | None:
        return not_oneself(seat, victim)


class Gift(Aimed):
    """Two own cards go to the victim."""

    def strike(self, state: State, seat: Seat, victim: Seat) -> State:
        return state.push(GiveCards(seat, victim, 2))


class Exchange(Aimed):
    """Two own cards go to the victim, two of his are taken unseen."""

    def strike(self, state: State, seat: Seat, victim: Seat) -> State:
        return state.push(OfferCards(seat, victim))


class Thief(Aimed):
    """The thief looks at a hand and takes two cards of his choice."""

    def strike(self, state: State, seat: Seat, victim: Seat) -> State:
        return state.push(StealCards(seat, victim))


class Skip:
    """The victim sits out his next turn."""

    def spares(self, state: State, seat: Seat, victim: Seat) -> Objection | None:
        return not_oneself(seat, victim) or not_waiting_already(state, victim)

    def strike(self, state: State, seat: Seat, victim: Seat) -> State:
        return replace(state, skips=(*state.skips, victim))


class Equality:
    """The victim draws up to the number of cards of the attacker."""

    def spares(self, state: State, seat: Seat, victim: Seat) -> Objection | None:
        return not_oneself(seat, victim) or holds_fewer(state, seat, victim)

    def strike(self, state: State, seat: Seat, victim: Seat) -> State:
        return draw(state, victim, len(state.hands[seat]) - len(state.hands[victim]))


class Inequality(Aimed):
    """The victim takes cards unseen until he holds more than the attacker."""

    def strike(self, state: State, seat: Seat, victim: Seat) -> State:
        number = taken_unequally(len(state.hands[seat]), len(state.hands[victim]))
        return state.push(TakeUnseen(victim, seat, number))


class Favours(Aimed):
    """Both exchange all their special cards; the attacker keeps Fuck You (F-19)."""

    def strike(self, state: State, seat: Seat, victim: Seat) -> State:
        return state.push(SwapSpecials(seat, victim))


ATTACKS: Mapping[Special, Attack] = {
    Special.EXCHANGE: Exchange(),
    Special.GIFT: Gift(),
    Special.SKIP: Skip(),
    Special.THIEF: Thief(),
    Special.EQUALITY: Equality(),
    Special.INEQUALITY: Inequality(),
    Special.FAVOURS: Favours(),
}
"""Fantastic Four is aimed at several players and lives in `four.py`."""


@dataclass(frozen=True, slots=True)
class GiveCards(OwnCards):
    """`seat` picks cards for `to`; Fuck You is never passed on purpose."""

    seat: Seat
    to: Seat
    most: int
    step: str = "give"
    rule: ClassVar[RuleRef] = RULE
    verb: ClassVar[Verb] = Verb.GIVE
    stays = FY

    def awaits(self, state: State) -> Text:
        return sentence("gives", self.seat, self.to, number=max(self.sizes(state)))

    def chosen(self, state: State, cards: Hand) -> State:
        return hand_over(state, self.seat, self.to, cards)


@dataclass(frozen=True, slots=True)
class OfferCards(OwnCards):
    """The first half of an Exchange; what is given waits for what is taken (F-13)."""

    seat: Seat
    victim: Seat
    most: int = 2
    step: str = "exchange"
    rule: ClassVar[RuleRef] = RULE
    verb: ClassVar[Verb] = Verb.GIVE
    stays = FY

    def awaits(self, state: State) -> Text:
        return sentence("gives", self.seat, self.victim, number=max(self.sizes(state)))

    def chosen(self, state: State, cards: Hand) -> State:
        return state.push(ReceiveCards(self.seat, self.victim, cards))


@dataclass(frozen=True, slots=True)
class ReceiveCards(Selection):
    """The second half of an Exchange."""

    seat: Seat
    victim: Seat
    offered: Hand
    most: int = 2
    step: str = "exchange-take"
    rule: ClassVar[RuleRef] = RULE
    verb: ClassVar[Verb] = Verb.TAKE
    is_blind = True

    def source(self, state: State) -> Hand:
        return state.hands[self.victim]

    def awaits(self, state: State) -> Text:
        number = max(self.sizes(state))
        return sentence("takes_unseen", self.seat, self.victim, number=number)

    def chosen(self, state: State, cards: Hand) -> State:
        state = lose(state, self.seat, self.offered)
        state = hand_over(state, self.victim, self.seat, cards)
        hand = state.hands[self.victim] + self.offered
        return state.with_hands({self.victim: hand})


@dataclass(frozen=True, slots=True)
class TakeUnseen(Selection):
    """`seat` takes cards of `source_seat` without looking at them."""

    seat: Seat
    source_seat: Seat
    most: int
    step: str = "take"
    rule: ClassVar[RuleRef] = RULE
    verb: ClassVar[Verb] = Verb.TAKE
    is_blind = True

    def source(self, state: State) -> Hand:
        return state.hands[self.source_seat]

    def awaits(self, state: State) -> Text:
        number = max(self.sizes(state))
        return sentence("takes_unseen", self.seat, self.source_seat, number=number)

    def chosen(self, state: State, cards: Hand) -> State:
        return hand_over(state, self.source_seat, self.seat, cards)


@dataclass(frozen=True, slots=True)
class StealCards(Selection):
    """A Thief picks two cards he has looked at; Fuck You is only taken unseen."""

    seat: Seat
    victim: Seat
    most: int = 2
    step: str = "steal"
    rule: ClassVar[RuleRef] = RULE
    verb: ClassVar[Verb] = Verb.TAKE
    stays = FY

    def source(self, state: State) -> Hand:
        return state.hands[self.victim]

    def awaits(self, state: State) -> Text:
        number = max(self.sizes(state))
        return sentence("steals", self.seat, self.victim, number=number)

    def chosen(self, state: State, cards: Hand) -> State:
        return hand_over(state, self.victim, self.seat, cards)


@dataclass(frozen=True, slots=True)
class SwapSpecials(Step):
    """Special Favours: known hands are sorted by rule, others by their holders."""

    seat: Seat
    victim: Seat
    given: Hand | None = None
    """What the attacker hands over, once it is known."""
    step: str = "favours"
    rule: ClassVar[RuleRef] = RULE

    @property
    def actor(self) -> Seat:
        return self.seat if self.given is None else self.victim

    def run(self, state: State) -> State | None:
        hand = state.hands[self.actor]
        if not is_known(hand):
            return None
        return self._sorted(state, self._specials(hand))

    def awaits(self, state: State) -> Text:
        return sentence("sorts_specials", self.actor)

    def answers(self, state: State) -> None:
        return None

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Handle) or move.verb is not Verb.GIVE:
            return self.not_now(state)
        if move.seat != self.actor:
            return self.not_yours(state, move.seat)
        cards = tuple(card for card in move.cards if not isinstance(card, int))
        if len(cards) < len(move.cards):
            return Objection(RuleRef("4.1"), Text.of("frantic.name_the_cards"))
        if any(card.number is not None for card in cards):
            return Objection(self.rule, Text.of("frantic.specials_only"))
        if self.given is None and FY in cards:
            return Objection(RuleRef("F-19"), Text.of("frantic.fy_stays"))
        hand = state.hands[self.actor]
        must = self._specials(hand)
        if any(cards.count(card) < must.count(card) for card in set(must)):
            return Objection(self.rule, Text.of("frantic.all_of_them"))
        return in_hand(state, self.actor, cards)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Handle)
        return self._sorted(
            state, tuple(card for card in move.cards if not isinstance(card, int))
        )

    def _specials(self, hand: Hand) -> Hand:
        keeps = FY if self.given is None else None
        return tuple(card for card in hand if card.special and card != keeps)

    def _sorted(self, state: State, cards: Hand) -> State:
        if self.given is None:
            state = note(state, self.seat, cards)
            return state.push(replace(self, given=cards))
        mine = without(state.hands[self.seat], self.given) + cards
        theirs = without(state.hands[self.victim], cards) + self.given
        return state.with_hands({self.seat: mine, self.victim: theirs})
