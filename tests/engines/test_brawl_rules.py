"""Brawl: one test per rule and per decision of RULES.md."""

import re
from dataclasses import replace
from importlib.resources import files

import pytest

from engines.brawl import GAME
from engines.brawl.deck import known_decks, parse_deck
from engines.brawl.faces import Face
from engines.brawl.options import Mode, play_off_options
from engines.brawl.scoring import bases_won, is_over, leading
from engines.brawl.state import Moment, State
from engines.core import KitError, NotationError, OptionError, Question, load_kit
from tests.support.brawl import (
    A,
    B,
    C,
    chains,
    empty_decks,
    holding,
    options,
    refusal,
    run,
    two_bases,
    vector_state,
)

HALE = ["hale", "neutral"]


def asked(state: State, key: str) -> Question:
    return next(q for q in GAME.questions(state) if q.id == key)


def keys(state: State) -> list[str]:
    return [question.id for question in GAME.questions(state)]


# 1 and 2: decks and set-up


def test_rule_1_a_deck_is_read_from_the_printed_numbers() -> None:
    hale = known_decks()["hale"]
    assert (hale.size, hale.copies(Face.HIT_GREEN), hale.copies(Face.PRESS)) == (
        35,
        8,
        0,
    )
    with pytest.raises(KitError, match="no card of these rules"):
        parse_deck({"name": "X", "copies": {"BASE": 1, "FREEZE": 3, "NULL": 1}})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "must say its character"),
        ({"name": "X"}, r"\[copies\] must give"),
        ({"name": "X", "copies": {}, "size": 1}, "not 'size'"),
        ({"name": "X", "copies": {"Hr": "3"}}, "whole number"),
        ({"name": "X", "copies": {"Hr": -1}}, "whole number"),
        ({"name": "X", "copies": {"Hr": 3, "BASE": 1, "FREEZE": 2}}, "3 Freezes"),
        ({"name": "X", "copies": {"Hr": 3, "FREEZE": 3}}, "at least one Base"),
        ({"name": "X", "copies": {"BASE": 3, "FREEZE": 3}}, "at least one Hit"),
    ],
)
def test_rule_1_a_wrong_deck_file_says_what_is_wrong(
    data: dict[str, object], words: str
) -> None:
    with pytest.raises(KitError, match=words):
        parse_deck(data)
    if data:
        with pytest.raises(OptionError, match=words):
            options(decks=[data, None])


@pytest.mark.parametrize(
    "values",
    [
        {"player": 2},
        {"players": 8},
        {"players": True},
        {"mode": "fast"},
        {"decks": ["hale"]},
        {"decks": ["pearl", None]},
        {"blockOnHit2": "yes"},
        {"period_ms": 0},
        {"period_ms": float("nan")},
        {"discards_mm": [[0, 0]]},
        {"centre_mm": [1]},
        {
            "players": 3,
            "decks": [{"name": "X", "copies": {"BASE": 1, "FREEZE": 3, "Hr": 1}}] * 3,
        },
    ],
)
def test_a_wrong_option_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        options(**values)


def test_rule_1_a_card_does_not_come_out_more_often_than_the_deck_holds_it() -> None:
    state = run(GAME.setup(options(decks=HALE)), "A discard Dr")
    assert refusal(state, "A discard Dr") == ("1", "all_out")
    assert refusal(state, "A discard P") == ("1", "all_out")
    assert refusal(state, "A discard Bb") == ("1", "all_out")


def test_rule_2_freezes_come_last() -> None:
    state = GAME.setup(options(decks=HALE))
    assert refusal(state, "A play FREEZE AB:0") == ("2", "freeze_last")
    unknown = run(GAME.setup(options()), "A discard FREEZE")
    assert refusal(unknown, "A discard Hr") == ("2", "after_freeze")
    last = run(unknown, "A discard FREEZE", "A discard FREEZE")
    assert refusal(last, "A discard FREEZE") == ("B-17", "deck_empty")


def test_rule_2_training_waits_for_the_lot() -> None:
    state = GAME.setup(options(mode="training"))
    assert refusal(state, "A discard Hr") == ("2", "not_started")
    question = asked(state, "start")
    assert [option.move for option in question.options] == ["A start", "B start"]
    started = run(state, "B start")
    assert started.turn == B
    assert refusal(started, "A start") == ("2", "has_started")
    assert refusal(GAME.setup(options()), "A start") == ("2", "no_turns")


def test_rule_2_the_starting_bases_may_lie_either_way_round() -> None:
    state = run(GAME.setup(options()), "referee swap AB")
    assert [base.owner for base in state.rows[0].cards.bases] == [B, A]
    played = run(state, "A play Hr AB:0A")
    assert refusal(played, "referee swap AB") == ("2", "too_late_to_swap")


# 4.1: where a card comes from


def test_rule_4_1_players_alternate_in_training() -> None:
    state = run(GAME.setup(options(mode="training")), "A start", "A play Hr AB:0A")
    assert state.turn == B
    assert refusal(state, "A discard Hr") == ("4.1", "not_your_turn")
    assert run(state, "B discard Hg").turn == A


def test_b_16_taking_a_card_uses_the_turn() -> None:
    state = run(GAME.setup(options(mode="training")), "A start", "A take")
    assert state.turn == A
    assert refusal(state, "A take") == ("4.1", "one_card")
    assert refusal(state, "B take") == ("4.1", "not_your_turn")
    assert run(state, "A discard Hg from hand").turn == B


def test_rule_4_1_only_the_top_discard_can_be_played() -> None:
    state = run(GAME.setup(options()), "A discard Hr", "A discard Bg")
    assert refusal(state, "A play Hr AB:0A from discard") == ("4.1", "not_top_discard")
    played = run(state, "B play Hg AB:0A", "A play Bg AB:0A from discard")
    assert played.players[A].pile == (Face.HIT_RED,)
    assert refusal(GAME.setup(options()), "A play Hr AB:0A from discard") == (
        "4.1",
        "no_discard",
    )
    assert refusal(state, "A discard Bg from discard") == ("4.1", "already_discarded")


def test_rule_4_1_the_top_discard_is_lifted_and_put_back_in_tournament() -> None:
    state = run(GAME.setup(options()), "A discard Hr", "A lift")
    assert state.players[A].pile == ()
    back = run(state, "A discard Hr from hand")
    assert back.players[A].pile == (Face.HIT_RED,)
    training = run(
        GAME.setup(options(mode="training")), "A start", "A discard Hr", "B discard Hr"
    )
    assert refusal(training, "A lift") == ("4.1", "no_lift_in_training")


def test_rule_4_1_one_card_at_a_time() -> None:
    state = run(GAME.setup(options()), "A take")
    assert refusal(state, "A play Hr AB:0A") == ("4.1", "one_card")
    assert run(state, "A play Hr AB:0A from hand").players[A].hand == ()
    seen = run(GAME.setup(options()), "A take Hg")
    assert refusal(seen, "A play Hr AB:0A from hand") == ("4.1", "not_in_hand")


def test_b_17_an_empty_deck_leaves_the_top_discard() -> None:
    state = run(GAME.setup(options()), "A discard Hr", "A empty")
    assert refusal(state, "A take") == ("B-17", "deck_empty")
    assert chains(run(state, "A play Hr AB:0A from discard")) == ("Hr", "")
    known = GAME.setup(options(decks=HALE))
    assert refusal(known, "A empty") == ("B-17", "deck_count_known")


# 4.2: what may lie where, beyond the vectors


def test_rule_4_2_any_side_of_any_base_is_open_to_both_b_21() -> None:
    state = run(GAME.setup(options()), "B play Hr AB:0A", "B play Br AB:0A")
    assert chains(state) == ("Hr Br", "")


def test_b_05_a_block_on_a_hit_2_is_asked_once_and_allowed_by_default() -> None:
    state = two_bases("Hr Dr")
    question = asked(state, "blockOnHit2")
    assert question.default == "true"
    used = run(state, "A play Br AB:0A")
    assert "blockOnHit2" not in keys(used)
    assert refusal(used, "referee blockOnHit2 no") == ("B-05", "said_before")
    literal = run(state, "referee blockOnHit2 no")
    assert refusal(literal, "A play Br AB:0A") == ("B-05", "block_needs_hit")
    assert refusal(literal, "A play Bg AB:0A") == ("B-05", "block_needs_hit")
    assert refusal(state, "A play Bg AB:0A") == ("4.2", "colour")
    assert "blockOnHit2" not in keys(two_bases(blockOnHit2=True))


def test_b_06_no_press_on_a_press() -> None:
    assert refusal(two_bases("Hr Br P"), "A play P AB:0A") == (
        "B-06",
        "press_needs_block",
    )
    assert refusal(two_bases("Hr"), "A play P AB:0A") == ("4.2", "press_needs_block")


def test_b_04_a_press_takes_a_hit_of_the_chains_colour() -> None:
    assert refusal(two_bases("Hr Br P"), "A play Hg AB:0A") == ("B-04", "chain_colour")
    assert chains(run(two_bases("Hr Br P"), "A play Hr AB:0A")) == ("Hr Br P Hr", "")


def test_b_02_a_base_goes_to_an_end_of_the_row() -> None:
    state = GAME.setup(options())
    left = run(state, "B play BASE AB:left")
    assert [base.owner for base in left.rows[0].cards.bases] == [B, A, B]
    assert refusal(state, "B play BASE AB:gap1") == ("B-02", "end")
    assert refusal(state, "B play BASE AB:gap2") == ("3", "no_such_place")


def test_b_07_the_middle_base_is_the_one_between_two_others_now() -> None:
    state = run(GAME.setup(options()), "A play BASE AB:right")
    assert refusal(state, "A play CLEAR AB:1") == ("B-07", "middle")
    cleared = run(state, "A play CLEAR AB:0")
    assert len(run(cleared, "A play CLEAR AB:1").rows[0].cards.bases) == 1


def test_b_20_a_clear_takes_everything_out_of_the_game() -> None:
    state = run(
        GAME.setup(options()),
        "A play Hr AB:0A",
        "B play Hg AB:0B",
        "B play CLEAR AB:0",
    )
    moment = state.rows[0].cards
    assert sorted(laid.card for laid in moment.gone) == ["BASE", "CLEAR", "Hg", "Hr"]
    assert refusal(state, "A play CLEAR AB:0") == ("4.2", "only_base")


def test_b_08_b_09_b_10_beside_a_frozen_base() -> None:
    state = run(GAME.setup(options()), "A play FREEZE AB:0")
    assert refusal(state, "B play FREEZE AB:0") == ("B-11", "frozen")
    assert refusal(state, "B play Hg AB:0A") == ("4.2", "frozen")
    grown = run(state, "B play BASE AB:left")
    assert len(grown.rows[0].cards.bases) == 3
    over = run(state, "B play CLEAR AB:1")
    assert is_over(over)
    assert refusal(over, "B play BASE AB:left") == ("6", "game_over")


def test_b_22_a_discarded_freeze_stays_playable() -> None:
    state = run(
        GAME.setup(options()), "A discard FREEZE", "A play FREEZE AB:0 from discard"
    )
    assert state.rows[0].cards.bases[0].is_frozen


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("A play Hr AB:0", "wrong_place"),
        ("A play FREEZE AB:0A", "wrong_place_on_base"),
        ("A play BASE AB:0", "wrong_place_base"),
        ("A play Hr AB:7A", "no_such_place"),
        ("A play CLEAR AB:2", "no_such_place"),
    ],
)
def test_rule_4_2_a_card_needs_a_place_that_suits_it(move: str, reason: str) -> None:
    assert refusal(GAME.setup(options()), move)[1] == reason
    foul = move.replace("play", "foul")
    assert refusal(GAME.setup(options()), foul)[1] == reason


# 4.3: fouls


def test_rule_4_3_an_illegal_card_noticed_at_once_is_taken_back() -> None:
    state = two_bases("Hr Br")
    fouled = run(state, "B foul Hr AB:0A")
    question = asked(fouled, "foul:AB")
    assert question.to == B
    assert question.default == "takeback"
    assert "Take it back" in str(question.text)
    elsewhere = run(fouled, "A play Hg AB:1A")  # nothing else stops
    back = run(elsewhere, "B takeback AB")
    assert chains(back) == ("Hr Br", "")
    assert chains(back, base=1) == ("Hg", "")
    assert [held.card for held in back.players[B].hand] == [Face.HIT_RED]
    assert refusal(fouled, "A takeback AB") == ("4.3", "not_yours_to_settle")
    assert refusal(fouled, "A stand AB") == ("4.3", "other_remedy")
    assert refusal(state, "B takeback AB") == ("4.3", "nothing_to_settle")


def test_rule_4_3_built_on_the_opponent_decides() -> None:
    fouled = run(
        two_bases("Hr Br"), "B foul Hr AB:0A", "A play Hr AB:0A", "A play Hg AB:1A"
    )
    question = asked(fouled, "foul:AB")
    assert question.to == A
    assert [option.value for option in question.options] == [
        "restore",
        "stand",
        "claim",
    ]
    assert question.default == "restore"
    assert "Hr" in str(question.text)
    assert refusal(fouled, "B takeback AB") == ("4.3", "other_remedy")
    restored = run(fouled, "A restore AB")
    assert chains(restored) == ("Hr Br", "")
    assert chains(restored, base=1) == ("Hg", "")
    assert [held.card for held in restored.players[A].hand] == [Face.HIT_RED]
    stands = run(fouled, "A stand AB")
    assert chains(stands) == ("Hr Br Hr Hr", "")
    end = GAME.outcome(run(fouled, "A claim AB"))
    assert end is not None
    assert (end.winners, end.rule.number) == ((A,), "4.3")


def test_rule_4_3_cards_that_are_legal_only_because_of_the_foul_go_with_it() -> None:
    state = run(
        GAME.setup(options()),
        "A play BASE AB:right",
        "A play Hr AB:1A",
        "B foul CLEAR AB:1",
        "B play BASE AB:left",
        "A play Hg AB:0A",
        "A play Hb AB:2A",
    )
    question = asked(state, "foul:AB")
    assert "BASE, Hg" in str(question.text)
    restored = run(state, "A restore AB")
    assert [base.owner for base in restored.rows[0].cards.bases] == [A, B, A]
    assert [chains(restored, base)[0] for base in range(3)] == ["", "Hr", "Hb"]
    assert [held.card for held in restored.players[B].hand] == [Face.BASE, Face.CLEAR]
    assert [held.card for held in restored.players[A].hand] == [Face.HIT_GREEN]


def test_rule_4_3_at_scoring_it_stands_or_wins_by_forfeit() -> None:
    state = run(
        two_bases("Hr Br"),
        "B foul Hr AB:0A",
        "A play FREEZE AB:0",
        "A play FREEZE AB:1",
    )
    assert is_over(state)
    assert GAME.outcome(state) is None
    question = asked(state, "foul:AB")
    assert [option.value for option in question.options] == ["stand", "claim"]
    assert question.default is None
    assert refusal(state, "A restore AB") == ("4.3", "too_late_to_restore")
    assert refusal(state, "B takeback AB") == ("4.3", "too_late_to_restore")
    stands = GAME.outcome(run(state, "A stand AB"))
    assert stands is not None
    assert stands.winners == ()


def test_rule_4_3_only_an_illegal_card_is_a_foul_and_one_at_a_time() -> None:
    state = two_bases("Hr Br")
    assert refusal(state, "A foul Hg AB:0B") == ("4.3", "no_foul")
    fouled = run(state, "A foul Hr AB:0A")
    assert refusal(fouled, "B foul Bg AB:0B") == ("4.3", "settle_first")


def test_b_14_a_card_goes_back_to_where_it_came_from() -> None:
    state = run(two_bases("Hr Br"), "A discard Hg", "A foul Hg AB:0A from discard")
    assert state.players[A].pile == ()
    assert run(state, "A takeback AB").players[A].pile == (Face.HIT_GREEN,)
    deck = run(two_bases("Hr Br"), "A foul Hg AB:0A", "A takeback AB")
    assert chains(run(deck, "A play Hg AB:0B from hand"))[1] == "Hg"
    assert run(deck, "A discard Hg from hand").players[A].pile == (Face.HIT_GREEN,)


def test_rule_4_3_in_training_the_offender_is_on_again() -> None:
    state = run(two_bases("Hr Br", mode="training"), "A start", "A foul Hr AB:0A")
    assert state.turn == B
    back = run(state, "A takeback AB")
    assert back.turn == A
    assert run(back, "A discard Hr from hand").turn == B


def test_rule_4_3_a_fourth_base_and_what_lies_on_it_go_back() -> None:
    state = run(
        GAME.setup(options()),
        "A play BASE AB:right",
        "B foul BASE AB:left",
        "A play Hr AB:0B",
        "A play Hg AB:1A",
    )
    restored = run(state, "A restore AB")
    assert [base.owner for base in restored.rows[0].cards.bases] == [A, B, A]
    assert chains(restored, base=0) == ("Hg", "")


# B-13: who was first

TIMED: dict[str, object] = {"period_ms": 40}


def test_b_13_a_clear_time_decides() -> None:
    state = run(two_bases("Hr", **TIMED), "A play Hr AB:0A @1000")
    after = GAME.judge(state, GAME.parse_move("B play Bg AB:0A @1200"))
    assert after.verdict == "rejected"
    blocked = run(two_bases("Hr", **TIMED), "A play Br AB:0A @1000")
    late = GAME.judge(blocked, GAME.parse_move("B play Hr AB:0A @1200"))
    assert late.verdict == "rejected"
    assert [ground.verdict for ground in late.grounds] == ["rejected"]
    assert refusal(blocked, "B contest Hr AB:0A @1200") == ("B-13", "first_clear")


def test_b_13_inside_the_timing_error_nobody_is_called_first() -> None:
    state = run(two_bases("Hr", **TIMED), "A play Br AB:0A @1000")
    ruling = GAME.judge(state, GAME.parse_move("B play Hr AB:0A @990"))
    assert ruling.verdict == "undecided"
    assert ruling.margin is not None
    assert ruling.margin.unit == "ms"
    assert ruling.margin.value == 10
    assert ruling.margin.sigma == pytest.approx(40 / 6**0.5)
    assert refusal(state, "B foul Hr AB:0A @990") == ("B-13", "first_unclear")
    disputed = run(state, "B contest Hr AB:0A @990")
    question = asked(disputed, "first:AB")
    assert question.to is None
    assert [option.value for option in question.options] == ["A", "B", "both"]
    first_a, first_b, both = [option.move for option in question.options]
    assert first_a
    assert first_b
    assert both
    assert chains(run(disputed, first_a)) == ("Hr Br", "")
    assert [h.card for h in run(disputed, first_a).players[B].hand] == [Face.HIT_RED]
    assert chains(run(disputed, first_b)) == ("Hr Hr Br", "")
    neither = run(disputed, both)
    assert chains(neither) == ("Hr", "")
    assert [len(player.hand) for player in neither.players] == [1, 1]


def test_b_13_a_card_that_was_clearly_first_takes_its_place() -> None:
    state = run(two_bases("Hr", **TIMED), "A play Br AB:0A @1000")
    ruling = GAME.judge(state, GAME.parse_move("B play Br AB:0A @500"))
    assert (ruling.verdict, ruling.reason.id) == ("undecided", "brawl.was_first")
    settled = run(state, "B contest Br AB:0A @500")
    assert chains(settled) == ("Hr Br", "")
    assert [held.card for held in settled.players[A].hand] == [Face.BLOCK_RED]
    assert settled.rows[0].incident is None


def test_b_13_freeze_against_clear() -> None:
    state = run(GAME.setup(options(**TIMED)), "A play FREEZE AB:0")
    over = run(state, "A play FREEZE AB:1 @1000")
    disputed = run(over, "B contest CLEAR AB:1 @1010")
    assert GAME.outcome(disputed) is None
    cleared = run(disputed, "referee first AB B")
    assert len(cleared.rows[0].cards.bases) == 1
    assert is_over(cleared)
    assert GAME.outcome(run(disputed, "referee first AB A")) is not None
    open_again = run(disputed, "referee first AB both")
    assert not is_over(open_again)
    assert refusal(open_again, "referee first AB A") == ("B-13", "nothing_to_settle")
    assert refusal(disputed, "referee first AB C") == ("B-13", "not_in_pair")


def test_b_13_what_landed_since_is_judged_again() -> None:
    disputed = run(
        two_bases("Hr", **TIMED),
        "A play Br AB:0A @1000",
        "B contest Hr AB:0A @1000",
        "A play P AB:0A @1100",
    )
    assert chains(run(disputed, "referee first AB B")) == ("Hr Hr Br P", "")
    back = run(disputed, "referee first AB both")
    assert chains(back) == ("Hr", "")
    assert len(back.players[A].hand) == 2


def test_b_13_moves_without_times_keep_their_order() -> None:
    state = run(two_bases("Hr"), "A play Br AB:0A")
    assert refusal(state, "B play Hr AB:0A") == ("4.2", "on_block")
    assert "first:AB" in keys(run(state, "B contest Hr AB:0A"))
    assert refusal(state, "A contest Hr AB:0A") == ("B-13", "no_contest")
    assert refusal(state, "B contest Hg AB:0B") == ("B-13", "no_contest")


# 6, 7 and B-12: ends


def test_rule_6_the_last_freeze_ends_the_game() -> None:
    state = run(
        GAME.setup(options()),
        "A play Hr AB:1A",
        "A play FREEZE AB:0",
        "B play FREEZE AB:1",
    )
    end = GAME.outcome(state)
    assert end is not None
    assert (end.winners, end.rule.number) == ((A,), "6")
    assert "A 2, B 0" in str(end.reason)


def test_b_12_in_training_two_passes_in_a_row_end_the_game() -> None:
    state = run(empty_decks(two_bases("Hr", mode="training")), "A start")
    assert refusal(state, "B pass") == ("4.1", "not_your_turn")
    ended = run(state, "A pass", "B pass")
    assert GAME.outcome(ended) is not None
    assert refusal(ended, "A pass") == ("6", "game_over")
    can = run(two_bases(mode="training"), "A start")
    assert refusal(can, "A pass") == ("B-12", "can_move")
    assert refusal(two_bases(), "A pass") == ("4.1", "no_turns")


def test_b_12_in_tournament_both_confirm() -> None:
    state = empty_decks(two_bases("Hr"))
    assert "Score now?" in str(asked(state, "stuck:A").text)
    once = run(state, "A stuck")
    assert refusal(once, "A stuck") == ("B-12", "said_before")
    assert GAME.outcome(once) is None
    assert keys(once) == ["blockOnHit2", "stuck:B"]
    assert GAME.outcome(run(once, "B stuck")) is not None
    assert refusal(two_bases(), "A stuck") == ("B-12", "seat_can_move")
    assert refusal(two_bases(mode="training"), "A stuck")[1] == "not_started"
    playable = state.with_player(B, replace(state.players[B], pile=(Face.HIT_RED,)))
    assert refusal(playable, "A stuck") == ("B-12", "seat_can_move")
    assert refusal(holding(state, B, "Dg"), "A stuck") == ("B-12", "seat_can_move")


def test_rule_7_everybody_plays_only_with_the_neighbours() -> None:
    state = GAME.setup(options(players=4))
    assert refusal(state, "A play Hr BC:0B") == ("7", "not_in_pair")
    assert refusal(state, "A play Hr AC:0A") == ("7", "no_such_row")
    assert refusal(state, "G take") == ("2", "no_seat")
    assert run(state, "A play Hr DA:0D").rows[3].cards.bases[0].first
    assert asked(state, "pairs").options[0].move == "referee pairs"
    assert "pairs" not in keys(run(state, "referee pairs"))


def test_b_18_a_pair_is_finished_when_its_bases_are_frozen() -> None:
    state = run(
        GAME.setup(options(players=3)), "A play FREEZE AB:0", "B play FREEZE AB:1"
    )
    assert refusal(state, "A play BASE AB:left") == ("B-18", "row_finished")
    assert not is_over(state)
    over = run(
        state,
        "B play FREEZE BC:0",
        "C play FREEZE BC:1",
        "C play FREEZE CA:0",
        "C play FREEZE CA:1",
    )
    end = GAME.outcome(over)
    assert end is not None
    assert (end.winners, end.rule.number) == ((A, B, C), "B-19")


def test_b_19_the_tied_players_play_another_game() -> None:
    before = options(players=4, decks=["hale", "neutral", None, None])
    again = play_off_options(before, (A, C))
    assert (again.players, again.is_circle) == (2, False)
    assert [deck and deck.name for deck in again.decks] == ["Hale", None]
    smaller = play_off_options(before, (A, B, C))
    state = GAME.setup(smaller)
    frozen = state
    for row in state.rows:
        bases = tuple(
            replace(base, freezes=row.cards.bases[0].freezes or FROZEN)
            for base in row.cards.bases
        )
        frozen = frozen.with_row(replace(row, cards=Moment(bases)))
    end = GAME.outcome(frozen)
    assert end is not None
    assert (end.winners, end.rule.number) == ((), "6")
    assert leading(bases_won(frozen)) == (A, B, C)


FROZEN = (
    vector_state([{"owner": "A", "A": [], "B": [], "frozen": True}])
    .rows[0]
    .cards.bases[0]
    .freezes
)


def test_rule_4_3_in_a_circle_a_forfeit_concerns_one_row() -> None:
    state = run(
        GAME.setup(options(players=3)),
        "A play Hr AB:0A",
        "A foul Hg AB:0A",
        "C play Hb CA:0A",
        "A play Hg AB:0A",
        "B claim AB",
    )
    assert GAME.outcome(state) is None
    assert bases_won(state)[B] == 3
    assert refusal(state, "A play Hr AB:1A") == ("B-18", "row_finished")
    run(state, "A play Hb CA:0A")


def test_training_in_a_circle_goes_round_clockwise() -> None:
    state = run(GAME.setup(options(players=3, mode="training")), "B start")
    state = run(state, "B discard Hr", "C play Hr CA:0A", "A discard Hg")
    assert state.turn == B
    assert state.options.mode is Mode.TRAINING


def test_b_12_who_has_no_open_row_left_passes() -> None:
    state = run(GAME.setup(options(players=4, mode="training")), "A start")
    for number in (0, 3):
        row = state.rows[number]
        state = state.with_row(replace(row, forfeit=row.pair.first))
    assert run(state, "A pass").turn == B


def test_b_01_a_typed_in_deck_is_agreed_or_counts_as_unknown() -> None:
    deck = {"name": "Pearl", "copies": {"BASE": 5, "FREEZE": 3, "Hr": 1, "Hg": 9}}
    state = GAME.setup(options(decks=[deck, "hale"]))
    question = asked(state, "deck:A")
    assert str(question.text) == "Deck of Pearl: 18 cards counted. Continue?"
    assert "deck:B" not in keys(state)
    assert "deck:A" not in keys(run(state, "A confirm"))
    unknown = run(state, "A recount")
    assert unknown.players[A].deck is None
    assert refusal(unknown, "A confirm") == ("B-01", "said_before")
    run(unknown, "A discard Hr", "A discard Hr")


# Notation and RULES.md


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("", 1, "a seat"),
        ("Z play Hr AB:0A", 1, "a seat"),
        ("A plays Hr AB:0A", 3, "play"),
        ("A play Hx AB:0A", 8, "a card"),
        ("A play Hr", 10, "a place"),
        ("A play Hr AB:0C", 11, "a place"),
        ("A play Hr AA:0A", 11, "a place"),
        ("A play Hr AB:top", 11, "a place"),
        ("A play Hr AB:0A out of hand", 17, "from"),
        ("A play Hr AB:0A from sleeve", 22, "discard or hand"),
        ("A play Hr AB:0A from deck", 22, "discard or hand"),
        ("A lift now", 8, "the end"),
        ("A lift @-3", 8, "milliseconds"),
        ("A lift @007", 8, "milliseconds"),
        ("referee first AB", 17, "both"),
        ("referee sleeps", 9, "blockOnHit2"),
        ("referee blockOnHit2 maybe", 21, "yes or no"),
        ("B stand", 8, "two neighbours"),
    ],
)
def test_bad_notation_names_the_column_and_what_was_expected(
    text: str, column: int, expected: str
) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse_move(text)
    assert caught.value.column == column
    assert expected in caught.value.expected


def headings() -> set[str]:
    text = (files("engines.brawl") / "RULES.md").read_text("utf-8")
    return set(re.findall(r"^#+ (\d(?:\.\d)?|B-\d\d) ", text, re.MULTILINE))


def test_every_rule_that_the_code_cites_is_a_heading_of_rules_md() -> None:
    cited: set[str] = set()
    for file in files("engines.brawl").iterdir():
        if file.name.endswith(".py"):
            cited |= set(re.findall(r'RuleRef\("([^"]+)"\)', file.read_text("utf-8")))
    assert cited
    assert cited <= headings()
    assert {f"B-{number:02}" for number in range(1, 24)} <= headings()


def test_the_kits_labels_are_the_faces() -> None:
    kit = load_kit("brawl")
    assert [face.label for face in kit.faces] == [face.value for face in Face]
    assert sum(face.copies for face in kit.faces) == 35
    for face, card in zip(kit.faces, Face, strict=True):
        assert face.name("en") == card.text.render("en")
        assert face.name("it") == card.text.render("it")
