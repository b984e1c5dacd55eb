"""Brawl: a real-time card game, with turns in Training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engines.brawl.advance import advance
from engines.brawl.asking import questions
from engines.brawl.changes import changes
from engines.brawl.judging import judge
from engines.brawl.layout import layout
from engines.brawl.listing import legal_moves
from engines.brawl.moves import Move
from engines.brawl.notation import parse_move
from engines.brawl.options import Options, parse_options
from engines.brawl.scoring import outcome
from engines.brawl.sheet import score_table
from engines.brawl.snapshot import Snapshot
from engines.brawl.state import State, start
from engines.brawl.viewing import view
from engines.core import Game, Outcome, Piece, Question, Ruling, Seat, Sheet

__all__ = ["GAME", "Brawl", "Move", "Options", "Snapshot", "State"]


class Brawl:
    """The rules of RULES.md as a `Game`."""

    name = "brawl"

    def options(self, values: Mapping[str, object]) -> Options:
        """Return the options with defaults; raise `OptionError` on a wrong one."""
        return parse_options(values)

    def setup(self, options: Options) -> State:
        """Return the state with the starting Bases on the table."""
        return start(options)

    def parse_move(self, text: str) -> Move:
        """Read a move; raise `NotationError`."""
        return parse_move(text)

    def judge(self, state: State, move: Move) -> Ruling:
        """Rule on "this move is allowed now"."""
        return judge(state, move)

    def advance(self, state: State, move: Move) -> State:
        """Return the state after a move that `judge` upholds."""
        return advance(state, move)

    def legal_moves(self, state: State) -> Iterable[Move]:
        """Return exactly the moves, without a time, that `judge` upholds."""
        return legal_moves(state)

    def questions(self, state: State) -> tuple[Question, ...]:
        """Return the open questions, fouls and contests first."""
        return questions(state)

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended; the winners of a tied circle play on (B-19)."""
        return outcome(state)

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        """Return what that seat, or a spectator, may know."""
        return view(state, seat)

    def layout(self, pieces: Sequence[Piece], options: Options) -> Snapshot:
        """Return rows, chains and piles; never raises on a strange table."""
        return layout(pieces, options)

    def score_table(
        self, snapshot: Snapshot, options: Options, answers: Mapping[str, str]
    ) -> Sheet:
        """Return the sheet of one look at the table."""
        return score_table(snapshot, options, answers)

    def changes(self, state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
        """Return the moves that explain the table, or what must be asked.

        An illegal card on the table comes back as the `Play` that `judge` rejects.
        """
        return changes(state, snapshot)


GAME: Game[State, Move, Snapshot, Options] = Brawl()
