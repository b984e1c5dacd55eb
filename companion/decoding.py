"""Strangers' pictures are decoded in a process of their own.

Decoders of pictures are where hostile files break programs. Here they run in a child
that knows no key and no database, with bounds on memory, processor time and files. It
lives on between pictures; if one kills it, who sent that picture is told so, the page
goes on, and the next picture finds a new child. What comes back is pixels and nothing
else: size and Exif are read here, by code that only walks over lengths.

    length, picture  ->  child  ->  status, height, width, pixels (or a code and words)
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from companion.errors import NotHereError
from companion.i18n import N_

if TYPE_CHECKING:
    from vision.types import Bgr, Frame

logger = logging.getLogger(__name__)

CPU_S, WALL_S, START_S = 10, 40.0, 60.0
"""For one picture; the wall clock counts where the machine does other things too."""
MEMORY_BYTES = 700_000_000
"""On top of what the child has when it is ready (`vision.images.MAX_DECODE_BYTES`)."""
PIPE_BYTES = 1 << 20
READY, PIXELS, REFUSED = b"R", b"P", b"E"
LENGTH = struct.Struct(">Q")
SIZE = struct.Struct(">II")
ROOT = Path(__file__).resolve().parents[1]


class Decoder:
    """A child that decodes, started when it is first needed; safe between threads."""

    def __init__(self, *, wall_s: float = WALL_S) -> None:
        self._wall_s = wall_s
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def decode(self, data: bytes, *, source: str) -> Frame:
        """Return the picture in the bytes of a file, upright; see `images.decode`.

        Raises `ImageError`, also (``unopened``) if the child died of it, and
        `NotHereError` if there can be no child.
        """
        from vision.images import decode  # noqa: PLC0415 - imports OpenCV

        return decode(data, source=source, pixels=self.pixels)

    def pixels(self, data: bytes) -> Bgr:
        """Return (H, W, 3) as stored in a file that looks well; raise as `decode`."""
        from vision.errors import ImageError  # noqa: PLC0415 - with the others

        with self._lock:
            child = self._ready()
            try:
                with _deadline(child, self._wall_s):
                    return _asked(child, data)
            except (OSError, EOFError) as error:
                code = self._end()
                logger.warning("a picture ended the child that decodes: %s", code)
                raise ImageError("unopened", "the picture broke its decoder") from error

    def warm_soon(self) -> None:
        """Start the child meanwhile, so that the first picture need not wait for it."""
        threading.Thread(target=self._warm, daemon=True).start()

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    @property
    def pid(self) -> int | None:
        """Return the child's number, `None` while there is none."""
        return None if self._child is None else self._child.pid

    def _warm(self) -> None:
        with self._lock, contextlib.suppress(NotHereError):
            self._ready()  # if not, the first picture says so

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is None:
            return self._child
        self._end()
        child = self._child = _started()
        try:
            with _deadline(child, START_S):
                _take(_out(child), len(READY))
        except (OSError, EOFError) as error:
            code = self._end()
            raise NotHereError(
                N_("The part that opens pictures does not start (%(code)s)."),
                code=str(code),
            ) from error
        return child

    def _end(self) -> int | None:
        child, self._child = self._child, None
        if child is None:
            return None
        child.kill()
        for pipe in (child.stdin, child.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        return child.wait()


DECODER = Decoder()
"""That of this process; its child ends with it."""
atexit.register(DECODER.close)


def decode_apart(data: bytes, source: str) -> Frame:
    """Return a stranger's picture, upright; raise `ImageError`."""
    return DECODER.decode(data, source=source)


def _started() -> subprocess.Popen[bytes]:
    place = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    child = subprocess.Popen(
        [sys.executable, "-m", "companion.decoding"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        env=os.environ | {"PYTHONPATH": place.rstrip(os.pathsep)},
    )
    if sys.platform == "linux":
        import fcntl  # noqa: PLC0415 - not on Windows

        for pipe in (child.stdin, child.stdout):
            with contextlib.suppress(OSError):  # beyond what this user may have
                fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)  # type: ignore[union-attr]
    return child


@contextlib.contextmanager
def _deadline(child: subprocess.Popen[bytes], seconds: float) -> Iterator[None]:
    """Kill the child if it takes longer; reading from it then ends."""
    timer = threading.Timer(seconds, child.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _asked(child: subprocess.Popen[bytes], data: bytes) -> Bgr:
    import numpy as np  # noqa: PLC0415 - only with pictures

    from vision.errors import ImageError  # noqa: PLC0415 - as above
    from vision.images import FULL_SIZE_PIXELS  # noqa: PLC0415 - as above

    assert child.stdin is not None
    _give(child.stdin, LENGTH.pack(len(data)) + data)
    out = _out(child)
    status = bytes(_take(out, 1))
    first, second = SIZE.unpack(_take(out, SIZE.size))
    if status == REFUSED and first + second < PIPE_BYTES:
        code = bytes(_take(out, first)).decode()
        raise ImageError(code, bytes(_take(out, second)).decode())
    if status != PIXELS or not 0 < first * second <= FULL_SIZE_PIXELS + first + second:
        raise EOFError  # not a child that means well
    packed = np.frombuffer(_take(out, 3 * first * second), np.uint8)
    return packed.reshape(first, second, 3)


def _out(child: subprocess.Popen[bytes]) -> IO[bytes]:
    assert child.stdout is not None
    return child.stdout


def _take(pipe: IO[bytes], count: int) -> bytearray:
    """Return so many bytes of a pipe; raise `EOFError` if it ends before."""
    found = bytearray(count)
    rest = memoryview(found)
    while rest:
        got = pipe.readinto(rest)  # type: ignore[attr-defined]
        if not got:
            raise EOFError
        rest = rest[got:]
    return found


def _give(pipe: IO[bytes], data: bytes | memoryview) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[pipe.write(rest) :]


# The child ---------------------------------------------------------------------------


def serve_pixels() -> None:
    """Decode what comes, until nothing comes any more."""
    # C libraries may print: what they print must not pass for an answer.
    source, answers = os.fdopen(0, "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)
    import cv2  # noqa: PLC0415 - the parent need not have it

    from vision.images import stored_pixels  # noqa: PLC0415 - as above

    cv2.setNumThreads(1)
    stored_pixels(_small_picture())  # what decoding loads is loaded before the bounds
    bound_process()
    _give(answers, READY)
    while True:
        try:
            (length,) = LENGTH.unpack(_take(source, LENGTH.size))
        except EOFError:
            return
        bound_time()
        _answer(answers, bytes(_take(source, length)))


def _answer(answers: IO[bytes], data: bytes) -> None:
    from vision.errors import ImageError  # noqa: PLC0415 - with the others
    from vision.images import stored_pixels  # noqa: PLC0415 - as above

    try:
        bgr = stored_pixels(data)
    except ImageError as error:
        code, words = error.code.encode(), str(error).encode()
        _give(answers, REFUSED + SIZE.pack(len(code), len(words)) + code + words)
        return
    _give(answers, PIXELS + SIZE.pack(*bgr.shape[:2]))
    _give(answers, bgr.data.cast("B"))


def _small_picture() -> bytes:
    import numpy as np  # noqa: PLC0415 - the parent need not have it

    from vision.images import to_jpeg  # noqa: PLC0415 - as above

    return to_jpeg(np.zeros((64, 64, 3), np.uint8))


def bound_process() -> None:
    """Bound memory, files and what a crash leaves behind, where the system can."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),  # it writes no file
        (resource.RLIMIT_NOFILE, 16),
    ):
        resource.setrlimit(kind, (most, most))
    with contextlib.suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def bound_time() -> None:
    """Let the system end this process if the next picture takes too much of it."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on Windows

        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(used.ru_utime + used.ru_stime) + CPU_S
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


if __name__ == "__main__":
    serve_pixels()
