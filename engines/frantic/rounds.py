"""Rounds: dealing, the start card, counting, and who deals next (2, 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from engines.core import Objection, Question, RuleRef, Seat, Text
from engines.frantic.cards import CURSE, FY, UNKNOWN, deck
from engines.frantic.event import events
from engines.frantic.events.showing import learn, shows_hand
from engines.frantic.flipping import flippable, flips
from engines.frantic.hands import is_known
from engines.frantic.moves import Deal, Flip, Handle, Move, NameDealer, Verb
from engines.frantic.piles import flip
from engines.frantic.scoring import hand_points, highest, round_points
from engines.frantic.selection import sentence
from engines.frantic.specials import lay
from engines.frantic.state import End, State, Step
from engines.frantic.turn import EndTurn, perform
from engines.frantic.words import seat_name

FIRST_HAND = 7


@dataclass(frozen=True, slots=True)
class DealCards(Step):
    """Play cards and events are shuffled, seven cards dealt to each (2)."""

    step: str = "deal"
    rule: ClassVar[RuleRef] = RuleRef("2")

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.deals", seat=seat_name(state.dealer))

    def answers(self, state: State) -> None:
        return None

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Deal):
            return self.not_now(state)
        if move == Deal():
            return None
        starred = state.options.starred
        if Counter(move.cards) != Counter(deck(starred=starred)):
            return Objection(RuleRef("1.1"), Text.of("frantic.not_the_deck"))
        if sorted(move.events) != sorted(events(starred=starred)):
            return Objection(RuleRef("1.2"), Text.of("frantic.not_the_events"))
        return None

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Deal)
        starred, players = state.options.starred, state.options.players
        cards = move.cards or (UNKNOWN,) * len(deck(starred=starred))
        dealt = players * FIRST_HAND
        return State(
            options=state.options,
            dealer=state.dealer,
            accounts=state.accounts,
            order=state.order,
            round=state.round,
            gains=state.gains,
            mover=state.dealer,
            hands=((),) * players,
            pile=cards[dealt:],
            event_pile=move.events or (None,) * len(events(starred=starred)),
            steps=(StartCard(),),
        ).with_hands(
            {
                seat: cards[at:dealt:players]
                for at, seat in enumerate(state.from_right_of(state.dealer))
            }
        )


@dataclass(frozen=True, slots=True)
class StartCard(Step):
    """The top card starts the round as if the dealer had played it (F-05)."""

    step: str = "start-card"
    rule: ClassVar[RuleRef] = RuleRef("F-05")

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.turn_cards", number=1)

    def answers(self, state: State) -> Iterable[Move] | None:
        return flippable(state, 1)

    def objection(self, state: State, move: Move) -> Objection | None:
        return flips(self, state, move, 1)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Flip)
        (card,) = move.cards
        state = flip(state, move.cards)
        if card == CURSE:
            return replace(state, pile=(*state.pile, card)).push(self)
        state = replace(state, discard=(card,)).push(EndTurn())
        if card == FY:
            return state
        if state.options.start_effects:
            return perform(state, state.dealer, card)
        return lay(state, state.dealer, card)


@dataclass(frozen=True, slots=True)
class CountRound(Step):
    """A round is over: hands are counted, the next one begins or the game ends."""

    step: str = "count"
    rule: ClassVar[RuleRef] = RuleRef("6")

    def run(self, state: State) -> State | None:
        assert state.ending is not None
        if not state.options.points:
            return state
        if self._unseen(state):
            return None
        scoring = state.options.scoring
        counted = self._counted(state)
        points = [
            hand_points(hand, scoring) if Seat(seat) in counted else 0
            for seat, hand in enumerate(state.hands)
        ]
        out = [Seat(seat) for seat, hand in enumerate(state.hands) if not hand]
        gains = round_points(state.ending, state.bomb, points, out=out)
        accounts = (a + gain for a, gain in zip(state.accounts, gains, strict=True))
        state = replace(state, gains=gains, accounts=tuple(accounts))
        is_over = max(state.accounts) >= state.options.limit
        return state if is_over else next_dealer(state)

    def awaits(self, state: State) -> Text:
        return sentence("lays_out", self._unseen(state)[0])

    def answers(self, state: State) -> None:
        return None

    def questions(self, state: State) -> tuple[Question, ...]:
        return tuple(
            Question(
                id=f"{self.step}.{seat + 1}",
                to=seat,
                text=sentence("lays_out", seat),
                options=(),
                rule=self.rule,
            )
            for seat in self._unseen(state)
        )

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Handle) or move.verb is not Verb.SHOW:
            return self.not_now(state)
        return shows_hand(self, state, move)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Handle)
        return learn(state, move).push(self)

    def _counted(self, state: State) -> tuple[Seat, ...]:
        """Whose cards count: after Doomsday nobody's, and not those of a player whom
        Lucky Bastard protects from the Finish Line (F-17)."""
        assert state.ending is not None
        match state.ending.end:
            case End.DOOMSDAY:
                return ()
            case End.FINISH_LINE:
                immune = state.ending.immune
                return tuple(s for s in state.options.seats if s not in immune)
            case _:
                return state.options.seats

    def _unseen(self, state: State) -> tuple[Seat, ...]:
        counted = self._counted(state)
        return tuple(seat for seat in counted if not is_known(state.hands[seat]))


def next_dealer(state: State) -> State:
    """Return the state before the next round; of several with most points one is
    named (F-41)."""
    most = highest(state.gains)
    state = replace(state, ending=None, round=state.round + 1)
    if len(most) > 1:
        return state.push(PickDealer(most))
    return replace(state, dealer=most[0]).push(DealCards())


@dataclass(frozen=True, slots=True)
class PickDealer(Step):
    """Several players have most points: one of them deals."""

    candidates: tuple[Seat, ...]
    step: str = "dealer"
    rule: ClassVar[RuleRef] = RuleRef("F-41")

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.who_deals")

    def answers(self, state: State) -> Iterable[Move]:
        return (NameDealer(seat) for seat in self.candidates)

    def default(self, state: State) -> Move:
        in_turn = (*state.others(state.dealer), state.dealer)
        return NameDealer(next(seat for seat in in_turn if seat in self.candidates))

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, NameDealer):
            return self.not_now(state)
        if move.seat in self.candidates:
            return None
        reason = Text.of("frantic.not_most_points", seat=seat_name(move.seat))
        return Objection(self.rule, reason)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, NameDealer)
        return replace(state, dealer=move.seat).push(DealCards())
