"""A chip lies on the board, and no camera sees it: people say where."""

from __future__ import annotations

import pytest

from engines.core import Question, Seat, canonical, replay
from engines.warstones import GAME, State
from tests.engines.test_warstones_changes import ask, seen, table_of
from tests.support.warstones import game, moves, place, put, refused, with_turn


def asked(state: State) -> Question:
    """Return the one question that the state itself asks."""
    [question] = GAME.questions(state)
    return question


def values(question: Question) -> list[str]:
    return [option.value for option in question.options]


def move_of(question: Question, value: str) -> str:
    """Return the move of an answer."""
    [move] = [o.move for o in question.options if o.value == value]
    assert move is not None
    return move


def unseen(**places: str) -> State:
    """Return a state in which A has flicked a hero that nobody sees."""
    return moves(put(game(), A_hero_1="base", **places), "A deploy A:hero-1 unseen")


def test_a_chip_missing_from_the_base_may_lie_on_the_board() -> None:
    state = put(game(), A_hero_1="base", B_vampire_1="base")
    gone = table_of(state, A_hero_1=None)
    question = ask(state, gone)
    assert values(question) == ["A:hero-1", "lies:A:hero-1", "wait"]
    state = moves(state, move_of(question, "lies:A:hero-1"))
    assert state.points[0] == 4
    assert seen(state, gone) == (), "only people know more"
    where = asked(state)
    assert (where.id, where.to) == ("lies:A:hero-1", Seat(0))
    sectors = [f"{row}-{column}" for row in "FMN" for column in "WCE"]
    assert values(where) == [*sectors, "margin", "base", "off"], "as they are drawn"
    state = moves(state, move_of(where, "N-W"))
    terrain = asked(state)
    assert terrain.id == "terrain:A:hero-1"
    assert values(terrain) == ["forest", "plain"]
    for answer, end in (("forest", "N-W/forest"), ("plain", "N-W")):
        told = moves(state, move_of(terrain, answer))
        assert GAME.questions(told) == ()
        assert seen(told, gone) == (f"settle A:hero-1@{end}",)


def test_terrain_is_asked_only_where_it_counts() -> None:
    basic = put(game(terrain=False), A_hero_1="base")
    told = moves(basic, "A deploy A:hero-1 unseen", "lies A:hero-1@N-W")
    assert GAME.questions(told) == ()
    at_once = moves(unseen(), "lies A:hero-1@N-W/forest")
    assert GAME.questions(at_once) == ()


@pytest.mark.parametrize(
    ("answer", "end"), [("off", "reserve"), ("base", "base"), ("margin", "reserve")]
)
def test_a_flick_that_nobody_saw_may_have_ended_elsewhere(
    answer: str, end: str
) -> None:
    state = unseen()
    state = moves(state, move_of(asked(state), answer))
    found = seen(state, table_of(state, A_hero_1=None))
    assert found == (f"settle A:hero-1@{answer}",)
    assert place(moves(state, *found), "A:hero-1") == end


def test_what_an_unseen_chip_hit_is_settled_with_it() -> None:
    state = unseen(B_skeleton_1="N-C:450,250", B_vampire_1="base")
    state = moves(state, "lies A:hero-1@N-C/swamp")
    hit = table_of(state, A_hero_1=None, B_skeleton_1="500,320")
    assert seen(state, hit) == ("settle A:hero-1@N-C/swamp B:skeleton-1@N-C:500,320",)
    question = ask(state, table_of(state, A_hero_1=None, B_vampire_1="480,668"))
    assert question.id == "pushed:B:vampire-1"
    assert move_of(question, "own") == "settle A:hero-1@N-C/swamp"


def test_a_chip_that_is_seen_before_people_answer_lies_there() -> None:
    state = unseen()
    for told in (state, moves(state, "lies A:hero-1@N-W")):
        assert seen(told, table_of(told, A_hero_1="450,300")) == (
            "settle A:hero-1@N-C:450,300",
        )


def lying(at: str) -> State:
    """Return a state in which a hero lies somewhere, and was not seen there."""
    return moves(unseen(), f"lies A:hero-1@{at}", f"settle A:hero-1@{at}")


def test_what_is_not_seen_where_people_said_that_it_lies_has_not_moved() -> None:
    state = lying("N-C/swamp")
    assert seen(state, table_of(state, A_hero_1=None)) == ()
    turn = with_turn(put(state, B_vampire_1="base"), "B")
    found = seen(turn, table_of(turn, A_hero_1=None, B_vampire_1="480,668"))
    assert not isinstance(found, Question)
    assert found[0] == "B deploy B:vampire-1"
    assert len(found) == 2, "and that it did not move"


@pytest.mark.parametrize(
    ("at", "found"),
    [
        ("450,230", "N-C/swamp:450,230"),
        ("500,320", "N-C:500,320"),
        ("302,250", "N-W:302,250"),  # a part of it lies in N-C
    ],
)
def test_a_chip_that_is_seen_at_last_near_there_has_not_moved(
    at: str, found: str
) -> None:
    state = lying("N-C/swamp")
    assert seen(state, table_of(state, A_hero_1=at)) == (f"lies A:hero-1@{found}",)
    known = moves(state, f"lies A:hero-1@{found}")
    assert seen(known, table_of(known)) == ()
    assert (known.points, known.turn) == (state.points, state.turn)
    assert known.flick == state.flick, "the flick can still be called foul"
    known = with_turn(known, "A")
    flicked = seen(known, table_of(known, A_hero_1="200,140"))
    assert not isinstance(flicked, Question)
    assert flicked[0] == "A move A:hero-1"


def test_a_chip_that_is_seen_at_last_elsewhere_was_moved() -> None:
    state = with_turn(lying("M-W"), "A")
    assert seen(state, table_of(state, A_hero_1="450,200")) == (
        "A move A:hero-1",
        "settle A:hero-1@N-C:450,200",
    )


def test_a_chip_that_comes_where_one_like_it_lies_unseen_is_not_that_one() -> None:
    state = put(game(), A_militia_1="base", A_militia_2="base")
    state = moves(state, "A deploy A:militia-1 unseen", "lies A:militia-1@N-C/swamp")
    state = moves(state, "settle A:militia-1@N-C/swamp")
    state = with_turn(state, "A")
    pieces = table_of(state, A_militia_1=None, A_militia_2="450,320")
    assert seen(state, pieces) == (
        "A deploy A:militia-2",
        "settle A:militia-2@N-C:450,320",
    )


def test_what_was_found_is_told_after_what_was_played() -> None:
    state = with_turn(put(lying("N-C/swamp"), A_archer_1="base"), "A")
    pieces = table_of(state, A_hero_1="450,230", A_archer_1="200,140")
    assert seen(state, pieces) == (
        "A deploy A:archer-1",
        "settle A:archer-1@N-W:200,140",
        "lies A:hero-1@N-C/swamp:450,230",
    )


def test_where_a_chip_lies_that_was_seen_is_known() -> None:
    state = put(game(), A_hero_1="N-C:450,230", A_archer_1="base", A_captain_1="N-C")
    assert refused(state, "lies A:hero-1@N-C") == ("4.5", "place_known")
    assert refused(state, "lies A:archer-1@N-C") == ("4.5", "place_known")
    assert refused(state, "lies A:militia-1@N-C") == ("4.5", "not_in_play")
    assert refused(state, "lies A:captain-1@base") == ("4.5", "place_known")
    assert refused(state, "lies A:captain-1@Q") == ("3", "no_such_sector")
    moves(state, "lies A:captain-1@N-C:460,240")
    flicked = moves(state, "A deploy A:archer-1")
    assert refused(flicked, "lies A:archer-1@lost") == ("4.5", "place_known")


@pytest.mark.parametrize("start", ["base", "N-C:450,200"])
def test_where_a_chip_lies_is_asked_if_it_is_taken_back_that_it_left_the_board(
    start: str,
) -> None:
    """A flicked chip that is seen nowhere left the board, without a question."""
    state = put(game(), A_hero_1=start)
    verb = "deploy" if start == "base" else "move"
    state = moves(state, f"A {verb} A:hero-1")
    gone = table_of(state, A_hero_1=None)
    assert seen(state, gone) == ("settle A:hero-1@off",)
    taken_back = GAME.parse_move("settle A:hero-1@off")
    snapshot = GAME.layout(gone, state.options)
    question = GAME.astray(state, snapshot, taken_back)
    assert question is not None
    state = moves(state, move_of(question, "N-W"))
    state = moves(state, move_of(asked(state), "forest"))
    assert seen(state, gone) == ("settle A:hero-1@N-W/forest",)
    settle = GAME.parse_move("settle A:hero-1@N-W/forest")
    assert GAME.astray(state, snapshot, settle) is None


def test_a_flick_that_is_repeated_may_be_seen() -> None:
    state = moves(lying("N-C/swamp"), "A foul push", "referee flick repeat")
    assert GAME.questions(state) == ()
    assert seen(state, table_of(state, A_hero_1="450,300")) == (
        "settle A:hero-1@N-C:450,300",
    )


def test_the_same_moves_lead_to_the_same_state() -> None:
    start = put(game(), A_hero_1="base")
    log = ["A deploy A:hero-1 unseen", "lies A:hero-1@N-C", "lies A:hero-1@N-C"]
    log += ["settle A:hero-1@N-C", "lies A:hero-1@N-C:450,300"]
    again = replay(GAME, start, log)
    assert again.is_complete
    assert canonical(again.state) == canonical(moves(start, *log))
    assert [str(GAME.parse_move(text)) for text in log] == log
