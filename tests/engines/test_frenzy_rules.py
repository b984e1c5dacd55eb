"""The rules of Frenzy, one by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from engines.core import Margin, NotationError, OptionError, RuleRef, Verdict
from engines.frenzy import GAME, Frenzy, State
from engines.frenzy.cards import SEATS, Card, Zone
from engines.frenzy.duel import Fighter, duel
from engines.frenzy.options import EmptyPile, House
from engines.frenzy.remedies import remedy_for
from engines.frenzy.state import Cause, Phase
from tests.support.frenzy import (
    after,
    answered,
    battle,
    default,
    ended,
    judge,
    options,
    refusal,
    with_deck,
    with_piles,
)

NO_SUPPLY: dict[str, list[list[str]]] = {"P1": [[], [], []], "P2": [[], [], []]}


def question_ids(state: State) -> list[str]:
    return [question.id for question in GAME.questions(state)]


# 2 Set-up


def test_rule_2_the_lot_names_the_first_player() -> None:
    state = GAME.setup(GAME.options({}))
    assert question_ids(state) == ["first"]
    assert refusal(state, "P1 turn F1 @0") == "2"
    state = after(state, "REF first P2 @0")
    assert state.first == SEATS[1]
    assert refusal(state, "REF first P1 @0") == "2"
    assert refusal(state, "P1 turn F1 @0") == "2"
    assert after(state, "P2 turn F1 @0").round == 1


def test_rule_2_battlefields_are_turned_in_order() -> None:
    state = GAME.setup(options())
    assert refusal(state, "P1 turn F2 @0") == "2"
    assert refusal(state, "P2 go @0") == "2"


def test_rule_2_the_second_player_counts_down() -> None:
    state = after(GAME.setup(options()), "P1 turn F1 @0")
    assert refusal(state, "P1 go @1") == "2"
    assert after(state, "P2 go @1").phase is Phase.BATTLE


def test_rule_2_the_base_game_asks_how_many_heroes_were_put_aside() -> None:
    state = GAME.setup(options(variant="base"))
    assert question_ids(state) == ["aside.P1", "aside.P2", "turn"]
    assert refusal(state, "P1 aside 10 @0") == "1"
    state = after(state, "P1 aside 3 @0")
    assert state.players[0].deck == 36
    assert refusal(state, "P1 aside 3 @0") == "2"
    assert question_ids(state) == ["aside.P2", "turn"]
    late = after(state, "P1 turn F1 @0", "P2 go @1")
    assert refusal(late, "P2 aside 3 @2") == "2"
    assert refusal(battle(), "P1 aside 3 @2000") == "2"


def test_rule_2_a_census_tells_the_base_deck() -> None:
    counts = {"W1": 7, "W2": 7, "W3": 7, "W4": 7, "A": 4, "Z": 4, "adv": 3}
    state = GAME.setup(options(variant="base", census={"P1": counts}))
    assert [player.deck for player in state.players] == [36, None]


# 4.1 Moves


def test_rule_4_1_a_card_is_played_when_the_hand_leaves_it() -> None:
    state = after(battle(), "P1 draw @1100", "P1 lay W4 P1.B1 @1200")
    assert state.players[0].touching is Zone.B1
    state = after(state, "P1 lift @1300", "P1 lay W4 P1.S1 @1400", "P1 release @1500")
    assert state.players[0].top(Zone.S1) is Card.W4
    assert state.players[0].top(Zone.B1) is None
    assert state.players[0].deck == 38
    assert refusal(state, "P1 lift @1600") == "4.1"
    assert refusal(state, "P1 release @1600") == "4.1"


def test_rule_4_1_one_card_at_a_time() -> None:
    state = after(battle(), "P1 lay W4 P1.B1 @1200")
    assert refusal(state, "P1 lay W3 P1.B2 @1300") == "F-C"
    assert refusal(state, "P1 play W3 P1.B2 @1300") == "F-C"
    assert refusal(state, "P1 draw @1300") == "F-C"
    assert after(state, "P2 play W3 P2.B2 @1300").players[1].deck == 38


def test_rule_4_1_a_player_without_cards_cannot_play() -> None:
    state = after(with_deck(battle(), SEATS[0], 1), "P1 draw @1100")
    assert refusal(state, "P2 play W1 P1.B1 @1200") == "F-F"
    bare = with_deck(battle(), SEATS[0], 0)
    assert refusal(bare, "P1 play W1 P1.B1 @1200") == "4.1"
    assert refusal(bare, "P1 draw @1200") == "4.1"


def test_rule_4_1_a_players_acts_follow_each_other() -> None:
    state = after(battle(), "P1 play W4 P1.B1 @2000", "P2 play W4 P2.B1 @1500")
    assert refusal(state, "P1 play W3 P1.B1 @1900") == "4.1"
    assert refusal(state, "P1 play W3 P1.B1 @999") == "4.1"


def test_rule_4_1_a_counted_deck_holds() -> None:
    state = after(battle(variant="base"), "P1 play W1 P1.B1 @1100")
    assert state.players[0].deck is None
    state = after(state, "REF count P1 1 @1200")
    assert after(state, "P1 play W1 P1.B1 @1300").phase is Phase.ENDED
    assert refusal(state, "REF count P1 38 @1300") == "1"
    assert refusal(ended(NO_LINES, NO_SUPPLY), "REF count P1 3 @30") == "4.1"


NO_LINES = {"P1": ["-", "-", "-"], "P2": ["-", "-", "-"]}


# 4.2 and 4.3 The end of a round


def test_rule_4_2_finished_names_the_last_release() -> None:
    state = after(
        battle(variant="base"),
        "P1 play W1 P1.B1 @2000",
        "P2 play W4 P2.B1 @2400",
        "P2 lay W1 P2.B2 @2500",
    )
    assert refusal(state, "P2 finished @2600") == "4.2"
    state = after(state, "P1 finished @3000")
    assert state.end is not None
    assert (state.end.time_ms, state.end.cause) == (2000, Cause.LAST_CARD)
    assert state.players[1].top(Zone.B1) is None  # let go after the end
    assert state.players[1].top(Zone.B2) is None  # still touched


def test_rule_4_2_finished_needs_an_empty_hand_and_deck() -> None:
    state = battle()
    assert refusal(state, "P1 finished @1100") == "4.2"
    state = after(battle(variant="base"), "P1 draw @1100")
    assert refusal(state, "P1 finished @1200") == "4.2"
    state = battle(variant="base")
    assert refusal(state, "P1 finished @1200") == "4.2"
    state = after(battle(), "P1 play W1 P1.B1 @1100", "REF count P1 0 @1150")
    assert after(state, "P1 finished @1200").phase is Phase.ENDED


def test_rule_4_3_held_cards_go_back_too() -> None:
    state = after(with_piles(battle(), P1_HQ="A Z"), "P2 draw @2000")
    state = after(state, "P1 play Z P1.HQ @3000")
    assert state.players[1].deck == 39
    assert not state.players[1].holds


# FZ-R19 Who was first


def ending(at_ms: int = 3000, *moves: str) -> State:
    state = after(with_piles(battle(), P1_HQ="A Z", P2_B2="W2"), *moves)
    return after(state, f"P1 play Z P1.HQ @{at_ms}")


def test_rule_fz_r19_a_close_release_is_not_called() -> None:
    state = with_piles(battle(), P1_HQ="A Z", P2_B2="W2")
    state = after(state, "P2 play W4 P2.B2 @2990")
    ruling = judge(state, "P1 play Z P1.HQ @3000")
    assert ruling.verdict is Verdict.UPHELD
    (ground,) = ruling.grounds
    assert ground.verdict is Verdict.UNDECIDED
    assert ground.margin == Margin(10.0, options().timing_sigma_ms, "ms")
    state = after(state, "P1 play Z P1.HQ @3000")
    assert state.race is not None
    assert state.players[1].top(Zone.B2) is Card.W2
    assert question_ids(state) == ["race"]
    assert GAME.questions(state)[0].default is None
    assert refusal(state, "REF resolve @3100") == "FZ-R19"
    assert refusal(state, "P2 play W1 P2.B1 @3000") == "FZ-R19"


def test_rule_fz_r19_the_answer_decides_about_the_card() -> None:
    state = ending(3000, "P2 play W4 P2.B2 @2990")
    second = after(state, "REF earlier P2 @3100")
    assert second.players[1].top(Zone.B2) is Card.W4
    first = after(state, "REF earlier P1 @3100")
    assert first.players[1].top(Zone.B2) is Card.W2
    assert first.players[1].deck == 38
    assert refusal(first, "P2 play W1 P2.B1 @3000") == "F-I"
    undone = after(state, "REF earlier undo @3100")
    assert undone.phase is Phase.BATTLE
    assert undone.players[0].heroes == 2
    assert undone.players[1].top(Zone.B2) is Card.W2
    assert refusal(undone, "REF earlier P1 @3200") == "FZ-R19"


def test_rule_fz_r19_two_third_heroes_at_once() -> None:
    state = with_piles(battle(), P1_HQ="A Z", P2_HQ="A Z")
    state = after(state, "P2 play A P2.HQ @3000", "P1 play Z P1.HQ @3005")
    assert state.end is not None
    assert state.end.seat == SEATS[1]
    assert state.race is not None
    first = after(state, "REF earlier P1 @3100")
    assert first.end is not None
    assert first.end.seat == SEATS[0]
    assert [player.heroes for player in first.players] == [3, 2]
    second = after(state, "REF earlier P2 @3100")
    assert [player.heroes for player in second.players] == [2, 3]


def test_rule_fz_r19_a_hand_that_leaves_right_after_the_end() -> None:
    state = ending(3000, "P2 lay W4 P2.B2 @2900")
    assert state.players[1].top(Zone.B2) is Card.W2
    assert judge(state, "P2 release @3010").grounds[0].verdict is Verdict.UNDECIDED
    doubt = after(state, "P2 release @3010")
    assert doubt.race is not None
    assert after(doubt, "REF earlier P2 @3100").players[1].top(Zone.B2) is Card.W4
    undone = after(doubt, "REF earlier undo @3100")
    assert undone.players[1].deck == 38
    late = judge(state, "P2 release @3200")
    assert late.verdict is Verdict.REJECTED
    assert late.margin is not None
    assert late.rule == RuleRef("F-I")


def test_rule_fz_r19_undoing_gives_touched_cards_back_to_the_hands() -> None:
    state = with_piles(battle(), P1_HQ="A Z")
    state = after(
        state,
        "P2 play W1 P2.B1 @2990",
        "P2 lay W4 P2.B2 @2995",
        "P1 play Z P1.HQ @3000",
    )
    assert state.players[1].touching is None
    state = after(state, "REF earlier undo @3100")
    assert state.players[1].touching is Zone.B2
    assert state.players[1].top(Zone.B1) is None


def test_rule_fz_r19_undoing_gives_a_drawn_card_back_to_the_hand() -> None:
    state = after(
        with_piles(battle(), P1_HQ="A Z"),
        "P2 play W1 P2.B1 @2990",
        "P2 draw @2995",
        "P1 play Z P1.HQ @3000",
    )
    assert not state.players[1].holds
    assert refusal(state, "REF set P2.B1 - @3050") == "FZ-R19"
    assert after(state, "REF earlier undo @3100").players[1].holds


def test_rule_4_2_only_a_touched_card_can_be_let_go_after_the_end() -> None:
    assert refusal(ending(), "P2 release @3000") == "F-I"


def test_views_show_how_far_a_round_is_resolved() -> None:
    state = ended(
        {"P1": ["W4", "W1", "-"], "P2": ["W3", "W2", "-"]},
        {"P1": [["Z"], ["W1"], []], "P2": [["W2"], [], []]},
    )
    state = after(state, "REF resolve @30")
    view = GAME.view(state, None)
    assert view["resolved"] == [
        {"battlefield": 1, "winner": "P1", "taken": ["W2", "Z"], "banished": []}
    ]
    assert GAME.view(battle(), SEATS[1])["seat"] == "P2"


def test_rule_4_2_a_late_report_of_an_early_release_counts() -> None:
    state = ending()
    ruling = judge(state, "P2 play W4 P2.B2 @2500")
    assert ruling.verdict is Verdict.UPHELD
    assert ruling.margin is not None
    assert after(state, "P2 play W4 P2.B2 @2500").players[1].top(Zone.B2) is Card.W4
    assert refusal(state, "P1 play W4 P1.B2 @3000") == "F-I"
    assert refusal(state, "P2 lay W4 P2.B2 @2500") == "F-I"


def test_rule_4_2_releases_reported_before_an_earlier_end_are_taken_back() -> None:
    state = with_piles(battle(), P1_HQ="A Z")
    state = after(state, "P2 play W4 P2.B2 @3500", "P1 play Z P1.HQ @3000")
    assert state.players[1].top(Zone.B2) is None
    assert state.players[1].deck == 39


# 4.4 Fouls


def test_foul_f_a_asks_before_it_ends_the_match() -> None:
    state = after(battle(), "REF upset P2.B1 @2000")
    assert question_ids(state) == ["upset"]
    (question,) = GAME.questions(state)
    assert question.default is None
    assert refusal(state, "P1 play W1 P1.B1 @2100") == "F-A"
    assert refusal(state, "REF upset P2.B1 @2100") == "F-A"
    assert after(state, "REF blame nobody @2200").phase is Phase.BATTLE
    over = after(state, "REF blame P2 @2200")
    outcome = GAME.outcome(over)
    assert outcome is not None
    assert outcome.winners == (SEATS[0],)
    assert outcome.rule == RuleRef("F-A")
    assert GAME.questions(over) == ()
    assert refusal(over, "P1 play W1 P1.B1 @2300") == "6.2"
    assert refusal(battle(), "REF blame P1 @1100") == "F-A"
    assert refusal(GAME.setup(options()), "REF upset P1.B1 @0") == "F-A"


def test_foul_f_b_before_the_signal() -> None:
    state = after(GAME.setup(options()), "P1 turn F1 @0")
    move = GAME.parse_move("P1 play W4 P1.B1 @10")
    assert refusal(state, str(move)) == "F-B"
    remedy = remedy_for(state, move)
    assert str(remedy) == "REF foul P1 F-B W4 @10"
    state = after(state, str(remedy))
    assert state.players[0].deck == 39
    assert after(state, "P2 go @20").fouls == ()


def test_foul_f_c_is_claimed_for_the_opponent_when_repeated() -> None:
    state = after(battle(), "P1 draw @1100")
    record = str(remedy_for(state, GAME.parse_move("P1 draw @1200")))
    assert record == "REF foul P1 F-C @1200"
    state = after(state, record)
    assert question_ids(state) == []
    state = after(state, record)
    (question,) = GAME.questions(state)
    assert (question.id, question.to, question.default) == ("claim", 1, "undo")
    assert refusal(state, "P1 decide undo @1300") == "4.4"
    assert GAME.questions(after(state, "P2 decide stand @1300")) == ()


def test_foul_f_d_the_pile_is_put_right() -> None:
    state = with_piles(battle(), P1_B1="W4 W2")
    state = after(state, "REF set P1.B1 W2 @2000")
    assert state.players[0].top(Zone.B1) is Card.W2
    assert state.players[0].deck == 38
    assert (
        refusal(after(battle(), "P1 lay W1 P1.B1 @1100"), "REF set P1.B1 - @1200")
        == "F-D"
    )
    assert refusal(GAME.setup(options()), "REF set P1.B1 - @0") == "F-D"
    few = with_deck(battle(), SEATS[0], 1)
    assert refusal(few, "REF set P1.B1 W1 W1 @1200") == "4.1"


def test_foul_f_d_putting_right_may_end_the_round() -> None:
    state = after(battle(), "REF set P2.HQ A Z A @2000")
    assert state.phase is Phase.ENDED
    assert state.end is not None
    assert state.end.is_settled


def test_foul_f_e_the_warrior_stays_and_returns_at_the_end() -> None:
    state = with_piles(battle(), P1_HQ="A Z")
    move = GAME.parse_move("P1 play W4 P1.HQ @2000")
    assert refusal(state, str(move)) == "F-E"
    state = after(state, str(remedy_for(state, move)))
    assert state.players[0].heroes == 2
    state = after(state, "P1 play A P1.HQ @2100")
    state = answered(state, default)
    assert state.players[0].deck == 36
    assert [owned.card for owned in state.players[0].removed] == ["A", "A", "Z"]


def test_foul_f_e_undone_on_claim() -> None:
    state = after(battle(), "REF foul P1 F-E W4 @2000")
    assert refusal(state, "P1 claim F-E @2100") == "F-E"
    assert refusal(state, "P2 claim F-C @2100") == "F-C"
    state = after(state, "P2 claim F-E @2100")
    assert refusal(state, "P2 claim F-E @2100") == "4.4"
    undone = after(state, "P2 decide undo @2200")
    assert undone.players[0].pile(Zone.HQ) == ()
    assert undone.players[0].deck == 39
    assert after(state, "P2 decide stand @2200").players[0].deck == 38
    assert refusal(undone, "P2 decide undo @2300") == "4.4"
    assert refusal(battle(), "REF foul P1 F-E A @1100") == "F-E"
    assert refusal(battle(), "REF foul P1 F-E @1100") == "F-E"


def test_foul_claims_wait_for_no_one_but_the_resolution() -> None:
    state = after(with_piles(battle(), P1_HQ="A Z"), "REF foul P2 F-G @2000")
    state = after(state, "P1 claim F-G @2050", "P1 play A P1.HQ @2100")
    assert refusal(state, "REF resolve @2200") == "4.4"
    assert question_ids(state) == ["claim"]
    state = after(state, "P1 decide stand @2200", "REF resolve @2300")
    assert refusal(state, "P1 claim F-G @2400") == "4.4"


def test_rule_4_4_a_lost_round_gives_all_battlefields_to_the_opponent() -> None:
    state = with_piles(battle(), P1_B1="W4", P1_S1="W3", P2_S2="W2", P1_S3="W1 W4")
    state = after(state, "REF foul P1 F-E W2 @2000", "P2 claim F-E @2100")
    state = after(state, "P2 decide lost @2200")
    assert state.phase is Phase.ENDED
    state = answered(state, default)
    assert [each.winner for each in state.reports[0].spoils] == [1, 1, 1]
    assert state.players[1].points == 6


def test_rule_4_4_a_lost_round_settles_a_race() -> None:
    state = after(battle(), "REF foul P2 F-H @1100", "P1 claim F-H @1200")
    state = with_piles(state, P1_HQ="A Z")
    state = after(state, "P2 play W4 P2.B1 @2990", "P1 play A P1.HQ @3000")
    assert refusal(state, "P1 decide lost @3100") == "FZ-R19"
    state = after(state, "REF earlier P1 @3100", "P1 decide lost @3200")
    assert state.lost_by == SEATS[1]


def test_foul_f_e_undone_when_the_pile_was_put_right_already() -> None:
    state = after(battle(), "REF foul P1 F-E W4 @2000", "REF set P1.HQ - @2050")
    state = after(state, "P2 claim F-E @2100", "P2 decide undo @2200")
    assert state.players[0].deck == 39


def test_the_referees_remedies() -> None:
    state = battle()
    allowed = GAME.parse_move("P1 play W4 P1.B1 @1100")
    assert Frenzy().remedy(state, allowed) is None
    hand_on_it = GAME.parse_move("P1 lay W4 P1.HQ @1100")
    assert refusal(state, str(hand_on_it)) == "F-E"
    assert remedy_for(state, hand_on_it) is None  # it may still be lifted
    foreign = GAME.parse_move("P1 play W4 P2.B1 @1100")
    assert str(remedy_for(state, foreign)) == "REF foul P1 F-F W4 @1100"


def test_foul_f_f_on_a_region_of_the_opponent() -> None:
    assert refusal(battle(), "P1 play W4 P2.B1 @1100") == "F-F"


def test_foul_f_i_after_the_end() -> None:
    state = ending()
    assert refusal(state, "P2 play W4 P2.B1 @4000") == "F-I"
    assert judge(state, "P2 play W4 P2.B1 @4000").margin is not None
    assert str(remedy_for(state, GAME.parse_move("P2 play W4 P2.B1 @4000"))) == (
        "REF foul P2 F-I W4 @4000"
    )
    assert refusal(battle(), "REF foul P1 F-I @1100") == "F-I"
    assert remedy_for(battle(), GAME.parse_move("P2 play W4 P2.B1 @4000")) is None


# 1 and 7 Decks


def test_rule_1_a_deck_has_the_hero_of_its_faction() -> None:
    state = battle(factions={"P1": "orcs", "P2": "undead"})
    assert after(state, "P1 play O P1.B1 @1100").players[0].deck == 38
    assert refusal(state, "P1 play L P1.B1 @1100") == "1"


def test_rule_7_the_base_game_has_no_advanced_heroes() -> None:
    assert refusal(battle(variant="base"), "P1 play O P1.B1 @1100") == "7"


def test_rule_1_a_counted_deck_runs_out_of_copies() -> None:
    counts = {"W1": 1, "W2": 9, "W3": 9, "W4": 9, "A": 4, "Z": 4, "adv": 3}
    state = battle(census={"P1": counts, "P2": counts})
    state = after(state, "P1 play W1 P1.B1 @1100")
    assert refusal(state, "P1 play W1 P1.B2 @1200") == "1"
    assert refusal(state, "REF set P1.B2 W1 @1200") == "1"
    assert after(state, "P2 play W1 P2.B2 @1200").players[1].deck == 38


# 5.1 Comparison

FIGHTERS = {
    **{card.value: Fighter(card) for card in Card if card is not Card.BODYGUARD},
    **{
        f"B={label}": Fighter(Card.BODYGUARD, Card(label))
        for label in ("W1", "W2", "W3", "W4", "A", "Z")
    },
    "B=0": Fighter(Card.BODYGUARD),
}
BODYGUARDS = [label for label in FIGHTERS if label.startswith("B=")]
COLUMNS = [*["W1", "W2", "W3", "W4", "A", "Z", "K", "O", "L"], *BODYGUARDS]
TABLE = """
W1   = L L L W W W L W = L L L W W W
W2   W = L L W W W L W W = L L W W W
W3   W W = L W W W L W W W = L W W W
W4   W W W = L W W L W W W W = L W W
A    L L L W = L L W L L L L L = L L
Z    L L L L W = L W L L L L L W = =
K    L L L L W W = W = W W W W W W W
O    W W W W L L L = L L L L L L L L
L    L L L L W W = W = W W W W W W W
B=W1 = L L L W W L W L = = = = = = =
B=W2 W = L L W W L W L = = = = = = =
B=W3 W W = L W W L W L = = = = = = =
B=W4 W W W = W W L W L = = = = = = =
B=A  L L L W = L L W L = = = = = = =
B=Z  L L L L W = L W L = = = = = = =
B=0  L L L L W = L W L = = = = = = =
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize(
    ("row", "column", "letter"),
    [
        (row, column, letter)
        for row, *letters in ROWS
        for column, letter in zip(COLUMNS, letters, strict=True)
    ],
)
def test_rule_5_1_table(row: str, column: str, letter: str) -> None:
    result = duel(FIGHTERS[row], FIGHTERS[column], House())
    assert {0: "W", 1: "L", None: "="}[result.winner] == letter
    assert result.reason.render("it")


def test_rule_5_1_is_the_same_from_both_sides() -> None:
    fighters = [*FIGHTERS.values(), Fighter(None)]
    fighters += [Fighter(Card.BODYGUARD, card) for card in (Card.KNIGHT, Card.OGRE)]
    for first, second in product(fighters, fighters):
        one, two = duel(first, second, House()), duel(second, first, House())
        swapped = {0: 1, 1: 0, None: None}
        assert two.winner == swapped[one.winner], (first, second)


def test_rule_fz_r04_empty_piles() -> None:
    empty, wizard = Fighter(None), Fighter(Card.WIZARD)
    assert duel(wizard, empty, House()).winner == 0
    assert duel(empty, empty, House()).winner is None
    house = House(empty_pile=EmptyPile.NO_WINNER)
    assert duel(wizard, empty, house).winner is None


def test_rule_fz_r15_mixed_decks() -> None:
    as_knight = Fighter(Card.BODYGUARD, Card.KNIGHT)
    as_ogre = Fighter(Card.BODYGUARD, Card.OGRE)
    house = House()
    assert duel(as_knight, Fighter(Card.KNIGHT), house).winner == 1
    assert duel(as_knight, Fighter(Card.WIZARD), house).winner == 0
    assert duel(as_knight, Fighter(Card.W1), house).winner == 1
    assert duel(as_ogre, Fighter(Card.W4), house).winner == 0
    assert duel(as_ogre, Fighter(Card.OGRE), house).winner is None


def test_rule_fz_r15_a_copied_knight_takes_one_card() -> None:
    state = ended(
        {"P1": ["B", "K", "-"], "P2": ["A", "-", "-"]},
        {"P1": [["W4", "W3"], [], []], "P2": [[], [], []]},
    )
    assert answered(state, default).players[0].points == 4


# 5 Choices


def test_rule_fz_r11_the_first_player_states_the_choices_first() -> None:
    state = ended(
        {"P1": ["B", "W4", "W1"], "P2": ["B", "W1", "W2"]},
        NO_SUPPLY,
        firstPlayer="P2",
    )
    state = after(state, "REF resolve @30")
    assert question_ids(state) == ["copy.P2.1"]
    assert refusal(state, "P1 copy F1 F2 @40") == "FZ-R11"
    assert refusal(state, "P2 copy F1 F1 @40") == "5.1"
    assert refusal(state, "P2 copy F2 F1 @40") == "5.1"
    state = after(state, "P2 copy F1 F2 @40")
    assert question_ids(state) == ["copy.P1.1"]
    state = after(state, "P1 copy F1 F2 @40")
    assert refusal(state, "P1 copy F1 F2 @50") == "6.1"


def test_rule_fz_r12_copying_a_bodyguard_is_shown_as_strength_0() -> None:
    state = ended({"P1": ["B", "B", "W4"], "P2": ["W1", "W1", "W1"]}, NO_SUPPLY)
    state = after(state, "REF resolve @30")
    first = GAME.questions(state)[0]
    assert "Strength 0" in str(first.options[0].text)


def test_rule_5_1_one_other_card_leaves_no_choice() -> None:
    state = ended(
        {"P1": ["B", "-", "W3"], "P2": ["W2", "-", "-"]}, NO_SUPPLY, emptyPile="loses"
    )
    state = answered(state, default)
    assert [each.winner for each in state.reports[0].spoils] == [0, None, 0]


def test_rule_fz_r10_is_asked_only_when_it_matters() -> None:
    lines = {"P1": ["W4", "W1", "B"], "P2": ["W3", "W1", "W3"]}
    copied = ["REF resolve @30", "P1 copy F3 F1 @31"]
    calm = after(ended(lines, NO_SUPPLY), *copied)
    assert calm.phase is Phase.TURN
    supply = {"P1": [["Z"], [], []], "P2": [[], [], ["W4"]]}
    asked = after(ended(lines, supply), *copied)
    assert question_ids(asked) == ["order"]
    assert refusal(asked, "REF rule emptyPile loses @32") == "8"
    numeric = after(asked, "REF rule order numeric @32")
    assert numeric.players[0].points == 4
    first = after(asked, "REF rule order bodyguardFirst @32")
    assert question_ids(first) == ["pick"]
    assert after(first, "P2 pick W4 @33").players[0].points == 0
    assert numeric.house.order == "numeric"  # for the whole match


def test_rule_fz_r04_and_r13_are_asked_once_per_match() -> None:
    lines = {"P1": ["B", "W4", "W4"], "P2": ["A", "-", "-"]}
    state = after(ended(lines, NO_SUPPLY), "REF resolve @30", "P1 copy F1 F2 @31")
    assert question_ids(state) == ["bodyguardIsWarriorForAssassin"]
    state = after(state, "REF rule bodyguardIsWarriorForAssassin true @32")
    assert question_ids(state) == ["emptyPile"]
    state = after(state, "REF rule emptyPile noWinner @33")
    winners = sorted((each.number, each.winner) for each in state.reports[0].spoils)
    assert winners == [(1, SEATS[1]), (2, None), (3, None)]
    assert state.house.bodyguard_is_warrior is True


def test_rule_5_3_only_the_opponent_picks_from_the_pile() -> None:
    state = ended(
        {"P1": ["W4", "-", "-"], "P2": ["W3", "-", "-"]},
        {"P1": [["Z"], [], []], "P2": [["W2"], [], []]},
        before={"P1": ["A", "W4"]},
    )
    state = after(state, "REF resolve @30")
    (question,) = GAME.questions(state)
    assert (question.to, question.default) == (1, None)
    assert [option.value for option in question.options] == ["W4", "W2", "A"]
    assert refusal(state, "P1 pick W4 @31") == "5.3"
    assert refusal(state, "P2 pick Z @31") == "FZ-R09"
    assert refusal(state, "P2 pick W1 @31") == "5.3"
    assert refusal(state, "P2 copy F1 F2 @31") == "5.1"
    assert after(state, "P2 pick A @31").players[0].points == 6
    assert refusal(battle(), "P2 pick W4 @1100") == "6.1"


# 6 End


def played(lines: dict[str, list[str]], state: State) -> State:
    """Return the state after a round with W4 and W1 to score on Battlefield 1."""
    now, n = state.clock_ms, state.round + 1
    state = after(state, f"P1 turn F{n} @{now}", f"P2 go @{now}")
    for player, cards in lines.items():
        for place, card in enumerate(cards, start=1):
            state = after(state, f"{player} play {card} {player}.B{place} @{now + 100}")
    state = after(
        state,
        f"P1 play W4 P1.S1 @{now + 200}",
        f"P2 play W1 P2.S1 @{now + 200}",
        *(f"P1 play A P1.HQ @{now + 1000 * place}" for place in (1, 2, 3)),
    )
    return answered(state, default)


def test_rule_6_three_rounds_make_a_match() -> None:
    state = GAME.setup(options())
    lines = {"P1": ["W4", "W1", "W1"], "P2": ["W3", "W1", "W1"]}
    for number in (1, 2, 3):
        assert GAME.outcome(state) is None
        state = played(lines, state)
        assert len(state.reports) == number
        assert state.players[0].deck == 39 - 4 * number
        assert state.players[1].deck == 39 - number
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == (SEATS[0],)
    assert str(outcome.reason) == "Player 1 has more points: 15 to 0."
    assert list(GAME.legal_moves(state) or ()) == []


def test_rule_fz_r23_an_empty_deck_ends_the_round_at_once() -> None:
    state = with_deck(GAME.setup(options()), SEATS[1], 0)
    state = after(state, "P1 turn F1 @0", "P2 go @10")
    assert state.phase is Phase.ENDED
    assert state.end is not None
    assert state.end.cause is Cause.EMPTY_DECK
    assert answered(state, default).phase is Phase.TURN


def test_rule_6_1_only_an_ended_round_is_resolved() -> None:
    assert refusal(battle(), "REF resolve @1100") == "6.1"


# Options and notation


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"ordr": "numeric"}, "no option 'ordr'"),
        ({"order": "random"}, "order must be one of bodyguardFirst, numeric"),
        ({"variant": 3}, "variant must be one of base, advanced"),
        ({"firstPlayer": "P3"}, "firstPlayer must be P1 or P2"),
        ({"factions": "orcs"}, "factions must be given by player"),
        ({"factions": {"P1": "elves"}}, "factions must be one of humans"),
        ({"census": {"P1": 3}}, "a census gives the number of copies"),
        ({"census": {"P1": {"W1": 28}}}, "a census counts W1, W2"),
        ({"framePeriodMs": 0}, "framePeriodMs must be above 0"),
        ({"bodyguardIsWarriorForAssassin": "maybe"}, "must be true or false"),
    ],
)
def test_options_say_what_is_wrong(values: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        GAME.options(values)


def test_a_census_that_does_not_add_up_is_refused() -> None:
    counts = {"W1": 8, "W2": 8, "W3": 8, "W4": 8, "A": 3, "Z": 3, "adv": 3}
    with pytest.raises(OptionError, match="28 Warriors, not 32"):
        options(census={"P1": counts})
    with pytest.raises(OptionError, match="from 0 on"):
        options(census={"P1": {**counts, "W1": -1}})


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("", 1, "one of P1, P2, REF"),
        ("P3 go @0", 1, "one of P1, P2, REF"),
        ("P1 jump @0", 4, "one of aside"),
        ("P1 play W5 P1.B1 @0", 9, "a card: W1"),
        ("P1 play W4 P1.B9 @0", 12, "a region such as P1.B2"),
        ("P1 play W4 P1.B1 0", 18, "@ and a time"),
        ("P1 play W4 P1.B1", 17, "@ and a time"),
        ("P1 play W4 P1.B1 @01", 18, "@ and a time"),
        ("P1 play W4 P1.B1 # @1", 18, "a piece"),
        ("P2 go @0 now", 10, "the end of the line"),
        ("P1 turn F4 @0", 9, "F1, F2 or F3"),
        ("P1 aside -1 @0", 10, "a number"),
        ("REF rule order best @0", 16, "one of bodyguardFirst, numeric"),
        ("REF foul P1 F-A @0", 13, "one of F-B"),
    ],
)
def test_notation_says_where_it_breaks(text: str, column: int, expected: str) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse_move(text)
    assert caught.value.column == column
    assert caught.value.expected.startswith(expected)


def test_a_state_is_never_changed_by_a_move() -> None:
    state = battle()
    copy = replace(state)
    after(state, "P1 play W4 P1.B1 @1100")
    assert state == copy
