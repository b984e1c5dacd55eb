"""A phone that follows a table: reads a stream of server-sent events from a socket."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field

TELLING = re.compile(rb'^(?:id: (\d+)\n|data: <section class="tiles")', re.MULTILINE)
"""What counts in a stream: numbers of events, drawings of the page."""


@dataclass
class Stream:
    """One open stream; `ids` grows as events come."""

    sock: socket.socket
    ids: list[int] = field(default_factory=list)
    stages: int = 0
    """Drawings of the page that came."""
    received: int = 0
    """Bytes that came."""
    _rest: bytes = b""

    @classmethod
    def open(cls, port: int, path: str, *, last: int | None = None) -> Stream:
        """Ask for a stream, as a browser that comes back does if `last` is given."""
        sock = socket.create_connection(("127.0.0.1", port), timeout=20)
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            "Accept: text/event-stream",
        ]
        if last is not None:
            lines.append(f"Last-Event-ID: {last}")
        sock.sendall("\r\n".join([*lines, "", ""]).encode())
        return cls(sock)

    def take(self, data: bytes) -> Iterator[int]:
        """Take what came; yield the number of every event in it."""
        self.received += len(data)
        text, newline, self._rest = (self._rest + data).rpartition(b"\n")
        for found in TELLING.finditer(text + newline):
            if found[1] is None:
                self.stages += 1
            else:
                self.ids.append(int(found[1]))
                yield self.ids[-1]

    def read_until(self, seq: int) -> list[int]:
        """Return all numbers that came, once `seq` has."""
        while not self.ids or self.ids[-1] < seq:
            data = self.sock.recv(65_536)
            if not data:
                break
            list(self.take(data))
        return self.ids

    def close(self) -> None:
        """Go away without a word, as phones do."""
        self.sock.close()
