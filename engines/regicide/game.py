"""Regicide as `engines.core.Game`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engines.core import Outcome, Piece, Question, RuleRef, Ruling, Seat, Sheet
from engines.regicide import (
    asking,
    changes,
    claims,
    layout,
    listing,
    notation,
    rules,
    scoring,
    showing,
    turn,
)
from engines.regicide.moves import Move
from engines.regicide.options import Options, parse_options
from engines.regicide.snapshot import Snapshot
from engines.regicide.state import State, initial


class Regicide:
    """The game; every method is a pure function of its arguments."""

    name = "regicide"

    def options(self, values: Mapping[str, object]) -> Options:
        """Return the options; raise `OptionError` on an unknown key or value."""
        return parse_options(values)

    def setup(self, options: Options) -> State:
        """Return the state before the Castle is made."""
        return initial(options)

    def parse_move(self, text: str) -> Move:
        """Read a move; raise `NotationError` on anything that is none."""
        return notation.parse_move(text)

    def judge(self, state: State, move: Move) -> Ruling:
        """Rule on "this is allowed now"."""
        objection = rules.objection(state, move)
        claim = claims.claim(move)
        if objection is not None:
            return Ruling.refused(claim, objection)
        rule, reason = claims.ground(move)
        return Ruling.upheld(claim, reason, RuleRef(rule))

    def advance(self, state: State, move: Move) -> State:
        """Return the state after an allowed move."""
        return turn.advance(state, move)

    def legal_moves(self, state: State) -> Iterable[Move] | None:
        """Return the allowed moves, `None` where they hang on unseen cards."""
        return listing.legal_moves(state)

    def questions(self, state: State) -> tuple[Question, ...]:
        """Return what somebody must say or decide now."""
        return asking.questions(state)

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended, `None` while it goes on."""
        return showing.outcome(state)

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        """Return the public facts and the hand of `seat`."""
        return showing.view(state, seat)

    def layout(self, pieces: Sequence[Piece], options: Options) -> Snapshot:
        """Return which card lies in which zone."""
        return layout.lay_out(pieces, options)

    def score_table(
        self, snapshot: Snapshot, options: Options, answers: Mapping[str, str]
    ) -> Sheet:
        """Return the sheet of the fight on the table."""
        return scoring.score(snapshot, options, answers)

    def changes(self, state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
        """Return the moves that explain the table, or what must be asked."""
        return changes.changes(state, snapshot)
