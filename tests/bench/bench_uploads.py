"""Mutated pictures through the real endpoint: no crash, no server error, no leak (R10).

    python -m tests.bench.bench_uploads [--count 100000] [--seed 1] [--csv FILE] \
        [--lock FILE]

Whole JPEG, PNG and WebP files are damaged in eight ways and sent to `POST /api/read` of
the application (its own views, limits and decoding; eyes that see an empty table, since
the reading of cards is not in question). Pictures are unfolded by the child of
`companion.decoding`, as the page does. Counted: answers by status, answers of 500 and
more, children that a picture ended, growth of memory of both processes. The last figure
is the time in which image bombs are refused. The file is written anew every 5,000
uploads, so a run that is stopped has said what it saw. With `--lock` the process holds
that file only while it sends, for machines on which others measure too.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import fcntl
import io
import resource
import statistics
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from companion.config import Config
from companion.decoding import DECODER
from companion.web import create_app
from tests.companion.tables import FIGHT, observation, picture
from vision.types import Frame, Observation

WAYS = ("flip", "zero", "cut", "insert", "repeat", "swap", "splice", "head")
WARM_UP = 2000
BATCH, WRITE_EVERY = 20_000, 5000
SERVER_ERROR = 500
KB = 1024


def originals() -> list[bytes]:
    """Return small pictures in every format that is taken."""
    small = cv2.resize(picture(FIGHT), (240, 180), interpolation=cv2.INTER_AREA)
    found = []
    for ending, flags in (
        (".jpg", [cv2.IMWRITE_JPEG_QUALITY, 80]),
        (".jpg", [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]),
        (".png", []),
        (".webp", [cv2.IMWRITE_WEBP_QUALITY, 70]),
    ):
        done, packed = cv2.imencode(ending, small, flags)
        assert done
        found.append(packed.tobytes())
    return found


def mutated(whole: list[bytes], rng: np.random.Generator) -> bytes:
    """Return one picture, damaged."""
    data = bytearray(whole[rng.integers(len(whole))])
    for _ in range(rng.integers(1, 5)):
        place, length = int(rng.integers(len(data))), int(rng.integers(1, 40))
        match WAYS[rng.integers(len(WAYS))]:
            case "flip":
                data[place] ^= 1 << int(rng.integers(8))
            case "zero":
                data[place : place + length] = bytes(len(data[place : place + length]))
            case "cut":
                del data[max(place, 1) :]
            case "insert":
                data[place:place] = rng.bytes(length)
            case "repeat":
                data[place:place] = data[place : place + length]
            case "swap":
                data[place : place + length] = data[place : place + length][::-1]
            case "splice":
                other = whole[rng.integers(len(whole))]
                data[place:] = other[int(rng.integers(len(other))) :]
            case "head":
                at = int(rng.integers(min(32, len(data))))
                data[at] = int(rng.integers(256))
    return bytes(data)


def bombs() -> dict[str, bytes]:
    """Return small files that would unfold to gigabytes (finding 5)."""
    found = {}
    for name, side in (("8k", 8192), ("30k", 30_000), ("65k", 65_000)):
        rows = zlib.compressobj(9)
        row = b"\0" * (1 + side * 3)
        packed = b"".join(rows.compress(row) for _ in range(200))
        header = side.to_bytes(4, "big") * 2 + bytes((8, 2, 0, 0, 0))
        found[f"png {name}"] = b"\x89PNG\r\n\x1a\n" + b"".join(
            _chunk(kind, data)
            for kind, data in (
                (b"IHDR", header),
                (b"IDAT", packed + rows.flush()),
                (b"IEND", b""),
            )
        )
    jpeg = bytearray(originals()[0])
    at = jpeg.index(b"\xff\xc0") + 5
    jpeg[at : at + 4] = (65_000).to_bytes(2, "big") * 2
    found["jpeg 65k"] = bytes(jpeg)
    return found


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data).to_bytes(4, "big")
    return len(data).to_bytes(4, "big") + kind + data + check


class Tally:
    """What was answered, and what it cost in memory here and in the child."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.children = {DECODER.pid}
        self.spent_s = 0.0
        self.first_mb = self.most_mb = memory_mb()
        self.first_child_mb = self.most_child_mb = memory_mb(DECODER.pid)

    def look(self) -> None:
        """Note the memory now and which child there is."""
        self.children.add(DECODER.pid)
        self.most_mb = max(self.most_mb, memory_mb())
        if DECODER.pid:
            self.most_child_mb = max(self.most_child_mb, memory_mb(DECODER.pid))

    def rows(self) -> list[tuple[str, float]]:
        """Return the figures."""
        wrong = sum(n for s, n in self.statuses.items() if s >= SERVER_ERROR)
        return [
            ("uploads", self.statuses.total()),
            *((f"answered {status}", n) for status, n in sorted(self.statuses.items())),
            ("server errors", wrong),
            ("children ended by a picture", len(self.children - {None}) - 1),
            ("memory grew by MB", round(self.most_mb - self.first_mb, 1)),
            ("child grew by MB", round(self.most_child_mb - self.first_child_mb, 1)),
            ("seconds", round(self.spent_s)),
        ]


@contextlib.contextmanager
def held(lock: Path | None) -> Iterator[None]:
    """Keep others that measure away, if there is a file to agree on."""
    if lock is None:
        yield
        return
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def written(rows: list[tuple[str, float]], csv_file: Path | None) -> None:
    """Write the figures as far as they are known."""
    if csv_file:
        csv_file.parent.mkdir(parents=True, exist_ok=True)
        with csv_file.open("w", newline="") as file:
            csv.writer(file).writerows([("figure", "value"), *rows])


def memory_mb(pid: int | None = None) -> float:
    """Return how much memory a process has taken now, this one unless told."""
    for row in Path(f"/proc/{pid or 'self'}/status").read_text().splitlines():
        if row.startswith("VmRSS"):
            return int(row.split()[1]) / KB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KB


def main() -> None:
    """Send, count, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--lock", type=Path)
    asked = parser.parse_args()
    empty = observation(())

    def see(frame: Frame) -> Observation:
        height_px, width_px = frame.bgr.shape[:2]
        return replace(empty, width_px=width_px, height_px=height_px)

    with tempfile.TemporaryDirectory() as place:
        config = Config(
            folder=Path(place), load_pipeline=lambda decks: see, reads_per_minute=10**9
        )
        app = create_app(config)
        app.config["RATELIMIT_ENABLED"] = False
        client = app.test_client()

        def send(data: bytes) -> int:
            answer = client.post("/api/read", data={"photo": (io.BytesIO(data), "a")})
            answer.close()
            return answer.status_code

        rng, whole = np.random.default_rng(asked.seed), originals()
        assert all(send(one) == 200 for one in whole)
        with held(asked.lock):
            for _ in range(min(WARM_UP, asked.count)):
                send(mutated(whole, rng))
        tally = Tally()
        for begin in range(0, asked.count, BATCH):
            with held(asked.lock):
                began_s = time.monotonic()
                for number in range(begin, min(begin + BATCH, asked.count)):
                    tally.statuses[send(mutated(whole, rng))] += 1
                    if number % 100 == 0:
                        tally.look()
                    if number % WRITE_EVERY == 0:
                        written(tally.rows(), asked.csv)
                tally.spent_s += time.monotonic() - began_s
        with held(asked.lock):
            rows = tally.rows() + [
                (f"bomb {name} refused in ms", _refused_ms(send, data))
                for name, data in bombs().items()
            ]
    for name, value in rows:
        print(f"{name:32} {value}")
    written(rows, asked.csv)


def _refused_ms(send: object, data: bytes) -> float:
    assert callable(send)
    times = []
    for _ in range(5):
        began_s = time.perf_counter()
        status = send(data)
        times.append((time.perf_counter() - began_s) * 1000)
        assert 400 <= status < SERVER_ERROR, status
    return round(statistics.median(times), 1)


if __name__ == "__main__":
    main()
