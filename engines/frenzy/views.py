"""What a seat may know: the tops of the piles, never what they cover (4.1)."""

from __future__ import annotations

from collections.abc import Mapping

from engines.core import Seat
from engines.frenzy.cards import SEATS, ZONES, Owned, seat_name
from engines.frenzy.resolution import Spoils
from engines.frenzy.state import Player, State


def view_of(state: State, seat: Seat | None) -> Mapping[str, object]:
    """Return what `seat` may know; both players and a spectator see the same table.

    Nobody but the players knows a held card, and the state does not hold it; a covered
    card is hidden from both until a Knight takes it.
    """
    end = state.end
    return {
        "seat": None if seat is None else seat_name(seat),
        "phase": state.phase.value,
        "round": state.round,
        "first": None if state.first is None else seat_name(state.first),
        "clock_ms": state.clock_ms,
        "players": {
            seat_name(each): _player(state, each, state.players[each]) for each in SEATS
        },
        "ended": None
        if end is None
        else {
            "by": seat_name(end.seat),
            "cause": end.cause.value,
            "time_ms": end.time_ms,
        },
        "fouls": [f"{seat_name(foul.seat)} {foul.code}" for foul in state.fouls],
        "upset": None if state.upset is None else str(state.upset),
        "resolved": _resolved(state),
        "reports": [
            {"round": report.round, "battlefields": [_spoils(s) for s in report.spoils]}
            for report in state.reports
        ],
    }


def _player(state: State, seat: Seat, player: Player) -> Mapping[str, object]:
    score = state.score_piles[seat]
    return {
        "deck": player.deck,
        "holds": player.holds,
        "touching": None if player.touching is None else player.touching.value,
        "regions": {
            zone.value: {
                "top": None if not pile else pile[0].card.value,
                "cards": len(pile),
            }
            for zone, pile in zip(ZONES, player.piles, strict=True)
        },
        "heroes": player.heroes,
        "score": _labels(score),
        "points": sum(owned.card.points for owned in score),
        "removed": _labels(player.removed),
    }


def _resolved(state: State) -> list[Mapping[str, object]]:
    if state.resolution is None:
        return []
    return [_spoils(each) for each in state.resolution.spoils[: state.resolution.done]]


def _spoils(each: Spoils) -> Mapping[str, object]:
    return {
        "battlefield": each.number,
        "winner": None if each.winner is None else seat_name(each.winner),
        "taken": _labels(each.taken),
        "banished": _labels(each.banished),
    }


def _labels(cards: tuple[Owned, ...]) -> list[str]:
    return sorted(owned.card.value for owned in cards)
