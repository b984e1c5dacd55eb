"""Where cards of the galleries may lie, by details of their print alone (SIFT).

For cards whose outline the detector does not find: that fill the picture, lie on one of
their own colour or on a chequered cloth, or have a frame in them that looks more like
an edge than theirs does. Many of these proposals are wrong; whoever asks compares each
as a whole.

Faces of one deck share a frame, an oval, the places of their figures: details of which
it is not clear whose they are, but where on a card, vote together for a card of any.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.matching.references import References
from vision.quads import UNIT_CORNERS, area_px2
from vision.types import Array, Bgr

PICTURE_PX, FACE_PX = 1600, 300
"""Long side of the picture and height of the faces in which details are looked for."""
PICTURE_DETAILS, FACE_DETAILS = 4000, 600
MOST_FACES = 400
"""Of more faces proposals would be slow and mostly wrong."""
RATIO = 0.8
"""A detail counts if it is this much nearer than the next (Lowe 2004)."""
NEIGHBOURS = 24
"""So many details are looked at for the next one that lies elsewhere on its card."""
SAME_PLACE = 0.05
"""Details nearer than this, in shares of the card, lie at one place of it."""
MIN_DETAILS = 6
RANSAC_PX, RANSAC_TRIES = 6.0, 4000
COPIES = 4
"""So many cards of one face are looked for."""
MIN_AREA_PX2 = 900.0
TREES, CHECKS = 4, 48


@dataclass(frozen=True, slots=True, eq=False)
class _Details:
    points: Array
    """(N, 2) in shares of the card."""
    owner: NDArray[np.int64]
    """(N,) which picture."""
    matcher: Any


@dataclass(slots=True, eq=False)
class Proposer:
    """Looks for the cards of some galleries; made ready at its first use."""

    references: References
    _details: _Details | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, bgr: Bgr) -> list[Array]:
        """Return (4, 2) quads, each from the card's own top left."""
        return [quad for _, quad in self._proposed(bgr)]

    def of_faces(self, bgr: Bgr) -> list[tuple[int, Array]]:
        """Return pictures and the (4, 2) quads where these seem to lie; nothing of
        which it is not clear whose details it has."""
        return [(number, quad) for number, quad in self._proposed(bgr) if number >= 0]

    def _proposed(self, bgr: Bgr) -> Iterator[tuple[int, Array]]:
        if not 0 < len(self.references.all) <= MOST_FACES:
            return iter(())
        with self._lock:
            self._details = self._details or _details_of(self.references)
        return _proposed(bgr, self._details)


def _details_of(references: References) -> _Details:
    finder = cv2.SIFT.create(FACE_DETAILS)
    points, described, owner = [], [], []
    for number, reference in enumerate(references.all):
        height, width = reference.picture.shape[:2]
        size = max(1, round(width * FACE_PX / height)), FACE_PX
        small = cv2.resize(reference.picture, size, interpolation=cv2.INTER_AREA)
        found, values = finder.detectAndCompute(small, None)
        if len(found) >= 2:
            points.append((np.array([p.pt for p in found]) + 0.5) / size)
            described.append(values)
            owner.append(np.full(len(found), number))
    matcher = cv2.FlannBasedMatcher(
        {"algorithm": 1, "trees": TREES}, {"checks": CHECKS}
    )
    if not points:
        return _Details(np.zeros((0, 2)), np.zeros(0, np.int64), None)
    matcher.add([np.vstack(described)])
    # Its trees are drawn by lot: what was drawn before must not matter.
    cv2.setRNGSeed(0)
    matcher.train()
    return _Details(np.vstack(points), np.concatenate(owner), matcher)


def _proposed(bgr: Bgr, details: _Details) -> Iterator[tuple[int, Array]]:
    """Yield pictures and where they may lie; -1 for one of any face."""
    if details.matcher is None:
        return
    shrink = min(1.0, PICTURE_PX / max(bgr.shape[:2]))
    small = cv2.resize(bgr, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    found, described = cv2.SIFT.create(PICTURE_DETAILS).detectAndCompute(small, None)
    if len(found) < MIN_DETAILS:
        return
    places = (np.array([p.pt for p in found]) + 0.5) / shrink - 0.5
    pairs, of_any = _matches(details, described)
    for number in np.unique(details.owner):
        own = pairs[details.owner[pairs[:, 1]] == number]
        yield from ((int(number), q) for q in _cards(details.points, places, own))
    yield from ((-1, quad) for quad in _cards(details.points, places, of_any))


def _matches(
    details: _Details, described: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return twice (N, 2) details of the picture and of a face that go together: where
    it is clear which face's, and where it is clear at which place of a card."""
    many = min(NEIGHBOURS, len(details.owner))
    near = [m for m in details.matcher.knnMatch(described, k=many) if len(m) == many]
    if many < 2 or not near:
        none = np.zeros((0, 2), np.int64)
        return none, none
    ids = np.array([[match.trainIdx for match in one] for one in near])
    away = np.array([[match.distance for match in one] for one in near])
    pairs = np.column_stack([[one[0].queryIdx for one in near], ids[:, 0]])
    # Two details of one face may look alike: they lead to the same card.
    is_its = details.owner[ids[:, 0]] == details.owner[ids[:, 1]]
    is_its |= away[:, 0] < RATIO * away[:, 1]
    # So do details at one place of any face, whichever way up.
    places = details.points[ids]
    beside = np.abs(places - places[:, :1]).max(axis=2) <= SAME_PLACE
    beside |= np.abs(1 - places - places[:, :1]).max(axis=2) <= SAME_PLACE
    elsewhere = np.where(beside, np.inf, away).min(axis=1)
    return pairs[is_its], pairs[away[:, 0] < RATIO * elsewhere]


def _cards(points: Array, places: Array, pairs: NDArray[np.int64]) -> Iterator[Array]:
    """Yield where cards of one face may lie, those with most details first."""
    for _ in range(COPIES):
        if len(pairs) < MIN_DETAILS:
            return
        source, target = points[pairs[:, 1]], places[pairs[:, 0]]
        # Few details bear no perspective; who compares the card puts its corners right.
        matrix, mask = cv2.estimateAffine2D(
            source, target, ransacReprojThreshold=RANSAC_PX, maxIters=RANSAC_TRIES
        )
        # Where there is none both are None, whatever the types say.
        agreed = np.asarray(mask, np.bool_).ravel()
        if agreed.size != len(pairs) or agreed.sum() < MIN_DETAILS:
            return
        pairs = pairs[~agreed]
        quad = UNIT_CORNERS @ np.asarray(matrix[:, :2], float).T + matrix[:, 2]
        if cv2.isContourConvex(quad.astype(np.float32)) and (
            area_px2(quad) > MIN_AREA_PX2
        ):
            yield quad
