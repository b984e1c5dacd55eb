"""Events in which all choose before any card moves (F-39)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from engines.core import Objection, Option, Question, RuleRef, Seat, Text
from engines.frantic.cards import CURSE, UNKNOWN, Hand, PlayCard
from engines.frantic.events.distributing import shuffles
from engines.frantic.events.giving import takes_part
from engines.frantic.hands import is_known, without
from engines.frantic.moves import GiveTo, Handle, Move, Shuffle, Verb
from engines.frantic.piles import lose, note, unseen_copies
from engines.frantic.rules import in_hand, not_oneself
from engines.frantic.selection import sentence
from engines.frantic.state import Cause, State, Step

RULE = RuleRef("5.2")


class Together(Step):
    """Everybody who has something to choose does so, in any order."""

    __slots__ = ()
    rule: ClassVar[RuleRef] = RULE
    message: ClassVar[str]

    @abstractmethod
    def pending(self, state: State) -> tuple[Seat, ...]:
        """Return who still has to choose."""

    @abstractmethod
    def answers_of(self, state: State, seat: Seat) -> Iterable[Move]:
        """Yield what one player may choose, as far as the referee sees his hand."""

    def awaits(self, state: State) -> Text:
        return sentence(self.message, self.pending(state)[0])

    def answers(self, state: State) -> Iterable[Move] | None:
        pending = self.pending(state)
        if not all(is_known(state.hands[seat]) for seat in pending):
            return None
        return (move for seat in pending for move in self.answers_of(state, seat))

    def questions(self, state: State) -> tuple[Question, ...]:
        return tuple(
            Question(
                id=f"{self.step}.{seat + 1}",
                to=seat,
                text=sentence(self.message, seat),
                options=tuple(
                    Option(str(move), move.label, str(move))
                    for move in self.answers_of(state, seat)
                ),
                rule=self.rule,
            )
            for seat in self.pending(state)
        )


@dataclass(frozen=True, slots=True)
class Present:
    """A card that `seat` has promised to `to`."""

    seat: Seat
    card: PlayCard
    to: Seat


class Giving(Together):
    """Presents that change hands when everybody has chosen."""

    __slots__ = ()
    seats: tuple[Seat, ...]
    presents: tuple[Present, ...]
    may_give_all: ClassVar[bool]

    def left(self, state: State, seat: Seat) -> Hand:
        """Return what a hand still holds besides the promised cards."""
        promised = [p.card for p in self.presents if p.seat == seat]
        return without(state.hands[seat], promised)

    def run(self, state: State) -> State | None:
        if len(self.seats) < 2:
            return state
        if self.pending(state):
            return None
        for seat in self.seats:
            cards = [p.card for p in self.presents if p.seat == seat]
            state = lose(state, seat, cards)
        for seat in self.seats:
            got = tuple(p.card for p in self.presents if p.to == seat)
            state = state.with_hands({seat: state.hands[seat] + got})
        return state

    def answers_of(self, state: State, seat: Seat) -> Iterable[Move]:
        left = self.left(state, seat)
        for to in self.seats:
            if to != seat:
                yield from (GiveTo(seat, card, to) for card in sorted(set(left)))
                if self.may_give_all:
                    yield GiveTo(seat, None, to)

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, GiveTo) or (
            move.card is None and not self.may_give_all
        ):
            return self.not_now(state)
        if move.seat not in self.pending(state):
            return self.not_yours(state, move.seat)
        if objection := not_oneself(move.seat, move.to):
            return objection
        if objection := takes_part(self.seats, move.to):
            return objection
        if move.card is None:
            return None
        left = self.left(state, move.seat)
        return in_hand(state.with_hands({move.seat: left}), move.seat, (move.card,))

    def promised(self, state: State, move: Move) -> tuple[Present, ...]:
        """Return the presents with those of `move`, in the order of the seats."""
        assert isinstance(move, GiveTo)
        cards = (move.card,) if move.card else self.left(state, move.seat)
        new = tuple(Present(move.seat, card, move.to) for card in cards)
        both = self.presents + new
        return tuple(sorted(both, key=lambda present: self.seats.index(present.seat)))

    @staticmethod
    def promise(state: State, step: Giving) -> State:
        """Return the state that goes on with `step`; named cards are known now."""
        for seat in step.seats:
            cards = [p.card for p in step.presents if p.seat == seat]
            if UNKNOWN not in cards:
                state = note(state, seat, cards)
        return state.push(step)


@dataclass(frozen=True, slots=True)
class GiveAll(Giving):
    """Merry Christmas: everybody gives away his whole hand."""

    seats: tuple[Seat, ...]
    presents: tuple[Present, ...] = ()
    step: str = "christmas"
    message: ClassVar[str] = "gives_all"
    may_give_all: ClassVar[bool] = True

    def pending(self, state: State) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats if self.left(state, seat))

    def take(self, state: State, move: Move) -> State:
        return self.promise(state, replace(self, presents=self.promised(state, move)))


@dataclass(frozen=True, slots=True)
class GiveOne(Giving):
    """Surprise Party: everybody gives one card to somebody."""

    seats: tuple[Seat, ...]
    presents: tuple[Present, ...] = ()
    step: str = "party"
    message: ClassVar[str] = "gives_one"
    may_give_all: ClassVar[bool] = False

    def pending(self, state: State) -> tuple[Seat, ...]:
        done = {present.seat for present in self.presents}
        return tuple(s for s in self.seats if s not in done and state.hands[s])

    def take(self, state: State, move: Move) -> State:
        return self.promise(state, replace(self, presents=self.promised(state, move)))


def merry_christmas(state: State, cause: Cause) -> State:
    """Everybody gives away the whole hand, split as he likes."""
    return state.push(GiveAll(state.involved(cause)))


def surprise_party(state: State, cause: Cause) -> State:
    """Everybody gives one card to a player of his choice."""
    return state.push(GiveOne(state.involved(cause)))


def russian_roulette(state: State, cause: Cause) -> State:
    """Everybody puts one card down; shuffled, they go on top of the draw pile."""
    return state.push(PutDown(state.involved(cause)))


@dataclass(frozen=True, slots=True)
class PutDown(Together):
    """Everybody puts down one card; the Curse stays in the hand (F-20)."""

    seats: tuple[Seat, ...]
    put: tuple[tuple[Seat, tuple[PlayCard, ...]], ...] = ()
    """One card of each who has chosen, or none of who holds only the Curse."""
    step: str = "roulette"
    message: ClassVar[str] = "puts_down"

    def run(self, state: State) -> State | None:
        if self.pending(state):
            return None
        cards = tuple(card for _, cards in self.put for card in cards)
        return state.push(ShuffleOnPile(self.put)) if cards else state

    def pending(self, state: State) -> tuple[Seat, ...]:
        done = {seat for seat, _ in self.put}
        return tuple(
            seat
            for seat in self.seats
            if seat not in done and any(c != CURSE for c in state.hands[seat])
        )

    def answers_of(self, state: State, seat: Seat) -> Iterable[Move]:
        hand = state.hands[seat]
        for card in sorted(set(hand) - {CURSE}):
            yield Handle(seat, Verb.PUT, (card,))
        if self._may_hold_only_curse(state, seat):
            yield Handle(seat, Verb.PUT, ())

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Handle) or move.verb is not Verb.PUT:
            return self.not_now(state)
        if move.seat not in self.pending(state):
            return self.not_yours(state, move.seat)
        if not move.cards and self._may_hold_only_curse(state, move.seat):
            return None
        cards = tuple(card for card in move.cards if not isinstance(card, int))
        if len(cards) != 1 or len(move.cards) != 1:
            return Objection(self.rule, Text.of("frantic.one_card"))
        if CURSE in cards:
            return Objection(RuleRef("F-20"), Text.of("frantic.curse_stays"))
        return in_hand(state, move.seat, cards)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Handle)
        cards = tuple(card for card in move.cards if not isinstance(card, int))
        put = (*self.put, (move.seat, cards))
        put = tuple(sorted(put, key=lambda entry: self.seats.index(entry[0])))
        state = note(state, move.seat, cards)
        return state.push(replace(self, put=put))

    def _may_hold_only_curse(self, state: State, seat: Seat) -> bool:
        return state.hands[seat] == (UNKNOWN,) and unseen_copies(state, CURSE) > 0


@dataclass(frozen=True, slots=True)
class ShuffleOnPile(Step):
    """The cards that were put down are shuffled and go on top of the draw pile."""

    put: tuple[tuple[Seat, tuple[PlayCard, ...]], ...]
    step: str = "roulette-shuffle"
    rule: ClassVar[RuleRef] = RULE

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.shuffle_put")

    def answers(self, state: State) -> None:
        return None

    def objection(self, state: State, move: Move) -> Objection | None:
        return shuffles(self, state, move, self._all())

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Shuffle)
        for seat, cards in self.put:
            state = lose(state, seat, cards)
        pile = move.cards or (UNKNOWN,) * len(self._all())
        return replace(state, pile=pile + state.pile)

    def _all(self) -> Hand:
        return tuple(card for _, cards in self.put for card in cards)
