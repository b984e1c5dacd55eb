"""Faces and decks: the flat art that is put on the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import ImageError
from vision.types import Bgr, Kind

FACE_HEIGHT_PX = 400
CARD_HEIGHT_MM = 88.0

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 as shares of the card's width and height, from its top left."""


@dataclass(frozen=True, eq=False)
class Face:
    """The art of one side of a card."""

    kind: Kind
    label: str | None
    """Notation of the card, `None` for backs and for cards of no standard deck."""
    bgra: NDArray[np.uint8]
    """(H, W, 4), colour premultiplied by alpha."""
    indices: tuple[Box, ...] = ()
    """Where rank and suit stand, upright ones first; turned ones are below 0.5."""

    @property
    def width_mm(self) -> float:
        """Return the width of the card, its height being 88 mm."""
        return float(CARD_HEIGHT_MM * self.bgra.shape[1] / self.bgra.shape[0])

    @cached_property
    def mipmaps(self) -> tuple[NDArray[np.uint8], ...]:
        """Return the art at full, half, quarter and eighth size."""
        levels = [self.bgra]
        while levels[-1].shape[0] > 48:
            level = levels[-1]
            size = (level.shape[1] // 2, level.shape[0] // 2)
            half = cv2.resize(level, size, interpolation=cv2.INTER_AREA)
            levels.append(np.asarray(half, np.uint8))
        return tuple(levels)


@dataclass(frozen=True, eq=False)
class Deck:
    """All faces of one design, and its back."""

    name: str
    faces: Mapping[str, Face]
    back: Face | None
    jokers: tuple[Face, ...] = ()


INDEX_BOX: Mapping[str, Box | None] = {
    "aguilar": (0.03, 0.035, 0.135, 0.245),
    "gnome_anglo": (0.04, 0.045, 0.155, 0.25),
    "gnome_gnomangelo": (0.04, 0.045, 0.155, 0.25),
    "gnome_ornamental": (0.045, 0.05, 0.25, 0.385),
    "kde_nicu-white": (0.045, 0.05, 0.25, 0.385),
    "gnome_tango": (0.03, 0.03, 0.27, 0.375),
    "gnome_plastic": (0.055, 0.03, 0.195, 0.3),
    "kde_ancient-egyptians": (0.05, 0.02, 0.21, 0.36),
    "kde_jolly-royal": (0.04, 0.03, 0.2, 0.3),
    "kde_penguins": (0.02, 0.02, 0.2, 0.28),
    "kennard_english": (0.045, 0.03, 0.14, 0.23),
    "knoll": (0.02, 0.01, 0.185, 0.255),
    "saulspatz_accessible_vertical": (0.015, 0.01, 0.22, 0.29),
    "saulspatz_vertical2": (0.015, 0.01, 0.22, 0.29),
    "saulspatz_vertical4": (0.015, 0.01, 0.22, 0.29),
    "saulspatz_horizontal2": (0.015, 0.01, 0.42, 0.16),
    # Rank and suit stand in different corners, or the suits are not the French ones.
    "kde_oxygen": None,
    "kde_oxygen-air": None,
    "kde_oxygen-white": None,
    "gnome_swiss-xvii": None,
}
"""Measured on the 2s and 3s of each deck and looked at; `None`: no corner index."""
DEFAULT_INDEX_BOX: Box = (0.03, 0.03, 0.15, 0.245)
FOUR_INDICES = frozenset({"gnome_dondorf"})
NOT_FRENCH = frozenset({"gnome_swiss-xvii"})


def load_deck(folder: Path) -> Deck:
    """Return the deck of a folder of `<rank><suit>.png` faces, as in shared/data/decks.

    Raises `ImageError` if a face cannot be read.
    """
    name = folder.name
    box = INDEX_BOX.get(name, DEFAULT_INDEX_BOX)
    boxes = turned_boxes(box, four=name in FOUR_INDICES)
    faces: dict[str, Face] = {}
    jokers: list[Face] = []
    back: Face | None = None
    for path in sorted(folder.glob("*.png")):
        bgra = read_art(path)
        if path.stem == "BACK":
            back = Face(Kind.BACK, None, bgra)
        elif path.stem.startswith("JOKER"):
            jokers.append(Face(Kind.CARD, "X", bgra))
        else:
            label = path.stem[:-1] + path.stem[-1].lower()
            known = None if name in NOT_FRENCH else label
            faces[label] = Face(Kind.CARD, known, bgra, boxes)
    return Deck(name, faces, back, tuple(jokers))


def turned_boxes(box: Box | None, *, four: bool = False) -> tuple[Box, ...]:
    """Return all index places of a card from the one at its top left."""
    if box is None:
        return ()
    x0, y0, x1, y1 = box
    right = (1 - x1, y0, 1 - x0, y1)
    turned = [(1 - x1, 1 - y1, 1 - x0, 1 - y0)]
    if four:
        turned.append((x0, 1 - y1, x1, 1 - y0))
    return (box, right, *turned) if four else (box, *turned)


def read_art(path: Path) -> NDArray[np.uint8]:
    """Return premultiplied (400, W, 4) art with rounded corners."""
    raw = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if raw is None:
        raise ImageError("broken", f"cannot read the card face {path}")
    if raw.ndim == 2:
        raw = cv2.cvtColor(raw, cv2.COLOR_GRAY2BGR)
    if raw.shape[2] == 3:
        raw = cv2.cvtColor(raw, cv2.COLOR_BGR2BGRA)
        raw[..., 3] = rounded_mask(raw.shape[1], raw.shape[0], 0.05)
    width = round(raw.shape[1] * FACE_HEIGHT_PX / raw.shape[0])
    if raw.shape[0] != FACE_HEIGHT_PX:
        raw = cv2.resize(raw, (width, FACE_HEIGHT_PX), interpolation=cv2.INTER_AREA)
    return premultiplied(np.asarray(raw, np.uint8))


def premultiplied(bgra: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the art with its colours multiplied by alpha."""
    alpha = cv2.merge([bgra[..., 3]] * 3)
    colour = cv2.multiply(bgra[..., :3].copy(), alpha, scale=1 / 255)
    return np.dstack([np.asarray(colour, np.uint8), bgra[..., 3]])


def rounded_mask(width: int, height: int, radius: float) -> NDArray[np.uint8]:
    """Return a (height, width) mask, 255 inside; `radius` is a share of the width."""
    scale = 4
    big = np.zeros((height * scale, width * scale), np.uint8)
    r = max(1, round(radius * width * scale))
    w, h = big.shape[1] - 1, big.shape[0] - 1
    cv2.rectangle(big, (r, 0), (w - r, h), 255, -1)
    cv2.rectangle(big, (0, r), (w, h - r), 255, -1)
    for x in (r, w - r):
        for y in (r, h - r):
            cv2.circle(big, (x, y), r, 255, -1)
    small = cv2.resize(big, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def cut_round(bgr: Bgr, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the art premultiplied, (H, W, 4), with corners as round as cards' are."""
    h, w = bgr.shape[:2]
    mask = rounded_mask(w, h, float(rng.uniform(0.03, 0.08)))
    return premultiplied(np.dstack([bgr, mask]))
