"""Capture: the newest picture wins, faults are noticed, cameras come back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.capture.grabber import Grabber
from vision.capture.opening import open_source
from vision.capture.pushed import Pushed
from vision.capture.replay import FolderReplay, ShotReplay, VideoReplay
from vision.capture.source import CameraStatus, EndOfShotsError, Health, Shot
from vision.capture.watchdog import LOOPED_SHOTS, Watchdog
from vision.capture.webcam import WebcamInfo, choose, locked
from vision.errors import CameraError
from vision.images import to_jpeg
from vision.types import Bgr


def noisy(seed: int, size: tuple[int, int] = (96, 64)) -> Bgr:
    """Return a picture with the noise of its own moment."""
    rng = np.random.default_rng(seed)
    return rng.integers(60, 200, (size[1], size[0], 3)).astype(np.uint8)


def dog(frozen_after_s: float | None = 1.0) -> Watchdog:
    return Watchdog(frozen_after_s)


def test_living_pictures_are_usable() -> None:
    watchdog = dog()
    for number in range(40):
        finding = watchdog.check(Shot(noisy(number), number / 30))
        assert finding.is_usable
        assert finding.health is Health.GOOD


def test_a_frozen_picture_is_told_within_two_seconds() -> None:
    watchdog = dog()
    told = next(
        number / 30
        for number in range(90)
        if watchdog.check(Shot(noisy(1), number / 30)).health is Health.FROZEN
    )
    assert 1.0 <= told < 2.0
    assert not watchdog.check(Shot(noisy(1), 4.0)).is_usable
    assert watchdog.check(Shot(noisy(2), 4.1)).is_usable


def test_a_recording_may_stand_still() -> None:
    watchdog = dog(None)
    findings = [watchdog.check(Shot(noisy(1), n / 30)) for n in range(90)]
    assert all(finding.is_usable for finding in findings)


def test_a_black_picture_is_never_read_and_soon_told() -> None:
    watchdog = dog()
    watchdog.check(Shot(noisy(0), 0.0))
    black = np.zeros((64, 96, 3), np.uint8)
    findings = [watchdog.check(Shot(black + n % 3, 0.1 + n / 30)) for n in range(30)]
    assert not any(finding.is_usable for finding in findings)
    assert findings[0].health is Health.GOOD
    assert findings[-1].health is Health.BLACK


def test_a_dark_table_is_not_black() -> None:
    dim = (noisy(3) * 0.15).astype(np.uint8)
    assert dog().check(Shot(dim, 0.0)).is_usable


def test_old_pictures_shown_again_are_told() -> None:
    watchdog = dog()
    for number in range(30):
        assert watchdog.check(Shot(noisy(number), number / 30)).is_usable
    again = [watchdog.check(Shot(noisy(n), 1 + n / 30)) for n in range(12)]
    assert not any(finding.is_usable for finding in again)
    assert again[LOOPED_SHOTS].health is Health.REPEATED


def test_time_never_runs_back() -> None:
    watchdog = dog()
    assert watchdog.check(Shot(noisy(0), 5.0)).is_usable
    assert not watchdog.check(Shot(noisy(1), 4.0)).is_usable
    assert watchdog.check(Shot(noisy(2), 5.1)).is_usable


def test_a_clock_that_jumps_back_is_told() -> None:
    watchdog = dog()
    watchdog.check(Shot(noisy(0), 100.0))
    told = [watchdog.check(Shot(noisy(n), 50.0 + n / 30)) for n in range(1, 8)]
    assert not any(finding.is_usable for finding in told)
    assert told[-1].health is Health.REPEATED
    assert watchdog.check(Shot(noisy(9), 100.1)).health is Health.GOOD


def test_few_pictures_are_told_and_read_all_the_same() -> None:
    watchdog = dog()
    found = [watchdog.check(Shot(noisy(n), float(n))) for n in range(5)]
    assert all(finding.is_usable for finding in found)
    assert found[-1].health is Health.SLOW
    assert dog(None).check(Shot(noisy(0), 9.0)).health is Health.GOOD


def test_few_pictures_are_told_before_the_next_one_comes() -> None:
    watchdog = dog()
    for number in range(60):
        watchdog.check(Shot(noisy(number), number / 30))
    sixth_newest_s = 54 / 30
    assert watchdog.slow_from_s == pytest.approx(sixth_newest_s + 1.5)
    assert dog(None).slow_from_s == np.inf, "a recording has its own time"


def test_one_picture_of_another_size_is_passed_over() -> None:
    watchdog = dog()
    watchdog.check(Shot(noisy(0), 0.0))
    other = watchdog.check(Shot(noisy(1, (48, 32)), 0.1))
    assert (other.is_usable, other.health) == (False, Health.RESIZED)
    assert watchdog.check(Shot(noisy(2), 0.2)).is_usable


def test_a_new_size_that_stays_is_taken() -> None:
    watchdog = dog()
    watchdog.check(Shot(noisy(0), 0.0))
    shots = [Shot(noisy(n, (48, 32)), n / 30) for n in range(1, 9)]
    assert watchdog.check(shots[0]).is_usable is False
    assert [watchdog.check(shot).is_usable for shot in shots[1:]][-1]


@dataclass
class Scripted:
    """A camera that does what a test says."""

    reads: Callable[[int], Shot]
    opens: list[bool] = field(default_factory=list)
    opened: int = 0
    count: int = 0
    name: str = "scripted"
    is_live: bool = True
    frozen_after_s: float | None = 1.0

    def open(self) -> None:
        self.opened += 1
        if self.opens and not self.opens.pop(0):
            raise CameraError("not plugged in")

    def read(self) -> Shot:
        self.count += 1
        return self.reads(self.count)

    def close(self) -> None:
        pass


def test_the_newest_shot_wins() -> None:
    def read(number: int) -> Shot:
        if number > 50:
            time.sleep(0.005)
        return Shot(noisy(number % 700), number / 1000)

    with Grabber(Scripted(read)) as grabber:
        first = grabber.newest(0, 2.0)
        time.sleep(0.2)
        second = grabber.newest(first.number if first else 0, 2.0)
    assert first is not None
    assert second is not None
    assert second.number > first.number + 1, "those between were dropped"


def test_a_lost_camera_is_opened_again() -> None:
    told: list[Health] = []

    def note(status: CameraStatus) -> None:
        told.append(status.health)

    def read(number: int) -> Shot:
        time.sleep(0.002)
        if number == 5:
            raise CameraError("unplugged")
        return Shot(noisy(number), time.monotonic())

    source = Scripted(read)
    with Grabber(source, on_status=note) as grabber:
        deadline = time.monotonic() + 4.0
        while source.opened < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert grabber.newest(5, 2.0) is not None
    assert Health.UNPLUGGED in told
    assert told[-1] is Health.GOOD


def test_a_camera_that_hangs_counts_as_unplugged() -> None:
    def read(number: int) -> Shot:
        if number > 3:
            time.sleep(2.2)
        return Shot(noisy(number), time.monotonic())

    with Grabber(Scripted(read)) as grabber:
        grabber.newest(0, 1.0)
        time.sleep(1.8)
        assert grabber.status.health is Health.UNPLUGGED


@pytest.mark.parametrize(("burst", "is_slow"), [(15, True), (3, False)])
def test_what_comes_all_at_once_counts_as_one_picture(
    burst: int, is_slow: bool
) -> None:
    watchdog = dog()
    told = [
        watchdog.check(
            Shot(noisy(n), n // burst * burst / 30 + n % burst * 1e-4)
        ).health
        for n in range(90)
    ]
    assert (Health.SLOW in told[:61]) is is_slow


def test_a_camera_of_which_pictures_are_lost_is_slow_while_one_waits() -> None:
    def read(number: int) -> Shot:
        if number > 10:
            time.sleep(1.2)
        time.sleep(0.03)
        return Shot(noisy(number), time.monotonic())

    with Grabber(Scripted(read)) as grabber:
        told, until_s = set(), time.monotonic() + 3.0
        while Health.SLOW not in told and time.monotonic() < until_s:
            told.add(grabber.status.health)
            time.sleep(0.05)
    assert Health.SLOW in told


def test_at_full_speed_no_shot_is_lost() -> None:
    shots = [(n / 30, noisy(n)) for n in range(25)]
    seen: list[float] = []
    with Grabber(ShotReplay(shots), keep_all=True) as grabber:
        number = 0
        while (grabbed := grabber.newest(number, 2.0)) is not None:
            number = grabbed.number
            seen.append(grabbed.shot.taken_s)
    assert seen == [taken_s for taken_s, _ in shots]
    assert grabber.status.health is Health.ENDED


def test_a_video_is_replayed_with_its_times(tmp_path: Path) -> None:
    path = tmp_path / "table.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (96, 64))
    for number in range(6):
        writer.write(noisy(number))
    writer.release()
    source = open_source(str(path), real_time=False)
    assert isinstance(source, VideoReplay)
    source.open()
    times = [round(source.read().taken_s, 3) for _ in range(6)]
    assert times == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    with pytest.raises(EndOfShotsError):
        source.read()
    source.close()


def test_a_folder_is_replayed_in_the_order_of_names(tmp_path: Path) -> None:
    for number in (2, 0, 1):
        picture = np.full((64, 96, 3), 60 * number + 20, np.uint8)
        (tmp_path / f"{number}.jpg").write_bytes(to_jpeg(picture, 95))
    (tmp_path / "notes.txt").write_text("no picture")
    (tmp_path / "broken.jpg").write_bytes(b"\xff\xd8\xff broken")
    source = open_source(str(tmp_path), real_time=False, fps=4.0)
    assert isinstance(source, FolderReplay)
    source.open()
    shots = [source.read() for _ in range(3)]
    assert [round(float(shot.bgr.mean()) / 60 - 0.33) for shot in shots] == [0, 1, 2]
    assert [shot.taken_s for shot in shots] == [0.0, 0.25, 0.5]
    with pytest.raises(EndOfShotsError):
        source.read()


def test_real_speed_waits_for_its_pictures() -> None:
    slept: list[float] = []
    source = ShotReplay([(n / 10, noisy(n)) for n in range(4)], real_time=True)
    now = [100.0]
    source._pace.clock = lambda: now[0]
    source._pace.sleep = slept.append
    for _ in range(4):
        source.read()
    assert slept == pytest.approx([0.1, 0.2, 0.3])


def test_a_phone_pushes_and_the_newest_counts() -> None:
    phone = Pushed("phone", patience_s=0.1)
    phone.push(noisy(1))
    phone.push(noisy(2))
    assert np.array_equal(phone.read().bgr, noisy(2))
    with pytest.raises(CameraError):
        phone.read()
    phone.end()
    with pytest.raises(EndOfShotsError):
        phone.read()


CAMERAS = (
    WebcamInfo("Integrated Camera", "/dev/by-id/a", 0, 200),
    WebcamInfo("USB Camera", "/dev/by-id/b", 2, 200),
    WebcamInfo("USB Camera", "/dev/by-id/c", 4, 200),
)


@pytest.mark.parametrize(
    ("wanted", "index"),
    [("0", 0), ("2", 4), ("integrated", 0), ("USB Camera@/dev/by-id/c", 4)],
)
def test_a_webcam_is_found_by_name_key_or_number(wanted: str, index: int) -> None:
    assert choose(CAMERAS, wanted).index == index


@pytest.mark.parametrize("wanted", ["USB Camera", "7", "microscope"])
def test_an_unclear_webcam_is_refused_with_the_names_there_are(wanted: str) -> None:
    with pytest.raises(CameraError, match="Integrated Camera"):
        choose(CAMERAS, wanted)


class Driver:
    """A driver that grants only what it says it can."""

    def __init__(self, granted: set[int]) -> None:
        self.granted, self.values = granted, dict[int, float]()

    def get(self, key: int) -> float:
        return self.values.get(key, 0.75)

    def set(self, key: int, value: float) -> bool:
        if key in self.granted:
            self.values[key] = value
        return key in self.granted


def test_a_lock_counts_only_if_it_can_be_read_back() -> None:
    granted = {cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS}
    locks = locked(Driver(granted))  # type: ignore[arg-type]
    assert (locks.exposure, locks.focus, locks.white_balance) == (False, True, False)


def test_what_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match="there is no file"):
        open_source(str(tmp_path / "none.mp4")).open()
    with pytest.raises(CameraError, match="no picture"):
        open_source(str(tmp_path)).open()
    with pytest.raises(CameraError, match="one picture"):
        open_source(str(tmp_path / "photo.jpg"))
