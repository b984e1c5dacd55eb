"""What changed tells where a card was laid, also one that the detector overlooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.eyes import TrueEyes
from tests.support.following import Picture, pictures
from tests.support.tables import lay
from tests.vision.test_live import CARDS, followed, laid, quiet, script, views
from vision.cells import Mask
from vision.laid import laid_px, unexplained_px
from vision.quads import quad_overlap
from vision.sameness import plain
from vision.scene.video import Step, frames
from vision.types import UNKNOWN, Array, Frame, Kind, Observation, Placement

SCALE = 4.0
CARD = np.array([[0.0, 0], [64, 0], [64, 90], [0, 90]])


def turned(x: float, y: float, angle_deg: float) -> Array:
    angle = np.radians(angle_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray((CARD - CARD.mean(0)) @ turn.T + [x, y])


def cells_of(quads: Sequence[Array]) -> Mask:
    """Return the cells of a picture of 1280x720 px that lie in the quads."""
    picture = np.zeros((720, 1280), np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(picture, np.round(quad).astype(int), (255,))
    return np.asarray(
        cv2.resize(picture, (320, 180), interpolation=cv2.INTER_AREA) > 99
    )


@settings(deadline=None, max_examples=60)
@given(st.floats(100, 1100), st.floats(100, 600), st.floats(0, 360))
def test_a_card_is_outlined_wherever_and_however_it_lies(
    x: float, y: float, angle_deg: float
) -> None:
    quad = turned(x, y, angle_deg)
    (found,) = laid_px(cells_of([quad]), SCALE, [CARD])
    assert quad_overlap(found, quad) > 0.8
    first, second = np.linalg.norm(np.diff(found[:3], axis=0), axis=1)
    assert first < second, "from its own top: a short side first"
    assert np.linalg.det(np.diff(found[:3], axis=0)) > 0, "clockwise"


def test_what_has_no_card_s_size_or_shape_is_none() -> None:
    half, both = CARD * [1, 0.5], CARD * [2, 1]
    corner = cells_of([CARD + 200]) & ~cells_of([CARD + 225])
    for changed in (cells_of([half + 200]), cells_of([both + 200]), corner):
        assert laid_px(changed, SCALE, [CARD]) == []
    assert laid_px(cells_of([CARD + 200]), SCALE, []) == [], "no card is known"


def test_a_card_is_as_large_as_those_near_it() -> None:
    """Nearer to the camera than the others a Hero seemed no card (Frenzy 5328)."""
    far = [CARD * 0.9 + [x, 0] for x in (100, 300, 500, 700)]
    near = [CARD * 1.1 + [x, 500] for x in (300, 380, 450)]
    came = CARD * 1.25 + [350, 500]
    (found,) = laid_px(cells_of([came]), SCALE, [*far, *near])
    assert quad_overlap(found, came) > 0.8
    assert laid_px(cells_of([came]), SCALE, far) == []


def test_of_a_card_on_one_of_its_face_what_was_shifted_is_enough() -> None:
    """Print of one colour does not change where it lies on itself (Brawl 5209)."""
    upper = turned(300, 300, 3)
    same = np.round(upper.mean(0) + (upper - upper.mean(0)) * [0.5, 0.5])
    (found,) = laid_px(cells_of([upper]) & ~cells_of([same]), SCALE, [CARD])
    assert quad_overlap(found, upper) > 0.8


def test_a_card_half_on_one_of_its_face_is_outlined_for_a_look_of_its_own() -> None:
    """Where its print is that of the one below nothing changes: the first look at the
    third Hero had nowhere to look (Frenzy 5541, 5544, 5550)."""
    upper = CARD + 300
    same = CARD * [0.6, 0.8] + [300, 318]
    changed = cells_of([upper]) & ~cells_of([same])
    assert laid_px(changed, SCALE, [CARD]) == []
    (found,) = laid_px(changed, SCALE, [CARD], roughly=True)
    assert quad_overlap(found, upper) > 0.8


def test_what_falls_apart_where_two_prints_agree_is_one_card() -> None:
    """A Z half on a Z changed but for a crack from side to side (Frenzy 6030)."""
    upper = CARD + 300
    changed = cells_of([upper])
    changed[75:86, 83] = changed[86, 83:87] = changed[86:, 87] = False
    assert laid_px(changed, SCALE, [CARD]) == []
    (found,) = laid_px(changed, SCALE, [CARD], roughly=True)
    assert quad_overlap(found, upper) > 0.8
    beside = cells_of([CARD + 300, CARD + np.array([372, 300])])
    assert len(laid_px(beside, SCALE, [CARD], roughly=True)) == 2, "a gap of a cell"


def test_where_a_known_card_lies_nothing_is_unexplained() -> None:
    beside = CARD + np.array([40, 0])
    assert len(unexplained_px([CARD], [beside])) == 1
    assert unexplained_px([CARD], [CARD + 4]) == []


@dataclass
class Overlooks(TrueEyes):
    """Overlooks a card unless somebody says where it may lie."""

    label: str = "4c"
    is_named: bool = True
    """Whether it can be named there."""
    said: list[int] = field(default_factory=list)

    def near(
        self, frame: Frame, card_px: float, *, laid: Sequence[Array], **_: object
    ) -> Observation:
        """Return what a part says."""
        seen = self(frame)
        self.said.append(len(laid))

        def is_seen(quad: Array) -> bool:
            return self.is_named and any(quad_overlap(quad, q) > 0.7 for q in laid)

        kept = [
            p
            for p in seen.placements
            if p.identity.label != self.label or is_seen(np.array(p.quad_px))
        ]
        object.__setattr__(seen, "placements", tuple(kept))
        return seen


def test_a_card_that_the_detector_overlooks_is_read_where_the_table_changed() -> None:
    """Brawl 5209 and 5210 lost three moves of a card of one colour in silence."""
    _, looks = followed(laid(), eyes=Overlooks())
    said = [[p.identity.label for p in v.observation.placements] for v in views(looks)]
    assert "4c" in said[1]


@cache
def beside() -> tuple[Picture, ...]:
    """Return the pictures of a card that is laid on the cloth."""
    (new,) = lay([("4c", 20.0, -60.0, 85.0)])
    things = (*lay(CARDS), new)
    steps = (Step(1.5, things, (20.0, -60.0), carried=new, linger_s=0.3),)
    return tuple(pictures(frames(script(steps, 4.5), seed=4)))


def test_a_card_that_nobody_can_name_is_shown_unread_and_not_lost() -> None:
    eyes = Overlooks(is_named=False)
    _, looks = followed(beside(), eyes=eyes)
    new = views(looks)[-1].observation.placements[-1]
    assert new.identity.label is None
    truth = next(t for t in beside()[-1].truth() if t.label == "4c")
    assert quad_overlap(np.array(new.quad_px), truth.quad_px) > 0.75


@dataclass
class SeesPrint(TrueEyes):
    """Sees of one card only a disc that is printed on it, a little off its middle."""

    def __call__(self, frame: Frame) -> Observation:
        """Return what a whole picture says."""
        return self._without(frame, ())

    def near(
        self, frame: Frame, card_px: float, *, laid: Sequence[Array], **_: object
    ) -> Observation:
        """Return what a part says."""
        return self._without(frame, laid)

    def _without(self, frame: Frame, laid: Sequence[Array]) -> Observation:
        seen = TrueEyes.__call__(self, frame)

        def shown(p: Placement) -> Placement:
            quad = np.array(p.quad_px)
            is_told = any(quad_overlap(quad, one) > 0.7 for one in laid)
            if p.identity.label != "9d" or is_told:
                return p
            disc = quad.mean(0) + 4 + 0.3 * (quad - quad.mean(0))
            return Placement(p.id, Kind.DISC, UNKNOWN, 0.5, plain(disc))

        return replace(seen, placements=tuple(map(shown, seen.placements)))


def test_of_a_card_whose_print_alone_is_seen_the_place_is_looked_at() -> None:
    """Frenzy 5267 had no row: a disc was all that was seen of its middle card."""
    _, looks = followed([p for p in quiet() if p.at_s < 5.0], eyes=SeesPrint())
    said = [p.identity.label for p in views(looks)[-1].observation.placements]
    assert sorted(map(str, said)) == ["5s", "9d", "Jh"]
