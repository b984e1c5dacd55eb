"""The end of a round: what triggers it, what it returns, who was first (4.2, 4.3)."""

from __future__ import annotations

from dataclasses import replace

from engines.core import Margin, Seat, Verdict
from engines.frenzy.cards import SEATS, Owned, Zone, other
from engines.frenzy.state import (
    EMPTY,
    Cause,
    End,
    Laid,
    Phase,
    Player,
    Race,
    Report,
    Returned,
    State,
)

HEROES_TO_END = 3
ROUNDS = 3


def cause_of_end(player: Player) -> Cause | None:
    """Return why the round ends with the player's latest release, if it does."""
    if player.heroes >= HEROES_TO_END:
        return Cause.THIRD_HERO
    if player.deck == 0 and not player.holds and player.touching is None:
        return Cause.LAST_CARD
    return None


def before_end(state: State, time_ms: int) -> Margin:
    """Measure the claim that a release at `time_ms` came before the round's end."""
    assert state.end is not None
    return _before(state, state.end, time_ms)


def laid(state: State, seat: Seat, zone: Zone, card: Laid) -> State:
    """Return the state with a card more on a pile, the hand still on it."""
    player = state.players[seat]
    player = replace(player, holds=False) if player.holds else player.with_deck(-1)
    player = player.with_pile(zone, (card, *player.pile(zone)))
    player = replace(player, touching=zone, moved_ms=card.time_ms)
    return state.with_player(seat, player)


def let_go(state: State, seat: Seat, time_ms: int) -> State:
    """Return the state after the hand has left its card, which may end the round."""
    player = state.players[seat]
    zone = player.touching
    assert zone is not None
    top, *rest = player.pile(zone)
    player = player.with_pile(zone, (replace(top, time_ms=time_ms), *rest))
    player = replace(player, touching=None, moved_ms=time_ms)
    return ended_by(state.with_player(seat, player), seat, zone, time_ms)


def ended_by(state: State, seat: Seat, zone: Zone | None, time_ms: int) -> State:
    """Return the state after the round's end, if the player's cards bring it about."""
    cause = cause_of_end(state.players[seat])
    if cause is None:
        return state
    return end_round(state, End(seat, time_ms, cause, zone))


def end_round(state: State, end: End) -> State:
    """Return the state after `end`: touched cards go back, close releases wait.

    Only a release can be raced; an end without a card (`zone` is `None`) stands.
    """
    state, returned = _touched_returned(state)
    end = replace(end, returned=returned, is_settled=end.zone is None)
    state = replace(state, phase=Phase.ENDED, end=end)
    if end.is_settled:
        return state
    return _with_race(_later_taken_back(state, end), end)


def settled(state: State, first: Seat | None) -> State:
    """Return the state after "who was first"; `None` undoes both (FZ-R19)."""
    race, end = state.race, state.end
    assert race is not None
    assert end is not None
    state = replace(state, race=None)
    if first == race.seat:
        return placed_before_end(state, race)
    state = state.with_player(race.seat, state.players[race.seat].with_deck(1))
    if first is not None:
        return replace(state, end=replace(end, is_settled=True))
    return _resumed(_without_last(state, end), end)


def placed_before_end(state: State, race: Race) -> State:
    """Return the state in which the card of `race` was let go before the end.

    If that release ends the round itself, the card that seemed to end it is late.
    """
    end = state.end
    assert end is not None
    player = state.players[race.seat]
    player = player.with_pile(race.zone, (race.laid, *player.pile(race.zone)))
    state = state.with_player(race.seat, player)
    end = replace(end, is_settled=True)
    cause = cause_of_end(player)
    if cause is None:
        return replace(state, end=end)
    state = _without_last(state, end)
    first = End(race.seat, race.laid.time_ms, cause, race.zone, end.returned, True)
    return replace(state, end=first)


def unreturned(state: State, seat: Seat) -> tuple[State, Race]:
    """Return the touched card that went back to `seat`'s deck, out of it again."""
    end = state.end
    assert end is not None
    entry = touched_entry(end, seat)
    assert entry is not None
    assert entry.zone is not None
    assert entry.laid is not None
    rest = tuple(each for each in end.returned if each is not entry)
    state = state.with_player(seat, state.players[seat].with_deck(-1))
    race = Race(seat, entry.zone, entry.laid)
    return replace(state, end=replace(end, returned=rest)), race


def touched_entry(end: End, seat: Seat) -> Returned | None:
    """Return the entry of the card on the table that `seat` touched at the end."""
    return next(
        (each for each in end.returned if each.seat == seat and each.zone), None
    )


def without_late_reports(state: State) -> State:
    """Return the state in which an ended round stays as it is now."""
    if state.end is None:
        return state
    return replace(state, end=replace(state.end, is_settled=True))


def cleared(state: State) -> State:
    """Return the state after a resolved round: score, decks, next round (6.1)."""
    resolution = state.resolution
    assert resolution is not None
    assert resolution.is_over
    players = (_cleared(state, SEATS[0]), _cleared(state, SEATS[1]))
    is_last = state.round == ROUNDS
    return replace(
        state,
        players=players,
        phase=Phase.OVER if is_last else Phase.TURN,
        reports=(*state.reports, Report(state.round, resolution.spoils)),
        end=None,
        fouls=(),
        lost_by=None,
        copies=(),
        resolution=None,
    )


def _cleared(state: State, seat: Seat) -> Player:
    resolution, player = state.resolution, state.players[seat]
    assert resolution is not None
    in_hq = [card.card for card in player.pile(Zone.HQ)]
    heroes = tuple(Owned(card, seat) for card in in_hq if card.is_hero)
    scored = sum(
        owned.owner == seat
        for each in resolution.spoils
        for owned in each.taken + each.banished
    )
    back = sum(len(pile) for pile in player.piles) - len(heroes) - scored
    return replace(
        player.with_deck(back),
        piles=EMPTY,
        score=resolution.piles[seat],
        removed=player.removed + resolution.removed[seat] + heroes,
    )


def _before(state: State, end: End, time_ms: int) -> Margin:
    return Margin(float(end.time_ms - time_ms), state.options.timing_sigma_ms, "ms")


def _touched_returned(state: State) -> tuple[State, tuple[Returned, ...]]:
    returned = []
    for seat in SEATS:
        player = state.players[seat]
        if player.holds:
            returned.append(Returned(seat))
            player = replace(player, holds=False).with_deck(1)
        if player.touching is not None:
            top, *rest = player.pile(player.touching)
            returned.append(Returned(seat, player.touching, top))
            player = player.with_pile(player.touching, tuple(rest)).with_deck(1)
            player = replace(player, touching=None)
        state = state.with_player(seat, player)
    return state, tuple(returned)


def _later_taken_back(state: State, end: End) -> State:
    """Return the state without the rival's cards that were reported before the end
    but clearly let go after it."""
    seat = other(end.seat)
    player = state.players[seat]
    for zone in Zone:
        pile = player.pile(zone)
        kept = tuple(
            card
            for card in pile
            if _before(state, end, card.time_ms).verdict is not Verdict.REJECTED
        )
        player = player.with_pile(zone, kept).with_deck(len(pile) - len(kept))
    return state.with_player(seat, player)


def _with_race(state: State, end: End) -> State:
    """Return the state with the rival's latest release set apart if it was close.

    One hand lets go one card after another, so an earlier release of the same player
    is never in doubt with it.
    """
    seat = other(end.seat)
    player = state.players[seat]
    zone = player.last_release()
    if zone is None:
        return state
    top, *rest = player.pile(zone)
    if _before(state, end, top.time_ms).verdict is not Verdict.UNDECIDED:
        return state
    state = state.with_player(seat, player.with_pile(zone, tuple(rest)))
    return replace(state, race=Race(seat, zone, top))


def _without_last(state: State, end: End) -> State:
    """Return the state with the card that ended the round back in its deck."""
    assert end.zone is not None
    player = state.players[end.seat]
    pile = player.pile(end.zone)[1:]
    return state.with_player(end.seat, player.with_pile(end.zone, pile).with_deck(1))


def _resumed(state: State, end: End) -> State:
    """Return the state in which the battle goes on as if nothing had ended it."""
    for entry in end.returned:
        player = state.players[entry.seat].with_deck(-1)
        if entry.zone is None or entry.laid is None:
            player = replace(player, holds=True)
        else:
            pile = (entry.laid, *player.pile(entry.zone))
            player = replace(player.with_pile(entry.zone, pile), touching=entry.zone)
        state = state.with_player(entry.seat, player)
    return replace(state, phase=Phase.BATTLE, end=None)
