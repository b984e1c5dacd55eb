"""Frenzy: two armies, seven regions each, three rounds in real time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engines.core import Game, Outcome, Piece, Question, Ruling, Seat, Sheet
from engines.frenzy.advancing import advanced
from engines.frenzy.changes import changes_of, doubts_of
from engines.frenzy.judging import judged
from engines.frenzy.layout import laid_out
from engines.frenzy.legal import LegalMoves
from engines.frenzy.moves import Move
from engines.frenzy.notation import parse_move
from engines.frenzy.options import Options, parse_options
from engines.frenzy.outcome import outcome_of
from engines.frenzy.questions import open_questions
from engines.frenzy.remedies import remedy_for
from engines.frenzy.scoring import sheet_of
from engines.frenzy.snapshot import Snapshot
from engines.frenzy.state import State, initial
from engines.frenzy.views import view_of

__all__ = ["GAME", "Frenzy", "Move", "Options", "Snapshot", "State"]


class Frenzy:
    """The game, as `engines.core.Game` describes it; see RULES.md."""

    name = "frenzy"

    def options(self, values: Mapping[str, object]) -> Options:
        return parse_options(values)

    def setup(self, options: Options) -> State:
        return initial(options)

    def parse_move(self, text: str) -> Move:
        return parse_move(text)

    def judge(self, state: State, move: Move) -> Ruling:
        return judged(state, move)

    def advance(self, state: State, move: Move) -> State:
        return advanced(state, move)

    def legal_moves(self, state: State) -> Iterable[Move]:
        return LegalMoves(state)

    def questions(self, state: State) -> tuple[Question, ...]:
        return open_questions(state)

    def outcome(self, state: State) -> Outcome | None:
        return outcome_of(state)

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        return view_of(state, seat)

    def layout(self, pieces: Sequence[Piece], options: Options) -> Snapshot:
        return laid_out(pieces, options)

    def score_table(
        self, snapshot: Snapshot, options: Options, answers: Mapping[str, str]
    ) -> Sheet:
        return sheet_of(snapshot, options, answers)

    def changes(self, state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
        return changes_of(state, snapshot)

    def doubts(self, state: State, snapshot: Snapshot) -> tuple[Question, ...]:
        """Return all that is asked about the table now; `changes` asks one of them."""
        return doubts_of(state, snapshot)

    def remedy(self, state: State, move: Move) -> Move | None:
        """Return what the referee does about a refused move, if that changes the state
        (4.4); the other fouls are put right on the table."""
        return remedy_for(state, move)


GAME: Game[State, Move, Snapshot, Options] = Frenzy()
