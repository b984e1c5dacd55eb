"""The tracker: agreeing readings, stable ids, piles, nothing invented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.tracks import card, names, of_deck, quad, show, sight
from vision.newcomers import MOST_READINGS
from vision.sameness import without_prints
from vision.track import Tracker
from vision.tracks import Change
from vision.types import Bgr, Kind, Placement, Position


def test_one_reading_is_none_two_agree() -> None:
    tracker = Tracker()
    assert show(tracker, [card("Jh", 0, 0)], 1.0, times=1) == []
    assert tracker.is_pending
    assert show(tracker, [card("Jh", 0, 0)], 1.1, times=1) == [("c1", "laid")]
    assert not tracker.is_pending


def test_a_thing_seen_once_is_forgotten() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0, times=1)
    assert show(tracker, [], 1.1) == []
    assert names(tracker) == {}


def test_ids_stay() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0), card("9d", 100, 0)], 1.0)
    show(tracker, [card("9d", 100.6, 0.4), card("Jh", -0.5, 0.2)], 2.0)
    assert names(tracker) == {"c1": "Jh", "c2": "9d"}


def test_one_miss_is_none_two_are() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0)
    assert show(tracker, [], 2.0, times=1) == []
    assert show(tracker, [card("Jh", 0, 0)], 2.1, times=1) == []
    assert show(tracker, [], 3.0) == [("c1", "gone")]


def test_what_a_hand_covers_is_not_gone() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0)
    for number in range(5):
        assert tracker.update([], sight(2.0 + number, covered=[quad(-5, -5)])) == ()
    assert names(tracker) == {"c1": "Jh"}


def test_where_nothing_changed_nothing_is_gone_and_no_name_changes() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0)
    for number in range(4):
        still = sight(2.0 + number, changed=False)
        assert tracker.update([], still) == ()
        assert tracker.update([card("Jd", 0, 0)], still) == ()
    assert names(tracker) == {"c1": "Jh"}


def test_what_was_not_looked_at_stays() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0)
    assert tracker.update([], sight(2.0, looked=False)) == ()
    assert tracker.update([], sight(2.1, looked=False)) == ()
    assert names(tracker) == {"c1": "Jh"}


def test_a_card_on_a_card_makes_a_pile_with_a_history() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0)
    changes = show(tracker, [card("4c", 2, 1)], 2.0)
    assert changes == [("c1", "covered"), ("c2", "laid")]
    show(tracker, [card("Ks", 1, 2)], 3.0)
    assert names(tracker) == {"c3": "Ks"}
    assert [t.label for t in tracker.below("c3")] == ["4c", "Jh"]


def test_a_card_that_comes_to_light_again_has_its_id() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0)
    show(tracker, [card("4c", 6, 6)], 2.0)
    changes = show(tracker, [card("Jh", 0, 0)], 3.0)
    assert changes == [("c2", "gone"), ("c1", "uncovered")]


def test_the_same_face_on_itself_is_another_card() -> None:
    tracker = Tracker()
    show(tracker, [card("W4", 0, 0)], 1.0)
    changes = show(tracker, [card("W4", 7, 5)], 2.0)
    assert ("c2", "laid") in changes
    assert [t.label for t in tracker.below("c2")] == ["W4"]


def test_a_card_taken_up_and_laid_elsewhere_keeps_its_id() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0)
    show(tracker, [], 2.0)
    assert show(tracker, [card("Jh", 300, 40)], 5.0) == [("c1", "laid")]


def disc(label: str | None, x: float, y: float, sigma_mm: float) -> Placement:
    variance = sigma_mm**2
    at = Position(x, y, 0.0, (variance, 0.0, variance))
    return card(label, x, y, kind=Kind.DISC, position=at)


@pytest.mark.parametrize("x", [2, 14, 40])
def test_a_disc_lies_on_no_disc(x: float) -> None:
    """A chip was taken up, and another was pushed to where it had lain: it was thought
    to lie below that, and its move was lost (Warstones 5736)."""
    tracker = Tracker()
    show(tracker, [disc("hero", 100, 0, 0.4), disc("militia", 0, 0, 0.4)], 1.0)
    seen = [disc("hero", x, 0, 0.4), disc("militia", 300, 0, 0.4)]
    changes = show(tracker, seen, 2.0)
    assert {("d1", "gone"), ("d2", "gone"), ("d2", "laid")} < set(changes)
    assert sorted(names(tracker).values(), key=str) == ["hero", "militia"]
    assert not any(tracker.below(id_) for id_ in names(tracker))


def test_what_was_laid_elsewhere_was_gone_before_though_a_hand_came_by_since() -> None:
    """Chips could not be read for a while. One was flicked, and where it had lain a
    hand laid another: the first was gone after it was laid, for good (Warstones 5441).
    """
    tracker = Tracker()
    show(tracker, [card("soldier", 0, 0)], 1.0)
    busy = replace(sight(9.0), moved_s=lambda place: 8.0 if place[0, 0] < 200 else 4.0)
    seen = [card("soldier", 300, 40), card("militia", 20, 50)]
    changes = [*tracker.update(seen, busy), *tracker.update(seen, busy)]
    assert [(c.track, c.what, c.at_s) for c in changes] == [
        ("c1", "gone", 4.0),
        ("c1", "laid", 4.0),
        ("c3", "laid", 8.0),
    ]


@pytest.mark.parametrize(("x", "changed"), [(4, False), (1, True)])
def test_a_disc_that_is_hardly_seen_where_it_lies_was_measured_better_before(
    x: float, *, changed: bool
) -> None:
    """People were asked in which sector a chip lies that nobody had touched: one look
    did not measure it (Warstones 5440)."""
    tracker = Tracker()
    show(tracker, [disc("wraith", 0, 0, 0.4)], 1.0)
    tracker.update([disc(None, x, 0, 4.8)], sight(2.0, changed=changed))
    (placement,) = tracker.placements()
    assert placement.position is not None
    assert (placement.position.x_mm, placement.position.sigma_mm) == (0, 0.4)


def test_a_disc_that_is_hardly_seen_elsewhere_has_a_rough_place() -> None:
    tracker = Tracker()
    show(tracker, [disc("wraith", 0, 0, 0.4)], 1.0)
    tracker.update([disc(None, 6, 0, 4.8)], sight(2.0))
    (placement,) = tracker.placements()
    assert placement.position is not None
    assert (placement.position.x_mm, placement.position.sigma_mm) == (6, 4.8)


def test_an_unread_card_is_named_when_readings_agree() -> None:
    tracker = Tracker()
    show(tracker, [card(None, 0, 0)], 1.0, times=3)
    assert names(tracker) == {"c1": None}
    show(tracker, [card("Jh", 0, 0)], 2.0)
    assert names(tracker) == {"c1": "Jh"}


def test_a_card_read_once_more_without_a_name_keeps_it() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0)
    show(tracker, [card(None, 0, 0)], 2.0, times=4)
    assert names(tracker) == {"c1": "Jh"}


def test_readings_that_do_not_agree_leave_a_card_unread() -> None:
    tracker = Tracker()
    for number, label in enumerate(["Jh", "Jd", "Js", "Jc", "Qh", "Qd"]):
        tracker.update([card(label, 0, 0)], sight(1 + number / 30))
    assert names(tracker) == {"c1": None}
    (placement,) = tracker.placements()
    assert {label for label, _ in placement.identity.candidates} >= {"Jh", "Jd"}


def test_two_cards_of_one_face_are_two() -> None:
    tracker = Tracker()
    show(tracker, [card("W2", 0, 0), card("W2", 200, 0)], 1.0)
    assert sorted(names(tracker)) == ["c1", "c2"]


def test_another_of_one_face_elsewhere_takes_no_id_away() -> None:
    tracker = Tracker()
    first, second = card("B", 0, 0), card("B", 150, 0)
    show(tracker, [first], 1.0)
    show(tracker, [second], 2.0, times=1)  # the first is missed once, no more
    show(tracker, [first, second], 2.1)
    assert names(tracker) == {"c1": "B", "c2": "B"}


def test_a_card_beside_one_of_its_face_is_another() -> None:
    tracker = Tracker()
    show(tracker, [card("K", 0, 0)], 1.0)
    show(tracker, [card(None, 0, 0, visible=0.38), card("K", 24, 0)], 2.0)
    assert names(tracker) == {"c1": "K", "c2": "K"}


def test_the_same_face_of_another_deck_is_another_card() -> None:
    tracker = Tracker()
    show(tracker, [card("Hr", 0, 0, deck="B")], 1.0)
    laid = show(tracker, [card("Hr", 0, 25, deck="A")], 2.0)
    assert ("c2", "laid") in laid
    assert [p.deck for p in tracker.placements()] == ["B", "A"], "a strip shows"


def test_where_nobody_was_no_card_was_laid() -> None:
    tracker = Tracker()
    show(tracker, [card("As", 0, 0)], 1.0)
    calm = replace(sight(2.0), moved_s=lambda place: 0.5)
    for other in (card("As", 12, 0), card("As", 4, 4)):
        for _ in range(3):
            assert tracker.update([card("As", 0, 0), other], calm) == ()
            assert tracker.update([other], calm) == ()
    for _ in range(3):
        assert tracker.update([card("Ac", 0, 0)], calm) == ()
    assert names(tracker) == {"c1": "As"}


def test_one_reading_that_is_off_makes_no_other_card() -> None:
    tracker = Tracker()
    show(tracker, [card("4c", 0, 0)], 1.0)
    assert show(tracker, [card("4c", 4.0, 3.0)], 2.0, times=1) == []
    assert show(tracker, [card("4c", 0.0, 0.0)], 2.1) == []
    assert names(tracker) == {"c1": "4c"}
    assert not tracker.is_pending


def test_a_card_that_still_slides_does_not_count() -> None:
    tracker = Tracker()
    for number in range(6):
        assert show(tracker, [card("Jh", 9.0 * number, 0)], 1 + number / 30, 1) == []
    assert show(tracker, [card("Jh", 45.0, 0)], 2.0, 1) == [("c1", "laid")]


def test_an_outline_that_trembles_where_nothing_moves_does_not_slide() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0, 1)
    again = replace(sight(1.1), moved_s=lambda place: 0.5)
    (laid,) = tracker.update([card("Jh", 8, 0)], again)
    assert laid.what == "laid"


def test_a_back_has_no_name_to_wait_for() -> None:
    tracker = Tracker()
    assert show(tracker, [card(None, 0, 0, kind=Kind.BACK)], 1.0, 1) == []
    assert tracker.is_doubtful
    assert show(tracker, [card(None, 0, 0, kind=Kind.BACK)], 1.1, 1) == [("b1", "laid")]
    assert not tracker.is_doubtful
    assert not tracker.unread_px()


def test_a_back_that_is_overlooked_is_not_gone_while_its_place_looks_as_before() -> (
    None
):
    shown = np.full((21, 15, 3), (120, 60, 90), np.uint8)
    cloth = np.full((21, 15, 3), (60, 90, 60), np.uint8)
    tracker = Tracker()

    def read(seen: Sequence[Placement], place: Bgr, at_s: float) -> list[str]:
        changes = tracker.update(seen, replace(sight(at_s), patch=lambda quad: place))
        return [change.what for change in changes]

    pile = [card(None, 0, 0, kind=Kind.BACK)]
    assert read(pile, shown, 1.0) + read(pile, shown, 1.1) == ["laid"]
    dim = np.asarray(shown * 0.9, np.uint8)
    assert [what for n in range(4) for what in read([], dim, 2 + n / 10)] == []
    assert [what for n in range(2) for what in read([], cloth, 3 + n / 10)] == ["gone"]


def test_a_back_that_was_taken_for_a_disc_is_a_back_once_two_readings_say_so() -> None:
    tracker = Tracker()
    show(tracker, [card(None, 0, 0, kind=Kind.DISC)], 1.0, 3)
    calm = replace(sight(2.0), moved_s=lambda place: 0.5)
    back = [card(None, 0, 0, kind=Kind.BACK)]
    assert tracker.update(back, calm) == ()
    (change,) = tracker.update(back, calm)
    assert (change.track, change.what) == ("d1", "named")
    assert [p.kind for p in tracker.placements()] == [Kind.BACK]


def test_two_readings_of_a_name_outweigh_three_that_could_not_read_it() -> None:
    tracker = Tracker(agree=3)
    for at_s, label in enumerate([None, "6d", None, "6d", "6d"]):
        show(tracker, [card(label, 0, 0)], 1.0 + at_s / 10, 1)
    assert names(tracker) == {"c1": "6d"}


def test_an_open_card_without_a_name_is_known_to_lie_there() -> None:
    tracker = Tracker()
    show(tracker, [card(None, 0, 0)], 1.0, 3)
    assert tracker.unread_px()
    show(tracker, [card("Jh", 0, 0)], 2.0, 2)
    assert not tracker.unread_px()


def test_another_face_is_not_believed_where_it_dazzles() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0)], 1.0)
    glaring = replace(sight(2.0), dazzled=lambda place: 0.6)
    for _ in range(4):
        assert tracker.update([card("Qh", 0, 0)], glaring) == ()
        assert tracker.update([], glaring) == ()
    assert names(tracker) == {"c1": "Jh"}


def test_touched_is_known_for_each_card() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0), card("9d", 200, 0)], 1.0)
    assert tracker.touch(lambda place: 0.5 if place[0, 0] > 100 else 0.0)
    assert [p.touched for p in tracker.placements()] == [False, True]
    assert not tracker.touch(lambda place: 0.5 if place[0, 0] > 100 else 0.0)
    assert tracker.touch(lambda place: 0.0)


def test_changes_carry_the_moment_at_which_their_place_came_to_rest() -> None:
    tracker = Tracker()
    changes: list[Change] = []
    for number in range(2):
        changes += tracker.update([card("Jh", 0, 0)], sight(4.0 + number / 30))
    assert [round(change.at_s, 1) for change in changes] == [3.5]


def test_a_bump_carries_all_places_along() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0), card("9d", 100, 0)], 1.0)
    tracker.carry(lambda place: place + np.array([12.0, -7.0]))
    assert show(tracker, [card("Jh", 12, -7), card("9d", 112, -7)], 2.0) == []
    assert names(tracker) == {"c1": "Jh", "c2": "9d"}


def test_what_seemed_a_hair_off_lies_where_it_lay_if_the_camera_was_bumped() -> None:
    tracker = Tracker()
    show(tracker, [card("Jh", 0, 0), card("9d", 100, 0)], 1.0)
    tracker.nudged(tracker.lying[0])
    tracker.carry(lambda place: place + np.array([2.0, 0.0]))
    assert not tracker.is_pending
    assert show(tracker, [card("Jh", 2, 0), card("9d", 102, 0)], 2.0) == []


LABELS = ("Jh", "9d", "4c", "Ks", "2h", "7c")


@given(
    st.lists(
        st.tuples(st.sampled_from(LABELS), st.integers(0, 5)),
        min_size=1,
        max_size=14,
    ),
    st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_the_tracks_are_what_lies_there(acts: list[tuple[str, int]], seed: int) -> None:
    """However cards are laid and taken: after two readings the table is the truth."""
    rng = np.random.default_rng(seed)
    tracker, lying = Tracker(), dict[str, int]()
    for number, (label, place) in enumerate(acts):
        if label in lying:
            del lying[label]
        elif place not in lying.values():
            lying[label] = place
        for again in range(3):
            seen = [
                card(name, 150.0 * at + rng.normal(0, 0.4), rng.normal(0, 0.4))
                for name, at in lying.items()
            ]
            order = rng.permutation(len(seen))
            tracker.update([seen[i] for i in order], sight(number * 1.0 + again / 30))
        assert sorted(str(n) for n in names(tracker).values()) == sorted(lying)
        assert len(set(names(tracker))) == len(lying)


@given(
    st.lists(
        st.tuples(
            st.lists(
                st.tuples(
                    st.sampled_from((*LABELS[:3], None)),
                    st.sampled_from((Kind.CARD, Kind.BACK, Kind.DISC)),
                    st.sampled_from((0.0, 3.0, 12.0, 150.0)),
                    st.sampled_from((1.0, 0.3)),
                ),
                max_size=3,
            ),
            st.booleans(),
        ),
        min_size=1,
        max_size=6,
    ),
)
@example(
    readings=[
        ([("Jh", Kind.DISC, 0.0, 1.0)] * 3, False),
        (
            [
                ("Jh", Kind.CARD, 150.0, 1.0),
                ("Jh", Kind.BACK, 0.0, 1.0),
                ("9d", Kind.CARD, 0.0, 1.0),
            ],
            False,
        ),
    ]
)
@settings(max_examples=200, deadline=None)
def test_what_is_read_the_same_again_and_again_is_sure_in_the_end(
    readings: list[tuple[list[tuple[str | None, Kind, float, float]], bool]],
) -> None:
    """A nameless disc was read once as a card, and not seen again: all that was played
    waited for it, without end (Frantic 5279)."""
    tracker = Tracker()
    for number, (things, changed) in enumerate(readings):
        seen = [
            card(None if kind is Kind.BACK else label, x, 0, kind=kind, visible=shown)
            for label, kind, x, shown in things
        ]
        tracker.update(seen, sight(number + 1.0, changed=changed))
    calm = replace(sight(9.0, changed=False), moved_s=lambda place: 0.0)
    for last in ([], seen):
        for _ in range(3 * MOST_READINGS):
            tracker.update(last, calm)
        assert not tracker.is_pending


def test_a_card_laid_on_another_counts_though_a_first_look_did_not_read_it() -> None:
    for first in ([], [card(None, 104.0, 98.0)]):
        tracker = Tracker()
        show(tracker, [card("4c", 100.0, 100.0)], 1.0)
        tracker.update(first, sight(10.0))
        known = sight(10.1, changed=False)  # that look took the place as known
        known = replace(known, moved_s=lambda place: 9.5)
        changes = [
            (change.track, change.what)
            for _ in range(2)
            for change in tracker.update([card("9d", 104.0, 98.0)], known)
        ]
        assert [what for _, what in changes] == ["covered", "laid"], first


def test_print_within_a_card_is_no_card_of_its_own() -> None:
    whole, other = card("4c", 100.0, 100.0), card(None, 300.0, 100.0)
    small = replace(
        card(None, 0.0, 0.0), quad_px=((110, 110), (140, 110), (140, 150), (110, 150))
    )
    beside = replace(small, quad_px=((400, 110), (430, 110), (430, 150), (400, 150)))
    assert without_prints([whole, small, other, beside]) == [whole, other, beside]


def test_what_is_printed_on_a_card_that_shows_whole_is_no_other_card() -> None:
    named = of_deck("K", 100.0, 100.0)
    for shift_px in (0.0, 6.0, 12.0):
        tracker = Tracker()
        second = of_deck(None, 100.0 + shift_px, 100.0)
        disc = replace(second, kind=Kind.DISC)
        show(tracker, [named, second, disc], 1.0, times=5)
        assert list(names(tracker).values()) == ["K"], shift_px
        assert not tracker.is_pending


def test_a_guess_is_given_up_when_a_card_there_is_named() -> None:
    tracker = Tracker()
    show(tracker, [of_deck(None, 104.0, 98.0), of_deck(None, 100.0, 100.0)], 1.0, 1)
    show(tracker, [of_deck("K", 100.0, 100.0), of_deck(None, 104.0, 98.0)], 1.1, 2)
    assert list(names(tracker).values()) == ["K"]


def test_a_card_without_a_name_that_sticks_out_below_another_is_one() -> None:
    tracker = Tracker()
    lower = of_deck(None, 100.0, 100.0, visible=0.38)
    show(tracker, [lower, of_deck("K", 123.0, 100.0)], 1.0, times=4)
    assert sorted(map(str, names(tracker).values())) == ["K", "None"]


def test_cards_side_by_side_are_never_taken_for_their_neighbours() -> None:
    """Three Heroes in a Headquarters: as each is laid, the one before is still it."""
    tracker = Tracker()
    show(tracker, [card("Z", 0, 0)], 1.0)
    show(tracker, [card(None, 0, 0, visible=0.4), card("B", 17, -6)], 2.0)
    assert names(tracker) == {"c1": "Z", "c2": "B"}
    show(tracker, [card("B", 17, -6, visible=0.5), card("Z", 40, 1)], 3.0, times=4)
    assert names(tracker) == {"c1": "Z", "c2": "B", "c3": "Z"}
