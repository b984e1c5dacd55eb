"""One test per rule: the name says it, the number is its heading in RULES.md."""

from dataclasses import replace

import pytest

from engines.core import IllegalMoveError, NotationError, OptionError, RuleRef, play
from engines.frantic import GAME
from engines.frantic.cards import Colour, PlayCard, Special
from engines.frantic.event import Event, events
from engines.frantic.options import parse_options
from engines.frantic.state import End, State, Top
from engines.frantic.turn import Duty, Turn
from tests.support.frantic import (
    answers,
    cards,
    event_now,
    filled,
    playing,
    refusal,
    rest_of_deck,
    table,
)

RED_FOUR = Top(colour=Colour.RED, number=4)


def turn_of(seat: int) -> Turn:
    return Turn(GAME.options({"players": 8}).seats[seat])


def test_rule_4_1_a_move_out_of_turn_is_refused() -> None:
    state = table("R1", "R2", top=RED_FOUR)
    with pytest.raises(IllegalMoveError) as caught:
        play(GAME, state, GAME.parse_move("p2 play R2"))
    assert caught.value.ruling.rule == RuleRef("4.1")


def test_rule_4_1_nobody_plays_a_card_he_does_not_hold() -> None:
    state = table("R1", "R2", top=RED_FOUR)
    rule, reason = refusal(state, "p1 play R2")
    assert rule == "4.1"
    assert reason == "player 1 does not hold red 2"


def test_rule_4_1_a_player_may_draw_although_he_could_play() -> None:
    state = table("R1", "R2", top=RED_FOUR)
    assert answers(state) == {"p1 play R1", "p1 draw"}


def test_rule_4_1_after_a_draw_any_legal_card_may_be_played_once() -> None:
    state = table("R1 G7", "R2", top=RED_FOUR, pile="R9 B2 B3")
    state = playing(state, "p1 draw")
    assert answers(state) == {"p1 play R1", "p1 play R9", "p1 pass"}
    assert refusal(state, "p1 draw")[0] == "4.1"
    assert playing(state, "p1 pass").step == turn_of(1)


def test_rule_4_1_a_turn_is_not_passed_without_a_draw() -> None:
    assert refusal(table("R1", "R2"), "p1 pass")[0] == "4.1"


def test_rule_4_2_a_refusal_says_what_is_asked_for() -> None:
    state = table("B7 G1", "R2", top=Top(Colour.RED, symbol=Special.SKIP))
    rule, reason = refusal(state, "p1 play B7")
    assert rule == "4.2"
    assert reason == "blue 7 does not match what is asked for: red or the symbol Skip"


def test_rule_4_2_black_on_black_has_its_own_reason() -> None:
    state = table("K5 G1", "R2", top=Top(number=5, black=True))
    assert refusal(state, "p1 play K5")[1] == "black cards cannot lie on black ones"


def test_rule_4_2_a_colour_wish_asks_for_the_colour() -> None:
    state = table("N-fantastic G1", "B2 R2", top=RED_FOUR)
    state = playing(state, "p1 play N-fantastic", "p1 wish B")
    assert state.top == Top(colour=Colour.BLUE)
    assert state.colour is Colour.BLUE
    assert answers(state) == {"p2 play B2", "p2 draw"}


def test_rule_4_2_a_number_wish_asks_for_the_number_in_any_colour_or_black() -> None:
    state = table("N-fantastic G1", "B7 K7 R2 R-skip N-equality", top=RED_FOUR)
    state = playing(state, "p1 play N-fantastic", "p1 wish 7")
    assert state.colour is Colour.RED
    played = {"p2 play B7", "p2 play K7", "p2 play N-equality"}
    assert answers(state) == played | {"p2 draw"}


def test_rule_4_2_after_fy_the_card_below_stays_active() -> None:
    (hand,) = filled([9])
    state = table(" ".join(("N-fy", *hand)), "K1", top=RED_FOUR)
    state = playing(state, "p1 play N-fy")
    assert state.top == RED_FOUR
    assert state.step == turn_of(1)


def test_rule_4_4_a_wish_card_may_be_used_for_the_wish_alone() -> None:
    state = table("N-special-favours G1", "R2", top=RED_FOUR)
    state = playing(state, "p1 play N-special-favours", "p1 target none", "p1 wish Y")
    assert state.top == Top(colour=Colour.YELLOW)


@pytest.mark.parametrize("card", ["R-gift", "R-exchange", "R-thief", "R-skip"])
def test_rule_4_4_nobody_aims_a_card_at_himself(card: str) -> None:
    state = playing(table(f"{card} G1", "R2"), f"p1 play {card}")
    assert refusal(state, "p1 target p1")[0] == "4.4"


def test_rule_4_3_only_the_victim_may_counterattack() -> None:
    state = table("R-gift G1 G2", "R2 R3", "N-counterattack B1")
    state = playing(state, "p1 play R-gift", "p1 target p2")
    assert refusal(state, "p3 counter N-counterattack")[0] == "4.3"
    assert refusal(state, "p2 counter N-counterattack")[0] == "4.1"
    assert refusal(state, "p2 counter R2")[1] == "red 2 is not Counterattack"


def test_rule_4_3_the_window_opens_whatever_the_victim_holds() -> None:
    state = table("R-gift G1 G2", "R2 R3")
    state = playing(state, "p1 play R-gift", "p1 target p2")
    (question,) = GAME.questions(state)
    assert question.to == 1
    assert question.default == "p2 accept"


def test_rule_4_3_counterattack_may_only_cancel_the_attack() -> None:
    state = table("R-gift G1 G2", "N-counterattack R3 R5", "B1")
    state = playing(state, "p1 play R-gift", "p1 target p2")
    state = playing(state, "p2 counter N-counterattack", "p2 target none")
    state = playing(state, "p2 wish none")
    assert state.counts == (2, 2, 1)
    assert state.top == Top(Colour.RED, symbol=Special.GIFT)


@pytest.mark.parametrize(
    ("ruling", "following"),
    [("nextAfterHim", 2), ("himself", 1), ("originalOrder", 1)],
)
def test_ruling_f_09_who_moves_after_a_counterattack(
    ruling: str, following: int
) -> None:
    options = {"afterCounter": ruling}
    state = table("R-skip G1 G2", "N-counterattack R3", "B1", "B2", options=options)
    state = playing(state, "p1 play R-skip", "p1 target p2")
    state = playing(state, "p2 counter N-counterattack", "p2 target p4", "p4 accept")
    assert playing(state, "p2 wish R").step == turn_of(following)


def test_ruling_f_10_only_the_own_share_is_turned_round() -> None:
    state = table("N-fantastic-four G1", "N-counterattack R3", "B1 B3", top=RED_FOUR)
    state = playing(state, "p1 play N-fantastic-four", "p1 split p2:3 p3:1")
    state = playing(state, "p2 counter N-counterattack", "p2 split p1:2 p3:1")
    state = playing(state, "p3 accept", "p1 accept", "p3 accept", "p2 wish G")
    assert state.counts == (1 + 2, 1, 2 + 1 + 1)
    assert state.top == Top(colour=Colour.GREEN)


def test_ruling_f_10_or_the_whole_attack_is_turned_round() -> None:
    options = {"counterSplit": "all"}
    state = table("N-fantastic-four G1", "R3 R5", "N-counterattack B1", options=options)
    state = playing(state, "p1 play N-fantastic-four", "p1 split p2:3 p3:1")
    state = playing(state, "p2 accept", "p3 counter N-counterattack")
    state = playing(state, "p3 split p1:4", "p1 accept")
    assert state.counts == (5, 2, 1)


def test_rule_5_1_the_shares_of_fantastic_four_make_four() -> None:
    state = playing(table("N-fantastic-four G1", "R3"), "p1 play N-fantastic-four")
    assert refusal(state, "p1 split p2:3")[0] == "5.1"


def test_rule_5_1_thief_takes_two_cards_of_choice_but_not_fy() -> None:
    state = table("R-thief G1", "N-fy R3 B4 B5")
    state = playing(state, "p1 play R-thief", "p1 target p2", "p2 accept")
    assert answers(state) == {"p1 take B4 B5", "p1 take B4 R3", "p1 take B5 R3"}
    assert GAME.view(state, state.mover)["hands"] == {
        "0": ["G1"],
        "1": ["N-fy", "R3", "B4", "B5"],
    }


def test_ruling_f_44_thief_takes_what_is_there() -> None:
    state = table("R-thief G1", "R3")
    state = playing(state, "p1 play R-thief", "p1 target p2", "p2 accept")
    assert answers(state) == {"p1 take R3"}


def test_rule_5_1_exchange_takes_unseen_and_may_take_fy() -> None:
    state = table("R-exchange G1 G2 G3", "N-fy R3 B4")
    state = playing(state, "p1 play R-exchange", "p1 target p2", "p2 accept")
    assert refusal(state, "p1 give G1")[1] == "cards: 1 instead of 2"
    state = playing(state, "p1 give G1 G3")
    assert answers(state) == {"p1 take #1 #2", "p1 take #1 #3", "p1 take #2 #3"}
    state = playing(state, "p1 take #1 #2")
    assert set(state.hands[0]) == {"G2", "N-fy", "R3"}
    assert set(state.hands[1]) == {"B4", "G1", "G3"}


def test_ruling_f_11_a_skipped_player_sits_out_one_turn() -> None:
    state = table("R-skip G1", "R3 R5", "B1 R7", top=RED_FOUR)
    state = playing(state, "p1 play R-skip", "p1 target p2", "p2 accept")
    assert state.step == turn_of(2)
    assert state.skips == ()


def test_ruling_f_11_a_pending_skip_is_not_doubled() -> None:
    state = table("R-skip G1", "B-skip R5", "B1", "B2", top=RED_FOUR)
    state = playing(state, "p1 play R-skip", "p1 target p4", "p4 accept")
    state = playing(state, "p2 play B-skip")
    assert refusal(state, "p2 target p4")[0] == "F-11"


def test_ruling_f_12_second_chance_forces_a_card_that_fits() -> None:
    state = table("R-second-chance R5 G7", "B1", top=RED_FOUR)
    state = playing(state, "p1 play R-second-chance")
    assert refusal(state, "p1 draw")[0] == "5.1"
    assert answers(state) == {"p1 play R5"}
    assert playing(state, "p1 play R5").step == turn_of(1)


def test_ruling_f_12_after_the_forced_draw_a_card_may_be_played() -> None:
    state = table("R-second-chance G7", "B1", top=RED_FOUR, pile="R9 B2")
    state = playing(state, "p1 play R-second-chance", "p1 draw")
    assert answers(state) == {"p1 play R9", "p1 pass"}


def test_ruling_f_14_colour_swap_on_colour_swap_names_its_colour() -> None:
    state = table("RG-swap G7", "B1", top=Top(Colour.YELLOW, symbol=Special.SWAP))
    state = playing(state, "p1 play RG-swap")
    assert answers(state) == {"p1 colour R", "p1 colour G"}
    assert refusal(state, "p1 colour B")[0] == "F-14"
    state = playing(state, "p1 colour G")
    assert state.top == Top(Colour.GREEN, symbol=Special.SWAP)


def test_ruling_f_16_equality_counts_after_the_card_is_played() -> None:
    state = playing(table("N-equality G1 G2", "R3 R5"), "p1 play N-equality")
    assert isinstance(state.step, type(turn_of(0))) is False
    assert answers(state) >= {"p1 wish R", "p1 wish none"}


def test_ruling_f_15_fy_is_not_given_with_exchange() -> None:
    state = table("R-exchange N-fy G2", "R3 B4 B5")
    state = playing(state, "p1 play R-exchange", "p1 target p2", "p2 accept")
    assert answers(state) == {"p1 give G2"}


def test_ruling_f_19_special_favours_keeps_fy_and_moves_curse() -> None:
    state = table("N-special-favours N-fy N-curse G2", "R-gift K3 B5")
    state = playing(state, "p1 play N-special-favours", "p1 target p2", "p2 accept")
    assert set(state.hands[0]) == {"N-fy", "G2", "R-gift"}
    assert set(state.hands[1]) == {"K3", "B5", "N-curse"}
    received = table("N-special-favours R-gift G2", "N-fy B5")
    received = playing(
        received, "p1 play N-special-favours", "p1 target p2", "p2 accept"
    )
    assert set(received.hands[0]) == {"G2", "N-fy"}


def test_ruling_f_07_other_cards_wish_no_number() -> None:
    state = table("N-equality G1 G2", "R3 R5")
    state = playing(state, "p1 play N-equality")
    assert refusal(state, "p1 wish 7")[0] == "F-07"


def test_ruling_f_08_without_a_wish_the_old_requirement_stays() -> None:
    state = table("N-fantastic G1", "B2", top=RED_FOUR)
    assert playing(state, "p1 play N-fantastic", "p1 wish none").top == RED_FOUR


def test_ruling_f_08_or_the_wish_is_compulsory() -> None:
    options = {"wishCompulsory": True}
    state = table("N-fantastic G1", "B2", top=RED_FOUR, options=options)
    state = playing(state, "p1 play N-fantastic")
    assert refusal(state, "p1 wish none")[0] == "F-08"


def test_ruling_f_22_mimicry_acts_as_any_special_but_curse_and_fy() -> None:
    state = playing(table("N-mimicry G1", "B2", top=RED_FOUR), "p1 play N-mimicry")
    for model in ("N-curse", "N-fy", "N-mimicry", "R5"):
        assert refusal(state, f"p1 as {model}")[0] == "F-22"
    assert refusal(state, "p1 as B-gift")[0] == "4.2"
    state = playing(state, "p1 as RG-swap")
    assert state.top == Top(Colour.GREEN, symbol=Special.SWAP)


def test_ruling_f_22_a_symbol_does_not_help_mimicry() -> None:
    top = Top(Colour.RED, symbol=Special.GIFT)
    state = playing(table("N-mimicry G1", "B2", top=top), "p1 play N-mimicry")
    assert refusal(state, "p1 as B-gift")[0] == "4.2"


def test_ruling_f_22_mimicry_reacts_as_counterattack() -> None:
    state = table("R-gift G1 G2", "N-mimicry R3", "B1")
    state = playing(state, "p1 play R-gift", "p1 target p2")
    state = playing(state, "p2 counter N-mimicry", "p2 target p3", "p3 accept")
    assert answers(state) == {"p2 give R3"}


def test_ruling_f_18_nice_try_as_own_last_card_makes_its_owner_finish() -> None:
    state = table("R5", "N-nice-try", top=RED_FOUR)
    state = playing(state, "p1 play R5", "p2 nice N-nice-try", "p2 wish none")
    assert state.counts == (3, 0)
    state = playing(state, "nobody")
    assert state.gains[1] == 0
    assert state.round == 2


def test_rule_6_a_round_ends_at_once_when_a_hand_is_empty() -> None:
    state = playing(table("R5", "K9 N-curse", top=RED_FOUR), "p1 play R5", "nobody")
    assert state.accounts == (0, 22)
    assert state.dealer == 1


def test_rule_6_the_pile_empty_ends_the_round_when_a_card_is_due() -> None:
    state = playing(table("R5", "G9", top=RED_FOUR, pile=""), "p1 draw")
    assert state.accounts == (5, 9)


def test_rule_6_the_game_ends_at_the_limit() -> None:
    state = table("R5", "K9 N-curse", top=RED_FOUR, options={"limit": 20})
    state = playing(state, "p1 play R5", "nobody")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == (0,)
    assert "20" in str(outcome.reason)
    assert refusal(state, "p1 draw")[0] == "6"
    assert GAME.legal_moves(state) == ()
    assert GAME.questions(state) == ()


def test_ruling_f_48_a_black_last_card_still_turns_its_event() -> None:
    state = table("K4", "G9", top=RED_FOUR)
    state = playing(state, "p1 play K4", "nobody", "event E-black-hole", "nobody")
    assert state.accounts == (0, 9)


def test_ruling_f_48_the_event_may_refill_the_hand() -> None:
    state = table("R-troublemaker", "G9", top=RED_FOUR)
    state = replace(state, event_pile=(Event.THIRD_TIME_LUCKY,))
    state = playing(state, "p1 play R-troublemaker", "nobody")
    state = playing(state, "event E-third-time-lucky")
    assert state.counts == (3, 4)
    assert state.step == turn_of(1)


def test_ruling_f_05_the_start_card_has_its_effect_for_the_dealer() -> None:
    state = started("N-fantastic")
    assert answers(state) >= {"p1 wish R", "p1 wish 9"}
    assert playing(state, "p1 wish B").step == turn_of(1)


def test_ruling_f_05_without_start_effects_anything_follows_a_neutral_card() -> None:
    state = started("N-fantastic", startEffects=False)
    assert state.step == turn_of(1)
    assert state.top == Top(any=True)


def test_ruling_f_05_a_black_start_card_triggers_an_event() -> None:
    state = playing(started("K7"), "nobody")
    assert any(move.startswith("event ") for move in answers(state))


def test_ruling_f_05_after_fy_as_start_card_anything_may_follow() -> None:
    state = started("N-fy")
    assert state.step == turn_of(1)
    assert state.top == Top(any=True)


def test_ruling_f_05_curse_is_put_back_and_another_card_turned() -> None:
    state = started("N-curse")
    assert state.pile[-1] == "N-curse"
    (answer,) = answers(state)
    assert answer.startswith("flip ")


def started(start: str, **options: object) -> State:
    game = GAME.setup(GAME.options({"players": 3, **options}))
    dealt = 7 * game.options.players
    rest = list(rest_of_deck([PlayCard(start)]))
    order = [*rest[:dealt], start, *rest[dealt:]]
    shown = " ".join(events(starred=True))
    return playing(game, f"deal {' '.join(order)} / {shown}", f"flip {start}")


def test_rule_2_seven_cards_are_dealt_to_each() -> None:
    game = GAME.setup(GAME.options({"players": 5, "deck": "base"}))
    state = playing(game, "deal ?")
    assert state.counts == (7,) * 5
    assert len(state.pile) == 125 - 35


def test_rule_2_the_dealt_cards_are_the_box() -> None:
    game = GAME.setup(GAME.options({}))
    assert refusal(game, "deal R5 / E-market")[0] == "1.1"
    whole = " ".join(rest_of_deck([]))
    assert refusal(game, f"deal {whole} / E-market")[0] == "1.2"


def test_rule_1_1_a_card_cannot_turn_up_more_often_than_it_exists() -> None:
    state = table("? ?", "K5 R1", top=Top(any=True))
    assert refusal(state, "p1 play K5")[0] == "1.1"
    assert playing(state, "p1 play R1").counts == (1, 2)


def test_a_hand_that_gives_unseen_is_unknown_afterwards() -> None:
    state = table("R-gift K5 ? ?", "R1", "R2")
    state = playing(state, "p1 play R-gift", "p1 target p2", "p2 accept")
    assert refusal(state, "p1 give K5")[0] == "5.1"
    state = playing(state, "p1 give ? ?")
    assert state.hands == (cards("?"), cards("R1 ? ?"), cards("R2"))


def test_a_known_hand_gives_cards_by_name() -> None:
    state = table("R-gift K5 R7", "R1")
    state = playing(state, "p1 play R-gift", "p1 target p2", "p2 accept")
    assert refusal(state, "p1 give ? ?")[1] == "the cards must be named one by one"


def test_rule_7_without_points_a_game_is_one_round() -> None:
    state = table("R5", "K9", top=RED_FOUR, options={"points": False})
    state = playing(state, "p1 play R5", "nobody")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == (0,)
    assert state.accounts == (0, 0)


def test_rule_7_without_points_nobody_may_win() -> None:
    state = table("R5", "G9", pile="", options={"points": False})
    state = playing(state, "p1 draw")
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert outcome.winners == ()
    assert state.ending is not None
    assert state.ending.end is End.EXHAUSTED


def test_ruling_f_43_other_editions_score_differently() -> None:
    options = {"scoring": "heavy"}
    state = table("R5", "K9 R-gift N-fantastic N-fy N-curse", options=options)
    state = playing(state, "p1 play R5", "nobody")
    assert state.gains == (0, 18 + 10 + 20 + 69 + 13)


def test_rule_4_5_an_illegal_card_may_stand_if_all_agree() -> None:
    state = table("B7 G1", "R2", top=RED_FOUR)
    assert refusal(state, "referee allow p1 B7")[0] == "4.5"
    state = playing(state, "referee open", "referee allow p1 B7", "referee done")
    assert state.step == turn_of(1)
    assert state.top == Top(Colour.BLUE, 7)


def test_rule_4_5_a_wrong_number_of_drawn_cards_is_corrected() -> None:
    state = playing(table("B7 G1", "R2"), "referee open", "referee draw p2")
    assert state.counts == (2, 2)
    drawn = state.hands[1][-1]
    state = playing(state, f"referee return p2 {drawn}", "referee done")
    assert state.counts == (2, 1)
    assert state.pile[0] == drawn


def test_rule_4_5_a_surplus_card_of_a_hidden_hand_has_no_name() -> None:
    state = playing(table("? ?", "R2"), "referee open")
    assert refusal(state, "referee return p1 R5")[0] == "4.5"
    assert playing(state, "referee return p1 ?").hands[0] == ("?",)


def test_rule_4_5_the_turn_can_be_put_right() -> None:
    state = playing(table("B7", "R2", "R3"), "referee open", "referee turn p3")
    assert playing(state, "referee done").step == turn_of(2)


def test_rule_4_5_a_forgotten_event_may_be_dropped() -> None:
    state = playing(table("K4 R1", "G9", top=RED_FOUR), "p1 play K4", "referee open")
    assert refusal(state, "referee turn p1")[0] == "4.5"
    state = playing(state, "referee forget", "referee done")
    assert state.step == turn_of(1)
    state = playing(state, "referee open")
    assert refusal(state, "referee forget")[0] == "4.5"


def test_rule_4_5_nothing_is_corrected_in_the_middle_of_an_effect() -> None:
    state = playing(table("R-gift R1", "G9"), "p1 play R-gift")
    assert refusal(state, "referee open")[0] == "4.5"


def test_rule_2_a_move_names_only_players_at_the_table() -> None:
    assert refusal(table("R5", "R6"), "p3 draw")[0] == "2"


def test_ruling_f_36_a_missed_turn_does_not_count_under_the_bomb() -> None:
    state = event_now(table("R1 R2", "G1 G2", "B1 B2"), Event.TIME_BOMB, 2)
    assert state.bomb is not None
    assert state.bomb.turns == (1, 0, 0)
    state = replace(state, skips=(state.options.seats[1],))
    state = playing(state, "p1 draw", "p1 pass")
    assert state.bomb is not None
    assert state.bomb.turns == (1, 0, 1)


def test_rule_5_2_the_bomb_goes_off_when_a_fourth_turn_would_begin() -> None:
    state = event_now(table("R1", "G2", options={"limit": 9999}), Event.TIME_BOMB, 1)
    for _ in range(3):
        for player in ("p1", "p2"):
            state = playing(state, f"{player} draw", f"{player} pass")
    assert state.round == 2
    assert all(gain % 2 == 0 for gain in state.gains)


def test_the_second_of_two_players_is_the_first_to_move() -> None:
    state = started("R5", players=2, dealer=1)
    assert state.step == turn_of(0)
    assert isinstance(state.step, Turn)
    assert state.step.duty is Duty.FREE


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("", 1, "a player such as p1, or a word such as flip"),
        ("p9 draw", 1, "a player such as p1"),
        ("p1 jump", 4, "accept"),
        ("p1 play", 8, "a card such as R5"),
        ("p1 play R10", 9, "a card such as R5"),
        ("p1 play ?", 9, "a card such as R5"),
        ("p1 draw now", 9, "the end of the move"),
        ("p1 split p2-3", 10, "a share such as p2:4"),
        ("p1 split p2:3 p2:1", 15, "another player"),
        ("p1 wish K", 9, "R, G, B, Y, 1 to 9, or none"),
        ("p1 swap p2 p2", 12, "another player"),
        ("p1 give R5 R6 to p2", 12, "to"),
        ("event market", 7, "an event such as E-market"),
        ("deal R5 R6", 11, "/ and the events"),
        ("referee jump", 9, "open"),
        ("dealer 2", 8, "p1 to p8"),
        ("p1 colour K", 11, "R, G, B or Y"),
    ],
)
def test_bad_notation_names_the_column_and_what_was_expected(
    text: str, column: int, expected: str
) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse_move(text)
    assert caught.value.column == column
    assert caught.value.expected.startswith(expected)


@pytest.mark.parametrize(
    "values",
    [
        {"players": 1},
        {"players": True},
        {"players": 4, "dealer": 4},
        {"limit": "huge"},
        {"limit": 0},
        {"deck": "all"},
        {"points": "no"},
        {"afterCounter": "nobody"},
        {"seatsDeg": [0, 90]},
        {"players": 3, "seatsDeg": [270, 180, 0]},
        {"speed": 1},
    ],
)
def test_a_wrong_option_is_an_error(values: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        parse_options(values)


def test_options_have_the_defaults_of_the_rules() -> None:
    options = parse_options({"players": 6})
    assert options.limit == 137
    assert options.points
    assert options.starred
    assert parse_options({"limit": "long"}).limit == 179
    assert parse_options({"players": 2, "seatsDeg": [-90, 90]}).seats_deg == (270, 90)
