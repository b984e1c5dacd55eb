"""The rules of what is put right, claimed, answered and chosen."""

from __future__ import annotations

from collections import Counter

from engines.core import Objection
from engines.frenzy.cards import Card, other
from engines.frenzy.census import PLAY_DECK
from engines.frenzy.choices import open_copies, open_ruling
from engines.frenzy.moves import (
    Agree,
    Blame,
    Claim,
    Copy,
    Count,
    Decide,
    Earlier,
    Pick,
    Record,
    Resolve,
    Restore,
    Upset,
)
from engines.frenzy.rules import (
    Rule,
    has_a_card,
    in_time_order,
    match_is_on,
    not_in_deck,
    one_at_a_time,
    refuse,
    time_runs,
)
from engines.frenzy.state import FoulCode, Phase, State
from engines.frenzy.texts import name, player, region, say

# Putting right


def deck_in_hand(state: State, move: Count) -> Objection | None:
    if state.phase not in (Phase.TURN, Phase.READY, Phase.BATTLE):
        return refuse("4.1", "count_not_now")
    return None


def count_fits(state: State, move: Count) -> Objection | None:
    size = state.options.deck_size(move.player) or PLAY_DECK - 1
    holds = state.players[move.player].holds
    most = size - sum(1 for _ in state.cards_of(move.player)) - holds
    if move.number > most:
        return refuse(
            "1", "count_too_high", player=player(move.player), most=max(most, 0)
        )
    return None


def table_may_be_set(state: State, move: Restore) -> Objection | None:
    if state.phase not in (Phase.BATTLE, Phase.ENDED):
        return refuse("F-D", "set_not_now")
    if state.race is not None:
        return refuse("FZ-R19", "race_open")
    if state.players[move.region.seat].touching is move.region.zone:
        return refuse("F-D", "set_under_hand", region=region(move.region))
    return None


def pile_is_possible(state: State, move: Restore) -> Objection | None:
    own = state.players[move.region.seat]
    old = Counter(laid.card for laid in own.pile(move.region.zone))
    added = (Counter(move.cards) - old).elements()
    if objection := not_in_deck(state, move.region.seat, added):
        return objection
    more = len(move.cards) - old.total()
    if own.deck is not None and more > own.deck:
        return refuse(
            "4.1", "set_too_many", player=player(move.region.seat), number=own.deck
        )
    return None


# Fouls


def pile_can_be_upset(state: State, move: Upset) -> Objection | None:
    if state.phase is not Phase.BATTLE:
        return refuse("F-A", "upset_not_now")
    return None


def pile_is_upset(state: State, move: Blame) -> Objection | None:
    if state.upset is None:
        return refuse("F-A", "nothing_upset")
    return None


def foul_at_its_time(state: State, move: Record) -> Objection | None:
    phases = {FoulCode.EARLY: (Phase.READY,), FoulCode.LATE: (Phase.ENDED,)}
    if state.phase not in phases.get(move.code, (Phase.BATTLE,)):
        return refuse(move.code, "foul_not_now", foul=say(f"foul_{move.code}"))
    return None


def warrior_is_named(state: State, move: Record) -> Objection | None:
    if move.code is not FoulCode.WARRIOR_IN_HQ:
        return None
    if move.card is None or move.card.is_hero:
        return refuse("F-E", "name_the_warrior")
    return (
        not_in_deck(state, move.player, (move.card,))
        or one_at_a_time(state, move)
        or has_a_card(state, move)
        or in_time_order(state, move)
    )


def foul_is_on_record(state: State, move: Claim) -> Objection | None:
    if state.phase not in (Phase.READY, Phase.BATTLE, Phase.ENDED):
        return refuse("4.4", "claim_not_now")
    if state.claim is not None:
        return refuse("4.4", "claim_open")
    if not any(
        foul.seat == other(move.seat) and foul.code is move.code and not foul.is_claimed
        for foul in state.fouls
    ):
        return refuse(move.code, "no_such_foul", player=player(other(move.seat)))
    return None


def claim_is_answered(state: State, move: Decide) -> Objection | None:
    if state.claim is None:
        return refuse("4.4", "no_claim")
    if move.seat == state.claim.seat:
        return refuse("4.4", "opponent_decides", player=player(other(move.seat)))
    if state.race is not None:
        return refuse("FZ-R19", "race_open")
    return None


def race_is_open(state: State, move: Earlier) -> Objection | None:
    if state.race is None:
        return refuse("FZ-R19", "no_race")
    return None


# The end of a round


def round_may_be_resolved(state: State, move: Resolve) -> Objection | None:
    if state.phase is not Phase.ENDED:
        return refuse("6.1", "nothing_to_resolve")
    if state.race is not None:
        return refuse("FZ-R19", "race_open")
    if state.claim is not None:
        return refuse("4.4", "claim_open")
    return None


def spoils_are_due(state: State, move: Copy | Agree | Pick) -> Objection | None:
    if state.phase is not Phase.SPOILS:
        return refuse("6.1", "round_not_over")
    return None


def copy_is_asked(state: State, move: Copy) -> Objection | None:
    choices = open_copies(state)
    if not choices:
        return refuse("5.1", "no_copy_due")
    if choices[0].seat != move.seat:
        return refuse("FZ-R11", "copies_in_turn", player=player(choices[0].seat))
    for choice in choices:
        if choice.number == move.number:
            if move.source in choice.sources:
                return None
            return refuse("5.1", "copy_other_top", number=move.source)
    return refuse("5.1", "no_bodyguard", number=move.number)


def ruling_is_asked(state: State, move: Agree) -> Objection | None:
    if open_ruling(state) is not move.key:
        return refuse("8", "ruling_not_asked")
    return None


def pick_is_due(state: State, move: Pick) -> Objection | None:
    resolution = state.resolution
    if resolution is None or resolution.picker is None:
        return refuse("5.3", "no_pick_due")
    if resolution.picker != move.seat:
        return refuse("5.3", "opponent_picks", player=player(resolution.picker))
    if move.card is Card.WIZARD:
        return refuse("FZ-R09", "pick_no_wizard")
    if move.card not in resolution.choices:
        return refuse("5.3", "pick_from_pile", card=name(move.card))
    return None


COUNT: tuple[Rule[Count], ...] = (match_is_on, deck_in_hand, count_fits)
RESTORE: tuple[Rule[Restore], ...] = (match_is_on, table_may_be_set, pile_is_possible)
UPSET: tuple[Rule[Upset], ...] = (match_is_on, time_runs, pile_can_be_upset)
BLAME: tuple[Rule[Blame], ...] = (match_is_on, pile_is_upset)
RECORD: tuple[Rule[Record], ...] = (
    match_is_on,
    time_runs,
    foul_at_its_time,
    warrior_is_named,
)
CLAIM: tuple[Rule[Claim], ...] = (match_is_on, time_runs, foul_is_on_record)
DECIDE: tuple[Rule[Decide], ...] = (match_is_on, time_runs, claim_is_answered)
EARLIER: tuple[Rule[Earlier], ...] = (match_is_on, race_is_open)
RESOLVE: tuple[Rule[Resolve], ...] = (match_is_on, round_may_be_resolved)
COPY: tuple[Rule[Copy], ...] = (match_is_on, spoils_are_due, copy_is_asked)
AGREE: tuple[Rule[Agree], ...] = (match_is_on, spoils_are_due, ruling_is_asked)
PICK: tuple[Rule[Pick], ...] = (match_is_on, spoils_are_due, pick_is_due)
