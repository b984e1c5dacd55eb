"""The live way: which moves explain what is new on a Regicide table."""

from dataclasses import replace

import pytest

from engines.core import Kind, Question, Seat, Verdict, play
from engines.regicide import GAME
from engines.regicide.moves import Move
from engines.regicide.state import Phase, State
from tests.support.questions import asked_of
from tests.support.regicide import Table, cards

NEAR, LEFT, FAR = (0, -160), (-180, 0), (0, 250)


def live(*moves: str, players: int = 2) -> State:
    """A camera's game against the Jack of hearts; seat 0 begins."""
    state = GAME.setup(GAME.options({"players": players}))
    for move in ("castle ?", "reveal Jh", "tavern ?", "start 0", *moves):
        state = play(GAME, state, GAME.parse_move(move))
    return state


def seen(state: State, table: Table) -> tuple[Move, ...] | Question:
    return GAME.changes(state, GAME.layout(table.pieces, state.options))


def moves(state: State, table: Table) -> list[str]:
    found = seen(state, table)
    assert not isinstance(found, Question), str(found.text)
    return [str(move) for move in found]


def asked(state: State, table: Table) -> Question:
    return asked_of(GAME, state, GAME.layout(table.pieces, state.options))


def middle() -> Table:
    """Castle and enemy, Tavern above."""
    return Table.empty().lay("#", (-75, 0)).lay("Jh", (0, 0)).lay("#", (-75, 100))


def test_nothing_new_explains_nothing() -> None:
    assert moves(live(), middle()) == []
    state = live("0: play 5d", "draw 1 0")
    assert moves(state, middle().lay("5d", NEAR)) == []


def test_set_up_is_asked_for_and_the_first_enemy_is_seen() -> None:
    state = GAME.setup(GAME.options({}))
    assert asked(state, middle()).id == "castle"
    state = play(GAME, state, GAME.parse_move("castle ?"))
    assert moves(state, middle()) == ["reveal Jh"]
    assert asked(state, Table.empty()).id == "reveal"
    state = play(GAME, state, GAME.parse_move("reveal Jh"))
    assert asked(state, middle()).id == "tavern"


def test_a_play_in_the_own_area_is_that_players_move() -> None:
    assert moves(live(), middle().lay("8c Ad", NEAR)) == ["0: play 8c Ad"]


def test_cards_of_one_player_that_lie_apart_are_still_one_play() -> None:
    table = middle().lay("8c Ad", (-60, -160), step=(120, 0))
    assert moves(live(), table) == ["0: play 8c Ad"]


def test_an_illegal_play_comes_back_as_a_move_that_judge_rejects() -> None:
    state = live()
    (move,) = moves(state, middle().lay("6d 6c", NEAR))
    assert move == "0: play 6c 6d"
    assert GAME.judge(state, GAME.parse_move(move)).verdict is Verdict.REJECTED


def test_a_play_and_the_discards_after_it_are_read_together() -> None:
    table = middle().lay("9s", NEAR).lay("4c 2c 5d", (0, 100), step=(6, 4))
    state = live()
    assert moves(state, table) == ["0: play 9s", "0: discard 5d 4c 2c"]
    # One point of damage was left: the discards were too many, and judge says so.
    last = play(GAME, state, GAME.parse_move("0: play 9s"))
    ruling = GAME.judge(last, GAME.parse_move("0: discard 5d 4c 2c"))
    assert ruling.rule.number == "R-08"


def test_several_turns_in_one_look_are_told_apart_by_the_seats() -> None:
    table = (
        middle().lay("6c", NEAR).lay("7s", FAR).lay("10d", (0, 100)).lay("3c", (4, 104))
    )
    state = live()
    assert moves(state, table) == ["0: play 6c"]
    found = asked(play(GAME, state, GAME.parse_move("0: play 6c")), table)
    assert [option.move for option in found.options] == [
        "0: discard 10d",
        "0: discard 10d 3c",
    ]
    state = live("0: play 6c", "0: discard 10d")
    assert moves(state, table) == ["1: play 7s", "1: discard 3c"]


def test_a_card_that_is_seen_twice_on_the_pile_is_one_way_to_discard() -> None:
    """F-22: one sighting doubled made a question of two options that were the same."""
    table = middle().lay("6c", NEAR).lay("7s", FAR)
    table = table.lay("10d", (0, 100)).lay("10d", (4, 104))
    state = play(GAME, live(), GAME.parse_move("0: play 6c"))
    assert moves(state, table)[0] == "0: discard 10d"


def test_too_little_discarded_before_play_went_on_is_asked_about() -> None:
    table = middle().lay("6c", NEAR).lay("7s", FAR).lay("3c", (0, 100))
    found = asked(live("0: play 6c"), table)
    assert found.id == "suffer"
    assert found.options[-1].move == "0: lost"


def test_a_full_cover_and_the_next_play_are_read_in_one_look() -> None:
    table = middle().lay("6c", NEAR).lay("10d", (0, 100)).lay("5c", FAR)
    assert moves(live(), table) == ["0: play 6c", "0: discard 10d", "1: play 5c"]


def test_hearts_and_diamonds_wait_for_people() -> None:
    state = live("0: play 5d")
    assert state.phase is Phase.DRAW
    table = middle().lay("5d", NEAR).lay("10c", (0, 100))
    question = asked(state, table)
    assert question.options[0].move == "draw 1 0"
    assert moves(live(), table) == ["0: play 5d"]


def test_somebody_elses_card_means_a_yield_or_a_play_out_of_turn() -> None:
    question = asked(live(), middle().lay("5c", FAR))
    assert [option.move for option in question.options] == ["0: yield", "1: play 5c"]
    ruling = GAME.judge(live(), GAME.parse_move("1: play 5c"))
    assert ruling.rule.number == "4"


def test_discards_without_a_play_mean_a_yield() -> None:
    question = asked(live(), middle().lay("10c", (0, 100)))
    assert question.id == "yielded"
    state = live("0: yield")
    assert moves(state, middle().lay("10c", (0, 100))) == ["0: discard 10c"]


def test_who_may_not_yield_has_been_passed_over() -> None:
    state = live("0: yield", "0: cover 1")
    assert moves(state, middle().lay("5c", NEAR)) == ["0: play 5c"]
    ruling = GAME.judge(state, GAME.parse_move("0: play 5c"))
    assert ruling.rule.number == "4"


def test_a_card_between_two_areas_belongs_to_whose_turn_it_is() -> None:
    table = middle().lay("5c", (-150, -150), angle_deg=45)
    assert moves(live(players=4), table) == ["0: play 5c"]
    state = replace(live(players=4), current=Seat(1))
    assert moves(state, table) == ["1: play 5c"]


def test_two_plays_of_a_lone_player_in_one_look_are_asked_about() -> None:
    state = live(players=1)
    question = asked(state, middle().lay("7c", NEAR).lay("3d", (150, -160)))
    assert [option.move for option in question.options] == [
        "0: play 7c",
        "0: play 3d",
        "0: play 7c 3d",
    ]


def test_a_flipped_solo_joker_is_seen() -> None:
    state = live(players=1)
    table = middle().lay("X", (250, 0)).lay("X", (330, 0))
    assert moves(state, table) == []
    table.pieces[-1] = replace(table.pieces[-1], kind=Kind.BACK, label=None)
    assert moves(state, table) == ["0: flip"]


def test_an_unread_new_card_is_asked_for() -> None:
    question = asked(live(), middle().lay("?", NEAR))
    assert question.id == "card:c3"


def test_of_an_unread_card_every_face_is_an_answer_the_likely_ones_first() -> None:
    """A card that was read once, and misread, had no honest answer."""
    table = middle().lay("5c", FAR).lay("?", NEAR)
    table.pieces[-1] = replace(table.pieces[-1], candidates=(("9c", 0.2), ("9s", 0.7)))
    values = [option.value for option in asked(live(), table).options]
    assert values[:2] == ["9s", "9c"]
    assert values[-2:] == ["back", "none"]
    assert {"10c", "Kd"} <= set(values)
    assert not {"5c", "Jh"} & set(values)
    assert len(values) == len(set(values))


def test_a_known_card_that_cannot_be_read_any_more_is_left_alone() -> None:
    state = live("0: play 5c")
    assert moves(state, middle().lay("?", NEAR)) == []


def test_the_next_enemy_is_seen_after_a_kill() -> None:
    state = live("0: play 10c")
    assert state.phase is Phase.REVEAL
    table = Table.empty().lay("#", (-75, 0)).lay("Jd", (0, 0)).lay("#", (-75, 100))
    assert moves(state, table) == ["reveal Jd"]
    other = Table.empty().lay("Qd", (0, 0))
    (move,) = moves(state, other)
    assert GAME.judge(state, GAME.parse_move(move)).rule.number == "2"


def test_a_kill_that_was_cleared_away_at_once_is_found_on_the_discard_pile() -> None:
    table = (
        Table.empty()
        .lay("#", (-75, 0))
        .lay("Jd", (0, 0))
        .lay("#", (-75, 100))
        .lay("10c", (0, 100))
    )
    assert moves(live(), table) == ["0: play 10c", "reveal Jd"]


def test_another_enemy_without_a_kill_is_asked_about() -> None:
    table = Table.empty().lay("#", (-75, 0)).lay("Jd", (0, 0)).lay("#", (-75, 100))
    assert asked(live(), table).id == "enemy"


def test_a_card_that_hearts_left_on_the_pile_is_not_taken_for_a_discard() -> None:
    state = live("0: play 9s", "0: discard 4c", "1: play 9d", "draw 2 1")
    state = replace(state, discard=(None, None), suffer=1, current=Seat(1))
    assert state.phase is Phase.SUFFER
    table = middle().lay("9s", NEAR).lay("9d", FAR).lay("6h", (0, 100))
    question = asked(state, table)
    assert [o.move for o in question.options] == ["1: discard 6h", "top 6h"]
    quiet = replace(state, phase=Phase.PLAY, suffer=0)
    assert moves(quiet, table) == ["top 6h"]


def test_a_royal_of_the_enemys_rank_does_not_confuse_a_live_table() -> None:
    state = replace(live(), discard=cards("Jc"), castle=(None,) * 10)
    table = middle().lay("Jc", (0, 100)).lay("7d", NEAR)
    assert moves(state, table) == ["0: play 7d"]


def test_after_the_end_nothing_is_explained() -> None:
    over = replace(live(), phase=Phase.OVER)
    assert moves(over, middle().lay("7d", NEAR)) == []


@pytest.mark.parametrize("phase", [Phase.HEAL, Phase.CHOOSE, Phase.SETTLE])
def test_new_cards_wait_for_what_people_must_say_first(phase: Phase) -> None:
    state = replace(live("0: play 5d"), phase=phase, to_heal=3, misdrawn=(2, 0))
    question = asked(state, middle().lay("5d", NEAR).lay("7c", FAR))
    assert question == GAME.questions(state)[0]


# What was not seen, and what the rules then tell --------------------------------------


def without_tavern() -> Table:
    """The enemy alone: the piles were overlooked."""
    return Table.empty().lay("Jh", (0, 0))


def test_where_no_pile_is_seen_what_lies_between_the_areas_is_the_discard() -> None:
    """Nobody may play before the attack is suffered (4.3)."""
    table = without_tavern().lay("5c", NEAR).lay("10c", (-220, 10))
    assert moves(live("0: play 5c"), table) == ["0: discard 10c"]


def test_where_no_pile_is_seen_what_lies_in_an_area_is_asked_about() -> None:
    table = without_tavern().lay("5c", NEAR).lay("10c", FAR)
    question = asked(live("0: play 5c"), table)
    assert [option.move for option in question.options] == [
        "0: discard 10c",
        "1: play 10c",
    ]
    assert question.pieces == ("c2",)


def test_where_play_went_on_unseen_discards_are_asked_for() -> None:
    table = without_tavern().lay("5c", NEAR).lay("10c", (-220, 10)).lay("7s", FAR)
    question = asked(live("0: play 5c"), table)
    assert "0: discard 10c" in [option.move for option in question.options]


def test_what_lies_beside_no_pile_is_asked_about_though_a_pile_is_seen() -> None:
    """Threads of the cloth were read as a Tavern: nothing was asked that anybody could
    answer, and the game stood (5419, 5428, 5438)."""
    table = without_tavern().lay("#", (300, -200)).lay("5c", NEAR)
    question = asked(live("0: play 5c"), table.lay("10c", (-220, 10)))
    assert [o.move for o in question.options] == ["0: discard 10c", "1: play 10c"]
    assert question.pieces == ("c3",)
    went_on = without_tavern().lay("#", (300, -200)).lay("5c", NEAR).lay("7s", FAR)
    assert asked(live("0: play 5c"), went_on).id == "suffer"


def test_a_discard_that_could_not_be_read_is_asked_for_by_its_piece() -> None:
    """It left the attack open before, and all later moves waited."""
    table = middle().lay("5c", NEAR).lay("?", (0, 100))
    question = asked(live("0: play 5c"), table)
    assert (question.id, question.pieces) == ("card:c4", ("c4",))
    went_on = table.lay("7s", FAR)
    assert asked(live("0: play 5c"), went_on).id == "card:c4"
    named = replace(went_on.pieces[4], label="10c")
    went_on.pieces[4] = named
    assert moves(live("0: play 5c"), went_on) == ["0: discard 10c", "1: play 7s"]


def test_what_may_be_no_open_card_can_be_called_so() -> None:
    question = asked(live(), middle().lay("?", NEAR))
    assert [option.value for option in question.options][-2:] == ["back", "none"]


def test_a_card_of_which_the_deck_has_one_is_not_played_twice() -> None:
    """An outline around two cards, named like one of them, made a play illegal."""
    table = middle().lay("5h 5s 5s", NEAR)
    assert asked(live(), table).id == "card:c5"
    known = middle().lay("5h", NEAR)
    assert moves(live("0: play 5h"), known) == []


def test_an_enemy_that_cannot_come_yet_is_the_old_one_misread() -> None:
    """Jacks fall before Queens (2): a Queen in the place of the Jack is asked about."""
    table = Table.empty().lay("#", (-75, 0)).lay("Qh", (0, 0)).lay("#", (-75, 100))
    question = asked(live(), table)
    assert (question.id, question.pieces) == ("enemy", ("c1",))
    assert [option.value for option in question.options] == ["Jh", "Qh"]


def test_a_first_enemy_that_cannot_come_first_is_asked_about() -> None:
    """A Jack that was read as a Queen was called as an illegal move."""
    state = GAME.setup(GAME.options({"players": 2}))
    state = play(GAME, state, GAME.parse_move("castle ?"))
    table = Table.empty().lay("#", (-75, 0)).lay("Qd", (0, 0)).lay("#", (-75, 100))
    question = asked(state, table)
    assert [(o.value, o.move) for o in question.options] == [
        *((f"J{suit}", None) for suit in "cdhs"),
        ("reveal Qd", "reveal Qd"),
    ]
    assert question.pieces == ("c1",)


def test_what_lies_between_the_areas_and_was_healed_is_no_play() -> None:
    """It lay there for a moment after it was told, and was taken for the next play."""
    state = GAME.setup(GAME.options({"players": 2}))
    begun = ("castle ?", "reveal Js", "tavern ?", "start 0")
    turns = ("0: play 4c", "0: discard 10c", "1: play 2h", "heal 1", "1: discard 10d")
    for move in (*begun, *turns):
        state = play(GAME, state, GAME.parse_move(move))
    table = Table.empty().lay("Js", (0, 0)).lay("4c", NEAR).lay("2h", FAR)
    table = table.lay("10c", (-220, 10))
    question = asked(state, table)
    assert [option.move for option in question.options] == ["0: play 10c", None]
    state = play(GAME, state, GAME.parse_move("0: play 3c"))
    again = asked(state, table.lay("3c", (60, -160)))
    assert again.id == "discarded"
    assert [option.value for option in again.options][-1] == "before"
