"""Frantic: a shedding game for two to eight players with special cards and events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engines.core import Outcome, Piece, Question, Ruling, Seat, Sheet
from engines.frantic import engine
from engines.frantic.astray import astray
from engines.frantic.changes import changes
from engines.frantic.layout import layout
from engines.frantic.moves import Move
from engines.frantic.moves.notation import parse_move
from engines.frantic.options import Options, parse_options
from engines.frantic.snapshot import Snapshot
from engines.frantic.state import State
from engines.frantic.table import score_table
from engines.frantic.view import view


class Frantic:
    """The game as `engines.core.Game` asks for it."""

    name = "frantic"

    def options(self, values: Mapping[str, object]) -> Options:
        return parse_options(values)

    def setup(self, options: Options) -> State:
        return engine.begin(options)

    def parse_move(self, text: str) -> Move:
        return parse_move(text)

    def judge(self, state: State, move: Move) -> Ruling:
        return engine.judge(state, move)

    def advance(self, state: State, move: Move) -> State:
        return engine.advance(state, move)

    def legal_moves(self, state: State) -> Iterable[Move] | None:
        return engine.legal_moves(state)

    def questions(self, state: State) -> tuple[Question, ...]:
        return engine.questions(state)

    def outcome(self, state: State) -> Outcome | None:
        return engine.outcome(state)

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        return view(state, seat)

    def layout(self, pieces: Sequence[Piece], options: Options) -> Snapshot:
        return layout(pieces, options)

    def score_table(
        self, snapshot: Snapshot, options: Options, answers: Mapping[str, str]
    ) -> Sheet:
        return score_table(snapshot, options, answers)

    def changes(self, state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
        return changes(state, snapshot)

    def astray(self, state: State, snapshot: Snapshot, move: Move) -> Question | None:
        """Return what to ask of the card that a refused move left lying there."""
        return astray(state, snapshot, move)


GAME = Frantic()
