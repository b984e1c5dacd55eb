"""Corners of cards, drawn in a row, and what was read in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards import CardSeen, IndexSeen, log_faces_of
from vision.naming import Sureness
from vision.reading import LABELS, Reading
from vision.scene.ink import letters, stamp
from vision.scene.suits import draw_suits
from vision.types import Array, Bgr, Kind

SURE = Sureness(min_probability=0.85, min_alone=0.85, min_suit=0.85)
DRAWN = draw_suits(np.random.default_rng(4))
"""Suits of one deck."""


def drawn_corners(
    labels: Sequence[str],
    blur_px: float = 1.5,
    suits: Mapping[str, NDArray[np.uint8]] = DRAWN,
) -> Bgr:
    """Return white corners with these labels in a row, 80 px wide and 112 px high, as a
    camera sees them."""
    bgr = np.full((112, 80 * len(labels), 3), 225, np.uint8)
    for number, label in enumerate(labels):
        ink = (40, 40, 190) if label[-1] in "dh" else (40, 40, 40)
        left = 80.0 * number
        stamp(bgr, letters(label[:-1], "sans"), (left + 27, 15, left + 53, 53), ink)
        stamp(bgr, suits[label[-1]], (left + 28, 61, left + 52, 93), ink)
    noise = np.random.default_rng(1).normal(0, 4, bgr.shape)
    blurred = cv2.GaussianBlur(bgr, (0, 0), blur_px) + noise
    return np.asarray(np.clip(blurred, 0, 255), np.uint8)


def window(number: int) -> Array:
    left = 80.0 * number - 0.5
    right = left + 80
    return np.array([[left, -0.5], [right, -0.5], [right, 111.5], [left, 111.5]])


def read_as(*candidates: tuple[str, float], face: float = 0.99) -> Reading:
    faces = np.full(len(LABELS), 1e-4)
    for label, probability in candidates:
        faces[LABELS.index(label)] = probability
    return Reading(faces / faces.sum(), face, 0.0, 1 - face)


def lying(readings: Sequence[Reading]) -> tuple[CardSeen, ...]:
    """Return a card for each drawn corner."""
    cards = []
    for number, reading in enumerate(readings):
        index = IndexSeen(window(number), 0.9, reading, window(number))
        card = CardSeen(window(number), 0.9, Kind.CARD, None, (index,))
        cards.append(replace(card, log_faces=log_faces_of(card)))
    return tuple(cards)


def never_read(bgr: Bgr, windows_px: Array, **how: bool) -> tuple[Reading, ...]:
    """Read nothing: what asks is not to."""
    raise AssertionError(f"{len(windows_px)} windows were read, {how}")
