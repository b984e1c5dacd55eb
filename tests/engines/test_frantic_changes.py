"""The live way: moves that explain the table, or the question to be asked."""

from dataclasses import replace

from engines.core import Question, Seat, Verdict
from engines.frantic import GAME
from engines.frantic.cards import Colour
from engines.frantic.event import Event
from engines.frantic.snapshot import LaidHand, Seen, Snapshot
from engines.frantic.state import State, Top
from tests.support.frantic import cards, event_now, playing, table
from tests.support.questions import asked_of

RED_FOUR = Top(colour=Colour.RED, number=4)


def seen(*labels: str) -> tuple[Seen, ...]:
    return tuple(
        Seen(f"{label}#{n}", None if label == "?" else label)
        for n, label in enumerate(labels)
    )


def look(*discard: str, events: str = "", market: str = "", **hands: str) -> Snapshot:
    """A snapshot; hands are named by their place: ``p1="R5 G3"``."""
    laid = tuple(
        LaidHand(seen(*hand.split()), Seat(int(name[1:]) - 1))
        for name, hand in hands.items()
    )
    return Snapshot(seen(*discard), seen(*events.split()), seen(*market.split()), laid)


def live(hands: int = 3, discard: str = "R4", size: int = 4) -> State:
    """A game in which the camera has seen no hand; player 1 is to move."""
    state = table(*(" ".join("?" * size) for _ in range(hands)), top=RED_FOUR)
    pile = state.pile[len(cards(discard)) :]
    return replace(state, pile=pile, discard=cards(discard))


def found(state: State, snapshot: Snapshot) -> list[str]:
    result = GAME.changes(state, snapshot)
    assert isinstance(result, tuple), result
    return [str(move) for move in result]


def asked(state: State, snapshot: Snapshot) -> Question:
    return asked_of(GAME, state, snapshot)


def test_nothing_new_is_no_move() -> None:
    assert found(live(), look("R4")) == []
    assert found(live(discard="B4 R4"), look("B4", "R4")) == []
    assert found(live(), look()) == []


def test_a_new_card_on_one_of_its_face_is_asked_about() -> None:
    state, again = live(discard="B4 R4"), look("R4")
    assert found(state, replace(again, new=frozenset({"B4#0"}))) == []
    pushed = asked(state, replace(again, new=frozenset({"R4#0"})))
    assert pushed.pieces == ("R4#0",)
    assert [option.move for option in pushed.options] == [None, "p1 play R4"]
    drawn = playing(state, "p1 draw")
    pushed = asked(drawn, replace(again, new=frozenset({"R4#0"})))
    moves = [option.move for option in pushed.options]
    assert moves == [None, "p1 play R4", "p1 pass"]
    # What explains the card is no second one.
    assert found(live(), replace(look("R4", "R7"), new=frozenset({"R7#1"}))) == [
        "p1 play R7"
    ]


def test_what_comes_on_a_card_that_is_asked_about_waits() -> None:
    """Whose turn it is depends on whether that was another card."""
    state = live(discard="B4 R4")
    both = replace(look("R4", "R7"), new=frozenset({"R4#0", "R7#1"}))
    assert asked(state, both).pieces == ("R4#0",)
    answered = playing(state, "p1 play R4")
    later = replace(both, new=frozenset({"R7#1"}))
    assert found(answered, later) == ["p2 play R7"]
    assert found(state, later) == ["p1 play R7"]  # it was the same one, pushed


def test_while_a_hand_is_on_the_table_nothing_is_read() -> None:
    assert found(live(), replace(look("R4", "R7"), is_touched=True)) == []


def test_the_start_card_is_turned() -> None:
    state = playing(GAME.setup(GAME.options({"players": 3})), "deal ?")
    assert found(state, look("R4")) == ["flip R4"]
    assert found(state, look()) == []


def test_several_cards_are_explained_at_once() -> None:
    state = live(discard="B4 R4")
    expected = ["p1 play R7", "p2 play G7", "p3 play G1"]
    assert found(state, look("R4", "R7", "G7", "G1")) == expected
    assert found(state, look("B4", "R7")) == ["p1 play R7"]
    assert found(state, look("R7")) == ["p1 play R7"]


def test_a_second_copy_on_the_first_is_a_new_card() -> None:
    assert found(live(), look("R4", "R4")) == ["p1 play R4"]


def test_an_illegal_card_is_reported_and_nothing_after_it() -> None:
    state = live()
    (text,) = found(state, look("R4", "B7", "B9"))
    assert text == "p1 play B7"
    ruling = GAME.judge(state, GAME.parse_move(text))
    assert ruling.verdict is Verdict.REJECTED
    assert str(ruling.rule) == "4.2"


def test_moves_stop_where_a_person_has_to_speak() -> None:
    assert found(live(), look("R4", "R-gift", "R9")) == ["p1 play R-gift"]


def test_after_a_draw_it_is_asked_who_played() -> None:
    state = playing(live(), "p1 draw")
    question = asked(state, look("R4", "R9"))
    assert [option.move for option in question.options] == ["p1 play R9", "p1 pass"]
    passed = playing(state, "p1 pass")
    assert found(passed, look("R4", "R9")) == ["p2 play R9"]


def test_a_card_that_is_gone_again_is_asked_about() -> None:
    state = playing(live(), "p1 play R9")
    question = asked(state, look("R4"))
    assert [option.move for option in question.options] == [None, "p2 play R4"]


def test_an_unread_card_is_asked_about_and_may_be_the_old_one() -> None:
    question = asked(live(), look("?"))
    assert question.id == "card.?#0"
    assert question.options[0].value == "same"
    assert question.options[0].move is None
    assert "p1 play R9" in {option.move for option in question.options}
    start = playing(GAME.setup(GAME.options({"players": 3})), "deal ?")
    options = asked(start, look("?")).options
    assert "flip R9" in {option.move for option in options}


def test_what_lies_unread_where_no_pile_is_seen_is_asked_about() -> None:
    """The draw pile was not read; the start card beside it was taken for a hand, and
    lost in silence when a card came on it (5308)."""
    start = playing(GAME.setup(GAME.options({"players": 3})), "deal ?")
    for state in (start, live()):
        alone = Snapshot(hands=(LaidHand(seen("?", "Y4"), None),))
        question = asked(state, alone)
        assert (question.id, question.pieces) == ("card.?#0", ("?#0",))
        assert {option.move for option in question.options} == {None}
        assert found(state, look(p2="?")) == []
    assert found(start, look("Y4")) == ["flip Y4"]


def test_a_heap_alone_is_played_on_while_a_round_goes_on() -> None:
    """No pile was seen, and a round stood still (5437)."""
    start = playing(GAME.setup(GAME.options({"players": 3})), "deal ?")
    assert found(start, Snapshot(alone=seen("Y4"))) == ["flip Y4"]
    assert found(live(), Snapshot(alone=seen("R4", "R9"))) == ["p1 play R9"]
    assert found(live(), Snapshot(alone=seen("R4"))) == []
    question = asked(live(), Snapshot(alone=seen("R4", "?")))
    assert question.pieces == ("?#1",)
    refused = GAME.parse_move("p1 play B9")
    shown = Snapshot(alone=seen("R4", "B9"))
    assert GAME.astray(live(), shown, refused) is not None


def test_what_could_not_be_read_may_lie_face_down_or_be_no_card() -> None:
    """No answer was right where people were asked about the draw pile (5308)."""
    start = playing(GAME.setup(GAME.options({"players": 3})), "deal ?")
    market = event_now(live(), Event.MARKET, 0)
    event = playing(live(), "p1 play K4", "nobody")
    for state, shown in (
        (start, look("?")),
        (live(), look("?")),
        (live(), look("R4", "E-market")),
        (market, look("R4", market="?")),
        (event, look("R4", "K4", events="?")),
    ):
        last = asked(state, shown).options[-2:]
        assert [(o.value, o.move) for o in last] == [("back", None), ("none", None)]


def test_a_card_that_is_unread_below_the_top_does_not_block() -> None:
    state = live(discard="B4 R4")
    assert found(state, look("?", "R4", "R9")) == ["p1 play R9"]


def test_a_counterattack_on_the_pile_is_a_reaction() -> None:
    state = playing(live(), "p1 play R-gift", "p1 target p2")
    pile = ("R4", "R-gift", "N-counterattack")
    assert found(state, look(*pile)) == ["p2 counter N-counterattack"]
    assert found(state, look("R4", "R-gift")) == []


def test_another_card_closes_the_window_and_what_is_hidden_has_happened() -> None:
    state = playing(live(), "p1 play R-gift", "p1 target p2")
    assert found(state, look("R4", "R-gift", "R9")) == [
        "p2 accept",
        "p1 give ? ?",
        "p2 play R9",
    ]


def test_a_hidden_pick_with_two_ways_is_left_to_a_person() -> None:
    state = playing(live(size=3), "p1 play R-gift", "p1 target p2")
    assert found(state, look("R4", "R-gift", "R9")) == ["p2 accept"]


def test_an_unread_card_in_a_window_is_asked_about() -> None:
    state = playing(live(), "p1 play R-gift", "p1 target p2")
    options = asked(state, look("R4", "R-gift", "?")).options
    assert "p2 counter N-counterattack" in {option.move for option in options}


def test_a_revealed_event_closes_the_lucky_window() -> None:
    state = playing(live(), "p1 play K4")
    assert found(state, look("R4", "K4", events="E-friday-the-13th")) == [
        "nobody",
        "event E-friday-the-13th",
    ]


def test_an_unread_event_is_asked_about() -> None:
    state = playing(live(), "p1 play K4", "nobody")
    question = asked(state, look("R4", "K4", events="?"))
    assert "event E-market" in {option.move for option in question.options}


def test_a_forgotten_event_is_noticed_at_the_next_card() -> None:
    for state in (
        playing(live(), "p1 play K4"),
        playing(live(), "p1 play K4", "nobody"),
    ):
        (text,) = found(state, look("R4", "K4", "R9"))
        assert text == "p2 play R9"
        ruling = GAME.judge(state, GAME.parse_move(text))
        assert ruling.verdict is Verdict.REJECTED


def test_who_played_lucky_bastard_is_asked() -> None:
    state = playing(live(), "p1 play K4")
    question = asked(state, look("R4", "K4", "N-lucky-bastard"))
    assert [option.move for option in question.options] == [
        "p1 lucky N-lucky-bastard",
        "p2 lucky N-lucky-bastard",
        "p3 lucky N-lucky-bastard",
    ]


def test_nice_try_is_asked_for_and_closed_by_the_count() -> None:
    state = playing(live(size=1), "p1 play R9")
    question = asked(state, look("R4", "R9", "N-nice-try"))
    assert question.options[0].move == "p2 nice N-nice-try"
    moves = found(state, look("R4", "R9", p2="G3"))
    assert moves == ["nobody", "p2 show G3"]
    moves = found(state, look("R4", "R9", p2="G3", p3="K5"))
    assert moves == ["nobody", "p2 show G3", "p3 show K5"]


def test_the_next_card_closes_nice_try_too() -> None:
    state = playing(live(size=1), "p1 play R9")
    assert found(state, look("R4", "R9", "R8")) == ["nobody"]


def test_laid_out_hands_are_counted() -> None:
    state = playing(live(size=1), "p1 play R9", "nobody")
    assert found(state, look("R9", p1="", p2="G3 G5")) == ["p2 show G3 G5"]
    ruling = GAME.judge(state, GAME.parse_move("p2 show G3 G5"))
    assert str(ruling.reason) == "cards: 2 instead of 1"
    assert asked(state, look("R9", p2="?")).id == "card.?#0"
    state = playing(state, "p2 show G3", "p3 show K5")
    assert state.gains == (0, 3, 5)


def test_the_market_is_turned() -> None:
    state = event_now(live(), Event.MARKET, 0)
    assert found(state, look("R4", market="G1 G2 B3")) == ["flip G1 G2 B3"]
    assert asked(state, look("R4", market="G1 ? B3")).id == "card.?#1"
    assert found(state, look("R4")) == []
    known = event_now(table("R1", "R2", pile="G1 G2 G3"), Event.MARKET, 0)
    assert found(known, look(market="G2 G1")) == ["flip G1 G2"]


def test_bids_are_read_where_they_lie() -> None:
    state = event_now(live(), Event.GAMBLING_MAN, 0)
    assert found(state, look("R4", p1="R3", p3="R9")) == ["p3 bid R9", "p1 bid R3"]
    assert asked(state, look("R4", p2="?")).id == "card.?#0"


def test_open_hands_are_learned() -> None:
    state = event_now(live(size=2), Event.ALL_SEEING_EYE, 0)
    assert found(state, look("R4", p2="G1 G2")) == ["p2 show G1 G2"]


def test_after_places_are_swapped_a_place_belongs_to_who_sits_there() -> None:
    state = live(size=1)
    state = replace(state, order=(Seat(1), Seat(0), Seat(2)))
    state = event_now(state, Event.ALL_SEEING_EYE, 0)
    assert found(state, look("R4", p1="G1")) == ["p2 show G1"]


def test_a_spoken_choice_is_not_guessed() -> None:
    state = playing(live(), "p1 play N-fantastic")
    assert found(state, look("R4", "N-fantastic", "G1")) == []


def test_rule_4_5_of_a_refused_card_is_asked_which_it_really_is() -> None:
    """A strip of the heap that was read for G-gift was refused, nobody was asked and
    nothing after it was played (Frantic 5248)."""
    state, table_seen = live(), look("G-gift", "R4")
    assert found(state, table_seen) == ["p1 play G-gift"]
    move = GAME.parse_move("p1 play G-gift")
    assert GAME.judge(state, move).verdict is Verdict.REJECTED
    question = GAME.astray(state, table_seen, move)
    assert question is not None
    assert question.pieces == ("G-gift#0",)
    values = [option.value for option in question.options]
    assert values[:2] == ["restore", "none"]
    assert "R9" in values
    assert "G-gift" not in values
    assert not any(option.move for option in question.options)


def test_nothing_is_asked_of_a_refused_card_that_does_not_lie_there() -> None:
    state, move = live(), GAME.parse_move("p1 play G9")
    assert GAME.astray(state, look("R4"), move) is None
    assert GAME.astray(state, look("R4", "B9"), move) is None
    assert GAME.astray(state, look("R4", "?"), move) is None
