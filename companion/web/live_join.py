"""The address that a phone opens to join, and its QR code."""

from __future__ import annotations

import io
import ipaddress

import segno
from flask import request, url_for

from companion.lan import lan_addresses


def join_url(code: str) -> str:
    """Return the address for the QR code: numeric, because phones find that always.

    A page that was opened under a name is joined under the address of this machine in
    its network, if the page answers there (ecosystem.md A2: `.local` names are extra).
    """
    return own_url(url_for("hall.join", code=code))


def own_url(path: str) -> str:
    """Return the address of a path of ours as a phone in this network finds it."""
    host, _, port = request.host.partition(":")
    is_here = request.host.startswith("[::1]") or host.startswith("127.")
    if not is_here and (_is_numeric(host) or "]" in request.host):
        return f"{request.host_url.rstrip('/')}{path}"
    trusted = set(_trusted())
    numeric = next((a for a in lan_addresses() if a in trusted), None)
    if numeric is None:
        return f"{request.host_url.rstrip('/')}{path}"
    end = f":{port}" if port else ""
    return f"{request.scheme}://{numeric}{end}{path}"


def qr_svg(url: str) -> str:
    """Return a QR code as SVG without any style of its own."""
    drawn = io.BytesIO()
    segno.make(url, error="m", micro=False).save(
        drawn,
        kind="svg",
        scale=8,
        border=2,
        xmldecl=False,
        svgclass=None,
        omitsize=True,
    )
    return drawn.getvalue().decode()


def _is_numeric(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _trusted() -> list[str]:
    from companion.web.parts import parts  # noqa: PLC0415 - only here

    return list(parts().config.trusted_hosts)
