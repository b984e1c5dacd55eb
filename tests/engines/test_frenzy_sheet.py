"""The score of one look at the table, and what it asks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.core import Question, Sheet, Verdict
from engines.frenzy import GAME, Snapshot
from engines.frenzy.cards import Card, Region
from engines.frenzy.snapshot import Doubt, Pile
from tests.support.frenzy import FULL, Table, options, seen, snapshot

OPTIONS = options()


def score(look: Snapshot, **answers: str) -> Sheet:
    given = {key.replace("_", "."): value for key, value in answers.items()}
    return GAME.score_table(look, OPTIONS, given)


def asked(sheet: Sheet) -> list[str]:
    return [question.id for question in sheet.questions]


def question(sheet: Sheet, id: str) -> Question:
    return next(each for each in sheet.questions if each.id == id)


LINES = {"P1_B1": "W4", "P2_B1": "W3", "P1_B2": "W1", "P2_B2": "W2"}


def test_a_full_table_is_scored_from_its_pieces() -> None:
    look = GAME.layout(Table().full(FULL), OPTIONS)
    sheet = GAME.score_table(look, OPTIONS, {"pick.1": "W4"})
    figures = sheet.figures()
    assert [figures[f"F{n}"]["winner"] for n in (1, 2, 3)] == ["P1", "P1", "P1"]
    assert figures["F2"]["taken"] == ["W4", "Z"]
    assert figures["P1"]["removed"] == ["W4", "Z"]
    assert figures["total"] == {
        "round": 1,
        "order": ["F1", "F2", "F3"],
        "P1": 7,
        "P2": 0,
    }
    assert asked(sheet) == []
    assert [str(ruling.claim) for ruling in sheet.rulings] == [
        f"Player 1 wins Battlefield {number}" for number in (1, 2, 3)
    ]


def test_rule_5_3_a_pick_is_asked_and_the_total_left_open() -> None:
    look = GAME.layout(Table().full(FULL), OPTIONS)
    sheet = GAME.score_table(look, OPTIONS, {})
    assert asked(sheet) == ["pick.1"]
    pick = question(sheet, "pick.1")
    assert (pick.to, pick.default) == (1, None)
    assert [option.value for option in pick.options] == ["W4", "W2", "W1"]
    figures = sheet.figures()
    assert figures["total"]["P1"] is None
    assert figures["total"]["P2"] == 0
    assert figures["P1"]["round"] == 11
    assert figures["P1"]["pile"] is None


def test_an_unread_top_card_leaves_its_battlefield_open() -> None:
    sheet = score(snapshot(P1_B1="?", P2_B1="W3", P1_B2="W4", P2_B2="W1"))
    figures = sheet.figures()
    assert figures["F1"]["winner"] is None
    assert figures["F1"]["P1.battle"] is None
    assert figures["F1"]["points"] is None
    assert figures["F2"]["winner"] == "P1"
    assert figures["total"]["P1"] is None
    assert asked(sheet) == ["card.P1.B1"]
    assert question(sheet, "card.P1.B1").default is None


def test_an_answer_closes_the_question() -> None:
    look = snapshot(P1_B1="?", P2_B1="W3", P1_S1="W2")
    assert score(look, card_P1_B1="W4").figures()["F1"]["points"] == 2
    assert score(look, card_P1_B1="-").figures()["F1"]["winner"] == "P2"
    assert asked(score(look, card_P1_B1="Qh")) == ["card.P1.B1"]


def test_an_unread_supply_card_matters_only_to_the_winner() -> None:
    look = snapshot(P1_B1="W4", P2_B1="W4", P1_S1="?")
    sheet = score(look)
    assert sheet.figures()["F1"]["winner"] == "nobody"
    assert sheet.figures()["total"]["P1"] == 0
    look = snapshot(P1_B1="W4", P2_B1="W3", P1_S1="?")
    sheet = score(look)
    assert sheet.figures()["F1"]["winner"] == "P1"
    assert sheet.figures()["F1"]["points"] is None


def test_candidates_come_first_in_the_question() -> None:
    card = replace(seen("?", "c1"), candidates=((Card.W2, 0.3), (Card.W4, 0.6)))
    look = snapshot()
    piles = (Pile((card,)), *look.piles[0][1:])
    look = replace(look, piles=(piles, look.piles[1]))
    options_ = question(score(look), "card.P1.B1").options
    assert [option.value for option in options_][:2] == ["W4", "W2"]
    assert question(score(look), "card.P1.B1").pieces == ("c1",)


def test_only_the_heroes_of_the_faction_are_offered() -> None:
    look = snapshot(P1_B1="?")
    known = options(factions={"P1": "dwarves"})
    offered = GAME.score_table(look, known, {}).questions[0].options
    assert [option.value for option in offered] == [
        *("W1", "W2", "W3", "W4", "A", "Z", "B", "-")
    ]


def test_rule_5_2_the_second_card_for_a_knight_is_asked() -> None:
    look = snapshot(P1_B1="K", P2_B1="A", P1_S1="W4", P2_S1="W2")
    sheet = score(look)
    assert asked(sheet) == ["second.P1.S1", "second.P2.S1"]
    assert sheet.figures()["F1"]["winner"] == "P1"
    assert sheet.figures()["F1"]["points"] is None
    sheet = score(look, second_P1_S1="W3", second_P2_S1="-")
    assert sheet.figures()["F1"]["points"] == 9


def test_a_second_card_that_sticks_out_is_the_default() -> None:
    look = snapshot(P1_B1="K", P2_B1="A", P1_S1="W4 W3")
    sheet = score(look)
    assert question(sheet, "second.P1.S1").default == "W3"
    assert sheet.figures()["F1"]["points"] == 7


def test_rule_4_3_a_touched_card_does_not_count() -> None:
    look = snapshot(P1_B1="W4* W1", P2_B1="W3", P2_S1="W2")
    sheet = score(look)
    assert sheet.figures()["F1"]["winner"] == "P2"
    assert asked(sheet) == ["touched.P1.B1", "under.P1.B1"]
    assert question(sheet, "touched.P1.B1").default == "yes"
    ruling = sheet.rulings[0]
    assert ruling.verdict is Verdict.UPHELD
    assert str(ruling.rule) == "4.3"
    assert ruling.evidence[0].source == "piece:P1.B1.0"
    assert score(look, touched_P1_B1="no").figures()["F1"]["winner"] == "P1"


def test_what_lies_under_a_touched_card_is_asked() -> None:
    look = snapshot(P1_B1="W4*", P2_B1="W3")
    sheet = score(look)
    assert sheet.figures()["F1"]["winner"] is None
    assert score(look, under_P1_B1="W4").figures()["F1"]["winner"] == "P1"
    assert score(look, under_P1_B1="-").figures()["F1"]["winner"] == "P2"


def test_a_bodyguards_copy_is_asked_of_its_owner() -> None:
    look = snapshot(P2_B1="B", P2_B2="W4", P2_B3="A", P1_B1="W3")
    sheet = score(look)
    copy = question(sheet, "copy.P2.1")
    assert copy.to == 1
    assert [option.value for option in copy.options] == ["2", "3"]
    assert sheet.figures()["F1"]["winner"] is None
    assert score(look, copy_P2_1="2").figures()["F1"]["winner"] == "P2"


def test_a_copy_that_changes_nothing_leaves_nothing_open() -> None:
    look = snapshot(P2_B1="B", P2_B2="W4", P2_B3="A", P1_B1="K")
    assert score(look).figures()["F1"]["winner"] == "P1"


def test_a_bodyguard_beside_an_unread_card_leaves_its_field_open() -> None:
    sheet = score(snapshot(P2_B1="B", P2_B2="?", P2_B3="A", P1_B1="W1"))
    assert sheet.figures()["F1"]["winner"] is None
    assert asked(sheet) == ["card.P2.B2", "emptyPile"]


def test_a_pile_that_later_battlefields_may_change_is_left_open() -> None:
    look = snapshot(P1_B1="W4", P2_B1="W3", P1_S1="Z", P2_S1="W1", P2_B2="W2")
    figures = score(look, emptyPile="loses").figures()
    assert (figures["P1"]["pile"], figures["P2"]["pile"]) == (None, None)


def test_rulings_of_section_8_are_asked_with_their_default() -> None:
    look = snapshot(P1_B1="W1", P2_B2="B", P2_B1="W4", P2_B3="W1", P1_B2="A")
    sheet = score(look, copy_P2_2="1")
    asked_with = {each.id: each.default for each in sheet.questions}
    assert asked_with == {
        "bodyguardIsWarriorForAssassin": "false",
        "emptyPile": "loses",
    }
    assert sheet.figures()["F2"]["winner"] == "P2"
    assert sheet.figures()["F3"]["winner"] == "P2"
    sheet = score(
        look,
        copy_P2_2="1",
        bodyguardIsWarriorForAssassin="true",
        emptyPile="noWinner",
    )
    assert sheet.figures()["F2"]["winner"] == "P1"
    assert sheet.figures()["F3"]["winner"] == "nobody"


def test_rule_fz_r10_is_asked_in_the_photo_too() -> None:
    look = snapshot(
        P1_B1="W4", P2_B1="W3", P1_S1="Z", P1_B3="B", P2_B3="W3", P2_S3="W4"
    )
    sheet = score(look)
    assert question(sheet, "order").default == "bodyguardFirst"
    assert sheet.figures()["total"]["order"] == ["F3", "F1", "F2"]
    sheet = score(look, order="numeric")
    assert sheet.figures()["total"]["P1"] == 4


def test_a_card_between_regions_opens_what_it_may_touch() -> None:
    doubt = Doubt(
        seen("W4", "c9", order=5), (Region.parse("P1.B1"), Region.parse("P1.B2"))
    )
    look = replace(snapshot(**LINES), doubts=(doubt,))
    sheet = score(look)
    assert asked(sheet)[0] == "place.c9"
    assert [sheet.figures()[f"F{n}"]["winner"] for n in (1, 2, 3)] == [
        *(None, None, "nobody")
    ]
    sheet = score(look, place_c9="P1.B2")
    assert sheet.figures()["F2"]["winner"] == "P1"
    assert sheet.questions == ()
    off = replace(doubt, may_be_off=True)
    sheet = score(replace(look, doubts=(off,)), place_c9="off")
    assert sheet.figures()["F2"]["winner"] == "P2"


def test_cards_side_by_side_are_asked() -> None:
    pile = Pile((seen("W4", "c1"), seen("W1", "c2")), ("c1", "c2"))
    look = snapshot(P2_B1="W3")
    look = replace(look, piles=((pile, *look.piles[0][1:]), look.piles[1]))
    sheet = score(look)
    assert sheet.figures()["F1"]["winner"] is None
    assert asked(sheet) == ["top.P1.B1"]
    assert score(look, top_P1_B1="c2").figures()["F1"]["winner"] == "P2"
    assert score(look, top_P1_B1="c1").figures()["F1"]["winner"] == "P1"


def test_without_a_grid_nothing_is_scored() -> None:
    sheet = GAME.score_table(GAME.layout([], OPTIONS), OPTIONS, {})
    assert sheet.questions == ()
    assert "not visible: F1, F2, F3" in str(sheet.findings[0].text)
    figures = sheet.figures()
    for number in (1, 2, 3):
        assert set(figures[f"F{number}"].values()) == {None}
    assert set(figures["P1"].values()) == {None}


# Earlier rounds and the match


def test_totals_of_later_rounds_need_the_score_piles() -> None:
    look = snapshot(2, **LINES, P1_S1="W4")
    sheet = score(look)
    assert sheet.figures()["P1"]["round"] == 4
    assert sheet.figures()["total"]["P1"] is None
    assert "earlier rounds" in str(sheet.findings[0].text)
    sheet = score(look, pile_P1="W4 W3", pile_P2="-")
    assert sheet.figures()["total"]["P1"] == 11
    assert sheet.findings == ()
    assert score(look, pile_P1="W9", pile_P2="-").figures()["total"]["P1"] is None


@pytest.mark.parametrize(
    ("second", "winner", "why"),
    [
        ("W4 W3", "P1", "more points"),
        ("W4 W4 W3 A", "P2", "more cards"),
        ("W4 W4 W3", "nobody", "nobody wins"),
    ],
)
def test_rule_6_2_the_match_is_decided_from_round_3(
    second: str, winner: str, why: str
) -> None:
    look = snapshot(3, **LINES, P1_S1="W4")
    sheet = score(look, pile_P1="W4 W3", pile_P2=second)
    assert sheet.figures()["total"]["winner"] == winner
    assert why in str(sheet.figures()["total"]["reason"])
    open_ = score(look).figures()["total"]
    assert (open_["winner"], open_["reason"]) == (None, None)


def test_an_unseen_face_makes_the_round_a_question() -> None:
    look = replace(snapshot(2, **LINES), faces=(snapshot(2).faces[0], None, None))
    sheet = score(look)
    assert [option.value for option in question(sheet, "round").options] == [
        *("1", "2", "3")
    ]
    assert sheet.figures()["total"]["P1"] is None
    assert score(look, round="1").figures()["total"]["P1"] == 0


def test_heroes_in_the_headquarters_are_shown() -> None:
    sheet = score(snapshot(P1_HQ="Z A W1", P2_HQ="A*"))
    assert sheet.figures()["P1"]["hq"] == ["Z", "A"]
    assert sheet.figures()["P2"]["hq"] == []


def test_answers_never_lose_a_point_that_is_certain() -> None:
    """A question about one Battlefield does not hide the others."""
    look = snapshot(**LINES, P1_S1="W4", P2_S2="W3", P1_B3="?", P2_B3="?")
    figures = score(look).figures()
    assert (figures["F1"]["points"], figures["F2"]["points"]) == (4, 3)
