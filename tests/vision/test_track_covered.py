"""The tracker: cards that lie over and under others, of which a strip shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.tracks import (
    W,
    card,
    names,
    of_deck,
    partly,
    quad,
    show,
    sight,
)
from vision.track import Tracker
from vision.tracks import Change, Sight
from vision.types import Array, Placement


def test_a_strip_that_is_overlooked_and_shows_as_it_did_is_not_gone() -> None:
    for changed_from_x, still in ((126.0, True), (0.0, False)):
        tracker = Tracker()
        show(tracker, [of_deck("O", 100.0, 100.0)], 1.0)
        for number in range(4):
            upper = of_deck("K", 128.0, 100.0)
            tracker.update([upper], partly(2.0 + number / 10, changed_from_x))
        labels = set(names(tracker).values())
        assert labels == ({"O", "K"} if still else {"K"})


def test_a_second_outline_of_what_was_laid_is_not_the_card_below() -> None:
    """A Hero laid beside another, seen twice: the other was not moved there."""
    tracker = Tracker()
    show(tracker, [of_deck("O", 100.0, 100.0)], 1.0)
    seen = [of_deck("K", 128.0, 100.0), of_deck(None, 128.0, 100.0, visible=0.56)]
    for number in range(4):
        tracker.update(seen, partly(2.0 + number / 10, 126.0))
    lying = {p.identity.label: p.quad_px[0][0] for p in tracker.placements()}
    assert lying == {"O": 100.0, "K": 128.0}


def test_a_second_card_of_a_face_is_told_when_the_hand_that_laid_it_is_gone() -> None:
    tracker = Tracker()
    show(tracker, [of_deck("W2", 100.0, 100.0)], 1.0)
    held = replace(sight(2.0), covered=lambda place: 0.15)
    second = of_deck("W2", 103.0, 105.0)
    half = replace(second, visible=0.8)
    assert not tracker.update([half], held)
    assert tracker.is_pending
    changes = tracker.update([second], sight(2.3, changed=False))
    assert [change.what for change in changes] == ["covered", "laid"]


def test_a_third_card_of_a_face_just_on_the_first_is_not_that_come_to_light() -> None:
    """It got the id of the first, which lay below the second: nothing was played
    (Frantic 5758)."""
    tracker = Tracker()
    show(tracker, [of_deck("N", 100.0, 100.0)], 1.0)
    show(tracker, [of_deck("N", 96.0, 97.0)], 2.0)
    changes = show(tracker, [of_deck("N", 101.0, 100.0)], 3.0)
    assert [what for _, what in changes] == ["covered", "laid"]
    (top,) = names(tracker)
    assert [track.id for track in tracker.below(top)] == ["c2", "c1"]


def strip_of(place: Array, shown: float) -> Sight:
    """Return the sight of a picture in which only that much of a place, its left end,
    shows what it showed."""
    edge = place[:, 0].min() + shown * W

    def changed(quad: Array) -> float:
        left, right = quad[:, 0].min(), quad[:, 0].max()
        return float(np.clip((right - max(left, edge)) / (right - left), 0.0, 1.0))

    return replace(sight(2.0), changed=changed)


def test_a_card_laid_far_over_one_of_its_face_is_another_if_the_rest_shows() -> None:
    """Two Heroes of one kind in a Headquarters: the second was a move of the first."""
    tracker = Tracker()
    show(tracker, [card("Z", 0, 0)], 1.0)
    changes: list[Change] = []
    for _ in range(2):
        changes += tracker.update([card("Z", 26, 0)], strip_of(quad(0, 0), 0.43))
    assert [change.what for change in changes] == ["laid"]
    assert list(names(tracker).values()) == ["Z", "Z"]


def test_a_card_that_was_pushed_shows_nothing_where_it_lay() -> None:
    tracker = Tracker()
    show(tracker, [card("Z", 0, 0)], 1.0)
    changes = show(tracker, [card("Z", 26, 0)], 2.0)
    assert [what for _, what in changes] == ["moved"]
    assert list(names(tracker).values()) == ["Z"]


def test_below_two_cards_what_shows_as_it_did_is_not_gone() -> None:
    """The second card changed a part that the first had hidden: the lowest was taken
    for gone (seed 5214)."""
    tracker = Tracker()
    show(tracker, [card("Z", 0, 0)], 1.0)
    tracker.update([card("Z", 0, 0), card("K", 24, 0)], sight(2.0))
    tracker.update([card("Z", 0, 0), card("K", 24, 0)], sight(2.1))
    for _ in range(3):
        later = replace(strip_of(quad(0, 0), 0.79), at_s=3.0, moved_s=lambda _: 2.8)
        tracker.update([], later)
    assert "Z" in names(tracker).values()


def test_a_strip_of_what_is_known_to_lie_below_is_no_other_card() -> None:
    """It was one more on the pile, which was asked about (Frantic 5224)."""
    tracker = Tracker()
    show(tracker, [card("N", 0, 0)], 1.0)
    show(tracker, [card("B7", -6, 4)], 2.0)
    assert [t.label for t in tracker.below("c2")] == ["N"]
    strip = card("N", 7, 0, visible=0.17)
    show(tracker, [card("B7", -6, 4), strip], 3.0, times=4)
    assert names(tracker) == {"c2": "B7"}


@pytest.mark.parametrize("shown", [0.11, 0.27, 0.45])
def test_a_strip_that_is_read_for_another_card_and_shows_as_before_is_none(
    shown: float,
) -> None:
    """A close look, in which nothing had changed, read what shows of the lowest card of
    a heap for a card of another player, who was on turn (Frantic 5235, 5240, 5241), or
    a quarter of it for one that the rules refuse, after which nothing was explained
    (Frantic 5248)."""
    tracker = Tracker()
    show(tracker, [card("Y3", 0, 0, deck="f")], 1.0)
    show(tracker, [card("G7", -2, -5, deck="f")], 2.0)
    strip = card("B5", 1, 3, visible=shown)
    still = replace(sight(3.0), changed=lambda _: 0.0, moved_s=lambda _: 1.9)
    for _ in range(4):
        tracker.update([card("G7", -2, -5, deck="f"), strip], still)
    assert names(tracker) == {"c2": "G7"}


@pytest.mark.parametrize("shown", [0.23, 0.45])
def test_a_strip_that_came_under_a_card_is_one(shown: float) -> None:
    tracker = Tracker()
    show(tracker, [card("Y3", 0, 0, deck="f")], 1.0)
    show(tracker, [card("G7", -2, -5, deck="f")], 2.0)
    both = [card("B5", 8, 6, visible=shown), card("R1", 0, 0, deck="f")]
    assert ("c3", "laid") in show(tracker, both, 3.0)


def test_a_strip_just_where_a_card_lies_below_is_that_card_whatever_it_reads() -> None:
    """In the shadow of the card that was laid on it, and upside down, what showed of a
    Fantastic read as a red 6, which was played before it (Frantic 5406)."""
    tracker = Tracker()
    show(tracker, [card("N", 0, 0)], 1.0)
    strip = card("R6", -2, -2, visible=0.2)
    strip = replace(strip, quad_px=tuple(strip.quad_px[n] for n in (2, 3, 0, 1)))
    told = show(tracker, [card("K", 7, 6)], 2.0)
    assert sorted(told) == [("c1", "covered"), ("c2", "laid")]
    assert show(tracker, [card("K", 7, 6), strip], 3.0, times=4) == []


def test_what_seemed_another_face_of_a_card_seen_beside_it_was_read_before() -> None:
    tracker = Tracker()
    show(tracker, [card("Db", 0, 0, deck="B")], 1.0)
    tracker.update([card("Db", 0, 20, deck="A")], sight(2.0))
    both = [card("Db", 0, 20, deck="A"), card("Db", 0, 0, deck="B", visible=0.3)]
    laid = tracker.update(both, sight(2.1))
    assert [change.what for change in laid] == ["laid"]


def test_a_card_read_whole_and_then_as_a_strip_was_read_twice() -> None:
    """An ace came upon a seven within half a second: "it slides", and the seven was
    lost (Regicide 5259)."""
    tracker = Tracker()
    tracker.update([card("7c", 0, 0)], sight(2.0))
    strip = card("7c", -6, 2, visible=0.34)
    laid = show(tracker, [strip, card("As", 18, 0)], 2.6)
    assert laid == [("c1", "laid"), ("c2", "laid")]
    assert tracker.placements()[0].quad_px[0] == (0.0, 0.0)


def test_what_is_known_to_lie_beside_a_card_is_not_laid_on_it_as_well() -> None:
    """A card of which a strip could not be read had its cover as a rival, which came to
    lie there twice (Brawl 5215)."""
    tracker = Tracker()
    show(tracker, [card("Hg", 0, 0)], 1.0)
    upper, unread = card("Dg", 0, 28), card(None, 0, -4, visible=0.42)
    tracker.update([upper], sight(2.0))
    laid = show(tracker, [upper, unread], 2.1, times=7)
    assert laid == [("c2", "laid")]
    assert not tracker.is_pending


def test_what_lies_below_a_card_is_not_laid_on_it_and_has_not_moved() -> None:
    """The print that shows of the lowest card of a chain hid, it seemed, the middle one
    when a third was laid: one moved and the other was gone (Brawl 5224)."""
    tracker = Tracker()
    for number in range(2):
        show(tracker, [card("Hr", 0, 30.0 * number)], 1.0 + number)
    third, shown = card("Hr", 0, 67), card(None, -3, 1)
    corners = ((-3.0, 5.0), (57.0, 5.0), (57.0, 75.0), (-3.0, 75.0))
    shown = replace(shown, quad_px=corners)

    def changed(place: Array) -> float:
        """All but the first card and a part of the second is new."""
        inside = (place[:, 1].max() - 67.0) / np.ptp(place[:, 1])
        return float(np.clip(inside, 0.0, 1.0))

    now = replace(sight(3.0), changed=changed)
    after = replace(sight(3.3, changed=False), moved_s=now.moved_s)
    found = [*tracker.update([third, shown], now), *tracker.update([third], after)]
    assert [change.what for change in found] == ["laid"]
    assert [p.quad_px[0][1] for p in tracker.placements()] == [0.0, 30.0, 67.0]


def _half_turned(placement: Placement) -> Placement:
    return replace(placement, quad_px=placement.quad_px[2:] + placement.quad_px[:2])


def test_a_card_read_the_other_way_up_lies_where_it_lay() -> None:
    """An Ace looks the same either way up. The mean of two readings was no card but a
    point, which covered nothing: what it was laid on was lost (Regicide 5603)."""
    tracker = Tracker()
    tracker.update([card("10c", 0, 0)], replace(sight(2.0), moved_s=lambda place: 1.5))
    over = replace(sight(2.7), moved_s=lambda place: 2.5)
    told = [*tracker.update([card("Ad", 20, 0)], over)]
    told += tracker.update([_half_turned(card("Ad", 20, 0))], over)
    lower, upper = tracker.placements()
    assert [change.what for change in told] == ["laid", "laid"]
    assert (lower.identity.label, upper.identity.label) == (None, "Ad")
    assert lower.identity.candidates[0][0] == "10c"
    assert np.abs(np.array(upper.quad_px) - quad(20, 0)).max() < 0.1
    assert show(tracker, [_half_turned(card("Ad", 20, 0))], 3.5) == []


def test_a_card_that_comes_to_light_the_other_way_up_is_the_one_below() -> None:
    tracker = Tracker()
    show(tracker, [card("Ad", 0, 0)], 1.0)
    show(tracker, [card("10c", 3, 2)], 2.0)
    back = show(tracker, [_half_turned(card("Ad", 0, 0))], 3.0)
    assert sorted(back) == [("c1", "uncovered"), ("c2", "gone")]
