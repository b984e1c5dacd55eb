"""Where the page listens, who may call it, and how a phone finds it."""

from __future__ import annotations

import io
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest
import segno
from waitress.adjustments import Adjustments
from waitress.server import create_server

import companion
from companion import decoding
from companion.config import Config
from companion.errors import BusyError, CompanionError
from companion.lan import host_names, lan_addresses, qr_lines
from companion.sight import WAITING, Sight
from companion.terminal.serve import Place, announce, is_open, trusted
from companion.web import create_app
from companion.web.server import bind, settings
from tests.companion.conftest import Eyes, jpeg
from tests.companion.tables import FIGHT, observation
from vision.images import read_image
from vision.types import Bgr, Frame, Observation

DEMO = Path(companion.__file__).parent / "demo"
HOME = Place("127.0.0.1", 8000)
LAN = Place("127.0.0.1", 8000, names=("table.example",), lan=True)


def test_by_default_only_this_machine_is_let_in() -> None:
    assert not is_open(HOME)
    assert not is_open(Place("localhost", 1))
    assert trusted(HOME, ()) == ("localhost", "127.0.0.1", "[::1]")


def test_on_the_lan_our_own_names_are_known_and_no_others() -> None:
    assert is_open(LAN)
    names = trusted(LAN, ("192.168.7.7",))
    assert {"192.168.7.7", "table.example", "127.0.0.1", *host_names()} <= set(names)
    assert "0.0.0.0" not in names
    assert "*" not in names


def test_one_address_is_trusted_by_itself() -> None:
    assert "192.168.7.7" in trusted(Place("192.168.7.7", 80), ())


def test_addresses_of_the_network_are_numeric_and_not_loopback() -> None:
    for address in lan_addresses():
        assert not address.startswith("127.")
        socket.inet_aton(address)


def test_the_terminal_shows_address_and_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    announce(LAN, 8123, ("192.168.7.7", "10.0.0.2"), "en")
    told = capsys.readouterr().out
    assert "http://192.168.7.7:8123/" in told
    assert "http://10.0.0.2:8123/" in told
    assert qr_lines("http://192.168.7.7:8123/") in told
    announce(HOME, 8000, (), "it")
    assert "arbitro serve --lan" in capsys.readouterr().out


def test_a_phone_can_read_the_code() -> None:
    url = "http://192.168.7.7:8123/"
    png = io.BytesIO()
    segno.make(url, error="m", micro=False).save(png, kind="png", scale=8, border=4)
    packed = np.frombuffer(png.getvalue(), np.uint8)
    gray = cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE)
    assert gray is not None
    text, _, _ = cv2.QRCodeDetector().detectAndDecode(gray)
    assert text == url


def test_a_taken_port_is_told_in_one_sentence() -> None:
    sock = bind("127.0.0.1", 0)
    sock.listen()
    try:
        with pytest.raises(CompanionError, match="Cannot listen"):
            bind("127.0.0.1", sock.getsockname()[1])
    finally:
        sock.close()


def test_the_server_answers_and_does_not_name_itself(
    tmp_path: Path, eyes: Eyes
) -> None:
    config = Config(folder=tmp_path, load_pipeline=lambda decks: eyes, most_streams=4)
    sock = bind("127.0.0.1", 0)
    server = create_server(create_app(config), sockets=[sock], **settings(config))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/"
        with urllib.request.urlopen(url, timeout=10) as answer:
            assert answer.status == 200
            assert "waitress" not in str(answer.headers).lower()
            assert "werkzeug" not in str(answer.headers).lower()
    finally:
        server.close()
        thread.join(timeout=5)


def test_the_server_is_set_for_many_open_streams() -> None:
    """A5: waitress as it comes freezes at four, and select() breaks beyond 1,024."""
    config = Config(most_streams=500)
    set_to = settings(config)
    assert set_to["asyncore_use_poll"] is True
    assert int(str(set_to["threads"])) > config.most_streams
    assert int(str(set_to["connection_limit"])) > config.most_streams
    Adjustments(**{k: v for k, v in set_to.items() if k != "sockets"})
    readme = (Path(companion.__file__).parent / "README.md").read_text("utf-8")
    assert "gunicorn -k gthread" in readme


def test_opencv_is_bounded_before_it_is_there() -> None:
    """Finding 5: the bound on pixels is read once, when OpenCV is first imported."""
    script = """
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "cv2":
            print(os.environ.get("OPENCV_IO_MAX_IMAGE_PIXELS"))
            sys.meta_path.remove(self)
sys.meta_path.insert(0, Watch())
import companion.web, companion.decoding, companion.sight
from companion.sight import at_most
import vision.images
"""
    answer = subprocess.run(
        [sys.executable, "-c", script],
        cwd=decoding.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(answer.stdout.split()[0]) <= 110_000_000


def test_pictures_are_read_one_at_a_time_and_few_may_wait() -> None:
    gate = threading.Event()
    inside: list[int] = []
    most: list[int] = []
    refused: list[int] = []

    def see(_: Frame) -> Observation:
        inside.append(1)
        most.append(len(inside))
        gate.wait(60)
        inside.pop()
        return observation(FIGHT)

    sight = Sight(lambda decks: see, at_once=1)

    def send() -> None:
        try:
            sight.upload(data, "x.jpg", decks=1, width_px=800)
        except BusyError:
            refused.append(1)

    data = jpeg()
    threads: list[threading.Thread] = []
    # Nobody leaves before the gate opens, so one of the next ones must be refused.
    while not refused and len(threads) < 100:
        threads.append(threading.Thread(target=send))
        threads[-1].start()
        threads[-1].join(timeout=0.05)
    gate.set()
    for thread in threads:
        thread.join(timeout=60)
    assert refused
    assert len(threads) > WAITING
    assert max(most) == 1


def test_a_pipeline_is_loaded_once_for_each_number_of_decks(eyes: Eyes) -> None:
    loaded = []

    def load(decks: int) -> Eyes:
        loaded.append(decks)
        return eyes

    sight = Sight(load)
    for decks in (1, 2, 1, 2):
        sight.pipeline(decks)
    assert loaded == [1, 2]


def test_the_picture_that_is_kept_is_not_larger_than_asked(eyes: Eyes) -> None:
    seen, packed = Sight(lambda decks: eyes).upload(
        jpeg(), "x.jpg", decks=1, width_px=400
    )
    shown = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None
    assert shown.shape[:2] == (300, 400)
    assert (seen.width_px, seen.height_px) == (1280, 960)


def packed(bgr: Bgr) -> bytes:
    """Return the picture as the bytes of a JPEG."""
    return cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()


def test_a_mirrored_upload_is_read_and_shown_swapped_back() -> None:
    """Some front cameras swap left and right: what is shown is what was read."""
    table = read_image(DEMO / "regicide-two-players.jpg").bgr
    sight = Sight()
    straight, _ = sight.upload(packed(table), "x.jpg", decks=1, width_px=800)
    swapped, shown = sight.upload(
        packed(np.asarray(table[:, ::-1], np.uint8)), "x.jpg", decks=1, width_px=800
    )
    names = [
        {p.identity.label: p.quad_px[0] for p in seen.placements if p.identity.label}
        for seen in (straight, swapped)
    ]
    assert names[0].keys() == names[1].keys()
    for label, corner in names[0].items():
        assert np.hypot(*np.subtract(corner, names[1][label])) < 20
    assert "swapped_back" in {finding.code for finding in swapped.findings}
    picture = cv2.imdecode(np.frombuffer(shown, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    small = cv2.resize(table, picture.shape[1::-1], interpolation=cv2.INTER_AREA)
    assert float(np.abs(picture.astype(int) - small).mean()) < 8
