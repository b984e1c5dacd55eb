"""Events in which single cards go from player to player, one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.attacks import TakeUnseen
from engines.frantic.cards import Hand
from engines.frantic.moves import Move, Target, Verb
from engines.frantic.piles import hand_over
from engines.frantic.rules import not_oneself
from engines.frantic.selection import OwnCards, sentence
from engines.frantic.state import Cause, State, Step
from engines.frantic.words import seat_name

RULE = RuleRef("5.2")
TRUSTED_CARDS = 2


def charity(state: State, cause: Cause) -> State:
    """Everybody takes one card from each of the largest hands, unseen (F-28)."""
    seats = state.involved(cause)
    most = max((len(state.hands[seat]) for seat in seats), default=0)
    rich = tuple(seat for seat in seats if len(state.hands[seat]) == most)
    takers = (seat for seat in seats if seat not in rich)
    return state.push(
        *(TakeAlms(taker, holder, 1) for taker in takers for holder in rich)
    )


def crowdfunding(state: State, cause: Cause) -> State:
    """Everybody gives one card to each of the smallest hands."""
    seats = state.involved(cause)
    fewest = min((len(state.hands[seat]) for seat in seats), default=0)
    poor = tuple(seat for seat in seats if len(state.hands[seat]) == fewest)
    givers = (seat for seat in seats if seat not in poor)
    return state.push(
        *(GiveInEvent(giver, other, 1) for giver in givers for other in poor)
    )


def trust_fall(state: State, cause: Cause) -> State:
    """In turn everybody names a player who must give him two cards."""
    seats = state.involved(cause)
    return state.push(*(NameGiver(seat, seats) for seat in seats))


class TakeAlms(TakeUnseen):
    """One card of a large hand, for Charity."""

    __slots__ = ()
    rule = RULE


@dataclass(frozen=True, slots=True)
class GiveInEvent(OwnCards):
    """`seat` picks cards for `to`; events may pass on Fuck You (5.1)."""

    seat: Seat
    to: Seat
    most: int
    step: str = "give-in-event"
    rule: ClassVar[RuleRef] = RULE
    verb: ClassVar[Verb] = Verb.GIVE

    def awaits(self, state: State) -> Text:
        return sentence("gives", self.seat, self.to, number=max(self.sizes(state)))

    def chosen(self, state: State, cards: Hand) -> State:
        return hand_over(state, self.seat, self.to, cards)


@dataclass(frozen=True, slots=True)
class NameGiver(Step):
    """`seat` names who must give him two cards."""

    seat: Seat
    seats: tuple[Seat, ...]
    step: str = "trust"
    rule: ClassVar[RuleRef] = RULE

    @property
    def actor(self) -> Seat:
        return self.seat

    def run(self, state: State) -> State | None:
        return None if len(self.seats) > 1 else state

    def awaits(self, state: State) -> Text:
        return sentence("trusts", self.seat)

    def answers(self, state: State) -> Iterable[Move]:
        return (Target(self.seat, seat) for seat in self.seats if seat != self.seat)

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Target) or move.victim is None:
            return self.not_now(state)
        if move.seat != self.seat:
            return self.not_yours(state, move.seat)
        return not_oneself(self.seat, move.victim) or takes_part(
            self.seats, move.victim
        )

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Target)
        assert move.victim is not None
        return state.push(GiveInEvent(move.victim, self.seat, TRUSTED_CARDS))


def takes_part(seats: tuple[Seat, ...], seat: Seat) -> Objection | None:
    """Who is protected by Lucky Bastard takes no part in the event (4.3)."""
    if seat in seats:
        return None
    reason = Text.of("frantic.is_protected", seat=seat_name(seat))
    return Objection(RuleRef("4.3"), reason)
