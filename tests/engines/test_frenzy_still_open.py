"""What is asked about a pile stays open while cards come on it, and when all ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.core import Question
from engines.frenzy import GAME, State
from engines.frenzy.cards import Zone
from engines.frenzy.changes import doubts_of
from engines.frenzy.snapshot import Snapshot
from engines.frenzy.state import Phase
from tests.support.frenzy import (
    after,
    answer,
    asked,
    battle,
    followed,
    look,
    moves_of,
    with_piles,
)


def told(state: State, question: Question, value: str) -> State:
    """Return the state after an answer."""
    return after(state, answer(question, value))


def pile(state: State, zone: Zone = Zone.B1) -> str:
    """Return the first player's pile from the top."""
    return " ".join(laid.card for laid in state.players[0].pile(zone))


def test_what_comes_on_an_unread_card_is_played_and_the_answer_goes_below_it() -> None:
    state = after(battle(), "P1 play W1 P1.B1 #c1 @1100")
    question = asked(state, look(state, "P1.B1=?#c2 W1#c1"))
    covered = look(state, "P1.B1=W4#c3 ?#c2")
    state = followed(state, covered, question)
    assert pile(state) == "W4 W1"
    still = asked(state, covered, question)
    assert (still.id, still.pieces) == ("card.P1.B1", ("c2",))
    assert asked(state, covered, still) == still, "until it is answered"
    assert pile(told(state, still, "A")) == "W4 A W1"
    assert pile(told(state, still, "-")) == "W4 W1"
    assert GAME.changes(told(state, still, "A"), covered) == ()
    state = followed(state, look(state, "P1.B1=W2#c4 ?#c2"), still)
    again = asked(state, look(state, "P1.B1=W2#c4 ?#c2"), still)
    assert pile(told(state, again, "A")) == "W2 W4 A W1"


def test_an_unread_card_that_was_covered_before_it_was_asked_about_is_asked_about() -> (
    None
):
    state = battle()
    both = look(state, "P1.B1=W4#c3 ?#c2")
    question = asked(state, both)
    assert question.pieces == ("c2",)
    state = followed(state, both, question)
    assert pile(told(state, asked(state, both, question), "K")) == "W4 K"


def test_an_unread_card_that_can_be_read_now_is_played_and_asked_about_no_more() -> (
    None
):
    state = after(battle(), "P1 play W1 P1.B1 #c1 @1100")
    question = asked(state, look(state, "P1.B1=?#c2 W1#c1"))
    named = look(state, "P1.B1=A#c2 W1#c1")
    state = followed(state, named, question)
    assert pile(state) == "A W1"
    assert GAME.changes(state, replace(named, asked=(question,))) == ()


def test_a_card_that_was_taken_away_is_asked_about_no_more() -> None:
    state = after(battle(), "P1 play W1 P1.B1 #c1 @1100")
    question = asked(state, look(state, "P1.B1=?#c2 W1#c1"))
    state = followed(state, look(state, "P1.B1=W4#c3"), question)
    gone = replace(look(state, "P1.B1=W4#c3"), asked=(question,))
    assert GAME.changes(state, gone) == ()


def test_whether_a_card_of_one_face_came_stays_open_below_the_next() -> None:
    state = after(battle(), "P1 play K P1.HQ #c1 @1100")
    question = asked(state, look(state, "P1.HQ=K#c2"))
    two = look(state, "P1.HQ=A#c3 K#c2")
    state = followed(state, two, question)
    assert state.players[0].heroes == 2
    still = asked(state, two, question)
    assert asked(state, two, still) == still, "until it is answered"
    assert pile(told(state, still, "same"), Zone.HQ) == "A K"
    ended = told(state, still, "another")
    assert pile(ended, Zone.HQ) == "A K K"
    assert ended.phase is Phase.ENDED


def test_a_hero_asked_about_beside_one_with_a_hand_on_it_is_played() -> None:
    """The answer put it below that one: no play of it was told (5414)."""
    state = after(battle(), "P1 play A P1.HQ #c1 @1100")
    question = GAME.changes(state, look(state, "P1.HQ=?#c2 A#c1"))
    assert isinstance(question, Question)
    held = replace(look(state, "P1.HQ=A*#c1 ?#c2"), asked=(question,))
    still = GAME.changes(state, held)
    assert isinstance(still, Question)
    assert answer(still, "K").startswith("P1 play K P1.HQ")


def test_a_card_that_was_gone_before_another_came_is_asked_about() -> None:
    state = after(with_piles(battle(), P1_B1="W2"), "P1 play W4 P1.B1 #c1 @1100")
    question = asked(state, look(state, "P1.B1="))
    came = look(state, "P1.B1=W3#c9")
    state = followed(state, came, question)
    still = asked(state, came, question)
    assert still.id == "gone.P1.B1"
    assert asked(state, came, still) == still, "until it is answered"
    assert pile(told(state, still, "there")) == "W3 W4 W2"
    assert pile(told(state, still, "never")) == "W3"


def test_what_is_in_doubt_at_the_end_is_asked_about_then() -> None:
    """It was dropped: a card of which nobody had answered what it is lay nowhere."""
    state = after(with_piles(battle(), P1_HQ="A Z"), "P1 play W1 P1.B1 #c1 @1100")
    question = asked(state, look(state, "P1.B1=?#c2 W1#c1"))
    state = followed(state, look(state, "P1.B1=?#c2 W1#c1", "P1.HQ=K#c5"), question)
    assert state.phase is Phase.ENDED
    still = asked(state, look(state, "P1.B1=?#c2 W1#c1"), question)
    assert pile(told(state, still, "W3")) == "W3 W1"
    cleared = look(state, "P1.B1=?#c2 W1#c1", "P1.HQ=")
    assert GAME.changes(state, replace(cleared, asked=(question,))) == ()


def test_all_that_is_in_doubt_is_told() -> None:
    state = battle()
    now = look(state, "P1.B1=?#c1", "P1.B2=?#c2")
    assert [q.id for q in doubts_of(state, now)] == ["card.P1.B1", "card.P1.B2"]
    first = asked(state, now)
    assert asked(state, now, first).id == "card.P1.B2"
    assert moves_of(GAME.changes(state, look(state))) == []


def both_asked(state: State) -> tuple[Snapshot, tuple[Question, ...]]:
    """Return two unread cards, one on the other, and what is asked about them."""
    lower = asked(state, look(state, "P1.B1=?#c2 W1#c1"))
    both = look(state, "P1.B1=?#c3 ?#c2")
    upper = asked(state, both, lower)
    assert (lower.pieces, upper.pieces) == (("c2",), ("c3",))
    assert lower.id != upper.id
    open_now = doubts_of(state, replace(both, asked=(lower, upper)))
    assert [each.pieces for each in open_now] == [("c2",), ("c3",)]
    return both, open_now


@pytest.mark.parametrize("is_lower_first", [True, False])
@pytest.mark.parametrize("then", ["W4#c4 ?#c3 ?#c2", "A#c4 ?#c3 ?#c2"])
@pytest.mark.parametrize(("lower", "upper"), [("A", "K"), ("A", "A"), ("W4", "W1")])
def test_of_two_unread_cards_in_a_row_each_is_asked_about_till_it_is_answered(
    is_lower_first: bool, then: str, lower: str, upper: str
) -> None:
    """The question about the second took the place of the first one's."""
    state = after(battle(), "P1 play W1 P1.B1 #c1 @1100")
    _, open_now = both_asked(state)
    covered = look(state, f"P1.B1={then}")
    state = followed(state, covered, *open_now)
    top = then.partition("#")[0]
    assert pile(state) == f"{top} W1"
    said = {"c2": lower, "c3": upper}
    open_now = doubts_of(state, replace(covered, asked=open_now))
    for _ in range(2):
        question = open_now[0 if is_lower_first else -1]
        state = told(state, question, said[question.pieces[0]])
        left = tuple(each for each in open_now if each is not question)
        open_now = doubts_of(state, replace(covered, asked=left))
    assert pile(state) == f"{top} {upper} {lower} W1"
    assert open_now == ()


@pytest.mark.parametrize("is_lower_first", [True, False])
def test_two_unread_cards_in_a_row_can_be_told_while_they_lie_open(
    is_lower_first: bool,
) -> None:
    state = after(battle(), "P1 play W1 P1.B1 #c1 @1100")
    both, open_now = both_asked(state)
    said = {"c2": "A", "c3": "K"}
    for _ in range(2):
        question = open_now[0 if is_lower_first else -1]
        state = told(state, question, said[question.pieces[0]])
        left = tuple(each for each in open_now if each is not question)
        open_now = doubts_of(state, replace(both, asked=left))
    assert pile(state) == "K A W1"
    assert open_now == ()


def test_that_nothing_lay_there_leaves_the_other_question_as_it_is() -> None:
    state = after(battle(), "P1 play W1 P1.B1 #c1 @1100")
    _, open_now = both_asked(state)
    covered = look(state, "P1.B1=W4#c4 ?#c3 ?#c2")
    state = followed(state, covered, *open_now)
    lower, upper = doubts_of(state, replace(covered, asked=open_now))
    state = told(state, lower, "-")
    (still,) = doubts_of(state, replace(covered, asked=(upper,)))
    assert pile(told(state, still, "K")) == "W4 K W1"
