"""The values that all games share: what they refuse, and how they are written."""

import math
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, replace
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core import (
    CLEAR_SIGMAS,
    JOKER,
    LANGUAGES,
    STANDARD_52,
    AmbiguousMoveError,
    Card,
    Cell,
    Evidence,
    Finding,
    IllegalMoveError,
    Kind,
    KitError,
    Margin,
    NotationError,
    Objection,
    Option,
    Piece,
    PieceId,
    Question,
    Rank,
    Row,
    RuleRef,
    RulesError,
    Ruling,
    Seat,
    Sheet,
    Suit,
    Text,
    Verdict,
    as_measured,
    canonical,
    load_kit,
    message_ids,
    parse_kit,
    plain,
    surplus,
)

RULE = RuleRef("4.2")
finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
sigmas = st.floats(0, 1e6)


def said(text: str) -> Text:
    return Text.of("core.literal", text=text)


# Margin and ruling -------------------------------------------------------------------


@given(finite, sigmas)
def test_a_margin_decides_only_outside_three_sigmas(value: float, sigma: float) -> None:
    margin = Margin(value, sigma, "mm")
    is_clear = value != 0 and abs(value) >= CLEAR_SIGMAS * sigma
    assert (margin.verdict is not Verdict.UNDECIDED) is is_clear
    if is_clear:
        assert (margin.verdict is Verdict.UPHELD) is (value > 0)


@given(st.floats(0, 1e4), st.floats(1e-9, 1e4))
def test_nothing_that_was_measured_is_shown_as_known_to_nothing(
    value: float, sigma: float
) -> None:
    shown, error = as_measured(value, sigma)
    assert float(error) > 0
    assert len(shown.partition(".")[2]) == len(error.partition(".")[2])
    assert as_measured(12.34, 0.26) == ("12.3", "0.3")
    assert as_measured(12.34, 0.03) == ("12.34", "0.03")
    assert Margin(-0.25, 0.02, "share").written() == "-0.25 ± 0.02 share"


@given(finite, sigmas)
def test_the_opposite_claim_has_the_opposite_margin(value: float, sigma: float) -> None:
    opposite = {
        Verdict.UPHELD: Verdict.REJECTED,
        Verdict.REJECTED: Verdict.UPHELD,
        Verdict.UNDECIDED: Verdict.UNDECIDED,
    }
    margin = Margin(value, sigma, "mm")
    assert (-margin).verdict is opposite[margin.verdict]
    opposed = -margin
    assert -opposed == margin


def test_an_exact_tie_stays_undecided_even_without_error() -> None:
    assert Margin(0.0, 0.0, "mm").verdict is Verdict.UNDECIDED
    assert Margin(1e-9, 0.0, "mm").verdict is Verdict.UPHELD


@pytest.mark.parametrize(
    ("value", "sigma"),
    [(math.nan, 1), (math.inf, 1), (1, math.nan), (1, math.inf), (1, -0.1)],
)
def test_a_margin_must_be_finite_and_its_sigma_not_negative(
    value: float, sigma: float
) -> None:
    with pytest.raises(ValueError, match="must"):
        Margin(value, sigma, "mm")


@given(finite, sigmas, st.sampled_from(Verdict))
def test_a_ruling_cannot_claim_more_than_its_margin(
    value: float, sigma: float, verdict: Verdict
) -> None:
    margin = Margin(value, sigma, "mm")
    if verdict is margin.verdict:
        ruling = Ruling(said("c"), verdict, said("r"), RULE, margin=margin)
        assert ruling.verdict is margin.verdict
    else:
        with pytest.raises(ValueError, match="contradicts"):
            Ruling(said("c"), verdict, said("r"), RULE, margin=margin)


def test_the_doubt_rule_is_a_second_ruling_that_rests_on_the_first() -> None:
    measured = Ruling(
        said("nearer"),
        Verdict.UNDECIDED,
        said("too close"),
        RULE,
        margin=Margin(0.4, 0.6, "mm"),
    )
    doubt = Ruling(
        said("farther"),
        Verdict.UPHELD,
        said("in doubt"),
        RuleRef("3"),
        grounds=(measured,),
    )
    assert doubt.margin is None
    assert doubt.grounds[0].verdict is Verdict.UNDECIDED


def test_a_refusal_carries_rule_reason_and_evidence_of_the_objection() -> None:
    evidence = Evidence(said("seen"), "frame:142")
    objection = Objection(RULE, said("because"), (evidence,))
    ruling = Ruling.refused(said("claim"), objection)
    assert ruling.verdict is Verdict.REJECTED
    assert (ruling.rule, str(ruling.reason)) == (RULE, "because")
    assert ruling.evidence == (evidence,)
    assert Ruling.upheld(said("c"), said("r"), RULE).verdict is Verdict.UPHELD
    error = IllegalMoveError(ruling)
    assert error.ruling is ruling
    assert str(error) == "because"


def test_rules_are_written_and_sorted_by_their_number() -> None:
    assert str(RuleRef("R-08")) == "R-08"
    assert sorted([RuleRef("5"), RULE]) == [RULE, RuleRef("5")]


# Question ----------------------------------------------------------------------------


def options(*values: str) -> tuple[Option, ...]:
    return tuple(Option(value, said(value)) for value in values)


def test_the_default_of_a_question_is_one_of_its_options() -> None:
    asked = Question("q", Seat(1), said("which?"), options("a", "b"), default="b")
    assert asked.default == "b"
    assert Question("q", None, said("which?"), options("a")).default is None
    with pytest.raises(ValueError, match="default 'c' is no option"):
        Question("q", None, said("which?"), options("a", "b"), default="c")


def test_no_two_options_of_a_question_have_one_value() -> None:
    with pytest.raises(ValueError, match="two options of one value"):
        Question("q", None, said("which?"), options("a", "a"))


def test_a_question_is_asked_without_some_answers() -> None:
    moves = (Option("a", said("a"), "play 1"), Option("b", said("b")))
    asked = Question("q", None, said("which?"), moves, default="a")
    assert asked.without({"play 2"}) == asked
    fewer = asked.without({"play 1"})
    assert (fewer.options, fewer.default) == (moves[1:], None)
    assert not asked.is_about({"play 1"})
    assert replace(asked, options=moves[:1]).is_about({"play 1"})
    assert not Question("q", None, said("who?"), ()).is_about({"play 1"})


# Card --------------------------------------------------------------------------------


@given(st.sampled_from((*STANDARD_52, JOKER)))
def test_a_card_is_read_as_it_is_written(card: Card) -> None:
    assert Card.parse(str(card)) == card
    assert card.is_joker is (card == JOKER)


def test_there_are_fifty_two_different_cards() -> None:
    assert len(set(STANDARD_52)) == 52
    assert {str(card) for card in STANDARD_52} >= {"10c", "Jh", "As", "2d"}


@given(st.text(max_size=4))
def test_anything_else_is_no_card(text: str) -> None:
    if text in {*map(str, STANDARD_52), "X"}:
        return
    with pytest.raises(NotationError) as caught:
        Card.parse(text)
    assert caught.value.expected
    assert isinstance(caught.value, ValueError)


def test_a_card_has_both_rank_and_suit_or_neither() -> None:
    with pytest.raises(ValueError, match="both rank and suit"):
        Card(Rank.ACE, None)
    with pytest.raises(ValueError, match="both rank and suit"):
        Card(None, Suit.CLUBS)


# Piece -------------------------------------------------------------------------------


def test_the_corners_of_an_upright_card_run_clockwise_from_its_top_left() -> None:
    card = Piece(PieceId("a"), Kind.CARD, "5h", 100, 50, 90, 60, 80)
    expected = [(70, 90), (130, 90), (130, 10), (70, 10)]
    for corner, point in zip(card.corners_mm, expected, strict=True):
        assert corner == pytest.approx(point)


def test_a_card_that_points_right_has_its_own_left_side_at_the_top() -> None:
    card = Piece(PieceId("a"), Kind.CARD, "5h", 0, 0, 0, 60, 80)
    assert card.corners_mm[0] == pytest.approx((40, 30))


@given(st.floats(-500, 500), st.floats(-500, 500), st.floats(-720, 720))
def test_corners_keep_size_and_middle_and_turn_clockwise(
    x: float, y: float, angle: float
) -> None:
    corners = Piece(PieceId("a"), Kind.CARD, None, x, y, angle, 63, 88).corners_mm
    assert sum(cx for cx, _ in corners) / 4 == pytest.approx(x, abs=1e-9)
    assert sum(cy for _, cy in corners) / 4 == pytest.approx(y, abs=1e-9)
    sides = [math.dist(corners[i], corners[i - 3]) for i in range(4)]
    assert sides == pytest.approx([63, 88, 63, 88])
    turned = zip(corners, (*corners[1:], corners[0]), strict=True)
    area = sum(ax * by - bx * ay for (ax, ay), (bx, by) in turned) / 2
    assert area == pytest.approx(-63 * 88)


@given(st.floats(0, 100), st.floats(0, 100), st.floats(-1, 1))
def test_sigma_is_the_largest_spread_in_any_direction(
    xx: float, yy: float, correlation: float
) -> None:
    xy = correlation * math.sqrt(xx * yy)
    piece = Piece(PieceId("a"), Kind.DISC, None, 0, 0, covariance_mm2=(xx, xy, yy))
    spreads = []
    for degree in range(180):
        c, s = math.cos(math.radians(degree)), math.sin(math.radians(degree))
        spreads.append(c * c * xx + 2 * c * s * xy + s * s * yy)
    assert piece.sigma_mm**2 == pytest.approx(max(spreads), rel=1e-3, abs=1e-6)


# Canonical ---------------------------------------------------------------------------


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Thing:
    number: int
    names: frozenset[str]
    colours: Mapping[Colour, tuple[int, ...]]


def test_equal_values_give_equal_bytes_whatever_the_order() -> None:
    one = Thing(1, frozenset("abcdefgh"), {Colour.RED: (1, 2)})
    two = Thing(1, frozenset("hgfedcba"), {Colour.RED: (1, 2)})
    assert canonical(one) == canonical(two)
    assert canonical({"b": 1, "a": 2}) == canonical({"a": 2, "b": 1})
    assert canonical(one) == (
        b'{"colours":{"red":[1,2]},"names":["a","b","c","d","e","f","g","h"],'
        b'"number":1}'
    )


def test_different_values_give_different_bytes() -> None:
    values = [None, False, 0, "", "0", (), (0,), {"a": None}, "é", Colour.RED, 0.5]
    assert len({canonical(value) for value in values}) == len(values)


def test_enums_are_their_value_and_tuples_lists() -> None:
    assert plain((Colour.RED, [Seat(1)])) == ["red", [1]]
    assert canonical("più") == '"più"'.encode()


def test_what_has_no_canonical_form_is_refused() -> None:
    with pytest.raises(TypeError, match="object has no canonical form"):
        canonical({"a": object()})
    with pytest.raises(TypeError, match="type has no canonical form"):
        canonical(Thing)


# Text --------------------------------------------------------------------------------


def test_a_sentence_is_rendered_in_the_language_asked_for() -> None:
    text = Text.of("core.seat", number=2)
    assert text.render() == str(text) == "player 2"
    assert text.render("it") == "giocatore 2"
    assert text.render("fr") == "player 2"


def test_a_text_within_a_text_speaks_the_same_language() -> None:
    text = Text.of("core.literal", text=Text.of("core.yes"))
    assert (text.render("en"), text.render("it")) == ("yes", "sì")


@pytest.mark.parametrize(
    "text",
    [Text("core.nonsense"), Text("chess.seat"), Text(""), Text("core.seat")],
)
def test_an_unknown_sentence_or_a_missing_value_is_an_error(text: Text) -> None:
    with pytest.raises(RulesError, match="message"):
        text.render()


def test_the_shared_sentences_exist_in_all_languages() -> None:
    for texts in message_ids("core").values():
        assert set(texts) == set(LANGUAGES)


# Kit ---------------------------------------------------------------------------------

CARD = {"width_mm": 63, "height_mm": 88.5}


def kit_data(**changes: object) -> Mapping[str, object]:
    faces = [{"label": "a", "copies": 2, "en": "A", "it": "Ah"}, {"label": "b"}]
    return {"game": "toy", "card": CARD, "faces": faces} | changes


def test_a_kit_knows_faces_copies_names_and_sizes() -> None:
    kit = parse_kit(kit_data())
    assert (kit.game, kit.width_mm, kit.height_mm) == ("toy", 63.0, 88.5)
    assert [kit.copies(label) for label in "abc"] == [2, 1, 0]
    assert kit.faces[0].name("it") == "Ah"
    assert kit.faces[1].name("it") == "b"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": None}, "must say its game"),
        ({"card": None}, "card's size"),
        ({"card": {"width_mm": 63}}, "height_mm"),
        ({"card": CARD | {"width_mm": 0}}, "width_mm"),
        ({"card": CARD | {"width_mm": True}}, "width_mm"),
        ({"card": CARD | {"width_mm": "63"}}, "width_mm"),
        ({"faces": []}, "at least one"),
        ({"faces": ["a"]}, "must have a label"),
        ({"faces": [{"label": 1}]}, "must have a label"),
        ({"faces": [{"label": "a", "copies": 0}]}, "copies"),
        ({"faces": [{"label": "a", "copies": True}]}, "copies"),
        ({"faces": [{"label": "a", "copies": 1.5}]}, "copies"),
        ({"faces": [{"label": "a"}, {"label": "a"}]}, "listed twice"),
    ],
)
def test_a_kit_that_is_not_sound_is_refused_with_what_is_wrong(
    changes: Mapping[str, object], words: str
) -> None:
    with pytest.raises(KitError, match=words):
        parse_kit(kit_data(**changes))


def test_more_copies_than_the_deck_holds_are_found() -> None:
    kit = parse_kit(kit_data())
    assert surplus(kit, ["a", "a", "b"]) == ()
    found = surplus(kit, ["b", "a", "b", "a", "a"])
    assert [str(finding.text) for finding in found] == [
        "A lies on the table 3 times, the deck holds 2",
        "b lies on the table 2 times, the deck holds 1",
    ]
    assert found[0].text.render("it").startswith("Ah è sul tavolo 3 volte")
    assert surplus(kit, "aaabb", decks=2) == ()
    assert len(surplus(kit, ["c"])) == 1


def test_a_label_is_said_as_people_call_the_card() -> None:
    kit = parse_kit(kit_data())
    said = {label: kit.text(label).render("it") for label in ("a", "b", "10h", "X")}
    assert said == {"a": "Ah", "b": "b", "10h": "10♥", "X": "jolly"}


def test_a_kit_that_ships_belongs_to_its_game() -> None:
    assert load_kit("regicide").game == "regicide"


# Sheet and errors --------------------------------------------------------------------


def sheet() -> Sheet:
    cells = (
        Cell("points", said("points"), 3),
        Cell("open", said("open"), None),
        Cell("cards", said("cards"), ("5h", "6h")),
        Cell("state", said("state"), Text.of("core.yes")),
    )
    row = Row("one", said("one"), cells)
    return Sheet("toy", (row,), totals=(Cell("sum", said("sum"), 3),))


def test_the_figures_of_a_sheet_are_plain_and_english() -> None:
    assert sheet().figures() == {
        "one": {"points": 3, "open": None, "cards": ["5h", "6h"], "state": "yes"},
        "total": {"sum": 3},
    }


def test_a_sheet_is_asked_by_keys() -> None:
    assert sheet().row("one").value("points") == 3
    with pytest.raises(KeyError):
        sheet().row("two")
    with pytest.raises(KeyError):
        sheet().row("one").value("x")


def test_errors_say_where_and_what() -> None:
    error = NotationError("bad", column=7, expected="a card")
    assert (str(error), error.column, error.expected) == ("bad", 7, "a card")
    ambiguous = AmbiguousMoveError("two", ["a", "b"])
    assert ambiguous.candidates == ("a", "b")
    assert isinstance(ambiguous, RulesError)


def test_values_cannot_be_changed() -> None:
    finding = Finding(said("x"))
    with pytest.raises(FrozenInstanceError):
        finding.pieces = ("a",)  # type: ignore[misc]
