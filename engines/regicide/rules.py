"""The rules, one function each: an objection, or nothing to object.

`objection` asks those that concern a move, in order; the first one decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from engines.core import JOKER, Card, Objection, Rank, Text
from engines.regicide.cards import (
    CASTLE_RANKS,
    seat_name,
    spoken,
    spoken_all,
    tavern_cards,
    total,
    value,
)
from engines.regicide.facts import (
    can_yield,
    draw_counts,
    highest_hand,
    holds,
    may_give_up,
    next_rank,
    room,
    unseen,
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
    Reveal,
    Say,
    Settle,
    Start,
    Statement,
    Tavern,
    Top,
    Yield,
)
from engines.regicide.options import OverDiscard
from engines.regicide.sets import joker_in_game, together
from engines.regicide.state import Phase, State
from engines.regicide.timing import (
    a_seat_of_the_table,
    game_is_on,
    in_castle,
    in_choose,
    in_draw,
    in_flip,
    in_heal,
    in_play,
    in_reveal,
    in_settle,
    in_start,
    in_suffer,
    in_tavern,
    objecting,
    own_turn,
    seat_exists,
)

M = TypeVar("M")

FORBIDDEN_TALK = frozenset(
    {
        Statement.HELD_CARD,
        Statement.SUIT_WISH,
        Statement.PROMISE,
        Statement.LEAVE_ENEMY,
    }
)


def objection(state: State, move: Move) -> Objection | None:
    """Return why `move` is not allowed now, `None` if it is."""
    match move:
        case Play():
            return _first(_PLAY, state, move)
        case Discard():
            return _first(_DISCARD, state, move)
        case Yield() | Flip() | Cover() | Next() | Lost():
            return _players_move(state, move)
        case Say():
            return _first((game_is_on, a_seat_of_the_table, fair_talk), state, move)
        case _:
            return _tables_move(state, move)


def _players_move(
    state: State, move: Yield | Flip | Cover | Next | Lost
) -> Objection | None:
    match move:
        case Yield():
            return _first((in_play, own_turn, may_yield), state, move)
        case Flip():
            return _first((solo_only, in_flip, own_turn, joker_left), state, move)
        case Cover():
            return _first((in_suffer, own_turn, cover_unseen), state, move)
        case Next():
            return _first((in_choose, own_turn, may_be_chosen), state, move)
        case Lost():
            return _first((in_flip, own_turn, cannot_go_on), state, move)


def _tables_move(
    state: State,
    move: Castle | Tavern | Start | Reveal | Heal | Top | Draw | Misdraw | Settle,
) -> Objection | None:
    match move:
        case Castle():
            return _first((in_castle, castle_in_order), state, move)
        case Tavern():
            return _first((in_tavern, tavern_is_whole), state, move)
        case Start():
            return _first((in_start, a_seat_of_the_table), state, move)
        case Reveal():
            return _first((in_reveal, next_enemy), state, move)
        case Heal():
            return _first((in_heal, heals_right), state, move)
        case Top():
            return _first((game_is_on, lay_unseen), state, move)
        case Draw():
            return _first((in_draw, draws_right), state, move)
        case Misdraw():
            return _first((in_draw, was_misdrawn), state, move)
        case Settle():
            return _first((in_settle,), state, move)


def _first(
    rules: Sequence[Callable[[State, M], Objection | None]], state: State, move: M
) -> Objection | None:
    for rule in rules:
        found = rule(state, move)
        if found is not None:
            return found
    return None


# Set-up ------------------------------------------------------------------------------


def castle_in_order(_: State, move: Castle) -> Objection | None:
    """Four Jacks, four Queens, four Kings, each once (2, RG-40)."""
    if move.cards is None:
        return None
    if len(set(move.cards)) != len(CASTLE_RANKS) or len(move.cards) != len(
        CASTLE_RANKS
    ):
        return objecting("2", "castle_is_twelve")
    for place, (card, rank) in enumerate(zip(move.cards, CASTLE_RANKS, strict=True), 1):
        if card.rank is not rank:
            return objecting(
                "2",
                "castle_order",
                place=place,
                card=spoken(card),
                rank=rank_name(rank),
            )
    return None


def tavern_is_whole(state: State, move: Tavern) -> Objection | None:
    """The Tavern holds 2 to 10, the Aces and the Jokers of the table (1, 1.2)."""
    if move.cards is None:
        return None
    expected = Counter(tavern_cards(state.options.players))
    given = Counter(move.cards)
    if surplus := given - expected:
        return objecting("1", "tavern_too_many", cards=spoken_all(surplus.elements()))
    if missing := expected - given:
        return objecting("1", "tavern_lacks", cards=spoken_all(missing.elements()))
    return None


def next_enemy(state: State, move: Reveal) -> Objection | None:
    """Jacks before Queens before Kings, and none twice (2)."""
    rank = next_rank(state)
    if rank is None or move.card.rank is not rank:
        expected = rank_name(rank or Rank.KING)
        return objecting("2", "wrong_enemy", card=spoken(move.card), rank=expected)
    if not unseen(state)[move.card]:
        return objecting("2", "enemy_seen_before", card=spoken(move.card))
    return None


def rank_name(rank: Rank) -> Text:
    """Return the name of an enemy's rank."""
    return Text.of(f"regicide.rank_{rank.name.lower()}")


# Phase one ---------------------------------------------------------------------------


def jokers_of_the_table(state: State, move: Play) -> Objection | None:
    """One and two players have no Joker in hand (1.2), unless one was dealt."""
    if JOKER in state.hands[move.seat]:
        return None
    return joker_in_game(move.cards, state.options)


def legal_set(_: State, move: Play) -> Objection | None:
    """Single card, companion pair, combination or Joker (4.1)."""
    return together(move.cards)


def own_the_cards(state: State, move: Play | Discard) -> Objection | None:
    """Only cards of the own hand may be laid (4.1)."""
    hand = state.hands[move.seat]
    if holds(hand, move.cards, state):
        return None
    return objecting("4.1", "not_in_hand", cards=spoken_all(move.cards))


def may_yield(state: State, move: Yield) -> Objection | None:
    """Not if all others yielded on their last turn (4.2, R-01, R-02)."""
    if state.options.players == 1:
        return None if state.options.solo_yield else objecting("R-01", "no_solo_yield")
    if can_yield(state, move.seat):
        return None
    return objecting("4.2", "all_others_yielded")


def solo_only(state: State, _: Flip) -> Objection | None:
    """Jokers are flipped only by a lone player (7.2)."""
    return None if state.options.players == 1 else objecting("7.2", "flip_is_solo")


def joker_left(state: State, _: Flip) -> Objection | None:
    """Twice per game, in phase four only before the first discard (7.2)."""
    if not state.jokers:
        return objecting("7.2", "no_joker_left")
    if state.phase is Phase.SUFFER and state.suffer != state.attack:
        return objecting("7.2", "flip_too_late")
    return None


# Phase two ---------------------------------------------------------------------------


def heals_right(state: State, move: Heal) -> Objection | None:
    """As many cards as the attack, or all there are, from the discard pile (5.1)."""
    if move.count != state.to_heal:
        return objecting("5.1", "heal_count", count=state.to_heal, seen=move.count)
    if move.cards is not None and not holds(state.discard, move.cards, state):
        return objecting("5.1", "heal_from_discard", cards=spoken_all(move.cards))
    return None


def lay_unseen(state: State, move: Top) -> Objection | None:
    """Only a card whose place nobody knew can be found on the discard pile (3)."""
    known = move.card in state.discard or None not in state.discard
    if not known and holds(state.discard, (move.card,), state):
        return None
    return objecting("3", "not_found_there", card=spoken(move.card))


def draws_right(state: State, move: Draw) -> Objection | None:
    """One card each in turn, full hands skipped, up to the attack (5.2)."""
    right = draw_counts(state)
    if len(move.counts) != len(right):
        return objecting("5.2", "draw_per_seat", players=len(right))
    for seat, (count, due_count) in enumerate(zip(move.counts, right, strict=True)):
        if count > room(state, seat):
            return objecting(
                "4.6",
                "over_the_limit",
                seat=seat_name(seat),
                limit=state.options.hand_limit,
                surplus=count - room(state, seat),
            )
        if count != due_count:
            message = "drew_too_many" if count > due_count else "drew_too_few"
            return objecting(
                "5.2", message, seat=seat_name(seat), count=due_count, seen=count
            )
    return None


def was_misdrawn(state: State, move: Misdraw) -> Objection | None:
    """Only a wrong draw that could have happened goes to the group (4.6)."""
    right = draw_counts(state)
    if len(move.counts) != len(right):
        return objecting("5.2", "draw_per_seat", players=len(right))
    if move.counts == right:
        return objecting("4.6", "draw_was_right")
    for seat, count in enumerate(move.counts):
        if count > room(state, seat):
            return objecting(
                "4.6",
                "over_the_limit",
                seat=seat_name(seat),
                limit=state.options.hand_limit,
                surplus=count - room(state, seat),
            )
    if sum(move.counts) > len(state.tavern):
        return objecting("5.2", "tavern_too_small", count=len(state.tavern))
    return None


# Phase four --------------------------------------------------------------------------


def some_card(_: State, move: Discard) -> Objection | None:
    """A discard is at least one card (4.3)."""
    return None if move.cards else objecting("4.3", "no_card_discarded")


def hand_covers(state: State, move: Discard) -> Objection | None:
    """Whoever cannot cover the damage flips a Joker or has lost (R-17)."""
    if highest_hand(state.hands[move.seat], state) >= state.suffer:
        return None
    return objecting("R-17", "cannot_cover", damage=state.suffer)


def not_too_much(state: State, move: Discard) -> Objection | None:
    """Discarding stops as soon as the damage is covered (R-08)."""
    if state.options.over_discard is OverDiscard.FREE:
        return None
    if stops_in_time(move.cards, state.suffer):
        return None
    return objecting("R-08", "discards_too_much", damage=state.suffer)


def stops_in_time(cards: Sequence[Card], damage: int) -> bool:
    """Return whether some order of `cards` covers only with the last one (R-08).

    Fewer than needed are a beginning, and no cards cover no damage.
    """
    if not cards:
        return True
    return damage > 0 and total(cards) - max(map(value, cards)) < damage


def covers(cards: Sequence[Card], damage: int) -> bool:
    """Return whether `cards` are a whole legal answer to `damage` (4.3, R-08)."""
    return total(cards) >= damage and stops_in_time(cards, damage)


def cover_unseen(state: State, move: Cover) -> Objection | None:
    """Only cards that nobody knows can have covered the damage unnoticed (4.3)."""
    hand = state.hands[move.seat]
    unknown = sum(slot is None for slot in hand)
    if not 0 < move.count <= unknown:
        return objecting("4.3", "name_the_cards", count=unknown)
    most = highest_hand((None,) * move.count, state)
    if most < state.suffer:
        return objecting(
            "4.3", "cannot_cover_with", count=move.count, damage=state.suffer
        )
    return None


def cannot_go_on(state: State, move: Lost) -> Objection | None:
    """Nobody gives up while the hand shows that he can go on (6)."""
    hand = state.hands[move.seat]
    if state.phase is Phase.PLAY:
        if may_give_up(state, move.seat):
            return None
        return objecting("6", "can_still_play")
    known = total(card for card in hand if card is not None)
    if known < state.suffer:
        return None
    return objecting("6", "can_still_cover", damage=state.suffer)


# Joker and talk ----------------------------------------------------------------------


def may_be_chosen(state: State, move: Next) -> Objection | None:
    """Any player, himself only if the table agreed on that (4.4, R-03)."""
    if wrong := seat_exists(state, move.chosen):
        return wrong
    if move.chosen == move.seat and not state.options.joker_self:
        return objecting("R-03", "choose_another")
    return None


def fair_talk(state: State, move: Say) -> Objection | None:
    """Nothing that reveals or hints at a hand (4.5)."""
    if move.statement in FORBIDDEN_TALK:
        return objecting("4.5", f"talk_{move.statement}")
    if move.statement is Statement.GO_NEXT and state.phase is not Phase.CHOOSE:
        return objecting("4.5", "talk_go_next")
    return None


_PLAY: tuple[Callable[[State, Play], Objection | None], ...] = (
    in_play,
    own_turn,
    jokers_of_the_table,
    legal_set,
    own_the_cards,
)
_DISCARD: tuple[Callable[[State, Discard], Objection | None], ...] = (
    in_suffer,
    own_turn,
    some_card,
    own_the_cards,
    hand_covers,
    not_too_much,
)
