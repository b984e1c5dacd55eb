"""The plain ways to name a card, to compare with: perceptual hash, ORB, SIFT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Array, Bgr

Name = Callable[[Bgr, Array], str | None]
HEIGHT_PX = 320
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])


def phash(pictures: Sequence[tuple[str, Bgr]]) -> Name:
    """Return naming by the smallest Hamming distance of 64 bit hashes."""
    known = np.stack([_bits(picture) for _, picture in pictures])

    def name(bgr: Bgr, quad_px: Array) -> str | None:
        ways = [_bits(_straight(bgr, np.roll(quad_px, k, 0))) for k in (0, 2)]
        distances = np.stack([(known != way).sum(1) for way in ways]).min(0)
        return pictures[int(distances.argmin())][0]

    return name


def features(pictures: Sequence[tuple[str, Bgr]], kind: str) -> Name:
    """Return naming by the most RANSAC inliers of ORB or SIFT matches."""
    norm = cv2.NORM_HAMMING if kind == "ORB" else cv2.NORM_L2
    makers: Any = cv2  # OpenCV's own types lack both
    finder = makers.ORB_create(500) if kind == "ORB" else makers.SIFT_create(500)
    matcher = cv2.BFMatcher(norm)
    known = [finder.detectAndCompute(_at_height(p), None) for _, p in pictures]

    def name(bgr: Bgr, quad_px: Array) -> str | None:
        points, described = finder.detectAndCompute(_straight(bgr, quad_px), None)
        if described is None or len(points) < 4:
            return None
        scores = [_inliers(matcher, points, described, *one) for one in known]
        best = int(np.argmax(scores))
        return pictures[best][0] if scores[best] else None

    return name


def _inliers(
    matcher: Any, points: Any, described: Any, known_points: Any, known: Any
) -> int:
    if known is None or len(known_points) < 2:
        return 0
    pairs = [p for p in matcher.knnMatch(described, known, k=2) if len(p) == 2]
    good = [a for a, b in pairs if a.distance < 0.8 * b.distance]
    if len(good) < 4:
        return 0
    source = np.array([known_points[m.trainIdx].pt for m in good], np.float32)
    target = np.array([points[m.queryIdx].pt for m in good], np.float32)
    found: Any = cv2.findHomography(source, target, cv2.RANSAC, 5.0)
    return 0 if found[1] is None else int(found[1].sum())


def _straight(bgr: Bgr, quad_px: Array) -> Bgr:
    size = round(HEIGHT_PX * 63 / 88), HEIGHT_PX
    matrix = cv2.getPerspectiveTransform(
        quad_px.astype(np.float32), (_UNIT * size - 0.5).astype(np.float32)
    )
    return np.asarray(cv2.warpPerspective(bgr, matrix, size), np.uint8)


def _at_height(bgr: Bgr) -> Bgr:
    size = round(HEIGHT_PX * 63 / 88), HEIGHT_PX
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def _bits(bgr: Bgr) -> NDArray[np.bool_]:
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(gray, (32, 32), interpolation=cv2.INTER_AREA)
    low = np.asarray(cv2.dct(small.astype(np.float32)))[:8, :8].ravel()
    return np.asarray(low > np.median(low))
