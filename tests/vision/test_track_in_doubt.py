"""What was read but once, half or without a name is looked at again, or asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.support.tracks import (
    H,
    W,
    card,
    names,
    of_deck,
    partly,
    quad,
    show,
    sight,
    still,
)
from vision.quads import grown
from vision.sameness import covered_by, plain
from vision.track import Tracker
from vision.tracks import Change
from vision.types import Placement


def test_a_nameless_outline_a_little_beside_is_the_card_itself() -> None:
    """What showed of a Hero beside another was taken for a third (seed 5217)."""
    tracker = Tracker()
    show(tracker, [card("A", 0, 0)], 1.0)
    assert show(tracker, [card(None, 3, 1)], 2.0, times=4) == []


def test_a_card_that_was_named_once_is_looked_for_once_more() -> None:
    """A Hero beside another was named, then overlooked, and forgotten without a word
    (seed 5222)."""
    tracker = Tracker()
    show(tracker, [card("O", 0, 0)], 1.0)
    show(tracker, [card("O", 0, 0), card("K", 27, 0)], 2.0, times=1)
    show(tracker, [card("O", 0, 0)], 2.1, times=1)
    assert tracker.is_pending
    show(tracker, [card("O", 0, 0), card("K", 27, 0)], 2.2, times=1)
    assert list(names(tracker).values()) == ["O", "K"]


def test_a_card_looked_at_without_a_name_keeps_its_deck() -> None:
    """Else a card of that face of the other deck was taken for it (Brawl 5210)."""
    tracker = Tracker()
    show(tracker, [card("Db", 0, 0, deck="B")], 1.0)
    show(tracker, [card(None, 1, 0, visible=0.5)], 2.0)
    assert [p.deck for p in tracker.placements()] == ["B"]
    laid = show(tracker, [card("Db", 1, 3, deck="A")], 3.0)
    assert laid == [("c1", "covered"), ("c2", "laid")]


@pytest.mark.parametrize(("right_px", "there"), [(24.0, True), (2.0, False)])
def test_a_card_on_which_something_nameless_was_laid_is_not_gone(
    right_px: float, there: bool
) -> None:
    """A dim Knight on a Wizard that nobody could name: people were asked whether the
    Wizard was taken away (Frenzy 5281). What was taken away changed where it lay."""
    tracker = Tracker()
    show(tracker, [card("Z", 0, 0)], 1.0)
    came = replace(sight(2.0), laid_px=(quad(right_px, 0),))
    changes = [*tracker.update([], came), *tracker.update([], sight(2.05))]
    told = [(change.track, change.what) for change in changes]
    assert told == ([("c2", "laid")] if there else [("c1", "gone")])
    assert names(tracker) == ({"c1": "Z", "c2": None} if there else {})


def below_what_came(readings: Sequence[Sequence[Placement]]) -> Tracker:
    """Return what is known after a card came to lie on a half of a Hit, of which the
    rest was not recognised since; that and no more was seen in each reading."""
    tracker = Tracker()
    show(tracker, [card("Hr", 0, 0)], 1.0)
    came = replace(sight(2.0), laid_px=(quad(4, 34),), moved_s=lambda _: 1.5)
    for number, seen in enumerate(readings):
        tracker.update(seen, replace(came, at_s=2.0 + 0.3 * number))
    return tracker


@pytest.mark.parametrize("unread", [0, 1])
def test_a_card_that_was_seen_on_another_is_not_asked_about_once_more(
    unread: int,
) -> None:
    """It was read and counted, but a card without a name was laid in its place, too:
    people named that, and the play was told twice (Brawl 5392)."""
    named = [card("Hr", 5, 33)]
    tracker = below_what_came([*[[]] * unread, named, named, named])
    assert names(tracker) == {"c1": "Hr", "c2": "Hr"}
    assert not tracker.is_pending
    below, _ = tracker.placements()
    assert below.visible == pytest.approx(1 - (W - 5) * (H - 33) / (W * H), abs=0.01)


def test_a_card_that_counted_at_once_is_what_came_on_another() -> None:
    tracker = Tracker()
    show(tracker, [card("Hr", 0, 0)], 1.0)
    came = replace(sight(2.0), laid_px=(quad(4, 34),), moved_s=lambda _: 1.5)
    tracker.lay_at_once(card("Hr", 5, 33), came)
    for _ in range(3):
        assert tracker.update([card("Hr", 5, 33)], came) == ()
    assert names(tracker) == {"c1": "Hr", "c2": "Hr"}


@pytest.mark.parametrize("looks", [1, 4])
def test_what_came_on_a_card_and_has_no_name_is_asked_about_once(looks: int) -> None:
    nameless = [card(None, 5, 33)]
    tracker = below_what_came([*[nameless] * looks, [], [], []])
    assert sorted(names(tracker).values(), key=str) == ["Hr", None]
    assert not tracker.is_pending


@pytest.mark.parametrize(("moved_s", "asked"), [(0.5, {"c1": None}), (1.2, {})])
def test_a_new_card_that_was_read_once_and_then_overlooked_is_asked_about(
    moved_s: float, asked: dict[str, None]
) -> None:
    """Two plain Knights were read in one close look, overlooked in the next ones, and
    lost in silence (Frenzy 5336); what was carried away is forgotten."""
    tracker = Tracker()
    tracker.update([card("K", 0, 0)], replace(sight(1.0), moved_s=lambda place: 0.5))
    for number in range(4):
        assert tracker.update([], still(1.3 + 0.3 * number, moved_s)) == ()
        assert tracker.is_doubtful is tracker.is_pending, "looked for closely"
    tracker.update([], still(2.5, moved_s))
    assert names(tracker) == asked
    if asked:
        assert tracker.placements()[0].identity.candidates[0][0] == "K"


def test_a_card_in_doubt_does_not_hide_what_shows_of_it() -> None:
    """A Fantastic on a Fantastic, which was read in its old place but for what lay
    beside that: until the second look the first seemed to show whole, so what showed of
    it was a blue 5, and a third Fantastic once a person had named it (Frantic 5555)."""
    tracker = Tracker()
    show(tracker, [of_deck("G6", 0, 6)], 1.0)
    show(tracker, [of_deck("N", -1, -1)], 2.0)
    second, across = of_deck("N", 7, 7), ((-8, 14), (68, 14), (68, 74), (-8, 74))
    strip = card("B5", 0, 0, visible=0.21, quad_px=across)
    assert not tracker.update([second], sight(3.0))
    beside = partly(3.3, -1 + W)  # of its place only that is not known yet
    tracker.update([second, strip], replace(beside, moved_s=lambda _: 2.5))
    still = replace(sight(3.6, changed=False), moved_s=lambda _: 2.5)
    for _ in range(3):
        tracker.update([second, strip], still)
    assert list(names(tracker).values()) == ["N", "N"]


def test_a_strip_that_was_read_once_is_not_looked_for_closely() -> None:
    """Read twice, what shows of a covered card was another one (Frantic 5224)."""
    tracker = Tracker()
    tracker.update([card("K", 0, 0, visible=0.17)], sight(1.0))
    tracker.update([], sight(1.3))
    assert tracker.is_pending
    assert not tracker.is_doubtful


def test_looks_without_a_name_say_nothing_against_a_card_that_was_read_once() -> None:
    """A card on another was read, then twice not: the move was lost (Brawl 5209)."""
    tracker = Tracker()
    show(tracker, [card("Hr", 0, 0, deck="B")], 1.0)
    upper, unread = card("Hr", 0, 9, deck="A"), card(None, 0, 4, visible=0.6)
    tracker.update([upper], sight(2.0))
    for number in range(1, 3):
        tracker.update([unread], sight(2.0 + number / 10, changed=False))
    assert tracker.is_pending
    assert any((place == quad(0, 9)).all() for place in tracker.pending_px())
    known = replace(sight(2.4, changed=False), moved_s=lambda place: 1.9)
    laid = tracker.update([upper], known)
    assert [change.what for change in laid] == ["covered", "laid"]


def test_a_card_that_was_read_once_and_never_again_is_asked_about() -> None:
    tracker = Tracker()
    show(tracker, [card("Hr", 0, 0)], 1.0)
    tracker.update([card("Bb", 0, 9)], sight(2.0))
    for number in range(1, 5):
        known = replace(sight(2.0 + number / 10), moved_s=lambda place: 1.9)
        tracker.update([card(None, 0, 4, visible=0.6)], known)
    (top,) = tracker.placements()
    assert top.identity.label is None
    assert top.identity.candidates[0][0] == "Bb"
    assert top.quad_px[0] == (0.0, 9.0)


def test_a_strip_without_a_name_does_not_carry_a_card_along_that_was_read_once() -> (
    None
):
    """A Hero that was covered before a second look was lost in silence (5233)."""
    tracker = Tracker()
    tracker.update([card("A", 0, 0)], sight(2.0))
    over = [card("B", 20, 0), card(None, -12, 0, visible=0.4)]
    show(tracker, over, 3.0, times=2)
    assert [p.identity.label for p in tracker.placements()] == [None, "B"]
    assert tracker.placements()[0].quad_px[0] == (0.0, 0.0)


def test_a_card_that_was_covered_before_a_second_look_is_asked_about() -> None:
    """In a chain the next card came within half a second, and the move was lost."""
    tracker = Tracker()
    show(tracker, [card("Db", 0, 0)], 1.0)
    tracker.update([card("Hr", 0, 30)], sight(2.0))
    now = [card("Db", 0, 0, visible=0.35), card("Bb", 0, 58)]
    laid = show(tracker, now, 3.0, times=3)
    assert sorted(laid) == [("c2", "laid"), ("c3", "laid")]
    lying = sorted(tracker.placements(), key=lambda p: p.quad_px[0][1])
    assert [p.identity.label for p in lying] == ["Db", None, "Bb"]
    assert lying[1].identity.candidates[0][0] == "Hr"


def test_a_card_covered_before_a_second_look_is_asked_about_whatever_shows() -> None:
    """An outline beside it stood for one look, and in the next its cover was new: it
    was lost in silence (Brawl 5226)."""
    tracker = Tracker()
    tracker.update([card("Hr", 0, 30, deck="B")], sight(2.0))
    tracker.update([card(None, 0, 24)], sight(3.0))
    strip, upper = card(None, -16, 46), card("Hr", 0, 0, deck="A")
    known = replace(sight(3.3), moved_s=lambda place: 2.9)
    laid = [*tracker.update([upper, strip], known)]
    laid += tracker.update([upper], known)
    assert [change.what for change in laid] == ["laid", "laid"]
    (lower, top) = tracker.placements()
    assert (lower.identity.label, top.identity.label) == (None, "Hr")
    assert lower.identity.candidates[0][0] == "Hr"


@pytest.mark.parametrize(("moved_s", "laid"), [(6.2, [None, "A"]), (5.3, ["A"])])
def test_a_card_laid_on_one_and_covered_before_a_second_look_is_asked_about(
    moved_s: float, laid: list[str | None]
) -> None:
    """A Knight was read once, covered whole .7 s after it was laid, and lost in silence
    (Frenzy 5274). Where nothing moved meanwhile it was misread, and is nothing."""
    tracker = Tracker()
    show(tracker, [card("W4", 0, 0)], 1.0)
    tracker.update([card("K", 0, 0)], replace(sight(5.8), moved_s=lambda place: 5.3))
    changes: list[Change] = []
    for at_s in (6.5, 6.8):
        then = replace(sight(at_s), moved_s=lambda place: moved_s)
        changes += tracker.update([card("A", 0, 0)], then)
    lying = {p.id: p for p in tracker.placements()}
    on_it = [lying[c.track] for c in changes if c.what == "laid"]
    assert [p.identity.label for p in on_it] == laid
    assert [c.what for c in changes] == ["covered", *["laid"] * len(laid)]
    assert laid == ["A"] or on_it[0].identity.candidates[0][0] == "K"


@pytest.mark.parametrize("x", [0.0, 4.0, 9.0])
@pytest.mark.parametrize(("moved_s", "laid"), [(6.2, [None, "A"]), (5.3, ["A"])])
def test_a_card_on_bare_table_covered_whole_before_a_second_look_is_asked_about(
    moved_s: float, laid: list[str | None], x: float
) -> None:
    """Wherever the second one lies on it; where nothing moved between the first was
    misread, and is nothing."""
    tracker = Tracker()
    show(tracker, [card("W4", 300, 0)], 1.0)
    tracker.update([card("K", 0, 0)], replace(sight(5.8), moved_s=lambda place: 5.3))
    changes: list[Change] = []
    for at_s in (6.5, 6.8, 7.1):
        then = replace(sight(at_s), moved_s=lambda place: moved_s)
        changes += tracker.update([card("A", x, 0)], then)
    lying = {p.id: p for p in tracker.placements()}
    told = [c.track for c in changes if c.what == "laid"]
    assert len(told) == len(laid)
    assert lying[told[-1]].identity.label == "A"
    assert "K" not in {p.identity.label for p in lying.values()}


def test_an_outline_without_a_name_moves_no_card_that_has_one() -> None:
    """What showed of a card, with its shadow, below the next one of its chain was taken
    for the card; later it was gone where it never lay (Brawl 5240)."""
    tracker = Tracker()
    show(tracker, [card("Hg", 0, 30)], 1.0)
    shown = card(None, -1, 45, visible=0.79)
    assert show(tracker, [card("Bg", 0, 0), shown], 2.0) == [("c2", "laid")]
    assert tracker.placements()[0].quad_px[0] == (0.0, 30.0)
    slid = show(tracker, [card("Bg", 0, 0), card("Hg", 20, 40)], 3.0, times=1)
    assert slid == [("c1", "moved")]


def test_a_card_laid_on_one_of_its_face_and_not_read_is_looked_at_again() -> None:
    """Its outline, smaller than it and without a name, was taken for the card below: a
    play was lost in silence (Frenzy 5241)."""
    part = ((4.0, 0.0), (54.0, 0.0), (54.0, 66.0), (4.0, 66.0))
    unread = replace(card(None, 0, 0), quad_px=part)
    still = replace(sight(2.1, changed=False), moved_s=lambda place: 1.5)
    for named, expected in (
        (card("K", 3, -9), ["covered", "laid"]),
        (unread, ["covered", "laid"]),
        (card("K", 0, 0), []),
    ):
        tracker = Tracker()
        show(tracker, [card("K", 0, 0)], 1.0)
        assert tracker.update([unread], sight(2.0)) == ()
        assert tracker.is_pending
        found = [change for _ in range(4) for change in tracker.update([named], still)]
        assert [change.what for change in found] == expected
        assert not tracker.is_pending
        assert names(tracker).popitem()[1] == named.identity.label


def test_a_card_lies_where_its_name_was_read_and_not_where_half_of_it_showed() -> None:
    """A hand lay over it: it kept half an outline, and the card below it seemed to lie
    open, and was laid on it (Frantic 5365)."""
    lower = ((0.0, 42.0), (60.0, 42.0), (60.0, 84.0), (0.0, 84.0))
    tracker = Tracker()
    tracker.update([replace(card(None, 0, 0), quad_px=lower)], sight(1.0))
    still = replace(sight(2.0), moved_s=lambda place: 0.5)
    for _ in range(2):
        tracker.update([card("Y5", 0, 0)], still)
    assert np.array(tracker.placements()[0].quad_px) == pytest.approx(quad(0, 0))


def test_on_a_card_that_is_looked_at_again_lies_what_is_known_by_then() -> None:
    """It was laid there once more, without a name, and named: a second Y5 was played in
    silence (Frantic 5365)."""
    tracker = Tracker()
    show(tracker, [card("Y1", 0, 0)], 1.0)
    tracker.update([card(None, 1, 1)], sight(2.0))
    told = show(tracker, [card("Y5", 8, 8)], 3.0, times=6)
    assert [what for _, what in told] == ["laid"]
    assert list(names(tracker).values()) == ["Y1", "Y5"]


PART = replace(
    card(None, 0, 0), quad_px=((54.0, 77.0), (3.0, 77.0), (3.0, 2.0), (54.0, 2.0))
)
"""An outline of a part of a card, without a name."""


@pytest.mark.parametrize("unread", [PART, card(None, 0, 0), card(None, 2, -5), None])
def test_a_card_read_once_on_one_of_its_face_and_then_not_named_is_asked_about(
    unread: Placement | None,
) -> None:
    """What showed of both, without a name, was taken for the card that lay there: the
    second Knight was lost in silence (Frenzy 5526)."""
    still = replace(sight(2.1, changed=False), moved_s=lambda place: 1.5)
    seen, second = [] if unread is None else [unread], card("K", 3, -9)
    for readings, label in (([seen, [second]], "K"), ([seen] * 4, None)):
        tracker = Tracker()
        show(tracker, [card("K", 0, 0)], 1.0)
        assert tracker.update([second], sight(2.0)) == ()
        changes = [c.what for now in readings for c in tracker.update(now, still)]
        assert changes == ["covered", "laid"]
        assert not tracker.is_pending
        (top,) = [p.identity for p in tracker.placements()]
        assert (top.label, [name for name, _ in top.candidates]) == (label, ["K"])


def test_a_card_read_once_askew_and_then_taken_up_is_gone() -> None:
    tracker = Tracker()
    show(tracker, [card("K", 0, 0)], 1.0)
    assert tracker.update([card("K", 3, -9)], sight(2.0)) == ()
    assert show(tracker, [], 3.0, times=4) == [("c1", "gone")]


HALF = replace(
    card("K", 0, 0, visible=0.25),
    quad_px=((9.0, 5.0), (61.0, 7.0), (56.0, 74.0), (4.0, 70.0)),
)
"""A card of which a part is named, outlined by a frame in its print."""


@pytest.mark.parametrize(
    ("seen", "expected", "label"),
    [
        ([card("K", 3, -9)], ["covered", "laid"], "K"),
        ([HALF], ["covered", "laid"], None),
        ([card("K", 0, 0)], [], "K"),
        ([card("4c", 0, 20), HALF], ["laid"], "4c"),
        ([card("4c", 0, 20)], ["laid"], "4c"),
    ],
)
def test_a_card_laid_on_one_of_its_face_and_half_read_is_looked_at_again(
    seen: list[Placement], expected: list[str], label: str | None
) -> None:
    """Its name was read in a frame of its print, so it was taken for the card below,
    half hidden, and known when all of it was read: a play was lost in silence, and all
    that came after it (Frantic 5362)."""
    still = replace(sight(2.1, changed=False), moved_s=lambda place: 1.5)
    tracker = Tracker()
    show(tracker, [card("K", 0, 0)], 1.0)
    assert tracker.update([HALF], sight(2.0)) == ()
    assert tracker.is_pending
    found = [change for _ in range(4) for change in tracker.update(seen, still)]
    assert [change.what for change in found] == expected
    assert not tracker.is_pending
    top = tracker.placements()[-1].identity
    assert top.label == label
    assert top.label or [name for name, _ in top.candidates] == ["K"]


def test_a_card_half_read_after_it_was_read_whole_stays_in_doubt() -> None:
    still = replace(sight(2.1, changed=False), moved_s=lambda place: 1.5)
    tracker, second = Tracker(), card("K", 3, -9)
    show(tracker, [card("K", 0, 0)], 1.0)
    assert tracker.update([second], sight(2.0)) == ()
    assert tracker.update([HALF], still) == ()
    changes = tracker.update([second], still)
    assert [change.what for change in changes] == ["covered", "laid"]


def test_a_card_half_read_where_little_changed_is_the_one_that_lay_there() -> None:
    tracker = Tracker()
    show(tracker, [card("K", 0, 0)], 1.0)
    hand = replace(sight(2.0), changed=lambda place: 0.1)
    assert tracker.update([HALF], hand) == ()
    assert not tracker.is_pending


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([card("K", 17, 0)], ["laid"]),
        ([card("K", 17, 0), card(None, 0, 0, visible=0.4)], ["laid"]),
        ([card("K", 3, -9)], ["covered", "laid"]),
        ([card(None, 0, 0)], ["covered", "laid"]),
        ([card("K", 0, 0)], ["named"]),
    ],
)
def test_a_card_laid_on_one_without_a_name_is_another(
    seen: list[Placement], expected: list[str]
) -> None:
    """The third Hero lay half on an unread one and gave it its name: the end of the
    round was lost in silence (Frenzy 5414)."""
    around = ((-8.0, 0.0), (77.0, 0.0), (77.0, 84.0), (-8.0, 84.0))
    for first in (card(None, 0, 0), replace(card(None, 0, 0), quad_px=around)):
        tracker = Tracker()
        assert show(tracker, [card(None, 0, 0)], 1.0, times=3) == [("c1", "laid")]
        assert show(tracker, [first], 2.0, times=1) == []
        assert tracker.is_pending
        still = replace(sight(2.1, changed=False), moved_s=lambda place: 1.5)
        found = [change for _ in range(4) for change in tracker.update(seen, still)]
        assert [change.what for change in found] == expected
        assert not tracker.is_pending


def test_a_card_is_told_with_the_one_it_was_laid_on_and_not_before() -> None:
    """Read once more than the one below, a card of a chain was taken for a discard
    (Brawl 5226)."""
    tracker = Tracker()
    upper, lower = card("Dg", 0, 30), card("Hg", 0, 0, visible=0.34)
    known = replace(sight(2.0), moved_s=lambda place: 1.5)
    assert tracker.update([upper], known) == ()
    assert tracker.update([upper, lower], known) == ()
    laid = tracker.update([upper, lower], known)
    assert [change.what for change in laid] == ["laid", "laid"]


def test_a_hero_laid_beside_two_makes_three_and_none_without_a_name() -> None:
    """Outlines without names lay where the two lay; each was taken for the neighbour,
    and a fourth Hero was asked about that is none (Frenzy 5527)."""

    def around(x: float, times: float) -> Placement:
        corners = grown(quad(x, -1), times)
        return replace(card(None, 0, 0, visible=1.0), quad_px=plain(corners))

    tracker, new = Tracker(), quad(44, -1)
    heroes = [
        card("K", 44, -1, visible=1.0),
        card("Z", 21, 0, visible=0.4),
        card("K", 0, 0, visible=0.33),
    ]
    show(tracker, heroes[2:], 1.0)
    show(tracker, heroes[1:], 2.0)
    came = replace(
        sight(3.0),
        changed=lambda place: covered_by(place, new),
        moved_s=lambda place: 2.7 if covered_by(place, new) > 0 else 1.5,
    )
    for seen in (
        [card("K", 43, -2, visible=1.0), around(4, 1.06)],
        [around(24, 1.07), card("K", 44, -1, visible=1.0)],
        heroes,
    ):
        tracker.update(seen, came)
    assert names(tracker) == {"c1": "K", "c2": "Z", "c3": "K"}
    assert not tracker.is_pending
