"""The rules of play, one function each: why a move is refused, or `None`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias, TypeVar

from engines.core import Objection, RuleRef, Seat, Text, Verdict
from engines.frenzy.cards import Card, Zone
from engines.frenzy.moves import (
    Aside,
    Draw,
    Finished,
    Go,
    Lay,
    Lift,
    Lot,
    Play,
    Record,
    Release,
    Turn,
)
from engines.frenzy.options import Variant
from engines.frenzy.rounds import before_end, touched_entry
from engines.frenzy.state import Phase, State
from engines.frenzy.texts import name, player, region, say

M = TypeVar("M")
Rule: TypeAlias = Callable[[State, M], Objection | None]
Laying: TypeAlias = "Lay | Play"
Acting: TypeAlias = "Draw | Lay | Play | Release | Lift"

MOST_ADVANCED = 9
"""Eleven Heroes, and every deck has Assassins and Wizards (1)."""


def refuse(rule: str, message: str, /, **values: str | int | Text) -> Objection:
    """Return the objection with a sentence of this game."""
    return Objection(RuleRef(rule), say(message, **values))


def first_objection(
    state: State, move: M, rules: Iterable[Rule[M]]
) -> Objection | None:
    """Return the first objection of `rules`, asked in order."""
    return next((found for rule in rules if (found := rule(state, move))), None)


def match_is_on(state: State, move: object) -> Objection | None:
    if state.phase is Phase.OVER:
        return refuse("6.2", "match_over")
    return None


def time_runs(state: State, move: object) -> Objection | None:
    if state.upset is not None:
        return refuse("F-A", "time_stands_still", region=region(state.upset))
    return None


# Set-up and countdown


def lot_is_due(state: State, move: Lot) -> Objection | None:
    if state.phase is not Phase.LOT:
        return refuse("2", "lot_is_drawn")
    return None


def aside_fits(state: State, move: Aside) -> Objection | None:
    if state.options.variant is not Variant.BASE:
        return refuse("2", "aside_only_base")
    if state.phase not in (Phase.LOT, Phase.TURN, Phase.READY) or state.round > 1:
        return refuse("2", "aside_too_late")
    if state.players[move.seat].deck is not None:
        return refuse("2", "aside_known", player=player(move.seat))
    if not 1 <= move.number <= MOST_ADVANCED:
        return refuse("1", "aside_number", most=MOST_ADVANCED)
    return None


def turn_is_due(state: State, move: Turn) -> Objection | None:
    if state.phase is Phase.LOT:
        return refuse("2", "lot_first")
    if state.phase is not Phase.TURN:
        return refuse("2", "turn_not_now")
    if move.seat != state.first:
        return refuse("2", "turn_first_player", player=player(state.first))
    if move.number != state.round + 1:
        return refuse("2", "turn_in_order", number=state.round + 1)
    return None


def go_is_due(state: State, move: Go) -> Objection | None:
    if state.phase is not Phase.READY:
        return refuse("2", "go_not_now")
    if move.seat != state.second:
        return refuse("2", "go_second_player", player=player(state.second))
    return None


# The battle


def battle_is_on(state: State, move: Acting | Finished) -> Objection | None:
    if state.phase in (Phase.LOT, Phase.TURN, Phase.READY):
        return refuse("F-B", "before_go")
    if state.phase is not Phase.BATTLE:
        return refuse("F-I", "after_end")
    return None


def battle_was_on(state: State, move: Play | Release) -> Objection | None:
    """Like `battle_is_on`, but a report may come late while doubts are settled."""
    end = state.end
    if state.phase is not Phase.ENDED or end is None:
        return battle_is_on(state, move)
    if end.is_settled or move.seat == end.seat:
        return refuse("F-I", "after_end")
    if state.race is not None:
        return refuse("FZ-R19", "race_open")
    if before_end(state, move.time_ms).verdict is Verdict.REJECTED:
        return refuse("F-I", "after_end")
    return None


def own_region(state: State, move: Laying) -> Objection | None:
    if move.region.seat != move.seat:
        return refuse("F-F", "foreign_region", player=player(move.region.seat))
    return None


def heroes_only(state: State, move: Laying) -> Objection | None:
    if move.region.zone is Zone.HQ and not move.card.is_hero:
        return refuse("F-E", "heroes_only", card=name(move.card))
    return None


def in_the_deck(state: State, move: Laying) -> Objection | None:
    return not_in_deck(state, move.seat, (move.card,))


def not_in_deck(state: State, seat: Seat, cards: Iterable[Card]) -> Objection | None:
    """Return why the deck of `seat` cannot hold `cards` beside those seen already."""
    options = state.options
    faction, census = options.factions[seat], options.census[seat]
    added = list(cards)
    for card in dict.fromkeys(added):
        if card.is_advanced and options.variant is Variant.BASE:
            return refuse("7", "base_game", card=name(card))
        if card.is_advanced and faction is not None and card is not faction.hero:
            return refuse(
                "1", "other_faction", card=name(card), faction=say(f"faction_{faction}")
            )
        if census is None:
            continue
        copies = census.copies(card)
        seen = sum(each is card for each in state.cards_of(seat))
        if seen + added.count(card) > copies:
            return refuse("1", "no_copy_left", card=name(card), copies=copies)
    return None


def one_at_a_time(state: State, move: Laying | Record) -> Objection | None:
    seat = move.player if isinstance(move, Record) else move.seat
    if state.players[seat].touching is not None:
        return refuse("F-C", "hand_on_card", player=player(seat))
    return None


def has_a_card(state: State, move: Laying | Draw | Record) -> Objection | None:
    seat = move.player if isinstance(move, Record) else move.seat
    if state.players[seat].deck == 0 and not state.players[seat].holds:
        return refuse("4.1", "deck_empty", player=player(seat))
    return None


def in_time_order(state: State, move: Acting | Record) -> Objection | None:
    seat = move.player if isinstance(move, Record) else move.seat
    if move.time_ms < state.players[seat].moved_ms:
        return refuse("4.1", "out_of_order", player=player(seat))
    return None


def holds_none(state: State, move: Draw) -> Objection | None:
    own = state.players[move.seat]
    if own.holds or own.touching is not None:
        return refuse("F-C", "second_draw", player=player(move.seat))
    return None


def hand_on_a_card(state: State, move: Release | Lift) -> Objection | None:
    if state.phase is Phase.ENDED and state.end is not None:
        if touched_entry(state.end, move.seat) is None:
            return refuse("F-I", "after_end")
    elif state.players[move.seat].touching is None:
        return refuse("4.1", "no_hand_on_card", player=player(move.seat))
    return None


def nothing_left(state: State, move: Finished) -> Objection | None:
    own = state.players[move.seat]
    if own.holds or own.touching is not None:
        return refuse("4.2", "finish_with_card", player=player(move.seat))
    if own.deck:
        return refuse(
            "4.2", "finish_too_early", player=player(move.seat), number=own.deck
        )
    if own.last_release() is None:
        return refuse("4.2", "finish_without_card", player=player(move.seat))
    return None


COUNTDOWN_LOT: tuple[Rule[Lot], ...] = (match_is_on, lot_is_due)
COUNTDOWN_ASIDE: tuple[Rule[Aside], ...] = (match_is_on, aside_fits)
COUNTDOWN_TURN: tuple[Rule[Turn], ...] = (match_is_on, turn_is_due)
COUNTDOWN_GO: tuple[Rule[Go], ...] = (match_is_on, go_is_due)
DRAW: tuple[Rule[Draw], ...] = (
    match_is_on,
    time_runs,
    battle_is_on,
    holds_none,
    has_a_card,
    in_time_order,
)
LAY: tuple[Rule[Lay], ...] = (
    match_is_on,
    time_runs,
    battle_is_on,
    own_region,
    heroes_only,
    in_the_deck,
    one_at_a_time,
    has_a_card,
    in_time_order,
)
PLAY: tuple[Rule[Play], ...] = (
    match_is_on,
    time_runs,
    battle_was_on,
    own_region,
    heroes_only,
    in_the_deck,
    one_at_a_time,
    has_a_card,
    in_time_order,
)
RELEASE: tuple[Rule[Release], ...] = (
    match_is_on,
    time_runs,
    battle_was_on,
    hand_on_a_card,
    in_time_order,
)
LIFT: tuple[Rule[Lift], ...] = (
    match_is_on,
    time_runs,
    battle_is_on,
    hand_on_a_card,
    in_time_order,
)
FINISHED: tuple[Rule[Finished], ...] = (
    match_is_on,
    time_runs,
    battle_is_on,
    nothing_left,
)
