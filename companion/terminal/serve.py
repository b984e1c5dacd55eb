"""`arbitro serve`: the page, by waitress, and over HTTPS for the cameras of phones."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.config import LOOPBACK_HOSTS, Config
from companion.decoding import DECODER
from companion.i18n import N_, say
from companion.lan import host_names, lan_addresses, qr_lines
from companion.tables.rights import Role

if TYPE_CHECKING:
    from flask import Flask

    from companion.web.server import SecureServer

EVERYWHERE = ("0.0.0.0", "::")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the page is served."""

    host: str
    port: int
    names: tuple[str, ...] = ()
    lan: bool = False
    https_port: int | None = None
    """Serve HTTPS there too: phones show their camera to no other page."""
    proxied: bool = False
    """A proxy stands in front: all requests seem to come from this machine."""
    certificate: tuple[Path, Path] | None = None
    """A certificate and its key (PEM) of one's own, instead of ours."""

    @property
    def address(self) -> str:
        """Return the address to listen on."""
        return EVERYWHERE[0] if self.lan else self.host


def serve_page(place: Place, language: str) -> None:
    """Serve until interrupted."""
    from companion.web import create_app  # noqa: PLC0415 - imports Flask
    from companion.web.server import bind, run  # noqa: PLC0415 - imports waitress

    outside = lan_addresses() if is_open(place) else ()
    names = trusted(place, outside)
    config = Config(
        trusted_hosts=names,
        language=language,
        https_port=place.https_port or 0,
        trusts_loopback=not place.proxied,
    )
    secure, app = _secure(place, names, config), None
    sock = bind(place.address, place.port)
    try:
        port: int = sock.getsockname()[1]
        app = create_app(config)
        if secure is not None:
            secure.serve(app)
        resume_tables(app)
        DECODER.warm_soon()
        announce(place, port, outside, language)
        if is_open(place) or place.proxied:
            announce_key(app, outside, port, language)
        click.echo(say(language, N_("Stop with Ctrl-C.")))
        run(app, sock, config)
    except KeyboardInterrupt:
        click.echo()
    finally:
        close_tables(app)
        sock.close()
        DECODER.close()
        if secure is not None:
            secure.stop()


def resume_tables(app: Flask) -> None:
    """Go on watching the tables that a camera watched when this ended the last time."""
    from companion.tables.hall import has_hall  # noqa: PLC0415 - imports SQLAlchemy
    from companion.web.live_watch import watches  # noqa: PLC0415 - imports Flask

    with app.app_context():
        if has_hall(app.extensions["arbitro"].config.folder):
            watches().resume()


def close_tables(app: Flask | None) -> None:
    """Let go who follows tables, and end the eyes; they are resumed the next time."""
    found = {} if app is None else app.extensions
    if "arbitro.hall" in found:
        found["arbitro.hall"].feeds.close()
    if "arbitro.watches" in found:
        found["arbitro.watches"].close()


def _secure(place: Place, names: Sequence[str], config: Config) -> SecureServer | None:
    """Return the HTTPS side of the page, listening, or `None` where it is off."""
    if place.https_port is None:
        return None
    from companion.certificates import (  # noqa: PLC0415 - imports cryptography
        given_certificate,
        may_certify,
        own_certificate,
    )
    from companion.web.server import SecureServer  # noqa: PLC0415 - imports waitress

    if place.certificate is not None:
        pair = given_certificate(*place.certificate)
    else:
        ours = [name for name in names if may_certify(name)]
        pair = own_certificate(config.certificates, ours)
    return SecureServer(place.address, place.https_port, pair)


def is_open(place: Place) -> bool:
    """Return whether other machines can reach the page."""
    try:
        return not ipaddress.ip_address(place.address).is_loopback
    except ValueError:
        return place.address != "localhost"


def trusted(place: Place, outside: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names under which the page answers."""
    names = [*LOOPBACK_HOSTS, *place.names]
    if is_open(place):
        names += [*outside, *host_names()]
    if place.address not in EVERYWHERE:
        names.append(f"[{place.address}]" if ":" in place.address else place.address)
    return tuple(dict.fromkeys(names))


def announce(place: Place, port: int, outside: tuple[str, ...], language: str) -> None:
    """Print the addresses, and a QR code where a phone can come in."""
    host = "127.0.0.1" if place.address in EVERYWHERE else place.address
    local = f"[{host}]" if ":" in host else host
    click.echo(
        say(language, N_("Open %(url)s in a browser."), url=f"http://{local}:{port}/")
    )
    if not is_open(place):
        click.echo(
            say(
                language,
                N_("Only this machine can. For phones: arbitro serve --lan"),
            )
        )
    elif outside:
        url = f"http://{outside[0]}:{port}/"
        click.echo(
            say(language, N_("On a phone in the same network: %(url)s"), url=url)
        )
        click.echo(qr_lines(url))
        if place.https_port is not None:
            secure = f"https://{outside[0]}:{place.https_port}/camera"
            click.echo(
                say(
                    language,
                    N_("The phone as camera: %(url)s (first see %(trust)s)"),
                    url=secure,
                    trust=f"{url}trust",
                )
            )
        for other in outside[1:]:
            click.echo(say(language, N_("or %(url)s"), url=f"http://{other}:{port}/"))
    else:
        click.echo(say(language, N_("This machine seems to be in no network.")))


def announce_key(
    app: Flask, outside: tuple[str, ...], port: int, language: str
) -> None:
    """Print the address that makes another device the keeper's, once."""
    from companion.web.live_guard import hall  # noqa: PLC0415 - imports Flask

    with app.app_context():
        key = hall().seats.house_key(Role.KEEPER)
    host = outside[0] if outside else "127.0.0.1"
    url = f"http://{host}:{port}/welcome#{key}"
    click.echo(
        say(
            language,
            N_("To set things up from another device, once: %(url)s"),
            url=url,
        )
    )
