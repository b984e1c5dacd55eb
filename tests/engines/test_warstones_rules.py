"""One test per rule, named as a sentence; the numbers are headings of RULES.md."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.core import (
    IllegalMoveError,
    NotationError,
    OptionError,
    Seat,
    Verdict,
    play,
)
from engines.warstones import GAME, State
from engines.warstones.scoring import siege
from engines.warstones.state import PendingCounter, PendingDamage
from engines.warstones.terms import Place, Spot
from tests.support.warstones import (
    game,
    legal,
    moves,
    place,
    put,
    refused,
    rule,
    with_points,
    with_turn,
)


def evidence(state: State, text: str) -> list[str]:
    return [fact.source for fact in rule(state, text).evidence]


# 2 Set-up


def test_rule_2_nobody_moves_before_armies_first_player_and_cities_are_known() -> None:
    state = GAME.setup(GAME.options({}))
    assert refused(state, "A pass") == ("2", "not_started")
    state = moves(state, "A army archer captain hero militia*4", "first B")
    assert state.is_setup
    assert refused(state, "A army hero militia*4") == ("2", "army_built")
    assert refused(state, "first A") == ("2", "first_known")
    state = moves(state, "B army skeleton*4 thrower vampire")
    state = moves(state, "draw W lateral-1", "draw C lateral-2", "draw E central-1")
    assert state.turn == state.first == Seat(1)
    assert refused(state, "first A") == ("2", "already_started")


def test_rule_2_an_army_keeps_to_box_budget_and_one_commander() -> None:
    state = GAME.setup(GAME.options({}))
    assert refused(state, "A army hero militia*5") == ("2", "too_few_chips")
    assert refused(state, "A army hero dragon militia*4") == ("2", "no_such_unit")
    assert refused(state, "A army militia*4 soldier*3") == ("2", "commanders")
    assert refused(state, "A army hero militia*4 soldier*3") == ("2", "budget")
    assert refused(state, "A army hero captain militia*4") == ("W-01", "base_units")
    assert refused(state, "C army hero militia*4") == ("2", "no_such_player")
    assert refused(state, "A army") == ("2", "commanders")


def test_rule_2_tokens_come_from_their_own_stack_where_there_are_two() -> None:
    state = GAME.setup(GAME.options({"token_stacks": "two"}))
    assert refused(state, "draw W central-1") == ("W-15", "not_drawable")
    assert refused(state, "draw C lateral-1") == ("W-15", "not_drawable")
    state = moves(state, "draw C central-1")
    assert refused(state, "draw C central-2") == ("4.7", "fortress_taken")
    assert refused(state, "draw W central-1") == ("W-15", "not_drawable")
    assert refused(state, "draw X central-2") == ("3", "no_such_city")


# 4.1 Rounds and action points


def test_rule_4_1_players_alternate_and_nobody_acts_out_of_turn() -> None:
    state = game()
    assert refused(state, "B recruit B:zombie-1") == ("4.1", "not_on_turn")
    state = moves(state, "A recruit A:militia-1")
    assert state.turn == Seat(1)
    assert state.points == (4, 5)


def test_rule_4_1_who_has_no_points_is_skipped_until_the_round_ends() -> None:
    state = moves(with_points(game(), A=1), "A recruit A:militia-1", "B pass")
    assert state.round == 2
    assert state.points == (5, 5)
    assert state.first == state.turn == Seat(1)
    state = moves(with_points(state, A=0), "B recruit B:skeleton-1")
    assert state.turn == Seat(1)
    assert refused(state, "A pass") == ("4.1", "no_points")


def test_rule_w_27_the_marker_goes_round_in_the_order_of_play() -> None:
    state = game(players=4)
    order = []
    for _ in range(5):
        assert state.first is not None
        order.append("ABCD"[state.first])
        for _ in range(4):
            assert state.turn is not None
            state = moves(state, f"{'ABCD'[state.turn]} pass")
    assert order == ["A", "B", "C", "D", "A"]


def test_rule_w_26_passing_warns_of_the_lost_points() -> None:
    assert evidence(game(), "A pass") == ["rule:W-26"]


# 4.2 to 4.5 Recruit, deploy, move, flick


def test_rule_4_2_a_unit_is_recruited_from_the_own_reserve() -> None:
    state = game()
    assert refused(state, "A recruit B:skeleton-1") == ("4.2", "not_own_chip")
    assert refused(state, "A recruit A:dragon-1") == ("2", "no_such_chip")
    state = moves(state, "A recruit A:hero-1")
    assert place(state, "A:hero-1") == "base"
    assert state.points[0] == 1
    state = with_turn(state, "A")
    assert refused(state, "A recruit A:hero-1") == ("4.2", "not_in_reserve")


def test_rule_4_3_a_unit_is_deployed_from_the_own_base_for_its_deploy_cost() -> None:
    state = put(game(), A_captain_1="base", B_skeleton_1="base")
    assert refused(state, "A deploy A:hero-1") == ("4.3", "not_in_base")
    assert refused(state, "A deploy B:skeleton-1") == ("4.3", "not_own_chip")
    state = moves(state, "A deploy A:captain-1")
    assert state.points[0] == 3, "the sample captain's card says 2"
    assert state.turn == Seat(0), "the flick is not over"
    assert refused(state, "B pass") == ("4.1", "settle_first")
    state = moves(state, "settle A:captain-1@N-C/hill:400,200")
    assert place(state, "A:captain-1") == "N-C/hill"
    assert state.turn == Seat(1)


def test_rule_4_4_a_movement_costs_3_from_a_hill_2_from_a_swamp_4() -> None:
    for terrain, cost in (("", 3), ("/hill", 2), ("/swamp", 4), ("/forest", 3)):
        state = put(game(), A_hero_1=f"N-C{terrain}")
        assert moves(state, "A move A:hero-1").points[0] == 5 - cost
    basic = put(game(terrain=False), A_hero_1="N-C/swamp")
    assert moves(basic, "A move A:hero-1").points[0] == 2
    assert refused(game(), "A move A:hero-1") == ("4.4", "not_on_field")
    poor = with_points(put(game(), A_hero_1="N-C/swamp"), A=3)
    assert refused(poor, "A move A:hero-1") == ("4.1", "too_dear")


def test_rule_4_5_the_result_of_a_flick_names_the_flicked_chip_once() -> None:
    state = game()
    assert refused(state, "settle A:hero-1@N-C") == ("4.5", "no_flick")
    state = put(state, A_hero_1="base", B_skeleton_1="N-C", B_skeleton_2="reserve")
    state = moves(state, "A deploy A:hero-1")
    assert refused(state, "settle") == ("4.5", "flicked_missing")
    assert refused(state, "settle B:skeleton-1@off") == ("4.5", "flicked_missing")
    twice = "settle A:hero-1@N-C A:hero-1@off"
    assert refused(state, twice) == ("4.5", "named_twice")
    far = "settle A:hero-1@N-C B:skeleton-2@N-C"
    assert refused(state, far) == ("4.5", "not_in_play")
    assert refused(state, "settle A:hero-1@reserve") == ("4.5", "no_flick_end")
    assert refused(state, "settle A:hero-1@X-X") == ("3", "no_such_sector")
    assert refused(state, "settle A:hero-1@N-C B:dragon-1@off")[1] == "no_such_chip"


def test_rule_4_5_an_ally_knocked_off_goes_to_the_reserve() -> None:
    state = put(
        game(players=4, teams="AC/BD"),
        A_hero_1="base",
        C_hero_1="N-C",
        D_zombie_1="N-C",
    )
    state = moves(
        state, "A deploy A:hero-1", "settle A:hero-1@N-C C:hero-1@off D:zombie-1@off"
    )
    assert place(state, "C:hero-1") == "reserve"
    assert place(state, "D:zombie-1") == "base"


def test_rule_w_07_a_unit_outside_the_sectors_counts_as_off_or_stays() -> None:
    for margin, where in (("reserve", "reserve"), ("stay", "margin")):
        state = put(game(margin=margin), A_hero_1="base", B_skeleton_1="N-C")
        state = moves(
            state, "A deploy A:hero-1", "settle A:hero-1@margin B:skeleton-1@margin"
        )
        assert place(state, "A:hero-1") == where
        enemy = "base" if margin == "reserve" else "margin"
        assert place(state, "B:skeleton-1") == enemy
    assert rule(with_turn(state, "A"), "A move A:hero-1").verdict is Verdict.UPHELD


def test_rule_w_07_a_deployed_unit_that_stays_in_the_base_is_still_recruited() -> None:
    state = put(game(), A_hero_1="base")
    state = moves(state, "A deploy A:hero-1", "settle A:hero-1@base")
    assert place(state, "A:hero-1") == "base"
    assert state.points[0] == 4


def test_rule_w_25_the_owner_of_a_full_base_chooses_among_all_six() -> None:
    full = ("A_archer_1", "A_captain_1", "A_hero_1", "A_militia_1", "A_militia_2")
    state = put(game(), **dict.fromkeys(full, "base"), A_militia_3="N-C")
    state = with_turn(put(state, B_skeleton_1="base"), "B")
    state = moves(state, "B deploy B:skeleton-1")
    state = moves(state, "settle A:militia-3@off B:skeleton-1@N-C")
    listed = {str(move) for move in legal(state)}
    ids = [chip.id for chip in state.at(Spot.BASE, Seat(0))]
    fouls = {f"B foul {kind}" for kind in ("push", "touch", "line")}
    assert listed == {f"A excess {chip}" for chip in ids} | fouls
    assert refused(state, "A excess B:skeleton-1") == ("4.2", "not_own_chip")
    assert refused(state, "A excess A:militia-4") == ("4.2", "not_in_base")
    assert refused(state, "A pass") == ("4.1", "settle_first")
    again = moves(state, "B foul push", "referee flick repeat")
    assert again.overfull is None
    assert moves(state, "A excess A:hero-1").overfull is None


# 4.6 Attack


def battle(**places: str) -> State:
    return put(game(), **places)


def test_rule_4_6_an_attack_needs_an_own_and_an_enemy_unit_in_the_sector() -> None:
    state = battle(A_hero_1="N-C", B_skeleton_1="N-W")
    assert refused(state, "A attack N-C B") == ("4.6", "no_target")
    assert refused(state, "A attack N-W B") == ("4.6", "not_present")
    assert refused(state, "A attack N-C A") == ("4.6", "attack_self")
    assert refused(state, "A attack N-X B") == ("3", "no_such_sector")
    assert refused(state, "A attack N-C C") == ("2", "no_such_player")


def test_rule_4_6_the_attacker_distributes_the_damage() -> None:
    state = battle(A_hero_1="N-C", B_thrower_1="N-C", B_skeleton_1="N-W")
    state = moves(state, "A attack N-C B")
    assert state.pending == (PendingDamage(Seat(0), "N-C", Seat(1), 2, 2),)
    assert refused(state, "B destroys B:thrower-1") == ("4.6", "assigns_damage")
    assert refused(state, "A destroys B:skeleton-1") == ("4.6", "not_attacked")
    [question] = GAME.questions(state)
    assert question.to == Seat(0)
    assert [option.move for option in question.options] == ["A destroys B:thrower-1"]
    assert place(moves(state, "A destroys none"), "B:thrower-1") == "N-C"
    state = moves(state, "A destroys B:thrower-1")
    assert place(state, "B:thrower-1") == "lost"
    assert state.turn == Seat(1)


def test_rule_4_6_damage_must_reach_the_strength_of_each_destroyed_unit() -> None:
    state = battle(
        A_hero_1="N-C", A_militia_1="N-C", B_skeleton_1="N-C", B_skeleton_2="N-C"
    )
    state = moves(state, "A attack N-C B")
    assert state.turn == Seat(1), "1 damage destroys nobody: nothing to choose"
    state = battle(A_hero_1="N-C", A_captain_1="N-C", B_skeleton_1="N-C")
    state = put(state, B_skeleton_2="N-C")
    state = moves(state, "A attack N-C B")
    both = "A destroys B:skeleton-1 B:skeleton-2"
    assert refused(state, both) == ("4.6", "too_little_damage")


def test_rule_w_08_an_attack_without_superiority_is_allowed_and_warned_of() -> None:
    state = battle(A_militia_1="N-C", B_skeleton_1="N-C")
    assert evidence(state, "A attack N-C B") == ["rule:W-08"]
    state = moves(state, "A attack N-C B")
    assert state.points[0] == 4
    assert not state.pending


def test_rule_w_11_a_unit_without_strength_takes_one_damage() -> None:
    state = battle(A_militia_1="M-C", A_militia_2="M-C/water", B_skeleton_1="F-C")
    state = put(state, B_skeleton_1="M-C/water")
    state = moves(with_turn(state, "B"), "B attack M-C A")
    assert not state.pending, "1 less 1: no damage"
    state = battle(A_militia_2="M-C/water", B_skeleton_1="M-C")
    state = moves(with_turn(state, "B"), "B attack M-C A", "B destroys A:militia-2")
    assert place(state, "A:militia-2") == "lost"


def test_rule_4_6_helpers_must_be_in_reach() -> None:
    state = battle(A_hero_1="N-C", A_archer_1="N-W", B_skeleton_1="N-C")
    assert rule(state, "A attack N-C B with A:archer-1").verdict is Verdict.UPHELD
    far = put(state, A_archer_1="M-W")
    assert refused(far, "A attack N-C B with A:archer-1") == ("4.6", "cannot_help")
    assert refused(state, "A attack N-C B with A:militia-1") == ("4.6", "cannot_help")
    assert refused(state, "A attack N-C B with A:dragon-1") == ("2", "no_such_chip")


def test_rule_w_23_distant_attackers_neither_hit_nor_face_units_in_a_forest() -> None:
    state = battle(
        A_captain_1="N-C",  # 3
        A_archer_1="N-W",  # 1, distant
        B_skeleton_1="N-C/forest",  # 2
        B_thrower_1="N-C",  # 2
    )
    alone = moves(state, "A attack N-C B")
    assert not alone.pending, "3 against 4"
    helped = moves(state, "A attack N-C B with A:archer-1")
    # 3 less 2 in the forest, and 1 distant, against 2: nothing left.
    assert not helped.pending
    state = put(state, A_hero_1="N-C")  # 4 more
    state = moves(state, "A attack N-C B with A:archer-1")
    # 7 less 2 in the forest leaves 5; with the distant 1 less 2 in the open 4.
    assert state.pending == (PendingDamage(Seat(0), "N-C", Seat(1), 4, 4),)
    both = "A destroys B:skeleton-1 B:thrower-1"
    assert rule(state, both).verdict is Verdict.UPHELD


def test_rule_w_23_forest_units_take_only_what_near_attackers_have_left() -> None:
    state = battle(
        A_captain_1="N-C",  # 3
        A_archer_1="N-W",  # 1, distant
        B_skeleton_1="N-C/forest",  # 2
        B_skeleton_2="N-C/water",  # 1
    )
    state = moves(state, "A attack N-C B with A:archer-1")
    assert state.pending == (PendingDamage(Seat(0), "N-C", Seat(1), 1, 1),)
    assert refused(state, "A destroys B:skeleton-1")[1] == "too_little_damage"
    assert rule(state, "A destroys B:skeleton-2").verdict is Verdict.UPHELD
    weak = replace(state, pending=(PendingDamage(Seat(0), "N-C", Seat(1), 2, 1),))
    assert refused(weak, "A destroys B:skeleton-1") == ("W-23", "too_little_near")


def test_rule_4_6_formation_raises_strength_as_the_card_says() -> None:
    state = GAME.setup(GAME.options({}))
    state = moves(
        state,
        "A army captain hero militia soldier*3",
        "B army skeleton*4 thrower vampire",
        "first A",
        "draw W lateral-1",
        "draw C central-1",
        "draw E lateral-2",
    )
    state = put(state, A_soldier_1="N-C", A_soldier_2="N-C", A_soldier_3="N-W")
    strengths = {c.id: state.strength(c) for c in state.chips if c.sector}
    assert strengths == {"A:soldier-1": 3, "A:soldier-2": 3, "A:soldier-3": 2}


# 4.7 Siege


def test_rule_4_7_the_siege_needs_a_city_and_an_own_unit_there() -> None:
    state = battle(A_hero_1="N-C", A_captain_1="M-W")
    assert refused(state, "A besiege N-C") == ("4.7", "no_city")
    assert refused(state, "A besiege M-C") == ("4.7", "not_present")
    assert refused(state, "A besiege Q") == ("3", "no_such_sector")
    assert rule(state, "A besiege M-W").verdict is Verdict.UPHELD


def siege_of_west(**places: str) -> State:
    """A besieges the west City (Defence 2, counterattack 3)."""
    return moves(put(game(), **places), "A besiege M-W")


def test_rule_4_7_a_conquest_gives_the_token_and_survivors_go_home() -> None:
    state = siege_of_west(
        A_militia_1="M-W", A_hero_1="M-W", B_skeleton_1="M-W", B_skeleton_2="M-W"
    )
    assert state.taken == (("lateral-1",), ())
    assert state.victory_points(Seat(0)) == 1
    assert refused(state, "A destroys A:hero-1") == ("4.7", "assigns_damage")
    assert refused(state, "B destroys none") == ("4.7", "one_must_fall")
    assert refused(state, "B destroys A:hero-1") == ("4.7", "too_little_counter")
    assert refused(state, "B destroys A:archer-1") == ("4.7", "not_besieging")
    state = moves(state, "B destroys A:militia-1")
    assert place(state, "A:militia-1") == "lost"
    assert place(state, "A:hero-1") == "base"
    [question] = GAME.questions(state)
    assert question.to == Seat(1)
    assert len(question.options) == 4
    assert refused(state, "A returns none") == ("4.7", "not_your_choice")
    assert refused(state, "B returns B:vampire-1") == ("4.7", "not_in_sector")
    state = moves(state, "B returns B:skeleton-2")
    assert place(state, "B:skeleton-1") == "M-W"
    assert place(state, "B:skeleton-2") == "base"
    assert refused(state, "draw C lateral-3") == ("4.7", "no_draw_open")
    assert refused(state, "draw W lateral-1") == ("W-15", "not_drawable")
    state = moves(state, "draw W lateral-3")
    assert state.turn == Seat(1)


def test_rule_4_7_one_unit_falls_even_if_the_counterattack_is_too_weak() -> None:
    state = siege_of_west(A_hero_1="M-W", A_captain_1="M-W/hill")
    state = replace(
        state,
        pending=(replace(pending_counter(state), damage=2),),
    )
    assert rule(state, "B destroys A:hero-1").verdict is Verdict.UPHELD
    assert rule(state, "B destroys A:captain-1").verdict is Verdict.UPHELD
    both = "B destroys A:captain-1 A:hero-1"
    assert refused(state, both) == ("4.7", "too_little_counter")


def pending_counter(state: State) -> PendingCounter:
    [pending] = state.pending
    assert isinstance(pending, PendingCounter)
    return pending


def test_rule_4_7_a_unit_too_strong_is_no_victim_while_another_can_fall() -> None:
    state = siege_of_west(A_hero_1="M-W", A_militia_1="M-W")
    assert refused(state, "B destroys A:hero-1") == ("4.7", "too_little_counter")
    assert rule(state, "B destroys A:militia-1").verdict is Verdict.UPHELD


def distant_siege() -> State:
    """An engineer besieges the west City from the near row."""
    state = GAME.setup(GAME.options({}))
    state = moves(
        state,
        "A army archer engineer hero militia*4",
        "B army skeleton*4 thrower vampire",
        "first A",
        "draw W lateral-1",
        "draw C central-1",
        "draw E lateral-2",
    )
    return put(state, A_engineer_1="N-W", A_militia_1="M-W", A_archer_1="N-W")


def test_rule_4_7_distant_besiegers_fall_only_after_all_in_the_city_sector() -> None:
    state = distant_siege()
    with_archer = "A besiege M-W with A:archer-1"
    assert refused(state, with_archer) == ("4.7", "cannot_help")
    state = moves(state, "A besiege M-W with A:engineer-1")
    assert state.taken[0] == ("lateral-1",), "1 + 2 against a Defence of 2"
    assert refused(state, "B destroys A:engineer-1") == ("4.7", "distant_last")
    one = moves(state, "B destroys A:militia-1")
    assert place(one, "A:engineer-1") == "base", "it took part, so it returns too"
    state = moves(state, "B destroys A:engineer-1 A:militia-1")
    assert place(state, "A:engineer-1") == "lost"


def test_rule_w_09_after_a_failed_siege_survivors_stay_unless_agreed() -> None:
    for returns, where in ((False, "M-C"), (True, "base")):
        state = put(
            game(failed_siege_return=returns), A_captain_1="M-C", A_militia_1="M-C"
        )
        assert evidence(state, "A besiege M-C") == ["rule:4.7"]
        state = moves(state, "A besiege M-C", "B destroys A:militia-1")
        assert place(state, "A:captain-1") == where
        assert state.token("C") == "central-1", "W-14: nothing is drawn"
        assert state.turn == Seat(1)


def test_rule_w_10_who_assigns_the_counterattack_with_more_than_two() -> None:
    state = put(game(players=3), A_militia_1="M-W", C_hero_1="M-W")
    state = moves(state, "A besiege M-W")
    assert pending_counter(state).seat == Seat(2), "alone in the sector"
    state = put(game(players=3), A_militia_1="M-W", C_hero_1="N-W")
    state = moves(state, "A besiege M-W")
    [question] = GAME.questions(state)
    assert question.default == "B", "the next in turn order is proposed"
    assert refused(state, "assigner A") == ("W-10", "not_an_opponent")
    state = moves(state, "assigner C")
    assert pending_counter(state).seat == Seat(2)
    assert refused(state, "assigner B") == ("W-10", "no_assigner_open")


def test_rule_w_12_the_winning_token_ends_the_game_before_the_counterattack() -> None:
    state = put(game(points_to_win=1), A_hero_1="M-W", B_skeleton_1="M-W")
    state = moves(state, "A besiege M-W")
    assert state.outcome is not None
    assert state.outcome.winners == (Seat(0),)
    assert "Lateral City 1" in str(state.outcome.reason)
    assert refused(state, "B pass") == ("6", "game_over")


def test_rule_w_13_a_fortress_without_a_token_is_not_besieged() -> None:
    state = put(game(), A_hero_1="M-W", A_captain_1="M-C")
    state = replace(state, stack=())
    state = moves(state, "A besiege M-W", "B destroys A:hero-1")
    assert state.token("W") is None, "nothing is left to draw"
    state = with_turn(put(state, A_captain_1="M-W"), "A")
    assert refused(state, "A besiege M-W") == ("W-13", "no_token")


def test_rule_w_15_a_fortress_is_refilled_from_its_own_stack() -> None:
    state = put(game(token_stacks="two"), A_hero_1="M-W")
    state = moves(state, "A besiege M-W", "B destroys A:hero-1")
    assert refused(state, "draw W central-2") == ("W-15", "not_drawable")
    drawn = {str(move) for move in legal(state)}
    assert drawn == {f"draw W lateral-{n}" for n in range(3, 9)}


def test_rule_w_21_units_in_a_base_neither_fight_nor_besiege() -> None:
    state = put(game(), A_hero_1="base", B_skeleton_1="N-C")
    assert refused(state, "A attack N-C B")[1] == "not_present"


# 4.8 Fouls and corrections


def test_rule_4_8_a_foul_flick_is_repeated_lost_or_accepted() -> None:
    start = put(game(), A_hero_1="base", B_skeleton_1="N-C")
    assert refused(start, "A foul push") == ("4.8", "no_flick_to_call")
    flicked = moves(start, "A deploy A:hero-1")
    settled = moves(flicked, "settle A:hero-1@N-C B:skeleton-1@off")
    assert refused(settled, "B foul push") == ("4.8", "no_flick_to_call")
    called = moves(settled, "A foul push")
    [question] = GAME.questions(called)
    assert [option.value for option in question.options] == ["repeat", "void", "accept"]
    assert refused(called, "A foul touch") == ("4.8", "foul_open")
    assert refused(called, "B pass") == ("4.1", "settle_first")
    repeated = moves(called, "referee flick repeat")
    assert repeated == flicked
    void = moves(called, "referee flick void")
    assert place(void, "A:hero-1") == "base"
    assert place(void, "B:skeleton-1") == "N-C"
    assert (void.points, void.turn) == ((4, 5), Seat(1))
    accepted = moves(called, "referee flick accept")
    assert accepted == settled
    assert refused(settled, "referee flick repeat") == ("4.8", "no_foul_open")
    later = moves(settled, "B pass")
    assert refused(later, "A foul line") == ("4.8", "no_flick_to_call")


def test_rule_4_8_a_foul_before_the_chips_stop_repeats_the_same_flick() -> None:
    state = moves(put(game(), A_hero_1="base"), "A deploy A:hero-1")
    assert moves(state, "A foul line", "referee flick repeat") == state
    assert moves(state, "A foul line", "referee flick accept") == state


def test_rule_4_8_the_referee_puts_chips_counters_and_tokens_right() -> None:
    state = game()
    right = moves(
        state,
        "referee place A:hero-1@N-C/forest:120,230",
        "referee points A=3",
        "referee city W=lateral-5",
    )
    assert place(right, "A:hero-1") == "N-C/forest"
    assert right.points == (3, 5)
    assert right.token("W") == "lateral-5"
    assert "lateral-1" in right.stack
    assert refused(state, "referee place A:hero-1@off") == ("4.8", "not_a_place")
    assert refused(state, "referee place A:hero-1@Q")[1] == "no_such_sector"
    assert refused(state, "referee place A:dragon-1@N-C")[1] == "no_such_chip"
    assert refused(state, "referee points A=6") == ("4.8", "counter_range")
    assert refused(state, "referee city W=lateral-1") == ("4.8", "token_not_in_stack")
    assert refused(state, "referee city Q=lateral-3") == ("3", "no_such_city")
    flicked = moves(put(state, A_hero_1="base"), "A deploy A:hero-1")
    assert refused(flicked, "referee points A=3") == ("4.8", "settle_first")


def test_rule_4_8_setting_the_last_points_to_0_ends_the_turn() -> None:
    state = moves(game(), "referee points A=0")
    assert state.turn == Seat(1)
    state = moves(state, "referee points B=0")
    assert state.round == 2


# 5 Abilities


def test_rule_5_an_ability_is_on_the_card_and_costs_what_it_says() -> None:
    state = put(game(), A_captain_1="N-C", A_hero_1="base")
    assert refused(state, "A ability A:hero-1 dance") == ("5", "no_such_ability")
    assert refused(state, "A ability A:militia-1 rally") == ("5", "out_of_play")
    assert moves(state, "A ability A:hero-1 rally").points[0] == 4
    charged = moves(state, "A ability A:captain-1 charge")
    assert charged.points[0] == 3
    assert place(moves(charged, "settle A:captain-1@M-C"), "A:captain-1") == "M-C"
    home = put(state, A_captain_1="base")
    assert refused(home, "A ability A:captain-1 charge") == ("4.4", "not_on_field")
    poor = with_points(state, A=1)
    assert refused(poor, "A ability A:captain-1 charge") == ("4.1", "too_dear")


def test_rule_5_contact_destroys_one_enemy_unit_if_the_card_says_so() -> None:
    state = with_turn(
        put(
            game(players=4),
            D_wraith_1="base",
            D_revenant_1="base",
            A_hero_1="N-C",
            A_militia_1="N-C",
        ),
        "D",
    )
    state = moves(state, "D deploy D:wraith-1")
    one = moves(state, "settle A:hero-1@lost D:wraith-1@N-C")
    assert place(one, "A:hero-1") == "lost"
    two = "settle A:hero-1@lost A:militia-1@lost D:wraith-1@N-C"
    assert refused(state, two) == ("5", "one_by_contact")
    own = "settle D:revenant-1@lost D:wraith-1@N-C"
    assert refused(state, own) == ("5", "one_by_contact")
    plain = moves(put(game(), A_hero_1="base", B_skeleton_1="N-C"), "A deploy A:hero-1")
    hit = "settle A:hero-1@N-C B:skeleton-1@lost"
    assert refused(plain, hit) == ("5", "no_contact_effect")


def test_rule_5_a_unit_that_returns_goes_to_the_reserve_instead() -> None:
    state = put(game(players=4), D_revenant_1="N-C", A_hero_1="N-C")
    state = moves(state, "A attack N-C D", "A destroys D:revenant-1")
    assert place(state, "D:revenant-1") == "reserve"


# 6 End


def exhausted() -> State:
    """Everything is on the field but one hero in the Base of A."""
    state = game()
    return state.move_chips({c.id: Place(Spot.SECTOR, "N-W") for c in state.chips})


def test_rule_6_exhaustion_ends_the_game_with_units_on_the_field() -> None:
    state = put(exhausted(), A_hero_1="base")
    assert evidence(state, "A deploy A:hero-1") == ["rule:W-18"]
    state = moves(state, "A deploy A:hero-1")
    assert evidence(state, "settle A:hero-1@N-C") == ["rule:W-18"]
    assert evidence(state, "settle A:hero-1@off") == []
    state = replace(state, taken=((), ("lateral-3",)))
    state = moves(state, "settle A:hero-1@N-C")
    assert state.outcome is not None
    assert state.outcome.winners == (Seat(1),)


@pytest.mark.parametrize(
    ("taken", "lost", "winners"),
    [
        ((("lateral-5",), ("lateral-3", "lateral-4")), (), (0,)),
        ((("lateral-3",), ("lateral-4",)), ("A_militia_1",), (1,)),
        ((("lateral-3",), ("lateral-4",)), ("A_militia_1", "B_skeleton_1"), ()),
    ],
)
def test_rule_6_ties_are_broken_by_best_city_then_by_lost_units(
    taken: tuple[tuple[str, ...], ...],
    lost: tuple[str, ...],
    winners: tuple[int, ...],
) -> None:
    state = put(exhausted(), A_hero_1="base", **dict.fromkeys(lost, "lost"))
    state = replace(state, taken=taken)
    state = moves(state, "A deploy A:hero-1", "settle A:hero-1@N-C")
    assert state.outcome is not None
    assert state.outcome.winners == tuple(map(Seat, winners))


def test_rule_w_19_all_players_must_be_exhausted() -> None:
    state = game(players=3)
    state = state.move_chips({c.id: Place(Spot.SECTOR, "N-W") for c in state.chips})
    state = put(state, A_hero_1="base", C_hero_1="reserve")
    state = moves(state, "A deploy A:hero-1", "settle A:hero-1@N-C")
    assert state.outcome is None


def test_rule_w_03_between_two_rows_the_lower_one_counts_unless_agreed() -> None:
    options = GAME.options({"army_points": 250})
    state = GAME.setup(options)
    question = next(q for q in GAME.questions(state) if q.id == "points_to_win")
    assert question.default == "5"
    assert GAME.view(state, None)["goal"] == 5
    assert GAME.view(moves(state, "referee goal 6"), None)["goal"] == 6
    assert refused(state, "referee goal 0") == ("6", "goal_positive")
    sure = GAME.setup(GAME.options({"army_points": 300}))
    assert refused(sure, "referee goal 6") == ("6", "goal_known")


def test_rule_6_a_team_needs_two_points_more_and_wins_together() -> None:
    state = put(game(players=4, teams="AC/BD"), A_hero_1="M-W")
    assert state.goal == 7
    taken = (("central-2",), (), ("central-3",), ())
    state = moves(replace(state, taken=taken), "A besiege M-W")
    assert state.outcome is not None
    assert state.outcome.winners == (Seat(0), Seat(2))


# 7 Three and four players


def test_rule_7_allies_do_not_attack_each_other_or_move_each_others_units() -> None:
    state = put(game(players=4, teams="AC/BD"), A_hero_1="N-C", C_hero_1="N-C")
    assert refused(state, "A attack N-C C") == ("7", "attack_ally")
    assert refused(state, "A move C:hero-1") == ("4.4", "not_own_chip")
    assert refused(state, "A recruit C:archer-1") == ("4.2", "not_own_chip")


def test_rule_w_16_allied_units_are_enough_for_presence_unless_agreed() -> None:
    for presence in (True, False):
        state = put(
            game(players=4, teams="AC/BD", allyPresence=presence),
            C_hero_1="N-C",
            B_skeleton_1="N-C",
        )
        attack = "A attack N-C B with C:hero-1"
        if presence:
            assert rule(state, attack).verdict is Verdict.UPHELD
        else:
            assert refused(state, attack) == ("4.6", "not_present")


def test_rule_w_17_allied_besiegers_may_be_hit_and_go_home_to_their_owner() -> None:
    state = put(game(players=4, teams="AC/BD"), A_militia_1="M-W", C_engineer_1="M-W")
    alone = put(state, A_militia_1="reserve")
    assert refused(alone, "A besiege M-W") == ("4.7", "not_present")
    assert rule(alone, "A besiege M-W with C:engineer-1").verdict is Verdict.UPHELD
    state = moves(state, "A besiege M-W with C:engineer-1", "assigner D")
    hit = moves(state, "D destroys C:engineer-1")
    assert place(hit, "C:engineer-1") == "lost"
    assert place(moves(state, "D destroys A:militia-1"), "C:engineer-1") == "base"


def test_rule_7_an_attack_is_against_one_of_several_opponents() -> None:
    state = put(game(players=3), A_hero_1="N-C", B_skeleton_1="N-C", C_militia_1="N-C")
    state = moves(state, "A attack N-C B")
    assert refused(state, "A destroys C:militia-1") == ("4.6", "not_attacked")


# Notation and options


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("", 1, "a player A to D"),
        ("E recruit A:hero-1", 1, "a player A to D"),
        ("A jump A:hero-1", 3, "one of army"),
        ("A recruit hero", 11, "such as A:soldier-2"),
        ("A recruit", 10, "such as A:soldier-2"),
        ("A pass now", 8, "the end of the line"),
        ("A deploy A:hero-1 seen", 19, "unseen, or the end of the line"),
        ("A deploy A:hero-1 unseen now", 26, "the end of the line"),
        ("lies A:hero-1", 6, "such as A:soldier-1@N-C"),
        ("A attack N-C", 13, "A, B, C or D"),
        ("A attack N-C B and A:archer-1", 16, "with, then chips"),
        ("A attack N-C B with", 20, "chips such as A:archer-1"),
        ("A army hero hero", 13, "each unit once"),
        ("A army hero*0", 8, "such as soldier*4"),
        ("settle A:hero-1", 8, "such as A:soldier-1@N-C"),
        ("settle A:hero-1@N-C/mud", 8, "one of plain, forest"),
        ("settle A:hero-1@base/hill", 8, "a place such as"),
        ("settle A:hero-1@N C", 19, "such as A:soldier-1@N-C"),
        ("settle A:hero-1@?", 8, "a place such as"),
        ("A foul cough", 8, "push, touch or line"),
        ("A destroys", 11, "chips such as B:zombie-1, or none"),
        ("referee sing", 9, "one of flick"),
        ("referee flick maybe", 15, "repeat, void or accept"),
        ("referee points A=x", 16, "a whole number"),
        ("referee points E=1", 16, "A, B, C or D"),
        ("referee city W=?", 14, "such as W=lateral-2"),
    ],
)
def test_bad_notation_names_the_column_and_what_was_expected(
    text: str, column: int, expected: str
) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse_move(text)
    assert caught.value.column == column
    assert expected in caught.value.expected


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"players": 5}, "2, 3 or 4 players"),
        ({"players": "two"}, "players must be a whole number"),
        ({"teams": "AC/BD"}, "teams are for four players"),
        ({"teams": "AB", "players": 4}, "teams must be one of"),
        ({"army_points": 100}, "army_points must be 150"),
        ({"army_points": 600}, "'empire' has Base units for 205 points only, 295 are"),
        ({"army_points": True}, "army_points must be a whole number"),
        ({"points_to_win": 0}, "points_to_win must be 1"),
        ({"terrain": "perhaps"}, "terrain must be true or false"),
        ({"factions": ["empire"]}, "must name 2 factions"),
        ({"factions": "empire,elves"}, "no faction 'elves'"),
        ({"colour": "red"}, "no option 'colour'"),
        ({"kit": 3}, "kit must be"),
        ({"kit": {"game": "warstones"}}, "kit: a kit must give the card's size"),
        ({"mat": []}, "mat must be"),
        ({"mat": {"type": "Feature"}}, "mat: a mat must be a GeoJSON"),
    ],
)
def test_wrong_options_are_refused_with_a_sentence(
    values: dict[str, object], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        GAME.options(values)


def test_options_may_be_spelled_as_in_the_rules_or_as_text() -> None:
    options = GAME.options(
        {
            "failedSiegeReturn": "true",
            "players": "4",
            "factions": "undead,empire,undead,empire",
        }
    )
    assert options.failed_siege_return
    assert options.players == 4
    assert options.factions[0] == "undead"


def test_the_siege_arithmetic_refuses_what_the_rules_forbid() -> None:
    with pytest.raises(ValueError, match="one unit is always destroyed"):
        siege([3], distant=[], defence=3, assigned=[1], forced=None)
    with pytest.raises(ValueError, match="only after all others"):
        siege([3, 1], distant=[1], defence=3, assigned=[0, 1], forced=None)


def test_play_raises_the_ruling_of_an_illegal_move() -> None:
    with pytest.raises(IllegalMoveError, match="not in the Base"):
        play(GAME, game(), GAME.parse_move("A deploy A:hero-1"))
