"""Files of moves are replayed, and bad notation is told with line and column."""

from __future__ import annotations

import pytest

from companion.errors import UsageError
from companion.script import ScriptError, lines_of, run_script, split_options
from engines import load_game

REGICIDE = load_game("regicide")


def test_comments_and_blank_lines_say_nothing() -> None:
    lines = list(lines_of("# a fight\n\n  players: 3  # three of us\n\tx\n"))
    assert [(line.number, line.column, line.text) for line in lines] == [
        (3, 3, "players: 3"),
        (4, 2, "x"),
    ]


def test_the_first_lines_set_options() -> None:
    lines = list(lines_of("players: 3\njokerSelf: false\n# then nothing"))
    options, moves = split_options(REGICIDE, lines)
    assert options == {"players": "3", "jokerSelf": "false"}
    assert moves == []


def test_an_unknown_option_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="size"):
        list(run_script(REGICIDE, "size: 3\n"))


def test_bad_notation_names_line_column_and_what_was_expected() -> None:
    with pytest.raises(ScriptError) as caught:
        list(run_script(REGICIDE, "players: 2\n\n   nonsense 7h\n"))
    assert caught.value.values["line"] == 3
    assert int(caught.value.values["column"]) >= 4
    assert caught.value.values["expected"]


def test_a_move_that_is_not_allowed_ends_the_replay() -> None:
    steps = list(run_script(REGICIDE, "castle ?\n0: yield\nreveal Jh\n"))
    assert [step.is_upheld for step in steps] == [True, False]
    assert [step.line.number for step in steps] == [1, 2]


def test_a_move_with_a_colon_is_no_option() -> None:
    options, moves = split_options(REGICIDE, list(lines_of("players: 2\n0: yield\n")))
    assert options == {"players": "2"}
    assert [line.text for line in moves] == ["0: yield"]
