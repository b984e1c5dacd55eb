"""The 34 events: effects, protection, unseen hands, the game without points."""

from dataclasses import replace

import pytest

from engines.frantic import GAME
from engines.frantic.calling import META, LuckyWindow, TurnEvent
from engines.frantic.cards import Colour, PlayCard
from engines.frantic.event import Event
from engines.frantic.events import EVENTS
from engines.frantic.state import Bomb, Cause, End, State, Top
from engines.frantic.turn import EndTurn, Turn
from tests.support.frantic import (
    answers,
    cards,
    event_now,
    playing,
    refusal,
    table,
    worth,
)

RED_FOUR = Top(colour=Colour.RED, number=4)
NO_POINTS = {"points": False}


def hands(state: State) -> list[str]:
    return [" ".join(sorted(hand)) for hand in state.hands]


def is_done(state: State) -> bool:
    """Whether the event is over and somebody is on turn."""
    return isinstance(state.step, Turn) and not state.open_events


def test_every_event_is_carried_out_somewhere() -> None:
    assert {*EVENTS, *META} == set(Event)


def test_rule_5_2_black_hole_takes_all_black_cards() -> None:
    state = event_now(table("R1", "K1 K2 R2", "K3 G1"), Event.BLACK_HOLE, 0)
    assert hands(state) == ["K1 K2 K3 R1", "R2", "G1"]


def test_rule_5_2_black_hole_asks_hands_that_cannot_be_seen() -> None:
    state = event_now(table("R1", "? ?", "K3 G1"), Event.BLACK_HOLE, 0)
    assert refusal(state, "p2 give R5")[0] == "5.2"
    assert refusal(state, "p2 give ?")[0] == "5.2"
    state = playing(state, "p2 give K1")
    assert hands(state) == ["K1 K3 R1", "?", "G1"]


def test_rule_4_3_who_is_protected_takes_no_part() -> None:
    before = table("R1", "K1 R2", "K3 G1")
    assert hands(event_now(before, Event.BLACK_HOLE, 0, immune=[1])) == [
        "K3 R1",
        "K1 R2",
        "G1",
    ]
    assert event_now(before, Event.BLACK_HOLE, 0, immune=[0]).hands == before.hands
    passed_on = event_now(before, Event.EARTHQUAKE, 0, immune=[1])
    assert hands(passed_on) == ["G1 K3", "K1 R2", "R1"]


def test_rule_5_2_earthquake_passes_hands_to_the_right() -> None:
    state = event_now(table("R1", "R2", "R3"), Event.EARTHQUAKE, 1)
    assert hands(state) == ["R3", "R1", "R2"]


def test_ruling_f_28_charity_is_taken_unseen() -> None:
    state = event_now(table("R1", "R2 R3", "R5"), Event.CHARITY, 0)
    assert answers(state) == {"p3 take #1", "p3 take #2"}
    assert refusal(state, "p3 take R2")[0] == "5.2"
    state = playing(state, "p3 take #2", "p1 take #1")
    assert hands(state) == ["R1 R2", "", "R3 R5"]


def test_rule_5_2_crowdfunding_goes_as_far_as_the_cards_reach() -> None:
    state = event_now(table("R1", "R2", "R3", "G1 N-fy"), Event.CROWDFUNDING, 3)
    state = playing(state, "p4 give N-fy", "p4 give G1")
    assert hands(state) == ["N-fy R1", "G1 R2", "R3", ""]


def test_rule_5_2_the_distributor_may_not_keep_his_own_hand() -> None:
    state = event_now(table("R1", "R2", "R3"), Event.DISTRIBUTOR, 0)
    view = GAME.view(state, state.options.seats[0])
    assert view["hands"] == {"0": ["R1"], "1": ["R2"], "2": ["R3"]}
    assert GAME.view(state, state.options.seats[1])["hands"] == {"1": ["R2"]}
    assert answers(state) == {"p1 assign p2 p1", "p1 assign p2 p2", "p1 assign p2 p3"}
    state = playing(state, "p1 assign p2 p2")
    reason = "that would leave the last player with his own hand"
    assert refusal(state, "p1 assign p3 p3") == ("5.2", reason)
    assert refusal(state, "p1 assign p3 p2")[0] == "5.2"
    state = playing(state, "p1 assign p3 p1", "p1 assign p1 p3")
    assert hands(state) == ["R3", "R2", "R1"]


def test_ruling_f_29_or_nobody_may_keep_his_own_hand() -> None:
    options = {"distributorDerangement": True}
    state = table("R1", "R2", "R3", options=options)
    state = event_now(state, Event.DISTRIBUTOR, 0)
    assert answers(state) == {"p1 assign p2 p1", "p1 assign p2 p3"}
    state = playing(state, "p1 assign p2 p1")
    assert answers(state) == {"p1 assign p3 p2"}


def test_rule_5_2_finish_line_ends_the_round() -> None:
    state = event_now(table("R1", "R2"), Event.FINISH_LINE, 0)
    assert state.gains == (1, 2)
    assert state.round == 2


def test_ruling_f_42_double_taxation_without_points_costs_cards() -> None:
    state = table("R1", "R2 R3", "G5", "K9", options=NO_POINTS)
    state = event_now(state, Event.DOUBLE_TAXATION, 0)
    assert state.counts == (1 + 1, 2 + 4, 1 + 4, 1 + 3)


def test_rule_5_2_double_taxation_asks_unseen_hands_for_their_best() -> None:
    state = event_now(table("R1", "? ? ? R7"), Event.DOUBLE_TAXATION, 0)
    assert refusal(state, "p2 show R1 R2 R3")[1].startswith("a more valuable card")
    assert refusal(state, "p2 show R8 R9")[1] == "cards: 2 instead of 3"
    state = playing(state, "p2 show R8 R9 N-fy")
    assert state.accounts == (1, 42 + 9 + 8)
    assert hands(state) == ["R1", "N-fy R7 R8 R9"]


def test_rule_5_2_event_manager_turns_three_and_carries_out_one() -> None:
    state = replace(
        table("R1", "R2"),
        event_pile=(Event.TORNADO, Event.FRIDAY, Event.EARTHQUAKE, Event.MARKET),
    )
    state = event_now(state, Event.EVENT_MANAGER, 0)
    state = playing(state, "event E-tornado", "event E-friday-the-13th")
    assert refusal(state, "event E-market")[0] == "5.2"
    state = playing(state, "event E-earthquake")
    assert refusal(state, "p1 choose E-market")[0] == "5.2"
    state = playing(state, "p1 choose E-earthquake")
    assert hands(state) == ["R2", "R1"]
    assert state.executed == (Event.EVENT_MANAGER, Event.EARTHQUAKE)
    assert set(state.shown_events) == {
        Event.EVENT_MANAGER,
        Event.TORNADO,
        Event.FRIDAY,
        Event.EARTHQUAKE,
    }


def test_rule_5_2_friday_the_13th_does_nothing() -> None:
    before = table("R1", "R2")
    assert event_now(before, Event.FRIDAY, 0).hands == before.hands


def test_ruling_f_31_gambling_man_bids_stay_hidden_until_all_are_laid() -> None:
    state = table("R1 G2", "R9 G3", "B1", colour="R")
    state = event_now(state, Event.GAMBLING_MAN, 2)
    assert refusal(state, "p1 bid none")[0] == "5.2"
    assert refusal(state, "p1 bid G2")[0] == "5.2"
    state = playing(state, "p2 bid R9")
    assert GAME.view(state, state.options.seats[1])["chosen"] == ["R9"]
    assert GAME.view(state, state.options.seats[0])["chosen"] == []
    assert GAME.view(state, None)["waits_for"] == [0, 2]
    state = playing(state, "p1 bid R1", "p3 bid none")
    assert hands(state)[:2] == ["G2", "G3 R1 R9"]
    assert state.counts[2] == 3


def test_rule_5_2_gambling_man_needs_a_colour() -> None:
    before = table("R1", "R2")
    assert event_now(before, Event.GAMBLING_MAN, 0).hands == before.hands
    assert event_now(before, Event.VANDALISM, 0).hands == before.hands


def test_rule_5_2_identity_theft_without_points_swaps_the_places() -> None:
    state = table("R1", "R2", "R3", options=NO_POINTS)
    state = event_now(state, Event.IDENTITY_THEFT, 0)
    assert answers(state) == {"p1 swap p1 p2", "p1 swap p1 p3", "p1 swap p2 p3"}
    state = playing(state, "p1 swap p1 p3")
    assert state.order == (2, 1, 0)
    assert hands(state) == ["R3", "R2", "R1"]
    assert state.next_to(state.options.seats[0]) == 2


def test_ruling_f_47_equal_accounts_and_hands_do_not_change() -> None:
    before = table("R1", "R2")
    assert event_now(before, Event.IDENTITY_THEFT, 0).accounts == (0, 0)
    assert event_now(before, Event.ROBIN_HOOD, 0).hands == before.hands


def test_ruling_f_35_last_chance_turns_an_event_for_each_emptied_hand() -> None:
    state = replace(
        table("R1", "R2 K9", top=RED_FOUR),
        last_chance=(GAME.options({}).seats[0], GAME.options({}).seats[1]),
    )
    state = replace(state, event_pile=(Event.FRIDAY, Event.MARKET))
    state = playing(state, "p1 play R1", "nobody", "event E-friday-the-13th")
    assert answers(state) == {"nobody"}
    state = playing(state, "nobody")
    assert state.accounts == (0, 11)


def test_ruling_f_17_last_chance_spares_whom_lucky_bastard_protects() -> None:
    state = event_now(table("R1", "R2 K9"), Event.LAST_CHANCE, 0, immune=[0])
    assert state.last_chance == (1,)
    assert event_now(state, Event.LAST_CHANCE, 1).last_chance == (1,)


def test_rule_5_2_market_cards_are_taken_in_turn() -> None:
    state = event_now(table("R1", "R2", pile="G1 G2 G3"), Event.MARKET, 0)
    assert refusal(state, "flip G1")[1] == "cards: 1 instead of 2"
    assert refusal(state, "flip G2 G1")[0] == "3"
    state = playing(state, "flip G1 G2")
    assert answers(state) == {"p2 take G1", "p2 take G2"}
    state = playing(state, "p2 take G2", "p1 take G1")
    assert hands(state) == ["G1 R1", "G2 R2"]


def test_ruling_f_32_too_small_a_market_ends_the_round() -> None:
    state = event_now(table("R1", "R2", "R3", pile="G1"), Event.MARKET, 0)
    state = playing(state, "flip G1", "p2 take G1")
    assert state.round == 2
    assert event_now(table("R1", "R2", pile=""), Event.MARKET, 0).round == 2


def test_rule_5_2_mating_season_asks_unseen_hands_for_combinations() -> None:
    state = event_now(table("R1", "? ? ? R7"), Event.MATING_SEASON, 0)
    for wrong in ("R3 G5", "R3", "N-fantastic N-fantastic"):
        assert refusal(state, f"p2 discard {wrong}")[0] == "5.2"
    assert refusal(state, "p2 discard G7 Y7")[0] == "5.2", "red 7 is held back"
    state = playing(state, "p2 discard G7 R7 Y7")
    assert hands(state) == ["R1", "?"]


def test_rule_5_2_merry_christmas_gives_whole_hands_at_one_time() -> None:
    state = event_now(table("R1 R2", "G1", "B1 B2"), Event.MERRY_CHRISTMAS, 0)
    state = playing(state, "p3 give all to p1", "p1 give R1 to p2")
    assert state.counts == (2, 1, 2)
    assert refusal(state, "p3 give all to p1")[0] == "5.2"
    assert refusal(state, "p1 give R2 to p1")[0] == "4.4"
    assert refusal(state, "p1 give R1 to p3")[0] == "4.1"
    view = GAME.view(state, state.options.seats[0])
    assert view["chosen"] == ["R1 1"]
    state = playing(state, "p1 give R2 to p3", "p2 give G1 to p3")
    assert hands(state) == ["B1 B2", "R1", "G1 R2"]


def test_rule_5_2_merry_christmas_with_unseen_hands() -> None:
    state = event_now(table("? ?", "G1", "?"), Event.MERRY_CHRISTMAS, 0)
    state = playing(state, "p1 give ? to p2", "p1 give all to p3")
    state = playing(state, "p2 give all to p1", "p3 give all to p1")
    assert hands(state) == ["? G1", "?", "?"]


def test_ruling_f_34_mexican_standoff_drops_fy_and_keeps_curse() -> None:
    state = event_now(table("R1 N-curse", "N-fy R2"), Event.MEXICAN_STANDOFF, 0)
    assert state.counts == (4, 3)
    assert "N-curse" in state.hands[0]
    assert set(cards("R1 N-fy R2")) <= set(state.discard)


def test_ruling_f_34_an_unseen_hand_may_keep_the_curse() -> None:
    state = event_now(table("? ?", "R2"), Event.MEXICAN_STANDOFF, 1)
    options = GAME.questions(state)[0].options
    assert [option.value for option in options] == ["p1 discard ? ?", "p1 discard ?"]
    state = playing(state, "p1 discard ?")
    assert state.counts == (4, 3)


def test_rule_5_2_plague_carries_out_two_events_in_any_case() -> None:
    state = replace(table("R1", "R2"), event_pile=(Event.DOOMSDAY, Event.EARTHQUAKE))
    state = event_now(state, Event.PLAGUE, 0)
    state = playing(state, "nobody", "event E-doomsday")
    assert state.ending is not None
    state = playing(state, "nobody", "event E-earthquake")
    assert state.gains == (50, 50)
    assert hands(state) == ["R2", "R1"]


def test_ruling_f_27_plus_one_per_card_doubles_draws() -> None:
    options = {"plusOne": "perCard"}
    state = event_now(table("R1", "R2", options=options), Event.PLUS_ONE, 0)
    assert playing(state, "p2 draw").counts == (1, 3)
    state = event_now(state, Event.THIRD_TIME_LUCKY, 0)
    assert state.counts == (7, 7)


def test_ruling_f_20_recession_leaves_the_curse() -> None:
    state = event_now(table("R1 G1 G2", "N-curse R2"), Event.RECESSION, 0)
    assert answers(state) == {"p2 discard R2"}
    assert refusal(state, "p2 discard N-curse")[0] == "5.2"
    state = playing(state, "p2 discard R2", "p1 discard R1", "p1 discard G1")
    assert hands(state) == ["G2", "N-curse"]
    assert is_done(state)


def test_rule_5_2_recession_of_an_unseen_hand_is_one_move() -> None:
    state = event_now(table("R1", "R2", "? ? ? ?"), Event.RECESSION, 2)
    state = playing(state, "p1 discard R1", "p2 discard R2", "p3 discard ? ? ?")
    assert state.counts == (0, 0, 1)


def test_rule_5_2_repeat_carries_out_an_earlier_event() -> None:
    state = event_now(table("R1", "R2"), Event.EARTHQUAKE, 0)
    state = event_now(state, Event.REPEAT, 0)
    assert answers(state) == {"p1 choose E-earthquake"}
    state = playing(state, "p1 choose E-earthquake")
    assert hands(state) == ["R1", "R2"]


def test_rule_5_2_repeat_without_an_earlier_event_does_nothing() -> None:
    assert is_done(event_now(table("R1", "R2"), Event.REPEAT, 0))


def test_ruling_f_30_repeat_may_have_a_larger_pool() -> None:
    state = table("R1", "R2", options={"repeatPool": "shown"})
    state = replace(state, shown_events=(Event.TORNADO,), event_pile=())
    state = event_now(state, Event.REPEAT, 0)
    assert answers(state) == {"p1 choose E-tornado"}


def test_rule_5_2_russian_roulette_goes_on_top_of_the_draw_pile() -> None:
    state = event_now(table("R1 N-curse", "R2 R3"), Event.RUSSIAN_ROULETTE, 0)
    assert refusal(state, "p1 put N-curse")[0] == "F-20"
    assert refusal(state, "p2 put R2 R3")[1] == "exactly one card is put down"
    state = playing(state, "p2 put R2", "p1 put R1")
    assert refusal(state, "shuffle R1 R3")[0] == "5.2"
    state = playing(state, "shuffle R2 R1")
    assert state.pile[:2] == cards("R2 R1")
    assert hands(state) == ["N-curse", "R3"]


def test_rule_5_2_russian_roulette_with_unseen_hands() -> None:
    state = event_now(table("?", "R2 R3"), Event.RUSSIAN_ROULETTE, 0)
    state = playing(state, "p1 put none", "p2 put R2", "shuffle ?")
    assert state.pile[0] == "?"
    assert state.counts == (1, 1)


def test_ruling_f_37_seppuku_turns_a_card_under_the_discard() -> None:
    state = table("R1", "R2", pile="G1 R-gift", top=RED_FOUR)
    top = state.discard[-1]
    state = event_now(state, Event.SEPPUKU, 0)
    state = playing(state, "p2 risk")
    assert refusal(state, "flip R-gift")[0] == "3"
    state = playing(state, "flip G1", "p1 risk", "flip R-gift")
    assert state.accounts == (42, -21)
    assert state.discard[-1] == top
    assert state.discard[:2] == cards("R-gift G1")


def test_rule_5_2_seppuku_without_points_moves_cards() -> None:
    state = table("R1", "R2 R3 R5", "R7", pile="G1 R-gift G3 G4 G5 G6 G7 G8")
    state = replace(state, options=replace(state.options, points=False))
    state = event_now(state, Event.SEPPUKU, 0)
    state = playing(state, "p2 risk", "flip G1", "p2 discard R2", "p2 discard R3")
    state = playing(state, "p3 risk", "flip R-gift", "p1 decline")
    assert state.counts == (3, 1, 5)


def test_rule_5_2_seppuku_without_a_pile_ends_the_round() -> None:
    state = event_now(table("R1", "R2", pile=""), Event.SEPPUKU, 0)
    state = playing(state, "p2 risk", "p1 decline")
    assert state.gains == (1, 2)
    assert state.accounts == (1 + 21, 2)


def test_ruling_f_39_surprise_party_cards_are_not_passed_on() -> None:
    state = event_now(table("R1 R2", "G1", "B1"), Event.SURPRISE_PARTY, 0)
    state = playing(state, "p1 give R1 to p2")
    assert refusal(state, "p2 give R1 to p3")[0] == "4.1"
    assert refusal(state, "p2 give all to p3")[0] == "5.2"
    assert {question.to for question in GAME.questions(state)} == {1, 2}
    state = playing(state, "p3 give B1 to p1", "p2 give G1 to p3")
    assert hands(state) == ["B1 R2", "R1", "G1"]


def test_rule_4_3_a_protected_player_gets_no_present() -> None:
    state = table("R1", "G1", "B1")
    state = event_now(state, Event.SURPRISE_PARTY, 0, immune=[2])
    assert refusal(state, "p1 give R1 to p3")[0] == "4.3"
    two = event_now(table("R1", "G1"), Event.SURPRISE_PARTY, 0, immune=[1])
    assert is_done(two)


def test_rule_5_2_the_all_seeing_eye_shows_hands_until_all_agree() -> None:
    state = event_now(table("R1", "? ?"), Event.ALL_SEEING_EYE, 0)
    assert GAME.view(state, None)["hands"] == {"0": ["R1"], "1": ["?", "?"]}
    assert refusal(state, "p1 show R1")[0] == "5.2"
    state = playing(state, "p2 show G1 G2", "agree")
    assert hands(state) == ["R1", "G1 G2"]
    assert GAME.view(state, None)["hands"] == {}


def test_rule_5_2_time_bomb_defused_or_protected() -> None:
    state = table("R1", "K9", "G8", top=RED_FOUR)
    bomb = Bomb((1, 0, 0), immune=(state.options.seats[2],))
    state = playing(replace(state, bomb=bomb), "p1 play R1", "nobody")
    assert state.gains == (-10, 9 + 10, 8)
    assert state.accounts[0] == -10


def test_ruling_f_36_a_second_bomb_restarts_nothing() -> None:
    state = event_now(table("R1", "R2"), Event.TIME_BOMB, 0)
    again = event_now(state, Event.TIME_BOMB, 0)
    assert state.bomb is not None
    assert again.bomb is not None
    assert again.bomb.turns == (0, 2)


def test_rule_5_2_tornado_deals_all_cards_out_in_turn() -> None:
    state = event_now(table("R1 R2", "R3", "R5 R6"), Event.TORNADO, 0)
    assert GAME.legal_moves(state) is None
    assert refusal(state, "shuffle R1 R2")[0] == "5.2"
    state = playing(state, "shuffle R1 R2 R3 R5 R6")
    assert hands(state) == ["R3", "R1 R5", "R2 R6"]
    unseen = event_now(table("R1 R2", "?"), Event.TORNADO, 0)
    assert hands(playing(unseen, "shuffle ?")) == ["?", "? ?"]


def test_rule_5_2_trust_fall_takes_two_cards_from_a_named_player() -> None:
    state = event_now(table("R1 R2", "N-fy G2", "B1"), Event.TRUST_FALL, 0)
    assert refusal(state, "p2 target p2")[0] == "4.4"
    state = playing(state, "p2 target p3", "p3 give B1", "p3 target p2")
    assert "p2 give G2 N-fy" in answers(state)
    state = playing(state, "p2 give B1 N-fy", "p1 target p2", "p2 give G2")
    assert hands(state) == ["G2 R1 R2", "", "B1 N-fy"]


def test_ruling_f_33_vandalism_asks_unseen_hands_for_the_colour() -> None:
    state = event_now(table("G1", "? ? ?", colour="R"), Event.VANDALISM, 0)
    assert refusal(state, "p2 discard B5")[0] == "5.2"
    state = playing(state, "p2 discard R5 RG-swap")
    assert state.counts == (1, 1)


def test_rule_4_3_lucky_bastard_is_played_before_the_event_is_turned() -> None:
    state = table("K4 R1", "N-lucky-bastard G9", "B1", top=RED_FOUR)
    state = playing(state, "p1 play K4", "p2 lucky N-lucky-bastard", "p2 wish G")
    assert refusal(state, "p2 lucky N-mimicry")[0] == "4.3"
    state = playing(state, "nobody")
    assert isinstance(state.step, TurnEvent)
    assert state.step.cause == Cause(state.mover, (state.options.seats[1],))
    state = replace(state, event_pile=(Event.THIRD_TIME_LUCKY,))
    state = playing(state, "event E-third-time-lucky")
    assert state.counts == (4, 1, 4)
    assert state.top == Top(colour=Colour.GREEN)


def test_rule_5_2_an_unseen_event_may_be_any_that_has_not_been_shown() -> None:
    state = table("K4 R1", "G9", top=RED_FOUR)
    state = replace(state, event_pile=(None,) * 33, shown_events=(Event.MARKET,))
    state = playing(state, "p1 play K4", "nobody")
    assert refusal(state, "event E-market")[0] == "5.2"
    assert len(answers(state)) == 33
    assert is_done(playing(state, "event E-friday-the-13th"))


def test_ruling_f_26_the_shown_events_become_a_new_pile() -> None:
    state = table("K4 R1", "G9", top=RED_FOUR)
    state = replace(state, event_pile=(), shown_events=(Event.MARKET, Event.EARTHQUAKE))
    state = playing(state, "p1 play K4", "nobody")
    assert refusal(state, "event E-market")[0] == "F-26"
    assert refusal(state, "events E-market")[0] == "F-26"
    known = playing(state, "events E-earthquake E-market", "event E-earthquake")
    assert hands(known) == ["G9", "R1"]
    unseen = playing(state, "events ?", "event E-earthquake")
    assert unseen.event_pile == (None,)


def test_ruling_f_26_without_any_event_left_nothing_happens() -> None:
    state = table("K4 R1", "G9", top=RED_FOUR)
    state = replace(state, event_pile=())
    assert is_done(playing(state, "p1 play K4", "nobody"))


def test_rule_5_2_no_round_ends_before_its_event_is_complete() -> None:
    state = event_now(table("R1", "R2 R3", "R5"), Event.RECESSION, 0)
    state = playing(state, "p2 discard R2", "p3 discard R5", "p1 discard R1")
    assert state.counts == (0, 1, 0)
    assert answers(state) == {"nobody"}
    state = playing(state, "nobody")
    assert state.gains == (0, 3, 0)


@pytest.mark.parametrize("event", Event)
def test_an_event_that_protects_everybody_changes_no_hand(event: Event) -> None:
    before = table("R1 R2", "R3 R5", top=RED_FOUR)
    state = event_now(before, event, 0, immune=[0, 1])
    waits = isinstance(state.step, LuckyWindow)
    assert state.hands == before.hands
    assert (
        is_done(state)
        or waits
        or event in {*META, Event.ALL_SEEING_EYE}
        or (state.round == 2)
    )


def test_a_round_that_ends_keeps_no_trace_in_the_next() -> None:
    hand, other = worth([20, 30])
    state = table(" ".join(hand), " ".join(other), top=RED_FOUR)
    state = replace(state, plus_one=True, skips=(state.options.seats[1],))
    state = event_now(state, Event.FINISH_LINE, 0)
    state = playing(state, "deal ?")
    assert not state.plus_one
    assert state.skips == ()
    assert state.ending is None
    assert state.mover == state.dealer == 1
    assert [type(step) for step in state.steps] != [EndTurn]
    assert PlayCard("?") in state.hands[0]
    assert End.FINISH_LINE.value == "finish-line"
