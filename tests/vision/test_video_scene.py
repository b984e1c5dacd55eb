"""Rendered videos: what they show is what their truth says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.tables import camera_above, lay
from vision.scene.ground import cloth
from vision.scene.light import Conditions
from vision.scene.video import Drift, Script, Step, VideoFrame, frames

FPS = 10.0


def script(*, drift: Drift | None = None, empty: bool = False) -> Script:
    """Return two cards; a third is laid at 1.0 s, the first taken at 3.0 s."""
    first, second, third = lay(
        [
            ("Jh", 0.0, 70.0, 90.0),
            ("9d", -110.0, -70.0, 80.0),
            ("4c", 60.0, -80.0, 95.0),
        ]
    )
    laid = Step(
        1.0,
        (first, second, third),
        (60.0, -80.0),
        carried=third,
        linger_s=0.4,
        is_empty=empty,
    )
    taken = Step(3.0, (second, third), (0.0, 70.0), 180.0, carried=first, takes=True)
    return Script(
        camera_above(distance_mm=700.0),
        cloth(np.random.default_rng(2), (50, 60, 40)),
        (first, second),
        (laid, taken),
        seconds=4.0,
        fps=FPS,
        width_px=640,
        height_px=480,
        conditions=Conditions(blur_px=0.4, noise=2.0),
        drift=drift or Drift(),
    )


@pytest.fixture(scope="module")
def video() -> list[VideoFrame]:
    return list(frames(script(), seed=3))


def at(video: list[VideoFrame], at_s: float) -> VideoFrame:
    return video[round(at_s * FPS)]


def test_things_lie_there_from_their_moment_on(video: list[VideoFrame]) -> None:
    def labels(at_s: float) -> list[str | None]:
        return [thing.face.label for thing in at(video, at_s).things]

    assert labels(0.9) == ["Jh", "9d"]
    assert labels(1.0) == ["Jh", "9d", "4c"]
    assert labels(3.0) == ["9d", "4c"]


def test_a_hand_is_there_around_its_moment_only(video: list[VideoFrame]) -> None:
    seen = [frame.at_s for frame in video if frame.has_hand]
    assert min(seen) >= 0.5
    assert {1.0, 1.4, 3.0} <= set(seen)
    assert not any(2.0 <= moment <= 2.4 for moment in seen)


def test_a_hand_touches_what_it_lays(video: list[VideoFrame]) -> None:
    assert 2 in at(video, 1.2).touched
    assert at(video, 2.2).touched == frozenset()


def test_truth_says_how_much_is_seen(video: list[VideoFrame]) -> None:
    covered = at(video, 1.2).truth()[2].visible
    free = at(video, 2.2).truth()[2].visible
    assert covered < 0.8 < free


def test_the_picture_changes_where_the_truth_does(video: list[VideoFrame]) -> None:
    before, after = at(video, 0.2).bgr.astype(int), at(video, 2.2).bgr.astype(int)
    quad = at(video, 2.2).truth()[2].quad_px
    (x0, y0), (x1, y1) = quad.min(0).astype(int) + 6, quad.max(0).astype(int) - 6
    step = np.abs(after - before).mean(axis=2)
    assert step[y0:y1, x0:x1].mean() > 40
    step[y0 - 15 : y1 + 15, x0 - 15 : x1 + 15] = 0
    assert step.mean() < 4


def test_same_seed_same_pixels() -> None:
    short = replace(script(), seconds=0.3)
    one, two = list(frames(short, seed=5)), list(frames(short, seed=5))
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a.bgr, b.bgr)


def test_light_drifts_and_the_camera_is_bumped() -> None:
    moved = camera_above(distance_mm=680.0, yaw_deg=2.0)
    drift = Drift(exposure=0.2, period_s=2.0, bumps=((0.8, moved),))
    video = list(frames(replace(script(drift=drift), seconds=1.0), seed=3))
    level = [float(frame.bgr.mean()) for frame in video[:5]]
    assert level[4] > 1.1 * level[0]
    before, after = video[7].truth()[0].quad_px, video[8].truth()[0].quad_px
    assert np.abs(after - before).max() > 2


def test_nobody_need_be_seen() -> None:
    video = list(frames(replace(script(empty=True), seconds=2.0), seed=3))
    assert not any(frame.has_hand for frame in video)
    assert len(video[-1].things) == 3
