"""The process that looks: camera, gate, reading, tracking. It knows no game.

It tells by messages and never waits for whoever listens; the page and the ledger are
never slowed down by a picture.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import statistics
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

from companion.sight import at_most
from companion.watching.messages import (
    END_UNREAD,
    Beat,
    CameraTold,
    Ended,
    Failed,
    Glimpse,
    Message,
    Noticed,
    Order,
    Seen,
)
from companion.watching.patience import Patience
from companion.watching.plan import EyePlan
from vision.capture.grabber import Grabbed, Grabber
from vision.capture.source import Health
from vision.errors import CameraError
from vision.images import to_jpeg
from vision.live import LiveEye
from vision.types import Bgr
from vision.views import Look, View, Waiting

logger = logging.getLogger(__name__)

BEAT_S = 0.25
WAIT_S = 0.1
JPEG_QUALITY = 82
GLIMPSE_PX, GLIMPSE_QUALITY = 960, 72
"""Long side of what people are shown between the readings: 60 KB."""
SAMPLES = 60


class Out(Protocol):
    """Where messages go: a queue of this process or of another one."""

    def put(self, item: Message, block: bool = True) -> None:
        """Add a message; raise `queue.Full` if there is no room and not `block`."""


class Orders(Protocol):
    """Where orders come from."""

    def get_nowait(self) -> Order:
        """Return the next order; raise `queue.Empty`."""


def run_eye(plan: EyePlan, out: Out, orders: Orders) -> None:
    """Look until the recording ends, or until told to stop; tell all that counts."""
    from companion.errors import CompanionError  # noqa: PLC0415 - heavy for a child

    try:
        _Eye(plan, out, orders).run()
        out.put(Ended())
    except (CompanionError, CameraError) as error:
        out.put(Failed(getattr(error, "code", "camera"), str(error)))
    except Exception as error:
        logger.exception("the eye has failed")
        out.put(Failed("eye", f"{type(error).__name__}: {error}"))


@dataclass(slots=True)
class _Eye:
    plan: EyePlan
    out: Out
    orders: Orders
    _patience: Patience = field(init=False)
    _before: Bgr | None = None
    """The table at rest before the first change that is held back."""
    _beat_s: float = 0.0
    _looked: int = 0
    _readings: int = 0
    _waiting: Waiting = Waiting.REST
    _laps: dict[str, deque[float]] = field(default_factory=dict)
    _times: deque[float] = field(default_factory=lambda: deque(maxlen=SAMPLES))
    _lag_s: float = 0.0
    _last: Bgr | None = None
    _glimpse_s: float = -float("inf")
    _is_shown: bool = False
    """People have been shown the table as it is."""

    def __post_init__(self) -> None:
        self._patience = Patience(self.plan.tempo.quiet_s)

    def run(self) -> None:
        source = self.plan.open_source()
        now = datetime.now(UTC)
        origin = now - timedelta(seconds=time.monotonic()) if source.is_live else now
        eye = LiveEye(self.plan.load(), self.plan.tempo.pace, source.name, origin)
        with Grabber(source, keep_all=self.plan.keep_all) as grabber:
            number, health = 0, None
            while True:
                order = self._order()
                if order is Order.STOP:
                    return
                if order is Order.RESYNC:
                    eye.resync()
                grabbed = grabber.newest(number, WAIT_S)
                status = grabber.status
                if status.health is not health:
                    health = status.health
                    self.out.put(CameraTold(status))
                if grabbed is None:
                    self._beat(status.fps)
                    if health is Health.ENDED:
                        self._let_go()
                        if self._looked and eye.has_unread:
                            self.out.put(Noticed(END_UNREAD))
                        self._beat_s = 0.0
                        self._beat(0.0)  # the last count
                        return
                    continue
                number = grabbed.number
                self._look(eye, grabbed, is_live=source.is_live)
                self._glimpse(grabbed.shot.bgr)
                self._beat(status.fps)

    def _order(self) -> Order | None:
        with contextlib.suppress(queue.Empty):
            return self.orders.get_nowait()
        return None

    def _look(self, eye: LiveEye, grabbed: Grabbed, *, is_live: bool) -> None:
        if is_live:
            self._lag_s = time.monotonic() - grabbed.shot.taken_s
        look = eye.look(grabbed.shot)
        self._last = grabbed.shot.bgr
        self._looked += 1
        self._readings += look.has_read
        self._times.append(time.monotonic())
        for stage, spent_ms in look.timings_ms.items():
            self._laps.setdefault(stage, deque(maxlen=SAMPLES)).append(spent_ms)
        for code in look.notices:
            self.out.put(Noticed(code))
        self._tell(look, grabbed.shot.bgr)
        waiting = look.waiting
        if waiting is Waiting.NOTHING and self._patience.is_holding:
            waiting = Waiting.QUIET
        if look.views or not look.is_quiet or waiting is not self._waiting:
            self._is_shown = False
        self._waiting = waiting

    def _tell(self, look: Look, bgr: Bgr) -> None:
        views = self._patience.take(look)
        if look.views and self._before is None:
            self._before = look.before
        for view in views:
            self._send(view, self._before, bgr)
        if not self._patience.is_holding:
            self._before = None

    def _let_go(self) -> None:
        for view in self._patience.release():
            if self._last is not None:
                self._send(view, self._before, self._last)

    def _send(self, view: View, before: Bgr | None, after: Bgr) -> None:
        shown = b"" if before is None else to_jpeg(before, JPEG_QUALITY)
        self.out.put(Seen(view, shown, to_jpeg(after, JPEG_QUALITY)))

    def _glimpse(self, bgr: Bgr) -> None:
        """Show people what has changed, not more often than they asked for."""
        every_s, now_s = self.plan.glimpse_s, time.monotonic()
        if every_s is None or self._is_shown or now_s - self._glimpse_s < every_s:
            return
        self._glimpse_s, self._is_shown = now_s, True
        small = to_jpeg(at_most(bgr, GLIMPSE_PX), GLIMPSE_QUALITY)
        with contextlib.suppress(queue.Full):
            self.out.put(Glimpse(small, self._waiting), block=False)

    def _beat(self, camera_fps: float) -> None:
        now_s = time.monotonic()
        if now_s - self._beat_s < BEAT_S:
            return
        self._beat_s = now_s
        timings = tuple(
            (stage, round(statistics.median(laps), 1))
            for stage, laps in self._laps.items()
        )
        beat = Beat(
            self._waiting,
            self._fps() or camera_fps,
            self._looked,
            self._readings,
            timings,
            round(self._lag_s, 3),
        )
        with contextlib.suppress(queue.Full):
            self.out.put(beat, block=False)

    def _fps(self) -> float:
        if len(self._times) < 2:
            return 0.0
        span_s = self._times[-1] - self._times[0]
        return round((len(self._times) - 1) / span_s, 1) if span_s > 0 else 0.0
