"""Tells usable shots from those that a fault has made.

Nothing of a fault may become an event (figure R13): what is unusable is not looked at.
Short faults only make shots unusable; what lasts changes the health, which people see.
"""

from __future__ import annotations

import zlib
from collections import deque
from dataclasses import dataclass, field, replace

import numpy as np

from vision.capture.source import Health, Shot
from vision.types import Bgr

BLACK_LEVEL, BLACK_SPREAD = 14, 5.0
"""A lens cap: nothing above that grey level, and no more than sensor noise."""
HOT_SHARE = 0.005
"""So many hot pixels are no picture."""
BLACK_AFTER_S = 0.4
SAME_SHOTS = 4
"""So many alike, at least, before a source counts as frozen."""
REMEMBERED = 900
"""Fingerprints kept to know a loop by: half a minute at 30 a second."""
LOOPED_SHOTS = 6
"""So many old ones in a row are a loop, not chance."""
NEW_SIZE_SHOTS = 5
"""So many shots of another size make it the size."""
LATE_SHOTS = 5
"""So many in a row from before the last one: the clock jumped, or old ones come."""
SLOW_FPS, SLOW_S = 4.0, 1.5
"""Fewer pictures a second, over that time, are few."""
SLOW_SHOTS = round(SLOW_FPS * SLOW_S)
AT_ONCE_S = 0.004
"""Shots nearer in time come out of a queue, and count as one picture of the table."""
EVERY = 8
"""A fingerprint looks at every eighth row and column."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a shot may be looked at, and how the source does."""

    is_usable: bool
    health: Health


@dataclass(slots=True)
class Watchdog:
    """Remembers the last shots of one source."""

    frozen_after_s: float | None
    last_s: float = -np.inf
    print: int = 0
    alike: int = 0
    alike_since_s: float = 0.0
    black_since_s: float | None = None
    looped: int = 0
    late: int = 0
    began_s: float = np.inf
    times: deque[float] = field(default_factory=lambda: deque(maxlen=SLOW_SHOTS))
    size: tuple[int, int] | None = None
    other_size: tuple[int, int] | None = None
    other_size_shots: int = 0
    _known: set[int] = field(default_factory=set)
    _order: deque[int] = field(default_factory=deque)

    def check(self, shot: Shot) -> Finding:
        """Return what is to be thought of the next shot."""
        if shot.taken_s <= self.last_s:
            self.late += 1
            health = Health.REPEATED if self.late >= LATE_SHOTS else Health.GOOD
            return Finding(is_usable=False, health=health)
        self.last_s, self.late = shot.taken_s, 0
        if not self._has_size(shot.bgr):
            return Finding(is_usable=False, health=Health.RESIZED)
        sample = np.ascontiguousarray(shot.bgr[::EVERY, ::EVERY])
        if self._is_black(sample, shot.taken_s):
            assert self.black_since_s is not None
            lasts = shot.taken_s - self.black_since_s >= BLACK_AFTER_S
            return Finding(
                is_usable=False, health=Health.BLACK if lasts else Health.GOOD
            )
        found = self._compared(zlib.crc32(sample.data), shot.taken_s)
        is_slow = self._is_slow(shot.taken_s) and found.health is Health.GOOD
        return replace(found, health=Health.SLOW) if is_slow else found

    @property
    def slow_from_s(self) -> float:
        """Return from when on few pictures come, if no other comes until then; of
        recordings that says nothing."""
        if self.frozen_after_s is None:
            return np.inf
        has_run = len(self.times) == SLOW_SHOTS
        return (self.times[0] if has_run else self.began_s) + SLOW_S

    def _is_slow(self, taken_s: float) -> bool:
        self.began_s = min(self.began_s, taken_s)
        if not self.times or taken_s - self.times[-1] >= AT_ONCE_S:
            self.times.append(taken_s)
        return taken_s >= self.slow_from_s

    def _has_size(self, bgr: Bgr) -> bool:
        size = (bgr.shape[1], bgr.shape[0])
        if self.size in (None, size):
            self.size, self.other_size_shots = size, 0
            return True
        if size != self.other_size:
            self.other_size, self.other_size_shots = size, 0
        self.other_size_shots += 1
        if self.other_size_shots < NEW_SIZE_SHOTS:
            return False
        self.size, self.other_size_shots = size, 0
        return True

    def _is_black(self, sample: Bgr, taken_s: float) -> bool:
        bright = np.count_nonzero(sample[::2, ::2] > BLACK_LEVEL)
        has_picture = bright > HOT_SHARE * sample[::2, ::2].size
        if has_picture or float(sample.std()) > BLACK_SPREAD:
            self.black_since_s = None
            return False
        if self.black_since_s is None:
            self.black_since_s = taken_s
        return True

    def _compared(self, print_: int, taken_s: float) -> Finding:
        """Compare with the shots before: the last one, and all that are remembered."""
        if self.frozen_after_s is None:
            return Finding(is_usable=True, health=Health.GOOD)
        if print_ == self.print:
            self.alike += 1
            lasts = taken_s - self.alike_since_s >= self.frozen_after_s
            frozen = lasts and self.alike >= SAME_SHOTS
            looped = self.looped >= LOOPED_SHOTS
            health = Health.FROZEN if frozen else Health.GOOD
            return Finding(is_usable=not frozen and not looped, health=health)
        self.print, self.alike, self.alike_since_s = print_, 0, taken_s
        self.looped = self.looped + 1 if print_ in self._known else 0
        self._remember(print_)
        if self.looped >= LOOPED_SHOTS:
            return Finding(is_usable=False, health=Health.REPEATED)
        return Finding(is_usable=self.looped == 0, health=Health.GOOD)

    def _remember(self, print_: int) -> None:
        if print_ in self._known:
            return
        self._known.add(print_)
        self._order.append(print_)
        if len(self._order) > REMEMBERED:
            self._known.discard(self._order.popleft())
