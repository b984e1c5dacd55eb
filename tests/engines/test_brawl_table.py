"""Brawl: untidy tables become rows, chains and piles, and a sheet of points."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.brawl import GAME
from engines.brawl.faces import CHAIN_FACES, Face
from engines.brawl.frame import pair_angle_deg, seat_angle_deg
from engines.brawl.place import letter
from engines.brawl.snapshot import Snapshot
from engines.brawl.state import pairs
from engines.core import Kind, Piece, PieceId, Seat, Sheet
from tests.support.brawl import (
    A,
    B,
    Table,
    options,
    read_row,
    vector_snapshot,
)

PLAIN = options(blockOnHit2=True)


def three_bases(**kwargs: float) -> Table:
    """A full table: three Bases, six chains, two piles."""
    table = Table(random.Random(1), kwargs.get("mm", 0.0), kwargs.get("deg", 0.0))
    table.base(-90.0, "Hr Dr Br P Hr", "Hg", owner="A")
    table.base(0.0, "Hb Hb", "Hg Hg Bg", owner="B", frozen=True)
    table.base(90.0, "", "Hr Hr Hr Hr Hr Hr Hr Hr", owner="B")
    for card in ("Br", "BASE", "Hb"):
        table.put(card, 0.0, -330.0)
    table.put("CLEAR", 130.0, 420.0, -90.0)
    return table


ROWS = [("Hr Dr Br P Hr", "Hg"), ("Hb Hb", "Hg Hg Bg"), ("", "Hr " * 7 + "Hr")]


def score(snapshot: Snapshot, **answers: str) -> Sheet:
    told = {key.replace("__", ":"): value for key, value in answers.items()}
    return GAME.score_table(snapshot, PLAIN, told)


def answer(sheet: Sheet, snapshot: Snapshot, **told: str) -> Sheet:
    """Answer the one open question whose id starts with each key."""
    answers = {
        next(q.id for q in sheet.questions if q.id.startswith(key)): value
        for key, value in told.items()
    }
    return GAME.score_table(snapshot, PLAIN, answers)


def test_a_tidy_table_is_read() -> None:
    seen = GAME.layout(three_bases().pieces, PLAIN)
    assert read_row(seen) == ROWS
    assert [base.owner for base in seen.rows[0].bases] == [A, B, B]
    assert [bool(base.freezes) for base in seen.rows[0].bases] == [False, True, False]
    assert [[card.face for card in pile] for pile in seen.piles] == [
        [Face.BLOCK_RED, Face.BASE, Face.HIT_BLUE],
        [Face.CLEAR],
    ]
    assert (seen.questions, seen.doubts, seen.findings) == ((), (), ())
    sheet = score(seen)
    assert sheet.row("AB:0").value("winner") == "A"
    assert sheet.row("AB:2").value("hits_B") == 8
    assert sheet.figures()["total"] == {
        "bases_A": 1,
        "bases_B": 2,
        "winner": "B",
        "over": False,
    }


@pytest.mark.parametrize("seed", range(30))
def test_an_untidy_turned_and_shifted_table_is_read_the_same(seed: int) -> None:
    rng = random.Random(seed)
    table = Table(rng, jitter_mm=4.0, jitter_deg=9.0)
    table.base(-85.0, "Hr Dr Br P Hr", "Hg", lean_mm=rng.uniform(-5, 5))
    table.base(0.0, "Hb Hb", "Hg Hg Bg", owner="B", frozen=True)
    lean = rng.uniform(-5, 5)
    table.base(88.0, "", "Hr Hr Hr Hr Hr Hr Hr Hr", owner="B", lean_mm=lean)
    table.put("Hb", -60.0, -330.0)
    rng.shuffle(table.pieces)
    turned = table.moved(turn_deg=rng.uniform(-35, 35), shift_mm=(300.0, 150.0))
    seen = GAME.layout(turned, PLAIN)
    assert read_row(seen) == ROWS
    assert [base.owner for base in seen.rows[0].bases] == [A, B, B]
    assert len(seen.piles[A]) == 1
    assert score(seen).figures()["total"]["winner"] == "B"


def test_a_fan_that_does_not_overlap_and_one_that_hides_the_base_are_read() -> None:
    table = Table()
    table.base(-70.0, "Hr Hr", "Hg", step_mm=90.0, first_mm=90.0)
    table.base(70.0, "Hb Hb Bb", "Hr", step_mm=12.0, first_mm=25.0, owner="B")
    seen = GAME.layout(table.pieces, PLAIN)
    assert read_row(seen) == [("Hr Hr", "Hg"), ("Hb Hb Bb", "Hr")]
    assert seen.questions == ()


def test_a_chain_that_runs_sideways_is_read_in_order() -> None:
    table = Table()
    table.base(0.0, "Hr Hr Br P Hr", "", lean_mm=20.0, step_mm=3.0)
    seen = GAME.layout(table.pieces, PLAIN)
    assert read_row(seen) == [("Hr Hr Br P Hr", "")]


def test_rotated_cards_in_a_chain_do_not_matter() -> None:
    table = Table(random.Random(3), jitter_deg=40.0)
    table.base(-120.0, "Hr Hr Hr", "Hg Hg")
    table.base(120.0, "Hb Bb", "Hb", owner="B")
    seen = GAME.layout(table.pieces, PLAIN)
    assert read_row(seen) == [("Hr Hr Hr", "Hg Hg"), ("Hb Bb", "Hb")]


def test_a_mirrored_camera_gives_the_row_from_the_other_end() -> None:
    pieces = three_bases().pieces
    mirrored = [
        replace(piece, x_mm=-piece.x_mm, angle_deg=180 - piece.angle_deg)
        for piece in pieces
    ]
    assert read_row(GAME.layout(mirrored, PLAIN)) == list(reversed(ROWS))


def test_a_new_base_is_found_left_or_right() -> None:
    for x in (-80.0, 160.0):
        table = Table()
        table.base(0.0, "Hr", "")
        table.base(80.0, "", "Hg", owner="B")
        table.base(x, "", "", owner="B")
        seen = GAME.layout(table.pieces, PLAIN)
        owners = [base.owner for base in seen.rows[0].bases]
        assert owners == ([B, A, B] if x < 0 else [A, B, B])


def test_cards_stacked_squarely_lie_in_the_order_of_the_stack() -> None:
    table = Table()
    table.base(0.0, "Hr Br P Hr", "", step_mm=1.0)
    pieces = list(reversed(table.pieces))
    assert read_row(GAME.layout(pieces, PLAIN)) == [("Hr Br P Hr", "")]


def test_an_order_that_the_picture_does_not_tell_is_asked() -> None:
    table = Table()
    table.base(0.0, "Hr Br", "", step_mm=1.0)
    pieces = [replace(piece, order=0) for piece in table.pieces]
    seen = GAME.layout(pieces, PLAIN)
    sheet = score(seen)
    (question,) = [q for q in sheet.questions if q.id.startswith("order:")]
    texts = {str(option.text): option.value for option in question.options}
    told = GAME.score_table(seen, PLAIN, {question.id: texts["red Hit"]})
    assert told.row("AB:0").value("chain_A") == ("Hr", "Br")
    other = GAME.score_table(seen, PLAIN, {question.id: texts["red Block"]})
    assert other.row("AB:0").value("chain_A") == ("Br", "Hr")


def test_a_card_between_two_chains_is_asked_and_counts_nowhere_until_then() -> None:
    table = Table()
    table.base(-40.0, "", "")
    table.base(40.0, "", "", owner="B")
    between = table.put("Hr", 0.0, -65.0)
    hanging = table.put("Dr", 0.0, -85.0)
    seen = GAME.layout(table.pieces, PLAIN)
    sheet = score(seen)
    (question,) = sheet.questions
    assert question.id == f"place:{between.id}"
    assert sheet.row("AB:0").value("hits_A") is None
    assert sheet.row("AB:1").value("hits_A") is None
    assert sheet.row("AB:0").value("winner") == "A"  # wins it either way
    assert sheet.row("AB:1").value("winner") is None
    assert sheet.figures()["total"]["winner"] is None
    right = GAME.score_table(seen, PLAIN, {question.id: "AB:1A"})
    assert right.questions == ()
    assert right.row("AB:1").value("hits_A") == 3
    assert right.figures()["total"]["winner"] == "A"
    assert hanging.id in seen.doubts[0].pieces
    gone = GAME.score_table(seen, PLAIN, {question.id: "none"})
    assert gone.row("AB:1").value("hits_A") != 1


def test_a_card_apart_from_its_chain_may_be_a_discard() -> None:
    table = Table()
    table.base(-60.0, "", "")
    table.base(60.0, "Hr", "", owner="B")
    apart = table.put("Hg", -60.0, -120.0)
    seen = GAME.layout(table.pieces, PLAIN)
    (question,) = seen.questions
    assert question.id == f"place:{apart.id}"
    told = {question.id: "discard:A"}
    assert GAME.score_table(seen, PLAIN, told).row("AB:0").value("hits_A") == 0
    fixed = options(discards_mm=[[200, -300], [-200, 300]])
    known = GAME.layout(table.pieces, fixed)
    assert known.questions == ()
    assert read_row(known)[0] == ("Hg", "")


def test_a_discard_beside_the_end_of_a_chain_is_no_card_of_it() -> None:
    table = Table()
    table.base(-60.0, "Hr", "Hb")
    table.base(60.0, "Hg Hg Hg", "", owner="B")
    outermost = min(table.pieces, key=lambda piece: piece.y_mm)
    table.put("Hb", outermost.x_mm + 70.0, outermost.y_mm - 20.0)
    seen = GAME.layout(table.pieces, PLAIN)
    assert seen.questions == ()
    assert read_row(seen)[1] == ("Hg Hg Hg", "")
    assert [card.face for card in seen.piles[A]] == [Face.HIT_BLUE]


def test_what_may_not_follow_a_chain_and_lies_apart_is_a_discard_and_told() -> None:
    table = Table()
    table.base(-60.0, "Hr", "Hb")
    base = table.base(60.0, "Hg Hg", "", owner="B")
    end = min(table.pieces, key=lambda piece: piece.y_mm)
    apart = table.put("Hr", end.x_mm + 40.0, end.y_mm - 108.0, owner="A")
    seen = GAME.layout(table.pieces, PLAIN)
    assert read_row(seen)[1] == ("Hg Hg", "")
    assert [card.piece for card in seen.piles[A]] == [apart.id]
    (told,) = [f for f in seen.findings if f.text.id == "brawl.taken_for_discard"]
    assert told.pieces == (apart.id,)
    # What would be no foul there is asked about, and so is a card of the other deck.
    for label, owner in (("Hg", "A"), ("Hr", "B")):
        table.pieces[-1] = replace(apart, label=label, owner=owner)
        (question,) = GAME.layout(table.pieces, PLAIN).questions
        assert question.id == f"place:{apart.id}"
    assert base.owner == "B"


@pytest.mark.parametrize("card", ["CLEAR", "FREEZE"])
def test_a_discarded_clear_makes_no_row_with_a_base(card: str) -> None:
    table = Table()
    table.base(0.0, "", "")
    table.put(card, 84.0, -240.0)
    table.put("Hb", 90.0, 260.0)
    seen = GAME.layout(table.pieces, PLAIN)
    assert len(seen.rows[0].bases) == 1
    assert [card.face for card in seen.piles[A]] == [Face(card)]
    assert [card.face for card in seen.piles[B]] == [Face.HIT_BLUE]


def test_discards_are_known_by_their_place_where_it_is_given() -> None:
    table = Table()
    table.base(-60.0, "", "")
    table.base(60.0, "", "", owner="B")
    table.put("BASE", 160.0, 0.0)
    fixed = options(discards_mm=[[165, -10], None])
    seen = GAME.layout(table.pieces, fixed)
    assert len(seen.rows[0].bases) == 2
    assert [card.face for card in seen.piles[A]] == [Face.BASE]


def test_an_unknown_card_is_asked_and_keeps_the_score_open() -> None:
    table = Table()
    table.base(-60.0, "Hr ?", "Hg", owner="B")
    table.base(60.0, "", "Hg ?", owner="B")
    seen = GAME.layout(table.pieces, PLAIN)
    sheet = score(seen)
    assert sheet.row("AB:0").value("chain_A") == ("Hr", "?")
    assert sheet.row("AB:0").value("hits_A") is None
    assert sheet.row("AB:0").value("winner") is None
    assert sheet.row("AB:1").value("winner") == "B"  # whatever the card is
    questions = [q for q in sheet.questions if q.id.startswith("label:")]
    assert len(questions) == 2
    told = GAME.score_table(seen, PLAIN, {questions[0].id: "Dr"})
    assert told.row("AB:0").value("hits_A") == 3


def test_likely_faces_are_offered_first() -> None:
    table = Table()
    table.base(0.0, "Hr ?", "")
    likely = (("Dr", 0.2), ("Hr", 0.7), ("nonsense", 0.1))
    pieces = [
        replace(piece, candidates=likely) if piece.label is None else piece
        for piece in table.pieces
    ]
    (question,) = GAME.layout(pieces, PLAIN).questions
    assert [option.value for option in question.options[:2]] == ["Hr", "Dr"]
    assert len(question.options) == len(Face) + 1


def test_something_unknown_in_the_row_may_be_a_base() -> None:
    table = Table()
    table.base(-60.0, "Hr", "")
    table.base(60.0, "Hr", "", owner="B")
    strange = table.put(None, 140.0, 0.0)
    seen = GAME.layout(table.pieces, PLAIN)
    sheet = score(seen)
    assert seen.rows[0].unclear == (strange.id,)
    assert sheet.figures()["total"] == {
        "bases_A": None,
        "bases_B": None,
        "winner": "A",  # two Bases against one at most
        "over": False,
    }
    told = answer(sheet, seen, label="BASE")
    assert len(told.rows) == 3
    owner = next(q.id for q in told.questions if q.id.startswith("owner:"))
    answers = {f"label:{strange.id}": "BASE", owner: "B"}
    total = GAME.score_table(seen, PLAIN, answers).figures()["total"]
    assert (total["bases_A"], total["bases_B"]) == (2, 1)


def test_a_freeze_or_clear_that_hides_its_base_stands_for_it() -> None:
    table = Table()
    table.base(-60.0, "Hr", "Hg")
    table.put("FREEZE", 60.0, 0.0)
    seen = GAME.layout(table.pieces, PLAIN)
    hidden = seen.rows[0].bases[1]
    assert (hidden.owner, len(hidden.freezes)) == (None, 1)
    sheet = score(seen)
    (question,) = sheet.questions
    assert question.id == f"owner:{hidden.piece}"
    assert str(question.text) == "Whose Base is this: the right Base?"
    assert sheet.row("AB:1").value("winner") is None
    told = answer(sheet, seen, owner="B")
    assert told.row("AB:1").value("winner") == "B"


def test_b_15_the_owner_is_asked_only_where_a_tie_makes_it_matter() -> None:
    table = Table()
    table.base(-60.0, "Hr", "", owner=None)
    table.base(60.0, "Hr", "Hg", owner=None)
    sheet = score(GAME.layout(table.pieces, PLAIN))
    assert [question.id for question in sheet.questions] == ["owner:c2"]
    equal = options(decks=["hale", "hale"], blockOnHit2=True)
    named = [replace(piece, owner="hale") for piece in table.pieces]
    assert GAME.layout(named, equal).rows[0].bases[0].owner is None
    apart = options(decks=["neutral", "hale"])
    assert GAME.layout(named, apart).rows[0].bases[0].owner == B


def test_what_does_not_belong_is_found_and_not_guessed() -> None:
    table = Table()
    table.base(-60.0, "Hr", "")
    table.base(60.0, "", "", owner="B")
    table.put("NULL", -60.0, -84.0)
    table.pieces.append(Piece(PieceId("back"), Kind.BACK, None, 0.0, -300.0))
    table.pieces.append(Piece(PieceId("coin"), Kind.DISC, None, 10.0, -300.0))
    table.pieces.append(Piece(PieceId("nan"), Kind.CARD, "Hr", math.nan, 0.0))
    seen = GAME.layout(table.pieces, PLAIN)
    names = [finding.text.id for finding in seen.findings]
    assert names == [
        "brawl.later_deck",
        "brawl.face_down",
        "brawl.not_a_card",
        "brawl.not_a_card",
    ]
    assert read_row(seen)[0] == ("Hr ?", "")
    assert score(seen).row("AB:0").value("hits_A") is None


def test_stray_cards_are_found() -> None:
    table = Table()
    table.base(-60.0, "Hr", "")
    table.base(60.0, "", "", owner="B")
    table.put("Hb", -200.0, -400.0)
    table.put("Hb", 300.0, -300.0)
    table.put("Hb", 0.0, 5.0)
    seen = GAME.layout(table.pieces, PLAIN)
    assert [finding.text.id for finding in seen.findings] == ["brawl.stray"] * 2
    assert [card.piece for card in seen.piles[A]] == ["c3"]


def test_more_copies_than_the_decks_hold_are_found() -> None:
    table = Table()
    table.base(-60.0, "Hb Dr", "Hr Dr", owner="hale")
    table.base(60.0, "Hb Dr", "", owner="neutral")
    both = options(decks=["hale", "neutral"], blockOnHit2=True)
    seen = GAME.layout(table.pieces, both)
    sheet = GAME.score_table(seen, both, {})
    assert [str(finding.text) for finding in sheet.findings] == [
        "red Hit-2 lies on the table 3 times, the deck holds 2"
    ]
    own = [replace(piece, owner="hale") for piece in table.pieces]
    sheet = GAME.score_table(GAME.layout(own, both), both, {})
    assert "the deck holds 1" in str(sheet.findings[0].text)


def test_no_base_at_all_is_a_finding_and_no_score() -> None:
    sheet = score(GAME.layout([], PLAIN))
    assert sheet.rows == ()
    assert sheet.figures()["total"]["winner"] is None
    assert [finding.text.id for finding in sheet.findings] == ["brawl.no_bases"]


# Fouls and Clears in one look


def fouled(*, frozen: bool, owner: str | None = None) -> Table:
    table = Table()
    table.base(-60.0, "Hr Br", "Hg", owner="B", frozen=frozen)
    table.put("Hr", -60.0, -106.0, owner=owner)
    table.base(60.0, "Hr", "", owner="B", frozen=frozen)
    return table


def test_rule_4_3_an_illegal_card_found_while_scoring_is_the_opponents() -> None:
    seen = GAME.layout(fouled(frozen=True, owner="A").pieces, PLAIN)
    sheet = score(seen)
    refused = [ruling for ruling in sheet.rulings if ruling.verdict == "rejected"]
    assert [ruling.reason.id for ruling in refused] == ["brawl.on_block"]
    (question,) = sheet.questions
    assert question.to == B
    assert [option.value for option in question.options] == ["stand", "claim"]
    assert question.default is None
    assert sheet.figures()["total"]["winner"] is None
    assert [row.value("winner") for row in sheet.rows] == [None, None]
    assert sheet.row("AB:0").value("hits_A") == 2
    stands = answer(sheet, seen, foul="stand")
    assert stands.figures()["total"]["winner"] == "A"
    assert stands.row("AB:0").value("hits_A") == 2
    claimed = answer(sheet, seen, foul="claim")
    assert claimed.figures()["total"]["winner"] == "B"


def test_rule_4_3_who_laid_it_is_asked_first_where_that_is_not_seen() -> None:
    seen = GAME.layout(fouled(frozen=True).pieces, PLAIN)
    (question,) = score(seen).questions
    assert question.id.startswith("by:")
    by = {question.id: "B"}
    (second,) = GAME.score_table(seen, PLAIN, by).questions
    assert (second.id.split(":")[0], second.to) == ("foul", A)
    told = GAME.score_table(seen, PLAIN, {**by, second.id: "claim"})
    assert told.figures()["total"]["winner"] == "A"


def test_rule_4_3_in_the_middle_of_a_game_it_is_taken_back() -> None:
    table = fouled(frozen=False, owner="A")
    sheet = score(GAME.layout(table.pieces, PLAIN))
    (question,) = sheet.questions
    assert (question.to, question.default) == (A, "takeback")
    assert sheet.row("AB:0").value("hits_A") == 1
    table.put("Hr", -60.0, -128.0, owner="A")
    seen = GAME.layout(table.pieces, PLAIN)
    sheet = score(seen)
    (question,) = sheet.questions
    assert (question.to, question.default) == (B, "restore")
    assert "cards to remove: Hr" in str(question.text)
    assert sheet.row("AB:0").value("hits_A") == 1
    assert answer(sheet, seen, foul="stand").row("AB:0").value("hits_A") == 3
    claimed = answer(sheet, seen, foul="claim")
    assert claimed.figures()["total"]["winner"] == "B"


def test_a_fourth_base_and_a_second_freeze_are_noticed() -> None:
    bases: list[dict[str, object]] = [
        {"owner": "A", "A": ["Hr"], "B": [], "frozen": True} for _ in range(4)
    ]
    seen = vector_snapshot(bases)
    sheet = score(seen)
    assert sheet.rulings[0].reason.id == "brawl.max3"
    assert sheet.figures()["total"]["winner"] is None
    assert answer(sheet, seen, by="B").questions[0].id == "foul:AB"
    assert GAME.score_table(seen, PLAIN, {"foul:AB": "stand"}).questions == ()
    table = Table()
    table.base(-60.0, "", "", frozen=True)
    table.put("FREEZE", -50.0, 20.0)
    table.base(60.0, "", "", owner="B")
    sheet = score(GAME.layout(table.pieces, PLAIN))
    assert [finding.text.id for finding in sheet.findings] == ["brawl.second_freeze"]


def test_b_20_a_clear_on_a_base_takes_it_out_of_the_score() -> None:
    table = Table()
    table.base(-60.0, "Hr Hr", "")
    table.put("CLEAR", -60.0, 0.0, owner="B")
    table.base(60.0, "", "Hg", owner="B")
    sheet = score(GAME.layout(table.pieces, PLAIN))
    assert [row.key for row in sheet.rows] == ["AB:1"]
    assert sheet.figures()["total"]["winner"] == "B"
    table.put("FREEZE", -55.0, 10.0)
    sheet = score(GAME.layout(table.pieces, PLAIN))
    assert [row.key for row in sheet.rows] == ["AB:0", "AB:1"]
    assert [q.id.split(":")[0] for q in sheet.questions] == ["foul"]


def test_b_05_is_asked_on_the_sheet_where_it_matters() -> None:
    bases: list[dict[str, object]] = [
        {"owner": "A", "A": ["Hr", "Dr", "Br"], "B": [], "frozen": True}
    ]
    seen = vector_snapshot(bases)
    sheet = GAME.score_table(seen, options(), {})
    assert [question.id for question in sheet.questions] == ["blockOnHit2"]
    told = GAME.score_table(seen, options(), {"blockOnHit2": "false"})
    assert [question.id.split(":")[0] for question in told.questions] == ["by"]
    literal = GAME.score_table(seen, options(blockOnHit2=False), {})
    assert literal.questions == told.questions


# Circles


def circle_table(players: int, *, jitter_mm: float = 0.0) -> Table:
    """Two Bases between every two neighbours, the first with a Hit on each side."""
    table = Table(random.Random(players), jitter_mm, 4.0)
    radius = 260.0 if players < 6 else 420.0
    for number, pair in enumerate(pairs(players)):
        angle = math.radians(pair_angle_deg(number, players))
        out = (math.cos(angle), math.sin(angle))
        across = (math.sin(angle), -math.cos(angle))
        facing = math.degrees(math.atan2(across[1], across[0]))
        for base in range(2):
            r = radius + base * 75.0
            x, y = out[0] * r, out[1] * r
            owner = (pair.first, pair.second)[base]
            table.put("BASE", x, y, facing, owner=letter(owner))
            if base == 0:
                for out_mm, label in ((-60.0, "Hr"), (60.0, "Hg"), (80.0, "Hg")):
                    where = (x + across[0] * out_mm, y + across[1] * out_mm)
                    table.put(label, *where, facing)
    for seat in range(players):
        angle = math.radians(seat_angle_deg(seat, players))
        table.put("BASE", 700 * math.cos(angle), 700 * math.sin(angle), 90.0)
    return table


@pytest.mark.parametrize("players", range(3, 8))
def test_rule_7_the_rows_of_a_circle_are_told_apart(players: int) -> None:
    rules = options(players=players, blockOnHit2=True)
    seen = GAME.layout(circle_table(players, jitter_mm=3.0).pieces, rules)
    assert [str(row.pair) for row in seen.rows] == [str(p) for p in pairs(players)]
    for number, row in enumerate(seen.rows):
        # Seen from the first player the middle of the circle is on the right.
        assert [base.owner for base in row.bases] == [row.pair.second, row.pair.first]
        assert read_row(seen, number) == [("", ""), ("Hr", "Hg Hg")]
    assert [len(pile) for pile in seen.piles] == [1] * players
    sheet = GAME.score_table(seen, rules, {})
    total = sheet.figures()["total"]
    assert (total["winner"], len(sheet.rows)) == ("replay", 2 * players)
    assert total["tied"] == [letter(Seat(seat)) for seat in range(players)]
    assert "(between A and B)" in str(sheet.rows[0].title)


def test_a_row_of_a_circle_that_is_not_seen_is_a_finding() -> None:
    rules = options(players=3)
    pieces = [piece for piece in circle_table(3).pieces if piece.x_mm > -100]
    seen = GAME.layout(pieces, replace(rules, centre_mm=(0.0, 0.0)))
    assert any(finding.text.id == "brawl.no_bases" for finding in seen.findings)


def test_a_foreign_base_in_a_row_is_a_finding() -> None:
    rules = options(players=3)
    table = circle_table(3)
    pieces = [
        replace(piece, owner="C") if piece.label == "BASE" and index == 0 else piece
        for index, piece in enumerate(table.pieces)
    ]
    seen = GAME.layout(pieces, rules)
    assert "brawl.foreign_base" in [finding.text.id for finding in seen.findings]


# Nothing raises


labels = st.sampled_from([*[face.value for face in Face], "NULL", "", None])
numbers = st.floats(-400, 400) | st.sampled_from([math.nan, math.inf, 0.0, -0.0, 1e300])
pieces = st.lists(
    st.builds(
        Piece,
        id=st.sampled_from([PieceId(f"p{n}") for n in range(20)]),
        kind=st.sampled_from([Kind.CARD] * 8 + list(Kind)),
        label=labels,
        x_mm=numbers,
        y_mm=numbers,
        angle_deg=numbers,
        width_mm=st.sampled_from([63.0, 0.0, -1.0, 63.5]),
        order=st.integers(0, 3),
        owner=st.sampled_from([None, "A", "B", "hale", "?"]),
        touched=st.booleans(),
    ),
    max_size=24,
)


@given(pieces, st.sampled_from([2, 3, 5]), st.data())
def test_no_table_is_too_strange(
    table: list[Piece], players: int, data: st.DataObject
) -> None:
    rules = options(players=players)
    seen = GAME.layout(table, rules)
    sheet = GAME.score_table(seen, rules, {})
    answers = {
        question.id: data.draw(st.sampled_from([o.value for o in question.options]))
        for question in sheet.questions
    }
    told = GAME.score_table(seen, rules, answers)
    for one in (sheet, told):
        for language in ("en", "it"):
            for question in one.questions:
                assert question.text.render(language)
            for finding in one.findings:
                assert finding.text.render(language)
        low = sum(row.value("winner") is not None for row in one.rows)
        assert low <= len(one.rows)


@given(st.integers(0, 10_000))
def test_any_fan_within_reason_is_read(seed: int) -> None:
    """Random chains, random steps, leans and wobble: the cards come back in order."""
    rng = random.Random(seed)
    table = Table(rng, jitter_mm=3.0, jitter_deg=8.0)
    chains = []
    for x in (-90.0, 0.0, 90.0)[: rng.randint(1, 3)]:
        near, far = (
            " ".join(rng.choices(CHAIN_FACES, k=rng.randint(0, 7))) for _ in range(2)
        )
        chains.append((near, far))
        step_mm, first_mm = rng.uniform(14, 40), rng.uniform(40, 80)
        table.base(x, near, far, step_mm=step_mm, first_mm=first_mm)
    seen = GAME.layout(table.moved(turn_deg=rng.uniform(-30, 30)), PLAIN)
    assert read_row(seen) == chains
