"""An outline around several cards is none of them; what lies under it stays known."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tracks import H, W, card, names, show
from vision.several import apart_from, without_large, without_several
from vision.track import Tracker
from vision.types import Placement

FAN = 26.0
"""Of a fan of two: so far the upper one is shifted."""


def around(label: str | None, x: float, y: float, wide: float) -> Placement:
    """Return the outline of all that lies within so much more than a card's width."""
    corners = ((x, y), (x + W + wide, y), (x + W + wide, y + H), (x, y + H))
    return card(label, x, y, quad_px=corners)


def test_an_outline_around_two_cards_without_a_name_is_none() -> None:
    """It became a card of its own, and the lower card lay below it (seed 5220)."""
    tracker = Tracker()
    show(tracker, [card("4c", 0, 0)], 1.0)
    both = [card("4s", FAN, 0), around(None, 0, 0, FAN)]
    assert show(tracker, both, 2.0, times=4) == [("c2", "laid")]
    assert names(tracker) == {"c1": "4c", "c2": "4s"}


def test_a_named_outline_around_two_tells_that_the_card_is_there() -> None:
    """It was taken for another card of that face (seed 5221)."""
    tracker = Tracker()
    show(tracker, [card("5h", 0, 0)], 1.0)
    show(tracker, [card("5h", 0, 0, visible=0.4), card("5s", FAN, 0)], 2.0)
    assert show(tracker, [around("5s", 0, 0, FAN)], 3.0, times=4) == []
    assert names(tracker) == {"c1": "5h", "c2": "5s"}


def test_a_card_of_which_a_part_was_outlined_lies_where_it_lay() -> None:
    tracker = Tracker()
    show(tracker, [card("5h", 0, 0)], 1.0)
    part = ((2.0, 2.0), (FAN, 2.0), (FAN, H), (2.0, H))
    seen = [card("5h", 0, 0, quad_px=part, visible=0.6), card("5s", FAN, 0)]
    assert show(tracker, seen, 2.0, times=3) == [("c2", "laid")]
    (lower, _) = tracker.placements()
    assert np.allclose(lower.quad_px, card("5h", 0, 0).quad_px)


def test_a_card_that_is_new_stands_by_the_outline_around_it_and_another() -> None:
    tracker = Tracker()
    show(tracker, [card("8d", 0, 0)], 1.0)
    assert show(tracker, [around("As", 0, 0, FAN)], 2.0) == [("c2", "laid")]
    assert names(tracker) == {"c1": "8d", "c2": "As"}
    (_, upper) = tracker.placements()
    assert np.allclose(upper.quad_px, card("As", FAN, 0).quad_px)


def test_an_unread_card_upon_cards_is_a_card() -> None:
    """As large as they are, whatever it covers: it is asked about, not dropped."""
    tracker = Tracker()
    show(tracker, [card("5h", 0, 0), card("5s", FAN, 0)], 1.0)
    show(tracker, [card(None, FAN / 2, 2)], 2.0, times=4)
    assert None in names(tracker).values()


def test_what_nothing_names_lies_at_the_other_end_of_the_outline() -> None:
    """It was taken for another card of the known one's face, laid on it, and the card
    itself, once it was read, for a third (seed 5215 of Frenzy)."""
    alone = [around(None, 0, 0, 40.0)]
    tracker = Tracker()
    show(tracker, [card("5h", 0, 0)], 1.0)
    (other, known) = without_several(alone, tracker.lying)
    assert other.identity.label is None
    assert np.allclose(other.quad_px, card(None, 40.0, 0).quad_px)
    assert known.identity.label == "5h"


def test_a_card_that_is_read_later_is_the_one_that_had_no_name() -> None:
    tracker = Tracker()
    show(tracker, [card("O", 0, 0)], 1.0)
    show(tracker, [around(None, 0, 0, 20.0)], 2.0, times=4)
    assert names(tracker) == {"c1": "O", "c2": None}
    seen = [card("O", 0, 0, visible=0.5), card("K", 21, 1)]
    assert show(tracker, seen, 3.0, times=3) == [("c2", "named")]
    assert names(tracker) == {"c1": "O", "c2": "K"}


@settings(max_examples=60, deadline=None)
@given(
    st.floats(-40, 40), st.floats(-40, 40), st.floats(0.9, 1.1), st.sampled_from("KQ")
)
def test_no_card_is_an_outline_around_others_of_its_size(
    x: float, y: float, size: float, label: str
) -> None:
    tracker = Tracker()
    show(tracker, [card("5h", 0, 0), card("5s", 90, 0)], 1.0)
    corners = tuple(
        (x + W / 2 + size * (a - W / 2), y + H / 2 + size * (b - H / 2))
        for a, b in ((0, 0), (W, 0), (W, H), (0, H))
    )
    for name in (label, None):
        one = card(name, x, y, quad_px=corners)
        assert without_several([one], tracker.lying) == [one]


def test_who_knows_a_card_looks_for_the_other_where_one_outline_holds_both() -> None:
    both = np.array(around(None, 0, 0, 22.0).quad_px)
    known = np.array(card("A", 0, 0).quad_px)
    other = apart_from(both, [known])
    assert np.allclose(other, card("K", 22.0, 0).quad_px)
    alone = np.array(card("K", 30.0, 5.0).quad_px)
    assert apart_from(alone, [known]) is alone
    assert apart_from(both, []) is both


def large(wide: float, high: float, label: str | None = None) -> Placement:
    """Return an outline so many times as wide and as high as a card."""
    corners = ((0.0, 0.0), (wide * W, 0.0), (wide * W, high * H), (0.0, high * H))
    return card(label, 0, 0, quad_px=corners)


def test_a_stripe_of_the_cloth_is_no_card_that_could_not_be_read() -> None:
    """Such boxes lay on the table as cards without a name, and were asked about."""
    tracker = Tracker()
    row = [card(label, x, 400) for label, x in (("2c", 0), ("3c", 90), ("4c", 180))]
    assert len(show(tracker, [*row, large(1.8, 3.4)], 1.0, times=5)) == 3
    assert show(tracker, [*row, large(1.8, 3.4)], 2.0, times=5) == []
    unread = [large(1.0, 1.0), large(4.0, 1.0), large(1.9, 1.9)]
    named = large(1.8, 3.4, "5c")
    for one in (*unread, named):
        assert without_large([one], tracker.lying) == [one]
    few = Tracker()
    show(few, row[:2], 1.0)
    assert without_large([large(1.8, 3.4)], few.lying) == [large(1.8, 3.4)]
