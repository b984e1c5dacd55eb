"""Commands that serve the page."""

from __future__ import annotations

from pathlib import Path

import click

from companion.commands.options import with_language


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen here.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option(
    "--lan", is_flag=True, help="Let phones in this network in; shows a QR code."
)
@click.option(
    "--name",
    "names",
    multiple=True,
    help="Another host name under which the page may be called.",
)
@click.option(
    "--https",
    is_flag=True,
    help="Serve HTTPS too, so that a phone can be a live camera.",
)
@click.option(
    "--https-port",
    type=click.IntRange(0, 65535),
    default=8443,
    show_default=True,
    help="Where HTTPS is served.",
)
@click.option(
    "--certificate",
    type=(click.Path(path_type=Path), click.Path(path_type=Path)),
    metavar="FILE KEY",
    help="Your own certificate and key (PEM) for HTTPS.",
)
@click.option(
    "--proxied",
    is_flag=True,
    help="A proxy stands in front: nobody counts as the person at this machine.",
)
@click.option("--verbose", is_flag=True, help="Log more.")
@with_language
def serve(
    host: str,
    port: int,
    names: tuple[str, ...],
    https_port: int,
    certificate: tuple[Path, Path] | None,
    language: str,
    *,
    lan: bool,
    https: bool,
    proxied: bool,
    verbose: bool,
) -> None:
    """Serve the page on which phones take pictures."""
    from companion.logs import log_to_terminal  # noqa: PLC0415
    from companion.terminal.serve import Place, serve_page  # noqa: PLC0415

    log_to_terminal(verbose=verbose)
    place = Place(
        host,
        port,
        names,
        lan=lan,
        https_port=https_port if https or certificate else None,
        proxied=proxied,
        certificate=certificate,
    )
    serve_page(place, language)
