"""Which parts of the picture are still, which a hand covers, and what has changed.

In a real-time game hands never leave the table, so stillness is known for each part:
the picture is compared, 320 px wide, with the one before (motion) and with the one that
was last read (change). What is connected to the edge of the picture and was not there
before is an arm: it covers what lies below. A part is due for reading when it has
changed, no arm covers it, and its pixels were still for `settle_s`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.beginning import HAND_RESTS_S, Beginning
from vision.cells import (
    SPECK_CELLS,
    Mask,
    apart,
    at_rest,
    darkest,
    difference,
    edge_parts,
    gain_between,
    grown,
    in_the_light_of,
    opened,
    shrunk,
    slope,
    without_specks,
)
from vision.gate import Gate
from vision.types import Bgr

ANCHOR_S = 0.15
"""Motion slower than a picture shows is seen against a picture this old."""
MIN_DIFFERENCE = 9.0
"""Grey levels, in the channel that differs most; noise raises it."""
NOISE_SIGMAS = 7.0
SATURATED = 250
"""As bright in all channels as that shows nothing: glare, not paper in good light."""
LARGEST_ARM = 0.35
"""Of the picture: what moves at its edge and is larger is the picture itself."""
_GLARE_CELLS = np.ones((5, 5), np.uint8)
LATELY_S = 0.3
"""Of what is not known yet only its motion tells that it is an arm; what it covered is
read so soon, though what is known beside it may be under the arm still."""
RESTS_S, FORGOTTEN_S = 2.0, 10.0
"""An arm moves a little. What has not for so long is read all the same; and after the
second time it is no arm: a card at the edge was taken, a bag was put down."""
STRUCTURE = 24.0
"""Slope, in grey levels a cell, from which a cell has something to be known by."""
STEEP_SHARE = 0.005
"""Of the cells, the steepest: the rims of a few cards."""
LEAST_STRUCTURE = 150
"""Cells that a view must have to be known by: two chips on a plain cloth, which one
flick may move both, are too few."""
JUMP_SHARE = 0.5
"""Of the cells with structure, changed within one picture: no hand does that."""
TURNED_SHARE = 0.08
"""From so many on it is asked whether the picture was mirrored or turned."""
BLINK_S = 0.1
"""Between two pictures; in more, as while one was read, an arm may have come in."""
LARGEST_NEW_ARM = 0.15
"""Of the picture: an arm that came in meanwhile; what is larger may be the picture."""
SAME_SHARE = 0.12
"""After a jump: so few of them changed against what was read is the same view again."""
ADAPT = 0.04
"""How fast unchanged parts of the remembered picture follow the light, per picture."""
RETRY_S, LONGEST_RETRY_S = 0.3, 4.0
"""A part that reading did not explain is read again after this, then ever later."""


@dataclass(slots=True)
class Settle:
    """Remembers the last pictures of one camera."""

    settle_s: float = 0.4
    _first_s: float | None = None
    _last: Bgr | None = None
    _anchor: Bgr | None = None
    _anchor_s: float = -np.inf
    _read: NDArray[np.float32] | None = None
    _unknown: Mask | None = None
    """Cells that were never read, or lay under a hand when they were."""
    _structure: Mask | None = None
    _steep: float = 0.0
    """How steep its steepest edges were."""
    _dazzled: bool = False
    _last_arm: Mask | None = None
    _last_s: float = -np.inf
    _blinked: bool = False
    """Nobody looked for a while before this picture."""
    _moved_s: NDArray[np.float32] | None = None
    _is_lost: bool = False
    _must_be_found: bool = False
    """Too much looks alike here to see by itself that the view is back."""
    _small: Bgr | None = None
    _retry_s: float = RETRY_S
    _not_before_s: float = 0.0
    _tried: Mask | None = None
    _noise: float = 1.0
    _recent_jump_s: float = field(default=-np.inf)
    _beginning: Beginning = field(default_factory=Beginning)

    def feed(self, bgr: Bgr, at_s: float) -> Gate:
        """Return what the next picture says; they come in the order of their time."""
        small = shrunk(bgr)
        if self._last is None or self._last.shape != small.shape:
            self._begin(small, at_s)
        assert self._moved_s is not None
        assert self._first_s is not None
        self._small = small
        now_s = at_s - self._first_s
        self._blinked = now_s - self._last_s > BLINK_S
        self._last_s = now_s
        moving = self._motion(small, now_s)
        waits = self._wait_for_table(small, now_s)
        changed, glare, known = self._change(small)
        self._dazzled = bool(glare.any())
        self._notice_jump(moving, changed, now_s)
        still = now_s - self._moved_s >= self.settle_s
        arm, resting = self._arm(changed, now_s)
        self._last_arm = arm
        covered = grown(arm, 2)
        rested = at_rest(changed & ~covered & ~waits, still)
        due = self._due(rested, now_s)
        if not self._is_lost:
            self._follow_light(small, changed | moving | covered)
        return Gate(
            at_s,
            bgr.shape[1] / small.shape[1],
            moving,
            covered,
            glare & (now_s - self._moved_s < FORGOTTEN_S),
            resting,
            changed,
            rested,
            due,
            changed if self._unknown is None else self._unknown.copy(),
            self._stirred(now_s, HAND_RESTS_S),
            now_s,
            self._moved_s.copy(),
            bool(arm.any()),
            self._is_lost,
            float(now_s - self._moved_s.max()),
            small,
            known,
            self._sharpness(small) if self._is_lost else 1.0,
            self._blinked,
        )

    def accept(self, looked: Mask, things: Mask | None = None) -> None:
        """Take the cells of a reading as known: they are as they were in it. Those that
        were not known before, and on which none of the known `things` lies, must show
        no hand."""
        assert self._small is not None
        if self._read is None:
            self._read = self._small.astype(np.float32)
            self._unknown = np.ones(looked.shape, bool)
        assert self._unknown is not None
        if things is not None and self._unknown.any():
            bare = looked & self._unknown & ~things
            looked = looked & ~bare | self._table(bare)
        # All in one light, or what is read now would seem to change with the rest.
        known = np.asarray(cv2.convertScaleAbs(self._read), np.uint8)
        gain = gain_between(self._small, known)
        if gain is not None:
            self._read *= gain
        self._read[looked] = self._small[looked]
        self._unknown &= ~looked
        read = np.asarray(cv2.convertScaleAbs(self._read), np.uint8)
        slopes = slope(read)
        self._structure = slopes > STRUCTURE
        if not self._dazzled:  # a reflection has edges of its own
            self._steep = _steepest(slopes)

    def _table(self, bare: Mask) -> Mask:
        assert self._small is not None
        assert self._moved_s is not None
        return self._beginning.table(
            bare, self._small, self._moved_s, self._last_s, self._limit()
        )

    def _wait_for_table(self, small: Bgr, now_s: float) -> Mask:
        """Take what has shown no hand for long enough for the table; return the cells
        that need no reading till then."""
        assert self._moved_s is not None
        unknown = self._unknown
        if unknown is None or self._is_lost or not unknown.any():
            return np.zeros(self._moved_s.shape, bool)
        waits, is_table = self._beginning.waiting(
            small, self._moved_s, now_s, self._limit()
        )
        if (is_table & unknown).any():
            self.accept(is_table & unknown)
        return waits & unknown

    def unseen(self) -> Mask:
        """Return the cells that were never read, or lay under a hand when they were."""
        assert self._small is not None
        if self._unknown is None:
            return np.ones(self._small.shape[:2], bool)
        return without_specks(self._unknown)

    def unread(self) -> Mask:
        """Return the cells of the last picture that are not as they were read: a hand,
        or what came since."""
        assert self._small is not None
        return self._change(self._small)[0]

    def lose(self) -> None:
        """Believe nothing until the view is `found`: all that lay here moved at once,
        even if the table's pattern looks as before."""
        self._is_lost = self._must_be_found = True

    def found(self) -> None:
        """Go on after a jump: the view is known again; all of it is read anew."""
        self._is_lost = self._must_be_found = False
        if self._unknown is not None:
            self._unknown[:] = True
        self._beginning.begin(self._last_s)
        self._retry_s, self._not_before_s, self._tried = RETRY_S, 0.0, None

    def _begin(self, small: Bgr, at_s: float) -> None:
        self._first_s = at_s if self._first_s is None else self._first_s
        now_s = at_s - self._first_s
        self._last = self._anchor = small
        self._last_arm = None
        self._anchor_s = now_s
        self._moved_s = np.full(small.shape[:2], now_s, np.float32)
        if self._read is not None:
            self._read = self._unknown = self._structure = None
            self._steep = 0.0
            self._is_lost = True
        self._beginning.begin(now_s)

    def _motion(self, small: Bgr, now_s: float) -> Mask:
        assert self._last is not None
        assert self._anchor is not None
        assert self._moved_s is not None
        step = difference(small, self._last)
        # Half of all cells or more are still, so their median is the noise.
        some = step[::4, ::4].ravel()
        middle = float(np.partition(some, some.size // 2)[some.size // 2])
        self._noise += 0.1 * (middle - self._noise)
        limit = self._limit()
        over = cv2.max(step, difference(small, self._anchor)) > limit
        moving = opened(over)
        self._moved_s[grown(moving, 1)] = now_s
        self._last = small
        if now_s - self._anchor_s >= min(ANCHOR_S, self.settle_s):
            self._anchor, self._anchor_s = small, now_s
        return moving

    def _limit(self) -> float:
        return max(MIN_DIFFERENCE, NOISE_SIGMAS * self._noise)

    def _change(self, small: Bgr) -> tuple[Mask, Mask, Bgr]:
        shape = small.shape[:2]
        if self._read is None or self._unknown is None:
            return np.ones(shape, bool), np.zeros(shape, bool), small
        # In the light of now, or a lamp that is turned up would make all paper glare.
        known = np.asarray(cv2.convertScaleAbs(self._read), np.uint8)
        read = in_the_light_of(small, known)
        changed = opened(apart(small, read) > self._limit()) | self._unknown
        bright = darkest(small) >= SATURATED
        glare = bright & (darkest(read) < SATURATED - 15) & changed
        # What was printed and is paper now is small; a reflection is not.
        large = cv2.morphologyEx(glare.astype(np.uint8), cv2.MORPH_OPEN, _GLARE_CELLS)
        return changed, np.asarray(large, bool), read

    def _notice_jump(self, moving: Mask, changed: Mask, now_s: float) -> None:
        assert self._moved_s is not None
        known = self._structure
        if known is None or self._unknown is None:
            return
        known = known & ~self._unknown
        total = int(known.sum())
        if total < LEAST_STRUCTURE:
            return
        moved = moving & known
        if int(moved.sum()) > JUMP_SHARE * total:
            # On a plain table an arm may cover all there is to be known by; it came
            # in, while a jump is there at once.
            arm = self._under_arm(moving | (changed & ~self._unknown))
            moved &= ~arm
            if self._blinked:  # beside an arm that came meanwhile nothing has moved
                total = max(LEAST_STRUCTURE, int((known & ~arm).sum()))
        share = int(moved.sum()) / total
        if share > JUMP_SHARE or (share > TURNED_SHARE and self._is_turned(known)):
            self._is_lost, self._recent_jump_s = True, now_s
        elif self._must_be_found:
            return
        elif self._is_lost and int((changed & known).sum()) <= SAME_SHARE * total:
            # Back by itself: a cough of the camera, a lamp, a passing blur.
            self._is_lost = bool(now_s - self._recent_jump_s < self.settle_s)

    def _is_turned(self, known: Mask) -> bool:
        """Return whether this is the known picture, mirrored or upside down: on a table
        laid out evenly most of it may look as before."""
        small, limit = self._small, self._limit()
        assert small is not None
        assert self._read is not None
        read = np.asarray(cv2.convertScaleAbs(self._read), np.uint8)

        def off(then: Bgr, where: Mask) -> int:
            differs = apart(small, in_the_light_of(small, then)) > limit
            return int((differs & where).sum())

        turned = min(
            off(
                np.asarray(cv2.flip(read, way), np.uint8),
                np.asarray(cv2.flip(known.astype(np.uint8), way), bool),
            )
            for way in (-1, 0, 1)
        )
        most = min(SAME_SHARE * int(known.sum()), 0.5 * off(read, known))
        return turned <= most

    def _sharpness(self, small: Bgr) -> float:
        """Return how steep the steepest edges are against those that were read,
        wherever they are: the camera may have been moved."""
        return _steepest(slope(small)) / self._steep if self._steep else 1.0

    def _under_arm(self, mask: Mask) -> Mask:
        """Return the parts of a mask that go on from the arm of the picture before, or
        may be one that came in while nobody looked."""
        had_arm = self._last_arm is not None and bool(self._last_arm.any())
        if not had_arm and not self._blinked:
            return np.zeros_like(mask)
        labels, is_arm, share = edge_parts(mask)
        known = share < LARGEST_NEW_ARM if self._blinked else np.zeros_like(is_arm)
        if self._last_arm is not None:
            known[np.unique(labels[self._last_arm])] = True
        return np.asarray((is_arm & known & (share < LARGEST_ARM))[labels], bool)

    def _arm(self, changed: Mask, now_s: float) -> tuple[Mask, Mask]:
        """Return arms, and what looks like one but has not moved for long."""
        assert self._moved_s is not None
        seen, known = changed, ~np.zeros_like(changed)
        if self._unknown is not None and self._unknown.any():
            seen = changed & ~self._unknown | self._stirred(now_s, HAND_RESTS_S)
            known = ~self._unknown | self._stirred(now_s, LATELY_S)
        arm, resting = np.zeros(changed.shape, bool), np.zeros(changed.shape, bool)
        if self._read is None or not seen.any():
            return arm, resting
        labels, is_arm, _ = edge_parts(seen)
        for one in np.nonzero(is_arm)[0]:
            part = labels == one
            rests_s = now_s - float(self._moved_s[part].max())
            if rests_s < RESTS_S:
                arm |= part
            elif rests_s < FORGOTTEN_S:
                resting |= part
        return arm & known, resting

    def _stirred(self, now_s: float, within_s: float) -> Mask:
        """Return the unknown cells that moved within a time, since all was unknown."""
        assert self._moved_s is not None
        if self._unknown is None:
            return np.zeros(self._moved_s.shape, bool)
        since_s = max(self._beginning.began_s, now_s - within_s)
        return self._unknown & (self._moved_s > since_s)

    def _due(self, ready: Mask, now_s: float) -> Mask:
        due = without_specks(ready)
        if self._is_lost:
            return np.zeros_like(due)
        if self._tried is not None and due.any():
            # What was read a moment ago in vain waits; anything else does not.
            waits = now_s < self._not_before_s
            fresh = due & ~self._tried
            if waits and int(fresh.sum()) < SPECK_CELLS:
                return np.zeros_like(due)
        return due

    def tried(self, due: Mask, at_s: float) -> None:
        """Say that a part was read and remains unexplained: it is put off a little."""
        assert self._first_s is not None
        again = self._tried is not None and bool((due & self._tried).any())
        self._retry_s = min(2 * self._retry_s, LONGEST_RETRY_S) if again else RETRY_S
        self._not_before_s = at_s - self._first_s + self._retry_s
        self._tried = grown(due, 3)

    def _follow_light(self, small: Bgr, busy: Mask) -> None:
        if self._read is None:
            return
        calm = (~busy).astype(np.uint8)
        cv2.accumulateWeighted(small, self._read, ADAPT, mask=calm)


def _steepest(slopes: NDArray[np.float32]) -> float:
    least = int(STEEP_SHARE * slopes.size)
    return float(np.partition(slopes.ravel(), -least)[-least])
