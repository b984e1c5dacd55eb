"""From pieces to regions, on the untidy tables that people play on."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core import Kind, Piece, PieceId
from engines.frenzy import GAME
from engines.frenzy.cards import Card, Region
from tests.support.frenzy import FULL, Table, options, texts, tops

OPTIONS = options()


def regions(*pieces: Piece) -> dict[str, str]:
    return tops(GAME.layout(pieces, OPTIONS))


def test_a_tidy_table_gives_all_fourteen_regions() -> None:
    look = GAME.layout(Table().full(FULL), OPTIONS)
    assert tops(look) == FULL
    assert look.findings == ()
    assert look.doubts == ()
    assert look.round == 1


@pytest.mark.parametrize("angle_deg", range(-130, 45, 10))
def test_rule_3_regions_do_not_depend_on_the_cameras_direction(angle_deg: int) -> None:
    assert regions(*Table(angle_deg=angle_deg).full(FULL)) == FULL


@pytest.mark.parametrize("angle_deg", [60, 90, 150, 180, 210])
def test_seen_from_the_other_side_the_seats_change(angle_deg: int) -> None:
    other = {
        place.replace("P1", "?").replace("P2", "P1").replace("?", "P2"): label
        for place, label in FULL.items()
    }
    assert regions(*Table(angle_deg=angle_deg).full(FULL)) == other


@pytest.mark.parametrize("angle_deg", range(0, 360, 15))
def test_different_factions_tell_the_seats_from_any_side(angle_deg: int) -> None:
    owners = {"P1": "orcs", "P2": "undead", "F1": "orcs", "F2": "orcs", "F3": "orcs"}
    pieces = [
        replace(piece, owner=owners[piece.id[:2]])
        for piece in Table(angle_deg=angle_deg).full(FULL)
    ]
    known = options(factions={"P1": "orcs", "P2": "undead"})
    look = GAME.layout(pieces, known)
    assert tops(look) == FULL
    assert look.findings == ()


def test_rule_fz_r03_the_printed_number_names_the_column() -> None:
    for order in ((3, 2, 1), (2, 1, 3), (3, 1, 2)):
        assert regions(*Table(order=order).full(FULL)) == FULL


def test_a_mirrored_picture_keeps_the_columns() -> None:
    assert regions(*Table(mirror=True).full(FULL)) == FULL


@pytest.mark.parametrize("pitch_mm", [66, 80, 140, 180])
@pytest.mark.parametrize("depth_mm", [90, 100, 115, 130])
def test_crowded_and_wide_tables(pitch_mm: float, depth_mm: float) -> None:
    table = Table(pitch_mm=pitch_mm, depth_mm=depth_mm)
    assert regions(*table.full(FULL)) == FULL


@pytest.mark.parametrize("seed", range(20))
def test_cards_laid_in_a_hurry(seed: int) -> None:
    rng = random.Random(seed)
    table = Table(angle_deg=rng.uniform(-35, 35))
    pieces = table.row(2)
    for place, label in FULL.items():
        shift = rng.uniform(-16, 16), rng.uniform(-16, 16)
        turn = rng.uniform(-25, 25)
        pieces.append(table.piece(place, label, shift_mm=shift, turn_deg=turn))
    rng.shuffle(pieces)
    assert regions(*pieces) == FULL


def test_sideways_cards_need_less_room() -> None:
    table = Table(pitch_mm=110, depth_mm=75)
    pieces = [
        replace(piece, angle_deg=piece.angle_deg + 90) for piece in table.full(FULL)
    ]
    assert regions(*pieces) == FULL


def test_a_single_card_finds_its_region() -> None:
    for place, label in FULL.items():
        assert regions(*Table().full({place: label})) == {place: label}


def test_a_picture_in_perspective_without_a_map_of_the_table() -> None:
    """Scale assumed from the cards: far things look smaller, sigma is large."""
    pieces = []
    for piece in Table(centre_mm=(0.0, 450.0)).full(FULL):
        scale = 1.25 / (1 + piece.y_mm / 1800)
        moved = replace(piece, x_mm=piece.x_mm * scale, y_mm=piece.y_mm * scale)
        pieces.append(replace(moved, covariance_mm2=(484.0, 0.0, 484.0)))
    look = GAME.layout(pieces, OPTIONS)
    assert tops(look) == FULL
    assert look.doubts == ()


# Between regions


def test_a_card_between_two_columns_is_asked_about() -> None:
    table = Table()
    card = table.piece("P1.B1", "W4", shift_mm=(47.0, 0.0))
    look = GAME.layout([*table.full({"P1.S1": "W2", "P2.B1": "W1"}), card], OPTIONS)
    (doubt,) = look.doubts
    assert {str(place) for place in doubt.regions} == {"P1.B1", "P1.B2"}
    assert not doubt.may_be_off


def test_a_card_between_two_rows_is_asked_about() -> None:
    table = Table()
    full = {k: v for k, v in FULL.items() if k not in ("P1.B1", "P1.S1")}
    card = table.piece("P1.B1", "W4", shift_mm=(0.0, -51.0))
    look = GAME.layout([*table.full(full), card], OPTIONS)
    (doubt,) = look.doubts
    assert {str(place) for place in doubt.regions} == {"P1.B1", "P1.S1"}


def test_a_card_beside_the_grid_is_asked_about_and_one_far_off_is_not() -> None:
    table = Table()
    near = table.piece("P1.S3", "W4", shift_mm=(62.0, 0.0))
    look = GAME.layout([*table.full({"P1.B3": "W1"}), near], OPTIONS)
    (doubt,) = look.doubts
    assert [str(place) for place in doubt.regions] == ["P1.S3"]
    assert doubt.may_be_off
    far = table.piece("P1.S3", "W4", shift_mm=(400.0, 0.0))
    behind = table.piece("P1.HQ", "W4", shift_mm=(0.0, -200.0))
    look = GAME.layout([*table.full({"P1.B3": "W1"}), far, behind], OPTIONS)
    assert look.doubts == ()
    assert tops(look) == {"P1.B3": "W1"}


def test_a_card_at_the_back_may_lie_outside() -> None:
    table = Table()
    back = table.piece("P1.HQ", "Z", shift_mm=(0.0, -102.0))
    full = {place: label for place, label in FULL.items() if place != "P1.HQ"}
    (doubt,) = GAME.layout([*table.full(full), back], OPTIONS).doubts
    assert [str(place) for place in doubt.regions] == ["P1.HQ"]
    assert doubt.may_be_off


def test_sigma_widens_the_doubt() -> None:
    table = Table()
    card = table.piece("P1.B1", "W4", shift_mm=(35.0, 0.0))
    sure = GAME.layout([*table.full({}), card], OPTIONS)
    assert sure.doubts == ()
    blurred = replace(card, covariance_mm2=(25.0, 0.0, 25.0))
    assert len(GAME.layout([*table.full({}), blurred], OPTIONS).doubts) == 1


# Piles


def test_the_highest_card_is_on_top() -> None:
    table = Table()
    cards = [
        table.piece("P1.B1", label, shift_mm=(n * 2.0, 0.0), order=n)
        for n, label in enumerate(("W1", "W3", "W2"))
    ]
    look = GAME.layout([*table.full({}), *cards], OPTIONS)
    pile = look.pile(Region.parse("P1.B1"))
    assert [seen.card for seen in pile.cards] == ["W2", "W3", "W1"]
    assert pile.unclear == ()
    assert look.findings == ()


def test_foul_f_g_cards_side_by_side_are_asked_about() -> None:
    table = Table(pitch_mm=150)
    cards = [
        table.piece("P1.B1", "W1", shift_mm=(-34.0, 0.0), order=1),
        table.piece("P1.B1", "W3", shift_mm=(34.0, 0.0), order=2),
    ]
    look = GAME.layout([*table.full({}), *cards], OPTIONS)
    assert set(look.pile(Region.parse("P1.B1")).unclear) == {"P1.B1:W1", "P1.B1:W3"}
    assert "not covered completely" in texts(look.findings)


def test_foul_f_g_equal_order_is_asked_about_too() -> None:
    table = Table()
    cards = [table.piece("P1.B1", "W1"), table.piece("P1.B1", "W3")]
    look = GAME.layout([*table.full({}), *cards], OPTIONS)
    assert len(look.pile(Region.parse("P1.B1")).unclear) == 2


def test_a_touched_card_was_laid_last() -> None:
    table = Table(pitch_mm=150)
    cards = [
        table.piece("P1.B1", "W1", shift_mm=(-34.0, 0.0), order=9),
        table.piece("P1.B1", "W3", shift_mm=(34.0, 0.0), touched=True),
    ]
    pile = GAME.layout([*table.full({}), *cards], OPTIONS).pile(Region.parse("P1.B1"))
    assert pile.top is not None
    assert pile.top.card is Card.W3
    assert pile.unclear == ()


# What does not belong there


def test_an_unread_card_keeps_its_candidates() -> None:
    table = Table()
    card = table.piece(
        "P2.S2", None, candidates=(("W4", 0.6), ("Qh", 0.2), ("W2", 0.2))
    )
    look = GAME.layout([*table.full({}), card], OPTIONS)
    top = look.pile(Region.parse("P2.S2")).top
    assert top is not None
    assert top.card is None
    assert top.candidates == ((Card.W4, 0.6), (Card.W2, 0.2))


def test_a_card_of_another_game_is_named() -> None:
    look = GAME.layout(Table().full({"P1.B2": "Qh"}), OPTIONS)
    assert tops(look) == {"P1.B2": "?"}
    assert "does not belong to Frenzy" in texts(look.findings)


def test_a_card_face_down_is_named_and_a_deck_is_not() -> None:
    table = Table()
    down = table.piece("P1.B2", None, kind=Kind.BACK)
    deck = table.piece("P1.HQ", None, kind=Kind.BACK)
    hand = table.piece("P2.S1", None, kind=Kind.BACK, touched=True)
    look = GAME.layout([*table.full({}), down, deck, hand], OPTIONS)
    assert tops(look) == {"P1.B2": "?"}
    assert texts(look.findings) == "A card lies face down on Battle Line 2 of Player 1."


def test_things_that_are_not_cards_are_left_out() -> None:
    table = Table()
    disc = table.piece("P1.B2", None, kind=Kind.DISC)
    look = GAME.layout([*table.full({}), disc], OPTIONS)
    assert tops(look) == {}
    assert "not a card" in texts(look.findings)


def test_foul_f_e_a_warrior_in_the_headquarters_is_named() -> None:
    look = GAME.layout(Table().full({"P1.HQ": "W3"}), OPTIONS)
    assert "Warrior 3 lies in the Headquarters of Player 1" in texts(look.findings)


def test_foul_f_f_a_card_of_the_opponent_is_named() -> None:
    table = Table()
    known = options(factions={"P1": "orcs", "P2": "undead"})
    cards = [
        table.piece("P1.B1", "W3", owner="undead"),
        table.piece("P1.B2", "W3", owner="orcs"),
        table.piece("P2.B2", "L", owner="undead"),
    ]
    look = GAME.layout([*table.full({}), *cards], known)
    assert len(look.findings) == 1
    assert "Warrior 3 of the opponent's deck" in texts(look.findings)


def test_rule_1_more_copies_than_the_census_counted() -> None:
    counts = {"W1": 1, "W2": 9, "W3": 9, "W4": 9, "A": 4, "Z": 4, "adv": 3}
    known = options(census={"P1": counts})
    cards = {"P1.B1": "W1", "P1.B2": "W1", "P2.B1": "W1", "P2.B2": "W1"}
    (finding,) = GAME.layout(Table().full(cards), known).findings
    assert str(finding.text) == (
        "Warrior 1 lies on the table 2 times, the deck holds 1"
    )


# Battlefield cards


def test_the_set_put_aside_is_not_taken_for_the_row() -> None:
    table = Table()
    aside = Table(centre_mm=(1100.0, 300.0), angle_deg=80)
    others = [replace(p, id=PieceId(f"x{p.id}")) for p in aside.row(3)]
    look = GAME.layout([*others, *table.full(FULL, round=2)], OPTIONS)
    assert tops(look) == FULL
    assert look.round == 2


def test_a_set_put_aside_in_a_region_is_named() -> None:
    table = Table()
    stack = [
        replace(table.piece("P2.S2", f"F{n}b"), id=PieceId(f"x{n}"), order=n)
        for n in (1, 2, 3)
    ]
    look = GAME.layout([*table.full(FULL), *stack], OPTIONS)
    assert tops(look) == FULL
    assert "Battlefield card that is not in play" in texts(look.findings)


def test_an_unread_battlefield_card_is_found_by_its_place() -> None:
    table = Table()
    for number in (1, 2, 3):
        row = [
            p for p in table.full(FULL, round=2) if not p.id.startswith(f"F{number}")
        ]
        look = GAME.layout([*row, table.piece(f"F{number}", None)], OPTIONS)
        assert tops(look) == FULL
        assert f"taken for Battlefield {number}" in texts(look.findings)
        assert look.rounds == {1: (2,), 2: (1, 2), 3: (2, 3)}[number]


def test_without_the_battlefield_cards_no_region_has_a_place() -> None:
    table = Table()
    for kept in ([], ["F1"], ["F1", "F3"]):
        pieces = [p for p in table.full(FULL) if p.id[0] != "F" or p.id[:2] in kept]
        look = GAME.layout(pieces, OPTIONS)
        assert not look.is_laid_out
        missing = [f"F{n}" for n in (1, 2, 3) if f"F{n}" not in kept]
        assert ", ".join(missing) in texts(look.findings)


def test_battlefield_cards_in_a_heap_are_no_row() -> None:
    table = Table()
    heap = [table.piece("F2", f"F{n}b", shift_mm=(n * 5.0, 0.0)) for n in (1, 2, 3)]
    look = GAME.layout(heap, OPTIONS)
    assert not look.is_laid_out
    assert "side by side in a row" in texts(look.findings)


def test_rule_2_cards_turned_out_of_order_are_named() -> None:
    table = Table()
    pieces = [
        table.piece("F1", "F1b"),
        table.piece("F2", "F2o"),
        table.piece("F3", "F3b"),
    ]
    look = GAME.layout(pieces, OPTIONS)
    assert look.round == 1
    assert "not turned in the order" in texts(look.findings)


# Anything at all

NUMBERS = st.one_of(
    st.floats(-900, 900), st.sampled_from([math.nan, math.inf, 0.0, 1e300, -1e300])
)
LABELS = st.sampled_from(
    [*Card, "F1b", "F1o", "F2b", "F2o", "F3b", "F3o", "Qh", "", None]
)
PIECES = st.lists(
    st.builds(
        Piece,
        id=st.text("abc", max_size=2).map(PieceId),
        kind=st.sampled_from(Kind),
        label=LABELS,
        x_mm=NUMBERS,
        y_mm=NUMBERS,
        angle_deg=NUMBERS,
        width_mm=st.sampled_from([63.0, 0.0, -5.0, 1e-9, math.nan]),
        height_mm=st.sampled_from([88.0, 0.0, 1e-9, 88.0]),
        covariance_mm2=st.sampled_from(
            [(0.0, 0.0, 0.0), (9.0, 1.0, 4.0), (-1.0, 9.0, -1.0)]
        ),
        order=st.integers(-2, 2),
        owner=st.sampled_from([None, "orcs", "Undead", "nobody"]),
        touched=st.booleans(),
        candidates=st.sampled_from([(), (("W1", 0.4), ("?", 0.1))]),
    ),
    max_size=14,
)


@given(PIECES, st.booleans())
def test_no_table_is_too_strange(pieces: list[Piece], with_row: bool) -> None:
    if with_row:
        pieces = [*pieces, *Table().row()]
    look = GAME.layout(pieces, options(factions={"P1": "orcs", "P2": "undead"}))
    sheet = GAME.score_table(look, OPTIONS, {})
    assert [row.key for row in sheet.rows] == ["F1", "F2", "F3", "P1", "P2"]
    for finding in look.findings:
        assert finding.text.render("it")


@given(st.permutations(Table().full(FULL)))
def test_the_order_of_pieces_does_not_matter(pieces: list[Piece]) -> None:
    assert regions(*pieces) == FULL
