"""What every game offers, and what can be done with any of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from engines.core.errors import IllegalMoveError, NotationError
from engines.core.piece import Piece
from engines.core.ruling import Outcome, Question, Ruling, Seat, Verdict
from engines.core.sheet import Sheet

State = TypeVar("State")
Move = TypeVar("Move")
Snapshot = TypeVar("Snapshot")
Options = TypeVar("Options")


class Game(Protocol[State, Move, Snapshot, Options]):
    """A game: pure functions over frozen values; no clock, no randomness, no I/O."""

    name: str
    """The folder's name."""

    def options(self, values: Mapping[str, object]) -> Options:
        """Return the options with defaults; raise `OptionError` on a wrong one."""

    def setup(self, options: Options) -> State:
        """Return the state before the first move."""

    def parse_move(self, text: str) -> Move:
        """Read a move; `str(move)` is its inverse; raise `NotationError`."""

    def judge(self, state: State, move: Move) -> Ruling:
        """Rule on "this move is allowed now"; never raises on a parsable move."""

    def advance(self, state: State, move: Move) -> State:
        """Return the state after a move that `judge` upholds; the argument stays."""

    def legal_moves(self, state: State) -> Iterable[Move] | None:
        """Return exactly the moves that `judge` upholds, or `None` if not listable."""

    def questions(self, state: State) -> tuple[Question, ...]:
        """Return the open questions; each option carries the move that answers it.

        A question to a seat may name what only that seat knows: show it to nobody else.
        """

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended, `None` while it goes on."""

    def view(self, state: State, seat: Seat | None) -> Mapping[str, object]:
        """Return what that seat may know (`None`: a spectator); plain JSON values."""

    def layout(self, pieces: Sequence[Piece], options: Options) -> Snapshot:
        """Return what lies in which zone; never raises on a strange table."""

    def score_table(
        self, snapshot: Snapshot, options: Options, answers: Mapping[str, str]
    ) -> Sheet:
        """Return the sheet of one look at the table, without history.

        `answers` maps ids of questions asked before to the chosen option's value.
        """

    def changes(self, state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
        """Return the moves that explain what now lies there, or what must be asked."""


def play(game: Game[State, Move, Snapshot, Options], state: State, move: Move) -> State:
    """Return the state after `move`, or raise `IllegalMoveError` with the ruling."""
    ruling = game.judge(state, move)
    if ruling.verdict is not Verdict.UPHELD:
        raise IllegalMoveError(ruling)
    return game.advance(state, move)


@dataclass(frozen=True, slots=True)
class Replay(Generic[State]):
    """What was played of a list of moves, and what stopped it (scalachess's
    "play while valid"): the state after the last upheld move, one ruling per move
    judged, and the error text of an unreadable line, if there was one."""

    state: State
    rulings: tuple[Ruling, ...]
    error: NotationError | None = None

    @property
    def is_complete(self) -> bool:
        """Return whether every move was read and upheld."""
        return self.error is None and all(
            ruling.verdict is Verdict.UPHELD for ruling in self.rulings
        )


def replay(
    game: Game[State, Move, Snapshot, Options], state: State, moves: Iterable[str]
) -> Replay[State]:
    """Return the state after as many of `moves` as can be read and are legal."""
    rulings: list[Ruling] = []
    for text in moves:
        try:
            move = game.parse_move(text)
        except NotationError as error:
            return Replay(state, tuple(rulings), error)
        ruling = game.judge(state, move)
        rulings.append(ruling)
        if ruling.verdict is not Verdict.UPHELD:
            break
        state = game.advance(state, move)
    return Replay(state, tuple(rulings))
