"""A phone as live camera: its key, its pictures, and who may send none."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import numpy as np
import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from companion.cameras import (
    CLOCK_LEAP_MS,
    CameraRefusedError,
    Shelf,
    UnknownCameraError,
)
from companion.phone_source import PhoneSource
from tests.companion.conftest import Post, jpeg
from vision.errors import CameraError

KEY = b"k" * 32
NOW_MS = 1_800_000_000_000


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path, KEY)


def test_the_newest_picture_waits_for_whoever_watches(
    shelf: Shelf, tmp_path: Path
) -> None:
    key = shelf.admit("table 1")
    assert shelf.newest("table 1") is None
    for count in (1, 2, 3):
        shelf.put(key, jpeg(), count=count, taken_ms=NOW_MS + count)
    newest = Shelf(tmp_path, KEY).newest("table 1")
    assert newest is not None
    assert (newest.count, newest.taken_ms, newest.jpeg) == (3, NOW_MS + 3, jpeg())
    assert shelf.present() == ("table 1",)


def test_an_old_picture_cannot_pass_for_the_present_one(shelf: Shelf) -> None:
    """Replays: the counter grows, the phone's clock runs as fast as ours."""
    key = shelf.admit("phone")
    shelf.put(key, jpeg(), count=5, taken_ms=NOW_MS)
    for count, taken_ms in ((5, NOW_MS + 1), (4, NOW_MS + 1), (6, NOW_MS - 70_000)):
        with pytest.raises(CameraRefusedError):
            shelf.put(key, jpeg(), count=count, taken_ms=taken_ms)
    with pytest.raises(CameraRefusedError):
        shelf.put(key, jpeg(), count=6, taken_ms=NOW_MS + CLOCK_LEAP_MS + 5000)
    shelf.put(key, jpeg(), count=6, taken_ms=NOW_MS + 40)


def test_a_new_camera_of_the_same_name_replaces_the_old_one(shelf: Shelf) -> None:
    old = shelf.admit("phone")
    new = shelf.admit("phone")
    with pytest.raises(UnknownCameraError):
        shelf.put(old, jpeg(), count=1, taken_ms=NOW_MS)
    shelf.put(new, jpeg(), count=1, taken_ms=NOW_MS)


def test_only_keys_of_ours_are_taken(shelf: Shelf, tmp_path: Path) -> None:
    foreign = Shelf(tmp_path / "other", b"x" * 32).admit("phone")
    for key in ("", "nonsense", foreign):
        with pytest.raises(UnknownCameraError):
            shelf.put(key, jpeg(), count=1, taken_ms=NOW_MS)


def test_what_is_no_picture_is_not_shelved(shelf: Shelf) -> None:
    key = shelf.admit("phone")
    for data in (b"", b"GIF89a", b"\xff\xd8\xff" + bytes(3_000_001)):
        with pytest.raises(CameraRefusedError):
            shelf.put(key, data, count=1, taken_ms=NOW_MS)
    assert shelf.newest("phone") is None


@given(st.text(max_size=50).filter(lambda text: not text.isalnum()))
def test_no_name_leaves_the_folder(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    folder = tmp_path_factory.mktemp("shelf")
    inner = Shelf(folder / "cameras", KEY)
    with contextlib.suppress(CameraRefusedError):
        inner.admit(name)
    assert [path.name for path in folder.iterdir()] == ["cameras"]


def test_a_watcher_gets_each_picture_once_and_says_when_none_comes(
    shelf: Shelf,
) -> None:
    key = shelf.admit("phone")
    shelf.put(key, jpeg(), count=1, taken_ms=NOW_MS)
    source = PhoneSource(shelf, "phone", patience_s=0.1)
    source.open()
    assert source.read().bgr.shape[2] == 3
    with pytest.raises(CameraError, match="no picture"):
        source.read()


def test_the_page_takes_pictures_with_key_number_and_time(
    client: FlaskClient, post: Post
) -> None:
    key = post("/camera/key", name="table 1").get_json()["key"]
    headers = {
        "X-Arbitro-Camera": key,
        "X-Arbitro-Count": "1",
        "X-Arbitro-Taken": str(int(time.time() * 1000)),
        "X-CSRFToken": _token(client),
        "Accept": "application/json",
    }
    sent = client.post("/camera/frames", data=jpeg(), headers=headers)
    assert sent.get_json() == {"name": "table 1", "count": 1}
    again = client.post("/camera/frames", data=jpeg(), headers=headers)
    assert (again.status_code, again.get_json()["code"]) == (409, "camera_refused")
    nameless = client.post(
        "/camera/frames", data=jpeg(), headers={**headers, "X-Arbitro-Count": "one"}
    )
    assert nameless.status_code == 409
    stranger = client.post(
        "/camera/frames", data=jpeg(), headers={**headers, "X-Arbitro-Camera": "x"}
    )
    assert (stranger.status_code, stranger.get_json()["code"]) == (
        403,
        "unknown_camera",
    )


def test_pictures_without_the_page_are_refused(client: FlaskClient) -> None:
    assert client.post("/camera/frames", data=jpeg()).status_code in (400, 403)


def test_without_https_the_page_offers_the_other_ways(client: FlaskClient) -> None:
    page = client.get("/camera", base_url="http://127.0.0.1:8000")
    assert "data-camera" in page.text  # a loopback address is a secure context
    client.application.config["TRUSTED_HOSTS"].append("192.168.7.7")
    page = client.get("/camera", base_url="http://192.168.7.7:8000")
    assert "data-camera" not in page.text
    assert "--https" in page.text


def test_a_picture_of_noise_is_still_only_a_picture(shelf: Shelf) -> None:
    """A JPEG whose inside is broken is told to the watcher, not raised as a crash."""
    key = shelf.admit("phone")
    noise = b"\xff\xd8\xff" + np.random.default_rng(0).bytes(4000)
    shelf.put(key, noise, count=1, taken_ms=NOW_MS)
    with pytest.raises(CameraError):
        PhoneSource(shelf, "phone", patience_s=0.1).read()


def _token(client: FlaskClient) -> str:
    from tests.companion.conftest import token  # noqa: PLC0415

    return token(client.get("/").text)
