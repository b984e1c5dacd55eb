"""Which looks are of one physical card, and whose each corner is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.cards_seen import (
    LOOSE,
    PLACE,
    SURE,
    card_quad,
    index_of,
    reading,
    seen,
)
from vision.assembling import assemble
from vision.cards import CardSeen, IndexSeen
from vision.naming import name_all
from vision.once import by_place, indices_once
from vision.quads import quad_overlap
from vision.reading import LABELS, Reading
from vision.types import Detection, Kind


def test_two_indices_of_one_card_are_one_card() -> None:
    """F-15: one 9 that shows two indices is not two 9s."""
    card = card_quad(300, 300, 20)
    both = [seen(card, "9h"), seen(card, "9h", lower=True)]
    with_body = assemble([CardSeen(card, 0.9, Kind.CARD, reading(("9h", 0.8)))], both)
    assert len(with_body) == 1
    assert len(with_body[0].indices) == 2
    without = assemble([], both)
    assert len(without) == 1


@pytest.mark.parametrize("height", [0.43, 0.46])
def test_a_large_index_in_a_wide_box_is_its_cards(height: float) -> None:
    """It was laid out as a card of its own, half a card beside the true one, which was
    hidden below it (Regicide 5438)."""
    card = card_quad(300, 300)
    large = index_of(card, lower=True)
    middle = card[0] + (0.83, 0.75) * (card[2] - card[0])
    large = (large - large.mean(axis=0)) * (height / PLACE.height) + middle
    body = CardSeen(card, 0.9, Kind.CARD, reading(("2h", 0.98)), support=(1, 1, 1, 1))
    (one,) = assemble([body], [IndexSeen(large, 0.9, reading(("2h", 0.97)))])
    assert len(one.indices) == 1
    assert one.quad_px == pytest.approx(card)


def test_a_card_found_twice_is_one_card() -> None:
    """F-22: nested double reads for one card."""
    card = card_quad(300, 300)
    twice = [
        CardSeen(card, 0.9, Kind.CARD, reading(("4c", 0.9))),
        CardSeen(card + 12.0, 0.5, Kind.CARD, reading(("4c", 0.7))),
    ]
    assert len(assemble(twice, [])) == 1


def test_two_outlines_of_one_card_with_one_corner_each_are_one_card() -> None:
    one, other = card_quad(300, 300), card_quad(306, 303, 2.0)
    bodies = [
        CardSeen(quad, 0.9, Kind.CARD, reading(("Qd", 0.9))) for quad in (one, other)
    ]
    cards = assemble(bodies, [seen(one, "Qd"), seen(other, "Qd", right=True)])
    assert len(cards) == 1


def test_a_corner_that_is_misread_is_no_card_in_the_place_of_another() -> None:
    """Half a corner of a king under a ten was read as an ace's: of two cards in one
    place one would hide the other's corners. The card is asked about."""
    king = card_quad(300, 300)
    body = CardSeen(king, 0.9, Kind.CARD, reading(("Kh", 0.6)), support=LOOSE)
    corners = [seen(king, "Kh"), seen(king, "Ah", lower=True)]
    cards = assemble([body], corners)
    assert len(cards) == 1
    assert name_all(cards, sureness=SURE)[0].label is None


def test_an_outline_of_two_cards_hides_neither_whose_corners_are_clear() -> None:
    """An ace was played on a 9 of its suit, a third of a card aside, and one outline
    found around both: the ace passed for a misread corner, and was played unseen
    (Regicide 6261)."""
    nine, ace = card_quad(300, 300, 8), card_quad(331, 297, 8)
    both = np.array([(263.0, 220), (389, 234), (369, 376), (243, 361)])
    body = CardSeen(both, 0.9, Kind.CARD, reading(("9h", 0.72)))
    cards = assemble([body], [seen(nine, "9h"), seen(ace, "Ah", lower=True)])
    assert {name.label for name in name_all(cards, sureness=SURE)} == {"9h", "Ah"}


def test_a_corner_beside_an_open_back_is_laid_out_as_large_as_that() -> None:
    """Drawn small, a corner alone would ask for a card of half the size."""
    back, card = card_quad(300, 300, 15), card_quad(600, 300)
    face_down = CardSeen(back, 0.9, Kind.BACK, Reading(reading().faces, 0.0, 0.99, 0.0))
    small = (index_of(card) - index_of(card).mean(0)) * 0.75 + index_of(card).mean(0)
    corner = replace(seen(card, "3s"), quad_px=small)
    found = [c for c in assemble([face_down], [corner], (600, 800, 3)) if c.indices]
    assert quad_overlap(found[0].quad_px, card) > 0.9


def test_of_what_contradicts_in_rank_and_suit_each_may_be_a_card() -> None:
    """In a fan, a neighbour's corner may stand there; its whole name is another."""
    king = card_quad(300, 300)
    body = CardSeen(king, 0.9, Kind.CARD, reading(("Kh", 0.6)), support=LOOSE)
    cards = assemble([body], [seen(king, "Kh"), seen(king, "9s", lower=True)])
    assert len(cards) == 2


def test_two_outlines_with_an_upper_corner_each_are_one_card_with_four() -> None:
    one, other = card_quad(300, 300), card_quad(326, 310, 6.0)
    bodies = [
        CardSeen(quad, 0.9, Kind.CARD, reading(("Kd", 0.9))) for quad in (one, other)
    ]
    assert quad_overlap(one, other) < 0.75
    cards = assemble(bodies, [seen(one, "Kd"), seen(other, "Kd", right=True)])
    assert len(cards) == 1


def test_a_faint_corner_in_an_outline_without_a_face_is_all_that_was_seen() -> None:
    card = card_quad(300, 300)
    corner = replace(seen(card, "7c"), score=0.2, reading=reading(("7c", 0.89)))
    blank = reading(("Qh", 0.2), face=0.15)
    (seen_so,) = assemble(
        [CardSeen(card, 0.5, Kind.CARD, blank, support=LOOSE)], [corner]
    )
    assert name_all([seen_so], sureness=SURE)[0].label is None
    (plain,) = name_all(
        [replace(seen_so, indices=(replace(corner, score=0.9),))], sureness=SURE
    )
    assert plain.label == "7c"


def test_a_card_that_shows_a_court_is_none_with_pips() -> None:
    """Burnt out, a jack's corner was read as a four's: the look at the whole card did
    not say which court it was, but that it was one. Under another card that may be the
    one seen."""
    card = card_quad(300, 300)
    court = reading(("Ks", 0.4), ("Qs", 0.3), ("Js", 0.25))
    body = CardSeen(card, 0.8, Kind.CARD, court, support=LOOSE)
    (jack,) = assemble([body], [seen(card, "4s")])
    assert name_all([jack], sureness=SURE)[0].label is None
    unlike = replace(seen(card, "6s", lower=True), reading=reading(("6s", 0.12)))
    (jack,) = assemble([body], [seen(card, "4s"), unlike])
    assert name_all([jack], sureness=SURE)[0].label is None
    over = CardSeen(card_quad(340, 300), 0.9, Kind.CARD, reading(("Ks", 0.97)))
    both = assemble([body, over], [seen(card, "4s")])
    assert {i.label for i in name_all(both, sureness=SURE)} == {"4s", "Ks"}


@pytest.mark.parametrize("first", [0, 1])
def test_both_upper_corners_of_a_card_with_four_indices_are_one_card(
    first: int,
) -> None:
    card = card_quad(300, 300, 20)
    corners = [index_of(card), index_of(card, right=True)]
    scores = [0.9, 0.8] if first == 0 else [0.8, 0.9]
    seen = [
        IndexSeen(quad, score, reading(("Ah", 0.95)))
        for quad, score in zip(corners, scores, strict=True)
    ]
    (joined,) = assemble([], seen)
    assert len(joined.indices) == 2
    assert quad_overlap(joined.quad_px, card) > 0.9


def test_two_copies_that_lie_level_but_not_a_card_apart_stay_two() -> None:
    cards = [card_quad(300, 300), card_quad(355, 300)]
    seen = [IndexSeen(index_of(card), 0.9, reading(("Ah", 0.95))) for card in cards]
    assert len(assemble([], seen)) == 2


@pytest.mark.parametrize(
    ("other", "certain", "aside", "labels"),
    [
        pytest.param("Qs", 0.9, 0.63, {"5s", "Qs"}, id="neighbours in a close fan"),
        pytest.param("Qs", 0.7, 0.63, {"5s", "Qs"}, id="neighbours, one half read"),
        pytest.param("5s", 0.9, 0.63, {"5s"}, id="one face"),
        pytest.param("Qs", 0.3, 0.63, {"5s"}, id="a reading that says little"),
        pytest.param("Qs", 0.9, 0.1, {"5s"}, id="one box, misread"),
    ],
)
def test_boxes_that_overlap_are_one_index_or_two(
    other: str, certain: float, aside: float, labels: set[str]
) -> None:
    """The five of spades of a bridge deal was dropped: a fifth of its box was the
    queen's beside it. So were one corner in eight tables that was half read (6714, 108,
    another five of spades): nothing was said of a card that lay open."""
    box = np.array([[0.0, 0], [20, 0], [20, 40], [0, 40]])
    looks = [
        IndexSeen(box, 0.4, reading(("5s", 0.95))),
        IndexSeen(
            box + np.array([20 * aside, 0]),
            0.7,
            reading((other, certain), face=certain),
        ),
    ]
    found = indices_once(looks)
    assert {LABELS[int(one.reading.faces.argmax())] for one in found} == labels
    assert found[0].score == (0.4 if len(labels) == 2 else 0.7)


@pytest.mark.parametrize(("score", "places"), [(0.4, 2), (0.1, 1)])
def test_what_the_detector_found_beside_a_corner_is_read_by_itself(
    score: float, places: int
) -> None:
    """In a close fan the boxes of two corners overlap by a fifth to a third."""
    box = np.array([[0.0, 0], [20, 0], [20, 40], [0, 40]])
    boxes = [
        Detection(Kind.INDEX, box + np.array([x, 0.0]), certain)
        for x, certain in ((0, 0.7), (12, score))
    ]
    assert len(by_place(boxes)) == places


def test_the_index_of_a_neighbour_is_not_taken_for_a_second_one() -> None:
    """A corner has one index: of two that nearly fit, the better one is its own."""
    card, neighbour = card_quad(300, 300), card_quad(308, 300)
    body = CardSeen(card, 0.9, Kind.CARD, reading(("2c", 0.6), face=0.6))
    cards = assemble([body], [seen(card, "2c"), seen(neighbour, "3c")])
    identities = name_all(cards, sureness=SURE)
    assert sorted(i.label or "?" for i in identities) == ["2c", "3c"]


def test_a_corner_far_from_an_outline_on_edges_is_of_the_card_below() -> None:
    """An unread joker lay on half an ace of which one corner was read: it was called
    the ace (rendered tables 6713, 394)."""
    ace, joker = card_quad(300, 300), card_quad(335, 325, 20)
    body = CardSeen(joker, 0.9, Kind.CARD, reading(("Ac", 0.3), face=0.15))
    corner = seen(ace, "Ac")
    apart = assemble([body], [corner])
    assert {len(card.indices) for card in apart} == {0, 1}
    frame = ace.mean(0) + (ace - ace.mean(0)) * 0.72
    (card,) = assemble([replace(body, quad_px=frame)], [corner])
    assert card.indices == (corner,)


def test_a_neighbours_index_at_the_upper_right_is_not_the_cards_own() -> None:
    card = card_quad(300, 300)
    body = CardSeen(card, 0.9, Kind.CARD, reading(("4d", 0.9)))
    cards = assemble([body], [seen(card, "4d"), seen(card, "Kd", right=True)])
    names = {identity.label for identity in name_all(cards, sureness=SURE)}
    assert names == {"4d", "Kd"}


def test_of_two_indices_at_a_corner_the_one_that_the_whole_bears_out_is_its_own() -> (
    None
):
    """In a close fan the next card's index may stand exactly where one's own should."""
    card = card_quad(300, 300)
    body = CardSeen(card, 0.9, Kind.CARD, reading(("Ac", 0.8)), support=LOOSE)
    own, next_one = card_quad(305, 306), card_quad(300, 300)
    cards = assemble([body], [seen(next_one, "Kh"), seen(own, "Ac")])
    names = [identity.label for identity in name_all(cards, sureness=SURE)]
    whole = [card.whole is not None for card in cards]
    assert sorted(zip(names, whole, strict=True)) == [("Ac", True), ("Kh", False)]


def test_decks_with_an_index_in_every_corner_are_known_by_their_agreement() -> None:
    """German decks: where most corners agree, one that does not is misread."""
    one, other = card_quad(300, 300), card_quad(700, 300)
    bodies = [
        CardSeen(one, 0.9, Kind.CARD, reading(("4d", 0.9))),
        CardSeen(other, 0.9, Kind.CARD, reading(("Js", 0.9))),
    ]
    cards = assemble(
        bodies,
        [
            *(seen(one, "4d"), seen(one, "4d", right=True)),
            *(seen(other, "Js"), seen(other, "Js", lower=True)),
            seen(other, "Js", right=True),
            seen(one[[2, 3, 0, 1]], "4d", right=True),
            seen(other[[2, 3, 0, 1]], "8s", right=True),
        ],
    )
    assert len(cards) == 2
    assert {identity.label for identity in name_all(cards, sureness=SURE)} <= {
        *("4d", "Js", None)
    }


def test_a_card_cut_out_badly_is_laid_out_from_its_index() -> None:
    """Two whole cards say how large the third is, whose box is half as wide."""
    whole = [card_quad(200, 300), card_quad(700, 300, 40)]
    hidden = card_quad(450, 600, 10)
    box = hidden.copy()
    box[1:3] -= (hidden[1] - hidden[0]) / 2
    bodies = [CardSeen(quad, 0.9, Kind.CARD, reading(("4d", 0.9))) for quad in whole]
    unsure = reading(("7s", 0.4))
    bodies.append(CardSeen(box, 0.8, Kind.CARD, unsure, support=(1.0, 0.0, 0.0, 1.0)))
    indices = [seen(whole[0], "4d"), seen(whole[1], "9h"), seen(hidden, "7s")]
    cards = assemble(bodies, indices)
    found = max(cards, key=lambda card: quad_overlap(card.quad_px, hidden))
    assert quad_overlap(box, hidden) < 0.6
    assert quad_overlap(found.quad_px, hidden) > 0.95
    assert found.cut_px is box


def test_an_outline_with_two_of_its_corners_in_place_is_not_laid_out_anew() -> None:
    """A smaller card that lies in the picture too says nothing of it."""
    small = [card_quad(200, 300) * 0.5, card_quad(800, 300) * 0.5]
    bodies = [CardSeen(quad, 0.9, Kind.CARD, reading(("4d", 0.9))) for quad in small]
    large = card_quad(450, 600, 10)
    loose = (0.6, 0.0, 0.8, 0.0)
    bodies.append(CardSeen(large, 0.9, Kind.CARD, reading(("Ks", 0.9)), support=loose))
    corners = [seen(large, "Ks"), seen(large, "Ks", lower=True)]
    loosely = [
        replace(c, quad_px=c.quad_px + 0.5 * (c.quad_px - c.quad_px.mean(0)))
        for c in corners
    ]
    indices = [seen(small[0], "4d"), seen(small[1], "9h"), *loosely]
    cards = assemble(bodies, indices)
    found = max(cards, key=lambda card: quad_overlap(card.quad_px, large))
    assert len(found.indices) == 2
    assert np.allclose(found.quad_px, large)


def test_an_outline_that_holds_only_anothers_corner_is_no_second_card() -> None:
    """Half a queen and half a back in one box: what reads there is that queen."""
    queen = card_quad(300, 300)
    body = CardSeen(queen, 0.9, Kind.CARD, reading(("Qs", 0.97)))
    aside = card_quad(355, 290)
    shifted = CardSeen(
        aside, 0.8, Kind.CARD, reading(("Qs", 0.96)), support=(0.5, 0.0, 0.5, 0.0)
    )
    (card,) = assemble([body, shifted], [seen(queen, "Qs", lower=True)])
    assert np.array_equal(card.quad_px, queen)
    cut = replace(shifted, support=(1.0, 0.9, 1.0, 0.0))
    assert len(assemble([body, cut], [seen(queen, "Qs", lower=True)])) == 2


def test_a_neighbours_index_near_a_clear_cards_corner_is_another_card() -> None:
    """Cards laid close: what is clear by itself is not put in doubt by the next one."""
    card, near = card_quad(300, 300), card_quad(314, 305)
    body = CardSeen(card, 0.9, Kind.CARD, reading(("Ah", 0.97)))
    cards = assemble([body], [seen(near, "8s")])
    names = {identity.label for identity in name_all(cards, sureness=SURE)}
    assert names == {"Ah", "8s"}


def test_a_misread_corner_of_a_card_is_not_a_second_card() -> None:
    """A B read as an 8: two cards that coincide cannot both show a corner."""
    card = card_quad(300, 300)
    body = CardSeen(card, 0.9, Kind.CARD, reading(("Js", 0.95)))
    corners = [seen(card, "Js"), seen(card, "8s", lower=True)]
    cards = assemble([body], corners)
    (identity,) = name_all(cards, sureness=SURE)
    assert identity.label == "Js"


def test_a_corner_on_what_looks_like_a_back_makes_it_a_card_of_its_own() -> None:
    """In a fan the detector takes strips for backs; two corners are two cards."""
    card, next_one = card_quad(300, 300), card_quad(313, 303)
    body = CardSeen(card, 0.9, Kind.BACK, reading(("7c", 0.2)), support=(0.0,) * 4)
    cards = assemble([body], [seen(card, "2c"), seen(next_one, "4h")])
    assert sorted(LABELS[one.faces.argmax()] for one in cards) == ["2c", "4h"]
