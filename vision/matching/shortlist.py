"""Which faces a card could be at all: thumbnails of all faces, compared at once.

Up to some hundreds of faces every one is compared on the pixels that can be seen. Of
more, those that are nearest in a few projections are chosen first, in two steps of one
product of matrices each; so 50,000 faces cost little more than 54.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.matching.patches import Patch, Plane, pixel_centres, soft_features
from vision.types import Array

THUMB_PX = (16, 22)
WEIGHTS = (1.0, 0.8, 0.8, 0.5)
"""Of print, of the two colours, and of lightness."""
SCALES = (1.0, 25.0, 25.0, 25.0)
DIRECT = 512
"""So many pictures are all compared on what can be seen."""
ROUGHLY, CHOSEN = 4096, 256
ROUGH, PROJECTIONS = 32, 128
"""Of many pictures so many are left after the first `ROUGH` projections, and so many
after all of them."""
SEED = 7
HALF_TURN = np.diag([-1.0, -1.0, 1.0])
NUDGES = (
    np.eye(3),
    np.diag([0.9, 0.9, 1.0]),
    np.diag([1.1, 1.1, 1.0]),
    np.array([[1, 0, 0.08], [0, 1, 0], [0, 0, 1]]),
    np.array([[1, 0, -0.08], [0, 1, 0], [0, 0, 1]]),
    np.array([[1, 0, 0], [0, 1, 0.06], [0, 0, 1]]),
    np.array([[1, 0, 0], [0, 1, -0.06], [0, 0, 1]]),
)
"""Corners may be off: the card is looked at through each of these."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A picture that the card could be, and how it would lie."""

    picture: int
    start: Array
    """(3, 3) map in card space from the picture to the patch."""
    likeness: float


@dataclass(frozen=True, slots=True, eq=False)
class Thumbs:
    """Thumbnails of all pictures."""

    flat: NDArray[np.float32] | NDArray[np.int8]
    """(N, D); of many pictures in units of `scale`."""
    scale: float
    axes: NDArray[np.float32]
    """(D, K) projections; K is 0 where there are few pictures."""
    projected: NDArray[np.float32]
    """(N, K), each of length 1."""
    rough: NDArray[np.float32]
    """(at most `ROUGH`, N), the first of the projections, each of length 1: columns, so
    that one product goes through them in order."""


def thumb(seen: Plane) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the (D,) thumbnail of (H, W, 5) features, and how much each value of it
    tells."""
    weight = seen[..., 4:]
    soft = np.dstack([seen[..., :4] * weight, weight])
    small = cv2.resize(soft, THUMB_PX, interpolation=cv2.INTER_AREA)
    flat = np.asarray(small, np.float32).reshape(1, -1, 5)
    values, masks = thumbs_of(flat[..., :4], flat[..., 4:])
    return values[0], masks[0]


def thumbs_of(
    soft: Plane, tells: Plane
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return (N, D) thumbnails of (N, P, 4) features that are already as small, times
    what the (N, P, 1) pixels tell, and how much each value tells."""
    values = soft / np.maximum(tells, 1e-3) / np.array(SCALES, np.float32)
    total = tells.sum(1, keepdims=True) + 1e-6
    values[..., 1:] -= (values[..., 1:] * tells).sum(1, keepdims=True) / total
    values *= np.array(WEIGHTS, np.float32) * (tells > 0.05)
    masks = np.broadcast_to(tells, values.shape)
    count = len(values)
    return (
        values.reshape(count, -1).astype(np.float32),
        masks.reshape(count, -1).astype(np.float32),
    )


def likeness(
    soft: Plane, tells: Plane, thumbs: Thumbs, rows: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return (V, R) correlations with some of the pictures, the better way up.

    Like `thumbs_of` and `_likeness` in one, for very many looks: (V, P, 4) features
    times what the (V, P) pixels tell.
    """
    seen = soft * (np.array(WEIGHTS, np.float32) / np.array(SCALES, np.float32))
    middle = seen[..., 1:].sum(1) / (tells.sum(1)[:, None] + 1e-6)
    seen[..., 1:] -= middle[:, None] * tells[..., None]
    own = np.einsum("vpc,vpc,vp->v", seen, seen, 1 / np.maximum(tells, 1e-3))
    flat = thumbs.flat[rows].astype(np.float32) * thumbs.scale
    shaped = flat.reshape(len(rows), -1, len(WEIGHTS))
    best = np.full((len(seen), len(rows)), -1.0, np.float32)
    for faces in (shaped, shaped[:, ::-1]):
        cross = seen.reshape(len(seen), -1) @ faces.reshape(len(rows), -1).T
        other = tells @ np.square(faces).sum(2).T
        np.maximum(best, cross / (np.sqrt(own[:, None] * other) + 1e-3), out=best)
    return best


def in_question(soft: Plane, tells: Plane, thumbs: Thumbs) -> NDArray[np.int64]:
    """Return the rows of the pictures that some looks may be of: of few pictures
    all."""
    return _chosen(*thumbs_of(soft, tells[..., None]), thumbs)


def index(thumbs: Sequence[NDArray[np.float32]]) -> Thumbs:
    """Return the thumbnails ready to be compared with."""
    flat = np.stack(thumbs)
    if len(flat) <= DIRECT:
        none = np.zeros((len(flat), 0), np.float32)
        return Thumbs(flat, 1.0, np.zeros((flat.shape[1], 0), np.float32), none, none)
    sample = flat[np.random.default_rng(SEED).permutation(len(flat))[:4000]]
    _, _, rows = np.linalg.svd(sample - sample.mean(0), full_matrices=False)
    axes = np.ascontiguousarray(rows[:PROJECTIONS].T, np.float32)
    projected = flat @ axes
    rough = np.ascontiguousarray(_unit(projected[:, :ROUGH]).T)
    scale = 3.0 / 127
    packed = np.clip(np.round(flat / scale), -127, 127).astype(np.int8)
    return Thumbs(packed, scale, axes, _unit(projected), rough)


def guesses(patch: Patch, thumbs: Thumbs, most: int) -> list[Guess]:
    """Return the pictures that the card is most like, the best first."""
    starts = [turn @ nudge for turn in (np.eye(3), HALF_TURN) for nudge in NUDGES]
    seen = soft_features(patch, np.stack(starts), pixel_centres(*THUMB_PX))
    values, masks = thumbs_of(seen[..., :4], seen[..., 4:])
    rows = _chosen(values, masks, thumbs)
    likeness = _likeness(values, masks, thumbs, rows)
    half = len(NUDGES)
    found = []
    for turn in range(2):
        part = likeness[turn * half : (turn + 1) * half]
        best = part.argmax(0)
        for row in np.argsort(-part.max(0))[:most]:
            nudge = turn * half + int(best[row])
            score = float(part[best[row], row])
            found.append(Guess(int(rows[row]), starts[nudge], score))
    return sorted(found, key=lambda guess: -guess.likeness)[:most]


def _chosen(
    values: NDArray[np.float32], masks: NDArray[np.float32], thumbs: Thumbs
) -> NDArray[np.int64]:
    count = len(thumbs.flat)
    if not thumbs.axes.size:
        return np.arange(count)
    projected = np.asarray((values * masks) @ thumbs.axes, np.float32)
    rows = np.arange(count)
    if count > 2 * ROUGHLY:
        rows = _best(_unit(projected[:, :ROUGH]) @ thumbs.rough, ROUGHLY)
    best = _best(_unit(projected) @ thumbs.projected[rows].T, CHOSEN)
    return np.asarray(rows[best], np.int64)


def _best(alike: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """Return the columns of the (V, N) likenesses with the highest ones."""
    return np.argpartition(-alike.max(0), most)[:most]


def _unit(projected: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (N, K) rows of length 1."""
    length = np.linalg.norm(projected, axis=1, keepdims=True)
    return np.ascontiguousarray(projected / np.maximum(length, 1e-6))


def _likeness(
    values: NDArray[np.float32],
    masks: NDArray[np.float32],
    thumbs: Thumbs,
    rows: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Return (V, N) correlations over what can be seen."""
    flat = thumbs.flat[rows].astype(np.float32) * thumbs.scale
    seen = values * masks
    cross = seen @ flat.T
    own = np.sqrt((seen * values).sum(1, keepdims=True))
    other = np.sqrt(masks @ (flat * flat).T)
    return np.asarray(cross / (own * other + 1e-3), np.float32)
