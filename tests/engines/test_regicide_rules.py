"""The rules of Regicide one by one; the numbers are headings of its RULES.md."""

import ast
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

import engines.regicide
from engines.core import (
    JOKER,
    Card,
    IllegalMoveError,
    NotationError,
    OptionError,
    Outcome,
    Ruling,
    Seat,
    Verdict,
    load_kit,
    message_ids,
    play,
)
from engines.regicide import GAME
from engines.regicide.cards import COMMONERS, ROYALS, tavern_cards
from engines.regicide.moves import Play
from engines.regicide.options import Options, OverDiscard, RetroSpades
from engines.regicide.sets import is_set, together
from engines.regicide.state import Action, Ending, Phase, State
from tests.support.regicide import cards

FOLDER = Path(engines.regicide.__file__).parent


def table(
    hands: str,
    *,
    enemy: str = "Jh",
    tavern: str = "",
    discard: str = "",
    options: Options | None = None,
) -> State:
    """A fight in phase one; hands are parted by bars, piles begin at the top."""
    held = tuple(cards(hand) for hand in hands.split("|"))
    return State(
        options or Options(players=len(held)),
        phase=Phase.PLAY,
        castle=(None,) * 8,
        tavern=cards(tavern),
        discard=cards(discard),
        hands=held,
        last=(None,) * len(held),
        enemy=Card.parse(enemy),
        started=True,
    )


def after(state: State, *moves: str) -> State:
    for move in moves:
        state = play(GAME, state, GAME.parse_move(move))
    return state


def refused(state: State, move: str) -> Ruling:
    ruling = GAME.judge(state, GAME.parse_move(move))
    assert ruling.verdict is Verdict.REJECTED, move
    assert "{" not in ruling.reason.render("it")
    return ruling


def outcome(state: State) -> Outcome:
    found = GAME.outcome(state)
    assert found is not None
    return found


def test_rule_2_the_castle_is_twelve_royals_in_the_order_of_their_ranks() -> None:
    state = GAME.setup(Options())
    assert refused(state, "castle Jh Jd").rule.number == "2"
    jacks, queens, kings = "Jc Jd Jh Js", "Qc Qd Qh Qs", "Kc Kd Kh Ks"
    ruling = refused(state, f"castle {jacks} {kings} {queens}")
    assert str(ruling.reason) == "card 5 from the top is K♣, but a Queen belongs there"
    state = after(state, f"castle {jacks} {queens} {kings}")
    assert state.enemy == Card.parse("Jc")


def test_rule_2_an_enemy_comes_only_once_and_in_its_turn() -> None:
    state = after(GAME.setup(Options()), "castle ?")
    assert "Jack is next" in str(refused(state, "reveal Qh").reason)
    state = after(state, "reveal Jh", "tavern ?", "start 1")
    assert state.current == 1
    fallen = replace(
        state, phase=Phase.REVEAL, enemy=None, discard=(*cards("Jh"), *state.discard)
    )
    assert "already" in str(refused(fallen, "reveal Jh").reason)


def test_rule_1_the_tavern_holds_exactly_the_cards_of_the_player_count() -> None:
    state = after(GAME.setup(Options(players=3)), "castle ?", "reveal Jh")
    whole = " ".join(map(str, tavern_cards(3)))
    assert after(state, f"tavern {whole}").phase is Phase.START
    assert "X" not in str(refused(state, f"tavern {whole} Jc").reason)
    assert "Joker" in str(refused(state, f"tavern {whole[:-2]}").reason)


def test_rule_1_2_without_jokers_in_the_tavern_none_is_played() -> None:
    unknown = replace(table("5h|5d"), hands=((None,) * 3, (None,) * 3))
    assert refused(unknown, "0: play X").rule.number == "1.2"


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("0: play 6h 6d", "come to 12"),
        ("0: play 2h 3d", "one number"),
        ("0: play Jh Jd", "royals are never combined"),
        ("0: play Ah 2d 2c", "exactly one other card"),
        ("0: play Ah Ad Ac", "no more than two"),
        ("0: play X 5h", "alone"),
        ("0: play", "at least one card"),
        ("0: play 5h 5h", "exists only once"),
    ],
)
def test_rule_4_1_an_illegal_set_is_refused_with_its_reason(
    move: str, words: str
) -> None:
    hand = "6h 6d 2h 3d Jh Jd Ah 2d 2c Ad Ac X 5h"
    ruling = refused(table(f"{hand}|||"), move)
    assert ruling.rule.number == "4.1"
    assert words in str(ruling.reason)


def test_rule_4_1_the_quick_test_of_a_set_agrees_with_the_reasons() -> None:
    deck = (*COMMONERS, *ROYALS, JOKER)
    for size in (0, 1, 2):
        for chosen in combinations(deck, size):
            assert is_set(chosen) is (together(chosen) is None)
    small = [card for card in deck if str(card)[0] in "AX23J"]
    for size in (3, 4, 5):
        for chosen in combinations(small, size):
            assert is_set(chosen) is (together(chosen) is None)
    assert not is_set((*cards("5h 5h"),))


def test_rule_4_1_only_cards_of_the_own_hand_are_played() -> None:
    state = table("5h 7c|9d")
    assert "does not hold 9♦" in str(refused(state, "0: play 9d").reason)
    assert refused(state, "1: play 9d").rule.number == "4"


def test_rule_4_1_an_unknown_hand_may_hold_any_card_not_seen_elsewhere() -> None:
    state = replace(table("|9d", discard="3c"), hands=((None, None), cards("9d")))
    assert after(state, "0: play 8d Ac").plays[0].cards == cards("8d Ac")
    for seen in ("9d", "3c", "Jh"):
        assert refused(state, f"0: play {seen}").rule.number == "4.1"
    # All Kings are still in the Castle.
    assert refused(state, "0: play Kc").rule.number == "4.1"


def test_rule_4_2_nobody_yields_when_all_others_did_on_their_last_turn() -> None:
    state = table("10h|10d|10c")
    state = after(state, "0: yield", "0: discard 10h", "1: yield", "1: discard 10d")
    assert refused(state, "2: yield").rule.number == "4.2"
    assert after(state, "2: play 10c").last[2] is Action.PLAY


def test_rule_4_3_discarding_goes_on_until_the_damage_is_covered() -> None:
    state = after(table("2s 3d 4h 9c|5h"), "0: yield")
    state = after(state, "0: discard 3d")
    assert state.suffer == 7
    assert "still has damage to cover: 7" in str(refused(state, "1: play 5h").reason)
    state = after(state, "0: discard 9c")
    assert state.current == 1
    assert state.hands[0] == cards("2s 4h")
    assert state.discard == cards("9c 3d")


def test_rule_r_08_no_card_more_than_needed_unless_the_table_agreed() -> None:
    state = after(table("10d 2h 10h|5h"), "0: yield")
    assert refused(state, "0: discard 10d 10h").rule.number == "R-08"
    assert after(state, "0: discard 10d 2h").current == 1
    free = Options(players=2, over_discard=OverDiscard.FREE)
    assert after(replace(state, options=free), "0: discard 10d 10h").current == 1


def test_rule_r_21_a_joker_is_discarded_as_nothing_while_damage_is_left() -> None:
    state = after(table("X 10d 5c|5h|5d"), "0: yield")
    assert after(state, "0: discard 10d X").hands[0] == cards("5c")
    assert after(state, "0: discard X").suffer == 10


def test_rule_4_3_unnoted_discards_count_only_from_an_unknown_hand() -> None:
    known = after(table("10d 5c|5h"), "0: yield")
    assert refused(known, "0: cover 1").rule.number == "4.3"
    hands = ((None,) * 3, cards("5h"))
    unknown = after(replace(table("|5h"), hands=hands), "0: yield")
    covered = after(unknown, "0: cover 2")
    assert covered.hands[0] == (None,)
    assert covered.discard == (None, None)
    assert refused(unknown, "0: cover 4").rule.number == "4.3"


def test_rule_4_4_after_a_joker_its_player_chooses_and_play_goes_on_from_there() -> (
    None
):
    state = after(table("X 5c|5h|9d 10d"), "0: play X")
    assert state.phase is Phase.CHOOSE
    assert not state.immune
    assert refused(state, "1: next 1").rule.number == "4"
    assert refused(state, "0: next 3").rule.number == "1.2"
    state = after(state, "0: next 2", "2: play 9d", "2: discard 10d")
    assert state.current == 0


def test_rule_r_03_the_player_of_the_joker_may_be_told_to_choose_another() -> None:
    state = after(table("X 5c|5h|9d"), "0: play X")
    assert after(state, "0: next 0").current == 0
    strict = replace(state, options=Options(players=3, joker_self=False))
    assert refused(strict, "0: next 0").rule.number == "R-03"


def test_rule_r_20_a_second_joker_still_skips_and_chooses() -> None:
    state = after(table("X X|5h|5d|5s", enemy="Js"), "0: play X", "0: next 0")
    state = after(state, "0: play X")
    assert state.phase is Phase.CHOOSE
    assert len(state.plays) == 2


def test_rule_r_23_a_player_without_cards_is_chosen_with_a_warning() -> None:
    state = after(table("X 5c||9d"), "0: play X")
    (question,) = GAME.questions(state)
    assert "no cards" in str(question.options[1].text)
    state = replace(state, last=(Action.YIELD, None, Action.YIELD))
    (question,) = GAME.questions(state)
    assert "would be lost" in str(question.options[1].text)
    assert after(state, "0: next 1").ending is Ending.STUCK


def test_rule_4_6_a_wrong_number_of_cards_is_put_right_or_left_to_the_group() -> None:
    tavern = "2c 3c 4c 5c 6c 7c 8c 9c"
    state = table("4d 2s 2d 2h 3s|3h", tavern=tavern)
    state = after(state, "0: play 4d")
    assert "draws 2, not 3" in str(refused(state, "draw 3 1").reason)
    assert "cannot be waived" in str(refused(state, "draw 1 3").reason)
    assert "hand limit is 7" in str(refused(state, "draw 4 0").reason)
    assert refused(state, "draw 4").rule.number == "5.2"
    assert refused(state, "0: discard 2s").rule.number == "5.2"
    wrong = after(state, "misdraw 3 1")
    (question,) = GAME.questions(wrong)
    assert [option.move for option in question.options] == [
        "settle return",
        "settle keep",
    ]
    kept = after(wrong, "settle keep")
    assert [len(hand) for hand in kept.hands] == [7, 2]
    assert after(wrong, "settle return") == after(state, "draw 2 2")
    assert refused(state, "misdraw 2 2").rule.number == "4.6"
    assert refused(state, "misdraw 4 0").rule.number == "4.6"


def test_rule_5_1_hearts_move_named_or_counted_cards_under_the_tavern() -> None:
    state = table("3h 10s 2c|5d", enemy="Jc", tavern="9s", discard="4c 6d 8h 9h")
    state = after(state, "0: play 3h")
    assert refused(state, "heal 2").rule.number == "5.1"
    assert refused(state, "heal 4c 6d 9s").rule.number == "5.1"
    assert refused(state, "0: discard 10s").rule.number == "5.1"
    named = after(state, "heal 9h 4c 6d")
    assert named.tavern == cards("9s 9h 4c 6d")
    assert named.discard == cards("8h")
    counted = after(state, "heal 3")
    assert counted.tavern == (*cards("9s"), None, None, None)
    assert counted.discard == (None,)


def test_rule_3_a_card_may_come_to_light_on_a_reshuffled_discard_pile() -> None:
    state = table("3h 10s 2c|5d", enemy="Jc", tavern="9s", discard="4c 6d 8h 9h")
    assert refused(state, "top 4c").rule.number == "3"
    state = after(state, "0: play 3h", "heal 3", "top 4c")
    assert state.discard == cards("4c")
    assert refused(state, "top 6d").rule.number == "3"


def test_rule_5_2_cards_are_drawn_one_each_in_turn() -> None:
    tavern = "2c 3c 4c 5c 6c 7c"
    state = after(table("5d 10h|3h|10s", tavern=tavern), "0: play 5d", "draw 2 2 1")
    assert state.hands == (cards("10h 2c 5c"), cards("3h 3c 6c"), cards("10s 4c"))
    assert state.tavern == cards("7c")


@pytest.mark.parametrize(
    ("counting", "shield"),
    [(RetroSpades.ATTACK_VALUE, 6), (RetroSpades.CARD_VALUE, 3)],
)
def test_rule_r_05_earlier_spades_begin_to_count_after_a_joker(
    counting: RetroSpades, shield: int
) -> None:
    options = Options(players=3, retro_spades=counting)
    state = table("3s 3d 10h|X|5c", enemy="Js", options=options)
    state = after(state, "0: play 3s 3d", "0: discard 10h")
    assert (state.shield, state.attack) == (0, 10)
    state = after(state, "1: play X")
    assert (state.shield, state.attack) == (shield, 10 - shield)


def test_rule_r_04_earlier_clubs_are_not_doubled_after_a_joker() -> None:
    state = table("5c 10h|X|6c 10d", enemy="Jc")
    state = after(state, "0: play 5c", "0: discard 10h", "1: play X", "1: next 2")
    assert state.dealt == 5
    assert after(state, "2: play 6c").dealt == 17


def test_rule_5_6_an_exact_hit_puts_the_enemy_on_the_tavern() -> None:
    state = replace(table("10c 2h|5d", tavern="9s"), castle=cards("Jd"))
    state = after(state, "0: play 10c")
    assert state.tavern == cards("Jh 9s")
    assert state.discard == cards("10c")
    assert state.enemy == Card.parse("Jd")
    assert (state.current, state.phase) == (0, Phase.PLAY)


def test_rule_5_6_more_than_enough_puts_the_enemy_on_the_discard_pile() -> None:
    state = replace(table("10c Ad|5d", discard="9s"), castle=cards("Jd"))
    state = after(state, "0: play 10c Ad")
    assert state.discard == cards("Ad 10c Jh 9s")


def test_rule_6_everybody_wins_with_the_fourth_king() -> None:
    state = replace(table("Kc|5d", enemy="Kd"), castle=())
    state = after(state, "0: play Kc")
    assert outcome(state).winners == (0, 1)
    assert refused(state, "1: play 5d").rule.number == "6"
    assert refused(state, "0: say hand_size").rule.number == "6"
    assert GAME.questions(state) == ()
    assert list(GAME.legal_moves(state) or ()) == []


def test_rule_6_everybody_loses_when_a_hand_cannot_cover() -> None:
    state = after(table("2s 5c|9d"), "0: play 2s")
    assert state.ending is Ending.NOT_COVERED
    assert str(outcome(state).reason).startswith("player 1 cannot cover")
    assert outcome(state).winners == ()


def test_rule_6_nobody_gives_up_while_the_hand_shows_a_way() -> None:
    state = table("10h 2c|5d")
    assert "still play" in str(refused(state, "0: lost").reason)
    state = after(state, "0: yield")
    assert "still covers" in str(refused(state, "0: lost").reason)


def test_rule_6_a_player_whose_hand_nobody_knows_may_say_it_is_lost() -> None:
    hands = ((None,) * 2, cards("5h"))
    state = after(replace(table("|5h"), hands=hands), "0: yield")
    (question,) = GAME.questions(state)
    assert [option.move for option in question.options] == [
        "0: cover 1",
        "0: cover 2",
        "0: lost",
    ]
    assert after(state, "0: lost").ending is Ending.NOT_COVERED


def solo(hand: str, **values: str) -> State:
    state = table(hand, options=Options(players=1), **values)
    return replace(state, jokers=2)


def test_rule_7_2_a_lone_player_flips_twice_in_phase_one_or_four() -> None:
    state = solo("2c 3c", tavern="4h 5h 6h 7h 8h 9h 10h 4d 5d", discard="9c")
    state = after(state, "0: flip")
    assert state.hands[0] == cards("4h 5h 6h 7h 8h 9h 10h 4d")
    assert state.discard == cards("3c 2c 9c")
    state = after(state, "0: play 4d", "draw 1", "0: flip")
    assert state.phase is Phase.OVER
    assert state.ending is Ending.NOT_COVERED


def test_rule_7_2_no_flip_after_the_first_discard() -> None:
    state = after(solo("2s 5c 9d", tavern="4h"), "0: play 2s", "0: discard 5c")
    assert refused(state, "0: flip").rule.number == "7.2"
    assert refused(table("5h|5d"), "0: flip").rule.number == "7.2"
    spent = replace(solo("5c"), jokers=0)
    assert refused(spent, "0: flip").rule.number == "7.2"


def test_rule_r_01_a_lone_player_yields_only_if_the_table_agreed() -> None:
    assert refused(solo("10c"), "0: yield").rule.number == "R-01"
    agreed = replace(solo("10c"), options=Options(players=1, solo_yield=True))
    assert after(agreed, "0: yield").phase is Phase.SUFFER
    behind = replace(agreed, hands=((),), shield=20)
    assert after(behind, "0: yield").phase is Phase.PLAY
    assert after(behind, "0: lost").ending is Ending.STUCK
    (question,) = GAME.questions(behind)
    assert [option.move for option in question.options] == [
        "0: yield",
        "0: flip",
        "0: lost",
    ]


def test_rule_r_15_only_the_top_of_the_discard_pile_is_shown() -> None:
    state = table("5h|5d", discard="9s 8s 7s")
    assert GAME.view(state, None)["discard"] == ["9s"]
    assert GAME.view(state, None)["discard_size"] == 3
    browsed = replace(state, options=Options(discard_browse=True))
    assert GAME.view(browsed, None)["discard"] == ["9s", "8s", "7s"]


def test_rule_4_5_forbidden_talk_is_a_reminder_and_changes_nothing() -> None:
    state = table("5h|5d")
    ruling = refused(state, "1: say suit_wish")
    assert ruling.rule.number == "4.5"
    assert str(ruling.reason).startswith("a reminder")
    assert refused(state, "2: say hand_size").rule.number == "1.2"


def test_an_illegal_move_raises_with_the_ruling_when_it_is_played() -> None:
    with pytest.raises(IllegalMoveError) as caught:
        play(GAME, table("6h 6d|5d"), Play(Seat(0), cards("6h 6d")))
    assert str(caught.value.ruling.rule) == "4.1"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("0:", 3),
        ("x: play 5h", 1),
        ("0: plays 5h", 4),
        ("0: play 5z", 9),
        ("0: yield now", 10),
        ("0: next", 8),
        ("0: cover 1 2", 12),
        ("0: say nonsense", 8),
        ("heal", 5),
        ("heal 3 4c", 8),
        ("castle ? Jh", 10),
        ("settle maybe", 8),
        ("draw 01", 6),
        ("start 99999", 7),
        ("deal", 1),
        ("reveal", 7),
    ],
)
def test_bad_notation_names_the_column_and_what_was_expected(
    text: str, column: int
) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse_move(text)
    assert caught.value.column == column
    assert caught.value.expected


@pytest.mark.parametrize(
    "values",
    [
        {"player": 2},
        {"players": 5},
        {"players": True},
        {"players": None},
        {"soloYield": 1},
        {"retroSpades": "all"},
        {"overDiscard": False},
    ],
)
def test_a_wrong_option_is_an_error(values: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        GAME.options(values)


def test_options_are_read_by_the_keys_of_the_rules() -> None:
    values = {
        "players": "3",
        "soloYield": "true",
        "jokerSelf": False,
        "retroSpades": "cardValue",
        "overDiscard": "free",
        "discardBrowse": True,
    }
    assert GAME.options(values) == Options(
        3, True, False, RetroSpades.CARD_VALUE, OverDiscard.FREE, True
    )
    assert GAME.options({}) == Options()


def test_every_rule_number_in_the_code_is_a_heading() -> None:
    text = (FOLDER / "RULES.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^#+ (\S+) ", text, re.MULTILINE))
    cited = set()
    for file in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                cited |= set(re.findall(r"^(?:\d\.\d|[R]-\d\d|[1-8])$", node.value))
    cited -= set("345678")  # ranks of cards
    assert {"2", "4.1", "R-08"} <= cited
    assert cited <= headings


def test_every_message_is_used() -> None:
    code = "".join(f.read_text(encoding="utf-8") for f in FOLDER.glob("*.py"))
    built = re.compile(
        r"^(title|due|claim|may|statement|talk|rank|medal|claim_settle)_"
    )
    unused = [
        name
        for name in message_ids("regicide")
        if f'"regicide.{name}"' not in code
        and f'"{name}"' not in code
        and not built.match(name)
    ]
    assert unused == []


def test_the_kit_is_a_common_deck_with_two_jokers() -> None:
    kit = load_kit("regicide")
    assert sum(face.copies for face in kit.faces) == 54
    assert {face.label for face in kit.faces} == {
        str(card) for card in (*COMMONERS, *ROYALS, JOKER)
    }
    assert kit.copies("X") == 2
    assert all(face.name("it") and face.name("en") for face in kit.faces)
