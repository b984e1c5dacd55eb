"""waitress, with settings that a stranger's phone cannot turn against the table."""

from __future__ import annotations

import socket

from flask import Flask
from waitress.server import create_server

from companion.config import Config
from companion.errors import CompanionError
from companion.i18n import N_

THREADS = 8


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise `CompanionError` if the place is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
    except OSError as error:
        sock.close()
        raise CompanionError(
            N_("Cannot listen on %(host)s port %(port)s: %(reason)s"),
            host=host,
            port=port,
            reason=error.strerror or str(error),
        ) from error
    return sock


def run(app: Flask, sock: socket.socket, config: Config) -> None:
    """Serve `app` on a bound socket until interrupted."""
    create_server(app, sockets=[sock], **settings(config)).run()


def settings(config: Config) -> dict[str, object]:
    """Return the arguments for waitress."""
    return {
        "threads": THREADS,
        "asyncore_use_poll": True,  # select() breaks beyond 1024 files
        "connection_limit": 256,
        "backlog": 128,
        "channel_timeout": 60,  # seconds until a silent connection is closed
        "cleanup_interval": 15,
        "channel_request_lookahead": 0,
        "max_request_header_size": 16_384,
        "max_request_body_size": config.max_upload_bytes + 100_000,
        "inbuf_overflow": 1_000_000,  # more of an upload than this waits on disk
        "clear_untrusted_proxy_headers": True,
        "expose_tracebacks": False,
        "ident": "",  # no Server header
    }
