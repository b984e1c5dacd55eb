"""Steps in which a player says what comes next: wishes and colours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.cards import NUMBERS, Colour, PlayCard, Special
from engines.frantic.moves import Move, NameColour, Wish
from engines.frantic.selection import sentence
from engines.frantic.state import State, Step, Top
from engines.frantic.words import cards_named, colour_name

NUMBER_WISHES = frozenset({Special.FANTASTIC, Special.FOUR})
"""The cards that may wish a number instead of a colour (F-07)."""


def match(state: State, top: Top) -> State:
    """Return the state in which the next card must match `top`."""
    return replace(state, top=top, colour=top.colour or state.colour)


@dataclass(frozen=True, slots=True)
class MakeWish(Step):
    """`seat` wishes a colour, with some cards a number, or nothing (F-08)."""

    seat: Seat
    with_numbers: bool
    step: str = "wish"
    rule: ClassVar[RuleRef] = RuleRef("4.2")

    @property
    def actor(self) -> Seat:
        return self.seat

    def awaits(self, state: State) -> Text:
        message = "wishes_any" if self.with_numbers else "wishes_colour"
        return sentence(message, self.seat)

    def answers(self, state: State) -> Iterable[Move]:
        yield from (Wish(self.seat, colour) for colour in Colour)
        if self.with_numbers:
            yield from (Wish(self.seat, number) for number in NUMBERS)
        if not state.options.wish_compulsory:
            yield Wish(self.seat, None)

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Wish):
            return self.not_now(state)
        if move.seat != self.seat:
            return self.not_yours(state, move.seat)
        if isinstance(move.wish, int) and not self.with_numbers:
            return Objection(RuleRef("F-07"), Text.of("frantic.no_number_wish"))
        if move.wish is None and state.options.wish_compulsory:
            return Objection(RuleRef("F-08"), Text.of("frantic.must_wish"))
        return None

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Wish)
        if move.wish is None:
            return state
        if isinstance(move.wish, Colour):
            return match(state, Top(colour=move.wish))
        return match(state, Top(number=move.wish))


def swap_colour(state: State, seat: Seat, card: PlayCard) -> State:
    """Return the state after a Colour Swap: its other colour is active; where it lies
    on a symbol or on nothing, the player names one (F-14)."""
    top = state.top
    if top.colour not in card.colours or top.symbol is Special.SWAP:
        return state.push(PickColour(seat, card))
    (other,) = (colour for colour in card.colours if colour != top.colour)
    return match(state, Top(colour=other, symbol=Special.SWAP))


@dataclass(frozen=True, slots=True)
class PickColour(Step):
    """`seat` names the active colour of a Colour Swap."""

    seat: Seat
    card: PlayCard
    step: str = "colour"
    rule: ClassVar[RuleRef] = RuleRef("F-14")

    @property
    def actor(self) -> Seat:
        return self.seat

    def awaits(self, state: State) -> Text:
        return sentence("names_colour", self.seat)

    def answers(self, state: State) -> Iterable[Move]:
        return (NameColour(self.seat, colour) for colour in self.card.colours)

    def default(self, state: State) -> Move | None:
        left = [c for c in self.card.colours if c != state.top.colour]
        return NameColour(self.seat, left[0]) if len(left) == 1 else None

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, NameColour):
            return self.not_now(state)
        if move.seat != self.seat:
            return self.not_yours(state, move.seat)
        if move.colour not in self.card.colours:
            reason = Text.of(
                "frantic.not_its_colour",
                card=cards_named((self.card,)),
                colour=colour_name(move.colour),
            )
            return Objection(self.rule, reason)
        return None

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, NameColour)
        return match(state, Top(colour=move.colour, symbol=Special.SWAP))
