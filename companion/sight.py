"""The door between people's pictures and `vision`: loaded once, used within bounds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from companion.decoding import decode_apart
from companion.errors import BusyError, NotHereError
from companion.i18n import N_
from companion.referee import See
from vision.errors import ModelError

if TYPE_CHECKING:
    from vision.gallery import Gallery
    from vision.types import Bgr, Frame, Observation

LoadPipeline: TypeAlias = Callable[[int], See]
"""Number of decks on the table -> pipeline."""

QUEUE_S = 20.0
"""So long a picture waits for those before it."""
LARGE_PX, LEAST_SHARE = 12_000_000, 100
"""From so many pixels on, a file must hold one byte for so many of them."""
WAITING = 4
"""So many pictures may wait: each is held in memory meanwhile."""


def load_pipeline(decks: int, galleries: Sequence[Gallery] = ()) -> See:
    """Return the pipeline of vision with its default model; `NotHereError`.

    With `galleries` cards are named from these instead of as standard cards.
    """
    from vision.pipeline import load_pipeline  # noqa: PLC0415 - slow to import

    try:
        if galleries:
            from vision.gallery_pipeline import (  # noqa: PLC0415 - as above
                load_gallery_pipeline,
            )

            return load_gallery_pipeline(galleries)
        return load_pipeline(decks=decks)
    except ModelError as error:
        raise NotHereError(
            N_("The model that finds cards is not usable: %(reason)s"),
            reason=str(error),
        ) from error


def sight_of(galleries: Sequence[Gallery]) -> Sight:
    """Return the sight that names cards from these decks; without any, standard ones.

    A deck given twice is one deck with all its cards twice.
    """
    if not galleries:
        return Sight()
    from companion.decks.roles import distinct  # noqa: PLC0415 - only with decks

    return Sight(partial(load_pipeline, galleries=distinct(galleries)))


def open_picture(path: Path) -> Frame:
    """Return the picture in a file; raise `ImageError`."""
    from vision.images import read_image  # noqa: PLC0415 - imports OpenCV

    return read_image(path)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a picture says, and the picture that this is of."""

    frame: Frame
    observation: Observation


class Sight:
    """Pipelines by number of decks, and a bound on what runs at once."""

    def __init__(self, load: LoadPipeline = load_pipeline, *, at_once: int = 1) -> None:
        self._load = load
        self._pipelines: dict[int, See] = {}
        self._loading = threading.Lock()
        self._running = threading.Semaphore(at_once)
        self._waiting = threading.Semaphore(at_once + WAITING)

    def beside(self, load: LoadPipeline) -> Sight:
        """Return a sight with other eyes that waits in the same queue."""
        other = Sight(load)
        other._running, other._waiting = self._running, self._waiting
        return other

    def pipeline(self, decks: int) -> See:
        """Return the pipeline for so many decks, made at its first use."""
        with self._loading:
            if decks not in self._pipelines:
                self._pipelines[decks] = self._load(decks)
            return self._pipelines[decks]

    def look(self, frame: Frame, *, decks: int = 1) -> Seen:
        """Return what the frame says. A mirrored one is swapped back first."""
        from vision.mirrored import (  # noqa: PLC0415 - imports OpenCV
            says_mirrored,
            swapped_back,
        )
        from vision.types import Finding  # noqa: PLC0415 - as above

        see = self.pipeline(decks)
        observation = see(frame)
        if not says_mirrored(observation.findings):
            return Seen(frame, observation)
        frame = swapped_back(frame)
        observation = see(frame)
        findings = (*observation.findings, Finding("swapped_back"))
        return Seen(frame, replace(observation, findings=findings))

    def upload(
        self, data: bytes, source: str, *, decks: int, width_px: int
    ) -> tuple[Observation, bytes]:
        """Return what an uploaded picture says, and the picture to show for it.

        The second is a JPEG of at most `width_px` on its long side, which carries no
        more than its pixels. Raises `ImageError`, and `BusyError` if others wait.
        """
        from vision.images import to_jpeg  # noqa: PLC0415 - imports OpenCV

        _refuse_bomb(data)
        with self.turn():
            frame = decode_apart(data, source)
            seen = self.look(frame, decks=decks)
            picture = to_jpeg(at_most(seen.frame.bgr, width_px), 86)
            return seen.observation, picture

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn at the processor; raise `BusyError` if others wait."""
        if not self._waiting.acquire(blocking=False):
            raise BusyError
        try:
            if not self._running.acquire(timeout=QUEUE_S):
                raise BusyError
            try:
                yield
            finally:
                self._running.release()
        finally:
            self._waiting.release()


def at_most(bgr: Bgr, side_px: int) -> Bgr:
    """Return a picture whose long side has at most so many px."""
    import cv2  # noqa: PLC0415 - slow to import
    import numpy as np  # noqa: PLC0415 - as above

    height, width = bgr.shape[:2]
    share = side_px / max(height, width)
    if share >= 1:
        return bgr
    size = (max(1, round(width * share)), max(1, round(height * share)))
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def _refuse_bomb(data: bytes) -> None:
    """Raise `ImageError` for a large picture in a file so small that it shows nothing:
    a photo of a table needs ten times as many bytes at the very least."""
    from vision.errors import ImageError  # noqa: PLC0415 - imports OpenCV
    from vision.headers import read_header  # noqa: PLC0415 - as above

    if not data:
        return  # told as such by who decodes it
    header = read_header(data)
    pixels = header.width_px * header.height_px
    if pixels > LARGE_PX and len(data) * LEAST_SHARE < pixels:
        raise ImageError("too_large", "the file would unfold to an empty giant")
