"""The live eye: from pictures to views of the table, and nothing from faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import cv2
import numpy as np
import pytest

from tests.support.eyes import TrueEyes
from tests.support.faults import KINDS, Fault
from tests.support.following import Picture, pictures
from tests.support.laying import back
from tests.support.tables import camera_above, lay
from vision.capture.source import Shot
from vision.capture.watchdog import Watchdog
from vision.geometry import TableMap
from vision.live import LiveEye
from vision.scene.ground import cloth
from vision.scene.light import Conditions
from vision.scene.render import thing_of
from vision.scene.video import Drift, Script, Step, frames
from vision.types import UNKNOWN, Array, Frame, Kind, Observation, Placement
from vision.views import Look, Pace, View, Waiting
from vision.wanted import Wanted

FPS = 15.0
CARDS = [
    ("Jh", 0.0, 90.0, 90.0),
    ("9d", -120.0, -90.0, 80.0),
    ("5s", 130.0, 70.0, 100.0),
]


def script(steps: Sequence[Step], seconds: float) -> Script:
    camera = camera_above(distance_mm=620.0, tilt_deg=12.0)
    return Script(
        camera,
        cloth(np.random.default_rng(3), (50, 60, 40)),
        tuple(lay(CARDS)),
        steps,
        seconds,
        FPS,
        640,
        480,
        Conditions(shading=0.2, blur_px=0.4, noise=2.5),
        Drift(exposure=0.08, period_s=5.0),
    )


@cache
def laid() -> tuple[Picture, ...]:
    """Return the pictures of a card that is laid on another, and taken again."""
    things = tuple(lay(CARDS))
    (top,) = lay([("4c", -118.0, -86.0, 92.0)])
    steps = (
        Step(1.5, (*things, top), (-118.0, -86.0), carried=top, linger_s=0.4),
        Step(4.0, things, (-118.0, -86.0), carried=top, takes=True),
    )
    return tuple(pictures(frames(script(steps, 6.0), seed=4)))


@cache
def quiet() -> tuple[Picture, ...]:
    """Return the pictures of a table on which nothing happens."""
    return tuple(pictures(frames(script((), 9.0), seed=4)))


def followed(
    shown: Sequence[Picture],
    spoil: Callable[[Iterator[Picture]], Iterator[Picture]] = lambda p: p,
    eyes: TrueEyes | None = None,
) -> tuple[LiveEye, list[Look]]:
    """Return the eye and what each usable picture brought."""
    eyes = eyes or TrueEyes()
    eye, dog = LiveEye(eyes, Pace(settle_s=0.3)), Watchdog(1.0)
    looks = []
    for picture in spoil(iter(shown)):
        shot = Shot(picture.bgr, picture.at_s)
        if dog.check(shot).is_usable:
            eyes.show(picture.bgr, picture.truth)
            looks.append(eye.look(shot))
    return eye, looks


def views(looks: Sequence[Look]) -> list[View]:
    return [view for look in looks for view in look.views if view.changes]


def names(view: View) -> list[str]:
    return sorted(str(p.identity.label) for p in view.observation.placements)


def test_a_card_is_laid_on_another_and_taken_again() -> None:
    _, looks = followed(laid())
    start, covered, uncovered = views(looks)
    assert names(start) == ["5s", "9d", "Jh"]
    assert names(covered) == ["4c", "5s", "Jh"]
    assert [what for _, what in covered.changes] == ["covered", "laid"]
    assert names(uncovered) == ["5s", "9d", "Jh"]
    before = {p.identity.label: p.id for p in start.observation.placements}
    after = {p.identity.label: p.id for p in uncovered.observation.placements}
    assert before == after


def test_what_is_not_read_when_the_pictures_end_is_known() -> None:
    ends = (1.2, False), (2.0, True), (3.2, False), (4.5, True), (5.5, False)
    for seconds, has_unread in ends:
        eye, _ = followed([p for p in laid() if p.at_s < seconds])
        assert eye.has_unread is has_unread, seconds


def test_a_view_comes_soon_and_says_when_it_came_to_be() -> None:
    _, looks = followed(laid())
    look = next(look for look in looks for view in look.views if names(view)[0] == "4c")
    # The hand lets go at 1.9 s, and takes a moment to leave.
    assert 1.9 <= look.views[0].at_s <= 2.4
    assert look.at_s - look.views[0].at_s <= 0.5


def test_places_are_in_millimetres_and_stay() -> None:
    _, looks = followed(laid())
    start, _, last = views(looks)
    places = [
        {p.identity.label: p.position for p in view.observation.placements}
        for view in (start, last)
    ]
    one, two = places[0]["Jh"], places[1]["Jh"]
    assert one is not None
    assert two is not None
    assert abs(one.x_mm - two.x_mm) < 1.5
    between = places[0]["5s"]
    assert between is not None
    assert between.x_mm - one.x_mm == pytest.approx(130.0, abs=6.0)


def test_an_eye_that_begins_under_a_hand_says_what_it_has_not_seen() -> None:
    """What the hand hid seemed empty, and nothing below it was read ever after."""
    _, looks = followed([p for p in laid() if 1.6 <= p.at_s < 3.4])
    told = [(look, view) for look in looks for view in look.views]
    place = next(t.quad_px for t in laid()[0].truth() if t.label == "9d")
    for look, view in told[:-1]:
        assert view.unseen is not None
        assert look.at_s > 2.3 or view.unseen.share(place) > 0.5, "a hand is there"
    _, last = told[-1]
    assert names(last) == ["4c", "5s", "Jh"]
    assert last.unseen is None


def test_a_touched_card_is_told() -> None:
    _, looks = followed(laid())
    touched = {
        p.identity.label
        for look in looks
        for view in look.views
        for p in view.observation.placements
        if p.touched
    }
    assert touched & {"9d", "4c"}
    assert "5s" not in touched


def test_most_pictures_are_not_read() -> None:
    _, looks = followed(laid())
    assert sum(look.has_read for look in looks) < 0.2 * len(looks)


def test_it_says_what_it_waits_for() -> None:
    _, looks = followed(laid())
    assert {look.waiting for look in looks} >= {Waiting.HANDS, Waiting.NOTHING}


def test_one_misread_card_changes_nothing() -> None:
    def misread(rng: np.random.Generator, label: str | None) -> str | None:
        return "Qc" if label is not None and rng.random() < 0.12 else label

    eyes = TrueEyes(misread=misread, rng=np.random.default_rng(8))
    _, looks = followed(laid(), eyes=eyes)
    assert names(views(looks)[-1]) == ["5s", "9d", "Jh"]
    assert not any("Qc" in names(view) for view in views(looks))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_fault_of_a_camera_is_a_change(kind: str) -> None:
    eye, looks = followed(quiet(), Fault(kind, 2.0, 5.0, seed=3))
    (start,) = views(looks)
    assert names(start) == ["5s", "9d", "Jh"]
    assert looks[-1].waiting is Waiting.NOTHING
    assert len(eye.tracker().lying) == 3


def test_a_bump_is_told_and_the_table_found_again() -> None:
    _, looks = followed(quiet(), Fault("bump", 2.0, 7.0, seed=3))
    notices = [code for look in looks for code in look.notices]
    assert notices[0] == "view_changed"
    assert "bumped" in notices


def test_what_is_blurred_out_of_all_shape_is_waited_for_not_taken_as_it_is() -> None:
    def blurred(shown: Iterator[Picture]) -> Iterator[Picture]:
        for picture in shown:
            is_soft = 3.0 <= picture.at_s < 6.0
            soft = np.asarray(cv2.GaussianBlur(picture.bgr, (0, 0), 7.0), np.uint8)
            yield replace(picture, bgr=soft) if is_soft else picture

    _, looks = followed(quiet(), blurred)
    meanwhile = [look for look in looks if 3.5 <= look.at_s < 6.0]
    assert {look.waiting for look in meanwhile} == {Waiting.SHARPNESS}
    assert not any(look.has_read for look in meanwhile)
    assert len(views(looks)) == 1, "no more than what lay there from the start"
    assert looks[-1].waiting is Waiting.NOTHING


def test_when_a_reflection_goes_the_table_is_not_taken_for_blurred() -> None:
    shine = Fault("glare", 2.0, 5.0, seed=3)
    shine.chosen |= {"c": 0.9, "d": 0.9}  # so large that the view is lost, and found
    _, looks = followed(quiet(), shine)
    assert any("view_changed" in look.notices for look in looks)
    soon = [look for look in looks if look.at_s >= 5.5]
    assert {look.waiting for look in soon} == {Waiting.NOTHING}


def test_another_view_counts_only_when_a_person_says_so() -> None:
    shown = list(quiet())
    swapped = list(Fault("flip", 2.0, 99.0, seed=3)(iter(shown)))
    eyes, dog = TrueEyes(), Watchdog(None)
    eye = LiveEye(eyes, Pace(settle_s=0.3))
    looks: list[Any] = []
    for number, picture in enumerate(swapped):
        if number == round(6 * FPS):
            assert looks[-1].waiting is Waiting.VIEW
            eye.resync()
        assert dog.check(Shot(picture.bgr, picture.at_s)).is_usable
        eyes.show(picture.bgr, picture.truth)
        looks.append(eye.look(Shot(picture.bgr, picture.at_s)))
    assert looks[-1].waiting is Waiting.NOTHING
    assert len(views(looks)) == 2


def places(view: View) -> dict[str | None, tuple[float, float]]:
    """Return label -> where it lies, mm."""
    found = {}
    for placement in view.observation.placements:
        assert placement.position is not None
        found[placement.identity.label] = (
            placement.position.x_mm,
            placement.position.y_mm,
        )
    return found


def turned_round(shown: Sequence[Picture], from_s: float) -> Iterator[Picture]:
    """Yield the pictures of a camera that is turned upside down at a moment."""
    fault = Fault("flip", from_s, 99.0)
    fault.chosen["a"] = 0.99  # both ways: a turn by half
    return fault(iter(shown))


def test_who_sat_near_sits_near_after_the_camera_was_turned_round() -> None:
    _, looks = followed(laid(), lambda shown: turned_round(list(shown), 3.0))
    notices = [notice for look in looks for notice in look.notices]
    assert "bumped" in notices
    before, covered, uncovered = views(looks)
    assert places(uncovered).keys() == places(before).keys()
    for label, (x_mm, y_mm) in places(before).items():
        assert places(uncovered)[label] == pytest.approx((x_mm, y_mm), abs=3.0)
    assert names(covered) == ["4c", "5s", "Jh"]


def test_a_part_is_read_at_the_size_of_the_cards_that_lie_there() -> None:
    sizes = []

    class Near(TrueEyes):
        def near(self, frame: Any, card_px: float, **_: Any) -> Any:
            sizes.append(card_px)
            return self(frame)

    _, looks = followed(laid(), eyes=Near())
    assert len(views(looks)) == 3
    assert sizes
    assert all(60 < size < 120 for size in sizes)


class HalfBlind(TrueEyes):
    """Overlooks backs where it does not look closely."""

    near_looks = 0

    def near(
        self,
        frame: Frame,
        card_px: float,
        *,
        closely: bool,
        wanted: Wanted,
        table: TableMap | None,
        known: Sequence[Array],
        laid: Sequence[Array] = (),
    ) -> Observation:
        """Return what lies there, backs only at a close look."""
        self.near_looks += 1
        return self(frame) if closely else self._less(self(frame), Kind.BACK)

    def _less(self, seen: Observation, kind: Kind) -> Observation:
        kept = tuple(p for p in seen.placements if p.kind is not kind)
        return replace(seen, placements=kept)


def test_backs_are_found_by_eyes_that_overlook_them_in_parts() -> None:
    things = (*lay(CARDS), thing_of(back(), -20.0, -10.0, 90.0))
    table = replace(script((), 2.0), things=things)
    eyes = HalfBlind()
    _, looks = followed(list(pictures(frames(table, seed=4))), eyes=eyes)
    kinds = [p.kind for p in views(looks)[-1].observation.placements]
    assert kinds.count(Kind.BACK) == 1


class SeesHands(TrueEyes):
    """Takes the cloth on which a card is laid for a hand, in each reading."""

    where: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    def __call__(self, frame: Frame) -> Observation:
        """Return what lies there, and a hand that does not."""
        seen = super().__call__(frame)
        if self.shown is None or frame.bgr.shape != self.shown.shape:
            return seen
        left, top, right, bottom = self.where
        quad = ((left, top), (right, top), (right, bottom), (left, bottom))
        hand = Placement("h1", Kind.HAND, UNKNOWN, 0.9, quad)
        return replace(seen, placements=(*seen.placements, hand))


@pytest.mark.parametrize("where", [(0, 200, 330, 470), (0, 0, 640, 480)])
def test_what_seems_a_hand_and_never_moves_hides_nothing(
    where: tuple[float, float, float, float],
) -> None:
    """A detector sees hands in cloth: all that was laid there was missed, and the whole
    picture was read again and again (seed 5214 of Frenzy)."""
    eyes = SeesHands()
    eyes.where = where
    _, looks = followed(laid(), eyes=eyes)
    assert [names(view) for view in views(looks)][-3:] == [
        ["5s", "9d", "Jh"],
        ["4c", "5s", "Jh"],
        ["5s", "9d", "Jh"],
    ]
    assert sum(look.has_read for look in looks) < 20


def test_what_could_not_be_read_is_read_again_ever_later() -> None:
    def slowly(_: np.random.Generator, label: str | None) -> str | None:
        return label if label != "Jh" or eyes.readings > 4 else None

    eyes = TrueEyes(misread=slowly)
    _, looks = followed(quiet(), eyes=eyes)
    last = views(looks)[-1]
    assert names(last) == ["5s", "9d", "Jh"]
    assert [what for _, what in last.changes] == ["named"]
    assert eyes.readings <= 9


@pytest.mark.parametrize("by_px", [40, 6])
def test_a_bump_by_a_stripe_of_the_cloth_or_by_little_is_noticed(by_px: int) -> None:
    """By little, all was found where it lay, more or less; then each card seemed to be
    another of its face, laid on it (faults, seed 85)."""
    stripes = np.full((700, 700, 3), 60, np.uint8)
    stripes[:, np.arange(700) % 40 < 20] = 110
    straight = camera_above(distance_mm=620.0)
    things = tuple(lay([*CARDS, ("2c", 10.0, -100.0, 90.0)]))
    table = replace(script((), 3.0), camera=straight, ground=stripes, things=things)

    def bumped(shown: Iterator[Picture]) -> Iterator[Picture]:
        for picture in shown:
            by = by_px if picture.at_s > 1.5 else 0
            moved = np.roll(picture.bgr, by, axis=1)
            yield replace(picture, bgr=moved, truth=partial(_shifted, picture, by))

    _, looks = followed(list(pictures(frames(table, seed=4))), bumped)
    told = [notice for look in looks for notice in look.notices]
    assert told == ["view_changed", "view_found", "bumped"]
    assert len(views(looks)) == 1, "nothing was laid, nothing is gone"


def _shifted(picture: Picture, by_px: int) -> tuple[Any, ...]:
    by = np.array([by_px, 0.0])
    return tuple(replace(t, quad_px=t.quad_px + by) for t in picture.truth())
