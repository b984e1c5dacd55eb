"""Strangers' pictures are opened in a child: what breaks it does not break the page."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from companion import decoding
from companion.decoding import DECODER, Decoder, decode_apart
from tests.companion.conftest import jpeg, token
from tests.companion.tables import FIGHT, picture
from vision.errors import ImageError
from vision.images import decode

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits are Linux's")


@pytest.fixture(scope="module")
def decoder() -> Iterator[Decoder]:
    """A decoder of this file's tests, so that what they kill is theirs."""
    made = Decoder(wall_s=20.0)
    yield made
    made.close()


def files() -> dict[str, bytes]:
    """Return a picture in every format and orientation that is handled apart."""
    small = cv2.resize(picture(FIGHT), (320, 240), interpolation=cv2.INTER_AREA)
    alpha = np.dstack([small, np.full(small.shape[:2], 90, np.uint8)])
    found = {}
    for name, ending, bgr in (
        ("jpeg", ".jpg", small),
        ("png", ".png", small),
        ("webp", ".webp", small),
        ("alpha", ".png", alpha),
        ("grey", ".png", small[:, :, 0]),
    ):
        done, packed = cv2.imencode(ending, bgr)
        assert done
        found[name] = packed.tobytes()
    return found


@pytest.mark.parametrize("name", files())
def test_the_same_picture_comes_back_as_from_here(decoder: Decoder, name: str) -> None:
    data = files()[name]
    here, there = decode(data, source="a"), decoder.decode(data, source="a")
    assert np.array_equal(here.bgr, there.bgr)
    assert (here.id, here.exif) == (there.id, there.exif)


def test_a_turned_and_a_halved_picture_come_back_as_from_here(decoder: Decoder) -> None:
    done, packed = cv2.imencode(".jpg", np.zeros((4200, 6200, 3), np.uint8))
    assert done
    data = packed.tobytes()
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"
    turned = data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif
    frame = decoder.decode(turned + data[2:], source="a")
    assert frame.bgr.shape == (3100, 2100, 3)
    assert frame.exif is not None
    assert frame.exif["scale"] == 0.5


def test_what_is_no_picture_is_told_in_the_same_words(decoder: Decoder) -> None:
    whole = files()["png"]
    damaged = bytearray(whole)
    at = whole.index(b"IDAT") + 40
    damaged[at : at + 30] = bytes(30)
    for bad in (b"", b"no picture", whole[:200], bytes(damaged)):
        with pytest.raises(ImageError) as here:
            decode(bad, source="a")
        with pytest.raises(ImageError) as there:
            decoder.decode(bad, source="a")
        assert (here.value.code, str(here.value)) == (
            there.value.code,
            str(there.value),
        )


@LINUX
def test_the_child_is_bounded_and_keeps_no_file_of_ours_open(decoder: Decoder) -> None:
    decoder.decode(files()["jpeg"], source="a")
    limits = Path(f"/proc/{decoder.pid}/limits").read_text(encoding="ascii")
    rows = {row[:26].strip(): row[26:].split()[0] for row in limits.splitlines()}
    assert rows["Max core file size"] == rows["Max file size"] == "0"
    assert rows["Max open files"] == "16"
    assert int(rows["Max address space"]) < 4_000_000_000
    assert 0 < int(rows["Max cpu time"]) <= decoding.CPU_S + 60
    assert len(list(Path(f"/proc/{decoder.pid}/fd").iterdir())) <= 5


@LINUX
def test_too_much_memory_is_refused_and_the_next_picture_is_opened() -> None:
    """The bound holds though the file says nothing of what it takes."""
    script = (
        "from companion import decoding; decoding.MEMORY_BYTES = 20_000_000;"
        "decoding.serve_pixels()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        cwd=decoding.ROOT,
        env=os.environ | {"PYTHONPATH": str(decoding.ROOT)},
    )
    made = Decoder()
    made._child = child
    assert child.stdout is not None
    assert child.stdout.read(1) == decoding.READY
    done, packed = cv2.imencode(".png", np.zeros((4000, 6000, 3), np.uint8))
    assert done
    with pytest.raises(ImageError):
        made.decode(packed.tobytes(), source="a")
    assert made.decode(files()["jpeg"], source="a").bgr.shape == (240, 320, 3)
    made.close()


def test_a_child_that_takes_too_long_is_ended() -> None:
    made = Decoder(wall_s=0.2)
    data = files()["jpeg"]
    made.decode(data, source="a")
    assert made.pid is not None
    os.kill(made.pid, signal.SIGSTOP)
    began_s = time.monotonic()
    with pytest.raises(ImageError) as caught:
        made.decode(data, source="a")
    assert caught.value.code == "unopened"
    assert time.monotonic() - began_s < 10
    assert made.decode(data, source="a").bgr.shape == (240, 320, 3)
    made.close()


def test_a_child_killed_in_the_middle_of_a_picture_is_told_and_the_page_goes_on(
    client: FlaskClient,
) -> None:
    """The sentence is clear, on the page and in the API; the next photo is read."""
    photo = jpeg(FIGHT)
    for path, form in (
        ("/api/read", {}),
        ("/read", {"game": "regicide", "csrf_token": token(client.get("/").text)}),
    ):
        decode_apart(photo, "warm")
        assert DECODER.pid is not None
        os.kill(DECODER.pid, signal.SIGSTOP)  # it is given the picture, and hangs
        answers = []

        def send(path: str = path, form: dict[str, str] = form) -> None:
            data = form | {"photo": (io.BytesIO(photo), "a.jpg")}
            answers.append(client.post(path, data=data))  # noqa: B023

        sender = threading.Thread(target=send)
        sender.start()
        while sender.is_alive() and not DECODER._lock.locked():
            time.sleep(0.01)
        time.sleep(0.1)
        os.kill(DECODER.pid, signal.SIGKILL)
        sender.join(timeout=20)
        (answer,) = answers
        assert answer.status_code == 422
        assert "could not be opened" in answer.get_data(as_text=True)
    answer = client.post("/api/read", data={"photo": (io.BytesIO(photo), "a.jpg")})
    assert answer.status_code == 200


def test_a_child_that_died_meanwhile_is_replaced_without_a_word(
    decoder: Decoder,
) -> None:
    data = files()["jpeg"]
    decoder.decode(data, source="a")
    before = decoder.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    time.sleep(0.2)
    decoder.decode(data, source="a")
    assert decoder.pid != before
