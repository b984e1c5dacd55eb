"""Following a live table: which moves explain it, and what must be asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from engines.core import Question
from engines.frenzy import GAME, Snapshot, State
from engines.frenzy.cards import SEATS, Faction, Region, Zone
from engines.frenzy.snapshot import Doubt, Pile
from engines.frenzy.state import Phase
from tests.support.frenzy import (
    FULL,
    Table,
    after,
    answer,
    asked,
    battle,
    followed,
    look,
    moves_of,
    options,
    refusal,
    seen,
    snapshot,
    with_piles,
)
from tests.support.people import is_misread


def changes(state: State, snapshot: Snapshot) -> list[str]:
    return moves_of(GAME.changes(state, snapshot))


def times(state: State, snapshot: Snapshot) -> list[int]:
    found = GAME.changes(state, snapshot)
    assert not isinstance(found, Question)
    return [move.time_ms for move in found]


def test_nothing_new() -> None:
    state = after(battle(), "P1 play W4 P1.B1 #c1 @1100")
    assert changes(state, look(state)) == []


def test_several_cards_at_once() -> None:
    state = battle()
    now = look(state, "P1.B1=W4#c1", "P2.S3=W2#c2", "P2.B1=A*#c3")
    assert changes(state, now) == [
        "P1 play W4 P1.B1 #c1",
        "P2 play W2 P2.S3 #c2",
        "P2 lay A P2.B1 #c3",
    ]
    state = followed(state, now)
    assert changes(state, look(state)) == []
    assert changes(state, look(state, "P2.B1=A#c3")) == ["P2 release"]


def test_a_whole_table_is_read_anew() -> None:
    state = battle()
    now = GAME.layout(Table().full({k: v for k, v in FULL.items()}), options())
    state = followed(state, now)
    assert [
        (str(Region(seat, zone)), state.players[seat].top(zone))
        for seat in SEATS
        for zone in Zone
    ] == list(FULL.items())


def test_the_time_of_the_frame_is_the_time_of_the_moves() -> None:
    state = battle()
    now = look(state, "P1.B1=W4#c1")
    assert times(state, replace(now, time_ms=7000)) == [7000]
    assert times(state, now) == [1033]  # the next frame


def test_a_card_covers_another() -> None:
    state = after(battle(), "P1 play W4 P1.B1 #c1 @1100")
    assert changes(state, look(state, "P1.B1=W2#c2")) == ["P1 play W2 P1.B1 #c2"]
    peeking = look(state, "P1.B1=W2#c2 W4#c1")
    assert changes(state, peeking) == ["P1 play W2 P1.B1 #c2"]
    two = look(state, "P1.B1=W3#c3 W2#c2 W4#c1")
    assert changes(state, two) == ["P1 play W2 P1.B1 #c2", "P1 play W3 P1.B1 #c3"]


def test_a_hand_leaves_a_card_that_is_covered_next() -> None:
    state = after(battle(), "P1 lay W4 P1.B1 #c1 @1100")
    assert changes(state, look(state, "P1.B1=W2*#c2")) == [
        "P1 release",
        "P1 lay W2 P1.B1 #c2",
    ]


def test_a_touched_card_moves_to_another_region() -> None:
    state = after(battle(), "P1 lay W4 P1.B1 #c1 @1100")
    now = look(state, "P1.B1=", "P1.S1=W4#c1")
    assert changes(state, now) == ["P1 lift", "P1 play W4 P1.S1 #c1"]
    assert followed(state, now).players[0].deck == 38


def test_the_third_hero_comes_after_what_was_played_beside_it() -> None:
    state = with_piles(battle(), P1_HQ="Z Z")
    now = look(state, "P1.HQ=A#c9", "P1.S1=W4#c1", "P2.B2=W3#c2", "P2.S1=W1*#c3")
    assert changes(state, now) == [
        "P1 play W4 P1.S1 #c1",
        "P2 play W3 P2.B2 #c2",
        "P2 lay W1 P2.S1 #c3",
        "P1 play A P1.HQ #c9",
    ]
    state = followed(state, now)
    assert state.phase is Phase.ENDED
    assert state.race is not None  # P2.B2 was let go in the same frame
    assert state.players[1].top(Zone.S1) is None


def test_a_hand_on_the_next_card_does_not_hide_the_third_hero() -> None:
    state = with_piles(battle(), P1_HQ="Z Z")
    now = look(state, "P1.HQ=A#c9", "P1.B1=W4*#c1")
    assert changes(state, now) == ["P1 play A P1.HQ #c9", "P1 lay W4 P1.B1 #c1"]


# Illegal cards are reported as the move that judge refuses


def test_foul_f_e_is_reported_until_it_is_on_record() -> None:
    state = battle()
    now = look(state, "P1.HQ=W2#c1", "P1.B1=W4#c2")
    found = GAME.changes(state, now)
    assert moves_of(found) == ["P1 play W4 P1.B1 #c2", "P1 play W2 P1.HQ #c1"]
    assert not isinstance(found, Question)
    assert str(GAME.judge(state, found[1]).rule) == "F-E"
    state = after(state, str(found[0]), "REF foul P1 F-E W2 @1200")
    assert changes(state, now) == []


def test_foul_f_f_is_reported_as_the_other_players_move() -> None:
    factions = {"P1": "orcs", "P2": "undead"}
    state = battle(factions=factions)
    card = replace(seen("W4", "c1"), faction=Faction.ORCS)
    now = look(state)
    piles = (Pile((card,)), *now.piles[1][1:])
    found = GAME.changes(state, replace(now, piles=(now.piles[0], piles)))
    assert moves_of(found) == ["P1 play W4 P2.B1 #c1"]
    assert not isinstance(found, Question)
    assert str(GAME.judge(state, found[0]).rule) == "F-F"


def test_foul_f_b_cards_before_the_signal() -> None:
    state = after(GAME.setup(options()), "P1 turn F1 @0")
    found = GAME.changes(state, snapshot(1, P1_B1="W4"))
    assert not isinstance(found, Question)
    assert str(GAME.judge(state, found[0]).rule) == "F-B"


def test_foul_f_i_cards_after_the_end() -> None:
    state = after(with_piles(battle(), P1_HQ="A Z"), "P1 play A P1.HQ #c1 @3000")
    now = replace(look(state, "P2.B1=W4#c2"), time_ms=4000)
    found = GAME.changes(state, now)
    assert not isinstance(found, Question)
    assert str(GAME.judge(state, found[0]).rule) == "F-I"


# The end of the round


def test_the_hand_that_leaves_right_after_the_end_is_measured() -> None:
    state = after(
        with_piles(battle(), P1_HQ="A Z"),
        "P2 lay W4 P2.B1 #c2 @2900",
        "P1 play A P1.HQ #c1 @3000",
    )
    touched = look(state, "P2.B1=W4*#c2")
    assert changes(state, touched) == []
    left = replace(look(state, "P2.B1=W4#c2"), time_ms=3020)
    assert changes(state, left) == ["P2 release"]
    state = followed(state, left)
    assert state.race is not None
    assert changes(state, replace(left, time_ms=3100)) == []


def test_a_touched_card_without_a_piece_is_known_by_its_face() -> None:
    state = after(
        with_piles(battle(), P1_HQ="A Z"),
        "P2 lay W4 P2.B1 @2900",
        "P1 play A P1.HQ #c1 @3000",
    )
    assert changes(state, look(state, "P2.B1=W4*#c2")) == []
    assert changes(state, look(state, "P2.B1=W4#c2")) == ["P2 release"]
    assert changes(state, look(state, "P2.B1=W3#c2")) == ["P2 play W3 P2.B1 #c2"]


def test_cards_taken_up_after_the_end_are_not_asked_about() -> None:
    state = after(
        with_piles(battle(), P1_HQ="A Z", P1_B1="W4 W2", P2_S1="W3"),
        "P1 play A P1.HQ #c1 @3000",
    )
    assert changes(state, look(state, "P2.S1=")) == []
    assert changes(state, look(state, "P1.B1=W2#c7", "P2.S1=W1#c8")) == []


def test_between_the_rounds_a_turned_card_starts_the_next() -> None:
    state = GAME.setup(options())
    assert changes(state, snapshot(0)) == []
    assert changes(state, snapshot(1)) == ["P1 turn F1"]
    assert changes(state, snapshot(2)) == ["P1 turn F2"]
    assert refusal(state, "P1 turn F2 @0") == "2"
    lot = asked(GAME.setup(GAME.options({})), snapshot(1))
    assert lot.id == "first"


def test_nothing_is_read_into_a_table_without_its_row() -> None:
    assert changes(battle(), GAME.layout([], options())) == []


# Doubts


def test_an_unread_card_is_asked_once_the_rest_is_told() -> None:
    state = battle()
    now = look(state, "P1.B1=?#c1", "P1.B2=W4#c2")
    assert changes(state, now) == ["P1 play W4 P1.B2 #c2"]
    state = followed(state, now)
    question = asked(state, now)
    assert question.id == "card.P1.B1"
    assert changes(after(state, answer(question, "W3")), now) == []
    state = after(battle(), "P1 play W1 P1.B1 #c0 @1100")
    nothing_new = look(state, "P1.B1=?#c1")
    state = after(state, answer(asked(state, nothing_new), "-"))
    assert changes(state, nothing_new) == []


def test_foul_f_d_a_card_that_is_gone() -> None:
    state = after(with_piles(battle(), P1_B1="W2"), "P1 play W4 P1.B1 #c1 @1100")
    gone = look(state, "P1.B1=W2#P1.B1.0")
    question = asked(state, gone)
    assert question.id == "gone.P1.B1"
    assert [option.value for option in question.options] == [
        *("taken", "upset", "there", "never", "another")
    ]
    assert after(state, answer(question, "taken")).fouls[0].code == "F-D"
    assert after(state, answer(question, "upset")).upset is not None
    assert after(state, answer(question, "there")).players[0].deck == 37
    never = after(state, answer(question, "never"))
    assert never.players[0].deck == 38
    assert changes(never, gone) == []
    another = after(state, answer(question, "another"))
    assert another.players[0].deck == 36


def test_a_card_laid_just_on_a_covered_one_of_its_face_may_be_another() -> None:
    """Nobody who only looks tells it from the covered one that came to light, and has
    its id: who was asked could not say that it was laid (Frenzy 6117)."""
    played = "P1 play Z P1.B1 #c1 @1100", "P1 play W4 P1.B1 #c2 @1200"
    now = look(after(battle(), *played), "P1.B1=Z#c1")
    state = after(battle(), *played)
    question = asked(state, now)
    assert question.id == "gone.P1.B1"
    another = after(state, answer(question, "another"))
    pile = another.players[0].pile(Zone.B1)
    assert [laid.card.value for laid in pile] == ["Z", "W4", "Z"]
    assert changes(another, now) == []
    taken = after(state, answer(question, "taken"))
    assert taken.fouls[0].code == "F-D"


def test_foul_f_d_a_pile_that_is_gone() -> None:
    state = after(battle(), "P1 play W4 P1.B1 #c1 @1100")
    question = asked(state, look(state, "P1.B1="))
    assert [option.value for option in question.options] == [
        *("taken", "upset", "there", "never")
    ]


def test_the_same_face_with_another_piece_is_asked() -> None:
    state = after(battle(), "P1 play Z P1.HQ #c1 @1100")
    now = look(state, "P1.HQ=Z#c2")
    question = asked(state, now)
    assert question.id == "same.P1.HQ"
    same = after(state, answer(question, "same"))
    assert same.players[0].heroes == 1
    assert changes(same, now) == []
    another = after(state, answer(question, "another"))
    assert another.players[0].heroes == 2
    assert changes(another, now) == []


def test_the_same_face_beside_the_first_is_another_hero() -> None:
    state = after(battle(), "P1 play Z P1.HQ #c1 @1100", "P1 play A P1.HQ #c2 @1200")
    now = look(state, "P1.HQ=Z#c3 A#c2 Z#c1")
    assert changes(state, now) == ["P1 play Z P1.HQ #c3"]
    ended = followed(state, now)
    assert ended.phase is Phase.ENDED


def test_a_card_on_the_top_one_is_new_though_one_of_its_face_lies_deeper() -> None:
    """It was taken for the deeper one and lost in silence (7102, Battlefield 3)."""
    below = "P1 play W1 P1.B3 #c1 @1100", "P1 play W4 P1.B3 #c2 @1200"
    state = after(battle(), *below, "P1 play Z P1.B3 #c3 @1300")
    now = look(state, "P1.B3=W1#c4 Z#c3")
    assert changes(state, now) == ["P1 play W1 P1.B3 #c4"]
    assert changes(followed(state, now), now) == []
    assert changes(state, look(state, "P1.B3=Z#c3 W1#c4")) == []


def test_a_hand_on_the_lower_of_two_heroes_takes_the_upper_one_away_for_nobody() -> (
    None
):
    """For as long as the hand was there it was asked why it is gone (5328, 5341)."""
    state = after(battle(), "P1 play O P1.HQ #c1 @1100", "P1 play K P1.HQ #c2 @1200")
    assert changes(state, look(state, "P1.HQ=O*#c1 K#c2")) == []


def test_a_hero_laid_beside_one_on_which_a_hand_is_by_then_needs_no_answer() -> None:
    """The next hand was there when it was read: it was asked what it is, by its name,
    and the answer had the first one laid anew (7103, read after a restart)."""
    state = after(battle(), "P1 play O P1.HQ #c1 @1100")
    now = look(state, "P1.HQ=O*#c1 B#c2")
    assert changes(state, now) == ["P1 play B P1.HQ #c2"]
    assert changes(followed(state, now), now) == []


def test_a_touched_card_that_shows_a_known_face_below() -> None:
    state = after(battle(), "P1 play W2 P1.B1 #c1 @1100", "P1 lay W4 P1.B1 #c2 @1200")
    assert changes(state, look(state, "P1.B1=W2#c1")) == ["P1 lift"]
    unsure = look(state, "P1.B1=W2#c3")
    question = asked(state, unsure)
    assert question.id == "lifted.P1.B1"
    lifted = after(state, answer(question, "lifted"))
    assert lifted.players[0].holds
    assert after(state, answer(question, "covered")).players[0].touching is None


@pytest.mark.parametrize("value", ["P1.B1", "P1.B2", "off"])
def test_a_card_between_regions_is_asked(value: str) -> None:
    state = after(battle(), "P1 play W2 P1.B1 #c1 @1100")
    doubt = Doubt(
        seen("W4", "c9", order=5), (Region.parse("P1.B1"), Region.parse("P1.B2"))
    )
    now = replace(look(state), doubts=(doubt,))
    question = asked(state, now)
    assert question.id == "place.c9"
    state = after(state, answer(question, value))
    if value != "off":
        assert changes(state, now) == []
        assert state.players[0].top(Zone(value[3:])) == "W4"


def test_an_unread_card_between_regions_is_read_first() -> None:
    state = battle()
    doubt = Doubt(seen("?", "c9"), (Region.parse("P1.B1"), Region.parse("P1.B2")))
    assert asked(state, replace(look(state), doubts=(doubt,))).id == "card.P1.B1"


def test_cards_side_by_side_are_told_apart_by_history() -> None:
    state = after(battle(), "P1 play W4 P1.B1 #c1 @1100")
    now = look(state)
    pile = Pile((seen("W4", "c1"), seen("W1", "c2")), ("c1", "c2"))
    beside = replace(now, piles=((pile, *now.piles[0][1:]), now.piles[1]))
    assert changes(state, beside) == ["P1 play W1 P1.B1 #c2"]
    assert changes(followed(state, beside), beside) == []


def test_two_new_cards_side_by_side_are_asked() -> None:
    state = battle()
    now = look(state)
    pile = Pile((seen("W4", "c1"), seen("W1", "c2")), ("c1", "c2"))
    beside = replace(now, piles=((pile, *now.piles[0][1:]), now.piles[1]))
    question = asked(state, beside)
    assert question.id == "top.P1.B1"
    state = after(state, answer(question, "c2"))
    assert [laid.card for laid in state.players[0].pile(Zone.B1)] == ["W1", "W4"]
    assert changes(state, beside) == []
    unread = Pile((seen("?", "c1"), seen("W1", "c2")), ("c1", "c2"))
    beside = replace(now, piles=((unread, *now.piles[0][1:]), now.piles[1]))
    assert asked(battle(), beside).id == "card.P1.B1"


def test_a_card_that_is_read_otherwise_than_it_was_noted_is_asked_about() -> None:
    state = after(battle(), "P1 play A P1.HQ #c4 @1100")
    now = look(state, "P1.HQ=K#c4")
    question = asked(state, now)
    assert question.id == "other.P1.HQ"
    misread = after(state, answer(question, "misread"))
    assert misread.players[0].pile(Zone.HQ)[0].card.value == "K"
    assert changes(misread, now) == []
    another = after(state, answer(question, "another"))
    assert [laid.card.value for laid in another.players[0].pile(Zone.HQ)] == ["K", "A"]
    assert changes(another, now) == []


def test_people_say_that_a_card_which_is_read_otherwise_is_the_one_they_laid() -> None:
    """At Frenzy 5698 they said that another one had been laid on it."""
    state = after(battle(), "P1 play W2 P1.B2 #c4 @1100")
    question = asked(state, look(state, "P1.B2=W4#c4"))
    laid, noted = Counter(["P1 play W4 P1.B2"]), Counter(["P1 play W2 P1.B2"])
    assert is_misread(question, laid, noted)
    assert not is_misread(question, laid, Counter(["P1 play W2 P1.B3"]))
    assert not is_misread(question, laid + Counter(["P1 play W3 P1.B2"]), noted)


def test_a_hero_that_nobody_saw_laid_is_asked_about() -> None:
    state = after(battle(), "P1 play K P1.HQ #c1 @1100")
    state = after(state, "P1 play O P1.HQ #c3 @1200")
    two = look(state, "P1.HQ=O#c3 ?#c2")
    assert changes(state, two) == [], "it may be the one that was noted"
    three = look(state, "P1.HQ=O#c3 K#c1 ?#c2")
    question = GAME.changes(state, three)
    assert isinstance(question, Question)
    assert question.id == "card.P1.HQ"
    assert answer(question, "K").startswith("P1 play K P1.HQ")


def test_below_the_top_of_a_pile_nothing_is_asked_about() -> None:
    state = after(battle(), "P1 play W4 P1.B1 #c1 @1100")
    assert changes(state, look(state, "P1.B1=W4#c1 ?#c2 ?#c3")) == []


def test_a_battle_without_a_row_says_what_is_missing() -> None:
    """A Battlefield card was overlooked and a round passed in silence (5248)."""
    state, table = battle(), Table()
    pieces = [p for p in table.full(FULL) if p.id[:2] != "F2"]
    found = GAME.changes(state, GAME.layout(pieces, options()))
    assert isinstance(found, Question)
    assert "not visible: F2" in str(found.text)
    assert set(found.pieces) == {p.id for p in pieces if p.id[:2] in ("F1", "F3")}
