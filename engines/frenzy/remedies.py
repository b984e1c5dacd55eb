"""What the referee does about a move that was refused as a foul (4.4)."""

from __future__ import annotations

from engines.frenzy.judging import is_allowed, objection_to
from engines.frenzy.moves import Draw, Lay, Move, Play, Record
from engines.frenzy.state import FoulCode, State

CODES = {code.value: code for code in FoulCode}


def remedy_for(state: State, move: Move) -> Record | None:
    """Return the move that puts the foul on record, `None` if it was none.

    Only a Warrior in the HQ stays where it lies (F-E); a card laid elsewhere by mistake
    goes back to the hand or the deck, so the state does not know it.
    """
    objection = objection_to(move, state)
    if objection is None or not isinstance(move, Draw | Lay | Play):
        return None
    code = CODES.get(str(objection.rule))
    if code is None or (code is FoulCode.WARRIOR_IN_HQ and isinstance(move, Lay)):
        return None
    card = None if isinstance(move, Draw) else move.card
    record = Record(move.seat, code, card, move.time_ms)
    return record if is_allowed(state, record) else None
