"""One identity per physical card, and a closed deck that hides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.support.cards_seen import (
    LOOSE,
    SURE,
    card_quad,
    reading,
    seen,
)
from vision.assembling import assemble
from vision.cards import CardSeen, IndexSeen, log_faces_of
from vision.naming import Sureness, duplicates, name_all
from vision.reading import LABELS, Reading
from vision.types import Array, Finding, Identity, Kind, Placement

CLUB_OR_DIAMOND = np.array([[1.5], [1.5], [-1.5], [-1.5]])
"""How much likelier (log) clubs and diamonds are made than spades and hearts."""


def reported(identities: Sequence[Identity], decks: int = 1) -> tuple[Finding, ...]:
    placements = [
        Placement(f"c{number}", Kind.CARD, identity, 0.9, ())
        for number, identity in enumerate(identities)
    ]
    return duplicates(placements, decks=decks)


def assemble_one(card: Array, looks: tuple[IndexSeen, ...]) -> tuple[CardSeen, ...]:
    """Return one card on which all looks were read."""
    log = sum(np.log(look.reading.faces) for look in looks)
    return (CardSeen(card, 0.9, Kind.CARD, None, looks, np.asarray(log, float)),)


def loosely_cut(whole: tuple[str, float], looks: tuple[IndexSeen, ...]) -> CardSeen:
    """Return a card of which no side is clear, read as a whole and in its corners."""
    quad = card_quad(300, 300)
    card = CardSeen(quad, 0.9, Kind.CARD, reading(whole), looks, support=LOOSE)
    return replace(card, log_faces=log_faces_of(card))


def test_neighbours_in_a_fan_stay_two_cards() -> None:
    fan = [card_quad(300 + 22 * i, 300, 4.0 * i) for i in range(5)]
    labels = ["2c", "3c", "4c", "5c", "6c"]
    indices = [seen(card, label) for card, label in zip(fan, labels, strict=True)]
    cards = assemble([], indices)
    identities = name_all(cards, sureness=SURE)
    assert sorted(i.label or "?" for i in identities) == labels
    assert reported(identities) == ()


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
    sure = Sureness(min_probability=0.55, min_alone=0.55, min_whole=0.55)
    identities = name_all(cards, sureness=sure)
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


@pytest.mark.parametrize(("corners", "label"), [(1, None), (2, "7d")])
def test_what_one_corner_says_alone_must_be_likelier(
    corners: int, label: str | None
) -> None:
    looks = reading(("7d", 0.87), ("9d", 0.1))
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
    sure = Sureness(0.85, 0.85, min_whole=0.85, min_suit=0.9)
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


@pytest.mark.parametrize(("certain", "named"), [(0.96, None), (0.99, "4d")])
def test_what_no_corner_says_must_be_likelier(
    certain: float, named: str | None
) -> None:
    """Of 27 names on 900 tables that cards without a corner gave from .92 to .97 two
    were wrong, and no person could read one of the others."""
    sure = Sureness(0.7, 0.7, min_whole=0.97)
    looks = reading(("4d", certain), face=1.0)
    card = CardSeen(card_quad(300, 300), 0.9, Kind.CARD, looks)
    (identity,) = name_all(assemble([card], []), sureness=sure)
    assert identity.label == named


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


def test_a_corner_that_reads_as_the_other_black_suit_is_no_dispute() -> None:
    """Clubs and spades are told by their outline, whatever was read (6709, 174)."""
    for suit, other, named in (("c", "s", "3c"), ("d", "h", None)):
        quad = card_quad(300, 300)
        corners = seen(quad, f"3{suit}"), seen(quad, f"3{other}", lower=True)
        look = reading((f"3{suit}", 0.95))
        card = CardSeen(quad, 0.9, Kind.CARD, look, corners, support=LOOSE)
        card = replace(card, log_faces=log_faces_of(card)).likelier(CLUB_OR_DIAMOND)
        assert name_all([card], sureness=SURE)[0].label == named


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


def test_a_corner_that_is_half_seen_must_be_read_surely_to_name_a_card() -> None:
    for read, named in ((0.95, "5d"), (0.93, None)):
        corner = replace(seen(card_quad(300, 300), "5d"), score=0.4)
        corner = corner.read_as(reading(("5d", read)))
        (card,) = assemble([], [corner])
        strict = replace(SURE, min_once=0.9)
        assert name_all([card], sureness=strict)[0].label == named
        (card,) = assemble([], [replace(corner, score=0.6)])
        assert name_all([card], sureness=strict)[0].label == "5d"


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


@pytest.mark.parametrize(
    ("misread", "score", "named"),
    [("4h", 0.9, "Ah"), ("Ad", 0.9, None), ("Ad", 0.2, "Ah")],
    ids=["another rank", "another suit", "hardly found"],
)
def test_a_clear_card_outvotes_a_corner_that_misreads_its_rank(
    misread: str, score: float, named: str | None
) -> None:
    """Rendered tables 57 of 6714, 261 and 268 of 6715: one corner and the whole were
    clear, another corner said a 7 for a 5. What is hardly found disputes nothing."""
    quad = card_quad(300, 300)
    other = replace(seen(quad, misread, lower=True), score=score)
    card = loosely_cut(("Ah", 0.97), (seen(quad, "Ah"), other))
    assert name_all([card], sureness=SURE)[0].label == named


@pytest.mark.parametrize(
    ("shows", "seems", "score", "named"),
    [
        pytest.param("Js", "3s", 0.9, "Js", id="a Jack of other pips"),
        pytest.param("Js", "3s", 0.4, None, id="a corner half found"),
        pytest.param("8s", "Js", 0.9, None, id="a B like an 8"),
    ],
)
def test_a_clear_corner_is_not_doubted_for_a_picture_that_is_not(
    shows: str, seems: str, score: float, named: str | None
) -> None:
    """A Jack whose picture looks like a 3 (6715, 73; 6716, 21); but what shows a court
    has no number."""
    corner = replace(seen(card_quad(300, 300), shows), score=score)
    card = loosely_cut((seems, 0.75), (corner,))
    sure = replace(SURE, min_alone=0.95, min_once=0.95)
    assert name_all([card], sureness=sure)[0].label == named


@pytest.mark.parametrize(("score", "named"), [(0.9, "Qc"), (0.6, None)])
def test_where_a_corner_was_surely_found_the_reader_hardly_doubts_it(
    score: float, named: str | None
) -> None:
    """The reader half takes a thin Q for none, the detector does not: of 30 corners on
    300 tables of which it was so sure, and the reader was not, all were some."""
    looks = reading(("Qc", 0.95), face=0.85)
    corner = replace(seen(card_quad(300, 300), "Qc"), score=score, reading=looks)
    sure = replace(SURE, min_alone=0.88)
    assert name_all(assemble([], [corner]), sureness=sure)[0].label == named
