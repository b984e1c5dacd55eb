"""Cameras in the network, RTSP or MJPEG, and which addresses may be asked at all.

An address is typed by a person and fetched by this machine, so it could be used to make
this machine ask others (SSRF, ecosystem C2). Only listed hosts are asked, the name is
resolved once, and the connection goes to the address that was checked.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import SplitResult, urlsplit

import cv2
import numpy as np

from vision.capture.source import Shot
from vision.errors import CameraError

Resolve: TypeAlias = Callable[[str], Sequence[str]]
Address: TypeAlias = "ipaddress.IPv4Address | ipaddress.IPv6Address"

PORTS = {"rtsp": 554, "http": 80}
"""https would need the name for its certificate and the address for the connection,
which FFmpeg cannot be told apart; cameras in a hall do not speak it."""
OPEN_MS, READ_MS = 5000, 3000
"""A dead RTSP stream otherwise blocks for 30 to 90 s (opencv-python 788)."""
LONGEST_URL = 2000
FFMPEG = {"rtsp": "rtsp_transport;tcp", "http": "follow_redirects;0"}
PROTOCOLS = {"rtsp": "rtsp,rtp,udp,tcp", "http": "http,tcp"}
"""A playlist or redirect may name nothing else; never `file`."""


class AddressError(CameraError):
    """An address that is not asked, and why; `code` names the reason.

    Codes: ``scheme``, ``form``, ``host`` (not on the list), ``unknown`` (does not
    resolve), ``address`` (loopback, multicast and the like), ``port``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """Which hosts may be asked: names, addresses, networks such as 192.168.1.0/24."""

    entries: tuple[str, ...]

    def __contains__(self, host: str) -> bool:
        return host.casefold().rstrip(".") in {e.casefold() for e in self.entries}

    def holds(self, address: Address) -> bool:
        """Return whether the address itself, or its network, is listed."""
        for entry in self.entries:
            try:
                network = ipaddress.ip_network(entry, strict=False)
            except ValueError:
                continue
            if address in network:
                return True
        return False


@dataclass(frozen=True, slots=True)
class CheckedUrl:
    """An address that may be asked, as it will be asked."""

    url: str
    """With the checked numeric address in place of the name."""
    shown: str
    """Without user and password."""
    scheme: str


def system_resolve(host: str) -> Sequence[str]:
    """Return the addresses of a host as the system knows them."""
    return [str(info[4][0]) for info in socket.getaddrinfo(host, None)]


def check_url(
    url: str,
    allowed: Iterable[str],
    *,
    own_ports: frozenset[int] = frozenset(),
    resolve: Resolve = system_resolve,
) -> CheckedUrl:
    """Return the address to connect to; raise `AddressError`.

    Every address that the name resolves to must be fit, so that no second look-up can
    lead elsewhere. Loopback, link-local, multicast and the like are never asked; others
    only where the list holds them.
    """
    parts, port = _split(url)
    hosts = AllowedHosts(tuple(allowed))
    host = parts.hostname or ""
    addresses = _addresses(host, hosts, resolve)
    for address in addresses:
        _refuse_unfit(address, hosts, is_named=host in hosts)
    if port in own_ports:
        raise AddressError("port", "this port is Arbitro's own")
    address = addresses[0]
    numeric = f"[{address}]" if address.version == 6 else str(address)
    user = parts.netloc.rpartition("@")[0]
    place = f"{user}@{numeric}:{port}" if user else f"{numeric}:{port}"
    asked = parts._replace(netloc=place, fragment="").geturl()
    return CheckedUrl(asked, f"{parts.scheme}://{host}:{port}", parts.scheme)


def _split(url: str) -> tuple[SplitResult, int]:
    if len(url) > LONGEST_URL or any(c.isspace() or not c.isprintable() for c in url):
        raise AddressError("form", "the address holds blanks or is too long")
    if "|" in url or "\\" in url or ";" in url.partition("?")[0]:
        raise AddressError("form", "the address holds signs that no camera needs")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressError("form", f"not an address: {error}") from error
    if parts.scheme not in PORTS:
        raise AddressError("scheme", "only rtsp:// and http:// addresses are asked")
    if not parts.hostname or "%" in parts.netloc.rpartition("@")[2]:
        raise AddressError("form", "the address names no host")
    return parts, PORTS[parts.scheme] if port is None else port


def _addresses(host: str, hosts: AllowedHosts, resolve: Resolve) -> list[Address]:
    literal = _literal(host)
    if literal is not None:
        return [literal]
    # A name that is only digits, dots or hex is an address in disguise (127.1, 0x7f.1).
    if host not in hosts or _looks_numeric(host):
        raise AddressError("host", f"{host} is not on the list of cameras")
    try:
        found = [_literal(text.partition("%")[0]) for text in resolve(host)]
    except OSError as error:
        raise AddressError("unknown", f"{host} cannot be found: {error}") from error
    addresses = [address for address in found if address is not None]
    if not addresses:
        raise AddressError("unknown", f"{host} has no address")
    return addresses


def _literal(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped if mapped is not None else address


def _looks_numeric(host: str) -> bool:
    last = host.rstrip(".").rpartition(".")[2].casefold()
    return last.isdecimal() or last.startswith("0x")


def _refuse_unfit(address: Address, hosts: AllowedHosts, *, is_named: bool) -> None:
    if (
        address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or address.is_reserved
        or _is_wrapped(address)
    ):
        raise AddressError("address", f"{address} is no camera")
    is_listed = hosts.holds(address)
    if not (is_listed or is_named):
        raise AddressError("host", f"{address} is not on the list of cameras")


def _is_wrapped(address: Address) -> bool:
    """Return whether an IPv6 address carries another inside (6to4, Teredo, NAT64)."""
    if address.version == 4:
        return False
    prefixes = ("2002::/16", "2001::/32", "64:ff9b::/96", "::/96")
    return any(address in ipaddress.ip_network(prefix) for prefix in prefixes)


class Stream:
    """A camera of the network; its address is checked again at every opening."""

    is_live = True
    frozen_after_s: float | None = 1.8
    """Below the two seconds in which people must be told (U8); a key frame a second is
    what cameras send unless somebody set them otherwise."""

    def __init__(
        self,
        url: str,
        allowed: Iterable[str],
        *,
        own_ports: frozenset[int] = frozenset(),
        resolve: Resolve = system_resolve,
    ) -> None:
        """Raises `AddressError` at once for an address that is never asked."""
        self._url, self._allowed = url, tuple(allowed)
        self._own_ports, self._resolve = own_ports, resolve
        self.name = check_url(
            url, self._allowed, own_ports=own_ports, resolve=resolve
        ).shown
        self._capture: cv2.VideoCapture | None = None

    def open(self) -> None:
        """Connect within `OPEN_MS`; raise `CameraError`."""
        checked = check_url(
            self._url, self._allowed, own_ports=self._own_ports, resolve=self._resolve
        )
        # FFmpeg reads its options from here; opening happens in one thread only.
        os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = (
            f"{FFMPEG[checked.scheme]}|protocol_whitelist;{PROTOCOLS[checked.scheme]}"
        )
        capture = cv2.VideoCapture(
            checked.url,
            cv2.CAP_FFMPEG,
            [
                cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
                OPEN_MS,
                cv2.CAP_PROP_READ_TIMEOUT_MSEC,
                READ_MS,
            ],
        )
        if not capture.isOpened():
            raise CameraError(f"{self.name} does not answer")
        self._capture = capture

    def read(self) -> Shot:
        """Return the next picture; raise `CameraError` after `READ_MS` without one."""
        assert self._capture is not None
        ok, bgr = self._capture.read()
        if not ok or bgr is None:
            raise CameraError(f"{self.name} has stopped sending pictures")
        return Shot(np.asarray(bgr, np.uint8), time.monotonic())

    def close(self) -> None:
        """Hang up."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None
