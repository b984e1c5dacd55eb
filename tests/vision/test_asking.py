"""What the eye is asked: what changed, near; what is not sure, closely; seldom all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from tests.support.eyes import TrueEyes
from tests.support.following import Picture, pictures
from tests.support.tables import lay
from tests.vision.test_live import laid, script
from vision.asking import Asking, Request
from vision.capture.source import Shot
from vision.cells import grown
from vision.gate import Gate
from vision.geometry import TableMap
from vision.live import LiveEye
from vision.roi import Part, part_around
from vision.sameness import plain
from vision.scene.video import Step, frames
from vision.settle import Settle
from vision.types import (
    UNKNOWN,
    Array,
    Detection,
    Frame,
    Kind,
    Observation,
    Placement,
)
from vision.views import Pace
from vision.wanted import Wanted, anywhere, where_wanted


@dataclass
class Asked(TrueEyes):
    """Perfect eyes that note how they were asked."""

    how: list[str] = field(default_factory=list)
    wanted: list[tuple[int, int]] = field(default_factory=list)
    """How many of the cards in the part were wanted, and how many were in it."""

    def __call__(self, frame: Frame) -> Observation:
        """Return what all of the picture says."""
        self.how.append("whole")
        return super().__call__(frame)

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
        """Return what a part says."""
        self.how.append("closely" if closely else "near")
        seen = super().__call__(frame)
        some = [wanted(np.array(p.quad_px)) for p in seen.placements]
        self.wanted.append((sum(some), len(some)))
        return seen


def watched(shown: tuple[Picture, ...], pace: Pace) -> Asked:
    """Return the eyes after all of the pictures."""
    eyes = Asked()
    eye = LiveEye(eyes, pace)
    for picture in shown:
        eyes.show(picture.bgr, picture.truth)
        eye.look(Shot(picture.bgr, picture.at_s))
    return eyes


def test_after_the_first_readings_only_parts_are_read() -> None:
    eyes = watched(laid(), Pace(settle_s=0.3, recheck_s=0.6))
    assert eyes.how[:2] == ["whole", "whole"], "two must agree on what lies there"
    assert "whole" not in eyes.how[2:]


def test_what_changed_is_looked_at_closely_once_when_it_is_quiet_again() -> None:
    eyes = watched(laid(), Pace(settle_s=0.3, recheck_s=0.6))
    assert eyes.how[2:] == ["near", "near", "closely"] * 2
    hasty = watched(laid(), Pace(settle_s=0.3))
    assert "closely" not in hasty.how


class FarSighted(Asked):
    """Overlook a small card in a look at all of the picture."""

    def __call__(self, frame: Frame) -> Observation:
        """Return all but the 9d."""
        seen = super().__call__(frame)
        rest = tuple(p for p in seen.placements if p.identity.label != "9d")
        return replace(seen, placements=rest)


def test_what_lies_there_at_first_is_looked_at_closely_where_it_is_small() -> None:
    """One of three cards was overlooked in the first picture and never looked for: all
    of a round was lost in silence (Frenzy 5248)."""
    table = replace(script((), 2.0), width_px=1280, height_px=960)
    eyes = FarSighted()
    eye = LiveEye(eyes, Pace(settle_s=0.3))
    for picture in pictures(frames(table, seed=4)):
        eyes.show(picture.bgr, picture.truth)
        eye.look(Shot(picture.bgr, picture.at_s))
    assert eyes.how[:3] == ["whole", "whole", "closely"]
    assert {t.label for t in eye.tracker().lying} == {"Jh", "9d", "5s"}


def test_a_card_that_nobody_touched_is_not_read_again() -> None:
    things = tuple(lay([("9d", -60.0, 0.0, 90.0), ("Jh", 12.0, 0.0, 90.0)]))
    (new,) = lay([("4c", 84.0, 0.0, 90.0)])
    step = Step(1.2, (*things, new), (84.0, 0.0), carried=new)
    table = replace(script((step,), 3.0), things=things)
    eyes = watched(tuple(pictures(frames(table, seed=4))), Pace(settle_s=0.3))
    assert eyes.wanted
    assert all(shown >= 2 for _, shown in eyes.wanted), "its neighbour is in the part"
    assert all(wanted == 1 for wanted, _ in eyes.wanted)


def test_all_is_read_now_and_then() -> None:
    still = tuple(pictures(frames(script((), 23.0), seed=4)))
    eyes = watched(still[::3], Pace(settle_s=0.3, recheck_s=0.6))
    assert eyes.how == ["whole", "whole", "closely"]
    assert eyes.wanted[-1] == (3, 3), (
        "all of it, at the size that cards are known to have"
    )


def square(x: float, y: float, side: float = 20.0) -> Array:
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]])


def test_an_index_goes_with_its_card() -> None:
    wanted_card, other = square(0, 0), square(100, 0)
    found = [
        Detection(Kind.CARD, wanted_card, 0.9),
        Detection(Kind.CARD, other, 0.9),
        Detection(Kind.INDEX, square(12, 12, 4), 0.8),
        Detection(Kind.INDEX, square(102, 2, 4), 0.8),
        Detection(Kind.INDEX, square(200, 2, 4), 0.8),
        Detection(Kind.HAND, square(300, 0), 0.8),
    ]
    kept = where_wanted(found, lambda quad: float(quad[:, 0].min()) < 10)
    assert [one.quad_px[0, 0] for one in kept] == [0, 12, 300]
    assert where_wanted(found, anywhere) == tuple(found)


def test_a_part_wants_what_lies_on_a_changed_cell_and_is_not_cut() -> None:
    settle = Settle()
    gate = settle.feed(np.zeros((180, 320, 3), np.uint8), 0.0)
    wanted = np.zeros((180, 320), bool)
    wanted[40:50, 40:50] = True
    again = np.zeros_like(wanted)
    part = Part(20, 20, 120, 120, 320, 180)
    request = Request(part, wanted, again, is_close=False)
    assert request.wants(gate, square(30, 30))
    assert not request.wants(gate, square(60, 60)), "nothing changed there"
    assert not request.wants(gate, square(21, 35, 40)), "it may go on beyond the part"


@pytest.mark.parametrize("recheck_s", [None, 0.6])
def test_what_is_not_sure_is_looked_at_closely(recheck_s: float | None) -> None:
    def unreadable(_: np.random.Generator, label: str | None) -> str | None:
        return None if label == "4c" else label

    eyes = Asked(misread=unreadable)
    eye = LiveEye(eyes, Pace(settle_s=0.3, recheck_s=recheck_s))
    for picture in laid():
        eyes.show(picture.bgr, picture.truth)
        eye.look(Shot(picture.bgr, picture.at_s))
    assert eyes.how.count("closely") >= 2
    assert "whole" not in eyes.how[2:]


def gate_with_changed(rows: slice, columns: slice) -> Gate:
    """Return what is said of a picture of which only those cells changed."""
    settle = Settle()
    settle.feed(np.zeros((180, 320, 3), np.uint8), 0.0)
    settle.accept(np.ones((180, 320), bool))
    gate = settle.feed(np.zeros((180, 320, 3), np.uint8), 1.0)
    changed = np.zeros((180, 320), bool)
    changed[rows, columns] = True
    return replace(gate, changed=changed, due=changed)


def test_a_card_of_which_only_the_edge_touches_what_changed_is_not_read_again() -> None:
    gate = gate_with_changed(slice(40, 60), slice(40, 60))
    part, none = Part(0, 0, 320, 180, 640, 360), np.zeros((180, 320), bool)
    request = Request(part, grown(gate.changed, 2), none, is_close=False)
    assert request.touches(gate, square(40, 40))
    assert not request.touches(gate, square(61, 40)), "beside it"
    again = replace(request, again=gate.cells(square(61, 40)))
    assert again.touches(gate, square(61, 40)), "it is asked for"


def test_a_card_that_reaches_out_of_the_part_is_read_in_a_wider_one() -> None:
    """Only the far end of a Hero differed from the one below: it was told 12 s late,
    by the reading of the next card (round 73 of the faults)."""
    gate = gate_with_changed(slice(90, 100), slice(90, 110))
    asking, bgr = Asking(Pace()), np.zeros((180, 320, 3), np.uint8)
    near = part_around(gate.changed, gate.scale, bgr, 60.0)
    request = Request(near, gate.changed, np.zeros_like(gate.changed), is_close=False)
    laid = Placement("c1", Kind.CARD, UNKNOWN, 0.9, plain(square(85, 45, 60.0)))
    assert not near.holds(np.array(laid.quad_px))
    assert asking.asks_wider(request, gate, [laid])
    wide = part_around(gate.changed, gate.scale, bgr, 60.0, is_wide=True)
    assert wide.holds(np.array(laid.quad_px))
    assert not asking.asks_wider(replace(request, part=wide), gate, [laid])
    assert asking.asks_wider(request, gate, [laid]), "another time"
    assert not asking.asks_wider(request, gate, [laid]), "once is enough"
