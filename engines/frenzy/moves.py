"""Moves: what players do at the table, what a referee puts right, what is answered.

Every move is one line: who (``P1``, ``P2`` or ``REF``), what, and ``@`` the time in
milliseconds. `str(move)` and `parse_move` are inverse. `move.claim` is the sentence
that `judge` rules on.
"""

from __future__ import annotations

from typing import TypeAlias

from engines.frenzy.acts import (
    Aside,
    Draw,
    Finished,
    Go,
    Lay,
    Lift,
    Lot,
    Play,
    Release,
    Turn,
)
from engines.frenzy.calls import (
    Agree,
    Blame,
    Claim,
    Copy,
    Count,
    Decide,
    Earlier,
    Pick,
    Record,
    Remedy,
    Resolve,
    Restore,
    RulingKey,
    Upset,
)

__all__ = [
    "Agree",
    "Aside",
    "Blame",
    "Claim",
    "Copy",
    "Count",
    "Decide",
    "Draw",
    "Earlier",
    "Finished",
    "Go",
    "Lay",
    "Lift",
    "Lot",
    "Move",
    "Pick",
    "Play",
    "Record",
    "Release",
    "Remedy",
    "Resolve",
    "Restore",
    "RulingKey",
    "Turn",
    "Upset",
]

Move: TypeAlias = (
    Lot
    | Aside
    | Turn
    | Go
    | Draw
    | Lay
    | Release
    | Lift
    | Play
    | Finished
    | Count
    | Restore
    | Upset
    | Blame
    | Record
    | Claim
    | Decide
    | Earlier
    | Resolve
    | Copy
    | Agree
    | Pick
)
