"""What a seat may know: plain values for a page, cut where they are made."""

from __future__ import annotations

from collections.abc import Mapping

from engines.core import LANGUAGES, Seat
from engines.frantic.attacks import StealCards
from engines.frantic.engine import outcome
from engines.frantic.events.bidding import Bidding
from engines.frantic.events.distributing import Distribute
from engines.frantic.events.showing import OpenHands
from engines.frantic.events.together import Giving, PutDown
from engines.frantic.state import State


def view(state: State, seat: Seat | None) -> Mapping[str, object]:
    """Return what `seat` may know; `None` is a spectator."""
    top = state.top
    end = outcome(state)
    return {
        "round": state.round,
        "dealer": state.dealer,
        "order": list(state.order),
        "accounts": list(state.accounts) if state.options.points else None,
        "gains": list(state.gains),
        "counts": list(state.counts),
        "pile": len(state.pile),
        "discard": str(state.discard[-1]) if state.discard else None,
        "top": {
            "colour": top.colour,
            "number": top.number,
            "symbol": top.symbol,
            "black": top.black,
            "any": top.any,
        },
        "colour": state.colour,
        "market": [str(card) for card in state.market],
        "event_pile": len(state.event_pile),
        "open_events": [str(event) for event in state.open_events],
        "shown_events": [str(event) for event in state.shown_events],
        "turn": None if state.step is None else state.mover,
        "waits_for": _waits_for(state),
        "awaits": _awaits(state),
        "skips": list(state.skips),
        "plus_one": state.plus_one,
        "last_chance": state.last_chance is not None,
        "time_bomb": None if state.bomb is None else list(state.bomb.turns),
        "hands": {
            str(other): [str(card) for card in state.hands[other]]
            for other in _looked_at(state, seat)
        },
        "chosen": _chosen(state, seat),
        "winners": None if end is None else list(end.winners),
    }


def _looked_at(state: State, seat: Seat | None) -> tuple[Seat, ...]:
    """Whose hands this seat sees: its own, those that lie open, and what a Thief or a
    Distributor looks at."""
    step = state.step
    if isinstance(step, OpenHands):
        own = () if seat is None or seat in step.seats else (seat,)
        return (*step.seats, *own)
    if seat is None:
        return ()
    if isinstance(step, StealCards) and step.seat == seat:
        return (seat, step.victim)
    if isinstance(step, Distribute) and step.seat == seat:
        return tuple(dict.fromkeys((seat, *step.seats)))
    return (seat,)


def _chosen(state: State, seat: Seat | None) -> list[str]:
    """The cards that this seat has already chosen while others still choose."""
    match state.step:
        case Giving(presents=presents):
            return [f"{p.card} {p.to}" for p in presents if p.seat == seat]
        case Bidding(bids=laid) | PutDown(put=laid):
            return [str(c) for other, cards in laid if other == seat for c in cards]
        case _:
            return []


def _waits_for(state: State) -> list[int]:
    """Who must act; empty where it is for the table as a whole."""
    match state.step:
        case Giving() | Bidding() | PutDown():
            return list(state.step.pending(state))
        case None:
            return []
        case step:
            return [] if step.actor is None else [step.actor]


def _awaits(state: State) -> dict[str, str]:
    if state.step is None:
        return {}
    text = state.step.awaits(state)
    return {language: text.render(language) for language in LANGUAGES}
