"""One identity per physical card, and a closed deck that hides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.assembling import assemble
from vision.cards import CardSeen, IndexSeen, log_faces_of
from vision.from_index import IndexPlace, card_from_index
from vision.naming import Sureness, duplicates, name_all
from vision.once import indices_once
from vision.plausible import plausible
from vision.quads import quad_overlap
from vision.reading import LABELS, Reading
from vision.types import UNKNOWN, Array, Finding, Identity, Kind, Placement

SURE = Sureness(min_probability=0.7, min_alone=0.7)
PLACE = IndexPlace()

CLUB_OR_DIAMOND = np.array([[1.5], [1.5], [-1.5], [-1.5]])
"""How much likelier (log) clubs and diamonds are made than spades and hearts."""


def reading(*candidates: tuple[str, float], face: float = 0.98) -> Reading:
    """Return a reading with these probabilities, the rest spread over all faces."""
    rest = 1 - sum(p for _, p in candidates)
    faces = np.full(len(LABELS), max(rest, 1e-4) / len(LABELS))
    for label, probability in candidates:
        faces[LABELS.index(label)] += probability
    return Reading(faces / faces.sum(), face, 0.0, 1 - face)


def card_quad(x: float, y: float, angle_deg: float = 0.0) -> Array:
    """Return a card 100 px wide and 140 px high around (x, y)."""
    turn = np.radians(angle_deg)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = np.array([[-50.0, -70], [50, -70], [50, 70], [-50, 70]])
    return np.asarray(corners @ rotation.T + [x, y], float)


def index_of(card: Array, *, lower: bool = False) -> Array:
    """Return where the index of a card stands, upright for its own corner."""
    if lower:
        card = card[[2, 3, 0, 1]]
    right, down = card[1] - card[0], card[3] - card[0]
    centre = card[0] + PLACE.x * right + PLACE.y * down
    tall, wide = PLACE.height * down / 2, 0.06 * right
    return np.array(
        [
            centre - wide - tall,
            centre + wide - tall,
            centre + wide + tall,
            centre - wide + tall,
        ]
    )


def seen(card: Array, label: str, *, lower: bool = False) -> IndexSeen:
    return IndexSeen(index_of(card, lower=lower), 0.9, reading((label, 0.97)))


def reported(identities: Sequence[Identity], decks: int = 1) -> tuple[Finding, ...]:
    placements = [
        Placement(f"c{number}", Kind.CARD, identity, 0.9, ())
        for number, identity in enumerate(identities)
    ]
    return duplicates(placements, decks=decks)


@given(st.floats(-180, 180), st.floats(100, 900), st.floats(100, 900))
def test_a_card_is_laid_out_from_its_index(angle: float, x: float, y: float) -> None:
    card = card_quad(x, y, angle)
    for lower in (False, True):
        found = card_from_index(index_of(card, lower=lower), PLACE)
        assert quad_overlap(found, card) > 0.97


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
    cards = assemble(bodies, [seen(one, "Qd"), at_upper_right(other, "Qd")])
    assert len(cards) == 1


LOOSE = (0.0, 0.0, 0.5, 0.5)
"""How much of the sides of an outline lies on edges where cards hide the rest."""


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
    cards = assemble(bodies, [seen(one, "Kd"), at_upper_right(other, "Kd")])
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


def right_index_of(card: Array) -> Array:
    """Return where the upper right index of a card with four stands."""
    shift = (card[1] - card[0]) * (1 - 2 * PLACE.x)
    return np.asarray(index_of(card) + shift)


@pytest.mark.parametrize("first", [0, 1])
def test_both_upper_corners_of_a_card_with_four_indices_are_one_card(
    first: int,
) -> None:
    card = card_quad(300, 300, 20)
    corners = [index_of(card), right_index_of(card)]
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
        pytest.param("5s", 0.9, 0.63, {"5s"}, id="one face"),
        pytest.param("Qs", 0.3, 0.63, {"5s"}, id="a reading that says little"),
        pytest.param("Qs", 0.9, 0.1, {"5s"}, id="one box, misread"),
    ],
)
def test_boxes_that_overlap_are_one_index_or_two(
    other: str, certain: float, aside: float, labels: set[str]
) -> None:
    """The five of spades of a bridge deal was dropped: a fifth of its box was the
    queen's beside it."""
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


def test_neighbours_in_a_fan_stay_two_cards() -> None:
    fan = [card_quad(300 + 22 * i, 300, 4.0 * i) for i in range(5)]
    labels = ["2c", "3c", "4c", "5c", "6c"]
    indices = [seen(card, label) for card, label in zip(fan, labels, strict=True)]
    cards = assemble([], indices)
    identities = name_all(cards, sureness=SURE)
    assert sorted(i.label or "?" for i in identities) == labels
    assert reported(identities) == ()


def test_the_index_of_a_neighbour_is_not_taken_for_a_second_one() -> None:
    """A corner has one index: of two that nearly fit, the better one is its own."""
    card, neighbour = card_quad(300, 300), card_quad(308, 300)
    body = CardSeen(card, 0.9, Kind.CARD, reading(("2c", 0.6), face=0.6))
    cards = assemble([body], [seen(card, "2c"), seen(neighbour, "3c")])
    identities = name_all(cards, sureness=SURE)
    assert sorted(i.label or "?" for i in identities) == ["2c", "3c"]


def test_two_clear_copies_are_reported_and_not_hidden() -> None:
    """F-24: duplicates raise a clear message."""
    cards = assemble(
        [
            CardSeen(card_quad(200, 300), 0.9, Kind.CARD, reading(("Kd", 0.995))),
            CardSeen(card_quad(600, 300), 0.9, Kind.CARD, reading(("Kd", 0.995))),
        ],
        [seen(card_quad(200, 300), "Kd"), seen(card_quad(600, 300), "Kd")],
    )
    identities = name_all(cards, sureness=SURE)
    assert [i.label for i in identities] == ["Kd", "Kd"]
    (finding,) = reported(identities)
    assert (finding.code, finding.placements) == ("duplicate", ("c0", "c1"))
    assert reported(name_all(cards, sureness=SURE, decks=2), decks=2) == ()


def test_the_closed_deck_chooses_between_candidates() -> None:
    cards = assemble(
        [
            CardSeen(card_quad(200, 300), 0.9, Kind.CARD, reading(("Kd", 0.99))),
            CardSeen(
                card_quad(600, 300), 0.9, Kind.CARD, reading(("Kd", 0.75), ("Kh", 0.24))
            ),
        ],
        [],
    )
    identities = name_all(
        cards, sureness=Sureness(min_probability=0.55, min_alone=0.55)
    )
    assert sorted(i.label or "?" for i in identities) == ["Kd", "Kh"]
    assert reported(identities) == ()


@pytest.mark.parametrize(
    "unsure",
    [
        reading(("7h", 0.97), face=0.2),
        reading(("7h", 0.4), ("9h", 0.35)),
        reading(),
    ],
    ids=["no face", "two alike", "nothing"],
)
def test_doubt_is_said_and_not_guessed(unsure: Reading) -> None:
    """F-27, F-30: look-alikes and foreign cards are not named."""
    cards = assemble([CardSeen(card_quad(200, 300), 0.9, Kind.CARD, unsure)], [])
    (identity,) = name_all(cards, sureness=SURE)
    assert identity.label is None


def test_two_corners_that_are_doubtful_alike_do_not_make_each_other_sure() -> None:
    """Both show the same drawing: a B that may be an 8 is no surer seen twice."""
    card = card_quad(300, 300)
    doubtful = reading(("8h", 0.8), ("Jh", 0.18))
    once = replace(seen(card, "8h"), reading=doubtful)
    twice = replace(seen(card, "8h", lower=True), reading=doubtful)
    (by_one,) = assemble([], [once])
    (by_two,) = assemble([], [once, twice])
    assert len(by_two.indices) == 2
    assert by_two.faces.max() == pytest.approx(by_one.faces.max())
    sure = replace(SURE, min_probability=0.9, min_alone=0.9)
    assert name_all([by_two], sureness=sure)[0].label is None


def test_candidates_are_sorted_and_never_sum_to_more_than_one() -> None:
    cards = assemble(
        [CardSeen(card_quad(200, 300), 0.9, Kind.CARD, reading(("7h", 0.6)))], []
    )
    (identity,) = name_all(cards, sureness=SURE)
    probabilities = [p for _, p in identity.candidates]
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) <= 1
    assert identity.candidates[0][0] == "7h"


def test_nothing_in_nothing_out() -> None:
    """F-44: an empty table is no error."""
    assert assemble([], []) == ()
    assert name_all([], sureness=SURE) == ()


def believed(
    *cards: CardSeen, label: str | None = "7h", discs_px: tuple[Array, ...] = ()
) -> tuple[bool, ...]:
    names = [Identity(label)] * len(cards)
    return plausible(cards, names, min_score=0.7, discs_px=discs_px)


def whole(quad: Array, score: float = 0.9) -> CardSeen:
    return CardSeen(quad, score, Kind.CARD, reading(("7h", 0.97)))


def test_a_disc_with_pips_is_not_a_card() -> None:
    """Poker chips have marks at the rim that read as a four."""
    chip = np.array([[100.0, 100], [150, 100], [150, 150], [100, 150]])
    assert believed(whole(chip), discs_px=(chip + 2,)) == (False,)
    with_index = CardSeen(chip, 0.9, Kind.CARD, None, (seen(chip, "7h"),))
    assert believed(with_index, discs_px=(chip + 2,)) == (True,)
    assert believed(whole(chip), discs_px=(chip + 200,)) == (True,)


def test_threads_of_the_cloth_are_no_back_where_one_card_lies_open() -> None:
    """The detector was sure of four backs, each three times as long as the Jack."""
    quad = card_quad(300, 300)
    corners = (seen(quad, "7h"), seen(quad, "7h", lower=True))
    sides = (1.0, 1.0, 1.0, 0.9)
    jack = replace(whole(quad), indices=corners, support=sides)
    giant = (quad - quad.mean(axis=0)) * 3 + [900, 500]
    nothing = reading(face=0.01)
    threads = CardSeen(giant, 0.94, Kind.BACK, nothing, support=(0.5, 0, 0, 0.5))
    named, nameless = Identity("7h"), UNKNOWN

    def kept(*cards: CardSeen) -> tuple[bool, ...]:
        return plausible(cards, [named, nameless], min_score=0.7)

    assert kept(jack, threads) == (True, False)
    assert kept(jack, replace(threads, support=(0.9, 0.8, 0.7, 0.2))) == (True, True)
    hidden = replace(jack, support=(1.0, 0.4, 1.0, 0.9))
    assert kept(hidden, threads) == (True, True)


def test_threads_are_no_back_either_where_cards_are_known_to_be_much_smaller() -> None:
    """In a part of a table without any card the stripes of the cloth were a back, eight
    times as large as the one card that lay elsewhere: all waited for it (Regicide
    5819)."""
    giant = np.array([[0, 0], [200, 0], [200, 280], [0, 280]], float)
    looks = reading(face=0.01)
    threads = CardSeen(giant, 0.94, Kind.BACK, looks, support=(0.5, 0, 0, 0.5))

    def kept(card_px: float) -> tuple[bool, ...]:
        return plausible([threads], [UNKNOWN], min_score=0.7, card_px=card_px)

    assert kept(0.0) == kept(200.0) == (True,)
    assert kept(90.0) == (False,)


def test_a_faint_corner_that_asks_for_a_giant_card_is_none() -> None:
    usual = [whole(card_quad(200.0 * n, 200)) for n in range(1, 4)]
    giant = card_quad(900, 600) * 3
    faint = CardSeen(
        giant, 0.14, Kind.CARD, None, (IndexSeen(giant, 0.14, reading(("7h", 0.97))),)
    )
    assert believed(*usual, faint) == (True, True, True, False)
    unsure = CardSeen(
        giant, 0.35, Kind.CARD, None, (IndexSeen(giant, 0.35, reading(("Ah", 0.97))),)
    )  # the heart of an ace (tables 16, 126 and 139 of 6711)
    assert believed(*usual, unsure) == (True, True, True, False)
    dwarf = replace(unsure, quad_px=card_quad(900, 600) * 0.6)
    assert believed(*usual, dwarf) == (True, True, True, True)
    clear = CardSeen(
        giant, 0.8, Kind.CARD, None, (IndexSeen(giant, 0.8, reading(("7h", 0.97))),)
    )
    assert believed(*usual, clear) == (True, True, True, True)


def test_a_faint_corner_of_a_far_card_is_one_beside_others_as_small() -> None:
    """Cards are as large as those beside them, not as most in the picture."""
    near = [whole(card_quad(400.0 * n, 900) * 2.0) for n in range(1, 4)]
    beside, far = card_quad(700, 100), card_quad(760, 100)
    faint = CardSeen(
        far, 0.14, Kind.CARD, None, (IndexSeen(far, 0.14, reading(("7h", 0.97))),)
    )
    assert believed(*near, whole(beside), faint)[-1]
    assert not believed(*near, faint)[-1]


def test_a_corner_in_a_fan_that_cannot_be_told_is_asked_and_not_dropped() -> None:
    below, above = card_quad(300, 300), card_quad(315, 300)
    seen = [
        IndexSeen(index_of(below), 0.8, reading(("3h", 0.5), ("8h", 0.4))),
        IndexSeen(index_of(above), 0.9, reading(("Kd", 0.99))),
    ]
    cards = assemble([], seen)
    names = name_all(cards, sureness=SURE)
    kept = plausible(cards, names, min_score=0.7)
    shown = {n.candidates[0][0]: (n.label, k) for n, k in zip(names, kept, strict=True)}
    assert shown == {"3h": (None, True), "Kd": ("Kd", True)}


@pytest.mark.parametrize(("corners", "label"), [(1, None), (2, "7d")])
def test_what_one_corner_says_alone_must_be_likelier(
    corners: int, label: str | None
) -> None:
    looks = reading(("7d", 0.89), ("9d", 0.1))
    card = card_quad(300, 300)
    own = [replace(seen(card, "7d", lower=low), reading=looks) for low in (False, True)]
    sure = Sureness(min_probability=0.85, min_alone=0.88)
    names = name_all(assemble([], own[:corners]), sureness=sure)
    assert {name.label for name in names} == {label}


@pytest.mark.parametrize(
    ("suits", "other", "label"),
    [("cs", 0.105, None), ("sc", 0.105, None), ("cs", 0.08, "7c"), ("dh", 0.105, "7d")],
)
def test_which_black_suit_it_is_must_be_likelier_than_the_card(
    suits: str, other: float, label: str | None
) -> None:
    """Clubs and spades pass for each other where they are out of focus; reds do not."""
    first, second = (f"7{suit}" for suit in suits)
    looks = reading((first, 0.995 - other), (second, other), face=1.0)
    card = CardSeen(card_quad(100, 100), 0.9, Kind.CARD, looks)
    sure = Sureness(min_probability=0.85, min_alone=0.85, min_suit=0.9)
    (name,) = name_all(assemble([card], []), sureness=sure)
    assert name.label == label


@pytest.mark.parametrize(("decks", "label"), [(1, "7c"), (2, None)])
def test_what_surely_lies_elsewhere_is_not_the_other_candidate(
    decks: int, label: str | None
) -> None:
    sure = CardSeen(card_quad(100, 100), 0.9, Kind.CARD, reading(("7s", 0.995)))
    open_ = CardSeen(
        card_quad(400, 100), 0.9, Kind.CARD, reading(("7c", 0.8), ("7s", 0.2))
    )
    cards = assemble([sure, open_], [])
    strict = Sureness(min_probability=0.9, min_alone=0.9)
    names = name_all(cards, sureness=strict, decks=decks)
    assert {n.label for n in names} == {"7s", label}


def test_a_second_look_at_a_card_is_not_named_by_what_is_left() -> None:
    sure = CardSeen(card_quad(100, 100), 0.9, Kind.CARD, reading(("7s", 0.995)))
    again = CardSeen(
        card_quad(400, 100), 0.9, Kind.CARD, reading(("7s", 0.6), ("7c", 0.4))
    )
    strict = Sureness(min_probability=0.9, min_alone=0.9)
    names = name_all(assemble([sure, again], []), sureness=strict)
    assert sorted(str(n.label) for n in names) == ["7s", "None"]


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


def test_two_sure_looks_that_disagree_are_doubt() -> None:
    """A B read as an 8: the corners say one card, the rest of it another."""
    card = card_quad(300, 300)
    body = CardSeen(card, 0.9, Kind.CARD, reading(("Js", 0.95)))
    (joined,) = assemble([body], [seen(card, "8s"), seen(card, "8s", lower=True)])
    (identity,) = name_all([joined], sureness=SURE)
    assert identity.label is None
    assert {label for label, _ in identity.candidates} >= {"8s"}
    badly_cut = replace(joined, support=(1.0, 0.9, 0.2, 0.8))
    assert name_all([badly_cut], sureness=SURE)[0].label == "8s"


@pytest.mark.parametrize(
    ("picture", "corners", "named"),
    [
        pytest.param("Ks", 2, "Qs", id="two corners know a court better than its art"),
        pytest.param("Ks", 1, None, id="one corner may be misread"),
        pytest.param("Kh", 2, None, id="another suit is no matter of art"),
        pytest.param("8s", 2, None, id="pips are counted"),
    ],
)
def test_the_letters_of_a_court_are_trusted_more_than_its_picture(
    picture: str, corners: int, named: str | None
) -> None:
    """Of the ranks of courts in another deck's art a third is right (spike.md)."""
    card = card_quad(300, 300)
    looks = tuple(seen(card, "Qs", lower=bool(i)) for i in range(corners))
    whole = reading((picture, 0.85))
    log = sum(np.log(look.reading.faces) for look in looks)
    body = CardSeen(card, 0.9, Kind.CARD, whole, looks, np.asarray(log, float))
    assert name_all([body], sureness=SURE)[0].label == named


def test_what_was_read_on_a_badly_cut_crop_alone_needs_to_be_sure() -> None:
    sure = Sureness(0.7, 0.7, min_faint=0.95)
    cut = CardSeen(card_quad(300, 300), 0.9, Kind.CARD, reading(("4d", 0.9)))
    (well,) = assemble([cut], [])
    (badly,) = assemble([replace(cut, support=(0.9, 0.5, 0.2, 0.8))], [])
    assert name_all([well], sureness=sure)[0].label == "4d"
    assert name_all([badly], sureness=sure)[0].label is None


def test_the_closed_deck_never_makes_an_unlikely_card_of_a_second_look() -> None:
    cards = assemble(
        [
            CardSeen(card_quad(200, 300), 0.9, Kind.CARD, reading(("Kd", 0.97))),
            CardSeen(
                card_quad(600, 300), 0.9, Kind.CARD, reading(("Kd", 0.91), ("Kh", 0.06))
            ),
        ],
        [],
    )
    labels = [identity.label for identity in name_all(cards, sureness=SURE)]
    assert "Kh" not in labels
    assert "Kd" in labels


def at_upper_right(card: Array, label: str) -> IndexSeen:
    """Return an index upright in the upper right corner of a card."""
    shift = (card[1] - card[0]) * (1 - 2 * PLACE.x)
    return IndexSeen(index_of(card) + shift, 0.9, reading((label, 0.97)))


def test_a_neighbours_index_at_the_upper_right_is_not_the_cards_own() -> None:
    card = card_quad(300, 300)
    body = CardSeen(card, 0.9, Kind.CARD, reading(("4d", 0.9)))
    cards = assemble([body], [seen(card, "4d"), at_upper_right(card, "Kd")])
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


def test_a_corner_that_reads_as_the_other_black_suit_is_no_dispute() -> None:
    """Clubs and spades are told by their outline, whatever was read (6709, 174)."""
    for suit, other, named in (("c", "s", "3c"), ("d", "h", None)):
        quad = card_quad(300, 300)
        corners = seen(quad, f"3{suit}"), seen(quad, f"3{other}", lower=True)
        look = reading((f"3{suit}", 0.95))
        card = CardSeen(quad, 0.9, Kind.CARD, look, corners, support=LOOSE)
        card = replace(card, log_faces=log_faces_of(card)).likelier(CLUB_OR_DIAMOND)
        assert name_all([card], sureness=SURE)[0].label == named


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
            *(seen(one, "4d"), at_upper_right(one, "4d")),
            *(seen(other, "Js"), seen(other, "Js", lower=True)),
            at_upper_right(other, "Js"),
            at_upper_right(one[[2, 3, 0, 1]], "4d"),
            at_upper_right(other[[2, 3, 0, 1]], "8s"),
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


@pytest.mark.parametrize(("left", "named"), [(0.9, "X"), (0.0, None)])
def test_a_joker_is_named_only_where_it_was_cut_out_as_a_card(
    left: float, named: str | None
) -> None:
    """It has no index, and many a coaster or picture looks like one."""
    joker = CardSeen(
        card_quad(300, 300),
        0.9,
        Kind.CARD,
        reading(("X", 0.99)),
        support=(1.0, 1.0, 0.0, left),
    )
    (identity,) = name_all(assemble([joker], []), sureness=SURE)
    assert identity.label == named


def believed_by_name(body: CardSeen, *corners: IndexSeen) -> dict[str | None, bool]:
    """Return which cards, by name, are believed to be there, of an outline and corners
    that were read."""
    cards = assemble([body], corners)
    names = name_all(cards, sureness=SURE)
    real = plausible(cards, names, min_score=0.5)
    return {n.label: r for n, r in zip(names, real, strict=True)}


def test_a_corner_in_the_midst_of_an_open_card_is_print() -> None:
    """A crown on a king is no ace; under a card of which a side is hidden it may be."""
    king = card_quad(300, 300)
    inside = IndexSeen(index_of(card_quad(330, 330)), 0.5, reading(("Ac", 0.97)))
    for right_side, kept in ((0.8, False), (0.0, True)):
        body = CardSeen(
            king,
            0.9,
            Kind.CARD,
            reading(("Kc", 0.97)),
            support=(1.0, right_side, 1.0, 0.9),
        )
        corners = [seen(king, "Kc"), seen(king, "Kc", lower=True)]
        assert believed_by_name(body, *corners, inside) == {"Kc": True, "Ac": kept}


def test_what_is_surely_another_index_on_an_open_card_is_that_of_one_above() -> None:
    """An ace lay on the free corner of a 3 whose sides and own corners all showed
    (rendered tables 6712, 172; 6713, 35 and 400, less surely seen and read)."""
    three = card_quad(300, 300)
    ace = seen(card_quad(345, 310), "Ad")
    body = CardSeen(three, 0.9, Kind.CARD, reading(("3d", 0.97)))
    own = [seen(three, "3d"), seen(three, "3d", lower=True)]
    less = replace(ace, score=0.7, reading=reading(("Ad", 0.85)))
    for above, kept in ((ace, True), (less, True), (replace(ace, score=0.6), False)):
        assert believed_by_name(body, *own, above) == {"3d": True, "Ad": kept}


def test_a_corner_that_is_half_seen_must_be_read_surely_to_name_a_card() -> None:
    for read, named in ((0.95, "5d"), (0.93, None)):
        corner = replace(seen(card_quad(300, 300), "5d"), score=0.4)
        corner = corner.read_as(reading(("5d", read)))
        (card,) = assemble([], [corner])
        strict = replace(SURE, min_once=0.9)
        assert name_all([card], sureness=strict)[0].label == named
        (card,) = assemble([], [replace(corner, score=0.6)])
        assert name_all([card], sureness=strict)[0].label == "5d"


def test_an_index_beside_an_open_cards_own_is_that_of_the_card_below() -> None:
    """The outline holds a little of the card below, which is as well read."""
    jack, below = card_quad(300, 300), card_quad(286, 303)
    wide = jack + np.array([[-20.0, 0], [0, 0], [0, 0], [-20, 0]])
    body = CardSeen(wide, 0.9, Kind.CARD, reading(("Js", 0.97)))
    corners = [seen(jack, "Js"), seen(jack, "Js", lower=True), seen(below, "4c")]
    assert believed_by_name(body, *corners) == {"Js": True, "4c": True}


@pytest.mark.parametrize("aside", [22, 36])
def test_an_outline_of_two_cards_holds_a_corner_of_the_lower_one(aside: int) -> None:
    """One outline was found around a 9 and the ace on it, whose own upper corner stood
    beside that of the 9: this was taken for a corner of the ace that was misread, time
    and again, and the card below was lost (Regicide 5842)."""
    lower, upper = card_quad(300, 300), card_quad(300 + aside, 300)
    outline = np.array([lower[0], upper[1], upper[2], lower[3]])
    body = CardSeen(outline, 0.93, Kind.CARD, reading(("As", 0.57)), support=(1,) * 4)
    wider = np.array([[-12.0, 0], [12, 0], [12, 0], [-12, 0]])
    corners = [
        IndexSeen(index_of(lower) + wider, 0.9, reading(("9d", 0.97))),
        seen(upper, "As", lower=True),
        IndexSeen(index_of(upper) + wider, 0.6, reading(("As", 0.97))),
    ]
    cards = assemble([body], corners)
    names = name_all(cards, sureness=SURE)
    assert {n.label: len(c.indices) for n, c in zip(names, cards, strict=True)} == {
        "As": 2,
        "9d": 1,
    }
    assert plausible(cards, names, min_score=0.5) == (True, True)


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


@pytest.mark.parametrize(
    ("score", "certainty", "whole", "named"),
    [
        (0.4, 0.90, None, None),
        (0.4, 0.97, None, "7c"),
        (0.6, 0.90, None, "7c"),
        (0.4, 0.90, ("7c", 0.6), "7c"),
        (0.4, 0.90, ("9c", 0.2), None),
    ],
)
def test_one_corner_that_was_hardly_found_must_be_read_surely(
    score: float,
    certainty: float,
    whole: tuple[str, float] | None,
    named: str | None,
) -> None:
    card = card_quad(300, 300)
    corner = replace(seen(card, "7c"), score=score, reading=reading(("7c", certainty)))
    looks = None if whole is None else reading(whole)
    body = CardSeen(card, 0.9, Kind.CARD, looks, support=LOOSE)
    cards = assemble([body] if whole else [], [corner])
    assert [i.label for i in name_all(cards, sureness=SURE)] == [named]


def test_of_two_corners_the_clearer_one_counts_more() -> None:
    """A glare on the other must not put the card in doubt."""
    card = card_quad(300, 300)
    clear = seen(card, "9c")
    dim = replace(
        seen(card, "9c", lower=True), reading=reading(("7c", 0.45), ("9c", 0.3))
    )
    (both,) = assemble([CardSeen(card, 0.9, Kind.CARD, None)], [clear, dim])
    assert len(both.indices) == 2
    assert name_all([both], sureness=SURE)[0].label == "9c"


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


@pytest.mark.parametrize(("corners", "named"), [(3, "Js"), (2, None)])
def test_a_misread_corner_is_outvoted_by_three(corners: int, named: str | None) -> None:
    card = card_quad(300, 300)
    own = tuple(seen(card, "Js") for _ in range(corners))
    looks = (*own, seen(card, "8s"))
    (identity,) = name_all(assemble_one(card, looks), sureness=SURE)
    assert identity.label == named


@pytest.mark.parametrize(
    ("support", "named"), [((0.9, 1.0, 0.9, 0.0), "Ah"), ((0.9, 1.0, 0.0, 0.0), None)]
)
def test_the_whole_with_one_side_hidden_outvotes_a_misread_corner(
    support: tuple[float, ...], named: str | None
) -> None:
    card = card_quad(300, 300)
    whole = reading(("Ah", 0.99))
    looks = (seen(card, "Ah"), seen(card, "Ad", lower=True))
    log = np.log(whole.faces)
    one = CardSeen(card, 0.9, Kind.CARD, whole, looks, log, support)
    (identity,) = name_all([one], sureness=SURE)
    assert identity.label == named


def assemble_one(card: Array, looks: tuple[IndexSeen, ...]) -> tuple[CardSeen, ...]:
    """Return one card on which all looks were read."""
    log = sum(np.log(look.reading.faces) for look in looks)
    return (CardSeen(card, 0.9, Kind.CARD, None, looks, np.asarray(log, float)),)


def test_a_card_cut_off_by_the_edge_is_named_by_its_index_only() -> None:
    """What is left of an eight looks like a six."""
    card = card_quad(300, 30)
    body = CardSeen(card, 0.9, Kind.CARD, reading(("6h", 0.97)))
    shape = (600, 800, 3)
    (alone,) = name_all(assemble([body], [], shape), sureness=SURE)
    assert alone.label is None
    assert alone.candidates[0][0] == "6h"
    pip = replace(seen(card, "Ah", lower=True), reading=reading(("Ah", 0.7), face=0.9))
    assert name_all(assemble([body], [pip], shape), sureness=SURE)[0].label is None
    below = seen(card, "6h", lower=True)
    (named,) = name_all(assemble([body], [below], shape), sureness=SURE)
    assert named.label == "6h"


@pytest.mark.parametrize(
    ("read", "named"), [(("2c", "2s"), "2s"), (("3s", "2s"), None)]
)
def test_of_a_cut_off_card_a_corner_must_be_clear_about_the_rank_alone(
    read: tuple[str, str], named: str | None
) -> None:
    """The corner of a sharp 2s was either black 2 to the reader; all its looks together
    said spades (6712, 211)."""
    card = card_quad(300, 30)
    body = CardSeen(card, 0.9, Kind.CARD, reading(("2s", 0.97)), support=(1,) * 4)
    first, second = read
    corner = replace(
        seen(card, "2s", lower=True), reading=reading((first, 0.55), (second, 0.42))
    )
    (told,) = assemble([body], [corner], (600, 800, 3))
    assert LABELS[int(told.faces.argmax())] == "2s"
    assert name_all([told], sureness=SURE)[0].label == named


def test_a_corner_on_what_looks_like_a_back_makes_it_a_card_of_its_own() -> None:
    """In a fan the detector takes strips for backs; two corners are two cards."""
    card, next_one = card_quad(300, 300), card_quad(313, 303)
    body = CardSeen(card, 0.9, Kind.BACK, reading(("7c", 0.2)), support=(0.0,) * 4)
    cards = assemble([body], [seen(card, "2c"), seen(next_one, "4h")])
    assert sorted(LABELS[one.faces.argmax()] for one in cards) == ["2c", "4h"]
