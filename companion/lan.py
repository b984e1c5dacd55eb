"""How a phone in the same network finds the page."""

from __future__ import annotations

import contextlib
import io
import ipaddress
import socket

import segno

PROBES = ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254")
"""Addresses to look for a route to; nothing is sent to them."""


def lan_addresses() -> tuple[str, ...]:
    """Return this machine's IPv4 addresses in its networks, the likeliest first."""
    found: dict[str, None] = {}
    for probe in PROBES:
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock,
        ):
            sock.connect((probe, 9))
            found[sock.getsockname()[0]] = None
    with contextlib.suppress(OSError):
        for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
            found[str(info[4][0])] = None
    return tuple(a for a in found if not ipaddress.ip_address(a).is_loopback)


def host_names() -> tuple[str, ...]:
    """Return the names of this machine: as it calls itself, and with `.local`."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return tuple(dict.fromkeys((name, short, f"{short}.local")))


def qr_lines(url: str) -> str:
    """Return a QR code for a terminal, dark on light whatever its colours."""
    drawn = io.StringIO()
    segno.make(url, error="m", micro=False).terminal(drawn, border=2, compact=True)
    return drawn.getvalue()
