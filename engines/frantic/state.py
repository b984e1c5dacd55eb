"""The state of a game, and the steps that still have to happen in it."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from engines.core import Objection, Option, Question, RuleRef, Seat, Text
from engines.frantic.cards import Colour, Hand, PlayCard, Special
from engines.frantic.event import Event
from engines.frantic.moves import Move
from engines.frantic.options import FIRST, Options
from engines.frantic.words import seat_name


@dataclass(frozen=True, slots=True)
class Top:
    """What the next card must match: the requirement of the active card."""

    colour: Colour | None = None
    number: int | None = None
    symbol: Special | None = None
    black: bool = False
    any: bool = False
    """Nothing is required: the start card set no requirement."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Whose card started an event, and who is protected from it."""

    trigger: Seat
    immune: tuple[Seat, ...] = ()


class End(StrEnum):
    """Why a round ends."""

    OUT = "out"
    EXHAUSTED = "exhausted"
    FINISH_LINE = "finish-line"
    DOOMSDAY = "doomsday"
    TIME_BOMB = "time-bomb"


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a round, and who is protected from the event that ended it."""

    end: End
    immune: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Bomb:
    """A ticking Time Bomb: the turns that each seat has started under it."""

    turns: tuple[int, ...]
    immune: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Wisher:
    """Whose wish still has to be heard, and whether it may be a number."""

    seat: Seat
    with_numbers: bool = False


class Step(ABC):
    """One thing that still has to happen. The last of `State.steps` comes first.

    A step either runs by itself or waits for a move. `run` and `take` are given the
    state without the step.
    """

    __slots__ = ()
    rule: ClassVar[RuleRef] = RuleRef("4.1")
    step: str
    """Its name; with the actor the id of its question."""

    @property
    def actor(self) -> Seat | None:
        """Return who must move, `None` for the table as a whole."""
        return None

    def run(self, state: State) -> State | None:
        """Return the state after the step, or `None` where somebody must move."""
        return None

    def awaits(self, state: State) -> Text:
        """Return a sentence that says what must happen; it tells no secret."""
        return Text.of("frantic.wait")

    def answers(self, state: State) -> Iterable[Move] | None:
        """Return all moves that fit here, or `None` where they cannot be listed."""
        return ()

    def objection(self, state: State, move: Move) -> Objection | None:
        """Return why `move` may not be made here; the step is still on top."""
        return self.not_now(state)

    def take(self, state: State, move: Move) -> State:
        """Return the state after a move without objection."""
        raise TypeError(f"{move} answers no step")

    def questions(self, state: State) -> tuple[Question, ...]:
        """Return what must be asked of whom."""
        actor = self.actor
        options = self.options(state)
        default = self.default(state)
        return (
            Question(
                id=self.step if actor is None else f"{self.step}.{actor + 1}",
                to=actor,
                text=self.awaits(state),
                options=options,
                default=None if default is None else str(default),
                rule=self.rule,
            ),
        )

    def options(self, state: State) -> tuple[Option, ...]:
        """Return the answers as options of a question."""
        return tuple(
            Option(str(move), move.label, str(move))
            for move in self.answers(state) or ()
        )

    def default(self, state: State) -> Move | None:
        """Return what is assumed without an answer."""
        return None

    def not_now(self, state: State) -> Objection:
        """Return the objection that something else must happen first."""
        reason = Text.of("frantic.not_now", awaits=self.awaits(state))
        return Objection(self.rule, reason)

    def not_yours(self, state: State, seat: Seat) -> Objection:
        """Return the objection that it is not for `seat` to move now."""
        reason = Text.of(
            "frantic.not_yours", seat=seat_name(seat), awaits=self.awaits(state)
        )
        return Objection(self.rule, reason)


@dataclass(frozen=True, slots=True)
class State:
    """Everything that is true of a game. Seats are counted in the order of play, which
    is counter-clockwise seen from above (F-04)."""

    options: Options
    dealer: Seat
    accounts: tuple[int, ...]
    order: tuple[Seat, ...]
    """The players as they sit, in the order of play from the near side on; they change
    places in a game without points (Identity Theft)."""
    round: int = 1
    hands: tuple[Hand, ...] = ()
    pile: Hand = ()
    """The draw pile; the top card first."""
    discard: Hand = ()
    """The played cards; the top card last."""
    market: Hand = ()
    """Cards turned for the Market."""
    event_pile: tuple[Event | None, ...] = ()
    """The top card first; `None` for a card that nobody has shown."""
    open_events: tuple[Event, ...] = ()
    """Events that are being carried out."""
    shown_events: tuple[Event, ...] = ()
    executed: tuple[Event, ...] = ()
    top: Top = Top(any=True)
    colour: Colour | None = None
    """The colour in force: of the last coloured card, or the one last wished."""
    mover: Seat = FIRST
    """From whom the game goes on: his right neighbour is next."""
    again: bool = False
    """The mover himself is next."""
    wisher: Wisher | None = None
    skips: tuple[Seat, ...] = ()
    """Who must sit out the next turn."""
    plus_one: bool = False
    last_chance: tuple[Seat, ...] | None = None
    """Whose emptied hand triggers an event, `None` without Last Chance."""
    emptied: tuple[Seat, ...] = ()
    """Whose empty hand has already triggered its event."""
    bomb: Bomb | None = None
    ending: Ending | None = None
    gains: tuple[int, ...] = ()
    """Points that each seat got at the end of the last round."""
    steps: tuple[Step, ...] = ()

    @property
    def counts(self) -> tuple[int, ...]:
        """Return how many cards each seat holds."""
        return tuple(len(hand) for hand in self.hands)

    @property
    def step(self) -> Step | None:
        """Return what must happen next, `None` once the game is over."""
        return self.steps[-1] if self.steps else None

    def push(self, *steps: Step) -> State:
        """Return the state with `steps` before all others, the first of them first."""
        return replace(self, steps=self.steps + steps[::-1])

    def pop(self) -> State:
        """Return the state without the next step."""
        return replace(self, steps=self.steps[:-1])

    def with_hands(self, hands: dict[Seat, Hand]) -> State:
        """Return the state with some hands replaced."""
        return replace(
            self,
            hands=tuple(
                hands.get(Seat(seat), hand) for seat, hand in enumerate(self.hands)
            ),
        )

    def next_to(self, seat: Seat) -> Seat:
        """Return the right neighbour: the next seat in the order of play."""
        return self.from_right_of(seat)[0]

    def from_right_of(self, seat: Seat) -> tuple[Seat, ...]:
        """Return all seats in turn: the right neighbour first, `seat` last."""
        at = self.order.index(seat) + 1
        return self.order[at:] + self.order[:at]

    def others(self, seat: Seat) -> tuple[Seat, ...]:
        """Return all seats but one, in turn from its right."""
        return self.from_right_of(seat)[:-1]

    def involved(self, cause: Cause) -> tuple[Seat, ...]:
        """Return who takes part in an event, in turn, the trigger last (F-24)."""
        return tuple(
            seat
            for seat in self.from_right_of(cause.trigger)
            if seat not in cause.immune
        )

    def seen(self) -> Iterable[PlayCard]:
        """Yield every card of the round, known or not."""
        for cards in (*self.hands, self.pile, self.discard, self.market):
            yield from cards
