"""What a seat may know of a game, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping

from engines.core import Outcome, RuleRef, Seat, Suit, Text
from engines.regicide.cards import SOLO_JOKERS, attack_of, hit_points_of, in_order
from engines.regicide.state import Ending, Phase, Slots, State

MEDALS = ("gold", "silver", "bronze")
"""By the number of Jokers flipped in a solo win (6)."""


def view(state: State, seat: Seat | None) -> Mapping[str, object]:
    """Return the public facts and the own hand; never a pile's order or content."""
    return {
        "phase": state.phase.value,
        "current": state.current if state.started else None,
        "players": state.options.players,
        "hand_limit": state.options.hand_limit,
        "enemy": _enemy(state),
        "suits": {suit.name.lower(): suit is not state.is_blocked for suit in Suit},
        "plays": [
            {"seat": play.seat, "cards": [str(card) for card in play.cards]}
            for play in state.plays
        ],
        "hand": None if seat is None else _hand(state, seat),
        "hand_sizes": [len(hand) for hand in state.hands],
        "last_actions": [None if a is None else a.value for a in state.last],
        "castle_size": len(state.castle),
        "tavern_size": len(state.tavern),
        "discard_size": len(state.discard),
        "discard": _labels(
            state.discard if state.options.discard_browse else state.discard[:1]
        ),
        "to_heal": state.to_heal,
        "to_draw": state.to_draw,
        "suffer": state.suffer,
        "solo_jokers": state.jokers if state.options.players == 1 else None,
        "ending": None if state.ending is None else state.ending.value,
    }


def _enemy(state: State) -> Mapping[str, object] | None:
    if state.enemy is None:
        return None
    hit_points = hit_points_of(state.enemy)
    return {
        "card": str(state.enemy),
        "attack": attack_of(state.enemy),
        "hit_points": hit_points,
        "dealt": state.dealt,
        "left": max(0, hit_points - state.dealt),
        "shield": state.shield,
        "attack_left": state.attack,
        "immune": state.immune,
    }


def _hand(state: State, seat: Seat) -> list[str | None] | None:
    if not 0 <= seat < len(state.hands):
        return None
    hand = state.hands[seat]
    known = in_order(card for card in hand if card is not None)
    return [*map(str, known), *(None for slot in hand if slot is None)]


def _labels(slots: Slots) -> list[str | None]:
    return [None if card is None else str(card) for card in slots]


def medal(flipped: int) -> str:
    """Return the medal of a solo win by the number of Jokers flipped."""
    return MEDALS[flipped]


def outcome(state: State) -> Outcome | None:
    """Return who won (all or nobody) and why."""
    match state.ending:
        case None:
            return None
        case Ending.WON if state.options.players == 1:
            name = medal(SOLO_JOKERS - state.jokers)
            reason = Text.of(
                "regicide.won_solo", medal=Text.of(f"regicide.medal_{name}")
            )
            return Outcome((Seat(0),), reason, RuleRef("7.2"))
        case Ending.WON:
            seats = tuple(Seat(seat) for seat in range(state.options.players))
            return Outcome(seats, Text.of("regicide.won"), RuleRef("6"))
        case Ending.NOT_COVERED:
            reason = Text.of(
                "regicide.lost_not_covered",
                seat=_who(state),
                damage=state.suffer,
            )
            return Outcome((), reason, RuleRef("6"))
        case Ending.STUCK:
            reason = Text.of("regicide.lost_stuck", seat=_who(state))
            return Outcome((), reason, RuleRef("6"))


def _who(state: State) -> Text:
    return Text.of("core.seat", number=state.current + 1)


def is_over(state: State) -> bool:
    """Return whether the game has ended."""
    return state.phase is Phase.OVER
