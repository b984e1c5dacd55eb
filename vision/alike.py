"""Faces that could be taken for each other, in one deck or in two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np

from vision.gallery import Face, Gallery
from vision.types import Array, Bgr

THUMB_PX = (44, 62)
ALIKE = 0.82
"""Faces whose thumbnails correlate more are told apart by little."""


@dataclass(frozen=True, slots=True)
class LookAlike:
    """Two faces that could be taken for each other."""

    one: str
    other: str
    likeness: float
    """Correlation of their pictures, at most 1."""


def look_alikes(gallery: Gallery) -> tuple[LookAlike, ...]:
    """Return the pairs of faces of a deck that could be confused, the most alike
    first."""
    thumbs = [_thumbs(face.pictures) for face in gallery.faces]
    pairs = [
        _pair(gallery.faces[i], gallery.faces[j], thumbs[i], thumbs[j])
        for i, j in combinations(range(len(thumbs)), 2)
    ]
    return _alike(pairs)


def alike_across(one: Gallery, other: Gallery) -> tuple[LookAlike, ...]:
    """Return for each face of a deck the face of another that it could be taken for, if
    there is one, the most alike first: whose card it is could then not be told."""
    mine, yours = ([_thumbs(face.pictures) for face in g.faces] for g in (one, other))
    best = []
    for face, small in zip(one.faces, mine, strict=True):
        pairs = [
            _pair(face, rival, small, its)
            for rival, its in zip(other.faces, yours, strict=True)
        ]
        best += sorted(pairs, key=lambda pair: -pair.likeness)[:1]
    return _alike(best)


def _alike(pairs: Sequence[LookAlike]) -> tuple[LookAlike, ...]:
    alike = [pair for pair in pairs if pair.likeness > ALIKE]
    return tuple(sorted(alike, key=lambda pair: -pair.likeness))


def _pair(one: Face, other: Face, mine: Array, yours: Array) -> LookAlike:
    likeness = max(float((mine @ way.T).max()) for way in (yours, _turned(yours)))
    return LookAlike(one.label, other.label, round(likeness, 3))


def _thumbs(pictures: Sequence[Bgr]) -> Array:
    """Return (N, D) thumbnails, each with mean 0 and length 1 in every channel."""
    small = [
        cv2.resize(picture, THUMB_PX, interpolation=cv2.INTER_AREA)
        for picture in pictures
    ]
    lab = np.stack([cv2.cvtColor(s, cv2.COLOR_BGR2LAB) for s in small]).astype(float)
    lab = lab.reshape(len(small), -1, 3)
    lab -= lab.mean(axis=1, keepdims=True)
    flat = lab.reshape(len(small), -1)
    return np.asarray(
        flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6), float
    )


def _turned(thumbs: Array) -> Array:
    """Return the thumbnails upside down."""
    width, height = THUMB_PX
    shaped = thumbs.reshape(len(thumbs), height, width, 3)[:, ::-1, ::-1]
    return np.asarray(shaped.reshape(len(thumbs), -1), float)
