"""Events: Lucky Bastard's window, the turned card, and events about events (5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.aiming import reactions
from engines.frantic.event import Event, events
from engines.frantic.events import EVENTS
from engines.frantic.events.effect import Effect
from engines.frantic.moves import (
    Choose,
    Move,
    Nobody,
    React,
    Reaction,
    Reveal,
    ShuffleEvents,
)
from engines.frantic.options import RepeatPool
from engines.frantic.piles import play_from
from engines.frantic.rules import reacts
from engines.frantic.selection import sentence
from engines.frantic.state import Cause, State, Step
from engines.frantic.wishes import MakeWish
from engines.frantic.words import event_name, seat_name

RULE = RuleRef("5.2")
MANAGED = 3


def call_event(state: State, trigger: Seat) -> State:
    """Return the state in which an event is about to be turned."""
    return state.push(LuckyWindow(Cause(trigger)))


def carry_out(state: State, event: Event, cause: Cause) -> State:
    """Return the state with an event begun."""
    state = replace(state, executed=(*state.executed, event))
    return (META.get(event) or EVENTS[event])(state, cause)


@dataclass(frozen=True, slots=True)
class LuckyWindow(Step):
    """Before an event is turned, Lucky Bastard protects from it (4.3)."""

    cause: Cause
    step: str = "lucky-bastard"
    rule: ClassVar[RuleRef] = RuleRef("4.3")

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.may_be_lucky", trigger=seat_name(self.cause.trigger))

    def answers(self, state: State) -> Iterable[Move]:
        yield Nobody()
        for seat in state.involved(self.cause):
            yield from reactions(state, seat, Reaction.LUCKY)

    def default(self, state: State) -> Move:
        return Nobody()

    def objection(self, state: State, move: Move) -> Objection | None:
        if isinstance(move, Nobody):
            return None
        if not isinstance(move, React) or move.reaction is not Reaction.LUCKY:
            return self.not_now(state)
        if move.seat in self.cause.immune:
            reason = Text.of("frantic.lucky_already", seat=seat_name(move.seat))
            return Objection(self.rule, reason)
        return reacts(state, move.seat, move.reaction, move.card)

    def take(self, state: State, move: Move) -> State:
        if not isinstance(move, React):
            return state.push(TurnEvent(self.cause))
        immune = (*self.cause.immune, move.seat)
        window = LuckyWindow(replace(self.cause, immune=immune))
        state = play_from(state, move.seat, move.card)
        return state.push(MakeWish(move.seat, with_numbers=False), window)


@dataclass(frozen=True, slots=True)
class TurnEvent(Step):
    """The top event is turned and carried out; without any left, nothing happens."""

    cause: Cause
    step: str = "event"
    rule: ClassVar[RuleRef] = RULE

    def run(self, state: State) -> State | None:
        return refill(state, self)

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.turn_event")

    def answers(self, state: State) -> Iterable[Move]:
        return turnable(state)

    def objection(self, state: State, move: Move) -> Objection | None:
        return turns_event(self, state, move)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Reveal)
        state = turned(state, move.event).push(EventDone((move.event,)))
        return carry_out(state, move.event, self.cause)


def refill(state: State, step: Step) -> State | None:
    """Return the state that can turn no event, or where the shown ones must be
    shuffled first (F-26); `None` if there is a pile to turn from."""
    if state.event_pile:
        return None
    return state.push(RefillEvents(), step) if state.shown_events else state


def turnable(state: State) -> Iterable[Move]:
    """Yield the events that may lie on top of the pile."""
    top = state.event_pile[0]
    if top is not None:
        yield Reveal(top)
        return
    elsewhere = {*state.open_events, *state.shown_events, *state.event_pile}
    for event in events(starred=state.options.starred):
        if event not in elsewhere:
            yield Reveal(event)


def turns_event(step: Step, state: State, move: Move) -> Objection | None:
    """Return why `move` does not turn the top event."""
    if not isinstance(move, Reveal):
        return step.not_now(state)
    if move in turnable(state):
        return None
    reason = Text.of("frantic.not_top_event", event=event_name(move.event))
    return Objection(RULE, reason)


def turned(state: State, event: Event) -> State:
    """Return the state with the top event open on the table."""
    return replace(
        state,
        event_pile=state.event_pile[1:],
        open_events=(*state.open_events, event),
    )


@dataclass(frozen=True, slots=True)
class EventDone(Step):
    """Marks an event that is being carried out: until then no round ends (5.2)."""

    events: tuple[Event, ...]
    step: str = "event-done"

    def run(self, state: State) -> State:
        still_open = tuple(e for e in state.open_events if e not in self.events)
        shown = state.shown_events + self.events
        return replace(state, open_events=still_open, shown_events=shown)


@dataclass(frozen=True, slots=True)
class RefillEvents(Step):
    """The shown events become a new pile (F-26)."""

    step: str = "refill-events"
    rule: ClassVar[RuleRef] = RuleRef("F-26")

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.shuffle_events")

    def answers(self, state: State) -> None:
        return None

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, ShuffleEvents):
            return self.not_now(state)
        if move.events and sorted(move.events) != sorted(state.shown_events):
            return Objection(self.rule, Text.of("frantic.not_the_shown_events"))
        return None

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, ShuffleEvents)
        pile = move.events or (None,) * len(state.shown_events)
        return replace(state, event_pile=pile, shown_events=())


def event_manager(state: State, cause: Cause) -> State:
    """Three events are turned, the trigger picks one."""
    return state.push(ManageEvents(cause))


@dataclass(frozen=True, slots=True)
class ManageEvents(Step):
    """Event Manager: turn three, then choose; all of them count as shown (F-30)."""

    cause: Cause
    turned: tuple[Event, ...] = ()
    step: str = "manage"
    rule: ClassVar[RuleRef] = RULE

    def run(self, state: State) -> State | None:
        if state.event_pile or state.shown_events:
            return refill(state, self)
        return state.push(ChooseEvent(self.cause, self.turned))

    def awaits(self, state: State) -> Text:
        return Text.of("frantic.turn_event")

    def answers(self, state: State) -> Iterable[Move]:
        return turnable(state)

    def objection(self, state: State, move: Move) -> Objection | None:
        return turns_event(self, state, move)

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Reveal)
        found = (*self.turned, move.event)
        state = turned(state, move.event)
        if len(found) < MANAGED:
            return state.push(replace(self, turned=found))
        return state.push(ChooseEvent(self.cause, found))


@dataclass(frozen=True, slots=True)
class ChooseEvent(Step):
    """The trigger picks one of some events."""

    cause: Cause
    events: tuple[Event, ...]
    repeats: bool = False
    """The events lie on the shown pile already."""
    step: str = "choose-event"
    rule: ClassVar[RuleRef] = RULE

    @property
    def actor(self) -> Seat:
        return self.cause.trigger

    def run(self, state: State) -> State | None:
        return None if self.events else state

    def awaits(self, state: State) -> Text:
        return sentence("chooses_event", self.cause.trigger)

    def answers(self, state: State) -> Iterable[Move]:
        return (Choose(self.cause.trigger, event) for event in self.events)

    def objection(self, state: State, move: Move) -> Objection | None:
        if not isinstance(move, Choose):
            return self.not_now(state)
        if move.seat != self.cause.trigger:
            return self.not_yours(state, move.seat)
        if move.event not in self.events:
            reason = Text.of("frantic.no_choice", event=event_name(move.event))
            return Objection(self.rule, reason)
        return None

    def take(self, state: State, move: Move) -> State:
        assert isinstance(move, Choose)
        if not self.repeats:
            state = state.push(EventDone(self.events))
        return carry_out(state, move.event, self.cause)


def plague(state: State, cause: Cause) -> State:
    """Two events one after the other, the second in any case."""
    return state.push(LuckyWindow(cause), LuckyWindow(cause))


def repeat(state: State, cause: Cause) -> State:
    """The trigger carries out an earlier event of the round again."""
    pool = (
        state.executed
        if state.options.repeat_pool is RepeatPool.EXECUTED
        else (*state.executed, *state.shown_events, *state.open_events)
    )
    earlier = tuple(e for e in dict.fromkeys(pool) if e is not Event.REPEAT)
    return state.push(ChooseEvent(cause, earlier, repeats=True))


META: Mapping[Event, Effect] = {
    Event.EVENT_MANAGER: event_manager,
    Event.PLAGUE: plague,
    Event.REPEAT: repeat,
}
