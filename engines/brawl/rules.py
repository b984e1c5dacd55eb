"""The rules about who may move, with which card, and how a foul is settled.

One function per rule; each returns an `Objection` or `None`. What may lie on what is in
chain.py.
"""

from __future__ import annotations

from engines.brawl.conditions import (
    SETUP,
    TURNS,
    can_come,
    can_move,
    deck_not_empty,
    empty_hand,
    game_on,
    in_reach,
    may_lie_there,
    may_move_card,
    no_such_row,
    pile_not_empty,
    ready,
    seated,
)
from engines.brawl.fouls import is_foul, may_contest, may_say_first, may_settle
from engines.brawl.moves import (
    Act,
    BlockOnHit2,
    ConfirmPairs,
    Contest,
    Discard,
    First,
    Foul,
    Move,
    Play,
    Settle,
    Swap,
    Take,
    Verb,
)
from engines.brawl.place import Source, letter
from engines.brawl.state import State
from engines.core import Objection, RuleRef, Seat, Text


def objection(state: State, move: Move) -> Objection | None:
    """Return the first rule that stands against `move`, `None` if it is allowed."""
    match move:
        case Play():
            return may_play(state, move)
        case Foul():
            return is_foul(state, move)
        case Contest():
            return may_contest(state, move)
        case Take():
            return may_take(state, move)
        case Discard():
            return may_discard(state, move)
        case Act():
            return seated(state, move.seat) or _ACTS[move.verb](state, move.seat)
        case Settle():
            return may_settle(state, move)
        case First():
            return may_say_first(state, move)
        case BlockOnHit2() | ConfirmPairs() | Swap():
            return may_agree(state, move)


def may_play(state: State, move: Play) -> Objection | None:
    """A card in the player's reach goes to a legal place in one of his rows."""
    return may_move_card(state, move) or may_lie_there(state, move)


def may_take(state: State, move: Take) -> Objection | None:
    """The top card of the deck may be taken into an empty hand."""
    if refusal := ready(state, move.seat) or empty_hand(state, move.seat):
        return refusal
    if move.card is not None:
        return can_come(state.players[move.seat], move.card)
    return deck_not_empty(state.players[move.seat])


def may_discard(state: State, move: Discard) -> Objection | None:
    """A card just taken may be laid on the own discard pile."""
    if refusal := ready(state, move.seat):
        return refusal
    if move.source is Source.DISCARD:
        return Objection(TURNS, Text.of("brawl.already_discarded"))
    return in_reach(state, move.seat, move.card, move.source)


def may_lift(state: State, seat: Seat) -> Objection | None:
    """In Tournament the top discard may be lifted and put back."""
    if refusal := ready(state, seat):
        return refusal
    if state.is_training:
        return Objection(TURNS, Text.of("brawl.no_lift_in_training"))
    return empty_hand(state, seat) or pile_not_empty(state.players[seat])


def may_pass(state: State, seat: Seat) -> Objection | None:
    """In Training a turn is given up only when nothing is possible."""
    if refusal := ready(state, seat):
        return refusal
    if not state.is_training:
        return Objection(TURNS, Text.of("brawl.no_turns"))
    if can_move(state, seat):
        return Objection(RuleRef("B-12"), Text.of("brawl.can_move"))
    return None


def may_be_stuck(state: State, seat: Seat) -> Objection | None:
    """In Tournament all confirm that nobody can move, each once."""
    if refusal := ready(state, seat):
        return refusal
    if state.is_training:
        return Objection(RuleRef("B-12"), Text.of("brawl.pass_in_training"))
    if seat in state.stuck:
        return Objection(RuleRef("B-12"), Text.of("brawl.said_before"))
    for other in state.seats:
        if can_move(state, other):
            return Objection(
                RuleRef("B-12"), Text.of("brawl.seat_can_move", seat=letter(other))
            )
    return None


def may_start(state: State, seat: Seat) -> Objection | None:
    """In Training one player is drawn to start, once."""
    if not state.is_training:
        return Objection(SETUP, Text.of("brawl.no_turns"))
    if state.turn is not None:
        return Objection(SETUP, Text.of("brawl.has_started", seat=letter(state.turn)))
    return None


def may_be_empty(state: State, seat: Seat) -> Objection | None:
    """A player may say so of a deck whose size is not known."""
    left = state.players[seat].deck_left
    if left is None:
        return game_on(state)
    return Objection(RuleRef("B-17"), Text.of("brawl.deck_count_known", left=left))


def may_confirm(state: State, seat: Seat) -> Objection | None:
    """The number of cards of a deck that was typed in is agreed once."""
    if state.players[seat].is_confirmed:
        return Objection(RuleRef("B-01"), Text.of("brawl.said_before"))
    return None


def may_agree(
    state: State, move: BlockOnHit2 | ConfirmPairs | Swap
) -> Objection | None:
    """What is asked once is answered once."""
    match move:
        case BlockOnHit2():
            answered = state.block_on_hit2 is not None
            rule = RuleRef("B-05")
        case ConfirmPairs():
            answered = state.are_pairs_confirmed
            rule = RuleRef("B-18")
        case Swap():
            row = state.row(move.pair)
            if row is None:
                return no_such_row(move.pair)
            answered = row.last is not None or row.next_id != 2
            rule = SETUP
            if answered:
                return Objection(rule, Text.of("brawl.too_late_to_swap"))
    return Objection(rule, Text.of("brawl.said_before")) if answered else None


_ACTS = {
    Verb.LIFT: may_lift,
    Verb.PASS: may_pass,
    Verb.STUCK: may_be_stuck,
    Verb.START: may_start,
    Verb.EMPTY: may_be_empty,
    Verb.CONFIRM: may_confirm,
    Verb.RECOUNT: may_confirm,
}
