"""The live way: the moves that explain what now lies on the table, or a question.

Moves are explained one after the other until a person has to say something. A card
that the rules refuse is reported as the move that `judge` rejects, so that the live
loop can rule on it; nothing is explained after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engines.core import Option, Question, RuleRef, Seat, Text
from engines.frantic.aiming import CounterWindow
from engines.frantic.calling import LuckyWindow, ManageEvents, TurnEvent
from engines.frantic.cards import FACTS, MIMICRY, PlayCard
from engines.frantic.doubts import or_none, which_card, which_event
from engines.frantic.engine import advance, objection
from engines.frantic.event import Event
from engines.frantic.events.bidding import Bidding
from engines.frantic.events.showing import OpenHands, TurnMarket
from engines.frantic.four import FourWindows
from engines.frantic.going_out import NiceTryWindow
from engines.frantic.hands import is_known
from engines.frantic.moves import (
    Flip,
    Handle,
    Move,
    Nobody,
    Play,
    React,
    Reaction,
    Reveal,
    Say,
    Verb,
    Word,
)
from engines.frantic.moves.notation import parse_move
from engines.frantic.piles import may_hold
from engines.frantic.rounds import CountRound, StartCard
from engines.frantic.selection import Selection
from engines.frantic.snapshot import LaidHand, Seen, Snapshot
from engines.frantic.state import State, Step
from engines.frantic.turn import Duty, Turn
from engines.frantic.words import card_name, seat_name

TOO_MANY = 200
"""More moves than one look can ever show."""


def changes(state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
    """Return what has happened since `state`, or what must be asked first."""
    if snapshot.is_touched:
        return ()
    snapshot = snapshot.in_a_round()
    moves: list[Move] = []
    while state.step is not None and len(moves) < TOO_MANY:
        pushed = None if moves else _same_face(state, state.step, snapshot)
        found = pushed or _next(state, state.step, snapshot)
        if isinstance(found, Question):
            return tuple(moves) or found
        if found is None:
            break
        moves.append(found)
        if objection(state, found) is not None:
            break
        state = advance(state, found)
    return tuple(moves)


def _next(state: State, step: Step, snapshot: Snapshot) -> Move | Question | None:
    for kind, explain in _EXPLAIN.items():
        if isinstance(step, kind):
            return explain(state, step, snapshot)
    return None


def new_cards(state: State, snapshot: Snapshot) -> Sequence[Seen]:
    """Return the visible cards of the discard pile that have been played since.

    Cards below may be covered, so the visible ones must follow each other in the pile
    as it was; as few as possible are new.
    """
    pile = snapshot.discard
    if not pile:
        return ()
    is_same_top = bool(state.discard) and pile[-1].label == state.discard[-1]
    if is_same_top and _is_subsequence(pile, state.discard):
        return ()
    for at in range(len(pile) - 1, -1, -1):
        if _is_subsequence(pile[:at], state.discard):
            return pile[at:]
    return pile


def _is_subsequence(seen: Sequence[Seen], cards: Sequence[PlayCard]) -> bool:
    left = iter(cards)
    return all(any(card.label in {None, known} for known in left) for card in seen)


def _played(state: State, snapshot: Snapshot) -> PlayCard | Question | None:
    """Return the next card that has been played since, `None` without one."""
    new = new_cards(state, snapshot)
    if not new:
        return None
    if new[0].label is not None:
        return _card(new[0]) or _which(state, new[0])
    return _unread(state, new[0])


def _card(seen: Seen) -> PlayCard | None:
    return PlayCard(seen.label) if seen.label in FACTS else None


def _unread(state: State, seen: Seen) -> Question:
    """Ask which card it is that could not be read; it may be the one that is known."""
    question = which_card(seen, starred=state.options.starred)
    options = tuple(
        Option(o.value, o.text, str(_play(state, PlayCard(o.value))))
        for o in question.options
    )
    if state.discard:
        still = Text.of("frantic.still", card=card_name(state.discard[-1]))
        options = (Option("same", still), *options)
    return or_none(replace(question, options=options))


def _which(state: State, seen: Seen) -> Question:
    """Ask which card it is that could not be read, where no move depends on it."""
    return or_none(which_card(seen, starred=state.options.starred))


def _all_read(state: State, cards: Sequence[Seen]) -> tuple[PlayCard, ...] | Question:
    """Return which cards these are, or ask about the first that could not be read."""
    read: list[PlayCard] = []
    for seen in cards:
        card = _card(seen)
        if card is None:
            return _which(state, seen)
        read.append(card)
    return tuple(read)


def _play(state: State, card: PlayCard) -> Move:
    """Return the move by which a card comes on the discard pile at this moment."""
    match state.step:
        case StartCard():
            return Flip((card,))
        case CounterWindow() | FourWindows() if _is_reaction(card, Reaction.COUNTER):
            assert state.step.actor is not None
            return React(state.step.actor, Reaction.COUNTER, card)
        case Turn(seat=seat):
            return Play(seat, card)
        case _:
            return Play(state.next_to(state.mover), card)


def _is_reaction(card: PlayCard, reaction: Reaction) -> bool:
    return card == MIMICRY or card.special is reaction.special


def _start_card(state: State, step: Step, look: Snapshot) -> Move | Question | None:
    card = _played(state, look)
    if not isinstance(card, PlayCard):
        return card or _unplaced(state, look)
    return _play(state, card)


def _turn(state: State, step: Step, look: Snapshot) -> Move | Question | None:
    assert isinstance(step, Turn)
    card = _played(state, look)
    if not isinstance(card, PlayCard):
        return card or _unplaced(state, look)
    if _is_taken_back(state, look):
        return _taken_back(state, step, card)
    if step.duty is Duty.DRAWN:
        return _who_played(state, step, card)
    return Play(step.seat, card)


def _unplaced(state: State, look: Snapshot) -> Question | None:
    """Ask what could not be read where neither pile is seen: it may be the draw pile,
    and what lies beside it the discard pile, which seems somebody's hand without it."""
    alone = [h for h in look.hands if h.seat is None and not h.rivals]
    unread = (seen for hand in alone for seen in hand.cards if _card(seen) is None)
    return next((_which(state, seen) for seen in unread), None)


def _is_taken_back(state: State, look: Snapshot) -> bool:
    """Whether the pile looks as it did before the last card."""
    before = state.discard[:-1]
    return (
        bool(before)
        and look.discard[-1].label == before[-1]
        and _is_subsequence(look.discard, before)
    )


def _taken_back(state: State, step: Turn, card: PlayCard) -> Question:
    play = Play(step.seat, card)
    return Question(
        id="taken-back",
        to=None,
        text=Text.of("frantic.ask_taken_back", card=card_name(card)),
        options=(
            Option("undo", Text.of("frantic.undo", card=card_name(state.discard[-1]))),
            Option(str(play), play.claim, str(play)),
        ),
        rule=RuleRef("4.5"),
    )


def _same_face(state: State, step: Step, look: Snapshot) -> Question | None:
    """Ask of a new card on one of its face whether it is another: it may be the one
    that lay there, pushed. Whatever came on it since waits: whose turn it was depends
    on the answer."""
    known = len(look.discard) - len(new_cards(state, look))
    if not (isinstance(step, Turn) and state.discard and known):
        return None
    top = look.discard[known - 1]
    card = _card(top)
    if top.id not in look.new or card is None or card != state.discard[-1]:
        return None
    play = Play(step.seat, card)
    options: tuple[Option, ...] = (Option(str(play), play.claim, str(play)),)
    if step.duty is Duty.DRAWN:
        options = _who_played(state, step, card).options
    return Question(
        id="same-face",
        to=None,
        text=Text.of("frantic.ask_same_face", card=card_name(card)),
        options=(Option("same", Text.of("frantic.same_card")), *options),
        rule=RuleRef("4.1"),
        pieces=(top.id,),
    )


def _who_played(state: State, step: Turn, card: PlayCard) -> Question:
    """After a draw the card may be his, or of the next player after he passed."""
    own, passed = Play(step.seat, card), Say(step.seat, Word.PASS)
    following = state.next_to(step.seat)
    return Question(
        id="who-played",
        to=None,
        text=Text.of("frantic.ask_who_played", card=card_name(card)),
        options=(
            Option(str(own), seat_name(step.seat), str(own)),
            Option(str(passed), seat_name(following), str(passed)),
        ),
        rule=RuleRef("4.1"),
    )


def _counter(state: State, step: Step, look: Snapshot) -> Move | Question | None:
    card = _played(state, look)
    if not isinstance(card, PlayCard):
        return card
    if _is_reaction(card, Reaction.COUNTER):
        return _play(state, card)
    assert step.actor is not None
    return Say(step.actor, Word.ACCEPT)


def _lucky(state: State, step: Step, look: Snapshot) -> Move | Question | None:
    card = _played(state, look)
    if isinstance(card, PlayCard) and _is_reaction(card, Reaction.LUCKY):
        return _who_reacted(state, Reaction.LUCKY, card)
    if _new_events(state, look):
        return Nobody()
    return _play(state, card) if isinstance(card, PlayCard) else card


def _nice_try(state: State, step: Step, look: Snapshot) -> Move | Question | None:
    card = _played(state, look)
    if isinstance(card, PlayCard):
        if _is_reaction(card, Reaction.NICE_TRY):
            return _who_reacted(state, Reaction.NICE_TRY, card)
        return Nobody()
    return card or (Nobody() if look.hands else None)


def _who_reacted(state: State, reaction: Reaction, card: PlayCard) -> Question:
    moves = [
        React(seat, reaction, card)
        for seat in state.options.seats
        if may_hold(state, seat, card)
    ]
    return Question(
        id="who-reacted",
        to=None,
        text=Text.of("frantic.ask_who_played", card=card_name(card)),
        options=tuple(Option(str(m), seat_name(m.seat), str(m)) for m in moves),
        rule=RuleRef("4.3"),
    )


def _new_events(state: State, look: Snapshot) -> Sequence[Seen]:
    known = {*state.open_events, *state.shown_events}
    return [seen for seen in look.events if seen.label not in known]


def _event(state: State, step: Step, look: Snapshot) -> Move | Question | None:
    new = _new_events(state, look)
    for seen in new:
        if seen.label is not None:
            return Reveal(Event(seen.label))
    if new and len(look.events) > len(state.open_events):
        question = which_event(new[0], starred=state.options.starred)
        options = tuple(
            Option(o.value, o.text, str(Reveal(Event(o.value))))
            for o in question.options
        )
        return or_none(replace(question, options=options))
    card = _played(state, look)
    return _play(state, card) if isinstance(card, PlayCard) else None


def _market(state: State, step: Step, look: Snapshot) -> Move | Question | None:
    assert isinstance(step, TurnMarket)
    if not look.market:
        return None
    cards = _all_read(state, look.market)
    if isinstance(cards, Question):
        return cards
    top = state.pile[: step.number(state)]
    return Flip(top if sorted(top) == sorted(cards) else cards)


def _laid(state: State, look: Snapshot) -> Mapping[Seat, LaidHand]:
    """Return the laid-out hands by player; a place belongs to who sits there."""
    return {state.order[h.seat]: h for h in look.hands if h.seat is not None}


def _show(state: State, step: Step, look: Snapshot) -> Move | Question | None:
    for seat, hand in _laid(state, look).items():
        if is_known(state.hands[seat]):
            continue
        cards = _all_read(state, hand.cards)
        if isinstance(cards, Question):
            return cards
        return Handle(seat, Verb.SHOW, cards)
    return None


def _bid(state: State, step: Step, look: Snapshot) -> Move | Question | None:
    assert isinstance(step, Bidding)
    laid = _laid(state, look)
    for seat in step.pending(state):
        hand = laid.get(seat)
        if hand is None:
            continue
        cards = _all_read(state, hand.cards)
        if isinstance(cards, Question):
            return cards
        return Handle(seat, Verb.BID, cards)
    return None


def _selection(state: State, step: Step, look: Snapshot) -> Move | None:
    """A hidden pick has happened when a later card lies there; where the referee sees
    only one way to do it, that was it."""
    if not new_cards(state, look):
        return None
    only = step.options(state)
    if len(only) != 1 or only[0].move is None:
        return None
    return parse_move(only[0].move)


_EXPLAIN: Mapping[
    type[Step], Callable[[State, Step, Snapshot], Move | Question | None]
] = {
    StartCard: _start_card,
    Turn: _turn,
    CounterWindow: _counter,
    FourWindows: _counter,
    LuckyWindow: _lucky,
    NiceTryWindow: _nice_try,
    TurnEvent: _event,
    ManageEvents: _event,
    TurnMarket: _market,
    CountRound: _show,
    OpenHands: _show,
    Bidding: _bid,
    Selection: _selection,
}
