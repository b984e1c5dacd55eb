"""`arbitro serve`: the page, by waitress."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

import click

from companion.config import LOOPBACK_HOSTS, Config
from companion.i18n import N_, say
from companion.lan import host_names, lan_addresses, qr_lines

EVERYWHERE = ("0.0.0.0", "::")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the page is served."""

    host: str
    port: int
    names: tuple[str, ...] = ()
    lan: bool = False

    @property
    def address(self) -> str:
        """Return the address to listen on."""
        return EVERYWHERE[0] if self.lan else self.host


def serve_page(place: Place, language: str) -> None:
    """Serve until interrupted."""
    from companion.web import create_app  # noqa: PLC0415 - imports Flask
    from companion.web.server import bind, run  # noqa: PLC0415 - imports waitress

    outside = lan_addresses() if is_open(place) else ()
    sock = bind(place.address, place.port)
    try:
        port: int = sock.getsockname()[1]
        config = Config(trusted_hosts=trusted(place, outside), language=language)
        app = create_app(config)
        announce(place, port, outside, language)
        run(app, sock, config)
    except KeyboardInterrupt:
        click.echo()
    finally:
        sock.close()


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
        for other in outside[1:]:
            click.echo(say(language, N_("or %(url)s"), url=f"http://{other}:{port}/"))
    else:
        click.echo(say(language, N_("This machine seems to be in no network.")))
    click.echo(say(language, N_("Stop with Ctrl-C.")))
