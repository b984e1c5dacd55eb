"""Steps in which somebody picks cards out of a hand."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import ClassVar

from engines.core import Objection, Option, RuleRef, Seat, Text
from engines.frantic.cards import UNKNOWN, Hand, PlayCard
from engines.frantic.hands import at_places, can_hold, choices, is_known
from engines.frantic.moves import Handle, Move, Pick, Verb
from engines.frantic.piles import unseen_copies
from engines.frantic.rules import copies_left
from engines.frantic.state import State, Step
from engines.frantic.words import card_name, seat_name


class Selection(Step):
    """`seat` picks cards of a hand and something is done with them."""

    __slots__ = ()
    seat: Seat
    most: int
    """How many cards are picked if there are enough."""
    verb: ClassVar[Verb]
    is_blind: ClassVar[bool] = False
    """The cards are picked without looking at them."""
    stays: ClassVar[PlayCard | None] = None
    """A card that may not be picked."""

    @property
    def actor(self) -> Seat:
        return self.seat

    @abstractmethod
    def source(self, state: State) -> Hand:
        """Return the cards to pick from."""

    @abstractmethod
    def chosen(self, state: State, cards: Hand) -> State:
        """Return the state after the pick."""

    def pickable(self, state: State) -> Hand:
        """Return the cards of the source that may be picked."""
        return tuple(card for card in self.source(state) if card != self.stays)

    def sizes(self, state: State) -> set[int]:
        """Return how many cards may be picked: one number, or two where the referee
        cannot see whether a card has to stay."""
        free = len(self.pickable(state))
        sizes = {min(self.most, free)}
        if self._may_hold_what_stays(state):
            sizes.add(min(self.most, free - 1))
        return sizes

    def run(self, state: State) -> State | None:
        if self.sizes(state) == {0}:
            return self.chosen(state, ())
        return None

    def hidden(self, state: State) -> Iterable[Move]:
        """Yield the picks of a hand that the referee cannot see."""
        for size in sorted(self.sizes(state), reverse=True):
            yield Handle(self.seat, self.verb, (UNKNOWN,) * size)

    def answers(self, state: State) -> Iterable[Move] | None:
        source = self.source(state)
        if not is_known(source):
            return self.hidden(state) if self.is_blind else None
        (size,) = self.sizes(state)
        picks: Iterable[Sequence[Pick]] = (
            combinations(range(1, len(source) + 1), size)
            if self.is_blind
            else choices(self.pickable(state), size)
        )
        return (Handle(self.seat, self.verb, tuple(cards)) for cards in picks)

    def options(self, state: State) -> tuple[Option, ...]:
        moves = self.answers(state)
        return tuple(
            Option(str(move), move.label, str(move))
            for move in (self.hidden(state) if moves is None else moves)
        )

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Handle) or move.verb is not self.verb:
            return self.not_now(state)
        if move.seat != self.seat:
            return self.not_yours(state, move.seat)
        sizes = self.sizes(state)
        if len(move.cards) not in sizes:
            return self._wrong_number(len(move.cards), max(sizes))
        if self.is_blind:
            return self._blind(state, move.cards)
        return self._by_name(state, move.cards)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Handle)
        return self.chosen(state, at_places(self.source(state), move.cards))

    def _may_hold_what_stays(self, state: State) -> bool:
        source = self.source(state)
        if self.stays is None or is_known(source) or self.stays in source:
            return False
        return unseen_copies(state, self.stays) > 0

    def _wrong_number(self, number: int, right: int) -> Objection:
        reason = Text.of("frantic.wrong_number", number=number, right=right)
        return Objection(self.rule, reason)

    def _blind(self, state: State, picks: Sequence[Pick]) -> Objection | None:
        source = self.source(state)
        places = [pick for pick in picks if isinstance(pick, int)]
        if not is_known(source):
            seen = any(pick != UNKNOWN for pick in picks)
            return Objection(self.rule, Text.of("frantic.pick_blind")) if seen else None
        if len(places) < len(picks):
            return Objection(self.rule, Text.of("frantic.pick_by_place"))
        if len(set(places)) < len(places) or max(places) > len(source):
            return Objection(self.rule, Text.of("frantic.no_such_place"))
        return None

    def _by_name(self, state: State, picks: Sequence[Pick]) -> Objection | None:
        source = self.source(state)
        cards = [pick for pick in picks if not isinstance(pick, int)]
        if len(cards) < len(picks) or (is_known(source) and UNKNOWN in cards):
            return Objection(RuleRef("4.1"), Text.of("frantic.name_the_cards"))
        if self.stays in cards:
            assert self.stays is not None
            reason = Text.of("frantic.card_stays", card=card_name(self.stays))
            return Objection(self.rule, reason)
        if not can_hold(source, cards):
            return Objection(RuleRef("4.1"), Text.of("frantic.not_there"))
        return copies_left(state, source, cards)


class OwnCards(Selection):
    """A selection from the actor's own hand."""

    __slots__ = ()

    def source(self, state: State) -> Hand:
        return state.hands[self.seat]


def sentence(
    message: str, seat: Seat, other: Seat | None = None, **values: int
) -> Text:
    """Return a sentence about one player, or about what he does with another."""
    if other is None:
        return Text.of(f"frantic.{message}", seat=seat_name(seat), **values)
    return Text.of(
        f"frantic.{message}", seat=seat_name(seat), other=seat_name(other), **values
    )
