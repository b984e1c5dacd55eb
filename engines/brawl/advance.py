"""What an upheld move changes."""

from __future__ import annotations

from dataclasses import replace

from engines.brawl.faces import CardType, Face
from engines.brawl.landing import given_back, land, rebuilt, restored, spent
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
    Remedy,
    Settle,
    Swap,
    Take,
    Verb,
)
from engines.brawl.place import OnChain, Pair, Source
from engines.brawl.state import Base, Held, Incident, Landed, Moment, Row, State
from engines.brawl.timing import as_landed, contact_ruling, rival_of
from engines.core import Seat, Verdict


def advance(state: State, move: Move) -> State:
    """Return the state after a move that `judge` upholds."""
    match move:
        case Play() | Foul():
            return _landed(state, move)
        case Contest():
            return _contested(state, move)
        case Take():
            return _taken(state, move)
        case Discard():
            return _discarded(state, move)
        case Act():
            return _acted(state, move.seat, move.verb)
        case Settle():
            return _settled(state, move)
        case First():
            return _first(state, move.pair, move.seat)
        case BlockOnHit2():
            return replace(state, block_on_hit2=move.allowed)
        case ConfirmPairs():
            return replace(state, are_pairs_confirmed=True)
        case Swap():
            return _swapped(state, move.pair)


def _landed(state: State, move: Play | Foul) -> State:
    row = _row(state, move.place.pair)
    landed = as_landed(row, row.cards, move)
    incident = row.incident
    if isinstance(move, Foul):
        incident = Incident(landed, row.cards, turn=state.turn)
    elif incident is not None:
        incident = replace(incident, later=(*incident.later, landed))
    state = _fix_block_on_hit2(state, row, move)
    state = _spend(state, move)
    state = state.with_row(
        replace(
            row,
            cards=land(row.cards, landed),
            next_id=row.next_id + (move.card is Face.BASE),
            last=landed,
            before_last=row.cards,
            incident=incident,
        )
    )
    return _next_turn(state, move.seat)


def _fix_block_on_hit2(state: State, row: Row, move: Play | Foul) -> State:
    """The default of B-05 holds for the whole game once a Block has used it."""
    if state.block_on_hit2 is not None or not isinstance(move.place, OnChain):
        return state
    base = row.cards.bases[move.place.base]
    chain = base.first if move.place.side == row.pair.first else base.second
    used = (
        isinstance(move, Play)
        and move.card.type is CardType.BLOCK
        and bool(chain)
        and chain[-1].card.type is CardType.HIT2
    )
    return replace(state, block_on_hit2=True) if used else state


def _contested(state: State, move: Contest) -> State:
    row = _row(state, move.place.pair)
    rival, before = rival_of(state, row, move), row.before_last
    assert rival is not None
    assert before is not None
    timing = contact_ruling(state.options, move, rival)
    card = as_landed(row, before, move)
    state = _spend(state, move)
    row = replace(
        row,
        next_id=row.next_id + (move.card is Face.BASE),
        incident=Incident(card, before, rival),
    )
    state = state.with_row(row)
    if timing is not None and timing.verdict is Verdict.UPHELD:
        return _first(state, row.pair, move.seat)
    return state


def _first(state: State, pair: Pair, seat: Seat | None) -> State:
    """The two cards of an incident take their order, or both go back."""
    row = _row(state, pair)
    incident = row.incident
    assert incident is not None
    card, rival = incident.card, incident.rival
    assert rival is not None
    if seat == rival.seat:
        state = replace(state, stuck=()).with_row(replace(row, incident=None))
        return given_back(state, (card,))
    if seat is None:
        moment, returned = _rebuilt(state, incident.before, incident.later)
        returned = (rival, card, *returned)
    else:
        order = (card, rival, *incident.later)
        moment, returned = _rebuilt(state, incident.before, order)
    state = replace(state, stuck=()).with_row(_put_right(row, moment))
    return given_back(state, returned)


def _settled(state: State, move: Settle) -> State:
    row = _row(state, move.pair)
    incident = row.incident
    assert incident is not None
    if move.remedy is Remedy.STAND:
        return state.with_row(replace(row, incident=None))
    if move.remedy is Remedy.CLAIM:
        return state.with_row(replace(row, incident=None, forfeit=move.seat))
    moment, returned = restored(incident, block_on_hit2=state.allows_block_on_hit2)
    state = state.with_row(_put_right(row, moment))
    state = given_back(state, (incident.card, *returned))
    return replace(state, turn=incident.turn, passes=0, stuck=())


def _put_right(row: Row, moment: Moment) -> Row:
    return replace(row, cards=moment, incident=None, last=None, before_last=None)


def _taken(state: State, move: Take) -> State:
    player = state.players[move.seat]
    drawn = player.drawn if move.card is None else (*player.drawn, move.card)
    hand = (*player.hand, Held(move.card))
    return state.with_player(move.seat, replace(player, drawn=drawn, hand=hand))


def _discarded(state: State, move: Discard) -> State:
    player = spent(state.players[move.seat], move.card, move.source)
    player = replace(player, pile=(*player.pile, move.card))
    return _next_turn(state.with_player(move.seat, player), move.seat)


def _acted(state: State, seat: Seat, verb: Verb) -> State:
    player = state.players[seat]
    match verb:
        case Verb.LIFT:
            hand = (*player.hand, Held(player.pile[-1], Source.DISCARD))
            lifted = replace(player, pile=player.pile[:-1], hand=hand)
            return state.with_player(seat, lifted)
        case Verb.PASS:
            passes = state.passes + 1
            return replace(_next_turn(state, seat), passes=passes)
        case Verb.STUCK:
            return replace(state, stuck=tuple(sorted((*state.stuck, seat))))
        case Verb.START:
            return replace(state, turn=seat)
        case Verb.EMPTY:
            return state.with_player(seat, replace(player, says_empty=True))
        case Verb.CONFIRM:
            return state.with_player(seat, replace(player, is_confirmed=True))
        case Verb.RECOUNT:
            unknown = replace(player, deck=None, is_confirmed=True)
            return state.with_player(seat, unknown)


def _swapped(state: State, pair: Pair) -> State:
    row = _row(state, pair)
    bases: tuple[Base, ...] = tuple(reversed(row.cards.bases))
    return state.with_row(replace(row, cards=replace(row.cards, bases=bases)))


def _spend(state: State, move: Play | Foul | Contest) -> State:
    player = spent(state.players[move.seat], move.card, move.source)
    return state.with_player(move.seat, player)


def _rebuilt(
    state: State, before: Moment, landings: tuple[Landed, ...]
) -> tuple[Moment, tuple[Landed, ...]]:
    return rebuilt(before, landings, block_on_hit2=state.allows_block_on_hit2)


def _next_turn(state: State, seat: Seat) -> State:
    """A card has left the hand: in Training the next player is on."""
    state = replace(state, passes=0, stuck=())
    if not state.is_training:
        return state
    return replace(state, turn=Seat((seat + 1) % len(state.players)))


def _row(state: State, pair: Pair) -> Row:
    row = state.row(pair)
    assert row is not None
    return row
