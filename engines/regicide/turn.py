"""What an allowed move does: the phases of a turn, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engines.core import Card, Seat, Suit
from engines.regicide.cards import hit_points_of, total
from engines.regicide.facts import (
    can_yield,
    draw_counts,
    draw_order,
    highest_hand,
    in_turn,
    without,
)
from engines.regicide.moves import (
    Castle,
    Cover,
    Discard,
    Draw,
    Flip,
    Heal,
    Lost,
    Misdraw,
    Move,
    Next,
    Play,
    Redress,
    Reveal,
    Say,
    Settle,
    Start,
    Tavern,
    Top,
    Yield,
)
from engines.regicide.sets import damage, late_shield, suits_of
from engines.regicide.state import Action, Ending, Phase, Slots, State

CASTLE_SIZE = 12


def advance(state: State, move: Move) -> State:
    """Return the state after a move that the rules allow."""
    match move:
        case Play():
            return _play(state, move)
        case Yield():
            last = _with(state.last, move.seat, Action.YIELD)
            return _counterattack(replace(state, last=last))
        case Discard():
            return _suffer(state, move.cards, total(move.cards))
        case Cover():
            return _suffer(state, (None,) * move.count, state.suffer)
        case Flip():
            return _flip(state)
        case Next():
            return _begin_turn(state, move.chosen)
        case Lost():
            stuck = state.phase is Phase.PLAY
            return _over(state, Ending.STUCK if stuck else Ending.NOT_COVERED)
        case Say():
            return state
        case _:
            return _by_the_table(state, move)


def _by_the_table(
    state: State,
    move: Castle | Tavern | Start | Reveal | Heal | Top | Draw | Misdraw | Settle,
) -> State:
    match move:
        case Castle():
            castle: Slots = move.cards or (None,) * CASTLE_SIZE
            return _turn_up(replace(state, castle=castle))
        case Tavern():
            return _deal(state, move)
        case Start():
            return _begin_turn(replace(state, started=True), move.seat)
        case Reveal():
            castle = (move.card, *state.castle[1:])
            return _turn_up(replace(state, castle=castle))
        case Heal():
            return _heal(state, move)
        case Top():
            discard = (move.card, *without(state.discard, (move.card,)))
            return replace(state, discard=discard)
        case Draw():
            return _draw(state, draw_order(state))
        case Misdraw():
            return replace(state, phase=Phase.SETTLE, misdrawn=move.counts)
        case Settle():
            return _settle(state, move.redress)


def _with(
    items: tuple[Action | None, ...], seat: Seat, action: Action
) -> tuple[Action | None, ...]:
    return (*items[:seat], action, *items[seat + 1 :])


def _hand(state: State, seat: Seat, hand: Slots) -> tuple[Slots, ...]:
    return (*state.hands[:seat], hand, *state.hands[seat + 1 :])


def _over(state: State, ending: Ending) -> State:
    return replace(state, phase=Phase.OVER, ending=ending)


# Set-up ------------------------------------------------------------------------------


def _turn_up(state: State) -> State:
    """Turn the top Castle card, or wait until somebody says which it is."""
    if state.castle[0] is None:
        return replace(state, phase=Phase.REVEAL)
    state = replace(state, enemy=state.castle[0], castle=state.castle[1:])
    if not state.hands:
        return replace(state, phase=Phase.TAVERN)
    return _begin_turn(state, state.current)


def _deal(state: State, move: Tavern) -> State:
    """Deal one card after the other, clockwise from seat 0, up to the hand limit."""
    players, limit = state.options.players, state.options.hand_limit
    size = 40 + state.options.tavern_jokers
    pile: Slots = move.cards if move.cards is not None else (None,) * size
    dealt = players * limit
    return replace(
        state,
        phase=Phase.START,
        hands=tuple(pile[seat:dealt:players] for seat in range(players)),
        tavern=pile[dealt:],
        last=(None,) * players,
    )


def _begin_turn(state: State, seat: Seat) -> State:
    """Start phase one; who can neither play nor yield has lost the game."""
    state = replace(state, phase=Phase.PLAY, current=seat, suffer=0)
    if state.hands[seat] or state.jokers or can_yield(state, seat):
        return state
    return _over(state, Ending.STUCK)


# Phases one and two ------------------------------------------------------------------


def _play(state: State, move: Play) -> State:
    seat, cards = move.seat, move.cards
    hands = _hand(state, seat, without(state.hands[seat], cards))
    plays = (*state.plays, move)
    if cards[0].is_joker:
        return _joker(replace(state, hands=hands, plays=plays), seat)
    attack = total(cards)
    active = suits_of(cards) - {state.is_blocked}
    state = replace(
        state,
        hands=hands,
        plays=plays,
        last=_with(state.last, seat, Action.PLAY),
        to_heal=min(attack, len(state.discard)) if Suit.HEARTS in active else 0,
        to_draw=attack if Suit.DIAMONDS in active else 0,
    )
    return _powers(state)


def _joker(state: State, seat: Seat) -> State:
    """Cancel the immunity; spades played before begin to count (5.5)."""
    return replace(
        state,
        phase=Phase.CHOOSE,
        last=_with(state.last, seat, Action.JOKER),
        immune=False,
        shield=state.shield + state.blocked_spades,
        blocked_spades=0,
    )


def _powers(state: State) -> State:
    """Wait for hearts, then for diamonds, then strike."""
    if state.to_heal:
        return replace(state, phase=Phase.HEAL)
    if state.to_draw and any(draw_counts(state)):
        return replace(state, phase=Phase.DRAW)
    return _strike(state)


def _heal(state: State, move: Heal) -> State:
    """Put cards under the Tavern; unnamed ones leave nothing known of the pile."""
    if move.cards is None:
        healed: Slots = (None,) * move.count
        discard: Slots = (None,) * (len(state.discard) - move.count)
    else:
        healed = move.cards
        discard = without(state.discard, move.cards)
    tavern = state.tavern + healed
    return _powers(replace(state, tavern=tavern, discard=discard, to_heal=0))


def _draw(state: State, order: Sequence[int]) -> State:
    """Give the top cards of the Tavern to the seats in `order`."""
    drawn: list[list[Card | None]] = [list(hand) for hand in state.hands]
    for seat, card in zip(order, state.tavern[: len(order)], strict=True):
        drawn[seat].append(card)
    state = replace(
        state, hands=tuple(map(tuple, drawn)), tavern=state.tavern[len(order) :]
    )
    return _strike(state)


def _settle(state: State, redress: Redress) -> State:
    wrong = state.misdrawn
    state = replace(state, misdrawn=())
    if redress is Redress.RETURN:
        return _draw(state, draw_order(state))
    return _draw(state, in_turn(wrong, sum(wrong), state.current))


# Phase three -------------------------------------------------------------------------


def _strike(state: State) -> State:
    """Deal the damage of the last play and see whether the enemy falls."""
    cards = state.plays[-1].cards
    suits, blocked = suits_of(cards), state.is_blocked
    shield, blocked_spades = state.shield, state.blocked_spades
    if Suit.SPADES in suits:
        if blocked is Suit.SPADES:
            blocked_spades += late_shield(cards, state.options.retro_spades)
        else:
            shield += total(cards)
    state = replace(
        state,
        dealt=state.dealt + damage(cards, doubled=blocked is not Suit.CLUBS),
        shield=shield,
        blocked_spades=blocked_spades,
        to_draw=0,
    )
    assert state.enemy is not None
    if state.dealt >= hit_points_of(state.enemy):
        return _defeat(state, state.enemy)
    return _counterattack(state)


def _defeat(state: State, enemy: Card) -> State:
    """Clear the fight away and turn the next enemy (5.6)."""
    played = tuple(card for play in state.plays for card in play.cards)
    discard, tavern = state.discard, state.tavern
    if state.dealt == hit_points_of(enemy):
        tavern = (enemy, *tavern)
    else:
        discard = (enemy, *discard)
    state = replace(
        state,
        enemy=None,
        plays=(),
        dealt=0,
        shield=0,
        blocked_spades=0,
        immune=True,
        discard=(*reversed(played), *discard),
        tavern=tavern,
    )
    return _turn_up(state) if state.castle else _over(state, Ending.WON)


# Phase four --------------------------------------------------------------------------


def _counterattack(state: State) -> State:
    """Begin phase four; nothing is discarded against a full shield."""
    if not state.attack:
        return _begin_turn(state, _after(state))
    return _covered_or_lost(replace(state, phase=Phase.SUFFER, suffer=state.attack))


def _after(state: State) -> Seat:
    return Seat((state.current + 1) % state.options.players)


def _suffer(state: State, cards: Slots, covered: int) -> State:
    seat = state.current
    state = replace(
        state,
        hands=_hand(state, seat, without(state.hands[seat], cards)),
        discard=(*reversed(cards), *state.discard),
        suffer=max(0, state.suffer - covered),
    )
    if state.suffer:
        return _covered_or_lost(state)
    return _begin_turn(state, _after(state))


def _covered_or_lost(state: State) -> State:
    """The game is lost if no hand can cover the damage and no Joker is left (6)."""
    if state.jokers or highest_hand(state.hands[state.current], state) >= state.suffer:
        return state
    return _over(state, Ending.NOT_COVERED)


def _flip(state: State) -> State:
    """Discard the hand and draw a new one, as far as the Tavern goes (7.2)."""
    seat, limit = state.current, state.options.hand_limit
    state = replace(
        state,
        jokers=state.jokers - 1,
        discard=(*reversed(state.hands[seat]), *state.discard),
        hands=_hand(state, seat, state.tavern[:limit]),
        tavern=state.tavern[limit:],
    )
    if state.phase is Phase.SUFFER:
        return _covered_or_lost(state)
    return _begin_turn(state, seat)
