"""Galleries from labelled pictures of single cards: scans, crops, or photos of one
card each. For measuring: `evaluate` names cards from what lies beside its photos."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from vision.enrol import cut_cards
from vision.errors import ImageError
from vision.gallery import Face, Gallery
from vision.images import read_image
from vision.quads import area_px2
from vision.types import Bgr, Frame

FOLDER = "reference"
ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".webp"})
CARD_SHAPES = (0.58, 0.78)
"""Width over height of a picture that is but a card."""
_COPY = re.compile(r"_\d+$")


def reference_gallery(folder: Path) -> Gallery | None:
    """Return the deck whose pictures lie in `reference` of a folder of photos, `None`
    where there are none.

    A picture is named by its label, with `_` for a space. Where every name ends in
    `_1`, `_2` and so on, these tell several pictures of one face apart. A picture of
    another shape than a card's is a photo with one card in it.
    """
    beside = folder / FOLDER
    if not beside.is_dir():
        return None
    pictures: dict[str, list[Bgr]] = {}
    for label, picture in _pictures(beside):
        pictures.setdefault(label, []).append(picture)
    if not pictures:
        return None
    # How often each card is in the deck is not told: as often as it may lie there.
    faces = tuple(Face(k, tuple(v), copies=99) for k, v in sorted(pictures.items()))
    return Gallery(folder.name, faces)


def _pictures(folder: Path) -> Iterator[tuple[str, Bgr]]:
    paths = [p for p in sorted(folder.iterdir()) if p.suffix.lower() in ENDINGS]
    are_copies = all(_COPY.search(path.stem) for path in paths)
    for path in paths:
        stem = _COPY.sub("", path.stem) if are_copies else path.stem
        try:
            frame = read_image(path)
        except ImageError:
            continue
        picture = _card(frame)
        if picture is not None:
            yield stem.replace("_", " "), picture


def _card(frame: Frame) -> Bgr | None:
    height, width = frame.bgr.shape[:2]
    if CARD_SHAPES[0] < width / height < CARD_SHAPES[1]:
        return frame.bgr
    cuts = cut_cards(frame)
    if not cuts:
        return None
    return max(cuts, key=lambda cut: area_px2(cut.quad_px)).bgr
