"""Where cards lie on a known table, by details of their print (SIFT) that vote.

Every detail of the picture that looks like a detail of a face tells where that face
would lie: the detail's own place, direction and size are enough. Where several agree a
card may lie, however little of it shows. Details are found once for a picture.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.matching.patches import Mask
from vision.matching.references import References
from vision.types import Array, Bgr

CARD_PX = 150
"""Cards are looked at so wide, in the picture (if they are so large there) as in the
gallery."""
FACE_DETAILS, PICTURE_DETAILS = 150, 5000
CONTRAST = 0.02
"""Of details, less than OpenCV's usual: cards lie in the shade."""
MOST_FACES = 400
"""Of more faces votes would be slow and mostly wrong."""
FARTHEST, RATIO = 300.0, 1.25
"""Details that differ by more are not alike; nor by so much more than the likest."""
SIZE = 1.5
"""A detail may be so much larger or smaller than its card's size has it."""
NEAR_MM, NEAR_DEG = 8.0, 12.0
"""Votes that differ by less are of one card."""
FITS_MM = 3.0
LEAST_VOTES = 3


@dataclass(frozen=True, slots=True, eq=False)
class Details:
    """What can be told apart in some pictures."""

    points: Array
    """(N, 2): px; of faces mm from the middle, y up."""
    turns: Array
    """(N,) direction in rad, clockwise in px, counter-clockwise in mm."""
    sizes: Array
    """(N,) px, of faces mm."""
    values: NDArray[np.float32]
    """(N, 128)."""
    owner: NDArray[np.int64]
    """(N,) which picture."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Details of the picture that look like details of faces."""

    seen: Details
    faces: Details
    pairs: NDArray[np.int64]
    """(M, 2)."""


@dataclass(frozen=True, slots=True, eq=False)
class Vote:
    """A way in which a face may lie, and how many details say so."""

    pose: Array
    """x and y in mm, turn in rad."""
    picture: int
    count: int
    details: NDArray[np.int64]
    """Which details of the picture."""


def _grey(bgr: Bgr) -> Mask:
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)


def faces_of(
    references: References,
    size_mm: tuple[float, float],
    grey_of: Callable[[Bgr], Mask] = _grey,
) -> Details:
    """Return the details of all pictures of the galleries, made grey so."""
    finder = cv2.SIFT.create(FACE_DETAILS, contrastThreshold=CONTRAST)
    size = CARD_PX, round(CARD_PX * size_mm[1] / size_mm[0])
    mm_per_px = size_mm[0] / CARD_PX
    parts = []
    for number, reference in enumerate(references.all):
        small = cv2.resize(reference.picture, size, interpolation=cv2.INTER_AREA)
        grey = grey_of(np.asarray(small, np.uint8))
        found, values = finder.detectAndCompute(grey, None)
        part = _details(found, values, number)
        x, y = (part.points.T + 0.5) * mm_per_px
        points = np.column_stack([x - size_mm[0] / 2, size_mm[1] / 2 - y])
        parts.append(
            Details(
                points, -part.turns, part.sizes * mm_per_px, part.values, part.owner
            )
        )
    return joined(parts)


def joined(parts: Sequence[Details]) -> Details:
    """Return all details of some."""
    return Details(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("points", "turns", "sizes", "values", "owner")
        )
    )


def details_of(picture: Bgr | Mask, region: Mask, card_px: float) -> Details:
    """Return the details of a picture, in colours or grey, in a region of it."""
    x, y, wide, tall = cv2.boundingRect(region)
    if min(wide, tall) < 8:
        return _details((), None, 0)
    shrink = min(1.0, CARD_PX / max(card_px, 1.0))
    part = picture[y : y + tall, x : x + wide]
    gray = _grey(part) if part.ndim == 3 else part
    mask = np.asarray(region[y : y + tall, x : x + wide], np.uint8)
    if shrink < 1:
        size = max(1, round(shrink * wide)), max(1, round(shrink * tall))
        gray = np.asarray(cv2.resize(gray, size, interpolation=cv2.INTER_AREA))
        mask = np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST))
    finder = cv2.SIFT.create(PICTURE_DETAILS, contrastThreshold=CONTRAST)
    found = _details(*finder.detectAndCompute(gray, mask), 0)
    points = (found.points + 0.5) / shrink - 0.5 + (x, y)
    return Details(points, found.turns, found.sizes / shrink, found.values, found.owner)


@dataclass(slots=True, eq=False)
class Voter:
    """Looks for details of the cards of some galleries; ready at its first use."""

    references: References
    made: Callable[[References, tuple[float, float]], Details] = faces_of
    """Finds the details of the faces."""
    seen: Callable[[Bgr, Mask, float], Details] = details_of
    """Finds those of a picture, in a region where cards are about so wide."""
    _faces: dict[tuple[float, float], Details] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def pairs(
        self, bgr: Bgr, region: Mask, card_px: float, size_mm: tuple[float, float]
    ) -> Pairs | None:
        """Return what in the region of the picture, where cards are about so wide,
        looks like a detail of a face; `None` where votes would be of no use."""
        if not 0 < len(self.references.all) <= MOST_FACES:
            return None
        with self._lock:
            if size_mm not in self._faces:
                self._faces[size_mm] = self.made(self.references, size_mm)
        seen, faces = self.seen(bgr, region, card_px), self._faces[size_mm]
        return Pairs(seen, faces, _alike(seen.values, faces.values))


def votes(
    matched: Pairs,
    table: TableMap,
    visible: Mask,
    pictures: Sequence[int] | None = None,
) -> list[Vote]:
    """Return the ways to lie that details agree on, those with most votes first; only
    details that nothing known covers have a say."""
    seen, faces = matched.seen, matched.faces
    spots = np.round(seen.points).astype(int)
    shows = visible[
        spots[:, 1].clip(0, visible.shape[0] - 1),
        spots[:, 0].clip(0, visible.shape[1] - 1),
    ]
    pairs = matched.pairs[shows[matched.pairs[:, 0]] > 0]
    try:
        places, turns, sizes = _on_table(seen, table)
    except GeometryError:
        return []
    ratio = sizes[pairs[:, 0]] / faces.sizes[pairs[:, 1]]
    pairs = pairs[(ratio > 1 / SIZE) & (ratio < SIZE)]
    found: list[Vote] = []
    owner = faces.owner[pairs[:, 1]]
    order = np.argsort(owner, kind="stable")
    pairs, owner = pairs[order], owner[order]
    for number in np.unique(owner):
        low, high = np.searchsorted(owner, [number, number + 1])
        if high - low >= LEAST_VOTES:
            found += _of_face(int(number), pairs[low:high], places, turns, faces)
    return _claimed(found)


def _claimed(found: Sequence[Vote]) -> list[Vote]:
    """Return the votes with most details first, without those whose details are mostly
    of cards before them: a detail is on one card only."""
    taken: set[int] = set()
    kept = []
    left = [(vote, set(vote.details.tolist())) for vote in found]
    while left:
        left = [(vote, own - taken) for vote, own in left]
        left = [(vote, own) for vote, own in left if len(own) >= LEAST_VOTES]
        if not left:
            break
        best = max(range(len(left)), key=lambda i: len(left[i][1]))
        vote, own = left.pop(best)
        kept.append(vote)
        taken |= own
    return kept


def _of_face(
    number: int, pairs: NDArray[np.int64], places: Array, turns: Array, faces: Details
) -> list[Vote]:
    """Return the ways in which one face may lie."""
    mine, own = places[pairs[:, 0]], faces.points[pairs[:, 1]]
    turn = turns[pairs[:, 0]] - faces.turns[pairs[:, 1]]
    c, s = np.cos(turn), np.sin(turn)
    x = mine[:, 0] - c * own[:, 0] + s * own[:, 1]
    y = mine[:, 1] - s * own[:, 0] - c * own[:, 1]
    away = np.hypot(x[:, None] - x, y[:, None] - y)
    turned = np.abs((turn[:, None] - turn + np.pi) % (2 * np.pi) - np.pi)
    agree = (away < NEAR_MM) & (turned < np.radians(NEAR_DEG))
    left = np.ones(len(pairs), bool)
    found: list[Vote] = []
    while True:
        counts = (agree & left).sum(1) * left
        best = int(counts.argmax())
        if counts[best] < LEAST_VOTES:
            return found
        chosen = agree[best] & left
        pose, fits = _pose(mine[chosen], own[chosen])
        agreed = pairs[chosen][fits]
        count = _distinct(agreed)
        if count >= LEAST_VOTES:
            found.append(Vote(pose, number, count, np.unique(agreed[:, 0])))
        left &= ~chosen


def _distinct(pairs: NDArray[np.int64]) -> int:
    """Return how many details agree, none counted twice on either side."""
    return min((len(np.unique(side)) for side in pairs.T), default=0)


def _pose(mine: Array, own: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return how the card must lie for most of its details, and which fit."""
    fits = np.ones(len(mine), bool)
    pose = np.zeros(3)
    for _ in range(3):
        a, b = mine[fits] @ (1, 1j), own[fits] @ (1, 1j)
        turn = np.angle(((a - a.mean()) * (b - b.mean()).conj()).sum())
        middle = a.mean() - np.exp(1j * turn) * b.mean()
        pose = np.array([middle.real, middle.imag, turn])
        off = np.abs(middle + np.exp(1j * turn) * (own @ (1, 1j)) - mine @ (1, 1j))
        now = off < FITS_MM
        if now.sum() < 2 or np.array_equal(now, fits):
            break
        fits = now
    return pose, fits


def _on_table(seen: Details, table: TableMap) -> tuple[Array, Array, Array]:
    """Return where details of the picture are on the table: mm, rad and mm."""
    step = np.column_stack([np.cos(seen.turns), np.sin(seen.turns)])
    half = 0.5 * seen.sizes[:, None] * step
    across = 0.5 * seen.sizes[:, None] * step[:, ::-1] * (-1, 1)
    ends = np.concatenate(
        [seen.points, *(seen.points + d for d in (half, -half, across, -across))]
    )
    places = table.to_table(ends).reshape(5, -1, 2)
    along = places[1] - places[2]
    beside = places[3] - places[4]
    size = np.sqrt(np.hypot(*along.T) * np.hypot(*beside.T))
    return places[0], np.arctan2(along[:, 1], along[:, 0]), size


def _alike(seen: NDArray[np.float32], faces: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return (M, 2) pairs of details that look alike."""
    if not len(seen) or not len(faces):
        return np.zeros((0, 2), np.int64)
    away = seen @ faces.T
    away *= -2
    away += (faces**2).sum(1)
    own = (seen**2).sum(1)
    least = np.maximum(away.min(1) + own, 0)
    most = np.minimum(RATIO**2 * least, FARTHEST**2) - own
    return np.argwhere(away < most[:, None]).astype(np.int64)


def _details(found: Sequence[cv2.KeyPoint], values: object, owner: int) -> Details:
    count = len(found)
    return Details(
        np.array([p.pt for p in found], float).reshape(count, 2),
        np.radians([p.angle for p in found]).reshape(count),
        np.array([p.size for p in found], float).reshape(count),
        np.asarray(values if count else np.zeros((0, 128)), np.float32),
        np.full(count, owner, np.int64),
    )
