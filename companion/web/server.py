"""The servers, with settings that a stranger's phone cannot turn against the table.

waitress speaks plain HTTP; HTTPS, which it lacks, is cheroot's.
"""

from __future__ import annotations

import socket
import ssl
import threading

from cheroot.ssl.builtin import BuiltinSSLAdapter
from cheroot.wsgi import Server
from flask import Flask
from waitress.server import create_server

from companion.certificates import Certificate
from companion.config import Config
from companion.errors import CompanionError
from companion.i18n import N_

THREADS = 16
"""For everything but the streams, which hold a thread each (`Config.most_streams`)."""
SECURE_THREADS = 600
MAX_HEADER_BYTES = 16_384


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
        "threads": THREADS + config.most_streams,
        "asyncore_use_poll": True,  # select() breaks beyond 1024 files
        "connection_limit": 256 + 2 * config.most_streams,
        "backlog": 128,
        "channel_timeout": 60,  # seconds until a silent connection is closed
        "cleanup_interval": 15,
        "channel_request_lookahead": 0,
        "max_request_header_size": MAX_HEADER_BYTES,
        "max_request_body_size": config.max_upload_bytes + 100_000,
        "inbuf_overflow": 1_000_000,  # more of an upload than this waits on disk
        # Kept, though nobody believes them: they tell that a proxy stands in front.
        "clear_untrusted_proxy_headers": False,
        "expose_tracebacks": False,
        "ident": "",  # no Server header
    }


class SecureServer:
    """The same pages over HTTPS, in threads of its own."""

    def __init__(self, host: str, port: int, pair: Certificate) -> None:
        """Listen; raise `CompanionError` if the place is taken."""
        self._server = Server(
            (host, port),
            None,
            numthreads=THREADS,
            max=SECURE_THREADS,
            request_queue_size=128,
            timeout=60,
            server_name="arbitro",
        )
        adapter = BuiltinSSLAdapter(str(pair.certificate), str(pair.key))
        adapter.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._server.ssl_adapter = adapter
        bind(host, port).close()  # says in our words what is wrong with the place
        self._server.prepare()
        self._thread = threading.Thread(target=self._server.serve, daemon=True)

    @property
    def port(self) -> int:
        """Return the port that it listens on."""
        return int(self._server.bind_addr[1])

    def serve(self, app: Flask) -> None:
        """Serve `app` until `stop`."""
        self._server.wsgi_app = app
        self._server.max_request_body_size = app.config["MAX_CONTENT_LENGTH"] + 100_000
        self._server.max_request_header_size = MAX_HEADER_BYTES
        self._thread.start()

    def stop(self) -> None:
        """Close all connections."""
        self._server.stop()
