"""Files of moves, so that a dispute can be reproduced from text alone.

One move a line, in the notation of the game; ``#`` starts a comment; lines such as
``players: 3`` before the first move set options of the game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from companion.errors import CompanionError
from companion.i18n import N_
from companion.referee import game_options
from engines.core import Game, NotationError, Outcome, Question, Ruling, Verdict

OPTION = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*:\s*(.*?)\s*")


class ScriptError(CompanionError):
    """A line of the file is not in the notation that stands there."""

    code = "notation"
    http_status = 422

    def __init__(self, line: ScriptLine, error: NotationError) -> None:
        inside = max(error.column - 1, 0)
        super().__init__(
            N_(
                "line %(line)s, column %(column)s: expected %(expected)s,"
                " not '%(found)s'"
            )
            if error.expected
            else N_("line %(line)s, column %(column)s: %(reason)s"),
            line=line.number,
            column=line.column + inside,
            expected=error.expected,
            found=(line.text[inside:].split() or [""])[0],
            reason=str(error),
        )


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """One line that says something."""

    number: int
    """Counted from 1, as editors do."""
    column: int
    """Where its text begins, counted from 1."""
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """One move of the file and the ruling on it."""

    line: ScriptLine
    move: str
    """In the notation as the game itself writes it."""
    ruling: Ruling
    questions: tuple[Question, ...]
    """Open after this move."""
    outcome: Outcome | None
    """Set where the game ended with this move."""

    @property
    def is_upheld(self) -> bool:
        """Return whether the move was allowed."""
        return self.ruling.verdict is Verdict.UPHELD


def lines_of(text: str) -> Iterator[ScriptLine]:
    """Yield the lines of a file without comments and blanks."""
    for number, raw in enumerate(text.splitlines(), start=1):
        said = raw.partition("#")[0]
        stripped = said.strip()
        if stripped:
            column = len(said) - len(said.lstrip()) + 1
            yield ScriptLine(number, column, stripped)


def run_script(game: Game[Any, Any, Any, Any], text: str) -> Iterator[Step]:
    """Yield a step for each move, up to and including the first that is refused.

    Raises `ScriptError` at the first line that cannot be read, and `UsageError` for an
    option that the game does not know.
    """
    written, moves = split_options(game, list(lines_of(text)))
    state = game.setup(game_options(game, written))
    for line in moves:
        try:
            move = game.parse_move(line.text)
        except NotationError as error:
            raise ScriptError(line, error) from error
        ruling = game.judge(state, move)
        upheld = ruling.verdict is Verdict.UPHELD
        if upheld:
            state = game.advance(state, move)
        yield Step(line, str(move), ruling, game.questions(state), game.outcome(state))
        if not upheld:
            return


def split_options(
    game: Game[Any, Any, Any, Any], lines: list[ScriptLine]
) -> tuple[dict[str, str], list[ScriptLine]]:
    """Return the options of the first lines, and the lines of the moves.

    A line that is a move of this game is a move, even if it holds a colon.
    """
    options: dict[str, str] = {}
    for place, line in enumerate(lines):
        found = OPTION.fullmatch(line.text)
        if found is None or _is_move(game, line.text):
            return options, lines[place:]
        options[found[1]] = found[2]
    return options, []


def _is_move(game: Game[Any, Any, Any, Any], text: str) -> bool:
    try:
        game.parse_move(text)
    except NotationError:
        return False
    return True
