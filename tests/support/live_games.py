"""Games in play: options and moves that random but lawful players made."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from companion.ledger import Ledger
from engines import load_game
from engines.core import Verdict
from tests.support import brawl, frantic, regicide, warstones

OPTIONS: Mapping[str, Mapping[str, object]] = {
    "brawl": {"blockOnHit2": True},
    "frantic": {"players": 3},
    "frenzy": {},
    "regicide": {"players": 2},
    "warstones": {},
}
FRENZY = (
    "REF first P1 @0",
    "P1 turn F1 @1000",
    "P2 go @2000",
    "P1 play W4 P1.B1 @3000",
    "P2 play W3 P2.B1 @3100",
    "P1 play A P1.B2 @4000",
    "P2 play Z P2.HQ @4200",
    "P1 play W2 P1.S1 @5000",
    "P2 play W4 P2.B3 @5200",
    "P1 play B P1.B3 @6000",
    "P2 play W1 P2.S2 @6100",
    "P2 play W2 P2.B2 @7000",
    "P1 play Z P1.HQ @7300",
)


def write_move(
    ledger: Ledger, table_id: str, move: str, *, actor: str | None = None
) -> None:
    """Write the next move of a table into the ledger, as the page does."""
    ledger.append(
        table_id,
        ledger.head(table_id).seq + 1,
        move,
        source="page",
        actor=actor,
        taken_at=datetime.now(UTC),
    )


def moves_of(game: str, *, seed: int = 1, most: int = 36) -> list[str]:
    """Return the first moves of a game, in notation; always the same ones."""
    rules = load_game(game)
    rng = random.Random(93 if game == "brawl" and seed == 1 else seed)
    state = rules.setup(rules.options(OPTIONS.get(game, {})))
    if game == "frenzy":
        return list(FRENZY[:most])
    found: list[str] = []
    if game == "warstones":
        for move in warstones.random_setup(state, rng):
            found.append(str(move))
            state = rules.advance(state, move)
    while len(found) < most:
        move = _next(game, state, rng)
        if move is None or rules.judge(state, move).verdict is not Verdict.UPHELD:
            break
        found.append(str(move))
        state = rules.advance(state, move)
        if rules.outcome(state) is not None:
            break
    return found


def _next(game: str, state: Any, rng: random.Random) -> Any:
    match game:
        case "regicide":
            return regicide.chance(state, rng) or regicide.careful(state, rng)
        case "frantic":
            return frantic.random_move(state, rng, corrections=False)
        case "brawl":
            return brawl.random_move(state, rng)
        case "warstones":
            return warstones.random_move(state, rng)
        case _:
            return None
