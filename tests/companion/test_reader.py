"""Placements become pieces, with or without a table map."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.reader import CardSize, pieces, scale_findings, up_deg
from engines.core import Kind as PieceKind
from tests.companion.tables import CARD_MM, FIGHT, Laid, corners_px, observation
from vision.types import UNKNOWN, Kind, Placement

POKER = CardSize(*CARD_MM)


def test_a_located_table_gives_its_own_millimetres() -> None:
    table = pieces(observation(FIGHT), POKER)
    assert [piece.label for piece in table] == [None, "Jh", None, "9d", "4c", "4s"]
    assert [(piece.x_mm, piece.y_mm) for piece in table] == [
        (card.x_mm, card.y_mm) for card in FIGHT
    ]
    assert {piece.sigma_mm for piece in table} == {0.5}
    assert scale_findings(observation(FIGHT)) == ()


def test_backs_and_cards_keep_their_kind_and_candidates() -> None:
    table = pieces(observation(FIGHT), POKER)
    assert table[0].kind is PieceKind.BACK
    assert table[1].kind is PieceKind.CARD
    assert table[3].candidates == (("9d", 0.71), ("6d", 0.24))


def test_hands_are_no_pieces_and_discs_have_their_diameter() -> None:
    seen = observation(FIGHT[:1])
    hand = Placement("h", Kind.HAND, UNKNOWN, 0.9, corners_px(FIGHT[0]))
    disc = replace(
        seen.placements[0], id="d", kind=Kind.DISC, identity=UNKNOWN, diameter_mm=28.5
    )
    table = pieces(replace(seen, placements=(*seen.placements, hand, disc)), POKER)
    assert [piece.id for piece in table] == ["p0", "d"]
    assert (table[1].width_mm, table[1].height_mm) == (28.5, 28.5)


def test_without_a_table_the_cards_are_the_scale_and_that_is_said() -> None:
    seen = observation(FIGHT, located=False)
    for piece, card in zip(pieces(seen, POKER), FIGHT, strict=True):
        assert piece.x_mm == pytest.approx(card.x_mm, abs=1)
        assert piece.y_mm == pytest.approx(card.y_mm, abs=1)
        assert piece.angle_deg == pytest.approx(card.angle_deg, abs=0.1)
        assert piece.sigma_mm > 10
    assert [finding.code for finding in scale_findings(seen)] == ["scale_assumed"]


def test_an_empty_table_has_no_pieces_and_no_scale_to_speak_of() -> None:
    seen = observation((), located=False)
    assert pieces(seen, POKER) == ()
    assert scale_findings(seen) == ()


@given(
    st.floats(-300, 300),
    st.floats(-200, 200),
    st.floats(-179, 179),
)
def test_the_top_edge_of_a_quad_points_where_the_card_does(
    x_mm: float, y_mm: float, angle_deg: float
) -> None:
    found = up_deg(corners_px(Laid("As", x_mm, y_mm, angle_deg)))
    turn = math.radians(found - angle_deg)
    assert math.cos(turn) == pytest.approx(1, abs=1e-6)
