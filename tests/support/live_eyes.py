"""The shipped eyes for rendered rounds: standard cards, own decks, chips on a mat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from companion.measure.kits import open_kit
from companion.measure.mats import open_mat
from companion.measure.score import Setup
from companion.sight import load_pipeline
from companion.watching.boards import BoardEye
from engines.brawl.faces import Face as BrawlFace
from engines.frantic.cards import copies
from engines.frenzy.cards import Card
from tests.support.laying import back, custom_face
from tests.support.warboard import keep_board
from vision.gallery import Face, Gallery
from vision.scene.art import Face as Art
from vision.types import Bgr
from vision.views import See

FLAT_MM = 0.3
"""Thickness of chips that lie flat on the rendered table."""
HEIGHT_PX = 440
"""Of a reference picture: as large as people's own, once straightened."""


def shipped_eyes(game: str) -> See:
    """Return what reads the cards of a game's rounds with the shipped models; of
    Warstones what measures chips on its mat, by markers and faces."""
    if game == "warstones":
        return _measuring_eyes()
    return load_pipeline(1, galleries_of(game))


def _measuring_eyes() -> See:
    with TemporaryDirectory() as home:
        keep_board(Path(home), markers=True)
        mat = open_mat(f"{home}/mats/cloth")
        kit = open_kit(f"{home}/kits/box")
    flat = {**kit.data["chip"], "thickness_mm": FLAT_MM}
    kit = replace(kit, data={**kit.data, "chip": flat})
    return BoardEye(Setup(mat, kit))


def galleries_of(game: str) -> tuple[Gallery, ...]:
    """Return the decks on the table of a game; none: standard cards."""
    if game == "brawl":
        faces = [face.value for face in BrawlFace]
        return tuple(_gallery(owner, dict.fromkeys(faces, 4), owner) for owner in "AB")
    if game == "frenzy":
        row = [f"F{number}{face}" for number, face in ((1, "o"), (2, "b"), (3, "b"))]
        return (_gallery("frenzy", dict.fromkeys([*row, *(c.value for c in Card)], 8)),)
    if game == "frantic":
        counts = {str(card): n for card, n in copies(starred=True).items()}
        return (_gallery("frantic", counts),)
    return ()


def _gallery(name: str, labels: Mapping[str, int], owner: str = "") -> Gallery:
    prefix = f"{owner}/" if owner else ""
    faces = [
        Face(label, (_picture(custom_face(prefix + label)),), count)
        for label, count in labels.items()
    ]
    return Gallery(name, tuple(faces), (_picture(back()),))


def _picture(card: Art) -> Bgr:
    """Return the card upright on white, as if photographed on paper."""
    bgra = card.bgra.astype(np.float32)
    flat = bgra[..., :3] + 255 - bgra[..., 3:]
    height, width = flat.shape[:2]
    size = round(width * HEIGHT_PX / height), HEIGHT_PX
    small = cv2.resize(flat, size, interpolation=cv2.INTER_AREA)
    return np.asarray(np.rint(small).clip(0, 255), np.uint8)
