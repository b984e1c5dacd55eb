"""Whether a card lies a hair off the place where it lay, as its pixels tell.

A card that is laid nearly exactly on one of its face changes next to nothing, and its
outline is known to two px only. Its print tells more: the picture of the place is laid
over what it was before a hand came, and what it takes to fit is how far the card lies
off. What a hand only passed over fits as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from statistics import median_low

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.gate import Gate
from vision.quads import grown
from vision.sameness import SHOWS_WHOLE
from vision.tracks import Track
from vision.types import Array, Bgr, Kind

OFF_PX = 0.4
"""At the corner that is farthest off."""
ALIKE = 0.9
"""Correlation from which on both pictures show one face."""
INSET = 0.06
"""Of a card: its rim, where the table and shadows of neighbours begin."""
SHADE_SHARE = 0.1
"""Of a card's shorter side: what varies more slowly is light, not print, and a plain
face fits in it anywhere (1.4 and 2 px off where nobody was, four in 15 rounds)."""
FEWEST_OTHERS = 2
"""So many other cards tell whether one moved alone."""
STEPS, FARTHEST_PX = 8, 6.0
"""So often its place is corrected; farther off than that is no hair."""
_BLUR_PX = 5


@dataclass(frozen=True, slots=True, eq=False)
class Peace:
    """What the place of a card showed in peace."""

    gray: NDArray[np.float32]
    quad_px: Array
    at_s: float


@dataclass(slots=True)
class Hairs:
    """What the places of cards showed when they were looked at in peace."""

    settle_s: float
    _kept: dict[str, Peace] = field(default_factory=dict)
    """By the ids of what lies there."""
    _stirred: set[str] = field(default_factory=set)
    """Where a hand has been since."""

    def clear(self) -> None:
        """Forget all: the camera was moved."""
        self._kept.clear()

    def off(self, bgr: Bgr, gate: Gate, lying: Sequence[Track]) -> list[Track]:
        """Return the cards that lie a hair off where they lay before a hand came."""
        self._kept = {t.id: self._kept[t.id] for t in lying if t.id in self._kept}
        self._stirred |= {t.id for t in lying if t.touched or gate.has_blinked}
        touched, moved_px = frozenset(self._stirred), dict[str, float | None]()
        for track in lying:
            kept = self._kept.get(track.id)
            is_due = kept is None or track.id in self._stirred
            if not is_due or not _shows(track) or not self._is_calm(gate, track):
                continue
            has_moved = kept is not None and gate.moved_at_s(track.quad_px) > kept.at_s
            if kept is not None and has_moved:
                moved_px[track.id] = off_px(kept.gray, bgr, kept.quad_px)
            self._stirred.discard(track.id)
            if kept is None or has_moved:
                quad = track.quad_px.copy()
                self._kept[track.id] = Peace(_cut(bgr, quad)[0], quad, gate.now_s)
        found = [t for t in lying if (moved_px.get(t.id) or 0.0) > OFF_PX]
        if found and self._has_all_moved(bgr, moved_px, touched):
            self.clear()
            return []
        return found

    def _has_all_moved(
        self, bgr: Bgr, moved_px: Mapping[str, float | None], touched: Set[str]
    ) -> bool:
        """Return whether what nobody touched lies a hair off as well, or, where a hand
        may have been on all since nobody looked for a while, most of the others do: it
        is the camera that was moved."""
        off_by = {
            k: off_px(p.gray, bgr, p.quad_px)
            for k, p in self._kept.items()
            if k not in moved_px
        }
        known = sorted(
            px for k, px in off_by.items() if px is not None and k not in touched
        )
        if known:
            return known[len(known) // 2] > OFF_PX / 2
        told = (*off_by.values(), *moved_px.values())
        others = sorted(px for px in told if px is not None)[:-1]
        return len(others) >= FEWEST_OTHERS and median_low(others) > OFF_PX / 2

    def _is_calm(self, gate: Gate, track: Track) -> bool:
        quad = track.quad_px
        rests_s = gate.now_s - gate.moved_at_s(quad)
        return rests_s >= self.settle_s and gate.share(gate.covered, quad) == 0


def off_small_px(gate: Gate, quad_px: Array) -> float | None:
    """Return how far the corner that moved most has moved since a place was read, as
    small pictures tell, in px of the large one; `None` if it shows something else."""
    quad = (quad_px + 0.5) / gate.scale - 0.5
    by_px = off_px(_cut(gate.known, quad)[0], gate.small, quad)
    return None if by_px is None else by_px * gate.scale


def off_px(before: NDArray[np.float32], bgr: Bgr, quad_px: Array) -> float | None:
    """Return how far the corner that moved most has moved; `None` if the place shows
    something else.

    Print is moved until it differs least (Gauss-Newton): of a plain face that is told
    to .12 px, while correlation, which light sways, seemed .5 px off.
    """
    now, corners = _cut(bgr, quad_px)
    if now.shape != before.shape or not now.size:
        return None
    mask = np.zeros(now.shape, np.uint8)
    inner = grown(corners, 1 - 2 * INSET)
    cv2.fillConvexPoly(mask, np.rint(inner).astype(np.int32), (255,))
    where, then, there = mask > 0, _print(before), _print(now)
    if not where.any():
        return None
    middle = corners.mean(axis=0)
    slopes = _slopes(then, middle)[where]
    moved = np.zeros(3)
    laid_back = there
    for _ in range(STEPS):
        laid_back = _moved_back(there, moved, middle)
        off = (laid_back - then)[where]
        terms = np.column_stack([-slopes, then[where]])
        moved = moved + np.linalg.lstsq(terms, off, rcond=None)[0][:3]
        if np.abs(moved[:2]).max() > FARTHEST_PX:
            return None
    if not then[where].std() * laid_back[where].std():
        return None  # nothing is printed there at all
    if float(np.corrcoef(then[where], laid_back[where])[0, 1]) < ALIKE:
        return None
    arms = corners - middle
    by_px = moved[:2] + moved[2] * np.column_stack([-arms[:, 1], arms[:, 0]])
    return float(np.linalg.norm(by_px, axis=1).max())


def _slopes(gray: NDArray[np.float32], middle: Array) -> NDArray[np.float32]:
    """Return (H, W, 3) how a picture changes to the right, down, and as it turns about
    a point."""
    right = cv2.Sobel(gray, cv2.CV_32F, 1, 0, ksize=3) / 8
    down = cv2.Sobel(gray, cv2.CV_32F, 0, 1, ksize=3) / 8
    y, x = np.mgrid[: gray.shape[0], : gray.shape[1]]
    turning = down * (x - middle[0]) - right * (y - middle[1])
    return np.dstack([right, down, turning]).astype(np.float32)


def _moved_back(
    gray: NDArray[np.float32], moved: Array, middle: Array
) -> NDArray[np.float32]:
    """Return a picture before it was moved so far right and down, and turned."""
    right, down, turn = moved
    warp = np.array(
        [
            [1.0, -turn, right + turn * middle[1]],
            [turn, 1.0, down - turn * middle[0]],
        ]
    )
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = gray.shape[1], gray.shape[0]
    back = cv2.warpAffine(gray, warp, size, flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(back, np.float32)


def _print(gray: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the picture without noise and without what varies slowly."""
    shade = cv2.GaussianBlur(gray, (0, 0), SHADE_SHARE * min(gray.shape))
    smooth = cv2.GaussianBlur(gray, (_BLUR_PX, _BLUR_PX), 0)
    return np.asarray(smooth - shade, np.float32)


def _shows(track: Track) -> bool:
    return (
        track.seen.kind is Kind.CARD
        and track.label is not None
        and not track.is_pending
        and track.seen.visible >= SHOWS_WHOLE
    )


def _cut(bgr: Bgr, quad_px: Array) -> tuple[NDArray[np.float32], Array]:
    """Return the picture of a place in grey, and the quad's corners in it."""
    height, width = bgr.shape[:2]
    left, top = np.clip(np.floor(quad_px.min(axis=0)), 0, (width, height)).astype(int)
    right, bottom = np.clip(
        np.ceil(quad_px.max(axis=0)) + 1, 0, (width, height)
    ).astype(int)
    part, corners = bgr[top:bottom, left:right], quad_px - np.array([left, top])
    if not part.size:  # the camera looks elsewhere now
        return np.zeros(part.shape[:2], np.float32), corners
    return cv2.cvtColor(part, cv2.COLOR_BGR2GRAY).astype(np.float32), corners
