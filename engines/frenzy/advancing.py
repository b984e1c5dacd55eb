"""What each upheld move does to the state."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from engines.core import Verdict
from engines.frenzy.cards import SEATS, Zone, other
from engines.frenzy.census import PLAY_DECK
from engines.frenzy.choices import agreed, begun, open_copies, open_ruling
from engines.frenzy.moves import (
    Agree,
    Aside,
    Blame,
    Claim,
    Copy,
    Count,
    Decide,
    Draw,
    Earlier,
    Finished,
    Go,
    Lay,
    Lift,
    Lot,
    Move,
    Pick,
    Play,
    Record,
    Release,
    Remedy,
    Resolve,
    Restore,
    Turn,
    Upset,
)
from engines.frenzy.resolution import pick
from engines.frenzy.rounds import (
    before_end,
    cleared,
    end_round,
    ended_by,
    laid,
    let_go,
    placed_before_end,
    settled,
    unreturned,
    without_late_reports,
)
from engines.frenzy.state import (
    Cause,
    Copied,
    End,
    Foul,
    FoulCode,
    Laid,
    Phase,
    Race,
    State,
)


def advanced(state: State, move: Move) -> State:
    """Return the state after an upheld `move`."""
    state = replace(state, clock_ms=max(state.clock_ms, move.time_ms))
    return _after(move, state)


@singledispatch
def _after(move: object, state: State) -> State:
    raise TypeError(f"not a move of Frenzy: {move!r}")


@_after.register
def _(move: Lot, state: State) -> State:
    return replace(state, first=move.first, phase=Phase.TURN)


@_after.register
def _(move: Aside, state: State) -> State:
    player = replace(state.players[move.seat], deck=PLAY_DECK - move.number)
    return state.with_player(move.seat, player)


@_after.register
def _(move: Turn, state: State) -> State:
    return replace(state, round=move.number, phase=Phase.READY)


@_after.register
def _(move: Go, state: State) -> State:
    first, second = (replace(each, moved_ms=move.time_ms) for each in state.players)
    state = replace(state, players=(first, second), phase=Phase.BATTLE, fouls=())
    for seat in SEATS:
        if state.players[seat].deck == 0:
            return end_round(state, End(seat, move.time_ms, Cause.EMPTY_DECK))
    return state


@_after.register
def _(move: Draw, state: State) -> State:
    player = replace(state.players[move.seat].with_deck(-1), holds=True)
    return state.with_player(move.seat, replace(player, moved_ms=move.time_ms))


@_after.register
def _(move: Lay, state: State) -> State:
    card = Laid(move.card, move.time_ms, move.piece)
    return laid(state, move.seat, move.region.zone, card)


@_after.register
def _(move: Play, state: State) -> State:
    card, zone = Laid(move.card, move.time_ms, move.piece), move.region.zone
    if state.phase is Phase.BATTLE:
        return let_go(laid(state, move.seat, zone, card), move.seat, move.time_ms)
    player = state.players[move.seat].with_deck(-1)
    race = Race(move.seat, zone, card)
    return _late(state.with_player(move.seat, player), race)


@_after.register
def _(move: Release, state: State) -> State:
    if state.phase is Phase.BATTLE:
        return let_go(state, move.seat, move.time_ms)
    state, race = unreturned(state, move.seat)
    return _late(state, replace(race, laid=replace(race.laid, time_ms=move.time_ms)))


def _late(state: State, race: Race) -> State:
    """Return the state after a release that was reported when the round had ended."""
    if before_end(state, race.laid.time_ms).verdict is Verdict.UNDECIDED:
        return replace(state, race=race)
    return placed_before_end(state, race)


@_after.register
def _(move: Lift, state: State) -> State:
    player = state.players[move.seat]
    zone = player.touching
    assert zone is not None
    player = player.with_pile(zone, player.pile(zone)[1:])
    player = replace(player, touching=None, holds=True, moved_ms=move.time_ms)
    return state.with_player(move.seat, player)


@_after.register
def _(move: Finished, state: State) -> State:
    player = replace(state.players[move.seat], deck=0)
    zone = player.last_release()
    assert zone is not None
    state = state.with_player(move.seat, player)
    end = End(move.seat, player.pile(zone)[0].time_ms, Cause.LAST_CARD, zone)
    return end_round(state, end)


@_after.register
def _(move: Count, state: State) -> State:
    player = replace(state.players[move.player], deck=move.number)
    return state.with_player(move.player, player)


@_after.register
def _(move: Restore, state: State) -> State:
    seat, zone = move.region.seat, move.region.zone
    player = state.players[seat]
    old = player.pile(zone)
    pile = tuple(
        Laid(card, move.time_ms, move.piece if place == 0 else None)
        for place, card in enumerate(move.cards)
    )
    player = player.with_pile(zone, pile).with_deck(len(old) - len(pile))
    state = state.with_player(seat, player)
    if state.phase is not Phase.BATTLE:
        return without_late_reports(state)
    return ended_by(state, seat, None, move.time_ms)


@_after.register
def _(move: Upset, state: State) -> State:
    return replace(state, upset=move.region)


@_after.register
def _(move: Blame, state: State) -> State:
    state = replace(state, upset=None)
    if move.player is None:
        return state
    return replace(state, phase=Phase.OVER, loser=move.player)


@_after.register
def _(move: Record, state: State) -> State:
    foul = Foul(move.player, move.code, move.time_ms, move.card)
    is_repeated = any(
        each.seat == foul.seat and each.code is foul.code for each in state.fouls
    )
    state = replace(state, fouls=(*state.fouls, foul))
    if foul.code is FoulCode.WARRIOR_IN_HQ and foul.card is not None:
        warrior = Laid(foul.card, move.time_ms)
        state = laid(state, foul.seat, Zone.HQ, warrior)
        return let_go(state, foul.seat, move.time_ms)
    if foul.code is FoulCode.SECOND_DRAW and is_repeated and state.claim is None:
        return _claimed(state, foul)
    return state


@_after.register
def _(move: Claim, state: State) -> State:
    foul = next(
        each
        for each in reversed(state.fouls)
        if each.seat == other(move.seat)
        and each.code is move.code
        and not each.is_claimed
    )
    return _claimed(state, foul)


def _claimed(state: State, foul: Foul) -> State:
    place = len(state.fouls) - 1 - state.fouls[::-1].index(foul)
    claimed = replace(foul, is_claimed=True)
    fouls = (*state.fouls[:place], claimed, *state.fouls[place + 1 :])
    return replace(state, fouls=fouls, claim=claimed)


@_after.register
def _(move: Decide, state: State) -> State:
    foul = state.claim
    assert foul is not None
    state = replace(state, claim=None)
    if move.remedy is Remedy.UNDO and foul.code is FoulCode.WARRIOR_IN_HQ:
        return _warrior_taken_back(state, foul)
    if move.remedy is Remedy.LOST:
        return _lost(state, foul, move.time_ms)
    return state


def _warrior_taken_back(state: State, foul: Foul) -> State:
    player = state.players[foul.seat]
    pile = list(player.pile(Zone.HQ))
    found = next((each for each in pile if each.card is foul.card), None)
    if found is None:
        return state
    pile.remove(found)
    player = player.with_pile(Zone.HQ, tuple(pile)).with_deck(1)
    return without_late_reports(state.with_player(foul.seat, player))


def _lost(state: State, foul: Foul, time_ms: int) -> State:
    state = replace(state, lost_by=foul.seat)
    if state.phase is Phase.ENDED:
        return without_late_reports(state)
    return end_round(state, End(foul.seat, time_ms, Cause.FOUL))


@_after.register
def _(move: Earlier, state: State) -> State:
    return settled(state, move.player)


@_after.register
def _(move: Resolve, state: State) -> State:
    return _progressed(replace(state, phase=Phase.SPOILS))


@_after.register
def _(move: Copy, state: State) -> State:
    copied = Copied(move.seat, move.number, move.source)
    return _progressed(replace(state, copies=(*state.copies, copied)))


@_after.register
def _(move: Agree, state: State) -> State:
    return _progressed(replace(state, house=agreed(state.house, move.key, move.value)))


@_after.register
def _(move: Pick, state: State) -> State:
    assert state.resolution is not None
    return _progressed(replace(state, resolution=pick(state.resolution, move.card)))


def _progressed(state: State) -> State:
    """Return the state run up to the next choice, or to the next round."""
    if state.resolution is None:
        if open_copies(state) or open_ruling(state) is not None:
            return state
        state = replace(state, resolution=begun(state))
    assert state.resolution is not None
    return cleared(state) if state.resolution.is_over else state
