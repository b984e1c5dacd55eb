"""One look at the table: layout of untidy tables, and the sheet."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core import Kind, Piece, PieceId, Question, Seat, Sheet, Text, Verdict
from engines.frantic import GAME
from engines.frantic.cards import FACES
from engines.frantic.event import Event
from engines.frantic.snapshot import LaidHand, Seen, Snapshot
from tests.support.frantic import at_seat, playing

BACKS = ("pile", "events")


def card(
    label: str | None,
    x: float,
    y: float,
    angle: float = 90.0,
    order: int = 0,
    *,
    id: str = "",
    candidates: Sequence[str] = (),
) -> Piece:
    likely = tuple((name, 1 / (n + 2)) for n, name in enumerate(candidates))
    return Piece(
        PieceId(id or f"{label}@{x:.0f},{y:.0f}"),
        Kind.CARD,
        label,
        x,
        y,
        angle,
        order=order,
        candidates=likely,
    )


def back(name: str, x: float, y: float) -> Piece:
    return Piece(PieceId(name), Kind.BACK, None, x, y, 90.0)


def disc(name: str, x: float, y: float) -> Piece:
    return Piece(PieceId(name), Kind.DISC, None, x, y, 0.0)


def middle(*discard: str) -> list[Piece]:
    """The draw pile, the events beside it, and an untidy discard pile."""
    heap = [
        card(label, 80 + 7 * n, 10 - 9 * n, 90 + 35 * n, n)
        for n, label in enumerate(discard)
    ]
    return [back("pile", 0, 0), back("events", 0, -100), *heap]


def fan(
    labels: str, seat_deg: float, away_mm: float = 350, step_mm: float = 22
) -> list[Piece]:
    return at_seat(labels.split(), seat_deg, away_mm, step_mm)


def look(pieces: Sequence[Piece], **options: object) -> Snapshot:
    return GAME.layout(pieces, GAME.options(options))


def sheet(
    pieces: Sequence[Piece],
    answers: Mapping[str, str] | None = None,
    **options: object,
) -> Sheet:
    parsed = GAME.options(options)
    return GAME.score_table(GAME.layout(pieces, parsed), parsed, answers or {})


def labels(cards: Sequence[Seen]) -> list[str | None]:
    return [seen.label for seen in cards]


def question(of: Sheet, id: str) -> Question:
    (found,) = (question for question in of.questions if question.id == id)
    return found


def test_the_discard_lies_beside_the_face_down_piles() -> None:
    snapshot = look(middle("B3", "R5"))
    assert labels(snapshot.discard) == ["B3", "R5"]
    assert snapshot.hands == ()


def test_hands_belong_to_the_seats_in_whose_direction_they_lie() -> None:
    pieces = middle("R5")
    for angle, hand in ((270, "R1 R2"), (0, "G1 G2"), (90, "B1"), (180, "Y1 Y2 Y3")):
        pieces += fan(hand, angle)
    random.Random(1).shuffle(pieces)
    snapshot = look(pieces)
    assert {
        hand.seat: " ".join(map(str, labels(hand.cards))) for hand in (snapshot.hands)
    } == {0: "R1 R2", 1: "G1 G2", 2: "B1", 3: "Y1 Y2 Y3"}
    assert labels(snapshot.discard) == ["R5"]


def test_a_whole_table_that_lies_elsewhere_and_turned_is_read_the_same() -> None:
    pieces = middle("R5") + fan("R1 R2", 270) + fan("G1", 0) + fan("B1 B2", 90)
    turn = math.radians(14)
    moved = [
        replace(
            piece,
            x_mm=400 + piece.x_mm * math.cos(turn) - piece.y_mm * math.sin(turn),
            y_mm=-90 + piece.x_mm * math.sin(turn) + piece.y_mm * math.cos(turn),
            angle_deg=piece.angle_deg + 14,
        )
        for piece in pieces
    ]
    assert look(moved, players=4) == look(pieces, players=4)


def test_a_mirrored_camera_is_told_so() -> None:
    pieces = middle("R5") + fan("R1", 270) + fan("G1", 0)
    mirrored = [
        replace(piece, x_mm=-piece.x_mm, angle_deg=180 - piece.angle_deg)
        for piece in pieces
    ]
    assert {h.seat for h in look(mirrored).hands} == {0, 3}
    assert look(mirrored, mirrored=True) == look(pieces)


def test_two_rows_before_one_seat_are_one_hand() -> None:
    pieces = middle("R5") + fan("R1 R2", 270, 350, 70) + fan("R3 R4", 270, 480, 70)
    (hand,) = look(pieces).hands
    assert hand.seat == 0
    assert sorted(map(str, labels(hand.cards))) == ["R1", "R2", "R3", "R4"]


def test_a_hand_between_two_seats_must_be_asked_about() -> None:
    pieces = middle("R5") + fan("R1 R2", 315) + fan("G1", 0)
    scored = sheet(pieces)
    whose = next(q for q in scored.questions if q.id.startswith("whose."))
    assert [option.value for option in whose.options][:2] in (
        ["p1", "p2"],
        ["p2", "p1"],
    )
    assert whose.default is None
    assert scored.row("hand.2").value("points") is None, "more cards may be his"
    assert scored.row("hand.2").value("at_least") == 1
    answered = sheet(pieces, {whose.id: "p2"})
    assert answered.row("hand.2").value("points") == 1 + 1 + 2
    assert answered.questions == ()


def test_hands_that_run_into_each_other_are_parted() -> None:
    pieces = [*middle("R5"), *fan("R1 R2 R3", 270, 300), *fan("G1 G2 G3", 0, 300)]
    bridge = [card("B9", 215, -215, 135), card("B8", 130, -270, 100)]
    bridge.append(card("B7", 270, -130, 170))
    snapshot = look([*pieces, *bridge])
    by_seat = {hand.seat: labels(hand.cards) for hand in snapshot.hands}
    assert set(by_seat) == {0, 1, None}
    assert by_seat[None] == ["B9"]


def test_a_long_row_at_a_crowded_table_stays_one_hand() -> None:
    pieces = middle("R5") + fan("R1 R2 R3 R4 R5 R6 R7", 270, 380, 65)
    pieces = [replace(p, angle_deg=90) if "R" in str(p.label) else p for p in pieces]
    hands = look(pieces, players=6).hands
    assert [(hand.seat, len(hand.cards)) for hand in hands] == [(0, 7)]


@pytest.mark.parametrize("number", range(1, 16))
def test_a_hand_alone_in_the_picture_is_counted(number: int) -> None:
    names = " ".join(f"{'RGBY'[n % 4]}{n % 9 + 1}" for n in range(number))
    scored = sheet(fan(names, 270, 0, 18))
    row = scored.row("hand")
    assert row.value("cards") == tuple(names.split())
    assert row.value("points") == sum(n % 9 + 1 for n in range(number))
    assert [row.key for row in scored.rows] == ["hand"]


def test_a_hand_alone_may_be_laid_out_widely() -> None:
    scored = sheet(fan("R5 N-fy K9 N-curse R-gift", 270, 0, 100))
    assert scored.row("hand").value("points") == 5 + 42 + 9 + 13 + 7


def test_one_may_say_that_the_picture_shows_a_hand_or_a_table() -> None:
    pieces = [*middle("R5")[2:], back("pile", 0, 0)]
    assert look(pieces, look="hand").hands == (
        LaidHand((Seen("R5@80,10", "R5"),), None),
    )
    alone = [card("R5", 0, 0)]
    assert look(alone).discard == ()
    assert labels(look(alone, look="table").discard) == ["R5"]


def test_one_heap_alone_is_a_hand_and_the_discard_pile_of_a_round() -> None:
    """The back of the draw pile was not seen: nothing was played, nothing asked, of all
    that lay there (5437)."""
    start = playing(GAME.setup(GAME.options({"players": 3})), "deal ?")
    heap = middle("R5", "R7")[2:]
    assert labels(look(heap).hands[0].cards) == ["R5", "R7"]
    assert look(heap).discard == ()
    for shown in (heap, [*heap, disc("d1", 0, 0)]):
        changed = GAME.changes(start, look(shown))
        assert isinstance(changed, tuple)
        assert [str(move) for move in changed] == ["flip R5", "p2 play R7"]


def test_a_fan_or_a_card_apart_is_no_heap_in_a_round() -> None:
    start = playing(GAME.setup(GAME.options({"players": 3})), "deal ?")
    for shown in (
        fan("R1 R2 R3 R4 R5 R6 R7", 0),
        [card("R5", 0, 0), card("R6", 84, 0)],
    ):
        assert GAME.changes(start, look(shown)) == ()
    assert GAME.changes(start, look([card("R5", 0, 0)], look="hand")) == ()


def test_without_face_down_piles_the_middle_heap_is_the_discard() -> None:
    pieces = [card("R5", 3, 4)]
    for angle in (270, 0, 90, 180):
        pieces += fan("G1 G2 G3", angle)
    snapshot = look(pieces)
    assert labels(snapshot.discard) == ["R5"]
    assert {hand.seat for hand in snapshot.hands} == {0, 1, 2, 3}


def test_hands_without_anything_in_the_middle_are_hands() -> None:
    pieces = fan("R1 R2 R3", 270) + fan("G1 G2 G3", 90)
    snapshot = look(pieces, players=2)
    assert snapshot.discard == ()
    assert [hand.seat for hand in snapshot.hands] == [0, 1]


def test_open_events_are_found_and_named() -> None:
    pieces = [*middle("R5"), card("E-market", 70, -100), *fan("B1", 270)]
    scored = sheet(pieces)
    assert scored.row("events").value("open") == ("E-market",)


def test_the_market_lies_in_the_middle() -> None:
    row = [card(label, 80 * n - 60, 160) for n, label in enumerate(("G1", "G2"))]
    pieces = [*middle("R5"), card("E-market", 70, -100), *row, *fan("B1 B2", 270)]
    snapshot = look(pieces)
    assert labels(snapshot.market) == ["G1", "G2"]
    assert [hand.seat for hand in snapshot.hands] == [0]


def test_an_unread_event_is_asked_about() -> None:
    pieces = [
        *middle("R5"),
        card(None, 70, -100, id="e", candidates=("E-tornado", "E-market")),
    ]
    scored = sheet(pieces)
    assert scored.row("events").value("open") == ("?",)
    options = question(scored, "card.e").options
    assert [option.value for option in options][:2] == ["E-tornado", "E-market"]
    answered = sheet(pieces, {"card.e": "E-market"})
    assert answered.row("events").value("open") == ("E-market",)


def test_an_unread_card_leaves_the_points_open() -> None:
    pieces = [*fan("R5 R6", 270, 0), card(None, 40, 0, id="c", candidates=("K9", "B9"))]
    scored = sheet(pieces)
    row = scored.row("hand")
    assert row.value("cards") == ("R5", "R6", "?")
    assert row.value("points") is None
    assert row.value("at_least") == 11
    options = question(scored, "card.c").options
    assert [option.value for option in options][:2] == ["K9", "B9"]
    assert len(options) == len(FACES)
    answered = sheet(pieces, {"card.c": "N-fy"})
    assert answered.row("hand").value("points") == 53
    assert sheet(pieces, {"card.c": "joker"}).row("hand").value("points") is None


def test_a_label_of_another_game_is_no_card() -> None:
    scored = sheet([*fan("R5", 270, 0), card("Ac", 20, 0, id="x")])
    assert scored.row("hand").value("points") is None
    assert "A♣ is not a card of Frantic" in {str(f.text) for f in scored.findings}


def test_discs_and_pieces_at_no_place_are_reported() -> None:
    disc = Piece(PieceId("d"), Kind.DISC, None, 10, 10)
    lost = replace(card("R5", 0, 0, id="lost"), x_mm=math.nan)
    scored = sheet([disc, lost])
    assert scored.rows == ()
    assert set(scored.findings[0].pieces) == {"d", "lost"}


def test_too_many_copies_and_foreign_cards_are_reported() -> None:
    found = sheet(fan("K5 K5", 270, 0), deck="base").findings
    assert [str(f.text) for f in found] == [
        "black 5 lies on the table 2 times, the deck holds 1"
    ]
    found = sheet(
        [*middle("N-curse"), card("E-plague", 70, -100)], deck="base"
    ).findings
    assert [str(f.text) for f in found] == [
        "Curse does not belong to this box",
        "the event Plague does not belong to this box",
    ]


def test_rule_4_2_the_sheet_says_what_may_go_on_the_discard() -> None:
    row = sheet(middle("B3", "R5"), deck="base").row("discard")
    assert str(row.value("requires")) == "red or the number 5"
    assert row.value("colour") == "R"
    assert row.value("number") == 5
    playable = row.value("playable")
    assert isinstance(playable, tuple)
    assert {"R1", "B5", "K5", "R-skip", "N-fantastic", "N-fy"} <= set(playable)
    assert not {"B3", "G-skip", "N-curse", "N-mimicry"} & set(playable)


def test_rule_4_2_visible_cards_are_judged_one_on_the_other() -> None:
    rulings = sheet(middle("B3", "R5", "R-skip", "N-fy")).rulings
    assert [ruling.verdict for ruling in rulings] == [Verdict.REJECTED, Verdict.UPHELD]
    assert str(rulings[0].claim) == "red 5 may lie on blue 3"
    assert str(rulings[0].rule) == "4.2"


@pytest.mark.parametrize(
    ("answer", "requires"),
    [("R", "red"), ("7", "the number 7"), ("none", "blue or the number 3")],
)
def test_a_wish_is_asked_for(answer: str, requires: str) -> None:
    pieces = middle("B3", "N-fantastic")
    scored = sheet(pieces)
    (asked,) = scored.questions
    assert asked.id.startswith("wish.")
    assert scored.row("discard").value("requires") is None
    assert scored.row("discard").value("playable") is None
    answered = sheet(pieces, {asked.id: answer}).row("discard")
    assert str(answered.value("requires")) == requires


def test_a_compulsory_wish_and_a_wish_of_colours_only() -> None:
    (asked,) = sheet(middle("N-equality"), wishCompulsory=True).questions
    assert [option.value for option in asked.options] == ["R", "G", "B", "Y"]


@pytest.mark.parametrize(
    ("answer", "requires"),
    [
        ("any", "any card"),
        ("G", "green"),
        ("7", "the number 7"),
        ("G7", "green or the number 7"),
    ],
)
def test_what_lies_under_fy_is_asked_for(answer: str, requires: str) -> None:
    row = sheet(middle("N-fy"), {"below": answer}).row("discard")
    assert str(row.value("requires")) == requires


def test_the_colour_of_a_swap_and_the_model_of_mimicry_are_asked_for() -> None:
    (asked,) = sheet(middle("RG-swap")).questions
    assert [option.value for option in asked.options] == ["R", "G"]
    row = sheet(middle("RG-swap"), {asked.id: "G"}).row("discard")
    assert str(row.value("requires")) == "green or the symbol Colour Swap"
    (asked,) = sheet(middle("N-mimicry")).questions
    row = sheet(middle("N-mimicry"), {asked.id: "B-gift"}).row("discard")
    assert str(row.value("requires")) == "blue or the symbol Gift"
    assert (
        sheet(middle("N-mimicry"), {asked.id: "N-fy"}).row("discard").value("requires")
        is None
    )


def test_an_unread_top_card_is_asked_for() -> None:
    pieces = [back("pile", 0, 0), card(None, 80, 0, id="t", candidates=("R5",))]
    scored = sheet(pieces)
    assert scored.row("discard").value("label") is None
    assert question(scored, "card.t").options[0].value == "R5"


def test_ruling_f_41_the_sheet_says_who_deals_next() -> None:
    pieces = middle("R5") + fan("R1", 270) + fan("G9 G8", 90)
    scored = sheet(pieces, players=2)
    assert scored.figures()["total"] == {"most": "player 2"}
    tie = sheet(middle("R5") + fan("R9", 270) + fan("G9", 90), players=2)
    assert [o.value for o in question(tie, "dealer").options] == ["p1", "p2"]


def ended_by(event: Event, **options: object) -> list[Piece]:
    return [
        *middle("R5"),
        card(event.value, 70, -100),
        *fan("R9 R8", 0),
        *fan("G9", 120),
    ]


def test_rule_5_2_doomsday_in_the_open_gives_everybody_fifty() -> None:
    scored = sheet(ended_by(Event.DOOMSDAY), players=3, seatsDeg=[0, 120, 240])
    rounds = {row.key: row.value("round") for row in scored.rows[2:]}
    assert rounds == {"hand.1": 50, "hand.2": 50, "hand.3": 50}
    assert question(scored, "immune").default == "nobody"


def test_ruling_f_17_a_protected_player_gets_nothing() -> None:
    pieces, given_answers = ended_by(Event.FINISH_LINE), {"immune": "p1"}
    scored = sheet(pieces, given_answers, players=3, seatsDeg=[0, 120, 240])
    rounds = {row.key: row.value("round") for row in scored.rows[2:]}
    assert rounds == {"hand.1": 0, "hand.2": 9, "hand.3": 0}


def test_rule_5_2_under_the_time_bomb_one_must_know_who_is_out() -> None:
    pieces = ended_by(Event.TIME_BOMB)
    scored = sheet(pieces, players=3, seatsDeg=[0, 120, 240])
    assert scored.row("hand.1").value("round") is None
    assert question(scored, "out").default is None
    answers = {"out": "p3", "immune": "nobody"}
    scored = sheet(pieces, answers, players=3, seatsDeg=[0, 120, 240])
    rounds = {row.key: row.value("round") for row in scored.rows[2:]}
    assert rounds == {"hand.1": 27, "hand.2": 19, "hand.3": -10}
    assert scored.questions == ()
    answers["out"] = "nobody"
    scored = sheet(pieces, answers, players=3, seatsDeg=[0, 120, 240])
    assert scored.row("hand.1").value("round") == 34


def test_events_do_not_change_points_that_are_not_counted() -> None:
    pieces = ended_by(Event.DOOMSDAY)
    scored = sheet(pieces, points=False, players=3, seatsDeg=[0, 120, 240])
    assert [cell.key for cell in scored.row("hand.1").cells][-1] == "at_least"


def every_text(scored: Sheet) -> list[Text]:
    texts = [row.title for row in scored.rows]
    texts += [cell.title for row in scored.rows for cell in row.cells]
    texts += [
        cell.value
        for row in scored.rows
        for cell in row.cells
        if isinstance(cell.value, Text)
    ]
    texts += [ruling.claim for ruling in scored.rulings]
    texts += [finding.text for finding in scored.findings]
    for asked in scored.questions:
        texts += [asked.text, *(option.text for option in asked.options)]
    return texts


STRANGE = st.builds(
    Piece,
    id=st.integers(0, 10**6).map(lambda n: PieceId(f"s{n}")),
    kind=st.sampled_from(Kind),
    label=st.sampled_from([None, "", "Ac", *FACES, *(event.value for event in Event)]),
    x_mm=st.floats(allow_nan=True, allow_infinity=True),
    y_mm=st.floats(-500, 500),
    angle_deg=st.floats(-720, 720),
    width_mm=st.sampled_from([63.0, 0.0, -1.0, 500.0]),
    order=st.integers(-3, 3),
    candidates=st.lists(
        st.tuples(st.sampled_from(["R5", "E-market", "Ac"]), st.floats(0, 1)),
        max_size=3,
    ).map(tuple),
)
NEAR = STRANGE.map(
    lambda piece: replace(
        piece,
        x_mm=piece.x_mm % 1000 if math.isfinite(piece.x_mm) else 0.0,
        width_mm=63.0,
    )
)


@given(pieces=st.lists(STRANGE | NEAR, max_size=14), players=st.integers(2, 8))
def test_no_table_is_too_strange(pieces: list[Piece], players: int) -> None:
    for how in ("auto", "table", "hand"):
        scored = sheet(pieces, players=players, look=how)
        for text in every_text(scored):
            assert text.render("it")
        for asked in scored.questions:
            values = [option.value for option in asked.options]
            assert len(set(values)) == len(values)
    state = GAME.setup(GAME.options({"players": players}))
    assert GAME.changes(state, look(pieces, players=players)) is not None


@given(pieces=st.lists(NEAR, max_size=10), seed=st.integers(0, 99))
def test_the_order_of_the_pieces_does_not_matter(
    pieces: list[Piece], seed: int
) -> None:
    pieces = [replace(p, id=PieceId(f"n{n}")) for n, p in enumerate(pieces)]
    shuffled = random.Random(seed).sample(pieces, len(pieces))
    first, again = look(pieces), look(shuffled)
    assert {seen.id for seen in first.discard} == {seen.id for seen in again.discard}
    assert {(h.seat, frozenset(s.id for s in h.cards)) for h in first.hands} == {
        (h.seat, frozenset(s.id for s in h.cards)) for h in again.hands
    }


def test_a_touched_card_is_noticed() -> None:
    assert look([replace(card("R5", 0, 0), touched=True)]).is_touched
    assert Seat(0) == 0
