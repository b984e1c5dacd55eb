"""The live way: moves that explain what now lies on the table, or what is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engines.core import Piece, PieceId, Question, Seat, Verdict, play
from engines.core.zones import Disc, share
from engines.warstones import GAME, State
from engines.warstones.snapshot import Snapshot
from engines.warstones.terms import Place, Spot, chip_seat, chip_unit
from tests.support.questions import asked_of
from tests.support.warstones import (
    cities,
    disc,
    game,
    moves,
    place,
    put,
    refused,
    token,
    with_points,
    with_turn,
)

RESERVES = {0: (211, 24), 1: (561, 816)}
BASES = {0: (400, 95), 1: (400, 805)}


def table_of(state: State, **moved: str | None) -> list[Piece]:
    """Return pieces that lie as the state says, but for some chips.

    ``A_hero_1="450,230"`` puts a chip there, `None` takes it off the table.
    """
    pieces: list[Piece] = []
    counts: dict[tuple[Seat, Spot], int] = {}
    for chip in state.chips:
        name = chip.id.replace(":", "_").replace("-", "_")
        label = state.options.label(chip.id)
        spot = chip.place.spot
        number = counts[chip.seat, spot] = counts.get((chip.seat, spot), -1) + 1
        if name in moved:
            at = moved[name]
            if at is not None:
                x, y = (float(part) for part in at.split(","))
                pieces.append(disc(name, label, x, y))
            continue
        if chip.place.at_mm is not None and spot in {Spot.SECTOR, Spot.MARGIN}:
            pieces.append(disc(name, label, *chip.place.at_mm))
        elif spot is Spot.RESERVE:
            x0, y0 = RESERVES[chip.seat % 2]
            pieces.append(
                disc(name, label, x0 + 33 * (number % 5), y0 + 33 * (number // 5))
            )
        elif spot is Spot.BASE:
            x0, y0 = BASES[chip.seat % 2]
            pieces.append(disc(name, label, x0 + 22 * number, y0))
    return [*pieces, *tokens(state)]


def tokens(state: State) -> list[Piece]:
    spots = {"W": 170, "C": 450, "E": 730}
    return [
        token(f"t{city}", f"city.{name}", spots[city], 450)
        for city, name in state.cities
        if name is not None
    ]


def seen(state: State, pieces: list[Piece]) -> tuple[str, ...] | Question:
    answer = GAME.changes(state, GAME.layout(pieces, state.options))
    if isinstance(answer, Question):
        return answer
    return tuple(map(str, answer))


def ask(state: State, pieces: list[Piece]) -> Question:
    answer = seen(state, pieces)
    assert isinstance(answer, Question), answer
    return answer


def field(state: State, **spots: str) -> State:
    """Return the state with chips on the field, ``A_hero_1="N-C:450,230"``."""
    return put(state, **spots)


def test_nothing_changed_is_no_move() -> None:
    state = field(game(), A_hero_1="N-C:450,150", A_archer_1="base")
    assert seen(state, table_of(state)) == ()


def test_a_hand_on_a_chip_means_wait() -> None:
    state = game()
    pieces = table_of(state, A_hero_1="450,70")
    pieces[0] = replace(pieces[0], touched=True)
    assert seen(state, pieces) == ()


def test_reserves_make_armies_and_tokens_are_drawn_in_the_set_up() -> None:
    start = GAME.setup(GAME.options({}))
    full = game()
    answer = seen(start, table_of(full))
    assert isinstance(answer, tuple)
    assert set(answer) == {
        "A army archer captain hero militia*4",
        "B army skeleton*4 thrower vampire",
        "draw W lateral-1",
        "draw C central-1",
        "draw E lateral-2",
    }
    assert moves(moves(start, *answer), "first A") == full


def test_a_recruit_is_seen() -> None:
    state = game()
    assert seen(state, table_of(state, A_hero_1="450,70")) == ("A recruit A:hero-1",)


def test_recruits_of_both_players_come_in_the_order_of_play() -> None:
    state = with_turn(game(), "B")
    pieces = table_of(state, A_hero_1="450,70", B_vampire_1="450,830")
    assert seen(state, pieces) == ("B recruit B:vampire-1", "A recruit A:hero-1")


def test_of_what_both_players_did_who_was_at_turn_played_first() -> None:
    state = with_turn(field(game(), B_vampire_1="base"), "B")
    pieces = table_of(state, A_hero_1="450,70", B_vampire_1="480,668")
    found = seen(state, pieces)
    assert not isinstance(found, Question)
    deployed, settled, recruited = found
    assert deployed == "B deploy B:vampire-1"
    assert settled.startswith("settle B:vampire-1@F-C")
    assert recruited == "A recruit A:hero-1"


def roughly(state: State, at: str, *answers: tuple[str, str]) -> Snapshot:
    """Return a table on which the Vampire lies there, and was hardly measured."""
    pieces = [
        replace(p, id=PieceId("d7"), covariance_mm2=(23.04, 0.0, 23.04))
        if p.label == "undead.vampire"
        else p
        for p in table_of(state, B_vampire_1=at)
    ]
    seen = GAME.layout(pieces, state.options)
    return replace(seen, answers=answers)


@pytest.mark.parametrize(
    ("at", "kind", "ends"),
    [
        ("204,819", "sector", {"F-W": "F-W:204,819", "outside": "off"}),
        ("450,346", "sector", {"N-C": "N-C:450,346", "M-C": "M-C:450,346"}),
        ("450,790", "area", {"in": "base:450,790", "out": None}),
        ("8,300", "board", {"on": None, "off": None}),
    ],
)
def test_where_a_hardly_measured_chip_counts_is_asked_before_it_is_played(
    at: str, kind: str, ends: dict[str, str | None]
) -> None:
    """A Wraith that lay 30 mm beside the field was said to lie in a sector (5373)."""
    state = with_turn(field(game(), B_vampire_1="M-E:725,410"), "B")
    question = asked_of(GAME, state, roughly(state, at))
    assert question.id == f"{kind}:d7"
    assert [option.value for option in question.options] == list(ends)
    for answer, end in ends.items():
        found = GAME.changes(state, roughly(state, at, (question.id, answer)))
        if end is None:
            assert isinstance(found, Question)
            assert found.id != question.id
        else:
            assert not isinstance(found, Question)
            assert str(found[-1]) == f"settle B:vampire-1@{end}"


def test_in_which_terrain_a_hardly_measured_chip_lies_is_asked() -> None:
    state = with_turn(field(game(), B_vampire_1="M-E:725,410"), "B")
    edge = edge_of_the_forest()
    question = asked_of(GAME, state, roughly(state, edge))
    assert question.id == "terrain:d7"
    for answer, end in (("forest", "N-W/forest"), ("plain", "N-W")):
        found = GAME.changes(state, roughly(state, edge, (question.id, answer)))
        assert not isinstance(found, Question)
        assert str(found[-1]) == f"settle B:vampire-1@{end}:{edge}"


def edge_of_the_forest() -> str:
    """Return where half of a chip lies in the forest of the near west sector."""
    forest = next(a for a in GAME.options({}).mat.terrains if a.id == "forest-1").zone
    inside = (x for x in range(185, 320) if share(forest, Disc(x, 235, 16)).value > 0.5)
    return f"{max(inside)},235"


def test_a_deployed_chip_and_what_it_hit_are_seen() -> None:
    state = field(game(), A_hero_1="base", B_skeleton_1="N-C:450,250")
    pieces = table_of(state, A_hero_1="450,200", B_skeleton_1="500,320")
    assert seen(state, pieces) == (
        "A deploy A:hero-1",
        "settle A:hero-1@N-C:450,200 B:skeleton-1@N-C:500,320",
    )
    pushed_off = table_of(state, A_hero_1="450,200", B_skeleton_1=None)
    assert seen(state, pushed_off) == (
        "A deploy A:hero-1",
        "settle A:hero-1@N-C:450,200 B:skeleton-1@off",
    )


def test_a_declared_flick_needs_only_its_result() -> None:
    state = moves(put(game(), A_hero_1="base"), "A deploy A:hero-1")
    assert seen(state, table_of(state)) == ()
    forest = table_of(state, A_hero_1="185,235")
    assert seen(state, forest) == ("settle A:hero-1@N-W/forest:185,235",)
    for off in ("-50,235", None):
        assert seen(state, table_of(state, A_hero_1=off)) == ("settle A:hero-1@off",)


def test_of_two_alike_chips_in_the_base_the_player_says_if_one_is_gone() -> None:
    state = put(game(), A_militia_1="base", A_militia_2="base")
    state = moves(state, "A deploy A:militia-1")
    question = ask(state, table_of(state, A_militia_2=None))
    assert [o.move for o in question.options] == ["settle A:militia-1@off", None]
    assert question.to == Seat(0)


def test_a_deployed_chip_that_pushed_another_out_and_stayed_in_the_base() -> None:
    state = put(game(), A_hero_1="base", A_captain_1="base")
    state = moves(state, "A deploy A:hero-1")
    assert seen(state, table_of(state, A_captain_1="450,200")) == (
        "settle A:captain-1@N-C:450,200 A:hero-1@base",
    )


def test_a_chip_missing_from_the_base_may_have_been_flicked_off_the_board() -> None:
    state = put(game(), A_hero_1="base", B_vampire_1="base")
    pieces = table_of(state, A_hero_1=None, B_vampire_1="480,668")
    question = ask(state, pieces)
    assert question.id == "left_base:A"
    off, _, wait = question.options
    assert (off.move, wait.move) == ("A deploy A:hero-1", None)
    flicked = moves(state, "A deploy A:hero-1")
    assert seen(flicked, table_of(state, A_hero_1=None)) == ("settle A:hero-1@off",)
    own, pushed = ask(flicked, pieces).options
    assert own.move == "settle A:hero-1@off"
    assert str(pushed.move).startswith("settle A:hero-1@off B:vampire-1@F-C")
    found = seen(moves(flicked, str(own.move)), pieces)
    assert not isinstance(found, Question)
    assert found[0] == "B deploy B:vampire-1"


def test_nothing_is_said_while_people_choose() -> None:
    state = field(game(players=3), A_hero_1="M-W:100,400", C_captain_1="N-W:60,200")
    called = replace(state, options=state.options)
    called = moves(put(called, A_archer_1="base"), "A deploy A:archer-1")
    called = moves(called, "settle A:archer-1@N-E:800,300", "A foul push")
    assert seen(called, []) == ()
    assigner = moves(state, "A besiege M-W")
    assert seen(assigner, []) == ()


def test_a_flicked_field_chip_that_is_gone_went_off() -> None:
    state = put(game(), A_hero_1="N-C:450,200")
    state = moves(state, "A move A:hero-1")
    assert seen(state, table_of(state, A_hero_1=None)) == ("settle A:hero-1@off",)


def test_of_two_alike_chips_the_flicked_one_is_the_one_that_moved() -> None:
    state = put(game(), A_militia_1="base:400,95", A_militia_2="base:440,95")
    state = moves(state, "A deploy A:militia-1")
    pieces = table_of(state, A_militia_1="400,95", A_militia_2="450,200")
    assert seen(state, pieces) == ("settle A:militia-1@N-C:450,200",)


@pytest.mark.parametrize("step", [1, -1])
def test_alike_chips_went_the_shortest_ways_in_whatever_order_they_are_read(
    step: int,
) -> None:
    """The one that was deployed took the place of the one it had pushed, and that one
    flew across the board: so the chips were read (Warstones 5795)."""
    state = put(game(), A_militia_1="N-C:494,310", A_militia_2="base")
    state = moves(state, "A deploy A:militia-2")
    pieces = table_of(state, A_militia_1="483,362", A_militia_2="466,729")
    assert seen(state, pieces[::step]) == (
        "settle A:militia-1@M-C:483,362 A:militia-2@F-C:466,729",
    )


def test_a_movement_is_seen_even_inside_one_sector() -> None:
    state = field(game(), A_hero_1="N-C:450,200")
    assert seen(state, table_of(state, A_hero_1="480,220")) == (
        "A move A:hero-1",
        "settle A:hero-1@N-C:480,220",
    )
    assert seen(state, table_of(state, A_hero_1="453,202")) == (), "only jitter"


def test_when_two_own_chips_moved_the_player_says_which_was_flicked() -> None:
    state = field(game(), A_hero_1="N-C:450,200", A_captain_1="N-C:500,200")
    pieces = table_of(state, A_hero_1="480,220", A_captain_1="540,240")
    question = ask(state, pieces)
    assert question.to == Seat(0)
    assert [o.move for o in question.options] == [
        "A move A:captain-1",
        "A move A:hero-1",
    ]
    # After the answer the rest follows.
    state = moves(state, "A move A:hero-1")
    assert seen(state, pieces) == (
        "settle A:captain-1@N-C:540,240 A:hero-1@N-C:480,220",
    )


def test_a_movement_or_an_ability_that_flicks_is_asked() -> None:
    state = field(game(), A_captain_1="N-C:450,200")
    question = ask(state, table_of(state, A_captain_1="480,300"))
    assert [option.move for option in question.options] == [
        "A move A:captain-1",
        "A ability A:captain-1 charge",
    ]
    poor = with_points(state, A=2)
    assert seen(poor, table_of(poor, A_captain_1="480,300")) == (
        "A ability A:captain-1 charge",
        "settle A:captain-1@N-C:480,300",
    )


def test_enemy_units_taken_away_were_attacked() -> None:
    state = field(
        game(),
        A_hero_1="N-C:450,200",
        B_skeleton_1="N-C:500,300",
        B_skeleton_2="N-C:400,300",
    )
    state = put(state, A_captain_1="N-C:520,200")
    answer = seen(state, table_of(state, B_skeleton_1=None))
    assert answer == ("A attack N-C B", "A destroys B:skeleton-1")


def test_an_attack_that_needs_distant_units_names_them() -> None:
    state = field(
        game(),
        A_captain_1="N-C:450,200",
        A_archer_1="N-W:250,150",
        B_thrower_1="N-C:500,300",
    )
    state = put(state, B_thrower_1="N-C:500,300", A_militia_1="reserve")
    answer = seen(state, table_of(state, B_thrower_1=None))
    assert answer == (
        "A attack N-C B with A:archer-1",
        "A destroys B:thrower-1",
    )


def test_a_conquest_is_followed_step_by_step() -> None:
    state = field(
        game(),
        A_hero_1="M-W:100,400",
        A_militia_1="M-W:100,500",
        B_skeleton_1="M-W:240,500",
    )
    pieces = table_of(
        state, A_hero_1="450,70", A_militia_1=None, B_skeleton_1="450,830"
    )
    pieces = [p for p in pieces if p.id != "tW"]
    pieces.append(token("new", "city.lateral-4", 170, 450))
    assert seen(state, pieces) == (
        "A besiege M-W",
        "B destroys A:militia-1",
        "B returns B:skeleton-1",
        "draw W lateral-4",
    )


def test_chips_that_nobody_has_carried_home_yet_are_no_new_move() -> None:
    state = field(game(), A_hero_1="M-W:100,400", A_militia_1="M-W:100,500")
    state = moves(state, "A besiege M-W", "B destroys A:militia-1")
    assert place(state, "A:hero-1") == "base"
    both = table_of(state, A_hero_1="100,400", A_militia_1="100,500")
    assert seen(state, both) == ()
    state = moves(state, "draw W lateral-3")
    assert seen(state, table_of(state, A_hero_1="100,400")) == ()
    assert seen(state, table_of(state)) == ()


def test_an_own_unit_gone_from_a_city_sector_may_be_a_failed_siege() -> None:
    state = field(game(), A_militia_1="M-C:330,400", A_militia_2="M-C:370,380")
    question = ask(state, table_of(state, A_militia_1=None))
    answers = [option.move for option in question.options]
    assert answers == ["A move A:militia-1", "A besiege M-C"]
    state = moves(state, "A besiege M-C")
    assert seen(state, table_of(state, A_militia_1=None)) == ("B destroys A:militia-1",)


def test_an_own_unit_gone_elsewhere_was_flicked_off() -> None:
    state = field(game(), A_hero_1="N-C:450,200")
    assert seen(state, table_of(state, A_hero_1=None)) == (
        "A move A:hero-1",
        "settle A:hero-1@off",
    )


def test_the_choice_of_an_overfull_base_is_seen() -> None:
    state = put(
        game(),
        **dict.fromkeys(
            ("A_archer_1", "A_captain_1", "A_hero_1", "A_militia_1", "A_militia_2"),
            "base",
        ),
        A_militia_3="N-C:450,300",
        B_skeleton_1="base",
    )
    state = moves(
        with_turn(state, "B"),
        "B deploy B:skeleton-1",
        "settle A:militia-3@off B:skeleton-1@N-C:450,300",
    )
    assert state.overfull == Seat(0)
    assert seen(state, table_of(state, A_hero_1="210,20")) == ("A excess A:hero-1",)


def test_an_illegal_play_is_reported_as_the_move_that_judge_refuses() -> None:
    state = game()
    wrong_turn = seen(state, table_of(state, B_vampire_1="450,830"))
    assert wrong_turn == ("B recruit B:vampire-1",)
    assert refused(state, wrong_turn[0]) == ("4.1", "not_on_turn")
    unrecruited = seen(state, table_of(state, A_hero_1="450,230"))
    assert unrecruited == ("A deploy A:hero-1",)
    assert refused(state, unrecruited[0]) == ("4.3", "not_in_base")
    state = field(game(), B_vampire_1="F-C:450,700")
    foreign = seen(state, table_of(state, B_vampire_1="450,600"))
    assert foreign == ("B move B:vampire-1",)


def test_what_no_move_explains_is_asked() -> None:
    state = put(game(), A_hero_1="base")
    question = ask(state, table_of(state, A_hero_1="210,85"))
    assert [o.value for o in question.options] == ["keep", "restore"]
    keep = question.options[0].move
    assert keep is not None
    after = play(GAME, state, GAME.parse_move(keep))
    assert place(after, "A:hero-1") == "reserve"
    two = field(game(), B_vampire_1="F-C:450,700", B_thrower_1="F-W:170,700")
    question = ask(two, table_of(two, B_vampire_1="450,600", B_thrower_1="170,600"))
    assert question.id.startswith("unexplained")
    gone = ask(two, table_of(two, B_vampire_1=None, B_thrower_1=None))
    assert gone.options[0].move is not None
    assert gone.options[0].move.endswith("@lost")


def test_a_doubt_carries_the_moves_that_its_answers_mean() -> None:
    state = put(game(), A_hero_1="base")
    unread = disc("x", None, 450, 200, candidates=(("empire.hero", 0.6),))
    pieces = [*table_of(state, A_hero_1=None), unread]
    question = ask(moves(state, "A deploy A:hero-1"), pieces)
    assert question.id == "unit:x"
    by_value = {option.value: option.move for option in question.options}
    assert by_value["empire.hero"] == "settle A:hero-1@N-C:450,200"


def test_what_is_no_chip_is_said_and_asked_no_more() -> None:
    state = game()
    pieces = [*table_of(state), disc("x", None, 450, 200)]
    none = ask(state, pieces).options[-1]
    assert (none.value, none.move) == ("none", None)
    snapshot = GAME.layout(pieces, state.options)
    said = replace(snapshot, answers=(("unit:x", "none"),))
    assert GAME.changes(state, said) == ()
    sheet = GAME.score_table(snapshot, state.options, {"unit:x": "none"})
    assert "unit:x" not in {question.id for question in sheet.questions}


def test_a_touch_that_may_have_destroyed_is_asked() -> None:
    state = put(
        game(players=4),
        D_wraith_1="base",
        A_hero_1="N-E:800,200",
    )
    state = moves(with_turn(state, "D"), "D deploy D:wraith-1")
    pieces = [disc("w", "undead.wraith", 820, 310)]
    question = ask(only_two_factions(state), pieces)
    assert [option.move for option in question.options] == [
        "settle A:hero-1@off D:wraith-1@N-E:820,310",
        "settle A:hero-1@lost D:wraith-1@N-E:820,310",
    ]


def only_two_factions(state: State) -> State:
    """Return the state with only A and D having the factions of the sample kit."""
    factions = ("empire", "none", "none", "undead")
    return replace(
        state,
        options=replace(state.options, factions=factions),
        chips=tuple(c for c in state.chips if chip_seat(c.id) in {0, 3}),
    )


def test_a_wrong_counter_is_noticed_when_nothing_else_changed() -> None:
    state = with_points(game(), A=4)
    right = token("ca", "counter", 545 + 27 * 4.5, 75)
    assert seen(state, [*table_of(state), right]) == ()
    wrong = replace(right, x_mm=545 + 27 * 2.5)
    question = ask(state, [*table_of(state), wrong])
    assert question.default == "counter"
    assert [option.move for option in question.options] == [None, "referee points A=2"]


def test_a_finished_game_sees_nothing_more() -> None:
    state = moves(put(game(points_to_win=1), A_hero_1="M-W"), "A besiege M-W")
    assert seen(state, [*cities()]) == ()


def test_a_chip_on_the_margin_is_settled_by_the_agreement() -> None:
    state = moves(put(game(margin="stay"), A_hero_1="base"), "A deploy A:hero-1")
    pieces = table_of(state, A_hero_1="890,450")
    assert seen(state, pieces) == ("settle A:hero-1@margin:890,450",)
    away = moves(put(game(), A_hero_1="base"), "A deploy A:hero-1")
    answer = seen(away, table_of(away, A_hero_1="890,450"))
    assert answer == ("settle A:hero-1@off",)


def test_what_changes_says_leads_to_what_is_seen() -> None:
    state = field(game(), A_hero_1="base", B_skeleton_1="N-C:450,250")
    pieces = table_of(state, A_hero_1="450,200", B_skeleton_1="500,320")
    answer = GAME.changes(state, GAME.layout(pieces, state.options))
    assert isinstance(answer, tuple)
    for move in answer:
        assert GAME.judge(state, move).verdict is Verdict.UPHELD
        state = GAME.advance(state, move)
    assert seen(state, pieces) == ()
    assert {chip_unit(c.id) for c in state.in_sector("N-C")} == {"hero", "skeleton"}
    assert Place.parse("N-C:450,200") in {c.place for c in state.chips}
