"""Commands that serve the page."""

from __future__ import annotations

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
@click.option("--verbose", is_flag=True, help="Log more.")
@with_language
def serve(
    host: str,
    port: int,
    names: tuple[str, ...],
    language: str,
    *,
    lan: bool,
    verbose: bool,
) -> None:
    """Serve the page on which phones take pictures."""
    from companion.logs import log_to_terminal  # noqa: PLC0415
    from companion.terminal.serve import Place, serve_page  # noqa: PLC0415

    log_to_terminal(verbose=verbose)
    serve_page(Place(host, port, names, lan=lan), language)
