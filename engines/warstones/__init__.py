"""Warstones: flick units into sectors, attack, besiege Cities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engines.core import Outcome, Piece, Question, Ruling, Seat, Sheet
from engines.warstones.advance import advance
from engines.warstones.ask import questions
from engines.warstones.changes import astray, changes
from engines.warstones.claims import rule_claim
from engines.warstones.judge import judge
from engines.warstones.kit_file import parse_warkit, sample_kit
from engines.warstones.layout import layout
from engines.warstones.legal import legal_moves
from engines.warstones.mat_file import arbitro_mat, parse_mat
from engines.warstones.moves import Move
from engines.warstones.notation import parse_move
from engines.warstones.options import Options, read_options
from engines.warstones.snapshot import Snapshot
from engines.warstones.state import State, opening
from engines.warstones.table import score_table
from engines.warstones.view import view


class Warstones:
    """The game of Warstones; see `engines.core.Game`."""

    name = "warstones"

    def options(self, values: Mapping[str, object]) -> Options:
        """Return the options with defaults; raise `OptionError` on a wrong one."""
        return read_options(values)

    def setup(self, options: Options) -> State:
        """Return the state before armies, First Player and City tokens are known."""
        return opening(options)

    def parse_move(self, text: str) -> Move:
        """Read a move; raise `NotationError`."""
        return parse_move(text)

    def judge(self, state: State, move: Move) -> Ruling:
        """Rule on "this move is allowed now"."""
        return judge(state, move)

    def advance(self, state: State, move: Move) -> State:
        """Return the state after a move that `judge` upholds."""
        return advance(state, move)

    def legal_moves(self, state: State) -> Iterable[Move] | None:
        """Return the players' legal moves, `None` while a flick is open."""
        return legal_moves(state)

    def questions(self, state: State) -> tuple[Question, ...]:
        """Return the open questions."""
        return questions(state)

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended, `None` while it goes on."""
        return state.outcome

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        """Return what that seat may know."""
        return view(state, seat)

    def layout(self, pieces: Sequence[Piece], options: Options) -> Snapshot:
        """Return what lies in which zone."""
        return layout(pieces, options)

    def score_table(
        self, snapshot: Snapshot, options: Options, answers: Mapping[str, str]
    ) -> Sheet:
        """Return the sheet of one look at the table."""
        return score_table(snapshot, options, answers)

    def changes(self, state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
        """Return the moves that explain what now lies there, or what must be asked."""
        return changes(state, snapshot)

    def astray(self, state: State, snapshot: Snapshot, move: Move) -> Question | None:
        """Return what to ask of a chip that a refused move has brought elsewhere."""
        return astray(state, snapshot, move)


GAME = Warstones()

__all__ = [
    "GAME",
    "Move",
    "Options",
    "Snapshot",
    "State",
    "Warstones",
    "arbitro_mat",
    "parse_mat",
    "parse_warkit",
    "rule_claim",
    "sample_kit",
]
