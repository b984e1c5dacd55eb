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

from vision.types import Array, Bgr

Mask = NDArray[np.bool_]
WIDTH_PX = 320
"""The width at which pictures are compared; a card of 60 px is then still 15 px."""
ANCHOR_S = 0.15
"""Motion slower than a picture shows is seen against a picture this old."""
MIN_DIFFERENCE = 9.0
"""Grey levels, in the channel that differs most; noise raises it."""
NOISE_SIGMAS = 7.0
SATURATED = 250
"""As bright in all channels as that shows nothing: glare, not paper in good light."""
LARGEST_ARM = 0.35
"""Of the picture: what moves at its edge and is larger is the picture itself."""
ARM_SHARE = 0.004
"""Of the picture: what touches the edge and is smaller is a card's corner."""
_GLARE_CELLS = np.ones((5, 5), np.uint8)
RESTS_S, FORGOTTEN_S = 2.0, 10.0
"""An arm moves a little. What has not for so long is read all the same; and after the
second time it is no arm: a card at the edge was taken, a bag was put down."""
SPECK_CELLS = 10
"""Smaller changes are noise; a chip of 20 px in a picture of 1280 has 20 cells."""
RESTLESS_SHARE = 0.05
"""Of a changed part may have moved a moment ago, and it is at rest all the same."""
STRUCTURE = 24.0
"""Slope, in grey levels a cell, from which a cell has something to be known by."""
LEAST_STRUCTURE = 150
"""Cells that a view must have to be known by: two chips on a plain cloth, which one
flick may move both, are too few."""
JUMP_SHARE = 0.5
"""Of the cells with structure, changed within one picture: no hand does that."""
SAME_SHARE = 0.12
"""After a jump: so few of them changed against what was read is the same view again."""
ADAPT = 0.04
"""How fast unchanged parts of the remembered picture follow the light, per picture."""
RETRY_S, LONGEST_RETRY_S = 0.3, 4.0
"""A part that reading did not explain is read again after this, then ever later."""


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """What one picture says about the table's parts; masks are small (H, W)."""

    at_s: float
    scale: float
    """Picture px per cell."""
    moving: Mask
    covered: Mask
    """Under an arm; neither read nor believed."""
    glare: Mask
    """As bright as nothing was before: a lamp, or white paper that came. It is read,
    but what is not seen there is not gone, and no other face is believed there."""
    resting: Mask
    """May be an arm that lies still, or a card at the edge of the picture: read, but
    what is not seen there is not gone."""
    changed: Mask
    """Against what was last read."""
    due: Mask
    """To be read now."""
    unknown: Mask
    """Never read, or under a hand when it was."""
    now_s: float
    """Seconds since the first picture."""
    moved_s: NDArray[np.float32]
    """When each cell last moved, on the same clock."""
    has_arm: bool
    is_lost: bool
    """The whole picture changed at once, and has not come back."""
    still_s: float
    """How long nothing has moved anywhere."""

    @property
    def is_due(self) -> bool:
        """Return whether something is to be read."""
        return bool(self.due.any())

    @property
    def is_quiet(self) -> bool:
        """Return whether no arm is over the table and nothing moves."""
        return not self.has_arm and not bool(self.moving.any())

    def share(self, mask: Mask, quad_px: Array) -> float:
        """Return which share of a quad in picture px lies in a mask."""
        box, inside = self._inside(quad_px)
        count = int(np.count_nonzero(inside))
        return int(np.count_nonzero(mask[box] & inside)) / count if count else 0.0

    def moved_at_s(self, quad_px: Array) -> float:
        """Return when a quad in picture px last moved, on the clock of `now_s`."""
        box, inside = self._inside(quad_px)
        return float(self.moved_s[box][inside].max()) if inside.any() else self.now_s

    def cells(self, quad_px: Array) -> Mask:
        """Return the cells of a quad in picture px."""
        cells = np.zeros(self.moving.shape, bool)
        box, inside = self._inside(quad_px)
        cells[box] = inside
        return cells

    def _inside(self, quad_px: Array) -> tuple[tuple[slice, slice], Mask]:
        """Return the box of cells around a quad, and which of them lie in it.

        A quad has some hundred of the 57,600 cells; only these are worth a look.
        """
        height, width = self.moving.shape
        points = (np.asarray(quad_px, float) + 0.5) / self.scale - 0.5
        rounded = np.round(np.clip(points, -4096, 4096)).astype(np.int32)
        left, top = np.maximum(rounded.min(axis=0), 0)
        right, bottom = np.minimum(rounded.max(axis=0) + 1, (width, height))
        inside = np.zeros((max(0, bottom - top), max(0, right - left)), np.uint8)
        if inside.size:
            cv2.fillConvexPoly(inside, rounded - [left, top], (1,))
        return np.s_[top:bottom, left:right], inside.astype(bool)


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
    _last_arm: Mask | None = None
    _moved_s: NDArray[np.float32] | None = None
    _is_lost: bool = False
    _small: Bgr | None = None
    _retry_s: float = RETRY_S
    _not_before_s: float = 0.0
    _tried: Mask | None = None
    _noise: float = 1.0
    _recent_jump_s: float = field(default=-np.inf)

    def feed(self, bgr: Bgr, at_s: float) -> Gate:
        """Return what the next picture says; they come in the order of their time."""
        small = _shrunk(bgr)
        if self._last is None or self._last.shape != small.shape:
            self._begin(small, at_s)
        assert self._moved_s is not None
        assert self._first_s is not None
        self._small = small
        now_s = at_s - self._first_s
        moving = self._motion(small, now_s)
        changed, glare = self._change(small)
        self._notice_jump(moving, changed, now_s)
        still = now_s - self._moved_s >= self.settle_s
        arm, resting = self._arm(changed, now_s)
        self._last_arm = arm
        covered = _grown(arm, 2)
        due = self._due(_at_rest(changed & ~covered, still), now_s)
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
            due,
            changed if self._unknown is None else self._unknown.copy(),
            now_s,
            self._moved_s.copy(),
            bool(arm.any()),
            self._is_lost,
            float(now_s - self._moved_s.max()),
        )

    def accept(self, looked: Mask) -> None:
        """Take the cells of a reading as known: they are as they were in it."""
        assert self._small is not None
        if self._read is None:
            self._read = self._small.astype(np.float32)
            self._unknown = np.ones(looked.shape, bool)
        assert self._unknown is not None
        self._read[looked] = self._small[looked]
        self._unknown &= ~looked
        read = np.asarray(cv2.convertScaleAbs(self._read), np.uint8)
        self._structure = _slope(read) > STRUCTURE

    def found(self) -> None:
        """Go on after a jump: the view is known again; all of it is read anew."""
        self._is_lost = False
        if self._unknown is not None:
            self._unknown[:] = True
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
            self._is_lost = True

    def _motion(self, small: Bgr, now_s: float) -> Mask:
        assert self._last is not None
        assert self._anchor is not None
        assert self._moved_s is not None
        step = _difference(small, self._last)
        # Half of all cells or more are still, so their median is the noise.
        self._noise += 0.1 * (float(np.median(step[::4, ::4])) - self._noise)
        limit = self._limit()
        over = cv2.max(step, _difference(small, self._anchor)) > limit
        moving = _opened(over)
        self._moved_s[_grown(moving, 1)] = now_s
        self._last = small
        if now_s - self._anchor_s >= min(ANCHOR_S, self.settle_s):
            self._anchor, self._anchor_s = small, now_s
        return moving

    def _limit(self) -> float:
        return max(MIN_DIFFERENCE, NOISE_SIGMAS * self._noise)

    def _change(self, small: Bgr) -> tuple[Mask, Mask]:
        shape = small.shape[:2]
        if self._read is None or self._unknown is None:
            return np.ones(shape, bool), np.zeros(shape, bool)
        # In the light of now, or a lamp that is turned up would make all paper glare.
        known = np.asarray(cv2.convertScaleAbs(self._read), np.uint8)
        read = _in_the_light_of(small, known)
        changed = _opened(_apart(small, read) > self._limit()) | self._unknown
        bright = _darkest(small) >= SATURATED
        glare = bright & (_darkest(read) < SATURATED - 15) & changed
        # What was printed and is paper now is small; a reflection is not.
        large = cv2.morphologyEx(glare.astype(np.uint8), cv2.MORPH_OPEN, _GLARE_CELLS)
        return changed, np.asarray(large, bool)

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
            moved &= ~self._under_arm(moving | (changed & ~self._unknown))
        if int(moved.sum()) > JUMP_SHARE * total:
            self._is_lost, self._recent_jump_s = True, now_s
        elif self._is_lost and int((changed & known).sum()) <= SAME_SHARE * total:
            # Back by itself: a cough of the camera, a lamp, a passing blur.
            self._is_lost = bool(now_s - self._recent_jump_s < self.settle_s)

    def _under_arm(self, mask: Mask) -> Mask:
        """Return the parts of a mask that go on from the arm of the picture before."""
        if self._last_arm is None or not self._last_arm.any():
            return np.zeros_like(mask)
        labels, is_arm, share = _edge_parts(mask)
        known = np.zeros(len(is_arm), bool)
        known[np.unique(labels[self._last_arm])] = True
        return np.asarray((is_arm & known & (share < LARGEST_ARM))[labels], bool)

    def _arm(self, changed: Mask, now_s: float) -> tuple[Mask, Mask]:
        """Return arms, and what looks like one but has not moved for long."""
        assert self._moved_s is not None
        seen = changed if self._unknown is None else changed & ~self._unknown
        if self._read is None:
            nothing = np.zeros(changed.shape, bool)
            return nothing, nothing
        labels, is_arm, _ = _edge_parts(seen)
        arm, resting = np.zeros(changed.shape, bool), np.zeros(changed.shape, bool)
        for one in np.nonzero(is_arm)[0]:
            part = labels == one
            rests_s = now_s - float(self._moved_s[part].max())
            if rests_s < RESTS_S:
                arm |= part
            elif rests_s < FORGOTTEN_S:
                resting |= part
        return arm, resting

    def _due(self, ready: Mask, now_s: float) -> Mask:
        due = _without_specks(ready)
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
        self._tried = _grown(due, 3)

    def _follow_light(self, small: Bgr, busy: Mask) -> None:
        if self._read is None:
            return
        calm = (~busy).astype(np.uint8)
        cv2.accumulateWeighted(small, self._read, ADAPT, mask=calm)


def _edge_parts(mask: Mask) -> tuple[NDArray[np.int32], Mask, NDArray[np.float64]]:
    """Return the parts of a mask, which of them begin at the picture's edge and are not
    small, and the share of the picture that each takes."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(
        _grown(mask, 1).astype(np.uint8), connectivity=8
    )
    height, width = mask.shape
    left, top = stats[:, cv2.CC_STAT_LEFT], stats[:, cv2.CC_STAT_TOP]
    right = left + stats[:, cv2.CC_STAT_WIDTH]
    bottom = top + stats[:, cv2.CC_STAT_HEIGHT]
    at_edge = (left <= 1) | (top <= 1) | (right >= width - 1)
    at_edge |= bottom >= height - 1
    share = stats[:, cv2.CC_STAT_AREA] / (height * width)
    is_arm = at_edge & (share >= ARM_SHARE)
    is_arm[0] = False
    return np.asarray(labels, np.int32), np.asarray(is_arm, bool), share


def _shrunk(bgr: Bgr) -> Bgr:
    height, width = bgr.shape[:2]
    if width <= WIDTH_PX:
        return bgr
    size = (WIDTH_PX, max(1, round(height * WIDTH_PX / width)))
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def _difference(now: Bgr, then: Bgr) -> NDArray[np.uint8]:
    """Return by how much cells differ, once the light is the same; (H, W)."""
    return _apart(now, _in_the_light_of(now, then))


def _apart(now: Bgr, then: Bgr) -> NDArray[np.uint8]:
    blue, green, red = cv2.split(cv2.absdiff(now, then))
    return np.asarray(cv2.max(blue, cv2.max(green, red)), np.uint8)


def _darkest(bgr: Bgr) -> NDArray[np.uint8]:
    """Return the darkest channel of each cell; numpy's `min` takes 40 times as long."""
    blue, green, red = cv2.split(bgr)
    return np.asarray(cv2.min(blue, cv2.min(green, red)), np.uint8)


def _in_the_light_of(now: Bgr, then: Bgr) -> Bgr:
    """Return `then` as the exposure and white balance of `now` would show it."""
    a = now[4::8, 4::8].reshape(-1, 3).astype(np.float32)
    b = then[4::8, 4::8].reshape(-1, 3).astype(np.float32)
    fair = ((a > 15) & (a < 240) & (b > 15) & (b < 240)).all(axis=1)
    if int(fair.sum()) < 50:
        return then
    gain = np.median((a[fair] + 0.5) / (b[fair] + 0.5), axis=0)
    if float(np.abs(gain - 1).max()) < 0.004:
        return then
    levels = np.arange(256, dtype=np.float32)[:, None] * gain[None, :]
    table = np.clip(np.rint(levels), 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(then, table[:, None, :]), np.uint8)


def _slope(bgr: Bgr) -> NDArray[np.float32]:
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    x = cv2.Sobel(gray, cv2.CV_32F, 1, 0, scale=0.25)
    y = cv2.Sobel(gray, cv2.CV_32F, 0, 1, scale=0.25)
    return np.asarray(cv2.magnitude(x, y), np.float32)


def _opened(mask: Mask) -> Mask:
    """Return a mask without single cells: of each 3x3, at least four must be set."""
    share = cv2.boxFilter(mask.astype(np.uint8), cv2.CV_8U, (3, 3), normalize=False)
    return np.asarray((share >= 4) & mask, bool)


def _grown(mask: Mask, cells: int) -> Mask:
    size = 2 * cells + 1
    kernel = np.ones((size, size), np.uint8)
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel), bool)


def _at_rest(changed: Mask, still: Mask) -> Mask:
    """Return the changed parts that are still as a whole.

    A white card that is pushed moves at its rim only: its middle must not count alone.
    """
    number, labels = cv2.connectedComponents(changed.astype(np.uint8), connectivity=8)
    if number < 2:
        return changed
    area = np.bincount(labels.ravel(), minlength=number)
    moved = np.bincount(labels.ravel(), weights=~still.ravel(), minlength=number)
    rests = moved <= RESTLESS_SHARE * area
    rests[0] = False
    return np.asarray(rests[labels] & still, bool)


def _without_specks(mask: Mask) -> Mask:
    if not mask.any():
        return mask
    number, labels, stats, _ = cv2.connectedComponentsWithStats(
        mask.astype(np.uint8), connectivity=8
    )
    keep = stats[:, cv2.CC_STAT_AREA] >= SPECK_CELLS
    keep[0] = False
    return np.asarray(keep[labels], bool) if number > 1 else mask
