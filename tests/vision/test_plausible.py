"""What is believed to be a card of those that were seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.cards_seen import (
    SURE,
    card_quad,
    index_of,
    reading,
    seen,
)
from vision.assembling import assemble
from vision.cards import CardSeen, IndexSeen
from vision.naming import name_all
from vision.plausible import plausible
from vision.types import UNKNOWN, Array, Identity, Kind


def whole(quad: Array, score: float = 0.9) -> CardSeen:
    return CardSeen(quad, score, Kind.CARD, reading(("7h", 0.97)))


def believed(
    *cards: CardSeen, label: str | None = "7h", discs_px: tuple[Array, ...] = ()
) -> tuple[bool, ...]:
    names = [Identity(label)] * len(cards)
    return plausible(cards, names, min_score=0.7, discs_px=discs_px)


def believed_by_name(body: CardSeen, *corners: IndexSeen) -> dict[str | None, bool]:
    """Return which cards, by name, are believed to be there, of an outline and corners
    that were read."""
    cards = assemble([body], corners)
    names = name_all(cards, sureness=SURE)
    real = plausible(cards, names, min_score=0.5)
    return {n.label: r for n, r in zip(names, real, strict=True)}


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
