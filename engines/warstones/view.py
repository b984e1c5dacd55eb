"""What a seat may know. Warstones has no secret but the order of the City stack."""

from __future__ import annotations

from collections.abc import Mapping

from engines.core import Seat
from engines.warstones.flow import goal
from engines.warstones.state import State
from engines.warstones.terms import letter


def view(state: State, seat: Seat | None) -> Mapping[str, object]:
    """Return the open game as plain values; the order of the stack is in no state.

    Armies are open from the start: chips lie in the Reserve, cards beside the board.
    """
    return {
        "seat": None if seat is None else int(seat),
        "round": state.round,
        "turn": None if state.turn is None else letter(state.turn),
        "first": None if state.first is None else letter(state.first),
        "goal": goal(state),
        "stack": len(state.stack),
        "cities": dict(state.cities),
        "chips": {
            chip.id: {
                "unit": state.options.label(chip.id),
                "place": str(chip.place),
                "strength": state.strength(chip),
            }
            for chip in state.chips
        },
        "players": {
            letter(s): {
                "faction": state.options.factions[s],
                "action_points": state.points[s],
                "victory_points": state.victory_points(s),
                "cities": list(state.taken[s]),
            }
            for s in state.options.seats
        },
        "winners": None
        if state.outcome is None
        else [letter(winner) for winner in state.outcome.winners],
    }
