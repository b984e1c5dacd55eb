"""Addresses of cameras: which are asked, and which never (SSRF, R10)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from vision.capture.opening import open_source
from vision.capture.stream import AddressError, check_url

ALLOWED = ("cam.hall", "192.168.7.0/24", "2001:db8:5::/64", "10.0.0.9", "evil.hall")
ADDRESSES = {
    "cam.hall": ["192.168.7.20"],
    "evil.hall": ["192.168.7.21", "127.0.0.1"],
    "other.hall": ["192.168.7.22"],
}


def resolve(host: str) -> Sequence[str]:
    if host not in ADDRESSES:
        raise OSError("unknown")
    return ADDRESSES[host]


def code(url: str) -> str:
    """Return why an address is refused."""
    with pytest.raises(AddressError) as caught:
        check_url(url, ALLOWED, own_ports=frozenset({8000}), resolve=resolve)
    return caught.value.code


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("rtsp://cam.hall/live", "rtsp://192.168.7.20:554/live"),
        ("http://cam.hall:8080/mjpeg?x=1", "http://192.168.7.20:8080/mjpeg?x=1"),
        ("rtsp://u:p@cam.hall/1", "rtsp://u:p@192.168.7.20:554/1"),
        ("rtsp://192.168.7.5", "rtsp://192.168.7.5:554"),
        ("http://[2001:db8:5::7]/v", "http://[2001:db8:5::7]:80/v"),
        ("http://10.0.0.9/v#part", "http://10.0.0.9:80/v"),
        ("rtsp://CAM.hall./live", "rtsp://192.168.7.20:554/live"),
    ],
)
def test_a_listed_camera_is_asked_at_its_checked_address(url: str, asked: str) -> None:
    known = dict(ADDRESSES) | {"cam.hall.": ["192.168.7.20"]}
    assert check_url(url, ALLOWED, resolve=known.__getitem__).url == asked


def test_a_password_is_never_shown() -> None:
    assert (
        "secret"
        not in check_url("rtsp://u:secret@cam.hall/1", ALLOWED, resolve=resolve).shown
    )


REFUSED = {
    "scheme": [
        "file:///etc/passwd",
        "https://cam.hall/",
        "ftp://cam.hall/x",
        "concat:/etc/passwd",
        "rtmp://cam.hall/x",
        "tcp://192.168.7.20:22",
        "gopher://192.168.7.20/",
        "data://text/plain,x",
        "subfile://,start,0,end,9,,:/etc/passwd",
        "FILE://cam.hall/etc/passwd",
        "hls+http://cam.hall/x.m3u8",
        "unix:///run/docker.sock",
        "pipe://0",
        "srtp://cam.hall",
        "//cam.hall/x",
        "javascript://cam.hall/%0aalert(1)",
    ],
    "form": [
        "http://",
        "http:///x",
        "http://cam.hall:99999/",
        "http://cam.hall:port/",
        "http://cam.hall /x",
        "http://cam.hall\t/x",
        "http://cam.hall/x\r\nHost: y",
        "http://cam.hall/\x00",
        "http://[::1",
        "http://cam.hall\\@127.0.0.1/",
        "http://cam.hall/x|file:/etc/passwd",
        "http://cam.hall%2eevil/x",
        "http://[fe80::1%25eth0]/",
        "http://cam.hall;127.0.0.1/",
        "http://" + "a" * 3000,
    ],
    "host": [
        "http://192.168.8.5/",
        "http://10.0.0.8/",
        "http://8.8.8.8/",
        "http://other.hall/",
        "http://cam.hall.evil/",
        "http://evilcam.hall/",
        "http://cam.hall@93.184.216.34/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://017700000001/",
        "http://0x7f.0.0.1/",
        "http://127.1/",
        "http://localhost/",
        "http://metadata.google.internal/",
        "http://[2001:db8:6::1]/",
        "http://[2606:4700::1111]/",
        "http://1.1.1.1.nip.io/",
        "http://ⓛocalhost/",
    ],
    "address": [
        "http://127.0.0.1/",
        "http://127.8.8.8/",
        "http://0.0.0.0/",
        "http://169.254.169.254/latest/meta-data/",
        "http://224.0.0.1/",
        "http://255.255.255.255/",
        "http://240.0.0.1/",
        "http://[::1]/",
        "http://[::]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fe80::1]/",
        "http://[ff02::1]/",
        "http://[2002:7f00:1::]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[::7f00:1]/",
        "http://[2001:0:7f00:1::]/",
        "http://evil.hall/",
    ],
    "port": ["http://192.168.7.20:8000/", "http://cam.hall:8000/x"],
}


@pytest.mark.parametrize(
    ("reason", "url"), [(why, url) for why, urls in REFUSED.items() for url in urls]
)
def test_what_is_no_listed_camera_is_never_asked(reason: str, url: str) -> None:
    found = code(url)
    # A disguise may be refused for its form or its host: never let through.
    assert found == reason or {found, reason} <= {"host", "form", "address"}, found


def test_a_listed_name_that_is_unknown_is_told() -> None:
    with pytest.raises(AddressError) as caught:
        check_url("rtsp://gone.hall/", ("gone.hall",), resolve=resolve)
    assert caught.value.code == "unknown"


def test_a_name_is_resolved_once_for_each_connection() -> None:
    asked: list[str] = []

    def count(host: str) -> Sequence[str]:
        asked.append(host)
        return ["192.168.7.20"]

    checked = check_url("rtsp://cam.hall/", ALLOWED, resolve=count)
    assert asked == ["cam.hall"]
    assert "cam.hall" not in checked.url, "no second look-up can lead elsewhere"


def test_without_a_list_no_address_is_asked() -> None:
    with pytest.raises(AddressError):
        open_source("rtsp://192.168.7.20/live")
